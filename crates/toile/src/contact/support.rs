//! Contacts inside an implicit solve.
//!
//! A solve that does not know of a table lets the cloth on it fall freely and so transmits no tension to what
//! hangs over the edge; stopping the nodes afterwards comes too late. Nodes that touch, or are forecast to
//! touch before the step ends (`φ + h (v − v_o)·N + h² g·N ≤ 0`), therefore enter the solve as constraints
//! (Baraff and Witkin 1998): first held to the surface, then, by the reaction `r` that this needs, either
//! kept (`|r_T| ≤ μ r_N`), let slide along the surface against friction, or let go (`r_N < 0`).
//!
//! **Friction as a drag.** Coulomb's `μ r_N` depends on what is being solved for, so it comes from the round
//! before. As a force of that size and direction it would be wrong in the worst way: where the node in the
//! meantime slips less, or another way, it pushes the node along and adds energy. It therefore enters as a
//! drag on the slip `s` that comes out,
//!
//! `f = −c s`, `c = μ r_N / |s|` with `r_N` and `s` of the round before,
//!
//! in matrix and right side. Whatever `c ≥ 0`, its work `−c |s|²` is never positive; when the rounds agree it
//! is Coulomb's. What starts the rounds is a *trial* with the force itself, never larger than what holding
//! the node took. If the node slips against it, that gives the first `s`; if not, it sticks.
//!
//! Of the two coefficients of [`Friction`] that at rest decides whether a node goes on sticking, the sliding
//! one all the rest.

use super::AT_REST;
use super::obstacles;
use super::{Friction, Pinch, Placement};
use crate::linalg::Filter;
use glam::{DMat3, DVec3};

/// What a supported node is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum SupportMode {
    /// It moves with the surface.
    Stick,
    /// It moves with the surface whatever happens: parts of the body overlap there.
    Caught,
    /// It moves along the surface under this impulse of friction (N·s), to see how fast. Never the last word.
    Trial(DVec3),
    /// It moves along the surface against this drag (kg).
    Slide(f64),
    /// It leaves.
    Free,
}

/// A node supported by a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Support {
    /// The node.
    pub node: usize,
    /// The body's number.
    pub body: usize,
    /// Outward normal of the body.
    normal: DVec3,
    /// Velocity that brings the node onto the surface and carries it along (m/s).
    velocity: DVec3,
    friction: Friction,
    /// What else holds it, if it is between two bodies.
    grip: Option<Grip>,
    /// Its speed along the surface (m/s) when the step began, if it is expected to go on sliding.
    sliding: Option<f64>,
    hold: SupportMode,
}

/// The hold of two bodies on a node between them, besides what it pushes one of them with.
#[derive(Clone, Copy, Debug)]
struct Grip {
    /// What each presses it with (N·s).
    impulse: f64,
    /// Of the second body.
    friction: Friction,
}

/// Gaps below this count as touching (m): a tenth of a micrometre, above the rounding of interpolated
/// distances and below any thickness.
pub(super) const TOUCHING: f64 = 1e-7;

/// A node let go that approaches the surface faster than this (m/s) needs its support again: in a step of 10
/// ms it would sink in by a micrometre. A choice (`docs/contact.md`, Constants).
const SINKING: f64 = 1e-4;

/// A node that alone would slip faster than this (m/s) when it is let slide is torn loose: ten times
/// `AT_REST`, so that what creeps is not. Covered by the lab experiments `incline` and `capstan`.
const TORN: f64 = 0.01;

/// The largest drag, as a multiple of the node's own stiffness in the system: a node that slips no faster
/// than a thousandth of what the system would move it by sticks for all that can be seen, and the system
/// stays well conditioned.
const STRONGEST_DRAG: f64 = 1e3;

/// The support of one node, if it needs any. Among several bodies the one it would sink into deepest.
pub(crate) fn find_support(
    bodies: &[Placement],
    node: usize,
    position: DVec3,
    velocity: DVec3,
    gravity: DVec3,
    offset: f64,
    h: f64,
) -> Option<Support> {
    let falling = velocity + h * gravity;
    let within = offset + h * falling.length() + TOUCHING;
    let forecast = obstacles(bodies, node).filter_map(|(number, body)| {
        let near = body.at_start(position, within)?;
        let (sample, surface) = (near.sample, near.way / h);
        let gap = sample.distance - offset;
        let approach = (falling - surface).dot(sample.normal);
        let reached = gap + h * approach;
        (gap <= TOUCHING || reached <= 0.0).then_some((
            reached,
            gap,
            surface,
            sample.normal,
            (number, near.caught),
        ))
    });
    let deepest = forecast.min_by(|a, b| a.0.total_cmp(&b.0));
    let (_, gap, surface, normal, (number, caught)) = deepest?;
    let body = &bodies[number];
    let speed = (velocity - surface).reject_from_normalized(normal).length();
    Some(Support {
        node,
        body: number,
        normal,
        velocity: match body.recovery < 1.0 {
            true => surface - body.recovery * gap / h * normal,
            // At once, penetration is not turned into speed; it is taken out of the position afterwards.
            false => surface - gap.max(0.0) / h * normal,
        },
        // What slides already is stopped by sliding friction alone.
        friction: Friction {
            at_rest: body.friction.at_speed(speed),
            ..body.friction
        },
        grip: None,
        sliding: None,
        hold: if caught {
            SupportMode::Caught
        } else {
            SupportMode::Stick
        },
    })
}

/// The support of a node between two bodies during a step of `h` seconds; `reach` is the integrator's (s).
pub(crate) fn pinched_support(
    node: usize,
    pinch: &Pinch,
    velocity: DVec3,
    (h, reach): (f64, f64),
) -> Support {
    let surface = pinch.way / h;
    let [friction, other] = pinch.friction(velocity - surface);
    Support {
        node,
        body: pinch.bodies[0],
        normal: pinch.normal,
        velocity: surface,
        friction,
        grip: Some(Grip {
            impulse: reach * pinch.force,
            friction: other,
        }),
        sliding: None,
        hold: SupportMode::Stick,
    }
}

/// What a solve with the present supports says of one of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verdict {
    /// Impulse that the body gave (N·s).
    pub reaction: DVec3,
    /// The node's velocity relative to the one that brings it onto the surface (m/s).
    pub slip: DVec3,
    /// Mean diagonal of the node's block in the system (kg).
    pub stiffness: f64,
    /// Whether no round follows in which a trial could be judged.
    pub last: bool,
}

/// What a judgement changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Nothing that its neighbours would feel.
    None,
    /// It holds otherwise.
    Other,
    /// It was held by far too much. Those behind it were in its lee, and may now be held by too much
    /// themselves.
    Torn,
}

impl Support {
    /// The directions left to the solve.
    pub fn filter(&self) -> Filter {
        match self.hold {
            SupportMode::Stick | SupportMode::Caught => Filter::Held,
            SupportMode::Trial(_) | SupportMode::Slide(_) => Filter::Sliding(self.normal),
            SupportMode::Free => Filter::Free,
        }
    }

    /// The change of velocity to start the solve from: as given in the constrained directions, as guessed in
    /// the others.
    pub fn constrain(&self, velocity: DVec3, guess: DVec3) -> DVec3 {
        self.filter().constrain(self.velocity - velocity, guess)
    }

    /// Impulse of friction on the node at this velocity (N·s).
    pub fn friction(&self, velocity: DVec3) -> DVec3 {
        match self.hold {
            SupportMode::Trial(impulse) => impulse,
            SupportMode::Slide(drag) => -drag * self.along(velocity - self.velocity),
            SupportMode::Stick | SupportMode::Caught | SupportMode::Free => DVec3::ZERO,
        }
    }

    /// What friction adds to the node's block of the system (kg).
    pub fn drag(&self) -> DMat3 {
        let SupportMode::Slide(drag) = self.hold else {
            return DMat3::ZERO;
        };
        let n = self.normal;
        let normal_part = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        drag * (DMat3::IDENTITY - normal_part)
    }

    fn along(&self, vector: DVec3) -> DVec3 {
        vector - vector.dot(self.normal) * self.normal
    }

    /// The most that friction can give to a node with this reaction along the normal (N·s).
    fn most(&self, push: f64, coefficient: impl Fn(&Friction) -> f64) -> f64 {
        let Some(grip) = &self.grip else {
            return coefficient(&self.friction) * push;
        };
        let first = coefficient(&self.friction) * (grip.impulse + push.max(0.0));
        let second = coefficient(&grip.friction) * (grip.impulse + (-push).max(0.0));
        first + second
    }

    /// Judges what the last solve gave. Answers how much that changes.
    pub fn revise(&mut self, verdict: &Verdict) -> Change {
        let push = verdict.reaction.dot(self.normal);
        let sliding = self.most(push, |friction| friction.sliding);
        let at_rest = self.most(push, |friction| friction.at_rest);
        let strongest = STRONGEST_DRAG * verdict.stiffness;
        let before = self.hold;
        let mut loose = 0.0;
        self.hold = match self.hold {
            // Let go too early: without the support it would sink in.
            SupportMode::Free if verdict.slip.dot(self.normal) < -SINKING => {
                SupportMode::Slide(0.0)
            }
            SupportMode::Free => SupportMode::Free,
            SupportMode::Caught => SupportMode::Caught,
            _ if push < 0.0 && self.grip.is_none() => SupportMode::Free,
            SupportMode::Stick => {
                let needed = self.along(verdict.reaction);
                match needed.length() {
                    length if length <= at_rest => SupportMode::Stick,
                    _ if sliding == 0.0 => SupportMode::Slide(0.0),
                    // A trial that nobody judges may add energy, a drag cannot: such that the node alone,
                    // moved by what is too much for friction, would slip as fast as makes it Coulomb's.
                    length if verdict.last => {
                        loose = (length - sliding) / verdict.stiffness;
                        SupportMode::Slide((sliding / loose).min(strongest))
                    }
                    length => SupportMode::Trial(needed * (sliding / length)),
                }
            }
            SupportMode::Trial(impulse) if impulse.dot(verdict.slip) >= 0.0 => match self.sliding {
                // Tried with a guess that was too large. Stopped dead, it would be jammed by what comes from
                // behind.
                Some(speed) => SupportMode::Slide((sliding / speed).min(strongest)),
                None => SupportMode::Stick,
            },
            SupportMode::Trial(_) | SupportMode::Slide(_) => {
                let speed = self.along(verdict.slip).length();
                SupportMode::Slide((sliding / speed).min(strongest))
            }
        };
        match (before, self.hold) {
            // A better estimate of the same friction is worth having but no reason for another round.
            (SupportMode::Trial(_) | SupportMode::Slide(_), SupportMode::Slide(_)) => Change::None,
            (before, now) if before == now => Change::None,
            _ if loose > TORN => Change::Torn,
            _ => Change::Other,
        }
    }

    /// Expects a node of this mass that slides when the step begins to go on: it starts with a trial. `pull`
    /// is what acts on it (N·s). If all began at rest, sliding would have to spread from node to node within
    /// the rounds of one step, and a band around a cylinder would slide in fits.
    pub fn expect_slip(&mut self, mass: f64, velocity: DVec3, pull: DVec3) {
        let relative = velocity - self.velocity;
        let slip = self.along(relative);
        let push = -(mass * relative + pull).dot(self.normal);
        let push = match self.grip {
            Some(_) => push,
            None => push.max(0.0),
        };
        let most = self.most(push, |friction| friction.sliding);
        // What nothing presses yet may be pressed by its neighbours: holding it will tell.
        if self.hold == SupportMode::Stick && slip.length() > AT_REST && most > 0.0 {
            self.sliding = Some(slip.length());
            self.hold = SupportMode::Trial(-most * slip.normalize());
        }
    }

    /// Whether its friction is only tried.
    pub fn is_trial(&self) -> bool {
        matches!(self.hold, SupportMode::Trial(_))
    }

    /// Velocity of the surface that the node rests on (m/s).
    pub fn surface_velocity(&self) -> DVec3 {
        self.velocity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A node that slips along x on a floor with μ = 0.5.
    fn support(hold: SupportMode) -> Support {
        Support {
            node: 0,
            body: 0,
            normal: DVec3::Z,
            velocity: DVec3::ZERO,
            friction: 0.5.into(),
            grip: None,
            sliding: None,
            hold,
        }
    }

    fn verdict(reaction: DVec3, slip: DVec3, last: bool) -> Verdict {
        Verdict {
            reaction,
            slip,
            stiffness: 1.0,
            last,
        }
    }

    #[test]
    fn friction_never_works_along_the_slip_however_wrong_the_estimate() {
        let mut sliding = support(SupportMode::Slide(0.0));
        for push in [1e-9, 1.0, 1e6] {
            sliding.revise(&verdict(DVec3::Z * push, DVec3::X * 0.1, false));
            for slip in [DVec3::X, DVec3::NEG_X * 7.0, DVec3::new(-1.0, 2.0, 0.5)] {
                assert!(sliding.friction(slip).dot(slip) <= 0.0);
            }
        }
    }

    #[test]
    fn friction_is_coulombs_where_the_rounds_agree() {
        let mut sliding = support(SupportMode::Slide(0.0));
        let slip = DVec3::new(0.3, -0.4, 0.0);
        sliding.revise(&verdict(DVec3::Z * 0.02, slip, false));
        let expected = -0.5 * 0.02 * slip.normalize();
        assert!(sliding.friction(slip).distance(expected) < 1e-15);
        assert!((sliding.drag() * slip + sliding.friction(slip)).length() < 1e-15);
    }

    #[test]
    fn a_node_between_two_bodies_is_held_by_both_and_cannot_leave() {
        let pinched = || Support {
            grip: Some(Grip {
                impulse: 2.0,
                friction: 0.25.into(),
            }),
            ..support(SupportMode::Stick)
        };
        // 0.5 · 2 + 0.25 · (2 + 1) holds against a pull of 1 away from the first body.
        let mut holds = pinched();
        holds.revise(&verdict(DVec3::new(-1.74, 0.0, -1.0), DVec3::ZERO, false));
        assert_eq!(holds.hold, SupportMode::Stick);
        let mut slips = pinched();
        slips.revise(&verdict(DVec3::new(-1.76, 0.0, -1.0), DVec3::ZERO, false));
        assert_eq!(slips.hold, SupportMode::Trial(DVec3::NEG_X * 1.75));
    }

    #[test]
    fn a_trial_ends_in_sliding_or_sticking_and_none_begins_in_the_last_round() {
        let too_much = DVec3::new(-3.0, 0.0, 1.0);
        let tried = || {
            let mut node = support(SupportMode::Stick);
            let change = node.revise(&verdict(too_much, DVec3::ZERO, false));
            assert_eq!(change, Change::Other);
            node
        };
        assert_eq!(tried().hold, SupportMode::Trial(DVec3::NEG_X * 0.5));
        let mut slips = tried();
        slips.revise(&verdict(DVec3::Z, DVec3::X * 2.0, true));
        assert_eq!(slips.hold, SupportMode::Slide(0.25));
        let mut is_pushed = tried();
        let change = is_pushed.revise(&verdict(DVec3::Z, DVec3::NEG_X, true));
        assert_eq!(change, Change::Other);
        assert_eq!(is_pushed.hold, SupportMode::Stick);
        // 0.5 of 3 held; the other 2.5 would move the node alone with 2.5 m/s.
        let mut late = support(SupportMode::Stick);
        let change = late.revise(&verdict(too_much, DVec3::ZERO, true));
        assert_eq!(change, Change::Torn);
        assert_eq!(late.hold, SupportMode::Slide(0.2));
    }
}
