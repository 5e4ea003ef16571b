//! A square hung by two opposite corners (Jin et al. 2017, figure 3).
//!
//! It lies flat, is let go, and should fold about the line between the corners. That line runs along edges of the mesh, or across them,
//! or the mesh is irregular. The corners stay at the full distance. A taut line carries no weight, so equations are met to 0.5 % only; with corners 1 % nearer the sheet
//! sags along the line before it folds, and what is curved one way does not fold the other way, whatever the mesh: stiff springs along the edges then stayed open,
//! at 163° (8×8 cells).
//!
//! Springs and fixed lengths are on mesh edges alone, as in the paper: shear springs across pairs of triangles would resist the fold.
//!
//! **What counts as folded.** The free corners should meet: their distance is 1.41 m when the sheet is flat and 0 when it is folded. A mesh without
//! resistance to bending turns over within a cell on each side of the line, so a folded sheet may have its corners two cells apart. A sheet whose
//! corners are farther apart than half of 1.41 m has not folded.
//!
//! **Where the rest is known.** Inequalities on lengths are convex and weight is linear. So the states of least energy are a convex set, and the
//! mirror image of one of them is another: their mean lies in the vertical plane through the corners, folded. Its limits are met by the active set, the
//! paper's own.
//!
//! **Isometric cloth** cannot fold about a taut line that its edges cross, whatever its mesh. Rolled about that line, by an angle `φ` from node to
//! node, a mean metric of 1 shortens it: by `φ²/8` if triangles cross it with their diagonals, by `φ²/48` if it is the diagonal of quads, and
//! not at all along edges. (With `A` and `T` an edge's parts along the line and across it: lengths hold `A² + T²`, right angles of the triangles
//! hold `A² = T² cos φ`.) With an excess of length `ε` the roll is `r = h / (4 √ε)` wide: it folds as sharply as its mesh is fine. So the sheet is let
//! fall, and then its corners come nearer by 1 %, the excess that inequality cloth has; noise (3 mm at the start, none at rest) tells it which way to fold.
//! (Stiff springs gain their excess by stretching: with 10⁵ N/m they give way by 0.4 % on 16×16 cells, and the corners come to within 0.6 m.)
//! The free corners should end `2r` apart, give or take the two cells of above.
//!
//! **The tension field** does not resist being pushed together where nothing resists bending: faces that the fold crosses shorten by folds of
//! their own.

use super::{Course, Sheet, clip, pictures};
use crate::outcome::Measurement;
use crate::registry::{Experiment, Findings, LabError, Settings};
use glam::DVec3;
use std::f64::consts::SQRT_2;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "locking-diagonal",
    title: "a square hung by opposite corners on three meshes: which cloth folds",
    reproduces: "Jin et al. 2017, figures 2 and 3: equality cloth locks against its edges, inequality cloth folds",
    about: "A square of cloth that does not resist bending is held at two opposite corners and let go; it should fold about the \
            line between them until the free corners meet. If every edge of a triangle mesh keeps its length, the mesh cannot fold \
            across its edges and stays open: it locks. The number is the distance of the free corners, 1.41 m for an open sheet \
            and 0 for a folded one, on meshes whose edges run along the fold, against it, or anyhow.",
    parameters: &[
        (
            "sheet",
            "1 m × 1 m, 8×8 and 16×16 cells (short version: 8×8), 0.15 kg/m²",
        ),
        (
            "stiff springs",
            "2000 N/m times the square of the cells a side",
        ),
        ("allowed stretch of inequality cloth", "1 %"),
        ("air damping", "10 1/s"),
        (
            "steps, duration",
            "10 ms (short version: 20 ms), 3 s; isometric cloth 5 s",
        ),
    ],
    run,
};

/// How the corners' line runs through the mesh.
pub(super) const ALONG: &str = "along the edges";
pub(super) const AGAINST: &str = "against the edges";
const IRREGULAR: &str = "irregular";

/// The free corners and the held ones; those of the grid's backward diagonal are held.
const FREE: [DVec3; 2] = [DVec3::new(-0.5, -0.5, 0.0), DVec3::new(0.5, 0.5, 0.0)];
const HELD: [DVec3; 2] = [DVec3::new(0.5, -0.5, 0.0), DVec3::new(-0.5, 0.5, 0.0)];
const MODELS: [(&str, &str, &str); 5] = [
    (
        "stiff springs",
        "model = \"mass-spring\"",
        "stretch_stiffness = STIFF\nshear_stiffness = 0",
    ),
    (
        "fixed lengths",
        "model = \"quasi-inextensible\"\nlimit.lengths = { tolerance = 5e-3 }",
        "shear_stiffness = 0",
    ),
    (
        "inequality",
        "model = \"inequality\"\nlimit.inequality = { stretch = 0.01, solver = \"active-set\" }",
        "",
    ),
    (
        ISOMETRIC,
        "model = \"isometric\"\nlimit.isometric = { tolerance = 5e-3 }\nnoise.deviation = 0.003\nrest.uv = {}",
        "",
    ),
    (
        TENSION_FIELD,
        "model = \"tension-field\"\nlimit = \"none\"",
        "stretch_stiffness = STIFF\nshear_stiffness = 50\nbend = 1e-7",
    ),
];
const TENSION_FIELD: &str = "tension field";
const ISOMETRIC: &str = "isometric";
/// Excess of length of inequality and isometric cloth.
const EXCESS: f64 = 0.01;

/// The sheet on a mesh with so many cells along a side.
pub(super) fn sheet(mesh: &str, cells: u32, cloth: &str, material: &str) -> Sheet {
    let grid = |pattern: &str| {
        format!("grid = {{ size = [1, 1], cells = [{cells}, {cells}], pattern = \"{pattern}\" }}")
    };
    let held = HELD.map(|p| p.to_array());
    Sheet {
        mesh: match mesh {
            ALONG => grid("backward"),
            AGAINST => grid("forward"),
            _ => format!(
                "polygon = {{ outline = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]], nodes = {} }}",
                (cells + 1) * (cells + 1)
            ),
        },
        cloth: format!("{cloth}\nbending = \"none\""),
        // The finer the mesh, the less stretch lets it fold (see above).
        material: material.replace("STIFF", &format!("{}", 2000 * cells * cells)),
        pins: format!("[[cloth.sheet.pin]]\nselect.nearest = {held:?}\n"),
        damping: 10.0,
        step: 0.01,
        duration: 3.0,
    }
}

/// Pins that bring the held corners nearer in the second after the first.
fn nearing_pins() -> String {
    let pin = |corner: DVec3| {
        let (at, way) = (corner.to_array(), (-EXCESS * corner).to_array());
        format!(
            "[[cloth.sheet.pin]]\nselect.nearest = [{at:?}]\n\
             motion.keyframes.keys = [{{ time = 1 }}, {{ time = 2, displacement = {way:?} }}]\n"
        )
    };
    HELD.map(pin).concat()
}

/// How far apart the free corners are (m).
pub(super) fn opening(course: &Course) -> f64 {
    let [a, b] = FREE.map(|corner| course.now(corner));
    a.distance(b)
}

/// Angle between the halves (degrees): 180 for a flat sheet, 0 for a folded one.
pub(super) fn fold_angle(course: &Course) -> f64 {
    let [p, q] = HELD.map(|corner| course.now(corner));
    let line = (q - p).normalize();
    let [a, b] = FREE.map(|corner| (course.now(corner) - p).reject_from_normalized(line));
    a.angle_between(b).to_degrees()
}

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let sizes: &[u32] = if settings.quick { &[8] } else { &[8, 16] };
    for (number, &cells) in sizes.iter().enumerate() {
        let mut shown = Vec::new();
        for (model, cloth, material) in MODELS {
            let mut heights = Vec::new();
            for mesh in [ALONG, AGAINST, IRREGULAR] {
                let mut sheet = sheet(mesh, cells, cloth, material);
                if settings.quick {
                    sheet.step = 0.02;
                }
                if model == ISOMETRIC {
                    (sheet.pins, sheet.duration) = (nearing_pins(), 5.0);
                }
                let course = sheet.run(|_| {})?;
                findings.notes.push(line(model, mesh, cells, &course));
                judge(model, mesh, cells, &course, &mut findings);
                heights.push(course.mean_height());
                let label = format!("{model}, {mesh}: {:.0}°", fold_angle(&course));
                shown.push((course, label));
            }
            if model == "inequality" {
                same_shape(cells, &heights, &mut findings);
            }
        }
        let shown: Vec<_> = shown.iter().map(|(c, l)| (c, l.clone())).collect();
        let name = ["coarse", "fine"][number];
        for ((model, ..), three) in MODELS.iter().zip(shown.chunks(3)) {
            let title = format!(
                "{cells}×{cells} cells, {model}: {ALONG} (left), {AGAINST} (middle), {IRREGULAR} (right)"
            );
            let file = format!("{}-{name}", model.replace(' ', "-"));
            findings.clips.push(clip(&file, &title, three)?);
        }
        findings.pictures.push((name, pictures(&shown, 3)));
    }
    Ok(findings)
}

fn line(model: &str, mesh: &str, cells: u32, course: &Course) -> String {
    let [long, short] = course.strains();
    format!(
        "{cells}×{cells} cells, {model}, {mesh}: corners {:.3} m apart, fold angle {:.0}°, mean height {:.3} m, longest edge {:+.2} %, \
         shortest {:+.1} %; {}",
        opening(course),
        fold_angle(course),
        course.mean_height(),
        100.0 * long,
        -100.0 * short,
        course.effort()
    )
}

fn judge(model: &str, mesh: &str, cells: u32, course: &Course, findings: &mut Findings) {
    let locks = mesh == AGAINST && ["stiff springs", "fixed lengths"].contains(&model);
    let folds = mesh == ALONG || ["inequality", ISOMETRIC, TENSION_FIELD].contains(&model);
    let cell = 1.0 / f64::from(cells);
    let roll = match model {
        ISOMETRIC if mesh != ALONG => 0.5 * cell / EXCESS.sqrt(),
        _ => 0.0,
    };
    let (reference, tolerance) = match (locks, folds) {
        (true, _) => (SQRT_2, 0.5 * SQRT_2),
        // It stops where its faces are slack all over, before its corners meet.
        (_, true) if model == TENSION_FIELD => (0.0, 0.5 * SQRT_2),
        (_, true) => (0.0, roll + 2.0 * cell),
        // What equality cloth does on an irregular mesh hangs on the mesh.
        _ => return,
    };
    let says = if locks { "stays open" } else { "folds" };
    findings.measurements.push(Measurement::new(
        format!("{cells}×{cells} cells, {model}, {mesh}, {says}: distance of the free corners"),
        "m",
        opening(course),
        reference,
        tolerance,
    ));
}

/// The same state of least energy on every mesh, as far as it can tell states apart: half a cell.
fn same_shape(cells: u32, heights: &[f64], findings: &mut Findings) {
    let [low, high] = heights
        .iter()
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], &z| {
            [l.min(z), h.max(z)]
        });
    findings.measurements.push(Measurement::new(
        format!("{cells}×{cells} cells, inequality: mean height, between the meshes"),
        "m",
        high - low,
        0.0,
        0.5 / f64::from(cells),
    ));
}
