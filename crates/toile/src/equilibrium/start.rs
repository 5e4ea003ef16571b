//! Where the search begins: held nodes at their places, no node in a body, nothing exactly flat.

use super::potential::mean_edge;
use super::{EquilibriumError, EquilibriumSettings};
use crate::contact::Placement;
use crate::hold::held_places;
use crate::linalg::Filter;
use crate::model::Model;
use crate::state::State;
use glam::DVec3;

/// Passes over the bodies in which a node must have come out of all of them; one that has not is reported.
const PASSES: usize = 4;
/// Nodes nearer than this share of the barriers' reach are moved away before the search, which would spend
/// its first steps on the steep end of the barrier.
const TOO_NEAR: f64 = 0.1;
/// To where they are moved, in the same measure: half-way.
const AWAY: f64 = 0.5;

/// Moves held nodes to their places and answers which are free.
pub(super) fn hold_pins(model: &Model, state: &mut State) -> Vec<Filter> {
    let places = held_places(model, state);
    let nodes = state.positions.iter_mut().zip(places);
    let filter = |(x, place): (&mut DVec3, Option<(DVec3, Filter)>)| match place {
        Some((place, filter)) => {
            *x = filter.constrain(place, *x);
            filter
        }
        None => Filter::Free,
    };
    nodes.map(filter).collect()
}

/// Displaces every free node by up to `perturbation` edge lengths, the same way every time.
pub(super) fn perturb(
    model: &Model,
    filters: &[Filter],
    settings: &EquilibriumSettings,
    positions: &mut [DVec3],
) {
    let size = settings.perturbation * mean_edge(model);
    let mut noise = Noise(settings.seed);
    for (x, filter) in positions.iter_mut().zip(filters) {
        *x += size * filter.apply(noise.vector());
    }
}

/// Takes free nodes out of bodies and a little away from them.
pub(super) fn push_out(
    model: &Model,
    bodies: &[Placement],
    filters: &[Filter],
    reach: f64,
    positions: &mut [DVec3],
) -> Result<(), EquilibriumError> {
    let deepest = mean_edge(model);
    for (i, x) in positions.iter_mut().enumerate() {
        if filters[i] != Filter::Free {
            continue;
        }
        let offset = model.contact_offsets[i];
        let start = *x;
        for _ in 0..PASSES {
            for body in bodies.iter().filter(|b| b.meets(i)) {
                let sample = body.sample(*x);
                let gap = sample.distance - offset;
                if gap < TOO_NEAR * reach {
                    *x += (AWAY * reach - gap) * sample.normal;
                }
            }
        }
        let met = model.bodies.iter().zip(bodies);
        for (body, placed) in met.filter(|(_, placed)| placed.meets(i)) {
            let still_in = placed.sample(*x).distance <= offset;
            let gap = placed.sample(start).distance - offset;
            if still_in || gap < -deepest || !x.is_finite() {
                let cloth = model.cloths.iter().find(|c| c.nodes.contains(&i));
                return Err(EquilibriumError::Penetrating {
                    cloth: cloth.map_or_else(String::new, |c| c.name.clone()),
                    node: i - cloth.map_or(0, |c| c.nodes.start),
                    body: body.name.clone(),
                    depth: -gap,
                });
            }
        }
    }
    Ok(())
}

/// Random numbers from a seed (SplitMix64: Steele, Lea and Flood 2014).
pub(super) struct Noise(pub u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A vector with components between −1 and 1.
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}
