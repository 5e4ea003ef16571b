//! Cloth between two bodies.
//!
//! Where two bodies leave a room `s` that is less than the cloth's thickness `t`, the cloth gives way and
//! pushes them apart with the pressure
//!
//! `p = E (t − s)/t`, `E` its modulus of compression.
//!
//! A node there keeps the same distance from both, `s/2`. Each body presses it with `p A`, `A` the node's
//! share of the area. These forces cancel; what is left of them is friction: besides `μ r` of whatever else
//! the node pushes a body with, `(μ₁ + μ₂) p A` holds it along the surfaces. This is how fingers lift cloth.
//! Beyond `s = 0` the bodies overlap, and cloth cannot be thinner than nothing: the pressure grows no
//! further.
//!
//! Beside the edges of two fingers their normals point sideways, and a node that kept its distance from both
//! would be wedged out by as much as half a thickness, with whatever force that takes: enough to draw cloth
//! through fingers that hold many times its weight. But there too the cloth has a body on either side, and
//! gives way between them. So bodies also pinch a node if they lie on both sides of the *cloth* there.

use super::load::{Given, book};
use super::obstacles;
use super::{Candidate, Friction, Nearby, Placement};
use glam::DVec3;

/// A node between two bodies during a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pinch {
    /// The bodies, by number.
    pub bodies: [usize; 2],
    /// Outward normal of the first body, and inward one of the second.
    pub normal: DVec3,
    /// How much nearer than its offset the node comes to both (m); below 0 where there is room for more.
    pub squeeze: f64,
    /// What each body presses it with (N).
    pub force: f64,
    /// The way of the place between them through the step (m).
    pub way: DVec3,
    friction: [Friction; 2],
}

/// Two bodies press a node from opposite sides if the cosine between their normals there is below this: −cos
/// 45°, so that the walls of a right-angled corner are none. Covered by `tests/pinch.rs` and the lab
/// experiment `pinch-lift`.
const OPPOSITE: f64 = -0.7;
/// They also do if the difference of their normals is this nearly along the normal of the cloth: the cosine of
/// 26°. A floor and a wall beside cloth that lies on the floor are at 45°, and no pinch. Chosen, not derived;
/// covered by the tests below, and by `python/tests/test_pinch.py`.
const ACROSS: f64 = 0.9;
/// Normals that differ by less are those of bodies on one side.
const ONE_SIDE: f64 = 0.1;
/// So many near bodies of a node are looked at: a bound on the cost.
const LOOKED_AT: usize = 4;

/// What a node takes up between two bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thickness {
    /// Half the thickness of its cloth (m).
    pub offset: f64,
    /// What it keeps from either where there is room for it, over the offset; at least 1.
    pub spare: f64,
    /// What each would press it with if they left no room (N).
    pub strength: f64,
}

impl Thickness {
    /// Less room than this (m) is shared between both.
    fn wanted(&self) -> f64 {
        2.0 * self.spare * self.offset
    }
}

impl Pinch {
    /// The two bodies that leave a node at this position the least room, if that is less than it wants at the end of the step. They
    /// press it where it is less than the thickness. `cloth` answers with the normal of the cloth there, of any length.
    pub fn find(
        bodies: &[Placement],
        node: usize,
        position: DVec3,
        thickness: Thickness,
        cloth: impl Fn() -> DVec3,
    ) -> Option<Self> {
        if thickness.offset <= 0.0 {
            return None;
        }
        let mut near: [Option<(usize, DVec3)>; LOOKED_AT] = [None; LOOKED_AT];
        let mut count = 0;
        for (number, body) in obstacles(bodies, node) {
            let Some(Nearby { sample, way, .. }) = body.at_start(position, thickness.wanted())
            else {
                continue;
            };
            if sample.distance <= thickness.wanted() + way.length() && count < LOOKED_AT {
                near[count] = Some((number, way));
                count += 1;
            }
        }
        let pairs = (0..count).flat_map(|k| (0..k).map(move |j| (j, k)));
        let pinches = pairs.filter_map(|(j, k)| {
            let (first, last) = (near[j]?, near[k]?);
            Pinch::between(bodies, [first, last], position, thickness, &cloth)
        });
        pinches.max_by(|a, b| a.squeeze.total_cmp(&b.squeeze))
    }

    /// Two bodies by number, each with the way of its surface.
    fn between(
        bodies: &[Placement],
        pair: [(usize, DVec3); 2],
        position: DVec3,
        thickness: Thickness,
        cloth: &impl Fn() -> DVec3,
    ) -> Option<Self> {
        let numbers = pair.map(|(number, _)| number);
        let ways = pair.map(|(_, way)| way);
        let middle = 0.5 * (ways[0] + ways[1]);
        let [a, b] = numbers.map(|k| bodies[k].at_end(position + middle));
        let room = a.sample.distance + b.sample.distance;
        if a.caught || b.caught || room >= thickness.wanted() {
            return None;
        }
        let apart = a.sample.normal - b.sample.normal;
        let is_across = || {
            let along = apart.dot(cloth().normalize_or_zero()).abs();
            apart.length() > ONE_SIDE && along > ACROSS * apart.length()
        };
        let is_between = a.sample.normal.dot(b.sample.normal) < OPPOSITE;
        if !is_between && !is_across() {
            return None;
        }
        let friction = numbers.map(|k| bodies[k].friction);
        let [hold_a, hold_b] = friction.map(|f| f.at_rest);
        // Surfaces that move along each other drag the node with them, each as hard as it rubs.
        let share = match hold_a + hold_b {
            sum if sum > 0.0 => hold_a / sum,
            _ => 0.5,
        };
        let normal = apart.normalize();
        // Beside edges only what is across the cloth counts: it may be drawn in between the bodies.
        let sides = [(a, normal), (b, -normal)];
        let across: f64 = sides
            .map(|(body, out)| body.sample.distance * body.sample.normal.dot(out))
            .iter()
            .sum();
        let kept = if is_between { room } else { room.min(across) };
        let dragged = share * ways[0] + (1.0 - share) * ways[1];
        Some(Pinch {
            bodies: numbers,
            normal,
            squeeze: thickness.offset - 0.5 * kept,
            force: thickness.strength * (1.0 - room.max(0.0) / (2.0 * thickness.offset)).max(0.0),
            way: middle.project_onto_normalized(normal) + dragged.reject_from_normalized(normal),
            friction,
        })
    }

    /// The friction of both bodies on a node with this velocity relative to the surfaces (m/s) when the step
    /// begins: what slides already is stopped by sliding friction alone.
    pub fn friction(&self, velocity: DVec3) -> [Friction; 2] {
        let speed = velocity.reject_from_normalized(self.normal).length();
        self.friction.map(|friction| Friction {
            at_rest: friction.at_speed(speed),
            ..friction
        })
    }

    /// Records the force that the bodies press the node with during a step of this reach (s).
    pub fn book_pressure(&self, given: &mut Given, reach: f64) {
        let impulse = reach * self.force * self.normal;
        book(given, self.bodies[0], impulse);
        book(given, self.bodies[1], -impulse);
    }

    /// Records an impulse (N·s) that both bodies together gave the node besides: along the normal the one
    /// that pushes, along the surfaces each as hard as it rubs.
    pub fn book(&self, given: &mut Given, impulse: DVec3) {
        let push = impulse.project_onto_normalized(self.normal);
        let pusher = usize::from(push.dot(self.normal) < 0.0);
        book(given, self.bodies[pusher], push);
        let [a, b] = self.friction.map(|f| f.at_rest);
        if a + b > 0.0 {
            let rub = impulse - push;
            book(given, self.bodies[0], a / (a + b) * rub);
            book(given, self.bodies[1], b / (a + b) * rub);
        }
    }

    /// What friction can still give the node in this step (N·s), after what it gave already. `velocity` as
    /// for [`friction`](Self::friction).
    pub fn left(&self, given: &Given, velocity: DVec3, reach: f64) -> f64 {
        let friction = self.friction(velocity);
        let most: f64 = friction.map(|f| f.at_rest).iter().sum();
        let ours = given
            .iter()
            .filter(|g| self.bodies.contains(&(g.0 as usize)));
        let spent: DVec3 = ours.map(|&(_, impulse)| impulse).sum();
        let spent = spent.reject_from_normalized(self.normal).length();
        (most * self.force * reach - spent).max(0.0)
    }

    /// What friction with this impulse (N·s) leaves of the candidate step of a node that started at `from`.
    /// The solve and the limits have had theirs; this is for integrators and limits that know of none.
    pub fn slow(
        &self,
        from: DVec3,
        candidate: Candidate,
        (mass, impulse): (f64, f64),
        h: f64,
    ) -> Candidate {
        let along = |vector: DVec3| vector.reject_from_normalized(self.normal);
        let slip = along(candidate.velocity - self.way / h);
        let speed = slip.length();
        if speed == 0.0 {
            return candidate;
        }
        // Not every integrator's way is its velocity; as much is taken of either.
        let share = (impulse / (mass * speed)).min(1.0);
        Candidate {
            position: candidate.position - share * along(candidate.position - from - self.way),
            velocity: candidate.velocity - share * slip,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Shape;
    use crate::drive::Pose;
    use glam::DQuat;

    const OFFSET: f64 = 5e-4;
    const THICKNESS: Thickness = Thickness {
        offset: OFFSET,
        spare: 1.0,
        strength: 2.0,
    };

    /// A floor that faces up and one that faces down, this far apart (m), the upper one moving by so much.
    fn jaws(room: f64, way: DVec3) -> [Placement; 2] {
        let pose = |translation, rotation| Pose {
            translation,
            rotation,
        };
        let jaw = |friction: f64, start, end| Placement {
            shape: Shape::Plane,
            friction: friction.into(),
            recovery: 1.0,
            start,
            end,
            passes: Vec::new(),
        };
        let over = DQuat::from_rotation_x(std::f64::consts::PI);
        let above = DVec3::Z * room;
        [
            jaw(0.2, Pose::IDENTITY, Pose::IDENTITY),
            jaw(0.6, pose(above, over), pose(above + way, over)),
        ]
    }

    fn find(jaws: &[Placement], height: f64) -> Option<Pinch> {
        Pinch::find(jaws, 0, DVec3::Z * height, THICKNESS, || DVec3::ZERO)
    }

    #[test]
    fn pressure_grows_with_the_squeeze_up_to_its_strength() {
        let force = |room| {
            find(&jaws(room, DVec3::ZERO), 0.5 * room).map(|p| (p.force, OFFSET - p.squeeze))
        };
        assert!(force(1.001e-3).is_none());
        let close =
            |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() < 1e-12 && (b - d).abs() < 1e-15;
        assert!(close(force(0.75e-3).unwrap(), (0.5, 0.375e-3)));
        assert!(close(force(0.0).unwrap(), (2.0, 0.0)));
        assert!(close(force(-0.2e-3).unwrap(), (2.0, -0.1e-3)));
    }

    #[test]
    fn room_that_both_want_is_shared_without_pressure() {
        let wants = Thickness {
            spare: 1.3,
            ..THICKNESS
        };
        let find = |room: f64| {
            let jaws = jaws(room, DVec3::ZERO);
            Pinch::find(&jaws, 0, 0.5 * room * DVec3::Z, wants, || DVec3::ZERO)
        };
        let shared = find(1.2e-3).unwrap();
        assert_eq!(shared.force, 0.0);
        assert!((shared.squeeze + 1e-4).abs() < 1e-15);
        assert!(find(1.301e-3).is_none());
        // What is thinner than the cloth presses it as ever.
        assert!((find(0.75e-3).unwrap().force - 0.5).abs() < 1e-12);
    }

    #[test]
    fn the_place_between_goes_with_both_and_rather_with_the_one_that_rubs_harder() {
        let way = DVec3::new(4e-4, 0.0, -2e-4);
        let pinch = find(&jaws(1e-3, way), 5e-4).unwrap();
        assert!((pinch.squeeze - 1e-4).abs() < 1e-15);
        let expected = DVec3::new(3e-4, 0.0, -1e-4);
        assert!(pinch.way.distance(expected) < 1e-15, "{}", pinch.way);
    }

    #[test]
    fn bodies_side_by_side_do_not_pinch() {
        let [floor, _] = jaws(0.0, DVec3::ZERO);
        let wall = Placement {
            end: Pose {
                rotation: DQuat::from_rotation_x(0.5 * std::f64::consts::PI),
                ..Pose::IDENTITY
            },
            ..floor.clone()
        };
        assert!(find(&[floor, wall], 1e-4).is_none());
    }

    #[test]
    fn cloth_gives_way_beside_the_edges_of_fingers_but_not_in_the_corner_of_a_room() {
        let bar = |side: f64| Placement {
            shape: Shape::Cuboid {
                half_size: DVec3::new(0.01, 0.01, 0.01),
            },
            start: Pose {
                translation: DVec3::new(-0.01, 0.0, side * (0.01 + 0.5 * OFFSET)),
                rotation: DQuat::IDENTITY,
            },
            end: Pose {
                translation: DVec3::new(-0.01, 0.0, side * (0.01 + 0.5 * OFFSET)),
                rotation: DQuat::IDENTITY,
            },
            passes: Vec::new(),
            friction: 0.5.into(),
            recovery: 1.0,
        };
        let fingers = [bar(1.0), bar(-1.0)];
        let beside =
            |x: f64, cloth: DVec3| Pinch::find(&fingers, 0, DVec3::X * x, THICKNESS, || cloth);
        // From between them to where their edges are half a thickness away the pressure falls without a jump.
        let forces = [-0.1, 0.0, 0.3, 0.6, 0.86, 0.87]
            .map(|share| beside(share * OFFSET, DVec3::Z).map_or(0.0, |p| p.force));
        assert!(forces.is_sorted_by(|a, b| a >= b), "{forces:?}");
        assert!((forces[0] - 1.0).abs() < 1e-12 && forces[3] > 0.3 && forces[5] == 0.0);
        let pinch = beside(0.6 * OFFSET, DVec3::Z).unwrap();
        assert!(
            pinch.normal.abs_diff_eq(DVec3::NEG_Z, 1e-9),
            "{}",
            pinch.normal
        );
        // It keeps no more from either than those between them do, so that it can be drawn in.
        assert!((pinch.squeeze - 0.5 * OFFSET).abs() < 1e-12);
        // Cloth that passes by on its edge has both fingers on one side.
        assert!(beside(0.6 * OFFSET, DVec3::X).is_none());
        let [floor, _] = jaws(0.0, DVec3::ZERO);
        let wall = Placement {
            end: Pose {
                rotation: DQuat::from_rotation_x(0.5 * std::f64::consts::PI),
                ..Pose::IDENTITY
            },
            ..floor.clone()
        };
        let at = DVec3::new(0.0, -0.9 * OFFSET, 0.9 * OFFSET);
        for cloth in [DVec3::Z, DVec3::Y, DVec3::new(0.0, -1.0, 1.0)] {
            let room = [floor.clone(), wall.clone()];
            assert!(Pinch::find(&room, 0, at, THICKNESS, || cloth).is_none());
        }
    }

    #[test]
    fn what_both_gave_adds_up_and_friction_is_spent_once() {
        let pinch = find(&jaws(0.5e-3, DVec3::ZERO), 2.5e-4).unwrap();
        let mut given = Given::new();
        pinch.book_pressure(&mut given, 0.01);
        assert!((pinch.left(&given, DVec3::ZERO, 0.01) - 0.8 * 0.01).abs() < 1e-15);
        let impulse = DVec3::new(3e-3, 0.0, -5e-3);
        pinch.book(&mut given, impulse);
        let sum: DVec3 = given.iter().map(|g| g.1).sum();
        assert!(sum.distance(impulse) < 1e-15);
        assert!((given[1].1.z + 0.01 + 5e-3).abs() < 1e-15);
        assert!((pinch.left(&given, DVec3::ZERO, 0.01) - 5e-3).abs() < 1e-15);
        pinch.book(&mut given, DVec3::X);
        assert_eq!(pinch.left(&given, DVec3::ZERO, 0.01), 0.0);
    }
}
