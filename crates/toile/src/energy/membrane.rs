//! What cloth stores when it is stretched and sheared in its plane.
//!
//! A face maps its flat rest coordinates `ū` (warp along the first axis, weft along the second) into space.
//! The columns of that map's gradient, `w_u = ∂x/∂ū₁ = Σ aᵢ xᵢ` and `w_v = ∂x/∂ū₂ = Σ bᵢ xᵢ`, say all that a
//! membrane feels: their lengths are the stretch of warp and weft, the angle between them is the shear. With
//! an energy density `ψ(w_u, w_v)` (J/m²) and an integration point that stands for the rest area `A`,
//!
//! * energy `A ψ`
//! * force on node `i`: `−A (aᵢ ∂ψ/∂w_u + bᵢ ∂ψ/∂w_v)`
//! * stiffness `K_ij = A (aᵢaⱼ H_uu + aᵢbⱼ H_uv + bᵢaⱼ H_uvᵀ + bᵢbⱼ H_vv)` with the second derivatives `H` of
//!   `ψ`
//!
//! A triangle has one such point, because its gradient is constant. A quad is the bilinear element with 2×2
//! Gauss points in its own rest coordinates; it is never cut into triangles, so neither diagonal is
//! preferred.
//!
//! Three laws fill in `ψ`: [`BaraffWitkin`] (three stiffnesses), [`Kawabata`] (measured curves) and
//! [`TensionField`] (three stiffnesses, and folds too small for the mesh). All depend
//! on `w_u` and `w_v` only through lengths and the angle between them. So rigid motions cost nothing, and
//! forces keep linear and angular momentum to rounding. Uniform strain of a flat cloth gives the same energy
//! on every mesh.

mod baraff_witkin;
mod gradient;
mod kawabata;
mod point;
mod tension_field;
#[cfg(test)]
mod tests;

pub use baraff_witkin::BaraffWitkin;
pub use kawabata::Kawabata;
pub use tension_field::{BUCKLING, TensionField};

use super::{Elements, Local, Weights};
use crate::mesh::{Face, RestShape, Topology};
use glam::DVec3;
use gradient::Law;
use point::{Blocks, Point};
use thiserror::Error;

/// Which second derivatives an implicit step sees. The force is the same in all three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hessian {
    /// The exact second derivatives. Compressed or sheared cloth makes them indefinite: for a static
    /// minimiser with its own safeguards, and for tests.
    Exact,
    /// The exact derivatives of each term (warp, weft, shear) without their negative eigenvalues; positive
    /// semi-definite everywhere. The terms are projected one by one and not their sum: each then has a closed
    /// form, where the sum would need the eigenvectors of a 6×6 matrix. The price is that shear keeps its
    /// projected part where tension alone would have made the sum definite.
    #[default]
    Projected,
    /// Only the products of first derivatives: positive semi-definite, cheapest, and blind to the stiffness
    /// that tension gives a sheet against deflection.
    GaussNewton,
}

/// The energy density of a membrane.
#[derive(Clone, Debug, PartialEq)]
pub enum MembraneLaw {
    /// Three stiffnesses.
    BaraffWitkin(BaraffWitkin),
    /// Measured curves.
    Kawabata(Kawabata),
    /// Three stiffnesses, and folds too small for the mesh.
    TensionField(TensionField),
}

/// A material that no cloth has.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum MembraneError {
    /// A parameter is out of range.
    #[error("the membrane's `{name}` is {value}; it must be {must}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
}

/// Checks a stiffness or a damping time.
fn not_negative(name: &'static str, value: f64) -> Result<(), MembraneError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(MembraneError::Parameter {
        name,
        value,
        must: "a finite number, 0 or more",
    })
}

/// Membrane elements with `N` nodes each: 3 for triangles, 4 for quads.
#[derive(Clone, Debug)]
pub struct MembraneBatch<const N: usize> {
    nodes: Vec<[u32; N]>,
    faces: Vec<u32>,
    /// The integration points of all elements, [`MembraneBatch::POINTS`] each.
    points: Vec<Point<N>>,
    law: MembraneLaw,
}

impl MembraneBatch<3> {
    /// One element for every triangle of a cloth whose nodes begin at `first_node` in the world.
    pub fn triangles(
        topology: &Topology,
        rest: &RestShape,
        first_node: u32,
        law: MembraneLaw,
    ) -> Result<Self, MembraneError> {
        let mut batch = Self::empty(law)?;
        for (index, (face, flat)) in topology.faces.iter().zip(&rest.corners).enumerate() {
            if let Face::Tri(nodes) = face {
                batch.nodes.push(nodes.map(|n| n + first_node));
                batch.faces.push(index as u32);
                batch.points.push(point::of_triangle(flat));
            }
        }
        Ok(batch)
    }
}

impl MembraneBatch<4> {
    /// One element for every quad of a cloth whose nodes begin at `first_node` in the world.
    pub fn quads(
        topology: &Topology,
        rest: &RestShape,
        first_node: u32,
        law: MembraneLaw,
    ) -> Result<Self, MembraneError> {
        let mut batch = Self::empty(law)?;
        for (index, (face, flat)) in topology.faces.iter().zip(&rest.corners).enumerate() {
            if let Face::Quad(nodes) = face {
                batch.nodes.push(nodes.map(|n| n + first_node));
                batch.faces.push(index as u32);
                batch.points.extend(point::of_quad(flat));
            }
        }
        Ok(batch)
    }
}

impl<const N: usize> MembraneBatch<N> {
    /// Integration points of an element.
    const POINTS: usize = if N == 3 { 1 } else { 4 };

    fn empty(law: MembraneLaw) -> Result<Self, MembraneError> {
        match &law {
            MembraneLaw::BaraffWitkin(law) => law.check()?,
            MembraneLaw::Kawabata(law) => law.check()?,
            MembraneLaw::TensionField(law) => law.check()?,
        }
        Ok(MembraneBatch {
            nodes: Vec::new(),
            faces: Vec::new(),
            points: Vec::new(),
            law,
        })
    }

    /// The energy density.
    pub fn law(&self) -> &MembraneLaw {
        &self.law
    }

    /// The face of the cloth that each element stands for.
    pub fn faces(&self) -> &[u32] {
        &self.faces
    }

    fn points(&self, element: usize) -> &[Point<N>] {
        &self.points[element * Self::POINTS..(element + 1) * Self::POINTS]
    }

    #[inline(always)]
    fn value_by(&self, law: &impl Law, element: usize, x: &[DVec3; N]) -> f64 {
        let sides = from_first(x);
        let points = self.points(element).iter();
        points
            .map(|p| p.area * law.density(&p.columns(&sides), p.face))
            .sum()
    }

    #[inline(always)]
    fn force_by(
        &self,
        law: &impl Law,
        element: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
    ) -> [DVec3; N] {
        let (sides, rates) = (from_first(x), from_first(v));
        let mut force = [DVec3::ZERO; N];
        for p in self.points(element) {
            let stress = law.stress(&p.columns(&sides), &p.columns(&rates), p.face);
            p.add_force(&stress, &mut force);
        }
        balance(&mut force);
        force
    }

    #[inline(always)]
    fn linearise_by(
        &self,
        law: &impl Law,
        element: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
        weights: &Weights,
    ) -> Local<N> {
        let (sides, rates) = (from_first(x), from_first(v));
        let (mut local, mut blocks) = (Local::default(), Blocks::default());
        for p in self.points(element) {
            let response = law.respond(&p.columns(&sides), &p.columns(&rates), weights, p.face);
            p.add_force(&response.stress, &mut local.force);
            p.add_blocks(&response.tangent, &mut blocks);
        }
        balance(&mut local.force);
        blocks.complete(&mut local.blocks);
        local
    }
}

/// Positions relative to the first node: a cloth far from the origin feels no rounding of its own position.
#[inline(always)]
fn from_first<const N: usize>(x: &[DVec3; N]) -> [DVec3; N] {
    x.map(|p| p - x[0])
}

/// The first node's force is whatever makes them add up to zero.
#[inline(always)]
fn balance<const N: usize>(force: &mut [DVec3; N]) {
    force[0] = -force[1..].iter().copied().sum::<DVec3>();
}

impl<const N: usize> Elements<N> for MembraneBatch<N> {
    fn count(&self) -> usize {
        self.nodes.len()
    }

    fn nodes(&self, element: usize) -> [u32; N] {
        self.nodes[element]
    }

    // The law is the same for the whole batch, so the processor foresees which arm is taken.

    fn value(&self, element: usize, x: &[DVec3; N]) -> f64 {
        match &self.law {
            MembraneLaw::BaraffWitkin(law) => self.value_by(law, element, x),
            MembraneLaw::Kawabata(law) => self.value_by(law, element, x),
            MembraneLaw::TensionField(law) => self.value_by(law, element, x),
        }
    }

    fn force(&self, element: usize, x: &[DVec3; N], v: &[DVec3; N]) -> [DVec3; N] {
        match &self.law {
            MembraneLaw::BaraffWitkin(law) => self.force_by(law, element, x, v),
            MembraneLaw::Kawabata(law) => self.force_by(law, element, x, v),
            MembraneLaw::TensionField(law) => self.force_by(law, element, x, v),
        }
    }

    fn linearise(
        &self,
        element: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
        weights: &Weights,
    ) -> Local<N> {
        match &self.law {
            MembraneLaw::BaraffWitkin(law) => self.linearise_by(law, element, x, v, weights),
            MembraneLaw::Kawabata(law) => self.linearise_by(law, element, x, v, weights),
            MembraneLaw::TensionField(law) => self.linearise_by(law, element, x, v, weights),
        }
    }
}
