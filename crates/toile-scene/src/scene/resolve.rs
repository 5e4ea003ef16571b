//! From what the user wrote to what the engine needs.

use super::adhesion::{adhesions, blind_adhesions};
use super::air::{air_around, check_air};
use super::body::{BodyFrame, ResolvedBody, resolve_body, resolve_friction};
use super::cloth::{ResolvedCloth, resolve_cloth};
use super::contact::{engine_bodies, meetings, start};
use super::led::led_together;
use super::recipe::SceneRecipe;
use super::seam::{loose_seams, seams, stiffen_sewn};
use super::{SceneError, SceneSource};
use crate::memory;
use crate::recording::{BodyTrack, ClothTrack};
use crate::spec::{
    CertifySpec, ControlSpec, DrapeSpec, ExpectSpec, IntegratorSpec, OutputSpec, SceneSpec,
    SolverSpec, TimeSpec,
};
use glam::DVec3;
use std::fmt::Write;
use std::sync::Arc;
use toile::advance::StepControl;
use toile::contact::{Body, BodyContact};
use toile::energy::EnergyBatch;
use toile::equilibrium::EquilibriumSettings;
use toile::integrate::{ImplicitRule, ImplicitSettings, Integrator, MixedScheme, MixedSettings};
use toile::linalg::LinearSolver;
use toile::model::{Model, ModelParts};
use toile::simulation::{Pace, Simulation};
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
        let recipe = SceneRecipe::new(self.source.clone(), self.model.clone());
        Simulation::new(self.model.clone(), state, pace).with_recipe(Arc::new(recipe))
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
            "{schedule:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
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
                .collect::<Vec<_>>()
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

/// Builds the world that a spec describes.
pub fn resolve(source: &SceneSource, mut spec: SceneSpec) -> Result<World, SceneError> {
    let schedule = resolve_time(source, &mut spec.time)?;
    check_vector(source, "environment.gravity", spec.environment.gravity)?;
    if let Some(air) = &spec.environment.air {
        check_air(source, air)?;
    }
    check_not_negative(
        source,
        "output.checkpoint_interval",
        spec.output.checkpoint_interval,
    )?;
    check_positive(source, "output.camera.zoom", spec.output.camera.zoom)?;
    if let Some(interval) = spec.output.keep_checkpoints {
        check_positive(source, "output.keep_checkpoints", interval)?;
    }
    let drape = resolve_drape(source, &spec.drape)?;
    if spec.cloth.is_empty() {
        let message = "the scene has no cloth; add a table [cloth.NAME] with a mesh";
        return Err(source.error("", message));
    }
    for name in spec.cloth.keys() {
        check_name(source, "cloth", name)?;
    }
    for name in spec.body.keys() {
        check_name(source, "body", name)?;
    }
    check_body_contact(source, &spec)?;
    check_memory(source, &spec)?;
    stiffen_sewn(&mut spec);
    let cloths = resolve_cloths(source, &mut spec)?;
    let bodies = spec
        .body
        .iter_mut()
        .map(|(name, body)| resolve_body(source, name, body))
        .collect::<Result<Vec<_>, _>>()?;
    let resolved = toml::to_string_pretty(&spec)
        .map_err(|error| SceneError::general(&source.name, error.to_string()))?;
    let world = assemble(source, &spec, schedule, cloths, bodies, resolved)?;
    Ok(World { drape, ..world })
}

fn resolve_cloths(
    source: &SceneSource,
    spec: &mut SceneSpec,
) -> Result<Vec<ResolvedCloth>, SceneError> {
    let mut first_node = 0;
    let mut cloths = Vec::new();
    for (index, (name, cloth)) in spec.cloth.iter_mut().enumerate() {
        let resolved = resolve_cloth(source, name, cloth, (index, first_node))?;
        first_node = resolved.cloth.nodes.end;
        cloths.push(resolved);
    }
    Ok(cloths)
}

/// The parts of a model, and what of its cloths is not in it.
struct Gathered {
    parts: ModelParts,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
    cloth_tracks: Vec<ClothTrack>,
    rest_positions: Vec<Vec<DVec3>>,
    warnings: Vec<String>,
}

fn gather(
    source: &SceneSource,
    spec: &SceneSpec,
    cloths: Vec<ResolvedCloth>,
    bodies: Vec<Body>,
) -> Result<Gathered, SceneError> {
    let meetings = meetings(source, spec)?;
    let mut parts = ModelParts {
        body_contact: BodyContact {
            relaxation: spec.contact.relaxation,
            adhesions: adhesions(source, spec, &cloths, &meetings.cloths)?,
        },
        contacts: meetings.cloths,
        passes: meetings.passes,
        gravity: DVec3::from_array(spec.environment.gravity),
        integrator: integrator(&spec.time),
        bodies,
        ..ModelParts::default()
    };
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    let (mut cloth_tracks, mut rest_positions) = (Vec::new(), Vec::new());
    let mut warnings = Vec::new();
    for (cloth, spec_of_cloth) in cloths.into_iter().zip(spec.cloth.values()) {
        let number = parts.cloths.len();
        parts.energies.extend(cloth.energies);
        let limit = cloth.limit.map(|limit| (number, limit));
        parts.limits.extend(limit);
        let air = air_around(spec.environment.air.as_ref(), spec_of_cloth, &cloth.cloth);
        parts.energies.extend(air.map(EnergyBatch::Air));
        warnings.extend(cloth.warnings);
        velocities.resize(positions.len() + cloth.positions.len(), cloth.velocity);
        positions.extend(cloth.positions);
        parts.pins.extend(cloth.pins);
        parts.cloths.push(cloth.cloth);
        cloth_tracks.push(cloth.track);
        rest_positions.push(cloth.rest_positions);
    }
    let seams = seams(source, spec, &parts.cloths, &positions)?;
    let seams = seams.into_iter().map(|s| EnergyBatch::Seam(Box::new(s)));
    parts.energies.extend(seams);
    Ok(Gathered {
        parts,
        positions,
        velocities,
        cloth_tracks,
        rest_positions,
        warnings,
    })
}

fn assemble(
    source: &SceneSource,
    spec: &SceneSpec,
    schedule: Schedule,
    cloths: Vec<ResolvedCloth>,
    resolved_bodies: Vec<ResolvedBody>,
    resolved: String,
) -> Result<World, SceneError> {
    let (mut bodies, mut body_tracks, mut body_frames) = (Vec::new(), Vec::new(), Vec::new());
    for (body, name) in resolved_bodies.into_iter().zip(spec.body.keys()) {
        let first = bodies.len();
        bodies.extend(body.bodies);
        body_tracks.push(body.track);
        body_frames.push(BodyFrame {
            name: name.clone(),
            parts: first..bodies.len(),
            first_part: body.first_part,
        });
    }
    let Gathered {
        parts,
        positions,
        velocities,
        cloth_tracks,
        rest_positions,
        mut warnings,
    } = gather(source, spec, cloths, bodies)?;
    warnings.extend(blind_adhesions(spec));
    warnings.extend(loose_seams(spec));
    let model = make(source, parts)?;
    let (model, positions) = start(source, spec, model, positions, &mut warnings)?;
    warnings.extend(led_together(&model, &positions, spec.time.duration));
    let mut state = State::at_rest(&model, positions);
    state.velocities = velocities;
    Ok(World {
        title: spec.title.clone(),
        model: Arc::new(model),
        state,
        schedule,
        cloth_tracks,
        rest_positions,
        body_tracks,
        body_frames,
        drape: EquilibriumSettings::default(),
        certify: spec.contact.certify,
        preserve_folds: spec.contact.preserve_folds,
        is_branch: false,
        output: spec.output.clone(),
        expect: spec.expect.clone(),
        warnings,
        resolved,
        source: source.clone(),
    })
}

fn make(source: &SceneSource, parts: ModelParts) -> Result<Model, SceneError> {
    Model::new(parts).map_err(|error| source.error("", error.to_string()))
}

/// The model of a scene in which some numbers of cloths or the friction of bodies are not those of `like`. Bodies are otherwise
/// as they are there, so that none is read or measured again.
pub(super) fn remake(source: &SceneSource, like: &Model) -> Result<Model, SceneError> {
    let mut spec = source.parse()?;
    resolve_time(source, &mut spec.time)?;
    stiffen_sewn(&mut spec);
    let cloths = resolve_cloths(source, &mut spec)?;
    let mut bodies = like.bodies.clone();
    for (number, (name, body)) in spec.body.iter().enumerate() {
        let place = format!("body.{name}.friction");
        let friction = resolve_friction(source, &place, body.friction)?;
        for part in engine_bodies(&spec, number) {
            bodies[part].friction = friction;
        }
    }
    let mut gathered = gather(source, &spec, cloths, bodies)?;
    gathered.parts.untangles = like.untangles;
    make(source, gathered.parts)
}

fn integrator(time: &TimeSpec) -> Integrator {
    let implicit = |rule| {
        Integrator::Implicit(ImplicitSettings {
            rule,
            newton_steps: time.newton_steps,
            newton_tolerance: time.newton_tolerance,
            tolerance: time.tolerance,
            max_iterations: time.max_iterations,
            solver: match time.solver {
                SolverSpec::Auto => LinearSolver::Auto,
                SolverSpec::IncompleteCholesky => LinearSolver::IncompleteCholesky,
                SolverSpec::BlockJacobi => LinearSolver::BlockJacobi,
                SolverSpec::Direct => LinearSolver::Direct,
            },
        })
    };
    let mixed = |scheme| {
        Integrator::Mixed(MixedSettings {
            scheme,
            tolerance: time.tolerance,
            max_iterations: time.max_iterations,
        })
    };
    match time.integrator {
        IntegratorSpec::SymplecticEuler => Integrator::SymplecticEuler,
        IntegratorSpec::MixedA => mixed(MixedScheme::A),
        IntegratorSpec::MixedB => mixed(MixedScheme::B),
        IntegratorSpec::MixedC => mixed(MixedScheme::C),
        IntegratorSpec::MixedLimited => mixed(MixedScheme::Limited),
        IntegratorSpec::BackwardEuler => implicit(ImplicitRule::BackwardEuler),
        IntegratorSpec::Bdf2 => implicit(ImplicitRule::Bdf2),
    }
}

fn resolve_drape(
    source: &SceneSource,
    spec: &DrapeSpec,
) -> Result<EquilibriumSettings, SceneError> {
    check_positive(source, "drape.tolerance", spec.tolerance)?;
    check_positive(source, "drape.barrier", spec.barrier)?;
    if spec.max_iterations == 0 {
        return Err(source.error("drape.max_iterations", "must be at least 1"));
    }
    if !(0.0..=0.1).contains(&spec.perturbation) {
        let message = format!(
            "is {}; it must be between 0 and 0.1 edge lengths",
            spec.perturbation
        );
        return Err(source.error("drape.perturbation", message));
    }
    Ok(EquilibriumSettings {
        tolerance: spec.tolerance,
        max_iterations: spec.max_iterations,
        barrier: spec.barrier,
        perturbation: spec.perturbation,
        seed: u64::from(spec.seed),
        ..EquilibriumSettings::default()
    })
}

/// A step longer than this is not chosen by itself (s).
const LONGEST_DEFAULT_STEP: f64 = 0.01;

fn resolve_time(source: &SceneSource, time: &mut TimeSpec) -> Result<Schedule, SceneError> {
    check_positive(source, "time.duration", time.duration)?;
    check_positive(source, "time.fps", time.fps)?;
    check_positive(source, "time.tolerance", time.tolerance)?;
    check_positive(source, "time.newton_tolerance", time.newton_tolerance)?;
    if time.newton_steps == 0 {
        return Err(source.error("time.newton_steps", "must be at least 1"));
    }
    if time.max_iterations == 0 {
        return Err(source.error("time.max_iterations", "must be at least 1"));
    }
    let frame = 1.0 / time.fps;
    let substeps = match (time.step, time.substeps) {
        (Some(_), Some(_)) => {
            return Err(source.error("time.step", "give `step` or `substeps`, not both"));
        }
        (None, Some(count)) => f64::from(count),
        (None, None) => (frame / LONGEST_DEFAULT_STEP - 1e-9).ceil().max(1.0),
        (Some(step), None) => {
            check_positive(source, "time.step", step)?;
            divide_frame(source, frame, step, time.fps)?
        }
    };
    if !(1.0..=1e6).contains(&substeps) {
        let message = format!("{substeps} steps per frame; there must be 1 to 1000000");
        return Err(source.error("time.substeps", message));
    }
    let frames = time.duration * time.fps;
    if frames > 1e7 {
        let message = format!("{frames:.0} frames are too many; shorten the duration or lower fps");
        return Err(source.error("time.duration", message));
    }
    let substeps = substeps as u32;
    time.substeps = Some(substeps);
    time.step = None;
    let step = frame / f64::from(substeps);
    Ok(Schedule {
        step,
        control: resolve_control(source, time, step)?,
        substeps,
        frames: (frames - 1e-9).ceil().max(1.0) as u64,
        fps: time.fps,
    })
}

fn resolve_control(
    source: &SceneSource,
    time: &TimeSpec,
    step: f64,
) -> Result<StepControl, SceneError> {
    match time.control {
        ControlSpec::Fixed => Ok(StepControl::Fixed),
        ControlSpec::Cfl(fraction) => {
            let field = "time.control.cfl";
            if !(fraction > 0.0 && fraction <= 1.0) {
                let message = format!("is {fraction}; it must be above 0 and at most 1");
                return Err(source.error(field, message));
            }
            if let Integrator::Implicit(_) = integrator(time) {
                let message = "an implicit integrator is stable with any step and has no such limit; choose another \
                     time.integrator, or the control \"fixed\" or adaptive";
                return Err(source.error(field, message));
            }
            Ok(StepControl::Cfl { fraction })
        }
        ControlSpec::Adaptive {
            tolerance,
            smallest,
        } => {
            check_positive(source, "time.control.adaptive.tolerance", tolerance)?;
            check_positive(source, "time.control.adaptive.smallest", smallest)?;
            if 2.0 * smallest > step {
                let message = format!(
                    "is {smallest} s; it must be at most half of the step of {step} s that is to be cut"
                );
                return Err(source.error("time.control.adaptive.smallest", message));
            }
            Ok(StepControl::Adaptive {
                tolerance,
                smallest,
            })
        }
    }
}

fn divide_frame(source: &SceneSource, frame: f64, step: f64, fps: f64) -> Result<f64, SceneError> {
    let count = (frame / step).round();
    if (count * step - frame).abs() <= 1e-6 * frame {
        return Ok(count);
    }
    let rate = 1.0 / step;
    let whole = (rate / fps).ceil().max(1.0);
    let message = format!(
        "a step of {step} s does not divide the {frame:.6} s of a frame; \
         set time.fps to {:.6} or give time.substeps instead of a step",
        rate / whole
    );
    Err(source.error("time.step", message))
}

fn check_body_contact(source: &SceneSource, spec: &SceneSpec) -> Result<(), SceneError> {
    check_not_negative(source, "contact.relaxation", spec.contact.relaxation)?;
    let Some(height) = spec.contact.preserve_folds else {
        return Ok(());
    };
    let place = "contact.preserve_folds";
    check_positive(source, place, height)?;
    let thick = spec.cloth.iter().find(|(_, c)| 0.5 * c.thickness >= height);
    match thick {
        Some((name, cloth)) => Err(source.error(
            place,
            format!(
                "is {height} m, which leaves no room above half the thickness of cloth `{name}`, {} m; make it larger",
                0.5 * cloth.thickness
            ),
        )),
        None => Ok(()),
    }
}

/// A scene that does not fit into memory is refused before any of its meshes is made.
fn check_memory(source: &SceneSource, spec: &SceneSpec) -> Result<(), SceneError> {
    let Some(available) = memory::available() else {
        return Ok(());
    };
    memory::check(spec, &source.folder, available).map_err(|found| {
        let field = format!("cloth.{}.mesh", found.cloth);
        source.error(&field, found.message)
    })
}

/// Names become parts of file names and of field paths.
fn check_name(source: &SceneSource, kind: &str, name: &str) -> Result<(), SceneError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.len() <= 64 && name.chars().all(plain) {
        return Ok(());
    }
    let message = format!(
        "`{name}` is no name for a {kind}; use letters, digits, `-` and `_`, at most 64 of them"
    );
    Err(source.error(kind, message))
}

pub(super) fn check_positive(
    source: &SceneSource,
    field: &str,
    value: f64,
) -> Result<(), SceneError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(source.error(field, format!("is {value}; it must be a positive number")))
}

pub(super) fn check_not_negative(
    source: &SceneSource,
    field: &str,
    value: f64,
) -> Result<(), SceneError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    let message = format!("is {value}; it must be zero or a positive number");
    Err(source.error(field, message))
}

/// Red, green and blue, each from 0 to 1.
pub(super) fn check_color(
    source: &SceneSource,
    field: &str,
    value: Option<[f32; 3]>,
) -> Result<(), SceneError> {
    let Some(value) = value.filter(|v| !v.iter().all(|part| (0.0..=1.0).contains(part))) else {
        return Ok(());
    };
    let eight_bit = value.iter().all(|part| (0.0..=255.0).contains(part));
    let mend = match eight_bit && value.iter().any(|&part| part >= 10.0) {
        true => "; if it counts to 255, divide by 255",
        false => "",
    };
    let message = format!("is {value:?}; red, green and blue are each from 0 to 1{mend}");
    Err(source.error(field, message))
}

pub(super) fn check_vector(
    source: &SceneSource,
    field: &str,
    value: [f64; 3],
) -> Result<DVec3, SceneError> {
    // A thousand kilometres are far beyond any cloth; such a number is a slip and would only overflow later.
    if value.iter().all(|x| x.is_finite() && x.abs() <= 1e6) {
        return Ok(DVec3::from_array(value));
    }
    let message = format!("is {value:?}; it must be three finite numbers below a million");
    Err(source.error(field, message))
}
