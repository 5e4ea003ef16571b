//! Worlds that several tests share.
#![allow(dead_code, clippy::unwrap_used)] // not every test uses every helper; a panic is a failed test

use toile::drive::{Interval, Pin, PinPath, RigidPath};
use toile::energy::{EnergyBatch, MassSpringMaterial, mass_spring};
use toile::glam::DVec3;
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
    };
    let model = Model::new(ModelParts {
        cloths: vec![cloth],
        energies: vec![EnergyBatch::Springs(springs)],
        pins,
        bodies: vec![],
        gravity,
        integrator,
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
    }
}
