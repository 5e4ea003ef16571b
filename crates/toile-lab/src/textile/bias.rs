//! The bias extension test: a strip cut at 45° to its threads is drawn out, and shears in the middle.
//!
//! In a strip of length `L` and width `W`, `L ≥ 2W`, the threads of the middle are held by neither grip. If threads do not
//! stretch, the middle is a trellis whose diagonal grows from `D = L − W` to `D + d`, and its shear angle follows from the
//! displacement alone:
//!
//! `γ = π/2 − 2 arccos((D + d) / (√2 D))`
//!
//! Cloth that stretches shears less. The angle is measured between the images of warp and weft in the middle of the strip; the force is
//! the slope of the stored energy, as in the [`tensile`](super::tensile) test.
//!
//! Cells that lie across the threads cannot shear along a line, so on coarse meshes threads that hardly stretch lock near the grips and
//! the middle shears too much: with 1000 times as much stretch as shear stiffness the angle is 20 % above the trellis' with 30 × 10
//! cells and 9 % with 60 × 20; with 200 times as much, 3 % and 14 % below.
//!
//! The mesh runs along the strip, so the test is for models that know where their warp is (Baraff–Witkin, Kawabata). Models whose
//! threads are the edges of the mesh are refused.

use super::draw;
use super::rest::{Rest, Settled};
use super::specimen::{Specimen, world_of};
use super::{TextileError, within};
use glam::DVec3;
use std::f64::consts::{FRAC_PI_2, SQRT_2};
use toile_render::Image;
use toile_scene::scene::World;
use toile_scene::spec::{
    MeshSpec, ModelSpec, MotionSpec, PatternSpec, PinSpec, SelectSpec, SlideSpec,
};

/// The test's geometry and how it is carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Length between the grips and width (m).
    pub size: [f64; 2],
    /// Cells along and across, both even.
    pub cells: [u32; 2],
    /// How far the grips are drawn apart (m), rising.
    pub displacements: Vec<f64>,
    /// How it comes to rest.
    pub rest: Rest,
}

impl Default for Setup {
    fn default() -> Self {
        Setup {
            size: [0.15, 0.05],
            cells: [30, 10],
            displacements: (0..=6).map(|k| 2.5e-3 * f64::from(k)).collect(),
            rest: Rest {
                tolerance: 1e-4,
                noise: 0.0,
                ..Rest::default()
            },
        }
    }
}

/// A point of the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shear {
    /// How far the grips were drawn apart (m).
    pub displacement: f64,
    /// Mean force per width on the way from the last point (N/m).
    pub force: f64,
    /// Shear angle in the middle (rad).
    pub angle: f64,
    /// What a trellis of threads that do not stretch would have (rad).
    pub trellis: f64,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Bias {
    /// One point per displacement above zero.
    pub curve: Vec<Shear>,
    /// The last rest.
    pub settled: Settled,
    /// The strip's scene.
    pub world: World,
}

/// The shear angle (rad) of a trellis with the diagonal `diagonal` (m) that has grown by `displacement` (m); a right angle once
/// the threads lie along it.
pub fn trellis_angle(diagonal: f64, displacement: f64) -> f64 {
    let cosine = (diagonal + displacement) / (SQRT_2 * diagonal);
    FRAC_PI_2 - 2.0 * cosine.clamp(-1.0, 1.0).acos()
}

impl Setup {
    /// Draws a specimen out along its bias; its own cut does not count.
    pub fn run(&self, specimen: &Specimen) -> Result<Bias, TextileError> {
        if !matches!(
            specimen.model,
            ModelSpec::BaraffWitkin | ModelSpec::TensionField | ModelSpec::Kawabata
        ) || specimen.is_limited()
        {
            return Err(TextileError::OutOfReach(
                "the bias test needs cloth that stores energy and knows its warp apart from its mesh: choose the model \
                 baraff-witkin, tension-field or kawabata, without a limit"
                    .into(),
            ));
        }
        let must = "a bias strip must be at least twice as long as wide";
        let ratio = self.size[0] / self.size[1];
        within("length over width", ratio, [2.0, 20.0], must)?;
        let world = self.world(&specimen.cut_at(45.0))?;
        let mut state = world.state.clone();
        let (mut drawn, mut energy) = (0.0, 0.0);
        let mut curve = Vec::new();
        let mut last = None;
        for &displacement in &self.displacements {
            let ratio = (self.size[0] + displacement) / (self.size[0] + drawn);
            for x in &mut state.positions {
                x.x *= ratio;
            }
            let settled = self.rest.settle(&world, &state)?;
            let stored = settled.stored.unwrap_or(f64::NAN);
            if displacement > drawn {
                curve.push(Shear {
                    displacement,
                    force: (stored - energy) / (displacement - drawn) / self.size[1],
                    angle: self.middle_angle(&settled.state.positions),
                    trellis: trellis_angle(self.size[0] - self.size[1], displacement),
                });
            }
            (drawn, energy) = (displacement, stored);
            state = settled.state.clone();
            last = Some(settled);
        }
        let nothing = || TextileError::OutOfReach("the bias test was given no displacement".into());
        let settled = last.ok_or_else(nothing)?;
        Ok(Bias {
            curve,
            settled,
            world,
        })
    }

    fn world(&self, specimen: &Specimen) -> Result<World, TextileError> {
        let half = 0.5 * self.size[0];
        let mut cloth = specimen.cloth(MeshSpec::Grid {
            size: self.size,
            cells: self.cells,
            pattern: PatternSpec::Quads,
        });
        let edge = half - 1e-6;
        let flat = SlideSpec::Plane([0.0, 0.0, 1.0]);
        for (from, to, slide) in [
            (-9.0, -edge, SlideSpec::Fixed),
            (edge, 9.0, SlideSpec::Fixed),
            (-edge, edge, flat),
        ] {
            cloth.pin.push(PinSpec {
                select: SelectSpec::Box {
                    min: [from, -9.0, -9.0],
                    max: [to, 9.0, 9.0],
                },
                motion: MotionSpec::Fixed,
                slide,
                held: Vec::new(),
            });
        }
        world_of(cloth, |scene| scene.environment.gravity = [0.0; 3])
    }

    /// How far the angle between warp and weft in the middle is from a right one (rad), from the nodes around it.
    fn middle_angle(&self, positions: &[DVec3]) -> f64 {
        let [along, across] = self.cells.map(|c| c as usize);
        let node = |i: usize, j: usize| positions[j * (along + 1) + i];
        let (i, j) = (along / 2, across / 2);
        let [dx, dy] = [0, 1].map(|k| self.size[k] / f64::from(self.cells[k]));
        let by_x = (node(i + 1, j) - node(i - 1, j)) / (2.0 * dx);
        let by_y = (node(i, j + 1) - node(i, j - 1)) / (2.0 * dy);
        (by_x + by_y)
            .normalize_or_zero()
            .dot((by_x - by_y).normalize_or_zero())
            .asin()
    }
}

impl Bias {
    /// The strip as it was drawn out last.
    pub fn picture(&self) -> Image {
        draw::from_top(&self.world, &self.settled.state)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_trellis_has_its_limits() {
        assert!(trellis_angle(0.1, 0.0).abs() < 1e-12);
        // A small stretch of the diagonal by e shears by 2e.
        assert!((trellis_angle(0.1, 1e-6) / 2e-5 - 1.0).abs() < 1e-3);
        assert!((trellis_angle(0.1, 0.1 * (SQRT_2 - 1.0)) - FRAC_PI_2).abs() < 1e-6);
    }

    #[test]
    fn stiff_threads_shear_as_a_trellis_does() {
        let mut specimen = Specimen::default();
        specimen.material.stretch_stiffness = Some(2e3);
        specimen.material.shear_stiffness = Some(10.0);
        let found = Setup::default().run(&specimen).unwrap();
        let last = found.curve.last().unwrap();
        assert!(
            (last.angle / last.trellis - 1.0).abs() < 0.1,
            "{:.4} {:.4}",
            last.angle,
            last.trellis
        );
        assert!(found.curve.windows(2).all(|p| p[1].force > p[0].force));
    }

    #[test]
    fn models_without_a_warp_are_refused() {
        let specimen = Specimen {
            model: ModelSpec::MassSpring,
            ..Specimen::default()
        };
        let error = Setup::default().run(&specimen).unwrap_err().to_string();
        assert!(error.contains("baraff-witkin"), "{error}");
    }
}
