//! The quadratic model against exact values and the hinges.

use super::*;
use crate::energy::{BendLaw, HingeMaterial, cloth_hinges};
use crate::mesh::Mesh;
use crate::mesh::generate::{
    Diagonals, Disc, DiscPattern, Grid, GridPattern, Tube, disc, grid, tube,
};

fn build(mesh: &Mesh) -> (Topology, RestShape) {
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
    (topology, rest)
}

fn meshes() -> Vec<Mesh> {
    let grid_of = |pattern| {
        grid(&Grid {
            size: [1.0, 0.8],
            cells: [7, 6],
            pattern,
        })
    };
    let disc_of = |pattern| {
        disc(&Disc {
            radius: 0.7,
            nodes: 80,
            pattern,
        })
    };
    [
        grid_of(GridPattern::Quads),
        grid_of(GridPattern::Triangles(Diagonals::Forward)),
        grid_of(GridPattern::Triangles(Diagonals::Alternating)),
        disc_of(DiscPattern::Irregular { seed: 3 }),
        disc_of(DiscPattern::Rings),
    ]
    .map(Result::unwrap)
    .into()
}

/// A field without any symmetry.
fn field(count: usize, seed: f64) -> Vec<DVec3> {
    let at = |k: f64| {
        DVec3::new(
            (12.9 * k + seed).sin(),
            (78.2 * k).cos(),
            (37.7 * k - seed).sin(),
        )
    };
    (0..count).map(|k| at(k as f64)).collect()
}

fn forces(bend: &QuadraticBend, x: &[DVec3], v: &[DVec3]) -> Vec<DVec3> {
    (0..x.len()).map(|i| bend.force(i, x, v, 0.0)).collect()
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(p, q)| p.dot(*q)).sum()
}

#[test]
fn the_force_is_minus_the_gradient_and_the_entries_are_its_matrix() {
    for mesh in meshes() {
        let (topology, rest) = build(&mesh);
        let bend = QuadraticBend::new(&topology, &rest, 3, 0.7, 0.02);
        let n = mesh.positions.len() + 3;
        let (x, v, d) = (field(n, 0.1), field(n, 0.5), field(n, 0.9));
        let still = vec![DVec3::ZERO; n];
        let force = forces(&bend, &x, &still);
        assert_eq!(force[..3], [DVec3::ZERO; 3]);
        let shifted =
            |s: f64| -> Vec<DVec3> { x.iter().zip(&d).map(|(p, q)| *p + s * *q).collect() };
        // The energy is quadratic, so the central difference is exact for any length.
        let slope = bend.value(&shifted(0.5)) - bend.value(&shifted(-0.5));
        let expected = -dot(&force, &d);
        assert!((slope - expected).abs() < 1e-11 * bend.value(&x));
        let mut product = vec![DVec3::ZERO; n];
        for ([i, j], value) in bend.entries() {
            let [i, j] = [i as usize, j as usize];
            product[i] -= value * (x[j] + 0.02 * v[j]);
            if i != j {
                product[j] -= value * (x[i] + 0.02 * v[i]);
            }
        }
        let moving = forces(&bend, &x, &v);
        let scale = moving.iter().map(|f| f.length()).fold(0.0, f64::max);
        for (a, b) in moving.iter().zip(&product) {
            assert!((*a - *b).length() < 1e-12 * scale);
        }
        assert!(dot(&moving, &v) - dot(&force, &v) < 0.0);
        assert_eq!(bend.pairs().count() + n - 3, bend.entries().count());
    }
}

#[test]
fn a_flat_sheet_may_stretch_and_shear_in_its_plane() {
    for mesh in meshes() {
        let (topology, rest) = build(&mesh);
        let bend = QuadraticBend::new(&topology, &rest, 0, 1.0, 0.0);
        let place = |p: &DVec3| {
            DVec3::new(5.0, -3.0, 2.0)
                + p.x * DVec3::new(1.2, 0.3, 0.4)
                + p.y * DVec3::new(-0.2, 0.8, 0.1)
        };
        let flat: Vec<DVec3> = mesh.positions.iter().map(place).collect();
        let worst = forces(&bend, &flat, &flat)
            .iter()
            .map(|f| f.length())
            .fold(0.0, f64::max);
        let largest = bend
            .matrix()
            .values
            .iter()
            .fold(0.0f64, |m, q| m.max(q.abs()));
        assert!(worst < 1e-13 * largest, "{worst:e} of {largest:e}");
    }
}

#[test]
fn momentum_is_kept_and_the_matrix_is_symmetric() {
    for mesh in meshes() {
        let (topology, rest) = build(&mesh);
        let bend = QuadraticBend::new(&topology, &rest, 0, 1.0, 0.0);
        let x = field(mesh.positions.len(), 0.3);
        let force = forces(&bend, &x, &x);
        let size: f64 = force.iter().map(|f| f.length()).sum();
        let total: DVec3 = force.iter().copied().sum();
        let turning: DVec3 = force.iter().zip(&x).map(|(f, p)| p.cross(*f)).sum();
        assert!(total.length() < 1e-14 * size && turning.length() < 1e-14 * size);
        let matrix = bend.matrix();
        for row in 0..matrix.rows() {
            for (column, value) in matrix.row(row) {
                let mirrored = matrix
                    .row(column as usize)
                    .find(|(c, _)| *c as usize == row);
                assert_eq!(mirrored.map(|(_, m)| m), Some(value));
            }
        }
    }
}

#[test]
fn on_triangles_the_laplacian_is_half_the_jumps_of_the_slope() {
    let mesh = &meshes()[3];
    let (topology, rest) = build(mesh);
    let material = HingeMaterial {
        law: BendLaw::Angle { rigidity: [1.0; 2] },
        damping_time: 0.0,
        hessian: Default::default(),
    };
    let hinges = cloth_hinges(&topology, &rest, 0, &material);
    // So little bent that the angle is the jump.
    let height: Vec<f64> = field(mesh.positions.len(), 0.7)
        .iter()
        .map(|p| 1e-7 * p.z)
        .collect();
    let bent: Vec<DVec3> = mesh
        .positions
        .iter()
        .zip(&height)
        .map(|(p, z)| p.with_z(*z))
        .collect();
    let mut expected = vec![0.0; height.len()];
    for nodes in hinges.four.nodes() {
        let x = nodes.map(|n| bent[n as usize]);
        let jump = hinges.four.angle(&x)
            * mesh.positions[nodes[2] as usize].distance(mesh.positions[nodes[3] as usize]);
        expected[nodes[2] as usize] += 0.5 * jump;
        expected[nodes[3] as usize] += 0.5 * jump;
    }
    let laplacian = Laplacian::new(&topology, &rest);
    for (node, &e) in expected.iter().enumerate() {
        let row = laplacian.integrated.row(node);
        let value: f64 = row.map(|(j, l)| l * height[j as usize]).sum();
        assert!((value - e).abs() < 1e-12 * 1e-7 * 1e2, "{value:e} {e:e}");
    }
}

#[test]
fn a_twist_costs_nothing_and_a_bowl_costs_twice_a_cylinder_squared() {
    let mesh = &meshes()[0];
    let (topology, rest) = build(mesh);
    let bend = QuadraticBend::new(&topology, &rest, 0, 1.0, 0.0);
    let lifted = |f: &dyn Fn(DVec3) -> f64| -> f64 {
        let x: Vec<DVec3> = mesh.positions.iter().map(|p| p.with_z(f(*p))).collect();
        bend.value(&x)
    };
    assert!(lifted(&|p| p.x * p.y).abs() < 1e-12);
    // ½ (Δw)² over the inner nodes, which see both directions, and the rim, which sees only the one along it.
    let (a, b) = (1.0 / 7.0, 0.8 / 6.0);
    let inner = (1.0 - a) * (0.8 - b) * 0.5 * 4.0;
    let rim = (b * (1.0 - a) + a * (0.8 - b)) * 0.5;
    let bowl = lifted(&|p| 0.5 * p.length_squared());
    assert!((bowl - inner - rim).abs() < 1e-12, "{bowl} {}", inner + rim);
}

#[test]
fn a_cloth_that_is_curved_at_rest_is_sent_to_the_dihedral_model() {
    let flat = &meshes()[1];
    let (topology, _) = build(flat);
    assert_eq!(
        QuadraticBend::check_flat(&topology, &flat.positions),
        Ok(())
    );
    let round = tube(&Tube {
        radius: 0.3,
        top_radius: None,
        height: 0.5,
        cells: [12, 3],
        pattern: GridPattern::Quads,
    })
    .unwrap();
    let (topology, _) = build(&round);
    let error = QuadraticBend::check_flat(&topology, &round.positions).unwrap_err();
    assert!((error.angle - std::f64::consts::TAU / 12.0).abs() < 1e-12);
    assert!(error.to_string().contains("30.0°") && error.to_string().contains("dihedral"));
}
