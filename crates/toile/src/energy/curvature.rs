//! Plates of triangles: bending by the curvature of each triangle, which follows from the angles at its
//! edges.
//!
//! A mesh of flat triangles bends at its edges alone. One hinge per edge
//! ([`cloth_hinges`](super::cloth_hinges)) makes each edge resist by itself; a plate of them is as stiff as
//! its rigidity says only if edges run evenly in all directions. Here a triangle `T` of area `A` has a
//! curvature, a symmetric 2×2 matrix. With the edges' rest lengths `l`, their normals `n` in the triangle's
//! rest plane and the angle `α` by which the surface turns between the inside of `T` and the middle of an
//! edge,
//!
//! `κ = 1/A Σ_e l_e α_e n_e n_eᵀ`
//!
//! which is Gauss's theorem for the second derivatives. The energy of an isotropic sheet of rigidity `D` is
//!
//! `E = ½ A D (κ₁₁² + κ₂₂² + 2κ₁₂²)`,
//!
//! Kirchhoff's plate without a coupling of its directions (Poisson's ratio 0), the same that a grid of quads
//! with hinges stores. With rigidities of warp and weft, `E = ½ A (D₁κ₁₁² + D₂κ₂₂² + (D₁ + D₂) κ₁₂²)` in the
//! frame of the warp; with measured curves the first two terms are their integrals.
//!
//! **Shares of an angle.** The whole angle `θ` of an edge is that of one side and the other, `θ = α + α'`.
//! This is the element of Morley (1968) with its normal slopes at the edges, in the form that Grinspun,
//! Gingold, Reisman and Zorin (2006) give it for surfaces. There the shares are unknowns; here they follow
//! from the angles nearby,
//!
//! `α = ½θ + δ, α' = ½θ − δ, δ = Σ c_a θ_a`
//!
//! over the up to five angles of the two triangles at the edge, with the shortest `c` that is right for every
//! constant curvature (`curvature/split.rs`). Two things follow from this form and both are needed:
//!
//! * a constant curvature has its exact energy, since then all `α` are exact;
//! * it is in equilibrium: with a constant moment `M` the energy's first variation is `Σ_e l_e (n·M n) δθ_e`,
//!   in which `δ` cancels and which depends on the rim alone.
//!
//! A curvature made of a triangle's own three angles can have only the first. On a grid of right triangles
//! whose diagonals alternate, such a sheet relaxes to half of its stiffness by moving every other node. All
//! `κ = 0` only if all `θ = 0`: there are no motions that bend and cost nothing.
//!
//! Where two triangles are a parallelogram `δ = 0`. So a triangle joins 6 nodes on grids cut one way, 8 on
//! alternating ones, and up to 12 on irregular meshes.
//!
//! **Free rims.** The share at an edge without a neighbour is whatever costs the least, which makes the
//! moment about the rim vanish. Edges towards quads count as rims here and have their hinge besides.
//!
//! **Stiffness for implicit steps.** `Σ_k A D_k ∇κ_k ∇κ_kᵀ` is positive semi-definite, and exact where there
//! is no moment; the exact one adds every angle's moment times `∂²θ/∂x²`. Damping with the time `τ` is
//! `τ A D_k κ̇_k ∇κ_k`.

mod cloth;
mod layout;
#[cfg(test)]
mod patches;
mod split;
#[cfg(test)]
mod tests;

pub use cloth::ClothCurvature;

use super::element::Receiver;
use super::hinge::{Fold, outer, wrapped};
use super::{BendLaw, Elements, HingeHessian, HingeMaterial, Local, Weights};
use glam::{DMat3, DVec3};

/// The most angles that a triangle's curvature depends on: those at its own edges and at those of its
/// neighbours.
pub(super) const MOST_ANGLES: usize = 9;

/// One angle in the curvature of a triangle.
#[derive(Clone, Copy, Debug, Default)]
struct Angle {
    /// Which of the cloth's hinges it is: where its rest angle stands.
    hinge: u32,
    /// Wings and ends of its fold among the element's nodes.
    points: [u8; 4],
    /// `∂κ/∂θ` (1/m) for `κ₁₁`, `κ₂₂` and `√2 κ₁₂`.
    weights: [f64; 3],
}

/// What does not change about a triangle.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Rest area (m²).
    area: f64,
    count: usize,
    angles: [Angle; MOST_ANGLES],
}

impl Shape {
    fn angles(&self) -> &[Angle] {
        &self.angles[..self.count]
    }
}

/// Triangles whose curvature depends on `N` nodes, with node numbers over the whole world.
#[derive(Clone, Debug)]
pub struct CurvatureBatch<const N: usize> {
    nodes: Vec<[u32; N]>,
    shapes: Vec<Shape>,
    law: BendLaw,
    damping_time: f64,
    hessian: HingeHessian,
}

impl<const N: usize> CurvatureBatch<N> {
    fn new(material: &HingeMaterial) -> Self {
        CurvatureBatch {
            nodes: Vec::new(),
            shapes: Vec::new(),
            law: material.law.clone(),
            damping_time: material.damping_time,
            hessian: material.hessian,
        }
    }

    /// How many triangles there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The triangles with the present rest angles (rad) of all hinges of the cloth.
    pub fn at_rest<'a>(&'a self, rest_angles: &'a [f64]) -> Curvatures<'a, N> {
        Curvatures {
            batch: self,
            rest_angles,
        }
    }

    /// Energy per area (N/m), moments (N) and slopes (N·m) for the curvatures `κ₁₁`, `κ₂₂`, `√2 κ₁₂` (1/m).
    fn answer(&self, curvature: [f64; 3]) -> Answer {
        let rigidity = self.law.rigidity();
        let linear = [rigidity[0], rigidity[1], 0.5 * (rigidity[0] + rigidity[1])];
        let mut answer = Answer {
            energy: 0.0,
            moment: [0.0; 3],
            slope: linear,
            rigidity: linear,
        };
        for k in 0..3 {
            match &self.law {
                BendLaw::Curve(curves) if k < 2 => {
                    let point = curves[k].at(curvature[k]);
                    answer.energy += point.integral;
                    answer.moment[k] = point.value;
                    answer.slope[k] = point.slope;
                }
                _ => {
                    answer.energy += 0.5 * linear[k] * curvature[k] * curvature[k];
                    answer.moment[k] = linear[k] * curvature[k];
                }
            }
        }
        answer
    }
}

/// What the law says to a curvature, per area.
struct Answer {
    energy: f64,
    moment: [f64; 3],
    slope: [f64; 3],
    /// Slopes about the flat sheet, which damping goes by.
    rigidity: [f64; 3],
}

/// Triangles and the present rest angles: the elements that forces are made of.
#[derive(Clone, Copy, Debug)]
pub struct Curvatures<'a, const N: usize> {
    batch: &'a CurvatureBatch<N>,
    rest_angles: &'a [f64],
}

/// A triangle seen from one configuration.
struct Bent<const N: usize> {
    /// `κ₁₁`, `κ₂₂`, `√2 κ₁₂` away from rest (1/m).
    curvature: [f64; 3],
    /// Their gradients (1/m²).
    gradients: [[DVec3; N]; 3],
}

impl<const N: usize> Bent<N> {
    /// How fast the curvatures change (1/ms).
    fn rates(&self, v: &[DVec3; N]) -> [f64; 3] {
        self.gradients
            .map(|gradient| gradient.iter().zip(v).map(|(g, v)| g.dot(*v)).sum())
    }

    /// `−Σ_k factor_k ∇κ_k`.
    fn force(&self, factors: [f64; 3]) -> [DVec3; N] {
        std::array::from_fn(|node| {
            let [a, b, c] = self.gradients.map(|gradient| gradient[node]);
            -(factors[0] * a + factors[1] * b + factors[2] * c)
        })
    }
}

impl<const N: usize> Curvatures<'_, N> {
    fn fold(angle: &Angle, x: &[DVec3; N]) -> Option<Fold> {
        Fold::new(&angle.points.map(|p| x[usize::from(p)]))
    }

    fn bent_by(&self, angle: &Angle, fold: &Fold) -> f64 {
        wrapped(fold.angle - self.rest_angles[angle.hinge as usize])
    }

    #[inline(never)] // there are nine sizes, and each visitor would have a copy of its own
    fn curvature(&self, element: usize, x: &[DVec3; N]) -> [f64; 3] {
        let mut curvature = [0.0; 3];
        for angle in self.batch.shapes[element].angles() {
            let Some(fold) = Self::fold(angle, x) else {
                continue;
            };
            let bent = self.bent_by(angle, &fold);
            for (sum, weight) in curvature.iter_mut().zip(angle.weights) {
                *sum += weight * bent;
            }
        }
        curvature
    }

    #[inline(never)]
    fn bent(&self, element: usize, x: &[DVec3; N]) -> Bent<N> {
        let mut all = Bent {
            curvature: [0.0; 3],
            gradients: [[DVec3::ZERO; N]; 3],
        };
        for angle in self.batch.shapes[element].angles() {
            let Some(fold) = Self::fold(angle, x) else {
                continue;
            };
            let bent = self.bent_by(angle, &fold);
            for (k, weight) in angle.weights.into_iter().enumerate() {
                all.curvature[k] += weight * bent;
                for (point, gradient) in angle.points.into_iter().zip(fold.gradient) {
                    all.gradients[k][usize::from(point)] += weight * gradient;
                }
            }
        }
        all
    }

    /// Adds `factor Σ_a m_a ∂²θ_a/∂x²` to blocks on and left of the diagonal, with the angles' moments `m`
    /// that follow from `moment` (N), and answers its product with `v`.
    #[inline(never)]
    fn add_turning(
        &self,
        element: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
        moment: [f64; 3],
        factor: f64,
        blocks: &mut [[DMat3; N]; N],
    ) -> [DVec3; N] {
        let shape = &self.batch.shapes[element];
        let mut product = [DVec3::ZERO; N];
        for angle in shape.angles() {
            let Some(fold) = Self::fold(angle, x) else {
                continue;
            };
            let [a, b, c] = angle.weights;
            let along = shape.area * (a * moment[0] + b * moment[1] + c * moment[2]);
            let hessian = fold.hessian();
            for (p, row) in angle.points.into_iter().zip(&hessian) {
                for (q, entry) in angle.points.into_iter().zip(row) {
                    let (p, q) = (usize::from(p), usize::from(q));
                    let entry = *entry * along;
                    product[p] += entry * v[q];
                    if q <= p {
                        blocks[p][q] += entry * factor;
                    }
                }
            }
        }
        product
    }
}

impl<const N: usize> Elements<N> for Curvatures<'_, N> {
    fn count(&self) -> usize {
        self.batch.len()
    }

    fn nodes(&self, element: usize) -> [u32; N] {
        self.batch.nodes[element]
    }

    fn value(&self, element: usize, x: &[DVec3; N]) -> f64 {
        let curvature = self.curvature(element, x);
        self.batch.shapes[element].area * self.batch.answer(curvature).energy
    }

    fn force(&self, element: usize, x: &[DVec3; N], v: &[DVec3; N]) -> [DVec3; N] {
        let bent = self.bent(element, x);
        let answer = self.batch.answer(bent.curvature);
        let (area, rates) = (self.batch.shapes[element].area, bent.rates(v));
        bent.force(std::array::from_fn(|k| {
            area * (answer.moment[k] + self.batch.damping_time * answer.rigidity[k] * rates[k])
        }))
    }

    fn linearise(
        &self,
        element: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
        weights: &Weights,
    ) -> Local<N> {
        let curved = self.gauss_newton(element, x, v, weights);
        let mut local = Local {
            force: curved.force,
            blocks: [[DMat3::ZERO; N]; N],
        };
        for (i, row) in local.blocks.iter_mut().enumerate() {
            for (j, block) in row.iter_mut().enumerate().take(i + 1) {
                *block = curved.block(i, j);
            }
        }
        if let Some(moment) = curved.turns {
            let (stiffness, blocks) = (weights.stiffness, &mut local.blocks);
            let product = self.add_turning(element, x, v, moment, stiffness, blocks);
            for (force, product) in local.force.iter_mut().zip(product) {
                *force -= weights.ahead * product;
            }
        }
        local
    }

    fn hand_over(
        &self,
        element: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
        weights: &Weights,
        to: &mut impl Receiver<N>,
    ) {
        if self.batch.hessian == HingeHessian::Exact {
            return self.linearise(element, x, v, weights).hand_over(to);
        }
        let curved = self.gauss_newton(element, x, v, weights);
        for i in 0..N {
            to.force(i, curved.force[i]);
            for j in 0..=i {
                to.block(i, j, curved.block(i, j));
            }
        }
    }
}

/// A triangle's force and stiffness, as far as its curvatures are linear in the positions.
struct GaussNewton<const N: usize> {
    force: [DVec3; N],
    /// Gradients of the curvatures (1/m²), and the same times their stiffness.
    gradients: [[DVec3; N]; 3],
    scaled: [[DVec3; N]; 3],
    /// The moments (N), if what they make of the curvatures' second derivatives is wanted.
    turns: Option<[f64; 3]>,
}

impl<const N: usize> GaussNewton<N> {
    /// `Σ_k factor_k ∇κ_k ∇κ_kᵀ` of two nodes.
    #[inline(always)]
    fn block(&self, i: usize, j: usize) -> DMat3 {
        let part = |k: usize| outer(self.scaled[k][i], self.gradients[k][j]);
        part(0) + part(1) + part(2)
    }
}

impl<const N: usize> Curvatures<'_, N> {
    #[inline(never)]
    fn gauss_newton(
        &self,
        element: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
        weights: &Weights,
    ) -> GaussNewton<N> {
        let bent = self.bent(element, x);
        let Answer {
            moment,
            mut slope,
            rigidity,
            ..
        } = self.batch.answer(bent.curvature);
        let exact = self.batch.hessian == HingeHessian::Exact;
        if !exact {
            slope = slope.map(|s| s.max(0.0));
        }
        let (area, rates) = (self.batch.shapes[element].area, bent.rates(v));
        let damping = rigidity.map(|d| self.batch.damping_time * d);
        let force = bent.force(std::array::from_fn(|k| {
            area * (moment[k] + (damping[k] + weights.ahead * slope[k]) * rates[k])
        }));
        let mut scaled = bent.gradients;
        for (k, gradient) in scaled.iter_mut().enumerate() {
            let factor = area * (weights.stiffness * slope[k] + weights.damping * damping[k]);
            gradient.iter_mut().for_each(|g| *g *= factor);
        }
        GaussNewton {
            force,
            gradients: bent.gradients,
            scaled,
            turns: exact.then_some(moment),
        }
    }
}
