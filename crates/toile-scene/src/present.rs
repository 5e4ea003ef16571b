//! Results a person can look at: pictures, an animation, a report.

mod look;
mod start;

pub use look::{Label, Look, look, start_camera};
pub use start::start_picture;

use crate::recording::{BodyTrack, ClothTrack, RecordedFrame, Recording, RecordingError};
use crate::report::{ReportError, ReportInput, write_report};
use crate::run::{FolderError, write_atomically};
use crate::spec::CameraSpec;
use glam::{DVec3, Vec3};
use std::path::Path;
use thiserror::Error;
use toile_render::{
    Anchor, Camera, ColorBar, Image, Picture, Quality, RenderError, Rgb, Size, Surface, TextStyle,
    View, animated_png, contact_sheet, diverging, draw,
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
    /// Whether to say which cloth has which colour.
    pub legend: bool,
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
            legend: false,
        }
    }
}

/// How far beyond the cloth bodies that stand still are held in view, as a share of the cloth's size from corner to corner.
const MARGIN: f32 = 0.12;

/// A camera that holds the cloth of the given frames in view throughout, bodies that move, and of bodies that stand still what is
/// near. Like the pictures it is about [`Recording::origin`], because it has single precision.
pub fn camera(recording: &Recording, frames: &[RecordedFrame], style: &PictureStyle) -> Camera {
    let origin = recording.origin();
    let local = |p: DVec3| (p - origin).as_vec3();
    let cloth = frames.iter().flat_map(|f| f.positions.iter());
    let mut points: Vec<Vec3> = cloth.map(|&p| local(p)).filter(|p| p.is_finite()).collect();
    let low = points.iter().fold(Vec3::INFINITY, |low, p| low.min(*p));
    let high = points
        .iter()
        .fold(Vec3::NEG_INFINITY, |high, p| high.max(*p));
    let margin = MARGIN * low.distance(high);
    let place = |frame, index: usize| -> Vec<Vec3> {
        let body = &recording.bodies()[index];
        body.placed(frame, index).into_iter().map(local).collect()
    };
    for index in 0..recording.bodies().len() {
        let Some(first) = frames.first() else { break };
        let still = place(first, index);
        if frames.iter().all(|frame| place(frame, index) == still) {
            let near = |p: &Vec3| p.cmpge(low - margin).all() && p.cmple(high + margin).all();
            points.extend(
                still
                    .iter()
                    .filter(|p| frames[0].positions.is_empty() || near(p)),
            );
        } else {
            points.extend(frames.iter().flat_map(|frame| place(frame, index)));
        }
    }
    let view = View {
        azimuth: style.camera.azimuth.to_radians() as f32,
        elevation: style.camera.elevation.to_radians() as f32,
        zoom: style.camera.zoom as f32,
    };
    Camera::framing(points.into_iter(), view, style.size.aspect())
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
        if style.legend {
            let entries = recording.cloths().iter();
            paint_legend(&mut image, entries.map(|c| (c.name.as_str(), c.colors[0])));
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
        surfaces.push(Surface {
            node_colors: colors.as_deref(),
            wireframe: style.wireframe,
            ..cloth_surface(cloth, &positions)
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

/// Names beside their colours, in the upper left corner.
fn paint_legend<'a>(image: &mut Image, entries: impl Iterator<Item = (&'a str, Rgb)>) {
    let style = TextStyle {
        height: (image.height as f32 / 42.0).clamp(7.0, 20.0).round(),
        ..TextStyle::default()
    };
    let unit = style.height;
    for (row, (name, color)) in entries.enumerate() {
        let top = unit * (1.0 + 1.9 * row as f32);
        image.fill_rectangle(unit as i64, top as i64, unit as u32, unit as u32, color);
        image.write(name, 2.6 * unit, top + unit, Anchor::Left, &style);
    }
}

/// A cloth as pictures show it, with the nodes of all cloths where they are.
pub fn cloth_surface<'a>(cloth: &'a ClothTrack, positions: &'a [Vec3]) -> Surface<'a> {
    Surface {
        back: cloth.colors[1],
        thickness: cloth.thickness,
        weave: cloth.attributes.corner_uvs.as_deref(),
        ..Surface::new(
            &positions[cloth.first_node..cloth.first_node + cloth.node_count],
            &cloth.faces,
            cloth.colors[0],
        )
    }
}

fn ground_height(bodies: &[BodyTrack]) -> Option<f64> {
    bodies.iter().find_map(|b| b.ground_height)
}

/// A round strain that all but three in a thousand nodes of these frames stay below: the end of a colour scale that shows them.
pub fn stretch_range(recording: &Recording, frames: &[RecordedFrame]) -> f32 {
    let mut sizes = Vec::new();
    for frame in frames {
        for cloth in recording.cloths() {
            let nodes = &frame.positions[cloth.first_node..cloth.first_node + cloth.node_count];
            let local: Vec<Vec3> = nodes.iter().map(|&p| (p - nodes[0]).as_vec3()).collect();
            let stretch = node_stretch(&local, &cloth.edges, &cloth.rest_lengths);
            sizes.extend(stretch.into_iter().map(f32::abs).filter(|s| s.is_finite()));
        }
    }
    sizes.sort_unstable_by(f32::total_cmp);
    let most = sizes.get(sizes.len().saturating_sub(1) * 997 / 1000);
    let most = most.copied().unwrap_or(0.0).max(1e-4);
    let decade = 10f32.powf(most.log10().floor());
    let steps = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0];
    let fitting = steps.iter().find(|&&step| step * decade >= 0.999 * most);
    fitting.map_or(10.0 * decade, |step| step * decade)
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
    style: &PictureStyle,
) -> Result<(), PresentError> {
    let label = |frame: &RecordedFrame| format!("t = {:.2} s", frame.time);
    write_labelled_previews(recording, folder, style, &label)
}

/// Writes `preview.png` and `preview-animated.png` with other words under the pictures than the time.
pub fn write_labelled_previews(
    recording: &Recording,
    folder: &Path,
    style: &PictureStyle,
    label: &dyn Fn(&RecordedFrame) -> String,
) -> Result<(), PresentError> {
    let style = PictureStyle {
        size: Size {
            width: 480,
            height: 360,
        },
        ..*style
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
pub fn write_report_page(input: &ReportInput, folder: &Path) -> Result<(), PresentError> {
    let mut page = Vec::new();
    write_report(input, &mut page)?;
    Ok(write_atomically(&folder.join("report.html"), &page)?)
}
