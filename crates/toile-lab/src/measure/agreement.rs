//! How far cloth is from where it should be, node by node (Coltraro and others 2022, section 9.2).
//!
//! With the distance `d_j` of node `j` from its place and its mass `m_j`:
//!
//! ```text
//! e = √(Σ m_j d_j² / Σ m_j)              absolute error, equation 25
//! d = e + 2 √Var_j(d_j)                  dispersion, equation 26
//! ```
//!
//! The paper's norm is not divided by the mass. Divided, the error is a length that a ruler could show, the same for every mesh
//! and every size of cloth.

use glam::DVec3;

/// How far cloth is from its places at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Absolute error (m).
    pub error: f64,
    /// Dispersion (m): were the distances normal, 95 % of the nodes would be nearer.
    pub dispersion: f64,
    /// The farthest node (m).
    pub worst: f64,
}

/// Compares nodes with their places. Only nodes that `counts` are taken; `None` if there is none.
pub fn agreement(
    masses: &[f64],
    nodes: &[DVec3],
    places: &[DVec3],
    counts: impl Fn(usize) -> bool,
) -> Option<Agreement> {
    let (mut mass, mut squares) = (0.0, 0.0);
    let (mut count, mut sum, mut sum_of_squares, mut worst) = (0.0, 0.0, 0.0, 0.0f64);
    for (index, ((m, node), place)) in masses.iter().zip(nodes).zip(places).enumerate() {
        if !counts(index) {
            continue;
        }
        let distance = node.distance(*place);
        mass += m;
        squares += m * distance * distance;
        count += 1.0;
        sum += distance;
        sum_of_squares += distance * distance;
        worst = worst.max(distance);
    }
    if mass <= 0.0 {
        return None;
    }
    let error = (squares / mass).sqrt();
    let mean = sum / count;
    let variance = (sum_of_squares / count - mean * mean).max(0.0);
    Some(Agreement {
        error,
        dispersion: error + 2.0 * variance.sqrt(),
        worst,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_follow_their_formulas() {
        let nodes = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let places = [DVec3::ZERO, DVec3::X + 0.03 * DVec3::Z, DVec3::NAN];
        let found = agreement(&[1.0, 3.0, 1.0], &nodes, &places, |n| n != 2).unwrap();
        assert!((found.error - (3.0 * 9e-4 / 4.0f64).sqrt()).abs() < 1e-15);
        assert!((found.dispersion - found.error - 2.0 * 0.015).abs() < 1e-12);
        assert!((found.worst - 0.03).abs() < 1e-15);
        assert!(agreement(&[1.0; 3], &nodes, &places, |_| false).is_none());
    }

    #[test]
    fn a_shift_is_its_length_and_has_no_dispersion() {
        let nodes = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let places = nodes.map(|p| p + DVec3::new(0.003, 0.0, 0.004));
        let found = agreement(&[1.0, 2.0, 3.0], &nodes, &places, |_| true).unwrap();
        assert!((found.error - 0.005).abs() < 1e-12 && (found.dispersion - 0.005).abs() < 1e-8);
    }
}
