//! Cholesky factor of a small symmetric matrix within its envelope.

use glam::Mat3A;

/// A matrix stored row by row from each row's first entry to its diagonal, and its factor in the same place.
#[derive(Clone, Debug)]
pub(in crate::linalg) struct Skyline {
    /// First column of each row.
    first: Vec<usize>,
    /// Where each row is stored; one more entry than rows.
    starts: Vec<usize>,
    values: Vec<f64>,
}

/// A pivot this much smaller than the diagonal it came from is rounding: its column depends on those before.
/// The matrix is summed in single precision, whose rounding is 6·10⁻⁸.
const LEAST_PIVOT_SINGLE: f64 = 1e-7;

impl Skyline {
    /// The zero matrix; `first` is the first block column of each row of 3×3 blocks.
    pub(in crate::linalg) fn new(first: &[u32]) -> Self {
        let first: Vec<usize> = first
            .iter()
            .flat_map(|&block| [3 * block as usize; 3])
            .collect();
        let mut starts = vec![0];
        for (row, first) in first.iter().enumerate() {
            starts.push(starts[row] + row + 1 - first);
        }
        Skyline {
            values: vec![0.0; starts[first.len()]],
            first,
            starts,
        }
    }

    /// Back to zero.
    pub(in crate::linalg) fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Number of block rows.
    pub(in crate::linalg) fn blocks(&self) -> usize {
        self.first.len() / 3
    }

    /// Adds a block at `(row, column)` if that is on or below the diagonal; of one on it, the lower half.
    pub(in crate::linalg) fn add_lower(&mut self, (row, column): (u32, u32), block: &Mat3A) {
        if row < column {
            return;
        }
        let columns = [block.x_axis, block.y_axis, block.z_axis];
        for (j, values) in columns.into_iter().enumerate() {
            let from = if row == column { j } else { 0 };
            for i in from..3 {
                let line = 3 * row as usize + i;
                let at = self.starts[line] + 3 * column as usize + j - self.first[line];
                self.values[at] += f64::from(values[i]);
            }
        }
    }

    /// Factors in place. The diagonal keeps inverses, and 0 where a pivot vanishes: that unknown stays 0.
    pub(in crate::linalg) fn factor(&mut self) {
        for row in 0..self.first.len() {
            let first = self.first[row];
            let (done, rest) = self.values.split_at_mut(self.starts[row]);
            let (line, diagonal) = rest.split_at_mut(row - first);
            let mut pivot = diagonal[0];
            for column in first..row {
                let other_first = self.first[column];
                let other = &done[self.starts[column]..self.starts[column + 1]];
                let from = first.max(other_first);
                let known = dot(
                    &line[from - first..column - first],
                    &other[from - other_first..column - other_first],
                );
                let entry = (line[column - first] - known) * other[column - other_first];
                line[column - first] = entry;
                pivot -= entry * entry;
            }
            let independent = pivot > LEAST_PIVOT_SINGLE * diagonal[0];
            diagonal[0] = if independent { 1.0 / pivot.sqrt() } else { 0.0 };
        }
    }

    /// Solves with the factor in place.
    pub(in crate::linalg) fn solve(&self, x: &mut [f64]) {
        for row in 0..x.len() {
            let (line, inverse, first) = self.row(row);
            x[row] = (x[row] - dot(line, &x[first..row])) * inverse;
        }
        for row in (0..x.len()).rev() {
            let (line, inverse, first) = self.row(row);
            let value = x[row] * inverse;
            x[row] = value;
            for (x, l) in x[first..row].iter_mut().zip(line) {
                *x -= l * value;
            }
        }
    }

    /// A row of the factor left of the diagonal, the inverse on it, and the first column.
    fn row(&self, row: usize) -> (&[f64], f64, usize) {
        let end = self.starts[row + 1] - 1;
        let line = &self.values[self.starts[row]..end];
        (line, self.values[end], self.first[row])
    }
}

/// A dot product in four independent sums, which the processor can add at once.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let ends = a.remainder().iter().zip(b.remainder());
    let end: f64 = ends.map(|(p, q)| p * q).sum();
    let mut sums = [0.0; 4];
    for (p, q) in a.zip(b) {
        for k in 0..4 {
            sums[k] += p[k] * q[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + end
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3A;

    fn block(scale: f32) -> Mat3A {
        Mat3A::from_cols(
            Vec3A::new(4.0, 1.0, 0.5),
            Vec3A::new(1.0, 3.0, -0.5),
            Vec3A::new(0.5, -0.5, 2.0),
        ) * scale
    }

    /// Rows 0 and 2 do not touch each other, only row 1.
    fn chain(middle: f32) -> Skyline {
        let mut matrix = Skyline::new(&[0, 0, 1]);
        for (row, scale) in [2.0, middle, 3.0].into_iter().enumerate() {
            let row = row as u32;
            matrix.add_lower((row, row), &block(scale));
        }
        if middle > 0.0 {
            matrix.add_lower((1, 0), &block(-1.0));
            matrix.add_lower((2, 1), &block(-0.5));
        }
        matrix.factor();
        matrix
    }

    #[test]
    fn the_solution_satisfies_the_system() {
        // A = T ⊗ B with T = [2 −1 0; −1 4 −½; 0 −½ 3]: the product of y = (1, 2, 3) ⊗ u is known.
        let (t, u) = ([0.0, 5.5, 8.0], Vec3A::new(1.0, -2.0, 0.5));
        let image = block(1.0) * u;
        let mut x: Vec<f64> = t
            .iter()
            .flat_map(|t| image.to_array().map(|b| t * f64::from(b)))
            .collect();
        chain(4.0).solve(&mut x);
        for (k, x) in x.iter().enumerate() {
            let expected = (k / 3 + 1) as f64 * f64::from(u[k % 3]);
            assert!((x - expected).abs() < 1e-12, "{k}: {x}");
        }
    }

    #[test]
    fn an_unknown_without_a_pivot_stays_zero_and_leaves_the_others_alone() {
        let mut x = vec![1.0; 9];
        chain(0.0).solve(&mut x);
        assert_eq!(x[3..6], [0.0; 3]);
        assert!(
            x[..3]
                .iter()
                .chain(&x[6..])
                .all(|x| x.is_finite() && *x != 0.0)
        );
    }
}
