//! The ring of faces around a node, laid flat, and how its area is spread over elements that feel curvature.
//!
//! A sheet bent to a cylinder of curvature `κ` in direction `θ` has `K = κ (c², cs, s²)` for
//! `(K_xx, K_xy, K_yy)`. An element that answers `m = a K_xx + b K_xy + c K_yy` and stores `½ D ω m²` feels,
//! with `p = (a+c)/2`, `q = (a−c)/2`, `r = b/2`,
//!
//! `m²/κ² = p² + (q² + r²)/2 + 2pq cos 2θ + 2pr sin 2θ + (q² − r²)/2 cos 4θ + qr sin 4θ`.
//!
//! The elements at a node get the weights `ω ≥ 0` (m²) whose sum comes nearest to the node's area in the
//! first term and to zero in the other four, in the mean square over all directions. Where that succeeds,
//! every cylinder stores `½ D κ²` per area, whatever its direction.
//!
//! A node on the rim sees half a ring. Its missing half is thought to be the mirror image through the node:
//! lines from each neighbour to its image take part in the division and are then dropped. So the rim lacks
//! what it cannot feel and nothing else becomes too stiff in exchange.

#[cfg(test)]
pub(super) mod check;

use crate::mesh::{Face, RestShape, Topology};
use glam::DVec2;
use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

/// Neighbours whose directions from the middle differ by more than this (150°, in rad) count as facing each
/// other, and make a line: exact in regular meshes (180°), and half of the 60° to the next neighbour is
/// allowed for irregular ones.
pub(super) const FACING: f64 = 2.618;

/// A neighbour in a ring.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour {
    pub node: u32,
    /// Where it is, seen from the middle, with the ring laid flat (m).
    pub at: DVec2,
    /// Direction from the middle (rad), increasing around the ring.
    pub angle: f64,
    /// Whether an edge leads there; otherwise it is the far corner of a quad.
    pub spoke: bool,
}

/// The faces around a node, counter-clockwise.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    pub middle: u32,
    pub neighbours: Vec<Neighbour>,
    /// Triangles that lie beyond a triangle of the ring: its next spoke, the apex on the far side, its other
    /// spoke.
    pub beyond: Vec<[Neighbour; 3]>,
    /// Whether the faces go all the way around.
    pub closed: bool,
    /// The share of the faces' area that belongs to the middle (m²).
    pub area: f64,
}

/// A face as its corner at the middle sees it.
#[derive(Clone, Copy)]
struct Sector {
    next: u32,
    far: Option<u32>,
    previous: u32,
    /// The same corners seen from the middle, the next one along the first axis.
    flat: [DVec2; 3],
    area: f64,
    beyond: Option<Apex>,
}

/// The apex of a triangle over one of its sides: how far along the side (as a fraction), how high to its left
/// (m).
#[derive(Clone, Copy, Debug)]
struct Apex {
    node: u32,
    along: f64,
    height: f64,
}

/// The rings of all nodes; a node at which several sheets only touch has one for each.
pub(super) fn rings(topology: &Topology, rest: &RestShape) -> Vec<Ring> {
    let apexes = apexes(topology, rest);
    let mut sectors = vec![Vec::new(); topology.node_count];
    for (index, face) in topology.faces.iter().enumerate() {
        for (k, &node) in face.corners().iter().enumerate() {
            let mut sector = sector(face, &rest.corners[index], k, rest.areas[index]);
            if sector.far.is_none() {
                sector.beyond = apexes.get(&[sector.previous, sector.next]).copied();
            }
            sectors[node as usize].push(sector);
        }
    }
    let mut rings = Vec::new();
    for (middle, mut left) in sectors.into_iter().enumerate() {
        while !left.is_empty() {
            let fan = take_fan(&mut left);
            rings.push(lay_flat(middle as u32, &fan));
        }
    }
    rings
}

/// The apex over every directed side of a triangle.
fn apexes(topology: &Topology, rest: &RestShape) -> HashMap<[u32; 2], Apex> {
    let mut apexes = HashMap::new();
    for (face, flat) in topology.faces.iter().zip(&rest.corners) {
        let Face::Tri(nodes) = *face else { continue };
        for k in 0..3 {
            let [from, to, apex] = [k, (k + 1) % 3, (k + 2) % 3];
            let (side, up) = (flat[to] - flat[from], flat[apex] - flat[from]);
            let found = Apex {
                node: nodes[apex],
                along: up.dot(side) / side.length_squared(),
                height: side.normalize().perp_dot(up),
            };
            apexes.insert([nodes[from], nodes[to]], found);
        }
    }
    apexes
}

fn sector(face: &Face, flat: &[DVec2; 4], k: usize, area: f64) -> Sector {
    let corners = face.corners();
    let count = corners.len();
    let at = |offset: usize| (k + offset) % count;
    let along = (flat[at(1)] - flat[k]).normalize();
    let seen = |offset: usize| {
        let to = flat[at(offset)] - flat[k];
        DVec2::new(to.dot(along), along.perp_dot(to))
    };
    Sector {
        next: corners[at(1)],
        far: (count == 4).then(|| corners[at(2)]),
        previous: corners[at(count - 1)],
        flat: [seen(1), seen(2), seen(count - 1)],
        area: area / count as f64,
        beyond: None,
    }
}

/// Takes out sectors that follow each other around the node, from the rim on if there is one.
fn take_fan(left: &mut Vec<Sector>) -> Vec<Sector> {
    let on_rim = |s: &Sector| !left.iter().any(|other| other.previous == s.next);
    let first = left.iter().position(on_rim).unwrap_or(0);
    let mut fan = vec![left.remove(first)];
    while let Some(found) = left
        .iter()
        .position(|s| fan.last().is_some_and(|last| s.next == last.previous))
    {
        fan.push(left.remove(found));
    }
    fan
}

fn lay_flat(middle: u32, fan: &[Sector]) -> Ring {
    let closed = fan.len() > 1 && fan[0].next == fan[fan.len() - 1].previous;
    let total: f64 = fan.iter().map(|s| angle_of(s.flat[2])).sum();
    // A ring that does not close in the plane (the tip of a cone) is opened or pressed together evenly.
    let scale = if closed { TAU / total } else { 1.0 };
    let mut neighbours = Vec::with_capacity(2 * fan.len() + 1);
    let mut turned = 0.0;
    let mut add = |node, flat: DVec2, turned: f64, spoke| {
        let angle = scale * (turned + angle_of(flat));
        let at = DVec2::from_angle(angle) * flat.length();
        neighbours.push(Neighbour {
            node,
            at,
            angle,
            spoke,
        });
    };
    for sector in fan {
        add(sector.next, sector.flat[0], turned, true);
        if let Some(far) = sector.far {
            add(far, sector.flat[1], turned, false);
        }
        turned += angle_of(sector.flat[2]);
    }
    if let (false, Some(last)) = (closed, fan.last()) {
        let before = turned - angle_of(last.flat[2]);
        add(last.previous, last.flat[2], before, true);
    }
    let beyond = apexes_beyond(fan, &neighbours, closed);
    let area = fan.iter().map(|s| s.area).sum();
    Ring {
        middle,
        neighbours,
        beyond,
        closed,
        area,
    }
}

fn apexes_beyond(fan: &[Sector], neighbours: &[Neighbour], closed: bool) -> Vec<[Neighbour; 3]> {
    let mut found = Vec::new();
    let mut first = 0;
    for sector in fan {
        let last = first + if sector.far.is_some() { 2 } else { 1 };
        let last = if closed {
            last % neighbours.len()
        } else {
            last
        };
        let (next, previous) = (neighbours[first], neighbours[last]);
        if let Some(apex) = sector.beyond {
            let side = next.at - previous.at;
            let at = previous.at + apex.along * side + apex.height * side.perp().normalize();
            let there = Neighbour {
                node: apex.node,
                at,
                angle: at.to_angle(),
                spoke: false,
            };
            found.push([next, there, previous]);
        }
        first = last;
    }
    found
}

/// Angle from the first axis, between 0 and 2π.
fn angle_of(p: DVec2) -> f64 {
    let angle = p.y.atan2(p.x);
    if angle < -1e-9 { angle + TAU } else { angle }
}

impl Ring {
    /// The neighbour `step` places farther on; `None` beyond the rim.
    pub fn neighbour(&self, from: usize, step: isize) -> Option<&Neighbour> {
        let count = self.neighbours.len() as isize;
        let index = from as isize + step;
        if self.closed {
            return self.neighbours.get(index.rem_euclid(count) as usize);
        }
        self.neighbours.get(usize::try_from(index).ok()?)
    }

    /// The neighbours that face each other over the middle at an angle of more than `least` (rad), spoke to
    /// spoke or far corner to far corner.
    pub fn lines(&self, least: f64) -> impl Iterator<Item = [Neighbour; 2]> + '_ {
        self.neighbours.iter().enumerate().flat_map(move |(k, p)| {
            let others = self.neighbours[k + 1..].iter();
            others.filter_map(move |q| {
                let opening = (q.angle - p.angle - PI).abs();
                (p.spoke == q.spoke && p.node != q.node && opening < PI - least).then_some([*p, *q])
            })
        })
    }

    /// Triangle pairs that share a spoke: the apexes, and the spoke's end between them.
    pub fn hinges(&self) -> impl Iterator<Item = [Neighbour; 3]> + '_ {
        (0..self.neighbours.len()).filter_map(|k| {
            let spoke = self.neighbours[k];
            let (before, after) = (*self.neighbour(k, -1)?, *self.neighbour(k, 1)?);
            let triangles = spoke.spoke && before.spoke && after.spoke;
            (triangles && before.node != after.node).then_some([before, after, spoke])
        })
    }

    /// Quads: the next spoke, the far corner and the spoke after it.
    pub fn quads(&self) -> impl Iterator<Item = [Neighbour; 3]> + '_ {
        (0..self.neighbours.len()).filter_map(|k| {
            let far = self.neighbours[k];
            let (before, after) = (*self.neighbour(k, -1)?, *self.neighbour(k, 1)?);
            (!far.spoke).then_some([before, far, after])
        })
    }

    /// Whether there is cloth on the other side of the middle.
    fn has_behind(&self, p: &Neighbour) -> bool {
        let (first, last) = (
            self.neighbours[0].angle,
            self.neighbours[self.neighbours.len() - 1].angle,
        );
        let inside = |angle: f64| angle > first - 1e-6 && angle < last + 1e-6;
        self.closed || inside(p.angle + PI) || inside(p.angle - PI)
    }

    /// The weights `ω` (m²) of elements that answer `m = a K_xx + b K_xy + c K_yy` with these `[a, b, c]`.
    pub fn spread(&self, forms: &[[f64; 3]]) -> Vec<f64> {
        let images = self.neighbours.iter().filter(|p| !self.has_behind(p));
        let all = forms.iter().copied().chain(images.map(|p| line_form(p.at)));
        let columns: Vec<[f64; 5]> = all.map(harmonics).collect();
        let mut weights = nearest(&columns);
        weights.truncate(forms.len());
        weights.iter_mut().for_each(|w| *w *= self.area);
        weights
    }
}

/// The form of a line's normal curvature `n·K n`.
pub(super) fn line_form(along: DVec2) -> [f64; 3] {
    let n = along.normalize();
    [n.x * n.x, 2.0 * n.x * n.y, n.y * n.y]
}

/// The mean of `m²/κ²` over cylinders of all directions.
pub(super) fn mean_response(form: [f64; 3]) -> f64 {
    harmonics(form)[0]
}

/// Energy over `½ D ω κ²` as mean and harmonics of the cylinder's direction, scaled to unit mean square.
fn harmonics([a, b, c]: [f64; 3]) -> [f64; 5] {
    let (p, q, r) = (0.5 * (a + c), 0.5 * (a - c), 0.5 * b);
    let half = 0.5f64.sqrt();
    [
        p * p + 0.5 * (q * q + r * r),
        half * 2.0 * p * q,
        half * 2.0 * p * r,
        half * 0.5 * (q * q - r * r),
        half * q * r,
    ]
}

/// Non-negative weights whose combination of the columns is nearest to `(1, 0, 0, 0, 0)`, found by
/// accelerated projected gradient descent from zero: of many solutions one that treats like columns alike.
fn nearest(columns: &[[f64; 5]]) -> Vec<f64> {
    let mut weights = vec![0.0; columns.len()];
    let bound: f64 = columns.iter().flatten().map(|x| x * x).sum();
    if bound == 0.0 {
        return weights;
    }
    let mut ahead = weights.clone();
    let mut momentum = 0.0;
    for _ in 0..200 {
        let mut residual = [1.0, 0.0, 0.0, 0.0, 0.0];
        for (column, weight) in columns.iter().zip(&ahead) {
            for (r, x) in residual.iter_mut().zip(column) {
                *r -= weight * x;
            }
        }
        let (mut largest, mut uphill) = (0.0f64, 0.0);
        for ((column, weight), ahead) in columns.iter().zip(&mut weights).zip(&mut ahead) {
            let slope: f64 = column.iter().zip(&residual).map(|(x, r)| x * r).sum();
            let moved = (*ahead + slope / bound).max(0.0);
            let step = moved - *weight;
            uphill += (*ahead - moved) * step;
            largest = largest.max(step.abs());
            *weight = moved;
            *ahead = moved + momentum / (momentum + 3.0) * step;
        }
        // Momentum that carries uphill is dropped.
        momentum = if uphill > 0.0 { 0.0 } else { momentum + 1.0 };
        if largest < 1e-10 {
            break;
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::check::{rest_of, sheet};
    use super::*;
    use crate::mesh::generate::GridPattern;

    #[test]
    fn a_ring_lies_flat_as_the_mesh_did() {
        for mesh in [sheet(Some(GridPattern::Quads), 4), sheet(None, 8)] {
            let (topology, rest) = rest_of(&mesh);
            let rings = rings(&topology, &rest);
            let total: f64 = rings.iter().map(|r| r.area).sum();
            assert!((total - 1.0).abs() < 1e-12);
            for ring in &rings {
                let at = |n: u32| mesh.positions[n as usize].truncate();
                let middle = at(ring.middle);
                let apexes = ring.beyond.iter().map(|[_, apex, _]| apex);
                let seen: Vec<_> = ring.neighbours.iter().chain(apexes).collect();
                // Only a rotation may lie between the two: all lengths and angles agree.
                for (p, q) in seen.iter().flat_map(|p| seen.iter().map(move |q| (p, q))) {
                    let (a, b) = (at(p.node) - middle, at(q.node) - middle);
                    assert!((p.at.dot(q.at) - a.dot(b)).abs() < 1e-12);
                    assert!((p.at.perp_dot(q.at) - a.perp_dot(b)).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn equal_lines_in_four_directions_share_the_area_equally() {
        let lines = [0.0, 0.25, 0.5, 0.75].map(|t| line_form(DVec2::from_angle(t * PI)));
        let columns = lines.map(harmonics);
        for weight in nearest(&columns) {
            assert!((weight - 2.0 / 3.0).abs() < 1e-8, "{weight}");
        }
    }
}
