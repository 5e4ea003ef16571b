//! From residuals and their derivatives to intervals.

use crate::dense::eigenvectors;
use crate::fit::Parameter;
use std::fmt;

/// Of a normal distribution 95 % is nearer to its mean than so many standard deviations.
const NORMAL: f64 = 1.959_964;
/// A share of the information of independent parameters below which they cannot be told apart: intervals are ten times as wide as that of
/// each alone.
const ENTANGLED: f64 = 0.01;
/// A parameter has a part in a direction from this cosine on.
const PART: f64 = 0.3;
/// Scores of frames whose correlation is below this are unrelated.
const UNRELATED: f64 = 0.1;

/// What one recorded frame says.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    /// How much each residual counts; 1 on average.
    pub weights: Vec<f64>,
    /// Simulated minus recorded (m), coordinate by coordinate.
    pub residuals: Vec<f64>,
    /// Derivatives of each residual by the shares of all parameters (m).
    pub slopes: Vec<f64>,
}

/// All frames, and the shares at which they were simulated.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    pub frames: Vec<Frame>,
    pub shares: Vec<f64>,
}

/// Between which values a parameter lies with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The smallest value; the lower bound where the interval reaches beyond it.
    pub low: f64,
    /// The largest value; the upper bound where the interval reaches beyond it.
    pub high: f64,
    /// Whether the recording tells it at all: whether the interval ends within the bounds on one side at least.
    pub is_told: bool,
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.is_told {
            true => write!(f, "95 %: {} to {}", short(self.low), short(self.high)),
            false => write!(f, "not told by the recording"),
        }
    }
}

/// Five digits.
fn short(value: f64) -> String {
    match value.abs() {
        size if size != 0.0 && !(1e-3..1e5).contains(&size) => format!("{value:.4e}"),
        size => {
            let digits = 4 - size.max(1e-3).log10().floor() as i32;
            format!("{value:.*}", digits.max(0) as usize)
        }
    }
}

/// How well a recording tells the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Confidence {
    /// Intervals, in the order of the parameters.
    pub intervals: Vec<Interval>,
    /// Correlations of the errors of each two of them.
    pub correlations: Vec<Vec<f64>>,
    /// Over how many frames residuals are related.
    pub related_frames: usize,
    /// What the recording does not tell, in plain words.
    pub notes: Vec<String>,
}

type Matrix = Vec<Vec<f64>>;

impl Evidence {
    /// `None` if there are no more samples than parameters.
    pub fn confidence(&self, parameters: &[Parameter]) -> Option<Confidence> {
        let count = self.shares.len();
        let samples: usize = self.frames.iter().map(|f| f.residuals.len()).sum();
        if samples <= count {
            return None;
        }
        let (information, scores, squares) = self.sums();
        let inverse = Inverse::of(&information);
        let spread = squares / (samples - count) as f64;
        let (meat, lag) = related(&scores, &information);
        let independent = scaled(&inverse.matrix, spread);
        let frames = self.frames.len() as f64;
        let correction = frames / (frames - count as f64).max(1.0);
        let robust = scaled(
            &multiply(&multiply(&inverse.matrix, &meat), &inverse.matrix),
            correction,
        );
        let freedom = (frames / (lag + 1) as f64 - count as f64).max(2.0);
        let total: Vec<f64> = (0..count)
            .map(|k| scores.iter().map(|g| g[k]).sum())
            .collect();
        let left = apply(&inverse.matrix, &total);
        let half = |k: usize| {
            let one = NORMAL * independent[k][k].max(0.0).sqrt();
            let other = student(freedom) * robust[k][k].max(0.0).sqrt();
            one.max(other) + left[k].abs()
        };
        let silent: Vec<bool> = (0..count).map(|k| inverse.is_lost(k)).collect();
        let intervals: Vec<Interval> = (0..count)
            .map(|k| interval(&parameters[k], self.shares[k], half(k), silent[k]))
            .collect();
        let mut notes = untold(&intervals, parameters);
        notes.extend(entangled(&information, &intervals, parameters));
        Some(Confidence {
            correlations: correlations(&inverse.matrix),
            intervals,
            related_frames: lag + 1,
            notes,
        })
    }

    /// Information, the score of each frame, and the weighted sum of squares.
    fn sums(&self) -> (Matrix, Matrix, f64) {
        let count = self.shares.len();
        let mut information = vec![vec![0.0; count]; count];
        let mut scores = Vec::with_capacity(self.frames.len());
        let mut squares = 0.0;
        for frame in &self.frames {
            let mut score = vec![0.0; count];
            let samples = frame.weights.iter().zip(&frame.residuals);
            for ((w, r), slopes) in samples.zip(frame.slopes.chunks_exact(count)) {
                squares += w * r * r;
                for i in 0..count {
                    score[i] += w * slopes[i] * r;
                    for j in 0..count {
                        information[i][j] += w * slopes[i] * slopes[j];
                    }
                }
            }
            scores.push(score);
        }
        (information, scores, squares)
    }
}

/// The inverse of an information matrix, in which directions without information are very wide.
struct Inverse {
    matrix: Matrix,
    /// Which parameters have a part in a direction without any information.
    lost: Vec<bool>,
}

impl Inverse {
    fn of(information: &Matrix) -> Self {
        let count = information.len();
        let (values, vectors) = eigenvectors(information.clone());
        let largest = values.iter().copied().fold(0.0, f64::max);
        let smallest = (1e-14 * largest).max(f64::MIN_POSITIVE.sqrt());
        let entry = |i: usize, j: usize| -> f64 {
            (0..count)
                .map(|k| vectors[i][k] * vectors[j][k] / values[k].max(smallest))
                .sum()
        };
        let lost =
            |i: usize| (0..count).any(|k| values[k] <= smallest && vectors[i][k].abs() > PART);
        Inverse {
            matrix: (0..count)
                .map(|i| (0..count).map(|j| entry(i, j)).collect())
                .collect(),
            lost: (0..count).map(lost).collect(),
        }
    }

    fn is_lost(&self, parameter: usize) -> bool {
        self.lost[parameter]
    }
}

/// The sum of the products of scores, and over how many frames they are related. Weights that fall linearly keep it positive.
fn related(scores: &[Vec<f64>], information: &Matrix) -> (Matrix, usize) {
    let count = information.len();
    let frames = scores.len();
    let mean = |k: usize| scores.iter().map(|g| g[k]).sum::<f64>() / frames.max(1) as f64;
    let means: Vec<f64> = (0..count).map(mean).collect();
    let centred: Matrix = scores
        .iter()
        .map(|g| g.iter().zip(&means).map(|(g, m)| g - m).collect())
        .collect();
    let product = |lag: usize, i: usize, j: usize| -> f64 {
        let pairs = centred.iter().zip(centred.iter().skip(lag));
        pairs.map(|(now, later)| now[i] * later[j]).sum()
    };
    // All parameters in a unit of their own.
    let scale = |k: usize| 1.0 / information[k][k].max(f64::MIN_POSITIVE);
    let likeness = |lag: usize| {
        (0..count)
            .map(|k| scale(k) * product(lag, k, k))
            .sum::<f64>()
    };
    let alone = likeness(0);
    let most = frames / 4;
    let first = (1..=most).find(|&lag| likeness(lag) <= UNRELATED * alone);
    let lag = match first {
        Some(1) => 0,
        Some(lag) => (2 * lag).min(most),
        None => most,
    };
    let entry = |i: usize, j: usize| {
        let neighbours = (1..=lag).map(|k| {
            let weight = 1.0 - k as f64 / (lag + 1) as f64;
            weight * (product(k, i, j) + product(k, j, i))
        });
        product(0, i, j) + neighbours.sum::<f64>()
    };
    let meat = (0..count).map(|i| (0..count).map(|j| entry(i, j)).collect());
    (meat.collect(), lag)
}

/// The interval of a parameter, from its half width in shares of the way between the bounds.
fn interval(parameter: &Parameter, share: f64, half: f64, lost: bool) -> Interval {
    let bounds = &parameter.bounds;
    let half = if half.is_finite() && !lost { half } else { 1.0 };
    let (low, high) = (share - half, share + half);
    Interval {
        low: bounds.value(low.max(0.0)),
        high: bounds.value(high.min(1.0)),
        is_told: low > 0.0 || high < 1.0,
    }
}

fn untold(intervals: &[Interval], parameters: &[Parameter]) -> Vec<String> {
    let lost = intervals.iter().zip(parameters).filter(|(i, _)| !i.is_told);
    lost.map(|(_, parameter)| {
        format!(
            "the recording does not tell {}: near the value found its influence is lost in the residuals",
            parameter.field
        )
    })
    .collect()
}

/// Groups of parameters, all with an influence, whose influences are too much alike.
fn entangled(
    information: &Matrix,
    intervals: &[Interval],
    parameters: &[Parameter],
) -> Vec<String> {
    let count = information.len();
    let norm: Vec<f64> = (0..count).map(|k| information[k][k].sqrt()).collect();
    let largest = norm.iter().copied().fold(0.0, f64::max);
    let heard: Vec<usize> = (0..count).filter(|&k| norm[k] > 1e-9 * largest).collect();
    let cosine = |&i: &usize, &j: &usize| information[i][j] / (norm[i] * norm[j]);
    let cosines: Matrix = heard
        .iter()
        .map(|i| heard.iter().map(|j| cosine(i, j)).collect())
        .collect();
    let (values, vectors) = eigenvectors(cosines);
    let mut notes = Vec::new();
    for (direction, _) in values.iter().enumerate().filter(|(_, v)| **v < ENTANGLED) {
        let parts = (0..heard.len()).filter(|&k| vectors[k][direction].abs() > PART);
        let parts: Vec<usize> = parts.map(|k| heard[k]).collect();
        if parts.len() < 2 {
            continue;
        }
        let names: Vec<&str> = parts
            .iter()
            .map(|&k| parameters[k].field.as_str())
            .collect();
        let all_told = parts.iter().all(|&k| intervals[k].is_told);
        let how = if all_told {
            "can hardly be told apart"
        } else {
            "cannot be told apart"
        };
        notes.push(format!(
            "{} {how} by this recording: a change of one is made up for by the others; fix one of them, or record another motion",
            names.join(" and ")
        ));
    }
    notes
}

fn correlations(covariance: &Matrix) -> Matrix {
    let count = covariance.len();
    let entry = |i: usize, j: usize| {
        let scale = (covariance[i][i] * covariance[j][j]).sqrt();
        if scale > 0.0 {
            covariance[i][j] / scale
        } else {
            f64::NAN
        }
    };
    (0..count)
        .map(|i| (0..count).map(|j| entry(i, j)).collect())
        .collect()
}

/// Of Student's distribution 95 % is nearer to zero than this (Cornish and Fisher's series).
fn student(freedom: f64) -> f64 {
    let z = NORMAL;
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    z + (z3 + z) / (4.0 * freedom)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * freedom.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * freedom.powi(3))
}

fn scaled(matrix: &Matrix, factor: f64) -> Matrix {
    let row = |row: &Vec<f64>| row.iter().map(|x| factor * x).collect();
    matrix.iter().map(row).collect()
}

fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    let count = a.len();
    let entry = |i: usize, j: usize| (0..count).map(|k| a[i][k] * b[k][j]).sum();
    (0..count)
        .map(|i| (0..count).map(|j| entry(i, j)).collect())
        .collect()
}

fn apply(matrix: &Matrix, vector: &[f64]) -> Vec<f64> {
    let row = |row: &Vec<f64>| row.iter().zip(vector).map(|(a, x)| a * x).sum();
    matrix.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::{Bounds, Scale};
    use crate::random::Random;

    fn parameter(field: &str) -> Parameter {
        let bounds = Bounds {
            low: 0.0,
            high: 10.0,
            scale: Scale::Linear,
        };
        let (field, start) = (field.to_owned(), 5.0);
        Parameter {
            field,
            bounds,
            start,
        }
    }

    /// A linear model of two parameters with noise that is alike in a frame's samples and in neighbouring frames, at its best fit.
    fn fitted(
        slopes: impl Fn(f64, usize) -> [f64; 2],
        kept: f64,
        noise: f64,
        seed: u64,
    ) -> (Evidence, [f64; 2]) {
        let mut random = Random::new(seed);
        let truth = [0.4, 0.6];
        let mut drift = [0.0; 4];
        let mut rows = Vec::new();
        for t in 0..200 {
            for d in &mut drift {
                *d = kept * *d + (1.0 - kept * kept).sqrt() * random.normal();
            }
            let row: Vec<([f64; 2], f64)> = (0..12)
                .map(|n| {
                    let own = if kept == 0.0 {
                        random.normal()
                    } else {
                        drift[n / 3]
                    };
                    (slopes(0.1 * f64::from(t), n), noise * own)
                })
                .collect();
            rows.push(row);
        }
        // Simulated minus recorded is J (u − truth) − noise; its best fit solves the normal equations.
        let (mut a, mut b) = ([[0.0; 2]; 2], [0.0; 2]);
        for (j, e) in rows.iter().flatten() {
            for i in 0..2 {
                b[i] += j[i] * e;
                for k in 0..2 {
                    a[i][k] += j[i] * j[k];
                }
            }
        }
        let det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        let best = if det.abs() > 1e-9 {
            [
                truth[0] + (a[1][1] * b[0] - a[0][1] * b[1]) / det,
                truth[1] + (a[0][0] * b[1] - a[1][0] * b[0]) / det,
            ]
        } else {
            truth
        };
        let frame = |row: &Vec<([f64; 2], f64)>| Frame {
            weights: vec![1.0; row.len()],
            residuals: row
                .iter()
                .map(|(j, e)| (0..2).map(|k| j[k] * (best[k] - truth[k])).sum::<f64>() - e)
                .collect(),
            slopes: row.iter().flat_map(|(j, _)| *j).collect(),
        };
        let evidence = Evidence {
            frames: rows.iter().map(frame).collect(),
            shares: best.to_vec(),
        };
        (evidence, truth)
    }

    fn swing(t: f64, n: usize) -> [f64; 2] {
        let arm = n as f64 / 11.0;
        [
            arm * (3.0 * t).sin(),
            arm * arm * (2.0 * t).cos() * (-0.05 * t).exp(),
        ]
    }

    #[test]
    fn intervals_cover_the_truth_as_often_as_they_say() {
        let parameters = [parameter("a"), parameter("b")];
        for kept in [0.0, 0.7] {
            let (mut covered, mut all) = (0, 0);
            for seed in 0..150 {
                let (evidence, truth) = fitted(swing, kept, 0.05, seed);
                let confidence = evidence.confidence(&parameters).unwrap();
                for (interval, truth) in confidence.intervals.iter().zip(truth) {
                    all += 1;
                    covered +=
                        usize::from((interval.low..=interval.high).contains(&(10.0 * truth)));
                    assert!(interval.is_told && interval.high - interval.low < 1.0);
                }
            }
            // 95 % of 300 are 285; three standard deviations are 11.
            assert!((270..=299).contains(&covered), "{kept}: {covered} of {all}");
        }
    }

    #[test]
    fn noise_that_is_alike_makes_intervals_wider_than_noise_that_is_not() {
        let parameters = [parameter("a"), parameter("b")];
        let width = |kept: f64| {
            let (evidence, _) = fitted(swing, kept, 0.05, 1);
            let confidence = evidence.confidence(&parameters).unwrap();
            confidence.intervals[0].high - confidence.intervals[0].low
        };
        assert!(width(0.7) > 1.5 * width(0.0));
    }

    #[test]
    fn a_parameter_without_influence_is_named() {
        let slopes = |t: f64, n: usize| [swing(t, n)[0], 0.0];
        let (evidence, _) = fitted(slopes, 0.0, 0.05, 3);
        let parameters = [
            parameter("cloth.sheet.damping"),
            parameter("body.floor.friction"),
        ];
        let confidence = evidence.confidence(&parameters).unwrap();
        assert!(confidence.intervals[0].is_told && !confidence.intervals[1].is_told);
        let other = confidence.intervals[1];
        assert_eq!((other.low, other.high), (0.0, 10.0));
        assert_eq!(confidence.notes.len(), 1, "{:?}", confidence.notes);
        assert!(confidence.notes[0].contains("does not tell body.floor.friction"));
    }

    #[test]
    fn parameters_that_do_the_same_are_named_together() {
        for difference in [0.0, 1e-3] {
            let slopes = |t: f64, n: usize| {
                let [a, b] = swing(t, n);
                [a, 2.0 * a + difference * b]
            };
            let (evidence, _) = fitted(slopes, 0.0, 0.05, 4);
            let parameters = [parameter("bend"), parameter("damping")];
            let confidence = evidence.confidence(&parameters).unwrap();
            let told = confidence.intervals.iter().any(|i| i.is_told);
            let notes = confidence.notes.join("\n");
            assert!(
                !told && notes.contains("bend and damping cannot be told apart"),
                "{notes}"
            );
            assert!(confidence.correlations[0][1] < -0.99);
        }
    }

    #[test]
    fn students_quantiles() {
        for (freedom, quantile) in [(3.0, 3.182), (5.0, 2.571), (10.0, 2.228), (100.0, 1.984)] {
            assert!((student(freedom) - quantile).abs() < 0.03, "{freedom}");
        }
    }
}
