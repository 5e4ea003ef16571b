//! Cloth that buckles at once (Choi and Ko, *Stable but responsive cloth*, SIGGRAPH 2002).
//!
//! Two kinds of pairs of nodes, both acting along the line between them. With the distance `d` and the rest
//! length `L`:
//!
//! * **tension** (type 1: edges and cross edges): a spring `T = k (d/L − 1)` where `d > L`, nothing where
//!   `d < L`;
//! * **buckling** (type 2: neighbours that face each other over a node or an edge): nothing where `d > L`.
//!   Where `d < L` the ribbon between the two does not shorten but bends into an arc of curvature `κ`,
//!   `sinc(κL/2) = d/L`, with the energy `½ k_b L κ²` and the tension
//!   `T = k_b κ² / (cos(κL/2) − sinc(κL/2))`. (That is the derivative of the energy by `d`; it has been
//!   checked, no factor is missing.) It would begin with a jump to `−12 k_b/L²`, so near `d = L` it is
//!   bounded by the line: `T = max(T_arc, c_b (d − L))`.
//!
//! One interaction covers compression and bending: there is no load to be built up before the cloth gives
//! way, which is what makes other models stiff or unstable there. The energy is the integral of the bounded
//! tension and has a continuous slope: `½ c_b (L − d)²` up to the onset, then the arc's energy less a
//! constant.
//!
//! The stiffness along the pair is `T'(d) ≥ 0`; the transverse part `T/d` is kept under tension and left out
//! under compression, where it is negative. Damping acts along the pair: `τ k/L` for tension,
//! `τ · 7.2 k_b/L³` for buckling (7.2 is the arc's own stiffness when it is straight).
//!
//! Limits: where the nodes of a pair coincide there is no direction, hence no force. At `d → 0` the arc is a
//! closed circle and pushes with `4π² k_b/L²`, a small finite force: nothing but contact keeps a face from
//! collapsing. The rest state is flat. [`choi_ko`] says how the pairs get their rigidity.

mod arc;
mod cloth;
#[cfg(test)]
mod tests;

pub use cloth::{ChoiKo, ChoiKoMaterial, choi_ko};

use super::element::{Elements, Local, Weights};
use glam::{DMat3, DVec3};

/// `c_b L³/k_b` is at least this: even a ribbon that resists stretching less than bending has buckled when it
/// is a tenth shorter. It is steeper than the arc at its steepest, `12π²`, so line and arc meet exactly once.
const LEAST_LINE: f64 = 120.0;

/// What a pair does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Law {
    /// `k/L` (N/m).
    Tension { slope: f64 },
    Buckling {
        /// `k_b` (N·m²).
        rigidity: f64,
        /// `c_b` (N/m).
        line: f64,
        /// Shortening `1 − d/L` at which the arc takes over from the line.
        onset: f64,
        /// Arc's energy less the line's at the onset (J).
        surplus: f64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    nodes: [u32; 2],
    rest_length: f64,
    /// N·s/m.
    damping: f64,
    law: Law,
}

/// Pairs of both kinds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChoiKoBatch {
    pairs: Vec<Pair>,
}

impl ChoiKoBatch {
    /// An empty batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a pair that resists tension: rest length (m), stiffness `k` (N), damping (N·s/m).
    pub fn add_tension(&mut self, nodes: [u32; 2], rest_length: f64, stiffness: f64, damping: f64) {
        let law = Law::Tension {
            slope: stiffness / rest_length,
        };
        self.pairs.push(Pair {
            nodes,
            rest_length,
            damping,
            law,
        });
    }

    /// Adds a pair that buckles: rest length (m), rigidity `k_b > 0` (N·m²), slope `c_b` of the line (N/m;
    /// raised to `120 k_b/L³` if it is less), damping (N·s/m).
    pub fn add_buckling(
        &mut self,
        nodes: [u32; 2],
        rest_length: f64,
        rigidity: f64,
        line: f64,
        damping: f64,
    ) {
        let unit = rigidity / rest_length.powi(3);
        let line = line.max(LEAST_LINE * unit);
        // In units of k_b/L³ the line's force is γ ε; the arc's grows more slowly, so ε ← arc/γ contracts.
        let ratio = line / unit;
        let mut onset = 12.0 / ratio;
        for _ in 0..40 {
            let before = onset;
            onset = -arc::tension(arc::half_angle_squared(onset)).0 / ratio;
            if (onset - before).abs() <= 1e-15 * onset {
                break;
            }
        }
        let on_arc = rigidity / rest_length * arc::energy(arc::half_angle_squared(onset));
        let surplus = on_arc - 0.5 * line * (onset * rest_length).powi(2);
        let law = Law::Buckling {
            rigidity,
            line,
            onset,
            surplus,
        };
        self.pairs.push(Pair {
            nodes,
            rest_length,
            damping,
            law,
        });
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}

impl Pair {
    /// Stored energy (J) at the distance `d` (m).
    fn energy(&self, d: f64) -> f64 {
        let gap = self.rest_length - d;
        match self.law {
            Law::Tension { slope } => 0.5 * slope * gap.min(0.0).powi(2),
            Law::Buckling { .. } if gap <= 0.0 => 0.0,
            Law::Buckling {
                rigidity,
                line,
                onset,
                surplus,
            } => {
                let shortening = gap / self.rest_length;
                if shortening <= onset {
                    return 0.5 * line * gap * gap;
                }
                let angle = arc::half_angle_squared(shortening);
                rigidity / self.rest_length * arc::energy(angle) - surplus
            }
        }
    }

    /// Tension (N) and its slope (N/m) at the distance `d` (m).
    fn tension(&self, d: f64) -> (f64, f64) {
        let gap = self.rest_length - d;
        match self.law {
            Law::Tension { slope } if gap < 0.0 => (-slope * gap, slope),
            Law::Buckling {
                rigidity,
                line,
                onset,
                ..
            } if gap > 0.0 => {
                let shortening = gap / self.rest_length;
                if shortening <= onset {
                    return (-line * gap, line);
                }
                let (tension, slope) = arc::tension(arc::half_angle_squared(shortening));
                let unit = rigidity / self.rest_length.powi(2);
                (unit * tension, unit / self.rest_length * slope)
            }
            _ => (0.0, 0.0),
        }
    }
}

impl Elements<2> for ChoiKoBatch {
    fn count(&self) -> usize {
        self.pairs.len()
    }

    fn nodes(&self, element: usize) -> [u32; 2] {
        self.pairs[element].nodes
    }

    fn value(&self, element: usize, x: &[DVec3; 2]) -> f64 {
        self.pairs[element].energy(x[0].distance(x[1]))
    }

    fn force(&self, element: usize, x: &[DVec3; 2], v: &[DVec3; 2]) -> [DVec3; 2] {
        let pair = &self.pairs[element];
        let (direction, distance) = (x[1] - x[0]).normalize_and_length();
        if distance == 0.0 {
            return [DVec3::ZERO; 2]; // no direction to push in
        }
        let opening = (v[1] - v[0]).dot(direction);
        let pull = (pair.tension(distance).0 + pair.damping * opening) * direction;
        [pull, -pull]
    }

    fn linearise(
        &self,
        element: usize,
        x: &[DVec3; 2],
        v: &[DVec3; 2],
        weights: &Weights,
    ) -> Local<2> {
        let pair = &self.pairs[element];
        let (direction, distance) = (x[1] - x[0]).normalize_and_length();
        if distance == 0.0 {
            return Local::default();
        }
        let (tension, slope) = pair.tension(distance);
        let along = DMat3::from_cols(
            direction * direction.x,
            direction * direction.y,
            direction * direction.z,
        );
        let transverse = (tension / distance).max(0.0);
        let stiffness = transverse * (DMat3::IDENTITY - along) + slope * along;
        let relative = v[1] - v[0];
        let pull = (tension + pair.damping * relative.dot(direction)) * direction
            + weights.ahead * (stiffness * relative);
        let block = weights.stiffness * stiffness + weights.damping * pair.damping * along;
        Local {
            force: [pull, -pull],
            blocks: [[block, -block], [-block, block]],
        }
    }
}
