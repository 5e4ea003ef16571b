//! Obstacles in the program of a projection: `gap + n·Δ ≥ 0` (Signorini), with friction on top (Coulomb).
//!
//! Each iteration solves
//!
//! `min ½ Δᵀ M Δ` with `C + J Δ = 0`, `g + n·Δ ≥ 0`, and with multipliers `γ ≥ 0` of the obstacles,
//! `γ (g + n·Δ) = 0`.
//!
//! A node that touches can only move along the obstacle once it is there. So an obstacle that is in force
//! costs no equation: it takes one direction out of the node's filter and prescribes the move `−g n`. Its
//! multiplier follows from what the equations pull at the node with, `γ = −g/w + n·(Jᵀλ)`. The matrix keeps
//! its size and pattern, and each guess of the obstacles in force costs one factor, however many there are.
//!
//! The guess is improved by block principal pivoting (Júdice and Pires 1994): all obstacles that pull are let
//! go and all that are sunk into are put in force, at once as long as that makes fewer of them wrong, and
//! else only the last of them (Murty's rule, which ends after finitely many guesses for this kind of
//! problem).
//!
//! Impulses add up over the iterations and it is their sum that must not pull: an iteration may take back
//! what an earlier one pushed too much.
//!
//! **Friction.** With the normal impulses `Γ` of the iteration before, each node in contact is pushed against
//! its slip by an impulse of at most `μ Γ`, as much as would stop it if it were alone. That prescribes a move
//! along the obstacle, which the next iteration reconciles with the equations. It ends when the pushes no
//! longer change much.

use super::{Mobility, Projection, ProjectionScratch};
use crate::limit::constraints::{Constraints, Gradient, LANES};
use crate::linalg::Filter;
use glam::DVec3;

/// Something that a node must stay outside of during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstacle {
    /// The node, counted over the whole world. If several obstacles name a node, the one with the smallest
    /// gap counts.
    pub node: u32,
    /// Outward unit normal of the obstacle.
    pub normal: DVec3,
    /// Distance of the candidate position from the obstacle (m); negative if it is inside.
    pub gap: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// How far the candidate has moved along the obstacle during the step (m). Its part along the normal is
    /// ignored.
    pub slip: DVec3,
    /// Of a node with another obstacle at its back: it can go neither way, and friction of at least this much
    /// holds it along the obstacle (kg·m).
    pub grip: Option<f64>,
}

/// Gaps smaller than this (m) are rounding of positions of some metres.
const GAP_ROUNDING: f64 = 1e-12;
/// Multipliers that pull by less than this part of the largest are rounding.
const PULLING: f64 = 1e-10;
/// Friction is settled when no push changes by more than this part of the largest slip. A choice (`docs/contact.md`, Constants);
/// the lab experiment `capstan` covers it.
const FRICTION_SETTLED: f64 = 0.01;
/// A direction of which a filter leaves less than this cannot be moved in: its square would be lost beside 1.
const LEAST_FREE_SHARE: f64 = 1e-6;
/// Block pivots of the active set without progress before single ones, the last obstacle first (Murty), which
/// end for definite systems; Júdice & Pires (1994) switch between the two in the same way.
const BLOCK_GUESSES: u32 = 3;

/// An obstacle during a projection.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObstacleContact {
    /// The node, counted from the first of all, and over the whole world.
    node: usize,
    known_as: u32,
    normal: DVec3,
    friction: f64,
    grip: Option<f64>,
    /// `P n`: what the node's own filter leaves of the normal, and its square.
    free_normal: DVec3,
    share: f64,
    /// The node's own filter, and inverse mass (1/kg).
    filter: Filter,
    weight: f64,
    gap: f64,
    slip: DVec3,
    /// Largest slip at the beginning (m).
    first_slip: f64,
    in_force: bool,
    /// Sum of the normal multipliers so far (kg·m), and with this iteration's.
    pushed: f64,
    next: f64,
    /// The same for friction.
    rubbed: DVec3,
    next_rubbed: DVec3,
    /// The move that is prescribed (m).
    prescribed: DVec3,
}

impl ObstacleContact {
    /// Adds `∇C·s` of the prescribed move to the right side; answers with `∇C·P n`.
    #[inline]
    pub(super) fn add_prescribed(
        &self,
        gradient: &Gradient,
        right: &mut [f64; LANES],
    ) -> [f64; LANES] {
        let (s, n) = (self.prescribed, self.free_normal);
        std::array::from_fn(|k| {
            let g = DVec3::new(gradient[0][k], gradient[1][k], gradient[2][k]);
            right[k] += g.dot(s);
            g.dot(n)
        })
    }

    /// The filter while the obstacle is in force or not, and the prescribed move.
    fn prescribe(&mut self) -> Filter {
        let rub = self.weight * (self.next_rubbed - self.rubbed);
        if self.in_force {
            self.prescribed = rub - self.gap / self.share * self.free_normal;
            without(&self.filter, self.normal, self.free_normal)
        } else {
            self.prescribed = rub - self.weight * self.pushed * self.free_normal;
            self.filter
        }
    }

    fn reached(&self, step: DVec3) -> f64 {
        self.gap + self.normal.dot(step)
    }
}

/// A filter with one more direction taken out.
fn without(filter: &Filter, normal: DVec3, free_normal: DVec3) -> Filter {
    match *filter {
        Filter::Free => Filter::Sliding(normal),
        Filter::Sliding(other) => {
            let line = other.cross(free_normal).normalize_or_zero();
            Filter::Line(line)
        }
        Filter::Line(_) | Filter::Held => Filter::Held,
    }
}

/// Decides how friction pushes next; answers whether that is settled and nothing is inside an obstacle.
pub(super) fn plan_friction(contacts: &mut [ObstacleContact]) -> bool {
    let mut settled = true;
    for contact in contacts {
        settled &= contact.gap >= -GAP_ROUNDING;
        let push = match contact.grip {
            Some(_) => contact.pushed.abs(),
            None => contact.pushed,
        };
        let bound = contact.friction * push + contact.grip.unwrap_or(0.0);
        let wanted = contact.rubbed - contact.slip / contact.weight;
        contact.next_rubbed = wanted.clamp_length_max(bound.max(0.0));
        let change = contact.weight * (contact.next_rubbed - contact.rubbed).length();
        settled &= change <= GAP_ROUNDING.max(FRICTION_SETTLED * contact.first_slip);
    }
    settled
}

/// Whether obstacles prescribe moves, so that the equations may be violated more for a while.
pub(super) fn forced(contacts: &[ObstacleContact]) -> bool {
    contacts.iter().any(|c| c.prescribed != DVec3::ZERO)
}

/// Takes over what an iteration has done.
pub(super) fn commit(contacts: &mut [ObstacleContact], moves: &[DVec3]) {
    for contact in contacts {
        let step = moves[contact.node];
        contact.gap = contact.reached(step);
        contact.slip += contact.tangential(step);
        contact.pushed = contact.next;
        contact.rubbed = contact.next_rubbed;
    }
}

/// The smallest impulse of an obstacle (N·s).
pub(super) fn least_impulse(contacts: &[ObstacleContact], h: f64) -> Option<f64> {
    contacts
        .iter()
        .filter(|c| c.grip.is_none())
        .map(|c| c.pushed / h)
        .min_by(|a, b| a.total_cmp(b))
}

impl ObstacleContact {
    /// The part of a vector that the node may move in, along the obstacle.
    fn tangential(&self, vector: DVec3) -> DVec3 {
        let free = self.filter.apply(vector);
        free - free.dot(self.normal) / self.share * self.free_normal
    }

    fn new(obstacle: &Obstacle, node: usize, mobility: &Mobility) -> Option<Self> {
        let free_normal = mobility.filter.apply(obstacle.normal);
        let share = free_normal.dot(obstacle.normal);
        let usable = mobility.scale > 0.0
            && share > LEAST_FREE_SHARE
            && obstacle.gap.is_finite()
            && obstacle.slip.is_finite();
        if !usable {
            return None;
        }
        let mut contact = ObstacleContact {
            node,
            known_as: obstacle.node,
            normal: obstacle.normal,
            friction: obstacle.friction.max(0.0),
            grip: obstacle.grip,
            free_normal,
            share,
            filter: mobility.filter,
            weight: mobility.scale * mobility.scale,
            gap: obstacle.gap,
            slip: DVec3::ZERO,
            first_slip: 0.0,
            in_force: obstacle.gap < 0.0 || obstacle.grip.is_some(),
            pushed: 0.0,
            next: 0.0,
            rubbed: DVec3::ZERO,
            next_rubbed: DVec3::ZERO,
            prescribed: DVec3::ZERO,
        };
        contact.slip = contact.tangential(obstacle.slip);
        contact.first_slip = contact.slip.length();
        Some(contact)
    }
}

impl ProjectionScratch {
    /// What obstacles pushed nodes by: node and impulse (kg·m).
    pub(in crate::limit) fn pushes(&self, add: &mut dyn FnMut(u32, DVec3)) {
        for contact in &self.contacts {
            let push = contact.pushed * contact.normal + contact.rubbed;
            add(contact.known_as, push);
        }
    }
}

impl<C: Constraints> Projection<C> {
    /// Takes up the obstacles of nodes that equations move. Others cannot be helped here.
    pub(super) fn set_contacts(&self, obstacles: &[Obstacle], scratch: &mut ProjectionScratch) {
        scratch.contacts.clear();
        if obstacles.is_empty() {
            return;
        }
        scratch
            .normal_parts
            .resize(self.plan.slot_nodes.len(), [0.0; LANES]);
        for obstacle in obstacles {
            let Some(node) = (obstacle.node as usize).checked_sub(self.plan.nodes.start) else {
                continue;
            };
            let Some(mobility) = scratch.mobility.get_mut(node) else {
                continue;
            };
            let Some(contact) = ObstacleContact::new(obstacle, node, mobility) else {
                continue;
            };
            match mobility.contact {
                Some(index) => {
                    let known = &mut scratch.contacts[index as usize];
                    if contact.gap < known.gap {
                        *known = contact;
                    }
                }
                None => {
                    mobility.contact = Some(scratch.contacts.len() as u32);
                    scratch.contacts.push(contact);
                }
            }
        }
    }

    /// One iteration's program with obstacles: moves and multipliers. Answers with how many factors it took.
    pub(super) fn solve_with_contacts(
        &self,
        scratch: &mut ProjectionScratch,
        positions: &[DVec3],
        damping: &mut f64,
    ) -> u32 {
        let (mut fewest, mut patience) = (usize::MAX, BLOCK_GUESSES);
        let most = 20 + 4 * scratch.contacts.len() as u32;
        let mut guesses = 0;
        loop {
            for contact in &mut scratch.contacts {
                scratch.mobility[contact.node].filter = contact.prescribe();
            }
            self.linearise(scratch, positions);
            self.make_factor(scratch, damping);
            self.solve(scratch);
            self.find_multipliers(scratch);
            guesses += 1;
            let wrong = wrong_guesses(&scratch.contacts, &scratch.moves);
            if wrong.is_empty() || guesses >= most {
                return guesses;
            }
            if wrong.len() < fewest {
                (fewest, patience) = (wrong.len(), BLOCK_GUESSES);
            } else {
                patience = patience.saturating_sub(1);
            }
            let from = if patience > 0 { 0 } else { wrong.len() - 1 };
            for &index in &wrong[from..] {
                scratch.contacts[index].in_force ^= true;
            }
        }
    }

    /// Adds what prescribed moves do to a stencil's right side, and notes what its equations pull with along
    /// normals.
    pub(super) fn prescribe_moves(
        &self,
        scratch: &mut ProjectionScratch,
        slots: std::ops::Range<usize>,
        right: &mut [f64; LANES],
    ) {
        for slot in slots {
            let node = self.plan.slot_nodes[slot] as usize;
            if let Some(contact) = scratch.mobility[node].contact {
                let contact = &scratch.contacts[contact as usize];
                let gradient = &scratch.gradients[slot];
                scratch.normal_parts[slot] = contact.add_prescribed(gradient, right);
            }
        }
    }

    /// Adds the prescribed moves, and works out `γ = (−g/w + P n·(Jᵀλ)) / (n·P n)` of the obstacles in force.
    fn find_multipliers(&self, scratch: &mut ProjectionScratch) {
        for contact in &mut scratch.contacts {
            scratch.moves[contact.node] += contact.prescribed;
            contact.next = match contact.in_force {
                true => contact.pushed - contact.gap / (contact.weight * contact.share),
                false => 0.0,
            };
        }
        for stencil in 0..self.plan.rows.len() {
            let row = self.plan.rows[stencil];
            for slot in self.plan.slots[stencil]..self.plan.slots[stencil + 1] {
                let node = self.plan.slot_nodes[slot] as usize;
                let Some(index) = scratch.mobility[node].contact else {
                    continue;
                };
                let contact = &mut scratch.contacts[index as usize];
                if contact.in_force {
                    for k in 0..self.constraints.rows(stencil) {
                        let pull = scratch.normal_parts[slot][k] * scratch.multipliers[row + k];
                        contact.next += pull / contact.share;
                    }
                }
            }
        }
    }
}

/// Obstacles in force that pull, and others that are sunk into.
fn wrong_guesses(contacts: &[ObstacleContact], moves: &[DVec3]) -> Vec<usize> {
    let largest = contacts.iter().map(|c| c.next.abs()).fold(0.0, f64::max);
    let wrong = |c: &ObstacleContact| match c.in_force {
        true if c.grip.is_some() => false,
        true => c.next < -PULLING * largest,
        false => c.reached(moves[c.node]) < -GAP_ROUNDING,
    };
    (0..contacts.len())
        .filter(|&k| wrong(&contacts[k]))
        .collect()
}
