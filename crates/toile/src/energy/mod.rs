//! Energies: what cloth stores when it is deformed, and the forces and stiffness that follow.
//!
//! An energy is a batch of like elements. It answers value, force and stiffness; the three stand side by
//! side with their formula, and a finite-difference test holds them against each other. The scene names an
//! energy by a word ([`EnergyBatch`] is that word's implementation); it is dispatched once per batch, never
//! per element.

pub(crate) mod assembly;
mod bend_spring;
mod choi_ko;
mod crease;
mod curve;
pub mod element;
mod fabric;
mod hinge;
mod mass_spring;
mod quadratic_bend;
mod ring;
mod spring;

pub use bend_spring::{BendSpringBatch, BendSprings, bend_springs};
pub use choi_ko::{ChoiKo, ChoiKoBatch, ChoiKoMaterial, choi_ko};
mod membrane;

pub use crease::{CreaseMaterial, Creases, Yield, flow};
pub use curve::{Curve, CurveError, CurvePoint};
pub use element::{Elements, Local, Weights};
pub use fabric::{Fabric, FabricError, KawabataRecord};
pub use hinge::{
    BendLaw, ClothHinges, HingeBatch, HingeHessian, HingeMaterial, HingeShape, Hinges, MomentLaw, RestAngles, RestAnglesError, cloth_hinges,
};
pub use mass_spring::{MassSpring, MassSpringMaterial, mass_spring};
pub use membrane::{BaraffWitkin, Hessian, Kawabata, MembraneBatch, MembraneError, MembraneLaw};
pub use quadratic_bend::{CurvedRest, Laplacian, QuadraticBend, SparseRows, largest_angle};
pub use spring::{Spring, SpringBatch};

use crate::parallel;
use crate::state::State;
use glam::DVec3;

/// A batch of elements of one kind, with node numbers over the whole world.
#[derive(Clone, Debug)]
pub enum EnergyBatch {
    /// Springs between pairs of nodes.
    Springs(SpringBatch),
}

/// What energies remember of the past.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory<'a> {
    _none: std::marker::PhantomData<&'a ()>,
}

impl Memory<'_> {
    /// What a state remembers.
    pub fn of(_state: &State) -> Memory<'_> {
        Memory::NONE
    }

    /// For questions that do not depend on the past, such as which nodes an element joins.
    pub const NONE: Memory<'static> = Memory {
        _none: std::marker::PhantomData,
    };
}

/// Something to be done with the elements of a batch, whatever their kind.
pub(crate) trait Visitor {
    fn elements<const N: usize>(&mut self, elements: &impl Elements<N>);
}

impl EnergyBatch {
    /// The one place where the kinds are told apart.
    pub(crate) fn visit(&self, _memory: &Memory, visitor: &mut impl Visitor) {
        match self {
            EnergyBatch::Springs(springs) => visitor.elements(springs),
        }
    }

    /// Stored energy (J).
    pub(crate) fn value(&self, memory: &Memory, positions: &[DVec3]) -> f64 {
        struct Sum<'a>(&'a [DVec3], f64);
        impl Visitor for Sum<'_> {
            fn elements<const N: usize>(&mut self, elements: &impl Elements<N>) {
                self.1 += parallel::sum(elements.count(), |e| {
                    let x = elements.nodes(e).map(|n| self.0[n as usize]);
                    elements.value(e, &x)
                });
            }
        }
        let mut sum = Sum(positions, 0.0);
        self.visit(memory, &mut sum);
        sum.1
    }

    /// The pairs of nodes that interact: the pattern of the stiffness matrix.
    pub(crate) fn pairs(&self) -> Vec<[u32; 2]> {
        struct Pairs(Vec<[u32; 2]>);
        impl Visitor for Pairs {
            fn elements<const N: usize>(&mut self, elements: &impl Elements<N>) {
                for nodes in (0..elements.count()).map(|e| elements.nodes(e)) {
                    for i in 1..N {
                        self.0.extend((0..i).map(|j| [nodes[i], nodes[j]]));
                    }
                }
            }
        }
        let mut pairs = Pairs(Vec::new());
        self.visit(&Memory::NONE, &mut pairs);
        pairs.0
    }
}
