//! Sums over lanes and over rows.

use glam::{Mat3A, Vec3A};

/// The lanes of each column added up.
#[inline(always)]
pub(super) fn lane_sums(columns: &Mat3A) -> Vec3A {
    let lanes = columns.transpose();
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
    #[inline(always)]
    pub(super) fn add(&mut self, a: Vec3A, b: Vec3A) {
        self.few += a * b;
        self.count += 1;
        if self.count == 32 {
            self.flush();
        }
    }

    #[inline(always)]
    fn flush(&mut self) {
        self.all += f64::from(self.few.element_sum());
        self.few = Vec3A::ZERO;
        self.count = 0;
    }

    #[inline(always)]
    pub(super) fn total(mut self) -> f64 {
        self.flush();
        self.all
    }
}
