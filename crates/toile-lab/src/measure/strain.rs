//! Strains of edges, and how they are spread.

use glam::DVec3;

/// `l/l̄ − 1` of every edge.
pub fn strains<'a>(
    edges: impl Iterator<Item = [u32; 2]> + 'a,
    rest_lengths: &'a [f64],
    positions: &'a [DVec3],
) -> impl Iterator<Item = f64> + 'a {
    edges.zip(rest_lengths).map(|(nodes, rest)| {
        let [a, b] = nodes.map(|n| positions[n as usize]);
        a.distance(b) / rest - 1.0
    })
}

/// Shares of values in classes of one width. The first and the last class also hold what lies beyond them.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Lower bound of the first class.
    pub low: f64,
    /// Width of a class.
    pub width: f64,
    /// Share of the values in each class; together 1, or 0 without values.
    pub shares: Vec<f64>,
}

impl Histogram {
    /// Sorts values into classes.
    pub fn of(values: &[f64], low: f64, width: f64, classes: usize) -> Self {
        let mut counts = vec![0usize; classes.max(1)];
        for value in values {
            let class = ((value - low) / width).clamp(0.0, counts.len() as f64 - 1.0);
            counts[class as usize] += 1;
        }
        let all = values.len().max(1) as f64;
        let shares = counts.iter().map(|&n| n as f64 / all).collect();
        Histogram { low, width, shares }
    }

    /// The middle of each class, with its share.
    pub fn points(&self) -> impl Iterator<Item = [f64; 2]> {
        let middle = |class: usize| self.low + (class as f64 + 0.5) * self.width;
        let shares = self.shares.iter().enumerate();
        shares.map(move |(class, share)| [middle(class), *share])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_one_class() {
        let histogram = Histogram::of(&[-5.0, 0.0, 0.1, 0.25, 9.0], 0.0, 0.2, 3);
        assert_eq!(histogram.shares, [0.6, 0.2, 0.2]);
        let middles: Vec<[f64; 2]> = histogram.points().collect();
        assert!((middles[1][0] - 0.3).abs() < 1e-15);
    }

    #[test]
    fn strains_are_relative() {
        let positions = [DVec3::ZERO, 1.1 * DVec3::X];
        let found: Vec<f64> = strains([[0, 1]].into_iter(), &[1.0], &positions).collect();
        assert!((found[0] - 0.1).abs() < 1e-15);
    }
}
