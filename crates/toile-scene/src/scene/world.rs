//! A scene ready to run.

use super::body::BodyFrame;
use super::recipe::SceneRecipe;
use super::{SceneError, SceneSource};
use crate::files::Files;
use crate::recording::{BodyTrack, ClothTrack};
use crate::spec::{CertifySpec, ExpectSpec, OutputSpec};
use glam::DVec3;
use std::fmt::Write;
use std::sync::Arc;
use toile::advance::StepControl;
use toile::equilibrium::EquilibriumSettings;
use toile::model::{Model, ModelParts};
use toile::simulation::{Pace, Simulation};
use toile::stage::Stage;
use toile::state::State;

/// Steps and frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Time step (s).
    pub step: f64,
    /// Steps per frame.
    pub substeps: u32,
    /// Frames after the first, which shows the start.
    pub frames: u64,
    /// Frames per second.
    pub fps: f64,
    /// How a step is cut into shorter ones.
    pub control: StepControl,
}

impl Schedule {
    /// Steps of the whole run.
    pub fn steps(&self) -> u64 {
        self.frames * u64::from(self.substeps)
    }
}

/// A scene ready to run.
#[derive(Clone, Debug)]
pub struct World {
    /// The scene's title.
    pub title: String,
    /// What stays.
    pub model: Arc<Model>,
    /// What moves.
    pub state: State,
    /// Whether that is where another run was, and not the scene's own start.
    pub is_branch: bool,
    /// Steps and frames.
    pub schedule: Schedule,
    /// What it goes through one after the other, if it is not all one.
    pub stages: Arc<[Stage]>,
    /// The cloths as recordings show them.
    pub cloth_tracks: Vec<ClothTrack>,
    /// Where each cloth's nodes are in its undeformed mesh (m): what two meshes of the same cloth have in common. A pattern in
    /// texture coordinates lies in the plane z = 0; if seams give nodes several places in it, this is the mesh as it was read.
    pub rest_positions: Vec<Vec<DVec3>>,
    /// The bodies as recordings show them.
    pub body_tracks: Vec<BodyTrack>,
    /// The bodies of the scene, as many as there are tracks; the model has one for each of their parts.
    pub body_frames: Vec<BodyFrame>,
    /// How to look for the equilibrium.
    pub drape: EquilibriumSettings,
    /// When to look for intersections.
    pub certify: CertifySpec,
    /// How far above bodies folds that reach into them are shown (m), if they are.
    pub preserve_folds: Option<f64>,
    /// What to write.
    pub output: OutputSpec,
    /// What must be true at the end.
    pub expect: ExpectSpec,
    /// What looks wrong though it can be simulated.
    pub warnings: Vec<String>,
    /// The scene with every default filled in, as TOML.
    pub resolved: String,
    /// What it was made from.
    pub source: SceneSource,
    /// Whoever has the files that it names.
    pub files: Arc<dyn Files>,
}

impl World {
    /// The scene at its start, ready to be stepped and commanded.
    pub fn simulation(&self) -> Simulation {
        self.simulation_from(self.state.clone())
    }

    /// The same from a state of this scene.
    pub fn simulation_from(&self, state: State) -> Simulation {
        let pace = Pace {
            step: self.schedule.step,
            control: self.schedule.control,
        };
        let recipe = SceneRecipe::new(self.source.clone(), self.files.clone(), self.model.clone());
        Simulation::new(self.model.clone(), state, pace)
            .with_recipe(Arc::new(recipe))
            .with_stages(self.stages.clone())
    }

    /// Changes parts of the model. The state stays as it is: nodes and pins must stay what they were.
    pub fn change(&mut self, change: impl FnOnce(&mut ModelParts)) -> Result<(), SceneError> {
        let made = self.model.rebuilt(change);
        let made = made.map_err(|error| self.source.error("", error.to_string()))?;
        self.model = Arc::new(made);
        Ok(())
    }

    /// Tells scenes apart that would move differently. What only concerns pictures, checks or the length of
    /// the run does not count, so that a run can be resumed with another camera or for longer.
    pub fn fingerprint(&self) -> u64 {
        let mut moving = crc32fast::Hasher::new();
        let schedule = (
            self.schedule.step,
            self.schedule.substeps,
            self.schedule.fps,
            self.schedule.control,
        );
        let model = &self.model;
        // The debug text of a number is exact, and it saves a second way of serialising every type.
        let _ = write!(
            HashText(&mut moving),
            "{schedule:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            model.limits,
            model.gravity,
            model.integrator,
            model.pins,
            model.bodies,
            model.contacts,
            model.body_contact,
            self.preserve_folds,
            (&model.passes, model.untangles),
            model
                .cloths
                .iter()
                .map(|c| [c.friction, c.compression])
                .collect::<Vec<_>>(),
            self.stages
        );
        let mut still = crc32fast::Hasher::new();
        let _ = write!(
            HashText(&mut still),
            "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            self.state.positions,
            self.state.velocities,
            model.masses,
            model.air_damping,
            model.gravity_factors,
            model.contact_offsets,
            model.energies
        );
        u64::from(moving.finalize()) << 32 | u64::from(still.finalize())
    }
}

struct HashText<'a>(&'a mut crc32fast::Hasher);

impl std::fmt::Write for HashText<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}
