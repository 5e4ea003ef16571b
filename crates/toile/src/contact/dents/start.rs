//! Face–body proximity at the start of a step.

use super::deepest::{deepest, place};
use super::{FACE_OFFSET_SHARE, FACE_RESTORED, FASTEST_RESTORED, give, is_squeezed};
use crate::contact::{Placement, Sample};
use glam::DVec3;

/// A body near a triangle at the start of the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dent {
    pub body: u32,
    pub weights: [f64; 3],
    /// Of the body.
    pub normal: DVec3,
    /// From the body to the middle of the cloth (m).
    pub distance: f64,
    /// What that is to be (m).
    pub kept: f64,
    /// Displacement of the surface there over the step (m).
    pub way: DVec3,
}

impl Dent {
    /// What its distance is to be at the end of the step, if it is to be `kept` (m): where the body reached
    /// through already, a little more.
    pub fn aim(&self, kept: f64) -> f64 {
        match self.distance < kept {
            true => self.distance + FACE_RESTORED * (kept.min(self.kept) - self.distance),
            false => kept,
        }
    }
}

/// What a node sees of a body at the start of the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub sample: Sample,
    /// Whether parts of the body overlap there.
    pub caught: bool,
    /// How far it is expected to go, seen from the body (m).
    pub travel: f64,
}

impl View {
    pub const NOTHING: View = View {
        sample: FAR,
        caught: false,
        travel: 0.0,
    };
}

/// Farther than anything asks for.
const FAR: Sample = Sample {
    distance: f64::INFINITY,
    normal: DVec3::Z,
};

/// The body as a triangle sees it at the start of the step, if the ways of its corners could lead too near to
/// it.
pub(super) fn at_start(
    body: &Placement,
    corners: &[DVec3; 3],
    views: &[View; 3],
    offset: f64,
) -> Option<Dent> {
    if views.iter().any(|v| v.caught) || is_squeezed(&views.map(|v| v.sample), offset) {
        return None;
    }
    let kept = FACE_OFFSET_SHARE * offset;
    let within = kept + views.iter().map(|v| v.travel).fold(0.0, f64::max);
    let side = corners[0].distance(corners[1]) + corners[0].distance(corners[2]);
    let sample = |point: DVec3| {
        let near = body.at_start(point, within + side);
        near.map_or(FAR, |near| near.sample)
    };
    let ends = views.map(|v| v.sample);
    let near = deepest(corners, &ends, (within, give(offset)), sample)?;
    let seen = body.at_start(place(corners, &near.weights), f64::INFINITY)?;
    (!seen.caught).then_some(Dent {
        body: 0,
        weights: near.weights,
        normal: seen.sample.normal,
        distance: seen.sample.distance,
        kept: kept.min(seen.sample.distance + FASTEST_RESTORED * offset),
        way: seen.way,
    })
}
