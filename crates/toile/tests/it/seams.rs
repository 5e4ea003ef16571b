//! Seams close over time, hold what hangs on them, and get on with contact.

use crate::common::{COTTON, Fixture, fixed, sheet};
use toile::certificate::{Status, momentum};
use toile::contact::intersections;
use toile::energy::{Closing, EnergyBatch, Seam, SeamPath, Thread};
use toile::glam::DVec3;
use toile::integrate::{ImplicitSettings, Integrator};
use toile::model::Model;
use toile::state::State;
use toile::step::{Workspace, step};

const THREAD: Thread = Thread {
    closing: Closing {
        from: 0.1,
        until: 0.5,
    },
    gap: 0.0,
    stiffness: 1e5,
    damping_time: 0.01,
};

/// Two upright panels of 0.3 m × 0.3 m with so many cells, 6 cm apart, one above the other; the upper is held at its top.
fn panels(cells: [u32; 2], thread: Thread, contact: bool, held: bool) -> (Model, State) {
    let gravity = if held { -9.81 } else { 0.0 };
    let integrator = Integrator::Implicit(ImplicitSettings::CLASSIC);
    let mut fixture = Fixture::new(DVec3::Z * gravity, integrator);
    let mut paths = Vec::new();
    let mut top = Vec::new();
    for (k, cells) in cells.into_iter().enumerate() {
        let mesh = sheet([0.3, 0.3], [cells, cells]);
        let first = fixture.positions.len() as u32;
        let height = if k == 0 { 0.36 } else { 0.0 };
        let cloth = fixture.cloth(&mesh, COTTON, |p| DVec3::new(p.x, 0.0, p.y + height));
        cloth.air_damping = 1.0;
        let row = |y: f64| {
            let nodes = 0..mesh.positions.len() as u32;
            let mut row: Vec<u32> = nodes
                .filter(|&n| (mesh.positions[n as usize].y - y).abs() < 1e-9)
                .collect();
            row.sort_by(|a, b| {
                let x = |n: &u32| mesh.positions[*n as usize].x;
                x(a).total_cmp(&x(b))
            });
            let places = row.iter().map(|&n| mesh.positions[n as usize].x + 0.15);
            let places: Vec<f64> = places.collect();
            let nodes: Vec<u32> = row.iter().map(|n| n + first).collect();
            SeamPath { nodes, places }
        };
        if k == 0 {
            top = row(0.15).nodes;
        }
        paths.push(row(if k == 0 { -0.15 } else { 0.15 }));
    }
    let paths: [SeamPath; 2] = paths.try_into().unwrap();
    let seam = Seam::sew(&paths, &fixture.positions, thread).unwrap();
    let mut fixture = if contact { fixture.meeting() } else { fixture };
    fixture
        .parts
        .energies
        .push(EnergyBatch::Seam(Box::new(seam)));
    if held {
        fixture.parts.pins.push(fixed(top));
    }
    fixture.finish()
}

fn opening(model: &Model, state: &State) -> f64 {
    model.seams().next().unwrap().opening(&state.positions)
}

#[test]
fn a_seam_closes_and_carries_the_panel_below_it() {
    for (cells, contact) in [([10, 10], false), ([10, 10], true), ([10, 7], true)] {
        let (model, mut state) = panels(cells, THREAD, contact, true);
        assert!((opening(&model, &state) - 0.06).abs() < 1e-9);
        let mut workspace = Workspace::new(&model, None);
        for n in 0..200 {
            let report = step(&model, &mut state, &mut workspace, 0.01).unwrap();
            assert_ne!(report.status, Status::ContactMissed, "{cells:?}, step {n}");
            let found = intersections(&model, &state.positions);
            assert!(found.is_empty(), "{cells:?}, step {n}: {found:?}");
            if n == 9 {
                // The thread has the length that it began with, and the weight of the panel on it.
                assert!((opening(&model, &state) - 0.06).abs() < 2e-3);
            }
        }
        // 18 g on 0.3 m of seam: 5.9 µm at the mean stitch, more at some.
        let open = opening(&model, &state);
        assert!(open < 1e-4, "{cells:?}: open by {:.3} mm", 1e3 * open);
    }
}

#[test]
fn a_gap_of_the_thickness_is_kept_with_full_contact() {
    let thread = Thread {
        gap: 2.5e-3,
        ..THREAD
    };
    let (model, mut state) = panels([8, 8], thread, true, true);
    let mut workspace = Workspace::new(&model, None);
    for _ in 0..150 {
        step(&model, &mut state, &mut workspace, 0.01).unwrap();
        assert!(intersections(&model, &state.positions).is_empty());
    }
    let open = opening(&model, &state);
    assert!((open - 2.5e-3).abs() < 1e-4, "{open}");
}

#[test]
fn panels_that_nothing_holds_keep_their_momentum_while_they_are_sewn() {
    let (model, mut state) = panels([8, 6], THREAD, true, false);
    for v in &mut state.velocities {
        *v = DVec3::new(0.3, 0.1, -0.2);
    }
    let drag = 0.005f64;
    let mut workspace = Workspace::new(&model, None);
    let mut expected = momentum(&model, &state).0;
    for _ in 0..120 {
        step(&model, &mut state, &mut workspace, drag).unwrap();
        expected /= 1.0 + drag; // the air's damping of 1/s
    }
    let found = momentum(&model, &state).0;
    assert!(
        (found - expected).length() < 1e-9 * expected.length().max(1e-3),
        "{found} {expected}"
    );
    assert!(
        opening(&model, &state) < 1e-3,
        "{}",
        opening(&model, &state)
    );
}

#[test]
fn seams_work_with_every_integrator() {
    use toile::integrate::{MixedScheme, MixedSettings};
    let mixed = |scheme| {
        Integrator::Mixed(MixedSettings {
            scheme,
            tolerance: 1e-4,
            max_iterations: 200,
        })
    };
    // A stiffness that explicit steps of 0.2 ms bear.
    let thread = Thread {
        closing: Closing {
            from: 0.0,
            until: 0.15,
        },
        stiffness: 2e3,
        ..THREAD
    };
    for integrator in [
        Integrator::SymplecticEuler,
        mixed(MixedScheme::C),
        mixed(MixedScheme::B),
    ] {
        let (mut model, mut state) = panels([4, 4], thread, false, true);
        model = model
            .rebuilt(|parts| parts.integrator = integrator)
            .unwrap();
        let mut workspace = Workspace::new(&model, None);
        for _ in 0..1500 {
            step(&model, &mut state, &mut workspace, 2e-4).unwrap();
        }
        let open = opening(&model, &state);
        assert!(open < 4e-3, "{:?}: {open}", model.integrator);
    }
}
