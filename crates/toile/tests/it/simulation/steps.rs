//! Batches and spans of time come to the bits of bare steps.

use super::*;

#[test]
fn worlds_of_a_batch_come_to_the_bits_of_single_ones() {
    let first = sheet(
        6,
        vec![fixed(vec![42, 48])],
        vec![ball(DVec3::new(0.0, 0.0, -0.3))],
        backward(),
    );
    let told = |simulation: &mut Simulation, world: usize| {
        let gravity = DVec3::new(0.1 * world as f64, 0.0, -9.81);
        simulation.command(&Command::Gravity(gravity)).unwrap();
        let grasp = simulation
            .grasp(Grasped::Nodes(vec![world as u32]), Grip::Rigid)
            .unwrap();
        let to = Target::Velocity {
            linear: DVec3::Z * 0.1,
            angular: DVec3::ZERO,
        };
        simulation.move_grasp(grasp, to, 0.0).unwrap();
    };
    let mut batch = Batch::of(&first, 5);
    for (k, world) in batch.worlds_mut().iter_mut().enumerate() {
        told(world, k);
    }
    for _ in 0..20 {
        assert!(batch.step().iter().all(Result::is_ok));
    }
    // Two of them go on alone.
    batch.step_where(|k| k % 3 == 0);
    let mut expected = Vec::new();
    for k in 0..5 {
        let mut single = first.clone();
        told(&mut single, k);
        for _ in 0..(if k % 3 == 0 { 21 } else { 20 }) {
            single.step().unwrap();
        }
        expected.push(bits(&single));
    }
    let found: Vec<_> = batch.worlds().iter().map(bits).collect();
    assert_eq!(found, expected);
    assert!(found[0] != found[1]);
    batch.reset_where(|k| k == 2);
    assert_eq!(batch.worlds()[2].time(), 0.0);
    assert!(batch.worlds()[1].time() > 0.0);
}

#[test]
fn a_span_that_is_no_multiple_of_the_step_ends_on_time() {
    let mut simulation = sheet(2, vec![], vec![], backward());
    simulation.advance(0.0123).unwrap();
    assert!((simulation.time() - 0.0123).abs() < 1e-15);
    assert_eq!(simulation.state().steps, 3);
    simulation.advance(0.0).unwrap();
    assert_eq!(simulation.state().steps, 3);
}

#[test]
fn steps_of_any_length_come_to_the_bits_of_bare_ones() {
    for integrator in every_integrator() {
        let mut simulation = sheet(4, vec![fixed(vec![0, 4])], vec![], integrator);
        let model = simulation.model().clone();
        let mut state = simulation.state().clone();
        let mut workspace = Workspace::new(&model, None);
        for n in 0..12 {
            // Not those of the pace, and not all alike.
            let h = (0.6 + 0.1 * f64::from(n % 3)) * simulation.pace().step;
            let bare = step(&model, &mut state, &mut workspace, h).unwrap();
            let advanced = simulation.step_by(h).unwrap();
            assert_eq!(advanced.report, bare, "{integrator:?}");
            assert_eq!(advanced.substeps, 1);
        }
        assert_eq!(simulation.state(), &state, "{integrator:?}");
    }
}
