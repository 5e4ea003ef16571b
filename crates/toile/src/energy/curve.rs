//! Measured curves: smooth monotone functions through the rows of a table.
//!
//! A table `(0, 0), (x₁, y₁), …` with increasing `x` and `y` that never falls becomes a cubic on each
//! interval whose slopes at the rows are the weighted harmonic means of the neighbouring secants (Fritsch and
//! Butland 1984, the rule called PCHIP). At the origin the first cubic is an odd one. The curve has a
//! continuous slope, never overshoots the rows and never falls between them, so the energy `U(x) = ∫₀ˣ y` is
//! convex.
//!
//! * Negative arguments: the curve is odd, `y(−x) = −y(x)`, or a straight line of its own slope
//!   ([`Curve::with_compression`]; then the slope jumps at the origin unless the two agree).
//! * Beyond the last row: the tangent there.
//! * Two rows make a straight line.

use thiserror::Error;

/// A smooth monotone curve through the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Where each cubic but the first begins.
    breaks: Vec<f64>,
    /// The cubics; the last is the tangent beyond the table.
    pieces: Vec<Piece>,
    /// Slope for negative arguments; none if the curve is odd.
    compression: Option<f64>,
}

/// `y = value + t (slope + t (quadratic + t cubic))` with `t = x − start`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    start: f64,
    /// `U` at the start.
    integral: f64,
    value: f64,
    slope: f64,
    quadratic: f64,
    cubic: f64,
}

/// A curve at one argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// `U = ∫₀ˣ y`, never negative.
    pub integral: f64,
    /// `y`.
    pub value: f64,
    /// `dy/dx`, never negative.
    pub slope: f64,
}

/// A table that is not the table of such a curve. Rows are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum CurveError {
    /// There is no curve through fewer than two points.
    #[error("the table has {rows} rows; a curve needs at least two, the first of them (0, 0)")]
    TooShort {
        /// How many there are.
        rows: usize,
    },
    /// A number is missing or infinite.
    #[error("row {row} of the table is ({x}, {y}); both must be finite numbers")]
    NotFinite {
        /// The row.
        row: usize,
        /// Its abscissa.
        x: f64,
        /// Its value.
        y: f64,
    },
    /// The curve does not begin at the origin.
    #[error("row 1 of the table is ({x}, {y}); it must be (0, 0), the undeformed cloth")]
    NotFromOrigin {
        /// Its abscissa.
        x: f64,
        /// Its value.
        y: f64,
    },
    /// Two rows have the same abscissa.
    #[error("rows {} and {row} of the table both stand at {x}; remove one of them", row - 1)]
    Duplicate {
        /// The second of them.
        row: usize,
        /// Their abscissa.
        x: f64,
    },
    /// The rows are not in order.
    #[error(
        "row {row} of the table stands at {x}, below the row before it; sort the rows by their first number"
    )]
    Unsorted {
        /// The row.
        row: usize,
        /// Its abscissa.
        x: f64,
    },
    /// The values fall somewhere.
    #[error(
        "row {row} of the table has the value {y}, less than {before} in the row before it; the values must not fall, \
         because cloth that yields has no stored energy"
    )]
    Falling {
        /// The row.
        row: usize,
        /// Its value.
        y: f64,
        /// The value before it.
        before: f64,
    },
    /// The compressive slope is no stiffness.
    #[error("the slope in compression is {slope}; it must be a finite number, 0 or more")]
    Compression {
        /// The slope.
        slope: f64,
    },
}

impl Curve {
    /// Where the table ends.
    pub fn end(&self) -> f64 {
        self.breaks.last().copied().unwrap_or(0.0)
    }

    /// The odd curve through the rows of a table.
    pub fn new(table: &[(f64, f64)]) -> Result<Self, CurveError> {
        check(table)?;
        let slopes = row_slopes(table);
        let mut pieces = Vec::with_capacity(table.len());
        let mut integral = 0.0;
        for (rows, ends) in table.windows(2).zip(slopes.windows(2)) {
            let piece = Piece::hermite([rows[0], rows[1]], [ends[0], ends[1]], integral);
            integral = piece.at(rows[1].0).integral;
            pieces.push(piece);
        }
        let (start, value) = table[table.len() - 1];
        pieces.push(Piece {
            start,
            integral,
            value,
            slope: slopes[slopes.len() - 1],
            quadratic: 0.0,
            cubic: 0.0,
        });
        Ok(Curve {
            breaks: table[1..].iter().map(|row| row.0).collect(),
            pieces,
            compression: None,
        })
    }

    /// The straight line of a slope.
    pub fn linear(slope: f64) -> Result<Self, CurveError> {
        Self::new(&[(0.0, 0.0), (1.0, slope)])
    }

    /// The same curve with a straight line of this slope for negative arguments: cloth gives way in
    /// compression long before its threads do.
    pub fn with_compression(mut self, slope: f64) -> Result<Self, CurveError> {
        if !(slope.is_finite() && slope >= 0.0) {
            return Err(CurveError::Compression { slope });
        }
        self.compression = Some(slope);
        Ok(self)
    }

    /// Integral, value and slope at `x`.
    pub fn at(&self, x: f64) -> CurvePoint {
        if x < 0.0
            && let Some(slope) = self.compression
        {
            return CurvePoint {
                integral: 0.5 * slope * x * x,
                value: slope * x,
                slope,
            };
        }
        let size = x.abs();
        // Tables have a handful of rows: counting them all takes less time than guessing where to stop.
        let before = self
            .breaks
            .iter()
            .map(|&b| usize::from(size >= b))
            .sum::<usize>();
        let point = self.pieces[before].at(size);
        CurvePoint {
            value: point.value.copysign(x),
            ..point
        }
    }
}

impl Piece {
    /// The cubic between two rows with the given slopes at its ends.
    fn hermite([from, to]: [(f64, f64); 2], [first, last]: [f64; 2], integral: f64) -> Self {
        let width = to.0 - from.0;
        let secant = (to.1 - from.1) / width;
        Piece {
            start: from.0,
            integral,
            value: from.1,
            slope: first,
            quadratic: (3.0 * secant - 2.0 * first - last) / width,
            cubic: (first + last - 2.0 * secant) / (width * width),
        }
    }

    fn at(&self, x: f64) -> CurvePoint {
        let t = x - self.start;
        let Piece {
            value,
            slope,
            quadratic,
            cubic,
            ..
        } = *self;
        CurvePoint {
            integral: self.integral
                + t * (value + t * (slope / 2.0 + t * (quadratic / 3.0 + t * cubic / 4.0))),
            value: value + t * (slope + t * (quadratic + t * cubic)),
            // Rounding may take a slope that touches zero just below it.
            slope: (slope + t * (2.0 * quadratic + t * 3.0 * cubic)).max(0.0),
        }
    }
}

fn check(table: &[(f64, f64)]) -> Result<(), CurveError> {
    if table.len() < 2 {
        return Err(CurveError::TooShort { rows: table.len() });
    }
    for (index, &(x, y)) in table.iter().enumerate() {
        let row = index + 1;
        if !(x.is_finite() && y.is_finite()) {
            return Err(CurveError::NotFinite { row, x, y });
        }
        if index == 0 {
            if x != 0.0 || y != 0.0 {
                return Err(CurveError::NotFromOrigin { x, y });
            }
            continue;
        }
        let (last_x, before) = table[index - 1];
        if x == last_x {
            return Err(CurveError::Duplicate { row, x });
        }
        if x < last_x {
            return Err(CurveError::Unsorted { row, x });
        }
        if y < before {
            return Err(CurveError::Falling { row, y, before });
        }
    }
    Ok(())
}

/// The curve's slope at each row. At the origin it is the one that leaves the first cubic without a quadratic
/// term, so that the curve and its odd half join without a jump in any derivative; it lies between 0 and 3/2
/// of the secant.
fn row_slopes(table: &[(f64, f64)]) -> Vec<f64> {
    let secant = |k: usize| (table[k + 1].1 - table[k].1) / (table[k + 1].0 - table[k].0);
    let width = |k: usize| table[k + 1].0 - table[k].0;
    let last = table.len() - 1;
    let mut slopes = vec![0.0];
    for k in 1..last {
        let (before, after) = (secant(k - 1), secant(k));
        let (weight_before, weight_after) =
            (width(k - 1) + 2.0 * width(k), 2.0 * width(k - 1) + width(k));
        // A weighted harmonic mean; zero as soon as one of the secants is.
        let flat = before == 0.0 || after == 0.0;
        slopes.push(if flat {
            0.0
        } else {
            (weight_before + weight_after) / (weight_before / before + weight_after / after)
        });
    }
    slopes.push(if last == 1 {
        secant(0)
    } else {
        let (h, g) = (width(last - 1), width(last - 2));
        let (s, r) = (secant(last - 1), secant(last - 2));
        // The parabola through the last three rows, held where the cubic stays monotone.
        (((2.0 * h + g) * s - h * r) / (h + g)).clamp(0.0, 3.0 * s)
    });
    slopes[0] = 0.5 * (3.0 * secant(0) - slopes[1]);
    slopes
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn tables() -> impl Strategy<Value = Vec<(f64, f64)>> {
        prop::collection::vec((0.05..1.0f64, 0.0..3.0f64), 1..8).prop_map(|steps| {
            let mut table = vec![(0.0, 0.0)];
            for (dx, dy) in steps {
                let (x, y) = table[table.len() - 1];
                // A third of the steps is flat.
                table.push((x + dx, y + (dy - 1.0).max(0.0)));
            }
            table
        })
    }

    proptest! {
        #[test]
        fn the_curve_passes_through_its_rows_and_never_falls(table in tables()) {
            let curve = Curve::new(&table).unwrap();
            for &(x, y) in &table {
                prop_assert!((curve.at(x).value - y).abs() < 1e-12);
                prop_assert!((curve.at(-x).value + y).abs() < 1e-12);
            }
            let end = 1.5 * table[table.len() - 1].0;
            let mut before = curve.at(-end).value;
            for k in -400..=400 {
                let point = curve.at(end * f64::from(k) / 400.0);
                prop_assert!(point.value >= before - 1e-12);
                prop_assert!(point.slope >= 0.0 && point.integral >= 0.0);
                before = point.value;
            }
        }

        #[test]
        fn the_slope_is_the_derivative_and_the_integral_its_inverse(
            table in tables(), x in -5.0..5.0f64
        ) {
            let curve = Curve::new(&table).unwrap();
            let e = 1e-6;
            let difference = (curve.at(x + e).value - curve.at(x - e).value) / (2.0 * e);
            // A break within the stencil adds a jump of the second derivative times e.
            prop_assert!((difference - curve.at(x).slope).abs() < 3e-4);
            // Gauss–Legendre with two points is exact for the cubics between breaks.
            let mut ends: Vec<f64> = table.iter().map(|r| r.0).filter(|&b| b < x.abs()).collect();
            ends.push(x.abs());
            let integral: f64 = ends.windows(2).map(|w| {
                let (middle, half) = (0.5 * (w[0] + w[1]), 0.5 * (w[1] - w[0]));
                let off = half / 3f64.sqrt();
                half * (curve.at(middle - off).value + curve.at(middle + off).value)
            }).sum();
            prop_assert!((integral - curve.at(x).integral).abs() < 1e-11 * (1.0 + integral));
        }
    }

    #[test]
    fn two_rows_make_a_straight_line_for_all_arguments() {
        let curve = Curve::linear(3.0).unwrap();
        for x in [-7.0, -0.5, 0.0, 0.3, 1.0, 20.0] {
            let point = curve.at(x);
            assert!((point.value - 3.0 * x).abs() < 1e-13);
            assert!((point.integral - 1.5 * x * x).abs() < 1e-12 * (1.0 + x * x));
            assert!((point.slope - 3.0).abs() < 1e-13);
        }
    }

    #[test]
    fn the_odd_halves_join_without_a_jump_of_curvature() {
        let curve = Curve::new(&[(0.0, 0.0), (1.0, 1.0), (2.0, 4.0)]).unwrap();
        let e = 1e-3;
        let slope = |x: f64| curve.at(x).slope;
        assert!(
            ((slope(e) - slope(0.0)) / e).abs() < 2e-3,
            "{}",
            (slope(e) - slope(0.0)) / e
        );
        assert!(
            slope(0.0) < 1.0,
            "a curve that stiffens begins below its first secant"
        );
    }

    #[test]
    fn compression_has_its_own_slope() {
        let curve = Curve::linear(3.0).unwrap().with_compression(0.5).unwrap();
        assert_eq!(curve.at(-2.0).value, -1.0);
        assert_eq!(curve.at(-2.0).integral, 1.0);
        assert_eq!(curve.at(2.0).value, 6.0);
        assert!(Curve::linear(1.0).unwrap().with_compression(-1.0).is_err());
    }

    #[test]
    fn bad_tables_are_refused_by_row() {
        let refuse = |table: &[(f64, f64)]| Curve::new(table).unwrap_err();
        assert_eq!(refuse(&[(0.0, 0.0)]), CurveError::TooShort { rows: 1 });
        assert_eq!(
            refuse(&[(0.0, 0.1), (1.0, 1.0)]),
            CurveError::NotFromOrigin { x: 0.0, y: 0.1 }
        );
        assert!(matches!(
            refuse(&[(0.0, 0.0), (1.0, f64::NAN)]),
            CurveError::NotFinite { row: 2, .. }
        ));
        assert_eq!(
            refuse(&[(0.0, 0.0), (1.0, 1.0), (1.0, 2.0)]),
            CurveError::Duplicate { row: 3, x: 1.0 }
        );
        assert_eq!(
            refuse(&[(0.0, 0.0), (2.0, 1.0), (1.0, 2.0)]),
            CurveError::Unsorted { row: 3, x: 1.0 }
        );
        let falling = refuse(&[(0.0, 0.0), (1.0, 2.0), (2.0, 1.0)]);
        assert_eq!(
            falling,
            CurveError::Falling {
                row: 3,
                y: 1.0,
                before: 2.0
            }
        );
        assert!(falling.to_string().contains("row 3"));
    }
}
