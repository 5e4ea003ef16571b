//! A square held by one corner: the simplest drape of all.
//!
//! Limp cloth hangs together in a narrow bundle of folds, stiff cloth stays wide. Measured are the area of its shadow from above over its
//! own, and how wide it hangs: the area of its shadow from the front over half the square (a square that hangs flat by its corner shows all of
//! itself from one side and nothing from the other; the two sides are added as root of the sum of squares).

use super::draw;
use super::outline::union_area;
use super::rest::{Rest, Settled};
use super::specimen::{Specimen, world_of};
use super::{TextileError, within};
use glam::DVec2;
use toile::mesh::Face;
use toile_render::Image;
use toile_scene::scene::World;
use toile_scene::spec::{MeshSpec, MotionSpec, PatternSpec, PinSpec, SelectSpec, SlideSpec};

/// The test's geometry and how it is carried out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// Side of the square (m).
    pub side: f64,
    /// Cells along a side.
    pub cells: u32,
    /// How it comes to rest.
    pub rest: Rest,
}

impl Default for Setup {
    fn default() -> Self {
        Setup {
            side: 0.3,
            cells: 20,
            rest: Rest {
                tolerance: 1e-4,
                noise: 1e-4,
                ..Rest::default()
            },
        }
    }
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Hanging {
    /// Area of the shadow from above over the square's.
    pub from_above: f64,
    /// Areas of the shadows from the front and from the side together, over the square's.
    pub from_the_sides: f64,
    /// How far below the held corner the lowest node is (m).
    pub drop: f64,
    /// How it came to rest.
    pub settled: Settled,
    /// The square's scene.
    pub world: World,
}

const LINES: usize = 2000;

impl Setup {
    /// Hangs a specimen up.
    pub fn run(&self, specimen: &Specimen) -> Result<Hanging, TextileError> {
        let must = "it must lie between 1 cm and 2 m (is it in millimetres?)";
        within("the side of the square", self.side, [0.01, 2.0], must)?;
        let mut cloth = specimen.cloth(MeshSpec::Grid {
            size: [self.side; 2],
            cells: [self.cells; 2],
            pattern: specimen.pattern(PatternSpec::Quads),
        });
        cloth.pin.push(PinSpec {
            select: SelectSpec::Corners(vec![0]),
            motion: MotionSpec::Fixed,
            slide: SlideSpec::Fixed,
            held: Vec::new(),
        });
        let world = world_of(cloth, |scene| scene.drape.max_iterations = 3000)?;
        let settled = self.rest.settle(&world, &world.state)?;
        let x = &settled.state.positions;
        let shadow = |axes: [usize; 2]| {
            let place = |n: u32| DVec2::new(x[n as usize][axes[0]], x[n as usize][axes[1]]);
            let faces = world.cloth_tracks[0].faces.iter();
            let triangles: Vec<_> = faces
                .flat_map(Face::triangles)
                .map(|t| t.map(place))
                .collect();
            union_area(&triangles, LINES) / (self.side * self.side)
        };
        let lowest = x.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        Ok(Hanging {
            from_above: shadow([0, 1]),
            from_the_sides: shadow([0, 2]).hypot(shadow([1, 2])),
            drop: x[0].z - lowest,
            settled,
            world,
        })
    }
}

impl Hanging {
    /// The square as it hangs.
    pub fn picture(&self) -> Image {
        draw::perspective(&self.world, &self.settled.state, None)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use toile::certificate::Energies;
    use toile_scene::spec::{MaterialSpec, ModelSpec};

    /// **Symptom.** Quasi-inextensible cloth held by one corner flutters for ever. **Mechanism.** Its lengths were restored after a solve that knew
    /// nothing of them, at the cost of its springs across. **Fix.** Springs along the edges.
    #[test]
    fn cloth_with_fixed_lengths_comes_to_rest() {
        let specimen = Specimen {
            model: ModelSpec::QuasiInextensible,
            material: MaterialSpec {
                density: Some(0.15),
                shear_stiffness: Some(400.0),
                bend: Some(1e-5),
                ..Default::default()
            },
            ..Specimen::default()
        };
        let hung = Setup::default().run(&specimen).unwrap();
        assert!((0.40..0.43).contains(&hung.drop), "{}", hung.drop);
        let energies = Energies::of(&hung.world.model, &hung.settled.state);
        // Gravity has 0.03 J to give.
        assert!(energies.elastic < 1e-3, "{energies:?}");
    }

    #[test]
    fn limp_cloth_hangs_narrower_than_stiff_cloth() {
        let setup = Setup {
            cells: 10,
            ..Setup::default()
        };
        let [limp, stiff] =
            [1e-6, 1e-3].map(|bend| setup.run(&Specimen::default().with_bend(bend)).unwrap());
        assert!(limp.from_the_sides < 0.95 * stiff.from_the_sides);
        for hung in [limp, stiff] {
            assert!(hung.from_above < 0.5, "{}", hung.from_above);
            // No more than the diagonal, with a little stretch.
            assert!((0.3..0.43).contains(&hung.drop), "{}", hung.drop);
        }
    }
}
