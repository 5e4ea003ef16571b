//! Level sets: the signed distance of a triangle mesh, on an adaptive octree.
//!
//! # Invariant
//! A [`LevelSet`] is a function of the mesh's present positions and the settings, and of nothing else: not of
//! earlier positions, not of the number of threads. [`LevelSet::rebuild`] gives, to the last bit, the
//! distances that [`LevelSet::new`] would.
//!
//! # The mathematics
//! The field `φ(p) = ± min |p − x|` over the surface points `x`, negative inside, is stored as values at the
//! corners of cubes, which are interpolated trilinearly: an adaptively sampled distance field (Frisken,
//! Perry, Rockwood, Jones 2000), as Bridson, Marino, Fedkiw (2003, §5.1) use for bodies under cloth. A cube
//! is halved until the interpolation at its centre and on its edges is within the tolerance, or until it has
//! the finest size (`build`). In the band around the surface the tolerance is the given one; beyond it grows
//! by a fifth of the distance from the band. Signs are right far away as well.
//!
//! For cubes of side `h` over a surface with radii of curvature `R₁, R₂` the interpolation misses by at most
//! about `h²/8 (1/R₁ + 1/R₂)`: second order in `h`. At a crease of the distance (sharp edges, and the
//! places with two closest points) it misses by up to about `h/2`, and gradients are of first order.
//!
//! Next to the surface that is not good enough: cloth lies a fraction of a millimetre above it, and a part thinner than
//! a cell has no inside at any corner. So up to half a finest cell from the surface the distance is searched among the
//! triangles (`exact`), from there to a whole cell it goes over to the interpolated one, and leaves know whether the surface
//! may be so near. Farther away, where most questions are asked, the interpolation answers at once.
//!
//! The field is **continuous**. A corner that lies halfway on a coarser neighbour's edge or face gets the
//! neighbour's value there (Westermann, Kobbelt, Ertl 1999). The gradient jumps between cubes.
//!
//! # Inside and outside
//! Meshes are taken as they come, and closed in these steps (`surface`, `edges`):
//!
//! 1. nodes at exactly the same place are one; triangles without three different nodes, and copies, are
//!    left out;
//! 2. patches that face the other way than the rest of their part are turned over;
//! 3. every loop of open edges is covered by a fan around its middle. Covers belong to the surface, also for
//!    distances: a bust cut off at the waist is solid, with a flat bottom.
//!
//! What results is a closed chain. Its winding number (Jacobson, Kavan, Sorkine-Hornung 2013) is a whole
//! number everywhere, so it always decides, and inside is where it is positive (`winding`): that of two
//! overlapping parts is their union. Triangles with the same sign on both sides, as in the overlap, are
//! hidden from the distance; those that are partly so are not, so near the curve where parts cross, depths
//! inside are too small by up to a triangle's size.
//!
//! # Example
//! ```
//! # use toile::glam::{DVec3, dvec3};
//! # use toile::geometry::level_set::{LevelSet, LevelSetError, Settings};
//! # fn main() -> Result<(), LevelSetError> {
//! // A tetrahedron, fronts outwards.
//! let positions = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
//! let mut body = LevelSet::new(&positions, &triangles, Settings::with_cell(0.02))?;
//! let sample = body.sample(dvec3(0.2, 0.2, -0.1));
//! assert!((sample.distance - 0.1).abs() < 1e-3 && sample.normal.z < -0.99);
//!
//! // It rises by a centimetre in a hundredth of a second.
//! let risen = positions.map(|p| p + 0.01 * DVec3::Z);
//! body.rebuild(&risen)?;
//! let velocities = [DVec3::Z; 4];
//! assert_eq!(body.velocity(dvec3(0.2, 0.2, -0.1), &velocities)?, DVec3::Z);
//! assert_eq!(body.findings().open_edges, 0);
//! # Ok(())
//! # }
//! ```
//!
//! # What it cannot do
//! More than half a finest cell away, parts and gaps thinner than a cell may vanish between corners. A part that is
//! inside out while others are not is taken for a cavity; alone it bounds nothing and is hidden.

mod build;
mod edges;
mod error;
mod exact;
mod lattice;
mod octree;
mod sample;
mod scratch;
pub(crate) mod surface;
mod union;
mod winding;

pub use error::LevelSetError;
pub use sample::{Axis, SurfacePoint};
pub use surface::Findings;
pub use union::{pinched, union_sample};
pub(crate) use winding::winding_number;

use super::triangle_tree::TriangleTree;
use glam::DVec3;
use octree::Octree;
use scratch::Scratch;
use surface::Surface;

/// More halvings would not fit the lattice, nor any memory.
const MOST_HALVINGS: u32 = 16;
/// More leaves would fill several gigabytes.
const MOST_LEAVES: usize = 1 << 26;
/// The lattice starts off the round numbers that meshes are made of, so that its points do not lie on the
/// surface and its lines miss the mesh's edges.
const SHIFT: DVec3 = DVec3::new(0.381_966_011, 0.618_033_989, 0.276_393_202);

/// How to make a level set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Side of the finest cells (m).
    pub cell: f64,
    /// How far the interpolated distance may be from the exact one where the cells are not the finest (m). It
    /// is what cells are halved by, measured at some of their points, not a proven bound.
    pub tolerance: f64,
    /// Distance from the surface up to which the tolerance holds (m).
    pub band: f64,
    /// Whether holes are covered; otherwise an open mesh is an error.
    pub cover_holes: bool,
    /// Whether a mesh that is inside out is turned; otherwise it is an error.
    pub flip_inverted: bool,
}

impl Settings {
    /// Finest cells of the given side (m), a tolerance of a twentieth of it, a band of two cells, holes
    /// covered, and inverted meshes refused.
    pub fn with_cell(cell: f64) -> Self {
        Settings {
            cell,
            tolerance: cell / 20.0,
            band: 2.0 * cell,
            cover_holes: true,
            flip_inverted: false,
        }
    }

    fn check(&self) -> Result<(), LevelSetError> {
        let measures = [
            ("finest cell", self.cell),
            ("tolerance", self.tolerance),
            ("band", self.band),
        ];
        for (name, value) in measures {
            if !(value > 0.0 && value.is_finite()) {
                return Err(LevelSetError::Setting { name, value });
            }
        }
        Ok(())
    }
}

/// How large a level set is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Cells of the octree, halved ones included.
    pub cells: usize,
    /// Cells that are not halved.
    pub leaves: usize,
    /// Different corners of leaves.
    pub corner_values: usize,
    /// Halvings from the root cube to the finest cells.
    pub depth: u32,
    /// Memory of the field itself (bytes).
    pub bytes: usize,
    /// Memory of the triangles' tree, and what is kept for the next rebuild (bytes).
    pub further_bytes: usize,
}

/// The signed distance of a closed surface.
#[derive(Clone, Debug)]
pub struct LevelSet {
    settings: Settings,
    given_triangles: Vec<[u32; 3]>,
    surface: Surface,
    triangles: TriangleTree,
    tree: Octree,
    /// Middle of the body (m).
    centre: DVec3,
    /// The box around the body (m).
    bounds: [DVec3; 2],
    /// The tree before, and other memory to use again.
    spare: Octree,
    scratch: Scratch,
}

impl LevelSet {
    /// The level set of a mesh with nodes at `positions` (m) and triangles that show their front, where their
    /// nodes run counterclockwise, to the outside. What was mended in the mesh is in [`Self::findings`].
    pub fn new(
        positions: &[DVec3],
        triangles: &[[u32; 3]],
        settings: Settings,
    ) -> Result<Self, LevelSetError> {
        settings.check()?;
        let surface = Surface::new(positions, triangles, &settings)?;
        let mut level_set = LevelSet {
            settings,
            given_triangles: triangles.to_vec(),
            triangles: TriangleTree::new(&surface.points, &surface.triangles),
            surface,
            tree: Octree::default(),
            centre: DVec3::ZERO,
            bounds: [DVec3::ZERO; 2],
            spare: Octree::default(),
            scratch: Scratch::default(),
        };
        level_set.hide()?;
        level_set.fill()?;
        Ok(level_set)
    }

    /// The level set of the same triangles with the nodes at new positions (m).
    ///
    /// Cheaper than a new one, as what is known of the mesh, the shape of the triangles' tree and all memory
    /// are used again. After an error the level set is as it was.
    pub fn rebuild(&mut self, positions: &[DVec3]) -> Result<(), LevelSetError> {
        let before = (self.surface.points.clone(), self.surface.findings);
        if !self.surface.place(positions, self.settings.flip_inverted)? {
            *self = LevelSet::new(positions, &self.given_triangles, self.settings)?;
            return Ok(());
        }
        self.triangles.refit(&self.surface.points);
        let result = self.hide().and_then(|()| self.fill());
        if result.is_err() {
            (self.surface.points, self.surface.findings) = before;
            self.triangles.refit(&self.surface.points);
            self.hide()?;
        }
        result
    }

    /// Hides the triangles that do not bound the body.
    fn hide(&mut self) -> Result<(), LevelSetError> {
        let (low, high) = self.surface.bounds();
        let visible = winding::boundary(&self.triangles, low.distance(high));
        let shown = visible.iter().filter(|shown| **shown).count();
        if shown == 0 {
            let volume = self.surface.findings.volume;
            return Err(LevelSetError::NoInside { volume });
        }
        self.surface.findings.hidden_triangles = visible.len() - shown;
        self.triangles.show_only(visible);
        Ok(())
    }

    /// Grows the octree in the spare memory and, if that succeeds, exchanges the two.
    fn fill(&mut self) -> Result<(), LevelSetError> {
        self.place_cube()?;
        let (spare, scratch) = (&mut self.spare, &mut self.scratch);
        build::grow(spare, scratch, &self.triangles, &self.settings, MOST_LEAVES)?;
        std::mem::swap(&mut self.tree, &mut self.spare);
        let (low, high) = self.surface.bounds();
        self.centre = 0.5 * (low + high);
        self.bounds = [low, high];
        Ok(())
    }

    /// A cube around the body and its band, on a lattice that does not move with the body.
    fn place_cube(&mut self) -> Result<(), LevelSetError> {
        let (low, high) = self.surface.bounds();
        let cell = self.settings.cell;
        let extent = (high - low).max_element() + 2.0 * self.settings.band + 4.0 * cell;
        let depth = (extent / cell).log2().ceil().max(1.0);
        if depth > f64::from(MOST_HALVINGS) {
            return Err(LevelSetError::TooFine {
                cell,
                extent,
                least: extent / f64::from(1 << MOST_HALVINGS),
            });
        }
        let tree = &mut self.spare;
        (tree.cell, tree.depth) = (cell, depth as u32);
        let start = 0.5 * (low + high) - 0.5 * tree.side();
        tree.origin = cell * ((start / cell).floor() + SHIFT);
        Ok(())
    }

    /// Gives back the memory that is kept for the next rebuild, for bodies that do not move.
    pub fn release_spare_memory(&mut self) {
        self.spare = Octree::default();
        self.scratch = Scratch::default();
    }

    /// What was found and mended in the mesh.
    pub fn findings(&self) -> &Findings {
        &self.surface.findings
    }

    /// The settings it was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The cube in which distances are stored: its lowest corner and its side (m).
    pub fn cube(&self) -> (DVec3, f64) {
        (self.tree.origin, self.tree.side())
    }

    /// How large it is.
    pub fn sizes(&self) -> Sizes {
        Sizes {
            cells: self.tree.cells.len(),
            leaves: self.tree.leaves.len(),
            corner_values: self.tree.corner_values,
            depth: self.tree.depth,
            bytes: self.tree.bytes(),
            further_bytes: self.spare.bytes() + self.scratch.bytes() + self.triangles.bytes(),
        }
    }
}

#[cfg(test)]
mod tests;
