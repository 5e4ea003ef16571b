//! The loops that are worth the best instructions of the machine at hand.
//!
//! A [`Kernel`] is written once, over [`Lanes`], and compiled twice: plainly, and with the fused multiply–add of
//! newer x86 processors, chosen at run time. The two round differently, so results may differ in the last digits
//! from machine to machine; on one machine they are always the same.
#![allow(unsafe_code)] // the only file that has any

use glam::{Mat3A, Vec3A};

/// Arithmetic of four lanes.
pub(crate) trait Lanes: Copy {
    /// `a b + c`.
    fn add_product(self, c: Vec3A, a: Vec3A, b: Vec3A) -> Vec3A;
    /// `c − a b`.
    fn subtract_product(self, c: Vec3A, a: Vec3A, b: Vec3A) -> Vec3A;

    /// `a b + c` in double precision.
    fn multiply_add(self, a: f64, b: f64, c: f64) -> f64;

    /// `c + M x`.
    #[inline(always)]
    fn add_image(self, c: Vec3A, m: &Mat3A, x: Vec3A) -> Vec3A {
        let c = self.add_product(c, m.x_axis, Vec3A::splat(x.x));
        let c = self.add_product(c, m.y_axis, Vec3A::splat(x.y));
        self.add_product(c, m.z_axis, Vec3A::splat(x.z))
    }

    /// `c − M x`.
    #[inline(always)]
    fn subtract_image(self, c: Vec3A, m: &Mat3A, x: Vec3A) -> Vec3A {
        let c = self.subtract_product(c, m.x_axis, Vec3A::splat(x.x));
        let c = self.subtract_product(c, m.y_axis, Vec3A::splat(x.y));
        self.subtract_product(c, m.z_axis, Vec3A::splat(x.z))
    }

    /// Adds the lanes of `Mᵀ x`, still to be summed by [`lane_sums`](super::sums::lane_sums).
    #[inline(always)]
    fn add_transposed(self, sums: &mut Mat3A, m: &Mat3A, x: Vec3A) {
        sums.x_axis = self.add_product(sums.x_axis, m.x_axis, x);
        sums.y_axis = self.add_product(sums.y_axis, m.y_axis, x);
        sums.z_axis = self.add_product(sums.z_axis, m.z_axis, x);
    }
}

/// A loop and what it works on.
pub(crate) trait Kernel {
    type Answer;
    /// Must be `#[inline(always)]`, and all that it calls in its inner loop too: only so it is compiled
    /// for the instructions that `lanes` stands for.
    fn run(self, lanes: impl Lanes) -> Self::Answer;
}

/// Runs a kernel with the best that the machine has.
#[inline]
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Answer {
    #[cfg(target_arch = "x86_64")]
    if let Some(fused) = x86::Fused::detect() {
        return fused.run(kernel);
    }
    kernel.run(Plain)
}

/// What every machine can do.
#[derive(Clone, Copy)]
struct Plain;

impl Lanes for Plain {
    #[inline(always)]
    fn add_product(self, c: Vec3A, a: Vec3A, b: Vec3A) -> Vec3A {
        c + a * b
    }

    #[inline(always)]
    fn subtract_product(self, c: Vec3A, a: Vec3A, b: Vec3A) -> Vec3A {
        c - a * b
    }

    #[inline(always)]
    fn multiply_add(self, a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Kernel, Lanes};
    use core::arch::x86_64::{_mm_fmadd_ps, _mm_fnmadd_ps};
    use glam::Vec3A;

    /// Proof that the processor has AVX2 and FMA: [`detect`](Self::detect) alone makes one.
    #[derive(Clone, Copy)]
    pub(super) struct Fused(());

    impl Fused {
        #[inline]
        pub(super) fn detect() -> Option<Self> {
            let found = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            found.then_some(Fused(()))
        }

        #[inline]
        pub(super) fn run<K: Kernel>(self, kernel: K) -> K::Answer {
            // SAFETY: `self` exists, so both features were found.
            unsafe { self.compiled_for_it(kernel) }
        }

        #[target_feature(enable = "avx2,fma")]
        fn compiled_for_it<K: Kernel>(self, kernel: K) -> K::Answer {
            kernel.run(self)
        }
    }

    impl Lanes for Fused {
        #[inline(always)]
        fn add_product(self, c: Vec3A, a: Vec3A, b: Vec3A) -> Vec3A {
            // SAFETY: `self` exists, so FMA was found.
            Vec3A::from(unsafe { _mm_fmadd_ps(a.into(), b.into(), c.into()) })
        }

        #[inline(always)]
        fn subtract_product(self, c: Vec3A, a: Vec3A, b: Vec3A) -> Vec3A {
            // SAFETY: as above.
            Vec3A::from(unsafe { _mm_fnmadd_ps(a.into(), b.into(), c.into()) })
        }

        #[inline(always)]
        fn multiply_add(self, a: f64, b: f64, c: f64) -> f64 {
            // A single instruction where this is compiled: `self` exists, so FMA was found.
            a.mul_add(b, c)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sums::lane_sums;
    use super::*;

    struct Images(Mat3A, Vec3A);

    impl Kernel for Images {
        type Answer = [Vec3A; 3];
        #[inline(always)]
        fn run(self, lanes: impl Lanes) -> [Vec3A; 3] {
            let mut sums = Mat3A::ZERO;
            lanes.add_transposed(&mut sums, &self.0, self.1);
            [
                lanes.add_image(Vec3A::X, &self.0, self.1),
                lanes.subtract_image(Vec3A::X, &self.0, self.1),
                lane_sums(&sums),
            ]
        }
    }

    /// Small whole numbers are exact in any arithmetic.
    #[test]
    fn the_plain_and_the_chosen_arithmetic_agree_on_whole_numbers() {
        let matrix = Mat3A::from_cols_array(&[1.0, 2.0, 3.0, 4.0, -5.0, 6.0, 7.0, 8.0, -9.0]);
        let images = || Images(matrix, Vec3A::new(3.0, 2.0, 1.0));
        let expected = [
            Vec3A::new(19.0, 4.0, 12.0),
            Vec3A::new(-17.0, -4.0, -12.0),
            Vec3A::new(10.0, 8.0, 28.0),
        ];
        assert_eq!(run(images()), expected);
        assert_eq!(images().run(Plain), expected);
    }
}
