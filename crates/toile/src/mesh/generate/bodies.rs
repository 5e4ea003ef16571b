//! Closed cylinders and capsules: bodies to collide with and to draw.

use super::revolution::{Profile, revolve};
use super::{GenerateError, Mesh, at_least, not_too_many, positive};
use std::f64::consts::FRAC_PI_2;

/// A closed cylinder around the `z` axis, centred on the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Radius (m).
    pub radius: f64,
    /// Height from end to end (m).
    pub height: f64,
    /// Cells around and along.
    pub cells: [u32; 2],
}

/// A cylinder around the `z` axis closed by two half spheres, centred on the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Radius (m).
    pub radius: f64,
    /// Height of the straight part, from one half sphere's centre to the other's (m).
    pub height: f64,
    /// Cells around, along the straight part, and from its end to the pole.
    pub cells: [u32; 3],
}

/// Makes a [`Cylinder`]: quads around it, fans of triangles at its ends.
///
/// Nodes: the centre of the lower end; circles of `cells[0]` nodes from the lower rim up, each starting
/// on the side of positive `x` and counter-clockwise seen from above; the centre of the upper end.
pub fn cylinder(parameters: &Cylinder) -> Result<Mesh, GenerateError> {
    let Cylinder {
        radius,
        height,
        cells: [around, along],
    } = *parameters;
    positive("radius", radius)?;
    positive("height", height)?;
    at_least("cells[0]", around, 3)?;
    at_least("cells[1]", along, 1)?;
    not_too_many("cells", [u64::from(around), u64::from(along) + 1], 2)?;
    let profile = Profile {
        bottom: Some(-0.5 * height),
        circles: straight(radius, height, along).collect(),
        top: Some(0.5 * height),
    };
    Ok(revolve(&profile, around))
}

/// Makes a [`Capsule`]: quads, with fans of triangles at the poles. Nodes are ordered as those of
/// [`cylinder`], from pole to pole.
pub fn capsule(parameters: &Capsule) -> Result<Mesh, GenerateError> {
    let Capsule {
        radius,
        height,
        cells: [around, along, dome],
    } = *parameters;
    positive("radius", radius)?;
    positive("height", height)?;
    at_least("cells[0]", around, 3)?;
    at_least("cells[1]", along, 1)?;
    at_least("cells[2]", dome, 1)?;
    let circles = u64::from(along) + 1 + 2 * u64::from(dome - 1);
    not_too_many("cells", [u64::from(around), circles], 2)?;
    // Circles of the upper dome between its rim and its pole.
    let domed = (1..dome).map(|k| {
        let (sin, cos) = (FRAC_PI_2 * f64::from(k) / f64::from(dome)).sin_cos();
        [radius * cos, 0.5 * height + radius * sin]
    });
    let lower = domed.clone().rev().map(|[r, z]| [r, -z]);
    let profile = Profile {
        bottom: Some(-0.5 * height - radius),
        circles: lower
            .chain(straight(radius, height, along))
            .chain(domed)
            .collect(),
        top: Some(0.5 * height + radius),
    };
    Ok(revolve(&profile, around))
}

fn straight(radius: f64, height: f64, cells: u32) -> impl Iterator<Item = [f64; 2]> {
    (0..=cells).map(move |k| [radius, height * (f64::from(k) / f64::from(cells) - 0.5)])
}
