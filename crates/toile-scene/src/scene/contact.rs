//! Contact between cloths: who meets whom, and how they start.

use super::{SceneError, SceneSource};
use crate::spec::{ClothContactSpec, SceneSpec};
use glam::DVec3;
use toile::contact::intersections;
use toile::model::Model;

/// The pairs of cloths that meet, by number.
pub(super) fn pairs_that_meet(
    source: &SceneSource,
    spec: &SceneSpec,
) -> Result<Vec<[usize; 2]>, SceneError> {
    let names: Vec<&String> = spec.cloth.keys().collect();
    let mut excluded = Vec::new();
    for (k, pair) in spec.contact.exclude.iter().enumerate() {
        let number = |name: &String| {
            let place = format!("contact.exclude[{k}]");
            let known = names.iter().position(|n| *n == name);
            known.ok_or_else(|| source.error(&place, format!("there is no cloth `{name}`")))
        };
        let [a, b] = [number(&pair[0])?, number(&pair[1])?];
        excluded.push([a.min(b), a.max(b)]);
    }
    let meets = |&[a, b]: &[usize; 2]| match spec.contact.cloth {
        ClothContactSpec::None => false,
        ClothContactSpec::Itself => a == b,
        ClothContactSpec::Others => a != b,
        ClothContactSpec::All => true,
    };
    let pairs = (0..names.len()).flat_map(|a| (a..names.len()).map(move |b| [a, b]));
    let pairs: Vec<_> = pairs
        .filter(meets)
        .filter(|pair| !excluded.contains(pair))
        .collect();
    for &number in pairs.iter().flatten() {
        let name = names[number];
        if spec.cloth[name].thickness == 0.0 {
            let place = format!("cloth.{name}.thickness");
            let message =
                "is 0; cloth that meets cloth needs a thickness, which is what keeps it apart";
            return Err(source.error(&place, message));
        }
    }
    Ok(pairs)
}

/// What to say of cloths that meet and intersect where they start.
pub(super) fn intersections_at_start(model: &Model, positions: &[DVec3]) -> Option<String> {
    if model.contacts.is_empty() {
        return None;
    }
    let found = intersections(model, positions);
    let [a, b] = found
        .first()?
        .map(|face| name_of_face(model, face as usize));
    let more = match found.len() - 1 {
        0 => String::new(),
        1 => ", and another pair".into(),
        more => format!(", and {more} more pairs"),
    };
    Some(format!(
        "the cloth intersects at the start: {a} and {b}{more}; place it apart, let it pass (contact.exclude), or begin all the \
         same with contact.start = \"tolerate\""
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
