//! Cholesky factor within an envelope, in panels of a few rows.
//!
//! A panel has [`PANEL`] rows and is stored column by column from the first column that any of its rows
//! reaches to the diagonal. The inner loop then multiplies tiles: for each column one vector of a panel's
//! rows times each row of another panel, which keeps all sums in registers.
//!
//! Equations may depend on each other. A pivot that has shrunk to rounding beside the diagonal it came from
//! is taken as infinite: that equation's multiplier is zero, and the others share what it would do.

use crate::linalg::lanes::{Kernel, Lanes, run};

/// Rows of a panel: four doubles are one vector register, and a tile of 4×4 sums fits into the sixteen there
/// are.
const PANEL: usize = 4;

/// A pivot this much smaller than the diagonal it came from is rounding: its equation depends on those
/// before. A thousand times the rounding of a double.
const LEAST_PIVOT: f64 = 1e-13;

type Column = [f64; PANEL];

/// A symmetric matrix and, in the same place, its factor.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    rows: usize,
    panels: Vec<Panel>,
    columns: Vec<Column>,
}

#[derive(Clone, Copy, Debug)]
struct Panel {
    /// First column that is stored, a multiple of [`PANEL`].
    first: usize,
    /// Where it is stored.
    start: usize,
}

impl Envelope {
    /// The zero matrix; `first[row]` is the first column of each row.
    pub(crate) fn new(first: &[usize]) -> Self {
        let mut panels = Vec::with_capacity(first.len().div_ceil(PANEL));
        let mut start = 0;
        for (index, rows) in first.chunks(PANEL).enumerate() {
            let least = rows.iter().min().map_or(0, |f| f / PANEL * PANEL);
            panels.push(Panel {
                first: least,
                start,
            });
            start += (index + 1) * PANEL - least;
        }
        Envelope {
            rows: first.len(),
            panels,
            columns: vec![[0.0; PANEL]; start],
        }
    }

    /// Where an entry at or below the diagonal is stored, for [`set`](Self::set).
    pub(crate) fn place(&self, row: usize, column: usize) -> usize {
        let panel = self.panels[row / PANEL];
        (panel.start + column - panel.first) * PANEL + row % PANEL
    }

    /// All entries, for filling in.
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        self.columns.as_flattened_mut()
    }

    /// Factors in place, the diagonal enlarged by a part of itself.
    pub(crate) fn factor(&mut self, damping: f64) {
        run(Factor {
            panels: &self.panels,
            columns: &mut self.columns,
            damping,
        });
    }

    /// Solves with the factor in place.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        debug_assert_eq!(x.len(), self.padded_rows());
        run(Solve {
            panels: &self.panels,
            columns: &self.columns,
            x,
        });
    }

    /// Rows with padding: as long as vectors must be. The padding must be zero.
    pub(crate) fn padded_rows(&self) -> usize {
        self.rows.div_ceil(PANEL) * PANEL
    }
}

struct Factor<'a> {
    panels: &'a [Panel],
    columns: &'a mut [Column],
    damping: f64,
}

impl Kernel for Factor<'_> {
    type Answer = ();

    #[inline(always)]
    fn run(self, lanes: impl Lanes) {
        for (index, panel) in self.panels.iter().enumerate() {
            let (done, here) = self.columns.split_at_mut(panel.start);
            for block in panel.first / PANEL..=index {
                let (left, rest) = here.split_at_mut(block * PANEL - panel.first);
                let tile = tile_of(rest);
                if block < index {
                    let other = self.panels[block];
                    let from = panel.first.max(other.first);
                    let theirs = &done[other.start + from - other.first..];
                    let (above, corner) = theirs.split_at(block * PANEL - from);
                    subtract_products(lanes, tile, &left[from - panel.first..], above);
                    divide(lanes, tile, corner);
                } else {
                    let mut diagonal = [0.0; PANEL];
                    for k in 0..PANEL {
                        diagonal[k] = tile[k][k];
                        tile[k][k] += self.damping * diagonal[k];
                    }
                    // A copy of the slice's bounds keeps the two operands apart for the compiler.
                    let above = std::hint::black_box(&*left);
                    subtract_products(lanes, tile, left, above);
                    factor_corner(lanes, tile, &diagonal);
                    invert_corner(tile);
                }
            }
        }
    }
}

#[inline(always)]
fn tile_of(columns: &mut [Column]) -> &mut [Column; PANEL] {
    columns
        .first_chunk_mut()
        .expect("panels end with a whole tile")
}

/// `tile −= left aboveᵀ`.
#[inline(always)]
fn subtract_products(
    lanes: impl Lanes,
    tile: &mut [Column; PANEL],
    left: &[Column],
    above: &[Column],
) {
    // Two sets of sums, so that one product need not wait for the last.
    let (mut even, mut odd) = ([[0.0; PANEL]; PANEL], [[0.0; PANEL]; PANEL]);
    let (ours, theirs) = (left.as_chunks::<2>(), above.as_chunks::<2>());
    for (a, b) in ours.0.iter().zip(theirs.0) {
        for j in 0..PANEL {
            for i in 0..PANEL {
                even[j][i] = lanes.multiply_add(a[0][i], b[0][j], even[j][i]);
                odd[j][i] = lanes.multiply_add(a[1][i], b[1][j], odd[j][i]);
            }
        }
    }
    for j in 0..PANEL {
        for i in 0..PANEL {
            tile[j][i] -= even[j][i] + odd[j][i];
        }
    }
}

/// `tile · Xᵀ` with the inverse triangle `X` of a corner.
#[inline(always)]
fn divide(lanes: impl Lanes, tile: &mut [Column; PANEL], corner: &[Column]) {
    let mut product = [[0.0; PANEL]; PANEL];
    for k in 0..PANEL {
        for j in k..PANEL {
            for i in 0..PANEL {
                product[j][i] = lanes.multiply_add(tile[k][i], corner[k][j], product[j][i]);
            }
        }
    }
    *tile = product;
}

/// Cholesky of one tile on the diagonal; above it zeros are left.
#[inline(always)]
fn factor_corner(lanes: impl Lanes, tile: &mut [Column; PANEL], diagonal: &[f64; PANEL]) {
    for j in 0..PANEL {
        let pivot = tile[j][j];
        // Written so that a pivot that is not a number counts as none.
        let inverse = if pivot > LEAST_PIVOT * diagonal[j] {
            1.0 / pivot.sqrt()
        } else {
            0.0
        };
        for i in 0..PANEL {
            tile[j][i] = if i > j { tile[j][i] * inverse } else { 0.0 };
        }
        let done = tile[j];
        tile[j][j] = inverse;
        for k in j + 1..PANEL {
            for i in 0..PANEL {
                tile[k][i] = lanes.multiply_add(-done[i], done[k], tile[k][i]);
            }
        }
    }
}

/// Inverts a lower triangle whose diagonal holds inverses already. A row without a pivot becomes zero.
#[inline(always)]
fn invert_corner(tile: &mut [Column; PANEL]) {
    for j in 0..PANEL {
        for i in j + 1..PANEL {
            // Entries of this column above row `i` are inverted, those of the columns after it are not yet.
            let mut sum = tile[j][i] * tile[j][j];
            for k in j + 1..i {
                sum += tile[k][i] * tile[j][k];
            }
            tile[j][i] = -sum * tile[i][i];
        }
    }
}

struct Solve<'a> {
    panels: &'a [Panel],
    columns: &'a [Column],
    x: &'a mut [f64],
}

impl Kernel for Solve<'_> {
    type Answer = ();

    #[inline(always)]
    fn run(self, lanes: impl Lanes) {
        for (index, panel) in self.panels.iter().enumerate() {
            let here = &self.columns[panel.start..];
            let (before, after) = self.x.split_at_mut(index * PANEL);
            let known = &before[panel.first..];
            let (left, corner) = here.split_at(known.len());
            let mut sums = [[0.0; PANEL]; 2];
            let pairs = left.as_chunks::<2>().0.iter().zip(known.as_chunks::<2>().0);
            for (columns, x) in pairs {
                for k in 0..2 {
                    for i in 0..PANEL {
                        sums[k][i] = lanes.multiply_add(columns[k][i], x[k], sums[k][i]);
                    }
                }
            }
            let (mut known, mut solved) = ([0.0; PANEL], [0.0; PANEL]);
            for i in 0..PANEL {
                known[i] = after[i] - (sums[0][i] + sums[1][i]);
            }
            for j in 0..PANEL {
                for i in 0..PANEL {
                    solved[i] = lanes.multiply_add(corner[j][i], known[j], solved[i]);
                }
            }
            after[..PANEL].copy_from_slice(&solved);
        }
        for (index, panel) in self.panels.iter().enumerate().rev() {
            let here = &self.columns[panel.start..];
            let (before, after) = self.x.split_at_mut(index * PANEL);
            let known = &mut before[panel.first..];
            let (left, corner) = here.split_at(known.len());
            let mut solved = [0.0; PANEL];
            for j in 0..PANEL {
                solved[j] = dot(&corner[j], after);
            }
            after[..PANEL].copy_from_slice(&solved);
            let fours = left.as_chunks::<PANEL>().0.iter();
            for (columns, x) in fours.zip(known.as_chunks_mut::<PANEL>().0) {
                for k in 0..PANEL {
                    x[k] -= dot(&columns[k], &solved);
                }
            }
        }
    }
}

#[inline(always)]
fn dot(column: &Column, x: &[f64]) -> f64 {
    (column[0] * x[0] + column[1] * x[1]) + (column[2] * x[2] + column[3] * x[3])
}
