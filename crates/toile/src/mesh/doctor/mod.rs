//! The mesh doctor: what is wrong with a mesh that somebody else made, and how to mend it.
//!
//! [`examine`] takes any mesh, however broken, and never panics. Each fault is reported once: a face that
//! names missing nodes or repeats a corner, and the copy of a duplicate, are left out of the checks that
//! come after.

pub(super) mod connections;
mod describe;
mod findings;
mod places;
pub(super) mod shapes;
mod statistics;

pub use findings::{Cases, Diagnosis, EdgeFaces, FaceNode, Finding, Severity, SharpFace};
pub use statistics::Statistics;

use super::intersect::some_self_intersections;
use super::{Face, IntersectingPair, Mesh};
use connections::Connections;

/// So many intersecting pairs are enough to know.
const MAX_INTERSECTIONS: usize = 100_000;

/// Examines a mesh.
pub fn examine(mesh: &Mesh) -> Diagnosis {
    let mut findings = Vec::new();
    if mesh.faces.is_empty() {
        findings.push(Finding::NoFaces);
    }
    if let Some(uvs) = mesh.corner_uvs.as_ref().map(Vec::len)
        && uvs != mesh.faces.len()
    {
        let faces = mesh.faces.len();
        findings.push(Finding::UvMismatch { uvs, faces });
    }
    places::check_coordinates(mesh, &mut findings);
    let named = shapes::check_indices(mesh, &mut findings);
    let distinct = connections::check_duplicates(mesh, named, &mut findings);
    let formed = shapes::check_shapes(mesh, &distinct, &mut findings);
    let connections = Connections::new(mesh, &distinct);
    connections.check_edges(&mut findings);
    connections.check_nodes(mesh, &mut findings);
    places::check_isolated(mesh, &mut findings);
    let welded = places::check_coincident(mesh, &connections, &mut findings);
    check_intersections(mesh, &formed, &welded, &mut findings);
    places::check_size(mesh, &mut findings);
    // Errors first; within each severity the order of the checks.
    findings.sort_by_key(|f| std::cmp::Reverse(f.severity()));
    Diagnosis {
        statistics: Statistics::new(mesh, &distinct, &connections),
        findings,
    }
}

/// `welded` names for each node the first one at the same place. With those, an unwelded seam is not
/// found a second time, as faces that touch.
fn check_intersections(mesh: &Mesh, formed: &[u32], welded: &[u32], findings: &mut Vec<Finding>) {
    let mut originals = Vec::with_capacity(formed.len());
    let mut faces = Vec::with_capacity(formed.len());
    for &original in formed {
        let face = match mesh.faces[original as usize] {
            Face::Tri(t) => Face::Tri(t.map(|n| welded[n as usize])),
            Face::Quad(q) => Face::Quad(q.map(|n| welded[n as usize])),
        };
        let corners = face.corners();
        if (1..corners.len()).all(|k| !corners[..k].contains(&corners[k])) {
            originals.push(original);
            faces.push(face);
        }
    }
    let pairs = some_self_intersections(&mesh.positions, &faces, MAX_INTERSECTIONS);
    let mut cases = Cases::default();
    for pair in pairs {
        let faces = pair.faces.map(|f| originals[f as usize]);
        cases.add(IntersectingPair { faces });
    }
    cases.report(Finding::SelfIntersection, findings);
}

#[cfg(test)]
mod tests;
