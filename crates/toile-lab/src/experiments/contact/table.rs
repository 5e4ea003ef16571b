//! A sheet larger than its table hangs over the edge, alike on all sides.

use super::run::{Watch, carry_out_watched, world_of};
use crate::outcome::Measurement;
use crate::registry::{Experiment, Findings, LabError, Settings};
use glam::DVec3;
use toile::certificate::Energies;
use toile::state::State;
use toile_scene::scene::World;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "table-drape",
    title: "a sheet hangs over the edge of a square table",
    reproduces: "statics: the overhang hangs down alike at all four corners",
    about: "A square sheet lies on a square table and hangs over on all sides, where it meets itself at the corners. All four corners must hang down alike, and \
            the sides between them nearly by as much as the sheet is larger than the table. The folds of the corners need not lie the same way: a \
            sheet that starts exactly even falls out of balance sooner or later, so how much the sides differ is noted and not judged. After every step an exact test looks for faces that intersect; none may be found, and no \
            node may be in the table deeper than a millimetre.",
    parameters: &[
        ("sheet", "1 m × 1 m, 64×64 cells (short version: 20×20)"),
        ("table", "0.6 m × 0.6 m, 4 cm thick, friction 0.5"),
        ("steps, duration", "5 ms, 3 s (short version: 2 s)"),
    ],
    run,
};

/// How far the sheet reaches beyond the table (m).
const OVERHANG: f64 = 0.2;
const SIDE: f64 = 1.0;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let (cells, duration) = if settings.quick { (20, 2.0) } else { (64, 3.0) };
    let world = world_of("table-drape", scene(cells, duration))?;
    let mut last = Last(world.state.clone());
    let title = "A sheet hangs over the edge of a table";
    let course = carry_out_watched("table-drape", title, &world, &mut last, &mut findings)?;
    course.judge("table-drape", &mut findings);
    let hang = |place: [f64; 2]| {
        let [x, y] = place.map(|c| 0.5 * SIDE * c);
        let far = |p: &DVec3| (p.x - x).hypot(p.y - y);
        let starts = world.state.positions.iter().zip(&last.0.positions);
        let nearest = starts.min_by(|a, b| far(a.0).total_cmp(&far(b.0)));
        nearest.map_or(f64::NAN, |(from, to)| from.z - to.z)
    };
    let sides = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]].map(hang);
    let corners = [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]].map(hang);
    let mean = |list: [f64; 4]| list.iter().sum::<f64>() / 4.0;
    let spread = |list: [f64; 4]| {
        let largest = list.into_iter().fold(f64::MIN, f64::max);
        largest - list.into_iter().fold(f64::MAX, f64::min)
    };
    let energy = Energies::of(&world.model, &last.0).kinetic;
    findings.measurements.extend([
        // Corners stand out as folds and take the sides between them along, by less than a quarter.
        Measurement::new(
            "middle of the sides below the table top",
            "m",
            mean(sides),
            OVERHANG,
            0.25 * OVERHANG,
        ),
        Measurement::new(
            "the four corners differ by",
            "m",
            spread(corners),
            0.0,
            0.02,
        ),
    ]);
    findings.notes.push(format!(
        "corners hang {:.3} m below the table top; the four sides differ by {:.1} cm; energy of motion at the end {:.2} mJ",
        mean(corners),
        1e2 * spread(sides),
        1e3 * energy
    ));
    Ok(findings)
}

/// Remembers the last state.
struct Last(State);

impl Watch for Last {
    fn look(&mut self, _world: &World, state: &State) -> Option<Vec<DVec3>> {
        self.0.clone_from(state);
        None
    }
}

fn scene(cells: u32, duration: f64) -> String {
    let table = SIDE - 2.0 * OVERHANG;
    format!(
        "[contact]\ncloth = \"all\"\n[time]\nstep = 0.005\nduration = {duration:?}\n\
         [cloth.sheet]\nmesh.grid = {{ size = [{SIDE:?}, {SIDE:?}], cells = [{cells}, {cells}] }}\n\
         place = {{ at = [0, 0, 0.5011] }}\ndamping = 2\n\
         [body.table]\nshape.box = {{ size = [{table:?}, {table:?}, 0.04] }}\nplace = {{ at = [0, 0, 0.48] }}\n\
         friction = 0.5\ncolor = [0.45, 0.30, 0.20]\n\
         [body.floor]\nshape = \"plane\"\n"
    )
}
