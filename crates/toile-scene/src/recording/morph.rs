//! How a body's surface deforms.

use super::{BodyTrack, RecordedFrame};
use glam::{DVec3, Vec3};
use std::borrow::Cow;

/// A surface at increasing times, in the body's own frame. It moves on straight lines in between.
#[derive(Clone, Debug, PartialEq)]
pub struct Morph {
    /// When (s).
    pub times: Vec<f64>,
    /// All nodes (m) at each of the times.
    pub frames: Vec<Vec<[f32; 3]>>,
}

impl Morph {
    /// The nodes at a time (m).
    pub fn positions(&self, time: f64) -> Vec<DVec3> {
        let wide = |p: &[f32; 3]| Vec3::from_array(*p).as_dvec3();
        let after = self.times.partition_point(|&t| t <= time);
        if after == 0 || after == self.times.len() {
            let alone = self.frames.get(after.saturating_sub(1));
            return alone.into_iter().flatten().map(wide).collect();
        }
        let (start, end) = (self.times[after - 1], self.times[after]);
        let share = (time - start) / (end - start);
        let ends = self.frames[after - 1].iter().zip(&self.frames[after]);
        ends.map(|(a, b)| wide(a).lerp(wide(b), share)).collect()
    }
}

impl BodyTrack {
    /// The surface at a time in the body's own frame (m).
    pub fn positions_at(&self, time: f64) -> Cow<'_, [DVec3]> {
        match &self.morph {
            None => Cow::Borrowed(&self.positions),
            Some(morph) => Cow::Owned(morph.positions(time)),
        }
    }

    /// Where the surface is in a frame, of which it is the body `index` (m).
    pub fn placed(&self, frame: &RecordedFrame, index: usize) -> Vec<DVec3> {
        let pose = &frame.poses[index];
        let here = self.positions_at(frame.time);
        here.iter()
            .map(|&p| pose.rotation * p + pose.translation)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{Recording, RecordingWriter};

    #[test]
    fn it_comes_back_from_the_file() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let morph = Morph {
            times: vec![0.25, 0.5, 2.0],
            frames: (0..3).map(|k| vec![[k as f32, 0.5, -1.0]; 3]).collect(),
        };
        let track = BodyTrack {
            name: "cheek".into(),
            positions: corners.to_vec(),
            morph: Some(morph),
            faces: vec![toile::mesh::Face::Tri([0, 1, 2])],
            smooth: true,
            ground_height: None,
            color: [0.5; 3],
            attributes: Default::default(),
        };
        let name = format!("toile-morph-{}.toile", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_file(&path);
        let tracks = [track];
        RecordingWriter::create(&path, "morph", 25.0, &[], &tracks).unwrap();
        let recording = Recording::open(&path).unwrap();
        assert_eq!(recording.bodies(), tracks);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn it_moves_between_its_frames_and_stands_still_outside() {
        let morph = Morph {
            times: vec![1.0, 3.0],
            frames: vec![vec![[0.0, 0.0, 1.0]], vec![[4.0, 0.0, 2.0]]],
        };
        assert_eq!(morph.positions(0.0), [DVec3::Z]);
        assert_eq!(morph.positions(1.5), [DVec3::new(1.0, 0.0, 1.25)]);
        assert_eq!(morph.positions(9.0), [DVec3::new(4.0, 0.0, 2.0)]);
    }
}
