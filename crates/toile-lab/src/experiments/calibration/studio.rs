//! Where recordings are made.

use crate::fit::{Fit, Method, Parameter, Prepared, Search, TargetSettings, Threads, prepare};
use crate::observation::{NodeRecording, Observation};
use crate::registry::LabError;
use glam::DVec3;
use std::f64::consts::TAU;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use toile::drive::{NodeTrajectory, PinPath};
use toile_scene::files::Disk;
use toile_scene::scene::{SceneSource, resolve};

/// Width and height of the hanging sheet (m): A3, upright.
const SIZE: [f64; 2] = [0.297, 0.42];
/// kg/m²
pub(super) const DENSITY: f64 = 0.15;
/// The paper's light cotton under the fast motion: `δ` as a share of the density, `α` (1/s).
pub(super) const WEIGHT: f64 = 0.52;
pub(super) const DAMPING: f64 = 2.69;
/// The fast motion (m, Hz).
const AMPLITUDE: f64 = 0.075;
const FREQUENCY: f64 = 0.6;
/// What may be left of the metric's equations: the paper's 0.1 %.
const TOLERANCE: f64 = 1e-3;
/// Frames a second of a depth camera.
const RATE: f64 = 30.0;

/// How a recording is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Take {
    /// Cells along the sides of the mesh that is recorded.
    pub cells: u32,
    /// s
    pub step: f64,
    /// When the hanger starts and stops, and when the recording ends (s).
    pub start: f64,
    pub stop: f64,
    pub end: f64,
}

impl Take {
    /// As in the paper.
    pub const FULL: Take = Take {
        cells: 24,
        step: 0.0025,
        start: 1.0,
        stop: 11.0,
        end: 14.0,
    };
    pub const SHORT: Take = Take {
        cells: 12,
        step: 0.005,
        start: 0.2,
        stop: 3.2,
        end: 4.0,
    };

    /// Where the hanger is from where it was (m).
    fn hanger(&self, time: f64) -> f64 {
        let turned = TAU * FREQUENCY * (time.clamp(self.start, self.stop) - self.start);
        AMPLITUDE * (turned.cos() - 1.0)
    }

    /// The second half, which tests.
    pub fn test(&self) -> [f64; 2] {
        [0.5 * self.end, self.end]
    }

    /// Makes the recording with elastic faces, every node at 30 frames a second.
    pub fn record(&self) -> Result<NodeRecording, LabError> {
        self.record_with(&self.scene("baraff-witkin"))
    }

    /// The sheet as it is recorded.
    pub fn scene(&self, model: &str) -> SceneSource {
        scene(model, [self.cells; 2], self.step, WEIGHT, DAMPING)
    }

    /// Makes a recording of any [`scene`] with as many cells.
    pub fn record_with(&self, source: &SceneSource) -> Result<NodeRecording, LabError> {
        let mut world = resolve(source, source.parse()?)?;
        let steps = (self.end / self.step).round() as usize;
        let times: Vec<f64> = (0..=steps).map(|n| n as f64 * self.step).collect();
        let start = world.state.positions.clone();
        world.change(|parts| {
            for pin in &mut parts.pins {
                let places = |t: &f64| {
                    let shift = self.hanger(*t) * DVec3::X;
                    pin.nodes
                        .iter()
                        .map(|&n| start[n as usize] + shift)
                        .collect()
                };
                let rows = times.iter().map(places).collect();
                let path = NodeTrajectory::new(times.clone(), rows, pin.nodes.len());
                pin.path = PinPath::Recorded(path.expect("times rise and places are finite"));
            }
        })?;
        let mut simulation = world.simulation();
        let (mut shown, mut frames) = (vec![0.0], vec![start]);
        for _ in 0..steps {
            let before = simulation.positions().to_vec();
            let from = simulation.time();
            simulation.step()?;
            let due = shown.len() as f64 / RATE;
            if due <= simulation.time() + 1e-9 {
                let share = (due - from) / self.step;
                let pairs = before.iter().zip(simulation.positions());
                frames.push(pairs.map(|(a, b)| a.lerp(*b, share)).collect());
                shown.push(due);
            }
        }
        let side = self.cells as usize + 1;
        let corners = [side * (side - 1), side * side - 1].map(|n| n as u64);
        let recording = NodeRecording::new(shown, frames)?;
        Ok(recording.with_grid([side, side])?.with_held(&corners)?)
    }
}

/// The sheet, hung by its two upper corners.
pub(super) fn scene(
    model: &str,
    cells: [u32; 2],
    step: f64,
    weight: f64,
    damping: f64,
) -> SceneSource {
    let limit = match model {
        "isometric" => format!("limit.isometric = {{ tolerance = {TOLERANCE:?} }}\n"),
        "quasi-inextensible" => format!("limit.lengths = {{ tolerance = {TOLERANCE:?} }}\n"),
        _ => String::new(),
    };
    let text = format!(
        "[time]\nduration = 1\nfps = 10\nstep = {step:?}\nintegrator = \"bdf2\"\nnewton_steps = 1\n\
         [contact]\ncloth = \"none\"\n[environment]\ngravity = [0, 0, -9.8]\n\
         [cloth.sheet]\nmesh.grid = {{ size = {SIZE:?}, cells = {cells:?} }}\n\
         place.rotate_degrees = [90, 0, 90]\nmodel = \"{model}\"\nbending = \"none\"\n{limit}\
         damping = {damping:?}\nvirtual_mass = {:?}\n\
         [[cloth.sheet.pin]]\nselect.corners = [2, 3]\n\
         [cloth.sheet.material]\ndensity = {DENSITY:?}\nshear_stiffness = 400\n",
        weight * DENSITY
    );
    SceneSource {
        name: "shaken sheet".into(),
        text,
        folder: Default::default(),
        overrides: Vec::new(),
    }
}

/// A search for virtual mass and damping, both from values that are far off.
pub(super) fn fitting<'a>(
    source: &'a SceneSource,
    recording: NodeRecording,
    take: &Take,
    budget: usize,
    stop: &'a AtomicBool,
) -> Result<Prepared<'a>, LabError> {
    fitting_also(&[], source, recording, take, budget, stop)
}

/// The same for other parameters, too.
pub(super) fn fitting_also<'a>(
    others: &[&str],
    source: &'a SceneSource,
    recording: NodeRecording,
    take: &Take,
    budget: usize,
    stop: &'a AtomicBool,
) -> Result<Prepared<'a>, LabError> {
    let mass = format!(
        "cloth.sheet.virtual_mass={}:{}",
        0.1 * DENSITY,
        1.5 * DENSITY
    );
    let bounds = [mass.as_str(), "cloth.sheet.damping=0:8"];
    let bounds = bounds.iter().chain(others);
    let parameters = bounds.map(|text| Parameter::parse(text, source));
    Ok(prepare(Fit {
        source,
        files: Arc::new(Disk),
        cloth: None,
        observation: Observation::Nodes(recording),
        target: TargetSettings::default(),
        parameters: parameters.collect::<Result<_, _>>()?,
        train: Some([0.0, 0.5 * take.end]),
        test: Some(take.test()),
        search: Search {
            method: Method::NelderMead,
            budget,
            restarts: 0,
            ..Search::default()
        },
        folder: None,
        force: false,
        resume: false,
        stop,
    })?)
}

/// Whoever simulates: all cores.
pub(super) fn threads(stop: &AtomicBool) -> Threads<'_> {
    Threads {
        jobs: crate::jobs::usual(),
        stop,
    }
}
