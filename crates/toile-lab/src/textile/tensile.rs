//! The strip test (ISO 13934-1 in geometry, Kawabata's loads): force against extension.
//!
//! A strip is held at both ends, one of which is drawn away step by step without gravity. What is measured depends on the cloth.
//!
//! * **Energies.** At rest the work of the grips is what the cloth stores, so the force on them is `F = dE/du`. It is taken
//!   between neighbouring extensions, `(E₂ − E₁)/(u₂ − u₁)`, which is the mean force on the way. Divided by the width it is the
//!   N/m of Kawabata's instrument.
//! * **Limits** store nothing. The strip hangs from one end, with a weight on the other that is shared out equally among its nodes, and
//!   the extension is read off.

use super::rest::{Method, Rest};
use super::specimen::{Specimen, world_of};
use super::{TextileError, positive, within};
use crate::plot::{Axis, Plot, SIZE};
use glam::DVec3;
use toile_render::Image;
use toile_scene::scene::World;
use toile_scene::spec::{MeshSpec, MotionSpec, PatternSpec, PinSpec, SelectSpec, SlideSpec};

/// The test's geometry and how it is carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Length between the grips and width (m).
    pub size: [f64; 2],
    /// Cells along and across.
    pub cells: [u32; 2],
    /// How they are cut into faces.
    pub pattern: PatternSpec,
    /// Extensions, as shares of the length, rising.
    pub extensions: Vec<f64>,
    /// Weights for cloth with limits, as force per width (N/m).
    pub loads: Vec<f64>,
    /// How it comes to rest.
    pub rest: Rest,
}

impl Default for Setup {
    fn default() -> Self {
        Setup {
            size: [0.2, 0.05],
            cells: [16, 4],
            pattern: PatternSpec::Quads,
            extensions: (0..=10).map(|k| 0.005 * f64::from(k)).collect(),
            loads: vec![5.0, 20.0],
            rest: Rest {
                tolerance: 1e-5,
                noise: 0.0,
                ..Rest::default()
            },
        }
    }
}

/// A point of the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// Extension as a share of the length.
    pub extension: f64,
    /// Force per width (N/m).
    pub force: f64,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Tensile {
    /// Force against extension. Where the cloth stores energy, points lie between the extensions of the setup.
    pub curve: Vec<Pull>,
    /// Slope of the first part (N/m); `None` for limits, which have none.
    pub stiffness: Option<f64>,
}

impl Tensile {
    /// Force against extension.
    pub fn picture(&self) -> Image {
        let rows = self.curve.iter();
        let points = rows.map(|p| [100.0 * p.extension, p.force]).collect();
        let [extension, force] = [Axis::linear("extension (%)"), Axis::linear("force (N/m)")];
        Plot::new("Strip drawn out", extension, force)
            .curve("", points)
            .draw(SIZE)
    }
}

impl Setup {
    /// Pulls at a specimen, along its warp if it is cut at 0°.
    pub fn run(&self, specimen: &Specimen) -> Result<Tensile, TextileError> {
        positive("the length of the strip", self.size[0])?;
        positive("the width of the strip", self.size[1])?;
        for extension in &self.extensions {
            let must = "it must be a share between 0 and 2 (0.05 is 5 %)";
            within("an extension", *extension, [0.0, 2.0], must)?;
        }
        let hang = specimen.is_limited() || self.rest.method == Method::Dynamic;
        if hang {
            let curve = self.loads.iter().map(|&load| self.weigh(specimen, load));
            let curve = curve.collect::<Result<_, _>>()?;
            return Ok(Tensile {
                curve,
                stiffness: None,
            });
        }
        let curve = self.draw_out(specimen)?;
        let stiffness = curve.first().map(|p| p.force / p.extension);
        Ok(Tensile { curve, stiffness })
    }

    /// A strip along x whose ends are two pins, the first and, if `both`, the last column of nodes.
    fn world(&self, specimen: &Specimen, both: bool, pull: f64) -> Result<World, TextileError> {
        let half = 0.5 * self.size[0];
        let mut cloth = specimen.cloth(MeshSpec::Grid {
            size: self.size,
            cells: self.cells,
            pattern: specimen.pattern(self.pattern),
        });
        let grip = |from: f64, to: f64| PinSpec {
            select: SelectSpec::Box {
                min: [from, -9.0, -9.0],
                max: [to, 9.0, 9.0],
            },
            motion: MotionSpec::Fixed,
            slide: SlideSpec::Fixed,
            held: Vec::new(),
        };
        let edge = 1e-6;
        cloth.pin.push(grip(-9.0, -half + edge));
        if both {
            cloth.pin.push(grip(half - edge, 9.0));
        }
        world_of(cloth, |scene| scene.environment.gravity = [pull, 0.0, 0.0])
    }

    fn draw_out(&self, specimen: &Specimen) -> Result<Vec<Pull>, TextileError> {
        let world = self.world(specimen, true, 0.0)?;
        let mut points = Vec::new();
        let mut before: Option<[f64; 2]> = None;
        let mut state = world.state.clone();
        let mut drawn = 0.0;
        for &extension in &self.extensions {
            // From the last rest on, stretched evenly.
            let ratio = (1.0 + extension) / (1.0 + drawn);
            for x in &mut state.positions {
                x.x *= ratio;
            }
            let settled = self.rest.settle(&world, &state)?;
            let stored = settled.stored.unwrap_or(f64::NAN);
            state = settled.state;
            drawn = extension;
            if let Some([old, energy]) = before.replace([extension, stored]) {
                let way = (extension - old) * self.size[0];
                points.push(Pull {
                    extension: 0.5 * (extension + old),
                    force: (stored - energy) / way / self.size[1],
                });
            }
        }
        Ok(points)
    }

    /// The extension under a weight.
    fn weigh(&self, specimen: &Specimen, load: f64) -> Result<Pull, TextileError> {
        positive("a load", load)?;
        let gravity = 9.81;
        let mut world = self.world(specimen, false, gravity)?;
        let half = 0.5 * self.size[0];
        let end: Vec<usize> = (0..world.state.positions.len())
            .filter(|&i| world.state.positions[i].x > half - 1e-6)
            .collect();
        let mass = load * self.size[1] / gravity / end.len() as f64;
        world.change(|parts| {
            let hung = end.iter().map(|&node| (node as u32, mass));
            parts.point_masses.extend(hung);
        })?;
        // Short steps and thick air: a heavy weight on light cloth rings for long. What a limit leaves within its tolerance goes on
        // trembling with about the speed that gravity gives in a step.
        let step = 0.2 * self.rest.step;
        let rest = Rest {
            step,
            damping: self.rest.damping.max(20.0),
            speed: gravity * step,
            patience: 2.0,
            ..self.rest
        };
        let settled = rest.settle(&world, &world.state)?;
        let places = end.iter().map(|&i| settled.state.positions[i]);
        let mean = places.sum::<DVec3>() / end.len() as f64;
        Ok(Pull {
            extension: (mean.x - half) / self.size[0],
            force: load,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use toile_scene::spec::ModelSpec;

    #[test]
    fn the_stiffness_of_the_material_comes_out_for_warp_and_weft() {
        let mut specimen = Specimen::default();
        specimen.material.stretch_stiffness = Some(3000.0);
        specimen.material.weft_stretch_stiffness = Some(1200.0);
        for (degrees, exact) in [(0.0, 3000.0), (90.0, 1200.0)] {
            let found = Setup::default().run(&specimen.cut_at(degrees)).unwrap();
            let stiffness = found.stiffness.unwrap();
            assert!((stiffness / exact - 1.0).abs() < 1e-3, "{stiffness}");
        }
    }

    #[test]
    fn a_fabric_reaches_its_extension_at_500_gf_per_cm() {
        let mut specimen = Specimen {
            model: ModelSpec::Kawabata,
            ..Specimen::default()
        };
        specimen.material.fabric = Some("cotton".into());
        let setup = Setup {
            // So that the last point lies at the fabric's 3.5 %.
            extensions: vec![0.0, 0.0345, 0.0355],
            ..Setup::default()
        };
        let last = *setup.run(&specimen).unwrap().curve.last().unwrap();
        assert!((last.force / 490.3325 - 1.0).abs() < 0.01, "{last:?}");
    }

    #[test]
    fn cloth_that_does_not_stretch_does_not_stretch() {
        let specimen = Specimen {
            model: ModelSpec::QuasiInextensible,
            ..Specimen::default()
        };
        let found = Setup::default().run(&specimen).unwrap();
        assert_eq!(found.stiffness, None);
        for pull in found.curve {
            assert!(pull.extension.abs() < 5e-3, "{pull:?}");
        }
    }
}
