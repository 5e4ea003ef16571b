//! The frames an export takes, checked before any of them reaches a file.

use super::{ExportError, ExportOptions};
use crate::recording::{BodyPose, BodyTrack, ClothTrack, RecordedFrame, Recording};
use glam::{DQuat, DVec3};

/// Farther than this (m) nothing is: squares of such lengths and their differences still fit in `f32`.
const FARTHEST: f64 = 1e18;

/// The frames that were asked for.
#[derive(Debug)]
pub(super) struct Selection<'a> {
    pub recording: &'a Recording,
    /// Indices of the frames in the recording, increasing, never empty.
    pub indices: Vec<usize>,
}

/// What a first walk over the selected frames finds.
#[derive(Debug)]
pub(super) struct Survey {
    /// Time of each frame (s), strictly increasing.
    pub times: Vec<f64>,
    /// `poses[body][frame]`: unit rotations whose signs are chosen so that neighbours are close.
    pub poses: Vec<Vec<BodyPose>>,
}

impl Survey {
    /// Whether a body is anywhere else in a later frame.
    pub fn moves(&self, body: usize) -> bool {
        let poses = &self.poses[body];
        poses.iter().any(|pose| *pose != poses[0])
    }
}

impl<'a> Selection<'a> {
    pub fn new(recording: &'a Recording, options: &ExportOptions) -> Result<Self, ExportError> {
        let count = recording.frame_count();
        let refuse = |what: String| ExportError::NoSuchFrames { what, count };
        if options.every == 0 {
            return Err(refuse("every 0th frame was asked for".into()));
        }
        let range = options.frames.clone().unwrap_or(0..count);
        if range.end > count || range.is_empty() {
            let (start, end) = (range.start, range.end);
            return Err(refuse(format!(
                "frames {start} to {end} (without {end}) were asked for"
            )));
        }
        let fps = recording.header().fps;
        if !(fps.is_finite() && fps > 0.0) {
            return Err(ExportError::BadFrameRate { fps });
        }
        let selection = Selection {
            recording,
            indices: range.step_by(options.every).collect(),
        };
        if selection.cloths().next().is_none() && selection.bodies().next().is_none() {
            return Err(ExportError::NothingToExport);
        }
        selection.check_bodies()?;
        Ok(selection)
    }

    /// The cloths that have a face to show.
    pub fn cloths(&self) -> impl Iterator<Item = &'a ClothTrack> + Clone {
        let cloths = self.recording.cloths().iter();
        cloths.filter(|cloth| !cloth.faces.is_empty())
    }

    /// The bodies that have a surface, with their index among all bodies.
    pub fn bodies(&self) -> impl Iterator<Item = (usize, &'a BodyTrack)> + Clone {
        let bodies = self.recording.bodies().iter().enumerate();
        bodies.filter(|(_, body)| !body.faces.is_empty())
    }

    /// One note for each cloth or body without a surface, which no format can show, and one for what has no texture.
    pub fn notes_on_what_is_left_out(&self) -> Vec<String> {
        let bodies = self.recording.bodies().iter();
        let bodies = bodies.filter(|b| b.faces.is_empty()).map(|b| {
            let name = &b.name;
            format!("body `{name}` has no bounded surface (an endless plane) and was left out")
        });
        let cloths = self.recording.cloths().iter();
        let cloths = cloths.filter(|c| c.faces.is_empty()).map(|c| {
            let name = &c.name;
            format!("cloth `{name}` has no faces and was left out")
        });
        let bare = self.note_on_bare_cloths();
        bodies.chain(cloths).chain(bare).collect()
    }

    /// One note on the cloths that have no texture coordinates.
    fn note_on_bare_cloths(&self) -> Option<String> {
        let bare = self.cloths().filter(|c| c.attributes.corner_uvs.is_none());
        let names: Vec<String> = bare.map(|c| format!("`{}`", c.name)).collect();
        let list = names.join(", ");
        match names.len() {
            0 => None,
            1 => Some(format!(
                "cloth {list} has no texture coordinates: its mesh has none"
            )),
            _ => Some(format!(
                "cloths {list} have no texture coordinates: their meshes have none"
            )),
        }
    }

    /// From where formats with single precision count (m); zero if the cloth is near the world's origin.
    pub fn origin(&self) -> DVec3 {
        self.recording.origin()
    }

    /// A cloth's positions in a frame from [`Selection::origin`].
    pub fn single(&self, frame: &RecordedFrame, cloth: &ClothTrack) -> Vec<[f32; 3]> {
        let places = cloth_positions(frame, cloth).iter();
        places
            .map(|&p| (p - self.origin()).as_vec3().to_array())
            .collect()
    }

    /// Reads the `k`-th selected frame and checks that every node is somewhere.
    pub fn read(&self, k: usize) -> Result<RecordedFrame, ExportError> {
        self.read_recorded(self.indices[k])
    }

    /// Reads a frame by its index in the recording, with the same check.
    pub fn read_recorded(&self, index: usize) -> Result<RecordedFrame, ExportError> {
        let frame = self.recording.frame(index)?;
        for cloth in self.cloths() {
            let nowhere = |p: &DVec3| !p.to_array().into_iter().all(usable);
            if let Some(node) = cloth_positions(&frame, cloth).iter().position(nowhere) {
                return Err(ExportError::ClothNotFinite {
                    cloth: cloth.name.clone(),
                    node,
                    frame: index,
                    position: cloth_positions(&frame, cloth)[node].to_array(),
                });
            }
        }
        Ok(frame)
    }

    /// Walks over all selected frames: collects times and poses, checks everything, and shows each
    /// frame to `visit`.
    pub fn survey(
        &self,
        mut visit: impl FnMut(usize, &RecordedFrame),
    ) -> Result<Survey, ExportError> {
        let mut survey = Survey {
            times: Vec::with_capacity(self.indices.len()),
            poses: vec![Vec::new(); self.recording.bodies().len()],
        };
        for (k, &index) in self.indices.iter().enumerate() {
            let frame = self.read(k)?;
            let time = frame.time;
            let late_enough = survey.times.last().is_none_or(|&before| time > before);
            if !time.is_finite() || !late_enough {
                return Err(ExportError::TimeNotIncreasing { frame: index, time });
            }
            survey.times.push(time);
            for (body, track) in self.recording.bodies().iter().enumerate() {
                let before = survey.poses[body].last().map(|pose| pose.rotation);
                let pose = checked_pose(&frame.poses[body], before);
                let pose = pose.ok_or_else(|| ExportError::PoseNotFinite {
                    body: track.name.clone(),
                    frame: index,
                })?;
                survey.poses[body].push(pose);
            }
            visit(k, &frame);
        }
        Ok(survey)
    }

    fn check_bodies(&self) -> Result<(), ExportError> {
        for (_, body) in self.bodies() {
            let nowhere = |p: &DVec3| !p.to_array().into_iter().all(usable);
            let morphs = body.morph.iter().flat_map(|morph| &morph.frames);
            let lost = |p: &[f32; 3]| !p.iter().all(|x| usable(f64::from(*x)));
            let mut deformed = morphs.filter_map(|frame| frame.iter().position(lost));
            let first = body.positions.iter().position(nowhere);
            if let Some(node) = first.or_else(|| deformed.next()) {
                return Err(ExportError::BodyNotFinite {
                    body: body.name.clone(),
                    node,
                });
            }
        }
        Ok(())
    }
}

/// A cloth's share of a frame's positions.
pub(super) fn cloth_positions<'f>(frame: &'f RecordedFrame, cloth: &ClothTrack) -> &'f [DVec3] {
    &frame.positions[cloth.first_node..cloth.first_node + cloth.node_count]
}

/// A cloth's share of a frame's velocities; none if the recording has none.
pub(super) fn cloth_velocities<'f>(frame: &'f RecordedFrame, cloth: &ClothTrack) -> &'f [DVec3] {
    let own = cloth.first_node..cloth.first_node + cloth.node_count;
    frame.velocities.get(own).unwrap_or_default()
}

/// What to know of a file whose numbers are about an origin of their own.
pub(super) fn note_on_the_origin(selection: &Selection, format: &str) -> Option<String> {
    let origin = selection.origin();
    (origin != DVec3::ZERO).then(|| {
        format!(
            "{format} has single precision: everything is about the point ({}, {}, {}) m, to which the root moves it",
            origin.x, origin.y, origin.z
        )
    })
}

fn usable(number: f64) -> bool {
    number.abs() <= FARTHEST
}

/// The pose with a unit rotation. A quaternion and its negative are the same rotation, but players blend
/// numbers: of the two the one nearer to the frame before is taken.
fn checked_pose(pose: &BodyPose, before: Option<DQuat>) -> Option<BodyPose> {
    let length = pose.rotation.length();
    let placed = pose.translation.to_array().into_iter().all(usable);
    if !placed || !length.is_finite() || length < 1e-6 {
        return None;
    }
    let unit = pose.rotation / length;
    let far_side = before.is_some_and(|before| before.dot(unit) < 0.0);
    Some(BodyPose {
        translation: pose.translation,
        rotation: if far_side { -unit } else { unit },
    })
}
