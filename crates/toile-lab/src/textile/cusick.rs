//! Cusick's drape test (BS 5058, ISO 9073-9): how much of a round specimen hangs down around a round support.
//!
//! A specimen of 30 cm lies centred on a disc of 18 cm; what hangs over is seen from above. With the area `A` inside the
//! outline of specimen and support,
//!
//! `DC = (A − A_support) / (A_specimen − A_support)`
//!
//! is the drape coefficient: 1 for a rigid sheet, 0 for cloth that hangs straight down. It depends on the bending rigidity `B` by the
//! bending length `c = (B / ρ g)^⅓`, and on how easily the cloth shears, because a flat sheet cannot cover a rim without it.
//!
//! The instrument holds the specimen between two discs. Three supports stand for it ([`Support`]). The paper of Coltraro and others
//! (2022, section 8.2) meshes the overhanging ring alone and fixes the nodes of its inner rim.
//!
//! Areas are those of the meshes, whose rims are polygons, so a flat specimen has a coefficient of exactly 1.

use super::draw;
use super::outline::{Folds, folds, reach, smooth, union_area};
use super::rest::{Rest, Settled};
use super::specimen::{Specimen, world_of};
use super::{TextileError, within};
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};
use toile::state::State;
use toile_render::Image;
use toile_scene::scene::World;
use toile_scene::spec::{
    BodySpec, DiscPatternSpec, FrictionSpec, MeshSpec, MotionSpec, PatternSpec, PinSpec, PlaceSpec,
    SelectSpec, ShapeSpec, SlideSpec,
};

/// What the specimen lies on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Support {
    /// The overhanging ring alone; the nodes of its inner rim are held, its slope there is free (the paper's).
    Ring,
    /// The ring, held as between two discs: two rows of nodes on either side of the rim are held.
    Clamped,
    /// The whole specimen on a body, held within half the support's radius, with contact at the rim.
    Disc {
        /// Coulomb friction coefficient; the static solver knows none.
        friction: f64,
        /// Rounding of the rim (m).
        rounding: f64,
    },
}

/// How a specimen is cut into faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meshing {
    /// Rows of cells around the support.
    Cells(PatternSpec),
    /// Irregular triangles.
    Irregular,
    /// Squares along warp and weft, over the support too, cut off at the rim.
    Squares,
}

/// The test's geometry and how it is carried out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// Radius of the specimen (m): 0.15, or 0.12 for limp and 0.18 for stiff cloth.
    pub specimen_radius: f64,
    /// Radius of the support (m).
    pub support_radius: f64,
    /// What it lies on.
    pub support: Support,
    /// How many nodes the mesh should have.
    pub nodes: u32,
    /// How the ring is cut into faces; a whole specimen on a body is meshed irregularly.
    pub meshing: Meshing,
    /// How it comes to rest.
    pub rest: Rest,
    /// A fold counts if its crest stands out from its troughs by this share of the overhang.
    pub prominence: f64,
}

impl Default for Setup {
    fn default() -> Self {
        Setup {
            specimen_radius: 0.15,
            support_radius: 0.09,
            support: Support::Ring,
            nodes: 768,
            meshing: Meshing::Cells(PatternSpec::Quads),
            rest: Rest::default(),
            prominence: 0.05,
        }
    }
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Drape {
    /// Drape coefficient, from 0 to 1.
    pub coefficient: f64,
    /// The folds of the outline.
    pub folds: Folds,
    /// How far the outline reaches (m) in 720 directions, from the x axis on.
    pub outline: Vec<f64>,
    /// Nodes of the mesh.
    pub nodes: usize,
    /// Mass per area (kg/m²).
    pub density: f64,
    /// How it came to rest.
    pub settled: Settled,
    /// The specimen's scene.
    pub world: World,
    setup: Setup,
}

/// The same drape on two meshes.
#[derive(Clone, Debug)]
pub struct Refined {
    /// On the mesh that was asked for.
    pub coarse: Drape,
    /// On one of half its width.
    pub fine: Drape,
}

impl Refined {
    /// The coefficient that is left of an error in proportion to the width of the mesh: limp cloth on coarse meshes is stiffer than it should be, because
    /// faces cannot bend, and this is how the error is found to shrink.
    pub fn extrapolated(&self) -> f64 {
        let [coarse, fine] =
            [&self.coarse, &self.fine].map(|d| (d.coefficient, 1.0 / (d.nodes as f64).sqrt()));
        fine.0 + (fine.0 - coarse.0) * fine.1 / (coarse.1 - fine.1)
    }
}

/// Level lines of the area's quadrature.
const LINES: usize = 3000;
/// Directions of the outline.
const DIRECTIONS: usize = 720;

impl Setup {
    /// Drapes a specimen.
    pub fn run(&self, specimen: &Specimen) -> Result<Drape, TextileError> {
        self.check()?;
        let world = self.world(specimen)?;
        let settled = self.rest.settle(&world, &world.state)?;
        let outline = self.outline(&world, &settled.state);
        let overhang = self.specimen_radius - self.support_radius;
        Ok(Drape {
            coefficient: self.coefficient(&world, &settled.state),
            folds: folds(&self.smoothed(&world, &outline), self.prominence * overhang),
            outline,
            nodes: world.model.node_count(),
            density: world.model.cloths[0].density,
            settled,
            world,
            setup: *self,
        })
    }

    /// Drapes a specimen on this mesh and on one with four times as many nodes.
    pub fn run_refined(&self, specimen: &Specimen) -> Result<Refined, TextileError> {
        let finer = Setup {
            nodes: self.nodes.saturating_mul(4),
            ..*self
        };
        Ok(Refined {
            coarse: self.run(specimen)?,
            fine: finer.run(specimen)?,
        })
    }

    fn check(&self) -> Result<(), TextileError> {
        let metres = "it must lie between 0.01 and 1 m (is it in millimetres?)";
        within(
            "the specimen's radius",
            self.specimen_radius,
            [0.01, 1.0],
            metres,
        )?;
        within(
            "the support's radius",
            self.support_radius,
            [0.005, 0.95 * self.specimen_radius],
            "it must be smaller than the specimen's (is it in millimetres?)",
        )?;
        let nodes = "a drape test needs between 60 and 100000 nodes";
        within(
            "the number of nodes",
            f64::from(self.nodes),
            [60.0, 1e5],
            nodes,
        )
    }

    /// Cells around and across the ring, about as wide as high.
    fn cells(&self) -> [u32; 2] {
        let [inner, outer] = [self.support_radius, self.specimen_radius];
        let nodes = f64::from(self.nodes);
        let (around, across) = (PI * (inner + outer), outer - inner);
        // nodes = (around / a) (across / a + 1) for cells of side a.
        let side =
            (around + (around * around + 4.0 * nodes * around * across).sqrt()) / (2.0 * nodes);
        let rows = (across / side).round().max(2.0);
        [(nodes / (rows + 1.0)).round() as u32, rows as u32]
    }

    fn world(&self, specimen: &Specimen) -> Result<World, TextileError> {
        match self.support {
            Support::Ring | Support::Clamped => self.ring(specimen),
            Support::Disc { friction, rounding } => self.whole(specimen, friction, rounding),
        }
    }

    fn ring(&self, specimen: &Specimen) -> Result<World, TextileError> {
        let [around, mut across] = self.cells();
        let mut inner_radius = self.support_radius;
        let mut held = around;
        if self.support == Support::Clamped {
            // The rim lies in the middle of the innermost cells, which cannot bend.
            let side = (self.specimen_radius - inner_radius) / (f64::from(across) + 0.5);
            inner_radius -= 0.5 * side;
            across += 1;
            held *= 2;
        }
        let pattern = match self.meshing {
            Meshing::Cells(pattern) => pattern,
            Meshing::Irregular => return self.irregular_ring(specimen, inner_radius, around),
            Meshing::Squares => return self.squares(specimen),
        };
        let last = around * (across + 1);
        let mut cloth = specimen.cloth(MeshSpec::Ring {
            inner_radius,
            outer_radius: self.specimen_radius,
            cells: [around, across],
            pattern: specimen.pattern(pattern),
        });
        cloth
            .pin
            .push(hold(SelectSpec::Nodes((last - held..last).collect())));
        world_of(cloth, |_| {})
    }

    /// A ring of irregular triangles with so many nodes around its hole. The clamped rim holds what is as near to it as the hole is.
    fn irregular_ring(
        &self,
        specimen: &Specimen,
        inner_radius: f64,
        around: u32,
    ) -> Result<World, TextileError> {
        let circle = |radius: f64, count: u32| -> Vec<[f64; 2]> {
            let corner = |k: u32| TAU * f64::from(k) / f64::from(count);
            (0..count)
                .map(|k| (radius * DVec2::from_angle(corner(k))).to_array())
                .collect()
        };
        let grown = f64::from(around) * self.specimen_radius / inner_radius;
        let mut cloth = specimen.cloth(MeshSpec::Polygon {
            outline: circle(self.specimen_radius, grown.round() as u32),
            holes: vec![circle(inner_radius, around)],
            nodes: self.nodes,
            seed: self.rest.seed,
        });
        // A little more, for the rounding of the rim's own nodes.
        let radius = (1.0 + 1e-6) * (2.0 * self.support_radius - inner_radius);
        let center = [0.0; 3];
        cloth.pin.push(hold(SelectSpec::Ball { center, radius }));
        world_of(cloth, |_| {})
    }

    /// A disc of squares, held over the support. As with rows of cells, a clamped one is held to half a cell beyond it on the mean: what is
    /// held ends between nothing and a cell short of the radius that holds, depending on the direction.
    fn squares(&self, specimen: &Specimen) -> Result<World, TextileError> {
        let [inner, outer] = [self.support_radius, self.specimen_radius];
        let share = (outer * outer - inner * inner) / (outer * outer);
        let nodes = f64::from(self.nodes) / share;
        let mut cloth = specimen.cloth(MeshSpec::Disc {
            radius: outer,
            nodes: nodes.round() as u32,
            pattern: DiscPatternSpec::Squares,
            seed: self.rest.seed,
        });
        let side = (PI / nodes).sqrt() * outer;
        let radius = match self.support {
            Support::Clamped => inner + side,
            _ => inner + 0.5 * side,
        };
        let center = [0.0; 3];
        cloth.pin.push(hold(SelectSpec::Ball { center, radius }));
        world_of(cloth, |_| {})
    }

    fn whole(
        &self,
        specimen: &Specimen,
        friction: f64,
        rounding: f64,
    ) -> Result<World, TextileError> {
        let mut cloth = specimen.cloth(MeshSpec::Disc {
            radius: self.specimen_radius,
            nodes: self.nodes,
            pattern: DiscPatternSpec::Irregular,
            seed: self.rest.seed,
        });
        let gap = 0.5 * specimen.thickness + 1e-4;
        cloth.place.at = [0.0, 0.0, gap];
        let center = [0.0, 0.0, gap];
        let radius = 0.5 * self.support_radius;
        cloth.pin.push(hold(SelectSpec::Ball { center, radius }));
        let table = BodySpec {
            shape: ShapeSpec::Disc {
                radius: self.support_radius,
                thickness: 2.0 * rounding,
            },
            place: PlaceSpec::default(),
            motion: MotionSpec::Fixed,
            friction: FrictionSpec::Same(friction),
            sticky: Vec::new(),
            color: None,
        };
        world_of(cloth, |scene| {
            scene.body = BTreeMap::from([("support".to_owned(), table)]);
            scene.drape.barrier = 2e-4;
        })
    }

    /// The support as seen from above: the polygon of the held rim, or a circle.
    fn support_outline(&self, world: &World) -> Vec<DVec2> {
        let count = match self.support {
            _ if !matches!(self.meshing, Meshing::Cells(_)) => 2 * DIRECTIONS,
            Support::Ring => world.model.pins[0].nodes.len(),
            Support::Clamped => world.model.pins[0].nodes.len() / 2,
            Support::Disc { .. } => 2 * DIRECTIONS,
        };
        let corner = |k: usize| {
            let angle = TAU * k as f64 / count as f64;
            self.support_radius * DVec2::from_angle(angle)
        };
        (0..count).map(corner).collect()
    }

    /// The drape coefficient of a state.
    fn coefficient(&self, world: &World, state: &State) -> f64 {
        let support = self.support_outline(world);
        let support: Vec<[DVec2; 3]> = (0..support.len())
            .map(|k| [DVec2::ZERO, support[k], support[(k + 1) % support.len()]])
            .collect();
        let covered = |positions: &[DVec3]| {
            let mut triangles = draw::from_above(world, positions);
            triangles.extend(&support);
            union_area(&triangles, LINES)
        };
        let support_area: f64 = support.iter().map(|t| 0.5 * t[1].perp_dot(t[2])).sum();
        let flat = covered(&world.state.positions);
        (covered(&state.positions) - support_area) / (flat - support_area)
    }

    /// The outline without the zigzag from node to node that a mean metric does not see: no fold is as short as two cells.
    fn smoothed(&self, world: &World, outline: &[f64]) -> Vec<f64> {
        let loops = world.model.cloths[0].topology.boundary_loops.iter();
        let rim = loops.map(Vec::len).max().unwrap_or(1).max(1);
        smooth(outline, 2 * outline.len() / rim)
    }

    fn outline(&self, world: &World, state: &State) -> Vec<f64> {
        let edges = &world.cloth_tracks[0].edges;
        let place = |node: u32| state.positions[node as usize].truncate();
        let edges: Vec<[DVec2; 2]> = edges.iter().map(|e| e.map(place)).collect();
        reach(&edges, self.support_radius, DIRECTIONS)
    }
}

fn hold(select: SelectSpec) -> PinSpec {
    PinSpec {
        select,
        motion: MotionSpec::Fixed,
        slide: SlideSpec::Fixed,
        held: Vec::new(),
    }
}

impl Drape {
    /// The drape profile: outline, support and flat specimen from above.
    pub fn profile(&self) -> Image {
        let Setup {
            specimen_radius,
            support_radius,
            ..
        } = self.setup;
        let label = format!(
            "DC {:.1} %, {} folds, {} nodes",
            100.0 * self.coefficient,
            self.folds.crests.len(),
            self.nodes
        );
        let triangles = draw::from_above(&self.world, &self.settled.state.positions);
        let circles = [support_radius, specimen_radius];
        draw::profile(&triangles, &self.outline, circles, &label)
    }

    /// The draped specimen from the side.
    pub fn picture(&self) -> Image {
        let top = matches!(self.setup.support, Support::Ring | Support::Clamped);
        let disc = top.then_some(self.setup.support_radius);
        draw::perspective(&self.world, &self.settled.state, disc)
    }

    /// `r(φ)`: direction (degrees) and reach (m).
    pub fn curve(&self) -> Vec<[f64; 2]> {
        let step = 360.0 / self.outline.len() as f64;
        let radii = self.outline.iter().enumerate();
        radii.map(|(k, r)| [k as f64 * step, *r]).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use toile_scene::spec::{BendingSpec, ModelSpec};

    #[test]
    fn a_flat_specimen_has_a_coefficient_of_one_and_a_bell_what_its_shadow_says() {
        for support in [
            Support::Ring,
            Support::Clamped,
            Support::Disc {
                friction: 0.3,
                rounding: 2e-3,
            },
        ] {
            let setup = Setup {
                support,
                nodes: 500,
                ..Setup::default()
            };
            let world = setup.world(&Specimen::default()).unwrap();
            let flat = setup.coefficient(&world, &world.state);
            assert!((flat - 1.0).abs() < 1e-9, "{support:?}: {flat}");
            assert!(
                folds(&setup.outline(&world, &world.state), 1e-3)
                    .crests
                    .is_empty()
            );
            // Everything outside of 10 cm drawn in to 10 cm.
            let mut bell = world.state.clone();
            for x in &mut bell.positions {
                let out = x.truncate().clamp_length_max(0.1);
                *x = out.extend(x.truncate().length() - 0.15);
            }
            let exact = (0.1f64.powi(2) - 0.09f64.powi(2)) / (0.15f64.powi(2) - 0.09f64.powi(2));
            let shadow = setup.coefficient(&world, &bell);
            assert!(
                (shadow - exact).abs() < 0.01,
                "{support:?}: {shadow} {exact}"
            );
        }
    }

    #[test]
    fn rings_have_about_as_many_nodes_as_asked_and_square_cells() {
        for nodes in [250, 700, 768, 1300] {
            let setup = Setup {
                nodes,
                ..Setup::default()
            };
            let [around, across] = setup.cells();
            let got = around * (across + 1);
            assert!(got.abs_diff(nodes) < 10, "{nodes}: {got}");
            let ratio = (TAU * 0.12 / f64::from(around)) / (0.06 / f64::from(across));
            assert!((0.75..1.35).contains(&ratio), "{nodes}: {ratio}");
        }
    }

    #[test]
    fn stiff_cloth_hardly_drapes_and_soft_cloth_does() {
        let setup = Setup {
            nodes: 250,
            ..Setup::default()
        };
        let specimen = Specimen {
            model: ModelSpec::Isometric,
            bending: BendingSpec::Curvature,
            ..Specimen::default()
        };
        let soft = setup.run(&specimen.with_bend(5e-6)).unwrap();
        // Between two discs; a rim whose slope is free lets even a stiff ring sink, to 89 %.
        let clamped = Setup {
            support: Support::Clamped,
            ..setup
        };
        let stiff = clamped.run(&Specimen::default().with_bend(1e-3)).unwrap();
        assert!(stiff.coefficient > 0.9, "{}", stiff.coefficient);
        assert!(soft.coefficient < 0.35, "{}", soft.coefficient);
        assert!(stiff.folds.crests.len() < 3);
        assert!(soft.folds.crests.len() >= 3);
        assert!(soft.profile().width > 0 && soft.picture().width > 0);
    }

    #[test]
    fn millimetres_are_noticed() {
        let setup = Setup {
            specimen_radius: 150.0,
            ..Setup::default()
        };
        let error = setup.run(&Specimen::default()).unwrap_err().to_string();
        assert!(error.contains("millimetres"), "{error}");
    }
}
