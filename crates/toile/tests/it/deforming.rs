//! Cloth on bodies that deform.

use crate::common::{COTTON, body, square, world};
use std::sync::Arc;
use toile::certificate::Certificate;
use toile::contact::deforming::{Sequence, SequenceSettings};
use toile::contact::{Adhesion, Anchor, Body, Region, Shape, Sticky, Stuck, intersections};
use toile::drive::Interval;
use toile::glam::{DVec3, dvec3};
use toile::integrate::{ImplicitSettings, Integrator};
use toile::mesh::generate::{Cuboid, Sphere, SpherePattern, cuboid, sphere};
use toile::mesh::{Face, Mesh};
use toile::model::Model;
use toile::state::State;
use toile::step::{Workspace, step};

const H: f64 = 0.005;

/// A sheet of half a metre at a height (m), and a body given by frames at equal times up to `duration` (s).
fn sheet_and_body(
    height: f64,
    mesh: &Mesh,
    frames: u32,
    duration: f64,
    at: impl Fn(DVec3, f64) -> DVec3,
    friction: f64,
) -> (Model, State) {
    let integrator = Integrator::Implicit(ImplicitSettings::CLASSIC);
    let mut sheet = square(12);
    for p in &mut sheet.positions {
        *p *= 0.5;
    }
    let gravity = DVec3::NEG_Z * 9.81;
    let (mut model, mut state) = world(&sheet, COTTON, Vec::new(), gravity, integrator);
    model = model
        .rebuilt(|parts| parts.contacts = vec![[0, 0]])
        .unwrap();
    for p in &mut state.positions {
        p.z = height + 0.01 * p.x * p.y;
    }
    let times: Vec<f64> = (0..=frames)
        .map(|k| duration * f64::from(k) / f64::from(frames))
        .collect();
    let places = times
        .iter()
        .map(|&t| mesh.positions.iter().map(|p| at(*p, t)).collect())
        .collect();
    let settings = SequenceSettings::default();
    let sequence = Sequence::new(mesh.faces.clone(), times, places, settings).unwrap();
    model = model
        .rebuilt(|parts| {
            parts.bodies.push(Body {
                friction: friction.into(),
                ..body(Shape::Sequence(Arc::new(sequence)), DVec3::ZERO)
            })
        })
        .unwrap();
    (model, state)
}

fn run(model: &Model, state: &mut State, steps: u32, mut look: impl FnMut(&State, &Certificate)) {
    let mut workspace = Workspace::new(model, None);
    for _ in 0..steps {
        let report = step(model, state, &mut workspace, H).unwrap();
        look(state, &report.certificate);
    }
}

fn mean(vectors: &[DVec3]) -> DVec3 {
    vectors.iter().sum::<DVec3>() / vectors.len() as f64
}

fn ball() -> Mesh {
    let pattern = SpherePattern::Icosphere { subdivisions: 3 };
    sphere(&Sphere {
        radius: 0.2,
        pattern,
    })
    .unwrap()
}

fn block(half: DVec3, cells: u32) -> Mesh {
    let half_extents = half.to_array();
    cuboid(&Cuboid {
        half_extents,
        cells: [cells; 3],
    })
    .unwrap()
}

#[test]
fn a_breathing_ball_carries_cloth_up_and_lets_it_down() {
    let breath = |t: f64| 1.0 + 0.1 * (1.0 - (4.0 * std::f64::consts::PI * t).cos());
    let (model, mut state) = sheet_and_body(0.21, &ball(), 24, 0.5, |p, t| breath(t) * p, 0.5);
    let (mut gap, mut between) = (f64::INFINITY, f64::INFINITY);
    let (mut highest, mut apart, mut wrinkled) = (0f64, 0f64, 0f64);
    run(&model, &mut state, 100, |state, certificate| {
        gap = gap.min(certificate.gap_smallest.unwrap());
        between = between.min(certificate.gap_between.unwrap_or(f64::INFINITY));
        let top = state.positions.iter().map(|p| p.z).fold(0.0, f64::max);
        highest = highest.max(top);
        // The pole is a node of the mesh: it is at the radius exactly, up to the chord between frames.
        let off = (top - 0.2 * breath(state.time)).abs();
        match state.time {
            t if t > 0.25 => wrinkled = wrinkled.max(off),
            t if t > 0.1 => apart = apart.max(off),
            _ => {}
        }
        assert!(intersections(&model, &state.positions).is_empty());
    });
    assert!(gap > -1e-6, "{gap}");
    assert!(between > -1e-4, "{between}");
    assert!(highest > 0.239, "{highest}");
    assert!(apart < 0.0025, "{apart}");
    // On a ball that shrinks by a sixth and rubs, so much of each cell has to go somewhere: a node that rises between two cells of 42 mm by 23 mm at the most.
    assert!(wrinkled < 0.0125, "{wrinkled}");
}

#[test]
fn a_shearing_surface_takes_cloth_along_at_its_velocity() {
    let slab = block(dvec3(1.0, 1.0, 0.1), 6);
    // Shear along x: the top, at z = 0.1 m, moves at 0.3 m/s, the bottom the other way.
    let at = |p: DVec3, t: f64| p + 3.0 * p.z * t * DVec3::X;
    let (model, mut state) = sheet_and_body(0.102, &slab, 10, 0.5, at, 0.8);
    run(&model, &mut state, 60, |_, _| {});
    let velocity = mean(&state.velocities);
    assert!(velocity.distance(0.3 * DVec3::X) < 1e-3, "{velocity}");

    // On ice nothing drags it.
    let (model, mut state) = sheet_and_body(0.102, &slab, 10, 0.5, at, 0.0);
    run(&model, &mut state, 60, |_, _| {});
    let velocity = mean(&state.velocities);
    assert!(velocity.x.abs() < 2e-3, "{velocity}");
}

/// Two blocks, one above the other, as one mesh.
fn jaws() -> Mesh {
    let jaw = block(dvec3(0.15, 0.4, 0.1), 3);
    let first = jaw.positions.len() as u32;
    let mut positions: Vec<DVec3> = jaw.positions.iter().map(|p| *p - 0.15 * DVec3::Z).collect();
    positions.extend(jaw.positions.iter().map(|p| *p + 0.15 * DVec3::Z));
    let mut faces = jaw.faces.clone();
    faces.extend(jaw.faces.iter().map(|face| match face {
        Face::Tri(t) => Face::Tri(t.map(|n| n + first)),
        Face::Quad(q) => Face::Quad(q.map(|n| n + first)),
    }));
    Mesh::new(positions, faces)
}

#[test]
fn cloth_between_parts_that_overlap_survives_and_comes_free() {
    // The jaws close in 0.1 s until they overlap by 2 cm, stay so, and open again.
    let shut = |t: f64| match t {
        t if t < 0.1 => 0.6 * t,
        t if t < 0.3 => 0.06,
        t => (0.06 - 0.3 * (t - 0.3)).max(0.0),
    };
    let at = |p: DVec3, t: f64| p - p.z.signum() * shut(t) * DVec3::Z;
    let (model, mut state) = sheet_and_body(-0.04, &jaws(), 50, 0.5, at, 0.5);
    let (mut most, mut stretch, mut fastest) = (0, 0f64, 0f64);
    run(&model, &mut state, 110, |state, certificate| {
        most = most.max(certificate.squeezed);
        stretch = stretch.max(certificate.stretch_worst);
        let speeds = state.velocities.iter().map(|v| v.length());
        fastest = speeds.fold(fastest, f64::max);
    });
    assert!(most > 20, "{most} nodes were squeezed");
    assert!(stretch < 0.2, "stretched by {stretch}");
    assert!(fastest < 5.0, "{fastest} m/s");
    run(&model, &mut state, 20, |_, certificate| {
        assert_eq!(certificate.squeezed, 0);
        assert!(certificate.stretch_worst < 0.05);
    });
}

#[test]
fn threads_and_a_fresh_start_in_the_middle_change_no_bit() {
    let at = |p: DVec3, t: f64| (1.0 + 0.4 * t) * p + 0.2 * t * DVec3::X;
    let in_one_go = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let (model, mut state) = sheet_and_body(0.21, &ball(), 7, 0.15, at, 0.5);
            run(&model, &mut state, 40, |_, _| {});
            state.positions
        })
    };
    let (model, mut state) = sheet_and_body(0.21, &ball(), 7, 0.15, at, 0.5);
    run(&model, &mut state, 17, |_, _| {});
    run(&model, &mut state.clone(), 23, |state, _| {
        if state.steps == 40 {
            assert_eq!(state.positions, in_one_go(1));
        }
    });
    assert_eq!(in_one_go(1), in_one_go(2));
}

/// A block whose upper side is shorn, turned, lifted and widened.
fn writhe(p: DVec3, t: f64) -> DVec3 {
    let turn = toile::glam::DQuat::from_rotation_z(1.5 * t);
    let wide = DVec3::new(1.0 + 0.2 * t, 1.0 - 0.1 * t, 1.0);
    turn * (wide * p) + DVec3::new(0.8 * t * p.z, 0.0, 0.4 * t)
}

#[test]
fn what_sticks_to_a_surface_that_deforms_rides_on_it() {
    let mesh = block(DVec3::new(0.4, 0.4, 0.1), 4);
    let (model, mut state) = sheet_and_body(0.101, &mesh, 40, 1.0, writhe, 0.0);
    state.positions.iter_mut().for_each(|p| p.z = 0.101);
    // One corner of the block, as it is in its first frame.
    let region = Region::Box {
        min: DVec3::new(0.05, 0.05, 0.0),
        max: DVec3::splat(1.0),
    };
    let model = model
        .rebuilt(|parts| {
            parts.body_contact.adhesions = vec![Adhesion {
                nodes: None,
                to: Sticky::Body {
                    body: Some(0),
                    region,
                },
                during: vec![Interval { from: 0.0, to: 0.8 }],
                strength: f64::INFINITY,
                reach: 1e-4,
            }]
        })
        .unwrap();
    let start = state.positions.clone();
    let expected: Vec<u32> = (0..start.len() as u32)
        .filter(|&n| region.contains(start[n as usize] - DVec3::Z * 1e-3))
        .collect();
    assert!(expected.len() > 12);
    run(&model, &mut state, 160, |state, _| {
        let stuck: Vec<u32> = state.stuck.iter().map(|s| s.node).collect();
        assert_eq!(stuck, expected, "{}", state.time);
        assert!(state.fits(&model));
        // The mesh moves on straight lines between its frames, so look at these.
        let frame = (40.0 * state.time).round();
        if (40.0 * state.time - frame).abs() < 1e-9 {
            for &node in &stuck {
                // The foot of the node, carried by the mesh: the block's cells are turned and shorn as a whole.
                let foot = start[node as usize] - DVec3::Z * 1e-3;
                let place = writhe(foot, state.time) + DVec3::Z * 1e-3;
                let off = state.positions[node as usize].distance(place);
                assert!(off < 1e-9, "{node} at {}: {off}", state.time);
            }
        }
    });
    // Their time is over.
    run(&model, &mut state, 2, |_, _| {});
    assert!(state.stuck.is_empty());
    // A state of another world.
    state.stuck.push(Stuck {
        node: 0,
        adhesion: 0,
        body: 0,
        anchor: Anchor::Face {
            face: 1_000_000,
            weights: [1.0, 0.0, 0.0],
            way: DVec3::ZERO,
        },
    });
    assert!(!state.fits(&model));
}
