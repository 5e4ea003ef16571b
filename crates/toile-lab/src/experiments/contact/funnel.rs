//! A handkerchief is pulled through a funnel.

use super::run::{Watch, carry_out_watched, world_of};
use crate::outcome::Measurement;
use crate::registry::{Experiment, Findings, LabError, Settings};
use glam::DVec3;
use std::f64::consts::TAU;
use std::sync::Arc;
use toile::contact::{MeshShape, Shape};
use toile::geometry::level_set::Settings as LevelSetSettings;
use toile::mesh::{Face, Mesh};
use toile::state::State;
use toile_scene::scene::World;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "funnel",
    title: "a handkerchief is pulled through a funnel",
    reproduces: "Bridson et al. 2002: layers pressed together by a body from a mesh, no intersections",
    about: "A handkerchief lies over a funnel and is pulled through its throat by the middle. It is gathered into many layers that rub on each other and on the \
            wall, a mesh that the simulation sees as a level set. All of it must come out below. After every step an exact test looks for faces that intersect; \
            none may be found, and no node may be in the wall deeper than a millimetre.",
    parameters: &[
        (
            "handkerchief",
            "0.4 m × 0.4 m, 64×64 cells (short version: 20×20)",
        ),
        (
            "funnel",
            "radius 20 cm above, 6 cm in the throat, 20 cm high, wall of 2 cm",
        ),
        ("friction", "0.1"),
        ("steps, duration", "5 ms, 2 s"),
    ],
    run,
};

/// Heights of the throat and of the upper rim (m).
const THROAT: f64 = 0.3;
const RIM: f64 = 0.5;
/// Cells of the level set (m).
const CELL: f64 = 0.01;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let cells = if settings.quick { 20 } else { 64 };
    let mut world = world_of("funnel", scene(cells))?;
    let mesh = funnel();
    let track = &mut world.body_tracks[0];
    track.positions.clone_from(&mesh.positions);
    track.faces.clone_from(&mesh.faces);
    track.smooth = false;
    let shape = MeshShape::new(mesh, LevelSetSettings::with_cell(CELL));
    let shape = shape.expect("a closed mesh, made here");
    world.change(|parts| parts.bodies[0].shape = Shape::Mesh(Arc::new(shape)))?;
    let mut highest = Highest::default();
    let title = "A handkerchief is pulled through a funnel";
    let course = carry_out_watched("funnel", title, &world, &mut highest, &mut findings)?;
    course.judge("funnel", &mut findings);
    let through = highest.through.unwrap_or(f64::NAN);
    findings.measurements.push(Measurement::new(
        "all of it is below the throat at the end (1: yes)",
        "",
        f64::from(u8::from(highest.through.is_some())),
        1.0,
        0.0,
    ));
    findings.notes.push(format!(
        "the last node is below the throat at {through:.2} s"
    ));
    Ok(findings)
}

/// Takes down when the last node has gone through.
#[derive(Default)]
struct Highest {
    through: Option<f64>,
}

impl Watch for Highest {
    fn look(&mut self, _world: &World, state: &State) -> Option<Vec<DVec3>> {
        let highest = state.positions.iter().map(|p| p.z).fold(f64::MIN, f64::max);
        self.through = match self.through {
            _ if highest >= THROAT => None,
            None => Some(state.time),
            known => known,
        };
        None
    }
}

/// A ring of quads around the axis of a funnel: its wall, closed on all sides.
fn funnel() -> Mesh {
    const AROUND: u32 = 48;
    // Radius and height of the wall's corners, counter-clockwise in a half-plane through the axis.
    let wall = [(0.06, THROAT), (0.085, THROAT), (0.225, RIM), (0.2, RIM)];
    let mut positions = Vec::new();
    let mut faces = Vec::new();
    let corners = wall.len() as u32;
    for k in 0..AROUND {
        let (sin, cos) = (TAU * f64::from(k) / f64::from(AROUND)).sin_cos();
        positions.extend(wall.map(|(r, z)| DVec3::new(r * cos, r * sin, z)));
        let next = (k + 1) % AROUND;
        for corner in 0..corners {
            let after = (corner + 1) % corners;
            let node = |around: u32, corner: u32| around * corners + corner;
            faces.push(Face::Quad([
                node(k, corner),
                node(next, corner),
                node(next, after),
                node(k, after),
            ]));
        }
    }
    Mesh::new(positions, faces)
}

fn scene(cells: u32) -> String {
    format!(
        "[contact]\ncloth = \"all\"\n[time]\nstep = 0.005\nduration = 2\n\
         [cloth.handkerchief]\nmesh.grid = {{ size = [0.4, 0.4], cells = [{cells}, {cells}] }}\n\
         place = {{ at = [0, 0, 0.505], rotate_degrees = [0, 0, 10] }}\ndamping = 1\nthickness = 0.001\n\
         [[cloth.handkerchief.pin]]\nselect.nearest = [[0, 0, 0.505]]\n\
         motion.keyframes = {{ keys = [{{ time = 0.0 }}, {{ time = 2.0, displacement = [0, 0, -0.7] }}] }}\n\
         [body.funnel]\nshape.sphere = {{ radius = 0.1 }}\nfriction = 0.1\n\
         [body.lower]\nshape = \"plane\"\nplace = {{ at = [0, 0, -0.6] }}\n"
    )
}
