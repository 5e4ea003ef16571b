//! Seams: stitches that draw two edges of cloth together, and hold them.
//!
//! A stitch is a thread between a node and another node, or a point of an edge: with weights `wᵢ` that add up
//! to nothing, `d = Σ wᵢ xᵢ` leads from one end to the other. It pulls when it is longer than its present
//! length `l(t)` and does nothing while it is slack. With `n = d/|d|`, stiffness `k` (N/m) and damping `c`
//! (N·s/m), while `|d| > l`:
//!
//! * energy `½ k (|d| − l)²`
//! * force on node `i`: `−wᵢ [k (|d| − l) + c n·ḋ] n`; for a thread without length `−wᵢ (k d + c ḋ)`
//! * `K_ij = wᵢ wⱼ k [n nᵀ + (1 − l/|d|)(I − n nᵀ)]`, `D_ij = wᵢ wⱼ c n nᵀ`, or `c I` without length
//!
//! Both are positive semi-definite, because a thread that pulls is longer than `l`. The length shrinks from
//! what the stitch spans at the start to the seam's gap, `l(t) = g + max(0, l₀ − g) s(t)`, with `s` falling
//! from 1 to 0 while the seam is closed.
//!
//! Since the lengths are functions of time alone, a seam has nothing to remember.

mod sew;

pub use sew::{SeamError, SeamPath};

use super::element::{Elements, Local, Weights};
use super::{Memory, Visitor};
use glam::{DMat3, DVec3};

/// When a seam closes: from `from` until `until` (s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closing {
    /// When threads begin to shorten (s).
    pub from: f64,
    /// When they have (s).
    pub until: f64,
}

impl Closing {
    /// The share of the way that is left at a time: 1 before, 0 after, without a jerk in between.
    pub fn left(&self, time: f64) -> f64 {
        if time >= self.until {
            return 0.0;
        }
        let s = ((time - self.from) / (self.until - self.from)).max(0.0);
        1.0 - s * s * (3.0 - 2.0 * s)
    }
}

/// What a seam is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thread {
    /// When it closes.
    pub closing: Closing,
    /// What is left between the edges (m).
    pub gap: f64,
    /// Stiffness of a metre of seam (N/m²): the pull per length of seam, per opening.
    pub stiffness: f64,
    /// Damping over stiffness (s).
    pub damping_time: f64,
}

/// A thread between points on `N` nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stitch<const N: usize> {
    nodes: [u32; N],
    /// Those of one end add up to 1, those of the other to −1.
    weights: [f64; N],
    /// `l₀` (m).
    length: f64,
    /// `k` (N/m).
    stiffness: f64,
}

/// Two edges of cloth sewn together.
#[derive(Clone, Debug, PartialEq)]
pub struct Seam {
    /// Node to node.
    pairs: Vec<Stitch<2>>,
    /// Node to a point of an edge.
    points: Vec<Stitch<3>>,
    thread: Thread,
}

impl Seam {
    /// How many stitches it has.
    pub fn stitches(&self) -> usize {
        self.pairs.len() + self.points.len()
    }

    /// What is left between its edges when it is closed (m).
    pub fn gap(&self) -> f64 {
        self.thread.gap
    }

    /// The farthest that a stitch is open (m).
    pub fn opening(&self, positions: &[DVec3]) -> f64 {
        let pairs = self.pairs.iter().map(|s| s.span(&s.at(positions)).length());
        let points = self.points.iter();
        let points = points.map(|s| s.span(&s.at(positions)).length());
        pairs.chain(points).fold(0.0, f64::max)
    }

    /// Pairs of nodes to draw as its threads: of stitches to a point of an edge, the node and the nearer end.
    pub fn threads(&self) -> impl Iterator<Item = [u32; 2]> {
        let near = |s: &Stitch<3>| match s.weights[1].abs() >= s.weights[2].abs() {
            true => [s.nodes[0], s.nodes[1]],
            false => [s.nodes[0], s.nodes[2]],
        };
        self.joined().chain(self.points.iter().map(near))
    }

    /// A node of the one edge and one of the other.
    pub(crate) fn sides(&self) -> Option<[u32; 2]> {
        let pair = self.pairs.first().map(|s| s.nodes);
        pair.or_else(|| self.points.first().map(|s| [s.nodes[0], s.nodes[1]]))
    }

    /// Nodes that are sewn to each other directly.
    pub(crate) fn joined(&self) -> impl Iterator<Item = [u32; 2]> {
        self.pairs.iter().map(|s| s.nodes)
    }

    /// Nodes that are sewn to a point of an edge: the node, then the ends of the edge.
    pub(crate) fn attached(&self) -> impl Iterator<Item = [u32; 3]> {
        self.points.iter().map(|s| s.nodes)
    }

    /// Shows its stitches as they are at a time.
    pub(super) fn visit(&self, memory: &Memory, visitor: &mut impl Visitor) {
        let left = if memory.sewn {
            0.0
        } else {
            self.thread.closing.left(memory.time)
        };
        let thread = self.thread;
        visitor.elements(&Threads {
            stitches: &self.pairs,
            thread,
            left,
        });
        visitor.elements(&Threads {
            stitches: &self.points,
            thread,
            left,
        });
    }
}

impl<const N: usize> Stitch<N> {
    fn at(&self, positions: &[DVec3]) -> [DVec3; N] {
        self.nodes.map(|n| positions[n as usize])
    }

    /// `Σ wᵢ xᵢ`.
    fn span(&self, values: &[DVec3; N]) -> DVec3 {
        // Relative to one of them, for the digits of cloth far from the origin; the weights add up to
        // nothing.
        let parts = self.weights.iter().zip(values);
        parts.map(|(&w, &x)| w * (x - values[0])).sum()
    }
}

/// Stitches at a moment.
struct Threads<'a, const N: usize> {
    stitches: &'a [Stitch<N>],
    thread: Thread,
    /// `s(t)`.
    left: f64,
}

/// A thread that pulls.
struct Taut {
    /// `n`, if it has a length.
    direction: Option<DVec3>,
    /// `|d| − l` and `1 − l/|d|`.
    excess: f64,
    transverse: f64,
}

impl<const N: usize> Threads<'_, N> {
    /// `l(t)` (m).
    fn length(&self, stitch: &Stitch<N>) -> f64 {
        let gap = self.thread.gap;
        gap + (stitch.length - gap).max(0.0) * self.left
    }

    /// What pulls, if it does.
    fn taut(&self, stitch: &Stitch<N>, span: DVec3) -> Option<Taut> {
        let rest = self.length(stitch);
        let length = span.length();
        if rest == 0.0 {
            return Some(Taut {
                direction: None,
                excess: length,
                transverse: 1.0,
            });
        }
        (length > rest).then(|| Taut {
            direction: Some(span / length),
            excess: length - rest,
            transverse: 1.0 - rest / length,
        })
    }
}

/// `n nᵀ`.
fn square(n: DVec3) -> DMat3 {
    DMat3::from_cols(n * n.x, n * n.y, n * n.z)
}

impl<const N: usize> Elements<N> for Threads<'_, N> {
    fn count(&self) -> usize {
        self.stitches.len()
    }

    fn nodes(&self, element: usize) -> [u32; N] {
        self.stitches[element].nodes
    }

    fn value(&self, element: usize, x: &[DVec3; N]) -> f64 {
        let stitch = &self.stitches[element];
        let taut = self.taut(stitch, stitch.span(x));
        taut.map_or(0.0, |t| 0.5 * stitch.stiffness * t.excess * t.excess)
    }

    fn force(&self, element: usize, x: &[DVec3; N], v: &[DVec3; N]) -> [DVec3; N] {
        let weights = Weights {
            stiffness: 0.0,
            damping: 0.0,
            ahead: 0.0,
        };
        self.linearise(element, x, v, &weights).force
    }

    fn linearise(
        &self,
        element: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
        weights: &Weights,
    ) -> Local<N> {
        let stitch = &self.stitches[element];
        let (span, speed) = (stitch.span(x), stitch.span(v));
        let Some(taut) = self.taut(stitch, span) else {
            return Local::default();
        };
        let stiffness = stitch.stiffness;
        let damping = self.thread.damping_time * stiffness;
        let along = taut.direction.map_or(DMat3::IDENTITY, square);
        let across = DMat3::IDENTITY - along;
        let elastic = stiffness * (along + taut.transverse * across);
        let viscous = damping * along;
        let pull = match taut.direction {
            Some(direction) => stiffness * taut.excess * direction,
            None => stiffness * span,
        };
        let pull = pull + viscous * speed + weights.ahead * (elastic * speed);
        let block = weights.stiffness * elastic + weights.damping * viscous;
        let w = &stitch.weights;
        Local {
            force: w.map(|w| -w * pull),
            blocks: std::array::from_fn(|i| std::array::from_fn(|j| w[i] * w[j] * block)),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
