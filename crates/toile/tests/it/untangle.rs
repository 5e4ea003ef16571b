//! Cloth that starts tangled comes apart, and stays so.

use crate::common::{COTTON, Fixture, body, fixed, sheet};
use toile::certificate::Energies;
use toile::contact::{Shape, intersections};
use toile::drive::Pin;
use toile::glam::DVec3;
use toile::integrate::{ImplicitSettings, Integrator};
use toile::model::Model;
use toile::state::State;
use toile::step::{Workspace, step};
use toile::untangle::untangle;

/// Sheets of 0.4 m with 12×12 cells that meet themselves and each other, placed by a function of number and place in the flat sheet.
fn sheets(
    count: usize,
    pins: Vec<Pin>,
    place: impl Fn(usize, DVec3) -> DVec3,
) -> (Model, Vec<DVec3>) {
    let integrator = Integrator::Implicit(ImplicitSettings::CLASSIC);
    let mut fixture = Fixture::new(DVec3::NEG_Z * 9.81, integrator);
    let mesh = sheet([0.4, 0.4], [12, 12]);
    for k in 0..count {
        fixture.cloth(&mesh, COTTON, |p| place(k, p)).air_damping = 0.5;
    }
    fixture.parts.pins = pins;
    let (model, state) = fixture.meeting().finish();
    (model, state.positions)
}

/// The second sheet sags through the first in its middle: a closed contour.
fn bump() -> (Model, Vec<DVec3>) {
    sheets(2, Vec::new(), |k, p| match k {
        0 => p,
        _ => DVec3::new(
            p.x + 0.003,
            p.y + 0.004,
            0.006 - 0.016 * (-(p.x * p.x + p.y * p.y) / 0.008).exp(),
        ),
    })
}

/// A corner pokes through another sheet.
fn corner() -> (Model, Vec<DVec3>) {
    sheets(2, Vec::new(), |k, p| match k {
        0 => p,
        _ => {
            let s = (p.x + p.y) * 0.5f64.sqrt();
            let t = (p.x - p.y) * 0.5f64.sqrt();
            DVec3::new(0.6 * s + 0.01, t + 0.007, 0.8 * s + 0.19)
        }
    })
}

/// A sheet stands halfway in another: a long contour that ends at borders.
fn halfway() -> (Model, Vec<DVec3>) {
    sheets(2, Vec::new(), |k, p| match k {
        0 => p,
        _ => DVec3::new(0.7 * p.x + 0.004, 0.05 * p.y + 0.003, p.y + 0.03),
    })
}

/// One flap of a folded sheet passes through the other.
fn fold() -> (Model, Vec<DVec3>) {
    sheets(1, Vec::new(), |_, p| {
        if p.x < 0.0 {
            return p;
        }
        // Around a half circle, then back over the sheet and down through it.
        let radius = 0.03;
        let turned = (p.x / radius).min(std::f64::consts::PI);
        let back = p.x - turned * radius;
        let round = DVec3::new(radius * turned.sin(), 0.0, radius * (1.0 - turned.cos()));
        round + DVec3::new(-0.8 * back, p.y, -0.6 * back)
    })
}

/// Two sheets that cross at their borders only: the contour cuts nothing off.
fn borders() -> (Model, Vec<DVec3>) {
    sheets(2, Vec::new(), |k, p| match k {
        0 => p,
        _ => DVec3::new(p.x + 0.33, 0.1 * p.y + 0.004, p.y + 0.002),
    })
}

fn check(name: &str, (model, positions): (Model, Vec<DVec3>)) {
    let found = untangle(&model, &positions, 1000);
    assert!(found.before > 0, "{name} is no tangle");
    assert!(found.left.is_empty(), "{name}: {:?}", found.left);
    assert_eq!(intersections(&model, &found.positions), found.left);
    // And then half a second without any.
    let mut state = State::at_rest(&model, found.positions);
    let mut workspace = Workspace::new(&model, None);
    for n in 0..50 {
        step(&model, &mut state, &mut workspace, 0.01).unwrap();
        assert!(
            intersections(&model, &state.positions).is_empty(),
            "{name}, step {n}"
        );
    }
}

#[test]
fn a_bump_through_another_sheet_comes_out_the_same_way_every_time() {
    let (model, positions) = bump();
    assert_eq!(
        untangle(&model, &positions, 1000),
        untangle(&model, &positions, 1000)
    );
    check("bump", bump());
}

#[test]
fn a_corner_through_another_sheet_comes_out() {
    check("corner", corner());
}

#[test]
fn a_fold_through_itself_comes_out() {
    check("fold", fold());
}

#[test]
fn sheets_that_cross_at_their_borders_come_apart() {
    check("borders", borders());
}

#[test]
fn what_is_held_through_is_named() {
    let (mut model, positions) = halfway();
    let held: Vec<u32> = (0..positions.len() as u32).collect();
    model = model.rebuilt(|parts| parts.pins.push(fixed(held))).unwrap();
    let found = untangle(&model, &positions, 1000);
    assert!(!found.left.is_empty());
    assert_eq!(found.left.len(), found.before);
    assert!(found.farthest < 1e-9, "held nodes stay");
}

#[test]
fn cloth_in_a_body_is_taken_out() {
    let (mut model, positions) = sheets(1, Vec::new(), |_, p| p);
    model = model
        .rebuilt(|parts| {
            let ball = Shape::Sphere { radius: 0.1 };
            parts.bodies.push(body(ball, DVec3::NEG_Z * 0.07));
        })
        .unwrap();
    let found = untangle(&model, &positions, 1000);
    assert_eq!((found.before, found.left.len()), (0, 0));
    let centre = DVec3::NEG_Z * 0.07;
    let nearest = found.positions.iter().map(|p| p.distance(centre));
    let nearest = nearest.fold(f64::INFINITY, f64::min);
    assert!(nearest > 0.1009, "{nearest}");
}

#[test]
fn a_tangle_that_is_tolerated_comes_out_during_the_run_without_exploding() {
    let (mut model, positions) = bump();
    model = model.rebuilt(|parts| parts.untangles = true).unwrap();
    model = model.rebuilt(|parts| parts.gravity = DVec3::ZERO).unwrap();
    let mut state = State::at_rest(&model, positions);
    let mut workspace = Workspace::new(&model, None);
    let mut clean_since = None;
    let mut most = 0.0f64;
    for n in 0..100 {
        step(&model, &mut state, &mut workspace, 0.005).unwrap();
        let left = intersections(&model, &state.positions).len();
        most = most.max(Energies::of(&model, &state).kinetic);
        match clean_since {
            None if left == 0 => clean_since = Some(n),
            Some(_) => assert_eq!(left, 0, "step {n}: what is apart stays apart"),
            None => {}
        }
    }
    assert!(clean_since.is_some(), "still tangled");
    // Two sheets of 32 g that move at the speed of the pull.
    assert!(most < 0.5 * 0.064 * 0.2 * 0.2, "{most} J");
}
