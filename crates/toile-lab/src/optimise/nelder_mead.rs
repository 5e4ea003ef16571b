//! The simplex method of Nelder and Mead (1965), in the form of Lagarias, Reeds, Wright and Wright (1998).
//!
//! A simplex of n + 1 points tumbles downhill: its worst point is reflected at the centre of the others, farther if that is
//! the best so far, less far if it is no good; if nothing helps, all points move towards the best one. The four points that a
//! step may need are evaluated at once, before it is known which of them is needed: with idle cores that costs no time.
//!
//! Points outside of the box are moved to its surface. A simplex can get flat that way, and it can get stuck anyway, so when
//! it has collapsed another one is started at the best point, half as large and turned.

use super::ledger::Ledger;
use super::{Minimum, Objective, OptimiseError, Settings, StopReason, check};
use crate::random::Random;

/// How far the points of a step lie from the centre, in units of the worst point's distance, and how far points are
/// drawn towards the best one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coefficients {
    /// 1, 2, ½, ½, as in the paper.
    Standard,
    /// 1, 1 + 2/n, ¾ − 1/(2n), 1 − 1/n, after Gao and Han (2012): less impatient with many parameters. With one or two
    /// they are those of the paper.
    #[default]
    Adaptive,
}

impl Coefficients {
    /// Expansion, contraction, shrinkage; reflection is 1.
    fn of_dimension(self, n: usize) -> [f64; 3] {
        let n = n.max(2) as f64;
        match self {
            Coefficients::Standard => [2.0, 0.5, 0.5],
            Coefficients::Adaptive => [1.0 + 2.0 / n, 0.75 - 0.5 / n, 1.0 - 1.0 / n],
        }
    }
}

/// A search downhill from a point.
#[derive(Clone, Debug, PartialEq)]
pub struct NelderMead {
    /// Where to start, in the unit cube.
    pub start: Vec<f64>,
    /// Edge length of the first simplex, at most 1.
    pub edge: f64,
    /// How often to start again when the simplex has collapsed.
    pub restarts: usize,
    /// How far steps go.
    pub coefficients: Coefficients,
}

impl NelderMead {
    /// A search with a first simplex of edge 0.2 and two restarts.
    pub fn new(start: Vec<f64>) -> Self {
        NelderMead {
            start,
            edge: 0.2,
            restarts: 2,
            coefficients: Coefficients::default(),
        }
    }

    /// Looks for a minimum.
    pub fn minimise(
        &self,
        objective: &mut dyn Objective,
        settings: &Settings,
    ) -> Result<Minimum, OptimiseError> {
        check(&self.start, self.edge)?;
        Ok(Ledger::keep(objective, settings, &self.start, |ledger| {
            self.search(ledger, settings)
        }))
    }

    /// Goes on until all restarts are used up, or until there is a reason to stop.
    fn search(&self, ledger: &mut Ledger, settings: &Settings) -> Result<(), StopReason> {
        let mut random = Random::new(settings.seed);
        let mut edge = self.edge;
        for round in 0..=self.restarts {
            let origin = ledger.best_point().unwrap_or(&self.start).to_vec();
            let directions = match round {
                0 => axes(origin.len()),
                _ => directions(&origin, edge, &mut random),
            };
            let mut simplex = Simplex::new(&origin, edge, &directions, ledger)?;
            while !simplex.has_collapsed(settings) {
                simplex.step(self.coefficients, ledger)?;
            }
            edge *= 0.5;
        }
        Ok(())
    }
}

struct Vertex {
    point: Vec<f64>,
    value: f64,
}

/// Points in the order of their values, the best one first.
struct Simplex {
    vertices: Vec<Vertex>,
}

impl Simplex {
    fn new(
        origin: &[f64],
        edge: f64,
        directions: &[Vec<f64>],
        ledger: &mut Ledger,
    ) -> Result<Self, StopReason> {
        let mut points = vec![origin.to_vec()];
        for direction in directions {
            // The side on which there is more room.
            let forward = along(origin, direction, edge);
            let backward = along(origin, direction, -edge);
            let room = |point: &[f64]| distance(origin, point);
            let forward_is_longer = room(&forward) >= room(&backward);
            points.push(if forward_is_longer { forward } else { backward });
        }
        let values = ledger.evaluate(&points)?;
        let pairs = points.into_iter().zip(values);
        let vertices = pairs.map(|(point, value)| Vertex { point, value });
        let mut simplex = Simplex {
            vertices: vertices.collect(),
        };
        simplex.sort();
        Ok(simplex)
    }

    /// The sort is stable, so that of equal points the older one is the better.
    fn sort(&mut self) {
        self.vertices.sort_by(|a, b| a.value.total_cmp(&b.value));
    }

    /// Whether points and values are the same within the tolerances; or the points by far, as the values of failed
    /// simulations and noisy ones never get to be the same.
    fn has_collapsed(&self, settings: &Settings) -> bool {
        let best = &self.vertices[0];
        let gaps = self.vertices[1..].iter().flat_map(|vertex| {
            let pairs = vertex.point.iter().zip(&best.point);
            pairs.map(|(a, b)| (a - b).abs())
        });
        let size = gaps.fold(0.0, f64::max);
        let spread = self.vertices[self.vertices.len() - 1].value - best.value;
        let same_value = spread <= settings.value_tolerance * best.value.abs().max(1e-12);
        let tolerance = settings.point_tolerance.max(1e-12);
        size <= tolerance * if same_value { 1.0 } else { 1e-3 }
    }

    fn step(&mut self, coefficients: Coefficients, ledger: &mut Ledger) -> Result<(), StopReason> {
        let n = self.vertices.len() - 1;
        let [expansion, contraction, shrinkage] = coefficients.of_dimension(n);
        let worst = &self.vertices[n];
        let centre: Vec<f64> = (0..n)
            .map(|k| self.vertices[..n].iter().map(|v| v.point[k]).sum::<f64>() / n as f64)
            .collect();
        let away: Vec<f64> = centre
            .iter()
            .zip(&worst.point)
            .map(|(c, w)| c - w)
            .collect();
        let lengths = [1.0, expansion, contraction, -contraction];
        let points = lengths.map(|length| along(&centre, &away, length));
        let values = evaluate_once(&points, ledger)?;
        let [reflected, expanded, outside, inside] = std::array::from_fn(|k| values[k]);
        let (best, second_worst) = (self.vertices[0].value, self.vertices[n - 1].value);
        let taken = if reflected < best {
            Some(if expanded < reflected { 1 } else { 0 })
        } else if reflected < second_worst {
            Some(0)
        } else if reflected < worst.value {
            (outside <= reflected).then_some(2)
        } else {
            (inside < worst.value).then_some(3)
        };
        match taken {
            Some(which) => {
                self.vertices[n] = Vertex {
                    point: points[which].clone(),
                    value: values[which],
                };
            }
            None => self.shrink(shrinkage, ledger)?,
        }
        self.sort();
        Ok(())
    }

    /// Moves all points towards the best one.
    fn shrink(&mut self, shrinkage: f64, ledger: &mut Ledger) -> Result<(), StopReason> {
        let best = &self.vertices[0].point;
        let moved = |vertex: &Vertex| -> Vec<f64> {
            let pairs = vertex.point.iter().zip(best);
            pairs.map(|(x, b)| b + shrinkage * (x - b)).collect()
        };
        let points: Vec<Vec<f64>> = self.vertices[1..].iter().map(moved).collect();
        let values = ledger.evaluate(&points)?;
        for (vertex, (point, value)) in self.vertices[1..]
            .iter_mut()
            .zip(points.into_iter().zip(values))
        {
            *vertex = Vertex { point, value };
        }
        Ok(())
    }
}

/// The point at a distance along a direction, moved to the surface of the cube if it is outside.
fn along(origin: &[f64], direction: &[f64], length: f64) -> Vec<f64> {
    let pairs = origin.iter().zip(direction);
    pairs
        .map(|(x, d)| (x + length * d).clamp(0.0, 1.0))
        .collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}

/// Evaluates points of which some may be the same, as points outside of the box end up on its surface.
fn evaluate_once(points: &[Vec<f64>], ledger: &mut Ledger) -> Result<Vec<f64>, StopReason> {
    let mut different: Vec<Vec<f64>> = Vec::new();
    let mut index = Vec::new();
    for point in points {
        let known = different.iter().position(|other| other == point);
        index.push(known.unwrap_or(different.len()));
        if known.is_none() {
            different.push(point.clone());
        }
    }
    let values = ledger.evaluate(&different)?;
    Ok(index.into_iter().map(|k| values[k]).collect())
}

fn axes(n: usize) -> Vec<Vec<f64>> {
    let axis = |k: usize| (0..n).map(move |j| f64::from(u8::from(j == k))).collect();
    (0..n).map(axis).collect()
}

/// Directions at right angles to each other, turned at random. Near the surface of the box they are the axes: turned ones
/// would be cut off, and could end up in one plane.
fn directions(origin: &[f64], edge: f64, random: &mut Random) -> Vec<Vec<f64>> {
    let n = origin.len();
    let mut result: Vec<Vec<f64>> = Vec::new();
    while result.len() < n {
        let mut direction: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        for other in &result {
            let overlap: f64 = direction.iter().zip(other).map(|(a, b)| a * b).sum();
            for (x, o) in direction.iter_mut().zip(other) {
                *x -= overlap * o;
            }
        }
        let length = distance(&direction, &vec![0.0; n]);
        // One that lies in the plane of the others is drawn again.
        if length > 1e-3 {
            result.push(direction.into_iter().map(|x| x / length).collect());
        }
    }
    let near_surface = origin.iter().any(|x| *x < edge || *x > 1.0 - edge);
    if near_surface { axes(n) } else { result }
}
