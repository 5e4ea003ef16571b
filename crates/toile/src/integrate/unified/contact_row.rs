//! One contact as a row of the step's augmented Lagrangian: normal and friction.
//!
//! A contact acts on the place `p = Σ wᵢ xᵢ` of a few nodes: a node or a point of a face against a body, or the way between
//! the nearest points of two features. It demands `n·p ≥ b`. With the multiplier `λ ≥ 0` and the stiffness `k`, the push is
//!
//! `f = max(0, λ + k (b − n·p))`.
//!
//! Friction resists the slip `s`, the part along the surface of `p − p₀`, where `p₀` is where the place would be had it kept
//! to the other surface. It has a multiplier `τ` and acts with
//!
//! `d = P(τ + k s)`, `P` the projection on the disc of radius `R = μ (λ + p)`: Coulomb's cone at the push of the iteration before and
//! the pressure `p` of bodies from both sides, if there are any.
//!
//! Both are gradients of convex functions of `x` for fixed `λ`, `τ`, `R`, so that a Newton step sees a symmetric matrix that is
//! never indefinite. Every node gets `wᵢ (f n − d)`.

use crate::linalg::Coupling;
use crate::state::ContactKey;
use glam::{DMat3, DVec3};

/// Violations below this part of what a row may be missed by change nothing of its stiffness. Ten crumpling sheets (the heap of
/// `contact-table` with other seeds) had 5 unfinished steps with it, 10 with the half, 14 with all, and 29 with none of it.
const MATTERS: f64 = 0.3;
/// What a violation is expected to fall to from one multiplier to the next, and how much stiffer a row becomes if it does not.
const FALLS_TO: f64 = 0.25;
const STIFFER: f64 = 4.0;
/// A row becomes so many times as stiff as it began at the most. What cannot be met however stiff it is would else end beyond all
/// numbers.
const STIFFEST: f64 = 65536.0;

/// A contact in the solve.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactRow {
    pub key: ContactKey,
    pub nodes: [u32; 4],
    pub weights: [f64; 4],
    pub normal: DVec3,
    /// `b` (m).
    pub bound: f64,
    /// By how much it may be missed at the end of a step (m).
    pub slack: f64,
    /// `p₀` (m).
    pub origin: DVec3,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// `k` (kg).
    pub stiffness: f64,
    /// `k` as it began (kg).
    pub began: f64,
    /// `λ` (kg·m).
    pub push: f64,
    /// `τ` (kg·m).
    pub drag: DVec3,
    /// `R` (kg·m).
    pub radius: f64,
    /// What presses the features besides, as two bodies press cloth between them (kg·m).
    pub pressure: f64,
    /// What it was missed by when its multiplier was last learned (m).
    pub missed: f64,
    /// How many iterations it has had nothing to do.
    pub idle: u32,
}

impl ContactRow {
    /// The body, if one of the features is one.
    pub fn body(&self) -> Option<u32> {
        match self.key {
            ContactKey::NodeBody(_, body) | ContactKey::FaceBody(_, body) => Some(body),
            ContactKey::VertexFace(..) | ContactKey::EdgeEdge(..) => None,
        }
    }

    /// `Σ wᵢ vᵢ`.
    #[inline]
    pub fn combine(&self, values: &[DVec3]) -> DVec3 {
        let parts = self.nodes.iter().zip(&self.weights);
        parts.map(|(&n, &w)| w * values[n as usize]).sum()
    }

    /// By how much the demand is missed at a place (m); below zero there is room.
    #[inline]
    pub fn violation(&self, place: DVec3) -> f64 {
        self.bound - self.normal.dot(place)
    }

    /// `f` at a place (kg·m).
    #[inline]
    fn pushes(&self, place: DVec3) -> f64 {
        (self.push + self.stiffness * self.violation(place)).max(0.0)
    }

    /// `τ + k s` at a place (kg·m).
    #[inline]
    fn tried_drag(&self, place: DVec3) -> DVec3 {
        let slip = (place - self.origin).reject_from_normalized(self.normal);
        self.drag + self.stiffness * slip
    }

    /// What the place gets: `f n − d` (kg·m).
    #[inline]
    pub fn force(&self, place: DVec3) -> DVec3 {
        let push = self.pushes(place) * self.normal;
        if self.radius > 0.0 {
            push - self.tried_drag(place).clamp_length_max(self.radius)
        } else {
            push
        }
    }

    /// The slope of its share of the Lagrangian along some moves from some positions.
    pub fn slope(&self, positions: &[DVec3], moves: &[DVec3]) -> f64 {
        -self.force(self.combine(positions)).dot(self.combine(moves))
    }

    /// Minus the derivative of the force by the place (kg); `None` where nothing acts.
    pub fn coupling(&self, place: DVec3) -> Option<Coupling> {
        let n = self.normal;
        let across = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        let mut block = DMat3::ZERO;
        if self.pushes(place) > 0.0 {
            block += self.stiffness * across;
        }
        if self.radius > 0.0 {
            let tried = self.tried_drag(place);
            let size = tried.length();
            let along = DMat3::IDENTITY - across;
            if size <= self.radius {
                block += self.stiffness * along;
            } else {
                let t = tried / size;
                let straight = DMat3::from_cols(t * t.x, t * t.y, t * t.z);
                block += self.stiffness * self.radius / size * (along - straight);
            }
        }
        (block != DMat3::ZERO).then_some(Coupling {
            nodes: self.nodes,
            weights: self.weights,
            block,
            arm: None,
        })
    }

    /// The radius of Coulomb's cone at a push (kg·m).
    pub fn cone(&self, push: f64) -> f64 {
        self.friction * (push + self.pressure)
    }

    /// Takes over what the row pushes and pulls with at a place: `λ`, `τ` and the cone.
    ///
    /// A row that is missed by what matters, and by not much less than the last time, works against something stiffer than was
    /// thought. Below that it is left as it is: a stiffness that grows while nothing is amiss ends in rows that push and let
    /// go by turns.
    pub fn learn(&mut self, place: DVec3) {
        let missed = self.violation(place).max(0.0);
        let slow = missed > (MATTERS * self.slack).max(FALLS_TO * self.missed);
        self.missed = missed;
        self.drag = match self.radius > 0.0 {
            true => self.tried_drag(place).clamp_length_max(self.radius),
            false => DVec3::ZERO,
        };
        self.push = self.pushes(place);
        self.radius = self.cone(self.push);
        self.drag = self.drag.clamp_length_max(self.radius);
        self.idle = if self.radius > 0.0 || self.push > 0.0 {
            0
        } else {
            self.idle + 1
        };
        if slow {
            self.stiffness = (STIFFER * self.stiffness).min(STIFFEST * self.began);
        }
    }

    /// By how much friction leaves the cone of the push at a place (kg·m).
    pub fn breach(&self, place: DVec3) -> f64 {
        if self.radius == 0.0 {
            return 0.0;
        }
        let drag = self.tried_drag(place).length().min(self.radius);
        (drag - self.cone(self.pushes(place))).max(0.0)
    }

    /// How far the cone is from that of the present push, squared (kg²·m²).
    pub fn narrow(&self, place: DVec3) -> f64 {
        let weights: f64 = self.weights.iter().map(|w| w * w).sum();
        weights * (self.cone(self.pushes(place)) - self.radius).powi(2)
    }

    /// How far `λ` and `τ` are from that, squared (kg²·m²).
    pub fn unlearned(&self, place: DVec3) -> f64 {
        let push = self.pushes(place) - self.push;
        let drag = match self.radius > 0.0 {
            true => self.tried_drag(place).clamp_length_max(self.radius) - self.drag,
            false => DVec3::ZERO,
        };
        let weights: f64 = self.weights.iter().map(|w| w * w).sum();
        weights * (push * push + drag.length_squared())
    }

    /// Gives it the geometry of another look at the same features.
    pub fn renew(&mut self, look: &ContactRow) {
        *self = ContactRow {
            stiffness: self.stiffness,
            began: self.began,
            push: self.push,
            drag: self.drag.reject_from_normalized(look.normal),
            radius: self.radius,
            missed: self.missed,
            idle: self.idle,
            ..*look
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> ContactRow {
        ContactRow {
            key: ContactKey::VertexFace(0, 0),
            nodes: [0, 1, 2, 3],
            weights: [1.0, -0.5, -0.3, -0.2],
            normal: DVec3::new(0.6, 0.0, 0.8),
            bound: 2e-3,
            slack: 1e-4,
            origin: DVec3::new(1e-4, -2e-4, 1e-3),
            friction: 0.3,
            stiffness: 0.7,
            began: 0.7,
            push: 1e-3,
            drag: DVec3::new(0.0, 1e-4, 0.0),
            radius: 3e-4,
            pressure: 0.0,
            missed: f64::INFINITY,
            idle: 0,
        }
    }

    #[test]
    fn the_coupling_is_the_derivative_of_the_force() {
        // Sticking, sliding, and without a push.
        let places = [1e-4, 5e-3, 0.5].map(|s| DVec3::new(0.2, 1.0, 0.3) * s);
        for place in places {
            let row = row();
            let block = row.coupling(place).map_or(DMat3::ZERO, |c| c.block);
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let h = 1e-8;
                let change = row.force(place + h * axis) - row.force(place - h * axis);
                let expected = -change / (2.0 * h);
                assert!(
                    expected.distance(block * axis) < 1e-6,
                    "{place}: {expected} {block}"
                );
            }
        }
    }

    #[test]
    fn only_rows_that_are_missed_by_too_much_get_stiffer() {
        let mut row = row();
        let at = |missed: f64| (row.bound - missed) * row.normal;
        let (little, much) = (at(0.9 * MATTERS * row.slack), at(row.slack));
        for _ in 0..3 {
            row.learn(little);
            assert_eq!(row.stiffness, 0.7);
        }
        row.learn(much);
        assert_eq!(row.stiffness, 0.7 * STIFFER);
    }

    #[test]
    fn what_cannot_be_met_stays_within_numbers() {
        let mut row = row();
        for _ in 0..1000 {
            row.learn((row.bound - 1.0) * row.normal);
        }
        assert_eq!(row.stiffness, STIFFEST * row.began);
        assert!(row.push.is_finite());
    }

    #[test]
    fn friction_stays_in_its_cone_and_a_push_never_pulls() {
        let mut row = row();
        row.learn(DVec3::new(0.0, 1.0, 0.0));
        assert!(row.push >= 0.0);
        assert!(row.drag.length() <= row.friction * row.push + 1e-15);
        row.learn(row.normal);
        assert_eq!((row.push, row.drag), (0.0, DVec3::ZERO));
    }
}
