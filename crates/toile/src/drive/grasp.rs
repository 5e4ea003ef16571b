//! Grasps: cloth that is held because somebody said so while it moves.

use super::{Pose, Travel};
use glam::DVec3;

/// Nodes, or a point between them, that ride on a moving frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Grasp {
    /// What commands call it by.
    pub id: u32,
    /// The nodes, numbered over the whole world.
    pub nodes: Vec<u32>,
    /// Weights of the nodes, if a single point between them is held; empty if each node is held by itself.
    pub weights: Vec<f64>,
    /// Where each node, or the point, is in the frame (m).
    pub anchors: Vec<DVec3>,
    /// The frame.
    pub travel: Travel,
    /// Places that the anchors come from, while they do.
    pub leaving: Option<Leaving>,
    /// How firmly it holds.
    pub grip: Grip,
}

/// Places (m) that anchors leave, evenly, during a span of time (s).
#[derive(Clone, Debug, PartialEq)]
pub struct Leaving {
    /// When they began to.
    pub since: f64,
    /// When they have arrived.
    pub until: f64,
    /// One for each anchor.
    pub places: Vec<DVec3>,
}

/// How firmly a grasp holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Grip {
    /// Nodes are where they are led.
    #[default]
    Rigid,
    /// They are pulled there.
    Spring {
        /// Of the grasp as a whole (N/m).
        stiffness: f64,
        /// Of the motion relative to the frame, as a whole (N·s/m).
        damping: f64,
    },
}

/// What is grasped.
#[derive(Clone, Debug, PartialEq)]
pub enum Grasped {
    /// Nodes, numbered over the whole world, each by itself.
    Nodes(Vec<u32>),
    /// A point on a face. A rigid grip holds the whole face; a spring pulls at the point.
    Point {
        /// The cloth, by number.
        cloth: usize,
        /// The face, by its number in the cloth.
        face: usize,
        /// Weights of the face's corners; they add up to 1.
        weights: Vec<f64>,
    },
}

/// Where a grasp is to go.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A pose of its frame.
    Pose(Pose),
    /// A place for each of its nodes, or for its point (m).
    Places(Vec<DVec3>),
    /// On and on: velocity of the frame's origin (m/s) and about it (rad/s).
    Velocity {
        /// m/s
        linear: DVec3,
        /// rad/s
        angular: DVec3,
    },
}

impl Grasp {
    /// Where an anchor is at a time (s).
    pub fn place(&self, anchor: usize, time: f64) -> DVec3 {
        let place = self.travel.pose(time).apply(self.anchors[anchor]);
        match &self.leaving {
            Some(leaving) if time <= leaving.since => leaving.places[anchor],
            Some(leaving) if time < leaving.until => {
                let done = (time - leaving.since) / (leaving.until - leaving.since);
                leaving.places[anchor].lerp(place, done)
            }
            _ => place,
        }
    }

    /// Leads it from where it is at the time `now` (s) to a target, within so many seconds.
    pub(crate) fn lead(&mut self, target: Target, now: f64, within: f64) {
        match target {
            Target::Pose(pose) => self.travel = self.travel.towards(pose, now, within),
            Target::Velocity { linear, angular } => {
                self.travel = self.travel.with_velocity(linear, angular, now);
            }
            Target::Places(places) => {
                let here = (0..self.anchors.len()).map(|k| self.place(k, now));
                self.leaving = Some(Leaving {
                    since: now,
                    until: now + within,
                    places: here.collect(),
                });
                let frame = self.travel.pose(now);
                self.travel = Travel::at(frame);
                self.anchors = places.into_iter().map(|p| frame.unapply(p)).collect();
                return;
            }
        }
        // What is on its way to places of its own goes on from there with the frame.
        if self.leaving.as_ref().is_some_and(|l| l.until <= now) {
            self.leaving = None;
        }
    }

    /// Whether it has hold of a node.
    pub fn holds(&self, node: u32) -> bool {
        self.nodes.contains(&node)
    }

    /// Whether it holds its nodes where they are led.
    pub fn is_rigid(&self) -> bool {
        self.grip == Grip::Rigid
    }

    /// Whether a grasp like this could be in a world of so many nodes.
    pub(crate) fn fits(&self, nodes: usize) -> bool {
        let is_point = !self.weights.is_empty();
        let anchors = if is_point { 1 } else { self.nodes.len() };
        let inside = |n: &u32| (*n as usize) < nodes;
        let weights = !is_point || self.weights.len() == self.nodes.len() && !self.is_rigid();
        let numbers = self.weights.iter().all(|w| w.is_finite())
            && self.anchors.iter().all(|a| a.is_finite())
            && self.travel.is_possible();
        let leaving = self
            .leaving
            .as_ref()
            .is_none_or(|l| l.places.len() == anchors && l.places.iter().all(|p| p.is_finite()));
        let size = !self.nodes.is_empty() && (!is_point || self.nodes.len() <= 4);
        size && self.anchors.len() == anchors
            && self.nodes.iter().all(inside)
            && weights
            && numbers
            && leaving
            && self.grip.is_possible()
    }
}

impl Grip {
    /// Whether its numbers make sense.
    pub(crate) fn is_possible(&self) -> bool {
        match *self {
            Grip::Rigid => true,
            Grip::Spring { stiffness, damping } => {
                let finite = stiffness.is_finite() && damping.is_finite();
                finite && stiffness > 0.0 && damping >= 0.0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grasp() -> Grasp {
        Grasp {
            id: 0,
            nodes: vec![3, 5],
            weights: Vec::new(),
            anchors: vec![DVec3::ZERO, DVec3::X],
            travel: Travel::at(Pose::IDENTITY),
            leaving: None,
            grip: Grip::Rigid,
        }
    }

    #[test]
    fn anchors_go_evenly_to_places_of_their_own() {
        let mut grasp = grasp();
        let places = vec![DVec3::Z, DVec3::new(1.0, 2.0, 0.0)];
        grasp.lead(Target::Places(places.clone()), 1.0, 2.0);
        assert_eq!(grasp.place(1, 1.0), DVec3::X);
        assert!(grasp.place(0, 2.0).distance(0.5 * DVec3::Z) < 1e-15);
        assert!(grasp.place(1, 3.0).distance(places[1]) < 1e-15);
        // From then on the frame carries them there.
        grasp.lead(
            Target::Pose(Pose {
                translation: DVec3::Y,
                ..Pose::IDENTITY
            }),
            4.0,
            0.0,
        );
        assert!(grasp.place(1, 5.0).distance(places[1] + DVec3::Y) < 1e-15);
    }

    #[test]
    fn places_at_once_are_reached_in_the_next_step() {
        let mut grasp = grasp();
        grasp.lead(Target::Places(vec![DVec3::Y, DVec3::Z]), 1.0, 0.0);
        assert_eq!(grasp.place(0, 1.0), DVec3::ZERO);
        assert_eq!(grasp.place(0, 1.01), DVec3::Y);
    }
}
