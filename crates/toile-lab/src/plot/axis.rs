//! Axes: what they span, and where their ticks are.

use glam::Vec2;
use toile_render::{Anchor, Image, TextStyle};

/// An axis as it is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(super) label: String,
    log: bool,
}

impl Axis {
    /// Even steps.
    pub fn linear(label: &str) -> Self {
        Axis {
            label: label.into(),
            log: false,
        }
    }

    /// Even factors.
    pub fn log(label: &str) -> Self {
        Axis {
            label: label.into(),
            log: true,
        }
    }

    /// The span that shows these values, with a little room at the ends.
    pub(super) fn span(&self, values: impl Iterator<Item = f64>) -> Span {
        // Far beyond this range nothing is a measurement, and differences would overflow.
        let usable = |v: &f64| v.is_finite() && v.abs() < 1e200 && (!self.log || *v > 1e-200);
        let scaled = values
            .filter(usable)
            .map(|v| if self.log { v.log10() } else { v });
        let (mut low, mut high) = scaled.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
            (l.min(v), h.max(v))
        });
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let room = match high - low {
            width if width > 0.0 => 0.05 * width,
            _ if self.log || low == 0.0 => 0.5,
            _ => 0.1 * low.abs(),
        };
        Span {
            low: low - room,
            high: high + room,
            log: self.log,
        }
    }
}

/// What an axis shows; powers of ten on a logarithmic one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    low: f64,
    high: f64,
    log: bool,
}

/// A tick, with a label if it is a main one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub value: f64,
    pub label: Option<Label>,
}

/// A number beside an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Label {
    Plain(String),
    PowerOfTen(i32),
}

impl Span {
    /// From 0 at the low end to 1 at the high one.
    pub fn share(&self, value: f64) -> f64 {
        let place = if self.log { value.log10() } else { value };
        (place - self.low) / (self.high - self.low)
    }

    pub fn shows(&self, value: f64) -> bool {
        (-1e-9..=1.0 + 1e-9).contains(&self.share(value))
    }

    pub fn ticks(&self) -> Vec<Tick> {
        if self.log {
            self.log_ticks()
        } else {
            self.linear_ticks()
        }
    }

    fn linear_ticks(&self) -> Vec<Tick> {
        let rough = (self.high - self.low) / 7.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|m| m * power)
            .into_iter()
            .find(|&s| s >= rough)
            .unwrap_or(10.0 * power);
        let digits = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last.min(first + 20))
            .map(|k| {
                let value = k as f64 * step;
                let text = if value.abs() >= 1e6 {
                    format!("{value:.1e}")
                } else {
                    format!("{value:.digits$}")
                };
                Tick {
                    value,
                    label: Some(Label::Plain(text.replace('-', "−"))),
                }
            })
            .collect()
    }

    fn log_ticks(&self) -> Vec<Tick> {
        let decades = self.high - self.low;
        let every = (decades / 9.0).ceil().max(1.0) as i32;
        let mut ticks = Vec::new();
        for power in self.low.floor() as i32..=self.high.ceil() as i32 {
            for m in 1..10 {
                let value = f64::from(m) * 10f64.powi(power);
                let label = match m {
                    1 if power % every == 0 => Some(Label::PowerOfTen(power)),
                    // Less than two decades: a power of ten alone would leave the axis bare.
                    2 | 5 if decades < 2.0 => Some(Label::Plain(plain(value))),
                    _ => None,
                };
                if self.shows(value) && (label.is_some() || decades < 8.0) {
                    ticks.push(Tick { value, label });
                }
            }
        }
        ticks
    }
}

fn plain(value: f64) -> String {
    if (1e-4..1e5).contains(&value) {
        format!("{value}")
    } else {
        format!("{value:.0e}").replace('-', "−")
    }
}

impl Label {
    /// Writes it with its base line at the place.
    pub fn write(&self, image: &mut Image, at: Vec2, anchor: Anchor, style: &TextStyle) {
        match self {
            Label::Plain(text) => image.write(text, at.x, at.y, anchor, style),
            Label::PowerOfTen(power) => {
                let small = TextStyle {
                    height: 0.72 * style.height,
                    weight: 0.15,
                    ..*style
                };
                let exponent = power.to_string().replace('-', "−");
                let gap = 2.5;
                let [base, raised] = [style.width("10"), small.width(&exponent)];
                let left = match anchor {
                    Anchor::Left => at.x,
                    Anchor::Middle => at.x - 0.5 * (base + gap + raised),
                    Anchor::Right => at.x - base - gap - raised,
                };
                image.write("10", left, at.y, Anchor::Left, style);
                let place = Vec2::new(left + base + gap, at.y - 0.55 * style.height);
                image.write(&exponent, place.x, place.y, Anchor::Left, &small);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_inside_the_span() {
        let span = Axis::linear("").span([0.03, 1.13].into_iter());
        let labels: Vec<_> = span.ticks().into_iter().filter_map(|t| t.label).collect();
        let expected = ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"];
        assert_eq!(labels, expected.map(|t| Label::Plain(t.into())));
        let span = Axis::log("").span([1e-6, 1e-2].into_iter());
        let powers: Vec<_> = span.ticks().into_iter().filter_map(|t| t.label).collect();
        assert_eq!(powers, [-6, -5, -4, -3, -2].map(Label::PowerOfTen));
    }

    #[test]
    fn shares_run_from_end_to_end() {
        let span = Axis::log("").span([1e-3, 10.0].into_iter());
        assert!((span.share(0.1) - 0.5).abs() < 1e-12);
        assert!(span.shows(1e-3) && !span.shows(1e-4) && !span.shows(-1.0));
    }
}
