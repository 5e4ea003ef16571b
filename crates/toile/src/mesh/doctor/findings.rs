//! What the doctor can find.

use super::Statistics;
use crate::mesh::IntersectingPair;

/// How many cases of one kind are listed; the others are only counted.
const LISTED: usize = 8;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The mesh can be simulated, but probably not with the outcome you want.
    Warning,
    /// The mesh cannot be simulated.
    Error,
}

/// How often something was found, and the first few places.
#[derive(Clone, Debug, PartialEq)]
pub struct Cases<T> {
    /// How many there are.
    pub total: usize,
    /// The first of them.
    pub first: Vec<T>,
}

impl<T> Default for Cases<T> {
    fn default() -> Self {
        Cases {
            total: 0,
            first: Vec::new(),
        }
    }
}

impl<T> Cases<T> {
    pub(super) fn add(&mut self, case: T) {
        self.total += 1;
        if self.first.len() < LISTED {
            self.first.push(case);
        }
    }

    pub(super) fn report(self, kind: impl Fn(Self) -> Finding, findings: &mut Vec<Finding>) {
        if self.total > 0 {
            findings.push(kind(self));
        }
    }
}

/// A corner of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaceNode {
    /// The face (counted from 0).
    pub face: u32,
    /// The node it names.
    pub node: u32,
}

/// A face with a very small angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharpFace {
    /// The face (counted from 0).
    pub face: u32,
    /// Its smallest angle (rad).
    pub angle: f64,
}

/// An edge and faces that meet there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeFaces {
    /// The edge's ends, the smaller index first.
    pub nodes: [u32; 2],
    /// The faces (counted from 0), in increasing order.
    pub faces: Vec<u32>,
}

/// One kind of fault, and where it is. Nodes and faces are counted from 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The mesh has no faces.
    NoFaces,
    /// The texture coordinates are not one set per face.
    UvMismatch {
        /// Sets of texture coordinates.
        uvs: usize,
        /// Faces.
        faces: usize,
    },
    /// Nodes with a coordinate that is not a finite number.
    NonFinite(Cases<u32>),
    /// Corners that name a node the mesh does not have.
    OutOfRange(Cases<FaceNode>),
    /// Faces that name a node twice.
    RepeatedCorner(Cases<FaceNode>),
    /// Faces with the same corners, each with the first of its kind.
    DuplicateFace(Cases<[u32; 2]>),
    /// Faces with next to no area for the length of their edges.
    DegenerateFace(Cases<u32>),
    /// Quads whose corners cross over or turn inwards.
    FoldedQuad(Cases<u32>),
    /// Faces with an angle below 1°.
    SliverFace(Cases<SharpFace>),
    /// Edges with more than two faces.
    NonManifoldEdge(Cases<EdgeFaces>),
    /// Neighbours of which one shows its front where the other shows its back ("inverted elements").
    Inverted(Cases<EdgeFaces>),
    /// Nodes at which separate parts of the surface meet in a point (bow-ties).
    NonManifoldNode(Cases<u32>),
    /// Nodes without any face.
    IsolatedNode(Cases<u32>),
    /// Nodes at the same place as an earlier one to which no edge leads; the earlier one first.
    CoincidentNodes(Cases<[u32; 2]>),
    /// Faces that pass through each other, touch or overlap. The search ends after about 100 000.
    SelfIntersection(Cases<IntersectingPair>),
    /// The mesh is larger or smaller than cloth ever is.
    SuspiciousSize {
        /// Its largest extent along an axis, if its coordinates are metres.
        extent: f64,
    },
}

impl Finding {
    /// How bad it is.
    pub fn severity(&self) -> Severity {
        match self {
            Finding::SliverFace(_)
            | Finding::NonManifoldNode(_)
            | Finding::CoincidentNodes(_)
            | Finding::SelfIntersection(_)
            | Finding::SuspiciousSize { .. } => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

/// What the doctor says about a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// What is wrong, errors first; empty for a clean mesh. Each kind appears at most once.
    pub findings: Vec<Finding>,
    /// How large the mesh is, and of what it is made.
    pub statistics: Statistics,
}

impl Diagnosis {
    /// Whether nothing was found.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether the mesh can be simulated: whether no finding is an error.
    pub fn is_usable(&self) -> bool {
        let is_error = |f: &Finding| f.severity() == Severity::Error;
        !self.findings.iter().any(is_error)
    }
}
