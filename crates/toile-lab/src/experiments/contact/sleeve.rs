//! A wrinkled sleeve, half of it inside the arm as modelled garments are, on an arm that moves: its folds shown outside.

use super::run::{Watch, carry_out_watched, world_of};
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Experiment, Findings, LabError, Settings};
use glam::DVec3;
use std::f64::consts::TAU;
use toile::contact::FoldPreserver;
use toile::state::State;
use toile_scene::scene::World;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "wrinkle-preserve",
    title: "folds of a sleeve that reach into the arm are shown outside of it",
    reproduces: "Bridson et al. 2003, section 5.3: a monotone map instead of a projection",
    about: "A wrinkled sleeve starts with half of its folds inside the arm, as modelled garments do, and the arm swings. Contact relaxes slowly, so that the folds live on. \
            To show them, nodes that are too deep can be put on the surface, which cuts the folds off, or all nodes near the arm are moved by a map that \
            keeps their order. Judged is what is left of the differences in height among the nodes that are too deep, over all frames. \
            After every step an exact test looks for faces that intersect, in the state and in what is shown; none may be found, and nothing that is shown may be inside the arm.",
    parameters: &[
        (
            "sleeve",
            "radius 6 cm at rest, 30 cm long, 96×48 cells (short version: 48×16), six folds of ±8 mm",
        ),
        (
            "arm",
            "a capsule through the middle of the folds; swings by ±0.3 rad at 1 Hz",
        ),
        ("relaxation time, room for folds", "2 s, 25 mm"),
        ("steps, duration", "5 ms, 1 s"),
    ],
    run,
};

const REST_RADIUS: f64 = 0.06;
const FOLDS: f64 = 6.0;
const AMPLITUDE: f64 = 8e-3;
/// Half the thickness of the cloth (m).
const OFFSET: f64 = 1e-3;
const ROOM: f64 = 0.025;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let cells = if settings.quick { [48, 16] } else { [96, 48] };
    let middle = middle_radius();
    let mut world = world_of("wrinkle-preserve", scene(cells, middle - OFFSET))?;
    for p in &mut world.state.positions {
        let angle = p.z.atan2(p.y);
        let radius = middle + AMPLITUDE * (FOLDS * angle).cos();
        (p.z, p.y) = (radius * angle.sin(), radius * angle.cos());
    }
    let mut shower = Shower {
        preserver: FoldPreserver::new(&world.model, ROOM),
        projected: Kept::default(),
        mapped: Kept::default(),
        lowest: f64::INFINITY,
        profiles: Vec::new(),
    };
    let title = "A wrinkled sleeve on an arm that swings";
    let name = "wrinkle-preserve";
    let course = carry_out_watched(name, title, &world, &mut shower, &mut findings)?;
    let none =
        |what: &str, count: usize| Measurement::new(what.to_owned(), "", count as f64, 0.0, 0.0);
    let share = |what: &str, kept: &Kept| (what.to_owned(), kept.share());
    let (projected, mapped) = (
        share("put on the surface", &shower.projected),
        share("mapped", &shower.mapped),
    );
    findings.measurements.extend([
        none(
            "intersections after any step, in the state or as shown",
            course.intersections,
        ),
        none("collisions left", course.contact.missed),
        Measurement::new(
            format!(
                "differences of height kept among deep nodes, {}",
                projected.0
            ),
            "",
            projected.1,
            0.0,
            1e-9,
        ),
        Measurement::new(
            format!("differences of height kept among deep nodes, {}", mapped.0),
            "",
            mapped.1,
            0.85,
            0.15,
        ),
        Measurement::new(
            "nodes shown nearer to the arm than half the thickness, by",
            "m",
            (OFFSET - shower.lowest).max(0.0),
            0.0,
            1e-7,
        ),
    ]);
    findings.notes.push(format!(
        "deepest node {:.1} mm in the arm, {} nodes too deep on average",
        1e3 * course.depth,
        shower.mapped.nodes / course.steps as usize
    ));
    let mut plot = Plot::new(
        "Around the middle of the sleeve at the end".to_owned(),
        Axis::linear("angle (rad)"),
        Axis::linear("distance from the arm (mm)"),
    );
    for (label, profile) in ["state", "put on the surface", "mapped"]
        .into_iter()
        .zip(shower.profiles)
    {
        plot = plot.curve(label, profile);
    }
    findings.pictures.push(("profile", plot.draw(SIZE)));
    Ok(findings)
}

/// Sums over nodes that are too deep.
#[derive(Default)]
struct Kept {
    nodes: usize,
    /// Squares of deviations from the mean distance, in the state and as shown (m²).
    squares: [f64; 2],
}

impl Kept {
    fn add(&mut self, pairs: &[[f64; 2]]) {
        self.nodes += pairs.len();
        for k in 0..2 {
            let mean = pairs.iter().map(|p| p[k]).sum::<f64>() / pairs.len().max(1) as f64;
            self.squares[k] += pairs.iter().map(|p| (p[k] - mean).powi(2)).sum::<f64>();
        }
    }

    /// Standard deviation as shown over that in the state.
    fn share(&self) -> f64 {
        (self.squares[1] / self.squares[0]).sqrt()
    }
}

struct Shower {
    preserver: FoldPreserver,
    projected: Kept,
    mapped: Kept,
    lowest: f64,
    /// Distances around the middle in the state, put on the surface, and mapped.
    profiles: Vec<Vec<[f64; 2]>>,
}

impl Watch for Shower {
    fn look(&mut self, world: &World, state: &State) -> Option<Vec<DVec3>> {
        let arm = &world.model.bodies[0];
        let distance = |p: &DVec3| arm.sample(*p, state.time).distance;
        let shown = self.preserver.show(&world.model, state).to_vec();
        let before: Vec<f64> = state.positions.iter().map(distance).collect();
        let after: Vec<f64> = shown.iter().map(distance).collect();
        self.lowest = after.iter().copied().fold(self.lowest, f64::min);
        let deep = before.iter().zip(&after).filter(|(b, _)| **b < OFFSET);
        let mapped: Vec<[f64; 2]> = deep.map(|(b, a)| [*b, *a]).collect();
        let projected: Vec<[f64; 2]> = mapped.iter().map(|[b, _]| [*b, b.max(OFFSET)]).collect();
        self.mapped.add(&mapped);
        self.projected.add(&projected);
        let start = &world.state.positions;
        let ring = start
            .iter()
            .map(|p| p.x.abs())
            .fold(f64::INFINITY, f64::min);
        let mut around: Vec<(f64, usize)> = (0..start.len())
            .filter(|&n| start[n].x.abs() < ring + 1e-6 && start[n].x >= 0.0)
            .map(|n| ((start[n].z.atan2(start[n].y)).rem_euclid(TAU), n))
            .collect();
        around.sort_by(|a, b| a.0.total_cmp(&b.0));
        let profile = |value: &dyn Fn(usize) -> f64| {
            let points = around.iter().map(|&(angle, n)| [angle, 1e3 * value(n)]);
            points.collect::<Vec<_>>()
        };
        self.profiles = vec![
            profile(&|n| before[n]),
            profile(&|n| before[n].max(OFFSET)),
            profile(&|n| after[n]),
        ];
        Some(shown)
    }
}

/// The mean radius with which the folded ring `r + b cos nθ` is as long as the sleeve at rest (m), by bisection.
fn middle_radius() -> f64 {
    let length = |radius: f64| {
        const PIECES: u32 = 2000;
        let piece = |k: u32| {
            let angle = FOLDS * TAU * f64::from(k) / f64::from(PIECES);
            let r = radius + AMPLITUDE * angle.cos();
            r.hypot(FOLDS * AMPLITUDE * angle.sin()) * TAU / f64::from(PIECES)
        };
        (0..PIECES).map(piece).sum::<f64>()
    };
    let (mut low, mut high) = (0.5 * REST_RADIUS, REST_RADIUS);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if length(middle) < TAU * REST_RADIUS {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

fn scene([around, along]: [u32; 2], arm: f64) -> String {
    format!(
        "[contact]\ncloth = \"all\"\nrelaxation = 2\npreserve_folds = {ROOM:?}\n\
         [time]\nstep = 0.005\nduration = 1\n\
         [cloth.sleeve]\nmesh.tube = {{ radius = {REST_RADIUS:?}, height = 0.3, cells = [{around}, {along}] }}\n\
         place = {{ rotate_degrees = [0, 90, 0] }}\ndamping = 1\n\
         [body.arm]\nshape.capsule = {{ radius = {arm:?}, length = 0.5 }}\nplace = {{ rotate_degrees = [0, 90, 0] }}\n\
         motion.sinusoid = {{ angular = [0, 0.3, 0], frequency = 1 }}\nfriction = 0.5\n"
    )
}
