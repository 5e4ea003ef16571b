//! The loops that are worth the best instructions of the machine at hand.
//!
//! A [`Kernel`] is written once, over [`Lanes`], and compiled twice: plainly, and with the fused multiply–add
//! of newer x86 processors, chosen at run time. The two round differently, so results may differ in the last
//! digits from machine to machine; on one machine they are always the same.
#![allow(unsafe_code)] // the instructions

use glam::{Mat3A, Vec3A};

/// Arithmetic of four lanes, and of eight.
pub(crate) trait Lanes: Copy {
    /// Two vectors side by side.
    type Pair: Copy;
    /// Puts two vectors side by side.
    fn join(self, vectors: [Vec3A; 2]) -> Self::Pair;
    /// Takes them apart.
    fn part(self, pair: Self::Pair) -> [Vec3A; 2];
    /// One number in all lanes.
    fn splat(self, value: f32) -> Self::Pair;
    /// `a b + c`.
    fn add_products(self, c: Self::Pair, a: Self::Pair, b: Self::Pair) -> Self::Pair;
    /// `c − a b`.
    fn subtract_products(self, c: Self::Pair, a: Self::Pair, b: Self::Pair) -> Self::Pair;

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
}

/// A loop and what it works on.
pub(crate) trait Kernel {
    type Answer;
    /// Must be `#[inline(always)]`, and all that it calls in its inner loop too: only so it is compiled
    /// for the instructions that `lanes` stands for. Closures given to the standard library (`map` of arrays, `from_fn`,
    /// arrays by value in `zip`) do not qualify: the compiler leaves them as calls.
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

/// `A B`.
#[inline(always)]
pub(super) fn times(lanes: impl Lanes, a: &Mat3A, b: &Mat3A) -> Mat3A {
    let image = |of: Vec3A| lanes.add_image(Vec3A::ZERO, a, of);
    Mat3A::from_cols(image(b.x_axis), image(b.y_axis), image(b.z_axis))
}

/// What every machine can do.
#[derive(Clone, Copy)]
struct Plain;

impl Lanes for Plain {
    type Pair = [Vec3A; 2];

    #[inline(always)]
    fn join(self, vectors: [Vec3A; 2]) -> [Vec3A; 2] {
        vectors
    }

    #[inline(always)]
    fn part(self, pair: [Vec3A; 2]) -> [Vec3A; 2] {
        pair
    }

    #[inline(always)]
    fn splat(self, value: f32) -> [Vec3A; 2] {
        [Vec3A::splat(value); 2]
    }

    #[inline(always)]
    fn add_products(self, c: [Vec3A; 2], a: [Vec3A; 2], b: [Vec3A; 2]) -> [Vec3A; 2] {
        [c[0] + a[0] * b[0], c[1] + a[1] * b[1]]
    }

    #[inline(always)]
    fn subtract_products(self, c: [Vec3A; 2], a: [Vec3A; 2], b: [Vec3A; 2]) -> [Vec3A; 2] {
        [c[0] - a[0] * b[0], c[1] - a[1] * b[1]]
    }

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
    use core::arch::x86_64::{
        __m256, _mm_fmadd_ps, _mm_fnmadd_ps, _mm256_castps256_ps128, _mm256_extractf128_ps,
        _mm256_fmadd_ps, _mm256_fnmadd_ps, _mm256_set_m128, _mm256_set1_ps,
    };
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

    // SAFETY of all below: `self` exists, so AVX2 (and with it AVX) and FMA were found; none of these
    // instructions touches memory.
    impl Lanes for Fused {
        type Pair = __m256;

        #[inline(always)]
        fn join(self, [a, b]: [Vec3A; 2]) -> __m256 {
            // SAFETY: see the head of this block.
            unsafe { _mm256_set_m128(b.into(), a.into()) }
        }

        #[inline(always)]
        fn part(self, pair: __m256) -> [Vec3A; 2] {
            // SAFETY: see the head of this block.
            let (first, second) = unsafe {
                (
                    _mm256_castps256_ps128(pair),
                    _mm256_extractf128_ps::<1>(pair),
                )
            };
            [Vec3A::from(first), Vec3A::from(second)]
        }

        #[inline(always)]
        fn splat(self, value: f32) -> __m256 {
            // SAFETY: see the head of this block.
            unsafe { _mm256_set1_ps(value) }
        }

        #[inline(always)]
        fn add_products(self, c: __m256, a: __m256, b: __m256) -> __m256 {
            // SAFETY: see the head of this block.
            unsafe { _mm256_fmadd_ps(a, b, c) }
        }

        #[inline(always)]
        fn subtract_products(self, c: __m256, a: __m256, b: __m256) -> __m256 {
            // SAFETY: see the head of this block.
            unsafe { _mm256_fnmadd_ps(a, b, c) }
        }

        #[inline(always)]
        fn add_product(self, c: Vec3A, a: Vec3A, b: Vec3A) -> Vec3A {
            // SAFETY: see the head of this block.
            Vec3A::from(unsafe { _mm_fmadd_ps(a.into(), b.into(), c.into()) })
        }

        #[inline(always)]
        fn subtract_product(self, c: Vec3A, a: Vec3A, b: Vec3A) -> Vec3A {
            // SAFETY: see the head of this block.
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
    use super::*;

    struct Images(Mat3A, Vec3A);

    impl Kernel for Images {
        type Answer = [Vec3A; 3];
        #[inline(always)]
        fn run(self, lanes: impl Lanes) -> [Vec3A; 3] {
            let Images(matrix, x) = self;
            let ahead = lanes.join([x, Vec3A::ONE]);
            let more = lanes.add_products(ahead, lanes.join([x, x]), lanes.splat(2.0));
            let less = lanes.subtract_products(more, ahead, lanes.join([Vec3A::ONE, x]));
            let [a, b] = lanes.part(less);
            [lanes.add_image(Vec3A::X, &matrix, x), a, b]
        }
    }

    /// Small whole numbers are exact in any arithmetic.
    #[test]
    fn the_plain_and_the_chosen_arithmetic_agree_on_whole_numbers() {
        let matrix = Mat3A::from_cols_array(&[1.0, 2.0, 3.0, 4.0, -5.0, 6.0, 7.0, 8.0, -9.0]);
        let images = || Images(matrix, Vec3A::new(3.0, 2.0, 1.0));
        let expected = [
            Vec3A::new(19.0, 4.0, 12.0),
            Vec3A::new(6.0, 4.0, 2.0),
            Vec3A::new(4.0, 3.0, 2.0),
        ];
        assert_eq!(run(images()), expected);
        assert_eq!(images().run(Plain), expected);
    }
}
