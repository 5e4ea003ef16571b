//! What sticks to bodies: sticky parts of bodies and adhering parts of cloths.

use super::cloth::intervals;
use super::resolve::{check_not_negative, check_positive, check_vector};
use super::{SceneError, SceneSource};
use crate::spec::{AdhereSpec, RegionSpec, SceneSpec, ShapeSpec, StickySpec};
use toile::contact::{Adhesion, Region};

/// Everything sticky of the scene's bodies.
pub(super) fn sticky_bodies(
    source: &SceneSource,
    spec: &SceneSpec,
) -> Result<Vec<Adhesion>, SceneError> {
    let mut adhesions = Vec::new();
    for (body, (name, spec)) in spec.body.iter().enumerate() {
        for (k, sticky) in spec.sticky.iter().enumerate() {
            let field = format!("body.{name}.sticky[{k}]");
            if let ShapeSpec::Sequence { .. } | ShapeSpec::Gltf { .. } = spec.shape {
                let message = "a body that deforms cannot be sticky; make its sticky part a rigid body that moves along";
                return Err(source.error(&field, message));
            }
            let StickySpec {
                region,
                during,
                strength,
                reach,
            } = sticky;
            let hold = Hold {
                region,
                during,
                strength: *strength,
                reach: *reach,
            };
            adhesions.push(hold.resolve(source, &field, None, Some(body))?);
        }
    }
    Ok(adhesions)
}

/// What an adhering part of a cloth sticks to; `nodes` are numbered over the whole world.
pub(super) fn adhering(
    source: &SceneSource,
    field: &str,
    spec: &AdhereSpec,
    mut nodes: Vec<u32>,
    bodies: &[String],
) -> Result<Adhesion, SceneError> {
    nodes.sort_unstable();
    let number = |name: &String| {
        let known = bodies.iter().position(|body| body == name);
        let place = format!("{field}.body");
        known.ok_or_else(|| source.error(&place, format!("there is no body `{name}`")))
    };
    let body = spec.body.as_ref().map(number).transpose()?;
    let hold = Hold {
        region: &spec.region,
        during: &spec.during,
        strength: spec.strength,
        reach: spec.reach,
    };
    hold.resolve(source, field, Some(nodes), body)
}

/// What sticky bodies and adhering cloths have in common.
struct Hold<'a> {
    region: &'a RegionSpec,
    during: &'a [[f64; 2]],
    strength: Option<f64>,
    reach: f64,
}

impl Hold<'_> {
    fn resolve(
        &self,
        source: &SceneSource,
        field: &str,
        nodes: Option<Vec<u32>>,
        body: Option<usize>,
    ) -> Result<Adhesion, SceneError> {
        if let Some(strength) = self.strength {
            check_positive(source, &format!("{field}.strength"), strength)?;
        }
        check_not_negative(source, &format!("{field}.reach"), self.reach)?;
        Ok(Adhesion {
            nodes,
            body,
            region: region(source, &format!("{field}.region"), self.region)?,
            during: intervals(source, &format!("{field}.during"), self.during)?,
            strength: self.strength.unwrap_or(f64::INFINITY),
            reach: self.reach,
        })
    }
}

fn region(source: &SceneSource, field: &str, spec: &RegionSpec) -> Result<Region, SceneError> {
    Ok(match *spec {
        RegionSpec::Everywhere => Region::Everywhere,
        RegionSpec::Box { min, max } => {
            let min = check_vector(source, &format!("{field}.box.min"), min)?;
            let max = check_vector(source, &format!("{field}.box.max"), max)?;
            if !min.cmplt(max).all() {
                let message = "must be larger than `min` in every coordinate";
                return Err(source.error(&format!("{field}.box.max"), message));
            }
            Region::Box { min, max }
        }
        RegionSpec::Ball { center, radius } => {
            check_positive(source, &format!("{field}.ball.radius"), radius)?;
            Region::Ball {
                center: check_vector(source, &format!("{field}.ball.center"), center)?,
                radius,
            }
        }
    })
}

/// What to say of adhesions that can tear from cloth whose pull they do not see.
pub(super) fn blind_adhesions(spec: &SceneSpec) -> Option<String> {
    let tears = |strength: Option<f64>| strength.is_some();
    let bodies = spec.body.values().flat_map(|b| &b.sticky);
    let cloths = spec.cloth.values().flat_map(|c| &c.adhere);
    let can_tear = bodies.map(|s| s.strength).any(tears) || cloths.map(|a| a.strength).any(tears);
    let limited = spec.cloth.iter().find(|(_, c)| c.limit.is_some());
    match limited {
        Some((name, _)) if can_tear => Some(format!(
            "cloth `{name}` has a limit, and what a limit pulls with is not seen by the strength of sticky bodies"
        )),
        _ => None,
    }
}
