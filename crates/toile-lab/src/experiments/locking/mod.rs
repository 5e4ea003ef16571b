//! Meshes that lock: sheets that should fold, and whether their mesh lets them.
//!
//! A length for every edge leaves a triangle mesh fewer motions than it has nodes ([`degrees_of_freedom`](super::degrees_of_freedom)), and
//! none that folds it about a taut line across its edges (Jin et al. 2017, section 2). Lengths that may shrink (the same paper) and the metric at
//! the nodes (Coltraro et al. 2022) are said not to lock. The experiments:
//!
//! * [`diagonal`]: a square hung by opposite corners, along and against the edges and on an irregular mesh.
//! * [`corner`]: isometric cloth held at three corners on four meshes.
//! * [`sides`]: the same limits on one and on both sides; with and without cross edges.
//!
//! Sheets are 1 m wide, of 150 g/m², and do not resist bending unless an experiment says so. Cloth does not touch itself here, so the two
//! halves of a fold could swing through each other. They do not in air as thick as `damping` = 10/s: that is just about critical for a triangle of height
//! `a` = 0.71 m that swings about its long side, `ω = √(2g/a)` = 5.3/s. Rest is reached at the rate `ω²/10` = 2.8/s.

pub(crate) mod corner;
pub(crate) mod diagonal;
pub(crate) mod sides;

use crate::clip::{Clip, ClipRecorder};
use crate::paper_scene;
use crate::registry::LabError;
use glam::{DVec3, Vec3};
use toile::state::State;
use toile_render::{Camera, Image, Picture, Quality, Size, Surface, View, contact_sheet, draw};
use toile_scene::scene::World;

/// A sheet and what happens to it.
#[derive(Clone, Debug)]
struct Sheet {
    /// The value of `mesh.`
    mesh: String,
    /// Model, limit and bending, as lines of the cloth.
    cloth: String,
    /// Lines of its material.
    material: String,
    /// Its pins.
    pins: String,
    /// 1/s
    damping: f64,
    /// s
    step: f64,
    duration: f64,
}

impl Sheet {
    fn world(&self) -> Result<World, LabError> {
        let Sheet {
            mesh,
            cloth,
            material,
            pins,
            damping,
            ..
        } = self;
        let text = format!(
            "[time]\nduration = 10\nfps = 10\n[cloth.sheet]\nmesh.{mesh}\ndamping = {damping:?}\n{cloth}\n{pins}\n\
                 [cloth.sheet.material]\ndensity = 0.15\n{material}\n"
        );
        paper_scene::world("locking", &text)
    }

    /// Carries it out. `look` is called after each step.
    fn run(&self, mut look: impl FnMut(&State)) -> Result<Course, LabError> {
        let world = self.world()?;
        let mut simulation = world.simulation();
        let steps = (self.duration / self.step).round() as u32;
        let (mut iterations, mut missed) = (0, 0);
        let mut recorder = ClipRecorder::new(&world, 20.0);
        recorder.record(&world.state);
        for _ in 0..steps {
            let report = simulation.step_by(self.step)?.report;
            if let Some(limit) = report.certificate.limit {
                iterations += limit.iterations;
                missed += u32::from(!limit.converged);
            }
            look(simulation.state());
            recorder.record(simulation.state());
        }
        Ok(Course {
            clip: recorder.finish("motion", ""),
            iterations: f64::from(iterations) / f64::from(steps),
            missed,
            steps,
            state: simulation.state().clone(),
            world,
        })
    }
}

/// What a run ended in.
struct Course {
    world: World,
    state: State,
    /// Iterations of the limit in a step, on average.
    iterations: f64,
    /// Steps in which it missed its tolerance, and all.
    missed: u32,
    steps: u32,
    /// How it came there.
    clip: Clip,
}

impl Course {
    /// The node that is nearest to a place at the start.
    fn node(&self, place: DVec3) -> usize {
        nearest(&self.world.state.positions, place)
    }

    /// Where the node is now (m) that was nearest to a place at the start.
    fn now(&self, place: DVec3) -> DVec3 {
        self.state.positions[self.node(place)]
    }

    /// Largest stretch and largest shrinkage of any edge, relative.
    fn strains(&self) -> [f64; 2] {
        let cloth = &self.world.model.cloths[0];
        let edges = cloth.topology.edges.iter().zip(&cloth.rest.edge_lengths);
        let strain = edges.map(|(edge, rest)| {
            let [a, b] = edge.nodes.map(|n| self.state.positions[n as usize]);
            a.distance(b) / rest - 1.0
        });
        strain.fold([0.0; 2], |[long, short]: [f64; 2], s| {
            [long.max(s), short.max(-s)]
        })
    }

    /// Mean height of the cloth (m), by rest area.
    fn mean_height(&self) -> f64 {
        let cloth = &self.world.model.cloths[0];
        let faces = cloth.topology.faces.iter().zip(&cloth.rest.areas);
        let [sum, area] = faces.fold([0.0; 2], |[sum, all], (face, area)| {
            let corners = face.corners();
            let heights = corners.iter().map(|&n| self.state.positions[n as usize].z);
            [
                sum + area * heights.sum::<f64>() / corners.len() as f64,
                all + area,
            ]
        });
        sum / area
    }

    /// Area now over that at rest.
    fn area_share(&self) -> f64 {
        let cloth = &self.world.model.cloths[0];
        let x = &self.state.positions;
        let faces = cloth.topology.faces.iter();
        let now: f64 = faces.map(|face| face.vector_area(x).length()).sum();
        now / cloth.rest.areas.iter().sum::<f64>()
    }

    /// How the limit fared, for a note.
    fn effort(&self) -> String {
        format!(
            "{:.1} iterations a step, {} of {} steps missed the tolerance",
            self.iterations, self.missed, self.steps
        )
    }
}

fn nearest(positions: &[DVec3], place: DVec3) -> usize {
    let far = |n: &usize| positions[*n].distance_squared(place);
    let nodes = 0..positions.len();
    nodes.min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
}

/// Runs side by side, in motion.
fn clip(name: &str, title: &str, courses: &[(&Course, String)]) -> Result<Clip, LabError> {
    let variants = courses.iter();
    let variants: Vec<_> = variants
        .map(|(course, label)| (label.clone(), course.clip.clone()))
        .collect();
    Clip::side_by_side(name, title, &variants)
}

/// Ends of runs side by side, from one camera, with their meshes.
fn pictures(courses: &[(&Course, String)], columns: usize) -> Image {
    let size = Size {
        width: 360,
        height: 300,
    };
    let places = |course: &Course| -> Vec<Vec3> {
        let x = course.state.positions.iter();
        x.map(|p| p.as_vec3()).collect()
    };
    let all: Vec<_> = courses.iter().flat_map(|(c, _)| places(c)).collect();
    let camera = Camera::framing(all.into_iter(), View::default(), size.aspect());
    let page = |course: &Course| {
        let track = &course.world.cloth_tracks[0];
        let surface = Surface {
            front: track.colors[0],
            back: track.colors[1],
            smooth: false,
            wireframe: true,
            ..Surface::new(places(course), &track.faces, track.colors[0])
        };
        let picture = Picture {
            surfaces: vec![surface],
            ..Picture::default()
        };
        draw(&picture, &camera, size, Quality::default())
    };
    let pages: Vec<_> = courses.iter().map(|(c, l)| (page(c), l.clone())).collect();
    contact_sheet(&pages, columns)
}
