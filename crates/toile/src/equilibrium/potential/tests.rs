//! The derivatives of the total energy against differences, with contact at work.

use super::*;
use crate::contact::Shape;
use crate::drive::Pose;
use crate::energy::{EnergyBatch, MassSpringMaterial, mass_spring};
use crate::integrate::Integrator;
use crate::mesh::generate::{Grid, GridPattern, grid};
use crate::mesh::{RestShape, Topology};
use crate::model::{Cloth, ModelParts};

const OFFSET: f64 = 1e-3;

/// A bent, stretched sheet of 4 × 4 quads just above a ball and beside the edge of a box.
fn bent_sheet() -> (Model, State, Vec<Placement>) {
    let mesh = grid(&Grid {
        size: [0.2, 0.2],
        cells: [4, 4],
        pattern: GridPattern::Quads,
    })
    .unwrap();
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
    let material = MassSpringMaterial {
        stretch: 100.0,
        shear: 30.0,
        bend: 1e-4,
        damping: 0.0,
    };
    let springs = mass_spring(&topology, &rest, &material).batch(0, 0.0);
    let cloth = Cloth {
        name: "sheet".into(),
        nodes: 0..topology.node_count,
        topology,
        rest,
        density: 0.2,
        air_damping: 0.0,
        gravity_factor: 1.0,
        contact_offset: OFFSET,
        friction: 0.3,
        compression: 1e4,
    };
    let model = Model::new(ModelParts {
        cloths: vec![cloth],
        energies: vec![EnergyBatch::Springs(springs)],
        limits: Vec::new(),
        pins: vec![],
        bodies: vec![],
        body_contact: Default::default(),
        contacts: Vec::new(),
        gravity: DVec3::NEG_Z * 9.81,
        integrator: Integrator::SymplecticEuler,
        ..Default::default()
    })
    .unwrap();
    let ball = Shape::Sphere { radius: 0.5 };
    let brick = Shape::Cuboid {
        half_size: DVec3::splat(0.02),
    };
    let at = |shape, z: f64, x: f64| Placement {
        shape,
        friction: 0.0.into(),
        recovery: 1.0,
        start: Pose::IDENTITY,
        end: Pose {
            translation: DVec3::new(x, 0.0, z),
            ..Pose::IDENTITY
        },
        passes: Vec::new(),
    };
    let bodies = vec![at(ball, -0.5, 0.0), at(brick, -0.019, 0.034)];
    let positions = mesh.positions.iter().map(|p| {
        let ball = 0.5 - 0.5 * (1.0 - (p.x * p.x + p.y * p.y) / 0.25).sqrt();
        let wave = 4e-4 * (40.0 * p.x).sin() * (31.0 * p.y).cos();
        let edge = if p.x > 0.0 { 0.004 } else { 0.0 };
        DVec3::new(1.1 * p.x, 0.97 * p.y, OFFSET + 1.5e-3 + wave + edge - ball)
    });
    let state = State::at_rest(&model, positions.collect());
    (model, state, bodies)
}

fn potential<'a>(model: &'a Model, state: &'a State, bodies: Vec<Placement>) -> Potential<'a> {
    let filters = vec![Filter::Free; state.positions.len()];
    Potential::new(model, state, bodies, filters, 4e-3)
}

/// A direction that is nothing special.
fn direction(count: usize) -> Vec<DVec3> {
    let wave = |i: usize| {
        let s = i as f64 + 1.0;
        DVec3::new((1.3 * s).sin(), (2.1 * s).cos(), (0.7 * s).sin())
    };
    (0..count).map(wave).collect()
}

fn along(x: &[DVec3], v: &[DVec3], s: f64) -> Vec<DVec3> {
    x.iter().zip(v).map(|(x, v)| *x + s * *v).collect()
}

#[test]
fn the_force_is_minus_the_slope_of_the_energy() {
    let (model, state, bodies) = bent_sheet();
    let potential = potential(&model, &state, bodies);
    let x = &state.positions;
    let parts = potential.value(x);
    assert!(parts.contact.is_finite() && parts.contact > 0.0);
    let v = direction(x.len());
    let energy = |s: f64| potential.value(&along(x, &v, s)).total();
    let e = 2e-6;
    let pair = |k: f64| energy(k * e) - energy(-k * e);
    let slope = (0.75 * pair(1.0) - 0.15 * pair(2.0) + pair(3.0) / 60.0) / e;
    let (mut elastic, mut total) = (x.clone(), x.clone());
    potential.forces(x, &mut elastic, &mut total);
    let expected = -parallel::dot(&total, &v);
    assert!((slope / expected - 1.0).abs() < 1e-7, "{slope} {expected}");
}

#[test]
fn the_true_curvature_is_the_slope_of_the_force() {
    let (model, state, bodies) = bent_sheet();
    let potential = potential(&model, &state, bodies);
    let x = &state.positions;
    let v = direction(x.len());
    let forces = |s: f64| {
        let (mut elastic, mut total) = (x.clone(), x.clone());
        potential.forces(&along(x, &v, s), &mut elastic, &mut total);
        (elastic, total)
    };
    let (mut moved, mut product) = (x.clone(), x.clone());
    potential.curvature(x, &forces(0.0).0, &v, &mut moved, &mut product);
    let e = 1e-6;
    let pair = |k: f64| (forces(-k * e).1, forces(k * e).1);
    let pairs = [pair(1.0), pair(2.0), pair(3.0)];
    let largest = product.iter().map(|p| p.length()).fold(0.0, f64::max);
    for i in 0..x.len() {
        let difference = |k: usize| pairs[k].0[i] - pairs[k].1[i];
        let slope = (0.75 * difference(0) - 0.15 * difference(1) + difference(2) / 60.0) / e;
        let error = (slope - product[i]).length() / largest;
        assert!(error < 1e-6, "node {i}: {error}");
    }
}

#[test]
fn a_share_is_safe_for_every_node_however_long_the_step() {
    let (model, state, bodies) = bent_sheet();
    let potential = potential(&model, &state, bodies);
    let x = &state.positions;
    assert!(potential.smallest_gap(x).unwrap() > 0.0);
    for seed in 1..20 {
        let v: Vec<DVec3> = direction(x.len() + seed)[seed..].to_vec();
        for factor in [1e-4, 0.01, 3.0] {
            let share = potential.safe_share(x, &v, factor);
            for k in 1..=50 {
                let part = factor * share * f64::from(k) / 50.0;
                let gap = potential.smallest_gap(&along(x, &v, part)).unwrap();
                assert!(gap > 0.0, "{factor} {k}");
            }
        }
    }
    // Straight up is free.
    assert_eq!(potential.safe_share(x, &vec![DVec3::Z; x.len()], 1.0), 1.0);
}
