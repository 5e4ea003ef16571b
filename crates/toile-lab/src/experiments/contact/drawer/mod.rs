//! A sheet is pulled from between two others: the force is Coulomb's on both its sides.
//!
//! Three squares of the weight `q` per area lie on one another, with sides `c > b > a` from below. The middle one has been drawn by `x`,
//! and the upper one lies on it over the length `l`. Nothing gets faster, so the force is what rubs on the middle sheet:
//!
//! `F = μ N₁ + μ N₂,  N₁ = q a l,  N₂ = N₁ + q b²,  l = min(a, max(0, (a + b)/2 − x))`.
//!
//! While all of the upper sheet is on the middle one (`x ≤ (b − a)/2`), `F = μ q (2a² + b²)`, whatever `x`, speed, mesh and model are:
//! for equal sheets three times `μ` times the weight of one. Once it has come off, or if there is none (`a = 0`), `F = μ q b²`: one sheet
//! on another. The holders of the other two feel the parts, `μ N₁` above and `μ N₂` below, as nothing rubs on the floor.

mod stack;

use super::contact_table::{MASS_SPRING, QUASI_INEXTENSIBLE};
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Experiment, Findings, LabError, Settings};
use stack::{BETWEEN, Felt, LOWER, MIDDLE, NEWTON_TOLERANCE, SPAN, Stack, UPPER};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "drawer",
    title: "a sheet is pulled from between two others with Coulomb's force",
    reproduces: "Coulomb friction between cloths: F = μ N above + μ N below",
    about: "Three sheets lie on one another on a floor without friction. The edges of the upper and the lower one are held, and the middle one \
            is pulled out with constant speed: what that takes is the friction on both its sides, which is known from the weights alone. \
            The numbers are the mean force of the holder while all slides, beside that; no face may intersect another after any \
            step, and no sheet may stretch by half a per cent more than its limit. In the long version the middle sheet is also pulled out from \
            under the upper one altogether, which leaves the force of one sheet on another.",
    parameters: &[
        (
            "sheets",
            "squares of 0.36, 0.28 and 0.2 m, 0.2 kg/m², 2 mm thick",
        ),
        ("cells", "20 and 10 mm (short version: 40 mm)"),
        (
            "models",
            "mass–spring, principal stretch at most 1 %; quasi-inextensible",
        ),
        ("springs", "10 N/m, which alone would stretch by 2 and 5 %"),
        (
            "friction",
            "0.2 and 0.5 (short version: one of them for each model): the geometric mean of half of it, on the middle sheet, and twice of it",
        ),
        (
            "pull",
            "10 cm/s, 35 mm after 0.05 s of rest; force over the last 20 mm",
        ),
        (
            "steps",
            "5 ms, each one solve with the Newton steps and the tolerance of scenes (12, 0.01)",
        ),
    ],
    run,
};

/// The share of itself that the force may be off by.
const TOLERANCE: f64 = 0.02;
/// The same for steps that are solved to a tenth of what scenes ask for.
const SETTLED: f64 = 0.005;
/// What plots leave out (m): the middle sheet starts with its full speed.
const JERK: f64 = 0.005;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let cells: &[f64] = if settings.quick {
        &[0.04]
    } else {
        &[0.02, 0.01]
    };
    let cases = [
        (&MASS_SPRING, 0.2),
        (&QUASI_INEXTENSIBLE, 0.5),
        (&MASS_SPRING, 0.5),
        (&QUASI_INEXTENSIBLE, 0.2),
    ];
    let cases = if settings.quick { &cases[..2] } else { &cases };
    let mut forces = Plot::new(
        "A sheet is pulled from between two others",
        Axis::linear("way (mm)"),
        Axis::linear("force over Coulomb's"),
    );
    for &cell in cells {
        for &(cloth, friction) in cases {
            let pull = Stack::between(cell, friction).pull(cloth, &mut findings)?;
            pull.judge(TOLERANCE, &mut findings);
            if cell == cells[0] {
                let steps = pull.after(JERK);
                let over = steps.map(|felt| [1e3 * felt.way, pull.over_coulomb(felt)]);
                forces = forces.curve(&pull.label, over.collect());
            }
        }
    }
    forces = forces.guide("Coulomb", vec![[1e3 * JERK, 1.0], [1e3 * BETWEEN, 1.0]]);
    findings.pictures.push(("force", forces.draw(SIZE)));
    if !settings.quick {
        firmly(&mut findings)?;
        out(&mut findings)?;
    }
    Ok(findings)
}

/// The same with steps that are solved to a tenth of what scenes ask for. The friction with which a step ends is that of the pushes an
/// iteration before. What it may be off by is a part of the weight, however small the friction is, and errors of all contacts do not
/// cancel altogether.
fn firmly(findings: &mut Findings) -> Result<(), LabError> {
    let stack = Stack {
        tolerance: 0.1 * NEWTON_TOLERANCE,
        ..Stack::between(0.02, 0.2)
    };
    for cloth in [&MASS_SPRING, &QUASI_INEXTENSIBLE] {
        let pull = stack.pull(cloth, findings)?;
        pull.judge(SETTLED, findings);
        let (mean, expected) = (pull.mean(), stack.expected(stack.way));
        for (sheet, name) in [(LOWER, "lower"), (UPPER, "upper")] {
            let what = format!("{}: force on the holder of the {name} sheet", pull.label);
            let (mean, expected) = (mean[sheet], expected[sheet]);
            let verdict = Measurement::new(what, "N", mean, expected, TOLERANCE * expected);
            findings.measurements.push(verdict);
        }
    }
    Ok(())
}

/// The middle sheet is pulled out from under the upper one, and its force judged when it has come off.
fn out(findings: &mut Findings) -> Result<(), LabError> {
    let stack = Stack {
        sides: [0.44, 0.16, 0.16],
        ahead: 0.1,
        way: 0.195,
        ..Stack::between(0.02, 0.2)
    };
    let pull = stack.pull(&QUASI_INEXTENSIBLE, findings)?;
    pull.judge(TOLERANCE, findings);
    let predicted = |felt: &Felt| stack.expected(felt.way)[MIDDLE];
    // What the upper sheet presses with too much while it comes off, as a length of it. Behind the middle sheet it spans the step down to
    // the lower one, and the middle sheet bears most of that.
    let coming_off = || {
        pull.after(SPAN)
            .filter(|felt| felt.way < stack.sides[MIDDLE])
    };
    let more = coming_off().map(|felt| felt.forces[MIDDLE] - predicted(felt));
    let [all, none] = [0.0, stack.way].map(|way| stack.expected(way)[MIDDLE]);
    let length =
        more.sum::<f64>() / coming_off().count() as f64 * stack.sides[MIDDLE] / (all - none);
    findings.notes.push(format!(
        "{}: predicted from {all:.4} to {none:.4} N; while it comes off, the upper sheet presses as if {:.1} mm more of it lay on the middle one",
        pull.label,
        1e3 * length
    ));
    let curve = |force: &dyn Fn(&Felt) -> f64| {
        let points = pull
            .after(JERK)
            .map(|felt| [1e3 * felt.way, 1e3 * force(felt)]);
        points.collect::<Vec<_>>()
    };
    let plot = Plot::new(
        "A sheet is pulled out from under another",
        Axis::linear("way (mm)"),
        Axis::linear("force (mN)"),
    );
    let plot = plot.guide("Coulomb", curve(&predicted));
    let plot = plot.curve("measured", curve(&|felt| felt.forces[MIDDLE]));
    findings.pictures.push(("out", plot.draw(SIZE)));
    Ok(())
}
