//! The sheet, the robot's motions, and what is recorded of a run.

use crate::clip::{Clip, ClipRecorder};
use crate::measure::area::area as face_area;
use crate::measure::strain::strains;
use crate::paper_scene;
use crate::registry::LabError;
use glam::DVec3;
use std::f64::consts::TAU;
use std::time::Instant;
use toile::drive::{NodeTrajectory, PinPath};
use toile::mesh::Topology;
use toile::model::Model;
use toile::state::State;
use toile_scene::scene::World;

/// Width and height of the hanging sheet (m): A3, upright.
pub(super) const SIZE: [f64; 2] = [0.297, 0.42];
/// kg/m². The paper has ρ = 1, which says nothing as long as all forces are in proportion to the mass.
const DENSITY: f64 = 0.15;

/// What the hanger does with the two upper corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SheetMotion {
    /// `A cos(2πft)` along x (m, Hz), equation 23 of the paper.
    Shake { amplitude: f64, frequency: f64 },
    /// The corners come nearer to each other by this share of the width.
    Close(f64),
}

pub(super) const SLOW: SheetMotion = SheetMotion::Shake {
    amplitude: 0.15,
    frequency: 0.3,
};
pub(super) const FAST: SheetMotion = SheetMotion::Shake {
    amplitude: 0.075,
    frequency: 0.6,
};

/// How fine and how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    /// Cells along each side.
    pub cells: u32,
    /// When the hanger starts and stops, and when the recording ends (s).
    pub start: f64,
    pub stop: f64,
    pub end: f64,
    /// From when on the swing is measured (s).
    pub window: f64,
}

impl Stage {
    /// That of the paper; the window is the one that it tests in.
    pub const FULL: Stage = Stage {
        cells: 8,
        start: 1.0,
        stop: 11.0,
        end: 14.0,
        window: 7.0,
    };
    /// The first swings.
    pub const SHORT: Stage = Stage {
        cells: 6,
        start: 0.0,
        stop: 10.0,
        end: 2.5,
        window: 0.8,
    };
}

/// A run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recipe {
    pub stage: Stage,
    pub motion: SheetMotion,
    pub model: &'static str,
    pub integrator: &'static str,
    /// s
    pub step: f64,
    /// `α` (1/s).
    pub damping: f64,
    /// `δ/ρ`: what the air leaves of the weight.
    pub weight: f64,
    /// Violation of a limit's equations that may be left.
    pub tolerance: f64,
    /// `None` for the default of the model (N/m).
    pub hourglass: Option<f64>,
    /// Bending rigidity (N·m).
    pub bend: f64,
}

impl Recipe {
    fn limit(&self) -> String {
        let tolerance = self.tolerance;
        match self.model {
            "isometric" => format!("limit.isometric = {{ tolerance = {tolerance:?} }}"),
            "quasi-inextensible" => format!("limit.lengths = {{ tolerance = {tolerance:?} }}"),
            _ => String::new(),
        }
    }

    pub fn world(&self) -> Result<World, LabError> {
        let n = self.stage.cells;
        let stiffness = self
            .hourglass
            .map(|k| format!("hourglass_stiffness = {k:?}"));
        let corners = [n * (n + 1), (n + 1) * (n + 1) - 1];
        let text = format!(
            "[time]\nduration = {:?}\nfps = 10\nintegrator = \"{}\"\n\
             [environment]\ngravity = [0, 0, -9.8]\n\
             [cloth.sheet]\nmesh.grid = {{ size = {SIZE:?}, cells = [{n}, {n}] }}\n\
             place.rotate_degrees = [90, 0, 90]\nmodel = \"{}\"\n{}\ndamping = {:?}\nvirtual_mass = {:?}\n\
             [[cloth.sheet.pin]]\nselect.nodes = {corners:?}\n\
             [cloth.sheet.material]\ndensity = {DENSITY:?}\nbend = {:?}\nbend_damping = 0\n{}\n",
            self.stage.end,
            self.integrator,
            self.model,
            self.limit(),
            self.damping,
            self.weight * DENSITY,
            self.bend,
            stiffness.unwrap_or_default(),
        );
        let mut world = paper_scene::world("robot-cloth", &text)?;
        if let SheetMotion::Close(_) = self.motion {
            // So that it does not hang on rounding to which side the sheet gives way.
            bow(&mut world.state.positions, 0.005);
        }
        let path = self.path(&world);
        world.change(|parts| parts.pins[0].path = PinPath::Recorded(path))?;
        Ok(world)
    }

    /// A world for pictures of states with so many cells.
    pub fn world_of(&self, stage: Stage) -> Result<World, LabError> {
        Recipe { stage, ..*self }.world()
    }

    /// Where the hanger is from where it was (m).
    fn hanger(&self, time: f64) -> f64 {
        let Stage { start, stop, .. } = self.stage;
        match self.motion {
            SheetMotion::Shake {
                amplitude,
                frequency,
            } => {
                let turned = TAU * frequency * (time.clamp(start, stop) - start);
                amplitude * (turned.cos() - 1.0)
            }
            SheetMotion::Close(_) => 0.0,
        }
    }

    /// The corners' places at the end of every step.
    fn path(&self, world: &World) -> NodeTrajectory {
        let Stage { start, stop, .. } = self.stage;
        let nodes = &world.model.pins[0].nodes;
        let place = |time: f64, node: u32| {
            let at = world.state.positions[node as usize];
            let nearer = match self.motion {
                SheetMotion::Close(share) => {
                    share * ((time - start) / (stop - start)).clamp(0.0, 1.0)
                }
                SheetMotion::Shake { .. } => 0.0,
            };
            at + DVec3::new(self.hanger(time), -nearer * at.y, 0.0)
        };
        let times: Vec<f64> = (0..=self.steps()).map(|n| self.time(n)).collect();
        let rows = times.iter();
        let rows = rows.map(|&t| nodes.iter().map(|&n| place(t, n)).collect());
        NodeTrajectory::new(times.clone(), rows.collect(), nodes.len())
            .expect("times rise and places are finite")
    }

    fn steps(&self) -> u32 {
        (self.stage.end / self.step).round() as u32
    }

    fn time(&self, step: u32) -> f64 {
        f64::from(step) * self.step
    }

    /// Carries it out.
    pub fn run(&self) -> Result<Course, LabError> {
        let world = self.world()?;
        let model = &world.model;
        let mut simulation = world.simulation();
        let mut course = Course::default();
        let topology = &model.cloths[0].topology;
        let first_area = area(topology, simulation.positions());
        let row = self.stage.cells as usize + 1;
        let below = |state: &State| {
            let edge = &state.positions[..row];
            edge.iter().map(|p| p.x).sum::<f64>() / row as f64
        };
        let at_rest = below(simulation.state());
        let mut recorder = ClipRecorder::new(&world, 20.0);
        recorder.record(simulation.state());
        for n in 1..=self.steps() {
            let begin = Instant::now();
            let report = simulation.step_by(self.step)?.report;
            course.wall += begin.elapsed().as_secs_f64();
            let (time, state) = (self.time(n), simulation.state());
            if let Some(limit) = report.certificate.limit {
                course.iterations += f64::from(limit.iterations) / f64::from(self.steps());
                course.missed += u32::from(!limit.converged);
            }
            recorder.record(state);
            let swing = below(state) - at_rest - self.hanger(time);
            course.swing.push([time, swing]);
            let off = (area(topology, &state.positions) / first_area - 1.0).abs();
            course.area_error.push([time, off]);
            course.strain.push([time, worst_strain(model, state)]);
            if course.widest.is_none() || swing.abs() > course.peak() {
                course.widest = Some((swing.abs(), state.clone()));
            }
        }
        course.last = Some(simulation.state().clone());
        course.clip = Some(recorder.finish("shaken", ""));
        Ok(course)
    }
}

/// What a run showed, step by step: time (s) and value.
#[derive(Debug, Default)]
pub(super) struct Course {
    /// Mean iterations of the limit in a step.
    pub iterations: f64,
    /// Steps in which it missed its tolerance.
    pub missed: u32,
    /// How far the free edge is from below the hanger, along the motion (m): the mean of its nodes.
    pub swing: Vec<[f64; 2]>,
    /// `|A/A₀ − 1|`, equation 19.
    pub area_error: Vec<[f64; 2]>,
    /// Worst relative change of an edge's length, longer or shorter.
    pub strain: Vec<[f64; 2]>,
    /// Wall time of the steps (s).
    pub wall: f64,
    pub widest: Option<(f64, State)>,
    pub last: Option<State>,
    pub clip: Option<Clip>,
}

impl Course {
    fn peak(&self) -> f64 {
        self.widest.as_ref().map_or(0.0, |(swing, _)| *swing)
    }

    /// The swing (m): half of the way that the free edge goes to and fro below the hanger from a time (s) on.
    pub fn swing_from(&self, time: f64) -> f64 {
        let late = self.swing.iter().filter(|p| p[0] >= time);
        let [low, high] = late.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| {
            [low.min(p[1]), high.max(p[1])]
        });
        0.5 * (high - low)
    }
}

/// The largest absolute value of a curve.
pub(super) fn largest(curve: &[[f64; 2]]) -> f64 {
    curve.iter().map(|p| p[1].abs()).fold(0.0, f64::max)
}

/// Lays a flat sheet as wide as [`SIZE`] onto a cylinder, so that its sides come nearer to each other by a share of its width and no length changes.
fn bow(positions: &mut [DVec3], share: f64) {
    // Half the angle of the arc: sin φ / φ = 1 − share, by Newton's method from φ² = 6 share.
    let mut half = (6.0 * share).sqrt();
    for _ in 0..20 {
        let error = half.sin() - (1.0 - share) * half;
        half -= error / (half.cos() - (1.0 - share));
    }
    let radius = 0.5 * SIZE[0] / half;
    for x in positions {
        let angle = x.y / radius;
        x.y = radius * angle.sin();
        x.x += radius * (angle.cos() - half.cos());
    }
}

/// Area of all faces (m²).
fn area(topology: &Topology, x: &[DVec3]) -> f64 {
    topology.faces.iter().map(|face| face_area(face, x)).sum()
}

fn worst_strain(model: &Model, state: &State) -> f64 {
    let cloth = &model.cloths[0];
    let edges = cloth.topology.edges.iter().map(|e| e.nodes);
    let all = strains(edges, &cloth.rest.edge_lengths, &state.positions);
    all.map(f64::abs).fold(0.0, f64::max)
}
