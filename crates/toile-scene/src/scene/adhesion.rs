//! What sticks: sticky parts of bodies and cloths, and adhering parts of cloths.

use super::check::{check_not_negative, check_positive, check_vector};
use super::cloth::{ResolvedCloth, Selection, intervals, select};
use super::contact::engine_bodies;
use super::motion::place;
use super::{SceneError, SceneSource};
use crate::spec::{
    AdhereSpec, ClothSpec, LimitSpec, PartSpec, RegionSpec, SceneSpec, SelectSpec, ShapeSpec,
    StickyClothSpec, StickySpec,
};
use toile::contact::{Adhesion, Region, Sticky};
use toile::drive::Pose;

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
            adhesions.extend(resolver.sticky_body(&field, sticky, body)?);
        }
    }
    for (cloth, (name, spec)) in spec.cloth.iter().enumerate() {
        for (k, adhere) in spec.adhere.iter().enumerate() {
            let field = format!("cloth.{name}.adhere[{k}]");
            adhesions.extend(resolver.adhering(&field, adhere, cloth)?);
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
    ) -> Result<Vec<Adhesion>, SceneError> {
        let parts = self.parts_of(&format!("{field}.region"), &sticky.region, body)?;
        let strong = (sticky.strength, sticky.reach);
        let parts = parts.into_iter();
        parts
            .map(|to| self.adhesion(field, (None, to), &sticky.during, strong))
            .collect()
    }

    /// A region of a body, as the regions of its parts.
    fn parts_of(
        &self,
        field: &str,
        spec: &RegionSpec,
        body: usize,
    ) -> Result<Vec<Sticky>, SceneError> {
        let region = region(self.source, field, spec)?;
        let numbers = engine_bodies(self.spec, body);
        let Some((name, body)) = self.spec.body.iter().nth(body) else {
            return Ok(Vec::new());
        };
        let ShapeSpec::Parts(parts) = &body.shape else {
            let body = Some(numbers.start);
            return Ok(vec![Sticky::Body { body, region }]);
        };
        let part = |(number, (k, part)): (usize, (usize, &PartSpec))| {
            let place_field = format!("body.{name}.shape.parts[{k}].place");
            let pose = place(self.source, &place_field, &part.place)?;
            let region = seen_from(&region, &pose).ok_or_else(|| {
                let message = format!("is a box, but part {k} of the body is turned; take a ball");
                self.source.error(field, message)
            })?;
            let body = Some(number);
            Ok(Sticky::Body { body, region })
        };
        numbers.zip(parts.iter().enumerate()).map(part).collect()
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
    ) -> Result<Vec<Adhesion>, SceneError> {
        let nodes = self.nodes(&format!("{field}.select"), Some(&spec.select), cloth)?;
        let to = match &spec.cloth {
            Some(name) => vec![self.on_cloth(field, spec, cloth, name)?],
            None => self.on_bodies(field, spec)?,
        };
        let strong = (spec.strength, spec.reach);
        let one = |to| self.adhesion(field, (Some(nodes.clone()), to), &spec.during, strong);
        to.into_iter().map(one).collect()
    }

    fn on_bodies(&self, field: &str, spec: &AdhereSpec) -> Result<Vec<Sticky>, SceneError> {
        let error = |name: &str, message: String| {
            let place = format!("{field}.{name}");
            self.source.error(&place, message)
        };
        if spec.on.is_some() {
            let message = "is a part of a cloth; name that with `cloth`".to_owned();
            return Err(error("on", message));
        }
        let region_field = format!("{field}.region");
        let Some(name) = &spec.body else {
            let mut shapes = self.spec.body.values().map(|body| &body.shape);
            let has_parts = shapes.any(|shape| matches!(shape, ShapeSpec::Parts(_)));
            if has_parts && spec.region != RegionSpec::Everywhere {
                let message = "is in the frame of a body, and one has several parts; say which body with `body`";
                return Err(error("region", message.to_owned()));
            }
            let region = region(self.source, &region_field, &spec.region)?;
            return Ok(vec![Sticky::Body { body: None, region }]);
        };
        let known = self.spec.body.keys().position(|body| body == name);
        let known = known.ok_or_else(|| error("body", format!("there is no body `{name}`")))?;
        self.parts_of(&region_field, &spec.region, known)
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

/// A region of a body in the frame of a part; a box stays one only if the part is not turned.
fn seen_from(region: &Region, part: &Pose) -> Option<Region> {
    Some(match *region {
        Region::Everywhere => Region::Everywhere,
        Region::Ball { center, radius } => Region::Ball {
            center: part.unapply(center),
            radius,
        },
        Region::Box { min, max } => {
            if !part.rotation.is_near_identity() {
                return None;
            }
            let shift = part.translation;
            Region::Box {
                min: min - shift,
                max: max - shift,
            }
        }
    })
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

/// Whether cloth sticks to bodies with a strength that ends.
pub(super) fn can_tear_off(spec: &SceneSpec) -> bool {
    let bodies = spec.body.values().flat_map(|b| &b.sticky);
    let cloths = spec.cloth.values().flat_map(|c| &c.adhere);
    let cloths = cloths.filter(|a| a.cloth.is_none());
    let mut strengths = bodies.map(|s| s.strength).chain(cloths.map(|a| a.strength));
    strengths.any(|strength| strength.is_some())
}

/// What to say of adhesions to bodies that can tear from cloth whose pull they do not see.
pub(super) fn blind_adhesions(spec: &SceneSpec) -> Option<String> {
    let has_limit = |c: &ClothSpec| c.limit.as_ref().is_some_and(|l| *l != LimitSpec::None);
    let limited = spec.cloth.iter().find(|(_, c)| has_limit(c));
    match limited {
        Some((name, _)) if can_tear_off(spec) => Some(format!(
            "cloth `{name}` has a limit, and what a limit pulls with is not seen by the strength with which cloth sticks to bodies"
        )),
        _ => None,
    }
}
