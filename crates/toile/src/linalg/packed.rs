//! 3×3 blocks in single precision, without gaps.
//!
//! A sweep reads every block once and does little with it, so memory sets its speed. Nine numbers instead of
//! the twelve of an aligned `Mat3A` are a quarter less to read.

use glam::{Mat3A, Vec3A, Vec4};

/// A list of blocks.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    /// Column by column, nine numbers per block, and at the end what the last four-lane load reads too much.
    values: Vec<f32>,
}

impl Blocks {
    pub(super) fn zeros(count: usize) -> Self {
        Blocks {
            values: vec![0.0; 9 * count + 3],
        }
    }

    /// The block at a place. Fourth lanes hold whatever comes next; nothing reads them.
    #[inline]
    pub(super) fn get(&self, at: usize) -> Mat3A {
        block(&self.values[9 * at..9 * at + 12])
    }

    /// The blocks at places `range`, in order.
    #[inline]
    pub(super) fn iter(
        &self,
        range: std::ops::Range<usize>,
    ) -> impl ExactSizeIterator<Item = Mat3A> {
        let values = &self.values[9 * range.start..9 * range.end + 3];
        (0..range.len()).map(move |k| block(&values[9 * k..9 * k + 12]))
    }

    #[inline]
    pub(super) fn set(&mut self, at: usize, block: &Mat3A) {
        let values = &mut self.values[9 * at..9 * at + 9];
        values.copy_from_slice(&block.to_cols_array());
    }
}

#[inline]
fn block(values: &[f32]) -> Mat3A {
    let column = |from: usize| Vec3A::from_vec4(Vec4::from_slice(&values[from..from + 4]));
    Mat3A::from_cols(column(0), column(3), column(6))
}

/// Three vectors' lanes added up: `(Σ x, Σ y, Σ z)`.
#[inline]
pub(super) fn lane_sums(x: Vec3A, y: Vec3A, z: Vec3A) -> Vec3A {
    let lanes = Mat3A::from_cols(x, y, z).transpose();
    lanes.x_axis + lanes.y_axis + lanes.z_axis
}

/// Adds up dot products: in single precision over a few rows, in double precision over all.
#[derive(Default)]
pub(super) struct DotSum {
    few: Vec3A,
    count: u32,
    all: f64,
}

impl DotSum {
    #[inline]
    pub(super) fn add(&mut self, a: Vec3A, b: Vec3A) {
        self.few += a * b;
        self.count += 1;
        if self.count == 32 {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.all += f64::from(self.few.element_sum());
        self.few = Vec3A::ZERO;
        self.count = 0;
    }

    pub(super) fn total(mut self) -> f64 {
        self.flush();
        self.all
    }
}
