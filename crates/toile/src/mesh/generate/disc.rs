//! A round sheet.

use super::planar::spacing;
use super::revolution::{Profile, revolve};
use super::ring::circle;
use super::{GenerateError, Mesh, Planar, at_least, flat_mesh, not_too_many, planar, positive};
use crate::mesh::Face;
use glam::DVec2;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

/// A round sheet in the plane `z = 0` around the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Radius (m).
    pub radius: f64,
    /// Wanted number of nodes, 7 or more. The mesh has about as many.
    pub nodes: u32,
    /// How it is divided.
    pub pattern: DiscPattern,
}

/// How a disc is divided into faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscPattern {
    /// Triangles of about equal size without any direction, as in [`planar`](super::planar()). The rim
    /// comes first, counter-clockwise from positive `x`.
    Irregular {
        /// Another seed gives another mesh.
        seed: u64,
    },
    /// Rings of quads around a fan of triangles. Circles of nodes from the rim inwards, each starting
    /// on the side of positive `x` and counter-clockwise; the centre is the last node.
    Rings,
    /// Squares along `x` and `y`, cut off at the rim: as cloth is cut from the loom. Nodes row by row, then those that the cut
    /// has made.
    Squares,
}

/// Makes a [`Disc`].
pub fn disc(parameters: &Disc) -> Result<Mesh, GenerateError> {
    positive("radius", parameters.radius)?;
    at_least("nodes", parameters.nodes, 7)?;
    not_too_many("nodes", [u64::from(parameters.nodes), 1], 0)?;
    match parameters.pattern {
        DiscPattern::Irregular { seed } => irregular(parameters.radius, parameters.nodes, seed),
        DiscPattern::Rings => Ok(rings(parameters.radius, parameters.nodes)),
        DiscPattern::Squares => Ok(squares(parameters.radius, parameters.nodes)),
    }
}

fn irregular(radius: f64, nodes: u32, seed: u64) -> Result<Mesh, GenerateError> {
    let distance = spacing(PI, TAU, 0, nodes);
    let rim = (TAU / distance).round().max(6.0) as u32;
    let outline = circle(radius, 0.0, rim).map(|p| p.truncate()).collect();
    planar(&Planar {
        outline,
        holes: Vec::new(),
        nodes,
        seed,
    })
}

/// The cells are about square at two thirds of the radius, where the mean piece of area is.
fn rings(radius: f64, nodes: u32) -> Mesh {
    let share = f64::from(nodes - 1);
    let rings = (share / (TAU * 2.0 / 3.0)).sqrt().round().max(1.0);
    let around = (share / rings).round() as u32;
    let rings = rings as u32;
    let circles = (0..rings).map(|k| {
        let inwards = f64::from(k) / f64::from(rings);
        [radius * (1.0 - inwards), 0.0]
    });
    let profile = Profile {
        bottom: None,
        circles: circles.collect(),
        top: Some(0.0),
    };
    let mesh = revolve(&profile, around);
    flat_mesh(mesh.positions, mesh.faces)
}

/// Nodes as near to the rim as this part of a cell go onto it, so that the cut leaves no slivers.
const ONTO_THE_RIM: f64 = 0.35;

fn squares(radius: f64, nodes: u32) -> Mesh {
    // A node for each cell, and half a cell more for each along the rim: π/a² + π/a.
    let wanted = f64::from(nodes) - 1.0;
    let side = radius * (PI + (PI * PI + 4.0 * PI * wanted).sqrt()) / (2.0 * wanted);
    let half = (radius / side).ceil() as i64 + 1;
    let across = 2 * half + 1;
    let mut positions = Vec::new();
    let mut sides = Vec::new();
    for j in -half..=half {
        for i in -half..=half {
            let place = DVec2::new(i as f64, j as f64) * side;
            let away = place.length() - radius;
            let on_rim = away.abs() < ONTO_THE_RIM * side;
            positions.push(match on_rim {
                true => place.normalize() * radius,
                false => place,
            });
            sides.push(match on_rim {
                true => Ordering::Equal,
                false => away.total_cmp(&0.0),
            });
        }
    }
    let mut cuts: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    let mut faces = Vec::new();
    for j in 0..across - 1 {
        for i in 0..across - 1 {
            let first = (j * across + i) as usize;
            let above = first + across as usize;
            let corners = [first, first + 1, above + 1, above];
            let mut kept: Vec<usize> = Vec::new();
            for k in 0..4 {
                let ends = [corners[k], corners[(k + 1) % 4]];
                if sides[ends[0]] != Ordering::Greater {
                    kept.push(ends[0]);
                }
                let mut between = ends.map(|n| sides[n]);
                between.sort_unstable();
                if between == [Ordering::Less, Ordering::Greater] {
                    let edge = [ends[0].min(ends[1]), ends[0].max(ends[1])];
                    kept.push(*cuts.entry(edge).or_insert_with(|| {
                        positions.push(on_circle(edge.map(|n| positions[n]), radius));
                        sides.push(Ordering::Equal);
                        positions.len() - 1
                    }));
                }
            }
            // A corner that the rim cuts off so nearly that nothing of it is inside is only a sliver.
            if kept.iter().all(|&n| sides[n] == Ordering::Equal) {
                continue;
            }
            let node = |k: usize| kept[k] as u32;
            match kept.len() {
                3 => faces.push(Face::Tri([node(0), node(1), node(2)])),
                4 => faces.push(Face::Quad([node(0), node(1), node(2), node(3)])),
                5 => {
                    // From the corner across the one that was cut off.
                    let far = |n: &usize| -positions[*n].length();
                    let from = (0..5).max_by(|&a, &b| far(&kept[a]).total_cmp(&far(&kept[b])));
                    let at = |k: usize| node((from.unwrap_or(0) + k) % 5);
                    faces.push(Face::Tri([at(0), at(1), at(2)]));
                    faces.push(Face::Tri([at(0), at(2), at(3)]));
                    faces.push(Face::Tri([at(0), at(3), at(4)]));
                }
                _ => {}
            }
        }
    }
    used_only(&positions, faces)
}

/// Where the line from one point to another crosses the circle about the origin.
fn on_circle([a, b]: [DVec2; 2], radius: f64) -> DVec2 {
    let way = b - a;
    let (square, slope) = (way.length_squared(), a.dot(way));
    let rest = a.length_squared() - radius * radius;
    let root = (slope * slope - square * rest).max(0.0).sqrt();
    let ends = [(-slope - root) / square, (-slope + root) / square];
    let inside = |t: &f64| (0.0..=1.0).contains(t);
    let share = ends.into_iter().find(inside).unwrap_or(0.5);
    (a + share * way).normalize() * radius
}

/// A flat mesh without the nodes that no face has.
fn used_only(positions: &[DVec2], faces: Vec<Face>) -> Mesh {
    let mut number = vec![u32::MAX; positions.len()];
    for &n in faces.iter().flat_map(|f| f.corners()) {
        number[n as usize] = 0;
    }
    let mut used = Vec::new();
    for (number, place) in number.iter_mut().zip(positions) {
        if *number == 0 {
            *number = used.len() as u32;
            used.push(place.extend(0.0));
        }
    }
    let renumbered = faces.into_iter().map(|face| match face {
        Face::Tri(corners) => Face::Tri(corners.map(|n| number[n as usize])),
        Face::Quad(corners) => Face::Quad(corners.map(|n| number[n as usize])),
    });
    flat_mesh(used, renumbered.collect())
}
