//! The error over a grid of both parameters.

use super::studio::{DAMPING, DENSITY, WEIGHT, fitting, scene, threads};
use super::take;
use crate::fit::SensitivityGrid;
use crate::outcome::Measurement;
use crate::registry::{Findings, LabError, Settings};
use std::sync::atomic::AtomicBool;

pub(super) fn run(settings: &Settings) -> Result<Findings, LabError> {
    let take = take(settings);
    let side = if settings.quick { 4 } else { 10 };
    let source = scene("isometric", [8, 8], 0.01, WEIGHT, DAMPING);
    let stop = AtomicBool::new(false);
    let prepared = fitting(&source, take.record()?, &take, 1, &stop)?;
    let grid = SensitivityGrid {
        parameters: [0, 1],
        sides: [side, side],
    };
    let truth = [WEIGHT * DENSITY, DAMPING];
    let map = prepared.sensitivity(&mut threads(&stop), &grid, &truth, |_, _| {})?;
    let map = map.expect("nobody stops it");
    let mut findings = Findings::default();
    let (place, least) = map.best().unwrap_or(([0, 0], f64::NAN));
    // The true values are in the middle of the grid, on it.
    let middle = side / 2 - 1;
    let apart = place.iter().map(|&k| k.abs_diff(middle)).max();
    findings.measurements.push(Measurement::new(
        "fields from the smallest error to the true values",
        "",
        apart.map_or(f64::NAN, |n| n as f64),
        0.0,
        0.0,
    ));
    findings
        .measurements
        .push(Measurement::new("smallest error", "m", least, 0.0, 0.005));
    let column = |k: usize| {
        let errors = map.errors.iter().map(move |row| row[k]);
        errors.fold(f64::INFINITY, f64::min)
    };
    let rises = (1..=middle).all(|k| column(k - 1) > column(k));
    findings.measurements.push(Measurement::new(
        "errors grow towards weightless cloth (1: yes)",
        "",
        f64::from(u8::from(rises)),
        1.0,
        0.0,
    ));
    let count = (side * side) as f64;
    findings.notes.push(format!(
        "{count} simulations of {} s in {:.1} s on {} threads",
        take.end,
        map.seconds,
        crate::jobs::usual()
    ));
    findings.notes.push(format!(
        "least errors over all dampings, by virtual mass: {}",
        map.values[0]
            .iter()
            .enumerate()
            .map(|(k, mass)| format!("{:.2}: {:.2} mm", mass / DENSITY, 1e3 * column(k)))
            .collect::<Vec<_>>()
            .join(", ")
    ));
    findings.pictures.push(("map", map.picture()));
    Ok(findings)
}
