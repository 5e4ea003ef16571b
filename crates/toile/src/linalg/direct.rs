//! The whole matrix factored, for small or very stiff systems and for those that stay the same.
//!
//! A matrix whose entries are those of the one before, bit for bit, keeps its factor. So cloth whose forces
//! are linear (a quadratic bending energy under limits) is factored once, and again when what holds it
//! changes.

use super::factor::SparseCholesky;
use super::filter::restrict;
use super::{BlockMatrix, BlockPattern, Filter};
use glam::{DMat3, DVec3};

/// The factor, and a vector of numbers.
#[derive(Debug)]
pub(crate) struct Direct {
    factor: SparseCholesky,
    /// Whether the factor is that of the values.
    current: bool,
    flat: Vec<f64>,
}

impl Direct {
    /// Analyses a pattern; `None` if its factor does not fit into memory, or if the build has none.
    pub(super) fn new(pattern: &BlockPattern) -> Option<Self> {
        let rows = 3 * pattern.rows();
        let entries = (0..rows).map(|row| {
            let columns = pattern.columns[pattern.row(row / 3)].iter();
            let blocks = columns.flat_map(|&column| (0..3).map(move |k| 3 * column as usize + k));
            blocks.chain(3 * (row / 3)..=row)
        });
        Some(Direct {
            factor: SparseCholesky::new(entries)?,
            current: false,
            flat: vec![0.0; rows],
        })
    }

    /// Factors a matrix; `false` if it is not positive definite.
    #[must_use]
    pub(super) fn factor(&mut self, matrix: &BlockMatrix, filters: &[Filter]) -> bool {
        let mut at = 0;
        for row in 0..filters.len() {
            let range = matrix.pattern.row(row);
            let blocks = 3 * range.len();
            // The three scalar rows of a block row follow one another, each one longer than the last.
            let lines = [at, at + blocks + 1, at + 2 * blocks + 3];
            for (k, place) in range.enumerate() {
                let column = matrix.pattern.columns[place] as usize;
                let block = restrict(&matrix.lower[place], &filters[row], &filters[column]);
                self.put(lines, 3 * k, &block, [3; 3]);
            }
            let block = &matrix.diagonal[row];
            let block = filters[row].restrict_diagonal(block) + filters[row].stand_in(block);
            self.put(lines, blocks, &block, [1, 2, 3]);
            at += 3 * blocks + 6;
        }
        if !self.current {
            self.current = self.factor.factor();
        }
        self.current
    }

    /// Writes the rows of a block, as much of each as is stored.
    fn put(&mut self, lines: [usize; 3], from: usize, block: &DMat3, lengths: [usize; 3]) {
        for (i, (line, length)) in lines.into_iter().zip(lengths).enumerate() {
            let new = &block.row(i).to_array()[..length];
            let old = &mut self.factor.values_mut()[line + from..][..length];
            if old != new {
                self.current = false;
                old.copy_from_slice(new);
            }
        }
    }

    /// Adds the solution for a residual to `x`.
    pub(super) fn correct(&mut self, residual: &[DVec3], filters: &[Filter], x: &mut [DVec3]) {
        self.solve(residual);
        for (x, (flat, filter)) in x.iter_mut().zip(self.flat.chunks_exact(3).zip(filters)) {
            *x += filter.apply(DVec3::from_slice(flat));
        }
    }

    /// The solution for a residual.
    pub(super) fn precondition(&mut self, residual: &[DVec3], out: &mut [DVec3]) {
        self.solve(residual);
        for (out, flat) in out.iter_mut().zip(self.flat.chunks_exact(3)) {
            *out = DVec3::from_slice(flat);
        }
    }

    fn solve(&mut self, residual: &[DVec3]) {
        for (flat, r) in self.flat.chunks_exact_mut(3).zip(residual) {
            flat.copy_from_slice(&r.to_array());
        }
        self.factor.solve(&mut self.flat);
    }
}
