//! How long the edges of inequality cloth are when it has come to rest: figure 14.
//!
//! No edge may be longer than `1 + α` of its rest length, whatever the weak springs; many are exactly that long, and the rest is shorter,
//! where cloth bends finer than its mesh. The paper takes the T-shirt of an armadillo, `α` = 1 %, and three stiffnesses, each ten times
//! the one before; here it is a square sheet that hangs from two corners a fifth nearer to each other than at rest.

use super::{Run, world};
use crate::clip::Clip;
use crate::measure::strain::Histogram;
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Experiment, Findings, LabError, Settings};
use crate::snapshot::Album;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "strain-histogram",
    title: "lengths of the edges of a hanging sheet of inequality cloth",
    reproduces: "Jin et al. 2017, figure 14: no edge beyond the allowed 1 %, over 30 % of them at it",
    about: "A sheet of inequality cloth hangs from two corners that are drawn together. Its edges may shrink but not grow by more \
            than 1 %, whatever the weak springs that keep it smooth. The numbers are how far the longest edge is beyond the limit \
            (nothing but the solver's tolerance) and the share of edges that hang just at it.",
    parameters: &[
        (
            "sheet",
            "1 m × 1 m, 32×32 cells (short version: 18×18), 0.15 kg/m²",
        ),
        ("allowed stretch, tolerance", "1 %, 0.1 %"),
        ("weak springs", "0.01, 0.1 and 1 N/m (short version: 0.1)"),
        ("steps, duration", "10 ms, 2.5 s (short version: 1.2 s)"),
    ],
    run,
};

/// Allowed stretch.
const ALPHA: f64 = 0.01;
/// Of the solver.
const TOLERANCE: f64 = 1e-3;
/// N/m
const SPRINGS: [f64; 3] = [0.01, 0.1, 1.0];

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let (cells, duration) = if settings.quick { (18, 1.2) } else { (32, 2.5) };
    let springs = if settings.quick {
        &SPRINGS[1..2]
    } else {
        &SPRINGS[..]
    };
    let mut findings = Findings::default();
    let mut plot = Plot::new(
        format!("Sheet hung from two corners, {cells}×{cells} cells: edges and cross edges"),
        Axis::linear("strain (%)"),
        Axis::linear("share of the edges in 0.2 % of strain (%)"),
    );
    let mut runs = Vec::new();
    for &stiffness in springs {
        let run = Run::of(hung(cells, stiffness)?, duration)?;
        let strains = run.strains();
        judge(stiffness, &strains, settings.quick, &mut findings);
        findings
            .notes
            .push(format!("{stiffness} N/m: {}", run.line()));
        plot = plot.curve(format!("{stiffness} N/m"), histogram(&strains));
        runs.push((stiffness, run));
    }
    plot = plot.guide("limit", vec![[100.0 * ALPHA, 0.0], [100.0 * ALPHA, 50.0]]);
    findings.pictures.push(("strain", plot.draw(SIZE)));
    let mut album = Album::new(&runs[0].1.world);
    for (stiffness, run) in &runs {
        album.add(&run.state, format!("{stiffness} N/m"));
    }
    findings.pictures.push(("sheets", album.sheet(3)));
    let variant = |(stiffness, run): &(f64, Run)| (format!("{stiffness} N/m"), run.clip.clone());
    let variants: Vec<_> = runs.iter().map(variant).collect();
    let title = "A sheet hung from two corners that are drawn together, by weak springs";
    let clip = Clip::side_by_side("springs", title, &variants)?;
    findings.clips.push(clip);
    Ok(findings)
}

fn hung(cells: u32, stiffness: f64) -> Result<toile_scene::scene::World, LabError> {
    world(
        "strain-histogram",
        format!(
            "[time]\nduration = 10\nfps = 20\nstep = 0.01\n\
             [cloth.sheet]\nmesh.grid = {{ size = [1, 1], cells = [{cells}, {cells}], pattern = \"alternating\" }}\n\
             place.rotate_degrees = [80, 0, 0]\n\
             model = \"inequality\"\nbending = \"none\"\ndamping = 2\n\
             limit.inequality = {{ stretch = {ALPHA}, tolerance = {TOLERANCE} }}\n\
             material = {{ density = 0.15, weak_springs = {stiffness:?} }}\n\
             [[cloth.sheet.pin]]\nselect.corners = [2]\n\
             motion.keyframes = {{ keys = [{{ time = 0 }}, {{ time = 1, displacement = [0.1, 0, 0] }}] }}\n\
             [[cloth.sheet.pin]]\nselect.corners = [3]\n\
             motion.keyframes = {{ keys = [{{ time = 0 }}, {{ time = 1, displacement = [-0.1, 0, 0] }}] }}\n"
        ),
    )
}

/// The short version ends before the sheet is at rest, with 26 to 29 % of the edges at the limit: it judges the limit alone.
fn judge(stiffness: f64, strains: &[f64], quick: bool, findings: &mut Findings) {
    let longest = strains.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // The tolerance is one of `l / ((1 + α) l̄) − 1`.
    let slack = (1.0 + ALPHA) * TOLERANCE;
    let at_limit = strains.iter().filter(|s| **s >= ALPHA - slack).count();
    let share = at_limit as f64 / strains.len() as f64;
    findings.measurements.push(Measurement::new(
        format!("{stiffness} N/m: longest edge beyond the limit"),
        "",
        (longest - ALPHA).max(0.0),
        0.0,
        slack,
    ));
    if !quick {
        // Over 30 %: anything from there to all of them.
        let what = format!("{stiffness} N/m: share of edges at the limit (30 to 100 %)");
        let found = Measurement::new(what, "", share, 0.65, 0.35);
        findings.measurements.push(found);
    }
    let mean = strains.iter().sum::<f64>() / strains.len() as f64;
    let shortest = strains.iter().copied().fold(f64::INFINITY, f64::min);
    let taut = strains.iter().filter(|s| **s >= 0.0).count() as f64 / strains.len() as f64;
    findings.notes.push(format!(
        "{stiffness} N/m: strains from {:+.1} to {:+.2} %, mean {:+.2} %; {:.1} % of the edges at the limit, {:.1} % not shorter than at rest",
        100.0 * shortest,
        100.0 * longest,
        100.0 * mean,
        100.0 * share,
        100.0 * taut
    ));
}

/// Shares in classes of 0.2 %, in per cent; what is shorter than −8.1 % is in the first class.
fn histogram(strains: &[f64]) -> Vec<[f64; 2]> {
    // So that the limit is in the middle of a class.
    let histogram = Histogram::of(strains, -0.081, 0.002, 50);
    let percent = histogram.points().map(|p| p.map(|x| 100.0 * x));
    percent.collect()
}
