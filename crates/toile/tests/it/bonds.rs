//! Cloth that sticks to cloth.

use crate::common::{COTTON, Fixture, fixed, sheet};
use toile::certificate::momentum;
use toile::contact::{Adhesion, Sticky, intersections};
use toile::drive::{Interval, Pin};
use toile::glam::DVec3;
use toile::integrate::{ImplicitRule, ImplicitSettings, Integrator, MixedScheme, MixedSettings};
use toile::model::{Model, ModelError};
use toile::state::State;
use toile::step::{Workspace, step};

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
/// Half the thickness of the cloths (m).
const OFFSET: f64 = 1e-3;

fn backward() -> Integrator {
    Integrator::Implicit(ImplicitSettings::CLASSIC)
}

fn every_kind() -> [Integrator; 5] {
    let mixed = |scheme| Integrator::Mixed(MixedSettings::new(scheme));
    let bdf2 = ImplicitSettings {
        rule: ImplicitRule::Bdf2,
        ..ImplicitSettings::CLASSIC
    };
    [
        backward(),
        Integrator::Implicit(bdf2),
        mixed(MixedScheme::C),
        mixed(MixedScheme::Limited),
        Integrator::SymplecticEuler,
    ]
}

/// A sheet of half a metre, with its nodes where `place` puts them.
struct Sheet {
    cells: u32,
    place: fn(DVec3) -> DVec3,
}

/// Sheets that meet each other and themselves, of 0.2 kg/m².
fn sheets(
    sheets: [Sheet; 2],
    pins: impl Fn(&[DVec3]) -> Vec<Pin>,
    adhesion: Adhesion,
    (gravity, integrator): (DVec3, Integrator),
) -> (Model, State) {
    let mut fixture = Fixture::new(gravity, integrator);
    for Sheet { cells, place } in sheets {
        fixture.cloth(&sheet([0.5, 0.5], [cells, cells]), COTTON, place);
    }
    let mut fixture = fixture.meeting();
    fixture.parts.pins = pins(&fixture.positions);
    fixture.parts.body_contact.adhesions = vec![adhesion];
    fixture.finish()
}

/// The nodes of a square sheet of so many cells, from a first one on.
fn nodes(first: u32, cells: u32) -> Vec<u32> {
    (first..first + (cells + 1) * (cells + 1)).collect()
}

/// Whatever touches the first sheet sticks to it, for ever.
fn glue(cells: u32) -> Adhesion {
    Adhesion {
        nodes: None,
        to: Sticky::Cloth {
            nodes: nodes(0, cells),
        },
        during: vec![Interval::ALWAYS],
        strength: f64::INFINITY,
        reach: 5e-4,
    }
}

fn advance(model: &Model, state: &mut State, steps: u32, h: f64) {
    let mut workspace = Workspace::new(model, None);
    for _ in 0..steps {
        step(model, state, &mut workspace, h).unwrap();
    }
}

/// The farthest that a node is from where its bond has it (m).
fn slip(state: &State) -> f64 {
    let off = |bond: &toile::contact::Bond| {
        let place = bond.place(&state.positions).unwrap();
        place.distance(state.positions[bond.node as usize])
    };
    state.bonds.iter().map(off).fold(0.0, f64::max)
}

/// An upright sheet, held along its upper edge, from whose lowest rows another one hangs.
fn hung(integrator: Integrator, strength: f64) -> (Model, State) {
    let upper = Sheet {
        cells: 8,
        place: |p| DVec3::new(p.x, 0.0, p.y + 1.0),
    };
    let lower = Sheet {
        cells: 10,
        place: |p| DVec3::new(p.x, 2.1 * OFFSET, p.y + 0.55),
    };
    let top = |positions: &[DVec3]| {
        let held = (0..81).filter(|&n| positions[n as usize].z > 1.249);
        vec![fixed(held.collect())]
    };
    let adhesion = Adhesion {
        strength,
        ..glue(8)
    };
    sheets([upper, lower], top, adhesion, (GRAVITY, integrator))
}

#[test]
fn a_sheet_hangs_from_another_under_every_integrator() {
    for integrator in every_kind() {
        let (model, mut state) = hung(integrator, f64::INFINITY);
        let h = match integrator {
            Integrator::Implicit(_) => 5e-3,
            _ => 2e-4,
        };
        let start = state.positions[81 + 60].z;
        advance(&model, &mut state, (0.5 / h) as u32, h);
        // Two rows of eleven nodes.
        assert_eq!(state.bonds.len(), 22, "{integrator:?}");
        let slipped = slip(&state);
        assert!(slipped < 2e-5, "{integrator:?}: {slipped}");
        // The upper one stretches by about m g / (2 × 1000 N/m), so under 0.4 mm in each of its eight rows.
        let fallen = start - state.positions[81 + 60].z;
        assert!((0.0..0.02).contains(&fallen), "{integrator:?}: {fallen}");
        assert!(intersections(&model, &state.positions).is_empty());
        assert!(state.fits(&model));
    }
}

/// What the bonds measure is the weight that hangs on them.
#[test]
fn bonds_measure_what_they_bear() {
    let (model, mut state) = hung(backward(), f64::INFINITY);
    advance(&model, &mut state, 1000, 5e-3);
    let borne: f64 = state.bonds.iter().map(|b| b.pull).sum();
    let weight: f64 = 9.81 * model.masses[81..].iter().sum::<f64>();
    assert!((borne / weight - 1.0).abs() < 0.01, "{borne} for {weight}");
}

#[test]
fn sticking_conserves_momentum() {
    for integrator in every_kind() {
        let lower = Sheet {
            cells: 6,
            place: |p| p,
        };
        let upper = Sheet {
            cells: 5,
            place: |p| p + DVec3::new(0.1, 0.05, 2.2 * OFFSET),
        };
        let none = |_: &[DVec3]| Vec::new();
        let (model, mut state) = sheets([lower, upper], none, glue(6), (DVec3::ZERO, integrator));
        state.velocities[49..].fill(DVec3::new(0.3, 0.1, 0.2));
        let before = momentum(&model, &state).0;
        advance(&model, &mut state, 400, 5e-4);
        let after = momentum(&model, &state).0;
        assert!(state.bonds.len() > 10);
        let changed = after.distance(before) / before.length();
        assert!(changed < 1e-9, "{integrator:?}: {changed}");
        assert!(slip(&state) < 2e-5, "{integrator:?}");
    }
}

/// Sheets that stick to each other fly on as they turn: what acts between two layers has no moment, though it acts at a distance.
#[test]
fn sticking_conserves_angular_momentum() {
    let lower = Sheet {
        cells: 6,
        place: |p| p,
    };
    let upper = Sheet {
        cells: 5,
        place: |p| p + DVec3::new(0.1, 0.05, 2.2 * OFFSET),
    };
    let none = |_: &[DVec3]| Vec::new();
    let outer = (DVec3::ZERO, Integrator::SymplecticEuler);
    let (model, mut state) = sheets([lower, upper], none, glue(6), outer);
    for (x, v) in state.positions.iter().zip(&mut state.velocities) {
        *v = DVec3::new(3.0, 1.0, 0.5).cross(*x);
    }
    let before = momentum(&model, &state).1;
    advance(&model, &mut state, 2500, 2e-4);
    assert!(state.bonds.len() > 10);
    let after = momentum(&model, &state).1;
    let changed = after.distance(before) / before.length();
    assert!(changed < 1e-3, "{changed}: {before} {after}");
}

#[test]
fn time_catches_and_time_lets_go() {
    let (model, mut state) = hung(backward(), f64::INFINITY);
    let model = model.rebuilt(|parts| {
        parts.body_contact.adhesions[0].during = vec![Interval { from: 0.0, to: 0.1 }];
        // What hangs beside its support is pressed against it, and friction would hold it for a while.
        for cloth in &mut parts.cloths {
            cloth.friction = 0.0;
        }
    });
    let model = model.unwrap();
    advance(&model, &mut state, 20, 5e-3);
    assert_eq!(state.bonds.len(), 22);
    let before = state.positions[81 + 60].z;
    advance(&model, &mut state, 41, 5e-3);
    assert!(state.bonds.is_empty());
    // Free fall for 41 steps by backward Euler.
    let free = 9.81 * 5e-3 * 5e-3 * 41.0 * 42.0 / 2.0;
    let fallen = before - state.positions[81 + 60].z;
    assert!((fallen / free - 1.0).abs() < 0.02, "{fallen} for {free}");
}

/// A level sheet under one that is held everywhere pulls at it with 1.962 N/m².
#[test]
fn a_pull_above_the_strength_tears_off_and_one_below_does_not() {
    for integrator in every_kind() {
        for (strength, holds) in [(2.1, true), (1.8, false)] {
            let ceiling = Sheet {
                cells: 6,
                place: |p| 1.2 * p,
            };
            let hanging = Sheet {
                cells: 5,
                place: |p| p - DVec3::Z * 2.1 * OFFSET,
            };
            let all = |_: &[DVec3]| vec![fixed(nodes(0, 6))];
            let adhesion = Adhesion {
                strength,
                ..glue(6)
            };
            let outer = (GRAVITY, integrator);
            let (model, mut state) = sheets([ceiling, hanging], all, adhesion, outer);
            advance(&model, &mut state, 100, 1e-3);
            let expected = if holds { 36 } else { 0 };
            assert_eq!(state.bonds.len(), expected, "{integrator:?}, {strength}");
            let fallen = state.positions[49..].iter().all(|p| p.z < -0.01);
            assert_eq!(fallen, !holds, "{integrator:?}, {strength}");
        }
    }
}

/// A state that is taken up again goes on bit for bit; so does another workspace.
#[test]
fn what_sticks_is_all_in_the_state() {
    let (model, mut state) = hung(backward(), 60.0);
    advance(&model, &mut state, 30, 5e-3);
    let mut again = state.clone();
    advance(&model, &mut state, 30, 5e-3);
    for _ in 0..30 {
        advance(&model, &mut again, 1, 5e-3);
    }
    assert!(!state.bonds.is_empty());
    assert_eq!(state, again);
}

#[test]
fn cloth_that_passes_through_cloth_cannot_stick_to_it() {
    let (model, _) = hung(backward(), 1.0);
    let meeting = |contacts| {
        model.rebuilt(|parts| {
            parts.pins.clear();
            parts.contacts = contacts;
        })
    };
    let refused = meeting(vec![[1, 1]]).unwrap_err();
    assert!(matches!(refused, ModelError::BodyContact(_)), "{refused}");
    assert!(refused.to_string().contains("contact"), "{refused}");
    assert!(meeting(vec![[1, 0]]).is_ok());
}
