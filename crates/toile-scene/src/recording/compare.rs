//! Several recordings in one: side by side, or one over the other.
//!
//! The result is a recording like any other, so the player, previews and exports show a comparison without knowing of it. Every
//! variant keeps its own motion; it is only moved as a whole along a horizontal axis, by what all of them together take up there, and a margin. Its
//! cloths bear its name and its colours.
//!
//! Variants need not have the same frames. The result spans the time that all of them cover, at the highest of their frame rates, and
//! where a variant has no frame at such a moment one is interpolated: positions along straight lines, bodies along their shortest turn.

mod moments;
#[cfg(test)]
mod tests;

use super::footage::{Footage, Reel, push, write_whole};
use super::{BodyTrack, ClothTrack, RecordedFrame, RecordingError, RecordingWriter};
use glam::DVec3;
use moments::Moments;
use std::path::Path;
use thiserror::Error;

/// One of the things that are compared.
#[derive(Clone, Copy)]
pub struct Variant<'a> {
    /// What to call it; its tracks are named after it.
    pub name: &'a str,
    /// Its frames.
    pub footage: &'a dyn Footage,
    /// Front and back colour of its cloths, sRGB from 0 to 1; without them it gets those of its place in the row.
    pub colors: Option<[[f32; 3]; 2]>,
}

impl<'a> Variant<'a> {
    /// A variant in the colours of its place in the row.
    pub fn new(name: &'a str, footage: &'a dyn Footage) -> Self {
        Variant {
            name,
            footage,
            colors: None,
        }
    }
}

/// How variants stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrangement {
    /// Next to each other, in the order they are given.
    SideBySide {
        /// Along which axis.
        along: Axis,
        /// Room between two of them, as a share of what one takes up.
        margin: f64,
    },
    /// All in the same place.
    Overlay,
}

impl Default for Arrangement {
    fn default() -> Self {
        Arrangement::SideBySide {
            along: Axis::X,
            margin: 0.15,
        }
    }
}

/// A horizontal axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axis {
    /// The first.
    #[default]
    X,
    /// The second.
    Y,
}

/// Recordings that cannot be compared.
#[derive(Debug, Error)]
pub enum CompareError {
    /// There is nothing to show.
    #[error("there is nothing to compare: name at least one recording")]
    NoVariants,
    /// A variant is empty.
    #[error("{name} has no complete frame; run it for longer or leave it out")]
    NoFrames {
        /// Whose.
        name: String,
    },
    /// No moment is in all of them.
    #[error(
        "the recordings have no time in common: {late} starts at {start} s, after {early} has ended at {end} s"
    )]
    NoCommonTime {
        /// Who starts last.
        late: String,
        /// When (s).
        start: f64,
        /// Who ends first.
        early: String,
        /// When (s).
        end: f64,
    },
    /// A recording cannot be read or written.
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

/// Writes a recording in which variants stand next to each other along x.
pub fn write_side_by_side(
    path: &Path,
    title: &str,
    variants: &[Variant],
) -> Result<(), CompareError> {
    write_comparison(path, title, variants, Arrangement::default())
}

/// Writes a recording in which variants move in the same place.
pub fn write_overlay(path: &Path, title: &str, variants: &[Variant]) -> Result<(), CompareError> {
    write_comparison(path, title, variants, Arrangement::Overlay)
}

/// Writes a recording of several. A file that is there is replaced. Frames are read one by one, so long recordings are never in memory
/// as a whole.
pub fn write_comparison(
    path: &Path,
    title: &str,
    variants: &[Variant],
    arrangement: Arrangement,
) -> Result<(), CompareError> {
    let stage = Stage::new(variants, arrangement)?;
    let (cloths, bodies) = (&stage.cloths, &stage.bodies);
    write_whole(path, |part| {
        let mut writer = RecordingWriter::create(part, title, stage.fps, cloths, bodies)?;
        for &time in &stage.times {
            push(&mut writer, &stage.frame(time)?)?;
        }
        writer.sync()
    })?;
    Ok(())
}

/// The same in memory.
pub fn compare(
    title: &str,
    variants: &[Variant],
    arrangement: Arrangement,
) -> Result<Reel, CompareError> {
    let stage = Stage::new(variants, arrangement)?;
    let frames: Result<_, _> = stage.times.iter().map(|&t| stage.frame(t)).collect();
    Ok(Reel {
        title: title.to_owned(),
        fps: stage.fps,
        frames: frames?,
        cloths: stage.cloths,
        bodies: stage.bodies,
    })
}

/// Who stands where, and when.
struct Stage<'a> {
    players: Vec<Player<'a>>,
    cloths: Vec<ClothTrack>,
    bodies: Vec<BodyTrack>,
    fps: f64,
    times: Vec<f64>,
}

/// One variant on the stage.
struct Player<'a> {
    footage: &'a dyn Footage,
    moments: Moments,
    /// How far it is moved (m).
    offset: DVec3,
    /// Which of its bodies are shown.
    bodies: Vec<usize>,
}

impl<'a> Stage<'a> {
    fn new(variants: &[Variant<'a>], arrangement: Arrangement) -> Result<Self, CompareError> {
        let mut moments = Vec::new();
        for variant in variants {
            moments.push(Moments::of(variant)?);
        }
        let times = common_times(variants, &moments)?;
        let offsets = offsets(&moments, arrangement);
        let mut stage = Stage {
            players: Vec::new(),
            cloths: Vec::new(),
            bodies: Vec::new(),
            fps: highest_rate(variants),
            times,
        };
        let cast = variants.iter().zip(moments).zip(offsets).enumerate();
        for (place, ((variant, moments), offset)) in cast {
            stage.add(place, variant, moments, offset);
        }
        Ok(stage)
    }

    fn add(&mut self, place: usize, variant: &Variant<'a>, moments: Moments, offset: DVec3) {
        let colors = variant.colors.unwrap_or_else(|| colors_of(place));
        let first = self.cloths.iter().map(|c| c.node_count).sum::<usize>();
        let cloths = variant.footage.cloths();
        for cloth in cloths {
            self.cloths.push(ClothTrack {
                name: name_of(variant.name, &cloth.name, cloths.len()),
                first_node: first + cloth.first_node,
                colors,
                ..cloth.clone()
            });
        }
        let mut shown = Vec::new();
        let bodies = variant.footage.bodies();
        for (index, body) in bodies.iter().enumerate() {
            // A ground that all have is drawn once.
            let known =
                |b: &BodyTrack| b.positions.is_empty() && b.ground_height == body.ground_height;
            if body.positions.is_empty() && self.bodies.iter().any(known) {
                continue;
            }
            shown.push(index);
            self.bodies.push(BodyTrack {
                name: name_of(variant.name, &body.name, 2),
                ..body.clone()
            });
        }
        self.players.push(Player {
            footage: variant.footage,
            moments,
            offset,
            bodies: shown,
        });
    }

    /// All of them at one moment (s).
    fn frame(&self, time: f64) -> Result<RecordedFrame, RecordingError> {
        let mut all = RecordedFrame {
            time,
            poses: Vec::new(),
            positions: Vec::new(),
            velocities: Vec::new(),
        };
        for player in &self.players {
            let frame = player.moments.frame(player.footage, time)?;
            let offset = player.offset;
            for &body in &player.bodies {
                let mut pose = frame.poses[body];
                pose.translation += offset;
                all.poses.push(pose);
            }
            let places = frame.positions.iter();
            all.positions.extend(places.map(|&p| p + offset));
        }
        Ok(all)
    }
}

fn name_of(variant: &str, track: &str, tracks: usize) -> String {
    match tracks {
        1 => variant.to_owned(),
        _ => format!("{variant} · {track}"),
    }
}

/// Told apart by eyes that do not see every colour as well.
const COLORS: [[f32; 3]; 7] = [
    [0.22, 0.46, 0.72],
    [0.86, 0.46, 0.16],
    [0.16, 0.60, 0.46],
    [0.74, 0.42, 0.62],
    [0.87, 0.68, 0.16],
    [0.42, 0.70, 0.88],
    [0.48, 0.48, 0.52],
];

/// Front and back colour of a place in the row.
pub fn colors_of(place: usize) -> [[f32; 3]; 2] {
    let front = COLORS[place % COLORS.len()];
    [front, front.map(|c| 0.55 * c + 0.40)]
}

fn highest_rate(variants: &[Variant]) -> f64 {
    let rates = variants.iter().map(|v| v.footage.fps());
    let highest = rates.filter(|f| f.is_finite()).fold(0.0, f64::max);
    if highest > 0.0 { highest } else { 1.0 }
}

/// The moments of the result (s): from when the last of the variants starts to when the first of them ends.
fn common_times(variants: &[Variant], moments: &[Moments]) -> Result<Vec<f64>, CompareError> {
    let by_time = |a: &(f64, &str), b: &(f64, &str)| a.0.total_cmp(&b.0);
    let named = || moments.iter().zip(variants.iter().map(|v| v.name));
    let start = named().map(|(m, name)| (m.start(), name)).max_by(by_time);
    let end = named().map(|(m, name)| (m.end(), name)).min_by(by_time);
    let (Some((start, late)), Some((end, early))) = (start, end) else {
        return Err(CompareError::NoVariants);
    };
    if start > end {
        return Err(CompareError::NoCommonTime {
            late: late.to_owned(),
            start,
            early: early.to_owned(),
            end,
        });
    }
    let fps = highest_rate(variants);
    // A hair more, because a span of a whole number of frames may be rounded down.
    let count = ((end - start) * fps + 1e-6).floor() as usize;
    Ok((0..=count)
        .map(|k| (start + k as f64 / fps).min(end))
        .collect())
}

/// How far each is moved (m), so that the row stands about the middle.
fn offsets(moments: &[Moments], arrangement: Arrangement) -> Vec<DVec3> {
    let Arrangement::SideBySide { along, margin } = arrangement else {
        return vec![DVec3::ZERO; moments.len()];
    };
    let axis = match along {
        Axis::X => 0,
        Axis::Y => 1,
    };
    let low = moments.iter().map(|m| m.low[axis]);
    let high = moments.iter().map(|m| m.high[axis]);
    let extent = high.fold(f64::NEG_INFINITY, f64::max) - low.fold(f64::INFINITY, f64::min);
    // Nothing, or nothing finite, takes up no room.
    let extent = if extent.is_finite() { extent } else { 0.0 };
    let middle = 0.5 * (moments.len() as f64 - 1.0);
    let places = 0..moments.len();
    places
        .map(|k| {
            let mut offset = DVec3::ZERO;
            offset[axis] = (k as f64 - middle) * extent * (1.0 + margin);
            offset
        })
        .collect()
}
