//! Contours along which cloth passes through cloth.

use super::{Crossing, Tangle, sides_of};
use crate::mesh::Face;
use glam::DVec3;
use std::collections::HashMap;

/// Crossings that hang together.
#[derive(Clone, Debug, Default)]
pub(super) struct Contour {
    pub crossings: Vec<Crossing>,
    /// Which of them are joined by a piece of the contour, within two triangles.
    pub segments: Vec<[usize; 2]>,
}

/// All contours of some pairs of triangles.
pub(super) fn contours(tangle: &Tangle, pairs: &[[u32; 2]], positions: &[DVec3]) -> Vec<Contour> {
    let mut known = HashMap::new();
    let (mut crossings, mut leaders) = (Vec::new(), Vec::<usize>::new());
    let mut segments = Vec::new();
    for &[one, other] in pairs {
        let mut here = Vec::new();
        for (mine, theirs) in [(one, other), (other, one)] {
            for side in sides_of(tangle.corners(mine)) {
                let corners = tangle.corners(theirs);
                let Some(crossing) = cross(side, theirs, corners, positions) else {
                    continue;
                };
                here.push(*known.entry((side, theirs)).or_insert_with(|| {
                    crossings.push(crossing);
                    leaders.push(crossings.len() - 1);
                    crossings.len() - 1
                }));
            }
        }
        for &next in here.get(1..).unwrap_or_default() {
            let (a, b) = (leader(&leaders, here[0]), leader(&leaders, next));
            leaders[a.max(b)] = a.min(b);
        }
        if let [p, q] = here[..] {
            segments.push([p, q]);
        }
    }
    gather(&crossings, &segments, &leaders)
}

fn leader(leaders: &[usize], mut at: usize) -> usize {
    while leaders[at] != at {
        at = leaders[at];
    }
    at
}

/// Sorts crossings and segments by the contour they belong to.
fn gather(crossings: &[Crossing], segments: &[[usize; 2]], leaders: &[usize]) -> Vec<Contour> {
    let mut contours: Vec<Contour> = Vec::new();
    let mut number = vec![usize::MAX; crossings.len()];
    let mut places = Vec::with_capacity(crossings.len());
    for (k, crossing) in crossings.iter().enumerate() {
        let first = leader(leaders, k);
        if first == k {
            number[k] = contours.len();
            contours.push(Contour::default());
        }
        let contour = &mut contours[number[first]];
        places.push((number[first], contour.crossings.len()));
        contour.crossings.push(*crossing);
    }
    for segment in segments {
        let [(contour, p), (_, q)] = segment.map(|k| places[k]);
        contours[contour].segments.push([p, q]);
    }
    contours
}

/// Where a side crosses a triangle, if it does and has no corner of it.
fn cross(
    side: [u32; 2],
    triangle: u32,
    corners: [u32; 3],
    positions: &[DVec3],
) -> Option<Crossing> {
    if side.iter().any(|n| corners.contains(n)) {
        return None;
    }
    let [p, q] = side.map(|n| positions[n as usize]);
    let [a, b, c] = corners.map(|n| positions[n as usize]);
    let normal = (b - a).cross(c - a);
    let [above, below] = [p, q].map(|x| (x - a).dot(normal));
    if above == below || above * below > 0.0 {
        return None;
    }
    let share = above / (above - below);
    let at = p.lerp(q, share);
    let square = normal.length_squared();
    let second = normal.dot((at - a).cross(c - a)) / square;
    let third = normal.dot((b - a).cross(at - a)) / square;
    let weights = [1.0 - second - third, second, third];
    weights.iter().all(|w| *w >= 0.0).then_some(Crossing {
        side,
        triangle,
        share,
        weights,
        at,
    })
}

impl Contour {
    /// Its length (m).
    #[cfg(test)]
    pub fn length(&self) -> f64 {
        let ends = self
            .segments
            .iter()
            .map(|s| s.map(|k| self.crossings[k].at));
        ends.map(|[p, q]| p.distance(q)).sum()
    }

    /// For each crossing, how the length grows when the side is moved against the triangle.
    pub fn gradients(&self, tangle: &Tangle, positions: &[DVec3]) -> Vec<DVec3> {
        let mut leaving = vec![DVec3::ZERO; self.crossings.len()];
        for &[p, q] in &self.segments {
            let way = self.crossings[p].at - self.crossings[q].at;
            let way = way.normalize_or_zero();
            leaving[p] += way;
            leaving[q] -= way;
        }
        let crossings = self.crossings.iter().zip(leaving);
        crossings
            .map(|(crossing, leaving)| {
                leaving - slide(crossing, leaving, &tangle.triangles, positions)
            })
            .collect()
    }
}

/// `(R·E)/(N·E) N`: what the length grows by when the triangle moves.
pub(super) fn slide(
    crossing: &Crossing,
    leaving: DVec3,
    triangles: &[Face],
    positions: &[DVec3],
) -> DVec3 {
    let [p, q] = crossing.side.map(|n| positions[n as usize]);
    let normal = triangles[crossing.triangle as usize].vector_area(positions);
    let across = normal.dot(q - p);
    if across == 0.0 {
        return DVec3::ZERO;
    }
    leaving.dot(q - p) / across * normal
}
