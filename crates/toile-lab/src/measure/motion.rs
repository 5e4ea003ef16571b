//! Momentum, and what the energy did over time.

use glam::DVec3;
use toile::state::State;

/// Linear and angular momentum of all nodes, about the origin (kg m/s, kg m²/s).
pub fn momentum(masses: &[f64], state: &State) -> [DVec3; 2] {
    let nodes = masses.iter().zip(&state.positions).zip(&state.velocities);
    nodes.fold([DVec3::ZERO; 2], |[linear, angular], ((m, x), v)| {
        [linear + *m * *v, angular + *m * x.cross(*v)]
    })
}

/// What a course of total energy did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyDrift {
    /// The end minus the start (J).
    pub change: f64,
    /// The largest rise above an earlier value (J): where nothing drives the cloth, energy out of nothing.
    pub largest_rise: f64,
    /// The largest minus the smallest value (J).
    pub span: f64,
}

impl EnergyDrift {
    /// From values in the order of time; those that are no number are passed over. `None` if none is left.
    pub fn of(energies: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut known = energies.into_iter().filter(|e| e.is_finite());
        let first = known.next()?;
        let (mut last, mut low, mut high, mut rise) = (first, first, first, 0.0f64);
        for energy in known {
            low = low.min(energy);
            high = high.max(energy);
            rise = rise.max(energy - low);
            last = energy;
        }
        Some(EnergyDrift {
            change: last - first,
            largest_rise: rise,
            span: high - low,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rise_counts_from_the_lowest_value_before_it() {
        let drift = EnergyDrift::of([5.0, 3.0, f64::NAN, 3.5, 2.0, 2.7]).unwrap();
        assert!((drift.change + 2.3).abs() < 1e-12);
        assert!((drift.largest_rise - 0.7).abs() < 1e-12);
        assert!((drift.span - 3.0).abs() < 1e-12);
        assert!(EnergyDrift::of([f64::NAN]).is_none());
    }
}
