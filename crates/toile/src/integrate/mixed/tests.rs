//! What each of the two strain filters is there for, on scheme A made by hand with either of them left out.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::drive::{Interval, Pin, PinPath, RigidPath, Slide};
use crate::energy::assembly::Plan;
use crate::energy::{EnergyBatch, MassSpringMaterial, mass_spring};
use crate::enforce::LimitWork;
use crate::hold::Holds;
use crate::integrate::Integrator;
use crate::limit::Limit;
use crate::limit::strain::{StrainBounds, StrainLimit, StrainSettings};
use crate::linalg::Filter;
use crate::mesh::generate::{Grid, GridPattern, grid};
use crate::mesh::{RestShape, Topology};
use crate::model::{Cloth, ModelParts};
use crate::state::State;

const TOLERANCE: f64 = 1e-5;
const H: f64 = 0.01;

/// A sheet that hangs by one edge and would fall almost freely without its limit.
fn soft_sheet() -> (Model, State) {
    let cells = 4;
    let mesh = grid(&Grid {
        size: [1.0, 1.0],
        cells: [cells, cells],
        pattern: GridPattern::Quads,
    })
    .unwrap();
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
    let material = MassSpringMaterial {
        stretch: 1.0,
        shear: 0.2,
        bend: 0.0,
        damping: 0.01,
    };
    let springs = mass_spring(&topology, &rest, &material).batch(0, material.damping);
    let settings = StrainSettings {
        edges: StrainBounds {
            stretch: 0.05,
            compression: 0.5,
        },
        tolerance: TOLERANCE,
        max_sweeps: 2000,
        ..Default::default()
    };
    let strain = StrainLimit::new(&topology, &rest, 0, settings).unwrap();
    let cloth = Cloth {
        name: "sheet".into(),
        nodes: 0..topology.node_count,
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
        limits: vec![(0, Limit::Strain(strain))],
        pins: vec![Pin {
            nodes: (0..=cells).collect(),
            path: PinPath::Carried(RigidPath::default()),
            held: vec![Interval::ALWAYS],
            slide: Slide::Nowhere,
        }],
        bodies: vec![],
        body_contact: Default::default(),
        contacts: Vec::new(),
        gravity: DVec3::new(0.0, 0.0, -9.81),
        integrator: Integrator::Mixed(MixedSettings::new(MixedScheme::A)),
        ..Default::default()
    })
    .unwrap();
    let state = State::at_rest(&model, mesh.positions);
    (model, state)
}

/// The worst violation of the bounds by positions, and by where the kept velocities would lead them in another step, over half a
/// second.
fn worst_violations(first: bool, second: bool) -> [f64; 2] {
    let (model, mut state) = soft_sheet();
    let Limit::Strain(strain) = &model.limits[0].1 else {
        unreachable!()
    };
    let mut holds = Holds::new(model.node_count());
    holds.filters[..5].fill(Filter::Held);
    let plan = Plan::new(model.node_count(), &model.energies, None);
    let settings = MixedSettings::new(MixedScheme::A);
    let mut damping = DampingScratch::new(model.node_count());
    let mut work = LimitWork::for_model(&model).map(Box::new);
    let mut worst = [0.0f64; 2];
    for _ in 0..50 {
        let context = Context::new(&model, &state, &holds, H);
        let half = HalfSteps::new(&context, &plan, 0.5 * H);
        let mut middle = state.velocities.clone();
        half.explicit(&state.positions, &mut middle, &mut damping);
        let mut end = middle.clone();
        if first {
            half.filter(&state.positions, &mut middle, &mut work);
        }
        let moved = state.positions.iter().zip(&middle);
        let positions: Vec<_> = moved.map(|(x, v)| *x + H * *v).collect();
        half.implicit(&positions, &mut end, &settings, &mut damping);
        if second {
            half.filter(&positions, &mut end, &mut work);
        }
        let ahead = positions.iter().zip(&end);
        let ahead: Vec<_> = ahead.map(|(x, v)| *x + H * *v).collect();
        worst[0] = worst[0].max(strain.residual(&positions));
        worst[1] = worst[1].max(strain.residual(&ahead));
        state.positions = positions;
        state.velocities = end;
    }
    worst
}

#[test]
fn the_first_filter_bounds_strain_and_the_second_its_rate() {
    let [strain, rate] = worst_violations(true, true);
    assert!(strain <= TOLERANCE && rate <= TOLERANCE, "{strain} {rate}");
}

#[test]
fn with_the_first_filter_alone_the_kept_velocities_break_the_bound() {
    let [strain, rate] = worst_violations(true, false);
    assert!(strain <= TOLERANCE, "{strain}");
    // They gather speed for half a second as if nothing held the sheet: 4.9 m/s in a cell of 0.25 m.
    assert!(rate > 0.1, "{rate}");
}

#[test]
fn with_the_second_filter_alone_the_positions_break_the_bound() {
    // Half a step of gravity, h² g/2 in a cell of 0.25 m, comes on top of what was bounded.
    let [strain, rate] = worst_violations(false, true);
    assert!(rate <= TOLERANCE, "{rate}");
    assert!(strain > 1e-3, "{strain}");
}
