//! Bodies: their shapes, analytic or from meshes, and how pictures show them.

mod sequence;

use super::motion::{absolute, body_path, place};
use super::resolve::{check_color, check_not_negative};
use super::{SceneError, SceneSource};
use crate::format::read_mesh;
use crate::recording::BodyTrack;
use crate::spec::{BodySpec, FilesSpec, FrictionSpec, ShapeSpec};
use glam::DVec3;
use std::path::Path;
use std::sync::Arc;
use toile::contact::{Body, Friction, MeshShape, Shape};
use toile::geometry::level_set::Settings;
use toile::mesh::Mesh;

pub(super) fn resolve_body(
    source: &SceneSource,
    name: &str,
    spec: &mut BodySpec,
) -> Result<(Body, BodyTrack), SceneError> {
    let field = format!("body.{name}");
    check_color(source, &format!("{field}.color"), spec.color)?;
    let friction = resolve_friction(source, &format!("{field}.friction"), spec.friction)?;
    let shape = resolve_shape(source, &format!("{field}.shape"), &mut spec.shape)?;
    let shape_error = |message: String| source.error(&format!("{field}.shape"), message);
    shape
        .check()
        .map_err(|error| shape_error(error.to_string()))?;
    let surface = shape
        .surface()
        .map_err(|error| shape_error(error.to_string()))?;
    let (plane, smooth) = (matches!(shape, Shape::Plane), shape.is_smooth());
    let body = Body {
        name: name.to_owned(),
        shape,
        place: place(source, &format!("{field}.place"), &spec.place)?,
        path: body_path(source, &field, spec)?,
        friction,
    };
    let morph = match &body.shape {
        Shape::Sequence(sequence) => Some(sequence::morph(sequence)),
        _ => None,
    };
    let level = body.place.rotation.is_near_identity() && body.path.is_fixed();
    let surface = surface.unwrap_or_default();
    let track = BodyTrack {
        name: name.to_owned(),
        positions: surface.positions,
        faces: surface.faces,
        morph,
        smooth,
        ground_height: (plane && level).then_some(body.place.translation.z),
        color: spec.color.unwrap_or([0.62, 0.64, 0.68]),
    };
    Ok((body, track))
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

fn resolve_shape(
    source: &SceneSource,
    field: &str,
    spec: &mut ShapeSpec,
) -> Result<Shape, SceneError> {
    Ok(match *spec {
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
        ShapeSpec::Mesh {
            ref mut file,
            ref mut cell,
            flip,
        } => {
            *file = absolute(source, file);
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
            let shape = sequence::sequence_shape(source, &field, frames, flip)?;
            *files = FilesSpec::List(paths);
            Shape::Sequence(Arc::new(shape))
        }
        ShapeSpec::Gltf {
            ref mut file,
            ref animation,
            fps,
            start,
            flip,
        } => {
            *file = absolute(source, file);
            let field = format!("{field}.gltf");
            let scene = (file.as_path(), animation.as_deref());
            let shape = sequence::animated_shape(source, &field, scene, (fps, start), flip)?;
            Shape::Sequence(Arc::new(shape))
        }
    })
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
    source: &SceneSource,
    field: &str,
    file: &Path,
    cell: &mut Option<f64>,
    flip: bool,
) -> Result<Shape, SceneError> {
    let place = format!("{field}.file");
    let mesh = read_mesh(file).map_err(|error| source.error(&place, error.to_string()))?;
    let cell = *cell.get_or_insert_with(|| default_cell(&mesh));
    let settings = Settings {
        flip_inverted: flip,
        ..Settings::with_cell(cell)
    };
    let shape = MeshShape::new(mesh, settings);
    let shape = shape.map_err(|error| source.error(field, error.to_string()))?;
    Ok(Shape::Mesh(Arc::new(shape)))
}
