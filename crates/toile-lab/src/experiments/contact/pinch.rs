//! Two fingers take a sheet: it does not creep out of them, and slides through weak ones as Newton says.

use super::run::{Watch, carry_out_watched, world_of};
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Experiment, Findings, LabError, Settings};
use glam::DVec3;
use toile::certificate::momentum;
use toile::state::State;
use toile_scene::scene::World;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "pinch-lift",
    title: "two fingers lift a sheet that does not creep",
    reproduces: "statics and dynamics of friction: 2 μ p A holds, and below the weight a = g − 2 μ p A / m",
    about: "A napkin lies on a table with one edge over the brink. Two fingers close on the edge, lift the napkin and hold it. Where it is held it \
            must stay to the end. Then strips of cloth hang between fingers that press with known forces. If friction bears more than the weight, \
            a strip stays; if less, it slides down with a known acceleration.",
    parameters: &[
        (
            "napkin",
            "0.3 m × 0.3 m of 0.2 kg/m², 2 mm thick, 60×60 cells (short version: 20×20), cloth meets cloth",
        ),
        (
            "fingers",
            "3 cm × 3 cm, friction 0.5, leave 1.2 mm; close in 0.3 s, lift by 0.4 m until 1.3 s",
        ),
        ("steps, duration", "5 ms, 10 s (short version: 2 s)"),
        (
            "strip",
            "0.1 m × 0.2 m, friction 0.4, held by its upper 6 cm",
        ),
        ("friction over weight", "0 to 2"),
        (
            "steps, duration of a strip",
            "1 ms; acceleration from 20 to 50 ms, when all of it slides",
        ),
    ],
    run,
};

const GRAVITY: f64 = 9.81;
/// A sheet that is held moves less than this (m).
const HELD: f64 = 1e-3;
/// When the fingers have closed (s).
const CLOSED: f64 = 0.3;
const LIFT: f64 = 0.4;
/// How far the edge of the napkin is from the middle of the table (m), and where the fingers are.
const EDGE: f64 = 0.2;
const FINGER: f64 = 0.03;
/// The upper finger's number: bodies are in the order of their names.
const UPPER: usize = 2;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let (cells, duration) = if settings.quick {
        (20, 2.0)
    } else {
        (60, 10.0)
    };
    let world = world_of("pinch-lift", napkin(cells, duration))?;
    let mut grip = Grip::default();
    let title = "Two fingers lift a napkin by its edge";
    let course = carry_out_watched("pinch-lift", title, &world, &mut grip, &mut findings)?;
    course.judge("napkin", &mut findings);
    let seconds = duration - CLOSED;
    let slip = format!("napkin: slip in {seconds:.1} s");
    findings.measurements.extend([
        Measurement::new(slip, "m", grip.slip, 0.0, HELD),
        Measurement::new("napkin: edge was lifted by", "m", grip.lifted, LIFT, HELD),
    ]);
    let nodes = grip.nodes.len();
    let note = format!(
        "napkin: {nodes} nodes are between the fingers; each presses with {:.2} N at the end",
        grip.pressure(&world)?
    );
    findings.notes.push(note);
    strips(&mut findings)?;
    Ok(findings)
}

/// What is seen of the nodes between the fingers.
#[derive(Default)]
struct Grip {
    /// The node, and where it was in the finger's frame when they had closed (m).
    nodes: Vec<(usize, DVec3)>,
    slip: f64,
    lifted: f64,
    last: Option<State>,
}

impl Watch for Grip {
    fn look(&mut self, world: &World, state: &State) -> Option<Vec<DVec3>> {
        let finger = world.model.bodies[UPPER].pose(state.time);
        let place = |i: usize| finger.unapply(state.positions[i]);
        if self.nodes.is_empty() && state.time > CLOSED - 1e-9 {
            let within = |p: DVec3| p.x.abs() < 0.5 * FINGER && p.y.abs() < 0.5 * FINGER;
            let nodes = (0..state.positions.len()).map(|i| (i, place(i)));
            self.nodes = nodes.filter(|(_, p)| within(*p)).collect();
        }
        for &(node, start) in &self.nodes {
            self.slip = self.slip.max(place(node).distance(start));
        }
        let heights = self.nodes.iter().map(|(i, _)| state.positions[*i].z);
        let count = self.nodes.len().max(1) as f64;
        let rest = world.state.positions[0].z;
        self.lifted = self.lifted.max(heights.sum::<f64>() / count - rest);
        self.last = Some(state.clone());
        None
    }
}

impl Grip {
    /// What a finger feels across the cloth in one more step (N).
    fn pressure(&self, world: &World) -> Result<f64, LabError> {
        let state = self.last.clone().unwrap_or_else(|| world.state.clone());
        let mut simulation = world.simulation_from(state);
        simulation.step()?;
        Ok(simulation.body_loads()[UPPER].force.z.abs())
    }
}

/// A napkin whose edge juts out from a table, between two fingers that close and rise.
fn napkin(cells: u32, duration: f64) -> String {
    let finger = |name: &str, side: f64| {
        // From 1 cm off the cloth to half of the 1.2 mm.
        let (open, shut) = (side * 0.016, side * 0.0056);
        let close = shut - open;
        format!(
            "[body.{name}]\nshape.box = {{ size = [{FINGER:?}, {FINGER:?}, 0.01] }}\nfriction = 0.5\ncolor = [0.85, 0.65, 0.50]\n\
             place = {{ at = [{:?}, 0, {:?}] }}\n\
             motion.keyframes = {{ interpolation = \"linear\", keys = [{{ time = 0.0 }}, {{ time = {CLOSED:?}, displacement = [0, 0, {close:?}] }}, \
             {{ time = 0.5, displacement = [0, 0, {close:?}] }}, {{ time = 1.3, displacement = [0, 0, {:?}] }}] }}\n",
            EDGE - 0.5 * FINGER,
            0.001 + open,
            close + LIFT,
        )
    };
    format!(
        "[contact]\ncloth = \"all\"\n[time]\nstep = 0.005\nduration = {duration:?}\n\
         [cloth.napkin]\nmesh.grid = {{ size = [0.3, 0.3], cells = [{cells}, {cells}] }}\n\
         place = {{ at = [{:?}, 0, 0.001] }}\ndamping = 1\nthickness = 0.002\nmaterial.density = 0.2\n\
         [body.table]\nshape.box = {{ size = [0.3, 0.5, 0.05] }}\nplace = {{ at = [0, 0, -0.025] }}\nfriction = 0.5\n{}{}\
         [output.camera]\nazimuth = 35.0\nelevation = 20.0\n",
        EDGE - 0.15,
        finger("lower", -1.0),
        finger("upper", 1.0),
    )
}

/// Strips between fingers of several strengths, beside what they should do.
fn strips(findings: &mut Findings) -> Result<(), LabError> {
    let across = Axis::linear("friction over weight");
    let mut plot = Plot::new(
        "A strip between two fingers",
        across,
        Axis::linear("acceleration (m/s²)"),
    );
    let (mut measured, mut predicted) = (Vec::new(), Vec::new());
    for strength in [0.0, 0.25, 0.5, 0.75, 0.95, 1.05, 2.0] {
        let acceleration = slide(strength)?;
        let expected = GRAVITY * f64::max(1.0 - strength, 0.0);
        let what = format!("strip: acceleration at friction of {strength} weights");
        let tolerance = 0.01 * GRAVITY;
        let verdict = Measurement::new(what, "m/s²", acceleration, expected, tolerance);
        findings.measurements.push(verdict);
        measured.push([strength, acceleration]);
        predicted.push([strength, expected]);
    }
    plot = plot.guide("Newton", predicted).curve("measured", measured);
    findings.pictures.push(("strip", plot.draw(SIZE)));
    Ok(())
}

/// How fast a strip gets faster (m/s²) if friction could bear so many times its weight.
fn slide(strength: f64) -> Result<f64, LabError> {
    // When all of it slides, and before a row of nodes leaves the fingers (s).
    const SPAN: [f64; 2] = [0.02, 0.05];
    const FRICTION: f64 = 0.4;
    // What the fingers leave of the thickness.
    const ROOM: f64 = 0.8;
    let scene = |compression: f64| {
        let finger = |name: &str, side: f64| {
            format!(
                "[body.{name}]\nshape.box = {{ size = [0.12, 0.02, 0.1] }}\nfriction = {FRICTION:?}\n\
                 place = {{ at = [0, {:?}, 0.082] }}\n",
                side * (0.01 + ROOM * 0.001)
            )
        };
        format!(
            "[time]\nstep = 0.001\nduration = 0.08\ntolerance = 1e-8\n\
             [cloth.strip]\nmesh.grid = {{ size = [0.1, 0.2], cells = [4, 8] }}\n\
             place = {{ rotate_degrees = [90, 0, 0] }}\nthickness = 0.002\ncompression = {compression:?}\n\
             {}{}",
            finger("left", -1.0),
            finger("right", 1.0),
        )
    };
    let plain = world_of("pinch-lift", scene(0.0))?;
    let held = |p: &DVec3| p.z > 0.032;
    let areas = plain.model.cloths[0].rest.node_areas.iter();
    let between = areas.zip(&plain.state.positions).filter(|(_, p)| held(p));
    let area: f64 = between.map(|(area, _)| area).sum();
    let weight = GRAVITY * plain.model.total_mass();
    let compression = strength * weight / (2.0 * FRICTION * (1.0 - ROOM) * area);
    let world = world_of("pinch-lift", scene(compression))?;
    let mut simulation = world.simulation();
    let h = world.schedule.step;
    let mut speeds = [0.0; 2];
    for n in 1..=(SPAN[1] / h).round() as u32 {
        simulation.step()?;
        let before = f64::from(n) * h < SPAN[0] + 0.5 * h;
        let fall = -momentum(&world.model, simulation.state()).0.z / plain.model.total_mass();
        speeds[usize::from(!before)] = fall;
    }
    Ok((speeds[1] - speeds[0]) / (SPAN[1] - SPAN[0]))
}
