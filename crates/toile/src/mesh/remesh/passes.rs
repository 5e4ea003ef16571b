//! What is done in a round of remeshing.

use super::features::{Features, Hold};
use super::surface::{Surface, Triangle};
use crate::geometry::NearestSurface;
use glam::{DVec2, DVec3};

/// Longer edges are split, shorter ones collapsed: halves of the first are longer than the second.
const LONG: f64 = 4.0 / 3.0;
const SHORT: f64 = 4.0 / 5.0;
/// Triangles may turn by so much when something changes around them (cosine of 45°).
const TURN: f64 = 0.7;

pub(super) struct Pass<'a> {
    pub surface: &'a mut Surface,
    pub features: Features,
    /// The surface as it was.
    pub original: NearestSurface,
    /// Wanted length of the edges (m).
    pub length: f64,
}

impl Pass<'_> {
    /// Halves edges until none is too long.
    pub fn split_long(&mut self) {
        let longest = LONG * self.length;
        let mut pending = self.surface.edges();
        while !pending.is_empty() {
            // The longest first: that makes better triangles.
            pending.retain(|&[a, b]| self.surface.length(a, b) > longest);
            let key = |&[a, b]: &[u32; 2]| self.surface.length(a, b);
            pending.sort_by(|p, q| key(q).total_cmp(&key(p)).then(p.cmp(q)));
            let mut next = Vec::new();
            for [a, b] in std::mem::take(&mut pending) {
                if self.surface.sides(a, b).count == 0 {
                    continue;
                }
                let middle = self.surface.split(a, b);
                self.features.split(a, b, middle);
                let near = self.surface.neighbours(middle);
                next.extend(near.into_iter().map(|n| [n.min(middle), n.max(middle)]));
            }
            next.sort_unstable();
            next.dedup();
            pending = next;
        }
    }

    /// Shrinks edges that are too short, where nothing that must be kept suffers.
    pub fn collapse_short(&mut self) {
        let shortest = SHORT * self.length;
        for [a, b] in self.surface.edges() {
            let there = self.surface.sides(a, b).count > 0;
            if there && self.surface.length(a, b) < shortest {
                self.collapse(a, b);
            }
        }
    }

    fn collapse(&mut self, a: u32, b: u32) {
        // Which end goes, and where the other one will be.
        let (gone, kept, share) = match (self.features.hold(a), self.features.hold(b)) {
            (Hold::Free, Hold::Free) => (a, b, 0.5),
            (Hold::Free, _) => (a, b, 1.0),
            (_, Hold::Free) => (b, a, 1.0),
            (Hold::Line, _) if self.features.is_kept(a, b) => (a, b, 1.0),
            (_, Hold::Line) if self.features.is_kept(a, b) => (b, a, 1.0),
            _ => return,
        };
        let Some(collapse) = self.surface.collapsed(gone, kept, share) else {
            return;
        };
        let at = |n: u32| {
            if n == kept {
                collapse.position
            } else {
                self.surface.at(n)
            }
        };
        let longest = LONG * self.length;
        for &(index, triangle) in &collapse.changed {
            let before = self.surface.triangle(index);
            let [p, q, r] = triangle.nodes.map(at);
            let turned = self.surface.normal(before.nodes).normalize_or_zero();
            let area = (q - p).cross(r - p);
            let flat = area.length() < 1e-3 * self.length * self.length * SHORT;
            let folds = area.normalize_or_zero().dot(turned) < TURN || flat;
            let mirrored = self.surface.pattern_area(triangle.uvs)
                * self.surface.pattern_area(before.uvs)
                <= 0.0;
            let reach = |n: &u32| *n != kept && at(*n).distance(collapse.position) > longest;
            if folds || mirrored || triangle.nodes.iter().any(reach) {
                return;
            }
        }
        let near = self.surface.neighbours(gone);
        self.surface.collapse(gone, kept, share, &collapse);
        self.features.collapse(gone, kept, &near);
    }

    /// Turns edges where the nodes around them then have numbers of neighbours closer to six.
    pub fn flip(&mut self) {
        for [a, b] in self.surface.edges() {
            if self.features.is_kept(a, b) {
                continue;
            }
            let Some(flipped) = self.surface.flipped(a, b) else {
                continue;
            };
            let [c, d] = [flipped[0].1.nodes[2], flipped[0].1.nodes[1]];
            let spread = |change: [i32; 4]| -> i32 {
                let nodes = [a, b, c, d].into_iter().zip(change);
                nodes.map(|(n, by)| (self.excess(n) + by).pow(2)).sum()
            };
            let better = spread([-1, -1, 1, 1]) < spread([0; 4]);
            if better && self.is_sound(&flipped) {
                self.surface.set(flipped);
            }
        }
    }

    /// How many more neighbours a node has than it should: six inside, four on a boundary.
    fn excess(&self, node: u32) -> i32 {
        let triangles = self.surface.around[node as usize].len() as i32;
        let neighbours = self.surface.neighbours(node).len() as i32;
        match neighbours > triangles {
            true => neighbours - 4,
            false => neighbours - 6,
        }
    }

    /// Whether triangles that replace others face the same way, in space and in the pattern, and are no slivers.
    fn is_sound(&self, new: &[(u32, Triangle); 2]) -> bool {
        let before = new.map(|(index, _)| self.surface.triangle(index));
        let normals = before.map(|t| self.surface.normal(t.nodes));
        let up = (normals[0] + normals[1]).normalize_or_zero();
        let pattern = before.map(|t| self.surface.pattern_area(t.uvs));
        if pattern[0] * pattern[1] <= 0.0 {
            return false;
        }
        new.iter().all(|(_, triangle)| {
            let normal = self.surface.normal(triangle.nodes);
            let pattern_now = self.surface.pattern_area(triangle.uvs);
            let longest = (0..3)
                .map(|k| {
                    self.surface
                        .length(triangle.nodes[k], triangle.nodes[(k + 1) % 3])
                })
                .fold(0.0, f64::max);
            normal.normalize_or_zero().dot(up) > TURN
                && pattern_now * pattern[0] > 0.0
                && normal.length() > 0.1 * longest * longest
        })
    }

    /// Moves free nodes towards the middle of their neighbours, within the surface as it was.
    pub fn smooth(&mut self) {
        for node in 0..self.surface.positions.len() as u32 {
            let alive = !self.surface.around[node as usize].is_empty();
            if !alive || self.features.hold(node) != Hold::Free {
                continue;
            }
            let near = self.surface.neighbours(node);
            let middle =
                near.iter().map(|&n| self.surface.at(n)).sum::<DVec3>() / near.len() as f64;
            let here = self.surface.at(node);
            let normal = self.normal_at(node);
            let target = here + 0.5 * (middle - here).reject_from_normalized(normal);
            let target = self.original.nearest(target).position;
            self.move_node(node, target);
        }
    }

    fn normal_at(&self, node: u32) -> DVec3 {
        let around = self.surface.around[node as usize].iter();
        let sum: DVec3 = around
            .map(|&t| self.surface.normal(self.surface.triangle(t).nodes))
            .sum();
        sum.try_normalize().unwrap_or(DVec3::Z)
    }

    /// Moves a node and its place in the pattern, unless a triangle would fold.
    fn move_node(&mut self, node: u32, target: DVec3) {
        let around = self.surface.around[node as usize].clone();
        let uv = self.pattern_place(&around, target);
        for &index in &around {
            let triangle = self.surface.triangle(index);
            let Some(k) = triangle.place(node) else {
                return;
            };
            let [p, q, r] = triangle.nodes.map(|n| {
                if n == node {
                    target
                } else {
                    self.surface.at(n)
                }
            });
            let before = self.surface.normal(triangle.nodes).normalize_or_zero();
            let now = (q - p).cross(r - p);
            let mut uvs = triangle.uvs;
            uvs[k] = uv;
            let pattern = self.surface.pattern_area(uvs) * self.surface.pattern_area(triangle.uvs);
            if now.normalize_or_zero().dot(before) < TURN || pattern <= 0.0 {
                return;
            }
        }
        self.surface.positions[node as usize] = target;
        for index in around {
            if let Some(triangle) = &mut self.surface.triangles[index as usize]
                && let Some(k) = triangle.place(node)
            {
                triangle.uvs[k] = uv;
            }
        }
    }

    /// Where a place near some triangles lies in the pattern: as in the one that holds it, or comes nearest to that.
    fn pattern_place(&self, around: &[u32], place: DVec3) -> DVec2 {
        let mut best = (f64::NEG_INFINITY, DVec2::ZERO);
        for &index in around {
            let triangle = self.surface.triangle(index);
            let [a, b, c] = triangle.nodes.map(|n| self.surface.at(n));
            let normal = (b - a).cross(c - a);
            let whole = normal.length_squared();
            if whole == 0.0 {
                continue;
            }
            let share = |p: DVec3, q: DVec3| (q - p).cross(place - p).dot(normal) / whole;
            let weights = [share(b, c), share(c, a), share(a, b)];
            let least = weights.into_iter().fold(f64::INFINITY, f64::min);
            if least > best.0 {
                let uv = weights
                    .iter()
                    .zip(triangle.uvs)
                    .map(|(w, uv)| *w * uv)
                    .sum();
                best = (least, uv);
            }
        }
        best.1
    }
}
