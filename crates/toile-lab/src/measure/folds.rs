//! How many folds a surface has.
//!
//! A fold is a connected region of nodes in which the surface is bent to one side more strongly than a fold as wide as the cloth
//! would be. The mean curvature at a node, from the angles `θ` between faces at its edges of length `l`, is
//!
//! ```text
//! H = Σ θ l / (4 A)
//! ```
//!
//! with `A` the node's area: half of each edge's bend belongs to either end, and a cylinder of radius `r` has `H = 1/2r`. Sums and areas are
//! taken over a node and its neighbours, because regular meshes deal out areas unevenly. Crests and hollows are counted apart; a sheet with
//! waves may have one more of the one or of the other, so the larger number counts.

use glam::DVec3;
use toile::mesh::{RestShape, Topology};

/// Regions smaller than this share of the cloth are no folds.
const SMALLEST: f64 = 2e-3;

/// Number of folds. `sharpness` is the mean curvature (1/m) from which on the surface counts as folded; [`usual_sharpness`] is a good choice.
pub fn folds(topology: &Topology, rest: &RestShape, positions: &[DVec3], sharpness: f64) -> usize {
    let curvature = mean_curvatures(topology, rest, positions);
    let sides = [1.0, -1.0].map(|side| {
        let bent = |node: usize| side * curvature[node] > sharpness;
        regions(topology, rest, bent)
    });
    sides[0].max(sides[1])
}

/// Two over the root of the cloth's area: a fold has at most a quarter of a square cloth's side as radius.
pub fn usual_sharpness(rest: &RestShape) -> f64 {
    2.0 / rest.total_area().sqrt()
}

/// Signed mean curvature at every node (1/m); 0 where the cloth ends.
pub fn mean_curvatures(topology: &Topology, rest: &RestShape, positions: &[DVec3]) -> Vec<f64> {
    let mut sums = vec![0.0; topology.node_count];
    let normals: Vec<DVec3> = topology
        .faces
        .iter()
        .map(|f| f.vector_area(positions).normalize_or_zero())
        .collect();
    let mut rim = vec![false; topology.node_count];
    for edge in &topology.edges {
        let [a, b] = edge.nodes.map(|n| n as usize);
        let mut faces = edge.faces();
        let (Some(first), Some(second)) = (faces.next(), faces.next()) else {
            rim[a] = true;
            rim[b] = true;
            continue;
        };
        let along = (positions[b] - positions[a]).normalize_or_zero();
        let [n, m] = [first, second].map(|f| normals[f as usize]);
        // The first face has the edge from a to b or the other way round; that decides the sign.
        let forward = topology.faces[first as usize]
            .edges()
            .any(|[i, j]| [i, j] == edge.nodes);
        let angle = n.cross(m).dot(along).atan2(n.dot(m));
        let signed = if forward { angle } else { -angle };
        let bend = signed * positions[a].distance(positions[b]);
        sums[a] += 0.5 * bend;
        sums[b] += 0.5 * bend;
    }
    let inner = |node: usize| if rim[node] { 0.0 } else { 1.0 };
    let own = |node: usize| [sums[node], rest.node_areas[node]].map(|x| inner(node) * x);
    let mut around: Vec<[f64; 2]> = (0..topology.node_count).map(own).collect();
    for [a, b] in topology.edges.iter().map(|e| e.nodes.map(|n| n as usize)) {
        for (here, there) in [(a, b), (b, a)] {
            let [sum, area] = own(there);
            around[here][0] += sum;
            around[here][1] += area;
        }
    }
    let value = |(node, [sum, area]): (usize, &[f64; 2])| {
        if rim[node] { 0.0 } else { 0.5 * sum / area }
    };
    around.iter().enumerate().map(value).collect()
}

/// Connected regions of nodes, without those that are too small.
fn regions(topology: &Topology, rest: &RestShape, bent: impl Fn(usize) -> bool) -> usize {
    let mut parents: Vec<usize> = (0..topology.node_count).collect();
    for edge in &topology.edges {
        let [a, b] = edge.nodes.map(|n| n as usize);
        if bent(a) && bent(b) {
            let (a, b) = (root(&mut parents, a), root(&mut parents, b));
            parents[a.max(b)] = a.min(b);
        }
    }
    let mut areas = vec![0.0; topology.node_count];
    for node in (0..topology.node_count).filter(|&n| bent(n)) {
        areas[root(&mut parents, node)] += rest.node_areas[node];
    }
    let smallest = SMALLEST * rest.total_area();
    areas.iter().filter(|&&area| area > smallest).count()
}

fn root(parents: &mut [usize], mut node: usize) -> usize {
    while parents[node] != node {
        parents[node] = parents[parents[node]];
        node = parents[node];
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;
    use toile::mesh::generate::{Diagonals, Grid, GridPattern, grid};

    fn sheet(cells: u32, pattern: GridPattern) -> (Topology, RestShape, Vec<DVec3>) {
        let mesh = grid(&Grid {
            size: [1.0, 1.0],
            cells: [cells, cells],
            pattern,
        });
        let mesh = mesh.unwrap();
        let topology = Topology::new(mesh.positions.len(), mesh.faces).unwrap();
        let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
        (topology, rest, mesh.positions)
    }

    const PATTERNS: [GridPattern; 2] = [
        GridPattern::Quads,
        GridPattern::Triangles(Diagonals::Alternating),
    ];

    #[test]
    fn a_cylinder_has_half_the_inverse_of_its_radius() {
        for pattern in PATTERNS {
            let (topology, rest, flat) = sheet(24, pattern);
            let radius = 0.4;
            let bent: Vec<DVec3> = flat
                .iter()
                .map(|p| {
                    let angle = p.x / radius;
                    DVec3::new(radius * angle.sin(), p.y, -radius * angle.cos())
                })
                .collect();
            let curvatures = mean_curvatures(&topology, &rest, &bent);
            let middle = curvatures[25 * 12 + 12];
            assert!((middle.abs() * 2.0 * radius - 1.0).abs() < 0.04, "{middle}");
        }
    }

    #[test]
    fn waves_are_counted_on_any_mesh() {
        for (cells, pattern) in [(32, PATTERNS[0]), (48, PATTERNS[1]), (64, PATTERNS[0])] {
            let (topology, rest, flat) = sheet(cells, pattern);
            let sharpness = usual_sharpness(&rest);
            assert_eq!(folds(&topology, &rest, &flat, sharpness), 0);
            for waves in [2.0, 3.0, 5.0] {
                let height = |p: &DVec3| 0.05 * (TAU * waves * (p.x + 0.5)).sin();
                let wavy: Vec<DVec3> = flat.iter().map(|p| p.with_z(height(p))).collect();
                assert_eq!(folds(&topology, &rest, &wavy, sharpness), waves as usize);
            }
        }
    }
}
