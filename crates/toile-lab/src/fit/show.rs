//! What a fit leaves for people and programs: numbers, lines for the scene, plots, the recording with the simulation over it.

use super::cloud_table;
use super::target::Sight;
use super::{FitError, Fitted, Prepared, Sensitivity};
use crate::plot::{Axis, Plot, SIZE};
use glam::DVec3;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use toile::mesh::Face;
use toile_scene::present::{PictureStyle, write_previews, write_report_page};
use toile_scene::recording::{
    self, Arrangement, ClothTrack, RecordedFrame, Recording, Reel, Variant, compare, write_overlay,
};
use toile_scene::report::{MetricsTable, ReportInput};
use toile_scene::run::write_atomically;

/// Front and back colours of the simulated and of the recorded cloth.
const SIMULATED: [[f32; 3]; 2] = [[0.16, 0.38, 0.58], [0.80, 0.86, 0.90]];
const RECORDED: [[f32; 3]; 2] = [[0.85, 0.58, 0.18], [0.95, 0.89, 0.75]];
/// Points of a cloud that are drawn, and how large (m).
const POINTS: usize = 1500;
const POINT_SIZE: f64 = 2e-3;

/// Writes `fit.json`, `fitted.toml`, plots, and the overlay with its previews and its page into the fit's folder, if it has one.
pub fn write_results(
    prepared: &Prepared,
    fitted: &Fitted,
    sensitivity: Option<&Sensitivity>,
) -> Result<(), FitError> {
    let Some(folder) = prepared.fit.folder else {
        return Ok(());
    };
    let clouds = cloud_table::rows(prepared, fitted);
    if !clouds.is_empty() {
        let table = cloud_table::table(&clouds);
        write_atomically(&folder.join("distances.csv"), table.as_bytes())?;
    }
    let numbers = summary(prepared, fitted, sensitivity);
    let numbers = serde_json::to_string_pretty(&numbers);
    write_atomically(
        &folder.join("fit.json"),
        numbers.unwrap_or_default().as_bytes(),
    )?;
    write_atomically(
        &folder.join("fitted.toml"),
        settings(prepared, fitted).as_bytes(),
    )?;
    write_atomically(&folder.join("errors.csv"), errors_table(fitted).as_bytes())?;
    let pictures = [
        ("errors.png", errors_plot(fitted)),
        ("search.png", search_plot(fitted)),
    ];
    for (name, plot) in pictures {
        write_atomically(&folder.join(name), &plot.draw(SIZE).encode_png()?)?;
    }
    if let Some(map) = sensitivity {
        write_atomically(
            &folder.join("sensitivity.png"),
            &map.picture().encode_png()?,
        )?;
        write_atomically(&folder.join("sensitivity.csv"), map_table(map).as_bytes())?;
    }
    overlay(prepared, fitted, folder)
}

/// What `fit.json` has.
pub fn summary(
    prepared: &Prepared,
    fitted: &Fitted,
    sensitivity: Option<&Sensitivity>,
) -> serde_json::Value {
    let parameters = prepared.fit.parameters.iter().zip(&fitted.values);
    let confidence = fitted.confidence.as_ref();
    let parameters = parameters.enumerate().map(|(k, (p, value))| {
        let interval = confidence.map(|c| c.intervals[k]);
        json!({
            "field": p.field, "value": value, "start": p.start,
            "low": p.bounds.low, "high": p.bounds.high,
            "at_bound": at_bound(*value, p.bounds.low, p.bounds.high),
            "interval_95": interval.map(|i| [i.low, i.high]),
            "is_told": interval.map(|i| i.is_told),
        })
    });
    let window = |w: &super::WindowErrors| json!({ "from": w.window[0], "to": w.window[1], "mean_error": w.mean, "worst_dispersion": w.dispersion });
    let mut numbers = json!({
        "parameters": parameters.collect::<Vec<_>>(),
        "train": window(&fitted.train),
        "test": window(&fitted.test),
        "train_error_before": fitted.before,
        "simulations": fitted.evaluations,
        "simulations_failed": fitted.failed,
        "simulations_recalled": fitted.recalled,
        "seconds": fitted.seconds,
        "ended": fitted.ended,
        "correlations": confidence.map(|c| &c.correlations),
        "related_frames": confidence.map(|c| c.related_frames),
        "not_told": confidence.map(|c| &c.notes),
        "notes": prepared.target.notes,
        "sensitivity": sensitivity.map(|map| json!({
            "fields": map.fields, "values": map.values, "errors": map.errors, "seconds": map.seconds,
        })),
    });
    if let Some([chamfer, hausdorff]) = cloud_table::sums(&cloud_table::rows(prepared, fitted)) {
        numbers["mean_chamfer"] = json!(chamfer);
        numbers["worst_hausdorff"] = json!(hausdorff);
    }
    numbers
}

/// Whether a value is as good as on one of its bounds: then the bounds decided, not the recording.
fn at_bound(value: f64, low: f64, high: f64) -> bool {
    let near = 1e-3 * (high - low);
    value - low < near || high - value < near
}

/// Lines for the scene, or for `--set`.
fn settings(prepared: &Prepared, fitted: &Fitted) -> String {
    let mut text = String::from(
        "# What fits the recording best. Put it into the scene, or on the command line with --set.\n",
    );
    let parameters = prepared.fit.parameters.iter().zip(&fitted.values);
    for (k, (parameter, value)) in parameters.enumerate() {
        let interval = fitted.confidence.as_ref().map(|c| c.intervals[k]);
        let note = interval.map_or_else(String::new, |i| format!("  # {i}"));
        let _ = writeln!(text, "{} = {value:?}{note}", parameter.field);
    }
    text
}

fn errors_table(fitted: &Fitted) -> String {
    let mut text = String::from("time,error,dispersion,worst\n");
    for moment in &fitted.course.moments {
        let a = &moment.agreement;
        let _ = writeln!(
            text,
            "{},{},{},{}",
            moment.time, a.error, a.dispersion, a.worst
        );
    }
    text
}

fn map_table(map: &Sensitivity) -> String {
    let mut text = format!("{},{},mean_error\n", map.fields[0], map.fields[1]);
    for (row, errors) in map.errors.iter().enumerate() {
        for (column, error) in errors.iter().enumerate() {
            let _ = writeln!(
                text,
                "{},{},{error}",
                map.values[0][column], map.values[1][row]
            );
        }
    }
    text
}

fn errors_plot(fitted: &Fitted) -> Plot {
    let moments = fitted.course.moments.iter();
    let error = moments.clone().map(|m| [m.time, 100.0 * m.agreement.error]);
    let dispersion = moments.map(|m| [m.time, 100.0 * m.agreement.dispersion]);
    let end = fitted.train.window[1];
    let highest = dispersion.clone().map(|p| p[1]).fold(0.0, f64::max);
    Plot::new(
        "Distance between simulation and recording",
        Axis::linear("time (s)"),
        Axis::linear("distance (cm)"),
    )
    .curve("error", error.collect())
    .variant("dispersion", dispersion.collect())
    .guide("training ends", vec![[end, 0.0], [end, highest]])
}

fn search_plot(fitted: &Fitted) -> Plot {
    let best = fitted.history.iter().filter(|p| p[1].is_finite());
    let best = best.map(|p| [p[0], 100.0 * p[1].sqrt()]);
    Plot::new(
        "Search",
        Axis::linear("simulations"),
        Axis::log("best error so far (cm, root of mean square)"),
    )
    .curve("best", best.collect())
}

/// The simulation and the recording in one place, in memory.
pub fn overlay_reel(prepared: &Prepared, fitted: &Fitted) -> Result<Reel, FitError> {
    let (simulated, recorded) = (simulated_reel(prepared, fitted), recorded_reel(prepared));
    let shown = cast(&simulated, &recorded);
    Ok(compare(
        "Simulation (blue) over recording (yellow)",
        &shown,
        Arrangement::Overlay,
    )?)
}

fn cast<'a>(simulated: &'a Reel, recorded: &'a Reel) -> [Variant<'a>; 2] {
    let shown = [
        ("simulation", simulated, SIMULATED),
        ("recording", recorded, RECORDED),
    ];
    shown.map(|(name, footage, colors)| Variant {
        name,
        footage,
        colors: Some(colors),
    })
}

/// The simulation and the recording in one place.
fn overlay(prepared: &Prepared, fitted: &Fitted, folder: &Path) -> Result<(), FitError> {
    let simulated = simulated_reel(prepared, fitted);
    let recorded = recorded_reel(prepared);
    let shown = cast(&simulated, &recorded);
    let cache = folder.join(recording::FILE_NAME);
    write_overlay(&cache, "Simulation over recording", &shown)?;
    let together = Recording::open(&cache).map_err(recording::CompareError::from)?;
    let style = PictureStyle {
        legend: true,
        ..PictureStyle::default()
    };
    write_previews(&together, folder, &style)?;
    let rows = fitted.course.moments.iter();
    let metrics = MetricsTable {
        columns: ["time", "error", "dispersion", "worst"]
            .map(String::from)
            .to_vec(),
        rows: rows
            .map(|m| {
                vec![
                    m.time,
                    m.agreement.error,
                    m.agreement.dispersion,
                    m.agreement.worst,
                ]
            })
            .collect(),
    };
    let parameters = prepared.fit.parameters.iter().zip(&fitted.values);
    let mut facts: Vec<(String, String)> = parameters
        .enumerate()
        .map(|(k, (p, value))| {
            let interval = fitted.confidence.as_ref().map(|c| c.intervals[k]);
            let note = interval.map_or_else(String::new, |i| format!(" ({i})"));
            (p.field.clone(), format!("{value:.4}{note}"))
        })
        .collect();
    for (name, w) in [
        ("training error", &fitted.train),
        ("test error", &fitted.test),
    ] {
        facts.push((name.into(), format!("{:.2} cm", 100.0 * w.mean)));
    }
    let scene = &prepared.world.resolved;
    let input = ReportInput {
        facts,
        scene_source: Some(scene),
        legend: true,
        ..ReportInput::new(&together, &metrics)
    };
    Ok(write_report_page(&input, folder)?)
}

/// About the rate at which the recording has frames.
fn rate(times: &[f64]) -> f64 {
    let span = times[times.len() - 1] - times[0];
    ((times.len() - 1) as f64 / span).clamp(1.0, 240.0)
}

fn simulated_reel(prepared: &Prepared, fitted: &Fitted) -> Reel {
    let world = &prepared.world;
    let times = &prepared.target.times;
    let frames = times.iter().zip(&fitted.course.frames);
    let pose = |time: f64| {
        let bodies = world.body_frames.iter();
        let poses = bodies.map(|body| body.pose(&world.model, time).into());
        poses.collect()
    };
    let frames = frames.map(|(&time, positions)| RecordedFrame {
        time,
        poses: pose(time),
        positions: positions.clone(),
        velocities: Vec::new(),
    });
    Reel {
        title: world.title.clone(),
        fps: rate(times),
        cloths: world.cloth_tracks.clone(),
        bodies: world.body_tracks.clone(),
        frames: frames.collect(),
    }
}

/// What was recorded: its own grid if it has one, else the mesh at the recorded places, else points.
fn recorded_reel(prepared: &Prepared) -> Reel {
    let target = &prepared.target;
    let (faces, frames): (Vec<Face>, Vec<Vec<DVec3>>) = match (&target.surface, &target.sight) {
        (Some(surface), _) => (surface.faces.clone(), surface.frames.clone()),
        (None, Sight::Nodes { places, .. }) => {
            let cloth = &prepared.world.model.cloths[target.cloth];
            (cloth.topology.faces.clone(), places.clone())
        }
        (None, Sight::Clouds(clouds)) => specks(clouds),
    };
    let nodes = frames.first().map_or(0, Vec::len);
    let rows = target.times.iter().zip(&frames);
    let rows = rows.map(|(&time, positions)| RecordedFrame {
        time,
        poses: Vec::new(),
        positions: positions.clone(),
        velocities: Vec::new(),
    });
    Reel {
        title: "recording".into(),
        fps: rate(&target.times),
        cloths: vec![ClothTrack {
            name: "recording".into(),
            first_node: 0,
            node_count: nodes,
            rest_areas: vec![0.0; faces.len()],
            faces,
            edges: Vec::new(),
            rest_lengths: Vec::new(),
            thickness: 0.0,
            colors: RECORDED,
            attributes: Default::default(),
        }],
        bodies: Vec::new(),
        frames: rows.collect(),
    }
}

/// Every point as a small triangle; as many in each frame.
fn specks(clouds: &[Vec<DVec3>]) -> (Vec<Face>, Vec<Vec<DVec3>>) {
    let fewest = clouds.iter().map(Vec::len).min().unwrap_or(0);
    let count = fewest.min(POINTS);
    let corners = [
        DVec3::X,
        DVec3::Z - 0.5 * DVec3::X,
        -DVec3::Z - 0.5 * DVec3::X,
    ];
    let frame = |cloud: &Vec<DVec3>| -> Vec<DVec3> {
        let chosen = (0..count).map(|k| cloud[k * cloud.len() / count]);
        chosen
            .flat_map(|p| corners.map(|c| p + POINT_SIZE * c))
            .collect()
    };
    let faces = (0..count as u32).map(|k| Face::Tri([3 * k, 3 * k + 1, 3 * k + 2]));
    (faces.collect(), clouds.iter().map(frame).collect())
}
