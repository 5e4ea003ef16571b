//! Areas as the only thing that keeps cloth from stretching: figure 6.
//!
//! `model = "area"`: no membrane energy at all. Areas alone leave triangles free to grow long and thin; the springs across
//! triangle pairs (the paper's bend springs) are what keeps them in shape, and the experiment shows what happens without them.
//!
//! Where the springs do not reach, nothing does. They do not hold the triangle at a corner, which has only one neighbour; so the sheet is
//! held 11 cm around its two corners. And they hold the rim of a mesh whose diagonals alternate badly: it crumples. The sheet is cut in
//! herring-bone; the other is in the notes.

use super::{PATCH, Recipe, Record, SheetCase, clip, pictures, record};
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Experiment, Findings, LabError, Settings};
use toile::mesh::Face;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "area-standalone",
    title: "a sheet of nothing but kept areas and springs across its triangle pairs",
    reproduces: "Kim 2015, figures 5 and 6: area preservation as the whole solver, 4.8 % at the worst",
    about: "The same swung sheet with no springs along its edges at all: kept areas and springs across pairs of triangles are \
            everything that holds it together. Areas alone let triangles grow long and thin, and the experiment shows that it \
            takes the springs to stop that. The thinnest triangle is measured by its height: 1 is the shape at rest, 0 a triangle \
            that has become a line.",
    parameters: &[
        (
            "sheet",
            "1 m × 1 m, 24×24 cells (short version: 10×10), herring-bone",
        ),
        (
            "springs across pairs",
            "0, 20, 80, 300 N/m; judged: 0 and 80",
        ),
        ("regularisation α", "1.2"),
        ("held", "11 cm around two corners"),
        ("steps, duration", "10 ms, 3.7 s (short version: 1.5 s)"),
    ],
    run,
};

/// The paper's worst change of area in figure 6.
const PAPER: f64 = 0.0477;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let (cells, duration) = if settings.quick { (10, 1.5) } else { (24, 3.7) };
    let mut findings = Findings::default();
    let run = |pattern: &str, springs: f64, alpha: f64| {
        let cloth = format!(
            "model = \"area\"\nlimit.area = {{ regularisation = {alpha:?}, tolerance = 1e-9 }}"
        );
        let material = format!("weak_springs = {springs:?}\nbend = 1e-5");
        let recipe = Recipe {
            scene: SheetCase::Swung,
            cells,
            pattern,
            held: PATCH,
            cloth: &cloth,
            material: &material,
        };
        record(&recipe, duration, 1.4)
    };
    let mut plot = Plot::new(
        "Figure 6: areas and springs across triangle pairs",
        Axis::linear("time (s)"),
        Axis::log("worst change of area (%)"),
    );
    let mut records = Vec::new();
    for springs in [0.0, 20.0, 80.0, 300.0] {
        let record = run("herring-bone", springs, 1.2)?;
        findings.notes.push(line(springs, 1.2, &record));
        plot = plot.curve(format!("springs of {springs} N/m"), record.curve());
        records.push((springs, record));
    }
    let tight = run("herring-bone", 80.0, 1.02)?;
    findings.notes.push(line(80.0, 1.02, &tight));
    let alternating = run("alternating", 80.0, 1.2)?;
    let crumpled = line(80.0, 1.2, &alternating);
    findings
        .notes
        .push(format!("alternating diagonals, {crumpled}"));
    judge(&records[0].1, &records[2].1, &mut findings);
    findings.pictures.push(("areas", plot.draw(SIZE)));
    let label = |(springs, record): &(f64, Record)| {
        format!("{springs} N/m: {:.1} %", 100.0 * record.worst_after(0.0))
    };
    let mut shown: Vec<_> = records[1..3].iter().map(|r| (&r.1, label(r))).collect();
    let worst = 100.0 * alternating.worst_after(0.0);
    shown.push((&alternating, format!("alternating, 80 N/m: {worst:.1} %")));
    findings.pictures.push(("sheets", pictures(&shown, 0.1)));
    let title = "Kept areas and springs of 20 and 80 N/m; alternating diagonals (right)";
    findings.clips.push(clip("sheets", title, &shown)?);
    Ok(findings)
}

fn judge(without: &Record, with: &Record, findings: &mut Findings) {
    findings.measurements.extend([
        Measurement::new(
            "springs of 80 N/m, α = 1.2: worst change of area (the paper has 4.8 %)",
            "",
            with.worst_after(0.0),
            0.0,
            PAPER,
        ),
        Measurement::new(
            "the same: iterations a sub-step (\"average 3\")",
            "",
            with.iterations,
            3.0,
            1.0,
        ),
        Measurement::new(
            "the same: thinnest triangle (1 is the shape at rest)",
            "",
            thinnest(with),
            1.0,
            0.5,
        ),
        Measurement::new(
            "without springs: thinnest triangle",
            "",
            thinnest(without),
            0.0,
            0.1,
        ),
    ]);
}

fn line(springs: f64, alpha: f64, record: &Record) -> String {
    format!(
        "springs of {springs} N/m, α = {alpha}: worst change of area {:.2} %; {:.1} sub-steps of {:.1} iterations; thinnest triangle {:.2}, longest edge {:.2} of its rest length; lowest point at {:.3} m",
        100.0 * record.worst_after(0.0),
        record.sub_steps,
        record.iterations,
        thinnest(record),
        longest(record),
        record.lowest()
    )
}

/// The smallest height of any triangle at the end, over that of its rest shape.
fn thinnest(record: &Record) -> f64 {
    let cloth = &record.world.model.cloths[0];
    let x = &record.state.positions;
    let height = |face: &Face, area: f64, length: &dyn Fn(usize, usize) -> f64| {
        let n = face.corners().len();
        let sides = (0..n).map(|k| length(k, (k + 1) % n));
        2.0 * area / sides.fold(0.0, f64::max)
    };
    let faces = cloth.topology.faces.iter().enumerate();
    let ratio = |(f, face): (usize, &Face)| {
        let corners = face.corners();
        let flat = &cloth.rest.corners[f];
        let now = |a: usize, b: usize| x[corners[a] as usize].distance(x[corners[b] as usize]);
        let rest = |a: usize, b: usize| flat[a].distance(flat[b]);
        height(face, face.vector_area(x).length(), &now) / height(face, cloth.rest.areas[f], &rest)
    };
    faces.map(ratio).fold(f64::INFINITY, f64::min)
}

/// The largest `l/l̄` of any edge at the end.
fn longest(record: &Record) -> f64 {
    let cloth = &record.world.model.cloths[0];
    let x = &record.state.positions;
    let edges = cloth.topology.edges.iter().zip(&cloth.rest.edge_lengths);
    let ratio = edges.map(|(edge, rest)| {
        let [a, b] = edge.nodes.map(|n| x[n as usize]);
        a.distance(b) / rest
    });
    ratio.fold(0.0, f64::max)
}
