//! Inequality cloth (Jin and others 2017): what its experiments have in common.
//!
//! The paper gives triangles, angles and allowed stretch, but neither sizes nor weights nor stiffnesses, and its garments are worn by
//! a scanned armadillo. So the scenes are our own, of 150 g/m², without a bending energy (`bending = "none"`): what resists bending are weak
//! springs on all edges and cross edges alone.

pub(crate) mod curtain;
pub(crate) mod histogram;
mod sweep;
pub(crate) mod twist;
mod waves;
pub(crate) mod wrinkles;

use crate::clip::{Clip, ClipRecorder};
use crate::paper_scene;
use crate::registry::LabError;
use glam::DVec3;
use std::time::Instant;
use toile::state::State;
use toile_scene::scene::World;

/// s
const STEP: f64 = 0.01;

fn world(name: &str, text: String) -> Result<World, LabError> {
    paper_scene::world(name, &text)
}

/// Where a run ended, and how.
struct Run {
    world: World,
    state: State,
    /// Newton steps of the limit a step.
    iterations: f64,
    /// Steps in which a limit missed its tolerance, and the worst violation left.
    missed: u32,
    residual: f64,
    steps: u32,
    /// Wall time (s).
    wall: f64,
    /// How it came there.
    clip: Clip,
}

impl Run {
    /// Steps through a time (s).
    fn of(world: World, duration: f64) -> Result<Self, LabError> {
        let steps = (duration / STEP).round() as u32;
        let mut recorder = ClipRecorder::new(&world, 25.0);
        let mut simulation = world.simulation();
        let (mut iterations, mut missed, mut residual, mut wall) = (0.0, 0, 0.0f64, 0.0);
        recorder.record(&world.state);
        for _ in 0..steps {
            let begin = Instant::now();
            let report = simulation.step_by(STEP)?.report;
            wall += begin.elapsed().as_secs_f64();
            if let Some(limit) = report.certificate.limit {
                iterations += f64::from(limit.iterations) / f64::from(steps);
                missed += u32::from(!limit.converged);
                residual = residual.max(limit.residual);
            }
            recorder.record(simulation.state());
        }
        Ok(Run {
            world,
            state: simulation.state().clone(),
            iterations,
            missed,
            residual,
            steps,
            wall,
            clip: recorder.finish("motion", ""),
        })
    }

    /// `l/l̄ − 1` of every edge and every cross edge at the end.
    fn strains(&self) -> Vec<f64> {
        let cloth = &self.world.model.cloths[0];
        let edges = cloth.topology.edges.iter().map(|e| e.nodes);
        let edges = edges.zip(&cloth.rest.edge_lengths);
        let crosses = cloth.topology.cross_edges.iter().map(|e| e.nodes);
        let crosses = crosses.zip(&cloth.rest.cross_lengths);
        let strain = |(nodes, rest): ([u32; 2], &f64)| {
            let [a, b] = nodes.map(|n| self.state.positions[n as usize]);
            a.distance(b) / rest - 1.0
        };
        edges.chain(crosses).map(strain).collect()
    }

    /// In words.
    fn line(&self) -> String {
        let speeds = self.state.velocities.iter().map(|v| v.length());
        format!(
            "{:.2} Newton steps a step, {} of {} steps missed the tolerance (worst violation {:.2} %), longest edge at the end {:+.2} %, \
             fastest node {:.1e} m/s, {:.0} ms a step",
            self.iterations,
            self.missed,
            self.steps,
            100.0 * self.residual,
            100.0 * self.strains().into_iter().fold(f64::NEG_INFINITY, f64::max),
            speeds.fold(0.0, f64::max),
            1e3 * self.wall / f64::from(self.steps)
        )
    }
}

/// Moves every node off its place by up to `size` (m) along a direction of its own, so that it does not hang on rounding to which side cloth
/// buckles. Irregular, but the same every time.
fn shake(positions: &mut [DVec3], size: f64, direction: impl Fn(DVec3) -> DVec3) {
    for (node, x) in positions.iter_mut().enumerate() {
        let noise = (12.9898 * (node as f64 + 1.0)).sin() * 43758.5453 % 1.0;
        *x += size * noise * direction(*x);
    }
}
