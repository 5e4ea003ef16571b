//! The contacts of a step as a list, for those who ask.

use super::{ClothContact, Loads, Surroundings};
use glam::DVec3;

/// A place where cloth touched a body or cloth in the last step, and what it got there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The nodes of both features, numbered over the whole world: a node alone for a body, a node and the corners of a face, or
    /// the ends of two edges. Those that do not matter have no weight.
    pub nodes: [u32; 4],
    /// Their weights: the first feature's add up to 1, those of the second to −1.
    pub weights: [f64; 4],
    /// The body, by number, if the second feature is one.
    pub body: Option<usize>,
    /// Where they touch, on the first feature (m).
    pub place: DVec3,
    /// From the second feature to the first.
    pub normal: DVec3,
    /// The force on the first feature (N).
    pub force: DVec3,
    /// Whether the features slide along each other; else they stick.
    pub is_sliding: bool,
}

/// A force this near to what friction can do is all that it can do.
const AT_THE_CONE: f64 = 0.999;

impl ContactPoint {
    /// Settles whether it slides, by Coulomb's cone.
    fn with_friction(mut self, coefficient: f64) -> Self {
        let push = self.force.dot(self.normal).max(0.0);
        let drag = self.force.reject_from_normalized(self.normal).length();
        self.is_sliding = drag >= AT_THE_CONE * coefficient * push;
        self
    }
}

/// What nodes got from bodies in a step that followed velocities for `reach` seconds and ended at these positions (m).
pub(crate) fn body_points(
    loads: &Loads,
    around: &Surroundings,
    positions: &[DVec3],
    reach: f64,
) -> Vec<ContactPoint> {
    let mut points = Vec::new();
    for (node, given) in loads.given.iter().enumerate() {
        for &(body, impulse) in given {
            let (place, body) = (positions[node], body as usize);
            let point = ContactPoint {
                nodes: [node as u32; 4],
                weights: [1.0, 0.0, 0.0, 0.0],
                body: Some(body),
                place,
                normal: around.bodies[body].sample(place).normal,
                force: impulse / reach,
                is_sliding: false,
            };
            points.push(point.with_friction(around.bodies[body].friction.at_rest));
        }
    }
    points
}

impl ClothContact {
    /// What features of cloth got from each other in such a step.
    pub fn points(&self, positions: &[DVec3], reach: f64) -> impl Iterator<Item = ContactPoint> {
        let contacts = self.contacts().iter();
        contacts.filter_map(move |contact| {
            let force = contact.whole_impulse() / (reach * reach);
            let (nodes, weights) = (contact.nodes, contact.weights());
            let first = nodes.iter().zip(weights).filter(|(_, w)| *w > 0.0);
            let point = ContactPoint {
                nodes,
                weights,
                body: None,
                place: first.map(|(&n, w)| w * positions[n as usize]).sum(),
                normal: contact.normal(),
                force,
                is_sliding: false,
            };
            (force != DVec3::ZERO).then(|| point.with_friction(contact.friction()))
        })
    }
}
