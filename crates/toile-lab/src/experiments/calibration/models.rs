//! Four models, each fitted to the same recording.
//!
//! The recording is made by none of them: Kawabata's curves of cotton shirting, whose threads give way at first and then no more. Every
//! model has all the parameters that are its own to fit, as in the paper. What the paper's elastic models lost (2.5 and 3 cm where
//! isometric cloth has 0.3) they need not lose: with an implicit step they may be as stiff as they like.

use super::studio::{DENSITY, fitting_also, scene, threads};
use super::take;
use crate::fit::FitOutcome;
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Findings, LabError, Settings};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A model, what is fitted beside virtual mass and damping, and what table 4 has for it.
struct Candidate {
    model: &'static str,
    label: &'static str,
    others: &'static [&'static str],
    /// Mean error and largest dispersion (m).
    paper: [f64; 2],
}

const SHEAR: &str = "cloth.sheet.material.shear_stiffness=1:500:log";
const STRETCH: &str = "cloth.sheet.material.stretch_stiffness=100:10000:log";

const CANDIDATES: [Candidate; 4] = [
    Candidate {
        model: "isometric",
        label: "isometric",
        others: &[],
        paper: [0.0031, 0.0202],
    },
    Candidate {
        model: "quasi-inextensible",
        label: "quasi-inextensible",
        others: &[SHEAR],
        paper: [0.0095, 0.0835],
    },
    Candidate {
        model: "baraff-witkin",
        label: "continuum (Baraff–Witkin)",
        others: &[STRETCH, SHEAR],
        paper: [0.0246, 0.0787],
    },
    Candidate {
        model: "mass-spring",
        label: "mass–spring",
        others: &[STRETCH, SHEAR],
        paper: [0.0303, 0.0907],
    },
];

/// Simulations for two parameters, and for each one more.
const BUDGET: usize = 100;
const MORE: usize = 40;
/// Errors of the short version are those of a coarse recording (m).
const SHORT: f64 = 0.012;

pub(super) fn run(settings: &Settings) -> Result<Findings, LabError> {
    let take = take(settings);
    let mut recorded = take.scene("kawabata");
    let fabric = ("cloth.sheet.material.fabric".into(), "cotton".into());
    recorded.overrides.push(fabric);
    let recording = take.record_with(&recorded)?;
    let mut findings = Findings::default();
    findings.notes.push(
        "model                      error (paper)      dispersion (paper)  14 s take  simulations  found".into(),
    );
    let mut plot = Plot::new(
        "Each model with its own best parameters",
        Axis::linear("time (s)"),
        Axis::linear("error (mm)"),
    );
    for candidate in &CANDIDATES {
        let source = scene(candidate.model, [8, 8], 0.01, 1.0, 0.5);
        let stop = AtomicBool::new(false);
        let budget = match settings.quick {
            true => 30,
            false => BUDGET + MORE * candidate.others.len(),
        };
        let others = candidate.others;
        let prepared = fitting_also(others, &source, recording.clone(), &take, budget, &stop)?;
        let FitOutcome::Finished(fitted) = prepared.search(&mut threads(&stop), &mut ())? else {
            unreachable!("nobody stops it");
        };
        let begin = Instant::now();
        prepared.trials().run(&fitted.values, take.end, false)?;
        let wall = begin.elapsed().as_secs_f64() * 14.0 / take.end;
        let [mean, spread] = candidate.paper;
        let (label, test) = (candidate.label, &fitted.test);
        let mut found = vec![
            format!("virtual mass {:.3} ρ", fitted.values[0] / DENSITY),
            format!("damping {:.2}/s", fitted.values[1]),
        ];
        let names = ["stretch", "shear"];
        let names = &names[names.len() - others.len()..];
        let rest = names.iter().zip(&fitted.values[2..]);
        found.extend(rest.map(|(name, value)| format!("{name} {value:.3e} N/m")));
        findings.notes.push(format!(
            "{label:25}  {:5.2} mm ({:4.1})  {:7.2} mm ({:4.1})  {wall:7.2} s  {:11}  {}",
            1e3 * test.mean,
            1e3 * mean,
            1e3 * test.dispersion,
            1e3 * spread,
            fitted.evaluations,
            found.join(", ")
        ));
        let allowed = if settings.quick { SHORT } else { mean };
        // Thirty simulations are too few for three and four parameters: the short version only notes what they lead to.
        if !settings.quick || others.is_empty() {
            findings.measurements.push(Measurement::new(
                format!("{label}: mean error in the second half"),
                "m",
                test.mean,
                0.0,
                allowed,
            ));
        }
        findings.measurements.push(Measurement::new(
            format!("{label}: largest dispersion in the second half"),
            "m",
            test.dispersion,
            0.0,
            spread,
        ));
        let points = fitted.course.moments.iter();
        let points = points.map(|m| [m.time, 1e3 * m.agreement.error]).collect();
        plot = plot.curve(label, points);
    }
    findings.pictures.push(("errors", plot.draw(SIZE)));
    Ok(findings)
}
