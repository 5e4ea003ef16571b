//! How many motions equations leave to a mesh: the counts of Jin and others (2017), section 2.
//!
//! **Counting.** A square of `N × N` cells, each cut by a diagonal, has `3(N+1)²` coordinates and `2N(N+1) + N²` edges. With fixed
//! lengths `4N + 3` motions are left if the equations are independent. They are on any sheet that is bent a little. On a flat one all
//! gradients lie in its plane, where `2(N+1)² − 3` of them are enough to hold everything: `(N+1)² + 3` motions are left to first order.
//! The metric at nodes (isometric cloth) leaves `8N − 4` on a bent sheet.
//!
//! **The small meshes** of figure 2 have two nodes held. Here counting promises too much, and so does the rank: it knows first derivatives
//! only. In figure 2b node 3 can be at most `|e|` from 2 and `|f|` from 6, which are that far apart: it cannot move, but to first order
//! lengths do not change when it moves across. The edge 4-7 then stops what depends on node 3 in fourth order. So the motions that can
//! really be made are found by making them: every free node is thrown somewhere else, the mesh is brought back to its lengths, many
//! times, and the dimension of what came out is counted. All motions of these meshes are turns about the diagonal through the held nodes, for which
//! heights are all that needs to be looked at: their space has the dimension of the motions.

use crate::dense::{Elimination, eigenvalues, eliminate, solve};
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Experiment, Findings, LabError, Settings};
use glam::{DQuat, DVec3};
use toile::limit::{Constraints, Lengths, Metric, jacobian};
use toile::mesh::generate::{Diagonals, Grid, GridPattern, grid};
use toile::mesh::{Face, Mesh, RestShape, Topology};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "degrees-of-freedom",
    title: "how many motions fixed edges, and a fixed metric, leave to a mesh",
    reproduces: "Jin et al. 2017, section 2 and figure 2: 4N + 3; 5 motions promised, 2 or 1 left",
    about: "Nothing is simulated here: the motions that are left to a mesh are counted when its edges, or its metric at the nodes, \
            must not change. Few motions mean that cloth of this kind cannot bend as cloth should: its mesh locks. Counts must \
            come out exactly, so the tolerance is zero.",
    parameters: &[
        (
            "squares",
            "1×1 to 8×8 cells (short version: to 4×4), slightly bent and flat",
        ),
        (
            "small meshes",
            "the five of the paper's figure 2, two nodes held",
        ),
        ("a pivot counts as zero", "below 1e-9 of the largest entry"),
    ],
    run,
};

/// Pivots below this share of the largest entry count as zero. Rounding leaves 1e-15; the smallest real ones of a bent sheet go
/// with its slope squared, 1e-4.
const TOLERANCE: f64 = 1e-9;

/// A mesh of figure 2, its nodes numbered as there, less one.
struct Small {
    name: &'static str,
    faces: &'static [[u32; 3]],
    held: [usize; 2],
    /// What counting promises, and what the paper says is left.
    promised: usize,
    left: usize,
}

/// Nodes 1 to 8. The squares 1-2-3-4 and 3-5-6-7 meet in 3, and 2, 3 and 6 lie on one line.
const NODES: [[f64; 2]; 8] = [
    [0.0, 1.0],
    [0.0, 0.0],
    [1.0, 1.0],
    [1.0, 0.0],
    [1.0, 2.0],
    [2.0, 2.0],
    [2.0, 1.0],
    [2.0, 0.0],
];
/// The halves of the squares, cut by `e` from 1 to 4 and by `f` from 5 to 7.
const A: [u32; 3] = [0, 1, 3];
const B: [u32; 3] = [0, 3, 2];
const C: [u32; 3] = [4, 2, 6];
const D: [u32; 3] = [4, 6, 5];

const SMALL: [Small; 5] = [
    Small {
        name: "figure 2a, 1 and 4 held",
        faces: &[A, B],
        held: [0, 3],
        promised: 2,
        left: 2,
    },
    Small {
        name: "figure 2a, 2 and 3 held",
        faces: &[A, B],
        held: [1, 2],
        promised: 1,
        left: 1,
    },
    Small {
        name: "figure 2b, 2 and 6 held",
        faces: &[A, B, C, D],
        held: [1, 5],
        promised: 5,
        left: 2,
    },
    Small {
        name: "the same with 4-7 (herring bone)",
        faces: &[A, B, C, D, [2, 3, 6]],
        held: [1, 5],
        promised: 4,
        left: 1,
    },
    Small {
        name: "figure 2c, 2 and 6 held",
        faces: &[A, B, C, D, [2, 3, 7], [2, 7, 6]],
        held: [1, 5],
        promised: 5,
        left: 1,
    },
];

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let sizes = if settings.quick { 1..=4 } else { 1..=8 };
    squares(sizes, &mut findings);
    for small in &SMALL {
        small_mesh(small, &mut findings);
    }
    Ok(findings)
}

/// The equations of a mesh at some positions: values, and gradients by all coordinates, which are zero for held nodes.
fn equations(
    constraints: &impl Constraints,
    positions: &[DVec3],
    held: &[usize],
) -> Vec<(f64, Vec<f64>)> {
    let row = |(value, entries): (f64, Vec<(u32, DVec3)>)| {
        let mut gradient = vec![0.0; 3 * positions.len()];
        for (node, g) in entries {
            let node = node as usize;
            if !held.contains(&node) {
                gradient[3 * node..3 * node + 3].copy_from_slice(&g.to_array());
            }
        }
        (value, gradient)
    };
    let rows = jacobian(constraints, positions).into_iter().map(row);
    // An edge between held nodes asks nothing.
    rows.filter(|(_, g)| g.iter().any(|g| *g != 0.0)).collect()
}

fn rank(equations: &[(f64, Vec<f64>)]) -> usize {
    elimination(equations).rank
}

fn elimination(equations: &[(f64, Vec<f64>)]) -> Elimination {
    let columns = equations.first().map_or(0, |(_, g)| g.len());
    let rows = equations.iter().map(|(_, g)| g.clone());
    eliminate(rows.collect(), columns, TOLERANCE)
}

/// The mesh as it lies, and a little out of its plane.
fn bent(positions: &[DVec3]) -> Vec<DVec3> {
    let lift =
        |p: &DVec3| 0.1 * (2.3 * p.x + 0.4).sin() * (1.7 * p.y + 0.3).cos() + 0.07 * p.x * p.y;
    positions.iter().map(|p| *p + lift(p) * DVec3::Z).collect()
}

fn shapes(mesh: &Mesh) -> (Topology, RestShape) {
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).expect("a good mesh");
    let rest = RestShape::from_positions(&topology, &mesh.positions).expect("a good mesh");
    (topology, rest)
}

/// Motions left on squares of `N × N` cells.
fn squares(sizes: std::ops::RangeInclusive<u32>, findings: &mut Findings) {
    let mut plot = Plot::new(
        "Motions left to a bent square of N × N cells",
        Axis::linear("N"),
        Axis::linear("motions, the six rigid ones among them"),
    );
    let mut curves: [Vec<[f64; 2]>; 3] = Default::default();
    for n in sizes {
        let square = |pattern| {
            let size = f64::from(n);
            grid(&Grid {
                size: [size, size],
                cells: [n, n],
                pattern,
            })
            .expect("a good grid")
        };
        let triangles = square(GridPattern::Triangles(Diagonals::Forward));
        let (topology, rest) = shapes(&triangles);
        let lengths = Lengths::new(&topology, &rest, 0).expect("edges with length");
        let quads = square(GridPattern::Quads);
        let (topology, rest) = shapes(&quads);
        let metric = Metric::new(&topology, &rest, None, 0).expect("a good mesh");
        let all = 3 * triangles.positions.len();
        let left = |equations: Vec<(f64, Vec<f64>)>| all - rank(&equations);

        let flat = &triangles.positions;
        let edges = left(equations(&lengths, &bent(flat), &[]));
        let edges_flat = left(equations(&lengths, flat, &[]));
        let metric_found = elimination(&equations(&metric, &bent(&quads.positions), &[]));
        let metric_bent = all - metric_found.rank;
        let metric_flat = left(equations(&metric, &quads.positions, &[]));
        let mut judge = |what: &str, measured: usize, reference: u32| {
            findings.measurements.push(Measurement::new(
                format!("N = {n}: {what}"),
                "",
                measured as f64,
                f64::from(reference),
                0.0,
            ));
        };
        judge("lengths of all edges, bent (4N + 3)", edges, 4 * n + 3);
        let flat_count = (n + 1) * (n + 1) + 3;
        judge(
            "lengths of all edges, flat ((N+1)² + 3)",
            edges_flat,
            flat_count,
        );
        // In smaller squares some equations depend on others; the notes say how many.
        if n > 2 {
            judge("metric of quads, bent (8N − 4)", metric_bent, 8 * n - 4);
        }
        findings.notes.push(format!(
            "N = {n}: of {all} coordinates, fixed edges leave {edges} motions bent and {edges_flat} flat, the metric of quads {metric_bent} and {metric_flat} (of {} equations, bent; last pivot {:.0e}, next {:.0e})",
            metric.count(),
            metric_found.gap[0],
            metric_found.gap[1]
        ));
        let x = f64::from(n);
        curves[0].push([x, edges as f64]);
        curves[1].push([x, metric_bent as f64]);
        curves[2].push([x, (all / 3) as f64]);
    }
    let [edges, metric, nodes] = curves;
    plot = plot
        .curve("lengths of all edges of triangles", edges)
        .curve("metric of quads", metric)
        .guide("one for each node", nodes);
    findings.pictures.push(("count", plot.draw(SIZE)));
}

/// A mesh of figure 2: what counting promises, what is left to first order, and what really.
fn small_mesh(small: &Small, findings: &mut Findings) {
    let used = 1 + small
        .faces
        .iter()
        .flatten()
        .max()
        .map_or(0, |&n| n as usize);
    let positions = NODES[..used].iter();
    let mesh = Mesh::new(
        positions.map(|p| DVec3::new(p[0], p[1], 0.0)).collect(),
        small.faces.iter().map(|&f| Face::Tri(f)).collect(),
    );
    let (topology, rest) = shapes(&mesh);
    let lengths = Lengths::new(&topology, &rest, 0).expect("edges with length");
    let flat = equations(&lengths, &mesh.positions, &small.held);
    let coordinates = 3 * (used - small.held.len());
    let motions = heights_reached(&lengths, &mesh.positions, &small.held);
    let largest = motions[0];
    let made = motions.iter().take_while(|m| **m > CLEAR * largest).count();
    let judge = |what: &str, measured: usize, reference: usize| {
        let what = format!("{}: {what}", small.name);
        Measurement::new(what, "", measured as f64, reference as f64, 0.0)
    };
    findings.measurements.extend([
        judge(
            "coordinates less equations",
            coordinates - flat.len(),
            small.promised,
        ),
        judge("motions left", made, small.left),
    ]);
    findings.notes.push(format!(
        "{}: {coordinates} coordinates, {} equations of which {} are independent where it is flat: {} motions to first order; sizes of those \
         that can be made, and of the next: {:.2}, {:.0e}",
        small.name,
        flat.len(),
        rank(&flat),
        coordinates - rank(&flat),
        motions[made - 1] / largest,
        motions.get(made).map_or(0.0, |m| m / largest)
    ));
}

/// Motions this much smaller than the largest are none: what is left of them is where the search for the lengths stopped.
const CLEAR: f64 = 0.01;
/// Nodes that never end farther than this from their place (m) cannot move. Cells are of 1 m, and throws go as far.
const STUCK: f64 = 0.02;
/// Times the nodes are thrown, and steps to bring them back.
const THROWS: u32 = 40;
const ITERATIONS: u32 = 300;

/// Throws the free nodes about, brings the mesh back to its lengths, and answers the sizes of the independent patterns of height
/// that came out, largest first. Nodes that came back to their place every time cannot move; they are held in another round, which is
/// exact where the first was not: what is stopped by a node that cannot move costs only the fourth power of the way.
fn heights_reached(lengths: &Lengths, flat: &[DVec3], held: &[usize]) -> Vec<f64> {
    let axis = (flat[held[1]] - flat[held[0]]).normalize();
    let mut still = held.to_vec();
    loop {
        let reached: Vec<_> = (0..THROWS)
            .map(|number| {
                let mut x = thrown(flat, &still, axis, number);
                bring_back(lengths, &still, &mut x);
                x
            })
            .collect();
        let moved = |n: usize| {
            reached
                .iter()
                .map(|x| x[n].distance(flat[n]))
                .fold(0.0, f64::max)
        };
        let stuck = (0..flat.len()).filter(|&n| !still.contains(&n) && moved(n) < STUCK);
        let stuck: Vec<_> = stuck.collect();
        if stuck.is_empty() {
            return patterns(&reached);
        }
        still.extend(stuck);
    }
}

/// Every free node turned by its own angle about the line through the held ones, and jolted. Irregular, but the same every time.
fn thrown(flat: &[DVec3], still: &[usize], axis: DVec3, number: u32) -> Vec<DVec3> {
    let mut x = flat.to_vec();
    let from = flat[still[0]];
    for (node, x) in x.iter_mut().enumerate().filter(|(n, _)| !still.contains(n)) {
        let noise = |k: u32| {
            let seed = f64::from(1 + number * 97 + node as u32 * 13 + k * 31);
            (12.9898 * seed).sin() * 43758.5453 % 1.0
        };
        let turn = DQuat::from_axis_angle(axis, noise(0));
        let jolt = DVec3::new(noise(1), noise(2), noise(3));
        *x = from + turn * (*x - from) + 0.1 * jolt;
    }
    x
}

/// Sizes of the independent patterns in the heights, largest first.
fn patterns(reached: &[Vec<DVec3>]) -> Vec<f64> {
    let nodes = reached[0].len();
    let product = |i: usize, j: usize| reached.iter().map(|x| x[i].z * x[j].z).sum::<f64>();
    let products = (0..nodes).map(|i| (0..nodes).map(|j| product(i, j)).collect());
    let squares = eigenvalues(products.collect()).into_iter().rev();
    squares.map(|s| s.max(0.0).sqrt()).collect()
}

/// Newton's method for fewer equations than unknowns, `Δx = −Jᵀ (J Jᵀ + μ)⁻¹ C`. Near the lengths rows become dependent, and it goes on by a
/// half or a quarter of the way in every step, because violations grow with the square or the fourth power of the distance. Their gradients
/// are small, and `μ` must be smaller than their squares.
fn bring_back(lengths: &Lengths, held: &[usize], x: &mut Vec<DVec3>) {
    for _ in 0..ITERATIONS {
        let rows = equations(lengths, x, held);
        if rows.iter().all(|(value, _)| value.abs() < 1e-13) {
            break;
        }
        *x = corrected(&rows, x, 1e-14);
    }
}

/// The positions after one step with the ridge `μ`.
fn corrected(rows: &[(f64, Vec<f64>)], x: &[DVec3], ridge: f64) -> Vec<DVec3> {
    let entry = |i: usize, j: usize| {
        let products = rows[i].1.iter().zip(&rows[j].1).map(|(a, b)| a * b);
        products.sum::<f64>() + if i == j { ridge } else { 0.0 }
    };
    let matrix = (0..rows.len()).map(|i| (0..rows.len()).map(|j| entry(i, j)).collect());
    let values = rows.iter().map(|(value, _)| *value);
    let multipliers = solve(matrix.collect(), values.collect());
    let mut x = x.to_vec();
    for ((_, gradient), multiplier) in rows.iter().zip(multipliers) {
        for (x, g) in x.iter_mut().zip(gradient.chunks(3)) {
            *x -= multiplier * DVec3::from_slice(g);
        }
    }
    x
}
