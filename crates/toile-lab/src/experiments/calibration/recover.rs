//! Known parameters, looked for.

use super::studio::{DAMPING, DENSITY, Take, WEIGHT, fitting, scene, threads};
use super::take;
use crate::clip::Clip;
use crate::fit::{FitOutcome, Fitted, Prepared, overlay_reel};
use crate::observation::{Damage, NodeRecording};
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Findings, LabError, Settings};
use std::sync::atomic::AtomicBool;

/// Standard deviations of the noise (m).
const NOISES: [f64; 3] = [0.0, 0.002, 0.005];

/// Shares by which parameters may be off, and what the test error may be (m), for each noise.
struct Bounds {
    weight: f64,
    damping: f64,
    error: f64,
}

const BOUNDS: [Bounds; 3] = [
    Bounds {
        weight: 0.01,
        damping: 0.02,
        error: 0.0015,
    },
    Bounds {
        weight: 0.02,
        damping: 0.03,
        error: 0.004,
    },
    Bounds {
        weight: 0.03,
        damping: 0.05,
        error: 0.009,
    },
];
/// Four seconds of a coarse recording say less.
const SHORT_BOUNDS: Bounds = Bounds {
    weight: 0.06,
    damping: 0.12,
    error: 0.012,
};

pub(super) fn run(settings: &Settings) -> Result<Findings, LabError> {
    let take = take(settings);
    let clean = take.record()?;
    let mut findings = Findings::default();
    let mut plot = Plot::new(
        "Distance from the undamaged motion with the parameters found",
        Axis::linear("time (s)"),
        Axis::linear("error (mm)"),
    );
    let cases = if settings.quick { 2 } else { NOISES.len() };
    for (number, &noise) in NOISES[..cases].iter().enumerate() {
        let case = Case::run(&take, &clean, noise, settings.quick)?;
        let bounds = match settings.quick {
            true => &SHORT_BOUNDS,
            false => &BOUNDS[number],
        };
        case.judge(bounds, &mut findings);
        plot = plot.curve(format!("noise {} mm", 1e3 * noise), case.errors.clone());
        if number + 1 == cases {
            findings.clips.push(Clip {
                name: "overlay".into(),
                reel: case.overlay,
            });
        }
    }
    let end = take.test()[0];
    plot = plot.guide("training ends", vec![[end, 0.0], [end, 4.0]]);
    findings.pictures.push(("errors", plot.draw(SIZE)));
    Ok(findings)
}

/// One fit.
struct Case {
    noise: f64,
    fitted: Fitted,
    /// Against the undamaged recording (s, mm).
    errors: Vec<[f64; 2]>,
    /// Mean of those in the test window (m).
    test: f64,
    notes: Vec<String>,
    overlay: toile_scene::recording::Reel,
}

impl Case {
    fn run(take: &Take, clean: &NodeRecording, noise: f64, quick: bool) -> Result<Self, LabError> {
        let damage = Damage {
            noise,
            drop_frames: if noise > 0.0 { 0.1 } else { 0.0 },
            jitter: if noise > 0.0 { 0.003 } else { 0.0 },
            missing: if noise > 0.0 { 0.05 } else { 0.0 },
            seed: 1,
        };
        let damaged = damage
            .apply(clean)?
            .with_grid(clean.grid.unwrap_or_default())?;
        let held: Vec<u64> = clean.held.iter().map(|&n| u64::from(n)).collect();
        // The search starts from vacuum and little damping.
        let source = scene("isometric", [8, 8], 0.01, 1.0, 0.5);
        let stop = AtomicBool::new(false);
        let budget = if quick { 30 } else { 100 };
        let prepared = fitting(&source, damaged.with_held(&held)?, take, budget, &stop)?;
        let FitOutcome::Finished(fitted) = prepared.search(&mut threads(&stop), &mut ())? else {
            unreachable!("nobody stops it");
        };
        let undamaged = fitting(&source, clean.clone(), take, 1, &stop)?;
        let errors = against(&undamaged, &prepared, &fitted)?;
        let late = errors.iter().filter(|p| p[0] >= take.test()[0]);
        let count = late.clone().count() as f64;
        Ok(Case {
            noise,
            test: 1e-3 * late.map(|p| p[1]).sum::<f64>() / count,
            errors,
            notes: prepared.target.notes.clone(),
            overlay: overlay_reel(&prepared, &fitted)?,
            fitted: *fitted,
        })
    }

    fn judge(&self, bounds: &Bounds, findings: &mut Findings) {
        let name = format!("noise {} mm", 1e3 * self.noise);
        let [mass, damping] = self.fitted.values[..] else {
            unreachable!("two parameters are looked for");
        };
        let found = [
            (
                "virtual mass over density",
                "",
                mass / DENSITY,
                WEIGHT,
                bounds.weight,
            ),
            ("damping", "1/s", damping, DAMPING, bounds.damping),
        ];
        for (what, unit, value, truth, share) in found {
            let what = format!("{name}: {what}");
            let found = Measurement::new(what, unit, value, truth, share * truth);
            findings.measurements.push(found);
        }
        findings.measurements.push(Measurement::new(
            format!("{name}: mean test error against the undamaged motion"),
            "m",
            self.test,
            0.0,
            bounds.error,
        ));
        let f = &self.fitted;
        findings.notes.push(format!(
            "{name}: {} simulations in {:.1} s, {}; against the damaged recording {:.2} mm in training (before: {:.2}) and {:.2} mm in the test",
            f.evaluations,
            f.seconds,
            f.ended,
            1e3 * f.train.mean,
            1e3 * f.before,
            1e3 * f.test.mean
        ));
        let notes = self.notes.iter().map(|note| format!("{name}: {note}"));
        findings.notes.extend(notes);
    }
}

/// What the damaged recording led to, held against the undamaged one: time (s) and error (mm).
fn against(
    undamaged: &Prepared,
    damaged: &Prepared,
    fitted: &Fitted,
) -> Result<Vec<[f64; 2]>, LabError> {
    use crate::fit::Sight;
    use crate::measure::agreement::agreement;
    let Sight::Nodes { places, .. } = &undamaged.target.sight else {
        return Ok(Vec::new());
    };
    let masses = &undamaged.world.model.masses;
    let times = damaged.target.times.iter().zip(&fitted.course.frames);
    let mut errors = Vec::new();
    for (&time, nodes) in times.skip(1) {
        // The undamaged frames around this time; time stamps of the damaged ones are off by a few milliseconds.
        let known = &undamaged.target.times;
        let after = known
            .partition_point(|&t| t < time)
            .clamp(1, known.len() - 1);
        let share = (time - known[after - 1]) / (known[after] - known[after - 1]);
        let pairs = places[after - 1].iter().zip(&places[after]);
        let there: Vec<_> = pairs
            .map(|(a, b)| a.lerp(*b, share.clamp(0.0, 1.0)))
            .collect();
        errors.extend(agreement(masses, nodes, &there, |_| true).map(|a| [time, 1e3 * a.error]));
    }
    Ok(errors)
}
