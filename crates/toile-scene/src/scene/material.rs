//! From what a cloth is made of to the energies that act in it.

use super::motion::absolute;
use super::resolve::{check_not_negative, check_positive};
use super::{SceneError, SceneSource};
use crate::format::read_mesh;
use crate::spec::{
    BendingSpec, ClothSpec, FoldLawSpec, FoldRestSpec, FoldSpec, HessianSpec, ModelSpec, TableSpec,
    WarpSpec,
};
use glam::DVec3;
use toile::energy::{
    BaraffWitkin, BendLaw, ChoiKoMaterial, ClothCurvature, CreaseMaterial, Curve, EdgeKinds,
    EnergyBatch, Fabric, Hessian, HingeEnergy, HingeHessian, HingeMaterial, Kawabata, MassSpring,
    MassSpringMaterial, MembraneBatch, MembraneLaw, QuadraticBend, RestAngles, Yield, bend_springs,
    choi_ko, cloth_hinges, mass_spring,
};
use toile::mesh::{RestShape, Topology, Warp};

/// Mass per area of cloth that nobody has said more of (kg/m²).
const DEFAULT_DENSITY: f64 = 0.15;
/// What keeps triangles from growing thin where areas alone are kept (N/m).
const AREA_SPRINGS: f64 = 80.0;

/// What holds isometric cloth together between the nodes (N/m), unless the scene says otherwise.
const DEFAULT_HOURGLASS: f64 = 1.0;

/// A cloth as far as its energies are concerned.
pub(super) struct Sheet<'a> {
    pub topology: &'a Topology,
    pub rest: &'a RestShape,
    /// The mesh the cloth starts from, before it is placed (m).
    pub start: &'a [DVec3],
    /// The mesh that the rest shape comes from (m), unless that is a pattern in texture coordinates.
    pub rest_positions: Option<&'a [DVec3]>,
    pub first_node: u32,
}

/// Checks the numbers, fills in the density and finds the fabric.
pub(super) fn check_material(
    source: &SceneSource,
    field: &str,
    spec: &mut ClothSpec,
) -> Result<Option<Fabric>, SceneError> {
    let fabric = match &spec.material.fabric {
        None => None,
        Some(name) => {
            let found = Fabric::named(name);
            let place = format!("{field}.material.fabric");
            Some(found.map_err(|error| source.error(&place, error.to_string()))?)
        }
    };
    let natural = fabric.as_ref().map_or(DEFAULT_DENSITY, |f| f.density);
    let m = &mut spec.material;
    let density = *m.density.get_or_insert(natural);
    for (name, value) in [
        ("material.density", Some(density)),
        ("material.stretch_stiffness", Some(m.stretch_stiffness)),
        ("material.weft_stretch_stiffness", m.weft_stretch_stiffness),
        ("fold.yield_curvature", spec.fold.yield_curvature),
        ("fold.yield_angle", spec.fold.yield_angle),
    ] {
        if let Some(value) = value {
            check_positive(source, &format!("{field}.{name}"), value)?;
        }
    }
    for (name, value) in [
        ("material.shear_stiffness", Some(m.shear_stiffness)),
        ("material.hourglass_stiffness", m.hourglass_stiffness),
        ("material.bend", Some(m.bend)),
        ("material.weft_bend", m.weft_bend),
        ("material.weak_springs", m.weak_springs),
        ("material.damping", Some(m.damping)),
        ("material.bend_damping", m.bend_damping),
        ("fold.hardening", Some(spec.fold.hardening)),
        (
            "fold.kinematic_hardening",
            Some(spec.fold.kinematic_hardening),
        ),
        ("damping", Some(spec.damping)),
        ("virtual_mass", spec.virtual_mass),
        ("drag.normal", Some(spec.drag.normal)),
        ("drag.tangential", Some(spec.drag.tangential)),
        ("thickness", Some(spec.thickness)),
    ] {
        if let Some(value) = value {
            check_not_negative(source, &format!("{field}.{name}"), value)?;
        }
    }
    if spec.fold.yield_angle.is_some() && spec.fold.yield_curvature.is_some() {
        let place = format!("{field}.fold.yield_angle");
        return Err(source.error(&place, "give `yield_angle` or `yield_curvature`, not both"));
    }
    Ok(fabric)
}

/// What looks wrong though it can be simulated.
pub(super) fn material_warnings(field: &str, spec: &ClothSpec) -> Vec<String> {
    let m = &spec.material;
    let weft = m.weft_stretch_stiffness.unwrap_or(m.stretch_stiffness);
    let weft_bend = m.weft_bend.unwrap_or(m.bend);
    let mut warnings = Vec::new();
    let mut compare = |name: &str, a: f64, other: &str, b: f64, most: f64| {
        let ratio = (a / b).max(b / a);
        if a > 0.0 && b > 0.0 && ratio > most {
            warnings.push(format!(
                "{field}.material.{name} ({a}) and {other} ({b}) differ by a factor of {ratio:.0e}: steps will be slow or inexact; \
                 is one of them a slip?"
            ));
        }
    };
    let stretch = m.stretch_stiffness;
    compare(
        "weft_stretch_stiffness",
        weft,
        "stretch_stiffness",
        stretch,
        1e3,
    );
    compare(
        "shear_stiffness",
        m.shear_stiffness,
        "stretch_stiffness",
        stretch,
        1e5,
    );
    compare("weft_bend", weft_bend, "bend", m.bend, 1e3);
    warnings.extend(idle_fields(field, spec));
    if m.bend >= 1e-2 * stretch {
        warnings.push(format!(
            "{field}.material.bend ({} N·m) would be felt more than stretching ({stretch} N/m) in folds of centimetres; \
             cloth has 1e-6 to 1e-3 N·m",
            m.bend
        ));
    }
    warnings
}

/// Numbers that the chosen model does not look at.
fn idle_fields(field: &str, spec: &ClothSpec) -> Vec<String> {
    let m = &spec.material;
    let measured = spec.model == ModelSpec::Kawabata;
    let faces = measured || spec.model == ModelSpec::BaraffWitkin;
    let hinges = match spec.bending {
        BendingSpec::Model => faces || is_limit(spec.model),
        bending => with_angles(bending),
    };
    let checks = [
        (
            m.weft_stretch_stiffness.is_some() && !faces,
            "weft_stretch_stiffness",
            "does nothing in this model",
        ),
        (
            m.hourglass_stiffness.is_some() && spec.model != ModelSpec::Isometric,
            "hourglass_stiffness",
            "does nothing in this model",
        ),
        (
            m.weft_bend.is_some() && !hinges,
            "weft_bend",
            "does nothing without dihedral or curvature bending",
        ),
        (
            m.weak_springs.is_some()
                && !matches!(spec.model, ModelSpec::Inequality | ModelSpec::Area),
            "weak_springs",
            "belong to the models inequality and area",
        ),
        (
            m.fabric.is_some() && !measured,
            "fabric",
            "only its density counts unless model = \"kawabata\"",
        ),
        (
            !m.curves.is_empty() && !measured,
            "curves",
            "they count only with model = \"kawabata\"",
        ),
    ];
    let idle = checks.into_iter().filter(|(idle, ..)| *idle);
    idle.map(|(_, name, what)| format!("{field}.material.{name}: {what}"))
        .collect()
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
    source: &SceneSource,
    field: &str,
    spec: &mut ClothSpec,
    fabric: Option<&Fabric>,
    sheet: &Sheet,
) -> Result<Vec<EnergyBatch>, SceneError> {
    let mut batches = membrane(source, field, spec, fabric, sheet)?;
    let bending = match (spec.bending, spec.model) {
        (BendingSpec::Model, ModelSpec::BaraffWitkin | ModelSpec::Kawabata) => {
            match spec.fold.law {
                FoldLawSpec::Angle => BendingSpec::Curvature,
                FoldLawSpec::HalfAngle => BendingSpec::Dihedral,
            }
        }
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
            let bend = QuadraticBend::new(topology, rest, first, m.bend, damping);
            batches.push(EnergyBatch::Quadratic(bend));
        }
        BendingSpec::LinearSprings => {
            flat("linear-springs")?;
            let springs = bend_springs(topology, rest, m.bend, damping, first);
            batches.push(EnergyBatch::BendSprings(springs));
        }
    }
    Ok(batches)
}

/// What resists stretch and shear, with the bending that belongs to it where the scene leaves it to the model.
fn membrane(
    source: &SceneSource,
    field: &str,
    spec: &ClothSpec,
    fabric: Option<&Fabric>,
    sheet: &Sheet,
) -> Result<Vec<EnergyBatch>, SceneError> {
    let m = &spec.material;
    let own_bend = if spec.bending == BendingSpec::Model {
        m.bend
    } else {
        0.0
    };
    let (topology, rest, first) = (sheet.topology, sheet.rest, sheet.first_node);
    let law = match spec.model {
        ModelSpec::Inequality | ModelSpec::Area => return Ok(weak_springs(spec, sheet)),
        ModelSpec::Isometric => match m.hourglass_stiffness.unwrap_or(DEFAULT_HOURGLASS) {
            0.0 => return Ok(Vec::new()),
            stiffness => hourglass(spec, stiffness),
        },
        ModelSpec::QuasiInextensible => {
            let material = MassSpringMaterial {
                stretch: 0.0,
                shear: m.shear_stiffness,
                bend: 0.0,
                damping: m.damping,
            };
            let springs = mass_spring(topology, rest, &material).batch(first, m.damping);
            return Ok(vec![EnergyBatch::Springs(springs)]);
        }
        ModelSpec::MassSpring => {
            let material = MassSpringMaterial {
                stretch: m.stretch_stiffness,
                shear: m.shear_stiffness,
                bend: own_bend,
                damping: m.damping,
            };
            let springs = mass_spring(topology, rest, &material).batch(first, m.damping);
            return Ok(vec![EnergyBatch::Springs(springs)]);
        }
        ModelSpec::ChoiKo => {
            let material = ChoiKoMaterial {
                stretch: m.stretch_stiffness,
                shear: m.shear_stiffness,
                bend: own_bend,
                damping: m.damping,
            };
            let pairs = choi_ko(topology, rest, &material).batch(first, m.damping);
            return Ok(vec![EnergyBatch::ChoiKo(pairs)]);
        }
        ModelSpec::BaraffWitkin => MembraneLaw::BaraffWitkin(BaraffWitkin {
            stretch: [
                m.stretch_stiffness,
                m.weft_stretch_stiffness.unwrap_or(m.stretch_stiffness),
            ],
            shear: m.shear_stiffness,
            stretch_damping: [m.damping; 2],
            shear_damping: m.damping,
            hessian: hessian(spec.hessian),
            ..Default::default()
        }),
        ModelSpec::Kawabata => {
            MembraneLaw::Kawabata(measured_membrane(source, field, spec, fabric)?)
        }
    };
    let failed = |error: toile::energy::MembraneError| {
        source.error(&format!("{field}.material"), error.to_string())
    };
    let triangles = MembraneBatch::triangles(topology, rest, first, law.clone()).map_err(failed)?;
    let quads = MembraneBatch::quads(topology, rest, first, law).map_err(failed)?;
    let mut batches = Vec::new();
    if !triangles.faces().is_empty() {
        batches.push(EnergyBatch::Triangles(triangles));
    }
    if !quads.faces().is_empty() {
        batches.push(EnergyBatch::Quads(quads));
    }
    Ok(batches)
}

/// The weak springs of a model that is held by its limit, if it has any.
fn weak_springs(spec: &ClothSpec, sheet: &Sheet) -> Vec<EnergyBatch> {
    let m = &spec.material;
    let (stiffness, on) = match spec.model {
        ModelSpec::Area => (m.weak_springs.unwrap_or(AREA_SPRINGS), EdgeKinds::Cross),
        _ => (m.weak_springs.unwrap_or(0.0), EdgeKinds::All),
    };
    if stiffness == 0.0 {
        return Vec::new();
    }
    let springs = MassSpring::uniform(sheet.topology, sheet.rest, stiffness, on);
    vec![EnergyBatch::Springs(
        springs.batch(sheet.first_node, m.damping),
    )]
}

/// A weak membrane for cloth whose metric is held at the nodes. What the metric sees is not strained, so the membrane is felt only by
/// strain that alternates from face to face.
fn hourglass(spec: &ClothSpec, stiffness: f64) -> MembraneLaw {
    MembraneLaw::BaraffWitkin(BaraffWitkin {
        stretch: [stiffness; 2],
        shear: 0.5 * stiffness,
        stretch_damping: [spec.material.damping; 2],
        shear_damping: spec.material.damping,
        hessian: hessian(spec.hessian),
        ..Default::default()
    })
}

fn hessian(spec: HessianSpec) -> Hessian {
    match spec {
        HessianSpec::Projected => Hessian::Projected,
        HessianSpec::GaussNewton => Hessian::GaussNewton,
        HessianSpec::Exact => Hessian::Exact,
    }
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

fn measured_membrane(
    source: &SceneSource,
    field: &str,
    spec: &ClothSpec,
    fabric: Option<&Fabric>,
) -> Result<Kawabata, SceneError> {
    let m = &spec.material;
    let curves = &m.curves;
    let warp = curve(
        source,
        field,
        ("tensile_warp", &curves.tensile_warp),
        fabric.map(|f| &f.tensile_warp),
        m.stretch_stiffness,
    )?;
    let weft = if curves.tensile_weft.is_empty() && !curves.tensile_warp.is_empty() {
        warp.clone()
    } else {
        curve(
            source,
            field,
            ("tensile_weft", &curves.tensile_weft),
            fabric.map(|f| &f.tensile_weft),
            m.weft_stretch_stiffness.unwrap_or(m.stretch_stiffness),
        )?
    };
    let shear = curve(
        source,
        field,
        ("shear", &curves.shear),
        fabric.map(|f| &f.shear),
        m.shear_stiffness,
    )?;
    Ok(Kawabata {
        tensile: [warp, weft],
        shear,
        tensile_damping: [m.damping; 2],
        shear_damping: m.damping,
        hessian: hessian(spec.hessian),
        damping_in_stiffness: false,
    })
}

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
        m.bend,
    )?;
    let weft = if curves.bend_weft.is_empty() && !curves.bend_warp.is_empty() {
        warp.clone()
    } else {
        curve(
            source,
            field,
            ("bend_weft", &curves.bend_weft),
            fabric.map(|f| &f.bending_weft),
            m.weft_bend.unwrap_or(m.bend),
        )?
    };
    Ok(BendLaw::Curve([warp, weft]))
}

fn hinges(
    source: &SceneSource,
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
    let rigidity = [
        spec.material.bend,
        spec.material.weft_bend.unwrap_or(spec.material.bend),
    ];
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
            *path = absolute(source, path);
            let mesh = read_mesh(path).map_err(|error| source.error(&place, error.to_string()))?;
            sculpted = mesh.positions;
            RestAngles::Positions(&sculpted)
        }
    };
    let rest_angles = hinges
        .rest_angles(rest)
        .map_err(|error| source.error(&format!("{field}.fold.rest"), error.to_string()))?;
    let curvature =
        plate.then(|| ClothCurvature::new(sheet.topology, sheet.rest, &hinges, &material));
    let mut energy = HingeEnergy::new(hinges, rest_angles, crease(&spec.fold));
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
