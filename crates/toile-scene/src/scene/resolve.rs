//! From what the user wrote to what the engine needs.

use super::adhesion::{adhesions, blind_adhesions};
use super::air::{air_around, check_air};
use super::body::{BodyFrame, ResolvedBody, resolve_body, resolve_friction};
use super::check::{check_name, check_not_negative, check_positive, check_vector};
use super::cloth::{ClothTurn, ResolvedCloth, resolve_cloth};
use super::contact::{engine_bodies, meetings, start};
use super::led::led_together;
use super::seam::{loose_seams, seams, stiffen_sewn};
use super::sources::Sources;
use super::stage::stages;
use super::time::{integrator, resolve_time, settle_constraints};
use super::world::{Schedule, World};
use super::{SceneError, SceneSource};
use crate::files::{Disk, Files};
use crate::memory;
use crate::recording::ClothTrack;
use crate::spec::{ConstraintsSpec, DrapeSpec, SceneSpec};
use glam::DVec3;
use std::sync::Arc;
use toile::contact::{Body, BodyContact};
use toile::energy::EnergyBatch;
use toile::equilibrium::EquilibriumSettings;
use toile::model::{Model, ModelError, ModelParts};
use toile::state::State;

/// Builds the world that a spec describes, with the files of the disk.
pub fn resolve(source: &SceneSource, spec: SceneSpec) -> Result<World, SceneError> {
    resolve_from(Arc::new(Disk), source, spec)
}

/// Builds the world that a spec describes, with the files that it names from whoever has them.
///
/// ```
/// use std::sync::Arc;
/// use toile_scene::files::MemoryFiles;
/// use toile_scene::scene::{SceneSource, resolve_from};
///
/// let files = MemoryFiles::new()
///     .with("sheet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
///     .with("scene.toml", "[cloth.sheet]\nmesh.file = { path = \"sheet.obj\" }\n");
/// let source = SceneSource::read_from(&files, "scene.toml".as_ref())?;
/// let world = resolve_from(Arc::new(files), &source, source.parse()?)?;
/// let mut simulation = world.simulation();
/// simulation.step().unwrap();
/// assert!(simulation.positions()[0].z < 0.0);
/// # Ok::<(), toile_scene::scene::SceneError>(())
/// ```
pub fn resolve_from(
    files: Arc<dyn Files>,
    source: &SceneSource,
    mut spec: SceneSpec,
) -> Result<World, SceneError> {
    let files = &files;
    let source = &Sources { source, files };
    let schedule = resolve_time(source, &mut spec.time)?;
    settle_constraints(&mut spec);
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
    let stages = stages(source, &spec, &world)?.into();
    Ok(World {
        drape,
        stages,
        ..world
    })
}

fn resolve_cloths(
    source: &Sources,
    spec: &mut SceneSpec,
) -> Result<Vec<ResolvedCloth>, SceneError> {
    let is_unified = spec.time.constraints == ConstraintsSpec::Unified;
    let mut first_node = 0;
    let mut cloths = Vec::new();
    for (index, (name, cloth)) in spec.cloth.iter_mut().enumerate() {
        let turn = ClothTurn {
            index,
            first_node,
            is_unified,
        };
        let resolved = resolve_cloth(source, name, cloth, turn)?;
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
    source: &Sources,
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
        stages: Arc::default(),
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
        source: source.source.clone(),
        files: source.files.clone(),
    })
}

fn make(source: &SceneSource, parts: ModelParts) -> Result<Model, SceneError> {
    Model::new(parts).map_err(|error| {
        let field = match error {
            ModelError::NotInOneSolve { .. } => "time.constraints",
            _ => "",
        };
        source.error(field, error.to_string())
    })
}

/// The model of a scene in which some numbers of cloths or the friction of bodies are not those of `like`. Bodies are otherwise
/// as they are there, so that none is read or measured again, and so is what no setting can change.
pub(super) fn remake(source: &Sources, like: &Model) -> Result<Model, SceneError> {
    let mut spec = source.parse()?;
    resolve_time(source, &mut spec.time)?;
    settle_constraints(&mut spec);
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
    gathered.parts.gravity = like.gravity;
    gathered.parts.pins.clone_from(&like.pins);
    make(source, gathered.parts)
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
fn check_memory(source: &Sources, spec: &SceneSpec) -> Result<(), SceneError> {
    let Some(available) = memory::available() else {
        return Ok(());
    };
    memory::check(spec, (source.files(), &source.folder), available).map_err(|found| {
        let field = format!("cloth.{}.mesh", found.cloth);
        source.error(&field, found.message)
    })
}
