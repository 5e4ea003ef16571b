//! What resists bending by angles, and the folds it rests in.

use super::{Sheet, curve};
use crate::format::read_mesh_from;
use crate::scene::sources::Sources;
use crate::scene::{SceneError, SceneSource};
use crate::spec::{ClothSpec, FoldLawSpec, FoldRestSpec, FoldSpec, HessianSpec, ModelSpec};
use glam::DVec3;
use toile::energy::{
    BendLaw, ClothCurvature, CreaseMaterial, EnergyBatch, Fabric, HingeEnergy, HingeHessian,
    HingeMaterial, RestAngles, Yield, cloth_hinges,
};

fn measured_bending(
    source: &SceneSource,
    field: &str,
    spec: &ClothSpec,
    fabric: Option<&Fabric>,
) -> Result<BendLaw, SceneError> {
    let m = &spec.material;
    let curves = &m.curves;
    let warp = curve(
        source,
        field,
        ("bend_warp", &curves.bend_warp),
        fabric.map(|f| &f.bending_warp),
        m.bending()[0],
    )?;
    let weft = if curves.bend_weft.is_empty() && !curves.bend_warp.is_empty() {
        warp.clone()
    } else {
        curve(
            source,
            field,
            ("bend_weft", &curves.bend_weft),
            fabric.map(|f| &f.bending_weft),
            m.bending()[1],
        )?
    };
    Ok(BendLaw::Curve([warp, weft]))
}

pub(super) fn hinges(
    source: &Sources,
    field: &str,
    spec: &mut ClothSpec,
    fabric: Option<&Fabric>,
    damping_time: f64,
    plate: bool,
    sheet: &Sheet,
) -> Result<EnergyBatch, SceneError> {
    let half = spec.fold.law == FoldLawSpec::HalfAngle && spec.model != ModelSpec::Kawabata;
    if plate && half {
        let message =
            "the law of the half angle is one for single edges; add bending = \"dihedral\"";
        return Err(source.error(&format!("{field}.fold.law"), message));
    }
    let mut rigidity = spec.material.bending();
    let mut crease = crease(&spec.fold);
    let has_rigidity = spec.model != ModelSpec::Kawabata;
    let width = spec
        .material
        .bend_hysteresis
        .filter(|&w| w > 0.0 && has_rigidity);
    if let Some(width) = width {
        let mean = 0.5 * (rigidity[0] + rigidity[1]);
        let (stuck, friction) = CreaseMaterial::friction(mean, width);
        rigidity = rigidity.map(|b| b * stuck / mean);
        crease = Some(friction);
    }
    let law = match (spec.model, spec.fold.law) {
        (ModelSpec::Kawabata, _) => measured_bending(source, field, spec, fabric)?,
        (_, FoldLawSpec::Angle) => BendLaw::Angle { rigidity },
        (_, FoldLawSpec::HalfAngle) => BendLaw::HalfAngle { rigidity },
    };
    let material = HingeMaterial {
        law,
        damping_time,
        hessian: match spec.hessian {
            HessianSpec::Exact => HingeHessian::Exact,
            // The cheap one serves just as well here; see the book's page on bending.
            HessianSpec::Projected | HessianSpec::GaussNewton => HingeHessian::GaussNewton,
        },
    };
    let hinges = cloth_hinges(sheet.topology, sheet.rest, sheet.first_node, &material);
    let sculpted;
    let rest = match &mut spec.fold.rest {
        FoldRestSpec::Flat => RestAngles::Flat,
        FoldRestSpec::Angle(angle) => {
            if !angle.is_finite() || angle.abs() > std::f64::consts::PI {
                let place = format!("{field}.fold.rest.angle");
                let message = format!("is {angle}; it must lie between −π and π");
                return Err(source.error(&place, message));
            }
            RestAngles::Constant(*angle)
        }
        FoldRestSpec::Start => RestAngles::Positions(sheet.start),
        FoldRestSpec::Shape => sheet
            .rest_positions
            .map_or(RestAngles::Flat, RestAngles::Positions),
        FoldRestSpec::Pleats { count, depth } => {
            let place = |name: &str| format!("{field}.fold.rest.pleats{name}");
            let Some(smooth) = sheet.rest_positions else {
                let message = "the rest shape comes from texture coordinates, which have no z axis; sculpt a mesh \
                               and give it as `file`";
                return Err(source.error(&place(""), message));
            };
            if !(depth.is_finite() && depth.abs() < 1.0) {
                let message = format!("is {depth}; it must lie between −1 and 1");
                return Err(source.error(&place(".depth"), message));
            }
            sculpted = pleated(smooth, *count, *depth);
            RestAngles::Positions(&sculpted)
        }
        FoldRestSpec::File { path } => {
            let place = format!("{field}.fold.rest.file.path");
            *path = source.absolute(path);
            let mesh = read_mesh_from(source.files(), path);
            let mesh = mesh.map_err(|error| source.error(&place, error.to_string()))?;
            sculpted = mesh.positions;
            RestAngles::Positions(&sculpted)
        }
    };
    let rest_angles = hinges
        .rest_angles(rest)
        .map_err(|error| source.error(&format!("{field}.fold.rest"), error.to_string()))?;
    let curvature =
        plate.then(|| ClothCurvature::new(sheet.topology, sheet.rest, &hinges, &material));
    let mut energy = HingeEnergy::new(hinges, rest_angles, crease);
    if let Some(curvature) = curvature {
        energy = energy.with_curvature(curvature);
    }
    Ok(EnergyBatch::Hinges(Box::new(energy)))
}

/// A mesh laid in pleats around the z axis.
fn pleated(smooth: &[DVec3], count: u32, depth: f64) -> Vec<DVec3> {
    let around = |p: &DVec3| {
        let swing = (f64::from(count) * p.y.atan2(p.x)).cos();
        let factor = 1.0 + depth * swing;
        DVec3::new(factor * p.x, factor * p.y, p.z)
    };
    smooth.iter().map(around).collect()
}

fn crease(fold: &FoldSpec) -> Option<CreaseMaterial> {
    let yield_at = match (fold.yield_curvature, fold.yield_angle) {
        (Some(curvature), _) => Yield::Curvature(curvature),
        (None, Some(angle)) => Yield::Angle(angle),
        (None, None) => return None,
    };
    Some(CreaseMaterial {
        yield_at,
        isotropic_hardening: fold.hardening,
        kinematic_hardening: fold.kinematic_hardening,
    })
}
