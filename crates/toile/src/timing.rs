//! Where the time of a step goes. The engine has no clock of its own; who wants to know brings one.

/// Answers the time in seconds since some fixed moment.
pub type Clock = fn() -> f64;

/// Wall time of each phase of a step (s); zeros without a clock.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct PhaseTimes {
    /// Kinematic targets.
    pub drive: f64,
    /// Forces and stiffness.
    pub assemble: f64,
    /// The linear solve.
    pub solve: f64,
    /// Limits.
    pub limit: f64,
    /// Contact with bodies.
    pub collide: f64,
    /// Contact between cloths.
    pub contact: f64,
    /// Commit and certificate.
    pub certify: f64,
}

impl PhaseTimes {
    /// All phases together (s).
    pub fn total(&self) -> f64 {
        self.drive
            + self.assemble
            + self.solve
            + self.limit
            + self.collide
            + self.contact
            + self.certify
    }

    /// Adds another step's times.
    pub fn add(&mut self, other: &PhaseTimes) {
        self.drive += other.drive;
        self.assemble += other.assemble;
        self.solve += other.solve;
        self.limit += other.limit;
        self.collide += other.collide;
        self.contact += other.contact;
        self.certify += other.certify;
    }
}

/// Adds up where the time goes.
pub(crate) struct Watch {
    clock: Option<Clock>,
    last: f64,
    pub times: PhaseTimes,
}

impl Watch {
    pub fn start(clock: Option<Clock>) -> Self {
        Watch {
            clock,
            last: clock.map_or(0.0, |now| now()),
            times: PhaseTimes::default(),
        }
    }

    /// Books the time since the last lap on a phase.
    pub fn lap(&mut self, phase: impl Fn(&mut PhaseTimes) -> &mut f64) {
        if let Some(now) = self.clock.map(|now| now()) {
            *phase(&mut self.times) += now - self.last;
            self.last = now;
        }
    }
}
