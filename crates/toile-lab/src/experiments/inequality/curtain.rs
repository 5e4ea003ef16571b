//! A curtain drawn together, with fixed lengths and with limited ones: figure 4.
//!
//! A sheet of 1.2 m by 1.2 m, cut by diagonals that all run the same way, held by seven rings that are drawn to half the width, alternately
//! to the front and to the back. Cloth that bends freely hangs straight down from its rings: its hem is as wide as the rings are apart.
//! Triangles whose edges keep their lengths lock ([`super::super::degrees_of_freedom`]), and the hem stays wide. The paper shows pictures only
//! (2.7 and 11.1 thousand triangles); the hem is our measure. Its equality cloth has stiff springs, ours exact lengths. There are no springs
//! and no bending energy in either.

use super::{Run, shake, world};
use crate::clip::Clip;
use crate::outcome::Measurement;
use crate::registry::{Experiment, Findings, LabError, Settings};
use crate::snapshot::Album;
use glam::DVec3;
use toile_scene::scene::World;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "curtain",
    title: "a curtain drawn together at two resolutions: limited lengths fold, fixed lengths lock",
    reproduces: "Jin et al. 2017, figure 4: inequality cloth folds well on a coarse mesh, equality cloth struggles even on a fine one",
    about: "A curtain is drawn to half its width by its rings. Cloth that bends freely hangs straight down from them, so its hem \
            should be as wide as the rings are apart; a mesh whose edges keep their lengths locks, and its hem stays wide. The \
            numbers are the width of the hem in metres, and the excess width with limits over that with fixed lengths.",
    parameters: &[
        (
            "curtain",
            "1.2 m × 1.2 m, 2664 and 11088 triangles (short version: 648), 0.15 kg/m²",
        ),
        (
            "rings",
            "seven (short version: four), drawn from 1.2 to 0.6 m in 1.5 s",
        ),
        ("air damping", "4 1/s"),
        ("steps, duration", "10 ms, 3 s (short version: 2.5 s)"),
    ],
    run,
};

/// Side of the curtain (m).
const SIDE: f64 = 1.2;
/// How far apart the outer rings end (m).
const DRAWN: f64 = 0.5 * SIDE;
/// What keeps the lengths, and what it is called.
const CLOTHS: [(&str, &str); 2] = [
    (
        "equality",
        "model = \"quasi-inextensible\"\nlimit.lengths.tolerance = 5e-3",
    ),
    (
        "inequality",
        "model = \"inequality\"\nlimit.inequality = { stretch = 0.01, tolerance = 5e-3 }",
    ),
];

/// A mesh and its rings.
#[derive(Clone, Copy, Debug)]
struct Size {
    cells: [u32; 2],
    /// Stretches of the upper edge between rings; a divisor of the cells along it.
    bays: u32,
}

/// 2.7 and 11.1 thousand triangles.
const COARSE: Size = Size {
    cells: [36, 37],
    bays: 6,
};
const FINE: Size = Size {
    cells: [72, 77],
    bays: 6,
};
/// As many cells in a bay as the coarse one has.
const QUICK: Size = Size {
    cells: [18, 18],
    bays: 3,
};
/// s
const DURATION: f64 = 3.0;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let (sizes, duration) = if settings.quick {
        (&[QUICK][..], 2.5)
    } else {
        (&[COARSE, FINE][..], DURATION)
    };
    let mut findings = Findings::default();
    let mut albums = Vec::new();
    for &size in sizes {
        let cells = size.cells;
        let mut widths = Vec::new();
        for (name, cloth) in CLOTHS {
            let run = Run::of(curtain(size, cloth)?, duration)?;
            let triangles = 2 * cells[0] * cells[1];
            let width = hem(&run, cells);
            let heights = run.state.positions.iter().map(|p| p.z);
            let height = heights.sum::<f64>() / run.state.positions.len() as f64;
            findings.notes.push(format!(
                "{name}, {triangles} triangles: hem {width:.3} m wide, mean height {:+.1} mm from that of the open curtain; {}",
                1e3 * height,
                run.line()
            ));
            widths.push(width);
            let label = format!("{name}, {triangles} triangles: {width:.2} m");
            albums.push((run, label));
        }
        let both = albums[albums.len() - CLOTHS.len()..].iter();
        let variants: Vec<_> = CLOTHS
            .iter()
            .zip(both)
            .map(|((name, _), (run, _))| ((*name).to_owned(), run.clip.clone()))
            .collect();
        let count = 2 * cells[0] * cells[1];
        let title = format!(
            "A curtain of {count} triangles: fixed lengths (left), limited lengths (right)"
        );
        let clip = Clip::side_by_side(&format!("{count}"), &title, &variants)?;
        findings.clips.push(clip);
        let triangles = 2 * cells[0] * cells[1];
        // A fold at the side may stand out by a ring's distance.
        findings.measurements.push(Measurement::new(
            format!("inequality, {triangles} triangles: width of the hem"),
            "m",
            widths[1],
            DRAWN,
            DRAWN / f64::from(size.bays),
        ));
        findings.measurements.push(Measurement::new(
            format!("{triangles} triangles: excess width of the hem, inequality over equality"),
            "",
            (widths[1] - DRAWN).abs() / (widths[0] - DRAWN).abs(),
            0.0,
            0.5,
        ));
    }
    // Meshes differ, so every curtain is drawn by itself.
    let pages: Vec<_> = albums
        .iter()
        .map(|(run, label)| {
            let mut album = Album::new(&run.world);
            album.add(&run.state, label.clone());
            (album.sheet(1), String::new())
        })
        .collect();
    let sheet = toile_render::contact_sheet(&pages, 2);
    findings.pictures.push(("folds", sheet));
    Ok(findings)
}

fn curtain(size: Size, cloth: &str) -> Result<World, LabError> {
    let Size {
        cells: [nx, ny],
        bays,
    } = size;
    let mut text = format!(
        "[time]\nduration = 10\nfps = 20\nstep = 0.01\n\
         [cloth.curtain]\nmesh.grid = {{ size = [{SIDE}, {SIDE}], cells = [{nx}, {ny}], pattern = \"forward\" }}\n\
         place.rotate_degrees = [90, 0, 0]\n{cloth}\nbending = \"none\"\ndamping = 4\n\
         material = {{ density = 0.15, shear_stiffness = 0 }}\n"
    );
    for ring in 0..=bays {
        let share = f64::from(ring) / f64::from(bays);
        let node = ny * (nx + 1) + nx * ring / bays;
        let inwards = (DRAWN - SIDE) * (share - 0.5);
        let forward = if ring % 2 == 0 { 0.03 } else { -0.03 };
        text += &format!(
            "[[cloth.curtain.pin]]\nselect.nodes = [{node}]\n\
             motion.keyframes = {{ keys = [{{ time = 0 }}, {{ time = 1.5, displacement = [{inwards:?}, {forward:?}, 0] }}] }}\n"
        );
    }
    let mut world = world("curtain", text)?;
    let below = |x: DVec3| x.z < 0.49 * SIDE;
    shake(&mut world.state.positions, 1e-4, |x| {
        if below(x) { DVec3::Y } else { DVec3::ZERO }
    });
    Ok(world)
}

/// How wide the lowest row of nodes is (m), along the way the rings go.
fn hem(run: &Run, [nx, _]: [u32; 2]) -> f64 {
    let row = run.state.positions[..=nx as usize].iter().map(|p| p.x);
    let [low, high] = row.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
        [low.min(x), high.max(x)]
    });
    high - low
}
