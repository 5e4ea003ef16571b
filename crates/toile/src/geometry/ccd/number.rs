//! The two kinds of number the search runs on, and vectors of them.
//!
//! `f64` decides nearly everything. What it leaves open, within about 1e-15 of the size of things, goes
//! to [`DoubleDouble`]: the unevaluated sum of two doubles, about 32 digits (Dekker 1971, *A
//! floating-point technique for extending the available precision*). The error bounds used here are
//! those of Joldes, Muller & Popescu (2017), *Tight and rigorous error bounds for basic building blocks
//! of double-word arithmetic*: with u = 2⁻⁵³, a sum is off by at most 3u², a product by 7u² and a
//! quotient by 15u² of the result, to first order.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number with a known rounding.
pub(super) trait Real:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// More than the relative error of any sum of three products of rounded numbers; see `motion`.
    const ROUNDING: f64;
    /// Gaps in time below this are not worth cutting further.
    const SHORTEST: f64;
    /// How many gaps one search may look at. Most need fewer than ten.
    const MOST_ROUNDS: usize;

    fn exact(value: f64) -> Self;
    /// a − b, rounded at most once.
    fn difference(a: f64, b: f64) -> Self;
    /// Times a power of two, without error but for underflow.
    fn scaled(self, power_of_two: f64) -> Self;
    fn to_f64(self) -> f64;

    fn zero() -> Self {
        Self::exact(0.0)
    }
    fn abs(self) -> Self {
        if self < Self::zero() { -self } else { self }
    }
    fn min(self, other: Self) -> Self {
        if other < self { other } else { self }
    }
    fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
}

impl Real for f64 {
    const ROUNDING: f64 = 8.0 * f64::EPSILON; // 16 u
    const SHORTEST: f64 = 1e-9;
    const MOST_ROUNDS: usize = 200;

    fn exact(value: f64) -> Self {
        value
    }
    fn difference(a: f64, b: f64) -> Self {
        a - b
    }
    fn scaled(self, power_of_two: f64) -> Self {
        self * power_of_two
    }
    fn to_f64(self) -> f64 {
        self
    }
    fn abs(self) -> Self {
        f64::abs(self)
    }
}

/// The unevaluated sum of two doubles, the second at most half a unit in the last place of the first.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct DoubleDouble {
    high: f64,
    low: f64,
}

impl DoubleDouble {
    /// The largest double that is not larger.
    pub(super) fn rounded_down(self) -> f64 {
        if self.low < 0.0 {
            self.high.next_down()
        } else {
            self.high
        }
    }
}

/// a + b without error (Knuth).
fn two_sum(a: f64, b: f64) -> DoubleDouble {
    let high = a + b;
    let b_part = high - a;
    let low = (a - (high - b_part)) + (b - b_part);
    DoubleDouble { high, low }
}

/// The same for |a| ≥ |b| (Dekker).
fn quick_two_sum(a: f64, b: f64) -> DoubleDouble {
    let high = a + b;
    DoubleDouble {
        high,
        low: b - (high - a),
    }
}

/// The leading and the trailing 26 bits (Veltkamp).
fn split(a: f64) -> [f64; 2] {
    let shifted = 134_217_729.0 * a; // 2²⁷ + 1
    let leading = shifted - (shifted - a);
    [leading, a - leading]
}

/// a · b without error, but for underflow (Dekker).
fn two_product(a: f64, b: f64) -> DoubleDouble {
    let high = a * b;
    let ([a1, a2], [b1, b2]) = (split(a), split(b));
    let low = a2 * b2 - (((high - a1 * b1) - a2 * b1) - a1 * b2);
    DoubleDouble { high, low }
}

impl Add for DoubleDouble {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let high = two_sum(self.high, other.high);
        let low = two_sum(self.low, other.low);
        let sum = quick_two_sum(high.high, high.low + low.high);
        quick_two_sum(sum.high, sum.low + low.low)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            high: -self.high,
            low: -self.low,
        }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let product = two_product(self.high, other.high);
        let cross = self.high * other.low + self.low * other.high;
        quick_two_sum(product.high, product.low + cross)
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::exact(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::exact(second);
        quick_two_sum(first, second) + Self::exact(rest.high / other.high)
    }
}

impl Real for DoubleDouble {
    const ROUNDING: f64 = f64::EPSILON * f64::EPSILON * 64.0; // 256 u²
    const SHORTEST: f64 = 1e-22;
    const MOST_ROUNDS: usize = 60;

    fn exact(value: f64) -> Self {
        Self {
            high: value,
            low: 0.0,
        }
    }
    fn difference(a: f64, b: f64) -> Self {
        two_sum(a, -b)
    }
    fn scaled(self, power_of_two: f64) -> Self {
        Self {
            high: self.high * power_of_two,
            low: self.low * power_of_two,
        }
    }
    fn to_f64(self) -> f64 {
        self.high
    }
}

/// A vector in space.
#[derive(Clone, Copy)]
pub(super) struct Vector<S>(pub(super) [S; 3]);

impl<S: Real> Vector<S> {
    pub(super) fn dot(self, other: Self) -> S {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        a * x + b * y + c * z
    }

    pub(super) fn cross(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    pub(super) fn abs(self) -> Self {
        Self(self.0.map(S::abs))
    }

    pub(super) fn to_f64(self) -> Vector<f64> {
        Vector(self.0.map(S::to_f64))
    }

    pub(super) fn largest(self) -> S {
        let [x, y, z] = self.abs().0;
        x.max(y).max(z)
    }
}

impl<S: Real> Add for Vector<S> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a + x, b + y, c + z])
    }
}

impl<S: Real> Sub for Vector<S> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a - x, b - y, c - z])
    }
}

impl<S: Real> Mul<S> for Vector<S> {
    type Output = Self;
    fn mul(self, factor: S) -> Self {
        Self(self.0.map(|x| x * factor))
    }
}
