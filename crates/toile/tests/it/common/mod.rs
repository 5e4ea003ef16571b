//! Worlds that several tests share.
#![allow(dead_code, clippy::unwrap_used)] // benches take this file too, and not all of it; a panic is a failed test

use toile::drive::{Interval, Pin, PinPath, RigidPath, Slide};
use toile::energy::{EnergyBatch, MassSpringMaterial, Spring, SpringBatch, mass_spring};
use toile::glam::{DQuat, DVec3};
use toile::integrate::Integrator;
use toile::mesh::generate::{Grid, GridPattern, grid};
use toile::mesh::{Mesh, RestShape, Topology};
use toile::model::{Cloth, Model, ModelParts};
use toile::state::State;

/// A light cotton.
pub const COTTON: MassSpringMaterial = MassSpringMaterial {
    stretch: 1000.0,
    shear: 200.0,
    bend: 1e-5,
    damping: 0.0,
};

/// A square sheet of 1 m of `cells` × `cells` quads in the plane z = 0.
pub fn square(cells: u32) -> Mesh {
    grid(&Grid {
        size: [1.0, 1.0],
        cells: [cells, cells],
        pattern: GridPattern::Quads,
    })
    .unwrap()
}

/// One mass–spring cloth of 0.2 kg/m².
pub fn world(
    mesh: &Mesh,
    material: MassSpringMaterial,
    pins: Vec<Pin>,
    gravity: DVec3,
    integrator: Integrator,
) -> (Model, State) {
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
    let nodes = topology.node_count;
    let springs = mass_spring(&topology, &rest, &material).batch(0, material.damping);
    let cloth = Cloth {
        name: "sheet".into(),
        nodes: 0..nodes,
        topology,
        rest,
        density: 0.2,
        air_damping: 0.0,
        gravity_factor: 1.0,
        contact_offset: 1e-3,
        friction: 0.3,
        compression: 1e4,
    };
    let model = Model::new(ModelParts {
        cloths: vec![cloth],
        energies: vec![EnergyBatch::Springs(springs)],
        limits: Vec::new(),
        pins,
        bodies: vec![],
        body_contact: Default::default(),
        contacts: Vec::new(),
        gravity,
        integrator,
        ..Default::default()
    })
    .unwrap();
    let state = State::at_rest(&model, mesh.positions.clone());
    (model, state)
}

/// Holds nodes where they are.
pub fn fixed(nodes: Vec<u32>) -> Pin {
    Pin {
        nodes,
        path: PinPath::Carried(RigidPath::default()),
        held: vec![Interval::ALWAYS],
        slide: Slide::Nowhere,
    }
}

/// One free node (number 1, at rest at x = 1 m) on a damped spring along x: `ẍ = −λ (x − 1) − γ ẋ`.
pub fn oscillator(lambda: f64, gamma: f64, integrator: Integrator) -> (Model, State) {
    let (mut model, mut state) = world(
        &square(1),
        COTTON,
        vec![fixed(vec![0, 2, 3])],
        DVec3::ZERO,
        integrator,
    );
    let shift = DVec3::ZERO - state.positions[0];
    state.positions.iter_mut().for_each(|p| *p += shift);
    model = model
        .rebuilt(|parts| {
            parts.energies = vec![EnergyBatch::Springs(SpringBatch {
                springs: vec![Spring {
                    nodes: [0, 1],
                    rest_length: 1.0,
                    stiffness: lambda * model.masses[1],
                    damping: gamma * model.masses[1],
                }],
            })];
            // A heavy anchor, so that the stability limit, which takes it as free, is the oscillator's.
            parts.point_masses = vec![(0, 1e9)];
        })
        .unwrap();
    (model, state)
}

/// Turns, stretches and throws the sheet so that every spring and damper is at work.
pub fn stir(state: &mut State) {
    let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -0.2, 0.5));
    for (x, v) in state.positions.iter_mut().zip(&mut state.velocities) {
        let bump = DVec3::new(0.02 * (9.0 * x.y).sin(), 0.0, 0.05 * (7.0 * x.x).cos());
        *x = turn * (*x * 1.03 + bump) + DVec3::new(0.4, 1.0, -0.3);
        *v = DVec3::new(1.0, -0.5, 2.0) + DVec3::new(0.5, 1.0, -2.0).cross(*x);
    }
}
