//! Bodies between the nodes of cloth: what is narrower than a cell does not come through.

use crate::common::{COTTON, square, world};
use toile::contact::{Body, Shape};
use toile::drive::{Motion, Pose, RigidPath};
use toile::glam::{DQuat, DVec3};
use toile::integrate::{ImplicitSettings, Integrator, MixedScheme, MixedSettings};
use toile::model::Model;
use toile::state::State;
use toile::step::{Workspace, step};

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
/// Radius of the rods (m): cells are 25 cm wide.
const RADIUS: f64 = 0.02;

fn backward() -> Integrator {
    Integrator::Implicit(ImplicitSettings::CLASSIC)
}

fn bdf2() -> Integrator {
    Integrator::Implicit(ImplicitSettings {
        rule: toile::integrate::ImplicitRule::Bdf2,
        ..ImplicitSettings::CLASSIC
    })
}

fn mixed(scheme: MixedScheme) -> Integrator {
    Integrator::Mixed(MixedSettings::new(scheme))
}

/// A rod along y through a point.
fn rod(at: DVec3, friction: f64, motion: Motion) -> Body {
    Body {
        name: "rod".into(),
        shape: Shape::Capsule {
            radius: RADIUS,
            half_length: 3.0,
        },
        place: Pose {
            translation: at,
            rotation: DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
        },
        path: RigidPath {
            pivot: DVec3::ZERO,
            motion,
        },
        friction: friction.into(),
    }
}

/// A level sheet of 1 m and 4×4 cells around the origin, at a height, above two rods that run between its rows of nodes.
fn above_rods(height: f64, friction: f64, integrator: Integrator) -> (Model, State) {
    let (mut model, mut state) = world(&square(4), COTTON, vec![], GRAVITY, integrator);
    let at = |x: f64| rod(DVec3::new(x, 0.0, 0.0), friction, Motion::default());
    let middle: DVec3 = state.positions.iter().sum::<DVec3>() / state.positions.len() as f64;
    for x in &mut state.positions {
        *x += DVec3::Z * height - middle;
    }
    model = model
        .rebuilt(|parts| parts.bodies = vec![at(-0.14), at(0.14)])
        .unwrap();
    (model, state)
}

/// The least distance of any face's middle surface from any body, on a lattice of its own (m).
fn least_distance(model: &Model, state: &State) -> f64 {
    let mut least = f64::INFINITY;
    for cloth in &model.cloths {
        for [a, b, c] in cloth.topology.faces.iter().flat_map(|f| f.triangles()) {
            let corners = [a, b, c].map(|n| state.positions[cloth.nodes.start + n as usize]);
            for i in 0..=20 {
                for j in 0..=20 - i {
                    let (u, v) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                    let x = u * corners[0] + v * corners[1] + (1.0 - u - v) * corners[2];
                    for body in &model.bodies {
                        least = least.min(body.sample(x, state.time).distance);
                    }
                }
            }
        }
    }
    least
}

#[test]
fn rods_between_the_nodes_hold_a_sheet_under_every_integrator() {
    for (integrator, h) in [
        (backward(), 0.01),
        (bdf2(), 0.01),
        (mixed(MixedScheme::C), 2e-3),
        (mixed(MixedScheme::Limited), 2e-3),
        (Integrator::SymplecticEuler, 2e-4),
    ] {
        let (model, mut state) = above_rods(0.05, 0.5, integrator);
        let mut workspace = Workspace::new(&model, None);
        for _ in 0..(1.0 / h) as u32 {
            let report = step(&model, &mut state, &mut workspace, h).unwrap();
            let gap = report.certificate.gap_between.unwrap_or(0.0);
            assert!(gap > -1e-4, "{integrator:?}: {gap}");
        }
        let least = least_distance(&model, &state);
        assert!(least > -1e-4, "{integrator:?}: {least}");
        let highest = state.positions.iter().map(|x| x.z).fold(f64::MIN, f64::max);
        assert!(highest > 0.0, "{integrator:?}: {highest}");
    }
}

/// The least height (m) at which a row of nodes along x passes over a rod. A straight edge that keeps clear above a circle is at least its
/// radius above its middle; one that went through is below.
fn least_height_over_the_rods(state: &State) -> f64 {
    let mut least = f64::INFINITY;
    for row in state.positions.chunks(5) {
        for x in [-0.14, 0.14] {
            let crossings = row.windows(2).filter_map(|ends| {
                let [a, b] = [ends[0], ends[1]];
                let at = (x - a.x) / (b.x - a.x);
                (0.0..=1.0).contains(&at).then(|| a.lerp(b, at).z)
            });
            // Where the sheet hangs folded under the rod it has another.
            let highest = crossings.fold(f64::NEG_INFINITY, f64::max);
            if highest.is_finite() {
                least = least.min(highest);
            }
        }
    }
    least
}

/// Throws the sheet down on the rods at 8 m/s in steps of 10 ms, twice a rod's width in each: no face may be `deepest` in a rod (m).
fn throw_down(tilt: f64, deepest: f64) {
    let (model, mut state) = above_rods(0.0, 0.0, backward());
    let turn = DQuat::from_rotation_y(tilt);
    let above = 0.1 + 0.5 * tilt.abs().sin();
    for x in &mut state.positions {
        *x = turn * *x + DVec3::Z * above;
    }
    state.velocities.fill(DVec3::NEG_Z * 8.0);
    let mut workspace = Workspace::new(&model, None);
    for _ in 0..20 {
        step(&model, &mut state, &mut workspace, 0.01).unwrap();
        let least = least_distance(&model, &state);
        assert!(least > -deepest, "{tilt}, {}: {least}", state.time);
        let height = least_height_over_the_rods(&state);
        assert!(
            height > RADIUS - deepest,
            "{tilt}, {}: {height}",
            state.time
        );
    }
}

#[test]
fn a_fast_sheet_does_not_jump_over_a_rod() {
    throw_down(0.0, 5e-4);
}

/// A row of nodes leads, so that corners are nearest when the step begins in which a rod comes between the rows; later, rows that turn about
/// a rod go several times its width in a step. They are stopped where they meet it, and what the rounds leave open is far from its middle.
#[test]
fn a_fast_sheet_that_comes_down_tilted_does_not_either() {
    for tilt in [-0.6, -0.45, -0.3, -0.15, -0.1, 0.1, 0.15, 0.3, 0.45, 0.6] {
        throw_down(tilt, 0.2 * RADIUS);
    }
}

#[test]
fn rods_carry_the_weight_of_the_sheet_that_hangs_on_them() {
    let (model, mut state) = above_rods(0.03, 1.0, backward());
    let mut workspace = Workspace::new(&model, None);
    let (mut mean, mut count) = (DVec3::ZERO, 0.0);
    for k in 0..400 {
        step(&model, &mut state, &mut workspace, 0.01).unwrap();
        if k >= 300 {
            let loads = workspace.body_loads();
            mean += loads[0].force + loads[1].force;
            count += 1.0;
        }
    }
    let weight = model.total_mass() * GRAVITY;
    assert!(
        (mean / count).distance(weight) < 0.02 * weight.length(),
        "{}",
        mean / count
    );
}

#[test]
fn a_rod_that_rises_takes_the_sheet_along() {
    let (model, mut state) = above_rods(0.025, 0.5, backward());
    let motion = Motion::Velocity {
        linear: DVec3::Z * 0.5,
        angular: DVec3::ZERO,
    };
    let model = model.rebuilt(|parts| {
        let bodies = parts.bodies.iter_mut();
        bodies.for_each(|body| body.path.motion = motion.clone());
    });
    let model = model.unwrap();
    let mut workspace = Workspace::new(&model, None);
    for _ in 0..100 {
        step(&model, &mut state, &mut workspace, 0.01).unwrap();
    }
    assert!(least_distance(&model, &state) > -1e-4);
    let mean = state.positions.iter().map(|x| x.z).sum::<f64>() / state.positions.len() as f64;
    assert!((0.2..0.6).contains(&mean), "{mean}");
}

#[test]
fn the_edge_of_a_box_does_not_cut_coarse_cloth() {
    let (mut model, mut state) = above_rods(0.01, 0.5, backward());
    model = model
        .rebuilt(|parts| {
            parts.bodies = vec![Body {
                shape: Shape::Cuboid {
                    half_size: DVec3::new(0.2, 0.2, 0.2),
                },
                place: Pose {
                    translation: DVec3::new(0.03, 0.02, -0.2),
                    rotation: DQuat::IDENTITY,
                },
                ..rod(DVec3::ZERO, 0.5, Motion::default())
            }]
        })
        .unwrap();
    let mut workspace = Workspace::new(&model, None);
    for _ in 0..150 {
        step(&model, &mut state, &mut workspace, 0.01).unwrap();
        let least = least_distance(&model, &state);
        assert!(least > -1e-4, "{}: {least}", state.time);
    }
}
