//! Nodes at the same place become one.

use super::{Mesh, keep_faces, rename_nodes};
use crate::mesh::Face;
use glam::{DVec2, DVec3};
use std::collections::HashMap;

/// What [`weld`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Welded {
    /// Nodes that became one with an earlier one.
    pub nodes: usize,
    /// Faces that had fewer than three corners left and went.
    pub faces: usize,
}

/// Makes nodes closer than `tolerance` (m) one: each goes to the first one that near. No two nodes that are left are so
/// close, so that doing it again changes nothing. Quads that lose a corner become triangles.
///
/// Texture coordinates stay with their corners: a seam that is welded stays a seam in the texture.
pub fn weld(mesh: &mut Mesh, tolerance: f64) -> Welded {
    let names = first_at(&mesh.positions, tolerance);
    let nodes = (0..).zip(&names).filter(|(k, name)| k != *name).count();
    if nodes == 0 {
        return Welded::default();
    }
    let mut keep = vec![true; mesh.faces.len()];
    for index in 0..mesh.faces.len() {
        let uvs = mesh.corner_uvs.as_mut().map(|uvs| &mut uvs[index]);
        let name = |n: u32| names.get(n as usize).copied().unwrap_or(n);
        let renamed = rename_nodes(&mesh.faces[index], name);
        match without_repeats(&renamed, uvs) {
            Some(face) => mesh.faces[index] = face,
            None => keep[index] = false,
        }
    }
    let faces = keep_faces(mesh, &keep);
    drop_welded(mesh, &names);
    Welded { nodes, faces }
}

/// Takes away the nodes that became others; those that never had a face stay.
fn drop_welded(mesh: &mut Mesh, names: &[u32]) {
    let stays: Vec<bool> = (0..).zip(names).map(|(k, name)| k == *name).collect();
    let mut new_names = vec![0; names.len()];
    let kept = new_names
        .iter_mut()
        .zip(&stays)
        .filter(|(_, stays)| **stays);
    for (next, (name, _)) in (0..).zip(kept) {
        *name = next;
    }
    for face in &mut mesh.faces {
        *face = rename_nodes(face, |n| new_names[n as usize]);
    }
    let mut flags = stays.iter();
    mesh.positions
        .retain(|_| flags.next().is_none_or(|&stays| stays));
    if let Some(colors) = &mut mesh.node_colors {
        let mut flags = stays.iter();
        colors.retain(|_| flags.next().is_none_or(|&stays| stays));
    }
}

/// For each node the first one within the tolerance, itself if there is none. Nodes that are nowhere stay alone.
fn first_at(positions: &[DVec3], tolerance: f64) -> Vec<u32> {
    // Adding zero makes −0 the same as 0.
    let cell = |p: DVec3| match tolerance > 0.0 {
        true => (p / (2.0 * tolerance)).to_array().map(|x| x.floor() as i64),
        false => p.to_array().map(|x| (x + 0.0).to_bits() as i64),
    };
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let mut names: Vec<u32> = (0..positions.len() as u32).collect();
    for (node, &position) in (0u32..).zip(positions) {
        if !position.is_finite() {
            continue;
        }
        let reach = DVec3::splat(tolerance.max(0.0));
        let (low, high) = (cell(position - reach), cell(position + reach));
        let mut found: Option<u32> = None;
        for corner in 0..8 {
            let pick = |k: usize| {
                if corner >> k & 1 == 0 {
                    low[k]
                } else {
                    high[k]
                }
            };
            let repeated = (0..3).any(|k| corner >> k & 1 == 1 && low[k] == high[k]);
            if repeated {
                continue;
            }
            let near = |&&n: &&u32| positions[n as usize].distance(position) <= tolerance.max(0.0);
            let here = cells
                .get(&[pick(0), pick(1), pick(2)])
                .into_iter()
                .flatten();
            found = here.filter(near).copied().chain(found).min();
        }
        match found {
            Some(first) => names[node as usize] = first,
            None => cells.entry(cell(position)).or_default().push(node),
        }
    }
    names
}

/// The face without corners that repeat the one before; `None` if too few are left, or two opposite ones are one.
fn without_repeats(face: &Face, uvs: Option<&mut [DVec2; 4]>) -> Option<Face> {
    let corners = face.corners();
    let count = corners.len();
    let kept: Vec<usize> = (0..count)
        .filter(|&k| corners[k] != corners[(k + count - 1) % count])
        .collect();
    let twice = (1..kept.len()).any(|k| kept[..k].iter().any(|&j| corners[j] == corners[kept[k]]));
    if kept.len() < 3 || twice {
        return None;
    }
    if kept.len() == count {
        return Some(*face);
    }
    if let Some(uvs) = uvs {
        *uvs = [uvs[kept[0]], uvs[kept[1]], uvs[kept[2]], DVec2::ZERO];
    }
    Some(Face::Tri([
        corners[kept[0]],
        corners[kept[1]],
        corners[kept[2]],
    ]))
}
