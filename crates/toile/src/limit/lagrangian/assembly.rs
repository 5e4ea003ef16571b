//! What adds up to the gradient and the matrix of `L`, without two threads ever writing the same place: each
//! node and each block knows the stencils it gets something from.

use crate::limit::constraints::{Constraints, Gradient, LANES};
use crate::linalg::BlockPattern;
use crate::parallel;
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// An inequality that is short of being in force by less than this strain may well be so after the next move,
/// so its stiffness stays in the matrix.
pub(super) const NEARLY_ACTIVE: f64 = 0.01;
/// When constraints cannot hold, multipliers may not grow beyond what so much strain would make of them.
const LARGEST_STRAIN: f64 = 0.1;

/// What follows from the sparsity of the constraints. A *slot* is one node of one stencil.
#[derive(Clone, Debug)]
pub(crate) struct Wiring {
    pub pattern: Arc<BlockPattern>,
    /// First slot of each stencil; one more entry than stencils.
    slots: Vec<u32>,
    /// The node of each slot, counted from the first of all.
    nodes: Vec<u32>,
    one_sided: Vec<bool>,
    /// The slots of each node.
    of_node: Grouped<Slot>,
    /// The pairs of slots of each block left of the diagonal.
    of_block: Grouped<Pair>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    stencil: u32,
    slot: u32,
    /// `∂²C/∂x_i∂x_i`, a multiple of the unit matrix.
    own: [f64; LANES],
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    stencil: u32,
    /// Slots of the block's row and column.
    slots: [u32; 2],
    /// `∂²C/∂x_i∂x_j`.
    cross: [f64; LANES],
}

/// Items in groups.
#[derive(Clone, Debug)]
struct Grouped<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Grouped<T> {
    fn new(groups: usize, mut items: Vec<(u32, T)>) -> Self {
        items.sort_by_key(|(group, _)| *group);
        let mut starts = vec![0; groups + 1];
        for (group, _) in &items {
            starts[*group as usize + 1] += 1;
        }
        for group in 0..groups {
            starts[group + 1] += starts[group];
        }
        let items = items.into_iter().map(|(_, item)| item).collect();
        Grouped { starts, items }
    }

    fn group(&self, group: usize) -> &[T] {
        &self.items[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

/// Calls `pair` with every two nodes that a stencil joins, numbered over the whole world.
pub(crate) fn for_each_pair(constraints: &dyn Constraints, mut pair: impl FnMut([u32; 2])) {
    for stencil in 0..constraints.stencils() {
        let nodes = constraints.nodes(stencil);
        for (i, &a) in nodes.iter().enumerate() {
            nodes[..i].iter().for_each(|&b| pair([a, b]));
        }
    }
}

impl Wiring {
    /// Over the constraints' own nodes, with the pattern that they need.
    pub(crate) fn new(constraints: &dyn Constraints) -> Self {
        let range = constraints.node_range();
        let first = range.start as u32;
        let mut pairs = Vec::new();
        for_each_pair(constraints, |pair| pairs.push(pair.map(|n| n - first)));
        let pattern = BlockPattern::new(range.len(), pairs.into_iter());
        Wiring::within(constraints, Arc::new(pattern), first)
    }

    /// Over the nodes of a pattern that has all pairs, the first of which has this number in the world.
    pub(crate) fn within(
        constraints: &dyn Constraints,
        pattern: Arc<BlockPattern>,
        first_node: u32,
    ) -> Self {
        let (mut slots, mut nodes) = (vec![0], Vec::new());
        for stencil in 0..constraints.stencils() {
            nodes.extend(constraints.nodes(stencil).iter().map(|n| n - first_node));
            slots.push(nodes.len() as u32);
        }
        let (mut of_node, mut of_block) = (Vec::new(), Vec::new());
        for stencil in 0..constraints.stencils() {
            let own = slots[stencil]..slots[stencil + 1];
            for (i, slot) in own.clone().enumerate() {
                let item = Slot {
                    stencil: stencil as u32,
                    slot,
                    own: constraints.second_derivative(stencil, [i, i]),
                };
                of_node.push((nodes[slot as usize], item));
                for (j, other) in (own.start..slot).enumerate() {
                    let ends = [nodes[slot as usize], nodes[other as usize]];
                    let block = pattern.find(ends).expect("the pattern has all pairs");
                    let item = Pair {
                        stencil: stencil as u32,
                        slots: if ends[0] > ends[1] {
                            [slot, other]
                        } else {
                            [other, slot]
                        },
                        cross: constraints.second_derivative(stencil, [i, j]),
                    };
                    of_block.push((block as u32, item));
                }
            }
        }
        Wiring {
            of_node: Grouped::new(pattern.rows(), of_node),
            of_block: Grouped::new(pattern.off_diagonal_count(), of_block),
            pattern,
            one_sided: (0..constraints.stencils())
                .map(|s| constraints.is_one_sided(s))
                .collect(),
            slots,
            nodes,
        }
    }

    fn stencils(&self) -> usize {
        self.one_sided.len()
    }
}

/// The constraints at the present positions, stencil by stencil.
#[derive(Debug)]
pub(crate) struct Rows {
    gradients: Vec<Gradient>,
    values: Vec<[f64; LANES]>,
    multipliers: Vec<[f64; LANES]>,
    predicted: Vec<[f64; LANES]>,
    /// What was predicted before the last prediction.
    before: Vec<[f64; LANES]>,
    stiffness: Vec<[f64; LANES]>,
    weights: Vec<Weights>,
}

/// What a stencil's rows count for in the gradient and the matrix.
#[derive(Clone, Copy, Debug, Default)]
struct Weights {
    /// `t`.
    force: [f64; LANES],
    /// Of `∇C ∇Cᵀ`.
    outer: [f64; LANES],
    /// Of the second derivatives.
    form: [f64; LANES],
}

impl Rows {
    pub(crate) fn new(wiring: &Wiring) -> Self {
        let stencils = wiring.stencils();
        Rows {
            gradients: vec![[[0.0; LANES]; 3]; wiring.nodes.len()],
            values: vec![[0.0; LANES]; stencils],
            multipliers: vec![[0.0; LANES]; stencils],
            predicted: vec![[0.0; LANES]; stencils],
            before: vec![[0.0; LANES]; stencils],
            stiffness: vec![[0.0; LANES]; stencils],
            weights: vec![Weights::default(); stencils],
        }
    }

    /// Takes multipliers over, in N·m; `unit` is the square of the step.
    pub(crate) fn load(&mut self, constraints: &dyn Constraints, forces: &[f64], unit: f64) {
        let mut forces = forces.iter();
        for (stencil, multipliers) in self.multipliers.iter_mut().enumerate() {
            for multiplier in &mut multipliers[..constraints.rows(stencil)] {
                *multiplier = unit * forces.next().copied().unwrap_or(0.0);
            }
        }
    }

    /// Hands the predicted multipliers on, but for what constraints that cannot hold would let grow without
    /// an end.
    pub(crate) fn store(
        &self,
        constraints: &dyn Constraints,
        hopeless: bool,
        forces: &mut [f64],
        unit: f64,
    ) {
        let mut forces = forces.iter_mut();
        for (stencil, predicted) in self.predicted.iter().enumerate() {
            for (row, &predicted) in predicted[..constraints.rows(stencil)].iter().enumerate() {
                let Some(force) = forces.next() else { return };
                let most = (LARGEST_STRAIN * self.stiffness[stencil][row]).max(unit * force.abs());
                let most = if hopeless { most } else { f64::INFINITY };
                *force = predicted.clamp(-most, most) / unit;
            }
        }
    }

    /// Predicts the multipliers themselves, before anything is solved.
    pub(crate) fn predict_nothing(&mut self) {
        self.predicted.copy_from_slice(&self.multipliers);
    }

    /// The most that an inequality pulls in spite of being slack, as the strain that would make that pull.
    pub(crate) fn slack(&self, wiring: &Wiring) -> f64 {
        let mut most = 0.0f64;
        for stencil in (0..wiring.stencils()).filter(|&s| wiring.one_sided[s]) {
            let (c, l, k) = (
                &self.values[stencil],
                &self.multipliers[stencil],
                &self.stiffness[stencil],
            );
            for r in (0..LANES).filter(|&r| k[r] > 0.0) {
                most = most.max((-c[r]).min(l[r] / k[r]));
            }
        }
        most
    }

    /// Values and gradients at some positions; answers with the worst violation.
    pub(crate) fn linearise(
        &mut self,
        constraints: &dyn Constraints,
        wiring: &Wiring,
        positions: &[DVec3],
    ) -> f64 {
        let mut worst = 0.0f64;
        for stencil in 0..wiring.stencils() {
            let slots = wiring.slots[stencil] as usize..wiring.slots[stencil + 1] as usize;
            let gradients = &mut self.gradients[slots];
            let values = constraints.linearise(stencil, positions, gradients);
            for value in values {
                worst = worst.max(if wiring.one_sided[stencil] {
                    value
                } else {
                    value.abs()
                });
            }
            self.values[stencil] = values;
        }
        worst
    }

    /// Gives each row a stiffness relative to `1 / ∇C W ∇Cᵀ`.
    pub(crate) fn stiffen(&mut self, wiring: &Wiring, masses: &[f64], relative: f64) {
        let gradients = &self.gradients;
        parallel::fill(&mut self.stiffness, |stencil| {
            let mut compliance = [0.0; LANES];
            for slot in wiring.slots[stencil]..wiring.slots[stencil + 1] {
                let slot = slot as usize;
                let mass = masses[wiring.nodes[slot] as usize];
                for line in &gradients[slot] {
                    for k in 0..LANES {
                        compliance[k] += line[k] * line[k] / mass;
                    }
                }
            }
            compliance.map(|c| if c > 0.0 { relative / c } else { 0.0 })
        });
    }

    fn force(&self, wiring: &Wiring, stencil: usize) -> [f64; LANES] {
        let (c, l, k) = (
            &self.values[stencil],
            &self.multipliers[stencil],
            &self.stiffness[stencil],
        );
        let least = if wiring.one_sided[stencil] {
            0.0
        } else {
            f64::NEG_INFINITY
        };
        std::array::from_fn(|r| (l[r] + k[r] * c[r]).max(least))
    }

    /// `Σ (t − λ)² / k`: how far the multipliers are from those predicted.
    pub(crate) fn unlearned(&self, wiring: &Wiring) -> f64 {
        parallel::sum(wiring.stencils(), |stencil| {
            let t = &self.predicted[stencil];
            let (l, k) = (&self.multipliers[stencil], &self.stiffness[stencil]);
            let of_row = |r: usize| (t[r] - l[r]).powi(2) / k[r];
            (0..LANES).filter(|&r| k[r] > 0.0).map(of_row).sum()
        })
    }

    /// The slope of the rows along some moves, where they were linearised.
    pub(crate) fn slope(&self, wiring: &Wiring, moves: &[DVec3]) -> f64 {
        parallel::sum(wiring.stencils(), |stencil| {
            let force = self.force(wiring, stencil);
            let mut sum = 0.0;
            for slot in wiring.slots[stencil] as usize..wiring.slots[stencil + 1] as usize {
                let step = moves[wiring.nodes[slot] as usize].to_array();
                for axis in 0..3 {
                    for r in 0..LANES {
                        sum += force[r] * self.gradients[slot][axis][r] * step[axis];
                    }
                }
            }
            sum
        })
    }

    /// `λ = t`.
    pub(crate) fn keep_multipliers(&mut self, wiring: &Wiring) {
        for stencil in 0..wiring.stencils() {
            self.multipliers[stencil] = self.force(wiring, stencil);
        }
    }

    /// `λ` becomes what was predicted.
    pub(crate) fn keep_predicted(&mut self) {
        self.multipliers.copy_from_slice(&self.predicted);
    }

    /// Goes only this share of the way to the last prediction.
    pub(crate) fn share_prediction(&mut self, share: f64) {
        for (now, before) in self.predicted.iter_mut().zip(&self.before) {
            for r in 0..LANES {
                now[r] = before[r] + share * (now[r] - before[r]);
            }
        }
    }

    /// Works out `λ + k (C + J Δ)`.
    pub(crate) fn predict(&mut self, wiring: &Wiring, moves: &[DVec3]) {
        std::mem::swap(&mut self.predicted, &mut self.before);
        let (gradients, values) = (&self.gradients, &self.values);
        let (multipliers, stiffness) = (&self.multipliers, &self.stiffness);
        parallel::fill(&mut self.predicted, |stencil| {
            let mut change = values[stencil];
            for slot in wiring.slots[stencil] as usize..wiring.slots[stencil + 1] as usize {
                let step = moves[wiring.nodes[slot] as usize].to_array();
                for axis in 0..3 {
                    for r in 0..LANES {
                        change[r] += gradients[slot][axis][r] * step[axis];
                    }
                }
            }
            let least = if wiring.one_sided[stencil] {
                0.0
            } else {
                f64::NEG_INFINITY
            };
            let (l, k) = (&multipliers[stencil], &stiffness[stencil]);
            std::array::from_fn(|r| (l[r] + k[r] * change[r]).max(least))
        });
    }

    /// `Σ (t² − λ²) / 2k`.
    pub(crate) fn merit(&self, wiring: &Wiring) -> f64 {
        parallel::sum(wiring.stencils(), |stencil| {
            let t = self.force(wiring, stencil);
            let (l, k) = (&self.multipliers[stencil], &self.stiffness[stencil]);
            let of_row = |r: usize| (t[r] * t[r] - l[r] * l[r]) / (2.0 * k[r]);
            (0..LANES).filter(|&r| k[r] > 0.0).map(of_row).sum()
        })
    }

    /// Works out what the rows count for from now on. Rows that are slack by less than `nearly` stay in the matrix.
    pub(crate) fn weigh(&mut self, constraints: &dyn Constraints, wiring: &Wiring, nearly: f64) {
        self.weigh_by(constraints, wiring, nearly, |rows, stencil| {
            rows.force(wiring, stencil)
        });
    }

    /// The same, but second derivatives count as much as the predicted multipliers say and not as `t` does: what `k` makes
    /// of the second order of `C` is no tension, and would hold the next step back.
    pub(crate) fn weigh_predicted(
        &mut self,
        constraints: &dyn Constraints,
        wiring: &Wiring,
        nearly: f64,
    ) {
        self.weigh_by(constraints, wiring, nearly, |rows, stencil| {
            rows.predicted[stencil]
        });
    }

    fn weigh_by(
        &mut self,
        constraints: &dyn Constraints,
        wiring: &Wiring,
        nearly: f64,
        tension: impl Fn(&Self, usize) -> [f64; LANES],
    ) {
        for stencil in 0..wiring.stencils() {
            let force = self.force(wiring, stencil);
            let shape = constraints.shape(stencil, &self.values[stencil]);
            let k = &self.stiffness[stencil];
            // A push has negative second derivatives, which would make the matrix indefinite; they are left
            // out.
            let pull = constraints.pull(stencil, &tension(self, stencil));
            let one_sided = wiring.one_sided[stencil];
            let in_force =
                |r: usize| !one_sided || force[r] > 0.0 || self.values[stencil][r] > -nearly;
            self.weights[stencil] = Weights {
                force,
                outer: std::array::from_fn(|r| match in_force(r) {
                    true => (k[r] + pull[r] * shape.outer[r]).max(0.0),
                    false => 0.0,
                }),
                form: std::array::from_fn(|r| pull[r] * shape.form[r]),
            };
        }
    }

    /// `Σ t ∇C` at a node.
    pub(crate) fn gradient(&self, wiring: &Wiring, node: usize) -> DVec3 {
        let mut sum = [0.0; 3];
        for item in wiring.of_node.group(node) {
            let force = &self.weights[item.stencil as usize].force;
            let gradient = &self.gradients[item.slot as usize];
            for axis in 0..3 {
                for r in 0..LANES {
                    sum[axis] += force[r] * gradient[axis][r];
                }
            }
        }
        DVec3::from_array(sum)
    }

    /// `Σ λ ∇C` at a node with the predicted multipliers.
    pub(crate) fn predicted_gradient(&self, wiring: &Wiring, node: usize) -> DVec3 {
        let mut sum = [0.0; 3];
        for item in wiring.of_node.group(node) {
            let force = &self.predicted[item.stencil as usize];
            let gradient = &self.gradients[item.slot as usize];
            for axis in 0..3 {
                for r in 0..LANES {
                    sum[axis] += force[r] * gradient[axis][r];
                }
            }
        }
        DVec3::from_array(sum)
    }

    /// What the rows add to a diagonal block.
    pub(crate) fn diagonal(&self, wiring: &Wiring, node: usize) -> DMat3 {
        let mut sum = [[0.0; 3]; 3];
        for item in wiring.of_node.group(node) {
            let weights = &self.weights[item.stencil as usize];
            add(
                weights,
                [item.slot, item.slot],
                &item.own,
                &self.gradients,
                &mut sum,
            );
        }
        DMat3::from_cols_array_2d(&sum)
    }

    /// What the rows add to a block left of the diagonal.
    pub(crate) fn block(&self, wiring: &Wiring, block: usize) -> DMat3 {
        let mut sum = [[0.0; 3]; 3];
        for item in wiring.of_block.group(block) {
            let weights = &self.weights[item.stencil as usize];
            add(weights, item.slots, &item.cross, &self.gradients, &mut sum);
        }
        DMat3::from_cols_array_2d(&sum)
    }

    /// The smallest multiplier of an inequality.
    pub(crate) fn least_multiplier(&self, constraints: &dyn Constraints) -> Option<f64> {
        let one_sided = (0..self.predicted.len()).filter(|&s| constraints.is_one_sided(s));
        let rows = one_sided.flat_map(|s| &self.predicted[s][..constraints.rows(s)]);
        rows.copied().reduce(f64::min)
    }
}

/// Adds `Σ outer ∇C_a ∇C_bᵀ + Σ form c I` to a block, column by column.
#[inline]
fn add(
    weights: &Weights,
    [a, b]: [u32; 2],
    second: &[f64; LANES],
    gradients: &[Gradient],
    sum: &mut [[f64; 3]; 3],
) {
    let (row, column) = (&gradients[a as usize], &gradients[b as usize]);
    let mut isotropic = 0.0;
    for r in 0..LANES {
        isotropic += weights.form[r] * second[r];
    }
    for j in 0..3 {
        let scaled: [f64; LANES] = std::array::from_fn(|r| weights.outer[r] * column[j][r]);
        for i in 0..3 {
            let mut product = 0.0;
            for r in 0..LANES {
                product += scaled[r] * row[i][r];
            }
            sum[j][i] += product;
        }
        sum[j][j] += isotropic;
    }
}
