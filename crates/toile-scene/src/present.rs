//! Results a person can look at: pictures, an animation, a report.

mod look;
mod start;

pub use look::{Label, Look, look, start_camera};
pub use start::start_picture;

use crate::recording::{BodyTrack, ClothTrack, RecordedFrame, Recording, RecordingError};
use crate::report::{DEFAULT_BUDGET_BYTES, MetricsTable, ReportError, ReportInput, write_report};
use crate::run::{FolderError, write_atomically};
use crate::spec::CameraSpec;
use glam::{DVec3, Vec3};
use std::path::Path;
use thiserror::Error;
use toile_render::{
    Camera, ColorBar, Image, Picture, Quality, RenderError, Rgb, Size, Surface, View, animated_png,
    contact_sheet, diverging, draw,
};

/// What could not be shown.
#[derive(Debug, Error)]
pub enum PresentError {
    /// The frames could not be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A picture could not be encoded.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The report could not be made.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A file could not be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The recording is empty.
    #[error("there is no frame to show yet")]
    NoFrames,
}

/// How cloth is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Coloring {
    /// In its own colours.
    #[default]
    Cloth,
    /// By stretch, from −range to +range.
    Stretch {
        /// The strain at the ends of the colour scale.
        range: f32,
    },
}

/// How to take pictures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureStyle {
    /// From where.
    pub camera: CameraSpec,
    /// Size in pixels.
    pub size: Size,
    /// How cloth is coloured.
    pub coloring: Coloring,
    /// Whether the mesh is drawn.
    pub wireframe: bool,
    /// Samples per pixel and light.
    pub quality: Quality,
}

impl Default for PictureStyle {
    fn default() -> Self {
        PictureStyle {
            camera: CameraSpec::default(),
            size: Size {
                width: 640,
                height: 480,
            },
            coloring: Coloring::Cloth,
            wireframe: false,
            quality: Quality::default(),
        }
    }
}

/// A camera that holds the cloth of the given frames, and bodies near it, in view throughout. Like the pictures it is about
/// [`Recording::origin`], because it has single precision.
pub fn camera(recording: &Recording, frames: &[RecordedFrame], style: &PictureStyle) -> Camera {
    let origin = recording.origin();
    let cloth = frames
        .iter()
        .flat_map(|f| f.positions.iter().map(move |&p| (p - origin).as_vec3()));
    let bodies = frames.iter().flat_map(|frame| {
        let bodies = recording.bodies().iter().enumerate();
        let placed = bodies.flat_map(move |(index, body)| body.placed(frame, index));
        placed.map(move |p| (p - origin).as_vec3())
    });
    let view = View {
        azimuth: style.camera.azimuth.to_radians() as f32,
        elevation: style.camera.elevation.to_radians() as f32,
        zoom: style.camera.zoom as f32,
    };
    Camera::framing(cloth.chain(bodies), view, style.size.aspect())
}

/// Draws one frame.
pub fn picture(
    recording: &Recording,
    frame: &RecordedFrame,
    camera: &Camera,
    style: &PictureStyle,
) -> Image {
    let tracks = (recording.cloths(), recording.bodies());
    staged(tracks, frame, recording.origin(), style, |scene| {
        let mut image = draw(scene, camera, style.size, style.quality);
        if let Coloring::Stretch { range } = style.coloring {
            let percent = f64::from(range) * 100.0;
            ColorBar::new("stretch (%)", diverging, -percent, percent).paint(&mut image);
        }
        image
    })
}

/// Puts what a frame shows, cloths and then bodies, about an origin into a picture, and has it shown.
fn staged<T>(
    (cloths, bodies): (&[ClothTrack], &[BodyTrack]),
    frame: &RecordedFrame,
    origin: DVec3,
    style: &PictureStyle,
    show: impl FnOnce(&Picture) -> T,
) -> T {
    let local = |p: &DVec3| (*p - origin).as_vec3();
    let positions: Vec<Vec3> = frame.positions.iter().map(local).collect();
    let colors: Vec<Option<Vec<Rgb>>> = cloths
        .iter()
        .map(|cloth| match style.coloring {
            Coloring::Cloth => None,
            Coloring::Stretch { range } => {
                let nodes = &positions[cloth.first_node..cloth.first_node + cloth.node_count];
                let stretch = node_stretch(nodes, &cloth.edges, &cloth.rest_lengths);
                let shade = |s: &f32| diverging(0.5 + 0.5 * s / range);
                Some(stretch.iter().map(shade).collect())
            }
        })
        .collect();
    let mut surfaces = Vec::new();
    for (cloth, colors) in cloths.iter().zip(&colors) {
        let nodes = cloth.first_node..cloth.first_node + cloth.node_count;
        surfaces.push(Surface {
            positions: (&positions[nodes]).into(),
            faces: &cloth.faces,
            front: cloth.colors[0],
            back: cloth.colors[1],
            node_colors: colors.as_deref(),
            smooth: true,
            wireframe: style.wireframe,
        });
    }
    for (index, body) in bodies.iter().enumerate() {
        let placed = body.placed(frame, index);
        let placed: Vec<Vec3> = placed.iter().map(local).collect();
        surfaces.push(Surface {
            smooth: body.smooth,
            ..Surface::new(placed, &body.faces, body.color)
        });
    }
    show(&Picture {
        surfaces,
        ground: ground_height(bodies).map(|height| height - origin.z),
        ..Picture::default()
    })
}

fn ground_height(bodies: &[BodyTrack]) -> Option<f64> {
    bodies.iter().find_map(|b| b.ground_height)
}

/// Mean strain of the edges at each node.
fn node_stretch(nodes: &[Vec3], edges: &[[u32; 2]], rest_lengths: &[f32]) -> Vec<f32> {
    let mut sums = vec![(0.0f32, 0u32); nodes.len()];
    for (edge, rest) in edges.iter().zip(rest_lengths) {
        let [a, b] = edge.map(|n| n as usize);
        let strain = nodes[a].distance(nodes[b]) / rest - 1.0;
        for n in [a, b] {
            sums[n].0 += strain;
            sums[n].1 += 1;
        }
    }
    sums.iter()
        .map(|(sum, count)| sum / (*count).max(1) as f32)
        .collect()
}

/// Up to `count` frame numbers, evenly spread from the first to the last.
pub fn spread(frames: usize, count: usize) -> Vec<usize> {
    if frames <= count {
        return (0..frames).collect();
    }
    (0..count)
        .map(|k| k * (frames - 1) / (count - 1).max(1))
        .collect()
}

/// Frames of an animation are thinned to at most this many; more would make a file of tens of megabytes.
const ANIMATION_FRAMES: usize = 60;
/// Pictures on the contact sheet.
const SHEET_FRAMES: usize = 8;

/// Writes `preview.png` (a contact sheet) and `preview-animated.png`.
pub fn write_previews(
    recording: &Recording,
    folder: &Path,
    camera_spec: CameraSpec,
) -> Result<(), PresentError> {
    let label = |frame: &RecordedFrame| format!("t = {:.2} s", frame.time);
    write_labelled_previews(recording, folder, camera_spec, &label)
}

/// Writes `preview.png` and `preview-animated.png` with other words under the pictures than the time.
pub fn write_labelled_previews(
    recording: &Recording,
    folder: &Path,
    camera_spec: CameraSpec,
    label: &dyn Fn(&RecordedFrame) -> String,
) -> Result<(), PresentError> {
    let style = PictureStyle {
        camera: camera_spec,
        size: Size {
            width: 480,
            height: 360,
        },
        ..PictureStyle::default()
    };
    let animated = spread(recording.frame_count(), ANIMATION_FRAMES);
    let frames = read_frames(recording, &animated)?;
    let view = camera(recording, &frames, &style);
    let shown = |frame: &RecordedFrame| picture(recording, frame, &view, &style);
    #[cfg(feature = "parallel")]
    let images: Vec<Image> = {
        use rayon::prelude::*;
        frames.par_iter().map(shown).collect()
    };
    #[cfg(not(feature = "parallel"))]
    let images: Vec<Image> = frames.iter().map(shown).collect();
    let sheet: Vec<(Image, String)> = spread(frames.len(), SHEET_FRAMES)
        .into_iter()
        .map(|k| (images[k].clone(), label(&frames[k])))
        .collect();
    let sheet = contact_sheet(&sheet, 4).encode_png()?;
    write_atomically(&folder.join("preview.png"), &sheet)?;
    let span = frames[frames.len() - 1].time - frames[0].time;
    let fps = if span > 0.0 {
        (frames.len() - 1) as f64 / span
    } else {
        1.0
    };
    let animation = animated_png(&images, fps)?;
    Ok(write_atomically(
        &folder.join("preview-animated.png"),
        &animation,
    )?)
}

/// Reads some frames of a recording.
pub fn read_frames(
    recording: &Recording,
    indices: &[usize],
) -> Result<Vec<RecordedFrame>, PresentError> {
    if indices.is_empty() {
        return Err(PresentError::NoFrames);
    }
    let frames: Result<_, _> = indices.iter().map(|&i| recording.frame(i)).collect();
    Ok(frames?)
}

/// Writes `report.html`.
pub fn write_report_page(
    recording: &Recording,
    metrics: &MetricsTable,
    facts: Vec<(String, String)>,
    scene: &str,
    folder: &Path,
) -> Result<(), PresentError> {
    let mut page = Vec::new();
    let input = ReportInput {
        recording,
        metrics,
        facts,
        scene_source: Some(scene),
        budget_bytes: DEFAULT_BUDGET_BYTES,
    };
    write_report(&input, &mut page)?;
    Ok(write_atomically(&folder.join("report.html"), &page)?)
}
