//! Which angles make a triangle's curvature, with which weights.

use super::split::Edges;
use super::{Angle, MOST_ANGLES, Shape};
use crate::energy::HingeBatch;
use crate::mesh::Face;
use glam::{DVec2, DVec3};

/// A triangle's curvature, before its nodes are counted.
pub(super) struct Layout {
    /// The triangle's corners first; numbered over the whole world.
    pub nodes: Vec<u32>,
    pub shape: Shape,
}

/// `n nᵀ` as the vector of `B₁₁`, `B₂₂`, `√2 B₁₂`.
fn square(n: DVec2) -> DVec3 {
    DVec3::new(n.x * n.x, n.y * n.y, std::f64::consts::SQRT_2 * n.x * n.y)
}

/// Takes out of a curvature what shares at free edges can take out of its energy. `free` are their
/// directions, made square to each other in the energy's own measure.
fn without(curvature: DVec3, free: &[DVec3], measure: DVec3) -> DVec3 {
    let mut left = curvature;
    for direction in free {
        let length = direction.dot(measure * *direction);
        left -= *direction * (direction.dot(measure * left) / length);
    }
    left
}

/// Rigidities of the three curvatures in no unit; where there are none, all alike.
fn measure([warp, weft]: [f64; 2]) -> DVec3 {
    let largest = warp.max(weft);
    if largest > 0.0 {
        // A direction without any rigidity still has to have a length.
        DVec3::new(warp, weft, 0.5 * (warp + weft)) / largest + DVec3::splat(1e-12)
    } else {
        DVec3::ONE
    }
}

/// Works out a triangle; nothing for quads, and for triangles that bend at no edge.
///
/// `splits` has for every hinge what its first face has beyond half of the angle; `angles` are the hinges
/// between triangles.
pub(super) fn layout(
    edges: &Edges,
    face: u32,
    splits: &[Vec<(u32, f64)>],
    hinges: &HingeBatch<4>,
    rigidity: [f64; 2],
    first_node: u32,
) -> Option<Layout> {
    let Face::Tri(corners) = edges.topology.faces[face as usize] else {
        return None;
    };
    let (flat, area) = (
        &edges.rest.corners[face as usize],
        edges.rest.areas[face as usize],
    );
    let measure = measure(rigidity);
    let mut free = Vec::with_capacity(3);
    let mut sums: Vec<(u32, DVec3)> = Vec::with_capacity(MOST_ANGLES);
    for &edge in &edges.of_faces[face as usize] {
        let nodes = edges.topology.edges[edge as usize].nodes;
        let place = |node: u32| corners.iter().position(|&n| n == node).map(|k| flat[k]);
        let along = place(nodes[1])? - place(nodes[0])?;
        let direction = square(along.normalize().perp());
        let Some(hinge) = edges.hinges[edge as usize] else {
            free.push(without(direction, &free, measure));
            continue;
        };
        let first = edges.topology.edges[edge as usize].faces().next() == Some(face);
        let side = if first { 1.0 } else { -1.0 };
        // The curvature that a unit of this edge's share makes.
        let unit = direction * (edges.sign(edge, face) * along.length() / area);
        add(&mut sums, hinge, 0.5 * unit);
        for &(other, factor) in &splits[hinge as usize] {
            add(&mut sums, other, side * factor * unit);
        }
    }
    if sums.is_empty() {
        return None;
    }
    let mut nodes: Vec<u32> = corners.iter().map(|n| n + first_node).collect();
    let mut shape = Shape {
        area,
        count: sums.len(),
        angles: [Angle::default(); MOST_ANGLES],
    };
    for (angle, (hinge, weights)) in shape.angles.iter_mut().zip(sums) {
        *angle = Angle {
            hinge,
            points: hinges.nodes()[hinge as usize].map(|node| local(&mut nodes, node)),
            weights: without(weights, &free, measure).to_array(),
        };
    }
    Some(Layout { nodes, shape })
}

fn add(sums: &mut Vec<(u32, DVec3)>, hinge: u32, weights: DVec3) {
    match sums.iter_mut().find(|(h, _)| *h == hinge) {
        Some((_, sum)) => *sum += weights,
        None => sums.push((hinge, weights)),
    }
}

/// Where a node stands in the list; if it does not yet, at its end. No list grows beyond twelve.
fn local(nodes: &mut Vec<u32>, node: u32) -> u8 {
    let place = nodes.iter().position(|&n| n == node);
    let place = place.unwrap_or_else(|| {
        nodes.push(node);
        nodes.len() - 1
    });
    place as u8
}
