use super::*;
use crate::contact::{Body, Placement, Shape};
use crate::contact::{Candidate, collide};
use crate::drive::{Pose, RigidPath};
use crate::geometry::level_set::LevelSetError;
use crate::mesh::generate::{Cuboid, Sphere, SpherePattern, cuboid, sphere};
use crate::mesh::{Face, Mesh};
use glam::{DAffine3, DMat3, DQuat, DVec3, dvec3};
use proptest::prelude::*;
use std::sync::Arc;

fn unheard(_: usize, _: &Candidate, _: &Candidate) {}

fn ball(subdivisions: u32) -> Mesh {
    let pattern = SpherePattern::Icosphere { subdivisions };
    sphere(&Sphere {
        radius: 0.5,
        pattern,
    })
    .unwrap()
}

fn block(half: DVec3, cells: u32) -> Mesh {
    cuboid(&Cuboid {
        half_extents: half.to_array(),
        cells: [cells; 3],
    })
    .unwrap()
}

fn moved(mesh: &Mesh, map: impl Fn(DVec3) -> DVec3) -> Vec<DVec3> {
    mesh.positions.iter().map(|p| map(*p)).collect()
}

fn both(a: &Mesh, b: &Mesh, apart: DVec3) -> Mesh {
    let first = a.positions.len() as u32;
    let mut positions = a.positions.clone();
    positions.extend(b.positions.iter().map(|p| *p + apart));
    let mut faces = a.faces.clone();
    faces.extend(b.faces.iter().map(|face| match face {
        Face::Tri(t) => Face::Tri(t.map(|n| n + first)),
        Face::Quad(q) => Face::Quad(q.map(|n| n + first)),
    }));
    Mesh::new(positions, faces)
}

/// A mesh that goes from where it is to other places in one second.
fn sequence(mesh: &Mesh, to: Vec<DVec3>) -> Result<Sequence, SequenceError> {
    let frames = vec![mesh.positions.clone(), to];
    Sequence::new(
        mesh.faces.clone(),
        vec![0.0, 1.0],
        frames,
        SequenceSettings::default(),
    )
}

fn still(mesh: &Mesh) -> Sequence {
    sequence(mesh, mesh.positions.clone()).unwrap()
}

fn body(shape: Shape) -> Body {
    Body {
        name: "body".into(),
        shape,
        place: Pose::IDENTITY,
        path: RigidPath::default(),
        friction: 0.3.into(),
    }
}

/// The body during its only second.
fn placed(sequence: Sequence) -> Placement {
    body(Shape::Sequence(Arc::new(sequence))).placement(0.0, 1.0)
}

fn point() -> impl Strategy<Value = DVec3> {
    let range = || -0.9..0.9f64;
    (range(), range(), range()).prop_map(|(x, y, z)| dvec3(x, y, z))
}

proptest! {
    #[test]
    fn a_box_of_triangles_has_the_distance_of_a_box(p in point()) {
        let half = dvec3(0.5, 0.3, 0.2);
        let ours = still(&block(half, 3)).at_first().sample(p);
        let true_one = Shape::Cuboid { half_size: half }.sample(p);
        prop_assert!((ours.distance - true_one.distance).abs() < 1e-12);
        if true_one.distance > 1e-3 {
            prop_assert!(ours.normal.distance(true_one.normal) < 1e-9);
        }
    }

    #[test]
    fn overlapping_parts_are_one_body(p in point()) {
        let half = DVec3::splat(0.3);
        let apart = dvec3(0.31, 0.12, 0.07);
        let union = still(&both(&block(half, 3), &block(half, 3), apart));
        let shape = Shape::Cuboid { half_size: half };
        let (a, b) = (shape.sample(p), shape.sample(p - apart));
        let ours = union.at_first().sample(p);
        let true_one = a.distance.min(b.distance);
        if true_one > 0.0 {
            prop_assert!((ours.distance - true_one).abs() < 1e-12);
        } else {
            // The union's depth is at least that in either.
            prop_assert!(ours.distance <= true_one + 1e-12);
        }
    }

    #[test]
    fn no_node_meets_the_surface_too_late(
        from in point(), way in point(), push in point(), turn in point(),
    ) {
        let mesh = block(dvec3(0.3, 0.2, 0.01), 2);
        let turn = DQuat::from_scaled_axis(0.5 * turn);
        let ends = moved(&mesh, |p| turn * p + 0.25 * push);
        let offset = 1e-3;
        let sequence = sequence(&mesh, ends).unwrap();
        let surface = sequence.moving(0.0, 1.0, [Pose::IDENTITY; 2]);
        if sequence.at_first().sample(from).distance < 2.0 * offset {
            return Ok(());
        }
        let met = surface.follow((from, from + way), offset, 1e-8);
        let nearer = |k: &u32| {
            let t = f64::from(*k) / 200.0;
            let now = sequence.moving(t, 0.0, [Pose::IDENTITY; 2]);
            now.sample(from + t * way).distance < offset - 1e-9
        };
        let first = (0..=200).find(nearer).map(|k| f64::from(k) / 200.0);
        match (met, first) {
            (None, Some(first)) => prop_assert!(false, "missed what happens before {first}"),
            (Some(met), Some(first)) => prop_assert!(met.fraction <= first),
            _ => {}
        }
    }

    #[test]
    fn points_near_the_surface_move_with_it(p in point(), push in point(), turn in point()) {
        let mesh = ball(2);
        let turn = DQuat::from_scaled_axis(0.5 * turn);
        let map = DAffine3::from_rotation_translation(turn, 0.5 * push);
        let body = placed(sequence(&mesh, moved(&mesh, |p| map.transform_point3(p))).unwrap());
        prop_assert!(body.carry(p).distance(map.transform_point3(p)) < 1e-12);
    }

    #[test]
    fn velocities_are_those_of_the_closest_point_exactly(p in point(), a in point(), b in point(), c in point()) {
        let mesh = ball(2);
        // x ↦ x + M x + d: the surface velocity at a surface point x is M x + d.
        let map = DMat3::from_cols(0.3 * a, 0.3 * b, 0.3 * c);
        let shift = dvec3(0.1, -0.2, 0.05);
        let Ok(sequence) = sequence(&mesh, moved(&mesh, |p| p + map * p + shift)) else {
            return Ok(()); // turned inside out
        };
        for (node, velocity) in sequence.velocities(0.5).iter().enumerate() {
            prop_assert!(velocity.distance(map * mesh.positions[node] + shift) < 1e-13);
        }
        let h = 1e-2;
        let placement = body(Shape::Sequence(Arc::new(sequence))).placement(0.0, h);
        let near = placement.at_start(p, f64::INFINITY).unwrap();
        let foot = p - near.sample.distance * near.sample.normal;
        prop_assert!((near.way / h).distance(map * foot + shift) < 1e-11);
    }
}

#[test]
fn a_thin_plate_that_deforms_carries_a_node_along_however_fast() {
    let mesh = block(dvec3(1.0, 1.0, 5e-4), 3);
    // From flat below the node to bent far above it within one step.
    let below = moved(&mesh, |p| p - 0.1 * DVec3::Z);
    let mesh = Mesh::new(below, mesh.faces);
    let lifted = moved(&mesh, |p| p + (0.5 + 0.2 * p.x * p.x) * DVec3::Z);
    let body = placed(sequence(&mesh, lifted).unwrap());
    let rest = Candidate {
        position: DVec3::ZERO,
        velocity: DVec3::ZERO,
    };
    let end = collide(
        std::slice::from_ref(&body),
        0,
        DVec3::ZERO,
        rest,
        1e-3,
        1.0,
        unheard,
    );
    assert!((body.sample(end.position).distance - 1e-3).abs() < 1e-8);
    assert!(end.position.z > 0.4, "{}", end.position);
    assert!(end.velocity.z > 0.49, "{}", end.velocity);
}

/// How far collisions with the deforming mesh are from those with the rigid one, over many nodes: positions
/// and velocities.
fn rigid_against_deforming(pose: Pose) -> f64 {
    // The box has exact distances as well, so the two differ by what they do.
    let mesh = block(DVec3::splat(0.5), 4);
    let rigid = Placement {
        shape: Shape::Cuboid {
            half_size: DVec3::splat(0.5),
        },
        friction: 0.3.into(),
        start: Pose::IDENTITY,
        end: pose,
        recovery: 1.0,
        passes: Vec::new(),
    };
    let deforming = placed(sequence(&mesh, moved(&mesh, |p| pose.apply(p))).unwrap());
    let (mut met, mut apart) = (0, 0f64);
    for k in 0..300 {
        // Over the upper side, from 1 mm to 3 cm away, moving down and sideways.
        let k = f64::from(k);
        let from = dvec3(
            0.3 * (2.4 * k).cos(),
            0.3 * (1.7 * k).sin(),
            0.501 + 1e-4 * k,
        );
        let way = dvec3(0.01, -0.005, -0.02);
        let candidate = Candidate {
            position: from + way,
            velocity: way,
        };
        let [a, b] = [&rigid, &deforming].map(|body| {
            collide(
                std::slice::from_ref(body),
                0,
                from,
                candidate,
                1e-3,
                1.0,
                unheard,
            )
        });
        met += usize::from(b.position != candidate.position);
        apart = apart.max(a.position.distance(b.position));
        apart = apart.max(a.velocity.distance(b.velocity));
    }
    assert!(met > 100, "only {met} nodes met the block");
    apart
}

#[test]
fn a_deforming_mesh_that_moves_rigidly_is_the_rigid_mesh() {
    let shifted = Pose {
        translation: dvec3(0.02, 0.01, 0.03),
        rotation: DQuat::IDENTITY,
    };
    let apart = rigid_against_deforming(shifted);
    // A node 0.1 mm above the surface that slides along it by centimetres is still some of that away after
    // all advances, and counts as touching there, where the rigid one goes on: its friction sets in early, by
    // less than the 0.1 mm.
    assert!(apart < 5e-5, "{apart}");
    // A turn by 0.02 within the step. The normal is that of the moment of contact, for the rigid one that of
    // the end: apart by up to 0.02, of a relative velocity of 0.05 m/s.
    let turned = Pose {
        rotation: DQuat::from_scaled_axis(dvec3(0.01, -0.01, 0.014)),
        ..shifted
    };
    let apart = rigid_against_deforming(turned);
    assert!(apart < 1e-3, "{apart}");
}

#[test]
fn it_stands_still_before_and_after() {
    let mesh = ball(1);
    let ends = moved(&mesh, |p| 1.2 * p);
    let sequence = sequence(&mesh, ends.clone()).unwrap();
    assert_eq!(sequence.positions(-3.0), mesh.positions);
    assert_eq!(sequence.positions(7.0), ends);
    for time in [-1e-9, 1.0, 2.0] {
        assert!(sequence.velocities(time).iter().all(|v| *v == DVec3::ZERO));
    }
    let half = sequence.positions(0.5);
    assert!(half[3].distance(1.1 * mesh.positions[3]) < 1e-15);
}

#[test]
fn a_node_where_parts_overlap_is_caught_and_stays() {
    let half = DVec3::splat(0.3);
    let overlap = still(&both(
        &block(half, 3),
        &block(half, 3),
        dvec3(0.5, 0.0, 0.0),
    ));
    let body = placed(overlap);
    let inside = dvec3(0.25, 0.0, 0.0);
    assert!(body.at_end(inside).caught && body.way_out(inside, 1e-3).is_none());
    let rest = Candidate {
        position: inside + 0.02 * DVec3::Y,
        velocity: DVec3::Y,
    };
    let end = collide(&[body], 0, inside, rest, 1e-3, 1.0, unheard);
    assert!(end.position.distance(inside) < 1e-15);
    assert!(end.velocity.length() < 1e-15);
}

#[test]
fn a_node_deep_inside_comes_out_step_by_step() {
    let body = placed(still(&block(DVec3::splat(0.3), 3)));
    let mut position = dvec3(0.29, 0.0, 0.0);
    for _ in 0..20 {
        let rest = Candidate {
            position,
            velocity: DVec3::ZERO,
        };
        let next = collide(
            std::slice::from_ref(&body),
            0,
            position,
            rest,
            1e-3,
            1.0,
            unheard,
        );
        assert!(next.position.distance(position) < 5e-3);
        assert_eq!(next.velocity, DVec3::ZERO);
        position = next.position;
    }
    assert!((position.x - 0.301).abs() < 1e-12, "{position}");
}

#[test]
fn seams_that_open_are_not_joined_and_holes_are_covered() {
    // A box whose every face has its own nodes; one face then lifts off.
    let whole = block(DVec3::splat(0.5), 1);
    let mut positions = Vec::new();
    let mut faces = Vec::new();
    for face in &whole.faces {
        let first = positions.len() as u32;
        positions.extend(face.corners().iter().map(|&n| whole.positions[n as usize]));
        faces.push(Face::Quad([0, 1, 2, 3].map(|k| first + k)));
    }
    let split = Mesh::new(positions, faces);
    let closed = still(&split);
    assert_eq!(closed.findings().open_edges, 0);
    let mut opened = split.positions.clone();
    for p in &mut opened[..4] {
        *p *= 1.1;
    }
    let opening = sequence(&split, opened.clone()).unwrap();
    assert!(opening.findings().open_edges > 0);
    assert!(opening.at_first().sample(DVec3::ZERO).distance < -0.4);
    let frames = vec![split.positions.clone(), opened];
    let strict = SequenceSettings {
        cover_holes: false,
        ..Default::default()
    };
    let refused = Sequence::new(split.faces, vec![0.0, 1.0], frames, strict);
    assert!(matches!(
        refused,
        Err(SequenceError::Mesh {
            frame: 0,
            source: LevelSetError::Open { .. }
        })
    ));
}

#[test]
fn what_cannot_be_a_body_is_refused_with_its_frame() {
    let mesh = ball(1);
    let refused = |to: Vec<DVec3>| sequence(&mesh, to).unwrap_err();
    let mut jump = mesh.positions.clone();
    jump[5] += 3.0 * DVec3::X;
    let teleport = refused(jump);
    let SequenceError::Teleport {
        node: 5,
        before: 0,
        after: 1,
        ..
    } = teleport
    else {
        panic!("{teleport}")
    };
    assert!(
        teleport
            .to_string()
            .contains("farther than the body is large")
    );
    let mut nowhere = mesh.positions.clone();
    nowhere[7].y = f64::NAN;
    assert!(
        refused(nowhere)
            .to_string()
            .contains("frame 1 (counted from 0): node 7")
    );
    assert!(matches!(
        refused(mesh.positions[1..].to_vec()),
        SequenceError::Topology { frame: 1, .. }
    ));
    let inside_out = moved(&mesh, |p| 0.9 * dvec3(-p.x, p.y, p.z));
    assert!(matches!(
        refused(inside_out),
        SequenceError::Mesh {
            frame: 1,
            source: LevelSetError::Inverted { .. }
        }
    ));
    assert!(matches!(
        refused(moved(&mesh, |p| dvec3(p.x, p.y, 0.0))),
        SequenceError::Mesh {
            frame: 1,
            source: LevelSetError::NoInside { .. }
        }
    ));
    let with_times = |times: Vec<f64>, frames| {
        Sequence::new(
            mesh.faces.clone(),
            times,
            frames,
            SequenceSettings::default(),
        )
        .unwrap_err()
    };
    assert_eq!(with_times(vec![], vec![]), SequenceError::Empty);
    let twice = || vec![mesh.positions.clone(); 2];
    assert!(matches!(
        with_times(vec![1.0, 1.0], twice()),
        SequenceError::Time { frame: 1, .. }
    ));
    assert!(matches!(
        with_times(vec![0.0], twice()),
        SequenceError::WrongTimes { .. }
    ));
}
