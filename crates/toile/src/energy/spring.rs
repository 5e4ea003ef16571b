//! Springs between pairs of nodes.
//!
//! With `d = x_j − x_i`, length `l`, direction `d̂ = d/l`, rest length `l̄`, stiffness `k` (N, the force at
//! 100 % strain) and axial damping `c` (N·s/m):
//!
//! * energy `½ k l̄ (l/l̄ − 1)²`
//! * force on `i`: `[k (l/l̄ − 1) + c (v_j − v_i)·d̂] d̂`, the opposite on `j` (Provot 1995)
//! * `∂f_i/∂x_j = (k/l̄) [d̂d̂ᵀ + (1 − l̄/l)(I − d̂d̂ᵀ)]`, `∂f_i/∂v_j = c d̂d̂ᵀ`
//!
//! The transverse part of the stiffness is negative in a compressed spring, which would make an implicit
//! step's matrix indefinite; it is left out there (Choi and Ko 2002). Forces act along the line between
//! the nodes, so linear and angular momentum are kept to rounding.

use super::{Elements, Local, Weights};
use glam::{DMat3, DVec3};

/// One spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Its ends, numbered over the whole world.
    pub nodes: [u32; 2],
    /// Rest length `l̄` (m).
    pub rest_length: f64,
    /// Stiffness `k` (N).
    pub stiffness: f64,
    /// Axial damping `c` (N·s/m).
    pub damping: f64,
}

/// Springs of one cloth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpringBatch {
    /// The springs.
    pub springs: Vec<Spring>,
}

/// `k d dᵀ + a I`, symmetric to the last bit.
#[inline]
fn axial_block(d: DVec3, k: f64, a: f64) -> DMat3 {
    let q = k * d;
    let (xy, xz, yz) = (q.x * d.y, q.x * d.z, q.y * d.z);
    DMat3::from_cols(
        DVec3::new(q.x * d.x + a, xy, xz),
        DVec3::new(xy, q.y * d.y + a, yz),
        DVec3::new(xz, yz, q.z * d.z + a),
    )
}

impl Elements<2> for SpringBatch {
    fn count(&self) -> usize {
        self.springs.len()
    }

    #[inline]
    fn nodes(&self, element: usize) -> [u32; 2] {
        self.springs[element].nodes
    }

    fn value(&self, element: usize, x: &[DVec3; 2]) -> f64 {
        let spring = &self.springs[element];
        let strain = x[0].distance(x[1]) / spring.rest_length - 1.0;
        0.5 * spring.stiffness * spring.rest_length * strain * strain
    }

    fn force(&self, element: usize, x: &[DVec3; 2], v: &[DVec3; 2]) -> [DVec3; 2] {
        let spring = &self.springs[element];
        let offset = x[1] - x[0];
        let length = offset.length();
        if length == 0.0 {
            return [DVec3::ZERO; 2]; // no direction to push in
        }
        let direction = offset / length;
        let elastic = spring.stiffness * (length / spring.rest_length - 1.0);
        let damping = spring.damping * (v[1] - v[0]).dot(direction);
        let pull = (elastic + damping) * direction;
        [pull, -pull]
    }

    #[inline]
    fn linearise(
        &self,
        element: usize,
        x: &[DVec3; 2],
        v: &[DVec3; 2],
        weights: &Weights,
    ) -> Local<2> {
        let spring = &self.springs[element];
        let offset = x[1] - x[0];
        let length = offset.length();
        if length == 0.0 {
            return Local::default();
        }
        // One division for all that is over the length.
        let per_length = 1.0 / length;
        let direction = per_length * offset;
        let relative = v[1] - v[0];
        let closing = relative.dot(direction);
        let slack = 1.0 - spring.rest_length * per_length;
        let axial = spring.stiffness / spring.rest_length;
        let transverse = axial * slack.max(0.0);
        let along = axial * (length * slack + weights.ahead * closing) + spring.damping * closing;
        let across = weights.ahead * transverse * (relative - closing * direction);
        let pull = along * direction + across;

        let sideways = weights.stiffness * transverse;
        let lengthwise = weights.stiffness * axial + weights.damping * spring.damping;
        let block = axial_block(direction, lengthwise - sideways, sideways);
        Local {
            force: [pull, -pull],
            blocks: [[block, DMat3::ZERO], [-block, block]],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::element::check;

    fn one_spring(damping: f64) -> SpringBatch {
        let spring = Spring {
            nodes: [0, 1],
            rest_length: 0.8,
            stiffness: 30.0,
            damping,
        };
        SpringBatch {
            springs: vec![spring],
        }
    }

    fn stretched(by: f64) -> [DVec3; 2] {
        let end = DVec3::new(0.4, 0.3, 0.9).normalize() * 0.8 * by;
        [DVec3::ZERO, end].map(|p| p + DVec3::new(0.1, -0.2, 0.3))
    }

    const MOVING: [DVec3; 2] = [DVec3::new(0.3, -0.1, 0.2), DVec3::new(-0.2, 0.4, 0.5)];

    #[test]
    fn the_force_is_minus_the_gradient_of_the_energy() {
        for stretch in [0.5, 0.99, 1.7] {
            let error = check::force_error(&one_spring(0.0), 0, &stretched(stretch), 1e-3);
            assert!(error < 1e-9, "{error} at {stretch}");
        }
    }

    #[test]
    fn stiffness_and_damping_are_the_derivatives_of_the_force_in_a_stretched_spring() {
        let springs = one_spring(2.0);
        let (x, rest) = (stretched(1.3), [DVec3::ZERO; 2]);
        let error = check::stiffness_error(&springs, 0, &x, &rest, false, 1e-3);
        assert!(error < 1e-9, "{error}");
        let error = check::stiffness_error(&springs, 0, &x, &MOVING, true, 1e-3);
        assert!(error < 1e-9, "{error}");
        assert!(check::ahead_error(&springs, 0, &x, &MOVING) < 1e-14);
    }

    #[test]
    fn a_compressed_spring_keeps_only_its_axial_stiffness() {
        let x = [DVec3::ZERO, DVec3::X * 0.5];
        let weights = Weights {
            stiffness: 1.0,
            damping: 1.0,
            ahead: 0.0,
        };
        let local = one_spring(0.0).linearise(0, &x, &[DVec3::ZERO; 2], &weights);
        let expected = DMat3::from_diagonal(DVec3::X * 30.0 / 0.8);
        assert!((local.blocks[0][0] - expected).abs_diff_eq(DMat3::ZERO, 1e-12));
        assert!(check::ahead_error(&one_spring(0.0), 0, &x, &MOVING) < 1e-14);
    }

    #[test]
    fn coincident_ends_make_no_force_and_no_nan() {
        let (springs, x, rest) = (one_spring(1.0), [DVec3::ONE; 2], [DVec3::ZERO; 2]);
        assert_eq!(springs.force(0, &x, &rest), rest);
        let weights = Weights {
            stiffness: 1.0,
            damping: 1.0,
            ahead: 1.0,
        };
        assert_eq!(springs.linearise(0, &x, &rest, &weights).force, rest);
    }
}
