//! Rows and columns of cells: what sheets, rings and tubes have in common.

use super::Face;

/// What the cells of a mesh in rows and columns are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum GridPattern {
    /// Each cell is a quad.
    #[default]
    Quads,
    /// Each cell is cut into two triangles.
    Triangles(Diagonals),
}

/// Which way cells are cut into triangles. With `x` along the row and `y` from row to row, a cell is cut
/// either forward (`/`, from its lower left to its upper right corner) or backward (`\`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Diagonals {
    /// All cells forward.
    #[default]
    Forward,
    /// All cells backward.
    Backward,
    /// In a checkerboard: cell `(ix, iy)` forward where `ix + iy` is even. Four diagonals meet at every
    /// other node (the "union jack").
    Alternating,
    /// Row by row: row `iy` forward where `iy` is even.
    HerringBone,
}

impl Diagonals {
    fn is_forward(self, [ix, iy]: [u32; 2]) -> bool {
        match self {
            Diagonals::Forward => true,
            Diagonals::Backward => false,
            Diagonals::Alternating => (ix % 2) == (iy % 2),
            Diagonals::HerringBone => iy % 2 == 0,
        }
    }
}

/// Nodes in rows, the index running along each row first, and the cells between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    /// Cells along a row and number of rows of cells.
    pub cells: [u32; 2],
    /// Whether a row closes upon itself, so that its last cell ends at its first node.
    pub closed: bool,
    /// Index of the first node.
    pub first_node: u32,
}

impl Lattice {
    /// Faces with each corner as column and row, where the column past the end of a closed row is not
    /// yet wrapped. Cells follow each other along the row, then row by row; a cell of two triangles
    /// gives first the one that holds the lower side.
    ///
    /// A quad starts at the lower left corner. Triangles of a forward cell are (lower left, lower
    /// right, upper right) and (lower left, upper right, upper left); of a backward cell (lower left,
    /// lower right, upper left) and (lower right, upper right, upper left).
    pub(super) fn cells(self, pattern: GridPattern) -> impl Iterator<Item = LatticeFace> {
        let [columns, rows] = self.cells;
        (0..rows)
            .flat_map(move |iy| (0..columns).map(move |ix| [ix, iy]))
            .flat_map(move |[ix, iy]| {
                let lower_left = [ix, iy];
                let lower_right = [ix + 1, iy];
                let upper_right = [ix + 1, iy + 1];
                let upper_left = [ix, iy + 1];
                let tri = |a, b, c| LatticeFace::Tri([a, b, c]);
                let (first, second) = match pattern {
                    GridPattern::Quads => {
                        let around = [lower_left, lower_right, upper_right, upper_left];
                        (LatticeFace::Quad(around), None)
                    }
                    GridPattern::Triangles(cut) if cut.is_forward(lower_left) => (
                        tri(lower_left, lower_right, upper_right),
                        Some(tri(lower_left, upper_right, upper_left)),
                    ),
                    GridPattern::Triangles(_) => (
                        tri(lower_left, lower_right, upper_left),
                        Some(tri(lower_right, upper_right, upper_left)),
                    ),
                };
                std::iter::once(first).chain(second)
            })
    }

    /// The faces with their nodes.
    pub(super) fn faces(self, pattern: GridPattern) -> Vec<Face> {
        let to_nodes = |face| match face {
            LatticeFace::Tri(corners) => Face::Tri(corners.map(|c| self.node(c))),
            LatticeFace::Quad(corners) => Face::Quad(corners.map(|c| self.node(c))),
        };
        self.cells(pattern).map(to_nodes).collect()
    }

    /// Nodes of one row.
    pub(super) fn row_length(self) -> u32 {
        self.cells[0] + u32::from(!self.closed)
    }

    /// The node at a column and row.
    pub(super) fn node(self, [column, row]: [u32; 2]) -> u32 {
        let column = if self.closed {
            column % self.cells[0]
        } else {
            column
        };
        self.first_node + row * self.row_length() + column
    }
}

/// A face whose corners are still columns and rows.
#[derive(Clone, Copy, Debug)]
pub(super) enum LatticeFace {
    Tri([[u32; 2]; 3]),
    Quad([[u32; 2]; 4]),
}

impl LatticeFace {
    /// The corners in order.
    pub(super) fn corners(&self) -> &[[u32; 2]] {
        match self {
            LatticeFace::Tri(c) => c,
            LatticeFace::Quad(c) => c,
        }
    }
}
