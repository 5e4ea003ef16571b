//! The faces around a node, laid out flat about it.
//!
//! Going around the node from face to face, each face is turned so that it begins where the last one ended.
//! Around a node inside the cloth the angles of the faces add up to 2π if the cloth is flat there; if it is
//! curved at rest, all are stretched alike until they do, so that the gap is shared out, and each face is
//! turned until its middle fits. Only turns (and reflections of faces that are the wrong way round) are used,
//! so what is a length in a face is a length in the plane.

use crate::mesh::{Face, RestShape, Topology};
use glam::{DMat2, DVec2};
use std::f64::consts::TAU;

/// Faces around a node, from one to the next.
#[derive(Clone, Debug)]
pub(super) struct Fan {
    pub blades: Vec<Blade>,
    /// Whether the last face meets the first: the node is inside.
    pub closed: bool,
    /// Angle that all faces take up together (rad); 2π if closed.
    pub angle: f64,
    /// Mean direction of the faces' first rest axes, as a unit vector of the plane.
    pub warp: DVec2,
}

/// One face of a fan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blade {
    pub face: usize,
    /// Which corner of the face is the node.
    pub corner: usize,
    /// From the face's rest coordinates into the plane of the fan: orthogonal.
    pub frame: DMat2,
}

/// A corner of a face at a node, with the nodes before and after it.
#[derive(Clone, Copy, Debug)]
struct Wedge {
    face: usize,
    corner: usize,
    sides: [u32; 2],
}

/// The fans of every node: one, unless parts of the cloth touch only there.
pub(super) fn fans_of_nodes(topology: &Topology, rest: &RestShape) -> Vec<Vec<Fan>> {
    let mut wedges: Vec<Vec<Wedge>> = vec![Vec::new(); topology.node_count];
    for (face, shape) in topology.faces.iter().enumerate() {
        let nodes = shape.corners();
        let count = nodes.len();
        for (corner, &node) in nodes.iter().enumerate() {
            let sides = [
                nodes[(corner + 1) % count],
                nodes[(corner + count - 1) % count],
            ];
            wedges[node as usize].push(Wedge {
                face,
                corner,
                sides,
            });
        }
    }
    let layout = |wedges: Vec<Wedge>| {
        let walks = walk(wedges);
        let laid = walks.map(|(wedges, closed)| lay_out(topology, rest, &wedges, closed));
        laid.collect()
    };
    wedges.into_iter().map(layout).collect()
}

/// Sorts the wedges of a node into fans; each wedge's sides are turned so that it begins with the first.
fn walk(mut left: Vec<Wedge>) -> impl Iterator<Item = (Vec<Wedge>, bool)> {
    std::iter::from_fn(move || {
        // A fan with an open side is walked from there, or its beginning would be lost.
        let open = left.iter().enumerate().find_map(|(index, wedge)| {
            let alone = |side: u32| left.iter().filter(|w| w.sides.contains(&side)).count() == 1;
            let side = wedge.sides.into_iter().position(alone)?;
            Some((index, side == 1))
        });
        let (index, turned) = open.or((!left.is_empty()).then_some((0, false)))?;
        let mut first = left.remove(index);
        if turned {
            first.sides.reverse();
        }
        let mut fan = vec![first];
        let mut end = first.sides[1];
        while let Some(next) = left.iter().position(|w| w.sides.contains(&end)) {
            let mut wedge = left.remove(next);
            if wedge.sides[0] != end {
                wedge.sides.reverse();
            }
            end = wedge.sides[1];
            fan.push(wedge);
        }
        Some((fan, open.is_none() && end == first.sides[0]))
    })
}

fn lay_out(topology: &Topology, rest: &RestShape, wedges: &[Wedge], closed: bool) -> Fan {
    let sides: Vec<[DVec2; 2]> = wedges
        .iter()
        .map(|w| {
            let (face, flat) = (&topology.faces[w.face], &rest.corners[w.face]);
            w.sides.map(|n| flat[place(face, n)] - flat[w.corner])
        })
        .collect();
    let angles = sides.iter().map(|[a, b]| a.angle_to(*b).abs());
    let total: f64 = angles.clone().sum();
    let stretch = if closed { TAU / total } else { 1.0 };
    let mut begin = 0.0;
    let mut fan = Fan {
        blades: Vec::with_capacity(wedges.len()),
        closed,
        angle: total * stretch,
        warp: DVec2::X,
    };
    let mut doubled = DVec2::ZERO;
    for ((wedge, [first, last]), angle) in wedges.iter().zip(&sides).zip(angles) {
        let middle = begin + 0.5 * angle * stretch;
        begin += angle * stretch;
        let frame = turn_to(middle, *first, *last);
        // A warp has no sign: directions are averaged at twice their angle.
        let warp = frame.x_axis;
        doubled += rest.areas[wedge.face] * warp.rotate(warp);
        fan.blades.push(Blade {
            face: wedge.face,
            corner: wedge.corner,
            frame,
        });
    }
    let areas: f64 = wedges.iter().map(|w| rest.areas[w.face]).sum();
    fan.warp = mean_warp(doubled / areas, fan.blades[0].frame.x_axis);
    fan
}

/// The orthogonal map that turns the middle of a wedge to an angle, its first side before its last
/// counter-clockwise.
fn turn_to(angle: f64, first: DVec2, last: DVec2) -> DMat2 {
    let middle = first.normalize() + last.normalize();
    let mirror = if first.perp_dot(last) < 0.0 {
        DMat2::from_diagonal(DVec2::new(1.0, -1.0))
    } else {
        DMat2::IDENTITY
    };
    DMat2::from_angle(angle - (mirror * middle).to_angle()) * mirror
}

/// Half the angle of a mean of unit vectors, or one face's warp if they cancel each other.
fn mean_warp(doubled: DVec2, otherwise: DVec2) -> DVec2 {
    if doubled.length() > 1e-6 {
        DVec2::from_angle(0.5 * doubled.to_angle())
    } else {
        otherwise
    }
}

fn place(face: &Face, node: u32) -> usize {
    let found = face.corners().iter().position(|&n| n == node);
    found.expect("a wedge's sides are corners of its face")
}
