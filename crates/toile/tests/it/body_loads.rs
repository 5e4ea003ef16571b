//! What cloth does to bodies: no momentum is lost between the two.

use crate::common::{self, COTTON, square, world};
use toile::advance::{StepControl, advance};
use toile::certificate::momentum;
use toile::contact::{Body, Shape};
use toile::drive::{Motion, RigidPath};
use toile::glam::{DQuat, DVec3};
use toile::integrate::{ImplicitRule, ImplicitSettings, Integrator, MixedScheme, MixedSettings};
use toile::limit::inequality::{InequalityLimit, InequalitySettings, InequalitySolver};
use toile::limit::{EquationSolver, Equations, Lengths, Limit, Metric, ProjectionSettings};
use toile::model::Model;
use toile::state::State;
use toile::step::{Workspace, step};

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

fn implicit(newton_steps: u32, rule: ImplicitRule) -> Integrator {
    Integrator::Implicit(ImplicitSettings {
        rule,
        newton_steps,
        tolerance: 1e-11,
        newton_tolerance: 1e-11,
        max_iterations: 5000,
        ..Default::default()
    })
}

fn body(name: &str, shape: Shape, at: DVec3, path: RigidPath) -> Body {
    Body {
        name: name.into(),
        path,
        friction: 0.4.into(),
        ..common::body(shape, at)
    }
}

/// A sheet that falls askew onto a floor and a ball that rises through it.
fn fall(integrator: Integrator, cells: u32) -> (Model, State) {
    let (mut model, mut state) = world(&square(cells), COTTON, Vec::new(), GRAVITY, integrator);
    let rising = RigidPath {
        pivot: DVec3::ZERO,
        motion: Motion::Velocity {
            linear: DVec3::Z * 0.4,
            angular: DVec3::X,
        },
    };
    let ball = Shape::Sphere { radius: 0.2 };
    model = model
        .rebuilt(|parts| {
            parts.bodies = vec![
                body("floor", Shape::Plane, DVec3::ZERO, RigidPath::default()),
                body("ball", ball, DVec3::new(0.1, 0.0, -0.1), rising),
            ]
        })
        .unwrap();
    let turn = DQuat::from_rotation_x(0.1);
    for (x, v) in state.positions.iter_mut().zip(&mut state.velocities) {
        *x = turn * *x + DVec3::Z * 0.11;
        *v = DVec3::new(0.3, 0.0, -1.0);
    }
    (model, state)
}

fn lengths(model: &Model, solver: EquationSolver) -> Limit {
    let cloth = &model.cloths[0];
    let lengths = Lengths::new(&cloth.topology, &cloth.rest, 0).unwrap();
    Limit::Lengths(Equations::new(lengths, solver, ProjectionSettings::default()).unwrap())
}

fn metric(model: &Model, solver: EquationSolver) -> Limit {
    let cloth = &model.cloths[0];
    let metric = Metric::new(&cloth.topology, &cloth.rest, None, 0).unwrap();
    Limit::Metric(Equations::new(metric, solver, ProjectionSettings::default()).unwrap())
}

fn inequality(model: &Model, solver: InequalitySolver) -> Limit {
    let cloth = &model.cloths[0];
    let settings = InequalitySettings {
        solver,
        ..Default::default()
    };
    let limit = InequalityLimit::new(&cloth.topology, &cloth.rest, 0, settings).unwrap();
    Limit::Inequality(Box::new(limit))
}

/// What the loads of a step leave unexplained of the change of momentum, over what the weight does to it. Also answers how large the loads
/// have been against the weight.
fn unexplained(model: &Model, mut state: State, steps: u32, h: f64) -> [f64; 2] {
    let mut workspace = Workspace::new(model, None);
    let mass: f64 = model.masses.iter().sum();
    let weight = mass * GRAVITY;
    let (mut worst, mut largest) = (0.0f64, 0.0f64);
    let mut before = [None, Some(momentum(model, &state).0)];
    for _ in 0..steps {
        step(model, &mut state, &mut workspace, h).unwrap();
        let now = momentum(model, &state).0;
        let last = before[1].unwrap();
        // Where the rule would have led without forces, and for how long it takes them.
        let is_bdf2 =
            matches!(model.integrator, Integrator::Implicit(s) if s.rule == ImplicitRule::Bdf2);
        let (carried, reach) = match (is_bdf2, before[0]) {
            (true, Some(earlier)) => ((4.0 * last - earlier) / 3.0, 2.0 / 3.0 * h),
            _ => (last, h),
        };
        let loads = workspace.body_loads();
        let pressed: DVec3 = loads.iter().map(|l| l.force).sum();
        let left = now - carried - reach * (weight - pressed);
        worst = worst.max(left.length() / (reach * weight.length()));
        largest = largest.max(pressed.length() / weight.length());
        before = [before[1], Some(now)];
    }
    [worst, largest]
}

fn check(name: &str, model: &Model, state: State, tolerance: f64) {
    // Short enough for explicit integrators.
    let (steps, h) = match model.integrator {
        Integrator::Implicit(_) => (60, 0.005),
        _ => (400, 0.0005),
    };
    let [worst, largest] = unexplained(model, state, steps, h);
    assert!(largest > 1.5, "{name}: it hits nothing ({largest})");
    assert!(worst < tolerance, "{name}: {worst} of {largest}");
}

#[test]
fn loads_explain_the_change_of_momentum() {
    for (name, integrator, tolerance) in [
        (
            "backward Euler",
            implicit(1, ImplicitRule::BackwardEuler),
            1e-8,
        ),
        (
            "with Newton",
            implicit(8, ImplicitRule::BackwardEuler),
            1e-5,
        ),
        ("bdf2", implicit(1, ImplicitRule::Bdf2), 1e-8),
        ("explicit", Integrator::SymplecticEuler, 1e-10),
    ] {
        let (mut model, state) = fall(integrator, 10);
        check(name, &model, state.clone(), tolerance);
        model = model
            .rebuilt(|parts| parts.contacts = vec![[0, 0]])
            .unwrap();
        check(&format!("{name}, with itself"), &model, state, tolerance);
    }
}

#[test]
fn loads_of_limits_do() {
    let soft = implicit(1, ImplicitRule::BackwardEuler);
    let (model, state) = fall(soft, 8);
    let solvers = [EquationSolver::Projection, EquationSolver::Multipliers];
    for solver in solvers {
        for limit in [lengths(&model, solver), metric(&model, solver)] {
            let limited = model
                .rebuilt(|parts| parts.limits = vec![(0, limit)])
                .unwrap();
            let name = format!(
                "{solver:?} {:?}",
                std::mem::discriminant(&limited.limits[0].1)
            );
            check(&name, &limited, state.clone(), 1e-3);
        }
    }
    for solver in [InequalitySolver::Multipliers, InequalitySolver::ActiveSet] {
        let limited = model
            .rebuilt(|parts| parts.limits = vec![(0, inequality(&model, solver))])
            .unwrap();
        check(&format!("{solver:?}"), &limited, state.clone(), 1e-3);
    }
}

#[test]
fn mixed_schemes_book_their_contacts() {
    for scheme in [MixedScheme::A, MixedScheme::C, MixedScheme::Limited] {
        let settings = MixedSettings {
            tolerance: 1e-10,
            ..MixedSettings::new(scheme)
        };
        let (model, state) = fall(Integrator::Mixed(settings), 8);
        check(&format!("{scheme:?}"), &model, state, 1e-6);
    }
}

/// A flat sheet at rest on a floor far from its origin.
fn resting() -> (Model, State) {
    let integrator = implicit(1, ImplicitRule::BackwardEuler);
    let (mut model, mut state) = world(&square(6), COTTON, Vec::new(), GRAVITY, integrator);
    let floor = body("floor", Shape::Plane, DVec3::ZERO, RigidPath::default());
    model = model.rebuilt(|parts| parts.bodies = vec![floor]).unwrap();
    for x in &mut state.positions {
        *x += DVec3::new(2.0, -1.0, model.cloths[0].contact_offset);
    }
    (model, state)
}

#[test]
fn a_sheet_weighs_on_the_floor_what_it_weighs_and_where_it_lies() {
    let (model, mut state) = resting();
    let mut workspace = Workspace::new(&model, None);
    for _ in 0..3 {
        step(&model, &mut state, &mut workspace, 0.01).unwrap();
    }
    let load = workspace.body_loads()[0];
    let weight = model.masses.iter().sum::<f64>() * GRAVITY;
    assert!((load.force - weight).length() < 1e-9, "{load:?}");
    let centre = DVec3::new(2.0, -1.0, 0.0);
    let moment = centre.cross(weight);
    assert!((load.torque - moment).length() < 1e-8, "{load:?}");
    assert_eq!(load.nodes, 49);
}

#[test]
fn a_span_of_several_steps_has_their_mean() {
    let (model, mut state) = fall(Integrator::SymplecticEuler, 8);
    let mut workspace = Workspace::new(&model, None);
    let weight = model.masses.iter().sum::<f64>() * GRAVITY;
    let control = StepControl::Cfl { fraction: 0.5 };
    for _ in 0..20 {
        let before = momentum(&model, &state).0;
        let report = advance(&model, &mut state, &mut workspace, 0.01, &control).unwrap();
        assert!(report.substeps > 1);
        let loads = workspace.body_loads();
        let pressed: DVec3 = loads.iter().map(|l| l.force).sum();
        let left = momentum(&model, &state).0 - before - 0.01 * (weight - pressed);
        assert!(left.length() < 1e-12, "{left}");
    }
    assert!(workspace.body_loads()[0].nodes > 0);
}
