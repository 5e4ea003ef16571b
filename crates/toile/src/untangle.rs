//! Cloth that starts tangled is drawn apart before anything moves.
//!
//! The world is stepped with everything at rest: no gravity, no wind, pins and bodies where they are at the start, and all speed taken out after every step. What is through is
//! drawn out ([`contact`](crate::contact) has how), the cloth around gives way as its own elasticity has it, bodies push out what
//! is in them, and what is apart stays apart. It ends when nothing intersects by the exact test, with some more steps in which features that are
//! very near make room for each other.

use crate::contact::{Body, intersections};
use crate::drive::{Interval, Pin, PinPath, RigidPath};
use crate::energy::EnergyBatch;
use crate::integrate::{ImplicitSettings, Integrator};
use crate::model::Model;
use crate::state::State;
use crate::step::{Workspace, step};
use glam::DVec3;

/// Length of the steps (s): at `PULL` a node moves a millimetre in one, about a thickness.
const STEP_LENGTH: f64 = 0.005;
/// Steps in which features that are near make room before intersections are drawn apart.
const ROOM_STEPS: u32 = 20;
/// Without fewer intersections than ever for so many steps it is given up: 0.75 s, in which a piece is drawn
/// by up to 15 cm.
const PATIENCE_STEPS: u32 = 150;

/// What came of untangling.
#[derive(Clone, Debug, PartialEq)]
pub struct Untangled {
    /// Where the nodes are now (m).
    pub positions: Vec<DVec3>,
    /// Pairs of faces that intersected.
    pub before: usize,
    /// Pairs of faces that still do, numbered over all cloths; empty if it worked.
    pub left: Vec<[u32; 2]>,
    /// Steps that it took.
    pub steps: u32,
    /// How far the node had to move that moved farthest (m).
    pub farthest: f64,
}

/// Draws apart what intersects at the start and takes out of bodies what is in them, in at most so many steps.
pub fn untangle(model: &Model, positions: &[DVec3], most_steps: u32) -> Untangled {
    let still = at_rest(model);
    let before = intersections(&still, positions).len();
    let mut state = State::at_rest(&still, positions.to_vec());
    let mut workspace = Workspace::new(&still, None);
    let (mut steps, mut room) = (0, 0);
    let (mut best, mut since) = (before, 0);
    while steps < most_steps && room < ROOM_STEPS && since < PATIENCE_STEPS {
        let last = state.positions.clone();
        if step(&still, &mut state, &mut workspace, STEP_LENGTH).is_err() {
            state.positions = last;
            break;
        }
        // The next step starts where this one ended, and knows nothing of it otherwise.
        state = State::at_rest(&still, std::mem::take(&mut state.positions));
        steps += 1;
        let left = intersections(&still, &state.positions).len();
        room = if left == 0 { room + 1 } else { 0 };
        since = if left < best { 0 } else { since + 1 };
        best = best.min(left);
        if left == 0 {
            since = 0;
        }
    }
    let moved = positions.iter().zip(&state.positions);
    let farthest = moved.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    Untangled {
        before,
        left: intersections(&still, &state.positions),
        positions: state.positions,
        steps,
        farthest,
    }
}

/// The same world with nothing that moves it.
fn at_rest(model: &Model) -> Model {
    let still = model.rebuilt(|parts| {
        parts.untangles = true;
        parts.gravity = DVec3::ZERO;
        parts.integrator = Integrator::Implicit(ImplicitSettings::CLASSIC);
        parts.energies.retain(|e| !matches!(e, EnergyBatch::Air(_)));
        let holds = |pin: &Pin| pin.held.iter().any(|i| i.from <= 0.0 && i.to > 0.0);
        parts.pins.retain(holds);
        for pin in &mut parts.pins {
            pin.path = PinPath::Carried(RigidPath::default());
            pin.held = vec![Interval::ALWAYS];
        }
        let settled = |body: &Body| Body {
            place: body.pose(0.0),
            path: RigidPath::default(),
            ..body.clone()
        };
        parts.bodies = parts.bodies.iter().map(settled).collect();
    });
    still.expect("what moves can also rest")
}
