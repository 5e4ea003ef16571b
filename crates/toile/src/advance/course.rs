//! Steps that can be taken back.

use super::{AdvanceReport, EXPLODED, step};
use crate::certificate::{StepError, StepReport, stretch};
use crate::model::Model;
use crate::stability::StabilityScratch;
use crate::state::{Saved, State};
use crate::step::Workspace;
use glam::DVec3;

/// What of [`Saved`] belongs to this span. Before the second step, `latest` is the start: most spans need no more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Nothing,
    Latest,
    Both,
}

/// The way through a span of time.
pub(super) struct Course<'a> {
    pub model: &'a Model,
    pub state: &'a mut State,
    /// When the span began (s).
    start: f64,
    workspace: &'a mut Workspace,
    saved: Box<Saved>,
    kept: Kept,
    gathered: Option<StepReport>,
    pub substeps: u32,
    pub rejected: u32,
    pub above_tolerance: u32,
}

impl<'a> Course<'a> {
    pub fn begin(model: &'a Model, state: &'a mut State, workspace: &'a mut Workspace) -> Self {
        let saved = workspace.saved.take().unwrap_or_else(|| {
            Box::new(Saved {
                start: state.clone(),
                latest: state.clone(),
                coarse: state.positions.clone(),
            })
        });
        let counts = [
            model.bodies.len(),
            model.pins.len(),
            state.commanded.grasps.len(),
        ];
        workspace.loads().begin_span(counts);
        Course {
            model,
            start: state.time,
            state,
            workspace,
            saved,
            kept: Kept::Nothing,
            gathered: None,
            substeps: 0,
            rejected: 0,
            above_tolerance: 0,
        }
    }

    /// What came of it; after an error the state of the start is back.
    pub fn end(mut self, outcome: Result<(), StepError>) -> Result<AdvanceReport, StepError> {
        if outcome.is_err() {
            match self.kept {
                Kept::Nothing => {}
                Kept::Latest => self.state.copy_from(&self.saved.latest),
                Kept::Both => self.state.copy_from(&self.saved.start),
            }
        }
        self.workspace.saved = Some(self.saved);
        outcome?;
        let duration = self.state.time - self.start;
        self.workspace.loads().end_span(duration);
        let report = self.gathered.take();
        Ok(AdvanceReport {
            report: report.expect("no span is covered without a step"),
            substeps: self.substeps,
            rejected: self.rejected,
            above_tolerance: self.above_tolerance,
        })
    }

    /// Simulated time (s).
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// `max(1, l/l̄)` over all edges.
    pub fn edge_ratio(&self) -> f64 {
        (1.0 + stretch(self.model, &self.state.positions).0).max(1.0)
    }

    /// Longest stable step of the integrator from here (s).
    pub fn stable_step(&mut self) -> f64 {
        let scratch = self
            .workspace
            .stability
            .get_or_insert_with(|| Box::new(StabilityScratch::new(self.model)));
        scratch.stable_step(self.model, self.state)
    }

    /// Keeps the state to go back to.
    pub fn save(&mut self) {
        let Saved { start, latest, .. } = &mut *self.saved;
        if self.kept == Kept::Latest && self.substeps > 0 {
            std::mem::swap(start, latest);
            self.kept = Kept::Both;
        }
        latest.copy_from(self.state);
        if self.kept == Kept::Nothing {
            self.kept = Kept::Latest;
        }
    }

    /// Goes back to what was kept.
    pub fn restore(&mut self) {
        self.state.copy_from(&self.saved.latest);
        self.workspace.loads().drop_pending();
    }

    /// Remembers where the state is, for a comparison.
    pub fn keep_coarse(&mut self) {
        self.saved.coarse.copy_from_slice(&self.state.positions);
    }

    /// Largest distance of a node from where the kept comparison is (m).
    pub fn distance_from_coarse(&self) -> f64 {
        let pairs = self.state.positions.iter().zip(&self.saved.coarse);
        pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
    }

    /// One step that must not diverge. After an error the state is undefined until it is restored.
    pub fn attempt(&mut self, h: f64) -> Result<StepReport, StepError> {
        let report = step(self.model, self.state, self.workspace, h)?;
        self.workspace.loads().hold(h);
        let after = 1.0 + report.certificate.stretch_worst;
        // The common case needs no second look.
        if after <= EXPLODED {
            return Ok(report);
        }
        let before = 1.0 + stretch(self.model, &self.saved.latest.positions).0;
        if after <= EXPLODED * before.max(1.0) {
            return Ok(report);
        }
        let (cloth, node) = worst_edge(self.model, &self.state.positions);
        Err(StepError::Exploded {
            cloth,
            node,
            time: self.saved.latest.time,
            ratio: after,
        })
    }

    /// Covers `h` seconds with one step, or with halves of it that do not diverge. Answers what the last one said.
    pub fn step(&mut self, h: f64, halvings: u32) -> Result<StepReport, StepError> {
        self.save();
        match self.attempt(h) {
            Ok(report) => {
                self.gather(&report);
                Ok(report)
            }
            Err(cause) => {
                self.restore();
                if halvings == 0 || !cause.is_divergence() {
                    return Err(cause.after_retries(self.rejected, h));
                }
                self.rejected += 1;
                self.step(0.5 * h, halvings - 1)?;
                self.step(0.5 * h, halvings - 1)
            }
        }
    }

    /// Counts a step that stays.
    pub fn gather(&mut self, report: &StepReport) {
        self.substeps += 1;
        self.workspace.loads().keep_pending();
        self.gathered = Some(match self.gathered {
            Some(before) => before.and(report),
            None => *report,
        });
    }

    /// Counts the time and the iterations of a step that was only made for comparison.
    pub fn gather_effort(&mut self, report: &StepReport) {
        if let Some(gathered) = &mut self.gathered {
            gathered.certificate.iterations += report.certificate.iterations;
            gathered.times.add(&report.times);
        }
    }
}

/// The cloth with the longest edge for its rest length, and a node of that edge, counted in the cloth.
fn worst_edge(model: &Model, positions: &[DVec3]) -> (String, usize) {
    let mut worst = (f64::NEG_INFINITY, String::new(), 0);
    for cloth in &model.cloths {
        let positions = &positions[cloth.nodes.clone()];
        for (edge, &rest) in cloth.topology.edges.iter().zip(&cloth.rest.edge_lengths) {
            let [a, b] = edge.nodes.map(|n| positions[n as usize]);
            let ratio = a.distance(b) / rest;
            if ratio > worst.0 {
                worst = (ratio, cloth.name.clone(), edge.nodes[0] as usize);
            }
        }
    }
    (worst.1, worst.2)
}
