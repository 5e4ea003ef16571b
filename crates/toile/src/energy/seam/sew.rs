//! Where the stitches of a seam go.
//!
//! Both edges are measured from 0 at one end to 1 at the other, along the cloth at rest. Every node of either
//! is sewn to the place of the other with the same measure: to the node there, or to a point between two.
//! Edges of different lengths are gathered evenly, and edges with different numbers of nodes have a stitch at
//! every node of both.

use super::{Seam, Stitch, Thread};
use glam::DVec3;
use thiserror::Error;

/// Measures along a seam (m) that differ by less than this are the same place: a micrometre is less than any
/// edge and more than rounding of sums of edges.
const SAME: f64 = 1e-6;

/// One edge of a seam.
#[derive(Clone, Debug, PartialEq)]
pub struct SeamPath {
    /// Its nodes in order, numbered over the whole world. A ring names its first node again at the end.
    pub nodes: Vec<u32>,
    /// How far along the cloth at rest each of them is (m), from 0 and rising.
    pub places: Vec<f64>,
}

impl SeamPath {
    fn length(&self) -> f64 {
        self.places.last().copied().unwrap_or(0.0)
    }

    fn is_ring(&self) -> bool {
        self.nodes.len() > 2 && self.nodes.first() == self.nodes.last()
    }

    /// Nodes with their measures; a ring's first node once.
    fn measured(&self) -> impl Iterator<Item = (u32, f64)> {
        let last = self.nodes.len() - usize::from(self.is_ring());
        let length = self.length();
        let measures = self.places.iter().map(move |s| s / length);
        self.nodes.iter().copied().zip(measures).take(last)
    }

    /// What is at a measure: a node, or two with the share of the second.
    fn at(&self, measure: f64) -> (u32, Option<(u32, f64)>) {
        let wanted = measure * self.length();
        let after = self.places.partition_point(|s| *s < wanted);
        let after = after.clamp(1, self.nodes.len() - 1);
        let (from, to) = (self.places[after - 1], self.places[after]);
        let share = ((wanted - from) / (to - from)).clamp(0.0, 1.0);
        let ends = [self.nodes[after - 1], self.nodes[after]];
        let near = SAME * self.length() / (to - from);
        if share <= near {
            (ends[0], None)
        } else if share >= 1.0 - near {
            (ends[1], None)
        } else {
            (ends[0], Some((ends[1], share)))
        }
    }
}

/// Why two edges cannot be sewn together.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SeamError {
    /// An edge without length.
    #[error("an edge to be sewn needs at least two nodes at different places")]
    TooShort,
    /// The two edges have a node in common where it would be sewn to itself.
    #[error(
        "node {node} would be sewn to itself or to its own edge; the two edges of a seam may meet at their ends only"
    )]
    ToItself {
        /// The node, numbered over the whole world.
        node: u32,
    },
    /// A ring and an edge with two ends.
    #[error("a ring can only be sewn to a ring")]
    RingToEdge,
}

impl Seam {
    /// Sews two edges together, with the nodes where they are at the start.
    ///
    /// # Errors
    ///
    /// If an edge has no length, only one is a ring, or a node would be sewn to itself. At the ends, where a
    /// dart comes to its point, two edges may share a node; it gets no stitch.
    pub fn sew(
        edges: &[SeamPath; 2],
        positions: &[DVec3],
        thread: Thread,
    ) -> Result<Seam, SeamError> {
        let [one, other] = edges;
        let rising = |path: &SeamPath| path.places.windows(2).all(|w| w[0] < w[1]);
        if edges.iter().any(|e| e.nodes.len() < 2 || !rising(e)) {
            return Err(SeamError::TooShort);
        }
        if one.is_ring() != other.is_ring() {
            return Err(SeamError::RingToEdge);
        }
        let mut seam = Seam {
            pairs: Vec::new(),
            points: Vec::new(),
            thread,
        };
        let mut measures = [Vec::new(), Vec::new()];
        for (side, (mine, theirs)) in [(one, other), (other, one)].into_iter().enumerate() {
            for (node, measure) in mine.measured() {
                let is_end = !(SAME..=1.0 - SAME).contains(&measure);
                match theirs.at(measure) {
                    (there, None) if there == node && is_end => {}
                    (there, None) if there == node => return Err(SeamError::ToItself { node }),
                    // The first edge has seen to it already.
                    (_, None) if side == 1 => {}
                    (there, None) => {
                        seam.pairs
                            .push(Stitch::new([node, there], [1.0, -1.0], positions));
                        measures[0].push(measure);
                    }
                    (a, Some((b, _))) if a == node || b == node => {
                        return Err(SeamError::ToItself { node });
                    }
                    (a, Some((b, share))) => {
                        let weights = [1.0, share - 1.0, -share];
                        seam.points
                            .push(Stitch::new([node, a, b], weights, positions));
                        measures[1].push(measure);
                    }
                }
            }
        }
        seam.share_out(
            &measures,
            0.5 * (one.length() + other.length()),
            one.is_ring(),
        );
        Ok(seam)
    }

    /// Gives each stitch the stiffness of the length of seam that it holds (m), half of the way to the next
    /// on either side.
    fn share_out(&mut self, measures: &[Vec<f64>; 2], length: f64, ring: bool) {
        let mut all = measures.concat();
        all.sort_by(f64::total_cmp);
        let share = |measure: f64| {
            let before = all.partition_point(|m| *m < measure);
            let after = all.partition_point(|m| *m <= measure);
            let first = match before.checked_sub(1) {
                Some(k) => all[k],
                None if ring => all[all.len() - 1] - 1.0,
                None => measure,
            };
            let next = match all.get(after) {
                Some(next) => *next,
                None if ring => all[0] + 1.0,
                None => measure,
            };
            0.5 * (next - first) / (after - before) as f64
        };
        let per_measure = self.thread.stiffness * length;
        for (stitch, measure) in self.pairs.iter_mut().zip(&measures[0]) {
            stitch.stiffness = per_measure * share(*measure);
        }
        for (stitch, measure) in self.points.iter_mut().zip(&measures[1]) {
            stitch.stiffness = per_measure * share(*measure);
        }
    }
}

impl<const N: usize> Stitch<N> {
    fn new(nodes: [u32; N], weights: [f64; N], positions: &[DVec3]) -> Self {
        let stitch = Stitch {
            nodes,
            weights,
            length: 0.0,
            stiffness: 0.0,
        };
        let length = stitch.span(&stitch.at(positions)).length();
        Stitch { length, ..stitch }
    }
}
