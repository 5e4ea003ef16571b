//! A sparse matrix of 3×3 blocks in single precision, column by column, two blocks side by side.
//!
//! Two blocks of a column fill the eight lanes of a wide register, so that a product takes half as many
//! instructions. A column with an odd number of blocks ends with a zero block, whose row is the *spare* one
//! behind the last: vectors have one entry more than the matrix has rows, and it stays zero.
#![allow(unsafe_code)] // the inner loops; see the promise of `Columns`

use super::lanes::Lanes;
use super::sums::lane_sums;
use glam::{Mat3A, Vec3A};

/// The columns of two blocks, alternating.
type Pair = [[Vec3A; 2]; 3];

/// The matrix.
///
/// What [`new`](Self::new) promises and nothing changes: `starts` never decreases and ends with the number of
/// pairs, which is also that of `rows`; no entry of `rows` is larger than `height`.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    pairs: Vec<Pair>,
    /// Rows of each pair.
    rows: Vec<[u32; 2]>,
    /// Where the pairs of each column start; one more entry than columns.
    starts: Vec<u32>,
    /// Number of rows, and the number of the spare one.
    height: usize,
}

/// Where a block is kept: twice its pair, plus one for the second of it.
pub(super) type Place = u32;

impl Columns {
    /// Zeros at the given `[row, column]`, of which no two are the same, and the place of each. The entries
    /// of a column keep their order.
    pub(super) fn new(rows: usize, columns: usize, entries: &[[u32; 2]]) -> (Self, Vec<Place>) {
        let mut counts = vec![0u32; columns];
        for &[row, column] in entries {
            assert!((row as usize) < rows, "no row {row}");
            counts[column as usize] += 1;
        }
        let mut starts = vec![0];
        let mut end = 0;
        for count in &counts {
            end += count.div_ceil(2);
            starts.push(end);
        }
        let pairs = vec![[[Vec3A::ZERO; 2]; 3]; end as usize];
        let mut row_pairs = vec![[rows as u32; 2]; pairs.len()];
        let mut next: Vec<u32> = starts.iter().map(|start| 2 * start).collect();
        let places = entries.iter().map(|&[row, column]| {
            let place = next[column as usize];
            next[column as usize] += 1;
            row_pairs[place as usize / 2][place as usize % 2] = row;
            place
        });
        let places = places.collect();
        let columns = Columns {
            pairs,
            rows: row_pairs,
            starts,
            height: rows,
        };
        (columns, places)
    }

    /// Puts a block in its place.
    #[inline(always)]
    pub(super) fn set(&mut self, place: Place, block: &Mat3A) {
        let (pair, half) = (&mut self.pairs[place as usize / 2], place as usize % 2);
        pair[0][half] = block.x_axis;
        pair[1][half] = block.y_axis;
        pair[2][half] = block.z_axis;
    }

    /// Takes `column · value` off `x` for each column in turn; `value` may read and change what is in `x` by
    /// then.
    #[inline(always)]
    pub(super) fn push(
        &self,
        lanes: impl Lanes,
        x: &mut [Vec3A],
        mut value: impl FnMut(usize, &mut [Vec3A]) -> Vec3A,
    ) {
        assert!(x.len() > self.height);
        for (column, bounds) in self.starts.windows(2).enumerate() {
            let value = value(column, x);
            let factors = [
                lanes.splat(value.x),
                lanes.splat(value.y),
                lanes.splat(value.z),
            ];
            let (pairs, rows) = self.column(bounds);
            for (k, pair) in pairs.iter().enumerate() {
                let (a, b) = (rows[k][0] as usize, rows[k][1] as usize);
                // SAFETY: rows are at most `height`, and `x` is longer.
                let mut sum = lanes.join(unsafe { [*x.get_unchecked(a), *x.get_unchecked(b)] });
                for axis in 0..3 {
                    sum = lanes.subtract_products(sum, lanes.join(pair[axis]), factors[axis]);
                }
                let [first, second] = lanes.part(sum);
                // SAFETY: as above.
                unsafe {
                    *x.get_unchecked_mut(a) = first;
                    *x.get_unchecked_mut(b) = second;
                }
            }
        }
    }

    /// Hands `columnᵀ x` of each column, the last one first, to `put`, which may change `x`.
    #[inline(always)]
    pub(super) fn pull(
        &self,
        lanes: impl Lanes,
        x: &mut [Vec3A],
        mut put: impl FnMut(usize, &mut [Vec3A], Vec3A),
    ) {
        assert!(x.len() > self.height);
        for (column, bounds) in self.starts.windows(2).enumerate().rev() {
            let mut sums = [lanes.splat(0.0); 3];
            let (pairs, rows) = self.column(bounds);
            for (k, pair) in pairs.iter().enumerate() {
                let (a, b) = (rows[k][0] as usize, rows[k][1] as usize);
                // SAFETY: rows are at most `height`, and `x` is longer.
                let values = lanes.join(unsafe { [*x.get_unchecked(a), *x.get_unchecked(b)] });
                for axis in 0..3 {
                    sums[axis] = lanes.add_products(sums[axis], lanes.join(pair[axis]), values);
                }
            }
            let mut columns = [Vec3A::ZERO; 3];
            for axis in 0..3 {
                let [a, b] = lanes.part(sums[axis]);
                columns[axis] = a + b;
            }
            let columns = Mat3A::from_cols(columns[0], columns[1], columns[2]);
            put(column, x, lane_sums(&columns));
        }
    }

    /// The pairs of a column with their rows, from its two entries of `starts`.
    #[inline(always)]
    fn column(&self, bounds: &[u32]) -> (&[Pair], &[[u32; 2]]) {
        let range = bounds[0] as usize..bounds[1] as usize;
        // SAFETY: `starts` never decreases and ends with the number of pairs and of rows.
        unsafe {
            (
                self.pairs.get_unchecked(range.clone()),
                self.rows.get_unchecked(range),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::{Kernel, run};
    use super::*;

    struct Both<'a>(&'a Columns, Vec3A, &'a mut [Vec3A]);

    impl Kernel for Both<'_> {
        type Answer = Vec3A;
        #[inline(always)]
        fn run(self, lanes: impl Lanes) -> Vec3A {
            let Both(columns, value, x) = self;
            let mut pulled = Vec3A::ZERO;
            columns.pull(lanes, x, |column, _, sum| {
                if column == 1 {
                    pulled = sum;
                }
            });
            columns.push(lanes, x, |column, _| value * column as f32);
            pulled
        }
    }

    /// Whole numbers are exact, so nothing but a wrong place or a wrong half can make a difference.
    #[test]
    fn an_odd_column_pushes_and_pulls_each_block_once() {
        let (mut columns, places) = Columns::new(4, 2, &[[3, 1], [1, 0], [0, 1], [2, 1]]);
        let block = |k: f32| Mat3A::from_cols_array(&[k, 1.0, 0.0, 2.0, k, 0.0, 0.0, 3.0, 1.0]);
        for (&place, k) in places.iter().zip([1.0, 2.0, 3.0, 4.0]) {
            columns.set(place, &block(k));
        }
        let value = Vec3A::new(1.0, 2.0, -1.0);
        let start: Vec<Vec3A> = (0..5)
            .map(|i| {
                if i < 4 {
                    Vec3A::splat(i as f32)
                } else {
                    Vec3A::ZERO
                }
            })
            .collect();
        let mut x = start.clone();
        let pulled = run(Both(&columns, value, &mut x));
        let entries = [(3, 1.0), (0, 3.0), (2, 4.0)];
        let mut expected = start.clone();
        let mut sum = Vec3A::ZERO;
        for (row, k) in entries {
            expected[row] -= block(k) * value;
            sum += block(k).transpose() * start[row];
        }
        assert_eq!(x, expected);
        assert_eq!(pulled, sum);
    }
}
