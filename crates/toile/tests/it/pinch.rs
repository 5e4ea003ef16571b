//! Cloth between two fingers: held by friction, sliding where that does not suffice, and weighing on both.

use crate::common::{COTTON, world};
use toile::certificate::momentum;
use toile::contact::{Body, Shape};
use toile::drive::{Motion, Pose, RigidPath};
use toile::glam::{DQuat, DVec3};
use toile::integrate::{ImplicitRule, ImplicitSettings, Integrator, MixedScheme, MixedSettings};
use toile::limit::inequality::{InequalityLimit, InequalitySettings};
use toile::limit::strain::{StrainBounds, StrainLimit, StrainSettings, Sweep};
use toile::limit::{EquationSolver, Equations, Lengths, Limit, Metric, ProjectionSettings};
use toile::mesh::generate::{Grid, GridPattern, grid};
use toile::model::Model;
use toile::state::State;
use toile::step::{Workspace, step};

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
/// Half the thickness of the sheet (m), and what its fingers leave of the whole.
const OFFSET: f64 = 1e-3;
const ROOM: f64 = 0.8;

fn implicit(rule: ImplicitRule, newton_steps: u32) -> Integrator {
    Integrator::Implicit(ImplicitSettings {
        rule,
        newton_steps,
        tolerance: 1e-9,
        ..Default::default()
    })
}

/// A strip of 0.1 m × 0.2 m that hangs in the plane y = 0 with its upper 5 cm between two fingers, so that friction with this coefficient
/// could bear `strength` times its weight. The fingers rise with `rise` (m/s).
fn strip(integrator: Integrator, friction: f64, strength: f64, rise: f64) -> (Model, State) {
    let mesh = grid(&Grid {
        size: [0.1, 0.2],
        cells: [4, 8],
        pattern: GridPattern::Quads,
    })
    .unwrap();
    let (mut model, mut state) = world(&mesh, COTTON, Vec::new(), GRAVITY, integrator);
    for x in &mut state.positions {
        *x = DVec3::new(x.x, 0.0, x.y);
    }
    let finger = |side: f64| Body {
        name: format!("finger {side}"),
        shape: Shape::Cuboid {
            half_size: DVec3::new(0.06, 0.01, 0.05),
        },
        place: Pose {
            translation: DVec3::new(0.0, side * (0.01 + ROOM * OFFSET), 0.082),
            rotation: DQuat::IDENTITY,
        },
        path: RigidPath {
            pivot: DVec3::ZERO,
            motion: Motion::Velocity {
                linear: DVec3::Z * rise,
                angular: DVec3::ZERO,
            },
        },
        friction: friction.into(),
    };
    model = model
        .rebuilt(|parts| parts.bodies = vec![finger(-1.0), finger(1.0)])
        .unwrap();
    // 2 μ E (1 − ROOM) A = strength · weight, with A the area of the nodes between the fingers.
    let held = |x: &DVec3| x.z > 0.032;
    let areas = model.cloths[0].rest.node_areas.iter();
    let area: f64 = areas
        .zip(&state.positions)
        .filter(|(_, x)| held(x))
        .map(|(a, _)| a)
        .sum();
    let weight = model.total_mass() * 9.81;
    let compression = strength * weight / (2.0 * friction * (1.0 - ROOM) * area);
    let model = model
        .rebuilt(|parts| parts.cloths[0].compression = compression)
        .unwrap();
    (model, state)
}

/// The same in thick air.
fn damped(model: &Model) -> Model {
    let thick = model.rebuilt(|parts| parts.cloths[0].air_damping = 20.0);
    thick.unwrap()
}

/// How far the uppermost nodes slip down through fingers that rise so fast, on average (m).
fn slip(model: &Model, state: &mut State, (h, steps): (f64, u32), rise: f64) -> f64 {
    let top: Vec<usize> = (0..state.positions.len())
        .filter(|&i| state.positions[i].z > 0.099)
        .collect();
    let height =
        |state: &State| top.iter().map(|&i| state.positions[i].z).sum::<f64>() / top.len() as f64;
    let start = height(state);
    let mut workspace = Workspace::new(model, None);
    for _ in 0..steps {
        let report = step(model, state, &mut workspace, h).unwrap();
        assert!(report.certificate.gap_smallest.unwrap() > -1e-6);
    }
    start + rise * h * f64::from(steps) - height(state)
}

/// What a strip slips by in the second second, when it has come to rest (m).
fn creep(model: &Model, state: &mut State, h: f64) -> f64 {
    let steps = (1.0 / h).round() as u32;
    slip(model, state, (h, steps), 0.0);
    slip(model, state, (h, steps), 0.0)
}

#[test]
fn fingers_hold_what_friction_can_bear_without_any_creep() {
    for (integrator, h) in [
        (implicit(ImplicitRule::BackwardEuler, 1), 0.005),
        (implicit(ImplicitRule::BackwardEuler, 4), 0.005),
        (implicit(ImplicitRule::Bdf2, 1), 0.005),
        (Integrator::SymplecticEuler, 1e-4),
    ] {
        let (model, mut state) = strip(integrator, 0.4, 1.5, 0.0);
        let model = damped(&model);
        let crept = creep(&model, &mut state, h);
        assert!(crept.abs() < 1e-9, "{integrator:?}: {crept} m");
    }
}

#[test]
fn fingers_lift_what_they_hold() {
    let rise = 0.1;
    let mixed = Integrator::Mixed(MixedSettings::new(MixedScheme::C));
    for (integrator, h, allowed) in [
        (implicit(ImplicitRule::BackwardEuler, 1), 0.005, 1e-9),
        (implicit(ImplicitRule::BackwardEuler, 4), 0.005, 1e-9),
        // Its positions follow from two velocities: a sudden start costs h v / 3, once.
        (implicit(ImplicitRule::Bdf2, 1), 0.005, 2e-4),
        // To be as fast at once as the fingers asks for 30 times the weight.
        (Integrator::SymplecticEuler, 1e-4, 1e-5),
        (mixed, 4e-5, 1e-5),
    ] {
        // The sudden start asks for several times the weight.
        let (model, mut state) = strip(integrator, 0.4, 20.0, rise);
        let steps = f64::round(if h < 1e-3 { 0.05 } else { 1.0 } / h) as u32;
        let slipped = slip(&model, &mut state, (h, steps), rise);
        assert!(slipped.abs() < allowed, "{integrator:?}: {slipped} m");
    }
}

#[test]
fn cloth_slides_through_fingers_that_are_too_weak_as_newton_says() {
    for (integrator, h) in [
        (implicit(ImplicitRule::BackwardEuler, 1), 0.002),
        (implicit(ImplicitRule::Bdf2, 1), 0.002),
        (Integrator::SymplecticEuler, 1e-4),
    ] {
        for strength in [0.0, 0.4, 0.8] {
            let (model, mut state) = strip(integrator, 0.4, strength, 0.0);
            let speed = |state: &State| momentum(&model, state).0.z / model.total_mass();
            let fall = |duration: f64, state: &mut State| {
                slip(&model, state, (h, (duration / h).round() as u32), 0.0);
                speed(state)
            };
            // When all of it slides, and before a row of nodes leaves the fingers.
            let (begin, end) = (fall(0.02, &mut state), fall(0.03, &mut state));
            let (gained, expected) = (end - begin, -0.03 * (1.0 - strength) * 9.81);
            assert!(
                (gained / expected - 1.0).abs() < 0.01,
                "{integrator:?}, {strength}: {gained} m/s, expected {expected}"
            );
        }
    }
}

#[test]
fn fingers_hold_cloth_that_does_not_stretch() {
    let euler = implicit(ImplicitRule::BackwardEuler, 1);
    type Make = fn(&Model) -> Limit;
    let kinds: [(&str, Make, f64); 5] = [
        (
            "metric",
            |model| {
                let cloth = &model.cloths[0];
                let metric = Metric::new(&cloth.topology, &cloth.rest, None, 0).unwrap();
                let settings = ProjectionSettings::default();
                let solver = EquationSolver::Projection;
                Limit::Metric(Equations::new(metric, solver, settings).unwrap())
            },
            1e-6,
        ),
        (
            "lengths",
            |model| {
                let cloth = &model.cloths[0];
                let lengths = Lengths::new(&cloth.topology, &cloth.rest, 0).unwrap();
                let settings = ProjectionSettings::default();
                let solver = EquationSolver::Projection;
                Limit::Lengths(Equations::new(lengths, solver, settings).unwrap())
            },
            1e-6,
        ),
        (
            "multipliers",
            |model| {
                let cloth = &model.cloths[0];
                let lengths = Lengths::new(&cloth.topology, &cloth.rest, 0).unwrap();
                let settings = ProjectionSettings::default();
                let solver = EquationSolver::Multipliers;
                Limit::Lengths(Equations::new(lengths, solver, settings).unwrap())
            },
            1e-6,
        ),
        (
            "strain",
            |model| {
                let cloth = &model.cloths[0];
                let settings = StrainSettings::default();
                Limit::Strain(StrainLimit::new(&cloth.topology, &cloth.rest, 0, settings).unwrap())
            },
            1e-6,
        ),
        (
            "inequality",
            |model| {
                let cloth = &model.cloths[0];
                let settings = InequalitySettings::default();
                let limit =
                    InequalityLimit::new(&cloth.topology, &cloth.rest, 0, settings).unwrap();
                Limit::Inequality(Box::new(limit))
            },
            1e-6,
        ),
    ];
    for (name, make, allowed) in kinds {
        let (mut model, mut state) = strip(euler, 0.4, 1.5, 0.0);
        model = model
            .rebuilt(|parts| parts.limits = vec![(0, make(&model))])
            .unwrap();
        model = damped(&model);
        let crept = creep(&model, &mut state, 0.005);
        assert!(crept.abs() < allowed, "{name}: {crept} m");
    }
}

/// A sweep that took held nodes for free ones pulled them out of the fingers and left their edges long.
#[test]
fn fingers_hold_cloth_whose_weight_sweeps_bear() {
    for (name, sweep) in [
        ("gauss-seidel", Sweep::GaussSeidel),
        ("jacobi", Sweep::Jacobi),
    ] {
        let euler = implicit(ImplicitRule::BackwardEuler, 1);
        let (model, mut state) = strip(euler, 0.4, 1.5, 0.0);
        let settings = StrainSettings {
            edges: StrainBounds {
                stretch: 1e-5,
                compression: 1.0,
            },
            sweep,
            tolerance: 1e-6,
            max_sweeps: 400,
            ..Default::default()
        };
        let cloth = &model.cloths[0];
        let limit = StrainLimit::new(&cloth.topology, &cloth.rest, 0, settings).unwrap();
        let limits = vec![(0, Limit::Strain(limit))];
        let model = damped(&model.rebuilt(|parts| parts.limits = limits).unwrap());
        let before = state.clone();
        let crept = creep(&model, &mut state, 0.005);
        assert!(crept.abs() < 1e-9, "{name}: {crept} m");
        let mut workspace = Workspace::new(&model, None);
        let report = step(&model, &mut state, &mut workspace, 0.005).unwrap();
        let limit = report.certificate.limit.unwrap();
        // What friction does after the sweeps may take them a little beyond their tolerance; free nodes were far beyond the bound.
        let met = limit.iterations > 0 && limit.residual < 5e-6;
        assert!(met, "{name}: {limit:?}");
        for (i, x) in before
            .positions
            .iter()
            .enumerate()
            .filter(|(_, x)| x.z > 0.04)
        {
            let moved = state.positions[i].distance(*x);
            assert!(moved < 1e-6, "{name}: node {i} by {moved} m");
        }
    }
}

#[test]
fn fingers_feel_what_they_hold_and_how_hard_they_press() {
    let (model, mut state) = strip(implicit(ImplicitRule::BackwardEuler, 1), 0.4, 1.5, 0.0);
    let mut workspace = Workspace::new(&model, None);
    let weight = model.total_mass() * 9.81;
    for _ in 0..400 {
        let before = momentum(&model, &state).0;
        step(&model, &mut state, &mut workspace, 0.005).unwrap();
        let loads = workspace.body_loads();
        let change = (momentum(&model, &state).0 - before) / 0.005;
        let pressed: DVec3 = loads.iter().map(|l| l.force).sum();
        let left = change - model.total_mass() * GRAVITY + pressed;
        assert!(left.length() < 1e-6 * weight, "{left}");
        // 1.5 weights of friction from both need this much pressure of each.
        let pressure = 1.5 * weight / (2.0 * 0.4);
        assert!(
            (loads[1].force.y / pressure - 1.0).abs() < 1e-3,
            "{loads:?}"
        );
        assert!(
            (loads[0].force.y / pressure + 1.0).abs() < 1e-3,
            "{loads:?}"
        );
        let uneven = loads[0].force.z - loads[1].force.z;
        assert!(uneven.abs() < 0.01 * weight);
    }
    // At rest in the end, each finger bears half of it.
    let loads = workspace.body_loads();
    assert!(
        (loads[0].force.z + 0.5 * weight).abs() < 0.05 * weight,
        "{loads:?}"
    );
}
