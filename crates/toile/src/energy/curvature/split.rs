//! How an edge's angle is shared between its two triangles.
//!
//! Over the rest plane take the surface `z = ½ xᵀBx`. The triangles hold its linear interpolants with slopes
//! `g` and `g'`; at the middle `m` of their edge the surface itself has the slope `B m`. Seen from the first
//! triangle, with the normal `n` of the edge that points out of it,
//!
//! `θ = n·(g' − g), α = n·(B m − g) = ½θ + δ, δ = n·(B m − ½(g + g'))`
//!
//! all of them linear in `B`. Along the edge the slopes agree: the linear interpolant of a parabola is right
//! at the middle. So the shares at its three edges give a triangle exactly `B`.
//!
//! The triangles at an edge have up to five angles (eight nodes), more than the three numbers of `B` need. Of
//! all `c` with `Σ c_a θ_a(B) = δ(B)` for every `B` the shortest is taken. Where rims leave too few angles it
//! is the best fit. Where triangles are so badly shaped that `c` would be large, small errors of the angles
//! would be blown up; there it is cut to [`LONGEST`], which makes the sheet somewhat too stiff in place of
//! wild.

use super::outer;
use crate::mesh::{Face, RestShape, Topology};
use glam::{DMat2, DMat3, DVec2, DVec3};

/// The largest sum of `|c|`: shares of an angle stay of the angles' own size. Inside of usual meshes the sum
/// is 0.6 or less (0.35 with alternating diagonals, 0.14 in the middle of irregular meshes).
const LONGEST: f64 = 1.0;

/// Shares below this are rounding.
const NOTHING: f64 = 1e-9;

/// `B` whose vector `B₁₁`, `B₂₂`, `√2 B₁₂` is the `k`-th unit vector.
fn basis(k: usize) -> DMat2 {
    use std::f64::consts::FRAC_1_SQRT_2 as HALF;
    match k {
        0 => DMat2::from_cols(DVec2::X, DVec2::ZERO),
        1 => DMat2::from_cols(DVec2::ZERO, DVec2::Y),
        _ => DMat2::from_cols(DVec2::new(0.0, HALF), DVec2::new(HALF, 0.0)),
    }
}

/// Slope of the linear interpolant of `½ xᵀBx` on a triangle.
fn slope(bend: DMat2, [a, b, c]: [DVec2; 3]) -> DVec2 {
    let height = |p: DVec2| 0.5 * p.dot(bend * p);
    let rise = DVec2::new(height(b) - height(a), height(c) - height(a));
    DMat2::from_cols(b - a, c - a).transpose().inverse() * rise
}

/// An edge of the unfolded mesh and the third corners of its triangles.
#[derive(Clone, Copy)]
struct Pair {
    ends: [DVec2; 2],
    inner: DVec2,
    outer: DVec2,
}

/// The normal of an edge that points away from a point beside it.
fn normal(ends: [DVec2; 2], beside: DVec2) -> DVec2 {
    let square = (ends[1] - ends[0]).normalize().perp();
    if square.dot(beside - ends[0]) > 0.0 {
        -square
    } else {
        square
    }
}

impl Pair {
    fn slopes(&self, bend: DMat2) -> [DVec2; 2] {
        let [a, b] = self.ends;
        [self.inner, self.outer].map(|c| slope(bend, [a, b, c]))
    }

    /// `θ(B)`.
    fn angle(&self) -> DVec3 {
        let normal = normal(self.ends, self.inner);
        from_basis(|bend| {
            let [inner, outer] = self.slopes(bend);
            normal.dot(outer - inner)
        })
    }

    /// `δ(B)`.
    fn imbalance(&self) -> DVec3 {
        let normal = normal(self.ends, self.inner);
        let middle = 0.5 * (self.ends[0] + self.ends[1]);
        from_basis(|bend| {
            let [inner, outer] = self.slopes(bend);
            normal.dot(bend * middle - 0.5 * (inner + outer))
        })
    }
}

fn from_basis(f: impl Fn(DMat2) -> f64) -> DVec3 {
    DVec3::new(f(basis(0)), f(basis(1)), f(basis(2)))
}

/// A corner of the unfolded mesh.
#[derive(Clone, Copy)]
struct Corner {
    node: u32,
    place: DVec2,
}

/// A mesh and its hinges between triangles.
pub(super) struct Edges<'a> {
    pub topology: &'a Topology,
    pub rest: &'a RestShape,
    /// For each triangle its three edges; nothing for quads.
    pub of_faces: &'a [Vec<u32>],
    /// For each edge its hinge, if it is one between triangles.
    pub hinges: &'a [Option<u32>],
}

impl Edges<'_> {
    /// Whether two faces that share an edge go around in the same sense.
    fn alike(&self, edge: u32, faces: [u32; 2]) -> bool {
        let [a, b] = self.topology.edges[edge as usize].nodes;
        let along = |face: u32| {
            let mut sides = self.topology.faces[face as usize].edges();
            sides.any(|side| side == [a, b])
        };
        along(faces[0]) != along(faces[1])
    }

    /// The sign of an edge's angle as a face sees it. An angle is positive for a fold towards the front of
    /// the edge's first face.
    pub fn sign(&self, edge: u32, face: u32) -> f64 {
        let first = self.topology.edges[edge as usize].faces().next();
        match first {
            Some(first) if first != face && !self.alike(edge, [first, face]) => -1.0,
            _ => 1.0,
        }
    }

    /// A triangle's corners in its own rest plane, about their middle.
    fn laid(&self, face: u32) -> Option<[Corner; 3]> {
        let Face::Tri(nodes) = self.topology.faces[face as usize] else {
            return None;
        };
        let flat = &self.rest.corners[face as usize];
        let middle = (flat[0] + flat[1] + flat[2]) / 3.0;
        Some(std::array::from_fn(|k| Corner {
            node: nodes[k],
            place: flat[k] - middle,
        }))
    }

    /// The third corner of the triangle beyond an edge of a laid triangle, unfolded into its plane.
    fn unfold(&self, face: u32, ends: [Corner; 2], inner: DVec2) -> Option<Corner> {
        let corners = self.laid(face)?;
        let at = |node: u32| corners.iter().find(|c| c.node == node).map(|c| c.place);
        let third = corners
            .iter()
            .find(|c| ends.iter().all(|e| e.node != c.node))?;
        let (from, to) = (at(ends[0].node)?, at(ends[1].node)?);
        let along = (to - from).normalize();
        let arm = third.place - 0.5 * (from + to);
        let places = ends.map(|e| e.place);
        let forward = (places[1] - places[0]).normalize();
        let place = 0.5 * (places[0] + places[1])
            + arm.dot(along) * forward
            + arm.perp_dot(along).abs() * normal(places, inner);
        Some(Corner {
            node: third.node,
            place,
        })
    }

    /// An edge of a laid triangle with the triangle beyond it.
    fn pair(&self, face: u32, corners: &[Corner; 3], edge: u32) -> Option<(u32, Pair, Corner)> {
        let nodes = self.topology.edges[edge as usize].nodes;
        let mut faces = self.topology.edges[edge as usize].faces();
        let beyond = faces.find(|&other| other != face)?;
        let end = |node: u32| corners.iter().find(|c| c.node == node).copied();
        let ends = [end(nodes[0])?, end(nodes[1])?];
        let inner = corners.iter().find(|c| !nodes.contains(&c.node))?.place;
        let outer = self.unfold(beyond, ends, inner)?;
        let pair = Pair {
            ends: ends.map(|e| e.place),
            inner,
            outer: outer.place,
        };
        Some((beyond, pair, outer))
    }

    /// The angles at the sides of a laid triangle other than one, as the triangle sees them.
    fn angles_beside(
        &self,
        face: u32,
        corners: &[Corner; 3],
        edge: u32,
    ) -> impl Iterator<Item = (u32, DVec3)> {
        let sides = self.of_faces[face as usize].iter();
        sides
            .filter(move |&&side| side != edge)
            .filter_map(move |&side| {
                let hinge = self.hinges[side as usize]?;
                let (_, pair, _) = self.pair(face, corners, side)?;
                Some((hinge, self.sign(side, face) * pair.angle()))
            })
    }
}

/// `δ` of an edge between triangles as a sum of angles: which hinges, and with which factors. As the edge's
/// first face sees it; the other one has the same with the opposite sign.
pub(super) fn split(edges: &Edges, edge: u32) -> Option<Vec<(u32, f64)>> {
    let own = edges.hinges[edge as usize]?;
    let first = edges.topology.edges[edge as usize].faces().next()?;
    let corners = edges.laid(first)?;
    let (second, pair, tip) = edges.pair(first, &corners, edge)?;
    let wanted = pair.imbalance();
    let mut angles = vec![(own, pair.angle())];
    angles.extend(edges.angles_beside(first, &corners, edge));
    // The second triangle, laid beside the first, sees its front where the first one does or not.
    let sense = edges.sign(edge, second);
    let nodes = edges.topology.edges[edge as usize].nodes;
    let shared = |k: usize| corners.iter().find(|c| c.node == nodes[k]).copied();
    let beyond = [shared(0)?, shared(1)?, tip];
    let theirs = edges.angles_beside(second, &beyond, edge);
    angles.extend(theirs.map(|(hinge, row)| (hinge, sense * row)));
    let factors = shortest(&angles, wanted);
    let shares = angles.iter().zip(factors);
    let shares = shares.filter(|(_, c)| c.abs() > NOTHING);
    Some(shares.map(|((hinge, _), c)| (*hinge, c)).collect())
}

/// The shortest `c` with `Σ c_a row_a = wanted`, or the one that comes nearest, cut to [`LONGEST`].
fn shortest(angles: &[(u32, DVec3)], wanted: DVec3) -> Vec<f64> {
    let size: f64 = angles.iter().map(|(_, row)| row.length_squared()).sum();
    if wanted.length_squared() <= NOTHING * NOTHING * size {
        return vec![0.0; angles.len()];
    }
    // A trace of the identity makes the matrix regular where rows are too few, and changes nothing that is
    // seen where they are not.
    let mut matrix = DMat3::from_diagonal(DVec3::splat(1e-10 * size));
    for (_, row) in angles {
        matrix += outer(*row, *row);
    }
    let solution = matrix.inverse() * wanted;
    let factors: Vec<f64> = angles.iter().map(|(_, row)| row.dot(solution)).collect();
    let sum: f64 = factors.iter().map(|c| c.abs()).sum();
    let cut = (LONGEST / sum).min(1.0);
    factors.into_iter().map(|c| cut * c).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_usual_meshes_are_far_from_the_cut() {
        for (name, mesh) in super::super::patches::meshes() {
            let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
            let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
            let of_faces = super::super::cloth::edges_of_faces(&topology);
            let inner = topology.edges.iter().map(|edge| !edge.is_boundary());
            let hinges: Vec<Option<u32>> = inner
                .scan(0, |next, inner| {
                    let own = *next;
                    *next += u32::from(inner);
                    Some(inner.then_some(own))
                })
                .collect();
            let edges = Edges {
                topology: &topology,
                rest: &rest,
                of_faces: &of_faces,
                hinges: &hinges,
            };
            let sums = (0..topology.edges.len() as u32)
                .filter_map(|edge| split(&edges, edge))
                .map(|shares| shares.iter().map(|(_, c)| c.abs()).sum::<f64>());
            let largest = sums.fold(0.0, f64::max);
            match name {
                "one way" | "equilateral" => assert_eq!(largest, 0.0),
                // Some edges at its rim have too few angles.
                "shaken" => assert!(largest <= LONGEST),
                _ => assert!(largest < 0.6, "{name}: {largest}"),
            }
        }
    }
}
