//! What a material must be, and what looks like a slip.

use super::super::check::{check_not_negative, check_positive};
use super::{is_limit, with_angles};
use crate::scene::{SceneError, SceneSource};
use crate::spec::{BendingSpec, ClothSpec, MaterialSpec, ModelSpec};
use toile::energy::Fabric;

/// Checks the numbers, fills in those that are not given and finds the fabric.
pub(in crate::scene) fn check_material(
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
    fill_in(spec, fabric.as_ref());
    let m = &spec.material;
    let density = m.density;
    for (name, value) in [
        ("material.density", density),
        ("material.stretch_stiffness", m.stretch_stiffness),
        ("material.weft_stretch_stiffness", m.weft_stretch_stiffness),
        ("fold.yield_curvature", spec.fold.yield_curvature),
        ("fold.yield_angle", spec.fold.yield_angle),
    ] {
        if let Some(value) = value {
            check_positive(source, &format!("{field}.{name}"), value)?;
        }
    }
    for (name, value) in [
        ("material.shear_stiffness", m.shear_stiffness),
        ("material.hourglass_stiffness", m.hourglass_stiffness),
        ("material.bend", m.bend),
        ("material.weft_bend", m.weft_bend),
        ("material.bend_hysteresis", m.bend_hysteresis),
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
        ("friction", Some(spec.friction)),
        ("compression", Some(spec.compression)),
    ] {
        if let Some(value) = value {
            check_not_negative(source, &format!("{field}.{name}"), value)?;
        }
    }
    if spec.model == ModelSpec::TensionField && spec.material.shear() == 0.0 {
        let message = "is 0, and a tension field needs some; woven cloth has tens of N/m. Without any take `model = \"baraff-witkin\"`";
        return Err(source.error(&format!("{field}.material.shear_stiffness"), message));
    }
    if spec
        .material
        .bend_hysteresis
        .is_some_and(|width| width > 0.0)
    {
        let place = format!("{field}.material.bend_hysteresis");
        let creases = spec.fold.yield_angle.is_some() || spec.fold.yield_curvature.is_some();
        let reason = if creases {
            "is friction between threads, and `fold` has creases; one cloth has the one or the other"
        } else if spec.material.bending().contains(&0.0) {
            "needs a rigidity that is not 0: `material.bend`"
        } else {
            ""
        };
        if !reason.is_empty() {
            return Err(source.error(&place, reason));
        }
    }
    if spec.fold.yield_angle.is_some() && spec.fold.yield_curvature.is_some() {
        let place = format!("{field}.fold.yield_angle");
        return Err(source.error(&place, "give `yield_angle` or `yield_curvature`, not both"));
    }
    Ok(fabric)
}

/// What looks wrong though it can be simulated.
pub(in crate::scene) fn material_warnings(field: &str, spec: &ClothSpec) -> Vec<String> {
    let m = &spec.material;
    let ([stretch, weft], [bend, weft_bend]) = (m.stretch(), m.bending());
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
    compare(
        "weft_stretch_stiffness",
        weft,
        "stretch_stiffness",
        stretch,
        1e3,
    );
    compare(
        "shear_stiffness",
        m.shear(),
        "stretch_stiffness",
        stretch,
        1e5,
    );
    compare("weft_bend", weft_bend, "bend", bend, 1e3);
    warnings.extend(idle_fields(field, spec));
    warnings.extend(odd_density(field, m.density));
    if bend >= 1e-2 * stretch {
        warnings.push(format!(
            "{field}.material.bend ({bend} N·m) would be felt more than stretching ({stretch} N/m) in folds of centimetres; \
             cloth has 1e-6 to 1e-3 N·m"
        ));
    }
    warnings
}

/// A mass per area that no cloth has (kg/m²).
fn odd_density(field: &str, density: Option<f64>) -> Option<String> {
    let density = density.filter(|d| !(0.005..=5.0).contains(d))?;
    let grams = match (5.0..=5000.0).contains(&density) {
        true => format!("; if it is in g/m², write {}", density / 1e3),
        false => String::new(),
    };
    Some(format!(
        "{field}.material.density is {density} kg/m², and cloth has 0.02 to 1{grams}"
    ))
}

/// Writes down what the scene leaves to the fabric, or to the default cotton. A number that is given counts for warp and weft
/// unless that of the weft is given too.
fn fill_in(spec: &mut ClothSpec, fabric: Option<&Fabric>) {
    let ([has_faces, has_hinges], m) = (tells_weft(spec), &mut spec.material);
    let density = fabric.map_or(MaterialSpec::DENSITY, |f| f.density);
    m.density.get_or_insert(density);
    if m.stretch_stiffness.is_none()
        && let Some([_, weft]) = fabric.filter(|_| has_faces).map(Fabric::stretch)
    {
        m.weft_stretch_stiffness.get_or_insert(weft);
    }
    if m.bend.is_none()
        && let Some([_, weft]) = fabric.filter(|_| has_hinges).map(Fabric::bending)
    {
        m.weft_bend.get_or_insert(weft);
    }
    let stretch = fabric.map_or(MaterialSpec::STRETCH, |f| f.stretch()[0]);
    m.stretch_stiffness.get_or_insert(stretch);
    let shear = fabric.map_or(MaterialSpec::SHEAR, Fabric::shear_stiffness);
    m.shear_stiffness.get_or_insert(shear);
    let bend = fabric.map_or(MaterialSpec::BEND, |f| f.bending()[0]);
    m.bend.get_or_insert(bend);
}

/// Whether stretch and bending of warp and weft may differ.
fn tells_weft(spec: &ClothSpec) -> [bool; 2] {
    use ModelSpec::{BaraffWitkin, Kawabata, TensionField};
    let faces = matches!(spec.model, BaraffWitkin | TensionField | Kawabata);
    let hinges = match spec.bending {
        BendingSpec::Model => faces || is_limit(spec.model),
        bending => with_angles(bending),
    };
    [faces, hinges]
}

/// Numbers that the chosen model does not look at.
fn idle_fields(field: &str, spec: &ClothSpec) -> Vec<String> {
    let m = &spec.material;
    let measured = spec.model == ModelSpec::Kawabata;
    let [faces, hinges] = tells_weft(spec);
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
            m.bend_hysteresis.is_some() && (!hinges || measured),
            "bend_hysteresis",
            "does nothing without dihedral or curvature bending, nor with model = \"kawabata\", which bends by curves",
        ),
        (
            m.weak_springs.is_some()
                && !matches!(spec.model, ModelSpec::Inequality | ModelSpec::Area),
            "weak_springs",
            "belong to the models inequality and area",
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
