//! How cloth answers bodies: contact that relaxes, two coefficients of friction, nodes that stick, folds that are shown outside.

use crate::common::{self, COTTON, fixed, moving, square, world};
use toile::contact::{
    Adhesion, Body, BodyContact, FoldPreserver, Friction, Region, Shape, Sticky, intersections,
};
use toile::drive::{Interval, Motion};
use toile::glam::DVec3;
use toile::integrate::{ImplicitSettings, Integrator, MixedScheme, MixedSettings};
use toile::model::{Model, ModelError};
use toile::state::State;
use toile::step::{Workspace, step};

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
/// Half the thickness of the cloth (m).
const OFFSET: f64 = 1e-3;

fn backward() -> Integrator {
    Integrator::Implicit(ImplicitSettings::CLASSIC)
}

fn every_kind() -> [Integrator; 4] {
    let mixed = |scheme| Integrator::Mixed(MixedSettings::new(scheme));
    [
        backward(),
        Integrator::SymplecticEuler,
        mixed(MixedScheme::C),
        mixed(MixedScheme::Limited),
    ]
}

fn body(shape: Shape, friction: impl Into<Friction>, motion: Motion) -> Body {
    Body {
        path: moving(motion),
        friction: friction.into(),
        ..common::body(shape, DVec3::ZERO)
    }
}

fn floor() -> Body {
    body(Shape::Plane, 0.0, Motion::default())
}

/// A level sheet of 4×4 cells at a height, and a body.
fn sheet_at(height: f64, body: Body, gravity: DVec3, integrator: Integrator) -> (Model, State) {
    let (mut model, mut state) = world(&square(4), COTTON, vec![], gravity, integrator);
    model = model.rebuilt(|parts| parts.bodies = vec![body]).unwrap();
    state.positions.iter_mut().for_each(|p| p.z += height);
    (model, state)
}

fn advance(model: &Model, state: &mut State, steps: u32, h: f64) {
    let mut workspace = Workspace::new(model, None);
    for _ in 0..steps {
        step(model, state, &mut workspace, h).unwrap();
    }
}

/// An adhesion of all nodes to all of every body, for ever.
fn glue() -> Adhesion {
    Adhesion {
        nodes: None,
        to: Sticky::default(),
        during: vec![Interval::ALWAYS],
        strength: f64::INFINITY,
        reach: 1e-4,
    }
}

/// The same model as one that is built with this, so that what follows from it is worked out.
fn with_contact(model: &Model, body_contact: BodyContact) -> Result<Model, ModelError> {
    model.rebuilt(|parts| parts.body_contact = body_contact)
}

fn with_adhesion(model: &Model, adhesion: Adhesion) -> Model {
    let contact = BodyContact {
        adhesions: vec![adhesion],
        ..BodyContact::default()
    };
    with_contact(model, contact).unwrap()
}

#[test]
fn depth_falls_with_the_relaxation_time_under_every_integrator() {
    let (h, time) = (1e-3, 0.05);
    for integrator in every_kind() {
        for depth in [0.01, -0.3e-3] {
            // Too deep, or so little above the floor that gravity would take it there in a step and more.
            let (model, mut state) = sheet_at(OFFSET - depth, floor(), 100.0 * GRAVITY, integrator);
            let model = model
                .rebuilt(|parts| parts.body_contact.relaxation = time)
                .unwrap();
            for n in 1..=100 {
                advance(&model, &mut state, 1, h);
                let expected = -depth * (1.0 - h / time).powi(n);
                for p in &state.positions {
                    let gap = p.z - OFFSET;
                    assert!(
                        (gap - expected).abs() < 1e-3 * depth.abs(),
                        "{integrator:?}: gap {gap} instead of {expected} after {n} steps"
                    );
                }
            }
            // Some two relaxation times: e⁻² of it are left.
            let left = (state.positions[0].z - OFFSET) / -depth;
            assert!((left - (-2.0f64).exp()).abs() < 0.005, "{left}");
        }
    }
}

#[test]
fn without_a_relaxation_time_depth_is_gone_at_once_and_gives_no_speed() {
    for integrator in every_kind() {
        let (model, mut state) = sheet_at(OFFSET - 0.01, floor(), DVec3::ZERO, integrator);
        advance(&model, &mut state, 1, 1e-3);
        for (p, v) in state.positions.iter().zip(&state.velocities) {
            assert!((p.z - OFFSET).abs() < 1e-9 && v.length() < 1e-6, "{p} {v}");
        }
    }
}

#[test]
fn static_and_kinetic_friction_on_a_slope_with_an_explicit_integrator() {
    let slope = 0.4_f64;
    let gravity = 9.81 * DVec3::new(slope.sin(), 0.0, -slope.cos());
    let friction = Friction {
        at_rest: 0.6,
        sliding: 0.2,
    };
    for push in [0.0, 0.5] {
        let slab = body(Shape::Plane, friction, Motion::default());
        let (model, mut state) = sheet_at(OFFSET, slab, gravity, Integrator::SymplecticEuler);
        state.velocities.fill(DVec3::X * push);
        advance(&model, &mut state, 200, 1e-3);
        let pull = 9.81 * (slope.sin() - friction.sliding * slope.cos());
        let expected = if push > 0.0 { push + 0.2 * pull } else { 0.0 };
        for v in &state.velocities {
            assert!((v.x - expected).abs() < 2e-3, "{v} instead of {expected}");
        }
    }
}

/// A turntable below the sheet that turns, rises and drifts.
fn turntable() -> Body {
    let motion = Motion::Velocity {
        linear: DVec3::new(0.1, 0.0, 0.3),
        angular: DVec3::new(0.2, 0.0, 3.0),
    };
    let shape = Shape::Disc {
        radius: 2.0,
        thickness: 0.1,
    };
    body(shape, 0.0, motion)
}

#[test]
fn stuck_nodes_ride_on_a_turning_body_exactly() {
    for integrator in every_kind() {
        let (model, mut state) = sheet_at(OFFSET, turntable(), GRAVITY, integrator);
        let corner = Adhesion {
            nodes: Some(vec![0, 1, 5, 6]),
            ..glue()
        };
        let model = with_adhesion(&model, corner);
        let start = state.clone();
        advance(&model, &mut state, 200, 1e-3);
        let stuck: Vec<u32> = state.stuck.iter().map(|s| s.node).collect();
        assert_eq!(stuck, [0, 1, 5, 6]);
        let carrier = model.bodies[0].pose(state.time);
        for node in stuck {
            let anchor = start.positions[node as usize];
            let off = state.positions[node as usize].distance(carrier.apply(anchor));
            assert!(off < 1e-12, "{integrator:?}: node {node} slipped by {off}");
        }
    }
}

/// A ceiling that presses down to the sheet: what sticks to it hangs, what does not falls.
fn ceiling() -> Body {
    let mut ceiling = floor();
    ceiling.place.rotation = toile::glam::DQuat::from_rotation_x(std::f64::consts::PI);
    ceiling
}

#[test]
fn time_catches_and_time_lets_go() {
    let (model, mut state) = sheet_at(-OFFSET, ceiling(), GRAVITY, backward());
    let spans = vec![
        Interval { from: 0.0, to: 0.1 },
        // Long after it has fallen out of reach.
        Interval { from: 0.3, to: 0.4 },
    ];
    let model = with_adhesion(
        &model,
        Adhesion {
            during: spans,
            ..glue()
        },
    );
    advance(&model, &mut state, 20, 5e-3);
    assert!((state.positions[12].z + OFFSET).abs() < 1e-12);
    assert_eq!(state.stuck.len(), 25);
    advance(&model, &mut state, 1, 5e-3);
    assert!(state.stuck.is_empty());
    advance(&model, &mut state, 49, 5e-3);
    assert!(state.stuck.is_empty());
    // Free fall for 0.25 s, by backward Euler with 50 steps.
    let fall = 9.81 * 5e-3 * 5e-3 * 50.0 * 51.0 / 2.0;
    let z = state.positions[12].z + OFFSET;
    assert!((z + fall).abs() < 1e-3 * fall, "{z} instead of {fall}");
}

/// A sheet of 0.2 kg/m² under a ceiling pulls at it with 1.962 N/m² everywhere.
#[test]
fn a_pull_above_the_strength_tears_off_and_one_below_does_not() {
    for integrator in every_kind() {
        for (strength, holds) in [(1.99, true), (1.93, false)] {
            let (model, mut state) = sheet_at(-OFFSET, ceiling(), GRAVITY, integrator);
            let model = with_adhesion(&model, Adhesion { strength, ..glue() });
            advance(&model, &mut state, 50, 1e-3);
            assert_eq!(state.stuck.len(), if holds { 25 } else { 0 });
            let fallen = state.positions.iter().all(|p| p.z < -OFFSET - 0.01);
            assert_eq!(fallen, !holds, "{integrator:?}");
        }
    }
}

/// Along the surface friction helps: on a slope of tan α = 0.5 with μ = 0.3 adhesion has 0.2 N/N of the push to bear.
#[test]
fn friction_takes_its_share_of_what_pulls_along_the_surface() {
    let slope = 0.5_f64.atan();
    let gravity = 9.81 * DVec3::new(slope.sin(), 0.0, -slope.cos());
    let left = 0.2 * 9.81 * (slope.sin() - 0.3 * slope.cos());
    for (strength, holds) in [(1.02 * left, true), (0.98 * left, false)] {
        let slab = body(Shape::Plane, 0.3, Motion::default());
        let (model, mut state) = sheet_at(OFFSET, slab, gravity, backward());
        let model = with_adhesion(&model, Adhesion { strength, ..glue() });
        let before = state.positions[0].x;
        advance(&model, &mut state, 40, 5e-3);
        assert_eq!(state.stuck.len(), if holds { 25 } else { 0 });
        let moved = state.positions[0].x - before;
        assert_eq!(moved < 1e-9, holds, "moved by {moved}");
    }
}

#[test]
fn only_what_touches_the_sticky_region_sticks_and_pins_come_first() {
    let (mut model, mut state) = sheet_at(OFFSET, floor(), GRAVITY, backward());
    model = model
        .rebuilt(|parts| parts.pins = vec![fixed(vec![0])])
        .unwrap();
    state.pins = vec![Default::default()];
    let corner = Region::Box {
        min: DVec3::new(-1.0, -1.0, -0.1),
        max: DVec3::new(-0.2, -0.2, 0.1),
    };
    let ball = Region::Ball {
        center: DVec3::new(0.5, 0.5, 0.0),
        radius: 0.1,
    };
    let adhesions = [corner, ball].map(|region| Adhesion {
        to: Sticky::Body { body: None, region },
        ..glue()
    });
    // Node 1 is lifted off.
    state.positions[1].z += 0.01;
    let contact = BodyContact {
        adhesions: adhesions.into(),
        ..Default::default()
    };
    let model = with_contact(&model, contact).unwrap();
    advance(&model, &mut state, 1, 1e-3);
    let stuck: Vec<[u32; 2]> = state.stuck.iter().map(|s| [s.node, s.adhesion]).collect();
    assert_eq!(stuck, [[5, 0], [6, 0], [24, 1]]);
    assert!(state.fits(&model));
}

/// A state that is taken down and taken up again goes on bit for bit; so does another workspace.
#[test]
fn what_sticks_is_all_in_the_state() {
    let (model, mut state) = sheet_at(OFFSET, turntable(), GRAVITY, backward());
    let model = with_adhesion(
        &model,
        Adhesion {
            strength: 3.0,
            ..glue()
        },
    );
    advance(&model, &mut state, 30, 5e-3);
    let mut again = state.clone();
    let mut workspace = Workspace::new(&model, None);
    for _ in 0..30 {
        step(&model, &mut state, &mut workspace, 5e-3).unwrap();
        advance(&model, &mut again, 1, 5e-3);
    }
    assert_eq!(state, again);
}

#[test]
fn impossible_responses_are_refused_with_their_reason() {
    let (model, _) = sheet_at(OFFSET, floor(), GRAVITY, backward());
    let nan_strength = f64::NAN;
    let bad = [
        (
            Adhesion {
                nodes: Some(vec![25]),
                ..glue()
            },
            "no node 25",
        ),
        (
            Adhesion {
                nodes: Some(vec![2, 1]),
                ..glue()
            },
            "rising order",
        ),
        (
            Adhesion {
                to: Sticky::Body {
                    body: Some(1),
                    region: Region::Everywhere,
                },
                ..glue()
            },
            "no body 1",
        ),
        (
            Adhesion {
                strength: 0.0,
                ..glue()
            },
            "strength",
        ),
        (
            Adhesion {
                strength: nan_strength,
                ..glue()
            },
            "strength",
        ),
        (
            Adhesion {
                reach: -1.0,
                ..glue()
            },
            "reach",
        ),
        (
            Adhesion {
                during: vec![Interval { from: 1.0, to: 0.5 }],
                ..glue()
            },
            "intervals",
        ),
    ];
    for (adhesion, words) in bad {
        let contact = BodyContact {
            adhesions: vec![adhesion],
            ..Default::default()
        };
        let error = with_contact(&model, contact).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let slow = BodyContact {
        relaxation: -1.0,
        ..Default::default()
    };
    let error = with_contact(&model, slow).unwrap_err().to_string();
    assert!(error.contains("relaxation"), "{error}");
    let backwards = model.rebuilt(|parts| {
        parts.bodies[0].friction = Friction {
            at_rest: 0.2,
            sliding: 0.4,
        };
    });
    let error = backwards.unwrap_err();
    assert!(matches!(error, ModelError::Friction { .. }), "{error}");
}

/// A wavy sheet half of which is below the floor.
fn wavy(cells: u32, amplitude: f64) -> (Model, State) {
    let (mut model, mut state) = world(&square(cells), COTTON, vec![], GRAVITY, backward());
    model = model.rebuilt(|parts| parts.bodies = vec![floor()]).unwrap();
    for p in &mut state.positions {
        p.z += amplitude * (20.0 * p.x).sin();
    }
    (model, state)
}

#[test]
fn waves_below_the_floor_are_shown_above_it_in_the_same_order() {
    let (model, state) = wavy(20, 5e-3);
    let height = 1e-2;
    let mut preserver = FoldPreserver::new(&model, height);
    let shown = preserver.show(&model, &state).to_vec();
    let mut order: Vec<usize> = (0..shown.len()).collect();
    order.sort_by(|&a, &b| state.positions[a].z.total_cmp(&state.positions[b].z));
    for pair in order.windows(2) {
        assert!(shown[pair[0]].z <= shown[pair[1]].z);
    }
    assert!(shown.iter().all(|p| OFFSET - 1e-9 <= p.z && p.z <= height));
    // Putting nodes on the surface would leave waves of 4 mm from crest to trough; these are higher.
    let (low, high) = (shown[order[0]].z, shown[order[order.len() - 1]].z);
    assert!(high - low > 5e-3, "{low} to {high}");
}

#[test]
fn cloth_outside_of_bodies_is_shown_where_it_is_and_pinched_cloth_too() {
    let (mut model, mut state) = wavy(8, 1e-3);
    state.positions.iter_mut().for_each(|p| p.z += 3e-3);
    let mut preserver = FoldPreserver::new(&model, 1e-2);
    assert_eq!(preserver.show(&model, &state), state.positions);
    // In the floor, but with another body as near.
    state.positions.iter_mut().for_each(|p| p.z -= 5e-3);
    assert_ne!(preserver.show(&model, &state), state.positions);
    let mut lid = ceiling();
    lid.place.translation = DVec3::Z * 2e-3;
    model = model.rebuilt(|parts| parts.bodies.push(lid)).unwrap();
    assert_eq!(preserver.show(&model, &state), state.positions);
}

/// Two layers in the floor, the lower one wavy, that the map would press into one another are moved as far as they can be.
#[test]
fn showing_folds_leads_no_cloth_through_cloth() {
    let (mut model, mut state) = world(&square(16), COTTON, vec![], GRAVITY, backward());
    model = model.rebuilt(|parts| parts.bodies = vec![floor()]).unwrap();
    model = model
        .rebuilt(|parts| parts.contacts = vec![[0, 0]])
        .unwrap();
    // Folded over: x = ±0.5 both lie at 0.5, at most 1 mm apart, deep in the floor and wavy.
    for p in &mut state.positions {
        let upper = p.x > 0.0;
        let wave = 0.02 * (15.0 * p.x.abs()).sin() + 0.01 * (11.0 * p.y).cos();
        p.z = wave - 0.03 + if upper { 6e-4 } else { 0.0 };
        p.x = p.x.abs() - if upper { 0.0 } else { 1e-3 };
    }
    assert_eq!(intersections(&model, &state.positions).len(), 0);
    let mut preserver = FoldPreserver::new(&model, 4e-3);
    let shown = preserver.show(&model, &state).to_vec();
    assert_ne!(shown, state.positions);
    assert_eq!(intersections(&model, &shown).len(), 0);
}
