//! How well a recording tells the parameters: intervals, and what it does not tell.
//!
//! Near the best values the simulated places depend on the parameters almost linearly: `x(u + δ) ≈ x(u) + J δ`, with `u` the shares of the way
//! between the bounds and `J` from central differences. With the residuals `r` and the weights `w` of the error,
//!
//! ```text
//! A = Jᵀ w J                  information
//! C = s² A⁻¹                  covariance if all residuals are independent, s² = Σ w r² / (samples − parameters)
//! C = A⁻¹ S A⁻¹               if they are not: S sums the products of the frames' scores g = Jᵀ w r, also of neighbouring frames
//! ```
//!
//! A model that is not quite right leaves residuals that are alike in neighbouring nodes and frames; then the first covariance is much
//! too small. The second (Newey and West 1987) takes all nodes of a frame as one sample, and frames as related over as many as their scores are.
//! The wider of the two is taken. What the search has left to go, `A⁻¹ Jᵀ w r`, is added.

mod evidence;

pub use evidence::{Confidence, Interval};

use super::target::Sight;
use super::{Course, Crew, Prepared, Task};
use evidence::{Evidence, Frame};

/// Step of the differences, as a share of the way between the bounds.
const STEP: f64 = 0.01;

impl Prepared<'_> {
    /// Confidence in values that were found. `None` for point clouds, which have no residual for each node, or if simulations beside
    /// the values fail or are stopped.
    pub fn confidence(&self, crew: &mut dyn Crew, values: &[f64]) -> Option<Confidence> {
        let Sight::Nodes { .. } = self.target.sight else {
            return None;
        };
        let parameters = &self.fit.parameters;
        let shares: Vec<f64> = parameters
            .iter()
            .zip(values)
            .map(|(p, &value)| p.bounds.share(value).clamp(0.0, 1.0))
            .collect();
        // On both sides of each, or on one if the other is out of bounds.
        let mut points = vec![shares.clone()];
        for k in 0..shares.len() {
            for side in [-STEP, STEP] {
                let mut point = shares.clone();
                point[k] = (point[k] + side).clamp(0.0, 1.0);
                points.push(point);
            }
        }
        let tasks: Vec<Task> = points
            .iter()
            .map(|point| {
                let pairs = parameters.iter().zip(point);
                Task {
                    values: pairs.map(|(p, &share)| p.bounds.value(share)).collect(),
                    until: self.train[1],
                    keep: true,
                }
            })
            .collect();
        let outcomes = crew.run(&self.trials(), &tasks, &mut |_, _| {});
        let courses = outcomes.into_iter().map(|outcome| outcome?.ok());
        let courses = courses.collect::<Option<Vec<Course>>>()?;
        let spans: Vec<f64> = (0..shares.len())
            .map(|k| points[2 * k + 2][k] - points[2 * k + 1][k])
            .collect();
        let evidence = Evidence {
            frames: self.frames_of(&courses, &spans)?,
            shares,
        };
        evidence.confidence(parameters)
    }

    /// Residuals and their derivatives in the training window, of nodes that were seen and not held.
    fn frames_of(&self, courses: &[Course], spans: &[f64]) -> Option<Vec<Frame>> {
        let Sight::Nodes { places, seen } = &self.target.sight else {
            return None;
        };
        let cloth = &self.world.model.cloths[self.target.cloth];
        let held: Vec<u32> = self.target.driven.iter().map(|(node, _)| *node).collect();
        let [from, to] = self.train;
        let times = self.target.times.iter().enumerate().skip(1);
        let mut frames = Vec::new();
        for (k, _) in times.filter(|(_, t)| (from..=to).contains(*t)) {
            let free = |n: &usize| seen[k][*n] && !held.contains(&((cloth.nodes.start + n) as u32));
            let nodes: Vec<usize> = (0..cloth.nodes.len()).filter(free).collect();
            let mass = |n: usize| self.world.model.masses[cloth.nodes.start + n];
            let mean = nodes.iter().map(|&n| mass(n)).sum::<f64>() / nodes.len().max(1) as f64;
            let mut frame = Frame::default();
            for &n in &nodes {
                let place =
                    |course: &Course| course.frames.get(k).map(|f| f[cloth.nodes.start + n]);
                let here = place(&courses[0])? - places[k][n];
                let mut slopes = Vec::with_capacity(spans.len());
                for (parameter, span) in spans.iter().enumerate() {
                    let [low, high] = [1, 2].map(|side| place(&courses[2 * parameter + side]));
                    slopes.push((high? - low?) / *span);
                }
                for axis in 0..3 {
                    frame.weights.push(mass(n) / mean);
                    frame.residuals.push(here[axis]);
                    frame.slopes.extend(slopes.iter().map(|s| s[axis]));
                }
            }
            frames.push(frame);
        }
        Some(frames)
    }
}
