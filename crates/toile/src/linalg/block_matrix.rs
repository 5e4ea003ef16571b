//! A symmetric sparse matrix of 3×3 blocks with a fixed pattern.
//!
//! Only the diagonal and the blocks left of it are stored: half the memory to stream through in a
//! product, and just what the incomplete factorisation reads.

use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Which blocks can be non-zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockPattern {
    /// Where each row's off-diagonal blocks start; one more entry than rows.
    pub(crate) starts: Vec<u32>,
    /// Column of each off-diagonal block; increasing along a row, always below the row's number.
    pub(crate) columns: Vec<u32>,
}

impl BlockPattern {
    /// The pattern of a graph: one block for every pair that interacts.
    pub fn new(rows: usize, pairs: impl Iterator<Item = [u32; 2]>) -> Self {
        let mut entries: Vec<(u32, u32)> = pairs.map(|[a, b]| (a.max(b), a.min(b))).collect();
        entries.sort_unstable();
        entries.dedup();
        let mut starts = vec![0u32; rows + 1];
        for &(row, _) in &entries {
            starts[row as usize + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        BlockPattern {
            starts,
            columns: entries.into_iter().map(|(_, column)| column).collect(),
        }
    }

    /// The pattern with more pairs, given as row and column, increasing and none of them known; and where the blocks of this one
    /// are in it.
    pub(crate) fn joined(&self, pairs: &[[u32; 2]]) -> (Self, Vec<u32>) {
        let mut starts = Vec::with_capacity(self.starts.len());
        let mut columns = Vec::with_capacity(self.columns.len() + pairs.len());
        let mut places = Vec::with_capacity(self.columns.len());
        let mut more = pairs.iter().peekable();
        starts.push(0);
        for row in 0..self.rows() {
            for &column in &self.columns[self.row(row)] {
                while let Some(pair) = more.next_if(|pair| **pair < [row as u32, column]) {
                    columns.push(pair[1]);
                }
                places.push(columns.len() as u32);
                columns.push(column);
            }
            while let Some(pair) = more.next_if(|pair| pair[0] == row as u32) {
                columns.push(pair[1]);
            }
            starts.push(columns.len() as u32);
        }
        (BlockPattern { starts, columns }, places)
    }

    /// Number of block rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of stored off-diagonal blocks.
    pub fn off_diagonal_count(&self) -> usize {
        self.columns.len()
    }

    /// Positions of a row's off-diagonal blocks.
    pub(crate) fn row(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// Where the block of a pair is stored; `None` if the pattern has none.
    pub fn find(&self, [a, b]: [u32; 2]) -> Option<usize> {
        let (row, column) = (a.max(b), a.min(b));
        let range = self.row(row as usize);
        let found = self.columns[range.clone()].binary_search(&column);
        found.ok().map(|k| range.start + k)
    }
}

/// A symmetric matrix of 3×3 blocks.
#[derive(Clone, Debug)]
pub struct BlockMatrix {
    pub(crate) pattern: Arc<BlockPattern>,
    /// Diagonal blocks, one per row.
    pub diagonal: Vec<DMat3>,
    /// Off-diagonal blocks `A[row, column]` with `column < row`; the ones above are their transposes.
    pub lower: Vec<DMat3>,
}

impl BlockMatrix {
    /// The zero matrix.
    pub fn new(pattern: Arc<BlockPattern>) -> Self {
        BlockMatrix {
            diagonal: vec![DMat3::ZERO; pattern.rows()],
            lower: vec![DMat3::ZERO; pattern.off_diagonal_count()],
            pattern,
        }
    }

    /// `out = A x`. Each stored block serves twice, for its own row and for its mirror image.
    pub fn multiply(&self, x: &[DVec3], out: &mut [DVec3]) {
        for row in 0..self.diagonal.len() {
            let range = self.pattern.row(row);
            let x_row = x[row];
            let mut sum = self.diagonal[row] * x_row;
            let blocks = &self.lower[range.clone()];
            for (block, &column) in blocks.iter().zip(&self.pattern.columns[range]) {
                let column = column as usize;
                sum += *block * x[column];
                // Rows above are complete but for these mirrored shares, so adding in place is safe.
                out[column] += block.transpose() * x_row;
            }
            out[row] = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joined_pattern_is_that_of_all_pairs() {
        let (known, more) = (
            [[1, 0], [3, 1], [3, 2], [5, 4]],
            [[2, 0], [3, 0], [5, 0], [5, 1]],
        );
        let pattern = BlockPattern::new(7, known.into_iter());
        let (joined, places) = pattern.joined(&more);
        assert_eq!(joined, BlockPattern::new(7, known.into_iter().chain(more)));
        for (pair, place) in known.into_iter().zip(places) {
            assert_eq!(joined.find(pair), Some(place as usize));
        }
    }

    #[test]
    fn the_product_agrees_with_the_dense_matrix() {
        let pattern = BlockPattern::new(4, [[0, 1], [3, 1], [2, 0], [1, 0]].into_iter());
        assert_eq!(pattern.off_diagonal_count(), 3);
        let mut matrix = BlockMatrix::new(Arc::new(pattern));
        let mut seed = 1.0;
        let mut next = || {
            seed = (seed * 16807.0) % 2147483647.0;
            seed / 2147483647.0 - 0.5
        };
        let mut dense = vec![[0.0; 12]; 12];
        for row in 0..4 {
            let block = DMat3::from_cols_array(&std::array::from_fn(|_| next()));
            let block = block + block.transpose();
            matrix.diagonal[row] = block;
            for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                dense[3 * row + i][3 * row + j] = block.col(j)[i];
            }
        }
        for pair in [[1u32, 0], [3, 1], [2, 0]] {
            let at = matrix.pattern.find(pair).unwrap();
            let block = DMat3::from_cols_array(&std::array::from_fn(|_| next()));
            matrix.lower[at] = block;
            let [row, column] = pair.map(|n| 3 * n as usize);
            for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                dense[row + i][column + j] = block.col(j)[i];
                dense[column + j][row + i] = block.col(j)[i];
            }
        }
        let x: Vec<DVec3> = (0..4).map(|_| DVec3::new(next(), next(), next())).collect();
        let mut out = vec![DVec3::ZERO; 4];
        matrix.multiply(&x, &mut out);
        for (row, line) in dense.iter().enumerate() {
            let expected: f64 = (0..12).map(|c| line[c] * x[c / 3][c % 3]).sum();
            assert!((out[row / 3][row % 3] - expected).abs() < 1e-14);
        }
    }
}
