//! The picture frame: a square of cloth between four hinged bars, pushed into a rhombus.
//!
//! Warp and weft run along the bars, which keep their length while the angle between them changes by `γ`. The rim of the cloth follows
//! the bars, and the whole of it is sheared alike. The work of the frame is what the cloth stores, so its moment is `dE/dγ`, and the
//! shear force per width of the cloth's area `A` is
//!
//! `S = (dE/dγ) / A`  (N/m),
//!
//! whose slope is the shear stiffness that Kawabata's instrument calls `G`. The cloth stays in the plane of the frame: instruments
//! pull at it so that it does not wrinkle. Cloth with a limit stores nothing and is refused.
//!
//! Baraff and Witkin's shear energy goes by the sine of the angle, so their force is `k sin γ cos γ`, 1.1 % below `kγ` at 7.5°.

use super::rest::Rest;
use super::specimen::{Specimen, world_of};
use super::{TextileError, positive, within};
use crate::plot::{Axis, Plot, SIZE};
use glam::DVec3;
use toile_render::Image;
use toile_scene::spec::{MeshSpec, MotionSpec, PatternSpec, PinSpec, SelectSpec, SlideSpec};

/// The test's geometry and how it is carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Side of the square (m).
    pub side: f64,
    /// Cells along a side.
    pub cells: u32,
    /// How they are cut into faces.
    pub pattern: PatternSpec,
    /// Angles of the frame (rad), rising. Kawabata's instrument goes to 8°.
    pub angles: Vec<f64>,
    /// How it comes to rest.
    pub rest: Rest,
}

impl Default for Setup {
    fn default() -> Self {
        Setup {
            side: 0.1,
            cells: 8,
            pattern: PatternSpec::Quads,
            angles: (0..=8).map(|k| f64::from(k).to_radians()).collect(),
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
pub struct Frame {
    /// Shear angle (rad), in the middle between two angles of the setup.
    pub angle: f64,
    /// Shear force per width (N/m).
    pub force: f64,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct ShearFrame {
    /// Force against angle.
    pub curve: Vec<Frame>,
    /// Slope from zero to the last point (N/m per rad).
    pub stiffness: f64,
}

impl ShearFrame {
    /// Force against angle.
    pub fn picture(&self) -> Image {
        let rows = self.curve.iter();
        let points = rows.map(|p| [p.angle.to_degrees(), p.force]).collect();
        let [angle, force] = [Axis::linear("angle (°)"), Axis::linear("force (N/m)")];
        Plot::new("Frame sheared", angle, force)
            .curve("", points)
            .draw(SIZE)
    }
}

impl Setup {
    /// Shears a specimen.
    pub fn run(&self, specimen: &Specimen) -> Result<ShearFrame, TextileError> {
        positive("the side of the frame", self.side)?;
        for angle in &self.angles {
            let must = "it must lie between 0 and 1.2 rad (is it in degrees?)";
            within("an angle of the frame", *angle, [0.0, 1.2], must)?;
        }
        if specimen.is_limited() {
            return Err(TextileError::OutOfReach(
                "the shear frame reads its force off the stored energy, and cloth with a limit (isometric, quasi-inextensible, \
                 inequality, area) stores none: choose a model with stiffness"
                    .into(),
            ));
        }
        let mut cloth = specimen.cloth(MeshSpec::Grid {
            size: [self.side; 2],
            cells: [self.cells; 2],
            pattern: specimen.pattern(self.pattern),
        });
        let inside = 0.5 * self.side * (1.0 - 1e-6);
        let flat = SelectSpec::Box {
            min: [-inside, -inside, -1.0],
            max: [inside, inside, 1.0],
        };
        for (select, slide) in [
            (SelectSpec::Boundary(0), SlideSpec::Fixed),
            (flat, SlideSpec::Plane([0.0, 0.0, 1.0])),
        ] {
            cloth.pin.push(PinSpec {
                select,
                motion: MotionSpec::Fixed,
                slide,
                held: Vec::new(),
            });
        }
        let world = world_of(cloth, |scene| scene.environment.gravity = [0.0; 3])?;
        let mut curve = Vec::new();
        let mut before: Option<[f64; 2]> = None;
        for &angle in &self.angles {
            let (sin, cos) = (0.5 * angle).sin_cos();
            let [bar, other] = [DVec3::new(cos, sin, 0.0), DVec3::new(sin, cos, 0.0)];
            let mut state = world.state.clone();
            for x in &mut state.positions {
                *x = x.x * bar + x.y * other;
            }
            let stored = self.rest.settle(&world, &state)?.stored;
            let stored = stored.unwrap_or(f64::NAN);
            if let Some([old, energy]) = before.replace([angle, stored]) {
                curve.push(Frame {
                    angle: 0.5 * (angle + old),
                    force: (stored - energy) / (angle - old) / (self.side * self.side),
                });
            }
        }
        let stiffness = curve.last().map_or(f64::NAN, |p| p.force / p.angle);
        Ok(ShearFrame { curve, stiffness })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use toile_scene::spec::ModelSpec;

    #[test]
    fn the_shear_stiffness_comes_out() {
        let angle = 7.5f64.to_radians();
        let law = angle.sin() * angle.cos() / angle;
        for (model, exact, tolerance) in [
            (ModelSpec::BaraffWitkin, law, 1e-3),
            (ModelSpec::Kawabata, 1.0, 1e-3),
            (ModelSpec::MassSpring, 1.0, 0.05),
        ] {
            let mut specimen = Specimen {
                model,
                ..Specimen::default()
            };
            specimen.material.shear_stiffness = Some(37.0);
            let found = Setup::default().run(&specimen).unwrap();
            let ratio = found.stiffness / 37.0;
            assert!((ratio - exact).abs() < tolerance, "{model:?}: {ratio}");
        }
    }

    #[test]
    fn degrees_and_limits_are_noticed() {
        let setup = Setup {
            angles: vec![0.0, 8.0],
            ..Setup::default()
        };
        let error = setup.run(&Specimen::default()).unwrap_err().to_string();
        assert!(error.contains("degrees"), "{error}");
        let specimen = Specimen {
            model: ModelSpec::Isometric,
            ..Specimen::default()
        };
        let error = Setup::default().run(&specimen).unwrap_err().to_string();
        assert!(error.contains("isometric"), "{error}");
    }
}
