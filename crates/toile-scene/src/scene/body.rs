//! Bodies: their shapes, analytic or from meshes, and how pictures show them.

mod frame;
mod sequence;

pub use frame::BodyFrame;

use super::check::{check_color, check_not_negative};
use super::motion::{body_path, place};
use super::sources::Sources;
use super::{SceneError, SceneSource};
use crate::format::read_mesh_from;
use crate::recording::{Attributes, BodyTrack};
use crate::spec::{BodySpec, FilesSpec, FrictionSpec, PartSpec, ShapeSpec};
use glam::DVec3;
use std::path::Path;
use std::sync::Arc;
use toile::contact::{Body, Friction, MeshShape, Shape};
use toile::drive::Pose;
use toile::geometry::level_set::Settings;
use toile::mesh::Mesh;

/// A body of the scene as the engine and recordings know it.
pub(super) struct ResolvedBody {
    /// One, or one for each part.
    pub bodies: Vec<Body>,
    /// Where the first part stands in the body's own frame.
    pub first_part: Pose,
    pub track: BodyTrack,
}

pub(super) fn resolve_body(
    source: &Sources,
    name: &str,
    spec: &mut BodySpec,
) -> Result<ResolvedBody, SceneError> {
    let field = format!("body.{name}");
    check_color(source, &format!("{field}.color"), spec.color)?;
    let friction = resolve_friction(source, &format!("{field}.friction"), spec.friction)?;
    let shape_field = format!("{field}.shape");
    let mut carried = None;
    let parts = match &mut spec.shape {
        ShapeSpec::Parts(parts) => resolve_parts(source, &shape_field, parts)?,
        shape => {
            let (shape, own) = checked_shape(source, &shape_field, shape)?;
            carried = own;
            vec![(Pose::IDENTITY, shape)]
        }
    };
    let place = place(source, &format!("{field}.place"), &spec.place)?;
    let path = body_path(source, &field, spec)?;
    let morph = match &parts[..] {
        [(_, Shape::Sequence(sequence))] => Some(sequence::morph(sequence)),
        _ => None,
    };
    let level = place.rotation.is_near_identity() && path.is_fixed();
    let plane = matches!(&parts[..], [(_, Shape::Plane)]);
    let surface = joined_surface(source, &shape_field, &parts)?;
    let attributes = carried.unwrap_or_else(|| Attributes::of(&surface));
    let track = BodyTrack {
        name: name.to_owned(),
        positions: surface.positions,
        faces: surface.faces,
        morph,
        smooth: parts.iter().all(|(_, shape)| shape.is_smooth()),
        ground_height: (plane && level).then_some(place.translation.z),
        color: spec.color.unwrap_or([0.62, 0.64, 0.68]),
        attributes,
    };
    let several = matches!(spec.shape, ShapeSpec::Parts(_));
    let first_part = parts[0].0;
    let bodies = parts
        .into_iter()
        .enumerate()
        .map(|(k, (part, shape))| Body {
            name: if several {
                format!("{name}[{k}]")
            } else {
                name.to_owned()
            },
            shape,
            place: if several { place.after(&part) } else { place },
            path: path.clone(),
            friction,
        });
    Ok(ResolvedBody {
        bodies: bodies.collect(),
        first_part,
        track,
    })
}

fn resolve_parts(
    source: &Sources,
    field: &str,
    parts: &mut [PartSpec],
) -> Result<Vec<(Pose, Shape)>, SceneError> {
    if parts.is_empty() {
        let message = "is empty; give it shapes, each with its place";
        return Err(source.error(&format!("{field}.parts"), message));
    }
    let mut resolved = Vec::with_capacity(parts.len());
    for (k, part) in parts.iter_mut().enumerate() {
        let field = format!("{field}.parts[{k}]");
        let shape_field = format!("{field}.shape");
        let unfit = match part.shape {
            ShapeSpec::Parts(_) => Some("a part has no parts of its own; list them all in one"),
            ShapeSpec::Plane => Some("an endless plane is no part; give it a body of its own"),
            ShapeSpec::Sequence { .. } | ShapeSpec::Gltf { .. } => {
                Some("what deforms is no part; give it a body of its own")
            }
            _ => None,
        };
        if let Some(message) = unfit {
            return Err(source.error(&shape_field, message));
        }
        let (shape, _) = checked_shape(source, &shape_field, &mut part.shape)?;
        resolved.push((
            place(source, &format!("{field}.place"), &part.place)?,
            shape,
        ));
    }
    Ok(resolved)
}

fn checked_shape(
    source: &Sources,
    field: &str,
    spec: &mut ShapeSpec,
) -> Result<(Shape, Option<Attributes>), SceneError> {
    let (shape, carried) = resolve_shape(source, field, spec)?;
    let checked = shape.check();
    checked.map_err(|error| source.error(field, error.to_string()))?;
    Ok((shape, carried))
}

/// The surfaces of all parts in the body's own frame.
fn joined_surface(
    source: &SceneSource,
    field: &str,
    parts: &[(Pose, Shape)],
) -> Result<Mesh, SceneError> {
    let mut joined = Mesh::default();
    for (pose, shape) in parts {
        let surface = shape.surface();
        let surface = surface.map_err(|error| source.error(field, error.to_string()))?;
        let Some(mut surface) = surface else {
            continue;
        };
        if let [_] = parts {
            return Ok(surface);
        }
        for position in &mut surface.positions {
            *position = pose.apply(*position);
        }
        let first = joined.positions.len() as u32;
        let faces = surface.faces.iter().map(|face| face.shifted(first));
        joined.faces.extend(faces);
        joined.positions.extend(surface.positions);
    }
    Ok(joined)
}

pub(super) fn resolve_friction(
    source: &SceneSource,
    field: &str,
    spec: FrictionSpec,
) -> Result<Friction, SceneError> {
    match spec {
        FrictionSpec::Same(coefficient) => {
            check_not_negative(source, field, coefficient)?;
            Ok(coefficient.into())
        }
        FrictionSpec::Different { r#static, kinetic } => {
            check_not_negative(source, &format!("{field}.static"), r#static)?;
            let place = format!("{field}.kinetic");
            check_not_negative(source, &place, kinetic)?;
            if kinetic > r#static {
                let message = format!(
                    "is {kinetic}, above the static coefficient of {static}; what slides is held less than what rests",
                    r#static = r#static
                );
                return Err(source.error(&place, message));
            }
            Ok(Friction {
                at_rest: r#static,
                sliding: kinetic,
            })
        }
    }
}

/// The shape, and what its files carry besides if the shape itself does not keep it.
fn resolve_shape(
    source: &Sources,
    field: &str,
    spec: &mut ShapeSpec,
) -> Result<(Shape, Option<Attributes>), SceneError> {
    let shape = match *spec {
        ShapeSpec::Plane => Shape::Plane,
        ShapeSpec::Sphere { radius } => Shape::Sphere { radius },
        ShapeSpec::Box { size } => Shape::Cuboid {
            half_size: DVec3::from_array(size) * 0.5,
        },
        ShapeSpec::Capsule { radius, length } => Shape::Capsule {
            radius,
            half_length: 0.5 * length,
        },
        ShapeSpec::Cylinder { radius, height } => Shape::Cylinder {
            radius,
            half_height: 0.5 * height,
        },
        ShapeSpec::Disc { radius, thickness } => Shape::Disc { radius, thickness },
        ShapeSpec::Parts(_) => return Err(source.error(field, "a part has no parts of its own")),
        ShapeSpec::Mesh {
            ref mut file,
            ref mut cell,
            flip,
        } => {
            *file = source.absolute(file);
            mesh_shape(source, &format!("{field}.mesh"), file, cell, flip)?
        }
        ShapeSpec::Sequence {
            ref mut files,
            fps,
            start,
            flip,
        } => {
            let field = format!("{field}.sequence");
            let paths = sequence::find_files(source, &format!("{field}.files"), files)?;
            let frames = (&paths[..], fps, start);
            let (shape, carried) = sequence::sequence_shape(source, &field, frames, flip)?;
            *files = FilesSpec::List(paths);
            return Ok((Shape::Sequence(Arc::new(shape)), Some(carried)));
        }
        ShapeSpec::Gltf {
            ref mut file,
            ref animation,
            fps,
            start,
            flip,
        } => {
            *file = source.absolute(file);
            let field = format!("{field}.gltf");
            let scene = (file.as_path(), animation.as_deref());
            let (shape, carried) =
                sequence::animated_shape(source, &field, scene, (fps, start), flip)?;
            return Ok((Shape::Sequence(Arc::new(shape)), Some(carried)));
        }
    };
    Ok((shape, None))
}

/// The finest cells of a mesh's level set if nobody says otherwise (m).
pub fn default_cell(mesh: &Mesh) -> f64 {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &p in mesh.positions.iter().filter(|p| p.is_finite()) {
        (low, high) = (low.min(p), high.max(p));
    }
    // A mesh without extent has no level set anyhow, and says so itself.
    ((high - low).max_element() / CELLS).max(f64::MIN_POSITIVE)
}

/// Finest cells along the longest side of a mesh.
const CELLS: f64 = 100.0;

fn mesh_shape(
    source: &Sources,
    field: &str,
    file: &Path,
    cell: &mut Option<f64>,
    flip: bool,
) -> Result<Shape, SceneError> {
    let place = format!("{field}.file");
    let mesh = read_mesh_from(source.files(), file);
    let mesh = mesh.map_err(|error| source.error(&place, error.to_string()))?;
    let cell = *cell.get_or_insert_with(|| default_cell(&mesh));
    let settings = Settings {
        flip_inverted: flip,
        ..Settings::with_cell(cell)
    };
    let shape = MeshShape::new(mesh, settings);
    let shape = shape.map_err(|error| source.error(field, error.to_string()))?;
    Ok(Shape::Mesh(Arc::new(shape)))
}
