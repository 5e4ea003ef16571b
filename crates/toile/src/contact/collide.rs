//! Contact of nodes with bodies, on a candidate step.
//!
//! The candidate motion of a node is followed through the body's own frame, where the body stands still.
//! From a point at distance `φ` no surface is nearer than `φ`, so the point may advance by that much
//! (sphere tracing); it either reaches the end of the step or stops at the surface. At a contact with
//! normal `N`, the relative normal velocity becomes non-negative and the tangential one loses what Coulomb
//! friction takes:
//!
//! `v_T,rel ← max(0, 1 − μ Δv_N / |v_T,rel|) v_T,rel`, with `Δv_N` the change of normal velocity
//! (Bridson, Marino and Fedkiw 2003, section 5).
//!
//! What penetration is left (curved surfaces, starts inside) is taken out of the position alone, so it
//! adds no energy.
//!
//! **Relaxation.** With a relaxation time `Δτ` the node is not brought to the surface at once, from above or
//! from below: the normal velocity becomes `−φ/Δτ` with `φ` at the start of the step, so that `φ` falls by
//! the part `h/Δτ` in every step of contact (same section).

use super::NodeImpact;
use super::{Nearby, Placement, Shape, obstacles};
use crate::parallel;
use glam::DVec3;

/// A node's step before it is committed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub position: DVec3,
    pub velocity: DVec3,
}

impl Candidate {
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.velocity.is_finite()
    }
}

/// Passes over all bodies: bodies that press a node from two sides need a second look at the first. Nodes
/// between two bodies are left to `pinch`.
const PASSES: usize = 2;
/// Steps of sphere tracing before a grazing motion counts as contact, which is the safe side. Each takes off
/// the whole distance, so only tangents need more.
pub(crate) const TRACE_LIMIT: usize = 64;

/// Lets one node's candidate step collide with all bodies. `from` is its position at the start of the step,
/// `offset` the distance to keep from every surface (half the cloth's thickness). `met` hears which body made
/// what of which candidate.
pub(crate) fn collide(
    bodies: &[Placement],
    node: usize,
    from: DVec3,
    mut candidate: Candidate,
    offset: f64,
    h: f64,
    mut met: impl FnMut(usize, &Candidate, &Candidate),
) -> Candidate {
    let (mut first, mut several) = (None, false);
    for _ in 0..PASSES {
        let mut touched = false;
        for (number, body) in obstacles(bodies, node) {
            let kept = body.kept(from, offset);
            if let Some(contact) = find_contact(body, from, candidate.position, kept) {
                let aim = Aim::of(body, from, offset, h);
                let after = respond(body, candidate, &contact, &aim, h);
                met(number, &candidate, &after);
                candidate = after;
                touched = true;
                several |= *first.get_or_insert(number) != number;
            }
        }
        if !touched {
            break;
        }
    }
    if several {
        // Following the motion along one body forgets that another has taken the node out of itself.
        for (_, body) in obstacles(bodies, node) {
            let kept = body.kept(from, offset);
            candidate.position = push_out(body, candidate.position, kept);
        }
    }
    candidate
}

/// Where contact leads a node.
struct Aim {
    /// Distance from the surface that it must have at the end of the step (m).
    distance: f64,
    /// Velocity away from the surface that it must have (m/s).
    speed: f64,
}

impl Aim {
    fn of(body: &Placement, from: DVec3, offset: f64, h: f64) -> Self {
        match body.relaxed(from, offset, h) {
            Some(relaxed) => Aim {
                distance: relaxed.distance,
                speed: relaxed.speed,
            },
            None => Aim {
                distance: offset,
                speed: 0.0,
            },
        }
    }
}

fn find_contact(body: &Placement, from: DVec3, to: DVec3, offset: f64) -> Option<NodeImpact> {
    if let Shape::Moving(surface) = &body.shape {
        return surface.follow((from, to), offset, touching(offset));
    }
    let (start, end) = (body.start.unapply(from), body.end.unapply(to));
    let length = start.distance(end);
    let at_end = body.shape.sample(end);
    // Too far away to meet, however it moves: the common case.
    if at_end.distance - offset > length {
        return None;
    }
    let contact = |local, normal: DVec3, fraction| NodeImpact {
        carried: body.end.apply(local),
        way: body.end.apply(local) - body.start.apply(local),
        normal: body.end.rotation * normal,
        fraction,
        caught: false,
    };
    let mut travelled = 0.0;
    for _ in 0..TRACE_LIMIT {
        let fraction = if length > 0.0 {
            travelled / length
        } else {
            1.0
        };
        let local = start.lerp(end, fraction);
        let sample = body.shape.sample(local);
        let clearance = sample.distance - offset;
        if clearance <= touching(offset) {
            // At the surface already when the step begins: only a motion into the body is a contact.
            if travelled > 0.0 || (end - start).dot(sample.normal) < 0.0 {
                return Some(contact(local, sample.normal, fraction));
            }
            break;
        }
        travelled += clearance;
        if travelled >= length {
            break;
        }
    }
    (at_end.distance < offset).then(|| contact(end, at_end.normal, 1.0))
}

fn respond(
    body: &Placement,
    candidate: Candidate,
    contact: &NodeImpact,
    aim: &Aim,
    h: f64,
) -> Candidate {
    let surface_velocity = contact.way / h;
    if contact.caught {
        return Candidate {
            position: contact.carried,
            velocity: surface_velocity,
        };
    }
    let relative = candidate.velocity - surface_velocity;
    let slide = slide(body, relative, contact.normal, aim.speed);
    let rest_of_step = (1.0 - contact.fraction) * h;
    let position = contact.carried + rest_of_step * slide;
    Candidate {
        position: push_out(body, position, aim.distance),
        velocity: surface_velocity + slide,
    }
}

/// The velocity relative to a body's surface (m/s) that contact leaves: with at least this speed away from
/// the body, and slower by friction.
fn slide(body: &Placement, relative: DVec3, normal: DVec3, least: f64) -> DVec3 {
    let leaving = relative.dot(normal);
    if leaving >= least {
        return relative;
    }
    let tangential = relative - leaving * normal;
    body.friction.slow(tangential, least - leaving) + least * normal
}

/// Distance from the surface, less the offset, at which a node counts as touching it (m).
fn touching(offset: f64) -> f64 {
    1e-9 + 1e-6 * offset
}

/// Takes from a candidate that stands at the surface of bodies at the end of the step the velocity with which
/// it would go on into them. Its position stays. `met` as for [`collide`].
pub(crate) fn halt(
    bodies: &[Placement],
    node: usize,
    mut candidate: Candidate,
    offset: f64,
    h: f64,
    mut met: impl FnMut(usize, &Candidate, &Candidate),
) -> Candidate {
    for (number, body) in obstacles(bodies, node) {
        let Nearby { sample, way, .. } = body.at_end(candidate.position);
        if sample.distance - offset <= touching(offset) {
            let surface_velocity = way / h;
            let relative = candidate.velocity - surface_velocity;
            // A node that is still inside goes on coming out.
            let least = match body.recovery < 1.0 {
                true => body.recovery * (offset - sample.distance).max(0.0) / h,
                false => 0.0,
            };
            let before = candidate;
            candidate.velocity = surface_velocity + slide(body, relative, sample.normal, least);
            met(number, &before, &candidate);
        }
    }
    candidate
}

/// Takes penetration out of a position, or some of it if it is deep.
fn push_out(body: &Placement, point: DVec3, offset: f64) -> DVec3 {
    let Nearby { sample, caught, .. } = body.at_end(point);
    if caught {
        return point;
    }
    let missing = (offset - sample.distance).max(0.0);
    point + missing.min(body.deepest(offset)) * sample.normal
}

/// The smallest distance from any of the nodes at these points to any body that they meet, at the end of the
/// step (m), less the offset kept from them; `None` without bodies or points.
pub fn smallest_gap(bodies: &[Placement], points: &[DVec3], offsets: &[f64]) -> Option<f64> {
    let met = points.len().min(offsets.len());
    let gaps = gaps(bodies, &points[..met], |i| offsets[i]);
    gaps.into_iter().reduce(f64::min)
}

/// The smallest distance of every point to any body at the end of the step (m), less the offset that it
/// keeps; nothing without bodies.
pub(crate) fn gaps(
    bodies: &[Placement],
    points: &[DVec3],
    offset: impl Fn(usize) -> f64 + Sync,
) -> Vec<f64> {
    if bodies.is_empty() {
        return Vec::new();
    }
    let gap = |i: usize| {
        let met = obstacles(bodies, i);
        let distances = met.map(|(_, b)| b.sample(points[i]).distance);
        distances.fold(f64::INFINITY, f64::min) - offset(i)
    };
    parallel::in_order(points.len(), gap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::Pose;
    use glam::DQuat;

    fn at(z: f64) -> Pose {
        Pose {
            translation: DVec3::Z * z,
            rotation: DQuat::IDENTITY,
        }
    }

    fn still(shape: Shape, friction: f64) -> Placement {
        Placement {
            shape,
            friction: friction.into(),
            recovery: 1.0,
            start: Pose::IDENTITY,
            end: Pose::IDENTITY,
            passes: Vec::new(),
        }
    }

    fn move_node(body: Placement, from: DVec3, velocity: DVec3, h: f64) -> Candidate {
        let candidate = Candidate {
            position: from + h * velocity,
            velocity,
        };
        collide(&[body], 0, from, candidate, 1e-3, h, |_, _, _| ())
    }

    #[test]
    fn a_fast_node_does_not_tunnel_through_a_thin_disc() {
        let disc = Shape::Disc {
            radius: 1.0,
            thickness: 1e-3,
        };
        let end = move_node(
            still(disc, 0.0),
            DVec3::new(0.2, 0.0, 0.5),
            DVec3::NEG_Z * 100.0,
            0.01,
        );
        assert!((end.position.z - 1e-3).abs() < 1e-8, "{}", end.position);
        assert!(end.velocity.z.abs() < 1e-12);
    }

    #[test]
    fn a_thin_plate_that_moves_fast_carries_the_node_along() {
        let body = Placement {
            shape: Shape::Disc {
                radius: 1.0,
                thickness: 1e-3,
            },
            friction: 0.3.into(),
            recovery: 1.0,
            start: at(-0.1),
            end: at(0.4),
            passes: Vec::new(),
        };
        let end = move_node(body, DVec3::ZERO, DVec3::ZERO, 0.01);
        assert!(end.position.z >= 0.4 + 1e-3 - 1e-12, "{}", end.position);
        assert!((end.velocity.z - 50.0).abs() < 1e-9);
    }

    #[test]
    fn friction_takes_mu_times_the_normal_change_and_no_more_than_all() {
        let from = DVec3::Z * 1e-3;
        let falling = DVec3::new(1.0, 0.0, -0.5);
        let slide = move_node(still(Shape::Plane, 0.4), from, falling, 0.01);
        assert!((slide.velocity.x - 0.8).abs() < 1e-12);
        let stick = move_node(still(Shape::Plane, 3.0), from, falling, 0.01);
        assert_eq!(stick.velocity, DVec3::ZERO);
    }

    #[test]
    fn a_node_that_rests_on_a_thin_disc_is_not_pushed_through() {
        let disc = Shape::Disc {
            radius: 1.0,
            thickness: 1e-3,
        };
        let end = move_node(still(disc, 0.0), DVec3::Z * 1e-3, DVec3::NEG_Z * 9.0, 0.01);
        assert!(end.position.z >= 1e-3 - 1e-12);
    }

    #[test]
    fn a_node_in_a_corner_of_walls_that_close_in_is_in_neither() {
        let wall = |angle: f64| {
            let pose = |way: f64| {
                let rotation = DQuat::from_rotation_y(angle);
                Pose {
                    translation: rotation * DVec3::Z * way,
                    rotation,
                }
            };
            Placement {
                start: pose(0.0),
                end: pose(5e-4),
                ..still(Shape::Plane, 0.2)
            }
        };
        let walls = [wall(0.0), wall(std::f64::consts::FRAC_PI_2)];
        // Deep in the first, on its way along both.
        let from = DVec3::new(1.2e-3, 0.0, 1e-4);
        let candidate = Candidate {
            position: from + DVec3::new(-1e-3, 1e-3, -1e-4),
            velocity: DVec3::new(-0.1, 0.1, -0.01),
        };
        let end = collide(&walls, 0, from, candidate, 1e-3, 0.01, |_, _, _| ());
        assert!(smallest_gap(&walls, &[end.position], &[1e-3]).unwrap() > -1e-12);
    }

    #[test]
    fn a_node_that_leaves_is_not_held_back() {
        let up = DVec3::Z * 2.0;
        let end = move_node(still(Shape::Plane, 1.0), DVec3::ZERO, up, 0.01);
        assert_eq!(end.velocity, up);
    }

    #[test]
    fn a_relaxing_contact_brings_nodes_to_the_surface_at_its_own_pace() {
        let floor = Placement {
            recovery: 0.1,
            ..still(Shape::Plane, 0.0)
        };
        let h = 0.01;
        // From below at rest, and from above on the way through: φ loses a tenth.
        for (gap, velocity) in [(-0.02, DVec3::ZERO), (0.02, DVec3::NEG_Z * 5.0)] {
            let from = DVec3::Z * (1e-3 + gap);
            let end = move_node(floor.clone(), from, velocity, h);
            assert!((end.position.z - 1e-3 - 0.9 * gap).abs() < 1e-9, "{end:?}");
            assert!((end.velocity.z + 0.1 * gap / h).abs() < 1e-9, "{end:?}");
        }
        // Whoever leaves faster, or does not arrive, is left alone.
        for (gap, velocity) in [(-0.02, DVec3::Z), (0.02, DVec3::NEG_Z)] {
            let from = DVec3::Z * (1e-3 + gap);
            let end = move_node(floor.clone(), from, velocity, h);
            assert_eq!(end.velocity, velocity);
            assert_eq!(end.position, from + h * velocity);
        }
    }

    #[test]
    fn a_node_that_starts_inside_comes_out_without_speed() {
        let ball = still(Shape::Sphere { radius: 1.0 }, 0.0);
        let end = move_node(ball, DVec3::Z * 0.9, DVec3::ZERO, 0.01);
        assert!((end.position.z - 1.001).abs() < 1e-12);
        assert_eq!(end.velocity, DVec3::ZERO);
    }
}
