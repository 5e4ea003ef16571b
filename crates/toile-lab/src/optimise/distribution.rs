//! The distribution from which CMA-ES samples, and how it learns (Hansen, *The CMA Evolution Strategy: A Tutorial*, 2016).
//!
//! Points are drawn as $x = m + \sigma B D z$ with $z$ normal, where $C = B D^2 B^\mathsf{T}$. The best half of a generation,
//! weighted by rank, moves the mean $m$; the path of the mean tells whether steps are too short or too long ($\sigma$) and in
//! which directions they succeed ($C$).

use crate::dense::eigenvectors;
use crate::random::Random;

/// Numbers that follow from the dimension and the population.
struct Rates {
    /// Weights of the best points; their sum is 1.
    weights: Vec<f64>,
    /// How many equal weights would be worth as much.
    effective: f64,
    /// Of the path of the step size, and its damping.
    step: f64,
    damping: f64,
    /// Of the path of the covariance, of its rank-one and rank-μ updates.
    path: f64,
    one: f64,
    many: f64,
    /// Mean length of a normal vector.
    normal_length: f64,
}

impl Rates {
    fn new(dimension: usize, population: usize) -> Self {
        let n = dimension as f64;
        let half = (population as f64 + 1.0) / 2.0;
        let raw = (1..=population / 2).map(|rank| half.ln() - (rank as f64).ln());
        let raw: Vec<f64> = raw.collect();
        let sum: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|w| w / sum).collect();
        let effective = 1.0 / weights.iter().map(|w| w * w).sum::<f64>();
        let step = (effective + 2.0) / (n + effective + 5.0);
        let one = 2.0 / ((n + 1.3).powi(2) + effective);
        let many = 2.0 * (effective - 2.0 + 1.0 / effective) / ((n + 2.0).powi(2) + effective);
        let excess = ((effective - 1.0) / (n + 1.0)).sqrt() - 1.0;
        Rates {
            weights,
            effective,
            step,
            damping: 1.0 + 2.0 * excess.max(0.0) + step,
            path: (4.0 + effective / n) / (n + 4.0 + 2.0 * effective / n),
            one,
            many: many.min(1.0 - one),
            normal_length: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
        }
    }
}

/// A normal distribution that learns.
pub(super) struct Distribution {
    rates: Rates,
    generation: usize,
    mean: Vec<f64>,
    /// The step size σ.
    sigma: f64,
    covariance: Vec<Vec<f64>>,
    /// Columns are the axes of the covariance's ellipsoid, and these their lengths.
    axes: Vec<Vec<f64>>,
    lengths: Vec<f64>,
    step_path: Vec<f64>,
    covariance_path: Vec<f64>,
}

impl Distribution {
    pub fn new(mean: Vec<f64>, sigma: f64, population: usize) -> Self {
        let n = mean.len();
        let identity = |i: usize| (0..n).map(move |j| f64::from(u8::from(i == j))).collect();
        let identity: Vec<Vec<f64>> = (0..n).map(identity).collect();
        Distribution {
            rates: Rates::new(n, population),
            generation: 0,
            mean,
            sigma,
            covariance: identity.clone(),
            axes: identity,
            lengths: vec![1.0; n],
            step_path: vec![0.0; n],
            covariance_path: vec![0.0; n],
        }
    }

    /// Draws a point.
    pub fn sample(&self, random: &mut Random) -> Vec<f64> {
        let stretched: Vec<f64> = self.lengths.iter().map(|d| d * random.normal()).collect();
        let offset = multiply(&self.axes, &stretched);
        let pairs = self.mean.iter().zip(&offset);
        pairs.map(|(m, y)| m + self.sigma * y).collect()
    }

    /// The largest standard deviation along an axis.
    pub fn largest_deviation(&self) -> f64 {
        self.sigma * self.lengths.iter().copied().fold(0.0, f64::max)
    }

    /// Whether one axis is so much longer than another that rounding spoils the directions.
    pub fn is_degenerate(&self) -> bool {
        let smallest = self.lengths.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = self.lengths.iter().copied().fold(0.0, f64::max);
        !(self.sigma.is_finite() && largest.is_finite() && largest < 1e7 * smallest)
    }

    /// Learns from a generation's points, sorted from the best to the worst.
    pub fn learn(&mut self, sorted: &[Vec<f64>]) {
        self.generation += 1;
        let steps = self.normalised_steps(sorted);
        let n = self.mean.len();
        let mean_step: Vec<f64> = (0..n)
            .map(|k| {
                self.rates
                    .weights
                    .iter()
                    .zip(&steps)
                    .map(|(w, y)| w * y[k])
                    .sum()
            })
            .collect();
        for (m, y) in self.mean.iter_mut().zip(&mean_step) {
            *m += self.sigma * y;
        }
        let path_is_short = self.follow(&mean_step);
        self.update_covariance(&steps, path_is_short);
        let length = norm(&self.step_path) / self.rates.normal_length;
        let growth = self.rates.step / self.rates.damping * (length - 1.0);
        self.sigma *= growth.min(1.0).exp();
        let (squares, axes) = eigenvectors(self.covariance.clone());
        self.lengths = squares
            .iter()
            .map(|square| square.max(0.0).sqrt())
            .collect();
        self.axes = axes;
    }

    /// The steps from the mean to the best points, in units of σ.
    fn normalised_steps(&self, sorted: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let step = |point: &Vec<f64>| {
            let pairs = point.iter().zip(&self.mean);
            pairs.map(|(x, m)| (x - m) / self.sigma).collect()
        };
        let best = &sorted[..self.rates.weights.len().min(sorted.len())];
        best.iter().map(step).collect()
    }

    /// Adds the step of the mean to both paths. Answers whether the path of the step size is of usual length; while it is
    /// too long, the covariance must not learn the direction of a step that is only too short.
    fn follow(&mut self, mean_step: &[f64]) -> bool {
        let rates = &self.rates;
        let n = mean_step.len() as f64;
        // C^(−1/2) of the step.
        let turned: Vec<f64> = (0..mean_step.len())
            .map(|k| {
                (0..mean_step.len())
                    .map(|i| self.axes[i][k] * mean_step[i])
                    .sum()
            })
            .collect();
        let scaled: Vec<f64> = turned
            .iter()
            .zip(&self.lengths)
            .map(|(t, d)| t / d)
            .collect();
        let white = multiply(&self.axes, &scaled);
        let gain = (rates.step * (2.0 - rates.step) * rates.effective).sqrt();
        for (p, w) in self.step_path.iter_mut().zip(&white) {
            *p = (1.0 - rates.step) * *p + gain * w;
        }
        let remembered = 1.0 - (1.0 - rates.step).powi(2 * self.generation as i32);
        let length = norm(&self.step_path) / remembered.sqrt();
        let is_short = length < (1.4 + 2.0 / (n + 1.0)) * rates.normal_length;
        let gain = (rates.path * (2.0 - rates.path) * rates.effective).sqrt();
        for (p, y) in self.covariance_path.iter_mut().zip(mean_step) {
            *p = (1.0 - rates.path) * *p + if is_short { gain * y } else { 0.0 };
        }
        is_short
    }

    fn update_covariance(&mut self, steps: &[Vec<f64>], path_is_short: bool) {
        let rates = &self.rates;
        let n = self.mean.len();
        // What the path lost when it was not followed is left in the matrix.
        let lost = if path_is_short {
            0.0
        } else {
            rates.one * rates.path * (2.0 - rates.path)
        };
        let kept = 1.0 - rates.one - rates.many + lost;
        for i in 0..n {
            for j in 0..=i {
                let path = self.covariance_path[i] * self.covariance_path[j];
                let weighted = rates.weights.iter().zip(steps);
                let many: f64 = weighted.map(|(w, y)| w * y[i] * y[j]).sum();
                let entry = kept * self.covariance[i][j] + rates.one * path + rates.many * many;
                self.covariance[i][j] = entry;
                self.covariance[j][i] = entry;
            }
        }
    }
}

fn multiply(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    let product = |row: &Vec<f64>| row.iter().zip(vector).map(|(a, x)| a * x).sum();
    matrix.iter().map(product).collect()
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}
