//! The report of a step's contacts.

/// The report of contact between cloths in a step.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ContactReport {
    /// Pairs of features that started nearer than the thickness.
    pub near: usize,
    /// Smallest distance between two features at the start of the step (m), if any were near.
    pub smallest_gap: Option<f64>,
    /// Collisions found, in all rounds.
    pub collisions: usize,
    /// Rounds of detection.
    pub rounds: u32,
    /// Nodes of the largest impact zone; 0 if none was needed.
    pub largest_zone: usize,
    /// Collisions that were left, because prescribed nodes left no room.
    pub missed: usize,
}

impl ContactReport {
    /// This step and the one after it as one.
    pub fn and(self, next: &ContactReport) -> ContactReport {
        let gaps = [self.smallest_gap, next.smallest_gap];
        ContactReport {
            near: self.near.max(next.near),
            smallest_gap: gaps.into_iter().flatten().reduce(f64::min),
            collisions: self.collisions + next.collisions,
            rounds: self.rounds.max(next.rounds),
            largest_zone: self.largest_zone.max(next.largest_zone),
            missed: self.missed + next.missed,
        }
    }
}
