//! Creases: rest angles that move when cloth is bent too far.
//!
//! A hinge at the angle `θ` that rests at `θ₀` is bent by `e = θ − θ₀`, taken the short way round. It stays
//! elastic while
//!
//! `|e − k (θ₀ − θ̄₀)| ≤ y + H a`
//!
//! with the yield angle `y`, the angle `a` by which it has flowed in all, its first rest angle `θ̄₀`,
//! isotropic hardening `H` and kinematic hardening `k`. Past that the rest angle follows (return mapping, as
//! in any textbook of plasticity): with the excess `f` and its sign, `θ₀` moves by `f/(1 + H + k)` and `a`
//! grows by as much, after which the condition holds with equality. The elastic law does not enter, only that
//! its moment grows with `e`.
//!
//! `H` and `k` are slopes relative to the elastic one: beyond yield the moment goes on rising with
//! `(H+k)/(1+H+k)` of its elastic slope. Without hardening it stays constant, and a hinge bent to `θ` and let
//! go keeps the fold `θ − y`.
//!
//! The yield angle of a hinge is its spacing times the yield curvature, so a finer mesh creases at the same
//! bending radius.
//!
//! Flow takes elastic energy and gives none back: without kinematic hardening the stored energy can only fall
//! when rest angles move. With it a part of the energy is stored in the material itself, `½ c k (θ₀ − θ̄₀)²`
//! per hinge of stiffness `c`, and the sum of both can only fall.

use super::hinge::wrapped;

/// From where on a hinge flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Yield {
    /// At this curvature (1/m), whatever the mesh.
    Curvature(f64),
    /// At this angle (rad) of every hinge.
    Angle(f64),
}

/// How a cloth creases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CreaseMaterial {
    /// Where flow starts.
    pub yield_at: Yield,
    /// `H ≥ 0`: how much the yield angle grows by the angle that has flowed, in either direction.
    pub isotropic_hardening: f64,
    /// `k ≥ 0`: how far the middle of the elastic range follows the crease back towards its first rest angle.
    pub kinematic_hardening: f64,
}

/// How many times as stiff as its rigidity cloth is while its threads stick to each other. Chosen: Kawabata's loops begin three to
/// five times as steep as they go on.
const STICKING: f64 = 4.0;

impl CreaseMaterial {
    /// Friction between threads, as Kawabata's instrument shows it: bent and unbent, cloth goes through a loop `M = B κ ± HB` of the
    /// width `2HB` (N). Until the curvature `HB / (n − 1)B` threads stick to each other, and cloth is `n` = 4 times as stiff;
    /// then they slide. Answers with the rigidity while they stick (N·m).
    pub fn friction(rigidity: f64, width: f64) -> (f64, Self) {
        let beyond = STICKING - 1.0;
        let material = CreaseMaterial {
            yield_at: Yield::Curvature(0.5 * width / (beyond * rigidity)),
            isotropic_hardening: 0.0,
            kinematic_hardening: 1.0 / beyond,
        };
        (STICKING * rigidity, material)
    }
}

/// What flow needs to know of the hinges, one entry for each.
#[derive(Clone, Copy, Debug)]
pub struct Creases<'a> {
    /// Present angles `θ` (rad).
    pub angles: &'a [f64],
    /// Spacings `ℓ` (m): angle over curvature.
    pub spacings: &'a [f64],
    /// First rest angles `θ̄₀` (rad).
    pub first_rest_angles: &'a [f64],
}

/// Moves the rest angles (rad) of all hinges that are bent past their yield angle, and adds to the angles
/// `accumulated` (rad) by which they have flowed in all. Answers how many did.
pub fn flow(
    material: &CreaseMaterial,
    creases: &Creases,
    rest_angles: &mut [f64],
    accumulated: &mut [f64],
) -> usize {
    let CreaseMaterial {
        yield_at,
        isotropic_hardening,
        kinematic_hardening,
    } = *material;
    let given = creases.angles.iter().zip(creases.spacings);
    let given = given.zip(creases.first_rest_angles);
    let state = rest_angles.iter_mut().zip(accumulated.iter_mut());
    let mut flowed = 0;
    for (((&angle, &spacing), &first), (rest, total)) in given.zip(state) {
        let start = match yield_at {
            Yield::Curvature(curvature) => curvature * spacing,
            Yield::Angle(angle) => angle,
        };
        let back = kinematic_hardening * wrapped(*rest - first);
        let beyond = wrapped(angle - *rest) - back;
        let excess = beyond.abs() - (start + isotropic_hardening * *total);
        if excess > 0.0 {
            let moved = excess / (1.0 + isotropic_hardening + kinematic_hardening);
            *rest = wrapped(*rest + moved.copysign(beyond));
            *total += moved;
            flowed += 1;
        }
    }
    flowed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One hinge of stiffness 1 that is led along a path of angles.
    struct Led {
        material: CreaseMaterial,
        angle: f64,
        rest: f64,
        accumulated: f64,
        work: f64,
        lost: f64,
    }

    impl Led {
        fn new(yield_angle: f64, isotropic: f64, kinematic: f64) -> Self {
            Led {
                material: CreaseMaterial {
                    yield_at: Yield::Angle(yield_angle),
                    isotropic_hardening: isotropic,
                    kinematic_hardening: kinematic,
                },
                angle: 0.0,
                rest: 0.0,
                accumulated: 0.0,
                work: 0.0,
                lost: 0.0,
            }
        }

        fn moment(&self) -> f64 {
            self.angle - self.rest
        }

        fn stored(&self) -> f64 {
            let kinematic = self.material.kinematic_hardening;
            0.5 * (self.moment().powi(2) + kinematic * self.rest.powi(2))
        }

        fn step_to(&mut self, angle: f64) {
            let before = self.moment();
            let by = angle - self.angle;
            self.angle = angle;
            self.work += 0.5 * (before + self.moment()) * by;
            let trial = self.stored();
            let creases = Creases {
                angles: &[angle],
                spacings: &[1.0],
                first_rest_angles: &[0.0],
            };
            let mut rest = [self.rest];
            let mut total = [self.accumulated];
            flow(&self.material, &creases, &mut rest, &mut total);
            (self.rest, self.accumulated) = (rest[0], total[0]);
            self.lost += trial - self.stored();
            assert!(trial - self.stored() > -1e-15, "flow made energy");
        }

        fn lead(&mut self, angle: f64, steps: usize) {
            let from = self.angle;
            for k in 1..=steps {
                self.step_to(from + (angle - from) * k as f64 / steps as f64);
            }
        }
    }

    #[test]
    fn a_fold_that_is_let_go_keeps_what_was_past_yield() {
        let mut hinge = Led::new(0.3, 0.0, 0.0);
        hinge.lead(0.25, 3);
        assert_eq!(hinge.rest, 0.0);
        hinge.lead(1.5, 7);
        assert!((hinge.rest - 1.2).abs() < 1e-14);
        assert!((hinge.moment() - 0.3).abs() < 1e-14);
        // Down to no moment: elastic all the way.
        hinge.lead(1.2, 5);
        assert!((hinge.rest - 1.2).abs() < 1e-14 && hinge.moment().abs() < 1e-14);
    }

    #[test]
    fn hardening_keeps_its_share_of_the_slope() {
        for (isotropic, kinematic) in [(0.5, 0.0), (0.0, 0.5), (0.2, 0.3)] {
            let mut hinge = Led::new(0.2, isotropic, kinematic);
            hinge.lead(0.7, 4);
            let first = hinge.moment();
            hinge.lead(1.3, 4);
            let slope = (hinge.moment() - first) / 0.6;
            assert!((slope - 0.5 / 1.5).abs() < 1e-12, "{slope}");
        }
    }

    #[test]
    fn isotropic_hardening_widens_the_elastic_range_and_kinematic_moves_it() {
        // Bent to 1.2 with y = 0.2 and slope 1/3: flow of (1.2 − 0.2)/1.5 = 2/3, moment 0.2 + 1/3.
        let top = 0.2 + 1.0 / 3.0;
        for (isotropic, kinematic, range) in [(0.5, 0.0, 2.0 * top), (0.0, 0.5, 0.4)] {
            let mut hinge = Led::new(0.2, isotropic, kinematic);
            hinge.lead(1.2, 10);
            assert!((hinge.moment() - top).abs() < 1e-12);
            let rest = hinge.rest;
            hinge.lead(1.2 - range + 1e-6, 10);
            assert_eq!(hinge.rest, rest);
            hinge.lead(1.2 - range - 1e-6, 10);
            assert!(hinge.rest < rest);
        }
    }

    #[test]
    fn friction_is_the_loop_that_was_measured() {
        // A hinge of stiffness 1 while threads stick, whose angle is its curvature.
        let (rigidity, width) = (1.0 / STICKING, 0.05);
        let (stuck, material) = CreaseMaterial::friction(rigidity, width);
        assert!((stuck - 1.0).abs() < 1e-15);
        let Yield::Curvature(start) = material.yield_at else {
            panic!("{material:?}");
        };
        let mut hinge = Led::new(start, 0.0, material.kinematic_hardening);
        let mut at = |curvature: f64| {
            hinge.lead(curvature, 50);
            hinge.moment()
        };
        let branch = |curvature: f64, side: f64| rigidity * curvature + 0.5 * side * width;
        let path = [
            (0.5, 1.0),
            (1.0, 1.0),
            (0.5, -1.0),
            (-1.0, -1.0),
            (-0.5, 1.0),
            (0.5, 1.0),
        ];
        for (curvature, side) in path {
            let moment = at(curvature);
            assert!(
                (moment - branch(curvature, side)).abs() < 1e-12,
                "{curvature} {moment}"
            );
        }
        // Let go, it stays bent by HB/B, and friction has taken the rest.
        hinge.lead(0.5 * width / rigidity, 50);
        assert!(hinge.moment().abs() < 1e-12 && hinge.lost > 0.0);
    }

    #[test]
    fn a_closed_cycle_loses_the_area_of_its_loop() {
        // A parallelogram of height 2y and width 2(Θ − y).
        let (limit, top) = (0.3, 1.0);
        let mut hinge = Led::new(limit, 0.0, 0.0);
        hinge.lead(top, 4000);
        let (work, lost) = (hinge.work, hinge.lost);
        hinge.lead(-top, 8000);
        hinge.lead(top, 8000);
        let expected = 4.0 * limit * (top - limit);
        // Explicit flow at the end of each step is off by half a step's width, 1/8000 of the way.
        assert!(((hinge.lost - lost) / expected - 1.0).abs() < 1e-3);
        assert!((hinge.work - work - (hinge.lost - lost)).abs() < 1e-12);
    }

    #[test]
    fn work_is_what_is_stored_and_lost_along_any_path() {
        for (isotropic, kinematic) in [(0.0, 0.0), (0.7, 0.0), (0.0, 0.4), (0.3, 0.9)] {
            let mut hinge = Led::new(0.15, isotropic, kinematic);
            for k in 0..400 {
                let k = f64::from(k);
                hinge.step_to(1.4 * (0.37 * k).sin() * (0.011 * k).cos());
            }
            assert!((hinge.work - hinge.stored() - hinge.lost).abs() < 1e-12);
            assert!(hinge.lost > 0.0);
        }
    }

    #[test]
    fn the_yield_curvature_is_the_same_for_every_spacing() {
        let material = CreaseMaterial {
            yield_at: Yield::Curvature(50.0),
            isotropic_hardening: 0.2,
            kinematic_hardening: 0.1,
        };
        // The same sheet bent to 80/m, in two meshes.
        let spacings = [0.002, 0.01];
        let angles = spacings.map(|l| 80.0 * l);
        let creases = Creases {
            angles: &angles,
            spacings: &spacings,
            first_rest_angles: &[0.0; 2],
        };
        let (mut rest, mut total) = ([0.0; 2], [0.0; 2]);
        assert_eq!(flow(&material, &creases, &mut rest, &mut total), 2);
        for k in 0..2 {
            let curvature = rest[k] / spacings[k];
            assert!((curvature - 30.0 / 1.3).abs() < 1e-12);
        }
    }

    #[test]
    fn a_crease_may_pass_the_full_fold() {
        let mut hinge = Led::new(0.1, 0.0, 0.0);
        hinge.lead(3.1, 1);
        assert!((hinge.rest - 3.0).abs() < 1e-14);
        // −3.0 is 0.283 past 3.0 the short way round, so the rest angle follows at 0.1 behind.
        hinge.step_to(-3.0);
        assert!((hinge.rest + 3.1).abs() < 1e-14, "{}", hinge.rest);
    }
}
