//! A closed sphere.

use super::cuboid::Shell;
use super::revolution::{Profile, revolve};
use super::{Face, GenerateError, Mesh, at_least, check, not_too_many, positive};
use glam::DVec3;
use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_4, PI, TAU};

/// A sphere around the origin, its nodes on it and its faces just inside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Radius (m).
    pub radius: f64,
    /// How it is divided.
    pub pattern: SpherePattern,
}

/// How a sphere is divided into faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpherePattern {
    /// Nearly equal triangles: an icosahedron whose triangles are cut into four, so many times over;
    /// `10 · 4^subdivisions + 2` nodes.
    Icosphere {
        /// How often each triangle is cut into four; 0 gives the icosahedron.
        subdivisions: u32,
    },
    /// Circles of latitude, as on a globe: quads, with triangles at the poles;
    /// `around · (rings − 1) + 2` nodes.
    Latitude {
        /// Cells around the `z` axis.
        around: u32,
        /// Bands of cells from pole to pole.
        rings: u32,
    },
    /// A cube blown up to a sphere, all quads: `6 · cells² + 2` nodes.
    Cube {
        /// Cells along each edge of the cube.
        cells: u32,
    },
}

/// Makes a [`Sphere`].
///
/// Nodes of [`SpherePattern::Latitude`] are ordered from the lowest pole up as those of
/// [`cylinder`](super::cylinder), those of [`SpherePattern::Cube`] as those of
/// [`cuboid`](super::cuboid()). [`SpherePattern::Icosphere`] starts with the upper pole and keeps the
/// nodes of each coarser sphere first.
pub fn sphere(parameters: &Sphere) -> Result<Mesh, GenerateError> {
    positive("radius", parameters.radius)?;
    let radius = parameters.radius;
    match parameters.pattern {
        SpherePattern::Icosphere { subdivisions } => icosphere(radius, subdivisions),
        SpherePattern::Latitude { around, rings } => latitude(radius, around, rings),
        SpherePattern::Cube { cells } => cube_sphere(radius, cells),
    }
}

fn latitude(radius: f64, around: u32, rings: u32) -> Result<Mesh, GenerateError> {
    at_least("around", around, 3)?;
    at_least("rings", rings, 2)?;
    not_too_many("around", [u64::from(around), u64::from(rings - 1)], 2)?;
    let circles = (1..rings).map(|k| {
        let (sin, cos) = (PI * f64::from(k) / f64::from(rings)).sin_cos();
        [radius * sin, -radius * cos]
    });
    let profile = Profile {
        bottom: Some(-radius),
        circles: circles.collect(),
        top: Some(radius),
    };
    Ok(revolve(&profile, around))
}

fn cube_sphere(radius: f64, cells: u32) -> Result<Mesh, GenerateError> {
    at_least("cells", cells, 1)?;
    let shell = Shell { cells: [cells; 3] };
    shell.check_size("cells")?;
    // Equal angles instead of equal lengths on the cube: its corners would crowd the cells otherwise.
    let bend = |x: f64| (FRAC_PI_4 * x).tan();
    Ok(shell.mesh(|p| radius * DVec3::new(bend(p.x), bend(p.y), bend(p.z)).normalize()))
}

fn icosphere(radius: f64, subdivisions: u32) -> Result<Mesh, GenerateError> {
    let must = "11 or less (that is already 42 million nodes)";
    check(
        "subdivisions",
        f64::from(subdivisions),
        subdivisions <= 11,
        must,
    )?;
    let (mut directions, mut triangles) = icosahedron();
    for _ in 0..subdivisions {
        let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                let sum = directions[a as usize] + directions[b as usize];
                directions.push(sum.normalize());
                directions.len() as u32 - 1
            })
        };
        let cut = |[a, b, c]: [u32; 3]| {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        triangles = triangles.into_iter().flat_map(cut).collect();
    }
    Ok(Mesh::new(
        directions.into_iter().map(|d| d * radius).collect(),
        triangles.into_iter().map(Face::Tri).collect(),
    ))
}

/// Two poles and between them two circles of five nodes, a tenth of a turn apart.
fn icosahedron() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (level, radius) = (0.2_f64.sqrt(), 0.8_f64.sqrt());
    let on_circle = |k: u32, offset: f64, height: f64| {
        let (sin, cos) = (TAU * (f64::from(k) + offset) / 5.0).sin_cos();
        DVec3::new(radius * cos, radius * sin, height)
    };
    let mut directions = vec![DVec3::Z];
    directions.extend((0..5).map(|k| on_circle(k, 0.0, level)));
    directions.extend((0..5).map(|k| on_circle(k, 0.5, -level)));
    directions.push(DVec3::NEG_Z);
    let (upper, lower) = (|k: u32| 1 + k % 5, |k: u32| 6 + k % 5);
    let gore = |k: u32| {
        [
            [0, upper(k), upper(k + 1)],
            [upper(k), lower(k), upper(k + 1)],
            [lower(k), lower(k + 1), upper(k + 1)],
            [11, lower(k + 1), lower(k)],
        ]
    };
    (directions, (0..5).flat_map(gore).collect())
}
