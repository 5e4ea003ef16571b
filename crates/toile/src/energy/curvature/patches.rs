//! Patch tests: sheets of constant curvature, triangle by triangle and node by node.

use super::cloth::Each;
use super::*;
use crate::energy::hinge::cylinders::{equilateral, grid_of, rolled, shaken};
use crate::energy::{ClothCurvature, cloth_hinges};
use crate::mesh::generate::{Diagonals, Disc, DiscPattern, GridPattern, disc};
use crate::mesh::{Mesh, RestShape, Topology};
use glam::{DMat2, DVec2};

/// Curvature (1/m) so small that second order does not count: a radius of 100 km.
const SMALL_CURVATURE: f64 = 1e-5;

fn material(rigidity: [f64; 2]) -> HingeMaterial {
    HingeMaterial {
        law: BendLaw::Angle { rigidity },
        damping_time: 0.0,
        hessian: HingeHessian::GaussNewton,
    }
}

/// A cloth with its curvatures.
pub(super) struct Sheet {
    pub mesh: Mesh,
    pub topology: Topology,
    pub curvature: ClothCurvature,
    pub flat_angles: Vec<f64>,
}

impl Sheet {
    pub fn new(mesh: Mesh, material: &HingeMaterial) -> Self {
        let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
        let mut rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
        let warp = crate::mesh::Warp::Direction(DVec3::X);
        rest.align_warp(&topology, &mesh.positions, warp).unwrap();
        let hinges = cloth_hinges(&topology, &rest, 0, material);
        Sheet {
            curvature: ClothCurvature::new(&topology, &rest, &hinges, material),
            flat_angles: vec![0.0; hinges.len()],
            mesh,
            topology,
        }
    }

    /// `z = ½ xᵀBx`.
    pub fn bowl(&self, bend: DMat2) -> Vec<DVec3> {
        let lift = |p: &DVec3| p.with_z(0.5 * p.truncate().dot(bend * p.truncate()));
        self.mesh.positions.iter().map(lift).collect()
    }

    /// For each node whether it is at least so many edges away from the rim.
    pub fn inside(&self, rings: usize) -> Vec<bool> {
        let mut inside = vec![true; self.mesh.positions.len()];
        for &node in self.topology.boundary_loops.iter().flatten() {
            inside[node as usize] = false;
        }
        for _ in 1..rings {
            let before = inside.clone();
            for edge in &self.topology.edges {
                let [a, b] = edge.nodes.map(|n| n as usize);
                inside[a] &= before[b];
                inside[b] &= before[a];
            }
        }
        inside
    }

    pub fn sample(&self, positions: &[DVec3]) -> Sample {
        let mut sample = Sample {
            positions: positions.to_vec(),
            forces: vec![DVec3::ZERO; positions.len()],
            triangles: Vec::new(),
        };
        self.curvature.each(&self.flat_angles, &mut sample);
        sample
    }
}

/// Energies per area and forces of a sheet.
pub(super) struct Sample {
    positions: Vec<DVec3>,
    pub forces: Vec<DVec3>,
    /// Corners, area (m²) and energy (J).
    pub triangles: Vec<([u32; 3], f64, f64)>,
}

impl Each for Sample {
    fn curvatures<const N: usize>(&mut self, triangles: &Curvatures<N>) {
        for e in 0..triangles.count() {
            let nodes = triangles.nodes(e);
            let x = nodes.map(|n| self.positions[n as usize]);
            let area = triangles.batch.shapes[e].area;
            let energy = triangles.value(e, &x);
            self.triangles
                .push(([nodes[0], nodes[1], nodes[2]], area, energy));
            for (n, f) in nodes
                .into_iter()
                .zip(triangles.force(e, &x, &[DVec3::ZERO; N]))
            {
                self.forces[n as usize] += f;
            }
        }
    }
}

pub(super) fn meshes() -> Vec<(&'static str, Mesh)> {
    let grid = |diagonals| grid_of([1.0; 2], [12; 2], GridPattern::Triangles(diagonals));
    let irregular = disc(&Disc {
        radius: 0.5,
        nodes: 400,
        pattern: DiscPattern::Irregular { seed: 1 },
    });
    vec![
        ("one way", grid(Diagonals::Forward)),
        ("alternating", grid(Diagonals::Alternating)),
        ("herring-bone", grid(Diagonals::HerringBone)),
        ("equilateral", equilateral(0.08, 12)),
        ("irregular", irregular.unwrap()),
        ("shaken", shaken(grid(Diagonals::Alternating), 1.0 / 12.0)),
        (
            "2:1",
            grid_of(
                [2.0, 1.0],
                [12; 2],
                GridPattern::Triangles(Diagonals::Alternating),
            ),
        ),
    ]
}

fn bends() -> [DMat2; 4] {
    let bend = |a: f64, b: f64, c: f64| DMat2::from_cols(DVec2::new(a, c), DVec2::new(c, b));
    [
        bend(1.0, 0.0, 0.0),
        bend(0.0, 0.0, 1.0),
        bend(1.0, 1.0, 0.0),
        bend(0.3, -0.8, 0.5),
    ]
    .map(|b| SMALL_CURVATURE * b)
}

/// `½ (D₁κ₁₁² + D₂κ₂₂² + (D₁ + D₂) κ₁₂²)`.
fn exact(bend: DMat2, [warp, weft]: [f64; 2]) -> f64 {
    let (a, b, c) = (bend.x_axis.x, bend.y_axis.y, bend.y_axis.x);
    0.5 * (warp * a * a + weft * b * b + (warp + weft) * c * c)
}

#[test]
fn a_constant_curvature_has_its_energy_in_every_triangle_of_every_mesh() {
    for rigidity in [[1.0, 1.0], [0.8, 0.3]] {
        for (name, mesh) in meshes() {
            let sheet = Sheet::new(mesh, &material(rigidity));
            let inside = sheet.inside(2);
            for bend in bends() {
                let triangles = sheet.sample(&sheet.bowl(bend)).triangles;
                let away = triangles.iter().filter(|(corners, ..)| {
                    let mut corners = corners.iter();
                    corners.all(|&n| inside[n as usize])
                });
                let ratios: Vec<f64> = away
                    .map(|(_, area, energy)| energy / (area * exact(bend, rigidity)))
                    .collect();
                assert!(ratios.len() > 100, "{name}");
                // Second order in the slope, and what the ridge of `split` leaves.
                let worst = ratios.iter().map(|r| (r - 1.0).abs()).fold(0.0, f64::max);
                assert!(worst < 2e-9, "{name}: {worst:e}");
            }
        }
    }
}

#[test]
fn a_constant_curvature_is_in_equilibrium_on_every_mesh() {
    for (name, mesh) in meshes() {
        let sheet = Sheet::new(mesh, &material([1.0, 1.0]));
        let inside = sheet.inside(3);
        for bend in bends() {
            let forces = sheet.sample(&sheet.bowl(bend)).forces;
            let pairs = forces.iter().zip(&inside).filter(|(_, inside)| **inside);
            // Sideways there are forces of second order. One angle alone pushes with about `Dκ`.
            let worst = pairs.map(|(f, _)| f.z.abs()).fold(0.0, f64::max) / SMALL_CURVATURE;
            assert!(worst < 1e-9, "{name}: {worst:e}");
        }
    }
}

#[test]
fn stencils_are_as_small_as_the_mesh_allows() {
    let counts = |name: &str| {
        let found = meshes().into_iter().find(|(n, _)| *n == name).unwrap();
        let sheet = Sheet::new(found.1, &material([1.0, 1.0]));
        sheet.curvature.counts()
    };
    assert_eq!(counts("one way"), [2, 44, 242, 0, 0, 0, 0, 0, 0]);
    assert_eq!(counts("alternating"), [0, 0, 48, 0, 240, 0, 0, 0, 0]);
    let irregular = counts("irregular");
    assert!(irregular[7] + irregular[8] > irregular[..7].iter().sum());
}

#[test]
fn a_strip_bent_along_its_free_rims_has_the_energy_of_all_its_width() {
    let radius = 20.0;
    for diagonals in [
        Diagonals::Forward,
        Diagonals::Alternating,
        Diagonals::HerringBone,
    ] {
        for across in [1, 2, 3] {
            let width = 0.05 * f64::from(across);
            let mesh = grid_of(
                [1.0, width],
                [20, across],
                GridPattern::Triangles(diagonals),
            );
            let sheet = Sheet::new(mesh, &material([0.7, 0.2]));
            let bent = rolled(&sheet.mesh.positions, 0.0);
            let energy: f64 = sheet.sample(&bent).triangles.iter().map(|t| t.2).sum();
            // All but half a cell at either end, as with hinges.
            let ratio = energy / (0.5 * 0.7 / (radius * radius) * 0.95 * width);
            assert!(
                (ratio - 1.0).abs() < 1e-6,
                "{diagonals:?} {across}: {ratio}"
            );
        }
    }
}

#[test]
fn refinement_does_not_change_the_material() {
    // A cylinder that curves askew, away from the rim, of cells half as large.
    for diagonals in [
        Diagonals::Forward,
        Diagonals::Alternating,
        Diagonals::HerringBone,
    ] {
        let ratio = |cells: u32| {
            let mesh = grid_of([1.0; 2], [cells; 2], GridPattern::Triangles(diagonals));
            let sheet = Sheet::new(mesh, &material([1.0; 2]));
            let inside = sheet.inside(2);
            let triangles = sheet.sample(&rolled(&sheet.mesh.positions, 30.0)).triangles;
            let away = triangles
                .iter()
                .filter(|t| t.0.iter().all(|&n| inside[n as usize]));
            let [energy, area] = away.fold([0.0, 0.0], |[e, a], t| [e + t.2, a + t.1]);
            energy / (area * 0.5 / 400.0)
        };
        let (coarse, fine) = (ratio(12), ratio(24));
        // (h/R)² of either mesh.
        assert!((coarse - 1.0).abs() < 1.8e-5, "{diagonals:?}: {coarse}");
        assert!((fine - 1.0).abs() < 4.5e-6, "{diagonals:?}: {fine}");
    }
}
