//! Short animations that experiments leave for the player.

use crate::registry::LabError;
use std::sync::Arc;
use toile::model::Model;
use toile::state::State;
use toile_scene::recording::{Arrangement, RecordedFrame, Reel, Variant, compare};
use toile_scene::scene::{BodyFrame, World};

/// A clip is thinned to stay within this (bytes of frames).
const MOST_BYTES: u64 = 2_600_000;

/// An animation.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// Part of its file name.
    pub name: String,
    /// Its frames, and a title that says what they show.
    pub reel: Reel,
}

impl Clip {
    /// Clips of several variants next to each other, at most as large as one.
    pub fn side_by_side(
        name: &str,
        title: &str,
        variants: &[(String, Clip)],
    ) -> Result<Clip, LabError> {
        let shown: Vec<Variant> = variants
            .iter()
            .map(|(name, clip)| Variant::new(name, &clip.reel))
            .collect();
        let mut reel = compare(title, &shown, Arrangement::default())?;
        let most = frames_at_most(&reel);
        while thin(&mut reel.frames, most) {
            reel.fps *= 0.5;
        }
        Ok(Clip {
            name: name.to_owned(),
            reel,
        })
    }
}

/// Takes down the states of a run. Where there are too many it leaves out every other frame, so what stays is evenly spaced.
pub struct ClipRecorder {
    reel: Reel,
    model: Arc<Model>,
    bodies: Vec<BodyFrame>,
    /// When the next frame is due (s).
    due: f64,
    most: usize,
}

impl ClipRecorder {
    /// For a world, at so many frames a second at the most.
    pub fn new(world: &World, fps: f64) -> Self {
        let reel = Reel {
            title: String::new(),
            fps,
            cloths: world.cloth_tracks.clone(),
            bodies: world.body_tracks.clone(),
            frames: Vec::new(),
        };
        ClipRecorder {
            most: frames_at_most(&reel),
            model: world.model.clone(),
            bodies: world.body_frames.clone(),
            due: f64::NEG_INFINITY,
            reel,
        }
    }

    /// Takes a state down if it is time for a frame. States come in the order of time.
    pub fn record(&mut self, state: &State) {
        // A hair early is as good: times of steps are rounded.
        if state.time < self.due - 1e-6 / self.reel.fps {
            return;
        }
        self.due = match self.reel.frames.first() {
            None => state.time,
            Some(_) => self.due,
        } + 1.0 / self.reel.fps;
        let pose = |body: &BodyFrame| body.pose_in(&self.model, state).into();
        self.reel.frames.push(RecordedFrame {
            time: state.time,
            poses: self.bodies.iter().map(pose).collect(),
            positions: state.positions.clone(),
            velocities: Vec::new(),
        });
        if thin(&mut self.reel.frames, self.most) {
            self.reel.fps *= 0.5;
            let last = self.reel.frames.last().map_or(state.time, |f| f.time);
            self.due = last + 1.0 / self.reel.fps;
        }
    }

    /// The clip.
    pub fn finish(mut self, name: &str, title: impl Into<String>) -> Clip {
        self.reel.title = title.into();
        Clip {
            name: name.to_owned(),
            reel: self.reel,
        }
    }
}

fn frames_at_most(reel: &Reel) -> usize {
    ((MOST_BYTES / reel.frame_bytes().max(1)) as usize).max(4)
}

/// Leaves out every other frame, from the second on, if there are more than `most`.
fn thin(frames: &mut Vec<RecordedFrame>, most: usize) -> bool {
    if frames.len() <= most {
        return false;
    }
    let mut index = 0;
    frames.retain(|_| {
        index += 1;
        index % 2 == 1
    });
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_scene::scene::{SceneSource, resolve};

    fn world(cells: u32) -> World {
        let source = SceneSource {
            name: "clip".into(),
            text: format!(
                "[cloth.sheet]\nmesh.grid = {{ size = [1, 1], cells = [{cells}, {cells}] }}\n\
                 [body.ball]\nshape.sphere = {{ radius = 0.1 }}\nplace = {{ at = [0, 0, -0.2] }}\nmotion.velocity = {{ linear = [1, 0, 0] }}\n"
            ),
            folder: Default::default(),
            overrides: Vec::new(),
        };
        resolve(&source, source.parse().unwrap()).unwrap()
    }

    fn record(world: &World, steps: u32, fps: f64) -> Clip {
        let mut recorder = ClipRecorder::new(world, fps);
        let mut state = world.state.clone();
        for n in 0..=steps {
            state.time = 0.01 * f64::from(n);
            recorder.record(&state);
        }
        recorder.finish("sheet", "a sheet")
    }

    #[test]
    fn frames_come_at_the_rate_that_was_asked_for() {
        let clip = record(&world(4), 100, 20.0);
        let times: Vec<f64> = clip.reel.frames.iter().map(|f| f.time).collect();
        assert_eq!(times.len(), 21);
        assert!(times.windows(2).all(|w| (w[1] - w[0] - 0.05).abs() < 1e-9));
        // Bodies come along.
        assert!((clip.reel.frames[20].poses[0].translation.x - 1.0).abs() < 1e-9);
    }

    #[test]
    fn too_many_frames_are_thinned_evenly() {
        let clip = record(&world(64), 400, 100.0);
        let count = clip.reel.frames.len();
        let most = frames_at_most(&clip.reel);
        assert!(count <= most && 2 * count + 2 >= most, "{count} of {most}");
        let times: Vec<f64> = clip.reel.frames.iter().map(|f| f.time).collect();
        let gap = times[1] - times[0];
        assert!((gap * clip.reel.fps - 1.0).abs() < 1e-9);
        assert!(times.windows(2).all(|w| (w[1] - w[0] - gap).abs() < 1e-9));
    }

    #[test]
    fn clips_side_by_side_are_no_larger_than_one() {
        let clip = record(&world(40), 400, 100.0);
        let variants = ["soft", "stiff", "hard"].map(|name| (name.to_owned(), clip.clone()));
        let row = Clip::side_by_side("row", "three", &variants).unwrap();
        assert_eq!(row.reel.cloths.len(), 3);
        assert!(row.reel.frames.len() as u64 * row.reel.frame_bytes() <= MOST_BYTES);
    }
}
