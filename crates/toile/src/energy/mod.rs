//! Energies: what cloth stores when it is deformed, and the forces and stiffness that follow.
//!
//! An energy is a batch of like elements. It answers value, force and stiffness; the three stand side by
//! side with their formula, and a finite-difference test holds them against each other. The scene names an
//! energy by a word ([`EnergyBatch`] is that word's implementation); it is dispatched once per batch, never
//! per element.

pub mod air;
pub(crate) mod assembly;
mod bend_spring;
mod choi_ko;
mod crease;
mod curvature;
mod curve;
pub mod element;
mod fabric;
mod hinge;
mod hinge_energy;
mod mass_spring;
mod membrane;
mod quadratic_bend;
mod ring;
mod seam;
mod sewn;
mod spring;

pub use air::Air;
pub use bend_spring::{BendSpringBatch, BendSprings, bend_springs};
pub use choi_ko::{ChoiKo, ChoiKoBatch, ChoiKoMaterial, choi_ko};
pub use crease::{CreaseMaterial, Creases, Yield, flow};
pub use curvature::{ClothCurvature, CurvatureBatch, Curvatures};
pub use curve::{Curve, CurveError, CurvePoint};
pub use element::{Elements, Local, Weights};
pub use fabric::{Fabric, FabricError, KawabataRecord};
pub use hinge::{
    BendLaw, ClothHinges, HingeBatch, HingeHessian, HingeMaterial, HingeShape, Hinges, RestAngles,
    RestAnglesError, cloth_hinges,
};
pub use hinge_energy::HingeEnergy;
pub use mass_spring::{EdgeKinds, MassSpring, MassSpringMaterial, mass_spring};
pub use membrane::{
    BUCKLING, BaraffWitkin, Hessian, Kawabata, MembraneBatch, MembraneError, MembraneLaw,
    TensionField,
};
pub use quadratic_bend::{CurvedRest, Laplacian, QuadraticBend, SparseRows, largest_angle};
pub use seam::{Closing, Seam, SeamError, SeamPath, Thread};
pub(crate) use sewn::Sewn;
pub use spring::{Spring, SpringBatch};

use crate::parallel;
use glam::DVec3;

/// What acts in a cloth or on its faces: a batch of elements with node numbers over the whole world.
#[derive(Clone, Debug)]
pub enum EnergyBatch {
    /// Springs between pairs of nodes.
    Springs(SpringBatch),
    /// Pairs of nodes that buckle.
    ChoiKo(ChoiKoBatch),
    /// Stretch and shear of triangles.
    Triangles(MembraneBatch<3>),
    /// Stretch and shear of quads.
    Quads(MembraneBatch<4>),
    /// Bending about edges.
    Hinges(Box<HingeEnergy>),
    /// Bending as a constant quadratic form.
    Quadratic(QuadraticBend),
    /// Bending by springs that are linear in the positions.
    BendSprings(BendSprings),
    /// Threads between two edges of cloth.
    Seam(Box<Seam>),
    /// The air on the faces; it stores nothing.
    Air(Air),
}

/// What energies know besides positions and velocities.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory<'a> {
    /// The time (s), for the wind.
    pub time: f64,
    /// Mean velocity of the air (m/s), if other than the model's.
    pub wind: Option<DVec3>,
    /// Present rest angles (rad) of all hinges, if they move.
    pub rest_angles: &'a [f64],
    /// Whether seams are closed whatever the time, as they are in an equilibrium.
    pub sewn: bool,
}

impl Memory<'_> {
    /// For questions that do not depend on the past, such as which nodes an element joins.
    pub const NONE: Memory<'static> = Memory {
        time: 0.0,
        wind: None,
        rest_angles: &[],
        sewn: false,
    };
}

/// Something to be done with the elements of a batch, whatever their kind.
pub(crate) trait Visitor {
    /// Called for each kind of element in the batch, always in the same order.
    fn elements<const N: usize>(&mut self, elements: &impl Elements<N>);

    /// Called for a constant quadratic form, which is no sum of small elements.
    fn quadratic(&mut self, form: &QuadraticBend);
}

impl EnergyBatch {
    /// The one place where the kinds are told apart.
    pub(crate) fn visit(&self, memory: &Memory, visitor: &mut impl Visitor) {
        match self {
            EnergyBatch::Springs(springs) => visitor.elements(springs),
            EnergyBatch::ChoiKo(pairs) => visitor.elements(pairs),
            EnergyBatch::Triangles(faces) => visitor.elements(faces),
            EnergyBatch::Quads(faces) => visitor.elements(faces),
            EnergyBatch::Hinges(hinges) => hinges.visit(memory, visitor),
            EnergyBatch::Quadratic(form) => visitor.quadratic(form),
            EnergyBatch::BendSprings(springs) => {
                visitor.elements(&springs.lines);
                visitor.elements(&springs.corners);
            }
            EnergyBatch::Seam(seam) => seam.visit(memory, visitor),
            EnergyBatch::Air(air) => {
                visitor.elements(&air.triangles_in(memory.time, memory.wind));
                visitor.elements(&air.quads_in(memory.time, memory.wind));
            }
        }
    }

    /// The seam, if it is one.
    pub fn seam(&self) -> Option<&Seam> {
        match self {
            EnergyBatch::Seam(seam) => Some(seam),
            _ => None,
        }
    }

    /// Whether its forces are linear in positions and velocities, so that its matrix never changes.
    pub(crate) fn is_linear(&self) -> bool {
        matches!(
            self,
            EnergyBatch::Quadratic(_) | EnergyBatch::BendSprings(_)
        )
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

            fn quadratic(&mut self, form: &QuadraticBend) {
                self.1 += form.value(self.0);
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

            fn quadratic(&mut self, form: &QuadraticBend) {
                self.0.extend(form.pairs());
            }
        }
        let mut pairs = Pairs(Vec::new());
        self.visit(&Memory::NONE, &mut pairs);
        pairs.0
    }
}
