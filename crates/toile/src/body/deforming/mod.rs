//! Bodies that deform: closed meshes whose nodes move from frame to frame.
//!
//! # Invariant
//! Where a surface is follows from the time alone. Nothing is remembered from step to step, so a run that was
//! resumed sees the same surface to the last bit.
//!
//! # Distances are exact
//! A surface that changes with every step would need a new level set with every step, most of whose cells no
//! node ever looks at. Here the triangles themselves are asked, through a tree of boxes that is only fitted
//! anew: the closest point is exact, and so are the velocity there and the normal.
//! (`cargo bench -p toile --bench deforming` measures both: placing 5,120 to 81,920 triangles and asking for
//! 10,000 points takes 17 to 70 ms, a level set with cells of 5 mm made anew 420 to 650 ms.)
//!
//! **Inside** is where the winding number of the closed surface is positive, as for [level
//! sets](crate::geometry::level_set): holes are covered, patches turned, overlapping parts are one body. It is counted
//! along a ray out of the body's box. Seen from outside the closest triangle always bounds the body. From
//! inside it may lie within another part; then the closest one is searched that has the outside in front of
//! it.
//!
//! # Following a node through a step
//! During a step nodes of the surface and of the cloth move on straight lines. A point of a triangle
//! approaches a node no faster than the fastest of its corners does, `D = max |Δp − Δx|` over the corners
//! near the node's way, so from a clearance `c` the node may advance by `c / D` of the step (conservative
//! advancement). It arrives at the end of the step, or at the surface.
//!
//! # No room
//! Where parts of a body close on each other, as an armpit does, cloth between them is inside two parts at
//! once, or the way out of one leads into the other. Such a node is *caught*: it keeps its place to the
//! surface nearest to it until the parts leave it. What is deep inside for another reason comes out by twice
//! its offset with each step, so nothing jumps. See [`crate::certificate::Certificate::squeezed`].

mod moving;
mod sequence;
#[cfg(test)]
mod tests;

pub use moving::MovingSurface;
pub(crate) use moving::{Look, NodeImpact};
pub use sequence::{Sequence, SequenceError, SequenceSettings};
