//! Contact: who meets whom, and how they start.

use super::{SceneError, SceneSource};
use crate::spec::{ClothContactSpec, SceneSpec, StartSpec};
use glam::DVec3;
use std::ops::Range;
use toile::contact::intersections;
use toile::model::Model;
use toile::untangle::{Untangled, untangle};

/// Steps that untangling may take.
const STEPS: u32 = 2000;

/// Who meets whom, by number.
#[derive(Debug)]
pub(super) struct Meetings {
    /// Pairs of cloths that meet.
    pub cloths: Vec<[usize; 2]>,
    /// Pairs of a cloth and a body that pass through each other.
    pub passes: Vec<[usize; 2]>,
}

/// Cloths and bodies that go by a name.
#[derive(Default)]
struct Called {
    cloths: Vec<usize>,
    bodies: Vec<usize>,
}

/// Works out who meets whom.
pub(super) fn meetings(source: &SceneSource, spec: &SceneSpec) -> Result<Meetings, SceneError> {
    check_groups(source, spec)?;
    let cloth_names: Vec<&str> = spec.cloth.keys().map(String::as_str).collect();
    let (mut excluded, mut passes) = (Vec::new(), Vec::new());
    for (k, pair) in spec.contact.exclude.iter().enumerate() {
        let place = format!("contact.exclude[{k}]");
        let one = called(source, spec, &place, &pair[0])?;
        let other = called(source, spec, &place, &pair[1])?;
        if one.cloths.is_empty() && other.cloths.is_empty() {
            let message = format!(
                "neither `{}` nor `{}` has a cloth; bodies do not meet",
                pair[0], pair[1]
            );
            return Err(source.error(&place, message));
        }
        for &a in &one.cloths {
            excluded.extend(other.cloths.iter().map(|&b| [a.min(b), a.max(b)]));
        }
        for (cloths, bodies) in [(&one.cloths, &other.bodies), (&other.cloths, &one.bodies)] {
            for &cloth in cloths {
                passes.extend(bodies.iter().map(|&body| [cloth, body]));
            }
        }
    }
    passes.sort_unstable();
    passes.dedup();
    let meets = |&[a, b]: &[usize; 2]| match spec.contact.cloth {
        ClothContactSpec::None => false,
        ClothContactSpec::Itself => a == b,
        ClothContactSpec::Others => a != b,
        ClothContactSpec::All => true,
    };
    let pairs = (0..cloth_names.len()).flat_map(|a| (a..cloth_names.len()).map(move |b| [a, b]));
    let cloths: Vec<_> = pairs
        .filter(meets)
        .filter(|pair| !excluded.contains(pair))
        .collect();
    for &number in cloths.iter().flatten() {
        let name = cloth_names[number];
        if spec.cloth[name].thickness == 0.0 {
            let place = format!("cloth.{name}.thickness");
            let message = "is 0; cloth that meets cloth needs a thickness, which is what keeps it apart. Give it one, or let cloth pass \
                 through cloth: `contact.cloth = \"none\"`";
            return Err(source.error(&place, message));
        }
    }
    Ok(Meetings { cloths, passes })
}

/// Whether groups are of what there is, and go by names of their own.
fn check_groups(source: &SceneSource, spec: &SceneSpec) -> Result<(), SceneError> {
    let names: Vec<&str> = spec
        .cloth
        .keys()
        .chain(spec.body.keys())
        .map(String::as_str)
        .collect();
    for (group, members) in &spec.contact.groups {
        let place = format!("contact.groups.{group}");
        if names.contains(&group.as_str()) {
            let message = "is the name of a cloth or a body; give the group another";
            return Err(source.error(&place, message));
        }
        if members.is_empty() {
            return Err(source.error(&place, "is empty; name cloths or bodies"));
        }
        for member in members {
            source.known(&place, "cloth or body", member, &names)?;
        }
    }
    Ok(())
}

/// What goes by a name: a cloth, a body (or one of each), or a group of them.
fn called(
    source: &SceneSource,
    spec: &SceneSpec,
    place: &str,
    name: &str,
) -> Result<Called, SceneError> {
    let contact = &spec.contact;
    let keys = spec
        .cloth
        .keys()
        .chain(spec.body.keys())
        .chain(contact.groups.keys());
    let names: Vec<&str> = keys.map(String::as_str).collect();
    source.known(place, "cloth, body or group", name, &names)?;
    let single = [name.to_owned()];
    let members = contact.groups.get(name).map_or(&single[..], Vec::as_slice);
    let numbers = |keys: &mut dyn Iterator<Item = &String>| -> Vec<usize> {
        let named = keys.enumerate().filter(|(_, key)| members.contains(key));
        named.map(|(k, _)| k).collect()
    };
    Ok(Called {
        cloths: numbers(&mut spec.cloth.keys()),
        bodies: numbers(&mut spec.body.keys())
            .into_iter()
            .flat_map(|body| engine_bodies(spec, body))
            .collect(),
    })
}

/// The numbers that the engine gives to the parts of a body.
pub(super) fn engine_bodies(spec: &SceneSpec, body: usize) -> Range<usize> {
    let mut counts = spec.body.values().map(|b| b.shape.part_count());
    let first: usize = counts.by_ref().take(body).sum();
    first..first + counts.next().unwrap_or(0)
}

/// Where the cloth really starts: as it is placed, or untangled. What is wrong with it and let be goes into `warnings`.
pub(super) fn start(
    source: &SceneSource,
    spec: &SceneSpec,
    model: Model,
    positions: Vec<DVec3>,
    warnings: &mut Vec<String>,
) -> Result<(Model, Vec<DVec3>), SceneError> {
    let through = intersections_at_start(&model, &positions);
    let inside = nodes_in_bodies(&model, &positions);
    let refuse = |message: String| Err(source.error("contact", message));
    match spec.contact.start {
        StartSpec::Refuse => {
            if let Some(message) = through.or(inside) {
                return refuse(format!(
                    "{message}; place it elsewhere, let it pass (contact.exclude), have it drawn out \
                     (contact.start = \"untangle\") or begin all the same (\"tolerate\"); `toile check SCENE --picture FILE.png` shows where"
                ));
            }
            Ok((model, positions))
        }
        StartSpec::Tolerate => {
            let untangles = through.is_some();
            warnings.extend(through.into_iter().chain(inside));
            let model = match untangles {
                true => model.rebuilt(|parts| parts.untangles = true),
                false => Ok(model),
            };
            let model = model.map_err(|error| source.error("contact", error.to_string()))?;
            Ok((model, positions))
        }
        StartSpec::Untangle => {
            if through.is_none() && inside.is_none() {
                return Ok((model, positions));
            }
            let found = untangle(&model, &positions, STEPS);
            if let Some(left) = pairs_in_words(&model, &found.left) {
                return refuse(format!(
                    "untangling did not help: {left} still intersect after {} steps; place the cloth apart, or let go of nodes that are held",
                    found.steps
                ));
            }
            if let Some(message) = nodes_in_bodies(&model, &found.positions) {
                return refuse(format!("untangling did not help: {message}"));
            }
            warnings.push(in_words(&found));
            Ok((model, found.positions))
        }
    }
}

fn in_words(found: &Untangled) -> String {
    format!(
        "the start was untangled: {} pairs of faces intersected; nodes moved by up to {:.1} mm",
        found.before,
        1e3 * found.farthest
    )
}

/// What to say of cloths that meet and intersect where they start.
fn intersections_at_start(model: &Model, positions: &[DVec3]) -> Option<String> {
    if model.contacts.is_empty() {
        return None;
    }
    let pairs = pairs_in_words(model, &intersections(model, positions))?;
    Some(format!("the cloth intersects at the start: {pairs}"))
}

/// The first of some pairs of faces in words, and how many more there are; `None` without any.
fn pairs_in_words(model: &Model, pairs: &[[u32; 2]]) -> Option<String> {
    let [a, b] = pairs
        .first()?
        .map(|face| name_of_face(model, face as usize));
    let more = match pairs.len() - 1 {
        0 => String::new(),
        1 => ", and another pair".into(),
        more => format!(", and {more} more pairs"),
    };
    Some(format!("{a} and {b}{more}"))
}

/// What to say of nodes that start in a body, deeper than the cloth is thick. (The first step takes out what is less deep.)
fn nodes_in_bodies(model: &Model, positions: &[DVec3]) -> Option<String> {
    let held: Vec<u32> = model
        .pins
        .iter()
        .flat_map(|p| p.nodes.iter().copied())
        .collect();
    let mut found = Vec::new();
    for (b, body) in model.bodies.iter().enumerate() {
        let placed = body.placement(0.0, 0.0);
        for (c, cloth) in model.cloths.iter().enumerate() {
            if model.passes.contains(&[c, b]) {
                continue;
            }
            for node in cloth.nodes.clone() {
                let depth = -placed.sample(positions[node]).distance;
                if depth > 2.0 * cloth.contact_offset && !held.contains(&(node as u32)) {
                    found.push((node - cloth.nodes.start, &cloth.name, &body.name, depth));
                }
            }
        }
    }
    let (node, cloth, body, depth) = found.first()?;
    let more = match found.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Some(format!(
        "node {node} of cloth `{cloth}` starts {:.1} mm inside body `{body}`{more}",
        1e3 * depth
    ))
}

/// A face numbered over all cloths, in words.
fn name_of_face(model: &Model, mut face: usize) -> String {
    for cloth in &model.cloths {
        match face.checked_sub(cloth.topology.faces.len()) {
            Some(rest) => face = rest,
            None => return format!("face {face} of cloth `{}`", cloth.name),
        }
    }
    format!("face {face}")
}
