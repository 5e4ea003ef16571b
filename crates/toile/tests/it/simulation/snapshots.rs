//! Bytes of a simulation in the middle, and starting again.

use super::*;

#[test]
fn a_snapshot_in_the_middle_of_a_grasp_goes_on_to_the_same_bits() {
    for integrator in [backward(), bdf2()] {
        let mut simulation = sheet(
            5,
            vec![fixed(vec![35])],
            vec![ball(DVec3::new(0.0, 0.0, -0.3))],
            integrator,
        );
        let grasp = simulation
            .grasp(Grasped::Nodes(vec![0, 1]), Grip::Rigid)
            .unwrap();
        let spring = Grip::Spring {
            stiffness: 20.0,
            damping: 0.1,
        };
        let point = Grasped::Point {
            cloth: 0,
            face: 12,
            weights: vec![0.25; 4],
        };
        simulation.grasp(point, spring).unwrap();
        simulation
            .move_grasp(
                grasp,
                Target::Pose(pose(DVec3::new(0.1, 0.0, 0.2), 0.5)),
                0.3,
            )
            .unwrap();
        let commands = [
            Command::MoveBody {
                body: 0,
                to: pose(DVec3::new(0.0, 0.0, -0.1), 0.0),
                within: 0.2,
            },
            Command::Push {
                nodes: vec![17],
                force: DVec3::X * 0.01,
            },
            Command::Gravity(DVec3::new(0.1, 0.0, -9.0)),
        ];
        commands
            .iter()
            .for_each(|c| assert!(simulation.command(c).unwrap().is_none()));
        simulation.advance(0.1).unwrap();
        let snapshot = simulation.snapshot();
        let mut copy = simulation.clone();
        simulation.advance(0.3).unwrap();
        let end = bits(&simulation);
        copy.advance(0.3).unwrap();
        assert_eq!(bits(&copy), end, "a copy goes the same way");
        let buffers = [
            simulation.positions().as_ptr(),
            simulation.velocities().as_ptr(),
        ];
        simulation.restore(&snapshot).unwrap();
        assert_eq!(simulation.snapshot(), snapshot);
        simulation.advance(0.3).unwrap();
        assert_eq!(bits(&simulation), end);
        simulation.reset();
        assert!(simulation.grasps().is_empty() && simulation.time() == 0.0);
        simulation.advance(0.1).unwrap();
        assert_eq!(
            buffers,
            [
                simulation.positions().as_ptr(),
                simulation.velocities().as_ptr()
            ]
        );
    }
}

#[test]
fn a_reset_to_another_start_goes_its_way_in_the_same_memory() {
    let mut simulation = sheet(3, vec![], vec![], backward());
    let other = sheet(3, vec![], vec![], bdf2());
    let mut wanted = other.clone();
    wanted.advance(0.1).unwrap();
    simulation.advance(0.05).unwrap();
    let buffer = simulation.positions().as_ptr();
    simulation.reset_like(&other).unwrap();
    simulation.advance(0.1).unwrap();
    assert_eq!(bits(&simulation), bits(&wanted));
    assert_eq!(simulation.positions().as_ptr(), buffer);
    let small = sheet(2, vec![], vec![], backward());
    let before = bits(&simulation);
    assert_eq!(simulation.reset_like(&small), Err(RestoreError::OtherWorld));
    assert_eq!(bits(&simulation), before);
}

#[test]
fn a_snapshot_of_another_world_is_refused_and_nothing_changes() {
    let mut small = sheet(2, vec![], vec![], backward());
    let mut large = sheet(3, vec![], vec![], backward());
    large.advance(0.02).unwrap();
    let before = bits(&large);
    assert_eq!(
        large.restore(&small.snapshot()),
        Err(RestoreError::OtherWorld)
    );
    assert!(matches!(
        large.restore(b"nonsense"),
        Err(RestoreError::Damaged(_))
    ));
    assert_eq!(bits(&large), before);
    small.grasp(Grasped::Nodes(vec![0]), Grip::Rigid).unwrap();
    assert_eq!(
        large.restore(&small.snapshot()),
        Err(RestoreError::OtherWorld)
    );
}
