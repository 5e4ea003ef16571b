//! What commands have changed of a world: part of its state, so that a snapshot in the middle of a grasp goes on to the
//! same bits.

use super::{Grasp, Pose, Travel};
use glam::DVec3;

/// All that has been commanded and still holds. A world that was told nothing has the default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Commanded {
    /// Acceleration of gravity (m/s²), if other than the model's.
    pub gravity: Option<DVec3>,
    /// Mean velocity of the air (m/s), if other than the model's; gusts come on top of it.
    pub wind: Option<DVec3>,
    /// Forces on the nodes (N): one for each, or none at all.
    pub forces: Vec<DVec3>,
    /// What is grasped, by id.
    pub grasps: Vec<Grasp>,
    /// How many grasps there have been: the id of the next.
    pub grasps_made: u32,
    /// Bodies that are led, by number, in the place of their paths.
    pub bodies: Vec<(u32, Travel)>,
    /// Numbers of the scene that were changed, in the order in which they first were.
    pub settings: Vec<Setting>,
    /// Where in its stages the run is, if it has begun any.
    pub stage: Option<StageMark>,
}

/// Where in its stages a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageMark {
    /// The stage's number, from 0.
    pub number: u32,
    /// Whether its commands have been given.
    pub is_told: bool,
    /// When it began (s).
    pub since: f64,
    /// Since when the cloth has been still (s); since the beginning, unless the stage waits for that.
    pub quiet_since: f64,
    /// The first stage, from 0, that ended though what it waited for had not come.
    pub cut_short: Option<u32>,
}

/// A number of the scene that has another value.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// What it is called there, such as `cloth.sheet.material.bend`.
    pub name: String,
    /// Its value.
    pub value: f64,
}

impl Commanded {
    /// How a body is led, if it is.
    pub fn body(&self, body: usize) -> Option<&Travel> {
        let found = self
            .bodies
            .binary_search_by_key(&(body as u32), |(b, _)| *b);
        found.ok().map(|k| &self.bodies[k].1)
    }

    /// Where a body is at a time (s), if it is led.
    pub(crate) fn body_pose(&self, body: usize, time: f64) -> Option<Pose> {
        self.body(body).map(|travel| travel.pose(time))
    }

    /// Leads a body.
    pub(crate) fn lead_body(&mut self, body: usize, travel: Travel) {
        let key = body as u32;
        match self.bodies.binary_search_by_key(&key, |(b, _)| *b) {
            Ok(k) => self.bodies[k].1 = travel,
            Err(k) => self.bodies.insert(k, (key, travel)),
        }
    }

    /// A grasp by its id.
    pub fn grasp(&self, id: u32) -> Option<&Grasp> {
        self.grasps.iter().find(|g| g.id == id)
    }

    /// Whether something commanded holds or pulls at one of these nodes.
    pub(crate) fn grasps_any(&self, nodes: &std::ops::Range<usize>) -> bool {
        let inside = |n: &u32| nodes.contains(&(*n as usize));
        self.grasps.iter().any(|g| g.nodes.iter().any(inside))
    }

    /// Changes a number of the scene.
    pub(crate) fn set(&mut self, name: &str, value: f64) {
        match self.settings.iter_mut().find(|s| s.name == name) {
            Some(setting) => setting.value = value,
            None => self.settings.push(Setting {
                name: name.to_owned(),
                value,
            }),
        }
    }

    /// Whether this could be of a world with so many nodes and bodies.
    pub(crate) fn fits(&self, nodes: usize, bodies: usize) -> bool {
        let ids = self.grasps.windows(2).all(|w| w[0].id < w[1].id)
            && self.grasps.iter().all(|g| g.id < self.grasps_made);
        let led = self
            .bodies
            .iter()
            .all(|(b, travel)| (*b as usize) < bodies && travel.is_possible());
        let in_order = self.bodies.windows(2).all(|w| w[0].0 < w[1].0);
        let fields = [self.gravity, self.wind].into_iter().flatten();
        let forces = self.forces.is_empty() || self.forces.len() == nodes;
        let stage = self
            .stage
            .is_none_or(|mark| mark.since.is_finite() && mark.quiet_since.is_finite());
        fields
            .chain(self.forces.iter().copied())
            .all(|v| v.is_finite())
            && forces
            && ids
            && self.grasps.iter().all(|g| g.fits(nodes))
            && led
            && in_order
            && stage
    }
}
