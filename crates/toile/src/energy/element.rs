//! What every kind of element answers: value, force, stiffness.
//!
//! An element joins `N` nodes. With `x` and `v` their positions and velocities, it stores the energy `W(x)`
//! and acts on its nodes with
//!
//! * the force `f(x, v) = −∂W/∂x + f_d(x, v)`, where `f_d` takes energy out of the motion, `f_d·v ≤ 0`
//! * the stiffness `K ≈ −∂f/∂x` and the damping `D ≈ −∂f/∂v`, both symmetric; positive semi-definite where
//!   the element promises it, because an implicit step's matrix `M + hD + h²K` must stay definite.
//!
//! A kind of element implements [`Elements`] once; forces and matrices of whole batches follow from it.

use glam::{DMat3, DVec3};

/// How much of stiffness and damping goes into an element's block of the matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Factor of `K` (s² for a block in kg).
    pub stiffness: f64,
    /// Factor of `D` (s for a block in kg).
    pub damping: f64,
    /// The time `τ` (s) by which the force looks ahead along the velocity: `f − τ K v`.
    pub ahead: f64,
}

/// An element seen from one configuration.
#[derive(Clone, Copy, Debug)]
pub struct Local<const N: usize> {
    /// `f − τ K v` on each node (N).
    pub force: [DVec3; N],
    /// `blocks[i][j]` for `j ≤ i` is the block of nodes `i` and `j` of `stiffness·K + damping·D`; the others
    /// are its transposes and are not read.
    pub blocks: [[DMat3; N]; N],
}

impl<const N: usize> Default for Local<N> {
    fn default() -> Self {
        Local {
            force: [DVec3::ZERO; N],
            blocks: [[DMat3::ZERO; N]; N],
        }
    }
}

impl<const N: usize> Local<N> {
    /// Hands over all of it, piece by piece.
    #[inline(always)]
    pub fn hand_over(&self, to: &mut impl Receiver<N>) {
        for (i, row) in self.blocks.iter().enumerate() {
            to.force(i, self.force[i]);
            for (j, block) in row.iter().enumerate().take(i + 1) {
                to.block(i, j, *block);
            }
        }
    }
}

/// Who takes what an element gives its nodes.
pub trait Receiver<const N: usize> {
    /// `f − τ K v` on a node (N).
    fn force(&mut self, node: usize, force: DVec3);

    /// The block of the nodes `i` and `j ≤ i`. All of them come row by row, each once.
    fn block(&mut self, i: usize, j: usize, block: DMat3);
}

/// A batch of elements of one kind.
pub trait Elements<const N: usize>: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// The nodes of an element, all different, numbered over the whole world.
    fn nodes(&self, element: usize) -> [u32; N];

    /// Stored energy (J).
    fn value(&self, element: usize, x: &[DVec3; N]) -> f64;

    /// Elastic and damping force on each node (N).
    fn force(&self, element: usize, x: &[DVec3; N], v: &[DVec3; N]) -> [DVec3; N];

    /// Force and blocks for an implicit step.
    fn linearise(
        &self,
        element: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
        weights: &Weights,
    ) -> Local<N>;

    /// The same, handed over piece by piece. Elements of many nodes do without the list of all blocks: it is ten kilobytes for twelve
    /// nodes, and to fill and copy it takes longer than what is in it.
    #[inline(always)]
    fn hand_over(
        &self,
        element: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
        weights: &Weights,
        to: &mut impl Receiver<N>,
    ) {
        self.linearise(element, x, v, weights).hand_over(to);
    }
}

#[cfg(test)]
#[allow(dead_code)] // until every kind goes through it
pub(crate) mod check {
    //! Finite-difference checks that every kind of element goes through.

    use super::*;

    /// Sixth-order difference quotient of a scalar or vector function of one coordinate.
    fn slope<T>(f: impl Fn(f64) -> T, e: f64) -> T
    where
        T: std::ops::Sub<Output = T> + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>,
    {
        let pair = |k: f64| f(k * e) - f(-k * e);
        (pair(1.0) * 0.75 + pair(2.0) * -0.15 + pair(3.0) * (1.0 / 60.0)) * (1.0 / e)
    }

    fn moved<const N: usize>(x: &[DVec3; N], node: usize, by: DVec3) -> [DVec3; N] {
        let mut y = *x;
        y[node] += by;
        y
    }

    /// Largest error of the elastic force against the slope of the energy, relative to the largest force.
    pub(crate) fn force_error<const N: usize>(
        elements: &impl Elements<N>,
        element: usize,
        x: &[DVec3; N],
        e: f64,
    ) -> f64 {
        let force = elements.force(element, x, &[DVec3::ZERO; N]);
        let scale = force.iter().map(|f| f.length()).fold(0.0, f64::max);
        let mut worst = 0.0f64;
        for node in 0..N {
            for axis in DVec3::AXES {
                let energy = |s: f64| elements.value(element, &moved(x, node, s * axis));
                worst = worst.max((force[node].dot(axis) + slope(energy, e)).abs());
            }
        }
        worst / scale
    }

    /// Largest error of the blocks against the slopes of the force, relative to the largest entry.
    /// `by_velocity` looks at `D`, otherwise at `K`. The velocities are `v`; note that `K` is the derivative
    /// of the whole force, so an element that leaves the damping force's share out of `K` is checked at rest.
    pub(crate) fn stiffness_error<const N: usize>(
        elements: &impl Elements<N>,
        element: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
        by_velocity: bool,
        e: f64,
    ) -> f64 {
        let weights = Weights {
            stiffness: f64::from(u8::from(!by_velocity)),
            damping: f64::from(u8::from(by_velocity)),
            ahead: 0.0,
        };
        let local = elements.linearise(element, x, v, &weights);
        let (mut worst, mut scale) = (0.0f64, 0.0f64);
        for i in 0..N {
            for j in 0..=i {
                for (k, axis) in DVec3::AXES.into_iter().enumerate() {
                    let push = |s: f64| {
                        let by = s * axis;
                        let (y, w) = if by_velocity {
                            (*x, moved(v, j, by))
                        } else {
                            (moved(x, j, by), *v)
                        };
                        elements.force(element, &y, &w)[i]
                    };
                    let expected = slope(push, e) * -1.0;
                    let column = local.blocks[i][j].col(k);
                    worst = worst.max((column - expected).abs().max_element());
                    scale = scale.max(expected.abs().max_element());
                }
            }
        }
        worst / scale
    }

    /// `force − τ K v` against the blocks' own product: how far the two disagree, relative to the larger.
    pub(crate) fn ahead_error<const N: usize>(
        elements: &impl Elements<N>,
        element: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
    ) -> f64 {
        let weights = |ahead| Weights {
            stiffness: 1.0,
            damping: 0.0,
            ahead,
        };
        let here = elements.linearise(element, x, v, &weights(0.0));
        let there = elements.linearise(element, x, v, &weights(0.3));
        let (mut worst, mut scale) = (0.0f64, 0.0f64);
        for i in 0..N {
            let mut product = DVec3::ZERO;
            for j in 0..N {
                product += if j <= i {
                    here.blocks[i][j] * v[j]
                } else {
                    here.blocks[j][i].transpose() * v[j]
                };
            }
            let expected = here.force[i] - 0.3 * product;
            worst = worst.max((there.force[i] - expected).length());
            scale = scale.max(expected.length());
        }
        worst / scale
    }

    /// Smallest value of `yᵀ blocks y / yᵀ y` over many directions; negative if the blocks are not positive
    /// semi-definite, relative to the largest.
    pub(crate) fn lowest_curvature<const N: usize>(local: &Local<N>) -> f64 {
        let apply = |y: &[DVec3; N]| -> [DVec3; N] {
            std::array::from_fn(|i| {
                (0..N)
                    .map(|j| {
                        if j <= i {
                            local.blocks[i][j] * y[j]
                        } else {
                            local.blocks[j][i].transpose() * y[j]
                        }
                    })
                    .sum()
            })
        };
        let norm = |y: &[DVec3; N]| y.iter().map(|p| p.length_squared()).sum::<f64>().sqrt();
        let iterate = |shift: f64| {
            let mut y: [DVec3; N] = std::array::from_fn(|i| {
                let s = i as f64 + 1.0;
                DVec3::new((1.3 * s).sin(), (2.1 * s).cos(), (0.7 * s).sin() + 0.2)
            });
            let mut value = 0.0;
            for _ in 0..3000 {
                let image = apply(&y);
                let z: [DVec3; N] = std::array::from_fn(|i| image[i] - shift * y[i]);
                value = y.iter().zip(&z).map(|(p, q)| p.dot(*q)).sum::<f64>() / norm(&y).powi(2);
                let length = norm(&z);
                if length == 0.0 {
                    return 0.0;
                }
                y = z.map(|p| p / length);
            }
            value
        };
        let largest = iterate(0.0).abs();
        // The power iteration on A − largest·I ends at the eigenvalue farthest below the largest.
        (iterate(largest) + largest) / largest
    }
}
