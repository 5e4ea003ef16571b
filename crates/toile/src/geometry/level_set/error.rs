//! What can be wrong with a mesh or with the settings.

use thiserror::Error;

/// Why a level set could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum LevelSetError {
    /// There is nothing to be distant from.
    #[error("the mesh has no triangles with three different corners")]
    Empty,
    /// A setting is not what it must be.
    #[error("the level set's {name} is {value} m; it must be a positive number")]
    Setting {
        /// Which setting.
        name: &'static str,
        /// Its value (m).
        value: f64,
    },
    /// A node is nowhere.
    #[error("node {node} has a coordinate that is not a finite number")]
    NotFinite {
        /// The node (counted from 0).
        node: usize,
    },
    /// A triangle names a node that does not exist.
    #[error("triangle {triangle} names node {node}, but the mesh has only {count} nodes")]
    NoSuchNode {
        /// The triangle (counted from 0).
        triangle: usize,
        /// The node it names.
        node: u32,
        /// How many nodes there are.
        count: usize,
    },
    /// The mesh has holes, and the settings forbid covering them.
    #[error(
        "the mesh is open: {edges} open edges around {holes} holes; close them, or let them be covered"
    )]
    Open {
        /// Edges without a second triangle.
        edges: usize,
        /// Closed loops they form.
        holes: usize,
    },
    /// The triangles turn their backs outwards.
    #[error(
        "the mesh is inside out (its volume is {volume} m³); reverse its triangles, or let them be flipped"
    )]
    Inverted {
        /// The negative volume (m³).
        volume: f64,
    },
    /// The mesh is a sheet, or folded so that nothing is inside.
    #[error("the mesh encloses nothing (its volume is {volume} m³)")]
    NoInside {
        /// The volume (m³).
        volume: f64,
    },
    /// The finest cells are too small for the size of the body.
    #[error("cells of {cell} m are too fine for a body of {extent} m; use at least {least} m")]
    TooFine {
        /// Finest cell (m).
        cell: f64,
        /// Longest side of the body with its band (m).
        extent: f64,
        /// The smallest cell that would do (m).
        least: f64,
    },
    /// The field would not fit into a sensible memory.
    #[error(
        "the field needs more than {limit} cells; use larger cells, a narrower band or a larger tolerance"
    )]
    TooManyCells {
        /// The limit.
        limit: usize,
    },
    /// New positions or velocities must be as many as the nodes.
    #[error("{found} vectors were given for a mesh of {expected} nodes")]
    WrongCount {
        /// Nodes of the mesh.
        expected: usize,
        /// Vectors given.
        found: usize,
    },
}
