//! One simulation with some parameters, held against the recording.

use super::place::laid_onto;
use super::target::{Sight, Target};
use super::{FitError, Parameter, Start};
use crate::measure::agreement::{Agreement, agreement};
use crate::measure::distance::from_cloud;
use glam::DVec3;
use std::sync::Arc;
use toile::drive::{NodeTrajectory, PinPath};
use toile::model::Model;
use toile::state::State;
use toile_scene::files::Files;
use toile_scene::scene::{SceneSource, World, resolve_from};
use toile_scene::spec::{PinSpec, SelectSpec};

/// Longest that a start may take to settle (s).
const SETTLING: f64 = 1.5;
/// What is left of the velocity in every second of settling.
const CALMED: f64 = 1e-4;

/// The scene, the recording and what is looked for.
#[derive(Debug)]
pub struct Trials<'a> {
    /// The scene.
    pub source: &'a SceneSource,
    /// Whoever has the files that it names.
    pub files: &'a Arc<dyn Files>,
    /// What is looked for.
    pub parameters: &'a [Parameter],
    /// The recording.
    pub target: &'a Target,
}

/// What a simulation showed at one recorded time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// When (s).
    pub time: f64,
    /// How far it was from the recording.
    pub agreement: Agreement,
}

/// A simulation beside the recording.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// Every recorded time after the start at which something was seen.
    pub moments: Vec<Moment>,
    /// Positions of all nodes at every recorded time from the start on, if asked for (m).
    pub frames: Vec<Vec<DVec3>>,
}

impl Course {
    fn within(&self, [from, to]: [f64; 2]) -> impl Iterator<Item = &Moment> {
        self.moments
            .iter()
            .filter(move |m| (from..=to).contains(&m.time))
    }

    /// Mean of the squared errors in a window of time (m²): what a fit makes small.
    pub fn loss(&self, window: [f64; 2]) -> f64 {
        mean(self.within(window).map(|m| m.agreement.error.powi(2)))
    }

    /// Mean of the errors in a window (m).
    pub fn mean_error(&self, window: [f64; 2]) -> f64 {
        mean(self.within(window).map(|m| m.agreement.error))
    }

    /// Largest dispersion in a window (m).
    pub fn dispersion(&self, window: [f64; 2]) -> f64 {
        let all = self.within(window).map(|m| m.agreement.dispersion);
        all.fold(f64::NAN, f64::max)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(n, s), v| (n + 1.0, s + v));
    sum / count
}

impl Trials<'_> {
    /// The scene with these values, its held nodes on the recording's tracks.
    pub fn world(&self, values: &[f64]) -> Result<World, FitError> {
        let mut source = self.source.clone();
        for (parameter, value) in self.parameters.iter().zip(values) {
            source.overrides.push(parameter.setting(*value));
        }
        let mut spec = source.parse()?;
        let target = self.target;
        let pinned = spec
            .cloth
            .values()
            .nth(target.cloth)
            .is_some_and(|c| !c.pin.is_empty());
        if !pinned && !target.driven.is_empty() {
            let nodes = target
                .driven
                .iter()
                .map(|(node, _)| node - target.first_node);
            let nodes = nodes.collect();
            if let Some(cloth) = spec.cloth.values_mut().nth(target.cloth) {
                cloth.pin.push(PinSpec {
                    select: SelectSpec::Nodes(nodes),
                    motion: Default::default(),
                    slide: Default::default(),
                    held: Vec::new(),
                });
            }
        }
        let mut world = resolve_from(self.files.clone(), &source, spec)?;
        let mut pins = world.model.pins.clone();
        for pin in &mut pins {
            let tracks = pin.nodes.iter().map(|n| {
                let driven = target.driven.iter().find(|(node, _)| node == n);
                driven.map(|(_, track)| track)
            });
            let Some(tracks) = tracks.collect::<Option<Vec<_>>>() else {
                continue;
            };
            let rows = (0..target.times.len()).map(|k| tracks.iter().map(|t| t[k]).collect());
            let path = NodeTrajectory::new(target.times.clone(), rows.collect(), pin.nodes.len());
            let path = path.map_err(|error| FitError::Track(error.to_string()))?;
            pin.path = PinPath::Recorded(path);
        }
        world.change(|parts| parts.pins = pins)?;
        self.place(&mut world)?;
        Ok(world)
    }

    /// Puts the cloth where the recording begins. A noisy first frame only says where the scene's own shape lies as a whole.
    fn place(&self, world: &mut World) -> Result<(), FitError> {
        let target = self.target;
        let (Sight::Nodes { places, seen }, true) = (&target.sight, target.start != Start::Scene)
        else {
            return Ok(());
        };
        let nodes = world.model.cloths[target.cloth].nodes.clone();
        if places[0].len() != nodes.len() {
            return Err(FitError::MeshChanged);
        }
        let cloth = &mut world.state.positions[nodes];
        match target.start {
            Start::Settled => {
                let laid = laid_onto(cloth, &places[0], |n| seen[0][n]);
                cloth.copy_from_slice(&laid);
            }
            _ => cloth.copy_from_slice(&places[0]),
        }
        for (node, track) in &target.driven {
            world.state.positions[*node as usize] = track[0];
        }
        Ok(())
    }

    /// Simulates up to a time (s) after the start of the recording.
    pub fn run(&self, values: &[f64], until: f64, keep: bool) -> Result<Course, FitError> {
        let world = self.world(values)?;
        let world = match self.target.start {
            Start::Settled => settled(world)?,
            Start::Recording | Start::Scene => world,
        };
        let mut simulation = world.simulation();
        let mut before = simulation.positions().to_vec();
        let mut course = Course::default();
        if keep {
            course.frames.push(before.clone());
        }
        let mut between = before.clone();
        let mut next = 1;
        let times = &self.target.times;
        while next < times.len() && times[next] <= until {
            before.copy_from_slice(simulation.positions());
            let from = simulation.time();
            simulation.step()?;
            let now = simulation.time();
            while next < times.len() && times[next] <= now + 1e-9 {
                let share = ((times[next] - from) / (now - from)).clamp(0.0, 1.0);
                let pairs = before.iter().zip(simulation.positions());
                for (place, (a, b)) in between.iter_mut().zip(pairs) {
                    *place = a.lerp(*b, share);
                }
                course
                    .moments
                    .extend(self.compare(&world.model, &between, next));
                if keep {
                    course.frames.push(between.clone());
                }
                next += 1;
            }
        }
        Ok(course)
    }

    fn compare(&self, model: &Model, positions: &[DVec3], frame: usize) -> Option<Moment> {
        let cloth = &model.cloths[self.target.cloth];
        let nodes = &positions[cloth.nodes.clone()];
        let agreement = match &self.target.sight {
            Sight::Nodes { places, seen } => {
                let masses = &model.masses[cloth.nodes.clone()];
                let seen = &seen[frame];
                agreement(masses, nodes, &places[frame], |n| seen[n])?
            }
            Sight::Clouds(clouds) => {
                let triangles = cloth.topology.faces.iter().flat_map(|f| f.triangles());
                let way = from_cloud(&clouds[frame], nodes, &triangles.collect::<Vec<_>>())?;
                let spread = (way.root_mean_square.powi(2) - way.mean.powi(2))
                    .max(0.0)
                    .sqrt();
                Agreement {
                    error: way.root_mean_square,
                    dispersion: way.root_mean_square + 2.0 * spread,
                    worst: way.largest,
                }
            }
        };
        Some(Moment {
            time: self.target.times[frame],
            agreement,
        })
    }
}

/// The same world with cloth that hangs at rest while held nodes stay where they begin: steps of dynamics from which velocity is
/// taken.
fn settled(mut world: World) -> Result<World, FitError> {
    let mut still = world.clone();
    // It hangs as the scene has it; stages begin with the recording.
    still.stages = Default::default();
    let start = &world.state.positions;
    still.change(|parts| {
        for pin in &mut parts.pins {
            let places = pin.nodes.iter().map(|&n| start[n as usize]);
            let rows = vec![places.collect::<Vec<_>>(); 2];
            if let Ok(path) = NodeTrajectory::new(vec![0.0, 1.0], rows, pin.nodes.len()) {
                pin.path = PinPath::Recorded(path);
            }
        }
    })?;
    let mut simulation = still.simulation();
    let kept = CALMED.powf(still.schedule.step);
    while simulation.time() < SETTLING {
        simulation.step()?;
        simulation.scale_velocities(kept);
    }
    // The recording starts now, with cloth at rest and nothing remembered.
    world.state = State::at_rest(&world.model, simulation.positions().to_vec());
    Ok(world)
}
