//! A sticky hand takes a sheet by the corner, carries it and lets it fall.

use super::run::{Watch, carry_out_watched, world_of};
use crate::outcome::Measurement;
use crate::registry::{Experiment, Findings, LabError, Settings};
use glam::DVec3;
use toile::contact::Anchor;
use toile::state::State;
use toile_scene::scene::World;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "sticking-hand",
    title: "a sticky hand takes a sheet by the corner and lets it fall",
    reproduces: "Bridson et al. 2003, section 6: dynamic sticking",
    about: "A hand comes down on the corner of a sheet. For a while its palm is sticky: it lifts the sheet, carries it and lets it fall. \
            The corner must follow the hand without slipping, be let go when the time is over, and the sheet must come to lie where it \
            was carried. In a second run the palm is too weak for the weight of the sheet. After every \
            step an exact test looks for faces that intersect; none may be found.",
    parameters: &[
        (
            "sheet",
            "0.4 m × 0.4 m of 0.15 kg/m², 64×64 cells (short version: 16×16)",
        ),
        ("hand", "10 cm × 10 cm, lifts by 0.5 m and carries by 0.5 m"),
        ("sticky", "from 0.3 to 1.6 s"),
        ("steps, duration", "5 ms, 2.4 s"),
    ],
    run,
};

/// When the palm begins and ends to be sticky (s).
const STICKY: [f64; 2] = [0.3, 1.6];
/// How far the hand carries the sheet (m).
const CARRIED: f64 = 0.5;
const DENSITY: f64 = 0.15;
const SIDE: f64 = 0.4;
/// Side of the part of the sheet that is below the palm (m).
const PALM: f64 = 0.07;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let cells = if settings.quick { 16 } else { 64 };
    // What each square metre of the palm's share must bear if all nodes bear alike.
    let weight = 9.81 * DENSITY * SIDE * SIDE / (PALM * PALM);
    for (label, strength, holds) in [
        ("sticking-hand", None, true),
        ("weak hand", Some(0.3 * weight), false),
    ] {
        let world = world_of("sticking-hand", scene(cells, strength))?;
        let mut grip = Grip::default();
        let title = "A sticky hand takes a sheet by the corner";
        let course = carry_out_watched("sticking-hand", title, &world, &mut grip, &mut findings)?;
        course.judge(label, &mut findings);
        let middle = |positions: &[DVec3]| positions.iter().sum::<DVec3>() / positions.len() as f64;
        let way = middle(&grip.last).x - middle(&world.state.positions).x;
        let lifted = grip.highest;
        if holds {
            findings.measurements.extend([
                Measurement::new(
                    format!("{label}: slip of stuck nodes"),
                    "m",
                    grip.slip,
                    0.0,
                    1e-9,
                ),
                Measurement::new(
                    format!("{label}: let go at"),
                    "s",
                    grip.let_go,
                    STICKY[1],
                    0.006,
                ),
                // It hangs by its corner when it is let go, and so lies below the hand, give or take its swing.
                Measurement::new(
                    format!("{label}: way of the corner that was held"),
                    "m",
                    grip.corner_way(&world),
                    CARRIED,
                    0.25,
                ),
                Measurement::new(
                    format!("{label}: corner was lifted to"),
                    "m",
                    lifted,
                    0.5,
                    0.01,
                ),
            ]);
        } else {
            findings.measurements.push(Measurement::new(
                format!("{label}: corner was lifted to"),
                "m",
                lifted,
                0.0,
                0.1,
            ));
        }
        findings.notes.push(format!(
            "{label}: at most {} nodes stuck, the first at {:.3} s; the middle of the sheet moved by {way:.3} m",
            grip.most, grip.caught
        ));
    }
    // The first run's are enough to look at.
    findings.pictures.truncate(1);
    findings.clips.truncate(1);
    Ok(findings)
}

/// What is seen of the nodes that stick.
#[derive(Default)]
struct Grip {
    most: usize,
    caught: f64,
    let_go: f64,
    slip: f64,
    highest: f64,
    last: Vec<DVec3>,
}

impl Grip {
    /// How far the sheet's first node has come (m).
    fn corner_way(&self, world: &World) -> f64 {
        self.last[0].x - world.state.positions[0].x
    }
}

impl Watch for Grip {
    fn look(&mut self, world: &World, state: &State) -> Option<Vec<DVec3>> {
        if !state.stuck.is_empty() {
            if self.most == 0 {
                self.caught = state.time;
            }
            self.most = self.most.max(state.stuck.len());
            self.let_go = state.time;
        }
        for stuck in &state.stuck {
            let hand = world.model.bodies[stuck.body as usize].pose(state.time);
            let place = hand.unapply(state.positions[stuck.node as usize]);
            if let Anchor::Frame(anchor) = stuck.anchor {
                self.slip = self.slip.max(place.distance(anchor));
            }
        }
        self.highest = self.highest.max(state.positions[0].z);
        self.last.clone_from(&state.positions);
        None
    }
}

fn scene(cells: u32, strength: Option<f64>) -> String {
    let strength = strength.map_or_else(String::new, |s| format!("strength = {s:?}\n"));
    let corner = -0.5 * SIDE;
    // The palm, 1 cm below the middle of the hand, stops at twice half the thickness above the table.
    format!(
        "[contact]\ncloth = \"all\"\n[time]\nstep = 0.005\nduration = 2.4\n\
         [cloth.sheet]\nmesh.grid = {{ size = [{SIDE:?}, {SIDE:?}], cells = [{cells}, {cells}] }}\n\
         place = {{ at = [0, 0, 0.001] }}\ndamping = 1\nmaterial.density = {DENSITY:?}\n\
         [body.floor]\nshape = \"plane\"\nfriction = 0.5\n\
         [body.hand]\nshape.box = {{ size = [0.1, 0.1, 0.02] }}\n\
         place = {{ at = [{:?}, {:?}, 0.1122] }}\ncolor = [0.85, 0.65, 0.50]\n\
         motion.keyframes = {{ interpolation = \"linear\", keys = [{{ time = 0.0 }}, {{ time = 0.25, displacement = [0, 0, -0.1] }}, \
         {{ time = 0.35, displacement = [0, 0, -0.1] }}, {{ time = 0.9, displacement = [0, 0, 0.4] }}, \
         {{ time = 1.5, displacement = [{CARRIED:?}, 0, 0.4] }}] }}\n\
         [[body.hand.sticky]]\nduring = [[{:?}, {:?}]]\nreach = 0.0005\n{strength}\
         region.box = {{ min = [-0.05, -0.05, -0.015], max = [0.05, 0.05, -0.005] }}\n",
        corner + PALM - 0.05,
        corner + PALM - 0.05,
        STICKY[0],
        STICKY[1],
    )
}
