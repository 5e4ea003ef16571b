//! What a finished variant says in numbers.

use super::CompareError;
use crate::measure::agreement::agreement;
use crate::measure::area::{AreaErrors, changes};
use crate::measure::folds::{folds, usual_sharpness};
use crate::measure::motion::{EnergyDrift, MomentumDrift};
use crate::measure::rest_map::RestMap;
use glam::DVec3;
use std::path::Path;
use toile::certificate::Momenta;
use toile::model::Cloth;
use toile_scene::recording::Recording;
use toile_scene::report::MetricsTable;
use toile_scene::scene::World;

/// A variant that has run: its world and what it left behind.
#[derive(Debug)]
pub struct Finished {
    /// What to call it.
    pub label: String,
    /// The world at its start.
    pub world: World,
    /// Its frames.
    pub recording: Recording,
    /// Its metrics, frame by frame.
    pub metrics: MetricsTable,
    /// Wall time of its steps (s).
    pub wall: f64,
    /// The most memory that was in use while it ran (bytes), if somebody measured it.
    pub memory: Option<u64>,
}

impl Finished {
    /// Reads a run folder.
    pub fn open(
        label: String,
        world: World,
        folder: &Path,
        memory: Option<u64>,
    ) -> Result<Self, CompareError> {
        let table = |name: &str| -> Result<MetricsTable, CompareError> {
            let path = folder.join(name);
            let text = std::fs::read_to_string(&path);
            let text = text.map_err(|source| CompareError::Io {
                path: path.clone(),
                source,
            })?;
            MetricsTable::parse_csv(&text).map_err(|error| CompareError::Table { path, error })
        };
        let timings = table("timings.csv")?;
        Ok(Finished {
            label,
            recording: Recording::open(folder)?,
            metrics: table("metrics.csv")?,
            wall: column(&timings, "total").sum(),
            world,
            memory,
        })
    }

    /// A column of the metrics with the times, without what is not known.
    pub fn series(&self, name: &str) -> Vec<[f64; 2]> {
        let times = self.metrics.rows.iter().map(|row| row[0]);
        let values = column(&self.metrics, name);
        let pairs = times.zip(values).filter(|(_, v)| v.is_finite());
        pairs.map(|(t, v)| [t, v]).collect()
    }

    /// What the momentum did; NaN if nothing tells.
    fn momentum(&self) -> MomentumDrift {
        let model = &self.world.model;
        let linear = vectors(&self.metrics, "momentum");
        let spin = vectors(&self.metrics, "spin");
        let momenta = linear
            .zip(spin)
            .map(|(linear, spin)| Momenta { linear, spin });
        let times = self.metrics.rows.iter().map(|row| row[0]);
        let start = Momenta::of(model, &self.world.state);
        MomentumDrift::of(model, &start, times.zip(momenta)).unwrap_or(MomentumDrift {
            linear: f64::NAN,
            spin: f64::NAN,
        })
    }

    /// Positions at a time (s) of which there is a frame (m): frame rates of variants may differ.
    fn positions_at(&self, time: f64) -> Result<Option<Vec<DVec3>>, CompareError> {
        let frame = (time * self.recording.header().fps).round() as usize;
        if frame >= self.recording.frame_count() {
            return Ok(None);
        }
        let found = self.recording.frame(frame)?.time;
        match (found - time).abs() < SAME_MOMENT {
            true => self.positions(frame).map(Some),
            false => Ok(None),
        }
    }

    /// Positions of a frame (m).
    pub fn positions(&self, frame: usize) -> Result<Vec<DVec3>, CompareError> {
        Ok(self.recording.frame(frame)?.positions)
    }
}

/// Frames whose times (s) differ by less than this are of the same moment.
const SAME_MOMENT: f64 = 1e-6;

fn column<'a>(table: &'a MetricsTable, name: &str) -> impl Iterator<Item = f64> + use<'a> {
    let index = table.columns.iter().position(|c| c == name);
    table
        .rows
        .iter()
        .map(move |row| index.map_or(f64::NAN, |k| row[k]))
}

/// The columns `NAME_x`, `NAME_y` and `NAME_z`.
fn vectors<'a>(table: &'a MetricsTable, name: &str) -> impl Iterator<Item = DVec3> + use<'a> {
    let [x, y, z] = ["x", "y", "z"].map(|axis| column(table, &format!("{name}_{axis}")));
    x.zip(y).zip(z).map(|((x, y), z)| DVec3::new(x, y, z))
}

/// The numbers of a variant. Strains and errors of area are shares, distances in metres, energies in joules.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Nodes of all cloths.
    pub nodes: usize,
    /// Faces of all cloths.
    pub faces: usize,
    /// Time step (s).
    pub step: f64,
    /// Largest strain of an edge at any time.
    pub stretch_worst: f64,
    /// Mean absolute strain at the end.
    pub stretch_mean: f64,
    /// Errors of area, each at its worst frame.
    pub area: AreaErrors,
    /// What the total energy did.
    pub energy: EnergyDrift,
    /// What the momentum did beyond what gravity did to it.
    pub momentum: MomentumDrift,
    /// Folds at the end.
    pub folds: usize,
    /// Distance to the reference: mean over time, at the end, and the farthest node at any time (m).
    pub distance: [f64; 3],
    /// Wall time of the steps (s).
    pub wall: f64,
    /// Iterations of linear solves and limits in a step.
    pub iterations: f64,
    /// Steps that did not converge.
    pub unconverged: f64,
    /// The most memory in use (bytes).
    pub memory: Option<u64>,
    /// Distance to the reference over time.
    pub distances: Vec<[f64; 2]>,
}

/// Measures a variant against a reference, which may be itself.
pub fn measure(variant: &Finished, reference: &Finished) -> Result<Figures, CompareError> {
    let model = &variant.world.model;
    let maps = rest_maps(variant, reference)?;
    let frames = variant.recording.frame_count();
    let mut area: Option<AreaErrors> = None;
    let mut distances = Vec::new();
    let mut farthest = 0.0f64;
    let mut last = Vec::new();
    for frame in 0..frames {
        let positions = variant.positions(frame)?;
        let errors = area_errors(&model.cloths, &positions);
        area = Some(area.map_or(errors, |worst| worse(worst, errors)));
        let time = variant.recording.frame(frame)?.time;
        if let Some(there) = reference.positions_at(time)? {
            let places = carried(&maps, reference, &there);
            if let Some(found) = agreement(&model.masses, &positions, &places, |_| true) {
                distances.push([time, found.error]);
                farthest = farthest.max(found.worst);
            }
        }
        last = positions;
    }
    let sum = |name: &str| -> f64 {
        let values = column(&variant.metrics, name);
        values.filter(|v| v.is_finite()).sum()
    };
    let series = |name: &str| variant.series(name).into_iter().map(|p| p[1]);
    let nothing = EnergyDrift {
        change: f64::NAN,
        largest_rise: f64::NAN,
        span: f64::NAN,
    };
    let mean = distances.iter().map(|d| d[1]).sum::<f64>() / distances.len() as f64;
    let steps = sum("substeps").max(1.0);
    Ok(Figures {
        nodes: model.node_count(),
        faces: model.face_count(),
        step: variant.world.schedule.step,
        stretch_worst: series("stretch_worst").fold(f64::NAN, f64::max),
        stretch_mean: series("stretch_mean").next_back().unwrap_or(f64::NAN),
        area: area.unwrap_or_else(|| AreaErrors::of(&[], &[])),
        energy: EnergyDrift::of(series("energy_total")).unwrap_or(nothing),
        momentum: variant.momentum(),
        folds: count_folds(&model.cloths, &last),
        distance: [mean, distances.last().map_or(f64::NAN, |d| d[1]), farthest],
        wall: variant.wall,
        iterations: (sum("iterations") + sum("limit_iterations")) / steps,
        unconverged: sum("unconverged_steps"),
        memory: variant.memory,
        distances,
    })
}

/// The variant to hold the others against, if nobody names one: the most nodes, then the shortest step, then the first.
pub fn finest(variants: &[Finished]) -> usize {
    let rank = |k: &usize| {
        let world = &variants[*k].world;
        (world.model.node_count(), -world.schedule.step)
    };
    let better = |a: &usize, b: &usize| {
        let (a, b) = (rank(a), rank(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    };
    let numbers = (0..variants.len()).rev();
    numbers.max_by(better).unwrap_or(0)
}

/// Where each cloth of the variant lies on the same cloth of the reference.
fn rest_maps(variant: &Finished, reference: &Finished) -> Result<Vec<RestMap>, CompareError> {
    let here = &variant.world;
    let there = &reference.world;
    let names = |world: &World| -> Vec<String> {
        world.model.cloths.iter().map(|c| c.name.clone()).collect()
    };
    if names(here) != names(there) {
        return Err(CompareError::OtherCloths {
            label: variant.label.clone(),
            reference: reference.label.clone(),
        });
    }
    let cloths = here.model.cloths.iter().enumerate();
    cloths
        .map(|(k, cloth)| {
            let faces = &there.model.cloths[k].topology.faces;
            let (rest, nodes) = (&there.rest_positions[k], &here.rest_positions[k]);
            RestMap::new(faces, rest, nodes).map_err(|error| CompareError::Rest {
                label: variant.label.clone(),
                cloth: cloth.name.clone(),
                error,
            })
        })
        .collect()
}

/// Where the variant's nodes would be if it were the reference.
fn carried(maps: &[RestMap], reference: &Finished, positions: &[DVec3]) -> Vec<DVec3> {
    let cloths = reference.world.model.cloths.iter().zip(maps);
    cloths
        .flat_map(|(cloth, map)| map.carry(&positions[cloth.nodes.clone()]))
        .collect()
}

fn area_errors(cloths: &[Cloth], positions: &[DVec3]) -> AreaErrors {
    let mut all = Vec::new();
    let mut rest = Vec::new();
    for cloth in cloths {
        let nodes = &positions[cloth.nodes.clone()];
        all.extend(changes(&cloth.topology.faces, nodes, &cloth.rest.areas));
        rest.extend_from_slice(&cloth.rest.areas);
    }
    AreaErrors::of(&all, &rest)
}

fn worse(a: AreaErrors, b: AreaErrors) -> AreaErrors {
    AreaErrors {
        total: a.total.max(b.total),
        mean: a.mean.max(b.mean),
        dispersion: a.dispersion.max(b.dispersion),
        most: a.most.max(b.most),
        worst: a.worst.max(b.worst),
    }
}

fn count_folds(cloths: &[Cloth], positions: &[DVec3]) -> usize {
    if positions.is_empty() {
        return 0;
    }
    let of = |cloth: &Cloth| {
        let nodes = &positions[cloth.nodes.clone()];
        folds(
            &cloth.topology,
            &cloth.rest,
            nodes,
            usual_sharpness(&cloth.rest),
        )
    };
    cloths.iter().map(of).sum()
}
