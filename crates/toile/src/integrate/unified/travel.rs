//! The way of an iteration: what it meets, and how far it goes.

use super::body_contacts::Journey;
use super::cloth_pairs::Way;
use super::{ContactRow, Left, Step, Unified};
use crate::linalg::Filter;
use crate::parallel;
use glam::DMat3;

/// Stiffness of a contact, relative to that of what it works against. From 5 to 80 a sheet that falls on a ball takes the same
/// number of iterations; softer contacts are missed by more.
const CONTACT_STIFFNESS: f64 = 20.0;
/// A row that has had nothing to do for this many iterations is dropped.
const IDLE: u32 = 3;
/// `y` goes to this part of the way to an impact.
const SHORT_OF_IMPACT: f64 = 0.9;

impl Step<'_> {
    /// Looks along the way from the committed place to the search point, and goes as far as there is no impact.
    pub(super) fn travel(&self, solve: &mut Unified, done: f64, collisions: &mut usize) -> Left {
        let share = self.find_rows(solve, done);
        let go = if share < 1.0 {
            *collisions += 1;
            SHORT_OF_IMPACT * share
        } else {
            1.0
        };
        let search = &solve.search;
        parallel::for_each(&mut solve.committed, |i, y| {
            *y = if go == 1.0 {
                search[i]
            } else {
                y.lerp(search[i], go)
            };
        });
        let violations = solve.rows.iter().map(|row| {
            // Cloth without a thickness keeps nothing, and misses nothing.
            row.violation(row.combine(&solve.search)) / row.slack.max(f64::MIN_POSITIVE)
        });
        Left {
            contact: violations.fold(0.0, f64::max),
            share: go,
        }
    }

    /// Looks for contacts along the way from the committed place to the search point: known rows are looked at anew, new ones
    /// begin without a push, and those that have had nothing to do for long are dropped. Answers the share of the way up to the
    /// first impact.
    pub(super) fn find_rows(&self, solve: &mut Unified, done: f64) -> f64 {
        let Unified {
            rows,
            pairs,
            bodies,
            committed,
            search,
            base,
            ..
        } = solve;
        let context = self.context;
        rows.retain(|row| row.idle < IDLE);
        let known = rows.len();
        let mut share = 1.0f64;
        let diagonal = &base.diagonal;
        let mut add = |mut look: ContactRow| match rows[..known]
            .binary_search_by_key(&look.key, |row| row.key)
        {
            Ok(at) => rows[at].renew(&look),
            Err(_) => {
                look.stiffness =
                    CONTACT_STIFFNESS * stiffness(&look, diagonal, &context.holds.filters);
                look.began = look.stiffness;
                if look.stiffness > 0.0 {
                    rows.push(look);
                }
            }
        };
        if let Some(bodies) = bodies.as_deref_mut() {
            let journey = Journey {
                from: committed,
                to: search,
                done,
            };
            share = share.min(bodies.look(context, self.around, &journey, &mut add));
        }
        if let Some(pairs) = pairs.as_deref_mut() {
            let way = Way {
                start: &context.state.positions,
                from: committed,
                to: search,
            };
            share = share.min(pairs.look(context.model, &way, &mut add));
        }
        rows.sort_unstable_by_key(|row| row.key);
        share
    }
}

/// The stiffness that a contact works against, along its normal (kg): that of its nodes, in a row.
fn stiffness(row: &ContactRow, diagonal: &[DMat3], filters: &[Filter]) -> f64 {
    let n = row.normal;
    let mut compliance = 0.0;
    for (&node, &weight) in row.nodes.iter().zip(&row.weights) {
        let node = node as usize;
        let free = filters[node].apply(n).length_squared();
        compliance += weight * weight * free / n.dot(diagonal[node] * n);
    }
    if compliance > 0.0 {
        1.0 / compliance
    } else {
        0.0
    }
}
