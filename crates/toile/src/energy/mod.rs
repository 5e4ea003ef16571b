//! Energies: what cloth stores when it is deformed, and the forces and stiffness that follow.
//!
//! An energy is a batch of like elements. It answers value, force and stiffness; the three stand side by
//! side with their formula, and a finite-difference test holds them against each other. The scene names an
//! energy by a word ([`EnergyBatch`] is that word's implementation); it is dispatched once per batch, never
//! per element.

mod crease;
pub mod element;
mod hinge;
mod mass_spring;
mod quadratic_bend;
mod spring;

pub use crease::{CreaseMaterial, Creases, Yield, flow};
pub use element::{Elements, Local, Weights};
pub use hinge::{
    BendLaw, ClothHinges, HingeBatch, HingeHessian, HingeMaterial, HingeShape, Hinges, MomentLaw,
    RestAngles, RestAnglesError, cloth_hinges,
};
pub use mass_spring::{MassSpring, MassSpringMaterial, mass_spring};
pub use quadratic_bend::{CurvedRest, Laplacian, QuadraticBend, SparseRows, largest_angle};
pub use spring::{SpringBatch, SpringStiffness};

use glam::DVec3;

/// A batch of elements of one kind, with node numbers over the whole world.
#[derive(Clone, Debug)]
pub enum EnergyBatch {
    /// Springs between pairs of nodes.
    Springs(SpringBatch),
}

impl EnergyBatch {
    /// Stored energy (J).
    pub fn value(&self, positions: &[DVec3]) -> f64 {
        match self {
            EnergyBatch::Springs(springs) => springs.value(positions),
        }
    }

    /// Adds elastic and damping forces (N) to `forces`. `scratch` is resized as needed.
    pub fn add_forces(
        &self,
        positions: &[DVec3],
        velocities: &[DVec3],
        forces: &mut [DVec3],
        scratch: &mut Vec<DVec3>,
    ) {
        match self {
            EnergyBatch::Springs(springs) => {
                springs.add_forces(positions, velocities, forces, scratch);
            }
        }
    }

    /// The pairs of nodes that interact: the pattern of the stiffness matrix.
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        match self {
            EnergyBatch::Springs(springs) => springs.nodes().iter().copied(),
        }
    }
}
