//! Area preserving strain limiting (Kim 2015): what its two experiments have in common.
//!
//! The paper shows a cloth (figures 1 and 7) without a word on sizes, weights, stiffness or step. So the scenes are our own: a sheet of
//! 1 m, cut into triangles, hung by two corners (for figure 1), and the same with the corners swung to and fro against a ball (for figure 7). The springs of the implicit solver are so weak that without a limit the worst change of area is about that of the
//! paper's figure; everything that has the limit is then measured with the same springs. Steps are 10 ms.
//!
//! Areas are taken where the paper takes them, before contact: what the limit itself reports. Without a limit they are those of the
//! state.

pub(crate) mod filter;
pub(crate) mod standalone;

use crate::clip::{Clip, ClipRecorder};
use crate::paper_scene;
use crate::registry::LabError;
use glam::Vec3;
use toile::limit::area::{AreaLimit, AreaSettings};
use toile::state::State;
use toile::step::{Workspace, step};
use toile_render::{
    Camera, Image, Picture, Quality, Rgb, Size, Surface, View, contact_sheet, draw,
};
use toile_scene::scene::World;

/// Holds the corners alone, and the cloth around them.
const CORNER: f64 = 0.01;
const PATCH: f64 = 0.11;

/// What happens to the sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SheetCase {
    Hung,
    Swung,
}

/// A sheet and how it is kept from stretching.
#[derive(Clone, Copy, Debug)]
struct Recipe<'a> {
    scene: SheetCase,
    /// Cells along a side.
    cells: u32,
    /// How cells are cut into triangles.
    pattern: &'a str,
    /// How far around its two corners the sheet is held (m).
    held: f64,
    /// Model, limit and bending, as lines of the cloth.
    cloth: &'a str,
    /// Lines of its material.
    material: &'a str,
}

impl Recipe<'_> {
    fn world(&self) -> Result<World, LabError> {
        let Recipe {
            scene,
            cells,
            pattern,
            held,
            cloth,
            material,
        } = self;
        let (motion, more) = match scene {
            SheetCase::Hung => ("", ""),
            SheetCase::Swung => (
                "motion.keyframes = { keys = [{ time = 1.0 }, { time = 1.4, displacement = [0, 0.5, 0] }, \
                 { time = 1.9, displacement = [0, -0.5, 0] }, { time = 2.4, displacement = [0, 0.3, 0] }, \
                 { time = 2.8, displacement = [0, 0, 0] }] }",
                "[body.ball]\nshape.sphere = { radius = 0.2 }\nplace.at = [0, -0.35, -0.7]\nfriction = 0.3\n",
            ),
        };
        let text = format!(
            "[time]\nduration = 10\nfps = 25\nstep = 0.01\n\
                 [cloth.sheet]\nmesh.grid = {{ size = [1, 1], cells = [{cells}, {cells}], pattern = \"{pattern}\" }}\n\
                 damping = 0.5\n{cloth}\n[cloth.sheet.material]\ndensity = 0.15\n{material}\n\
                 [[cloth.sheet.pin]]\nselect.ball = {{ center = [-0.5, 0.5, 0], radius = {held} }}\n{motion}\n\
                 [[cloth.sheet.pin]]\nselect.ball = {{ center = [0.5, 0.5, 0], radius = {held} }}\n{motion}\n{more}"
        );
        paper_scene::world("area", &text)
    }
}

/// What a run showed.
struct Record {
    world: World,
    state: State,
    /// Time (s) and worst `|A/Ā − 1|` of each step.
    worst: Vec<[f64; 2]>,
    /// Sub-steps a step, and iterations of conjugate gradients a sub-step, on average.
    sub_steps: f64,
    iterations: f64,
    /// The state at the time of the picture.
    picture: State,
    clip: Clip,
}

impl Record {
    /// The worst `|A/Ā − 1|` of any step from a time (s) on.
    fn worst_after(&self, time: f64) -> f64 {
        let late = self.worst.iter().filter(|w| w[0] >= time);
        late.map(|w| w[1]).fold(0.0, f64::max)
    }

    /// The lowest point (m).
    fn lowest(&self) -> f64 {
        let heights = self.state.positions.iter().map(|p| p.z);
        heights.fold(f64::INFINITY, f64::min)
    }

    /// In per cent, for a plot.
    fn curve(&self) -> Vec<[f64; 2]> {
        self.worst.iter().map(|w| [w[0], 100.0 * w[1]]).collect()
    }
}

/// Areas as they are measured: a limit that nobody applies.
fn gauge(world: &World) -> AreaLimit {
    let cloth = &world.model.cloths[0];
    AreaLimit::new(&cloth.topology, &cloth.rest, 0, AreaSettings::default())
        .expect("a grid's faces have areas")
}

/// Runs a recipe for a time (s), and keeps what it looks like at another.
fn record(recipe: &Recipe, duration: f64, picture_at: f64) -> Result<Record, LabError> {
    const H: f64 = 0.01;
    let world = recipe.world()?;
    let gauge = gauge(&world);
    let mut state = world.state.clone();
    // Bare steps: on springs this soft an edge may double in one, which a simulation would take for an explosion and cut.
    let mut workspace = Workspace::new(&world.model, None);
    let mut worst: Vec<[f64; 2]> = Vec::new();
    let mut picture = state.clone();
    let (mut sub_steps, mut iterations) = (0, 0);
    let mut recorder = ClipRecorder::new(&world, 25.0);
    recorder.record(&state);
    let steps = (duration / H).round() as u32;
    for _ in 0..steps {
        let report = step(&world.model, &mut state, &mut workspace, H)?;
        let change = match report.certificate.limit {
            Some(limit) => {
                sub_steps += limit.iterations;
                iterations += limit.linear_iterations;
                limit.residual
            }
            None => gauge.errors(&state.positions)[0],
        };
        if state.time <= picture_at + 0.5 * H {
            picture.clone_from(&state);
        }
        worst.push([state.time, change]);
        recorder.record(&state);
    }
    Ok(Record {
        clip: recorder.finish("motion", ""),
        world,
        state,
        worst,
        sub_steps: f64::from(sub_steps) / f64::from(steps),
        iterations: f64::from(iterations) / f64::from(sub_steps.max(1)),
        picture,
    })
}

/// Runs side by side, in motion.
fn clip(name: &str, title: &str, records: &[(&Record, String)]) -> Result<Clip, LabError> {
    let variants = records.iter();
    let variants: Vec<_> = variants
        .map(|(record, label)| (label.clone(), record.clip.clone()))
        .collect();
    Clip::side_by_side(name, title, &variants)
}

/// From white over light red to red: none, half and all of `full`.
fn red(change: f64, full: f64) -> Rgb {
    let share = (change / full).clamp(0.0, 1.0) as f32;
    [
        0.95 - 0.15 * share,
        0.95 * (1.0 - share),
        0.95 * (1.0 - share),
    ]
}

/// Sheets at the same moment, coloured by change of area as in the paper: pure red at `full` and beyond.
fn pictures(records: &[(&Record, String)], full: f64) -> Image {
    let size = Size {
        width: 400,
        height: 400,
    };
    let places =
        |state: &State| -> Vec<Vec3> { state.positions.iter().map(|p| p.as_vec3()).collect() };
    let all: Vec<_> = records
        .iter()
        .flat_map(|(r, _)| places(&r.picture))
        .collect();
    let camera = Camera::framing(all.into_iter(), View::default(), size.aspect());
    let page = |record: &Record| {
        let cloth = &record.world.model.cloths[0];
        let positions = &record.picture.positions;
        let mut changes = vec![(0.0, 0); positions.len()];
        for (face, &area) in cloth.topology.faces.iter().zip(&cloth.rest.areas) {
            let change = (face.vector_area(positions).length() / area - 1.0).abs();
            for &node in face.corners() {
                let (sum, count) = &mut changes[node as usize];
                *sum += change;
                *count += 1;
            }
        }
        let mean = changes
            .iter()
            .map(|(sum, count)| sum / f64::from((*count).max(1)));
        let colors: Vec<Rgb> = mean.map(|change| red(change, full)).collect();
        let track = &record.world.cloth_tracks[0];
        let surface = Surface {
            node_colors: Some(&colors),
            wireframe: true,
            ..Surface::new(places(&record.picture), &track.faces, [0.9; 3])
        };
        let picture = Picture {
            surfaces: vec![surface],
            ..Picture::default()
        };
        draw(&picture, &camera, size, Quality::default())
    };
    let pages: Vec<_> = records
        .iter()
        .map(|(r, label)| (page(r), label.clone()))
        .collect();
    contact_sheet(&pages, records.len().min(3))
}
