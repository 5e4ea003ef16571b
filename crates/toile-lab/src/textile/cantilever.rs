//! The cantilever test (ASTM D1388, BS 3356; Peirce 1930): how far a strip must reach out over an edge until it sinks to 41.5°.
//!
//! A strip 2.5 cm wide is pushed over an edge until the straight line from the edge to its tip falls by 41.5°. Peirce calls half of
//! that overhang `L` the bending length `c` and takes the rigidity to be `G = ρ g c³`. (His formula for other angles,
//! `c = L (cos ½θ / 8 tan θ)^⅓`, gives 0.509 L here.)
//!
//! The strip really is a heavy elastica, `B θ'' = −ρ g (L − s) cos θ`. Seen from its free end, with `φ = π/2 − θ` and lengths in units
//! of `(B/ρg)^⅓`, it is `φ'' = u sin φ`, `φ'(0) = 0`: one family of curves, told apart by `φ(0)`, each of which is followed until it is
//! level. That gives the chord's angle for every overhang, and so the exact [`LOAD`] `ρ g L³ / B` at 41.5°.
//!
//! The clamp holds two rows of nodes and lies in the middle between them; the overhang counts from there.

use super::draw;
use super::rest::{Rest, Settled};
use super::specimen::{Specimen, world_of};
use super::{TextileError, within};
use glam::DVec3;
use std::f64::consts::{FRAC_PI_2, PI};
use toile_render::Image;
use toile_scene::scene::World;
use toile_scene::spec::{MeshSpec, MotionSpec, PatternSpec, PinSpec, SelectSpec, SlideSpec};

/// The angle of the standard (degrees).
pub const ANGLE: f64 = 41.5;
/// `ρ g L³ / B` of a heavy elastica whose chord falls by 41.5°. Peirce's `c = L/2` takes it to be 8: he chose his angle well.
pub const LOAD: f64 = 8.0042;
const GRAVITY: f64 = 9.81;

/// The test's geometry and how it is carried out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// Width of the strip (m).
    pub width: f64,
    /// The angle to which the chord must fall (degrees).
    pub angle: f64,
    /// Cells along the overhang and across the strip.
    pub cells: [u32; 2],
    /// How they are cut into faces.
    pub pattern: PatternSpec,
    /// How it comes to rest.
    pub rest: Rest,
    /// The overhang is found when the chord's angle is this near (degrees).
    pub tolerance: f64,
}

impl Default for Setup {
    fn default() -> Self {
        Setup {
            width: 0.025,
            angle: ANGLE,
            cells: [40, 4],
            pattern: PatternSpec::Quads,
            rest: Rest {
                tolerance: 1e-6,
                noise: 0.0,
                ..Rest::default()
            },
            tolerance: 0.02,
        }
    }
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Bending {
    /// Overhang `L` (m).
    pub overhang: f64,
    /// Angle of the chord there (degrees).
    pub angle: f64,
    /// Peirce's bending length `c = L/2` (m).
    pub bending_length: f64,
    /// Peirce's rigidity `ρ g c³` (N·m).
    pub rigidity: f64,
    /// What the heavy elastica of this overhang and angle has for a rigidity (N·m).
    pub exact_rigidity: f64,
    /// Mass per area (kg/m²).
    pub density: f64,
    /// Overhangs that were tried.
    pub trials: u32,
    /// How it came to rest.
    pub settled: Settled,
    /// The strip's scene.
    pub world: World,
}

/// Overhangs beyond these (m) are no cloth's.
const RANGE: [f64; 2] = [2e-3, 2.0];
const TRIALS: u32 = 25;
/// Cells along an overhang where springs resist bending: their stiffness goes with the fourth power of how fine they are.
const COARSE: u32 = 12;

impl Setup {
    /// Finds the overhang of a specimen.
    ///
    /// Each trial says what rigidity an elastica of this overhang and angle would have; the next overhang is what that rigidity
    /// asks for. If the strip were an elastica the second trial would be the last. Strips that are none are closed in on from
    /// both sides.
    pub fn run(&self, specimen: &Specimen) -> Result<Bending, TextileError> {
        let must = "it must lie between 1 and 85 degrees";
        within("the angle of the chord", self.angle, [1.0, 85.0], must)?;
        let must = "it must lie between 1 mm and 1 m (is it in millimetres?)";
        within("the width of the strip", self.width, [1e-3, 1.0], must)?;
        let target = length_at(self.angle);
        let mut search = Search::default();
        let mut overhang = 0.05;
        for trials in 1..=TRIALS {
            let (world, settled) = self.hang(specimen, overhang)?;
            let angle = self.chord(specimen, &world, &settled);
            let density = world.model.cloths[0].density;
            // A strip that does not sink at all says only that it wants to be longer.
            let length = length_at(angle.clamp(0.5, 88.0));
            search.learn(overhang, angle, self.angle);
            let jump = search.jump();
            // Cloth with a limit trembles a little; the angle can be no better known than that.
            let is_found = jump.is_some_and(|[before, after]| after - before < SNAP);
            if is_found || (angle - self.angle).abs() <= self.tolerance {
                let weight = density * GRAVITY;
                let bending_length = 0.5 * overhang;
                return Ok(Bending {
                    overhang,
                    angle,
                    bending_length,
                    rigidity: weight * bending_length.powi(3),
                    exact_rigidity: weight * (overhang / length).powi(3),
                    density,
                    trials,
                    settled,
                    world,
                });
            }
            if let Some([before, after]) = jump {
                return Err(TextileError::OutOfReach(format!(
                    "the strip has no rest at {}°: at an overhang of {:.2} cm it snaps from {:.1}° to {:.1}°, as springs do that buckle; \
                     choose bending = \"dihedral\" or another that has a rigidity",
                    self.angle,
                    100.0 * overhang,
                    before,
                    after
                )));
            }
            overhang = search.next(overhang * (target / length).clamp(0.25, 4.0));
            if !(RANGE[0]..=RANGE[1]).contains(&overhang) {
                break;
            }
        }
        Err(TextileError::OutOfReach(format!(
            "no overhang between {} and {} m makes the strip sink to {}° ({:.3} m was the last tried); is its bending rigidity \
             in N·m, and its density in kg/m²?",
            RANGE[0], RANGE[1], self.angle, overhang
        )))
    }

    /// Cells along the overhang and across the strip.
    fn cells_for(&self, specimen: &Specimen) -> [u32; 2] {
        let [along, across] = self.cells.map(|c| c.max(1));
        match specimen.bends_by_springs() {
            true => [along.min(COARSE), across],
            false => [along, across],
        }
    }

    /// The strip with this overhang, at rest.
    fn hang(&self, specimen: &Specimen, overhang: f64) -> Result<(World, Settled), TextileError> {
        let [along, across] = self.cells_for(specimen);
        let cell = overhang / (f64::from(along) - 0.5);
        let across = match specimen.needs_even_faces() {
            true => across.max((self.width / cell).round() as u32).min(along),
            false => across,
        };
        let mut cloth = specimen.cloth(MeshSpec::Grid {
            size: [cell * f64::from(along), self.width],
            cells: [along, across],
            pattern: specimen.pattern(self.pattern),
        });
        cloth.place.at = [0.5 * cell * f64::from(along) - 0.5 * cell, 0.0, 0.0];
        cloth.pin.push(PinSpec {
            select: SelectSpec::Box {
                min: [-9.0; 3],
                max: [0.6 * cell, 9.0, 9.0],
            },
            motion: MotionSpec::Fixed,
            slide: SlideSpec::Fixed,
            held: Vec::new(),
        });
        let world = world_of(cloth, |scene| {
            scene.environment.gravity = [0.0, 0.0, -GRAVITY];
        })?;
        let settled = self.rest.settle(&world, &world.state)?;
        Ok((world, settled))
    }

    /// How far the chord from the clamp to the middle of the free end falls (degrees).
    fn chord(&self, specimen: &Specimen, world: &World, settled: &Settled) -> f64 {
        let row = self.cells_for(specimen)[0] as usize + 1;
        let ends: Vec<DVec3> = settled
            .state
            .positions
            .iter()
            .skip(row - 1)
            .step_by(row)
            .copied()
            .collect();
        debug_assert_eq!(world.model.node_count() % row, 0);
        let tip = ends.iter().sum::<DVec3>() / ends.len() as f64;
        (-tip.z).atan2(tip.x).to_degrees()
    }
}

/// Overhangs (m) that are too short and too long, with the angles found there (degrees).
#[derive(Debug, Default)]
struct Search {
    short: Option<[f64; 2]>,
    long: Option<[f64; 2]>,
    /// Trials since both are known.
    trials: u32,
}

/// A step between neighbouring overhangs this near (their ratio) is a jump, not a slope.
const NEIGHBOURS: f64 = 1.0005;
/// If it is larger than this (degrees).
const SNAP: f64 = 1.0;

impl Search {
    fn learn(&mut self, overhang: f64, angle: f64, target: f64) {
        let side = match angle < target {
            true => &mut self.short,
            false => &mut self.long,
        };
        *side = Some([overhang, angle]);
        self.trials += u32::from(self.short.is_some() && self.long.is_some());
    }

    /// The angles on both sides of a jump, once it is closed in on.
    fn jump(&self) -> Option<[f64; 2]> {
        let ([short, before], [long, after]) = (self.short?, self.long?);
        (long / short < NEIGHBOURS).then_some([before, after])
    }

    /// What to try, given what an elastica would want: every other time the middle, for strips that are none.
    fn next(&self, wanted: f64) -> f64 {
        match (self.short, self.long) {
            (Some([short, _]), Some([long, _])) => {
                let inside = short < wanted && wanted < long;
                if inside && self.trials % 2 == 1 {
                    wanted
                } else {
                    (short * long).sqrt()
                }
            }
            _ => wanted,
        }
    }
}

impl Bending {
    /// The strip from the side.
    pub fn picture(&self) -> Image {
        draw::perspective(&self.world, &self.settled.state, None)
    }
}

/// Length of a heavy elastica in units of `(B/ρg)^⅓` whose chord falls by `angle` (degrees).
pub fn length_at(angle: f64) -> f64 {
    // The free end is steeper than the chord, so φ(0) lies below π/2 − angle.
    let (mut low, mut high) = (1e-12f64.ln(), (FRAC_PI_2 - 1e-9).ln());
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if march(middle.exp()).1 > angle {
            low = middle;
        } else {
            high = middle;
        }
    }
    march((0.5 * (low + high)).exp()).0
}

/// Chord's angle (degrees) of a heavy elastica with this `ρ g L³ / B`.
pub fn chord_at(load: f64) -> f64 {
    let (mut low, mut high) = (0.0, 89.9);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if length_at(middle).powi(3) < load {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Steps of the integration per unit of length.
const STEPS: f64 = 400.0;

/// Follows the curve with slope `φ(0) = start` from its free end until it is level: its length and the angle of its chord (degrees).
fn march(start: f64) -> (f64, f64) {
    let h = 1.0 / STEPS;
    let (mut u, mut phi, mut slope) = (0.0, start, 0.0);
    // What lies between the free end and here: across and down.
    let (mut across, mut down) = (0.0, 0.0);
    loop {
        let bend = |u: f64, phi: f64| u * phi.sin();
        let (k1, l1) = (slope, bend(u, phi));
        let (k2, l2) = (slope + 0.5 * h * l1, bend(u + 0.5 * h, phi + 0.5 * h * k1));
        let (k3, l3) = (slope + 0.5 * h * l2, bend(u + 0.5 * h, phi + 0.5 * h * k2));
        let (k4, l4) = (slope + h * l3, bend(u + h, phi + h * k3));
        let next = phi + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        let next_slope = slope + h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
        let share = if next > FRAC_PI_2 {
            (FRAC_PI_2 - phi) / (next - phi)
        } else {
            1.0
        };
        let middle = phi + 0.5 * share * (next - phi);
        across += share * h * middle.sin();
        down += share * h * middle.cos();
        u += share * h;
        if share < 1.0 || u > 100.0 || next > PI {
            return (u, down.atan2(across).to_degrees());
        }
        (phi, slope) = (next, next_slope);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::reference::HeavyElastica;
    use toile_scene::spec::{BendingSpec, ModelSpec};

    #[test]
    fn the_family_of_curves_is_the_heavy_elastica() {
        for angle in [5.0, 20.0, ANGLE, 70.0] {
            let load = length_at(angle).powi(3);
            let [x, z] = HeavyElastica::new(load).tip();
            let exact = (-z).atan2(x).to_degrees();
            assert!((exact - angle).abs() < 0.01, "{angle}: {exact}");
        }
        let load = length_at(ANGLE).powi(3);
        assert!((load - LOAD).abs() < 1e-3, "{load}");
        assert!((chord_at(LOAD) - ANGLE).abs() < 0.01);
        // A light strip is a beam: the tip sinks by Γ/8.
        assert!((length_at(1.0).powi(3) / 8.0 / 1f64.to_radians().tan() - 1.0).abs() < 1e-2);
    }

    #[test]
    fn what_goes_in_comes_out() {
        let mut specimen = Specimen::default().with_bend(1e-5);
        specimen.material.density = Some(0.15);
        for bending in [BendingSpec::Dihedral, BendingSpec::Curvature] {
            specimen.bending = bending;
            let found = Setup::default().run(&specimen).unwrap();
            let predicted = (LOAD * 1e-5 / (0.15 * GRAVITY)).cbrt();
            assert!((found.overhang / predicted - 1.0).abs() < 0.01, "{found:?}");
            assert!((found.exact_rigidity / 1e-5 - 1.0).abs() < 0.03);
            assert!((found.rigidity / 1e-5 - LOAD / 8.0).abs() < 0.03);
        }
    }

    #[test]
    fn warp_and_weft_differ_as_they_should() {
        let mut specimen = Specimen {
            model: ModelSpec::Kawabata,
            ..Specimen::default()
        };
        specimen.material.fabric = Some("cotton".into());
        let of = |degrees| Setup::default().run(&specimen.cut_at(degrees)).unwrap();
        let ratio = of(0.0).exact_rigidity / of(90.0).exact_rigidity;
        assert!((ratio / (0.070 / 0.045) - 1.0).abs() < 0.03, "{ratio}");
    }

    #[test]
    fn cloth_that_bends_by_springs_or_keeps_areas_has_an_overhang_too() {
        let overhang = |model| {
            let mut specimen = Specimen {
                model,
                ..Specimen::default().with_bend(1e-5)
            };
            specimen.material.density = Some(0.15);
            Setup::default().run(&specimen).unwrap().overhang
        };
        let elastica = (LOAD * 1e-5 / (0.15 * GRAVITY)).cbrt();
        // Springs resist in gentle bends what hinges do not, and the other way round; no two of these are the same cloth.
        for (model, at) in [
            (ModelSpec::MassSpring, 1.4),
            (ModelSpec::ChoiKo, 0.85),
            (ModelSpec::Area, 0.95),
        ] {
            let found = overhang(model) / elastica;
            assert!((found - at).abs() < 0.08, "{model:?}: {found}");
        }
    }

    #[test]
    fn an_overhang_that_snaps_is_told_from_one_that_is_found() {
        let angle = |overhang: f64| if overhang < 0.0432 { 17.0 } else { 63.0 };
        let (mut search, mut overhang) = (Search::default(), 0.05);
        for _ in 0..TRIALS {
            search.learn(overhang, angle(overhang), ANGLE);
            if let Some(jump) = search.jump() {
                assert_eq!(jump, [17.0, 63.0]);
                assert!((overhang / 0.0432 - 1.0).abs() < 1e-3);
                return;
            }
            let factor = if angle(overhang) < ANGLE { 1.3 } else { 0.8 };
            overhang = search.next(overhang * factor);
        }
        panic!("no jump was found");
    }

    #[test]
    fn cloth_without_rigidity_has_no_overhang() {
        let specimen = Specimen::default().with_bend(0.0);
        let setup = Setup {
            cells: [16, 2],
            ..Setup::default()
        };
        let error = setup.run(&specimen).unwrap_err().to_string();
        assert!(
            error.contains("overhang") || error.contains("rest"),
            "{error}"
        );
    }
}
