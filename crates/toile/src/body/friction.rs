//! Coulomb friction with a coefficient for what is at rest and one for what slides.
//!
//! A contact that is pushed by `r` and has to bear `t` along the surface holds while `t ≤ μₛ r`. Once it
//! slips, friction is `μₖ r` against the slip. With `μₖ = μₛ` this is the law with one coefficient.

use glam::DVec3;

/// Coefficients of friction of a body's surface against cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// `μₛ`: what holds a node at rest.
    pub at_rest: f64,
    /// `μₖ`: what slows a node that slides. Not above `at_rest`.
    pub sliding: f64,
}

/// A node slower than this relative to the surface (m/s) counts as at rest where nothing better is known of
/// it: it slips by 10 µm in a step of 10 ms. Chosen, not derived; the lab experiments `incline` and `capstan`
/// cover it.
pub(crate) const AT_REST: f64 = 1e-3;

impl Friction {
    /// The coefficient for a node with this speed along the surface (m/s).
    pub(crate) fn at_speed(&self, speed: f64) -> f64 {
        if speed <= AT_REST {
            self.at_rest
        } else {
            self.sliding
        }
    }

    /// What is left of a slip (m/s) when the velocity along the normal is changed by `push` (m/s).
    pub(crate) fn slow(&self, slip: DVec3, push: f64) -> DVec3 {
        let speed = slip.length();
        if speed <= self.at_rest * push {
            return DVec3::ZERO;
        }
        slip.normalize_or_zero() * (speed - self.sliding * push)
    }

    /// Whether both coefficients are numbers that friction can have.
    pub fn is_possible(&self) -> bool {
        self.at_rest.is_finite() && 0.0 <= self.sliding && self.sliding <= self.at_rest
    }
}

impl From<f64> for Friction {
    /// One coefficient for both.
    fn from(coefficient: f64) -> Self {
        Friction {
            at_rest: coefficient,
            sliding: coefficient,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_stopped_by_the_one_coefficient_and_slowed_by_the_other() {
        let friction = Friction {
            at_rest: 0.6,
            sliding: 0.2,
        };
        assert_eq!(friction.slow(DVec3::X * 0.6, 1.0), DVec3::ZERO);
        let slowed = friction.slow(DVec3::X * 0.7, 1.0);
        assert!((slowed.x - 0.5).abs() < 1e-15);
        assert_eq!(friction.slow(DVec3::ZERO, 0.0), DVec3::ZERO);
        assert_eq!((friction.at_speed(0.0), friction.at_speed(0.1)), (0.6, 0.2));
    }

    #[test]
    fn sliding_friction_above_that_at_rest_is_impossible() {
        let friction = |at_rest, sliding| Friction { at_rest, sliding };
        assert!(Friction::from(0.3).is_possible());
        assert!(friction(0.5, 0.0).is_possible());
        assert!(!friction(0.3, 0.5).is_possible());
        assert!(!friction(f64::NAN, 0.5).is_possible());
        assert!(!friction(f64::INFINITY, 0.5).is_possible());
        assert!(!friction(0.3, -0.1).is_possible());
    }
}
