//! Hinges: bending by the angle between two faces that share an edge.
//!
//! With the angle `θ` (`hinge/fold.rs`), its rest value `θ₀`, the energy `ψ(θ)` of a [`BendLaw`] and the
//! gradient `u = ∂θ/∂x`:
//!
//! * force `−(ψ' + τ c dθ/dt) u`, where `dθ/dt = Σ uᵢ·vᵢ` and `τ` (s) is the damping time
//! * stiffness `ψ'' u uᵀ + ψ' ∂²θ/∂x²`, damping matrix `τ c u uᵀ`
//!
//! after Baraff and Witkin (1998), Bridson, Marino and Fedkiw (2003) and Grinspun et al. (2003). `u` is
//! square to every rigid motion and to every motion within the faces, so momentum is kept and a flat sheet
//! may stretch freely.
//!
//! **Wing points.** A face bends about its edge by its wing point: a triangle's third corner, or the middle
//! of a quad's opposite side. No quad is cut into triangles. A hinge has four nodes between triangles, five
//! between a triangle and a quad, six between quads.
//!
//! **What a hinge stands for.** The wing points' heights `h₁`, `h₂` over the edge give the spacing
//! `ℓ = (h₁+h₂)/2`, so that a sheet bent to the curvature `κ` about the edge has `θ = κ ℓ`. The hinge stands
//! for the area `|e| ℓ`, and with the rigidity `D` its stiffness is `c = D |e|/ℓ`. For triangles that is
//! `D |e|²/(A₁+A₂)`, in a grid of square quads `D`. Edges between quads see the curvatures along the grid and
//! not its twist, so each quad has two more hinges, one about each diagonal `d`, with `ℓ = |d|`, the quad's
//! area `A` and so `c = D A/|d|²` (on a square, a quarter of what two triangles would have). A grid of
//! rectangles then stores `½D (κ_xx² + κ_yy² + 2κ_xy²)`.
//!
//! **How exact that is.** Stored energy over `½D κ²` per area, away from the rim, for sheets rolled on a
//! cylinder so that they curve in a direction at the given angle to the mesh's first axis (to which the
//! diagonals that go one way are at 45°), and beside it that of [`QuadraticBend`](super::QuadraticBend),
//! which hardly depends on the direction:
//!
//! | mesh | 0° | 30° | 45° | 90° | 135° | quadratic, all |
//! |---|---|---|---|---|---|---|
//! | square quads | 1.00 | 1.00 | 1.00 | 1.00 | 1.00 | 1.00 |
//! | quads 2:1 | 1.00 | 1.00 | 1.00 | 1.00 | 1.00 | 1.00 |
//! | shaken quads | 1.10 | 1.06 | 1.05 | 1.09 | 1.07 | 1.00 |
//! | right triangles, one way | 1.00 | 2.62 | 3.00 | 1.00 | 1.00 | 1.00 |
//! | right triangles, alternating | 1.00 | 1.38 | 1.50 | 1.00 | 1.50 | 1.00 |
//! | right triangles, herring-bone | 1.00 | 1.56 | 1.75 | 1.00 | 1.75 | 1.00 |
//! | equilateral triangles | 1.00 | 1.00 | 1.00 | 1.00 | 1.00 | 1.00 |
//! | irregular triangles | 1.04 | 1.04 | 1.04 | 1.04 | 1.04 | 1.00 |
//! | disc of quads in rings | 1.00 | 1.00 | 0.99 | 1.00 | 0.99 | 1.00 |
//!
//! A grid of right triangles whose diagonals all go one way is exact along its sides and across its
//! diagonals, and three times too stiff along the diagonals, where all three kinds of edges resist what the
//! diagonals' own hinges hold already. Shaken quads have their nodes moved by up to a fifth of a cell. Within
//! half a cell of the rim no edge sees a bend about the rim, so a sheet of `n` cells stores `(n−1)/n` of its
//! energy.
//!
//! **Stiffness for implicit steps.** Only `ψ'' u uᵀ` is positive semi-definite by itself. The rest,
//! `ψ' ∂²θ/∂x²`, has no trace: as much of it is negative as positive. To keep only the positive half makes a
//! bent sheet seem stiffer than it is, so the default leaves it out. A crumpled sheet of hinges alone comes
//! to rest in 7 to 10 Newton steps that way and in 24 or many more with the projection
//! (`hinge/convergence.rs`).

mod cloth;
#[cfg(test)]
mod cloth_tests;
#[cfg(test)]
mod convergence;
#[cfg(test)]
pub(super) mod cylinders;
mod fold;
mod law;
mod project;
#[cfg(test)]
pub(super) mod tests;

pub use cloth::{ClothHinges, HingeMaterial, RestAngles, RestAnglesError, cloth_hinges};
pub use law::{BendLaw, HingeShape};

use super::element::Receiver;
use super::{Elements, Local, Weights};
pub(super) use fold::{Fold, outer, wrapped};
use glam::{DMat3, DVec3};

/// Which stiffness a hinge gives to an implicit step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HingeHessian {
    /// `ψ'' u uᵀ` with `ψ'' ≥ 0`: positive semi-definite, the cheapest, and exact where the moment vanishes.
    #[default]
    GaussNewton,
    /// The exact one with its negative eigenvalues set to zero.
    Projected,
    /// The derivative of the force. Indefinite in a bent sheet.
    Exact,
}

/// Hinges of `N` nodes (4, 5 or 6) with node numbers over the whole world. Made by [`cloth_hinges`].
#[derive(Clone, Debug)]
pub struct HingeBatch<const N: usize> {
    /// One or two nodes of the first wing point, one or two of the second, the ends of the edge.
    nodes: Vec<[u32; N]>,
    shapes: Vec<HingeShape>,
    law: BendLaw,
    damping_time: f64,
    hessian: HingeHessian,
}

impl<const N: usize> HingeBatch<N> {
    fn new(material: &HingeMaterial) -> Self {
        HingeBatch {
            nodes: Vec::new(),
            shapes: Vec::new(),
            law: material.law.clone(),
            damping_time: material.damping_time,
            hessian: material.hessian,
        }
    }

    fn push(&mut self, nodes: [u32; N], shape: HingeShape) {
        self.nodes.push(nodes);
        self.shapes.push(shape);
    }

    /// How many hinges there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes of every hinge: those of the first wing point, those of the second, the ends of the edge.
    pub fn nodes(&self) -> &[[u32; N]] {
        &self.nodes
    }

    /// What every hinge stands for.
    pub fn shapes(&self) -> &[HingeShape] {
        &self.shapes
    }

    /// The hinges with their present rest angles (rad), one for each.
    pub fn at_rest<'a>(&'a self, rest_angles: &'a [f64]) -> Hinges<'a, N> {
        debug_assert_eq!(rest_angles.len(), self.len());
        Hinges {
            batch: self,
            rest_angles,
            first: 0,
        }
    }

    /// The angle of a hinge (rad) where its nodes are at `x`; zero where a face has no area.
    pub fn angle(&self, x: &[DVec3; N]) -> f64 {
        Fold::new(&points(x)).map_or(0.0, |fold| fold.angle)
    }
}

/// Hinges and their present rest angles: the elements that forces are made of.
#[derive(Clone, Copy, Debug)]
pub struct Hinges<'a, const N: usize> {
    batch: &'a HingeBatch<N>,
    rest_angles: &'a [f64],
    /// Those before this one are left out.
    first: usize,
}

/// The point of a hinge (wing, wing, end, end) that its `node`-th node belongs to, and with what weight.
fn place<const N: usize>(node: usize) -> (usize, f64) {
    let (first, second) = (if N > 5 { 2 } else { 1 }, if N > 4 { 2 } else { 1 });
    if node < first {
        (0, 1.0 / first as f64)
    } else if node < first + second {
        (1, 1.0 / second as f64)
    } else {
        (node - first - second + 2, 1.0)
    }
}

fn points<const N: usize>(x: &[DVec3; N]) -> [DVec3; 4] {
    let mut points = [DVec3::ZERO; 4];
    for (node, p) in x.iter().enumerate() {
        let (point, weight) = place::<N>(node);
        points[point] += weight * *p;
    }
    points
}

fn on_nodes<const N: usize>(of_points: &[DVec3; 4]) -> [DVec3; N] {
    std::array::from_fn(|node| {
        let (point, weight) = place::<N>(node);
        weight * of_points[point]
    })
}

/// `dθ/dt` (rad/s).
fn rate(gradient: &[DVec3; 4], velocities: &[DVec3; 4]) -> f64 {
    gradient
        .iter()
        .zip(velocities)
        .map(|(u, v)| u.dot(*v))
        .sum()
}

impl<const N: usize> Hinges<'_, N> {
    /// The same without the first `count` of them.
    pub(super) fn without_first(self, count: usize) -> Self {
        Hinges {
            first: self.first + count,
            ..self
        }
    }

    /// The moment, damping and what the force looks ahead included, and the factor of `u uᵀ`.
    #[inline(always)]
    fn gauss_newton(
        &self,
        element: usize,
        fold: &Fold,
        v: &[DVec3; N],
        weights: &Weights,
    ) -> (f64, f64) {
        let shape = &self.batch.shapes[self.first + element];
        let [moment, slope] =
            self.batch
                .law
                .moment(shape, fold.angle, self.rest_angles[self.first + element]);
        let turning = rate(&fold.gradient, &points(v));
        let damping = self.batch.damping_time * shape.stiffness;
        let slope = slope.max(0.0);
        (
            moment + (damping + weights.ahead * slope) * turning,
            weights.stiffness * slope + weights.damping * damping,
        )
    }

    /// `ψ'' u uᵀ + ψ' ∂²θ/∂x²` of the four points, as the batch wants it.
    fn stiffness(&self, fold: &Fold, moment: f64, slope: f64) -> [[DMat3; 4]; 4] {
        let mut blocks = fold.hessian();
        let u = &fold.gradient;
        for (i, row) in blocks.iter_mut().enumerate() {
            for (j, block) in row.iter_mut().enumerate() {
                *block = *block * moment + outer(u[i], u[j]) * slope;
            }
        }
        match self.batch.hessian {
            HingeHessian::Projected => project::without_negative(&blocks),
            HingeHessian::Exact | HingeHessian::GaussNewton => blocks,
        }
    }
}

impl<const N: usize> Elements<N> for Hinges<'_, N> {
    fn count(&self) -> usize {
        self.batch.len() - self.first
    }

    fn nodes(&self, element: usize) -> [u32; N] {
        self.batch.nodes[self.first + element]
    }

    fn value(&self, element: usize, x: &[DVec3; N]) -> f64 {
        let Some(fold) = Fold::new(&points(x)) else {
            return 0.0;
        };
        let shape = &self.batch.shapes[self.first + element];
        self.batch
            .law
            .energy(shape, fold.angle, self.rest_angles[self.first + element])
    }

    fn force(&self, element: usize, x: &[DVec3; N], v: &[DVec3; N]) -> [DVec3; N] {
        let Some(fold) = Fold::new(&points(x)) else {
            return [DVec3::ZERO; N];
        };
        let shape = &self.batch.shapes[self.first + element];
        let [moment, _] =
            self.batch
                .law
                .moment(shape, fold.angle, self.rest_angles[self.first + element]);
        let damping = self.batch.damping_time * shape.stiffness;
        let total = moment + damping * rate(&fold.gradient, &points(v));
        on_nodes(&fold.gradient.map(|u| -total * u))
    }

    fn linearise(
        &self,
        element: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
        weights: &Weights,
    ) -> Local<N> {
        let Some(fold) = Fold::new(&points(x)) else {
            return Local::default();
        };
        if self.batch.hessian == HingeHessian::GaussNewton {
            let (total, factor) = self.gauss_newton(element, &fold, v, weights);
            return Local {
                force: on_nodes(&fold.gradient.map(|u| -total * u)),
                blocks: rank_one(&on_nodes(&fold.gradient), factor),
            };
        }
        let shape = &self.batch.shapes[self.first + element];
        let [moment, slope] =
            self.batch
                .law
                .moment(shape, fold.angle, self.rest_angles[self.first + element]);
        let (u, velocities) = (&fold.gradient, points(v));
        let turning = rate(u, &velocities);
        let damping = self.batch.damping_time * shape.stiffness;
        let along = weights.damping * damping;
        let stiffness = self.stiffness(&fold, moment, slope);
        let total = moment + damping * turning;
        let force = std::array::from_fn(|i| {
            let ahead: DVec3 = (0..4).map(|j| stiffness[i][j] * velocities[j]).sum();
            -total * u[i] - weights.ahead * ahead
        });
        let mut blocks = rank_one(&on_nodes(u), along);
        for (i, row) in blocks.iter_mut().enumerate() {
            let (p, weight) = place::<N>(i);
            for (j, block) in row.iter_mut().enumerate().take(i + 1) {
                let (q, other) = place::<N>(j);
                *block += stiffness[p][q] * (weights.stiffness * weight * other);
            }
        }
        Local {
            force: on_nodes(&force),
            blocks,
        }
    }

    fn hand_over(
        &self,
        element: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
        weights: &Weights,
        to: &mut impl Receiver<N>,
    ) {
        if self.batch.hessian != HingeHessian::GaussNewton {
            return self.linearise(element, x, v, weights).hand_over(to);
        }
        let Some(fold) = Fold::new(&points(x)) else {
            return Local::default().hand_over(to);
        };
        let (total, factor) = self.gauss_newton(element, &fold, v, weights);
        let u: [DVec3; N] = on_nodes(&fold.gradient);
        let force: [DVec3; N] = on_nodes(&fold.gradient.map(|u| -total * u));
        let scaled = u.map(|u| factor * u);
        for i in 0..N {
            to.force(i, force[i]);
            for j in 0..=i {
                to.block(i, j, outer(u[i], scaled[j]));
            }
        }
    }
}

/// The blocks of `factor · u uᵀ` on and left of the diagonal.
fn rank_one<const N: usize>(u: &[DVec3; N], factor: f64) -> [[DMat3; N]; N] {
    let mut blocks = [[DMat3::ZERO; N]; N];
    for (i, row) in blocks.iter_mut().enumerate() {
        for (j, block) in row.iter_mut().enumerate().take(i + 1) {
            *block = outer(u[i], factor * u[j]);
        }
    }
    blocks
}
