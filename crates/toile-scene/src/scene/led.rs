//! Pins that lead nodes into each other: they go where they are led, and leave no room for the cloth between them.

use glam::DVec3;
use toile::drive::{Pin, PinPath, RigidPath, Slide};
use toile::model::Model;

/// Times at which the pins' ways are looked at, at the most.
const LOOKS: u32 = 100;
/// Distances that are worked out, at the most.
const WORK: usize = 5_000_000;

/// What to say of nodes of different pins that are led nearer to each other than the cloth is thick, within some seconds.
pub(super) fn led_together(model: &Model, positions: &[DVec3], duration: f64) -> Vec<String> {
    let pins: Vec<(&Pin, &RigidPath, f64)> = model
        .pins
        .iter()
        .filter_map(|pin| {
            let held = pin.held.first().filter(|held| held.from <= 0.0)?;
            match (&pin.path, pin.slide) {
                (PinPath::Carried(path), Slide::Nowhere) => Some((pin, path, held.to)),
                _ => None,
            }
        })
        .collect();
    let mut said = Vec::new();
    for (k, &(one, way, until)) in pins.iter().enumerate() {
        for &(other, other_way, other_until) in &pins[..k] {
            let still = way.is_fixed() && other_way.is_fixed();
            let work = one.nodes.len() * other.nodes.len();
            if still || work == 0 {
                continue;
            }
            let looks = (WORK / work).min(LOOKS as usize);
            let span = duration.min(until).min(other_until);
            let met = (1..=looks).find_map(|look| {
                let time = span * look as f64 / looks as f64;
                let at = |path: &RigidPath, node: u32| {
                    let anchor = path.pose(0.0).unapply(positions[node as usize]);
                    path.pose(time).apply(anchor)
                };
                let there: Vec<DVec3> = other.nodes.iter().map(|&n| at(other_way, n)).collect();
                one.nodes.iter().find_map(|&a| {
                    let here = at(way, a);
                    let mut near = other.nodes.iter().zip(&there);
                    let met = near.find(|(b, p)| p.distance(here) < keep(model, a, **b))?;
                    Some((a, *met.0, time))
                })
            });
            said.extend(met.map(|(a, b, time)| {
                format!(
                    "pins lead {} and {} into each other at {time:.2} s; held nodes go where they are led, and cloth between them has no room",
                    name(model, b),
                    name(model, a)
                )
            }));
        }
    }
    said
}

/// The distance that two nodes keep (m); 0 if their cloths do not meet.
fn keep(model: &Model, a: u32, b: u32) -> f64 {
    let cloth = |n: u32| {
        model
            .cloths
            .iter()
            .position(|c| c.nodes.contains(&(n as usize)))
    };
    match (cloth(a), cloth(b)) {
        (Some(c), Some(d)) if a != b && model.meets(c, d) => {
            model.contact_offsets[a as usize] + model.contact_offsets[b as usize]
        }
        _ => 0.0,
    }
}

fn name(model: &Model, node: u32) -> String {
    let node = node as usize;
    let cloth = model.cloths.iter().find(|c| c.nodes.contains(&node));
    cloth.map_or_else(
        || format!("node {node}"),
        |c| format!("node {} of cloth `{}`", node - c.nodes.start, c.name),
    )
}
