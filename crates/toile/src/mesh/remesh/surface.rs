//! Triangles that can be split, collapsed and flipped.

use super::super::{Face, Mesh};
use glam::{DVec2, DVec3};

/// A triangle: its nodes and their places in the pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Triangle {
    pub nodes: [u32; 3],
    pub uvs: [DVec2; 3],
}

impl Triangle {
    /// Where in the triangle a node is.
    pub fn place(&self, node: u32) -> Option<usize> {
        self.nodes.iter().position(|&n| n == node)
    }

    /// The corner across from an edge.
    pub fn across(&self, a: u32, b: u32) -> Option<usize> {
        (0..3).find(|&k| self.nodes[k] != a && self.nodes[k] != b)
    }

    fn uv(&self, node: u32) -> DVec2 {
        self.place(node).map_or(DVec2::ZERO, |k| self.uvs[k])
    }
}

/// The triangles around an edge, one or two; of the first one the node `a` comes before `b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sides {
    pub list: [u32; 2],
    pub count: usize,
}

impl Sides {
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.list[..self.count].iter().copied()
    }
}

/// A surface of triangles. Nodes and triangles that are gone keep their numbers until the end.
#[derive(Debug)]
pub(super) struct Surface {
    pub positions: Vec<DVec3>,
    pub colors: Option<Vec<[f32; 3]>>,
    pub triangles: Vec<Option<Triangle>>,
    /// The triangles around each node; none for a node that is gone.
    pub around: Vec<Vec<u32>>,
    has_uvs: bool,
}

impl Surface {
    /// The triangles of a mesh without quads.
    pub fn new(mesh: &Mesh) -> Self {
        let mut surface = Surface {
            positions: mesh.positions.clone(),
            colors: mesh.node_colors.clone(),
            triangles: Vec::with_capacity(mesh.faces.len()),
            around: vec![Vec::new(); mesh.positions.len()],
            has_uvs: mesh.corner_uvs.is_some(),
        };
        for (index, face) in mesh.faces.iter().enumerate() {
            let uvs = mesh.corner_uvs.as_ref().map(|uvs| uvs[index]);
            let uvs = uvs.unwrap_or_default();
            for nodes in face.triangles() {
                surface.push(Triangle {
                    nodes,
                    uvs: [uvs[0], uvs[1], uvs[2]],
                });
            }
        }
        surface
    }

    fn push(&mut self, triangle: Triangle) {
        let index = self.triangles.len() as u32;
        triangle
            .nodes
            .iter()
            .for_each(|&n| self.around[n as usize].push(index));
        self.triangles.push(Some(triangle));
    }

    fn remove(&mut self, index: u32) {
        if let Some(triangle) = self.triangles[index as usize].take() {
            for node in triangle.nodes {
                self.around[node as usize].retain(|&t| t != index);
            }
        }
    }

    fn replace(&mut self, index: u32, triangle: Triangle) {
        self.remove(index);
        triangle
            .nodes
            .iter()
            .for_each(|&n| self.around[n as usize].push(index));
        self.triangles[index as usize] = Some(triangle);
    }

    pub fn triangle(&self, index: u32) -> Triangle {
        // Lists of triangles around nodes never name one that is gone.
        self.triangles[index as usize].unwrap_or(Triangle {
            nodes: [0; 3],
            uvs: [DVec2::ZERO; 3],
        })
    }

    pub fn at(&self, node: u32) -> DVec3 {
        self.positions[node as usize]
    }

    pub fn length(&self, a: u32, b: u32) -> f64 {
        self.at(a).distance(self.at(b))
    }

    /// Twice the vector area of a triangle (m²).
    pub fn normal(&self, nodes: [u32; 3]) -> DVec3 {
        let [a, b, c] = nodes.map(|n| self.at(n));
        (b - a).cross(c - a)
    }

    /// Twice the area in the pattern, with its sign; 1 without a pattern.
    pub fn pattern_area(&self, uvs: [DVec2; 3]) -> f64 {
        match self.has_uvs {
            true => (uvs[1] - uvs[0]).perp_dot(uvs[2] - uvs[0]),
            false => 1.0,
        }
    }

    /// All edges, the smaller node first, in order.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let all = self.triangles.iter().flatten();
        let mut edges: Vec<[u32; 2]> = all
            .flat_map(|t| [0, 1, 2].map(|k| [t.nodes[k], t.nodes[(k + 1) % 3]]))
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The triangles at an edge; none if there is no such edge.
    pub fn sides(&self, a: u32, b: u32) -> Sides {
        let mut sides = Sides {
            list: [0; 2],
            count: 0,
        };
        for &index in &self.around[a as usize] {
            let triangle = self.triangle(index);
            if triangle.place(b).is_some() && sides.count < 2 {
                sides.list[sides.count] = index;
                sides.count += 1;
            }
        }
        let forward = |index: u32| {
            let triangle = self.triangle(index);
            triangle
                .place(a)
                .is_some_and(|k| triangle.nodes[(k + 1) % 3] == b)
        };
        if sides.count == 2 && !forward(sides.list[0]) {
            sides.list.swap(0, 1);
        }
        sides
    }

    /// The nodes next to a node, in order.
    pub fn neighbours(&self, node: u32) -> Vec<u32> {
        let around = self.around[node as usize].iter();
        let mut found: Vec<u32> = around.flat_map(|&t| self.triangle(t).nodes).collect();
        found.retain(|&n| n != node);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Puts a node in the middle of an edge.
    pub fn split(&mut self, a: u32, b: u32) -> u32 {
        let sides = self.sides(a, b);
        let middle = self.positions.len() as u32;
        self.positions.push(0.5 * (self.at(a) + self.at(b)));
        if let Some(colors) = &mut self.colors {
            let (one, other) = (colors[a as usize], colors[b as usize]);
            colors.push(std::array::from_fn(|k| 0.5 * (one[k] + other[k])));
        }
        self.around.push(Vec::new());
        for index in sides.iter() {
            let whole = self.triangle(index);
            let uv = 0.5 * (whole.uv(a) + whole.uv(b));
            let half = |gone: u32| {
                let mut half = whole;
                if let Some(k) = whole.place(gone) {
                    (half.nodes[k], half.uvs[k]) = (middle, uv);
                }
                half
            };
            self.replace(index, half(b));
            self.push(half(a));
        }
        middle
    }

    /// What corners at an edge become if it shrinks to a point at the share `t` of its way from `a` to `b`: the triangles
    /// that go, and those that stay as they will be. `None` if the surface would not stay one, or its texture.
    pub fn collapsed(&self, a: u32, b: u32, t: f64) -> Option<Collapse> {
        let sides = self.sides(a, b);
        let opposite: Vec<u32> = sides
            .iter()
            .filter_map(|index| {
                let triangle = self.triangle(index);
                triangle.across(a, b).map(|k| triangle.nodes[k])
            })
            .collect();
        // Only the corners across the edge may be next to both ends: any other would be pinched.
        let near_b = self.neighbours(b);
        let common = self
            .neighbours(a)
            .into_iter()
            .filter(|n| near_b.contains(n));
        if common.count() != opposite.len() || opposite.is_empty() {
            return None;
        }
        let pairs: Vec<[DVec2; 3]> = sides
            .iter()
            .map(|index| {
                let triangle = self.triangle(index);
                let (at_a, at_b) = (triangle.uv(a), triangle.uv(b));
                [at_a, at_b, at_a.lerp(at_b, t)]
            })
            .collect();
        let mut changed = Vec::new();
        for (end, own) in [(a, 0), (b, 1)] {
            for &index in &self.around[end as usize] {
                if sides.iter().any(|side| side == index) {
                    continue;
                }
                let mut triangle = self.triangle(index);
                let k = triangle.place(end)?;
                triangle.nodes[k] = b;
                // Where the texture has a seam, each side has its own place.
                let uv = pairs.iter().find(|pair| pair[own] == triangle.uvs[k]);
                triangle.uvs[k] = uv?[2];
                changed.push((index, triangle));
            }
        }
        Some(Collapse {
            sides,
            changed,
            position: self.at(a).lerp(self.at(b), t),
        })
    }

    /// Makes one node of two; `a` is gone then.
    pub fn collapse(&mut self, a: u32, b: u32, t: f64, collapse: &Collapse) {
        collapse.sides.iter().for_each(|index| self.remove(index));
        self.positions[b as usize] = collapse.position;
        if let Some(colors) = &mut self.colors {
            let (one, other) = (colors[a as usize], colors[b as usize]);
            let share = t as f32;
            colors[b as usize] = std::array::from_fn(|k| one[k] + share * (other[k] - one[k]));
        }
        for &(index, triangle) in &collapse.changed {
            self.replace(index, triangle);
        }
    }

    /// The two triangles at an edge with the edge turned to their other corners.
    pub fn flipped(&self, a: u32, b: u32) -> Option<[(u32, Triangle); 2]> {
        let sides = self.sides(a, b);
        if sides.count < 2 {
            return None;
        }
        let (left, right) = (self.triangle(sides.list[0]), self.triangle(sides.list[1]));
        let (k, l) = (left.across(a, b)?, right.across(a, b)?);
        let (c, d) = (left.nodes[k], right.nodes[l]);
        if c == d || self.sides(c, d).count > 0 {
            return None;
        }
        let (at_c, at_d) = (left.uvs[k], right.uvs[l]);
        let first = Triangle {
            nodes: [a, d, c],
            uvs: [left.uv(a), at_d, at_c],
        };
        let second = Triangle {
            nodes: [d, b, c],
            uvs: [at_d, left.uv(b), at_c],
        };
        Some([(sides.list[0], first), (sides.list[1], second)])
    }

    pub fn set(&mut self, triangles: [(u32, Triangle); 2]) {
        for (index, triangle) in triangles {
            self.replace(index, triangle);
        }
    }

    /// The surface as a mesh, without what is gone. Nodes that never had a triangle are left out.
    pub fn into_mesh(self) -> Mesh {
        let mut names = vec![0; self.positions.len()];
        let mut mesh = Mesh {
            corner_uvs: self.has_uvs.then(Vec::new),
            node_colors: self.colors.as_ref().map(|_| Vec::new()),
            ..Mesh::default()
        };
        for (node, around) in self.around.iter().enumerate() {
            if around.is_empty() {
                continue;
            }
            names[node] = mesh.positions.len() as u32;
            mesh.positions.push(self.positions[node]);
            if let (Some(all), Some(colors)) = (&self.colors, &mut mesh.node_colors) {
                colors.push(all[node]);
            }
        }
        for triangle in self.triangles.iter().flatten() {
            mesh.faces
                .push(Face::Tri(triangle.nodes.map(|n| names[n as usize])));
            let [a, b, c] = triangle.uvs;
            if let Some(uvs) = &mut mesh.corner_uvs {
                uvs.push([a, b, c, DVec2::ZERO]);
            }
        }
        mesh
    }
}

/// What shrinking an edge would do.
#[derive(Debug)]
pub(super) struct Collapse {
    pub sides: Sides,
    /// Triangles that stay, as they will be.
    pub changed: Vec<(u32, Triangle)>,
    pub position: DVec3,
}
