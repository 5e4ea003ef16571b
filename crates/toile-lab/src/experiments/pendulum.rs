//! A stiff strip that hangs from its top edge and swings: the physical pendulum.
//!
//! Bent as little as here, a strip is a rod. One that swings out to the angle `α` has the period `4 √(l/g) K(sin α/2)` with the reduced
//! length `l = Σ m r² / Σ m r`: `2L/3` of a uniform rod. Masses lumped into rows `Δ` apart make it `(2L/3)(1 + Δ²/2L²)`, so the period is too
//! long by the share `Δ²/4L²`: second order, and exactly known on every mesh.
//!
//! What integrators do to it: on a vibration of rate `ω`, with `z = iωh`, backward Euler multiplies by `1/(1 − z)` in a step and BDF2 by
//! the larger root of `(3/2 − z) ζ² − 2ζ + 1/2`. Both lengthen the period by the share `(ωh)²/3`; in a period the swing loses `πωh` of its
//! amplitude with backward Euler and `(π/2)(ωh)³` with BDF2.

use super::strip::{Recipe, Strip, crossings, last_order, peaks};
use crate::clip::{Clip, ClipRecorder};
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::reference::pendulum_period;
use crate::registry::{Experiment, Findings, LabError, Settings};
use crate::snapshot::Album;
use glam::DVec3;
use std::f64::consts::PI;
use toile::advance::stable_step;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "pendulum",
    title: "a stiff strip swings with the physical pendulum's period; what integrators take from it",
    reproduces: "period 4 √(l/g) K(sin α/2), l = 2L/3; numerical damping of backward Euler and BDF2",
    about: "A strip so stiff that it stays straight hangs from its top edge and swings, like a ruler on a nail. The period of such \
            a pendulum is known to all digits, also for wide swings, so it shows what a mesh does to the motion and how much of \
            the swing an integrator takes away. Periods are in seconds; a loss is the share of the amplitude that is gone after \
            one period.",
    parameters: &[
        ("strip", "0.5 m × 0.1 m, 0.2 kg/m²"),
        ("stretch stiffness, rigidity", "1e5 N/m, 20 N·m"),
        ("let go at", "30° and 60°; 1° for the implicit rules"),
        (
            "mesh",
            "5, 10 and 20 cells along (short version: 3, 6 and 12)",
        ),
        (
            "steps",
            "0.8 of the stable one (explicit); 10, 5 and 2.5 ms (implicit)",
        ),
    ],
    run,
};

const LENGTH: f64 = 0.5;
const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 0.2;
/// Stretch stiffness (N/m) and bending rigidity (N·m).
const STIFFNESS: f64 = 1e5;
const RIGIDITY: f64 = 20.0;
/// How far a period may be from the rigid pendulum of the same masses, as a share. Bending lengthens it by
/// `6e-4 σ g L³/D` = 7e-6 (from the moment `¼ σ g L² α s(1−s)²` that gravity and inertia leave), stretch by about `¼ σ g L/Y` = 2e-6, more
/// in wide swings.
const RIGID_TOLERANCE: f64 = 2e-5;

/// A swing as it was recorded.
struct Swing {
    strip: Strip,
    /// Angle from the vertical (rad) at times (s).
    angles: Vec<[f64; 2]>,
    step: f64,
}

impl Swing {
    /// Between the first and the third passage through the vertical (s), or twice the time to the second.
    fn period(&self) -> f64 {
        match crossings(&self.angles)[..] {
            [first, _, third, ..] => third - first,
            [first, second] => 2.0 * (second - first),
            _ => f64::NAN,
        }
    }

    /// Share of the amplitude that is lost from one swing to the next but one.
    fn loss(&self) -> f64 {
        match peaks(&self.angles)[..] {
            [first, _, third, ..] => 1.0 - third / first,
            _ => f64::NAN,
        }
    }
}

/// How time is advanced.
#[derive(Clone, Copy)]
enum Steps {
    /// By an explicit rule, in this share of the longest stable step.
    Explicit(&'static str, f64),
    /// By an implicit rule, in steps of this length (s), each solved to the end.
    Implicit(&'static str, f64),
}

fn hung(cells: u32, steps: Steps) -> Result<Strip, LabError> {
    let time = match steps {
        Steps::Explicit(rule, _) => format!("integrator = \"{rule}\""),
        Steps::Implicit(rule, _) => format!(
            "integrator = \"{rule}\"\nsolver = \"direct\"\ntolerance = 1e-11\n\
             newton_steps = 60\nnewton_tolerance = 1e-9"
        ),
    };
    Strip::new(&Recipe {
        name: "pendulum",
        size: [LENGTH, 0.1],
        cells: [cells, 1],
        pattern: "quads",
        model: ["baraff-witkin", "dihedral"],
        time: &time,
        material: &format!(
            "density = {DENSITY}\nstretch_stiffness = {STIFFNESS}\nshear_stiffness = {}\n\
             bend = {RIGIDITY}\ndamping = 0",
            0.1 * STIFFNESS
        ),
        gravity: GRAVITY,
        held: &[0],
    })
}

/// Lets the strip go at rest at an angle (rad) and records `periods` of its swing.
fn swing(cells: u32, amplitude: f64, steps: Steps, periods: f64) -> Result<Swing, LabError> {
    let mut strip = hung(cells, steps)?;
    strip.lay(|row| {
        let s = LENGTH * f64::from(row) / f64::from(cells);
        [s * amplitude.sin(), -s * amplitude.cos()]
    });
    let mut simulation = strip.world.simulation();
    let (h, every) = match steps {
        // A few hundred samples of a period are enough.
        Steps::Explicit(_, share) => (
            share * stable_step(simulation.model(), simulation.state()),
            50,
        ),
        Steps::Implicit(_, h) => (h, 1),
    };
    let duration = periods * pendulum_period(2.0 / 3.0 * LENGTH, GRAVITY, amplitude);
    let weights: Vec<f64> = (0..strip.rows())
        .map(|row| strip.row_mass(row) * strip.arc_length(row))
        .collect();
    // Weighted by mass times distance, a vibration of the rod about its straight shape does not count.
    let angle = |state: &_| {
        let rows = (0..strip.rows()).zip(&weights);
        let sum: DVec3 = rows.map(|(row, w)| *w * strip.row_place(state, row)).sum();
        sum.x.atan2(-sum.z)
    };
    let mut angles = vec![[0.0, angle(simulation.state())]];
    for n in 1..=(duration / h).ceil() as u64 {
        simulation.step_by(h)?;
        if n % every == 0 {
            angles.push([simulation.time(), angle(simulation.state())]);
        }
    }
    Ok(Swing {
        angles,
        step: h,
        strip,
    })
}

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let levels: &[u32] = if settings.quick {
        &[3, 6, 12]
    } else {
        &[5, 10, 20]
    };
    meshes(levels, &mut findings)?;
    rules_on_small_swings(levels[0], &mut findings)?;
    let steps: &[f64] = if settings.quick {
        &[0.01, 0.005]
    } else {
        &[0.01, 0.005, 0.0025]
    };
    rules_on_wide_swings(levels[0], steps, &mut findings)?;
    Ok(findings)
}

/// Reduced length of the rows' masses (m).
fn reduced_length(strip: &Strip) -> f64 {
    let moment = |power: i32| -> f64 {
        let rows = 0..strip.rows();
        rows.map(|row| strip.row_mass(row) * strip.arc_length(row).powi(power))
            .sum()
    };
    moment(2) / moment(1)
}

/// Periods on three meshes with a rule that loses nothing.
fn meshes(levels: &[u32], findings: &mut Findings) -> Result<(), LabError> {
    let mut errors = Plot::new(
        "Swinging strip: error of the period",
        Axis::log("length of a cell (m)"),
        Axis::log("error over the period of the uniform rod"),
    );
    findings.notes.push(
        "swing   cells   period (s)   uniform rod   error      predicted   lumped rod   error"
            .into(),
    );
    for degrees in [30.0f64, 60.0] {
        let amplitude = degrees.to_radians();
        let uniform = pendulum_period(2.0 / 3.0 * LENGTH, GRAVITY, amplitude);
        let mut points = Vec::new();
        for &cells in levels {
            let swing = swing(
                cells,
                amplitude,
                Steps::Explicit("symplectic-euler", 0.8),
                0.8,
            )?;
            let lumped = pendulum_period(reduced_length(&swing.strip), GRAVITY, amplitude);
            let period = swing.period();
            let cell = LENGTH / f64::from(cells);
            let predicted = 0.25 * (cell / LENGTH).powi(2);
            points.push([cell, period / uniform - 1.0]);
            findings.notes.push(format!(
                "{degrees:4.0}°   {cells:5}   {period:.7}    {uniform:.7}     {:.2e}   {predicted:.2e}    {lumped:.7}    {:8.1e}",
                period / uniform - 1.0,
                period / lumped - 1.0,
            ));
            findings.measurements.push(Measurement::new(
                format!("{degrees}°, {cells} cells: period against the rod of lumped masses"),
                "s",
                period,
                lumped,
                RIGID_TOLERANCE * lumped,
            ));
        }
        let what = format!("{degrees}°: order of the period's error on finer meshes");
        let order = Measurement::new(what, "", last_order(&points), 2.0, 0.05);
        findings.measurements.push(order);
        errors = errors.curve(format!("from {degrees}°"), points);
    }
    let guide = |&cells: &u32| {
        let share = 1.0 / f64::from(cells);
        [LENGTH * share, 0.25 * share * share]
    };
    let errors = errors.guide("predicted", levels.iter().map(guide).collect());
    findings.pictures.push(("errors", errors.draw(SIZE)));
    Ok(())
}

/// Period (s) and loss of amplitude per period of a linear vibration of rate `omega` (1/s) under an implicit rule.
fn linear_prediction(rule: &str, omega: f64, h: f64) -> [f64; 2] {
    // Growth `r e^{iφ}` of a step.
    let [growth, turn] = match rule {
        "backward-euler" => [1.0 / (1.0f64).hypot(omega * h), (omega * h).atan()],
        _ => bdf2_root(omega * h),
    };
    [2.0 * PI * h / turn, 1.0 - growth.powf(2.0 * PI / turn)]
}

/// Absolute value and angle of BDF2's root `ζ = (2 + √(1 + 2z)) / (3 − 2z)`, `z = iq`.
fn bdf2_root(q: f64) -> [f64; 2] {
    let size = (1.0f64).hypot(2.0 * q).sqrt();
    let half = 0.5 * (2.0 * q).atan();
    let [re, im] = [2.0 + size * half.cos(), size * half.sin()];
    [
        re.hypot(im) / (3.0f64).hypot(2.0 * q),
        im.atan2(re) + (2.0 * q).atan2(3.0),
    ]
}

/// Small swings with long steps must lose just what the rules say.
fn rules_on_small_swings(cells: u32, findings: &mut Findings) -> Result<(), LabError> {
    let (amplitude, h) = (1f64.to_radians(), 0.01);
    for rule in ["backward-euler", "bdf2"] {
        let swing = swing(cells, amplitude, Steps::Implicit(rule, h), 2.2)?;
        let omega = (GRAVITY / reduced_length(&swing.strip)).sqrt();
        let [period, loss] = linear_prediction(rule, omega, h);
        // A swing of one degree is slower than a linear one by α²/16 = 2e-5; the rod is not quite rigid; and where the period is
        // not a number of steps the start of BDF2, a step of backward Euler, counts for (ωh)³.
        let what = format!("1°, {rule}, 10 ms: period");
        let tolerance = (amplitude.powi(2) / 16.0 + RIGID_TOLERANCE) * period;
        let measurement = Measurement::new(what, "s", swing.period(), period, tolerance);
        findings.measurements.push(measurement);
        let what = format!("1°, {rule}, 10 ms: amplitude lost in a period");
        let measurement = Measurement::new(what, "", swing.loss(), loss, 5e-5);
        findings.measurements.push(measurement);
    }
    Ok(())
}

/// Wide swings: period and loss for each rule and step.
fn rules_on_wide_swings(
    cells: u32,
    steps: &[f64],
    findings: &mut Findings,
) -> Result<(), LabError> {
    let amplitude = 60f64.to_radians();
    let mut plot = Plot::new(
        "A stiff strip let go at 60°",
        Axis::linear("time (s)"),
        Axis::linear("angle (degrees)"),
    );
    let mut line = |swing: &Swing, rule: &str| {
        let lumped = pendulum_period(reduced_length(&swing.strip), GRAVITY, amplitude);
        let error = swing.period() / lumped - 1.0;
        findings.notes.push(format!(
            "60°, {rule:16}, h = {:9.3e} s: error of the period {error:9.2e}, amplitude lost in a period {:9.2e}",
            swing.step,
            swing.loss()
        ));
        error
    };
    let degrees = |swing: &Swing| -> Vec<[f64; 2]> {
        let samples = swing.angles.iter();
        samples.map(|a| [a[0], a[1].to_degrees()]).collect()
    };
    let mut kept = Vec::new();
    // What bending and stretch do to the period is no error of the rules below.
    let mut not_rigid = 0.0;
    for rule in ["symplectic-euler", "mixed-c"] {
        let swing = swing(cells, amplitude, Steps::Explicit(rule, 0.8), 2.2)?;
        not_rigid = line(&swing, rule);
        kept.push((rule, swing.loss()));
        if rule == "mixed-c" {
            plot = plot.curve("mixed-c, small steps", degrees(&swing));
        }
    }
    let mut points = Vec::new();
    for rule in ["backward-euler", "bdf2"] {
        for &h in steps {
            let swing = swing(cells, amplitude, Steps::Implicit(rule, h), 2.2)?;
            let error = line(&swing, rule);
            if rule == "bdf2" {
                points.push([h, error - not_rigid]);
            }
            if h == steps[0] {
                plot = plot.curve(format!("{rule}, 10 ms"), degrees(&swing));
            }
        }
    }
    for (rule, loss) in kept {
        let what = format!("60°, {rule}: amplitude lost in a period");
        findings
            .measurements
            .push(Measurement::new(what, "", loss, 0.0, 1e-5));
    }
    findings.measurements.push(Measurement::new(
        // What is left of the third order: a swing that loses amplitude gets faster.
        "60°, bdf2: order of the period's error in the step",
        "",
        last_order(&points),
        2.0,
        0.1,
    ));
    let end = 2.2 * pendulum_period(2.0 / 3.0 * LENGTH, GRAVITY, amplitude);
    let plot = plot.guide("rigid pendulum", rigid_swing(cells, amplitude, end));
    findings.pictures.push(("angle", plot.draw(SIZE)));
    let (sheet, clip) = strobe(cells)?;
    findings.pictures.push(("strip", sheet));
    findings.clips.push(clip);
    Ok(())
}

/// Angle (degrees) of the rigid pendulum with the masses of `cells` cells, by Runge and Kutta's rule in short steps.
fn rigid_swing(cells: u32, amplitude: f64, end: f64) -> Vec<[f64; 2]> {
    let reduced = 2.0 / 3.0 * LENGTH * (1.0 + 0.5 / f64::from(cells * cells));
    let slope = |[angle, rate]: [f64; 2]| [rate, -GRAVITY / reduced * angle.sin()];
    let along = |y: [f64; 2], k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    let h = end / 400.0;
    let mut y = [amplitude, 0.0];
    let mut points = vec![[0.0, amplitude.to_degrees()]];
    for n in 1..=400 {
        let k1 = slope(y);
        let k2 = slope(along(y, k1, 0.5 * h));
        let k3 = slope(along(y, k2, 0.5 * h));
        let k4 = slope(along(y, k3, h));
        for (k, share) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
            y = along(y, k, share * h / 6.0);
        }
        points.push([h * f64::from(n), y[0].to_degrees()]);
    }
    points
}

/// The strip at both ends of its swing and in the middle, and a good period of it in motion.
fn strobe(cells: u32) -> Result<(toile_render::Image, Clip), LabError> {
    let mut strip = hung(cells, Steps::Implicit("bdf2", 0.005))?;
    let amplitude = 60f64.to_radians();
    strip.lay(|row| {
        let s = LENGTH * f64::from(row) / f64::from(cells);
        [s * amplitude.sin(), -s * amplitude.cos()]
    });
    let mut simulation = strip.world.simulation();
    let mut album = Album::new(&strip.world);
    let mut clip = ClipRecorder::new(&strip.world, 40.0);
    for n in 0..=400 {
        if n % 50 == 0 && n <= 150 {
            album.add(
                simulation.state(),
                format!("t = {:.2} s", simulation.time()),
            );
        }
        clip.record(simulation.state());
        simulation.step_by(0.005)?;
    }
    let title = "A stiff strip let go at 60°, by BDF2 in steps of 5 ms";
    Ok((album.sheet(2), clip.finish("swing", title)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_lose_what_their_series_say() {
        let (omega, h) = (5.0, 1e-3);
        let q: f64 = omega * h;
        let exact = 2.0 * PI / omega;
        for (rule, loss) in [("backward-euler", PI * q), ("bdf2", 0.5 * PI * q.powi(3))] {
            let [period, lost] = linear_prediction(rule, omega, h);
            assert!(((period / exact - 1.0) / (q * q / 3.0) - 1.0).abs() < 1e-3);
            assert!((lost / loss - 1.0).abs() < 0.02, "{rule}: {lost} {loss}");
        }
    }
}
