//! The same bits on any number of threads, in a world large enough for every loop to be shared out.

use crate::common::{COTTON, Fixture, sheet};
use toile::glam::DVec3;
use toile::integrate::{ImplicitSettings, Integrator};
use toile::model::Model;
use toile::state::State;
use toile::step::{Workspace, step};

/// Two sheets of 9,409 nodes and 18,432 triangles each. Loops over fewer than 16,384 items stay on one thread, sweeps over fewer than
/// 2,048 rows and trees of fewer than 4,096 boxes too.
const CELLS: u32 = 96;
const LONGEST_ALONE: usize = 16_384;

/// Two uneven sheets of 1 m, one upon the other, that fly at each other. A part of them is nearer than their thickness of 2 mm; the upper
/// rises from there, since every contact makes the solve longer.
fn meeting_sheets() -> (Model, State) {
    // What is compared are bits, not how good the solution is.
    let rough = ImplicitSettings {
        tolerance: 0.1,
        ..ImplicitSettings::CLASSIC
    };
    let mut fixture = Fixture::new(DVec3::NEG_Z * 9.81, Integrator::Implicit(rough));
    let mesh = sheet([1.0, 1.0], [CELLS, CELLS]);
    for height in [0.0, 1.9e-3] {
        let shift = 0.3 * height;
        fixture.cloth(&mesh, COTTON, |p| {
            let uneven = 1e-4 * ((91.0 * p.x).sin() + (57.0 * p.y + 1e3 * height).cos());
            let rise = 30.0 * height * (p.x + 0.35).max(0.0);
            p + DVec3::new(shift, 2.0 * shift, height + uneven + rise)
        });
    }
    let (model, mut state) = fixture.meeting().finish();
    let half = state.velocities.len() / 2;
    state.velocities[..half].fill(DVec3::new(0.0, 0.1, 0.05));
    state.velocities[half..].fill(DVec3::new(0.1, 0.0, -0.05));
    (model, state)
}

#[test]
fn large_sheets_that_meet_are_the_same_on_one_two_and_four_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let (model, mut state) = meeting_sheets();
            assert!(model.node_count() > LONGEST_ALONE);
            let mut workspace = Workspace::new(&model, None);
            let report = step(&model, &mut state, &mut workspace, 2e-3).unwrap();
            (state.to_bytes(), report.certificate.contact.unwrap())
        })
    };
    let (one, contact) = run(1);
    // Contacts of the solve, in lists that are long enough to be shared out.
    assert!(contact.near > LONGEST_ALONE, "{contact:?}");
    for threads in [2, 4] {
        let (bytes, contact_then) = run(threads);
        assert!(bytes == one, "{threads} threads");
        assert_eq!(contact_then, contact, "{threads} threads");
    }
}
