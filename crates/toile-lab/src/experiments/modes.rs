//! Small vibrations of strips: one that hangs, and one that is stiff.
//!
//! **A hanging strip** without bending is a hanging chain: sideways it vibrates with `ω = (j/2) √(g/L)` in the shape `J₀(j √(s/L))`, `s` from
//! the free end, `j` the zeros of `J₀` (Daniel Bernoulli 1733). Let go at rest in that shape it is measured by its passages through the middle.
//! Lumped masses make it a chain of links, whose frequencies follow from a recurrence (`reference/chain.rs`); the
//! engine must have those, and they approach Bessel's with the square of the cell's length.
//!
//! **A stiff strip**, clamped at one end, without gravity: `ω = 1.8751² √(D/σL⁴)`. Two rows of nodes are held, and the clamp of the smooth strip
//! lies in the middle between them; `L` counts from there. Again second order.

use super::strip::{Recipe, Strip, crossings, last_order};
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::reference::{ChainMode, bessel_j0, bessel_j0_zero, clamped_links, hanging_mode};
use crate::registry::{Experiment, Findings, LabError, Settings};
use std::f64::consts::PI;
use toile::advance::stable_step;
use toile::state::State;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "modes",
    title: "a hanging strip and a stiff clamped one vibrate with the right frequencies",
    reproduces: "ω = (j/2) √(g/L) with the zeros j of Bessel's J0; ω = 1.8751² √(D/σL⁴) of a clamped strip",
    about: "A strip that hangs like a chain, and a stiff one that is clamped at one end, are set vibrating in their own shapes. \
            Their frequencies are classical results (Bernoulli, Euler), and an engine with the wrong masses or stiffnesses \
            vibrates too fast or too slowly. Frequencies are compared with those of a chain of links, which the discrete strip \
            must have to many digits, and approach those of the smooth strip with the square of the cell's length.",
    parameters: &[
        ("hanging strip", "1 m, no bending, 0.2 kg/m², 1e5 N/m"),
        ("clamped strip", "0.3 m × 0.06 m, 1e-3 N·m, no gravity"),
        (
            "mesh",
            "12, 24 and 48 cells along (short version: 8, 16 and 32)",
        ),
        ("amplitude", "1e-6 of the length"),
        ("integrator", "symplectic Euler, 0.8 of the stable step"),
    ],
    run,
};

const DENSITY: f64 = 0.2;
const GRAVITY: f64 = 9.81;
/// Length (m) of the hanging strip, its stretch stiffness (N/m), and its weight per length over that (1/m).
const HANGING: f64 = 1.0;
const STIFFNESS: f64 = 1e5;
const SOFTNESS: f64 = DENSITY * GRAVITY / STIFFNESS;
/// Length (m) from the clamp, width (m) and rigidity (N·m) of the stiff one.
const STIFF: f64 = 0.3;
const STIFF_WIDTH: f64 = 0.06;
const RIGIDITY: f64 = 1e-3;
/// First root of `cos x cosh x = −1`.
const CLAMPED_ROOT: f64 = 1.875104068711961;
/// Amplitude of vibrations, as a share of the length.
const SMALL: f64 = 1e-6;
/// How far a frequency may be from that of the links, as a share. Steps of `h` change a rate by `(ωh)²/24` < 1e-7, the cubic through
/// samples a two-hundredth of a period apart by about `(2π/200)⁴` = 1e-6.
const LINK_TOLERANCE: f64 = 1e-6;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let levels: &[u32] = if settings.quick {
        &[8, 16, 32]
    } else {
        &[12, 24, 48]
    };
    let mut errors = Plot::new(
        "Vibrating strips: error of the frequency",
        Axis::log("cell over length"),
        Axis::log("error over the frequency of the smooth strip"),
    );
    findings.notes.push(format!(
        "the hanging strip is stretched by at most {:.0e}, which slows it by half of that or less; the links are too",
        SOFTNESS * HANGING
    ));
    findings.notes.push(
        "mode        cells    ω (1/s)      smooth         error        links       error".into(),
    );
    for mode in 1..=3 {
        let points = hanging(mode, levels, &mut findings)?;
        errors = errors.curve(format!("hanging, mode {mode}"), points);
    }
    for bending in ["dihedral", "quadratic"] {
        let points = stiff(bending, levels, &mut findings)?;
        errors = errors.curve(format!("clamped, {bending}"), points);
    }
    for pattern in ["forward", "alternating"] {
        let points = stiff_triangles(pattern, levels, &mut findings)?;
        errors = errors.curve(format!("clamped, {pattern} triangles"), points);
    }
    curling(levels[0], &mut findings)?;
    findings.notes.push(
        "quadratic bending feels the mean curvature alone: a strip several cells wide curls across while it bends, at no cost when it bends \
         little (what resists the curl is stretch, of second order), and vibrates too slowly; one cell wide it cannot curl"
            .into(),
    );
    let share = |n: &u32| 1.0 / f64::from(*n);
    let slope = levels.iter().map(|n| [share(n), 0.1 * share(n).powi(2)]);
    let errors = errors.guide("slope 2", slope.collect());
    findings.pictures.push(("errors", errors.draw(SIZE)));
    Ok(findings)
}

/// Lets a strip go and follows its share in a mode: the frequency (1/s), and where the strip is after one period.
///
/// What is in other modes is square to the mode's shape weighted by the masses, and does not count.
fn frequency(strip: &Strip, mode: &ChainMode) -> Result<(f64, State), LabError> {
    let model = &strip.world.model;
    let rows = (0..strip.rows()).zip(&mode.shape);
    let weights: Vec<f64> = rows.map(|(row, u)| strip.row_mass(row) * u).collect();
    // Hanging strips move along x, clamped ones along z.
    let upright = model.gravity.z != 0.0;
    let amplitude = |state: &State| -> f64 {
        let rows = (0..strip.rows()).zip(&weights);
        rows.map(|(row, w)| {
            let place = strip.row_place(state, row);
            w * if upright { place.x } else { place.z }
        })
        .sum()
    };
    let mut simulation = strip.world.simulation();
    let h = 0.8 * stable_step(model, simulation.state());
    let period = 2.0 * PI / mode.frequency;
    let every = ((period / h / 200.0) as u64).max(1);
    let mut samples = vec![[0.0, amplitude(simulation.state())]];
    let mut whole = None;
    let mut zeros = Vec::new();
    // Three passages take 1¼ periods; a strip much slower than its links is given up.
    for n in 1..=(8.0 * period / h) as u64 {
        simulation.step_by(h)?;
        let state = simulation.state();
        if whole.is_none() && state.time >= period {
            whole = Some(state.clone());
        }
        if n % every == 0 {
            samples.push([state.time, amplitude(state)]);
            let last = samples.len().saturating_sub(4);
            zeros.extend(crossings(&samples[last..]));
            if zeros.len() >= 3 {
                break;
            }
        }
    }
    let rate = match zeros[..] {
        [first, _, third, ..] => 2.0 * PI / (third - first),
        _ => f64::NAN,
    };
    let whole = whole.unwrap_or_else(|| simulation.state().clone());
    Ok((rate, whole))
}

/// A line of the table, and the verdict on the links' frequency; answers the error against the smooth strip's.
fn report(name: &str, cells: u32, [rate, smooth, links]: [f64; 3], findings: &mut Findings) -> f64 {
    findings.notes.push(format!(
        "{name:10}  {cells:5}   {rate:10.7}   {smooth:10.7}   {:9.2e}   {links:10.7}   {:9.2e}",
        rate / smooth - 1.0,
        rate / links - 1.0
    ));
    findings.measurements.push(Measurement::new(
        format!("{name}, {cells} cells: frequency against that of the links"),
        "1/s",
        rate,
        links,
        LINK_TOLERANCE * links,
    ));
    (rate / smooth - 1.0).abs()
}

/// Frequencies of a hanging strip on finer and finer meshes: cell over length, and error.
fn hanging(mode: u32, levels: &[u32], findings: &mut Findings) -> Result<Vec<[f64; 2]>, LabError> {
    let zero = bessel_j0_zero(mode);
    let smooth = 0.5 * zero * (GRAVITY / HANGING).sqrt();
    let (mut points, mut expected) = (Vec::new(), Vec::new());
    for &cells in levels {
        let amplitude = SMALL * HANGING;
        let strip = hanging_strip(cells, |s| {
            amplitude * bessel_j0(zero * (s / HANGING).sqrt())
        })?;
        let links = hanging_mode(cells, HANGING, GRAVITY, SOFTNESS, mode as usize);
        let (rate, whole) = frequency(&strip, &links)?;
        let rates = [rate, smooth, links.frequency];
        let error = report(&format!("hanging {mode}"), cells, rates, findings);
        points.push([1.0 / f64::from(cells), error]);
        expected.push([
            1.0 / f64::from(cells),
            (links.frequency / smooth - 1.0).abs(),
        ]);
        if mode == 3 && levels.last() == Some(&cells) {
            shape(&strip, &whole, zero, findings);
        }
    }
    judge_order(&format!("hanging {mode}"), &points, &expected, findings);
    Ok(points)
}

/// The order between the finest meshes is 2 as far as that of the links is.
fn judge_order(name: &str, points: &[[f64; 2]], expected: &[[f64; 2]], findings: &mut Findings) {
    findings.measurements.push(Measurement::new(
        format!("{name}: order of the error on finer meshes"),
        "",
        last_order(points),
        2.0,
        (last_order(expected) - 2.0).abs() + 0.01,
    ));
}

/// A strip that hangs from its first row, at rest under its weight but for a deflection (m) as a function of the length below (m).
fn hanging_strip(cells: u32, deflection: impl Fn(f64) -> f64) -> Result<Strip, LabError> {
    let mut strip = Strip::new(&Recipe {
        name: "modes",
        size: [HANGING, 0.04],
        cells: [cells, 1],
        pattern: "quads",
        model: ["baraff-witkin", "none"],
        time: "integrator = \"symplectic-euler\"",
        material: &format!(
            "density = {DENSITY}\nstretch_stiffness = {STIFFNESS}\nshear_stiffness = {}\ndamping = 0",
            0.1 * STIFFNESS
        ),
        gravity: GRAVITY,
        held: &[0],
    })?;
    let link = HANGING / f64::from(cells);
    strip.lay(|row| {
        let below = HANGING - link * f64::from(row);
        let links = (0..row).map(|k| {
            let hanging = HANGING - link * (f64::from(k) + 0.5);
            link * (1.0 + SOFTNESS * hanging)
        });
        let top = if row == 0 { 0.0 } else { deflection(below) };
        [top, -links.sum::<f64>()]
    });
    Ok(strip)
}

/// The deflection after one period beside Bessel's function.
fn shape(strip: &Strip, whole: &State, zero: f64, findings: &mut Findings) {
    let cells = strip.rows() - 1;
    let below = |row: u32| HANGING - strip.arc_length(row);
    let rows = (0..=cells).map(|row| {
        [
            below(row),
            strip.row_place(whole, row).x / (SMALL * HANGING),
        ]
    });
    let smooth = (0..=200).map(|k| {
        let s = f64::from(k) / 200.0;
        [HANGING * s, bessel_j0(zero * s.sqrt())]
    });
    let plot = Plot::new(
        "Third mode of a hanging strip",
        Axis::linear("length from the free end (m)"),
        Axis::linear("deflection over amplitude"),
    );
    let plot = plot
        .curve(format!("{cells} cells, after one period"), rows.collect())
        .guide("J0, the smooth strip", smooth.collect());
    findings.pictures.push(("third-mode", plot.draw(SIZE)));
}

/// A strip clamped by its first two rows, bent by some `amplitude` (m) at its tip.
fn clamped_strip(
    cells: [u32; 2],
    [pattern, bending]: [&str; 2],
    amplitude: f64,
) -> Result<Strip, LabError> {
    let link = STIFF / (f64::from(cells[0]) - 0.5);
    let mut strip = Strip::new(&Recipe {
        name: "modes",
        size: [link * f64::from(cells[0]), STIFF_WIDTH],
        cells,
        pattern,
        model: ["baraff-witkin", bending],
        time: "integrator = \"symplectic-euler\"",
        material: &format!(
            "density = {DENSITY}\nstretch_stiffness = 1000\nshear_stiffness = 100\nbend = {RIGIDITY}\ndamping = 0"
        ),
        gravity: 0.0,
        held: &[0, 1],
    })?;
    // Every cell keeps its length: a deflected one is shorter along x.
    let height = |row: u32| {
        let s = (f64::from(row) - 0.5) / (f64::from(cells[0]) - 0.5);
        if row < 2 {
            0.0
        } else {
            amplitude * clamped_shape(s)
        }
    };
    strip.lay(|row| {
        let cells = (0..row).map(|k| {
            let rise = height(k + 1) - height(k);
            (link * link - rise * rise).sqrt()
        });
        [cells.sum(), height(row)]
    });
    Ok(strip)
}

/// First mode of a clamped beam, from 0 at the clamp to 1 at the tip.
fn clamped_shape(s: f64) -> f64 {
    let mode = |x: f64| {
        let ratio =
            (CLAMPED_ROOT.cosh() + CLAMPED_ROOT.cos()) / (CLAMPED_ROOT.sinh() + CLAMPED_ROOT.sin());
        x.cosh() - x.cos() - ratio * (x.sinh() - x.sin())
    };
    mode(CLAMPED_ROOT * s) / mode(CLAMPED_ROOT)
}

fn smooth_clamped() -> f64 {
    CLAMPED_ROOT.powi(2) * (RIGIDITY / DENSITY).sqrt() / STIFF.powi(2)
}

/// First mode of a stiff strip, one cell wide, on finer and finer meshes.
fn stiff(
    bending: &str,
    levels: &[u32],
    findings: &mut Findings,
) -> Result<Vec<[f64; 2]>, LabError> {
    let smooth = smooth_clamped();
    let (mut points, mut expected) = (Vec::new(), Vec::new());
    for &cells in levels {
        let strip = clamped_strip([cells, 1], ["quads", bending], SMALL * STIFF)?;
        let links = clamped_links(cells, STIFF, RIGIDITY, DENSITY);
        let (rate, _) = frequency(&strip, &links)?;
        let error = report(bending, cells, [rate, smooth, links.frequency], findings);
        points.push([1.0 / f64::from(cells), error]);
        expected.push([
            1.0 / f64::from(cells),
            (links.frequency / smooth - 1.0).abs(),
        ]);
    }
    judge_order(&format!("clamped, {bending}"), &points, &expected, findings);
    Ok(points)
}

/// The same of right triangles with the energy of their curvature, four cells wide. The masses of a row of triangles are spread unevenly, so
/// the strip is not quite the chain of links; it is judged by the smooth strip.
fn stiff_triangles(
    pattern: &str,
    levels: &[u32],
    findings: &mut Findings,
) -> Result<Vec<[f64; 2]>, LabError> {
    let smooth = smooth_clamped();
    let mut points = Vec::new();
    for &cells in levels {
        let strip = clamped_strip([cells, 4], [pattern, "curvature"], SMALL * STIFF)?;
        let links = clamped_links(cells, STIFF, RIGIDITY, DENSITY);
        let (rate, _) = frequency(&strip, &links)?;
        findings.notes.push(format!(
            "{pattern:11} {cells:4}   {rate:10.7}   {smooth:10.7}   {:9.2e}   {:10.7}   {:9.2e}",
            rate / smooth - 1.0,
            links.frequency,
            rate / links.frequency - 1.0
        ));
        points.push([1.0 / f64::from(cells), (rate / smooth - 1.0).abs()]);
        if levels.last() == Some(&cells) {
            findings.measurements.push(Measurement::new(
                format!("clamped, {pattern} triangles, curvature, {cells} cells: frequency"),
                "1/s",
                rate,
                smooth,
                0.02 * smooth,
            ));
        }
    }
    Ok(points)
}

/// What happens to a strip that can curl across, because it is several cells wide.
fn curling(cells: u32, findings: &mut Findings) -> Result<(), LabError> {
    let links = clamped_links(cells, STIFF, RIGIDITY, DENSITY);
    for bending in ["dihedral", "quadratic"] {
        for amplitude in [SMALL, 0.1] {
            let strip = clamped_strip([cells, 4], ["quads", bending], amplitude * STIFF)?;
            let (rate, _) = frequency(&strip, &links)?;
            findings.notes.push(format!(
                "four cells wide, {bending}, amplitude {amplitude:.0e} L: {:.4} of the frequency of the links",
                rate / links.frequency
            ));
        }
    }
    Ok(())
}
