//! Texture coordinates while a file is read: every face has them or none has.

use super::{ParseError, Place};
use glam::DVec2;

#[derive(Debug, Default)]
pub(super) struct CornerUvs {
    list: Vec<[DVec2; 4]>,
    first_without: Option<Place>,
}

impl CornerUvs {
    /// Adds the next face's coordinates. `place` is asked only when it matters: finding a column costs
    /// more than reading a face.
    pub fn push(
        &mut self,
        uvs: Option<[DVec2; 4]>,
        place: impl FnOnce() -> Place,
    ) -> Result<(), ParseError> {
        match (uvs, self.first_without) {
            (Some(uvs), None) => self.list.push(uvs),
            (Some(_), Some(without)) => return Err(some_faces_only(without)),
            (None, _) if !self.list.is_empty() => return Err(some_faces_only(place())),
            (None, None) => self.first_without = Some(place()),
            (None, Some(_)) => {}
        }
        Ok(())
    }

    /// Fills in a corner whose coordinates came later in the file than its face.
    pub fn set(&mut self, face: usize, corner: usize, uv: DVec2) {
        self.list[face][corner] = uv;
    }

    pub fn finish(mut self) -> Option<Vec<[DVec2; 4]>> {
        self.list.shrink_to_fit();
        (!self.list.is_empty()).then_some(self.list)
    }
}

fn some_faces_only(place: Place) -> ParseError {
    ParseError::at(
        place,
        "this face has no texture coordinates, but other faces have them; \
         give them to every face or to none",
    )
}
