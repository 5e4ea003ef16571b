//! The same bits on any number of threads, in a world large enough for every loop to be shared out.

use crate::common::{COTTON, square, world};
use toile::glam::DVec3;
use toile::integrate::{ImplicitSettings, Integrator};
use toile::state::State;
use toile::step::{Workspace, step};

/// 18,769 nodes: the longest of the loops that stay on one thread have 16,384 rounds.
const CELLS: u32 = 136;
/// Half the distance of the layers (m); the cloth is 2 mm thick.
const APART: f64 = 3e-3;

/// Folds a sheet of 1 m along x = 0 into two layers that fly at each other.
fn fold(state: &mut State) {
    for (x, v) in state.positions.iter_mut().zip(&mut state.velocities) {
        let side = if x.x.abs() < 1e-9 { 0.0 } else { x.x.signum() };
        let uneven = 2e-4 * DVec3::new((91.0 * x.y).sin(), (83.0 * x.x).cos(), (57.0 * x.y).cos());
        *x = DVec3::new(-x.x.abs(), x.y, APART * side) + uneven;
        *v = DVec3::new(0.1, 0.3, -0.8 * side);
    }
}

#[test]
fn a_large_sheet_that_meets_itself_is_the_same_on_one_two_and_four_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let integrator = Integrator::Implicit(ImplicitSettings::CLASSIC);
            let gravity = DVec3::NEG_Z * 9.81;
            let (model, mut state) = world(&square(CELLS), COTTON, Vec::new(), gravity, integrator);
            let model = model
                .rebuilt(|parts| parts.contacts = vec![[0, 0]])
                .unwrap();
            fold(&mut state);
            let mut workspace = Workspace::new(&model, None);
            let mut near = 0;
            for _ in 0..3 {
                let report = step(&model, &mut state, &mut workspace, 4e-3).unwrap();
                let contact = report.certificate.contact.unwrap();
                near = near.max(contact.near);
            }
            (state, near)
        })
    };
    let one = run(1);
    // Contacts of the solve, in lists that are long enough to be shared out.
    assert!(one.1 > 16_384, "{}", one.1);
    for threads in [2, 4] {
        assert_eq!(one, run(threads), "{threads} threads");
    }
}
