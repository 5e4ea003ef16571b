//! Meshes to test with, and exact distances to them.

use crate::geometry::closest::squared_distance;
use glam::{DVec3, dvec3};
use std::f64::consts::PI;

#[derive(Clone, Debug, Default)]
pub(super) struct Mesh {
    pub positions: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// A surface of revolution around z: `profile` gives radius and height, from the lowest pole to the
    /// highest.
    fn revolved(profile: &[(f64, f64)], around: u32) -> Self {
        let mut mesh = Mesh::default();
        let last = profile.len() - 1;
        mesh.positions.push(dvec3(0.0, 0.0, profile[0].1));
        for &(radius, z) in &profile[1..last] {
            for k in 0..around {
                let angle = 2.0 * PI * f64::from(k) / f64::from(around);
                mesh.positions
                    .push(dvec3(radius * angle.cos(), radius * angle.sin(), z));
            }
        }
        mesh.positions.push(dvec3(0.0, 0.0, profile[last].1));
        let (rings, top) = (last as u32 - 1, mesh.positions.len() as u32 - 1);
        for k in 0..around {
            let next = (k + 1) % around;
            mesh.triangles.push([0, 1 + next, 1 + k]);
            for ring in 0..rings - 1 {
                let (a, b) = (1 + ring * around + k, 1 + ring * around + next);
                mesh.triangles.push([a, b, b + around]);
                mesh.triangles.push([a, b + around, a + around]);
            }
            let ring = 1 + (rings - 1) * around;
            mesh.triangles.push([ring + k, ring + next, top]);
        }
        mesh
    }

    pub(super) fn sphere(centre: DVec3, radius: f64, rings: usize) -> Self {
        let ring = |r: usize| {
            let angle = PI * r as f64 / rings as f64;
            (radius * angle.sin(), -radius * angle.cos())
        };
        let profile: Vec<_> = (0..=rings).map(ring).collect();
        Mesh::revolved(&profile, 2 * rings as u32).moved(|p| p + centre)
    }

    pub(super) fn capsule(radius: f64, half_length: f64, rings: usize) -> Self {
        let mut profile = Vec::new();
        for r in 0..=2 * rings {
            let angle = PI * r as f64 / (2 * rings) as f64;
            let shift = if r <= rings {
                -half_length
            } else {
                half_length
            };
            profile.push((radius * angle.sin(), shift - radius * angle.cos()));
            if r == rings {
                profile.push((radius, half_length));
            }
        }
        Mesh::revolved(&profile, 4 * rings as u32)
    }

    pub(super) fn cuboid(half: DVec3) -> Self {
        let corner = |k: u32| {
            let sign = |axis: u32| if k >> axis & 1 == 0 { -1.0 } else { 1.0 };
            half * dvec3(sign(0), sign(1), sign(2))
        };
        let quads = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        Mesh {
            positions: (0..8).map(corner).collect(),
            triangles: quads
                .iter()
                .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
                .collect(),
        }
    }

    pub(super) fn torus(large: f64, small: f64, count: u32) -> Self {
        let mut mesh = Mesh::default();
        let node = |i: u32, j: u32| (i % count) * count + j % count;
        for i in 0..count {
            for j in 0..count {
                let angle = |k: u32| 2.0 * PI * f64::from(k) / f64::from(count);
                let radius = large + small * angle(j).cos();
                let (sin, cos) = angle(i).sin_cos();
                mesh.positions
                    .push(dvec3(radius * cos, radius * sin, small * angle(j).sin()));
                mesh.triangles
                    .push([node(i, j), node(i + 1, j), node(i + 1, j + 1)]);
                mesh.triangles
                    .push([node(i, j), node(i + 1, j + 1), node(i, j + 1)]);
            }
        }
        mesh
    }

    pub(super) fn moved(mut self, motion: impl Fn(DVec3) -> DVec3) -> Self {
        for position in &mut self.positions {
            *position = motion(*position);
        }
        self
    }

    pub(super) fn with(mut self, other: &Mesh) -> Self {
        let first = self.positions.len() as u32;
        self.positions.extend(&other.positions);
        self.triangles
            .extend(other.triangles.iter().map(|t| t.map(|node| node + first)));
        self
    }

    pub(super) fn centroid(&self, triangle: &[u32; 3]) -> DVec3 {
        triangle
            .iter()
            .map(|&n| self.positions[n as usize])
            .sum::<DVec3>()
            / 3.0
    }

    /// Turns over the triangles whose centroid is chosen.
    pub(super) fn inverted_where(mut self, chosen: impl Fn(DVec3) -> bool) -> Self {
        for index in 0..self.triangles.len() {
            if chosen(self.centroid(&self.triangles[index])) {
                self.triangles[index].swap(1, 2);
            }
        }
        self
    }

    pub(super) fn without(mut self, chosen: impl Fn(DVec3) -> bool) -> Self {
        let kept: Vec<_> = self
            .triangles
            .iter()
            .filter(|t| !chosen(self.centroid(t)))
            .copied()
            .collect();
        self.triangles = kept;
        self
    }

    /// The distance to the triangles, by trying all of them.
    pub(super) fn distance(&self, point: DVec3) -> f64 {
        let squared =
            |t: &[u32; 3]| squared_distance(point, &t.map(|n| self.positions[n as usize]));
        self.triangles
            .iter()
            .map(squared)
            .fold(f64::INFINITY, f64::min)
            .sqrt()
    }
}

/// Evenly spread points of a box, always the same (the additive recurrence of Roberts).
pub(super) fn points_in(low: DVec3, high: DVec3, count: usize) -> impl Iterator<Item = DVec3> {
    let step = dvec3(
        0.819_172_513_396_164,
        0.671_043_606_703_789,
        0.549_700_477_901_97,
    );
    (1..=count).map(move |k| low + (step * k as f64).fract() * (high - low))
}
