//! Axis-aligned boxes, in single precision and rounded outward.
//!
//! Single precision halves the memory that a search walks through and lets one instruction look at three
//! axes. It loses nothing but a ten-millionth of the coordinate in sharpness: the numbers are moved outward
//! by more than the conversion can move them inward, so a box always holds what it was made for.

use glam::{DVec3, Vec3A, Vec3Swizzles};

/// How far a coordinate `x` is moved outward before it is rounded to single precision:
/// `SLACK·|x| + LEAST_SLACK`. Rounding to the nearest moves it back by half as much at most, and what is left
/// also covers the few roundings in double precision by which a point between start and end may leave the box
/// of the two.
const SLACK: f64 = f32::EPSILON as f64;
/// The same where single precision has run out of exponents, in m.
const LEAST_SLACK: f64 = f32::MIN_POSITIVE as f64;
/// The largest number in single precision, in m.
const LARGEST_SINGLE: f64 = f32::MAX as f64;

/// An axis-aligned box, in m. It is closed: boxes with one point in common touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least corner, in m.
    pub low: Vec3A,
    /// Greatest corner, in m.
    pub high: Vec3A,
}

impl Bounds {
    /// The box of nothing: it touches no box, and joined to one it changes nothing.
    pub const EMPTY: Bounds = Bounds {
        low: Vec3A::INFINITY,
        high: Vec3A::NEG_INFINITY,
    };

    /// The box of a point on its straight way from `start` to `end`, and of all that is within `reach` of it,
    /// in m.
    pub fn swept(start: DVec3, end: DVec3, reach: f64) -> Self {
        let low = start.min(end) - reach;
        let high = start.max(end) + reach;
        let low = low - (low.abs() * SLACK + LEAST_SLACK);
        let high = high + (high.abs() * SLACK + LEAST_SLACK);
        // Where single precision ends, the nearest number would be an infinite one on the wrong side.
        Bounds {
            low: low.min(DVec3::splat(LARGEST_SINGLE)).as_vec3a(),
            high: high.max(DVec3::splat(-LARGEST_SINGLE)).as_vec3a(),
        }
    }

    /// The box of some points.
    pub fn around(points: &[DVec3]) -> Self {
        let boxes = points.iter().map(|p| Bounds::swept(*p, *p, 0.0));
        boxes.fold(Bounds::EMPTY, Bounds::joined)
    }

    /// The same as [`swept`](Self::swept) in coordinates along the six diagonals of the axes, in two boxes:
    /// `(x + y, y + z, z + x)` and `(x − y, y − z, z − x)`. They tell apart what lies close together on a
    /// slope (Klosowski et al. 1998).
    pub fn swept_along_diagonals(start: DVec3, end: DVec3, reach: f64) -> [Self; 2] {
        let reach = reach * std::f64::consts::SQRT_2;
        [
            Bounds::swept(start + start.yzx(), end + end.yzx(), reach),
            Bounds::swept(start - start.yzx(), end - end.yzx(), reach),
        ]
    }

    /// The least box that holds both. No number is rounded, so the order of joining never shows.
    #[inline]
    pub fn joined(self, other: Bounds) -> Self {
        Bounds {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Whether the boxes have a point in common.
    #[inline]
    pub fn touches(&self, other: &Bounds) -> bool {
        (self.low.cmple(other.high) & other.low.cmple(self.high)).all()
    }

    /// Whether the box holds a point.
    pub fn contains(&self, point: DVec3) -> bool {
        let (low, high) = (self.low.as_dvec3(), self.high.as_dvec3());
        (low.cmple(point) & point.cmple(high)).all()
    }

    /// The middle of the box, in m.
    pub(crate) fn centre(&self) -> Vec3A {
        0.5 * self.low + 0.5 * self.high
    }

    /// Half the surface of the box, in m²: how likely it is that something meets it.
    #[inline]
    pub(crate) fn half_area(&self) -> f32 {
        let side = (self.high - self.low).max(Vec3A::ZERO);
        side.x * side.y + side.y * side.z + side.z * side.x
    }
}
