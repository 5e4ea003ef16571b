//! What the user writes: the scene file's types, with their defaults and their documentation.
//!
//! The law of this room: nothing of the engine leaks in here. Fields are what a person would say about a
//! scene, in SI units; the doc comments become the descriptions of the JSON schema. Alternatives are written
//! as a table with one key (`mesh.grid = { … }`, `motion.velocity = { … }`).

mod air;
mod body;
mod cloth;
mod contact;
mod drape;
mod limit;
mod material;
mod mesh;
mod motion;
mod seam;
mod stage;

pub use air::{AirSpec, GustSpec};
pub use body::{BodySpec, FilesSpec, FrictionSpec, PartSpec, RegionSpec, ShapeSpec, StickySpec};
pub use cloth::{
    AdhereSpec, ClothSpec, DragSpec, NoiseSpec, PinSpec, SelectSpec, SlideSpec, StickyClothSpec,
};
pub use contact::{CertifySpec, ClothContactSpec, ContactSpec, StartSpec};
pub use drape::DrapeSpec;
pub use limit::{
    AreaMatrixSpec, AreaSpec, EquationSolverSpec, InequalitySolverSpec, InequalitySpec,
    IsometricSpec, LimitSpec, ProjectionSpec, StrainSpec, StretchSpec, SweepSpec,
};
pub use material::{
    BendingSpec, CurvesSpec, FoldLawSpec, FoldRestSpec, FoldSpec, HessianSpec, MaterialSpec,
    ModelSpec, TableSpec, WarpSpec,
};
pub use mesh::{DiscPatternSpec, MeshSpec, PatternSpec, RestSpec, SpherePatternSpec};
pub use motion::{InterpolationSpec, KeySpec, MotionSpec, PlaceSpec};
pub use seam::{SeamEdgeSpec, SeamSpec};
pub use stage::{SettingSpec, StageSpec, UntilSpec};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A cloth scene. All quantities are SI: metres, kilograms, seconds, newtons. `z` points up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneSpec {
    /// What the scene shows; the title of its report.
    #[serde(default)]
    pub title: String,
    /// How long and in which steps to simulate.
    #[serde(default)]
    pub time: TimeSpec,
    /// What surrounds the cloth.
    #[serde(default)]
    pub environment: EnvironmentSpec,
    /// The cloths, by name.
    #[serde(default)]
    pub cloth: BTreeMap<String, ClothSpec>,
    /// The bodies that cloth collides with, by name.
    #[serde(default)]
    pub body: BTreeMap<String, BodySpec>,
    /// Edges of cloth that are sewn together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seam: Vec<SeamSpec>,
    /// Parts of the run, one after the other, in which some settings are not those of the scene.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stage: Vec<StageSpec>,
    /// Contact between cloths.
    #[serde(default)]
    pub contact: ContactSpec,
    /// How `toile drape` looks for the equilibrium.
    #[serde(default)]
    pub drape: DrapeSpec,
    /// What to write.
    #[serde(default)]
    pub output: OutputSpec,
    /// What must be true at the end; a run that misses it says so and fails.
    #[serde(default)]
    pub expect: ExpectSpec,
}

/// Time and its steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TimeSpec {
    /// Simulated time (s).
    pub duration: f64,
    /// Frames per second of simulated time.
    pub fps: f64,
    /// Time step (s); must divide the time of a frame. Give this or `substeps`, not both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Steps per frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub substeps: Option<u32>,
    /// How time is advanced.
    pub integrator: IntegratorSpec,
    /// Newton steps of an implicit step at the most; 1 is the classic semi-implicit step. 12 if not given, and as many as limits and
    /// contacts need where they are met in one solve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newton_steps: Option<u32>,
    /// Newton steps stop when the residual has fallen to this part of the forces.
    pub newton_tolerance: f64,
    /// An implicit or mixed step's linear solve stops when its residual has fallen to this part of the forces.
    pub tolerance: f64,
    /// Iterations of the linear solver at the most.
    pub max_iterations: u32,
    /// How an implicit step's linear systems are solved.
    pub solver: SolverSpec,
    /// How an implicit step meets limits and contacts.
    pub constraints: ConstraintsSpec,
    /// How a step is cut into shorter ones.
    pub control: ControlSpec,
}

impl Default for TimeSpec {
    fn default() -> Self {
        TimeSpec {
            duration: 2.0,
            fps: 25.0,
            step: None,
            substeps: None,
            integrator: IntegratorSpec::BackwardEuler,
            newton_steps: None,
            newton_tolerance: 1e-2,
            tolerance: 1e-3,
            max_iterations: 500,
            solver: SolverSpec::Auto,
            constraints: ConstraintsSpec::Auto,
            control: ControlSpec::Fixed,
        }
    }
}

/// How an implicit step meets limits and contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConstraintsSpec {
    /// In one solve where cloth with a limit may touch something, if it knows of everything in the scene; otherwise in phases.
    /// Areas, limits that are swept over or name a solver of their own, cloth that sticks to cloth, contact that relaxes, and starts
    /// that may be tangled are met in phases.
    Auto,
    /// One after another: first the energies with some contacts, then limits, then bodies, then other cloth.
    Phases,
    /// All of them in one minimisation with the energies, so that cloth at its limits stays there where it touches something.
    Unified,
}

/// How linear systems are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SolverSpec {
    /// What is fastest as a rule.
    Auto,
    /// Conjugate gradients with incomplete Cholesky sweeps and a coarse space.
    IncompleteCholesky,
    /// Conjugate gradients with the diagonal blocks.
    BlockJacobi,
    /// Sparse Cholesky factorisation.
    Direct,
}

/// How time is advanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntegratorSpec {
    /// Implicit, first order; stable for any step, eats motion at large ones.
    BackwardEuler,
    /// Implicit, second order; stable for any step, keeps motion much better.
    Bdf2,
    /// Explicit; keeps momentum exactly, stable only for small steps.
    SymplecticEuler,
    /// Elastic forces explicit, damping implicit (Bridson 2003, first scheme); second order. Overshoots with strong damping.
    MixedA,
    /// The same in the other order (central Newmark); second order. For steps of one length.
    MixedB,
    /// The same with two solves; second order, does not overshoot: the one to choose.
    MixedC,
    /// Limits and contact in the middle of the step (Jin and others 2017); first order. For cloth that its limits hold together.
    MixedLimited,
}

/// How a step is cut into shorter ones. Whatever is chosen here, a step that diverges is taken back and halved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ControlSpec {
    /// Not at all.
    #[default]
    Fixed,
    /// Into steps below this share of the longest stable one; for `symplectic-euler` and the mixed integrators.
    Cfl(f64),
    /// Into steps whose estimated error is small enough.
    Adaptive {
        /// Largest error that one step may add to the position of a node (m).
        #[serde(default = "default_step_tolerance")]
        tolerance: f64,
        /// No step is made shorter than this (s).
        #[serde(default = "default_smallest_step")]
        smallest: f64,
    },
}

fn default_step_tolerance() -> f64 {
    1e-4
}

fn default_smallest_step() -> f64 {
    1e-5
}

/// What surrounds the cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EnvironmentSpec {
    /// Acceleration of gravity (m/s²).
    pub gravity: [f64; 3],
    /// Air that drags on the cloth and may blow; without this there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub air: Option<AirSpec>,
}

impl Default for EnvironmentSpec {
    fn default() -> Self {
        EnvironmentSpec {
            gravity: [0.0, 0.0, -9.81],
            air: None,
        }
    }
}

/// What to write besides frames and metrics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputSpec {
    /// Wall time between checkpoints (s): the most that a killed run loses. 0 writes one every frame.
    pub checkpoint_interval: f64,
    /// Keep a checkpoint every so many seconds of simulated time, in `checkpoints`, from which other runs can branch off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_checkpoints: Option<f64>,
    /// Write the nodes' velocities into every frame; frames are then nearly twice as large.
    pub velocities: bool,
    /// Write `preview.png` and `preview-animated.png` at the end.
    pub preview: bool,
    /// Write `report.html` at the end.
    pub report: bool,
    /// The camera of the previews.
    pub camera: CameraSpec,
}

impl Default for OutputSpec {
    fn default() -> Self {
        OutputSpec {
            checkpoint_interval: 5.0,
            keep_checkpoints: None,
            velocities: false,
            preview: true,
            report: true,
            camera: CameraSpec::default(),
        }
    }
}

/// From where pictures are taken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CameraSpec {
    /// Direction in the ground plane (degrees): 0 looks from +x, 90 from +y, −90 from −y.
    pub azimuth: f64,
    /// Height above the horizon (degrees).
    pub elevation: f64,
    /// 1 fits the whole motion into the picture; 2 is twice as near.
    pub zoom: f64,
}

impl Default for CameraSpec {
    fn default() -> Self {
        CameraSpec {
            azimuth: -60.0,
            elevation: 20.0,
            zoom: 1.0,
        }
    }
}

/// What must be true at the end of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExpectSpec {
    /// No edge was ever stretched by more than this (0.05 is 5 %).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_below: Option<f64>,
    /// The gap between cloth and bodies never fell below this (m).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_above: Option<f64>,
    /// Cloths that meet never intersected, as far as `contact.certify` looked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_intersections: bool,
    /// The lowest node ends between these heights (m).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowest_between: Option<[f64; 2]>,
    /// The highest node ends between these heights (m).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highest_between: Option<[f64; 2]>,
    /// No node is faster than this at the end (m/s).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed_below: Option<f64>,
}

/// The JSON schema of scene files, for editors.
pub fn json_schema() -> String {
    let schema = schemars::schema_for!(SceneSpec);
    serde_json::to_string_pretty(&schema).expect("a schema is plain JSON")
}
