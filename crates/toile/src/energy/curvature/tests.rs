//! Curvatures against finite differences and conservation laws.

#![allow(clippy::unwrap_used)]

use super::super::element::check;
use super::cloth::Each;
use super::patches::{Sheet, meshes};
use super::*;
use crate::energy::hinge::tests::{jitter, laws, noise};
use crate::energy::{
    ClothCurvature, CreaseMaterial, HingeEnergy, Memory, RestAngles, Visitor, Yield, cloth_hinges,
};
use crate::mesh::{Face, Mesh, RestShape, Topology};

fn material(law: BendLaw, hessian: HingeHessian, damping_time: f64) -> HingeMaterial {
    HingeMaterial {
        law,
        damping_time,
        hessian,
    }
}

/// Irregular meshes and one with alternating diagonals, of cells of about unit size.
fn large_meshes() -> impl Iterator<Item = Mesh> {
    let wanted = ["irregular", "shaken", "alternating", "one way"];
    let chosen = meshes()
        .into_iter()
        .filter(move |(n, _)| wanted.contains(n));
    chosen.map(|(_, mut mesh)| {
        for p in &mut mesh.positions {
            *p *= 12.0;
        }
        mesh
    })
}

/// Looks at a few elements of every size in a crumpled sheet.
struct Checks {
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
    hessian: HingeHessian,
    damped: bool,
    seen: [usize; 13],
}

impl Each for Checks {
    fn curvatures<const N: usize>(&mut self, triangles: &Curvatures<N>) {
        for e in (0..triangles.count()).step_by(97).take(2) {
            self.seen[N] += 1;
            let x = triangles.nodes(e).map(|n| self.positions[n as usize]);
            let v = triangles.nodes(e).map(|n| self.velocities[n as usize]);
            self.check(triangles, e, &x, &v);
        }
    }
}

impl Checks {
    fn check<const N: usize>(
        &self,
        triangles: &Curvatures<N>,
        e: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
    ) {
        let still = [DVec3::ZERO; N];
        let error = check::force_error(triangles, e, x, 1e-3);
        assert!(error < 1e-8, "{N} nodes: force {error:e}");
        let error = check::ahead_error(triangles, e, x, v);
        assert!(self.damped || error < 1e-12, "{N} nodes: ahead {error:e}");
        if self.damped {
            let error = check::stiffness_error(triangles, e, x, v, true, 1e-3);
            assert!(error < 1e-8, "{N} nodes: damping {error:e}");
        }
        if self.hessian == HingeHessian::Exact {
            let error = check::stiffness_error(triangles, e, x, &still, false, 1e-3);
            assert!(error < 1e-7, "{N} nodes: stiffness {error:e}");
        } else {
            let weights = Weights {
                stiffness: 1.0,
                damping: 0.0,
                ahead: 0.0,
            };
            let lowest = check::lowest_curvature(&triangles.linearise(e, x, v, &weights));
            assert!(lowest > -1e-9, "{N} nodes: {lowest:e}");
        }
        conserves(triangles, e, x, v);
    }
}

/// No force and no torque in all, also of damping; none of the damping's from a rigid motion; and damping
/// takes energy.
fn conserves<const N: usize>(triangles: &Curvatures<N>, e: usize, x: &[DVec3; N], v: &[DVec3; N]) {
    let force = triangles.force(e, x, v);
    let scale = force.iter().map(|f| f.length()).fold(0.0, f64::max);
    let sum: DVec3 = force.iter().sum();
    assert!(sum.length() < 1e-12 * scale, "{N} nodes: force {sum}");
    let torque: DVec3 = (0..N).map(|i| (x[i] - x[0]).cross(force[i])).sum();
    assert!(
        torque.length() < 1e-11 * scale,
        "{N} nodes: torque {torque}"
    );
    let still = triangles.force(e, x, &[DVec3::ZERO; N]);
    let (turn, drift) = (DVec3::new(0.4, -0.2, 0.9), DVec3::new(1.0, 2.0, -0.5));
    let rigid = triangles.force(e, x, &x.map(|p| drift + turn.cross(p)));
    let power: f64 = (0..N).map(|i| (force[i] - still[i]).dot(v[i])).sum();
    assert!(power <= 1e-14 * scale, "{N} nodes: {power}");
    for i in 0..N {
        assert!((rigid[i] - still[i]).length() < 1e-10 * scale, "{N} nodes");
    }
}

fn crumpled(mesh: &Mesh, amount: f64, seed: u64) -> Vec<DVec3> {
    let mut next = noise(seed);
    let moved = mesh
        .positions
        .iter()
        .map(|p| *p + amount * jitter(&mut next));
    moved.collect()
}

#[test]
fn forces_and_stiffness_are_slopes_for_every_size_law_and_rest() {
    let mut seen = [0; 13];
    for mesh in large_meshes() {
        for law in [&laws()[0], &laws()[2]] {
            for (hessian, damping_time) in [
                (HingeHessian::Exact, 0.0),
                (HingeHessian::GaussNewton, 0.0),
                (HingeHessian::GaussNewton, 0.3),
            ] {
                let material = material(law.clone(), hessian, damping_time);
                let mut sheet = Sheet::new(mesh.clone(), &material);
                let mut next = noise(11);
                for rest in &mut sheet.flat_angles {
                    *rest = 0.4 * next();
                }
                let mut checks = Checks {
                    positions: crumpled(&mesh, 0.5, 3),
                    velocities: crumpled(&mesh, 1.0, 4),
                    hessian,
                    damped: damping_time > 0.0,
                    seen,
                };
                sheet.curvature.each(&sheet.flat_angles, &mut checks);
                seen = checks.seen;
            }
        }
    }
    assert!(seen[4..].iter().all(|&count| count > 0), "{seen:?}");
}

#[test]
fn a_flat_sheet_may_stretch_and_shear_in_its_plane() {
    for mesh in large_meshes() {
        let sheet = Sheet::new(mesh, &material(laws()[0].clone(), HingeHessian::Exact, 0.0));
        let mut moved = crumpled(&sheet.mesh, 0.4, 5);
        for p in &mut moved {
            p.z = 0.0;
        }
        let forces = sheet.sample(&moved).forces;
        assert!(forces.iter().all(|f| f.length() == 0.0));
    }
}

#[test]
fn a_turned_and_moved_sheet_stores_the_same() {
    let turn = glam::DQuat::from_scaled_axis(DVec3::new(0.3, 1.2, -0.7));
    for mesh in large_meshes() {
        let sheet = Sheet::new(mesh, &material(laws()[0].clone(), HingeHessian::Exact, 0.0));
        let bent = crumpled(&sheet.mesh, 0.4, 6);
        let moved: Vec<DVec3> = bent.iter().map(|p| turn * *p + DVec3::ONE).collect();
        let total = |x: &[DVec3]| -> f64 { sheet.sample(x).triangles.iter().map(|t| t.2).sum() };
        let (here, there) = (total(&bent), total(&moved));
        assert!((here / there - 1.0).abs() < 1e-12, "{here} {there}");
    }
}

#[test]
fn which_way_round_faces_go_does_not_matter() {
    // Angles change their sign with the sense of the edge's first face, and whole triangles theirs.
    let (_, mesh) = meshes().swap_remove(4);
    let material = material(laws()[0].clone(), HingeHessian::Exact, 0.0);
    let mut turned = mesh.clone();
    for face in turned.faces.iter_mut().step_by(3) {
        if let Face::Tri([_, b, c]) = face {
            std::mem::swap(b, c);
        }
    }
    let bent = crumpled(&mesh, 0.02, 8);
    let total = |mesh: Mesh| -> f64 {
        let sheet = Sheet::new(mesh, &material);
        sheet.sample(&bent).triangles.iter().map(|t| t.2).sum()
    };
    let (here, there) = (total(mesh), total(turned));
    assert!((here / there - 1.0).abs() < 1e-9, "{here} {there}");
}

/// A cloth of triangles and quads: the hinges of the quads stay.
#[test]
fn in_a_mixed_mesh_quads_keep_their_hinges() {
    let positions = [
        [0.0, 0.0],
        [1.0, 0.0],
        [2.0, 0.0],
        [0.0, 1.0],
        [1.0, 1.0],
        [2.0, 1.0],
        [0.5, 2.0],
        [1.5, 2.0],
    ]
    .map(|[x, y]| DVec3::new(x, y, 0.0));
    let faces = vec![
        Face::Quad([0, 1, 4, 3]),
        Face::Quad([1, 2, 5, 4]),
        Face::Tri([3, 4, 6]),
        Face::Tri([5, 7, 4]),
        Face::Tri([4, 7, 6]),
    ];
    let topology = Topology::new(8, faces).unwrap();
    let rest = RestShape::from_positions(&topology, &positions).unwrap();
    let material = material(laws()[0].clone(), HingeHessian::Exact, 0.0);
    let hinges = cloth_hinges(&topology, &rest, 0, &material);
    let curvature = ClothCurvature::new(&topology, &rest, &hinges, &material);
    assert_eq!(curvature.counts().iter().sum::<usize>(), 3);
    let angles = hinges.rest_angles(RestAngles::Flat).unwrap();
    let energy = HingeEnergy::new(hinges, angles, None).with_curvature(curvature);
    struct Kinds(Vec<(usize, usize)>);
    impl Visitor for Kinds {
        fn elements<const N: usize>(&mut self, elements: &impl Elements<N>) {
            if elements.count() > 0 {
                self.0.push((N, elements.count()));
            }
        }

        fn quadratic(&mut self, _: &crate::energy::QuadraticBend) {}
    }
    let mut kinds = Kinds(Vec::new());
    energy.visit(&Memory::NONE, &mut kinds);
    // Four diagonals; triangles of four nodes at the sides and five between them; two hinges and one to and
    // between quads.
    assert_eq!(kinds.0, [(4, 4), (4, 2), (5, 1), (5, 2), (6, 1)]);
}

#[test]
fn creases_flow_as_with_hinges_and_the_triangles_feel_it() {
    let (_, mesh) = meshes().swap_remove(1);
    let material = material(laws()[0].clone(), HingeHessian::Exact, 0.0);
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
    let hinges = cloth_hinges(&topology, &rest, 0, &material);
    let curvature = ClothCurvature::new(&topology, &rest, &hinges, &material);
    let flat = hinges.rest_angles(RestAngles::Flat).unwrap();
    let crease = CreaseMaterial {
        yield_at: Yield::Curvature(0.5),
        isotropic_hardening: 0.0,
        kinematic_hardening: 0.0,
    };
    let energy = HingeEnergy::new(hinges, flat.clone(), Some(crease)).with_curvature(curvature);
    let bent: Vec<DVec3> = mesh
        .positions
        .iter()
        .map(|p| p.with_z(0.5 * p.x * p.x))
        .collect();
    let (mut now, mut creased) = (flat.clone(), flat.clone());
    energy.flow(&bent, &mut now, &mut creased, &mut Vec::new());
    let stored = |rest_angles: &[f64]| -> f64 {
        let memory = Memory {
            rest_angles,
            ..Memory::NONE
        };
        struct Sum<'a>(&'a [DVec3], f64);
        impl Visitor for Sum<'_> {
            fn elements<const N: usize>(&mut self, elements: &impl Elements<N>) {
                let value =
                    |e: usize| elements.value(e, &elements.nodes(e).map(|n| self.0[n as usize]));
                self.1 += (0..elements.count()).map(value).sum::<f64>();
            }

            fn quadratic(&mut self, _: &crate::energy::QuadraticBend) {}
        }
        let mut sum = Sum(&bent, 0.0);
        energy.visit(&memory, &mut sum);
        sum.1
    };
    // Bent to about 1/m where half of that is elastic: a quarter of the energy is left.
    let ratio = stored(&now) / stored(&flat);
    assert!((0.2..0.35).contains(&ratio), "{ratio}");
}
