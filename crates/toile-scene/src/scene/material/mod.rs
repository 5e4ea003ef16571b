//! From what a cloth is made of to the energies that act in it.

mod bending;
mod checks;
mod membrane;

pub(super) use checks::{check_material, material_warnings};

use super::sources::Sources;
use super::{SceneError, SceneSource};
use crate::spec::{
    BendingSpec, ClothSpec, FoldLawSpec, FoldSpec, HessianSpec, ModelSpec, TableSpec, WarpSpec,
};
use bending::hinges;
use glam::DVec3;
use membrane::membrane;
use toile::energy::{Curve, EnergyBatch, Fabric, Hessian, QuadraticBend, bend_springs};
use toile::mesh::{RestShape, Topology, Warp};

/// A cloth as far as its energies are concerned.
pub(super) struct Sheet<'a> {
    pub topology: &'a Topology,
    pub rest: &'a RestShape,
    /// The mesh the cloth starts from, before it is placed (m).
    pub start: &'a [DVec3],
    /// The mesh that the rest shape comes from (m), unless that is a pattern in texture coordinates.
    pub rest_positions: Option<&'a [DVec3]>,
    pub first_node: u32,
    /// Whether the cloth's limit is part of the implicit solve.
    pub is_unified: bool,
}

/// Whether a model is a limit by itself, which nothing needs to keep from stretching.
fn is_limit(model: ModelSpec) -> bool {
    matches!(
        model,
        ModelSpec::Isometric
            | ModelSpec::QuasiInextensible
            | ModelSpec::Inequality
            | ModelSpec::Area
    )
}

/// Whether a way of bending goes by angles, which can rest in folds.
fn with_angles(bending: BendingSpec) -> bool {
    matches!(bending, BendingSpec::Dihedral | BendingSpec::Curvature)
}

/// Turns the rest coordinates so that the first axis is the warp.
pub(super) fn align_warp(
    source: &SceneSource,
    field: &str,
    spec: &WarpSpec,
    topology: &Topology,
    rest: &mut RestShape,
    rest_positions: Option<&[DVec3]>,
) -> Result<(), SceneError> {
    let field = format!("{field}.warp");
    let per_face: Vec<DVec3> = match spec {
        WarpSpec::Faces(list) => list.iter().map(|&d| DVec3::from_array(d)).collect(),
        _ => Vec::new(),
    };
    let warp = match spec {
        WarpSpec::Auto if rest_positions.is_none() => return Ok(()),
        WarpSpec::Auto => Warp::Unspecified,
        WarpSpec::Angle(angle) => Warp::Angle(*angle),
        WarpSpec::Direction(direction) => Warp::Direction(DVec3::from_array(*direction)),
        WarpSpec::Faces(_) => Warp::PerFace(&per_face),
    };
    if rest_positions.is_none() && !matches!(warp, Warp::Angle(_)) {
        let message = "the rest shape comes from texture coordinates, which have no direction in space; \
                       give the warp as an `angle` from u";
        return Err(source.error(&field, message));
    }
    rest.align_warp(topology, rest_positions.unwrap_or(&[]), warp)
        .map_err(|error| source.error(&field, error.to_string()))
}

/// All energies of a cloth.
pub(super) fn energies(
    source: &Sources,
    field: &str,
    spec: &mut ClothSpec,
    fabric: Option<&Fabric>,
    sheet: &Sheet,
) -> Result<Vec<EnergyBatch>, SceneError> {
    let mut batches = membrane(source, field, spec, fabric, sheet)?;
    let bending = match (spec.bending, spec.model) {
        (
            BendingSpec::Model,
            ModelSpec::BaraffWitkin | ModelSpec::TensionField | ModelSpec::Kawabata,
        ) => match spec.fold.law {
            FoldLawSpec::Angle => BendingSpec::Curvature,
            FoldLawSpec::HalfAngle => BendingSpec::Dihedral,
        },
        (BendingSpec::Model, model) if is_limit(model) => {
            let positions = sheet.rest_positions;
            let flat =
                positions.is_none_or(|p| QuadraticBend::check_flat(sheet.topology, p).is_ok());
            if flat && spec.fold == FoldSpec::default() {
                BendingSpec::Quadratic
            } else {
                BendingSpec::Curvature
            }
        }
        (bending, _) => bending,
    };
    if !with_angles(bending) && spec.fold != FoldSpec::default() {
        let message =
            "folds belong to hinges; add bending = \"curvature\" or bending = \"dihedral\"";
        return Err(source.error(&format!("{field}.fold"), message));
    }
    let m = &spec.material;
    let damping = m.bend_damping.unwrap_or(m.damping);
    let flat = |name: &str| {
        let positions = sheet.rest_positions;
        let check = positions.map_or(Ok(()), |p| QuadraticBend::check_flat(sheet.topology, p));
        check.map_err(|error| {
            source.error(&format!("{field}.bending"), format!("`{name}`: {error}"))
        })
    };
    let (topology, rest, first) = (sheet.topology, sheet.rest, sheet.first_node);
    match bending {
        BendingSpec::Model | BendingSpec::None => {}
        BendingSpec::Dihedral | BendingSpec::Curvature => {
            let plate = bending == BendingSpec::Curvature;
            batches.push(hinges(source, field, spec, fabric, damping, plate, sheet)?);
        }
        BendingSpec::Quadratic => {
            flat("quadratic")?;
            if m.bending()[0] == 0.0 {
                return Ok(batches);
            }
            let bend = QuadraticBend::new(topology, rest, first, m.bending()[0], damping);
            batches.push(EnergyBatch::Quadratic(bend));
        }
        BendingSpec::LinearSprings => {
            flat("linear-springs")?;
            if m.bending()[0] == 0.0 {
                return Ok(batches);
            }
            let springs = bend_springs(topology, rest, m.bending()[0], damping, first);
            batches.push(EnergyBatch::BendSprings(springs));
        }
    }
    Ok(batches)
}

/// One of the scene's curves: the table if there is one, else the fabric's, else a straight line.
fn curve(
    source: &SceneSource,
    field: &str,
    (name, table): (&str, &TableSpec),
    fabric: Option<&Curve>,
    slope: f64,
) -> Result<Curve, SceneError> {
    let made = if !table.is_empty() {
        let rows: Vec<_> = table.iter().map(|&[x, y]| (x, y)).collect();
        Curve::new(&rows)
    } else if let Some(curve) = fabric {
        return Ok(curve.clone());
    } else {
        Curve::linear(slope)
    };
    let place = format!("{field}.material.curves.{name}");
    made.map_err(|error| source.error(&place, error.to_string()))
}

fn hessian(spec: HessianSpec) -> Hessian {
    match spec {
        HessianSpec::Projected => Hessian::Projected,
        HessianSpec::GaussNewton => Hessian::GaussNewton,
        HessianSpec::Exact => Hessian::Exact,
    }
}
