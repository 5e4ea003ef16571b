//! Plots of a comparison.

use super::figures::{Figures, Finished};
use crate::plot::{Axis, Plot, SIZE};
use toile_render::Image;

/// All plots, with the names of their files.
pub(super) fn all(
    finished: &[Finished],
    rows: &[(String, Figures)],
    reference: usize,
) -> Vec<(&'static str, Image)> {
    let time = || Axis::linear("time (s)");
    let mut stretch = Plot::new("Worst stretch", time(), Axis::linear("stretch (%)"));
    let mut energy = Plot::new("Total energy", time(), Axis::linear("energy (J)"));
    for variant in finished {
        let percent = variant.series("stretch_worst").into_iter();
        let percent = percent.map(|[t, s]| [t, 100.0 * s]).collect();
        stretch = stretch.curve(&variant.label, percent);
        energy = energy.curve(&variant.label, variant.series("energy_total"));
    }
    let title = format!("Distance from: {}", rows[reference].0);
    let mut distance = Plot::new(title, time(), Axis::linear("distance (mm)"));
    for (number, (label, figures)) in rows.iter().enumerate() {
        let far = figures.distances.iter().map(|[t, d]| [*t, 1e3 * d]);
        let far = if number == reference {
            Vec::new()
        } else {
            far.collect()
        };
        distance = distance.curve(label, far);
    }
    let mut work = Plot::new(
        "Quality against time",
        Axis::log("wall time (s)"),
        Axis::log("mean distance from the reference (mm)"),
    );
    for (label, figures) in rows {
        work = work.curve(label, vec![[figures.wall, 1e3 * figures.distance[0]]]);
    }
    vec![
        ("stretch.png", stretch.draw(SIZE)),
        ("energy.png", energy.draw(SIZE)),
        ("distance.png", distance.draw(SIZE)),
        ("quality.png", work.draw(SIZE)),
    ]
}
