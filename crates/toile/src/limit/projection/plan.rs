//! Where everything is: slots of gradients, rows of the factor, and which pairs of slots make `J W Jᵀ`.
//!
//! A *slot* is one node of one stencil and holds the [`Gradient`] of the stencil's equations by it, scaled by
//! `√w F`. Two stencils that share nodes make a block of the matrix: the sum over these nodes of `g_a g_bᵀ`.

use super::order::narrow_order;
use crate::limit::constraints::{Constraints, Gradient, LANES};
use crate::linalg::factor::Factor;
use crate::linalg::lanes::{Kernel, Lanes, run};
use std::collections::BTreeMap;
use std::ops::Range;

/// What follows from the sparsity of a set of equations.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// First node of all and one past the last.
    pub nodes: Range<usize>,
    /// First slot of each stencil; one more entry than stencils.
    pub slots: Vec<usize>,
    /// Node of each slot, counted from the first of all.
    pub slot_nodes: Vec<u32>,
    /// First row of each stencil in the factor.
    pub rows: Vec<usize>,
    /// Equations of each stencil.
    pub rows_of: Vec<u8>,
    /// Number of equations.
    pub count: usize,
    blocks: Vec<Block>,
    /// Slots of the later and the earlier stencil at the same node.
    pairs: Vec<[u32; 2]>,
    /// Where the entries of each block go, row by row.
    places: Vec<u32>,
    /// A factor that nothing is in yet.
    pub factor: Factor,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    pairs: [u32; 2],
    places: u32,
    size: [u8; 2],
}

impl Plan {
    /// `None` if the factor does not fit into memory.
    pub(super) fn new(constraints: &impl Constraints) -> Option<Self> {
        let stencils = constraints.stencils();
        let nodes = constraints.node_range();
        let mut slots = vec![0];
        let mut slot_nodes = Vec::new();
        let mut at_node: Vec<Vec<[u32; 2]>> = vec![Vec::new(); nodes.len()];
        for stencil in 0..stencils {
            for &node in constraints.nodes(stencil) {
                let local = node - nodes.start as u32;
                at_node[local as usize].push([stencil as u32, slot_nodes.len() as u32]);
                slot_nodes.push(local);
            }
            slots.push(slot_nodes.len());
        }
        let weights: Vec<usize> = (0..stencils).map(|s| constraints.rows(s)).collect();
        let neighbours = neighbours(stencils, &at_node);
        let count: usize = weights.iter().sum();
        let order = if Factor::is_small(count) {
            narrow_order(&weights, &neighbours)
        } else {
            (0..stencils as u32).collect()
        };
        let mut rows = vec![0; stencils];
        let mut next = 0;
        for &stencil in &order {
            rows[stencil as usize] = next;
            next += weights[stencil as usize];
        }
        let factor = Factor::new(&pattern(&order, &rows, &weights, &neighbours))?;
        let mut plan = Plan {
            nodes,
            slots,
            slot_nodes,
            rows,
            rows_of: weights.iter().map(|&w| w as u8).collect(),
            count,
            blocks: Vec::new(),
            pairs: Vec::new(),
            places: Vec::new(),
            factor,
        };
        for &stencil in &order {
            plan.add_blocks(stencil as usize, &weights, &at_node);
        }
        Some(plan)
    }

    /// Adds the blocks of a stencil with itself and all that come before it.
    fn add_blocks(&mut self, stencil: usize, weights: &[usize], at_node: &[Vec<[u32; 2]>]) {
        let mut shared: BTreeMap<usize, Vec<[u32; 2]>> = BTreeMap::new();
        for slot in self.slots[stencil]..self.slots[stencil + 1] {
            for &[other, theirs] in &at_node[self.slot_nodes[slot] as usize] {
                if self.rows[other as usize] <= self.rows[stencil] {
                    let pair = [slot as u32, theirs];
                    shared.entry(other as usize).or_default().push(pair);
                }
            }
        }
        for (other, pairs) in shared {
            let from = self.pairs.len() as u32;
            self.pairs.extend(pairs);
            self.blocks.push(Block {
                pairs: [from, self.pairs.len() as u32],
                places: self.places.len() as u32,
                size: [weights[stencil] as u8, weights[other] as u8],
            });
            for i in 0..weights[stencil] {
                for j in 0..weights[other] {
                    let (a, b) = (self.rows[stencil] + i, self.rows[other] + j);
                    // Entries above the diagonal go where their mirror images go.
                    let place = self.factor.place(a.max(b), a.min(b));
                    self.places.push(place as u32);
                }
            }
        }
    }

    /// Fills the matrix `J W Jᵀ` from scaled gradients.
    pub(super) fn assemble(&self, gradients: &[Gradient], values: &mut [f64]) {
        values.fill(0.0);
        run(Assemble {
            plan: self,
            gradients,
            values,
            block: &mut [[0.0; LANES]; LANES],
        });
    }
}

/// The stencils that share a node with each, itself among them.
fn neighbours(stencils: usize, at_node: &[Vec<[u32; 2]>]) -> Vec<Vec<u32>> {
    let mut found = vec![Vec::new(); stencils];
    for here in at_node {
        for &[stencil, _] in here {
            found[stencil as usize].extend(here.iter().map(|&[other, _]| other));
        }
    }
    for list in &mut found {
        list.sort_unstable();
        list.dedup();
    }
    found
}

/// The columns of each row of the factor, at and left of the diagonal, in increasing order.
fn pattern(
    order: &[u32],
    rows: &[usize],
    weights: &[usize],
    neighbours: &[Vec<u32>],
) -> Vec<Vec<usize>> {
    let mut pattern = Vec::new();
    for &stencil in order {
        let stencil = stencil as usize;
        let mut columns: Vec<usize> = neighbours[stencil]
            .iter()
            .map(|&n| n as usize)
            .filter(|&n| rows[n] <= rows[stencil])
            .flat_map(|n| rows[n]..rows[n] + weights[n])
            .collect();
        columns.sort_unstable();
        for row in rows[stencil]..rows[stencil] + weights[stencil] {
            let here = columns.iter().copied().filter(|&c| c <= row);
            pattern.push(here.collect());
        }
    }
    pattern
}

struct Assemble<'a> {
    plan: &'a Plan,
    gradients: &'a [Gradient],
    values: &'a mut [f64],
    /// One block, column by column. It stands in memory so that columns are summed and stored as vectors,
    /// although their entries then go to different places.
    block: &'a mut [[f64; LANES]; LANES],
}

impl Kernel for Assemble<'_> {
    type Answer = ();

    #[inline(always)]
    fn run(mut self, lanes: impl Lanes) {
        for block in &self.plan.blocks {
            // Compiled for each width, so that sums stay in registers.
            match block.size[1] {
                1 => self.add::<1>(lanes, block),
                2 => self.add::<2>(lanes, block),
                3 => self.add::<3>(lanes, block),
                _ => self.add::<LANES>(lanes, block),
            }
        }
    }
}

impl Assemble<'_> {
    #[inline(always)]
    fn add<const COLUMNS: usize>(&mut self, lanes: impl Lanes, block: &Block) {
        let pairs = &self.plan.pairs[block.pairs[0] as usize..block.pairs[1] as usize];
        let mut sums = [[0.0; LANES]; COLUMNS];
        for &[ours, theirs] in pairs {
            let (a, b) = (
                &self.gradients[ours as usize],
                &self.gradients[theirs as usize],
            );
            for axis in 0..3 {
                for j in 0..COLUMNS {
                    let factor = b[axis][j];
                    for i in 0..LANES {
                        sums[j][i] = lanes.multiply_add(a[axis][i], factor, sums[j][i]);
                    }
                }
            }
        }
        self.block[..COLUMNS].copy_from_slice(&sums);
        let rows = usize::from(block.size[0]);
        let places = &self.plan.places[block.places as usize..][..rows * COLUMNS];
        for (i, line) in places.as_chunks::<COLUMNS>().0.iter().enumerate() {
            for j in 0..COLUMNS {
                self.values[line[j] as usize] = self.block[j][i];
            }
        }
    }
}

/// Adds `g λ` of every slot to its node, lane by lane; the lanes are added up later.
pub(super) struct Scatter<'a> {
    pub plan: &'a Plan,
    pub gradients: &'a [Gradient],
    pub multipliers: &'a [f64],
    pub pushes: &'a mut [Gradient],
}

impl Kernel for Scatter<'_> {
    type Answer = ();

    #[inline(always)]
    fn run(self, lanes: impl Lanes) {
        for (stencil, &rows) in self.plan.rows_of.iter().enumerate() {
            let row = self.plan.rows[stencil];
            let mut multipliers = [0.0; LANES];
            for (lane, value) in multipliers.iter_mut().zip(&self.multipliers[row..]) {
                *lane = *value;
            }
            // What is read beyond the stencil's rows meets zeros in the gradients, but must not be infinite.
            for lane in &mut multipliers[usize::from(rows)..] {
                *lane = 0.0;
            }
            let slots = self.plan.slots[stencil]..self.plan.slots[stencil + 1];
            let nodes = &self.plan.slot_nodes[slots.clone()];
            for (&node, gradient) in nodes.iter().zip(&self.gradients[slots]) {
                let (mut push, gradient) = (self.pushes[node as usize], *gradient);
                for axis in 0..3 {
                    for k in 0..LANES {
                        push[axis][k] =
                            lanes.multiply_add(gradient[axis][k], multipliers[k], push[axis][k]);
                    }
                }
                self.pushes[node as usize] = push;
            }
        }
    }
}
