//! A strip hung by its two ends: the catenary.
//!
//! A strip without bending, longer than its span, hangs in `z = a cosh(x/a)`. It stretches a little, by about 1e-5 of its length; the
//! references stretch with it (see `reference/catenary.rs`), so nothing of that is left in the errors.
//!
//! A strip of lumped masses is a chain of links, whose joints can be worked out to rounding; every model must agree with that chain as far as the
//! static solver goes. The chain hangs lower than the smooth curve by `c Δ²` with the cell's length `Δ`, and `c` is known too: second order.

use super::strip::{Recipe, Strip, last_order};
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::reference::{Catenary, hung_chain};
use crate::registry::{Experiment, Findings, LabError, Settings};
use crate::snapshot::Album;
use std::ops::ControlFlow;
use toile::equilibrium::{EquilibriumSettings, minimise};
use toile::state::State;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "catenary",
    title: "a strip hung by its ends takes the shape of a chain, with every model of stretch",
    reproduces: "the catenary z = a cosh(x/a) (Huygens, Leibniz, Johann Bernoulli 1691)",
    about: "A strip without bending is hung by its ends, and the static solver finds its shape. It must be that of a hanging \
            chain, which is known exactly, with every model of stretch: at rest they differ in nothing but how they write the same \
            stiffness. Sags are in metres; the order says that a mesh twice as fine is four times as close to the smooth curve.",
    parameters: &[
        ("strip", "1.2 m × 4 cm, ends 1 m apart"),
        ("density, stretch stiffness", "0.15 kg/m², 1e5 N/m"),
        (
            "mesh",
            "12, 24 and 48 cells along (short version: 4, 8 and 16)",
        ),
        ("solver", "static, to a force of 1e-9 of the weight"),
    ],
    run,
};

/// Length and width of the strip (m), and the distance of its ends (m).
const SIZE_OF_STRIP: [f64; 2] = [1.2, 0.04];
const SPAN: f64 = 1.0;
const DENSITY: f64 = 0.15;
const GRAVITY: f64 = 9.81;
/// Stretch stiffness (N/m).
const STIFFNESS: f64 = 1e5;
/// Weight per length over stiffness (1/m).
const SOFTNESS: f64 = DENSITY * GRAVITY / STIFFNESS;

/// What the solver leaves of the forces, as a share of the weight.
const BALANCE: f64 = 1e-9;
/// How far a row may be from its joint of the chain, as a share of the length. A force of `BALANCE` times the weight on a chain
/// whose tension is about its weight moves it by about `BALANCE`; shear springs, which the chain does not have, take their share
/// (some ten-thousandths) of the stretch (1e-5) away.
const CHAIN_TOLERANCE: f64 = 1e-8;

/// Name, model and pattern.
const CASES: [[&str; 3]; 5] = [
    ["mass-spring", "mass-spring", "quads"],
    ["baraff-witkin, quads", "baraff-witkin", "quads"],
    ["baraff-witkin, triangles", "baraff-witkin", "forward"],
    ["choi-ko", "choi-ko", "quads"],
    ["kawabata, straight curves", "kawabata", "quads"],
];

/// A strip at rest, held against chain and curve.
struct Hung {
    strip: Strip,
    state: State,
    balance: f64,
    iterations: u32,
}

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let levels: &[u32] = if settings.quick {
        &[4, 8, 16]
    } else {
        &[12, 24, 48]
    };
    let curve = Catenary::new(SIZE_OF_STRIP[0], SPAN, SOFTNESS);
    let mut findings = Findings::default();
    let mut errors = Plot::new(
        "Hanging strips: sag below the exact catenary",
        Axis::log("length of a cell (m)"),
        Axis::log("error of the sag (m)"),
    );
    findings.notes.push(format!(
        "stretch: at most {:.1e} of the length, in the references too; error predicted: {:.4} Δ² (sag), second order",
        SOFTNESS * curve.parameter.hypot(curve.half_length),
        curve.link_error()
    ));
    findings.notes.push(
        "model                      cells   sag (m)     error (m)   predicted   off the curve / length   Newton steps".into(),
    );
    for case in CASES {
        let hung = levels.iter().map(|&cells| hang(case, cells, &curve));
        let hung = hung.collect::<Result<Vec<Hung>, LabError>>()?;
        let points = judge(case[0], &hung, &curve, &mut findings);
        if case[0] == "mass-spring" {
            shape(&hung, &curve, &mut findings);
        }
        let bow = hung.iter().map(Hung::bow).fold(0.0, f64::max);
        if bow > CHAIN_TOLERANCE {
            findings.notes.push(format!(
                "{}: without its buckling pairs nothing resists compression across the strip; rows bow by up to {bow:.1e} of the length",
                case[0]
            ));
        }
        errors = errors.curve(case[0], points);
    }
    let guide = |cells: u32| {
        let cell = SIZE_OF_STRIP[0] / f64::from(cells);
        [cell, curve.link_error() * cell * cell]
    };
    let errors = errors.guide("predicted", levels.iter().map(|&n| guide(n)).collect());
    findings.pictures.push(("errors", errors.draw(SIZE)));
    Ok(findings)
}

/// Lays the strip in two straight halves and lets the static solver find its shape.
fn hang([_, model, pattern]: [&str; 3], cells: u32, curve: &Catenary) -> Result<Hung, LabError> {
    let mut strip = Strip::new(&Recipe {
        name: "catenary",
        size: SIZE_OF_STRIP,
        cells: [cells, 2],
        pattern,
        model: [model, "none"],
        time: "",
        material: &format!(
            "density = {DENSITY}\nstretch_stiffness = {STIFFNESS}\nshear_stiffness = {}",
            1e-4 * STIFFNESS
        ),
        gravity: GRAVITY,
        held: &[0, cells],
    })?;
    let depth = (curve.half_length.powi(2) - 0.25 * SPAN * SPAN).sqrt();
    strip.lay(|row| {
        let share = 2.0 * f64::from(row) / f64::from(cells) - 1.0;
        [0.5 * SPAN * share, depth * (share.abs() - 1.0)]
    });
    let mut state = strip.world.state.clone();
    let settings = EquilibriumSettings {
        tolerance: BALANCE,
        ..EquilibriumSettings::default()
    };
    let found = minimise(&strip.world.model, &mut state, &settings, &mut |_| {
        ControlFlow::Continue(())
    })?;
    Ok(Hung {
        strip,
        state,
        balance: found.certificate.gradient,
        iterations: found.certificate.iterations,
    })
}

impl Hung {
    /// Largest distance of a row's centre of mass from its joint of the chain, as a share of the length.
    fn off_the_chain(&self) -> f64 {
        let links = self.strip.rows() - 1;
        let chain = hung_chain(links, SIZE_OF_STRIP[0], SPAN, SOFTNESS);
        let rows = (0..=links).zip(&chain);
        let distances = rows.map(|(row, joint)| {
            let place = self.strip.row_place(&self.state, row);
            (place.x - joint[0]).hypot(place.z - joint[1])
        });
        distances.fold(0.0, f64::max) / SIZE_OF_STRIP[0]
    }

    /// Largest distance, along the strip and square to it, of a node from its row's centre, as a share of the length.
    fn bow(&self) -> f64 {
        let rows = 0..self.strip.rows();
        let nodes = rows.flat_map(|row| {
            let place = self.strip.row_place(&self.state, row);
            self.strip.row(row).map(move |n| {
                let x = self.state.positions[n] - place;
                x.x.hypot(x.z)
            })
        });
        nodes.fold(0.0, f64::max) / SIZE_OF_STRIP[0]
    }

    /// Largest distance of a node from the curve, as a share of the length.
    fn off_the_curve(&self, curve: &Catenary) -> f64 {
        let rows = 0..self.strip.rows();
        let nodes = rows.flat_map(|row| {
            let s = self.strip.arc_length(row) - curve.half_length;
            self.strip.row(row).map(move |n| {
                let x = self.state.positions[n];
                distance(curve, s, [x.x, x.z])
            })
        });
        nodes.fold(0.0, f64::max) / SIZE_OF_STRIP[0]
    }

    fn sag(&self) -> f64 {
        let rows = 0..self.strip.rows();
        let heights = rows.map(|row| -self.strip.row_place(&self.state, row).z);
        heights.fold(0.0, f64::max)
    }

    /// A line of the table.
    fn line(&self, name: &str, curve: &Catenary) -> String {
        format!(
            "{name:25}  {:5}   {:.7}   {:.3e}   {:.3e}   {:22.3e}   {:12}",
            self.strip.rows() - 1,
            self.sag(),
            self.sag() - curve.sag(),
            curve.link_error() * self.cell().powi(2),
            self.off_the_curve(curve),
            self.iterations,
        )
    }

    /// Length of a cell (m).
    fn cell(&self) -> f64 {
        self.strip.arc_length(1)
    }
}

/// Distance (m) of a point near the place `s` on the curve from the curve.
fn distance(curve: &Catenary, s: f64, point: [f64; 2]) -> f64 {
    let at = |s: f64| {
        let [x, z] = curve.at(s);
        (x - point[0]).hypot(z - point[1])
    };
    // The node is much nearer to the curve than this, and the curve hardly bends on the way: one least distance.
    let (mut low, mut high) = (s - 0.02, s + 0.02);
    for _ in 0..80 {
        let third = (high - low) / 3.0;
        if at(low + third) < at(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    at(0.5 * (low + high))
}

/// Judges a model on all meshes; answers the length of a cell and the error of the sag (m) on each.
fn judge(name: &str, hung: &[Hung], curve: &Catenary, findings: &mut Findings) -> Vec<[f64; 2]> {
    let lines = hung.iter().map(|h| h.line(name, curve));
    findings.notes.extend(lines);
    let mut push = |what: &str, unit, measured, reference, tolerance| {
        let what = format!("{name}: {what}");
        let measurement = Measurement::new(what, unit, measured, reference, tolerance);
        findings.measurements.push(measurement);
    };
    let worst = |f: &dyn Fn(&Hung) -> f64| hung.iter().map(f).fold(0.0, f64::max);
    let what = "force left over the weight, worst mesh";
    push(what, "", worst(&|h| h.balance), 0.0, BALANCE);
    let what = "rows off the chain of links over the length, worst mesh";
    push(what, "", worst(&Hung::off_the_chain), 0.0, CHAIN_TOLERANCE);
    let points: Vec<[f64; 2]> = hung
        .iter()
        .map(|h| [h.cell(), h.sag() - curve.sag()])
        .collect();
    if let Some([finest, error]) = points.last() {
        let predicted = curve.link_error() * finest * finest;
        // The prediction's next term is smaller by the square of cell over parameter.
        let tolerance = predicted * (finest / curve.parameter).powi(2) + CHAIN_TOLERANCE;
        let what = "sag below the smooth curve's, finest mesh";
        push(what, "m", *error, predicted, tolerance);
    }
    let what = "order of that error";
    push(what, "", last_order(&points), 2.0, 0.05);
    points
}

/// The coarsest strip over the curve, where a difference could be seen, and pictures of the finest.
fn shape(hung: &[Hung], curve: &Catenary, findings: &mut Findings) {
    let (Some(coarsest), Some(finest)) = (hung.first(), hung.last()) else {
        return;
    };
    let rows = (0..coarsest.strip.rows()).map(|row| {
        let place = coarsest.strip.row_place(&coarsest.state, row);
        [place.x, place.z]
    });
    let smooth = (-100..=100).map(|k| curve.at(curve.half_length * f64::from(k) / 100.0));
    let plot = Plot::new(
        "A strip of 1.2 m over a span of 1 m",
        Axis::linear("x (m)"),
        Axis::linear("z (m)"),
    );
    let label = format!("mass-spring, {} cells", coarsest.strip.rows() - 1);
    let plot = plot
        .curve(label, rows.collect())
        .guide("catenary", smooth.collect());
    findings.pictures.push(("shape", plot.draw(SIZE)));
    let mut album = Album::new(&finest.strip.world);
    album.add(&finest.strip.world.state, "start".into());
    album.add(&finest.state, "at rest".into());
    findings.pictures.push(("strip", album.sheet(2)));
}
