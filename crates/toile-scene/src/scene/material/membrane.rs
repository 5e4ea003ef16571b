//! What resists stretch and shear.

use super::{Sheet, curve, hessian};
use crate::scene::{SceneError, SceneSource};
use crate::spec::{BendingSpec, ClothSpec, ModelSpec};
use toile::energy::{
    BUCKLING, BaraffWitkin, ChoiKoMaterial, EdgeKinds, EnergyBatch, Fabric, Kawabata, MassSpring,
    MassSpringMaterial, MembraneBatch, MembraneLaw, TensionField, choi_ko, mass_spring,
};

/// What keeps triangles from growing thin where areas alone are kept (N/m).
const AREA_SPRINGS: f64 = 80.0;

/// What holds isometric cloth together between the nodes (N/m), unless the scene says otherwise.
const DEFAULT_HOURGLASS: f64 = 1.0;

/// What resists stretch and shear, with the bending that belongs to it where the scene leaves it to the model.
pub(super) fn membrane(
    source: &SceneSource,
    field: &str,
    spec: &ClothSpec,
    fabric: Option<&Fabric>,
    sheet: &Sheet,
) -> Result<Vec<EnergyBatch>, SceneError> {
    let m = &spec.material;
    let own_bend = if spec.bending == BendingSpec::Model {
        m.bending()[0]
    } else {
        0.0
    };
    let (topology, rest, first) = (sheet.topology, sheet.rest, sheet.first_node);
    let law = match spec.model {
        ModelSpec::Inequality | ModelSpec::Area => return Ok(weak_springs(spec, sheet)),
        ModelSpec::Isometric => return Ok(hourglass(spec, sheet)),
        ModelSpec::QuasiInextensible => {
            // The limit alone would do for the lengths, but a solve that does not know of them gives way where it pleases, and
            // what the limit takes back is paid by the springs across: the cloth would never come to rest.
            let stretch = match sheet.is_unified {
                true => 0.0,
                false => m.stretch()[0],
            };
            let material = MassSpringMaterial {
                stretch,
                shear: m.shear(),
                bend: 0.0,
                damping: m.damping,
            };
            let springs = mass_spring(topology, rest, &material).batch(first, m.damping);
            return Ok(vec![EnergyBatch::Springs(springs)]);
        }
        ModelSpec::MassSpring => {
            let material = MassSpringMaterial {
                stretch: m.stretch()[0],
                shear: m.shear(),
                bend: own_bend,
                damping: m.damping,
            };
            let springs = mass_spring(topology, rest, &material).batch(first, m.damping);
            return Ok(vec![EnergyBatch::Springs(springs)]);
        }
        ModelSpec::ChoiKo => {
            let material = ChoiKoMaterial {
                stretch: m.stretch()[0],
                shear: m.shear(),
                bend: own_bend,
                damping: m.damping,
            };
            let pairs = choi_ko(topology, rest, &material).batch(first, m.damping);
            return Ok(vec![EnergyBatch::ChoiKo(pairs)]);
        }
        ModelSpec::BaraffWitkin => MembraneLaw::BaraffWitkin(BaraffWitkin {
            stretch: m.stretch(),
            shear: m.shear(),
            stretch_damping: [m.damping; 2],
            shear_damping: m.damping,
            hessian: hessian(spec.hessian),
            ..Default::default()
        }),
        ModelSpec::TensionField => MembraneLaw::TensionField(TensionField {
            stretch: m.stretch(),
            shear: m.shear(),
            buckling: m.bending().map(|b| BUCKLING * b),
            damping: m.damping,
            hessian: hessian(spec.hessian),
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

/// Weak springs for cloth whose metric is held at the nodes. What the metric sees is not strained, so they are felt only by strain that
/// alternates from face to face.
fn hourglass(spec: &ClothSpec, sheet: &Sheet) -> Vec<EnergyBatch> {
    let m = &spec.material;
    let stiffness = m.hourglass_stiffness.unwrap_or(DEFAULT_HOURGLASS);
    if stiffness == 0.0 {
        return Vec::new();
    }
    let material = MassSpringMaterial {
        stretch: stiffness,
        shear: 0.5 * stiffness,
        bend: 0.0,
        damping: m.damping,
    };
    let springs = mass_spring(sheet.topology, sheet.rest, &material);
    vec![EnergyBatch::Springs(
        springs.batch(sheet.first_node, m.damping),
    )]
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
        m.stretch()[0],
    )?;
    let weft = if curves.tensile_weft.is_empty() && !curves.tensile_warp.is_empty() {
        warp.clone()
    } else {
        curve(
            source,
            field,
            ("tensile_weft", &curves.tensile_weft),
            fabric.map(|f| &f.tensile_weft),
            m.stretch()[1],
        )?
    };
    let shear = curve(
        source,
        field,
        ("shear", &curves.shear),
        fabric.map(|f| &f.shear),
        m.shear(),
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
