//! Limits and contact together: scenes by models, a line each.

use super::run::{Course, carry_out};
use super::stress::{five_sheets, heap};
use crate::outcome::Measurement;
use crate::registry::{Experiment, Findings, LabError, Settings};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "contact-table",
    title: "cloth that may not stretch, in contact: scenes by models",
    reproduces: "limits and contact in one solve: neither stretches nor passes through",
    about: "Cloth with a limit to its stretch falls on a ball, on a box, into a heap and in five layers. Every step is one solve of \
            energies, limits, contact and friction. A line for each scene and model tells the worst strain of any face and of any edge over \
            all steps, intersections by the exact test after every step, how deep nodes were in bodies, Newton steps a step, steps that did \
            not converge, and the time. Limits may be missed by half a per cent, and nothing may intersect.",
    parameters: &[
        (
            "models",
            "mass–spring and Baraff–Witkin, principal stretch at most 1 %; quasi-inextensible",
        ),
        (
            "ball",
            "radius 0.3 m, friction 0.3; sheet of 1 m, 32×32, 64×64 and 128×128 cells (short version: 10×10), 2 s (0.4 s)",
        ),
        (
            "box",
            "0.3 × 0.3 × 0.2 m; two sheets of 0.5 m, 32×32 cells (short version: 8×8), 1.2 s (0.3 s)",
        ),
        (
            "five sheets, heap",
            "64×64 cells (short version: 6×6, 10×10)",
        ),
        ("steps", "5 ms"),
    ],
    run,
};

/// How much more than their limit lengths and stretches may show.
pub(super) const ALLOWANCE: f64 = 0.005;
/// Half the thickness of cloth that says nothing of it (m): where the middle of it is, seen from its surface.
const OFFSET: f64 = 1e-3;
/// How deep the middle of the cloth may be in a body (m).
const DEEPEST: f64 = 1e-4;

/// A model with its limit.
pub(super) struct Limited {
    pub name: &'static str,
    /// What a scene says of it.
    pub text: &'static str,
    /// The strain that it allows.
    pub limit: f64,
    /// Whether that is of faces, and not of edges alone.
    of_faces: bool,
}

impl Limited {
    /// The worst strain of a run, of what the limit is about.
    pub fn worst_strain(&self, course: &Course) -> f64 {
        match self.of_faces {
            true => course.strain.max(course.stretch),
            false => course.stretch,
        }
    }
}

pub(super) const MASS_SPRING: Limited = Limited {
    name: "mass-spring, 1 %",
    text: "model = \"mass-spring\"\nlimit.stretch = { stretch = 0.01 }\n",
    limit: 0.01,
    of_faces: true,
};

const BARAFF_WITKIN: Limited = Limited {
    name: "baraff-witkin, 1 %",
    text: "model = \"baraff-witkin\"\nlimit.stretch = { stretch = 0.01 }\n",
    limit: 0.01,
    of_faces: true,
};

pub(super) const QUASI_INEXTENSIBLE: Limited = Limited {
    name: "quasi-inextensible",
    text: "model = \"quasi-inextensible\"\n",
    limit: 0.0,
    of_faces: false,
};

const MODELS: [Limited; 3] = [MASS_SPRING, BARAFF_WITKIN, QUASI_INEXTENSIBLE];

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    for model in &MODELS {
        for (scene, text) in scenes(settings, model.text) {
            let text = text.replace("[time]\n", "[time]\nconstraints = \"unified\"\n");
            let label = format!("{scene}, {}", model.name);
            let course = carry_out("contact-table", &label, text, &mut findings)?;
            let strain = model.worst_strain(&course);
            let depth = (course.depth - OFFSET).max(course.face_depth).max(0.0);
            let count = course.intersections as f64;
            let measure = |what: &str, unit, value, most| {
                Measurement::new(format!("{label}: {what}"), unit, value, 0.0, most)
            };
            findings.measurements.extend([
                measure("worst strain", "", strain.max(0.0), model.limit + ALLOWANCE),
                measure("intersections", "", count, 0.0),
                measure("deepest node in a body", "m", depth, DEEPEST),
            ]);
            findings.notes.push(format!(
                "{label}: faces {:.3} %, edges {:.3} %, {} intersections, {:.3} mm deep, {:.1} Newton steps a step, {} of {} steps \
                 unfinished, {:.1} s",
                1e2 * course.strain,
                1e2 * course.stretch,
                course.intersections,
                1e3 * depth,
                f64::from(course.newton_steps) / course.steps as f64,
                course.unfinished,
                course.steps,
                course.seconds
            ));
            // One picture and one clip are enough.
            let shown = findings.pictures.len().min(1);
            findings.pictures.truncate(shown);
            findings.clips.truncate(shown);
        }
    }
    Ok(findings)
}

/// Scenes with cloth of a model.
fn scenes(settings: &Settings, cloth: &str) -> Vec<(String, String)> {
    let mut scenes = Vec::new();
    let cells: &[u32] = if settings.quick {
        &[10]
    } else {
        &[32, 64, 128]
    };
    for &cells in cells {
        let duration = if settings.quick { 0.4 } else { 2.0 };
        scenes.push((format!("ball {cells}"), ball(cells, duration, cloth)));
    }
    let (cells, duration) = if settings.quick { (8, 0.3) } else { (32, 1.2) };
    scenes.push(("box".to_owned(), sheets_on_a_box(cells, duration, cloth)));
    let (layers, upright) = if settings.quick { (6, 10) } else { (64, 64) };
    scenes.push(("five sheets".to_owned(), five_sheets(layers, cloth)));
    scenes.push(("heap".to_owned(), heap(upright, 1, cloth)));
    scenes
}

fn ball(cells: u32, duration: f64, cloth: &str) -> String {
    format!(
        "[contact]\ncloth = \"itself\"\n[time]\nstep = 0.005\nduration = {duration:?}\n\
         [cloth.sheet]\n{cloth}mesh.grid = {{ size = [1, 1], cells = [{cells}, {cells}] }}\n\
         place = {{ at = [0, 0, 0.31] }}\nmaterial.density = 0.2\nmaterial.bend = 1e-5\n\
         [body.ball]\nshape.sphere = {{ radius = 0.3 }}\nfriction = 0.3\n"
    )
}

fn sheets_on_a_box(cells: u32, duration: f64, cloth: &str) -> String {
    let sheet = |name: &str, place: &str| {
        format!(
            "[cloth.{name}]\n{cloth}mesh.grid = {{ size = [0.5, 0.5], cells = [{cells}, {cells}] }}\nplace = {place}\n"
        )
    };
    format!(
        "[contact]\ncloth = \"all\"\n[time]\nstep = 0.005\nduration = {duration:?}\n{}{}\
         [body.box]\nshape.box = {{ size = [0.3, 0.3, 0.2] }}\nplace = {{ at = [0, 0, 0.1] }}\n\
         [body.floor]\nshape = \"plane\"\n",
        sheet("a", "{ at = [0, 0, 0.21] }"),
        sheet(
            "b",
            "{ at = [0.02, 0.01, 0.23], rotate_degrees = [0, 0, 30] }"
        )
    )
}
