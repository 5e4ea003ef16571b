//! What can go wrong in a step.

use thiserror::Error;

/// Part of a step, for error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Forces and the integrator.
    Predict,
    /// Limits.
    Limit,
    /// Contact with bodies.
    Collide,
    /// Contact between cloths.
    Contact,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Phase::Predict => "predict (forces and integration)",
            Phase::Limit => "limit",
            Phase::Collide => "collide",
            Phase::Contact => "contact between cloths",
        })
    }
}

/// A step that could not be made. The state is as it was before.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StepError {
    /// A position or velocity became infinite or not a number.
    #[error(
        "at t = {time:.6} s, phase {phase}: node {node} of cloth `{cloth}` left the finite numbers; \
         the step is too long for these forces: shorten it, soften the material or choose backward Euler"
    )]
    NotFinite {
        /// Where in the step.
        phase: Phase,
        /// The cloth.
        cloth: String,
        /// The node, counted in the cloth.
        node: usize,
        /// Time at the start of the step (s).
        time: f64,
    },
    /// An edge grew out of all proportion.
    #[error(
        "at t = {time:.6} s, phase {phase}: an edge at node {node} of cloth `{cloth}` came out {ratio:.3e} times as long as at \
         rest; the step is too long for these forces: shorten it, soften the material or choose backward Euler",
        phase = Phase::Predict
    )]
    Exploded {
        /// The cloth.
        cloth: String,
        /// A node of the edge, counted in the cloth.
        node: usize,
        /// Time at the start of the step (s).
        time: f64,
        /// Length over rest length.
        ratio: f64,
    },
    /// Shorter and shorter steps did not help.
    #[error("shorter steps, down to {smallest:.3e} s, did not help: {cause}")]
    GaveUp {
        /// The last step tried (s).
        smallest: f64,
        /// What became of it.
        cause: Box<StepError>,
    },
    /// The stability limit asks for more sub-steps than anyone would wait for.
    #[error(
        "at t = {time:.6} s: steps below {longest:.3e} s would be needed to cover {duration} s; soften the material, \
         coarsen the mesh or choose backward Euler"
    )]
    TooManySubSteps {
        /// Time (s).
        time: f64,
        /// The longest step allowed (s).
        longest: f64,
        /// The span to cover (s).
        duration: f64,
    },
    /// A stage could not begin.
    #[error("at t = {time:.6} s: stage {stage} cannot begin: {message}")]
    Stage {
        /// Its number, from 1.
        stage: usize,
        /// Time (s).
        time: f64,
        /// Why not.
        message: String,
    },
    /// The step length makes no sense.
    #[error("the time step is {h} s; it must be a positive number")]
    BadStep {
        /// The step (s).
        h: f64,
    },
}

impl StepError {
    /// Whether a shorter step may do better.
    pub(crate) fn is_divergence(&self) -> bool {
        matches!(
            self,
            StepError::NotFinite { .. } | StepError::Exploded { .. }
        )
    }

    /// The same, told after some steps were taken back; the last one was `smallest` seconds long.
    pub(crate) fn after_retries(self, retries: u32, smallest: f64) -> Self {
        if retries == 0 || !self.is_divergence() {
            return self;
        }
        StepError::GaveUp {
            smallest,
            cause: Box::new(self),
        }
    }
}
