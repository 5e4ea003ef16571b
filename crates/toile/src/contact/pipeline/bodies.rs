//! Bodies among the contacts of cloth with cloth.

use super::{ClothContact, ContactStep};
use crate::contact::load::{Given, book};
use crate::contact::obstacles;
use crate::contact::response::Contact;
use crate::model::Model;

impl ClothContact {
    /// Contacts with bodies of nodes that are in contacts with cloth and have none yet: what is pushed must
    /// not be pushed into a body, and what lies on one has it to lean on.
    pub(super) fn meet_bodies(&mut self, step: &ContactStep) {
        if step.around.is_empty() {
            return;
        }
        for k in self.heeded..self.contacts.len() {
            for node in self.contacts[k].nodes {
                let i = node as usize;
                if step.mobility.is_led(node) || std::mem::replace(&mut self.meets_bodies[i], true)
                {
                    continue;
                }
                let (start, end) = (step.starts[i], self.wanted[i]);
                let offset = step.around.offsets[i];
                for (number, body) in obstacles(&step.around.bodies, i) {
                    let Some(sample) = body.way_out(end, offset) else {
                        continue;
                    };
                    let carried = body.carry(start) - start;
                    let slip = (end - start - carried).length();
                    if sample.distance > 2.0 * step.model.contact_offsets[i] + slip {
                        continue;
                    }
                    let kept = body.kept(start, offset);
                    let bound = sample.normal.dot(end) + kept - sample.distance;
                    let contact = Contact::with_body(
                        [node; 4],
                        [1.0, 0.0, 0.0, 0.0],
                        (sample.normal, bound),
                        (body.friction.at_speed(slip / step.h), carried),
                        &step.mobility,
                    );
                    if let Some(contact) = contact {
                        self.body_contacts.push(contact);
                        self.bodies_met.push(number as u32);
                    }
                }
            }
        }
        self.heeded = self.contacts.len();
    }

    /// Records the impulses that bodies gave to nodes here (N·s).
    pub(super) fn book(&self, model: &Model, given: &mut [Given], reach: f64) {
        for (contact, &body) in self.body_contacts.iter().zip(&self.bodies_met) {
            contact.share(|node, weight| {
                let impulse = weight * contact.impulse() / reach;
                book(&mut given[node as usize], body as usize, impulse);
            });
        }
        for (node, given) in given.iter_mut().enumerate() {
            for &(body, way) in &self.traced[node] {
                book(given, body as usize, model.masses[node] / reach * way);
            }
        }
    }
}
