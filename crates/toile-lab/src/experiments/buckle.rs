//! A strip pushed together from both ends, in time.
//!
//! Cloth does not compress: it buckles at once. Choi and Ko (2002) give compressed pairs of nodes the energy of a buckled ribbon
//! and no stiffness against moving sideways, so that a strip follows the elastica from the start. Springs and faces that resist
//! compression store it first and let go later.
//!
//! The strip has no weight and starts with a bow of a ten-thousandth of its length. Its ends come together by 30 % of the length in
//! six seconds, slowly beside its own swinging, and rest for two. Pairs of length `l` feel bends gentler than `√(288 D/Y)/l²` too softly
//! (see the book); the strip is so hard to stretch that this is a radius of 16 cm. Measured are the rise of the middle on the way and at the end against the
//! elastica of the same shortening, and the strip's compression: how much shorter than at rest its middle line gets.

use crate::clip::{Clip, ClipRecorder};
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::reference::PostBuckled;
use crate::registry::{Experiment, Findings, LabError, Settings};
use crate::snapshot::Album;
use crate::strip::{ALTERNATING, Kind, QUAD_HINGES, Strip, hold_between};
use std::f64::consts::PI;
use toile::state::State;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "buckle",
    title: "a strip pushed from both ends buckles at once and follows the elastica",
    reproduces: "Choi and Ko 2002: immediate buckling; mass–spring and Baraff–Witkin beside it",
    about: "A strip is pushed together from both ends, slowly, in time. Cloth does not compress but gives way sideways at once; \
            models that resist compression store it first and snap later. The rise of the middle is compared with Euler's elastica \
            on the way and at the end, and the middle line of the strip must keep its length.",
    parameters: &[
        ("length, rigidity", "0.2 m, 3e-4 N·m"),
        ("stretch stiffness", "1e5 N/m"),
        ("push", "30 % of the length in 6 s, then 2 s of rest"),
        ("mesh", "32×4 cells (short version: 16×4)"),
        ("integrator", "BDF2, steps of 5 ms"),
    ],
    run,
};

const LENGTH: f64 = 0.2;
const SHORTENING: f64 = 0.3;
const PUSH: f64 = 6.0;

const CHOI_KO: Kind = Kind {
    name: "Choi–Ko",
    across: 4,
    model: "choi-ko",
    bending: "model",
    pattern: "quads",
};
const MASS_SPRING: Kind = Kind {
    name: "mass–spring",
    model: "mass-spring",
    ..CHOI_KO
};
const BARAFF_WITKIN: Kind = Kind {
    name: "Baraff–Witkin, hinges",
    ..QUAD_HINGES
};

const TRIANGLES: Kind = Kind {
    name: "Baraff–Witkin, curvature of alternating triangles",
    ..ALTERNATING
};

/// What a push showed.
struct Course {
    /// Shortening and rise over L, step by step.
    rise: Vec<[f64; 2]>,
    /// Rise at the end over L.
    last: f64,
    /// Largest compression of the middle line on the way.
    compression: f64,
    shapes: Vec<State>,
    /// How it came there.
    clip: Option<Clip>,
}

impl Course {
    /// The rise over L when the ends had come together by this share.
    fn rise_at(&self, shortening: f64) -> f64 {
        let near = |p: &&[f64; 2]| p[0] >= shortening;
        self.rise.iter().find(near).map_or(f64::NAN, |p| p[1])
    }
}

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let cells = if settings.quick { 16 } else { 32 };
    let mut findings = Findings::default();
    let shortening = |k: u32| 0.01 * f64::from(k);
    let exact = (0..=30).map(|k| [shortening(k), PostBuckled::new(shortening(k)).rise()]);
    let mut plot = Plot::new(
        "rise while the ends come together",
        Axis::linear("shortening of the ends"),
        Axis::linear("rise / L"),
    )
    .guide("elastica", exact.collect());
    let mut clips = Vec::new();
    for kind in [CHOI_KO, MASS_SPRING, BARAFF_WITKIN, TRIANGLES] {
        let course = push(kind, cells)?;
        let late = lateness(&course);
        let exact = PostBuckled::new(SHORTENING).rise();
        findings.notes.push(format!(
            "{}: in the end {:+.2} % off the elastica; at half its rise or more from a shortening of {:.2} % on; middle line compressed \
             by {:.3} % at the most",
            kind.name,
            100.0 * (course.last / exact - 1.0),
            100.0 * late,
            100.0 * course.compression
        ));
        if kind == CHOI_KO {
            let mut measure = |what: String, measured, reference, tolerance| {
                let what = format!("{}: {what}", kind.name);
                let found = Measurement::new(what, "", measured, reference, tolerance);
                findings.measurements.push(found);
            };
            for shortening in [0.1, 0.2] {
                let exact = PostBuckled::new(shortening).rise();
                let measured = course.rise_at(shortening);
                let what = format!("rise over L on the way, shortened by {shortening}");
                measure(what, measured, exact, 0.05 * exact);
            }
            measure(
                "rise over L at the end".into(),
                course.last,
                exact,
                0.02 * exact,
            );
            let what = "compression of the middle line at the most";
            measure(what.into(), course.compression, 0.0, 0.005);
            let drawn = picture(kind, cells, &course)?;
            findings.pictures.push(("shapes", drawn));
        }
        if kind == TRIANGLES {
            findings.measurements.push(Measurement::new(
                format!("{}: rise over L at the end", kind.name),
                "",
                course.last,
                exact,
                0.02 * exact,
            ));
        }
        clips.extend(course.clip.map(|clip| (kind.name.to_owned(), clip)));
        plot = plot.curve(kind.name, course.rise);
    }
    let title =
        "Pushed from both ends: Choi–Ko, mass–spring, Baraff–Witkin with hinges and with curvature";
    findings
        .clips
        .push(Clip::side_by_side("push", title, &clips)?);
    findings.pictures.push(("rise", plot.draw(SIZE)));
    Ok(findings)
}

/// The shortening from which on the rise is never below half of the elastica's.
fn lateness(course: &Course) -> f64 {
    let low = |[s, rise]: &&[f64; 2]| *s > 0.0 && *rise < 0.5 * PostBuckled::new(*s).rise();
    course.rise.iter().rev().find(low).map_or(0.0, |[s, _]| *s)
}

fn strip(kind: Kind, cells: u32) -> Strip {
    Strip {
        kind,
        start: 0.0,
        size: [LENGTH, 4.0 * LENGTH / f64::from(cells)],
        cells: [cells, 4],
        stretch: 1e5,
        bend: 3e-4,
        density: 0.2,
        gravity: 0.0,
        more: "damping = 2.0",
    }
}

fn world(kind: Kind, cells: u32) -> Result<toile_scene::scene::World, LabError> {
    let cell = LENGTH / f64::from(cells);
    let half = 0.5 * SHORTENING * LENGTH;
    let motion = |sign: f64| {
        format!(
            "motion.keyframes = {{ keys = [{{ time = 0 }}, {{ time = {PUSH}, displacement = [{:?}, 0, 0] }}] }}\n",
            sign * half
        )
    };
    let pins = hold_between(-9.0, 0.5 * cell)
        + &motion(1.0)
        + &hold_between(LENGTH - 0.5 * cell, 9.0)
        + &motion(-1.0);
    let time = "[time]\nduration = 8\nfps = 50\nsubsteps = 4\nintegrator = \"bdf2\"";
    strip(kind, cells).world(time, &pins)
}

fn push(kind: Kind, cells: u32) -> Result<Course, LabError> {
    let world = world(kind, cells)?;
    let mut state = world.state.clone();
    for x in &mut state.positions {
        x.z = 1e-4 * LENGTH * (PI * x.x / LENGTH).sin();
    }
    let mut simulation = world.simulation_from(state);
    let mut course = Course {
        rise: vec![[0.0, 0.0]],
        last: 0.0,
        compression: 0.0,
        shapes: Vec::new(),
        clip: None,
    };
    let mut recorder = ClipRecorder::new(&world, 20.0);
    recorder.record(simulation.state());
    let row = cells as usize + 1;
    let h = world.schedule.step;
    for n in 0..world.schedule.steps() {
        simulation.step()?;
        let state = simulation.state();
        // The third of five rows of nodes.
        let line = &state.positions[2 * row..3 * row];
        let rise = line.iter().map(|x| x.z.abs()).fold(0.0, f64::max) / LENGTH;
        let length: f64 = line.windows(2).map(|w| w[0].distance(w[1])).sum();
        course.compression = course.compression.max(1.0 - length / LENGTH);
        if state.time <= PUSH + 0.5 * h {
            let apart = line[row - 1].x - line[0].x;
            course.rise.push([1.0 - apart / LENGTH, rise]);
        }
        if (n + 1) % (world.schedule.steps() / 4) == 0 {
            course.shapes.push(state.clone());
        }
        course.last = rise;
        recorder.record(state);
    }
    course.clip = Some(recorder.finish("push", ""));
    Ok(course)
}

fn picture(kind: Kind, cells: u32, course: &Course) -> Result<toile_render::Image, LabError> {
    let world = world(kind, cells)?;
    let mut album = Album::new(&world);
    for state in &course.shapes {
        album.add(state, format!("t = {:.2} s", state.time));
    }
    Ok(album.sheet(2))
}
