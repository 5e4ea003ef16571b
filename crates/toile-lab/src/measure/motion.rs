//! What energy and momentum did over time.

use glam::DVec3;
use toile::certificate::Momenta;
use toile::model::Model;

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

/// What a course of momentum did beyond what gravity did to it: where nothing else acts on the cloth, an error; elsewhere what
/// pins, bodies, air and damping gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MomentumDrift {
    /// The largest `|p − p₀ − Σ m g t|` (kg·m/s).
    pub linear: f64,
    /// The largest change of the angular momentum about the centre of mass (kg·m²/s).
    pub spin: f64,
}

impl MomentumDrift {
    /// From the start and later moments (s); those that hold what is no number are passed over. `None` if none is left.
    pub fn of(
        model: &Model,
        start: &Momenta,
        course: impl IntoIterator<Item = (f64, Momenta)>,
    ) -> Option<Self> {
        let masses = model.masses.iter().zip(&model.gravity_factors);
        let weight: DVec3 = masses
            .map(|(m, factor)| *m * (*factor * model.gravity))
            .sum();
        let changes = course.into_iter().map(|(time, momenta)| {
            let linear = momenta.linear - start.linear - time * weight;
            (linear.length(), (momenta.spin - start.spin).length())
        });
        let known = changes.filter(|(linear, spin)| linear.is_finite() && spin.is_finite());
        known
            .reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)))
            .map(|(linear, spin)| MomentumDrift { linear, spin })
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
