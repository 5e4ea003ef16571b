//! The table of numbers: one row for each step, for plots.

use crate::field::Surroundings;
use glam::DVec3;
use serde::Serialize;
use toile::certificate::Status;
use toile::fields::face_strains;
use toile::simulation::Simulation;
use toile_scene::scene::World;

/// Columns of every world.
const COLUMNS: [&str; 23] = [
    "frame",
    "time",
    "strainMax",
    "strainMin",
    "stretchWorst",
    "gap",
    "energyKinetic",
    "energyGravity",
    "energyElastic",
    "iterations",
    "residual",
    "limitResidual",
    "shareDone",
    "status",
    "msDrive",
    "msAssemble",
    "msSolve",
    "msLimit",
    "msCollide",
    "msContact",
    "msCertify",
    "graspForce",
    "worstFace",
];

/// Bytes that the rows of one session may take. The older half is forgotten when they do.
const BUDGET: usize = 32 << 20;

/// Names of all columns of a world.
pub fn columns(world: &World) -> Vec<String> {
    let bodies = world.body_frames.iter().map(|frame| &frame.name);
    let forces = bodies.flat_map(|name| ["x", "y", "z"].map(|axis| (name, axis)));
    let forces = forces.map(|(name, axis)| format!("body.{name}.force.{axis}"));
    COLUMNS
        .map(str::to_owned)
        .into_iter()
        .chain(forces)
        .collect()
}

/// The rows so far.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Of the frames after [`Numbers::forgotten`].
    rows: Vec<Vec<f64>>,
    /// The last frame without a row.
    forgotten: u32,
}

/// Rows as they are sent; what is no finite number becomes `null`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rows {
    /// The frame of the first row. It and all after it are replaced.
    pub from: u32,
    /// The rows.
    pub rows: Vec<Vec<f64>>,
}

impl Numbers {
    /// The newest frame with a row.
    pub fn last(&self) -> u32 {
        self.forgotten + self.rows.len() as u32
    }

    /// Appends the row of a step.
    pub fn push(&mut self, row: Vec<f64>) {
        let bytes = 8 * row.len() * self.rows.len();
        if bytes > BUDGET {
            let half = self.rows.len() / 2;
            self.rows.drain(..half);
            self.forgotten += half as u32;
        }
        self.rows.push(row);
    }

    /// Forgets what came after a frame.
    pub fn cut(&mut self, frame: u32) {
        let kept = frame.saturating_sub(self.forgotten) as usize;
        self.rows.truncate(kept);
        if self.rows.is_empty() {
            self.forgotten = frame;
        }
    }

    /// The rows after a frame, at most so many.
    pub fn after(&self, frame: u32, most: usize) -> Rows {
        let first = frame.max(self.forgotten).min(self.last());
        let skipped = (first - self.forgotten) as usize;
        Rows {
            from: first + 1,
            rows: self.rows[skipped..].iter().take(most).cloned().collect(),
        }
    }
}

/// The row of the step that a simulation has just made.
pub fn row(frame: u32, world: &World, simulation: &Simulation) -> Vec<f64> {
    let energies = simulation.energies();
    let mut row = vec![f64::from(frame), simulation.time()];
    let none = f64::NAN;
    match simulation.last() {
        Some(last) => {
            let certificate = &last.report.certificate;
            row.extend([
                certificate.strain_max,
                certificate.strain_min,
                certificate.stretch_worst,
                certificate.gap_smallest.unwrap_or(none),
            ]);
            row.extend([energies.kinetic, energies.gravity, energies.elastic]);
            let times = &last.report.times;
            row.extend([
                f64::from(certificate.iterations),
                certificate.linear_residual,
                certificate.limit.map_or(none, |l| l.residual),
                certificate.share_done,
                status(last.report.status),
            ]);
            let phases = [
                times.drive,
                times.assemble,
                times.solve,
                times.limit,
                times.collide,
                times.contact,
                times.certify,
            ];
            row.extend(phases.map(|seconds| 1e3 * seconds));
        }
        None => {
            row.extend([none; 4]);
            row.extend([energies.kinetic, energies.gravity, energies.elastic]);
            row.extend([none; 12]);
        }
    }
    let forces = simulation.grasps().iter();
    let forces = forces.filter_map(|g| simulation.grasp_load(g.id));
    row.push(forces.map(|load| load.force).sum::<DVec3>().length());
    let worst = worst_face(simulation).map_or(none, |(face, _)| face as f64);
    row.push(worst);
    let loads = world.body_loads(simulation.state(), simulation.body_loads());
    row.extend(loads.iter().flat_map(|load| load.force.to_array()));
    row
}

/// 0 converged, 1 a solve at its iteration limit, 2 a limit missed, 3 contact missed.
fn status(status: Status) -> f64 {
    match status {
        Status::Converged => 0.0,
        Status::IterationLimit => 1.0,
        Status::LimitMissed => 2.0,
        Status::ContactMissed => 3.0,
    }
}

/// The face with the largest principal strain, counted through all cloths, and that strain.
pub fn worst_face(simulation: &Simulation) -> Option<(usize, f64)> {
    let strains = face_strains(simulation.model(), simulation.positions());
    let strains = strains.into_iter().map(|[most, _]| most).enumerate();
    strains.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// The cloth of a face that is counted through all cloths, and its number there.
pub fn face_of(simulation: &Simulation, face: usize) -> Option<(usize, usize)> {
    let mut left = face;
    for (number, cloth) in simulation.model().cloths.iter().enumerate() {
        let own = cloth.topology.faces.len();
        if left < own {
            return Some((number, left));
        }
        left -= own;
    }
    None
}

/// The middle of a face (m).
pub(crate) fn middle(around: &Surroundings, positions: &[DVec3], face: usize) -> Option<DVec3> {
    let corners = around.faces.get(face)?;
    let places = corners.iter().map(|n| positions[*n as usize]);
    Some(places.sum::<DVec3>() / corners.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_after_a_cut_follow_the_frame_that_was_gone_back_to() {
        let mut numbers = Numbers::default();
        (1..=10).for_each(|frame| numbers.push(vec![f64::from(frame)]));
        numbers.cut(4);
        assert_eq!(numbers.last(), 4);
        numbers.push(vec![5.5]);
        let rows = numbers.after(3, 10);
        assert_eq!(rows.from, 4);
        assert_eq!(rows.rows, [[4.0], [5.5]]);
        assert_eq!(numbers.after(9, 10).rows, Vec::<Vec<f64>>::new());
    }
}
