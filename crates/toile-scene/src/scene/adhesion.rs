//! What sticks: sticky parts of bodies and cloths, and adhering parts of cloths.

use super::cloth::{ResolvedCloth, Selection, intervals, select};
use super::resolve::{check_not_negative, check_positive, check_vector};
use super::{SceneError, SceneSource};
use crate::spec::{AdhereSpec, RegionSpec, SceneSpec, SelectSpec, StickyClothSpec, StickySpec};
use toile::contact::{Adhesion, Region, Sticky};

/// Everything of a scene that sticks: what is sticky of its bodies, then what its cloths adhere with, then what is sticky of them.
pub(super) fn adhesions(
    source: &SceneSource,
    spec: &SceneSpec,
    cloths: &[ResolvedCloth],
    meetings: &[[usize; 2]],
) -> Result<Vec<Adhesion>, SceneError> {
    let resolver = Resolver {
        source,
        spec,
        cloths,
        meetings,
    };
    let mut adhesions = Vec::new();
    for (body, (name, spec)) in spec.body.iter().enumerate() {
        for (k, sticky) in spec.sticky.iter().enumerate() {
            let field = format!("body.{name}.sticky[{k}]");
            adhesions.push(resolver.sticky_body(&field, sticky, body)?);
        }
    }
    for (cloth, (name, spec)) in spec.cloth.iter().enumerate() {
        for (k, adhere) in spec.adhere.iter().enumerate() {
            let field = format!("cloth.{name}.adhere[{k}]");
            adhesions.push(resolver.adhering(&field, adhere, cloth)?);
        }
        for (k, sticky) in spec.sticky.iter().enumerate() {
            let field = format!("cloth.{name}.sticky[{k}]");
            adhesions.push(resolver.sticky_cloth(&field, sticky, cloth)?);
        }
    }
    Ok(adhesions)
}

struct Resolver<'a> {
    source: &'a SceneSource,
    spec: &'a SceneSpec,
    cloths: &'a [ResolvedCloth],
    /// Pairs of cloths that may not pass through each other.
    meetings: &'a [[usize; 2]],
}

impl Resolver<'_> {
    fn sticky_body(
        &self,
        field: &str,
        sticky: &StickySpec,
        body: usize,
    ) -> Result<Adhesion, SceneError> {
        let to = Sticky::Body {
            body: Some(body),
            region: region(self.source, &format!("{field}.region"), &sticky.region)?,
        };
        self.adhesion(
            field,
            (None, to),
            &sticky.during,
            (sticky.strength, sticky.reach),
        )
    }

    fn sticky_cloth(
        &self,
        field: &str,
        sticky: &StickyClothSpec,
        cloth: usize,
    ) -> Result<Adhesion, SceneError> {
        let nodes = self.nodes(&format!("{field}.select"), sticky.select.as_ref(), cloth)?;
        if !(0..self.cloths.len()).any(|other| self.meets(cloth, other)) {
            return Err(self.source.error(field, PASSES));
        }
        let to = Sticky::Cloth { nodes };
        self.adhesion(
            field,
            (None, to),
            &sticky.during,
            (sticky.strength, sticky.reach),
        )
    }

    fn adhering(
        &self,
        field: &str,
        spec: &AdhereSpec,
        cloth: usize,
    ) -> Result<Adhesion, SceneError> {
        let nodes = self.nodes(&format!("{field}.select"), Some(&spec.select), cloth)?;
        let to = match &spec.cloth {
            Some(name) => self.on_cloth(field, spec, cloth, name)?,
            None => self.on_bodies(field, spec)?,
        };
        self.adhesion(
            field,
            (Some(nodes), to),
            &spec.during,
            (spec.strength, spec.reach),
        )
    }

    fn on_bodies(&self, field: &str, spec: &AdhereSpec) -> Result<Sticky, SceneError> {
        let error = |name: &str, message: String| {
            let place = format!("{field}.{name}");
            self.source.error(&place, message)
        };
        if spec.on.is_some() {
            let message = "is a part of a cloth; name that with `cloth`".to_owned();
            return Err(error("on", message));
        }
        let number = |name: &String| {
            let known = self.spec.body.keys().position(|body| body == name);
            known.ok_or_else(|| error("body", format!("there is no body `{name}`")))
        };
        Ok(Sticky::Body {
            body: spec.body.as_ref().map(number).transpose()?,
            region: region(self.source, &format!("{field}.region"), &spec.region)?,
        })
    }

    fn on_cloth(
        &self,
        field: &str,
        spec: &AdhereSpec,
        cloth: usize,
        name: &str,
    ) -> Result<Sticky, SceneError> {
        let error = |name: &str, message: String| {
            let place = format!("{field}.{name}");
            Err(self.source.error(&place, message))
        };
        let Some(other) = self.spec.cloth.keys().position(|known| known == name) else {
            return error("cloth", format!("there is no cloth `{name}`"));
        };
        if spec.body.is_some() {
            let message = "stands beside `cloth`; nodes that stick to both need two entries";
            return error("body", message.to_owned());
        }
        if spec.region != RegionSpec::Everywhere {
            let message = "is a part of a body; a part of a cloth is named by `on`";
            return error("region", message.to_owned());
        }
        if !self.meets(cloth, other) {
            return error("cloth", PASSES.to_owned());
        }
        let nodes = self.nodes(&format!("{field}.on"), spec.on.as_ref(), other)?;
        Ok(Sticky::Cloth { nodes })
    }

    /// Whether two cloths may not pass through each other.
    fn meets(&self, a: usize, b: usize) -> bool {
        self.meetings.contains(&[a, b]) || self.meetings.contains(&[b, a])
    }

    /// The nodes that a selection names in a cloth, or all of it; numbered over the whole world, in order.
    fn nodes(
        &self,
        field: &str,
        spec: Option<&SelectSpec>,
        cloth: usize,
    ) -> Result<Vec<u32>, SceneError> {
        let ResolvedCloth {
            cloth, positions, ..
        } = &self.cloths[cloth];
        let selection = Selection {
            topology: &cloth.topology,
            rest: &cloth.rest,
            positions,
        };
        let mut nodes = match spec {
            Some(spec) => select(self.source, field, spec, &selection)?,
            None => (0..positions.len() as u32).collect(),
        };
        nodes
            .iter_mut()
            .for_each(|n| *n += cloth.nodes.start as u32);
        nodes.sort_unstable();
        Ok(nodes)
    }

    fn adhesion(
        &self,
        field: &str,
        (nodes, to): (Option<Vec<u32>>, Sticky),
        during: &[[f64; 2]],
        (strength, reach): (Option<f64>, f64),
    ) -> Result<Adhesion, SceneError> {
        if let Some(strength) = strength {
            check_positive(self.source, &format!("{field}.strength"), strength)?;
        }
        check_not_negative(self.source, &format!("{field}.reach"), reach)?;
        Ok(Adhesion {
            nodes,
            to,
            during: intervals(self.source, &format!("{field}.during"), during)?,
            strength: strength.unwrap_or(f64::INFINITY),
            reach,
        })
    }
}

/// What to say of cloth that nothing can touch.
const PASSES: &str =
    "cloth that passes through cloth does not touch it; let `contact.cloth` say that they meet";

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

/// What to say of adhesions to bodies that can tear from cloth whose pull they do not see.
pub(super) fn blind_adhesions(spec: &SceneSpec) -> Option<String> {
    let tears = |strength: Option<f64>| strength.is_some();
    let bodies = spec.body.values().flat_map(|b| &b.sticky);
    let cloths = spec.cloth.values().flat_map(|c| &c.adhere);
    let cloths = cloths.filter(|a| a.cloth.is_none());
    let can_tear = bodies.map(|s| s.strength).any(tears) || cloths.map(|a| a.strength).any(tears);
    let limited = spec.cloth.iter().find(|(_, c)| c.limit.is_some());
    match limited {
        Some((name, _)) if can_tear => Some(format!(
            "cloth `{name}` has a limit, and what a limit pulls with is not seen by the strength with which cloth sticks to bodies"
        )),
        _ => None,
    }
}
