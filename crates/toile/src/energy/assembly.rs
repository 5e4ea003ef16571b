//! From elements to forces and matrices of the whole world.
//!
//! Rows are dealt out in a few contiguous pieces, one thread to a piece. A thread goes through all elements
//! that touch its piece and adds what belongs to its own rows; an element on the border of two pieces is
//! worked out twice. So no two threads write to the same place, nothing is stored in between, and every row
//! sums its elements in the same order whatever the number of pieces: the same bits on any number of threads.

use super::element::Receiver;
use super::{Elements, EnergyBatch, Memory, QuadraticBend, Visitor, Weights};
use crate::linalg::{BlockMatrix, BlockPattern};
use crate::parallel;
use glam::{DMat3, DVec3};
use std::ops::Range;

/// Where the elements of every batch go.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The rows of each piece.
    pieces: Vec<Range<usize>>,
    batches: Vec<BatchPlan>,
}

/// A batch's parts, one for each kind of element in it.
type BatchPlan = Vec<Part>;

#[derive(Debug, Default)]
struct Part {
    /// Where in the matrix each element's off-diagonal blocks are, pair after pair; see [`TRANSPOSED`] and
    /// [`FIRST`].
    places: Vec<u32>,
    /// The elements that touch each piece, in order. Empty if there is only one piece, which all touch.
    touching: Vec<Vec<u32>>,
}

impl Part {
    /// The elements that touch a piece; `None` for all of them.
    fn touching(&self, piece: usize) -> Option<&[u32]> {
        self.touching.get(piece).map(Vec::as_slice)
    }
}

/// Set in a place whose block has to be transposed because the later node has the smaller number.
const TRANSPOSED: u32 = 1 << 31;

/// Set in a place whose block nothing was written to before: it need not be read, nor cleared beforehand.
const FIRST: u32 = 1 << 30;

/// Matrix rows per piece below which a thread is not worth waking, and elements on borders cost too much. Only a matter of time,
/// not of results.
const ROWS_PER_THREAD: usize = 512;

impl Plan {
    /// A plan for these batches, with pieces for the threads there are. `pattern` is given if matrices are
    /// wanted.
    pub fn new(rows: usize, energies: &[EnergyBatch], pattern: Option<&BlockPattern>) -> Self {
        let threads = parallel::threads();
        let wanted = if threads == 1 { 1 } else { 2 * threads };
        let count = wanted.min(rows / ROWS_PER_THREAD).max(1);
        // As many for each thread.
        let count = if count > threads {
            count - count % threads
        } else {
            count
        };
        let bound = |k: usize| rows * k / count;
        let pieces: Vec<_> = (0..count).map(|k| bound(k)..bound(k + 1)).collect();
        let mut planner = Planner {
            pieces: &pieces,
            pattern,
            written: vec![false; pattern.map_or(0, BlockPattern::off_diagonal_count)],
            parts: Vec::new(),
        };
        let batches = energies
            .iter()
            .map(|energy| {
                energy.visit(&Memory::NONE, &mut planner);
                std::mem::take(&mut planner.parts)
            })
            .collect();
        // A block that no element writes to stays the zero it was made as.
        Plan { pieces, batches }
    }

    /// Adds every batch's forces (N) to `forces`.
    pub fn add_forces(
        &self,
        energies: &[EnergyBatch],
        memory: &Memory,
        positions: &[DVec3],
        velocities: &[DVec3],
        forces: &mut [DVec3],
    ) {
        let split = split(forces, &self.pieces, |piece| piece.len());
        let pieces: Vec<_> = self.pieces.iter().zip(split).enumerate().collect();
        parallel::each(pieces, |(piece, (rows, forces))| {
            for (energy, plan) in energies.iter().zip(&self.batches) {
                let mut adder = ForceAdder {
                    parts: plan.iter(),
                    piece,
                    first: rows.start,
                    forces: &mut *forces,
                    positions,
                    velocities,
                };
                energy.visit(memory, &mut adder);
            }
        });
    }

    /// Adds every batch's blocks to the matrix's diagonal, makes the others of them, and adds `f − τ K v` (N)
    /// to `forces`.
    pub fn add_systems(
        &self,
        energies: &[EnergyBatch],
        memory: &Memory,
        positions: &[DVec3],
        velocities: &[DVec3],
        weights: &Weights,
        system: (&mut BlockMatrix, &mut [DVec3]),
    ) {
        let (matrix, forces) = system;
        let pattern = matrix.pattern.clone();
        let stored = |rows: &Range<usize>| {
            pattern.starts[rows.start] as usize..pattern.starts[rows.end] as usize
        };
        let forces = split(forces, &self.pieces, |piece| piece.len());
        let diagonals = split(&mut matrix.diagonal, &self.pieces, |piece| piece.len());
        let lowers = split(&mut matrix.lower, &self.pieces, |piece| stored(piece).len());
        let parts = forces.into_iter().zip(diagonals).zip(lowers);
        let pieces: Vec<_> = self.pieces.iter().zip(parts).enumerate().collect();
        parallel::each(pieces, |(piece, (rows, ((forces, diagonal), lower)))| {
            for (energy, plan) in energies.iter().zip(&self.batches) {
                let mut adder = SystemAdder {
                    parts: plan.iter(),
                    piece,
                    first: rows.start,
                    first_stored: stored(rows).start,
                    forces: &mut *forces,
                    diagonal: &mut *diagonal,
                    lower: &mut *lower,
                    positions,
                    velocities,
                    weights,
                };
                energy.visit(memory, &mut adder);
            }
        });
    }
}

/// Cuts a slice into consecutive parts.
fn split<'a, T, P>(
    mut slice: &'a mut [T],
    pieces: &[P],
    length: impl Fn(&P) -> usize,
) -> Vec<&'a mut [T]> {
    let mut parts = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let (part, rest) = slice.split_at_mut(length(piece));
        parts.push(part);
        slice = rest;
    }
    parts
}

struct Planner<'a> {
    pieces: &'a [Range<usize>],
    pattern: Option<&'a BlockPattern>,
    /// Which off-diagonal blocks the elements so far write to.
    written: Vec<bool>,
    parts: BatchPlan,
}

impl Planner<'_> {
    fn place(&mut self, pattern: &BlockPattern, [row, column]: [u32; 2]) -> u32 {
        let found = pattern.find([row, column]);
        let at = found.expect("the pattern was made from these elements");
        let first = !std::mem::replace(&mut self.written[at], true);
        let flags = if row < column { TRANSPOSED } else { 0 } | if first { FIRST } else { 0 };
        at as u32 | flags
    }
}

impl Visitor for Planner<'_> {
    fn elements<const N: usize>(&mut self, elements: &impl Elements<N>) {
        let mut part = Part::default();
        if self.pieces.len() > 1 {
            part.touching = vec![Vec::new(); self.pieces.len()];
        }
        for element in 0..elements.count() {
            let nodes = elements.nodes(element);
            for (piece, list) in self.pieces.iter().zip(&mut part.touching) {
                if nodes.iter().any(|&n| piece.contains(&(n as usize))) {
                    list.push(element as u32);
                }
            }
            let Some(pattern) = self.pattern else {
                continue;
            };
            for (i, j) in (1..N).flat_map(|i| (0..i).map(move |j| (i, j))) {
                part.places.push(self.place(pattern, [nodes[i], nodes[j]]));
            }
        }
        self.parts.push(part);
    }

    fn quadratic(&mut self, form: &QuadraticBend) {
        let mut part = Part::default();
        if let Some(pattern) = self.pattern {
            let places = form.pairs().map(|pair| self.place(pattern, pair));
            part.places.extend(places);
        }
        self.parts.push(part);
    }
}

/// Calls `work` for the elements listed, or for all.
fn for_listed(listed: Option<&[u32]>, count: usize, mut work: impl FnMut(usize)) {
    match listed {
        Some(list) => list.iter().for_each(|&element| work(element as usize)),
        None => (0..count).for_each(work),
    }
}

struct ForceAdder<'a> {
    parts: std::slice::Iter<'a, Part>,
    piece: usize,
    first: usize,
    forces: &'a mut [DVec3],
    positions: &'a [DVec3],
    velocities: &'a [DVec3],
}

impl Visitor for ForceAdder<'_> {
    fn elements<const N: usize>(&mut self, elements: &impl Elements<N>) {
        let part = self.parts.next().expect("one part for each kind");
        for_listed(part.touching(self.piece), elements.count(), |element| {
            let nodes = elements.nodes(element).map(|n| n as usize);
            let x = nodes.map(|n| self.positions[n]);
            let v = nodes.map(|n| self.velocities[n]);
            let force = elements.force(element, &x, &v);
            for (node, force) in nodes.into_iter().zip(force) {
                if let Some(sum) = self.forces.get_mut(node.wrapping_sub(self.first)) {
                    *sum += force;
                }
            }
        });
    }

    fn quadratic(&mut self, form: &QuadraticBend) {
        self.parts.next();
        for (row, sum) in (self.first..).zip(self.forces.iter_mut()) {
            *sum += form.force(row, self.positions, self.velocities, 0.0);
        }
    }
}

struct SystemAdder<'a> {
    parts: std::slice::Iter<'a, Part>,
    piece: usize,
    first: usize,
    first_stored: usize,
    forces: &'a mut [DVec3],
    diagonal: &'a mut [DMat3],
    lower: &'a mut [DMat3],
    positions: &'a [DVec3],
    velocities: &'a [DVec3],
    weights: &'a Weights,
}

impl SystemAdder<'_> {
    /// Adds an off-diagonal block that is already turned the right way, if its row belongs to this piece.
    #[inline(always)]
    fn write(&mut self, place: u32, block: DMat3) {
        let at = (place & !(TRANSPOSED | FIRST)) as usize;
        if let Some(sum) = self.lower.get_mut(at.wrapping_sub(self.first_stored)) {
            *sum = if place & FIRST == 0 {
                *sum + block
            } else {
                block
            };
        }
    }
}

/// Where the forces and blocks of one element go.
struct Spread<'a, 'b, const N: usize> {
    nodes: [usize; N],
    /// Of the blocks that are still to come.
    places: std::slice::Iter<'a, u32>,
    adder: &'a mut SystemAdder<'b>,
}

impl<const N: usize> Receiver<N> for Spread<'_, '_, N> {
    #[inline(always)]
    fn force(&mut self, node: usize, force: DVec3) {
        let row = self.nodes[node].wrapping_sub(self.adder.first);
        if let Some(sum) = self.adder.forces.get_mut(row) {
            *sum += force;
        }
    }

    #[inline(always)]
    fn block(&mut self, i: usize, j: usize, block: DMat3) {
        if i == j {
            let row = self.nodes[i].wrapping_sub(self.adder.first);
            if let Some(sum) = self.adder.diagonal.get_mut(row) {
                *sum += block;
            }
        } else if let Some(&place) = self.places.next() {
            let block = if place & TRANSPOSED == 0 {
                block
            } else {
                block.transpose()
            };
            self.adder.write(place, block);
        }
    }
}

impl Visitor for SystemAdder<'_> {
    fn elements<const N: usize>(&mut self, elements: &impl Elements<N>) {
        let part = self.parts.next().expect("one part for each kind");
        let pairs = N * (N - 1) / 2;
        for_listed(part.touching(self.piece), elements.count(), |element| {
            let nodes = elements.nodes(element).map(|n| n as usize);
            let x = nodes.map(|n| self.positions[n]);
            let v = nodes.map(|n| self.velocities[n]);
            let places = part.places[element * pairs..][..pairs].iter();
            let weights = self.weights;
            let mut spread = Spread {
                nodes,
                places,
                adder: self,
            };
            elements.hand_over(element, &x, &v, weights, &mut spread);
        });
    }

    fn quadratic(&mut self, form: &QuadraticBend) {
        let part = self.parts.next().expect("one part for each kind");
        for (row, sum) in (self.first..).zip(self.forces.iter_mut()) {
            *sum += form.force(row, self.positions, self.velocities, self.weights.ahead);
        }
        let weight = self.weights.stiffness + self.weights.damping * form.damping_time();
        let mut places = part.places.iter();
        for ([row, column], stiffness) in form.entries() {
            let block = DMat3::from_diagonal(DVec3::splat(weight * stiffness));
            if row == column {
                let row = (row as usize).wrapping_sub(self.first);
                if let Some(sum) = self.diagonal.get_mut(row) {
                    *sum += block;
                }
            } else {
                // Such a block is its own transpose.
                let Some(&place) = places.next() else { break };
                self.write(place, block);
            }
        }
    }
}
