//! Parts that meet in a point, and edges with more than two faces, are taken apart.

use super::super::doctor::connections::Groups;
use super::Mesh;
use crate::mesh::Face;
use glam::DVec3;
use std::collections::HashMap;

/// A side of a face: its edge (the smaller node first), and the face.
type Side = ([u32; 2], u32);

/// Gives every fan of faces around a node a node of its own; says how many were added, and how many edges still have more
/// than two faces.
///
/// At an edge with more than two faces, those that continue each other best stay joined, two by two.
pub(super) fn split(mesh: &mut Mesh) -> (usize, usize) {
    let sides = sides(&mesh.faces);
    let mut first_corner = Vec::with_capacity(mesh.faces.len());
    let mut corners = 0u32;
    for face in &mesh.faces {
        first_corner.push(corners);
        corners += face.corners().len() as u32;
    }
    // Corners at one node hang together if their faces are joined along an edge there.
    let mut fans = Groups::new(corners as usize);
    for edge in sides.chunk_by(|a, b| a.0 == b.0) {
        for [one, other] in joined(mesh, edge) {
            for node in edge[0].0 {
                let corner = |side: &Side| {
                    let place = mesh.faces[side.1 as usize].corners().iter();
                    let place = place.take_while(|&&n| n != node).count() as u32;
                    first_corner[side.1 as usize] + place
                };
                fans.join(corner(&one), corner(&other));
            }
        }
    }
    let added = separate(mesh, &mut fans);
    let crowded = self::sides(&mesh.faces);
    let crowded = crowded.chunk_by(|a, b| a.0 == b.0).filter(|e| e.len() > 2);
    (added, crowded.count())
}

fn sides(faces: &[Face]) -> Vec<Side> {
    let mut sides: Vec<Side> = Vec::with_capacity(4 * faces.len());
    for (index, face) in (0..).zip(faces) {
        sides.extend(face.edges().map(|[a, b]| ([a.min(b), a.max(b)], index)));
    }
    sides.sort_unstable();
    sides
}

/// Which faces at an edge stay joined.
fn joined(mesh: &Mesh, edge: &[Side]) -> Vec<[Side; 2]> {
    match edge {
        [_] => Vec::new(),
        [a, b] => vec![[*a, *b]],
        crowd => best_pairs(mesh, crowd),
    }
}

/// Pairs of faces that lie opposite each other, the flattest first.
fn best_pairs(mesh: &Mesh, crowd: &[Side]) -> Vec<[Side; 2]> {
    let inwards: Vec<DVec3> = crowd.iter().map(|side| inward(mesh, side)).collect();
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for a in 0..crowd.len() {
        pairs.extend((a + 1..crowd.len()).map(|b| (inwards[a].dot(inwards[b]), a, b)));
    }
    pairs.sort_by(|p, q| p.0.total_cmp(&q.0));
    let mut taken = vec![false; crowd.len()];
    let mut found = Vec::new();
    for (_, a, b) in pairs {
        if !taken[a] && !taken[b] {
            (taken[a], taken[b]) = (true, true);
            found.push([crowd[a], crowd[b]]);
        }
    }
    found
}

/// The direction from an edge into a face, across the edge.
fn inward(mesh: &Mesh, &([a, b], face): &Side) -> DVec3 {
    let at = |n: u32| mesh.positions[n as usize];
    let corners = mesh.faces[face as usize].corners();
    let middle = corners.iter().map(|&n| at(n)).sum::<DVec3>() / corners.len() as f64;
    let along = (at(b) - at(a)).normalize_or_zero();
    (middle - at(a)).reject_from(along).normalize_or_zero()
}

/// Gives fans after the first one at a node a node of their own.
fn separate(mesh: &mut Mesh, fans: &mut Groups) -> usize {
    let before = mesh.positions.len();
    // The fan that keeps each node, and the nodes of the others.
    let mut owner: Vec<Option<u32>> = vec![None; before];
    let mut doubles: HashMap<(u32, u32), u32> = HashMap::new();
    let mut corner = 0;
    for index in 0..mesh.faces.len() {
        let mut renamed = [0; 4];
        let face = mesh.faces[index];
        for (slot, &node) in renamed.iter_mut().zip(face.corners()) {
            let fan = fans.root(corner);
            corner += 1;
            let first = *owner[node as usize].get_or_insert(fan);
            *slot = match first == fan {
                true => node,
                false => *doubles.entry((node, fan)).or_insert_with(|| {
                    mesh.positions.push(mesh.positions[node as usize]);
                    if let Some(colors) = &mut mesh.node_colors {
                        colors.push(colors[node as usize]);
                    }
                    mesh.positions.len() as u32 - 1
                }),
            };
        }
        mesh.faces[index] = match face {
            Face::Tri(_) => Face::Tri([renamed[0], renamed[1], renamed[2]]),
            Face::Quad(_) => Face::Quad(renamed),
        };
    }
    mesh.positions.len() - before
}
