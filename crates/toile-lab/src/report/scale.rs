//! Where a number lies within its tolerance: as a small drawing and in words.

use crate::outcome::Measurement;

/// How far a number is from its reference, in tolerances.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// From −1 to 1 the verdict is good.
    At(f64),
    /// No tolerance was given, and the number is the reference.
    Exact,
    /// Not a number, or infinitely far.
    Nowhere,
}

fn place(m: &Measurement) -> Place {
    let off = m.measured - m.reference;
    if !off.is_finite() || m.tolerance.is_nan() {
        Place::Nowhere
    } else if off == 0.0 {
        Place::Exact
    } else if m.tolerance == 0.0 {
        Place::At(f64::INFINITY.copysign(off))
    } else {
        Place::At(off / m.tolerance)
    }
}

/// In words, for tooltips and readers of the screen.
pub(super) fn words(m: &Measurement) -> String {
    match place(m) {
        Place::Nowhere => "not a number".to_owned(),
        Place::Exact => "just the reference".to_owned(),
        Place::At(x) if x.is_infinite() => "must be just the reference".to_owned(),
        Place::At(x) if x.abs() <= 1.0 => {
            let percent = 100.0 * x.abs();
            let side = if x < 0.0 { "below" } else { "above" };
            match percent < 0.1 {
                true => "off by less than 0.1 % of the tolerance".to_owned(),
                false => format!("{side} the reference by {percent:.1} % of the tolerance"),
            }
        }
        Place::At(x) => format!("off by {:.3} times the tolerance", x.abs()),
    }
}

/// Width and height (pixels), the middle, and what the tolerance is drawn as.
const SIZE: [f64; 2] = [128.0, 18.0];
const HALF: f64 = 44.0;

/// A band for the tolerance, a tick for the reference, a dot for the number; an arrow where it is too far off to be drawn.
pub(super) fn drawing(m: &Measurement) -> String {
    let [width, height] = SIZE;
    let (x0, y0) = (0.5 * width, 0.5 * height);
    let at = |x: f64| x0 + HALF * x;
    let mark = match place(m) {
        Place::Nowhere => String::new(),
        Place::Exact => dot(x0, y0),
        Place::At(x) if x.abs() <= 1.35 => dot(at(x), y0),
        Place::At(x) => {
            let (tip, back) = (at(1.42_f64.copysign(x)), at(1.26_f64.copysign(x)));
            let (above, below) = (y0 - 5.0, y0 + 5.0);
            format!(
                "<path class=\"mark\" d=\"M{tip:.1} {y0}L{back:.1} {above}L{back:.1} {below}Z\"/>"
            )
        }
    };
    let class = if m.holds { "good" } else { "bad" };
    format!(
        "<svg class=\"scale {class}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{words}\"><title>{words}</title>\
         <path class=\"axis\" d=\"M0 {y0}H{width}\"/><rect class=\"band\" x=\"{left}\" y=\"4\" width=\"{band}\" height=\"10\" rx=\"3\"/>\
         <path class=\"tick\" d=\"M{x0} 1V17\"/>{mark}</svg>",
        words = words(m),
        left = x0 - HALF,
        band = 2.0 * HALF,
    )
}

fn dot(x: f64, y: f64) -> String {
    format!("<circle class=\"mark\" cx=\"{x:.1}\" cy=\"{y}\" r=\"4.2\"/>")
}

/// A number with six digits at the most, as HTML.
pub(super) fn figure(value: f64) -> String {
    if value.is_nan() {
        return "not a number".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "−∞" }.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let exponent = value.abs().log10().floor() as i32;
    if (-3..6).contains(&exponent) {
        let digits = (5 - exponent).clamp(0, 8) as usize;
        return minus(trimmed(&format!("{value:.digits$}")));
    }
    let text = format!("{value:.3e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power = minus(power);
    format!("{} × 10<sup>{power}</sup>", minus(trimmed(mantissa)))
}

fn trimmed(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

fn minus(text: &str) -> String {
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(measured: f64, tolerance: f64) -> Measurement {
        Measurement::new("x", "m", measured, 2.0, tolerance)
    }

    #[test]
    fn numbers_are_short_and_keep_their_digits() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-0.25, "−0.25"),
            (0.0012345678, "0.00123457"),
            (123456.0, "123456"),
            (1.5e-7, "1.5 × 10<sup>−7</sup>"),
            (-2e9, "−2 × 10<sup>9</sup>"),
            (f64::NAN, "not a number"),
            (f64::INFINITY, "∞"),
        ] {
            assert_eq!(figure(value), text);
        }
    }

    #[test]
    fn the_dot_is_where_the_number_is() {
        assert!(drawing(&measured(2.5, 1.0)).contains("cx=\"86.0\""));
        assert!(drawing(&measured(1.0, 1.0)).contains("cx=\"20.0\""));
        assert!(words(&measured(2.5, 1.0)).contains("above the reference by 50.0 %"));
        // Too far off to be drawn: an arrow.
        let far = drawing(&measured(-20.0, 1.0));
        assert!(
            far.contains("scale bad") && far.contains("M1.5 9L"),
            "{far}"
        );
    }

    #[test]
    fn odd_numbers_do_no_harm() {
        for value in [f64::NAN, f64::INFINITY, 2.0, 3.0] {
            for tolerance in [0.0, f64::NAN, f64::INFINITY, 1e-300] {
                let drawn = drawing(&measured(value, tolerance));
                assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
            }
        }
    }
}
