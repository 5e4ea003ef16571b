//! Folds that reach into bodies are shown outside of them (Bridson, Marino and Fedkiw 2003, section 5.3).
//!
//! Where contact relaxes, or cloth starts inside a body, waves of the cloth lie partly below the surface.
//! Putting every node that is too deep on the surface would cut the waves off. Instead distances `φ ≤ τ` from
//! a body are mapped by an increasing function into `[ε, τ]`, with `ε` half of the cloth's thickness, and
//! every node is moved along the normal to its new distance: what was above stays above.
//!
//! `φ' = τ − k (τ − φ)`, `k = (τ − ε)/(τ − ε + d)`,
//!
//! `d` being by how much the deepest node at that body is too deep. It ends at `ε`, `τ` and all above stay,
//! and waves keep the part `k` of their height. The paper leaves the function open and wants it to be flat by
//! the deepest likely depth; with the true depth of every frame a straight line does, which presses nothing
//! together more than the rest. Where nothing is too deep, `k = 1` and nothing is moved.
//!
//! It is a matter of what is **shown**. The state stays as it is: the moves have no place in the momentum
//! balance, and fed back they would lift all the cloth at a body whenever one node sinks in. Nodes with two
//! bodies nearer than `τ` are pinched and stay where they are. Ways on which cloth would pass through cloth
//! are cut short.

use super::{ClothContact, Placement, obstacles, place_bodies};
use crate::model::Model;
use crate::parallel;
use crate::state::State;
use glam::DVec3;

/// Moves along the normal before a node is left where it got to. Each is Newton's method on an exact distance
/// and would need one; distances of level sets are interpolated.
const MOVES: usize = 10;
/// A node is where it should be within this part of `τ`: far below what can be seen.
const FOLD_TOLERANCE: f64 = 1e-6;

/// Shows states with their folds outside of bodies.
#[derive(Debug)]
pub struct FoldPreserver {
    height: f64,
    /// Of each node at one body: which, and how far from it (m).
    near: Vec<Option<(usize, f64)>>,
    shown: Vec<DVec3>,
    contact: Option<Box<ClothContact>>,
}

impl FoldPreserver {
    /// Folds get the room from half the thickness of the cloth to `height` (m) above bodies. Cloth that is
    /// thicker than that is left alone.
    pub fn new(model: &Model, height: f64) -> Self {
        FoldPreserver {
            height,
            near: vec![None; model.node_count()],
            shown: vec![DVec3::ZERO; model.node_count()],
            contact: ClothContact::for_model(model).map(Box::new),
        }
    }

    /// Where to show the nodes of a state (m).
    pub fn show(&mut self, model: &Model, state: &State) -> &[DVec3] {
        let bodies: Vec<Placement> = place_bodies(model, state, 0.0).collect();
        let (height, positions) = (self.height, &state.positions);
        parallel::fill(&mut self.near, |i| {
            let distances = obstacles(&bodies, i);
            let distances = distances.map(|(k, body)| (k, body.sample(positions[i]).distance));
            let mut near = distances.filter(|(_, distance)| *distance < height);
            let first = near.next();
            first.filter(|_| near.next().is_none() && model.contact_offsets[i] < height)
        });
        let mut depths = vec![0.0f64; bodies.len()];
        for (near, offset) in self.near.iter().zip(&model.contact_offsets) {
            if let Some((body, distance)) = *near {
                depths[body] = depths[body].max(offset - distance);
            }
        }
        let near = &self.near;
        parallel::fill(&mut self.shown, |i| {
            let Some((body, distance)) = near[i] else {
                return positions[i];
            };
            let room = [model.contact_offsets[i], height];
            let wanted = folded_distance(distance, room, depths[body]);
            move_to(&bodies[body], positions[i], wanted, FOLD_TOLERANCE * height)
        });
        if let Some(contact) = self.contact.as_deref_mut()
            && self.shown != *positions
        {
            contact.clear_way(model, positions, &mut self.shown);
        }
        &self.shown
    }
}

/// Where the map takes a distance (m) into the room `[ε, τ]`, if the deepest node is too deep by `depth`.
pub fn folded_distance(distance: f64, [least, most]: [f64; 2], depth: f64) -> f64 {
    if distance >= most || depth <= 0.0 {
        return distance;
    }
    let room = most - least;
    let share = room / (room + depth);
    (most - share * (most - distance)).max(least)
}

/// The point at this distance from a body that is reached along the normals.
fn move_to(body: &Placement, mut point: DVec3, wanted: f64, tolerance: f64) -> DVec3 {
    for _ in 0..MOVES {
        let sample = body.sample(point);
        let missing = wanted - sample.distance;
        if missing.abs() <= tolerance {
            break;
        }
        point += missing * sample.normal;
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Body, Shape};
    use crate::drive::Pose;
    use proptest::prelude::*;

    const ROOM: [f64; 2] = [1e-3, 1e-2];

    proptest! {
        #[test]
        fn the_map_rises_stays_in_its_room_and_never_lowers(
            a in -0.1f64..0.02, step in 1e-6f64..0.01, depth in 1e-6f64..0.1,
        ) {
            let map = |x| folded_distance(x, ROOM, depth);
            prop_assert!(map(a) <= map(a + step));
            prop_assert!(map(a) >= a - 1e-15);
            // Continuous: it is nowhere steeper than the identity.
            prop_assert!(map(a + step) - map(a) <= step + 1e-15);
            if a >= ROOM[1] {
                prop_assert_eq!(map(a), a);
                return Ok(());
            }
            prop_assert!(ROOM[0] <= map(a) && map(a) <= ROOM[1]);
            // Strictly rising as far as anybody is.
            if a > ROOM[0] - depth {
                prop_assert!(map(a) < map(a + step));
            }
        }
    }

    #[test]
    fn the_deepest_node_comes_to_half_the_thickness() {
        for depth in [1e-4, 1e-2, 1.0] {
            let deepest = folded_distance(ROOM[0] - depth, ROOM, depth);
            assert!((deepest - ROOM[0]).abs() < 1e-12);
        }
    }

    #[test]
    fn without_depth_nothing_is_moved() {
        for distance in [1e-3, 5e-3, 2e-2] {
            assert_eq!(folded_distance(distance, ROOM, 0.0), distance);
            // And next to nothing with next to no depth.
            let almost = folded_distance(distance, ROOM, 1e-7);
            assert!((almost - distance).abs() < 1e-7);
        }
    }

    #[test]
    fn nodes_get_to_their_distance_on_turned_bodies() {
        let pose = Pose {
            translation: DVec3::new(0.1, -0.2, 0.3),
            rotation: glam::DQuat::from_rotation_x(0.7),
        };
        let capsule = Body {
            name: "arm".into(),
            shape: Shape::Capsule {
                radius: 0.1,
                half_length: 0.2,
            },
            place: pose,
            path: Default::default(),
            friction: 0.3.into(),
        };
        let arm = capsule.placement(0.0, 0.0);
        let from = pose.apply(DVec3::new(0.05, 0.06, 0.1));
        let to = move_to(&arm, from, 4e-3, 1e-8);
        assert!((arm.sample(to).distance - 4e-3).abs() < 1e-8);
    }
}
