//! Penalty forces between cloths, inside an implicit solve.
//!
//! Contacts that are resolved only after a solve come too late for it: layers that rest on each other would
//! fall into one another freely and be pushed apart node by node, and stiff edges would answer every such
//! push. So vertex–face and edge–edge pairs that are near, or are forecast to come near, enter the solve with
//! a damped penalty force of the range of their thickness `b`, here called a *cushion*. With the gap
//! `g = n·Σ wᵢ xᵢ` and its rate `ġ`, both at the end of the step, its impulse is
//!
//! `λ = H k (b − g) − c (ġ − a) ≥ 0`, linear in the velocities sought: `λ = p − q ġ`.
//!
//! `k` and `c` are multiples of the mass `m` that the contact moves, `k = 10 m/H²` and `c = 30 m`: as stiff as
//! the step resolves, so that what rests on it sinks in by hundredths of the thickness, and overdamped, so
//! that what has sunk in comes out over several steps and does not bounce. `a ≤ 0` is the rate that just
//! closes the gap down to `b`; pairs that are still farther apart may come that near at no cost.
//!
//! Friction is a drag on the slip, iterated as that of [supports](super::support): at first so strong that
//! the contact sticks for all the solve can see, then, where this exceeds the friction cone `μλ`, just that.
//! The slip that is left in a sticking contact is removed by the [response](super::response) after the solve.
//!
//! In [face–body contact](super::dents) the second feature is a body. It does not give way, so the penalty is
//! stiffer, and velocities are relative to its surface.

use super::AT_REST;
use super::response::Contact;
use crate::linalg::Coupling;
use glam::{DMat3, DVec3};

/// Stiffness of the penalty, `k H²/m`: what rests on it sinks in by `g H²/10` (test
/// `a_mass_sinks_in_by_its_weight_and_stays`). Twice as stiff halves that and makes the system that much
/// stiffer.
const PENALTY_STIFFNESS: f64 = 10.0;
/// Damping of the penalty, `c/m`: what hits at a speed `v` comes back with at most `10/41² v` (test
/// `an_impact_is_not_bounced_back`). With half of it that is `10/26² v`; with twice, what has sunk in takes
/// twice as long to come out.
const PENALTY_DAMPING: f64 = 30.0;
/// Below half its thickness the penalty is stiffer in inverse proportion to what is left, at most by this
/// factor: at the last sixtieth of the thickness. A choice (`docs/contact.md`, Constants); the lab experiment `contact` watches
/// the energy of piles.
const HARDEST: f64 = 30.0;
/// How much stiffer penalties on bodies are than between cloths: they may carry what hangs on many nodes.
/// A choice (`docs/contact.md`, Constants); belongs to this phase alone.
const FIRM: f64 = 10.0;
/// The drag of a contact that sticks, as a multiple of `m`: it creeps by 1/31 of what it would slip by, which
/// the response after the solve takes away (test below).
const STICKING: f64 = 30.0;
/// The same on a body, where nothing takes the creep away: a thousandth is left.
const STICKING_TO_BODY: f64 = 1e3;

/// What a contact is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FrictionMode {
    /// Nothing: the features are apart.
    Off,
    /// The features hardly slip.
    Stick,
    /// They slip under this impulse of friction (N·s), to see how fast. Never the last word.
    Trial(DVec3),
    /// They slip against this drag (kg).
    Slide(f64),
}

/// A contact in a solve.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cushion {
    contact: Contact,
    /// `p` (N·s).
    impulse: f64,
    /// `q` (kg).
    resistance: f64,
    /// Velocity of the second feature if it is a body (m/s).
    surface: Option<DVec3>,
    hold: FrictionMode,
}

/// What a penalty force is told of the step: the gap at its start, the gap at the rule's `x̂` (m), `h` and
/// `H` (s).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gaps {
    pub start: f64,
    pub carried: f64,
    pub step: f64,
    pub reach: f64,
}

impl Cushion {
    pub fn new(contact: Contact, gaps: &Gaps) -> Self {
        Self::with_firmness(contact, gaps, 1.0)
    }

    /// A penalty force on a body whose surface has this velocity (m/s). The gap at `x̂` is the one that there
    /// would be if the cloth moved with it.
    pub fn on_body(contact: Contact, gaps: &Gaps, surface: DVec3) -> Self {
        Cushion {
            surface: Some(surface),
            ..Self::with_firmness(contact, gaps, FIRM)
        }
    }

    fn with_firmness(contact: Contact, gaps: &Gaps, firmness: f64) -> Self {
        let thickness = contact.bound();
        let hardening = (0.5 * thickness / gaps.start.max(0.0)).clamp(1.0, HARDEST);
        let mass = firmness * hardening * contact.mass();
        let stiffness = PENALTY_STIFFNESS * mass / (gaps.reach * gaps.reach);
        let damping = PENALTY_DAMPING * mass;
        let closing = ((thickness - gaps.start) / gaps.step).min(0.0);
        Cushion {
            contact,
            impulse: gaps.reach * stiffness * (thickness - gaps.carried) + damping * closing,
            resistance: PENALTY_STIFFNESS * mass + damping,
            surface: None,
            hold: FrictionMode::Stick,
        }
    }

    /// Expects a contact whose place moves so (m/s) relative to the second feature when the step begins, and
    /// would move like `falling` under gravity, to go on slipping if it slips: as for
    /// [supports](super::Support::expect_slip).
    pub fn expect_slip(mut self, moving: DVec3, falling: DVec3) -> Self {
        let slip = self.slip(moving);
        let push = -self.contact.mass() * falling.dot(self.contact.normal());
        let most = self.contact.friction() * push;
        if slip.length() > AT_REST && most > 0.0 {
            self.hold = FrictionMode::Trial(-most * slip.normalize());
        }
        self
    }

    /// Whether one of its sides is a body.
    pub fn is_on_body(&self) -> bool {
        self.surface.is_some()
    }

    /// What the first feature's place of contact has more than the second's (m/s).
    fn relative(&self, velocities: &[DVec3]) -> DVec3 {
        self.contact.combine(velocities) - self.surface.unwrap_or(DVec3::ZERO)
    }

    /// What it gives to the first feature at these velocities (N·s).
    pub fn impulse(&self, velocities: &[DVec3]) -> DVec3 {
        if self.hold == FrictionMode::Off {
            return DVec3::ZERO;
        }
        let velocity = self.relative(velocities);
        self.push(velocity) * self.contact.normal() + self.friction(velocity)
    }

    /// Nodes of the first feature and of the second.
    pub fn nodes(&self) -> [u32; 4] {
        self.contact.nodes
    }

    /// `λ` at these velocities, whatever its sign (N·s).
    fn push(&self, velocity: DVec3) -> f64 {
        self.impulse - self.resistance * velocity.dot(self.contact.normal())
    }

    fn slip(&self, velocity: DVec3) -> DVec3 {
        let normal = self.contact.normal();
        velocity - velocity.dot(normal) * normal
    }

    /// The largest `d` (kg).
    fn strongest(&self) -> f64 {
        self.contact.sticking(match self.is_on_body() {
            true => STICKING_TO_BODY,
            false => STICKING,
        })
    }

    /// `d` (kg).
    fn drag(&self) -> f64 {
        match self.hold {
            FrictionMode::Stick => self.strongest(),
            FrictionMode::Slide(drag) => drag,
            FrictionMode::Off | FrictionMode::Trial(_) => 0.0,
        }
    }

    /// Impulse of friction at these velocities (N·s).
    fn friction(&self, velocity: DVec3) -> DVec3 {
        match self.hold {
            FrictionMode::Trial(impulse) => impulse,
            _ => -self.drag() * self.slip(velocity),
        }
    }

    /// What it adds to the system.
    pub fn coupling(&self) -> Option<Coupling> {
        let n = self.contact.normal();
        let along = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        (self.hold != FrictionMode::Off).then(|| {
            let block = self.resistance * along + self.drag() * (DMat3::IDENTITY - along);
            self.contact.coupling(block)
        })
    }

    /// Adds its impulses at some velocities to the right side.
    pub fn add_impulse(&self, velocities: &[DVec3], right_side: &mut [DVec3]) {
        if self.hold != FrictionMode::Off {
            self.contact.spread(self.impulse(velocities), right_side);
        }
    }

    /// Judges what the last solve gave: lets go what would pull, catches what would sink in, lets slide what
    /// would need more than Coulomb allows. Answers whether that is worth another round; after the `last`
    /// there is none.
    pub fn revise(&mut self, velocities: &[DVec3], last: bool) -> bool {
        let velocity = self.relative(velocities);
        let push = self.push(velocity);
        let slip = self.slip(velocity);
        let allowed = self.contact.friction() * push;
        let before = self.hold;
        self.hold = match self.hold {
            _ if push <= 0.0 => FrictionMode::Off,
            FrictionMode::Off => FrictionMode::Stick,
            FrictionMode::Stick => match self.drag() * slip.length() {
                needed if needed <= allowed => FrictionMode::Stick,
                // As fast as the place alone would slip under what is too much for friction.
                needed if last && self.is_on_body() => {
                    let loose = slip.length() + (needed - allowed) / self.contact.mass();
                    FrictionMode::Slide(allowed / loose)
                }
                // Sticking a little too well for one step takes energy; a trial that nobody judges may add
                // some.
                _ if last => FrictionMode::Stick,
                _ => FrictionMode::Trial(-allowed * slip.normalize_or_zero()),
            },
            FrictionMode::Trial(impulse) if impulse.dot(slip) >= 0.0 => FrictionMode::Stick,
            FrictionMode::Trial(_) | FrictionMode::Slide(_) => {
                FrictionMode::Slide((allowed / slip.length()).min(self.strongest()))
            }
        };
        match (before, self.hold) {
            (FrictionMode::Trial(_) | FrictionMode::Slide(_), FrictionMode::Slide(_)) => false,
            (before, now) => before != now,
        }
    }

    /// The contact with what it carries at these velocities, for those who see to the rest: its features are
    /// to stay `bound` (m) apart.
    pub fn loaded(&self, velocities: &[DVec3], reach: f64, bound: f64) -> Contact {
        if self.hold == FrictionMode::Off {
            return self.contact.loaded(0.0, DVec3::ZERO, bound);
        }
        let velocity = self.relative(velocities);
        let push = self.push(velocity).max(0.0);
        let drag = self.friction(velocity);
        self.contact.loaded(reach * push, reach * drag, bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::response::Mobility;
    use crate::geometry::closest;
    use crate::linalg::Filter;

    const H: f64 = 0.01;
    const THICKNESS: f64 = 2e-3;

    /// A mass of 1 kg at a height above a triangle that is held.
    fn above(height: f64, friction: f64) -> Cushion {
        let nodes = [
            DVec3::new(0.2, 0.3, height),
            DVec3::ZERO,
            DVec3::X,
            DVec3::Y,
        ];
        let filters = [Filter::Free, Filter::Held, Filter::Held, Filter::Held];
        let mobility = Mobility {
            inverse_masses: &[1.0; 4],
            filters: &filters,
        };
        let near = closest::point_triangle(&nodes);
        let contact = Contact::new([0, 1, 2, 3], &near, THICKNESS, friction, &mobility);
        let gaps = Gaps {
            start: height,
            carried: height,
            step: H,
            reach: H,
        };
        Cushion::new(contact.expect("apart"), &gaps)
    }

    /// The velocity that one mass has after a step with a penalty force, and the penalty force once its
    /// rounds have settled.
    fn settle(mut cushion: Cushion, before: DVec3, force: DVec3) -> (DVec3, Cushion) {
        let mut velocities = [before, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
        for _ in 0..20 {
            let mut right = [
                before + H * force - velocities[0],
                DVec3::ZERO,
                DVec3::ZERO,
                DVec3::ZERO,
            ];
            cushion.add_impulse(&velocities, &mut right);
            let mut matrix = [DMat3::IDENTITY; 4];
            if let Some(coupling) = cushion.coupling() {
                coupling.add_to(&mut matrix);
            }
            velocities[0] += matrix[0].inverse() * right[0];
            cushion.revise(&velocities, false);
        }
        (velocities[0], cushion)
    }

    #[test]
    fn a_mass_sinks_in_by_its_weight_and_stays() {
        // Weight over stiffness: g h² / 10 of a kilogram.
        let weight = DVec3::Z * -9.81;
        let (mut height, mut velocity) = (1.9e-3, DVec3::ZERO);
        for _ in 0..200 {
            velocity = settle(above(height, 0.5), velocity, weight).0;
            height += H * velocity.z;
        }
        let sunk = THICKNESS - height;
        assert!(
            (sunk - 9.81 * H * H / PENALTY_STIFFNESS).abs() < 1e-9,
            "{sunk}"
        );
        assert!(velocity.length() < 1e-8);
    }

    #[test]
    fn what_flies_apart_is_not_held_and_what_is_far_comes_near_freely() {
        let up = DVec3::Z;
        assert_eq!(settle(above(1e-3, 0.5), up, DVec3::ZERO).0, up);
        // It would end just outside the thickness.
        let down = DVec3::Z * -0.5;
        let far = above(THICKNESS + 0.5 * H + 1e-9, 0.5);
        assert_eq!(settle(far, down, DVec3::ZERO).0, down);
    }

    #[test]
    fn an_impact_is_not_bounced_back() {
        // Whatever the speed, the mass ends within its thickness and no faster than what comes out of a
        // cushion: k d h / (m + k h² + c).
        for speed in [0.1, 1.0, 10.0] {
            let (mut height, mut velocity) = (THICKNESS + 1e-4, DVec3::Z * -speed);
            for step in 0..20 {
                velocity = settle(above(height, 0.0), velocity, DVec3::ZERO).0;
                height += H * velocity.z;
                let deepest = speed * H / (1.0 + PENALTY_STIFFNESS + PENALTY_DAMPING);
                if step == 0 {
                    assert!(height > THICKNESS - 1.01 * deepest, "{speed}: {height}");
                }
                let fastest =
                    PENALTY_STIFFNESS / (1.0 + PENALTY_STIFFNESS + PENALTY_DAMPING) * deepest / H;
                assert!(velocity.z < 1.01 * fastest, "{speed}: {velocity}");
                if height < 1e-4 {
                    break; // the response after the solve would have caught it
                }
            }
        }
    }

    #[test]
    fn friction_is_coulombs_and_sticks_below_it() {
        let weight = 9.81;
        let sunk = THICKNESS - weight * H * H / PENALTY_STIFFNESS;
        for (pull, slides) in [(0.45 * weight, false), (0.55 * weight, true)] {
            let force = DVec3::new(pull, 0.0, -weight);
            let (velocity, cushion) = settle(above(sunk, 0.5), DVec3::ZERO, force);
            if slides {
                let expected = (pull - 0.5 * weight) * H;
                assert!(
                    (velocity.x - expected).abs() < 1e-3 * expected,
                    "{velocity}"
                );
            } else {
                // What creeps is what the response after the solve takes away.
                assert!(
                    velocity.x < 1.01 * pull * H / (1.0 + STICKING),
                    "{velocity}"
                );
            }
            let nodes = [velocity, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
            let carried = cushion.loaded(&nodes, H, 0.0);
            let starts = [DVec3::new(0.2, 0.3, sunk), DVec3::ZERO, DVec3::X, DVec3::Y];
            let mut ends = starts;
            ends[0] += H * velocity;
            let filters = [Filter::Free, Filter::Held, Filter::Held, Filter::Held];
            let mobility = Mobility {
                inverse_masses: &[1.0; 4],
                filters: &filters,
            };
            crate::contact::response::relax(
                crate::contact::response::Duties {
                    cloths: &mut [carried],
                    ..Default::default()
                },
                &starts,
                &mobility,
                &mut ends,
                1e-9,
                5,
            );
            let slip = ends[0].x - starts[0].x;
            assert_eq!(slip.abs() < 1e-12, !slides, "{slip:e}");
        }
    }
}
