//! A patch sticks to a sheet that is shaken, and comes off when it is let go or too weak.

use super::run::{Watch, carry_out_watched, world_of};
use crate::outcome::Measurement;
use crate::registry::{Experiment, Findings, LabError, Settings};
use glam::DVec3;
use toile::state::State;
use toile_scene::scene::World;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "sticking-patch",
    title: "a patch sticks to a sheet that is shaken, until it is let go",
    reproduces: "Bridson et al. 2003, section 6: dynamic sticking of cloth to cloth",
    about: "A sheet hangs from a rail, with a patch of cloth before it that sticks where it touches. The rail swings; the patch must move with the sheet \
            without slipping, and fall when its time is over. On a rail at rest, where what starts without load pulls with twice its weight at first, and the rim with more than its share, it must stay with a strength of \
            five times its weight per area, and fall with 0.7 times. After every step an exact test looks for faces that intersect; none may be found.",
    parameters: &[
        (
            "sheet, patch",
            "0.5 m and 0.16 m wide, of 0.15 kg/m², 64 and 20 cells a side (short version: 16 and 5)",
        ),
        (
            "rail",
            "swings by 10 cm across the sheet, once a second; or is at rest",
        ),
        ("sticky", "from 0 to 1.5 s"),
        ("steps, duration", "5 ms, 2 s"),
    ],
    run,
};

/// When the patch is let go (s).
const LET_GO: f64 = 1.5;
/// How long it lasts (s).
const DURATION: f64 = 2.0;
const DENSITY: f64 = 0.15;
const PATCH: f64 = 0.16;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let cells = if settings.quick { [16, 5] } else { [64, 20] };
    let weight = 9.81 * DENSITY;
    let title = "A patch on a sheet that is shaken";
    for (label, swings, strength) in [
        ("shaken", true, None),
        ("strong enough", false, Some(5.0 * weight)),
        ("too weak", false, Some(0.7 * weight)),
    ] {
        let world = world_of("sticking-patch", scene(cells, swings, strength))?;
        let mut held = Held::default();
        let course = carry_out_watched("sticking-patch", title, &world, &mut held, &mut findings)?;
        course.judge(label, &mut findings);
        let mut measure = |what: &str, unit, found, expected, tolerance| {
            let name = format!("{label}: {what}");
            let measurement = Measurement::new(name, unit, found, expected, tolerance);
            findings.measurements.push(measurement);
        };
        let fall = |seconds: f64| 0.5 * 9.81 * seconds * seconds;
        let all = f64::from(cells[1] + 1).powi(2);
        let (stays, fallen) = match strength.is_none_or(|s| s > weight) {
            // Friction may hold it for some steps after it is let go, and the swing may throw it.
            true => (all, (fall(DURATION - LET_GO), 0.6)),
            false => (0.0, (fall(DURATION), 2.0)),
        };
        // Corners have a quarter of a node's area, and the rim bears more than its share: a few may come off.
        let few = 0.02 * all;
        measure(
            "nodes that stick at last",
            "",
            held.last_count as f64,
            stays,
            few,
        );
        measure("they slip by", "m", held.slip, 0.0, 1e-3);
        measure(
            "the patch has fallen by",
            "m",
            held.fallen(&world),
            fallen.0,
            fallen.1,
        );
        if held.last_count > 0 {
            findings.notes.push(format!(
                "{label}: at last the bonds pull with {:.2} times the weight of the patch in all",
                held.pull / (weight * PATCH * PATCH)
            ));
        }
    }
    // The first run's are enough to look at.
    findings.pictures.truncate(1);
    findings.clips.truncate(1);
    Ok(findings)
}

/// What is seen of the nodes that stick.
#[derive(Default)]
struct Held {
    slip: f64,
    /// In the last step before they are let go, and with how much in all (N).
    last_count: usize,
    pull: f64,
    last: Vec<DVec3>,
}

impl Held {
    /// How far the middle of the patch has come down (m).
    fn fallen(&self, world: &World) -> f64 {
        let patch = &world.model.cloths[0].nodes;
        let height = |positions: &[DVec3]| -> f64 {
            let all = positions[patch.clone()].iter().map(|p| p.z);
            all.sum::<f64>() / patch.len() as f64
        };
        height(&world.state.positions) - height(&self.last)
    }
}

impl Watch for Held {
    fn look(&mut self, _world: &World, state: &State) -> Option<Vec<DVec3>> {
        let held = || state.bonds.iter().filter(|b| !b.is_torn);
        if state.time < LET_GO {
            self.last_count = held().count();
            self.pull = held().map(|b| b.pull).sum();
        }
        for bond in held() {
            if let Some(place) = bond.place(&state.positions) {
                let off = place.distance(state.positions[bond.node as usize]);
                self.slip = self.slip.max(off);
            }
        }
        self.last.clone_from(&state.positions);
        None
    }
}

fn scene([sheet, patch]: [u32; 2], swings: bool, strength: Option<f64>) -> String {
    let strength = strength.map_or_else(String::new, |s| format!("strength = {s:?}\n"));
    let motion = match swings {
        true => {
            "motion.sinusoid = { amplitude = [0, 0.1, 0], frequency = 1.0, phase = 1.5707963267948966 }\n"
        }
        false => "",
    };
    // Upright, with the patch 0.2 mm beyond the thickness before the sheet.
    format!(
        "[contact]\ncloth = \"all\"\n[time]\nstep = 0.005\nduration = {DURATION:?}\n\
         [cloth.sheet]\nmesh.grid = {{ size = [0.5, 0.5], cells = [{sheet}, {sheet}] }}\n\
         place = {{ at = [0, 0, 1], rotate_degrees = [90, 0, 0] }}\ndamping = 0.5\nmaterial.density = {DENSITY:?}\n\
         [[cloth.sheet.pin]]\nselect.box = {{ min = [-1, -1, 1.2499], max = [1, 1, 2] }}\n{motion}\
         [[cloth.sheet.sticky]]\nduring = [[0.0, {LET_GO:?}]]\nreach = 0.0005\n{strength}\
         [cloth.patch]\nmesh.grid = {{ size = [{PATCH:?}, {PATCH:?}], cells = [{patch}, {patch}] }}\ncolor = [0.8, 0.3, 0.2]\n\
         place = {{ at = [0.011, -0.0022, 0.913], rotate_degrees = [90, 0, 0] }}\nmaterial.density = {DENSITY:?}\n"
    )
}
