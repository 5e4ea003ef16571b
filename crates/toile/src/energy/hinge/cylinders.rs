//! Sheets rolled on a cylinder: what the models store against what the cloth would, `½ D/R²` per area.

use super::cloth_tests::stored;
use super::tests::{jitter, noise};
use super::*;
use crate::energy::{Laplacian, QuadraticBend};
use crate::mesh::generate::{Diagonals, Disc, DiscPattern, Grid, GridPattern, disc, grid};
use crate::mesh::{Face, Mesh, RestShape, Topology};

const RADIUS: f64 = 20.0;
/// In which the sheet curves, against the first axis of the mesh (degrees).
const DIRECTIONS: [f64; 5] = [0.0, 30.0, 45.0, 90.0, 135.0];

/// The sheet bent so that it curves along the direction and is straight across it.
pub(in crate::energy) fn rolled(flat: &[DVec3], degrees: f64) -> Vec<DVec3> {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let along = DVec3::new(cosine, sine, 0.0);
    let roll = |p: &DVec3| {
        let s = p.dot(along);
        let (sine, cosine) = (s / RADIUS).sin_cos();
        *p - s * along + RADIUS * (sine * along + (1.0 - cosine) * DVec3::Z)
    };
    flat.iter().map(roll).collect()
}

/// A mesh and the box of whole periods, away from the rim, over which energies are added up.
struct Sample {
    name: &'static str,
    mesh: Mesh,
    low: DVec3,
    high: DVec3,
}

impl Sample {
    fn new(name: &'static str, mesh: Mesh, half: [f64; 2], shift: f64) -> Self {
        let [x, y] = half;
        Sample {
            name,
            mesh,
            low: DVec3::new(shift - x, shift - y, 0.0),
            high: DVec3::new(shift + x, shift + y, 0.0),
        }
    }

    fn holds(&self, p: DVec3) -> bool {
        (self.low.x..self.high.x).contains(&p.x) && (self.low.y..self.high.y).contains(&p.y)
    }

    fn topology(&self) -> (Topology, RestShape) {
        let topology = Topology::new(self.mesh.positions.len(), self.mesh.faces.clone()).unwrap();
        let rest = RestShape::from_positions(&topology, &self.mesh.positions).unwrap();
        (topology, rest)
    }

    fn hinge_ratio(&self, degrees: f64) -> f64 {
        let (topology, rest) = self.topology();
        let hinges = cloth_hinges(&topology, &rest, 0, &unit_material());
        let angles = vec![0.0; hinges.len()];
        let bent = rolled(&self.mesh.positions, degrees);
        let (four, five, six) = hinges.at_rest(&angles);
        let energy =
            self.within(&four, &bent) + self.within(&five, &bent) + self.within(&six, &bent);
        let size = self.high - self.low;
        energy / (0.5 / (RADIUS * RADIUS) * size.x * size.y)
    }

    fn within<const N: usize>(&self, hinges: &Hinges<N>, bent: &[DVec3]) -> f64 {
        let mut sum = 0.0;
        for e in 0..hinges.count() {
            let nodes = hinges.nodes(e).map(|n| n as usize);
            let middle =
                0.5 * (self.mesh.positions[nodes[N - 2]] + self.mesh.positions[nodes[N - 1]]);
            if self.holds(middle) {
                sum += hinges.value(e, &nodes.map(|n| bent[n]));
            }
        }
        sum
    }

    fn quadratic_ratio(&self, degrees: f64) -> f64 {
        let (topology, rest) = self.topology();
        let laplacian = Laplacian::new(&topology, &rest);
        let bent = rolled(&self.mesh.positions, degrees);
        let pointwise = laplacian.pointwise();
        let (mut energy, mut area) = (0.0, 0.0);
        for (node, &own) in laplacian.node_areas.iter().enumerate() {
            if self.holds(self.mesh.positions[node]) {
                let row = pointwise
                    .row(node)
                    .map(|(j, value)| value * bent[j as usize]);
                energy += own * row.sum::<DVec3>().length_squared();
                area += own;
            }
        }
        energy * RADIUS * RADIUS / area
    }
}

fn unit_material() -> HingeMaterial {
    HingeMaterial {
        law: BendLaw::Angle { rigidity: [1.0; 2] },
        damping_time: 0.0,
        hessian: HingeHessian::default(),
    }
}

pub(in crate::energy) fn grid_of(size: [f64; 2], cells: [u32; 2], pattern: GridPattern) -> Mesh {
    grid(&Grid {
        size,
        cells,
        pattern,
    })
    .unwrap()
}

pub(in crate::energy) fn equilateral(side: f64, count: u32) -> Mesh {
    let middle = 0.5 * f64::from(count);
    let mut positions = Vec::new();
    for row in 0..=count {
        for column in 0..=count {
            let x = f64::from(column) + 0.5 * f64::from(row % 2) - middle;
            let y = (f64::from(row) - middle) * 0.75f64.sqrt();
            positions.push(side * DVec3::new(x, y, 0.0));
        }
    }
    let at = |row: u32, column: u32| row * (count + 1) + column;
    let mut faces = Vec::new();
    for row in 0..count {
        for column in 0..count {
            let [a, b] = [at(row, column), at(row, column + 1)];
            let [c, d] = [at(row + 1, column), at(row + 1, column + 1)];
            if row % 2 == 0 {
                faces.extend([Face::Tri([a, b, c]), Face::Tri([b, d, c])]);
            } else {
                faces.extend([Face::Tri([a, b, d]), Face::Tri([a, d, c])]);
            }
        }
    }
    Mesh::new(positions, faces)
}

/// The nodes moved by up to a fifth of a cell along either axis.
pub(in crate::energy) fn shaken(mut mesh: Mesh, cell: f64) -> Mesh {
    let mut next = noise(1);
    for p in &mut mesh.positions {
        *p += 0.4 * cell * jitter(&mut next).with_z(0.0);
    }
    mesh
}

/// Cells of 5 cm divided by `fine`.
fn samples(fine: u32) -> Vec<Sample> {
    let cell = 0.05 / f64::from(fine);
    let (half, shift) = (0.3, 0.25 * cell);
    let square = |pattern| grid_of([1.0; 2], [20 * fine; 2], pattern);
    let on_grid = |name, pattern| Sample::new(name, square(pattern), [half; 2], shift);
    let disc_of = |pattern| {
        disc(&Disc {
            radius: 1.0,
            nodes: 2500 * fine * fine,
            pattern,
        })
        .unwrap()
    };
    vec![
        on_grid("square quads", GridPattern::Quads),
        Sample::new(
            "quads 2:1",
            grid_of([2.0, 1.0], [20 * fine; 2], GridPattern::Quads),
            [0.6, 0.3],
            shift,
        ),
        Sample::new(
            "shaken quads",
            shaken(square(GridPattern::Quads), cell),
            [half; 2],
            shift,
        ),
        on_grid(
            "right triangles, one way",
            GridPattern::Triangles(Diagonals::Forward),
        ),
        on_grid(
            "right triangles, alternating",
            GridPattern::Triangles(Diagonals::Alternating),
        ),
        on_grid(
            "right triangles, herring-bone",
            GridPattern::Triangles(Diagonals::HerringBone),
        ),
        Sample::new(
            "equilateral triangles",
            equilateral(cell, 24 * fine),
            [half, half * 0.75f64.sqrt()],
            0.2 * cell,
        ),
        Sample::new(
            "irregular triangles",
            disc_of(DiscPattern::Irregular { seed: 1 }),
            [0.6; 2],
            0.0,
        ),
        Sample::new(
            "disc of quads in rings",
            disc_of(DiscPattern::Rings),
            [0.6; 2],
            0.0,
        ),
    ]
}

/// Ratios of hinges in the order of the directions, then of the quadratic model in all of them.
const EXPECTED: [(&str, [f64; 5], f64); 9] = [
    ("square quads", [1.0, 1.0, 1.0, 1.0, 1.0], 1.000),
    ("quads 2:1", [1.0, 1.0, 1.0, 1.0, 1.0], 1.000),
    ("shaken quads", [1.1, 1.065, 1.053, 1.087, 1.073], 1.002),
    (
        "right triangles, one way",
        [1.0, 2.616, 3.0, 1.0, 1.0],
        1.000,
    ),
    (
        "right triangles, alternating",
        [1.0, 1.375, 1.5, 1.0, 1.5],
        1.000,
    ),
    (
        "right triangles, herring-bone",
        [1.0, 1.562, 1.75, 1.0, 1.75],
        1.000,
    ),
    ("equilateral triangles", [1.0, 1.0, 1.0, 1.0, 1.0], 1.000),
    (
        "irregular triangles",
        [1.037, 1.038, 1.037, 1.045, 1.037],
        1.002,
    ),
    (
        "disc of quads in rings",
        [1.003, 0.996, 0.994, 1.003, 0.994],
        1.001,
    ),
];

#[test]
pub(in crate::energy) fn rolled_sheets_store_the_energies_of_the_table() {
    let mut wrong = Vec::new();
    for (k, sample) in samples(1).iter().enumerate() {
        let hinges = DIRECTIONS.map(|d| sample.hinge_ratio(d));
        let quadratic = DIRECTIONS.map(|d| sample.quadratic_ratio(d));
        let near = |a: f64, b: f64| (a - b).abs() < 6e-4;
        let expected = EXPECTED.get(k).is_some_and(|(name, by_hinges, one)| {
            *name == sample.name
                && hinges.iter().zip(by_hinges).all(|(a, b)| near(*a, *b))
                && quadratic.iter().all(|a| (a - one).abs() < 3e-3)
        });
        if !expected {
            wrong.push(format!("{}: {hinges:.3?}, {quadratic:.3?}", sample.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn refinement_does_not_change_the_material() {
    let regular = |s: &Sample| !s.name.starts_with("shaken") && !s.name.starts_with("disc");
    let pairs = samples(1).into_iter().zip(samples(2));
    for (coarse, fine) in pairs.filter(|(c, _)| regular(c)) {
        for direction in DIRECTIONS {
            let pairs = [
                [coarse.hinge_ratio(direction), fine.hinge_ratio(direction)],
                [
                    coarse.quadratic_ratio(direction),
                    fine.quadratic_ratio(direction),
                ],
            ];
            // Another random mesh is not quite as irregular as the first.
            let random = coarse.name.starts_with("irregular");
            let tolerance = if random { 0.03 } else { 1e-4 };
            for [a, b] in pairs {
                assert!((a / b - 1.0).abs() < tolerance, "{}: {a} {b}", coarse.name);
            }
        }
    }
}

#[test]
fn a_rectangular_grid_stores_twist_exactly() {
    // w = xy/R: κ_xy = 1/R, and ½ D · 2 κ_xy² per area.
    for size in [[1.0, 1.0], [3.0, 1.0]] {
        let mesh = grid_of(size, [10, 10], GridPattern::Quads);
        let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
        let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
        let hinges = cloth_hinges(&topology, &rest, 0, &unit_material());
        let radius = 1e3;
        let twisted: Vec<DVec3> = mesh
            .positions
            .iter()
            .map(|p| p.with_z(p.x * p.y / radius))
            .collect();
        let energy = stored(&hinges, &vec![0.0; hinges.len()], &twisted);
        let expected = size[0] * size[1] / (radius * radius);
        assert!(
            (energy / expected - 1.0).abs() < 1e-4,
            "{}",
            energy / expected
        );
    }
}

#[test]
fn a_strip_one_cell_wide_bends_like_the_sheet() {
    for pattern in [
        GridPattern::Quads,
        GridPattern::Triangles(Diagonals::Forward),
    ] {
        let mesh = grid_of([1.0, 0.05], [20, 1], pattern);
        let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
        let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
        let bent = rolled(&mesh.positions, 0.0);
        let hinges = cloth_hinges(&topology, &rest, 0, &unit_material());
        let quadratic = QuadraticBend::new(&topology, &rest, 0, 1.0, 0.0);
        // All but half a cell at either end.
        let expected = 0.5 / (RADIUS * RADIUS) * 0.95 * 0.05;
        let energy = stored(&hinges, &vec![0.0; hinges.len()], &bent);
        assert!(
            (energy / expected - 1.0).abs() < 1e-4,
            "hinges {}",
            energy / expected
        );
        let energy = quadratic.value(&bent);
        assert!(
            (energy / expected - 1.0).abs() < 1e-4,
            "quadratic {}",
            energy / expected
        );
    }
}
