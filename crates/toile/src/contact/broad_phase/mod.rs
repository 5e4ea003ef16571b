//! The broad phase of collision detection: which nodes may meet which triangles, and which edges which edges,
//! while all nodes move along straight lines from their places at the start of a step to those at its end.
//!
//! **Invariant: nothing that may touch is missed, and nothing but the positions decides.** Every pair of
//! elements whose swept and thickened boxes have a point in common, along the axes and along their diagonals,
//! whose parts may collide and which share no node is reported, exactly once. The answer is in ascending
//! order. It depends neither on the number of threads, nor on the shape of the trees, nor on what was asked
//! before. (The one exception is asked for by name: [`BroadPhase::skip_flat_patches`] leaves out pairs that
//! cannot touch, and which these are depends on the trees.)
//!
//! * `ownership`: which triangle speaks for which node and edge, so that no pair comes twice.
//! * `candidates`: from pairs of triangles to pairs of elements.
//! * `flat`: patches so flat that they cannot meet themselves.
//!
//! Each part of the world, a cloth or a body, has a tree of its own. Pairs of parts that may not collide are
//! never looked at, and a body that stays where it is costs one refit.

mod candidates;
mod flat;
#[cfg(test)]
mod flat_tests;
mod ownership;
#[cfg(test)]
mod tests;

pub use candidates::Candidates;

use crate::geometry::{Bounds, BoxTree, Search, gather};
use crate::parallel;
use candidates::Elements;
use flat::{Flatness, SweptNodes};
use glam::DVec3;
use ownership::Owner;
use thiserror::Error;

/// With fewer edges than this, the candidates are sorted on one thread: waking another takes about as long.
const SORT_IN_PARALLEL_FROM: usize = 8192;

/// Why a mesh cannot be searched.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BroadPhaseError {
    /// A triangle has a corner that is no node.
    #[error("triangle {triangle} has the corner {node}, but there are only {nodes} nodes")]
    NoSuchNode {
        /// The triangle.
        triangle: usize,
        /// Its corner.
        node: u32,
        /// How many nodes there are.
        nodes: usize,
    },
    /// An edge is no side of any triangle, or was given twice.
    #[error("edge {edge} from {} to {} must be a side of a triangle and be given once", .ends[0], .ends[1])]
    LooseEdge {
        /// The edge.
        edge: usize,
        /// Its nodes.
        ends: [u32; 2],
    },
    /// There is not one part for each triangle.
    #[error("{parts} parts are given for {triangles} triangles; each triangle needs one")]
    PartsDoNotMatch {
        /// How many triangles there are.
        triangles: usize,
        /// For how many a part was given.
        parts: usize,
    },
}

/// The broad phase of a world of cloths and bodies.
///
/// ```
/// use toile::contact::broad_phase::{BroadPhase, Candidates};
/// use toile::glam::dvec3;
///
/// // A node falls through a triangle of another part.
/// let triangles = [[0, 1, 2], [3, 4, 5]];
/// let edges = [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3]];
/// let mut broad_phase = BroadPhase::new(6, &triangles, &edges, &[0, 1], |a, b| a != b)?;
/// let floor = [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0)];
/// let above = [dvec3(0.2, 0.2, 0.1), dvec3(0.2, 0.9, 2.0), dvec3(0.9, 0.2, 2.0)];
/// let start = [floor, above].concat();
/// let mut end = start.clone();
/// end[3].z = -0.1;
///
/// let mut candidates = Candidates::default();
/// broad_phase.update(&start, &end, |_node| 1e-3);
/// broad_phase.find(&mut candidates);
/// assert!(candidates.point_triangle.contains(&[3, 0]));
/// # Ok::<(), toile::contact::broad_phase::BroadPhaseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BroadPhase {
    owners: Vec<Owner>,
    edges: Vec<[u32; 2]>,
    parts: Vec<Part>,
    /// Pairs of places in `parts` that may collide.
    pairs: Vec<[u32; 2]>,
    skips_flat_patches: bool,
    /// Whether the trees stay as they are, however worn.
    keeps_trees: bool,
    node_boxes: Vec<Bounds>,
    node_diagonals: Vec<[Bounds; 2]>,
    search: Search<Candidates>,
    /// Scratch that brings each kind of candidate into order.
    starts: [Vec<u32>; 2],
}

/// Some triangles with a tree over them.
#[derive(Clone, Debug, Default)]
struct Part {
    triangles: Vec<u32>,
    tree: BoxTree,
    flatness: Flatness,
    /// Whether it may collide with itself.
    meets_itself: bool,
}

impl Part {
    /// Fits the tree to the present boxes, or grows it anew if it is worn and not to be kept.
    fn fit(&mut self, elements: &Elements, keep: bool) {
        if self.tree.is_empty() {
            return self.grow(elements);
        }
        self.tree.refit_with(|t| elements.triangle_box(t));
        if !keep && self.tree.needs_rebuild() {
            self.grow(elements);
        }
    }

    fn grow(&mut self, elements: &Elements) {
        let number = |i: usize| self.triangles[i];
        let count = self.triangles.len();
        self.tree
            .rebuild_with(count, number, |t| elements.triangle_box(t));
        self.flatness.forget();
    }
}

impl BroadPhase {
    /// Prepares the search over triangles and their sides, with nodes numbered below `nodes`. `parts` says to
    /// which part each triangle belongs, and `may_collide` which parts may collide, for a part with itself
    /// too; it is asked with the lower part first. Nodes and edges belong to the part of their triangles.
    /// Where these are of several parts, they belong to one of these.
    ///
    /// # Errors
    ///
    /// If a triangle has a corner that is no node, an edge is no side of a triangle or given twice, or there
    /// is not one part for each triangle.
    pub fn new(
        nodes: usize,
        triangles: &[[u32; 3]],
        edges: &[[u32; 2]],
        parts: &[u16],
        may_collide: impl Fn(u16, u16) -> bool,
    ) -> Result<Self, BroadPhaseError> {
        if parts.len() != triangles.len() {
            return Err(BroadPhaseError::PartsDoNotMatch {
                triangles: triangles.len(),
                parts: parts.len(),
            });
        }
        let mut names = parts.to_vec();
        names.sort_unstable();
        names.dedup();
        let mut members = vec![Part::default(); names.len()];
        for (t, name) in parts.iter().enumerate() {
            let place = names.partition_point(|n| n < name);
            members[place].triangles.push(t as u32);
        }
        let all = (0..names.len()).flat_map(|a| (a..names.len()).map(move |b| (a, b)));
        let allowed = all.filter(|(a, b)| may_collide(names[*a], names[*b]));
        let pairs: Vec<_> = allowed.map(|(a, b)| [a as u32, b as u32]).collect();
        for [a, _] in pairs.iter().filter(|[a, b]| a == b) {
            members[*a as usize].meets_itself = true;
        }
        Ok(BroadPhase {
            edges: edges.to_vec(),
            owners: ownership::assign(nodes, triangles, edges)?,
            parts: members,
            pairs,
            skips_flat_patches: false,
            keeps_trees: false,
            node_boxes: vec![Bounds::EMPTY; nodes],
            node_diagonals: vec![[Bounds::EMPTY; 2]; nodes],
            search: Search::default(),
            starts: Default::default(),
        })
    }

    /// Grows all trees over nodes at these places, in m, and keeps them: from now on they are only refitted.
    ///
    /// Over cloth laid out flat, the branches are patches of cloth whatever its folds: layers do not mix,
    /// searches of folded cloth take about a quarter less time, and
    /// [`skip_flat_patches`](Self::skip_flat_patches) has patches to find, the same ones after a restart.
    /// Without this call the trees are grown when first needed, and anew when worn.
    ///
    /// # Panics
    ///
    /// If there is not one position for each node.
    pub fn grow_over(&mut self, positions: &[DVec3]) {
        self.take_boxes(positions, positions, |_| 0.0);
        let elements = Elements {
            owners: &self.owners,
            node_boxes: &self.node_boxes,
            node_diagonals: &self.node_diagonals,
        };
        for part in &mut self.parts {
            part.grow(&elements);
        }
        self.keeps_trees = true;
    }

    /// Takes in where the nodes are at the start and at the end of a step, in m, and how far from its node
    /// `reach` still finds something, in m: two elements are found if they come as near as the sum of their
    /// reaches. For a contact that begins at a distance `d`, half of `d` is the reach. All positions must be
    /// finite; a node that is not is not found.
    ///
    /// # Panics
    ///
    /// If there is not one position at the start and one at the end for each node.
    pub fn update(&mut self, start: &[DVec3], end: &[DVec3], reach: impl Fn(usize) -> f64 + Sync) {
        self.take_boxes(start, end, &reach);
        let elements = Elements {
            owners: &self.owners,
            node_boxes: &self.node_boxes,
            node_diagonals: &self.node_diagonals,
        };
        let motion = SweptNodes { start, end, reach };
        for part in &mut self.parts {
            part.fit(&elements, self.keeps_trees);
            if self.skips_flat_patches && part.meets_itself {
                part.flatness.update(&part.tree, &self.owners, &motion);
            }
        }
    }

    /// Works out the boxes of all nodes.
    fn take_boxes(&mut self, start: &[DVec3], end: &[DVec3], reach: impl Fn(usize) -> f64 + Sync) {
        let nodes = self.node_boxes.len();
        assert_eq!(
            (start.len(), end.len()),
            (nodes, nodes),
            "one position for each node"
        );
        parallel::fill(&mut self.node_boxes, |i| {
            Bounds::swept(start[i], end[i], reach(i))
        });
        parallel::fill(&mut self.node_diagonals, |i| {
            Bounds::swept_along_diagonals(start[i], end[i], reach(i))
        });
    }

    /// Whether to leave out the pairs within patches of cloth that are so flat, from the next
    /// [step](Self::update) on, that they cannot meet themselves. At first it does not.
    ///
    /// No pair that touches at any time of the step is left out, but pairs that only come near may be: those
    /// that are also near along the cloth. Which ones depends on the tree and so on earlier steps. So this is
    /// for finding collisions, whose outcome does not depend on pairs that do not touch.
    pub fn skip_flat_patches(&mut self, skip: bool) {
        self.skips_flat_patches = skip;
        for part in &mut self.parts {
            part.flatness.forget();
        }
    }

    /// Writes to `out` all pairs of elements that may meet in the step last [taken in](Self::update).
    pub fn find(&mut self, out: &mut Candidates) {
        let elements = Elements {
            owners: &self.owners,
            node_boxes: &self.node_boxes,
            node_diagonals: &self.node_diagonals,
        };
        let parts = &self.parts;
        self.search.run(
            |p| &parts[p as usize].tree,
            &self.pairs,
            |p, branch| parts[p as usize].flatness.is_flat(branch),
            Candidates::clear,
            |found, a, b| elements.examine(found, a, b),
        );
        let found = self.search.found();
        let points = found.clone().map(|f| f.point_triangle.as_slice());
        let edges = found.map(|f| f.edge_edge.as_slice());
        let [point_starts, edge_starts] = &mut self.starts;
        let (nodes, sides) = (self.node_boxes.len(), self.edges.len());
        parallel::join(
            sides >= SORT_IN_PARALLEL_FROM,
            || gather(points, nodes, point_starts, &mut out.point_triangle),
            || gather(edges, sides, edge_starts, &mut out.edge_edge),
        );
    }

    /// The four nodes of a node and a triangle: the node, then the corners.
    pub fn point_triangle_nodes(&self, [node, triangle]: [u32; 2]) -> [u32; 4] {
        let [a, b, c] = self.owners[triangle as usize].corners;
        [node, a, b, c]
    }

    /// The four nodes of two edges: the ends of the one, then of the other.
    pub fn edge_edge_nodes(&self, [one, other]: [u32; 2]) -> [u32; 4] {
        let [p, q] = self.edges[one as usize];
        let [r, s] = self.edges[other as usize];
        [p, q, r, s]
    }
}
