//! Seams: from names and selections to stitches.

use super::check::{check_not_negative, check_positive};
use super::cloth::{Selection, select};
use super::{SceneError, SceneSource};
use crate::spec::{ClothSpec, ConstraintsSpec, ModelSpec, SceneSpec, SeamEdgeSpec, SelectSpec};
use glam::DVec3;
use toile::energy::{Closing, Seam, SeamError, SeamPath, Thread};
use toile::model::Cloth;

/// The seams of a scene, with the cloths where they start.
pub(super) fn seams(
    source: &SceneSource,
    spec: &SceneSpec,
    cloths: &[Cloth],
    positions: &[DVec3],
) -> Result<Vec<Seam>, SceneError> {
    let mut seams = Vec::new();
    for (k, seam) in spec.seam.iter().enumerate() {
        let field = format!("seam[{k}]");
        let at = |key: &str| format!("{field}.{key}");
        check_not_negative(source, &at("from"), seam.from)?;
        check_not_negative(source, &at("until"), seam.until)?;
        check_not_negative(source, &at("gap"), seam.gap)?;
        check_not_negative(source, &at("damping"), seam.damping)?;
        check_positive(source, &at("stiffness"), seam.stiffness)?;
        if seam.until < seam.from {
            let message = format!(
                "is {}, before `from`, which is {}; a seam is closed after it begins to close",
                seam.until, seam.from
            );
            return Err(source.error(&at("until"), message));
        }
        let first = edge(source, &at("first"), &seam.first, cloths, positions)?;
        let second = edge(source, &at("second"), &seam.second, cloths, positions)?;
        let second = facing(&first, second, positions, seam.reverse);
        let thread = Thread {
            closing: Closing {
                from: seam.from,
                until: seam.until,
            },
            gap: seam.gap,
            stiffness: seam.stiffness,
            damping_time: seam.damping,
        };
        let sewn = Seam::sew(&[first, second], positions, thread);
        seams.push(sewn.map_err(|error| source.error(&field, in_words(&error, cloths)))?);
    }
    Ok(seams)
}

/// Stiffness along the edges (N/m) of isometric and of inequality cloth that is sewn, if none is given. Limits come after the solve that closes seams, and a solve that does not know
/// of lengths has nothing to hang on a seam but the row of nodes next to it: the limit would pull it open again.
const SEWN_ISOMETRIC: f64 = 1000.0;
const SEWN_INEQUALITY: f64 = 50.0;

/// Gives cloths that are sewn the springs that let the solve know of their lengths.
pub(super) fn stiffen_sewn(spec: &mut SceneSpec) {
    if spec.time.constraints == ConstraintsSpec::Unified {
        return;
    }
    for (name, cloth) in &mut spec.cloth {
        let is_sewn = |edge: &SeamEdgeSpec| edge.cloth == *name;
        if !spec
            .seam
            .iter()
            .any(|s| is_sewn(&s.first) || is_sewn(&s.second))
        {
            continue;
        }
        let material = &mut cloth.material;
        match cloth.model {
            ModelSpec::Isometric => {
                material.hourglass_stiffness.get_or_insert(SEWN_ISOMETRIC);
            }
            ModelSpec::Inequality => {
                material.weak_springs.get_or_insert(SEWN_INEQUALITY);
            }
            _ => {}
        }
    }
}

/// What to say of seams that limits pull open, since they come after the solve that closes them.
pub(super) fn loose_seams(spec: &SceneSpec) -> Option<String> {
    if spec.time.constraints == ConstraintsSpec::Unified {
        return None;
    }
    let sewn = spec.seam.iter().flat_map(|s| [&s.first, &s.second]);
    let mut sewn = sewn.map(|edge| &edge.cloth);
    sewn.find_map(|name| {
        let cloth = spec.cloth.get(name)?;
        let mend = opens(cloth)?;
        Some(format!(
            "cloth `{name}` has a limit that pulls seams open again where cloth hangs on them; {mend}"
        ))
    })
}

/// How to keep a cloth's seams closed, if its limit opens them.
fn opens(cloth: &ClothSpec) -> Option<&'static str> {
    let below = |given: Option<f64>, least: f64| given.is_some_and(|k| k < least);
    let m = &cloth.material;
    match cloth.model {
        ModelSpec::Area => Some("by millimetres with kept areas: sew another model"),
        ModelSpec::Isometric if below(m.hourglass_stiffness, SEWN_ISOMETRIC) => {
            Some("give it a `material.hourglass_stiffness` of 1000")
        }
        ModelSpec::Inequality if below(m.weak_springs, SEWN_INEQUALITY) => {
            Some("give it `material.weak_springs` of 50")
        }
        _ => None,
    }
}

/// The error with nodes as the user numbers them.
fn in_words(error: &SeamError, cloths: &[Cloth]) -> String {
    let SeamError::ToItself { node } = *error else {
        return error.to_string();
    };
    let node = node as usize;
    let Some(cloth) = cloths.iter().find(|c| c.nodes.contains(&node)) else {
        return error.to_string();
    };
    format!(
        "node {} of cloth `{}` would be sewn to itself or to its own edge; the two edges of a seam may meet at their ends only",
        node - cloth.nodes.start,
        cloth.name
    )
}

/// The nodes of one edge in order, and how far along it they are.
fn edge(
    source: &SceneSource,
    field: &str,
    spec: &SeamEdgeSpec,
    cloths: &[Cloth],
    positions: &[DVec3],
) -> Result<SeamPath, SceneError> {
    let names: Vec<&str> = cloths.iter().map(|c| c.name.as_str()).collect();
    let number = source.known(&format!("{field}.cloth"), "cloth", &spec.cloth, &names)?;
    let cloth = &cloths[number];
    let field = format!("{field}.select");
    let selection = Selection {
        topology: &cloth.topology,
        rest: &cloth.rest,
        positions: &positions[cloth.nodes.clone()],
    };
    let chosen = select(source, &field, &spec.select, &selection)?;
    let nodes = match &spec.select {
        SelectSpec::Nodes(_) => chosen,
        SelectSpec::Boundary(_) => {
            let again = chosen[0];
            chosen.into_iter().chain([again]).collect()
        }
        SelectSpec::Corners(_) | SelectSpec::Nearest(_) => {
            let [from, to] = chosen[..] else {
                let message = format!(
                    "names {} places; an edge of a seam has two ends",
                    chosen.len()
                );
                return Err(source.error(&field, message));
            };
            rim_between(cloth, from, to).ok_or_else(|| {
                source.error(&field, "the two ends are not on the same rim of the cloth")
            })?
        }
        SelectSpec::Box { .. } | SelectSpec::Ball { .. } => {
            rim_within(cloth, &chosen).map_err(|message| source.error(&field, message))?
        }
    };
    let places = places(cloth, &nodes, &selection);
    let first = cloth.nodes.start as u32;
    Ok(SeamPath {
        nodes: nodes.iter().map(|n| n + first).collect(),
        places,
    })
}

/// How far along the cloth at rest nodes are (m).
fn places(cloth: &Cloth, nodes: &[u32], selection: &Selection) -> Vec<f64> {
    let mut so_far = 0.0;
    let steps = nodes.windows(2).map(|pair| {
        so_far += rest_length(cloth, pair, selection);
        so_far
    });
    std::iter::once(0.0).chain(steps).collect()
}

/// The distance of two nodes at rest if an edge joins them, else as they start (m).
fn rest_length(cloth: &Cloth, pair: &[u32], selection: &Selection) -> f64 {
    let mut edges = cloth.topology.edges.iter().zip(&cloth.rest.edge_lengths);
    let joins = |nodes: &[u32; 2]| pair.iter().all(|n| nodes.contains(n));
    let found = edges.find(|(edge, _)| joins(&edge.nodes));
    let apart = || {
        let at = |n: u32| selection.positions[n as usize];
        at(pair[0]).distance(at(pair[1]))
    };
    found.map_or_else(apart, |(_, length)| *length)
}

/// The shorter way along the rim from one node to another.
fn rim_between(cloth: &Cloth, from: u32, to: u32) -> Option<Vec<u32>> {
    let rims = cloth.topology.boundary_loops.iter();
    let mut rims = rims.filter_map(|rim| {
        let place = |node: u32| rim.iter().position(|&n| n == node);
        Some((rim, place(from)?, place(to)?))
    });
    let (rim, start, end) = rims.next()?;
    let count = rim.len();
    let walk = |step: usize| -> Vec<u32> {
        let mut walk = vec![rim[start]];
        let mut at = start;
        while at != end {
            at = (at + step) % count;
            walk.push(rim[at]);
        }
        walk
    };
    let (forward, backward) = (walk(1), walk(count - 1));
    let length = |walk: &[u32]| -> f64 {
        let edges = cloth.topology.edges.iter().zip(&cloth.rest.edge_lengths);
        let on_walk =
            |nodes: &[u32; 2]| walk.windows(2).any(|w| w.iter().all(|n| nodes.contains(n)));
        edges
            .filter(|(e, _)| on_walk(&e.nodes))
            .map(|(_, l)| l)
            .sum()
    };
    let shorter = if length(&forward) <= length(&backward) {
        forward
    } else {
        backward
    };
    Some(shorter)
}

/// The rim nodes among some, in order: one stretch of one rim.
fn rim_within(cloth: &Cloth, chosen: &[u32]) -> Result<Vec<u32>, String> {
    let mut stretches: Vec<Vec<u32>> = Vec::new();
    for rim in &cloth.topology.boundary_loops {
        let inside: Vec<bool> = rim.iter().map(|n| chosen.contains(n)).collect();
        if inside.iter().all(|&i| i) {
            stretches.push(rim.iter().chain(&rim[..1]).copied().collect());
            continue;
        }
        // Begin after a node that is outside, so that no stretch is cut where the list begins.
        let begin = inside.iter().position(|&i| !i).unwrap_or(0);
        let mut open = false;
        for k in (0..rim.len()).map(|k| (begin + k) % rim.len()) {
            match (inside[k], open) {
                (true, true) => stretches
                    .last_mut()
                    .into_iter()
                    .for_each(|s| s.push(rim[k])),
                (true, false) => stretches.push(vec![rim[k]]),
                (false, _) => {}
            }
            open = inside[k];
        }
    }
    match stretches.len() {
        0 => Err("selects no node of the rim; seams run along rims".into()),
        1 => Ok(stretches.remove(0)),
        more => Err(format!(
            "selects {more} separate pieces of the rim; a seam needs one"
        )),
    }
}

/// The second edge in the direction in which the threads are shorter, or the other; a ring begins where they are shortest, too.
fn facing(first: &SeamPath, second: SeamPath, positions: &[DVec3], reverse: bool) -> SeamPath {
    let at = |path: &SeamPath, measure: f64| {
        let length = path.places[path.places.len() - 1];
        let after = path.places.partition_point(|s| *s < measure * length);
        positions[path.nodes[after.min(path.nodes.len() - 1)] as usize]
    };
    let threads = |path: &SeamPath| -> f64 {
        let measures = (0..=16).map(|k| f64::from(k) / 16.0);
        measures.map(|m| at(first, m).distance(at(path, m))).sum()
    };
    let is_ring = |path: &SeamPath| path.nodes.len() > 2 && path.nodes.first() == path.nodes.last();
    let both_rings = is_ring(first) && is_ring(&second);
    let shifts = if both_rings {
        second.nodes.len() - 1
    } else {
        1
    };
    let best = |path: SeamPath| {
        let all = (0..shifts).map(|k| shifted(&path, k));
        all.min_by(|a, b| threads(a).total_cmp(&threads(b)))
            .unwrap_or(path)
    };
    let (forward, backward) = (best(second.clone()), best(turned(&second)));
    if (threads(&forward) <= threads(&backward)) != reverse {
        forward
    } else {
        backward
    }
}

/// The same ring from another of its nodes on.
fn shifted(path: &SeamPath, by: usize) -> SeamPath {
    if by == 0 {
        return path.clone();
    }
    let count = path.nodes.len() - 1;
    let length = path.places[count];
    let node = |k: usize| path.nodes[(by + k) % count];
    let place = |k: usize| {
        let beyond = if by + k >= count { length } else { 0.0 };
        path.places[(by + k) % count] + beyond - path.places[by]
    };
    SeamPath {
        nodes: (0..=count).map(node).collect(),
        places: (0..=count).map(place).collect(),
    }
}

/// The same edge from its other end.
fn turned(path: &SeamPath) -> SeamPath {
    let length = path.places.last().copied().unwrap_or(0.0);
    SeamPath {
        nodes: path.nodes.iter().rev().copied().collect(),
        places: path.places.iter().rev().map(|s| length - s).collect(),
    }
}
