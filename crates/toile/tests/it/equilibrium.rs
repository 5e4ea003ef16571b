//! Equilibria whose shape or whose sum of forces is known.

use crate::common::{self, COTTON, fixed, square, world};
use std::ops::ControlFlow;
use toile::certificate::Energies;
use toile::contact::{Body, Shape};
use toile::drive::Pin;
use toile::energy::{EnergyBatch, Spring, SpringBatch};
use toile::equilibrium::{
    Curvature, Equilibrium, EquilibriumError, EquilibriumSettings, EquilibriumStatus, minimise,
};
use toile::glam::DVec3;
use toile::integrate::{ImplicitSettings, Integrator};
use toile::mesh::Mesh;
use toile::mesh::generate::{Grid, GridPattern, grid};
use toile::model::Model;
use toile::state::State;
use toile::step::{Workspace, step};

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

fn implicit() -> Integrator {
    Integrator::Implicit(ImplicitSettings::CLASSIC)
}

fn body(name: &str, shape: Shape, at: DVec3) -> Body {
    Body {
        name: name.into(),
        friction: 0.5.into(),
        ..common::body(shape, at)
    }
}

/// The same cloth with other springs or bodies.
fn changed(model: &Model, springs: Option<Vec<Spring>>, bodies: Vec<Body>) -> Model {
    let changed = model.rebuilt(|parts| {
        if let Some(springs) = springs {
            parts.energies = vec![EnergyBatch::Springs(SpringBatch { springs })];
        }
        parts.bodies = bodies;
    });
    changed.unwrap()
}

fn cotton(mesh: &Mesh, pins: Vec<Pin>, bodies: Vec<Body>) -> (Model, State) {
    let (model, state) = world(mesh, COTTON, pins, GRAVITY, implicit());
    (changed(&model, None, bodies), state)
}

fn settle(model: &Model, state: &mut State, settings: &EquilibriumSettings) -> Equilibrium {
    minimise(model, state, settings, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn strip(cells: u32) -> Mesh {
    grid(&Grid {
        size: [1.0, 0.1],
        cells: [cells, 1],
        pattern: GridPattern::Quads,
    })
    .unwrap()
}

/// Springs along both long sides of a strip, and nothing between the two.
fn chains(cells: u32, rest_length: f64, stiffness: f64) -> Vec<Spring> {
    let link = |row: u32, k: u32| {
        let first = row * (cells + 1) + k;
        Spring {
            nodes: [first, first + 1],
            rest_length,
            stiffness,
            damping: 0.0,
        }
    };
    (0..2)
        .flat_map(|row| (0..cells).map(move |k| link(row, k)))
        .collect()
}

#[test]
fn a_spring_that_swings_down_from_the_level_ends_with_the_strain_of_its_weight() {
    let mesh = strip(1);
    let pins = vec![fixed(vec![0, 2])];
    let (model, mut state) = world(&mesh, COTTON, pins, GRAVITY, implicit());
    let model = changed(&model, Some(chains(1, 1.0, 2.0)), vec![]);
    let tight = EquilibriumSettings {
        tolerance: 1e-10,
        ..EquilibriumSettings::default()
    };
    let found = settle(&model, &mut state, &tight);
    assert_eq!(found.status, EquilibriumStatus::Converged);
    let strain = model.masses[1] * 9.81 / 2.0;
    let below = state.positions[0] + DVec3::NEG_Z * (1.0 + strain);
    let off = state.positions[1].distance(below);
    assert!(off < 1e-8, "{off}");
    assert!((found.certificate.stretch_worst - strain).abs() < 1e-8);
}

/// Where the nodes of a chain of `links` hang: horizontal tension `H` from the span, vertical tension from the
/// weights on either side of the middle.
fn discrete_catenary(links: u32, rest_length: f64, stiffness: f64, weight: f64) -> Vec<DVec3> {
    let link = |k: u32, pull: f64| {
        let lift = weight * (f64::from(k) - 0.5 * f64::from(links - 1));
        let tension = pull.hypot(lift);
        rest_length * (1.0 / tension + 1.0 / stiffness) * DVec3::new(pull, 0.0, lift)
    };
    let span = |pull| (0..links).map(|k| link(k, pull).x).sum::<f64>();
    let (mut low, mut high) = (0.0, stiffness);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if span(middle) < 1.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut nodes = vec![DVec3::ZERO];
    nodes.extend((0..links).map(|k| link(k, low)));
    for k in 1..nodes.len() {
        nodes[k] = nodes[k - 1] + nodes[k];
    }
    nodes
}

#[test]
fn a_chain_that_starts_straight_and_compressed_hangs_in_the_discrete_catenary() {
    let (cells, stiffness) = (16, 50.0);
    let rest_length = 1.25 / f64::from(cells);
    let mesh = strip(cells);
    let pins = vec![fixed(vec![0, cells, cells + 1, 2 * cells + 1])];
    let (model, mut state) = world(&mesh, COTTON, pins, GRAVITY, implicit());
    let springs = chains(cells, rest_length, stiffness);
    let model = changed(&model, Some(springs), vec![]);
    let tight = EquilibriumSettings {
        tolerance: 1e-9,
        ..EquilibriumSettings::default()
    };
    let found = settle(&model, &mut state, &tight);
    assert_eq!(found.status, EquilibriumStatus::Converged);
    assert_eq!(found.certificate.curvature, Curvature::NoneNegative);
    let weight = model.masses[1] * 9.81;
    let expected = discrete_catenary(cells, rest_length, stiffness, weight);
    for (k, place) in expected.iter().enumerate() {
        for row in [0, cells as usize + 1] {
            let node = state.positions[row + k] - state.positions[row];
            assert!(node.distance(*place) < 1e-7, "{k}: {node} {place}");
        }
    }
}

#[test]
fn a_column_that_stands_exactly_upright_is_left_although_its_forces_balance() {
    let mesh = strip(1);
    let pins = vec![fixed(vec![0, 2])];
    let (model, mut state) = world(&mesh, COTTON, pins, GRAVITY, implicit());
    let model = changed(&model, Some(chains(1, 1.0, 2.0)), vec![]);
    let strain = model.masses[1] * 9.81 / 2.0;
    for (foot, top) in [(0, 1), (2, 3)] {
        state.positions[top] = state.positions[foot] + DVec3::Z * (1.0 - strain);
    }
    let exact = EquilibriumSettings {
        perturbation: 0.0,
        ..EquilibriumSettings::default()
    };
    let found = settle(&model, &mut state, &exact);
    assert_eq!(found.status, EquilibriumStatus::Converged);
    assert_eq!(found.certificate.curvature, Curvature::NoneNegative);
    for top in [1, 3] {
        let height = state.positions[top].z;
        assert!((height + 1.0 + strain).abs() < 1e-6, "{height}");
    }
}

#[test]
fn a_sheet_on_two_corners_hangs_where_damped_motion_comes_to_rest() {
    let cells = 8;
    let mesh = square(cells);
    let corners = vec![cells * (cells + 1), (cells + 1) * (cells + 1) - 1];
    let (model, mut state) = cotton(&mesh, vec![fixed(corners)], vec![]);
    let mut moving = state.clone();
    let found = settle(&model, &mut state, &EquilibriumSettings::default());
    assert_eq!(found.status, EquilibriumStatus::Converged);
    assert!(found.certificate.gradient <= 1e-6);

    let model = model
        .rebuilt(|parts| parts.cloths[0].air_damping = 2.0)
        .unwrap();
    let mut workspace = Workspace::new(&model, None);
    for _ in 0..1500 {
        step(&model, &mut moving, &mut workspace, 0.01).unwrap();
    }
    // Which way the sheet bellies out of the plane of its pins is up to the swing.
    let turned = |p: DVec3| DVec3::new(p.x, 1.0 - p.y, p.z);
    let off = |place: &dyn Fn(DVec3) -> DVec3| {
        let pairs = state.positions.iter().zip(&moving.positions);
        let ways = pairs.map(|(a, b)| place(*a).distance(*b));
        ways.fold(0.0, f64::max)
    };
    let worst = off(&|p| p).min(off(&turned));
    assert!(worst < 1e-3, "{worst}");
    let energy = |state: &State| {
        let energies = Energies::of(&model, state);
        energies.gravity + energies.elastic
    };
    assert!((energy(&state) - energy(&moving)).abs() < 1e-6);
    assert!(energy(&state) < energy(&moving));
}

#[test]
fn bodies_carry_just_the_weight_and_no_node_ever_goes_in() {
    let table = Shape::Disc {
        radius: 0.35,
        thickness: 0.04,
    };
    let worlds = [
        vec![body("floor", Shape::Plane, DVec3::Z * -0.05)],
        vec![body(
            "ball",
            Shape::Sphere { radius: 0.12 },
            DVec3::Z * -0.13,
        )],
        vec![body("table", table, DVec3::Z * -0.01)],
    ];
    for bodies in worlds {
        let name = bodies[0].name.clone();
        let (model, mut state) = cotton(&square(12), vec![], bodies);
        let mut smallest = f64::INFINITY;
        let settings = EquilibriumSettings::default();
        let found = minimise(&model, &mut state, &settings, &mut |iteration| {
            let gaps = iteration.positions.iter().map(|&x| {
                let body = &model.bodies[0];
                body.sample(x, 0.0).distance - 1e-3
            });
            smallest = gaps.fold(smallest, f64::min);
            ControlFlow::Continue(())
        })
        .unwrap();
        let certificate = found.certificate;
        assert_eq!(found.status, EquilibriumStatus::Converged, "{name}");
        assert_eq!(certificate.curvature, Curvature::NoneNegative, "{name}");
        assert!(smallest > 0.0, "{name}: {smallest}");
        assert!(certificate.gap_smallest.unwrap() > 0.0);
        let weight = model.total_mass() * 9.81;
        let error = (certificate.contact_force + weight * DVec3::NEG_Z).length() / weight;
        // The forces left on N nodes add up to at most √N times their norm.
        let most = certificate.gradient * (model.node_count() as f64).sqrt();
        assert!(
            error <= most * (1.0 + 1e-6) + 1e-12,
            "{name}: {error} {most}"
        );
        assert!(error < 1e-5, "{name}: {error}");
    }
}

#[test]
fn the_sum_of_contact_forces_is_the_weight_to_one_part_in_a_million() {
    let bodies = vec![body("floor", Shape::Plane, DVec3::Z * -0.05)];
    let (model, mut state) = cotton(&square(6), vec![], bodies);
    let tight = EquilibriumSettings {
        tolerance: 1e-8,
        ..EquilibriumSettings::default()
    };
    let found = settle(&model, &mut state, &tight);
    let weight = model.total_mass() * 9.81;
    let error = (found.certificate.contact_force.z / weight - 1.0).abs();
    assert!(error < 1e-6, "{error}");
    // A node that carries its own weight rests at half the barrier's reach.
    let gap = found.certificate.gap_smallest.unwrap();
    assert!((gap - 0.5e-3).abs() < 1e-6, "{gap}");
}

#[test]
fn the_same_start_gives_the_same_bits() {
    let shape = Shape::Sphere { radius: 0.12 };
    let (model, start) = cotton(
        &square(8),
        vec![],
        vec![body("ball", shape, DVec3::Z * -0.13)],
    );
    let [first, second] = [(); 2].map(|()| {
        let mut state = start.clone();
        let found = settle(&model, &mut state, &EquilibriumSettings::default());
        (state, found)
    });
    assert_eq!(first, second);
}

#[test]
fn a_start_a_little_inside_a_body_is_mended_and_a_deep_one_refused() {
    let floor = |z: f64| vec![body("floor", Shape::Plane, DVec3::Z * z)];
    let settings = EquilibriumSettings::default();
    let (model, mut state) = cotton(&square(4), vec![], floor(0.02));
    let found = settle(&model, &mut state, &settings);
    assert!(found.certificate.gap_smallest.unwrap() > 0.0);

    let (model, mut state) = cotton(&square(4), vec![], floor(0.4));
    let before = state.clone();
    let refused = minimise(&model, &mut state, &settings, &mut |_| {
        ControlFlow::Continue(())
    });
    let error = refused.unwrap_err();
    assert!(matches!(error, EquilibriumError::Penetrating { .. }));
    let text = error.to_string();
    assert!(
        text.contains("node 0 of cloth `sheet`") && text.contains("body `floor`"),
        "{text}"
    );
    assert_eq!(state, before);
}

#[test]
fn a_cloth_that_nothing_catches_falls_until_the_limit() {
    let (model, mut state) = cotton(&square(3), vec![], vec![]);
    let short = EquilibriumSettings {
        max_iterations: 20,
        ..EquilibriumSettings::default()
    };
    let found = settle(&model, &mut state, &short);
    assert_eq!(found.status, EquilibriumStatus::IterationLimit);
    assert_eq!(found.certificate.iterations, 20);
    assert!((found.certificate.gradient - 0.25).abs() < 0.1); // one over the root of sixteen nodes
}

#[test]
fn an_observer_can_stop_the_search_and_another_call_goes_on() {
    let mesh = square(4);
    let (model, mut state) = cotton(&mesh, vec![fixed(vec![0, 4])], vec![]);
    let settings = EquilibriumSettings::default();
    let stopped = minimise(&model, &mut state, &settings, &mut |iteration| {
        if iteration.number == 5 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(stopped.unwrap().status, EquilibriumStatus::Interrupted);
    let found = settle(&model, &mut state, &settings);
    assert_eq!(found.status, EquilibriumStatus::Converged);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let (model, mut state) = cotton(&square(2), vec![], vec![]);
    let bad = EquilibriumSettings {
        tolerance: f64::NAN,
        ..EquilibriumSettings::default()
    };
    let refused = minimise(&model, &mut state, &bad, &mut |_| ControlFlow::Continue(()));
    assert!(matches!(refused, Err(EquilibriumError::BadSetting { .. })));
}
