//! Where nodes are: not numbers, all alone, on top of each other, or a thousand times too far.

use super::connections::Connections;
use super::{Cases, Finding};
use crate::mesh::Mesh;
use glam::DVec3;
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// Nodes closer than this share of the median edge are at the same place.
const SAME_PLACE: f64 = 1e-6;
/// Side of the cells that nodes are sorted into, in units of that distance; only a matter of speed.
const CELL_SIDE: f64 = 1e3;
/// Sizes (m) between which cloth usually is.
const USUAL_SIZE: RangeInclusive<f64> = 1e-3..=100.0;

pub(super) fn check_coordinates(mesh: &Mesh, findings: &mut Vec<Finding>) {
    let mut cases = Cases::default();
    for (node, position) in (0..).zip(&mesh.positions) {
        if !position.is_finite() {
            cases.add(node);
        }
    }
    cases.report(Finding::NonFinite, findings);
}

pub(super) fn check_isolated(mesh: &Mesh, findings: &mut Vec<Finding>) {
    let mut named = vec![false; mesh.positions.len()];
    for &node in mesh.faces.iter().flat_map(|face| face.corners()) {
        if let Some(named) = named.get_mut(node as usize) {
            *named = true;
        }
    }
    let mut cases = Cases::default();
    for (node, _) in (0..).zip(&named).filter(|(_, named)| !**named) {
        cases.add(node);
    }
    cases.report(Finding::IsolatedNode, findings);
}

pub(super) fn check_size(mesh: &Mesh, findings: &mut Vec<Finding>) {
    let Some((low, high)) = finite_bounds(mesh) else {
        return;
    };
    let extent = (high - low).max_element();
    if !USUAL_SIZE.contains(&extent) {
        findings.push(Finding::SuspiciousSize { extent });
    }
}

/// The box around those nodes that are somewhere.
pub(super) fn finite_bounds(mesh: &Mesh) -> Option<(DVec3, DVec3)> {
    let finite = mesh.positions.iter().copied().filter(|p| p.is_finite());
    finite.fold(None, |bounds, p| {
        let (low, high) = bounds.unwrap_or((p, p));
        Some((p.min(low), p.max(high)))
    })
}

/// Finds nodes at the same place without an edge between them; answers for each node with the first one
/// at its place.
pub(super) fn check_coincident(
    mesh: &Mesh,
    connections: &Connections,
    findings: &mut Vec<Finding>,
) -> Vec<u32> {
    let mut first_there: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    let tolerance = SAME_PLACE * median_edge(mesh, connections);
    let mut cases = Cases::default();
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    for (node, &position) in (0..).zip(&mesh.positions) {
        if !position.is_finite() {
            continue;
        }
        let same = nearby_cells(position, tolerance).find_map(|cell| {
            let mut others = cells.get(&cell)?.iter().copied();
            others.find(|&n| position.distance(mesh.positions[n as usize]) <= tolerance)
        });
        match same {
            // A cell keeps only the first node of each place: a heap of nodes costs no more than one.
            None => {
                let home = cell_of(position, tolerance);
                cells.entry(home).or_default().push(node);
            }
            Some(first) => {
                first_there[node as usize] = first;
                if !connections.has_edge(first, node) {
                    cases.add([first, node]);
                }
            }
        }
    }
    cases.report(Finding::CoincidentNodes, findings);
    first_there
}

fn median_edge(mesh: &Mesh, connections: &Connections) -> f64 {
    let at = |node: u32| mesh.positions[node as usize];
    let mut lengths: Vec<f64> = connections
        .edge_nodes()
        .map(|([a, b], _)| at(a).distance(at(b)))
        .filter(|length| length.is_finite())
        .collect();
    if lengths.is_empty() {
        return 0.0;
    }
    let middle = lengths.len() / 2;
    *lengths.select_nth_unstable_by(middle, f64::total_cmp).1
}

fn cell_of(position: DVec3, tolerance: f64) -> [i64; 3] {
    // Without a tolerance the bits of the coordinates are the cell; adding zero makes −0 the same as 0.
    if tolerance == 0.0 {
        return position.to_array().map(|x| (x + 0.0).to_bits() as i64);
    }
    let scaled = position / (CELL_SIDE * tolerance);
    scaled.to_array().map(|x| x.floor() as i64)
}

/// The cell of a position, and those that a step of the tolerance might lead to.
fn nearby_cells(position: DVec3, tolerance: f64) -> impl Iterator<Item = [i64; 3]> {
    let low = cell_of(position - DVec3::splat(tolerance), tolerance);
    let high = cell_of(position + DVec3::splat(tolerance), tolerance);
    (0..8)
        .map(move |corner| {
            [0, 1, 2].map(|k| {
                if corner >> k & 1 == 0 {
                    low[k]
                } else {
                    high[k]
                }
            })
        })
        .enumerate()
        // Mostly all eight corners lie in one cell.
        .filter(move |(corner, _)| {
            [0, 1, 2]
                .iter()
                .all(|&k| corner >> k & 1 == 0 || low[k] != high[k])
        })
        .map(|(_, cell)| cell)
}
