//! The response between two features of cloth in contact: normal impulse and friction.
//!
//! A contact keeps the distance between two features, along one direction `n`, at least as long as a bound
//! `b` at the end of the step: `n·Σ wᵢ x̄ᵢ ≥ b`, with weights as in [`Closest`](crate::geometry::closest). All contacts
//! of a step together are to change the candidates as little as possible, in the norm of the masses. That is
//! a quadratic program in the pushes `λ ≥ 0`,
//!
//! `x̄ᵢ ← x̄ᵢ + (1/mᵢ) Σ wᵢ (λ n + τ)`,
//!
//! solved by projected Gauss–Seidel over the contacts with what each has pushed so far remembered, so that
//! one which turns out to be unnecessary is taken back. `τ` is friction: it acts against the slip of the
//! features during the step and is no larger than `μ λ` (Coulomb). Each exchange conserves momentum, because
//! `Σ wᵢ = 0`.
//!
//! This is Bridson's (2002) inelastic impulse with all contacts in one program in place of one after another,
//! as Harmon et al. (2008) have it: fewer rounds of detection are needed, and a node between two layers is
//! not handed back and forth.

use super::tie::Tie;
use crate::geometry::closest::Closest;
use crate::linalg::{Coupling, Filter};
use glam::{DMat3, DVec3};

/// How far nodes can be moved: inverse masses (1/kg), zero for prescribed ones, and the directions that are
/// left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mobility<'a> {
    pub inverse_masses: &'a [f64],
    pub filters: &'a [Filter],
}

impl Mobility<'_> {
    /// What a node moves by under an impulse of one step (kg·m).
    pub(super) fn shift(&self, node: u32, impulse: DVec3) -> DVec3 {
        let node = node as usize;
        match self.filters.get(node) {
            // Nodes beyond the cloth's are those of bodies.
            None => DVec3::ZERO,
            Some(filter) => filter.apply(self.inverse_masses[node] * impulse),
        }
    }

    /// Whether a pin or a body has a say in where a node goes.
    pub(super) fn is_led(&self, node: u32) -> bool {
        self.filters.get(node as usize) != Some(&Filter::Free)
    }
}

/// `Σ wᵢ²/mᵢ` of a contact must be more than this part of the largest `1/mᵢ`. Four free nodes of equal mass
/// have at least 1 (two edges) or 4/3 (vertex and face); below 0.02 only nodes with weights under 0.14 can
/// move at all, and would be thrown far.
const LEAST_YIELDING: f64 = 0.02;

/// Two features that must stay apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contact {
    pub nodes: [u32; 4],
    weights: [f64; 4],
    /// From the second feature to the first.
    normal: DVec3,
    /// `n·Σ wᵢ x̄ᵢ` must not be smaller (m).
    bound: f64,
    /// Coulomb's coefficient.
    friction: f64,
    /// `Σ wᵢ²/mᵢ` along the normal (1/kg).
    yielding: f64,
    /// What pushes already, and stays (kg·m).
    load: f64,
    /// The push so far besides (kg·m).
    pub push: f64,
    /// Friction so far (kg·m).
    drag: DVec3,
    /// What the second feature has moved by if it is a body (m).
    carried: DVec3,
}

impl Contact {
    /// A contact at two features' nearest points; `None` where they touch and no direction leads apart, or
    /// where hardly anything can move: at a place that prescribed nodes have nearly to themselves, the others
    /// would have to be flung far away to change it.
    pub(super) fn new(
        nodes: [u32; 4],
        closest: &Closest,
        bound: f64,
        friction: f64,
        mobility: &Mobility,
    ) -> Option<Self> {
        let normal = closest.way.try_normalize()?;
        let weights = closest.weights;
        let along = |(&node, &w): (&u32, &f64)| w * w * mobility.shift(node, normal).dot(normal);
        let yielding: f64 = nodes.iter().zip(&weights).map(along).sum();
        let lightest = nodes.iter().map(|&n| mobility.shift(n, normal).dot(normal));
        let lightest = lightest.fold(0.0, f64::max);
        (yielding > LEAST_YIELDING * lightest).then_some(Contact {
            nodes,
            weights,
            normal,
            bound,
            friction,
            yielding,
            load: 0.0,
            push: 0.0,
            drag: DVec3::ZERO,
            carried: DVec3::ZERO,
        })
    }

    /// A contact of a node, or of a place between nodes, with a body whose surface moves by `carried` (m) in
    /// the step: `n·Σ wᵢ x̄ᵢ ≥ bound`.
    pub(super) fn with_body(
        nodes: [u32; 4],
        weights: [f64; 4],
        (normal, bound): (DVec3, f64),
        (friction, carried): (f64, DVec3),
        mobility: &Mobility,
    ) -> Option<Self> {
        let to_body = Closest {
            weights,
            way: normal,
        };
        let contact = Contact::new(nodes, &to_body, bound, friction, mobility)?;
        Some(Contact { carried, ..contact })
    }

    /// The same before it has pushed.
    pub(super) fn renewed(&self) -> Self {
        Contact {
            push: 0.0,
            drag: DVec3::ZERO,
            ..*self
        }
    }

    /// The same with what it carries already: a push along the normal and friction (kg·m).
    pub(super) fn loaded(&self, load: f64, drag: DVec3, bound: f64) -> Self {
        // Friction that has acted is not taken back: alone, the nodes would fly where in the solve their
        // edges held them.
        let least = if self.friction > 0.0 {
            drag.length() / self.friction
        } else {
            0.0
        };
        Contact {
            load: load.max(least),
            drag,
            bound,
            push: 0.0,
            ..*self
        }
    }

    /// Whether it carries anything, or its features end nearer than so much (m) and might need it when others
    /// push them.
    pub(super) fn concerns(&self, ends: &[DVec3], nearer: f64) -> bool {
        self.load > 0.0 || self.normal.dot(self.combine(ends)) < nearer
    }

    /// What it does to the first feature besides what it carried already (kg·m).
    pub(super) fn impulse(&self) -> DVec3 {
        self.push * self.normal + self.drag
    }

    /// The same with what pushed already.
    pub(super) fn whole_impulse(&self) -> DVec3 {
        (self.load + self.push) * self.normal + self.drag
    }

    pub(super) fn weights(&self) -> [f64; 4] {
        self.weights
    }

    pub(super) fn normal(&self) -> DVec3 {
        self.normal
    }

    pub(super) fn bound(&self) -> f64 {
        self.bound
    }

    pub(super) fn friction(&self) -> f64 {
        self.friction
    }

    /// The mass that a push between the features moves (kg).
    pub(super) fn mass(&self) -> f64 {
        1.0 / self.yielding
    }

    /// A drag of so many masses, if there is friction at all (kg).
    pub(super) fn sticking(&self, masses: f64) -> f64 {
        if self.friction > 0.0 {
            masses * self.mass()
        } else {
            0.0
        }
    }

    /// The contact as a part of a linear system.
    pub(super) fn coupling(&self, block: DMat3) -> Coupling {
        Coupling {
            nodes: self.nodes,
            weights: self.weights,
            block,
            arm: None,
        }
    }

    /// Adds an impulse between the features to their nodes.
    pub(super) fn spread(&self, impulse: DVec3, out: &mut [DVec3]) {
        self.share(|node, weight| out[node as usize] += weight * impulse);
    }

    /// Goes through the nodes with their weights.
    pub(super) fn share(&self, mut with: impl FnMut(u32, f64)) {
        for (&node, &weight) in self.nodes.iter().zip(&self.weights) {
            with(node, weight);
        }
    }

    /// `Σ wᵢ vᵢ`: what the first feature's place of contact has more than the second's.
    pub(super) fn combine(&self, values: &[DVec3]) -> DVec3 {
        self.combine_with(|i| values[i])
    }

    pub(super) fn combine_with(&self, value: impl Fn(usize) -> DVec3) -> DVec3 {
        let parts = self.nodes.iter().zip(&self.weights);
        parts.map(|(&n, &w)| w * value(n as usize)).sum()
    }

    fn apply(&self, impulse: DVec3, mobility: &Mobility, ends: &mut [DVec3]) {
        for (&node, &weight) in self.nodes.iter().zip(&self.weights) {
            ends[node as usize] += mobility.shift(node, weight * impulse);
        }
    }

    /// Corrects push and friction for the present ends; answers by how much the bound was missed (m).
    fn relax(&mut self, starts: &[DVec3], mobility: &Mobility, ends: &mut [DVec3]) -> f64 {
        let missing = self.bound - self.normal.dot(self.combine(ends));
        let push = (self.push + missing / self.yielding).max(0.0);
        let change = (push - self.push) * self.normal;
        self.push = push;
        self.apply(change, mobility, ends);
        if self.friction > 0.0 {
            let moved = self.combine(ends) - self.combine(starts) - self.carried;
            let slip = moved - moved.dot(self.normal) * self.normal;
            let drag = (self.drag - slip / self.yielding)
                .clamp_length_max(self.friction * (self.load + push));
            let change = drag - self.drag;
            self.drag = drag;
            self.apply(change, mobility, ends);
        }
        // A push that could be taken back entirely was no miss.
        if push > 0.0 { missing.abs() } else { 0.0 }
    }
}

/// What is to hold at the end of a step.
#[derive(Debug, Default)]
pub(crate) struct Duties<'a> {
    /// Contacts with bodies.
    pub bodies: &'a mut [Contact],
    /// Places of cloth that stick to each other.
    pub ties: &'a mut [Tie],
    /// Contacts between cloths.
    pub cloths: &'a mut [Contact],
}

/// Goes through the duties until none is missed by more than `tolerance` (m), or often enough. Answers the
/// sweeps made.
pub(crate) fn relax(
    duties: Duties,
    starts: &[DVec3],
    mobility: &Mobility,
    ends: &mut [DVec3],
    tolerance: f64,
    sweeps: u32,
) -> u32 {
    let Duties {
        bodies: first,
        ties,
        cloths: second,
    } = duties;
    for sweep in 1..=sweeps {
        // There and back again, so that pushes travel through a pile in both directions.
        let mut worst = 0.0f64;
        for tie in &mut *ties {
            worst = worst.max(tie.relax(mobility, ends));
        }
        for contact in first.iter_mut().chain(&mut *second) {
            worst = worst.max(contact.relax(starts, mobility, ends));
        }
        if worst > tolerance {
            worst = 0.0;
            for contact in first.iter_mut().chain(&mut *second).rev() {
                worst = worst.max(contact.relax(starts, mobility, ends));
            }
            for tie in ties.iter_mut().rev() {
                worst = worst.max(tie.relax(mobility, ends));
            }
        }
        if worst <= tolerance {
            return sweep;
        }
    }
    sweeps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::closest;

    const TRIANGLE: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

    /// A point above a triangle, and where they want to be after the step.
    fn meeting(masses: [f64; 4]) -> ([DVec3; 4], [DVec3; 4], Vec<f64>) {
        let starts = [
            DVec3::new(0.3, 0.2, 0.1),
            TRIANGLE[0],
            TRIANGLE[1],
            TRIANGLE[2],
        ];
        let mut ends = starts;
        ends[0] += DVec3::new(0.05, 0.0, -0.3);
        ends[2].z += 0.02;
        (starts, ends, masses.map(|m| 1.0 / m).to_vec())
    }

    const MASSES: [f64; 4] = [1.0, 2.0, 0.5, 3.0];

    /// Start, goal and end of the four nodes.
    fn solve(friction: f64) -> [[DVec3; 4]; 3] {
        let (starts, wanted, inverse) = meeting(MASSES);
        let mut ends = wanted;
        let filters = [Filter::Free; 4];
        let mobility = Mobility {
            inverse_masses: &inverse,
            filters: &filters,
        };
        let near = closest::point_triangle(&starts);
        let contact = Contact::new([0, 1, 2, 3], &near, 0.01, friction, &mobility);
        let mut contacts = [contact.expect("they are apart")];
        relax(
            Duties {
                cloths: &mut contacts,
                ..Duties::default()
            },
            &starts,
            &mobility,
            &mut ends,
            1e-12,
            100,
        );
        [starts, wanted, ends]
    }

    /// What the weights make of some vectors at the nodes.
    fn between(starts: &[DVec3; 4], values: &[DVec3; 4]) -> DVec3 {
        let near = closest::point_triangle(starts);
        (0..4).map(|k| near.weights[k] * values[k]).sum()
    }

    #[test]
    fn features_end_at_the_bound_and_momentum_stays() {
        for friction in [0.0, 0.3] {
            let [starts, wanted, ends] = solve(friction);
            let gap = between(&starts, &ends).z;
            assert!((gap - 0.01).abs() < 1e-10, "{gap}");
            let changes = (0..4).map(|k| MASSES[k] * (ends[k] - wanted[k]));
            assert!(changes.clone().sum::<DVec3>().length() < 1e-14);
            // Friction acts across the gap, which is a lever; the push acts along it and turns nothing.
            let torque: DVec3 = changes.zip(starts).map(|(c, x)| x.cross(c)).sum();
            assert_eq!(torque.length() < 1e-14, friction == 0.0, "{torque}");
        }
    }

    #[test]
    fn friction_takes_mu_times_the_push_or_all_of_the_slip() {
        let slip = |friction: f64| {
            let [starts, _, ends] = solve(friction);
            between(&starts, &ends).x - between(&starts, &starts).x
        };
        let (free, rough, stuck) = (slip(0.0), slip(0.1), slip(2.0));
        assert!(stuck.abs() < 1e-10);
        // Both act through the same masses, so the slip loses μ times what the gap has gained.
        let [starts, wanted, ends] = solve(0.0);
        let gained = between(&starts, &ends).z - between(&starts, &wanted).z;
        assert!((free - rough - 0.1 * gained).abs() < 1e-9, "{free} {rough}");
    }

    #[test]
    fn a_push_that_proves_unnecessary_is_taken_back() {
        // Two equal contacts: whatever the first pushes, the second would have done; together they push once.
        let (starts, mut ends, inverse) = meeting([1.0; 4]);
        let filters = [Filter::Free; 4];
        let mobility = Mobility {
            inverse_masses: &inverse,
            filters: &filters,
        };
        let near = closest::point_triangle(&starts);
        let soft = Contact::new([0, 1, 2, 3], &near, 0.01, 0.0, &mobility).expect("apart");
        let firm = Contact {
            bound: 0.05,
            ..soft
        };
        let mut contacts = [soft, firm];
        relax(
            Duties {
                cloths: &mut contacts,
                ..Duties::default()
            },
            &starts,
            &mobility,
            &mut ends,
            1e-14,
            200,
        );
        assert!(contacts[0].push < 1e-9 * contacts[1].push, "{contacts:?}");
    }

    #[test]
    fn what_is_led_does_not_move() {
        let (starts, wanted, mut inverse) = meeting([1.0; 4]);
        let mut ends = wanted;
        inverse.truncate(1);
        // The triangle belongs to a body: its nodes come after the cloth's.
        let filters = [Filter::Free];
        let mobility = Mobility {
            inverse_masses: &inverse,
            filters: &filters,
        };
        let near = closest::point_triangle(&starts);
        let mut contacts =
            [Contact::new([0, 1, 2, 3], &near, 0.01, 0.5, &mobility).expect("apart")];
        relax(
            Duties {
                cloths: &mut contacts,
                ..Duties::default()
            },
            &starts,
            &mobility,
            &mut ends,
            1e-12,
            50,
        );
        assert_eq!(ends[1..], wanted[1..]);
        assert!((between(&starts, &ends).z - 0.01).abs() < 1e-10);
        assert!(mobility.is_led(2) && !mobility.is_led(0));
    }
}
