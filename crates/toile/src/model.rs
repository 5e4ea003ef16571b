//! What a run needs and never changes: cloths, energies, pins, bodies, settings.

use crate::body::{AdhesionError, Body, BodyContact, BodyContactError, ShapeError, Sticky};
use crate::drive::{Pin, PinError, check_pins};
use crate::energy::{EnergyBatch, HingeEnergy, Seam, Sewn};
use crate::integrator::{ImplicitSettings, Integrator};
use crate::limit::{Limit, StretchPoint};
use crate::linalg::BlockPattern;
use crate::mesh::{RestShape, Topology};
use glam::DVec3;
use std::ops::{Deref, Range};
use std::sync::Arc;
use thiserror::Error;

/// One cloth of the world.
#[derive(Clone, Debug)]
pub struct Cloth {
    /// Its name in the scene.
    pub name: String,
    /// Its nodes in the world's arrays.
    pub nodes: Range<usize>,
    /// Its topology; node numbers count from the cloth's own first node.
    pub topology: Topology,
    /// Its rest shape.
    pub rest: RestShape,
    /// Mass per area (kg/m²).
    pub density: f64,
    /// Mass-proportional damping (1/s): the air, in its simplest form.
    pub air_damping: f64,
    /// Gravity acts on this many times the mass: the virtual mass over the density, 1 for cloth in a vacuum.
    pub gravity_factor: f64,
    /// Distance its mid-surface keeps from bodies (m), and half of what it keeps from itself.
    pub contact_offset: f64,
    /// Coulomb friction coefficient against cloth like it.
    pub friction: f64,
    /// Modulus of compression across the thickness (Pa): what two bodies that leave it no room would be pushed apart with.
    pub compression: f64,
}

/// Everything that stays the same while the world moves.
///
/// A model is made of [`ModelParts`], checked and completed, and cannot be changed afterwards: what follows from the parts
/// cannot go stale. Its parts and what [follows](Derived) from them are read as if they were its fields.
/// [`rebuilt`](Model::rebuilt) makes another one with other parts.
#[derive(Clone, Debug)]
pub struct Model(Derived);

/// What follows from the parts of a model, and the parts.
#[derive(Clone, Debug)]
pub struct Derived {
    parts: ModelParts,
    /// Lumped mass of each node (kg).
    pub masses: Vec<f64>,
    /// Inverse of that (1/kg).
    pub(crate) inverse_masses: Vec<f64>,
    /// Mass-proportional damping of each node (1/s).
    pub air_damping: Vec<f64>,
    /// Factor on gravity at each node.
    pub gravity_factors: Vec<f64>,
    /// Distance each node keeps from bodies (m).
    pub contact_offsets: Vec<f64>,
    /// What bodies that leave a node no room would be pushed apart with (N).
    pub(crate) compressions: Vec<f64>,
    /// Pattern of the stiffness matrix.
    pub(crate) pattern: Arc<BlockPattern>,
    /// Cloths that no pin and nothing sticky ever holds: their momentum is theirs to keep.
    pub(crate) never_held: Vec<bool>,
    /// Where the strain of the faces of all cloths is measured.
    pub(crate) strain_points: Vec<StretchPoint>,
    /// Nodes that seams without a gap join.
    pub(crate) sewn: Arc<Sewn>,
    /// Pairs of different cloths that seams join, by number.
    pub(crate) sewn_cloths: Vec<[usize; 2]>,
}

impl Deref for Model {
    type Target = Derived;

    fn deref(&self) -> &Derived {
        &self.0
    }
}

impl Deref for Derived {
    type Target = ModelParts;

    fn deref(&self) -> &ModelParts {
        &self.parts
    }
}

/// A world that cannot be simulated.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ModelError {
    /// There is nothing to simulate.
    #[error("the world has no cloth")]
    NoCloth,
    /// A node without mass would move with infinite acceleration.
    #[error("cloth `{cloth}`: node {node} has no mass because no face has it; remove the node")]
    MasslessNode {
        /// The cloth.
        cloth: String,
        /// The node, counted in the cloth.
        node: usize,
    },
    /// A number that must be finite and positive (or at least not negative) is not.
    #[error("cloth `{cloth}`: {what} is {value}; it must be {must}")]
    BadNumber {
        /// The cloth.
        cloth: String,
        /// What it is.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// Cloths must follow one another in the world's arrays.
    #[error("cloth `{cloth}` does not start where the one before it ends")]
    Gap {
        /// The cloth.
        cloth: String,
    },
    /// A contact names a cloth that is not there.
    #[error("contact between cloths {} and {}: there are fewer cloths", .pair[0], .pair[1])]
    NoSuchContact {
        /// The cloths' numbers.
        pair: [usize; 2],
    },
    /// A pair that passes through each other names a cloth or a body that is not there.
    #[error("cloth {} passes through body {}: there are fewer of them", .pair[0], .pair[1])]
    NoSuchPass {
        /// Number of the cloth and of the body.
        pair: [usize; 2],
    },
    /// A mass that cannot be.
    #[error(
        "a mass of {mass} kg at node {node}: the node must be there and the mass zero or a positive number"
    )]
    PointMass {
        /// The node.
        node: u32,
        /// The mass (kg).
        mass: f64,
    },
    /// Pins contradict each other.
    #[error(transparent)]
    Pin(#[from] PinError),
    /// A body has impossible measures.
    #[error("body `{body}`: {source}")]
    Body {
        /// The body.
        body: String,
        /// What is wrong.
        source: ShapeError,
    },
    /// A body's friction cannot be.
    #[error(
        "body `{body}`: the friction must be finite and not negative, and not larger while sliding than at rest"
    )]
    Friction {
        /// The body.
        body: String,
    },
    /// Something is not a part of one solve.
    #[error("one solve for limits and contacts does not know {what}; have them met in phases")]
    NotInOneSolve {
        /// What it is.
        what: &'static str,
    },
    /// A bound of principal stretches needs one solve.
    #[error(
        "cloth `{cloth}`: principal stretches are bounded by one implicit solve for limits and contacts; ask for it"
    )]
    StretchInPhases {
        /// The cloth.
        cloth: String,
    },
    /// Contact with bodies cannot be as asked for.
    #[error(transparent)]
    BodyContact(#[from] BodyContactError),
}

/// The parts a model is made of.
#[derive(Clone, Debug)]
pub struct ModelParts {
    /// The cloths, in the order of their nodes.
    pub cloths: Vec<Cloth>,
    /// Internal energies, with node numbers over the whole world.
    pub energies: Vec<EnergyBatch>,
    /// What cloths will not do: the number of a cloth and its limit, in the order in which they act.
    pub limits: Vec<(usize, Limit)>,
    /// Held nodes.
    pub pins: Vec<Pin>,
    /// Obstacles.
    pub bodies: Vec<Body>,
    /// How cloth meets them.
    pub body_contact: BodyContact,
    /// Pairs of cloths, by number, that may not pass through each other; a cloth with itself too.
    pub contacts: Vec<[usize; 2]>,
    /// Pairs of a cloth and a body, by number, that pass through each other.
    pub passes: Vec<[usize; 2]>,
    /// Whether cloth that intersects cloth is drawn apart, step by step.
    pub untangles: bool,
    /// Masses at nodes besides the cloth's own (kg): weights, buttons.
    pub point_masses: Vec<(u32, f64)>,
    /// Acceleration of gravity (m/s²).
    pub gravity: DVec3,
    /// How time is advanced.
    pub integrator: Integrator,
}

impl Default for ModelParts {
    /// Nothing at all, on the ground, stepped by backward Euler.
    fn default() -> Self {
        ModelParts {
            cloths: Vec::new(),
            energies: Vec::new(),
            limits: Vec::new(),
            pins: Vec::new(),
            bodies: Vec::new(),
            body_contact: BodyContact::default(),
            contacts: Vec::new(),
            passes: Vec::new(),
            untangles: false,
            point_masses: Vec::new(),
            gravity: DVec3::new(0.0, 0.0, -9.81),
            integrator: Integrator::Implicit(ImplicitSettings::CLASSIC),
        }
    }
}

impl ModelParts {
    /// Whether the parts go together.
    fn check(&self) -> Result<(), ModelError> {
        check_cloths(&self.cloths)?;
        let nodes = self.cloths.last().map_or(0, |c| c.nodes.end);
        check_pins(&self.pins, nodes)?;
        let cloths = self.cloths.len();
        let missing = |pair: &&[usize; 2]| pair.iter().any(|&c| c >= cloths);
        if let Some(pair) = self.contacts.iter().find(missing) {
            return Err(ModelError::NoSuchContact { pair: *pair });
        }
        let stray = |pair: &&[usize; 2]| pair[0] >= cloths || pair[1] >= self.bodies.len();
        if let Some(pair) = self.passes.iter().find(stray) {
            return Err(ModelError::NoSuchPass { pair: *pair });
        }
        for body in &self.bodies {
            body.shape.check().map_err(|source| ModelError::Body {
                body: body.name.clone(),
                source,
            })?;
            if !body.friction.is_possible() {
                let body = body.name.clone();
                return Err(ModelError::Friction { body });
            }
        }
        let bad = |&&(node, mass): &&(u32, f64)| {
            node as usize >= nodes || !(mass >= 0.0 && mass.is_finite())
        };
        if let Some(&(node, mass)) = self.point_masses.iter().find(bad) {
            return Err(ModelError::PointMass { node, mass });
        }
        self.body_contact.check(nodes, self.bodies.len())?;
        check_bonds(&self.body_contact, &self.cloths, &self.contacts)?;
        self.check_constraints()
    }

    /// Refuses what the way in which limits and contacts are met would leave out.
    fn check_constraints(&self) -> Result<(), ModelError> {
        if !self.integrator.is_unified() {
            let is_stretch = |(_, limit): &&(usize, Limit)| matches!(limit, Limit::Stretch(_));
            return match self.limits.iter().find(is_stretch) {
                Some((cloth, _)) => Err(ModelError::StretchInPhases {
                    cloth: self.cloths[*cloth].name.clone(),
                }),
                None => Ok(()),
            };
        }
        let refused =
            |limit: &Limit| !matches!(limit, Limit::Stretch(_)) && limit.constraints().is_none();
        let contact = &self.body_contact;
        let what = if self.limits.iter().any(|(_, limit)| refused(limit)) {
            "limits that are met by sweeps, areas or another solver of their own"
        } else if contact.adhesions.iter().any(|a| a.is_on_cloth()) {
            "cloth that sticks to cloth"
        } else if contact.relaxation > 0.0 {
            "contact that relaxes"
        } else if self.untangles {
            "starts that are drawn apart"
        } else {
            return Ok(());
        };
        Err(ModelError::NotInOneSolve { what })
    }

    /// Whether a pin or something sticky ever holds a cloth. What cloths do to each other leaves the momentum of all of them as it
    /// is.
    fn is_ever_held(&self, cloth: &Cloth) -> bool {
        let inside = |&n: &u32| cloth.nodes.contains(&(n as usize));
        let adhesions = self.body_contact.adhesions.iter();
        let mut catching = adhesions.filter(|a| !a.is_on_cloth());
        self.pins.iter().any(|p| p.nodes.iter().any(inside))
            || catching.any(|a| a.nodes.as_ref().is_none_or(|n| n.iter().any(inside)))
    }

    fn per_node(&self, value: impl Fn(&Cloth) -> f64) -> Vec<f64> {
        let of = |c: &Cloth| std::iter::repeat_n(value(c), c.nodes.len());
        self.cloths.iter().flat_map(of).collect()
    }

    fn per_area(&self, value: impl Fn(&Cloth) -> f64) -> Vec<f64> {
        let of = |c: &Cloth| {
            let value = value(c);
            c.rest
                .node_areas
                .iter()
                .map(move |a| a * value)
                .collect::<Vec<_>>()
        };
        self.cloths.iter().flat_map(of).collect()
    }

    /// Nodes that seams join so closely that they touch.
    fn sewn(&self, nodes: usize) -> Sewn {
        let offset = |n: u32| {
            let cloth = cloth_of(&self.cloths, n);
            cloth.map_or(0.0, |c| self.cloths[c].contact_offset)
        };
        let seams = self.energies.iter().filter_map(EnergyBatch::seam);
        // With a gap of the thickness the edges need not touch.
        let touching = seams.filter(|s| {
            let sides = s.sides();
            sides.is_some_and(|[a, b]| s.gap() < offset(a) + offset(b))
        });
        Sewn::new(nodes, touching)
    }
}

impl Model {
    /// Checks the parts and works out what follows from them.
    pub fn new(mut parts: ModelParts) -> Result<Self, ModelError> {
        parts.check()?;
        let nodes = parts.cloths.last().map_or(0, |c| c.nodes.end);
        let mut hinges = 0;
        for energy in &mut parts.energies {
            if let EnergyBatch::Hinges(cloth) = energy {
                hinges = cloth.settle(hinges);
            }
        }
        let mut masses = parts.per_area(|c| c.density);
        for &(node, mass) in &parts.point_masses {
            masses[node as usize] += mass;
        }
        let pairs = parts.energies.iter().flat_map(EnergyBatch::pairs);
        let pattern = BlockPattern::new(nodes, pairs);
        let seams = parts.energies.iter().filter_map(EnergyBatch::seam);
        Ok(Model(Derived {
            inverse_masses: masses.iter().map(|m| 1.0 / m).collect(),
            masses,
            air_damping: parts.per_node(|c| c.air_damping),
            gravity_factors: parts.per_node(|c| c.gravity_factor),
            contact_offsets: parts.per_node(|c| c.contact_offset),
            compressions: parts.per_area(|c| c.compression),
            pattern: Arc::new(pattern),
            never_held: parts
                .cloths
                .iter()
                .map(|c| !parts.is_ever_held(c))
                .collect(),
            strain_points: (parts.cloths.iter())
                .flat_map(|c| StretchPoint::of_cloth(&c.topology, &c.rest, c.nodes.start as u32))
                .collect(),
            sewn: Arc::new(parts.sewn(nodes)),
            sewn_cloths: sewn_cloths(&parts.cloths, seams),
            parts,
        }))
    }

    /// Another model whose parts have been changed.
    pub fn rebuilt(&self, change: impl FnOnce(&mut ModelParts)) -> Result<Self, ModelError> {
        let mut parts = self.0.parts.clone();
        change(&mut parts);
        Model::new(parts)
    }

    /// The seams.
    pub fn seams(&self) -> impl Iterator<Item = &Seam> {
        self.energies.iter().filter_map(EnergyBatch::seam)
    }

    /// Whether two cloths, by number, may not pass through each other.
    pub fn meets(&self, a: usize, b: usize) -> bool {
        self.contacts.contains(&[a, b]) || self.contacts.contains(&[b, a])
    }

    /// The hinge energies, cloth by cloth.
    pub(crate) fn hinges(&self) -> impl Iterator<Item = &HingeEnergy> {
        self.energies.iter().filter_map(|energy| match energy {
            EnergyBatch::Hinges(hinges) => Some(&**hinges),
            _ => None,
        })
    }

    /// How many numbers the limits remember from step to step.
    pub(crate) fn limit_memory(&self) -> usize {
        if self.integrator.is_unified() {
            return self
                .limits
                .iter()
                .map(|(_, limit)| limit.multipliers())
                .sum();
        }
        self.limits.iter().map(|(_, limit)| limit.memory()).sum()
    }

    /// Rest angles of all hinges (rad) at the start, if any of them can move.
    pub(crate) fn first_rest_angles(&self) -> Vec<f64> {
        if !self.hinges().any(HingeEnergy::creases) {
            return Vec::new();
        }
        let lists = self.hinges().map(HingeEnergy::first_rest_angles);
        lists.flatten().copied().collect()
    }

    /// Whether air acts on the faces of the cloth with these nodes.
    pub(crate) fn in_air(&self, nodes: &Range<usize>) -> bool {
        self.energies.iter().any(|energy| match energy {
            EnergyBatch::Air(air) => air.first_node().is_some_and(|n| nodes.contains(&n)),
            _ => false,
        })
    }

    /// Whether two nodes belong to one cloth.
    pub(crate) fn is_same_cloth(&self, a: usize, b: usize) -> bool {
        let cloth_of = |n: usize| self.cloths.partition_point(|c| c.nodes.end <= n);
        cloth_of(a) == cloth_of(b)
    }

    /// A node's share of its cloth's area at rest (m²).
    pub fn node_area(&self, node: usize) -> f64 {
        let cloth = self.cloths.partition_point(|c| c.nodes.end <= node);
        let cloth = &self.cloths[cloth];
        cloth.rest.node_areas[node - cloth.nodes.start]
    }

    /// Whether a state of the other could be one of this, and their matrices have one pattern: then they differ in numbers alone.
    pub fn is_like(&self, other: &Model) -> bool {
        let nodes = |m: &Model| m.cloths.iter().map(|c| c.nodes.clone()).collect::<Vec<_>>();
        let memory = |m: &Model| (m.limit_memory(), m.first_rest_angles().len());
        nodes(self) == nodes(other)
            && self.pattern == other.pattern
            && self.pins.len() == other.pins.len()
            && self.bodies.len() == other.bodies.len()
            && memory(self) == memory(other)
    }

    /// Number of nodes of all cloths.
    pub fn node_count(&self) -> usize {
        self.masses.len()
    }

    /// Number of faces of all cloths.
    pub fn face_count(&self) -> usize {
        self.cloths.iter().map(|c| c.topology.faces.len()).sum()
    }

    /// Total mass (kg).
    pub fn total_mass(&self) -> f64 {
        self.masses.iter().sum()
    }
}

/// The cloth of a node, by number.
fn cloth_of(cloths: &[Cloth], node: u32) -> Option<usize> {
    let number = cloths.partition_point(|c| c.nodes.end <= node as usize);
    (number < cloths.len()).then_some(number)
}

/// Pairs of different cloths that seams join.
fn sewn_cloths<'a>(cloths: &[Cloth], seams: impl Iterator<Item = &'a Seam>) -> Vec<[usize; 2]> {
    let sides = seams.filter_map(Seam::sides);
    let pairs = sides.filter_map(|[a, b]| Some([cloth_of(cloths, a)?, cloth_of(cloths, b)?]));
    pairs.filter(|[a, b]| a != b).collect()
}

/// Cloth sticks to cloth that it touches, so contact must keep the two apart.
fn check_bonds(
    body_contact: &BodyContact,
    cloths: &[Cloth],
    contacts: &[[usize; 2]],
) -> Result<(), BodyContactError> {
    for (index, adhesion) in body_contact.adhesions.iter().enumerate() {
        let Sticky::Cloth { nodes } = &adhesion.to else {
            continue;
        };
        let has = |listed: &[u32], cloth: usize| {
            let cloth = cloths[cloth].nodes.clone();
            listed.iter().any(|&n| cloth.contains(&(n as usize)))
        };
        let adheres = |cloth| adhesion.nodes.as_ref().is_none_or(|n| has(n, cloth));
        let meets = |[a, b]: [usize; 2]| adheres(a) && has(nodes, b);
        if !contacts
            .iter()
            .any(|&[a, b]| meets([a, b]) || meets([b, a]))
        {
            let source = AdhesionError::NoContact;
            return Err(BodyContactError::Adhesion { index, source });
        }
    }
    Ok(())
}

fn check_cloths(cloths: &[Cloth]) -> Result<(), ModelError> {
    if cloths.is_empty() {
        return Err(ModelError::NoCloth);
    }
    let mut next = 0;
    for cloth in cloths {
        let name = || cloth.name.clone();
        if cloth.nodes.start != next || cloth.nodes.len() != cloth.topology.node_count {
            return Err(ModelError::Gap { cloth: name() });
        }
        next = cloth.nodes.end;
        let bad = |what, value, must| ModelError::BadNumber {
            cloth: name(),
            what,
            value,
            must,
        };
        if !(cloth.density > 0.0 && cloth.density.is_finite()) {
            return Err(bad(
                "the density",
                cloth.density,
                "a positive number of kg/m²",
            ));
        }
        for (what, value) in [
            ("the air damping", cloth.air_damping),
            ("the factor on gravity", cloth.gravity_factor),
            ("the contact offset", cloth.contact_offset),
            ("the modulus of compression", cloth.compression),
            ("the friction", cloth.friction),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(bad(what, value, "zero or a positive number"));
            }
        }
        if let Some(node) = cloth.rest.node_areas.iter().position(|&a| a <= 0.0) {
            return Err(ModelError::MasslessNode {
                cloth: name(),
                node,
            });
        }
    }
    Ok(())
}
