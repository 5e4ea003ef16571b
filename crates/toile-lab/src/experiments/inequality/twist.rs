//! A twisted cylinder: figure 12.
//!
//! 12.4 thousand triangles, twisted about the axis by 81°, edges allowed to stretch by 5 %, three stiffnesses of the weak springs. Here
//! there are 5.1 thousand triangles. The paper does not give sizes. Ends at a fixed distance can only be turned that far if a straight line from one to the other is not too
//! long for the cloth it stands for: with 5 % that takes a height of at least 4.9 radii. Here it is six. There is no gravity.
//!
//! The twist alone sets the number of the large folds, five or six whatever the springs. What softer springs add are fine wrinkles on them, so
//! the wave number is taken of the radius' slopes. The short version judges the limits alone.

use super::sweep::{Sweep, Swept, clip, judge_fewer, pictures};
use super::{Run, shake, world};
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Experiment, Findings, LabError, Settings};
use glam::DVec3;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "twist",
    title: "a cylinder of inequality cloth twisted by 81°: wrinkles against the stiffness of its weak springs",
    reproduces: "Jin et al. 2017, figure 12: no edge beyond the allowed 5 %, softer springs give finer wrinkles",
    about: "A cylinder of inequality cloth is twisted at one end, like a wrung towel, and wrinkles across. No edge may grow beyond \
            the allowed 5 %, and softer springs must give finer wrinkles. The wave number is that of the slopes of the radius \
            around the middle, because the twist itself sets the number of the large folds.",
    parameters: &[
        (
            "cylinder",
            "radius 0.1 m, height 0.6 m, 5120 triangles (short version: 768)",
        ),
        ("twist", "81° in 1 s"),
        ("allowed stretch, tolerance", "5 %, 0.5 %"),
        ("weak springs", "100, 1 and 0.01 N/m"),
        ("steps, duration", "10 ms, 2 s (short version: 1.2 s)"),
    ],
    run,
};

/// Allowed stretch.
const ALPHA: f64 = 0.05;
/// Of the solver.
const TOLERANCE: f64 = 5e-3;
/// N/m; from stiff to soft, as in the figure.
const SPRINGS: [f64; 3] = [100.0, 1.0, 0.01];
/// m
const RADIUS: f64 = 0.1;
const HEIGHT: f64 = 0.6;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let (cells, duration) = if settings.quick {
        ([24, 16], 1.2)
    } else {
        ([64, 40], 2.0)
    };
    let mut findings = Findings::default();
    let sweep = Sweep {
        stretch: ALPHA,
        tolerance: TOLERANCE,
        duration,
        scene: &|stiffness| cylinder(cells, stiffness),
        ring: &|run| ring(run, cells),
    };
    let all = sweep.run(&SPRINGS, &mut findings)?;
    if !settings.quick {
        let [stiffest, softest] = [&all[0], &all[2]].map(Swept::wave_number_of_slopes);
        let what = "mean wave number of the slopes";
        judge_fewer(what, stiffest, softest, &mut findings);
    }
    let mut plot = Plot::new(
        "Twisted cylinder: radius half way up",
        Axis::linear("node around"),
        Axis::linear("radius (mm)"),
    );
    for swept in &all {
        let points = swept.ring.iter().enumerate();
        let points = points.map(|(i, r)| [i as f64, 1e3 * r]).collect();
        plot = plot.curve(format!("{} N/m", swept.stiffness), points);
    }
    findings.pictures.push(("radius", plot.draw(SIZE)));
    findings.pictures.push(("cylinders", pictures(&all)));
    let title = "A cylinder twisted by 81°: weak springs of 100, 1 and 0.01 N/m";
    findings.clips.push(clip(title, &all)?);
    Ok(findings)
}

fn cylinder(cells: [u32; 2], stiffness: f64) -> Result<toile_scene::scene::World, LabError> {
    let mut world = world(
        "twist",
        format!(
            "[time]\nduration = 10\nfps = 20\nstep = 0.01\n[environment]\ngravity = [0, 0, 0]\n\
             [cloth.tube]\nmesh.tube = {{ radius = {RADIUS}, height = {HEIGHT}, cells = {cells:?}, pattern = \"alternating\" }}\n\
             model = \"inequality\"\nbending = \"none\"\ndamping = 2\n\
             limit.inequality = {{ stretch = {ALPHA}, tolerance = {TOLERANCE} }}\n\
             material = {{ density = 0.15, weak_springs = {stiffness:?} }}\n\
             [[cloth.tube.pin]]\nselect.boundary = 0\n\
             [[cloth.tube.pin]]\nselect.boundary = 1\n\
             motion.keyframes = {{ keys = [{{ time = 0 }}, {{ time = 1, rotate_degrees = [0, 0, 81] }}], interpolation = \"linear\" }}\n"
        ),
    )?;
    shake(&mut world.state.positions, 1e-4, |x| {
        let inside = x.z.abs() < 0.499 * HEIGHT;
        let out = DVec3::new(x.x, x.y, 0.0).normalize_or_zero();
        if inside { out } else { DVec3::ZERO }
    });
    Ok(world)
}

/// Radii of the nodes half way up (m), around: those that started there.
fn ring(run: &Run, cells: [u32; 2]) -> Vec<f64> {
    let near = 0.5 * HEIGHT / f64::from(cells[1]);
    let pairs = run.world.state.positions.iter().zip(&run.state.positions);
    let mut ring: Vec<(f64, f64)> = pairs
        .filter(|(first, _)| first.z >= -1e-9 && first.z < near)
        .map(|(first, now)| (first.y.atan2(first.x), now.truncate().length()))
        .collect();
    ring.sort_by(|a, b| a.0.total_cmp(&b.0));
    ring.into_iter().map(|(_, radius)| radius).collect()
}
