//! Cholesky factor of a small symmetric matrix within its envelope.

use glam::Mat3A;

/// A matrix stored row by row from each row's first entry to its diagonal, and its factor in the same place.
#[derive(Clone, Debug)]
pub(super) struct Skyline {
    /// First column of each row.
    first: Vec<usize>,
    /// Where each row is stored; one more entry than rows.
    starts: Vec<usize>,
    values: Vec<f64>,
}

/// A pivot this much smaller than the diagonal it came from is rounding: its column depends on those before.
const RANK: f64 = 1e-7;

impl Skyline {
    /// The zero matrix; `first` is the first block column of each row of 3×3 blocks.
    pub(super) fn new(first: &[u32]) -> Self {
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
    pub(super) fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds a block at or below the diagonal; of one on it, the lower half.
    pub(super) fn add(&mut self, block_row: usize, block_column: usize, block: &Mat3A) {
        for (j, column) in [block.x_axis, block.y_axis, block.z_axis]
            .into_iter()
            .enumerate()
        {
            let from = if block_row == block_column { j } else { 0 };
            for i in from..3 {
                let row = 3 * block_row + i;
                let at = self.starts[row] + 3 * block_column + j - self.first[row];
                self.values[at] += f64::from(column[i]);
            }
        }
    }

    /// Factors in place. The diagonal keeps inverses, and 0 where a pivot vanishes: that unknown stays 0.
    pub(super) fn factor(&mut self) {
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
            let independent = pivot > RANK * diagonal[0];
            diagonal[0] = if independent { 1.0 / pivot.sqrt() } else { 0.0 };
        }
    }

    /// Solves with the factor in place.
    pub(super) fn solve(&self, x: &mut [f64]) {
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
