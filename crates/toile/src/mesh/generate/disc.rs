//! A round sheet.

use super::planar::spacing;
use super::revolution::{Profile, revolve};
use super::ring::circle;
use super::{GenerateError, Mesh, Planar, at_least, flat_mesh, not_too_many, planar, positive};
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
}

/// Makes a [`Disc`].
pub fn disc(parameters: &Disc) -> Result<Mesh, GenerateError> {
    positive("radius", parameters.radius)?;
    at_least("nodes", parameters.nodes, 7)?;
    not_too_many("nodes", [u64::from(parameters.nodes), 1], 0)?;
    match parameters.pattern {
        DiscPattern::Irregular { seed } => irregular(parameters.radius, parameters.nodes, seed),
        DiscPattern::Rings => Ok(rings(parameters.radius, parameters.nodes)),
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
