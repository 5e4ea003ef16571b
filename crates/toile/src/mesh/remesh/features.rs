//! Edges and nodes that must be kept.

use super::surface::Surface;
use glam::DVec3;
use std::collections::HashSet;

/// Where lines turn by more than this their node is a corner (cosine of 30°).
const STRAIGHT: f64 = 0.866;

/// What holds a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// It may move within the surface.
    Free,
    /// It lies on a line that is kept.
    Line,
    /// It stays where it is.
    Corner,
}

/// Lines that are kept: boundaries, creases, seams of the texture.
#[derive(Debug)]
pub(super) struct Features {
    /// The smaller node first.
    edges: HashSet<[u32; 2]>,
    holds: Vec<Hold>,
}

impl Features {
    pub fn new(surface: &Surface, crease: f64) -> Self {
        let limit = crease.cos();
        let kept = |&[a, b]: &[u32; 2]| is_feature(surface, a, b, limit);
        let edges: HashSet<[u32; 2]> = surface.edges().into_iter().filter(kept).collect();
        let mut ways: Vec<Vec<DVec3>> = vec![Vec::new(); surface.positions.len()];
        let mut sorted: Vec<&[u32; 2]> = edges.iter().collect();
        sorted.sort_unstable();
        for &&[a, b] in &sorted {
            let way = (surface.at(b) - surface.at(a)).normalize_or_zero();
            ways[a as usize].push(way);
            ways[b as usize].push(-way);
        }
        let hold = |ways: &Vec<DVec3>| match ways.as_slice() {
            [] => Hold::Free,
            [one, other] if one.dot(*other) < -STRAIGHT => Hold::Line,
            _ => Hold::Corner,
        };
        Features {
            edges,
            holds: ways.iter().map(hold).collect(),
        }
    }

    pub fn is_kept(&self, a: u32, b: u32) -> bool {
        self.edges.contains(&[a.min(b), a.max(b)])
    }

    pub fn hold(&self, node: u32) -> Hold {
        self.holds[node as usize]
    }

    /// An edge got a node in its middle.
    pub fn split(&mut self, a: u32, b: u32, middle: u32) {
        let kept = self.edges.remove(&[a.min(b), a.max(b)]);
        self.holds.push(if kept { Hold::Line } else { Hold::Free });
        if kept {
            self.edges.insert([a, middle]);
            self.edges.insert([b, middle]);
        }
    }

    /// The node `gone` became one with `kept`; `near` are the nodes next to it.
    pub fn collapse(&mut self, gone: u32, kept: u32, near: &[u32]) {
        for &other in near {
            if self.edges.remove(&[gone.min(other), gone.max(other)]) && other != kept {
                self.edges.insert([kept.min(other), kept.max(other)]);
            }
        }
    }
}

/// Whether an edge has one face only, a sharp angle, or a seam of the texture.
fn is_feature(surface: &Surface, a: u32, b: u32, limit: f64) -> bool {
    let sides = surface.sides(a, b);
    if sides.count < 2 {
        return true;
    }
    let [left, right] = sides.list.map(|t| surface.triangle(t));
    let seam = [a, b].iter().any(|&node| {
        let at = |t: &super::surface::Triangle| t.place(node).map(|k| t.uvs[k]);
        at(&left) != at(&right)
    });
    let [one, other] = [left, right].map(|t| surface.normal(t.nodes).normalize_or_zero());
    seam || one.dot(other) < limit
}
