//! Faces and nodes that are none.

use super::super::doctor::shapes::Shape;
use super::{Mesh, keep_faces, rename_nodes};
use crate::mesh::Face;
use std::collections::{HashMap, HashSet};

/// Texture coordinates and colours that do not match the mesh are no use to anybody.
pub(super) fn check_attributes(mesh: &mut Mesh) {
    if mesh
        .corner_uvs
        .as_ref()
        .is_some_and(|uvs| uvs.len() != mesh.faces.len())
    {
        mesh.corner_uvs = None;
    }
    if mesh
        .node_colors
        .as_ref()
        .is_some_and(|c| c.len() != mesh.positions.len())
    {
        mesh.node_colors = None;
    }
}

/// Removes faces that name a node that is not there or nowhere, or one twice.
pub(super) fn remove_broken(mesh: &mut Mesh) -> usize {
    let sound = |face: &Face| {
        let corners = face.corners();
        let placed = |n: &u32| {
            mesh.positions
                .get(*n as usize)
                .is_some_and(|p| p.is_finite())
        };
        corners.iter().all(placed)
            && (1..corners.len()).all(|k| !corners[..k].contains(&corners[k]))
    };
    let keep: Vec<bool> = mesh.faces.iter().map(sound).collect();
    keep_faces(mesh, &keep)
}

/// Removes faces with the corners of an earlier one, whichever way round.
pub(super) fn remove_duplicates(mesh: &mut Mesh) -> usize {
    let mut seen = HashSet::with_capacity(mesh.faces.len());
    let mut first = |face: &Face| {
        let mut corners = face.corners().to_vec();
        corners.sort_unstable();
        seen.insert(corners)
    };
    let keep: Vec<bool> = mesh.faces.iter().map(&mut first).collect();
    keep_faces(mesh, &keep)
}

/// Removes faces without area. A triangle whose middle node lies on its longest side would leave a gap there: the
/// neighbour behind that side is first made to reach the node.
pub(super) fn remove_degenerate(mesh: &mut Mesh) -> usize {
    let mut removed = 0;
    // Each round settles all but those that touch one another; caps of caps are rare.
    for _ in 0..8 {
        let flat = |face: &Face| Shape::new(face, &mesh.positions).is_degenerate();
        let mut keep: Vec<bool> = mesh.faces.iter().map(|face| !flat(face)).collect();
        if keep.iter().all(|&keep| keep) {
            break;
        }
        close_gaps(mesh, &mut keep);
        removed += keep_faces(mesh, &keep);
    }
    removed
}

/// Splits the neighbours behind the longest sides of triangles that go. The second half of each takes the place of the
/// triangle that went, which is then kept.
fn close_gaps(mesh: &mut Mesh, keep: &mut [bool]) {
    let mut behind: HashMap<[u32; 2], u32> = HashMap::new();
    for (index, face) in mesh.faces.iter().enumerate().filter(|(k, _)| keep[*k]) {
        for side in face.edges() {
            behind.insert(ordered(side), index as u32);
        }
    }
    let gone: Vec<usize> = (0..keep.len()).filter(|&k| !keep[k]).collect();
    let mut touched = vec![false; keep.len()];
    for index in gone {
        let Face::Tri(nodes) = mesh.faces[index] else {
            continue;
        };
        let at = |k: usize| mesh.positions[nodes[k % 3] as usize];
        let length = |k: &usize| at(*k).distance_squared(at(k + 1));
        let Some(longest) = (0..3).max_by(|a, b| length(a).total_cmp(&length(b))) else {
            continue;
        };
        let (a, b, middle) = (longest, (longest + 1) % 3, (longest + 2) % 3);
        let Some(&other) = behind.get(&ordered([nodes[a], nodes[b]])) else {
            continue;
        };
        let other = other as usize;
        let Face::Tri(across) = mesh.faces[other] else {
            continue;
        };
        if touched[other] || across.contains(&nodes[middle]) {
            continue;
        }
        split_face(mesh, (index, nodes, middle), (other, across));
        touched[other] = true;
        keep[index] = true;
    }
}

/// Splits triangle `other` at the node `middle` of the triangle `index`, which becomes its second half.
fn split_face(
    mesh: &mut Mesh,
    (index, nodes, middle): (usize, [u32; 3], usize),
    (other, across): (usize, [u32; 3]),
) {
    let node = nodes[middle];
    let Some(start) = (0..3).find(|&k| {
        let side = [across[k], across[(k + 1) % 3]];
        side.iter().all(|n| nodes.contains(n))
    }) else {
        return;
    };
    let [p, q, r] = [0, 1, 2].map(|k| across[(start + k) % 3]);
    mesh.faces[other] = Face::Tri([p, node, r]);
    mesh.faces[index] = Face::Tri([node, q, r]);
    if let Some(uvs) = &mut mesh.corner_uvs {
        let own = uvs[other];
        let [at_p, at_q, at_r] = [0, 1, 2].map(|k| own[(start + k) % 3]);
        let place = |n: u32| mesh.positions[n as usize];
        let share =
            place(p).distance(place(node)) / place(p).distance(place(q)).max(f64::MIN_POSITIVE);
        let at_node = at_p.lerp(at_q, share.min(1.0));
        uvs[other] = [at_p, at_node, at_r, own[3]];
        uvs[index] = [at_node, at_q, at_r, own[3]];
    }
}

fn ordered([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Removes nodes that no face names.
pub(super) fn remove_unused(mesh: &mut Mesh) -> usize {
    let before = mesh.positions.len();
    let mut used = vec![false; before];
    for &node in mesh.faces.iter().flat_map(|face| face.corners()) {
        used[node as usize] = true;
    }
    let mut names = vec![0; before];
    let kept = names.iter_mut().zip(&used).filter(|(_, used)| **used);
    for (next, (name, _)) in (0..).zip(kept) {
        *name = next;
    }
    for face in &mut mesh.faces {
        *face = rename_nodes(face, |n| names[n as usize]);
    }
    let mut flags = used.iter();
    mesh.positions
        .retain(|_| flags.next().is_none_or(|&used| used));
    if let Some(colors) = &mut mesh.node_colors {
        let mut flags = used.iter();
        colors.retain(|_| flags.next().is_none_or(|&used| used));
    }
    before - mesh.positions.len()
}
