//! How much a file would hold: what is too much, and what there is to say about it.

use super::super::frames::{Selection, Survey, note_on_the_origin};
use super::super::surface::{quad_count, readable_size};
use super::super::vertices::Vertices;
use super::super::{ExportError, ExportOptions};
use super::deforming::{self, Keys};
use super::{MOST_BYTES, bytes_per_frame};
use crate::recording::ClothTrack;

/// With more morph targets programs take minutes to open the file, if they open it at all.
const MOST_TARGETS: usize = 1500;
/// From here on viewers in browsers may give up.
const MANY_TARGETS: usize = 250;

/// What is to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    frames: usize,
    /// Bytes of all cloths in a frame.
    per_frame: u64,
    /// Bytes of the shapes of bodies that deform, at the most.
    shapes: u64,
}

impl Load {
    pub fn new(selection: &Selection, cloths: &[Vertices], keys: &[Option<Keys>]) -> Self {
        let bodies = selection.bodies().zip(keys);
        let shapes = bodies.filter_map(|((_, body), keys)| {
            let count = Vertices::new(body.positions.len(), &body.faces, &body.attributes).len();
            Some(deforming::size(keys.as_ref()?, count))
        });
        Load {
            frames: selection.indices.len(),
            per_frame: bytes_per_frame(cloths),
            shapes: shapes.sum(),
        }
    }

    /// Refuses what cannot fit before any of it is written.
    pub fn check(&self, selection: &Selection, options: &ExportOptions) -> Result<(), ExportError> {
        if self.per_frame + self.shapes == 0 || self.fits(self.frames) {
            return Ok(());
        }
        Err(self.too_large(selection, options, self.size(self.frames)))
    }

    fn size(&self, frames: usize) -> u64 {
        let weights = frames as u64 * frames as u64 * 4;
        (frames as u64)
            .saturating_mul(self.per_frame)
            .saturating_add(weights)
            .saturating_add(self.shapes)
    }

    fn fits(&self, frames: usize) -> bool {
        frames <= MOST_TARGETS + 1 && self.size(frames) < MOST_BYTES
    }

    pub fn too_large(
        &self,
        selection: &Selection,
        options: &ExportOptions,
        size: u64,
    ) -> ExportError {
        let frames = selection.indices.len();
        let coarser = (2..=frames).find(|&factor| self.fits(frames.div_ceil(factor)));
        ExportError::TooLarge {
            what: format!(
                "{frames} frames as glTF morph targets make {} (a GLB file holds at most {MOST_TARGETS} targets \
                 and 4.3 GB)",
                readable_size(size)
            ),
            mend: match coarser {
                Some(factor) => format!("take one frame in {} (`every`)", factor * options.every),
                None => "export USDA or VTU instead".into(),
            },
        }
    }

    /// What the user should know about the file.
    pub fn notes(&self, selection: &Selection, survey: &Survey, size: u64) -> Vec<String> {
        let mut notes = Vec::new();
        let cloth_quads: usize = selection.cloths().map(|c| quad_count(&c.faces)).sum();
        let body_quads: usize = selection.bodies().map(|(_, b)| quad_count(&b.faces)).sum();
        for (quads, whose) in [(cloth_quads, "cloths'"), (body_quads, "bodies'")] {
            if quads > 0 {
                notes.push(format!(
                    "glTF has only triangles: the {whose} {quads} quads were written as {} triangles",
                    2 * quads
                ));
            }
        }
        let one_color = |c: &ClothTrack| c.attributes.node_colors.is_none();
        let mut plain = selection.cloths().filter(|c| one_color(c));
        if plain.any(|c| c.colors[0] != c.colors[1]) {
            notes.push("glTF has one colour for both sides: the front colour was taken".into());
        }
        let targets = self.frames - 1;
        notes.push(format!(
            "{} in all: {targets} morph targets of {} each, uncompressed; fewer frames make a smaller file (`every`)",
            readable_size(size),
            readable_size(self.per_frame)
        ));
        if targets > MANY_TARGETS {
            notes.push(format!(
                "{targets} morph targets are more than many viewers show at once; Blender opens them"
            ));
        }
        notes.extend(note_on_the_origin(selection, "glTF"));
        if survey.times[0] != 0.0 {
            notes.push(format!(
                "the animation starts at 0 s, which is {} s of the recording",
                survey.times[0]
            ));
        }
        if targets > 0 {
            let fps = selection.recording.header().fps;
            let last = ((survey.times[targets] - survey.times[0]) * fps).round();
            notes.push(format!(
                "in Blender, set the frame rate to {fps} before importing; the animation is then frames 0 to {last}"
            ));
        }
        notes
    }
}
