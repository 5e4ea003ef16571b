//! Bodies that are led, forces, and commands that make no sense.

use super::*;

#[test]
fn forces_of_their_own_are_those_of_commands_one_by_one() {
    let forces: Vec<DVec3> = (0..5).map(|k| DVec3::X * 1e-3 * f64::from(k)).collect();
    let nodes: Vec<u32> = (0..5).collect();
    let mut each = sheet(4, vec![], vec![], backward());
    let mut single = each.clone();
    each.push_each(&nodes, &forces).unwrap();
    for (&node, &force) in nodes.iter().zip(&forces) {
        let nodes = vec![node];
        single.command(&Command::Push { nodes, force }).unwrap();
    }
    assert_eq!(each.snapshot(), single.snapshot());
    let before = each.snapshot();
    assert!(each.push_each(&[0, 99], &forces[..2]).is_err());
    assert!(each.push_each(&nodes, &[DVec3::NAN; 5]).is_err());
    assert!(each.push_each(&nodes, &forces[..2]).is_err());
    assert_eq!(each.snapshot(), before);
    each.push_each(&nodes, &[DVec3::ZERO; 5]).unwrap();
    assert!(each.state().commanded.forces.is_empty());
}

#[test]
fn a_body_that_is_led_takes_cloth_along_and_feels_it() {
    // A ball under a sheet that is held by nothing, lifted at 0.2 m/s.
    let mut simulation = sheet(
        10,
        vec![],
        vec![ball(DVec3::new(0.0, 0.0, -0.12))],
        backward(),
    );
    simulation.advance(1.0).unwrap();
    let weight = 9.81 * simulation.model().total_mass();
    let before = simulation.positions()[60].z;
    let lift = Command::DriveBody {
        body: 0,
        linear: DVec3::Z * 0.2,
        angular: DVec3::ZERO,
    };
    simulation.command(&lift).unwrap();
    simulation.advance(1.0).unwrap();
    let risen = simulation.positions()[60].z - before;
    assert!((risen - 0.2).abs() < 5e-3, "{risen}");
    assert!((simulation.body_pose(0).translation.z - 0.08).abs() < 1e-12);
    let load = simulation.body_loads()[0];
    assert!(
        (load.force.z + weight).abs() < 0.1 * weight,
        "{load:?} for {weight}"
    );
    let contacts = simulation.contacts();
    let sum: DVec3 = contacts
        .iter()
        .filter(|c| c.body == Some(0))
        .map(|c| c.force)
        .sum();
    assert!(
        (sum + load.force).length() < 1e-9 * weight,
        "{sum} {load:?}"
    );
    assert!(
        contacts
            .iter()
            .all(|c| c.force.dot(c.normal) > -1e-9 * weight)
    );
    // Put back on its path it is where the scene has it, by the end of the next step.
    simulation
        .command(&Command::ReleaseBody { body: 0 })
        .unwrap();
    assert_eq!(simulation.body_pose(0).translation.z, -0.12);
}

#[test]
fn a_push_is_the_force_that_it_says() {
    for integrator in every_integrator() {
        let mut simulation = sheet(3, vec![], vec![], integrator);
        let model = simulation.model().rebuilt(|parts| {
            parts.cloths[0].air_damping = 0.0;
            parts.gravity = DVec3::ZERO;
        });
        let pace = simulation.pace();
        let start = simulation.state().clone();
        simulation = Simulation::new(Arc::new(model.unwrap()), start, pace);
        let force = DVec3::new(0.02, -0.01, 0.03);
        simulation
            .command(&Command::Push {
                nodes: vec![5],
                force,
            })
            .unwrap();
        simulation.advance(0.1).unwrap();
        let (linear, _) = momentum(simulation.model(), simulation.state());
        assert!(
            linear.distance(0.1 * force) < 1e-9,
            "{integrator:?}: {linear}"
        );
        simulation
            .command(&Command::Push {
                nodes: vec![],
                force: DVec3::ZERO,
            })
            .unwrap();
        assert!(simulation.state().commanded.forces.is_empty());
        // BDF2 remembers the last push for some steps.
        simulation.advance(0.1).unwrap();
        let (linear, _) = momentum(simulation.model(), simulation.state());
        simulation.advance(0.1).unwrap();
        let (after, _) = momentum(simulation.model(), simulation.state());
        let drift = after.distance(linear);
        assert!(drift < 1e-6 * linear.length(), "{integrator:?}: {drift}");
    }
}

#[test]
fn commands_that_make_no_sense_change_nothing() {
    let mut simulation = sheet(3, vec![fixed(vec![2])], vec![], backward());
    let nodes = |list: &[u32]| Command::Grasp {
        what: Grasped::Nodes(list.to_vec()),
        grip: Grip::Rigid,
        frame: None,
    };
    let soft = |stiffness| Command::Grasp {
        what: Grasped::Nodes(vec![0]),
        grip: Grip::Spring {
            stiffness,
            damping: 0.0,
        },
        frame: None,
    };
    let point = |face, weights: &[f64]| Command::Grasp {
        what: Grasped::Point {
            cloth: 0,
            face,
            weights: weights.to_vec(),
        },
        grip: Grip::Rigid,
        frame: None,
    };
    let mut twisted = pose(DVec3::ZERO, 0.0);
    twisted.rotation = DQuat::from_xyzw(1.0, 1.0, 0.0, 0.0);
    let bad = [
        (nodes(&[]), "no node"),
        (nodes(&[99]), "no node 99"),
        (nodes(&[1, 1]), "twice"),
        (nodes(&[2]), "held by pin 0"),
        (soft(-1.0), "positive stiffness"),
        (soft(f64::NAN), "positive stiffness"),
        (point(99, &[1.0]), "no face 99"),
        (point(0, &[0.5, 0.5]), "4 corners"),
        (point(0, &[2.0, -1.0, 0.0, 0.0]), "4 corners"),
        (Command::Release { grasp: 3 }, "no grasp 3"),
        (
            Command::MoveBody {
                body: 0,
                to: Pose::IDENTITY,
                within: 0.0,
            },
            "no body 0",
        ),
        (Command::Gravity(DVec3::NAN), "finite"),
        (Command::Wind(DVec3::INFINITY), "finite"),
        (
            Command::Push {
                nodes: vec![400],
                force: DVec3::X,
            },
            "no node 400",
        ),
        (
            Command::Set {
                name: "cloth.a.material.bend".into(),
                value: 1.0,
            },
            "not made from a scene",
        ),
    ];
    let before = simulation.snapshot();
    for (command, words) in bad {
        let error = simulation.command(&command).unwrap_err().to_string();
        assert!(error.contains(words), "{command:?}: {error}");
        assert_eq!(simulation.snapshot(), before, "{command:?}");
    }
    let grasp = simulation
        .grasp(Grasped::Nodes(vec![0, 1]), Grip::Rigid)
        .unwrap();
    let held = simulation.command(&nodes(&[1])).unwrap_err().to_string();
    assert!(held.contains("held by grasp 0"), "{held}");
    let lead = |to, within| Command::MoveGrasp { grasp, to, within };
    for (command, words) in [
        (lead(Target::Pose(twisted), 0.0), "quaternion"),
        (lead(Target::Pose(Pose::IDENTITY), -1.0), "seconds"),
        (
            lead(Target::Places(vec![DVec3::ZERO]), 0.0),
            "1 places were given for the 2",
        ),
        (lead(Target::Places(vec![DVec3::NAN; 2]), 0.0), "finite"),
    ] {
        let error = simulation.command(&command).unwrap_err().to_string();
        assert!(error.contains(words), "{command:?}: {error}");
    }
    assert!(simulation.advance(f64::NAN).is_err() && simulation.advance(-1.0).is_err());
}
