//! How far the fitted cloth and recorded clouds are apart, frame by frame: what the fit itself does not look at, because a camera does not see all of
//! the cloth.

use super::target::Sight;
use super::{Fitted, Prepared};
use crate::measure::distance::{CloudDistance, cloud_distance};
use std::fmt::Write;

/// The distances in one frame.
pub(super) struct Row {
    time: f64,
    distance: CloudDistance,
}

/// Of every frame that has points; none if nodes were recorded.
pub(super) fn rows(prepared: &Prepared, fitted: &Fitted) -> Vec<Row> {
    let Sight::Clouds(clouds) = &prepared.target.sight else {
        return Vec::new();
    };
    let cloth = &prepared.world.model.cloths[prepared.target.cloth];
    let triangles = cloth.topology.faces.iter().flat_map(|f| f.triangles());
    let triangles: Vec<[u32; 3]> = triangles.collect();
    let frames = prepared.target.times.iter().zip(&fitted.course.frames);
    let frames = frames.zip(clouds).filter_map(|((&time, places), cloud)| {
        let nodes = &places[cloth.nodes.clone()];
        let distance = cloud_distance(cloud, nodes, &triangles)?;
        Some(Row { time, distance })
    });
    frames.collect()
}

/// As CSV.
pub(super) fn table(rows: &[Row]) -> String {
    let mut text = String::from("time,chamfer,hausdorff,cloud_to_cloth,cloth_to_cloud\n");
    for Row { time, distance } in rows {
        let _ = writeln!(
            text,
            "{time},{},{},{},{}",
            distance.chamfer(),
            distance.hausdorff(),
            distance.from_cloud.mean,
            distance.from_surface.mean
        );
    }
    text
}

/// Mean Chamfer and largest Hausdorff distance (m).
pub(super) fn sums(rows: &[Row]) -> Option<[f64; 2]> {
    let count = rows.len() as f64;
    let chamfer = rows.iter().map(|r| r.distance.chamfer()).sum::<f64>() / count;
    let hausdorff = rows.iter().map(|r| r.distance.hausdorff());
    (!rows.is_empty()).then(|| [chamfer, hausdorff.fold(0.0, f64::max)])
}
