//! A surface on its way to triangles: cells with normals at their nodes, which can be cut finer along the curve that the normals tell.

use glam::{Vec2, Vec3};
use toile::mesh::Face;

/// No fourth corner.
pub(crate) const NONE: u32 = u32::MAX;

/// The most that the middle of an edge moves off the edge, as a part of its length: an edge of an arc that turns by 60° does so.
const MOST_BULGE: f32 = 0.13;

/// A triangle or a quad.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// The last is [`NONE`] in a triangle.
    pub corners: [u32; 4],
    /// Along warp and weft.
    pub threads: [Vec2; 4],
    /// Whether the side from each corner to the next is an edge of the mesh.
    pub outline: [bool; 4],
}

impl Cell {
    pub fn sides(&self) -> usize {
        if self.corners[3] == NONE { 3 } else { 4 }
    }

    /// The ends of a side.
    pub fn side(&self, k: usize) -> [u32; 2] {
        [self.corners[k], self.corners[(k + 1) % self.sides()]]
    }
}

/// Nodes and cells of one surface.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patch {
    pub positions: Vec<Vec3>,
    /// Mean of the cells' normals around each node, weighted by their areas.
    pub normals: Vec<Vec3>,
    /// In linear light; empty if the nodes have none.
    pub colors: Vec<Vec3>,
    pub cells: Vec<Cell>,
}

impl Patch {
    /// Faces that name a missing node, or one that is nowhere, are left out. Threads are the places of the faces' corners along
    /// warp and weft.
    pub fn new(
        positions: &[Vec3],
        faces: &[Face],
        colors: Vec<Vec3>,
        threads: Option<&[[[f32; 2]; 4]]>,
    ) -> Patch {
        let mut patch = Patch {
            positions: positions.to_vec(),
            normals: vec![Vec3::ZERO; positions.len()],
            colors,
            cells: Vec::with_capacity(faces.len()),
        };
        for (index, face) in faces.iter().enumerate() {
            let place = |n: &u32| positions.get(*n as usize).filter(|p| p.is_finite());
            if !face.corners().iter().all(|n| place(n).is_some()) {
                continue;
            }
            let corners = match *face {
                Face::Tri([a, b, c]) => [a, b, c, NONE],
                Face::Quad(corners) => corners,
            };
            let cell = Cell {
                corners,
                threads: threads.map_or([Vec2::ZERO; 4], |all| all[index].map(Vec2::from)),
                outline: [true; 4],
            };
            let area = patch.area(&cell);
            for &corner in face.corners() {
                patch.normals[corner as usize] += area;
            }
            patch.cells.push(cell);
        }
        for normal in &mut patch.normals {
            *normal = normal.normalize_or_zero();
        }
        patch
    }

    /// The vector area of a cell, doubled.
    pub fn area(&self, cell: &Cell) -> Vec3 {
        let at = |k: usize| self.positions[cell.corners[k] as usize];
        match cell.sides() {
            3 => (at(1) - at(0)).cross(at(2) - at(0)),
            _ => (at(2) - at(0)).cross(at(3) - at(1)),
        }
    }

    /// The longest side of all cells (m).
    pub fn longest_edge(&self) -> f32 {
        let sides = self.cells.iter().flat_map(|c| {
            let side = |k| c.side(k).map(|n| self.positions[n as usize]);
            (0..c.sides()).map(side)
        });
        let squares = sides.map(|[a, b]| a.distance_squared(b));
        squares.fold(0.0, f32::max).sqrt()
    }

    /// How many yarns a unit along warp and weft has, if a square sheet as large has so many. `None` where threads have no
    /// direction.
    pub fn yarns(&self, across: f32) -> Option<Vec2> {
        let (mut area, mut along) = (0.0, Vec2::ZERO);
        for cell in &self.cells {
            let at = |k: usize| self.positions[cell.corners[k] as usize];
            let ways = [at(1) - at(0), at(cell.sides() - 1) - at(0)];
            let threads = [1, cell.sides() - 1].map(|k| cell.threads[k] - cell.threads[0]);
            let Some([warp, weft]) = directions(ways, threads) else {
                continue;
            };
            let weight = 0.5 * self.area(cell).length();
            area += weight;
            along += weight * Vec2::new(warp.length(), weft.length());
        }
        let yarns = along * across / (area * area.sqrt());
        (yarns.is_finite() && yarns.min_element() > 0.0).then_some(yarns)
    }

    /// Every cell cut into four. Nodes stay where they are; the middle of an edge goes onto the curve that leaves both ends across
    /// their normals (A. Vlachos and others, Curved PN Triangles, 2001), which depends on nothing but the ends, so that no crack opens.
    pub fn refined(&self) -> Patch {
        let mut fine = Patch {
            positions: self.positions.clone(),
            normals: self.normals.clone(),
            colors: self.colors.clone(),
            cells: Vec::with_capacity(4 * self.cells.len()),
        };
        let mut middles = Middles::new(self.positions.len());
        for cell in &self.cells {
            let sides = cell.sides();
            let mut middle = [NONE; 4];
            for (k, middle) in middle.iter_mut().enumerate().take(sides) {
                let ends = cell.side(k);
                *middle = middles.of(ends, || fine.add_middle(ends));
            }
            let halfway = |k: usize| 0.5 * (cell.threads[k] + cell.threads[(k + 1) % sides]);
            if sides == 3 {
                let [a, b, c, _] = cell.corners;
                let [ta, tb, tc, _] = cell.threads;
                let [ab, bc, ca, _] = middle;
                let [tab, tbc, tca] = [0, 1, 2].map(halfway);
                let [o0, o1, o2, _] = cell.outline;
                let mut add = |corners: [u32; 3], threads: [Vec2; 3], outline: [bool; 3]| {
                    fine.cells.push(Cell {
                        corners: [corners[0], corners[1], corners[2], NONE],
                        threads: [threads[0], threads[1], threads[2], Vec2::ZERO],
                        outline: [outline[0], outline[1], outline[2], false],
                    });
                };
                add([a, ab, ca], [ta, tab, tca], [o0, false, o2]);
                add([ab, b, bc], [tab, tb, tbc], [o0, o1, false]);
                add([ca, bc, c], [tca, tbc, tc], [false, o1, o2]);
                add([ab, bc, ca], [tab, tbc, tca], [false; 3]);
            } else {
                let center = fine.add_center(cell, middle);
                let inner = 0.25 * (cell.threads.iter().sum::<Vec2>());
                for k in 0..4 {
                    let before = (k + 3) % 4;
                    fine.cells.push(Cell {
                        corners: [cell.corners[k], middle[k], center, middle[before]],
                        threads: [cell.threads[k], halfway(k), inner, halfway(before)],
                        outline: [cell.outline[k], false, false, cell.outline[before]],
                    });
                }
            }
        }
        fine
    }

    /// Normals that went halfway to those of the cells around, so often. It hides folds too small for the mesh: they run from node
    /// to node in teeth.
    pub fn smoothed_normals(&self, times: usize) -> Vec<Vec3> {
        let mut normals = self.normals.clone();
        for _ in 0..times {
            let mut around = vec![Vec3::ZERO; normals.len()];
            for cell in &self.cells {
                let corners = &cell.corners[..cell.sides()];
                let sum: Vec3 = corners.iter().map(|&n| normals[n as usize]).sum();
                for &n in corners {
                    around[n as usize] += sum;
                }
            }
            for (normal, around) in normals.iter_mut().zip(around) {
                *normal = (*normal + around.normalize_or_zero()).normalize_or_zero();
            }
        }
        normals
    }

    fn add_middle(&mut self, ends: [u32; 2]) -> u32 {
        let [a, b] = ends.map(|n| self.positions[n as usize]);
        let [normal_a, normal_b] = ends.map(|n| self.normals[n as usize]);
        let way = b - a;
        let bulge = 0.125 * (way.dot(normal_b) * normal_b - way.dot(normal_a) * normal_a);
        let most = MOST_BULGE * way.length();
        let sum = normal_a + normal_b;
        let turned = sum - way * (2.0 * way.dot(sum) / way.length_squared().max(f32::MIN_POSITIVE));
        let colors = (!self.colors.is_empty())
            .then(|| 0.5 * (self.colors[ends[0] as usize] + self.colors[ends[1] as usize]));
        let normal = turned.try_normalize().unwrap_or(normal_a);
        self.add(0.5 * (a + b) + bulge.clamp_length_max(most), normal, colors)
    }

    /// The middle of a quad, from its sides as a Coons patch has it.
    fn add_center(&mut self, cell: &Cell, middle: [u32; 4]) -> u32 {
        let mean = |of: &[Vec3]| -> Vec3 {
            let sides: Vec3 = middle.iter().map(|&n| of[n as usize]).sum();
            let corners: Vec3 = cell.corners.iter().map(|&n| of[n as usize]).sum();
            0.5 * sides - 0.25 * corners
        };
        let position = mean(&self.positions);
        let around: Vec3 = middle.iter().map(|&n| self.normals[n as usize]).sum();
        let color = (!self.colors.is_empty()).then(|| mean(&self.colors));
        self.add(position, around.normalize_or_zero(), color)
    }

    fn add(&mut self, position: Vec3, normal: Vec3, color: Option<Vec3>) -> u32 {
        self.positions.push(position);
        self.normals.push(normal);
        self.colors.extend(color);
        (self.positions.len() - 1) as u32
    }

    /// The sides that belong to one cell alone, as the cell goes around them.
    pub fn rim(&self) -> Vec<[u32; 2]> {
        let mut edges = Middles::new(self.positions.len());
        let mut owners: Vec<(u32, [u32; 2])> = Vec::new();
        for cell in &self.cells {
            for k in 0..cell.sides() {
                let ends = cell.side(k);
                let mut is_new = false;
                let next = owners.len() as u32;
                let index = edges.of(ends, || {
                    is_new = true;
                    next
                });
                if is_new {
                    owners.push((1, ends));
                } else {
                    owners[index as usize].0 += 1;
                }
            }
        }
        let alone = owners.into_iter().filter(|(count, _)| *count == 1);
        alone.map(|(_, ends)| ends).collect()
    }
}

/// How the place changes along warp and along weft, if it does by these ways where the threads change by these.
pub(crate) fn directions(ways: [Vec3; 2], threads: [Vec2; 2]) -> Option<[Vec3; 2]> {
    let determinant = threads[0].perp_dot(threads[1]);
    let warp = (ways[0] * threads[1].y - ways[1] * threads[0].y) / determinant;
    let weft = (ways[1] * threads[0].x - ways[0] * threads[1].x) / determinant;
    (warp.is_finite() && weft.is_finite()).then_some([warp, weft])
}

/// A number for each edge, found by its ends.
struct Middles {
    /// The first edge of each node that is its lower end.
    first: Vec<u32>,
    /// The other end, the number, and the next edge of the same lower end.
    edges: Vec<[u32; 3]>,
}

impl Middles {
    fn new(nodes: usize) -> Middles {
        Middles {
            first: vec![NONE; nodes],
            edges: Vec::new(),
        }
    }

    fn of(&mut self, ends: [u32; 2], number: impl FnOnce() -> u32) -> u32 {
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let mut at = self.first[low as usize];
        while at != NONE {
            let [other, found, next] = self.edges[at as usize];
            if other == high {
                return found;
            }
            at = next;
        }
        let number = number();
        self.edges.push([high, number, self.first[low as usize]]);
        self.first[low as usize] = (self.edges.len() - 1) as u32;
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cylinder of radius 1 about the `y` axis, open, of so many quads around a half of it.
    fn arc(count: usize) -> Patch {
        let mut positions = Vec::new();
        for k in 0..=count {
            let angle = std::f32::consts::PI * k as f32 / count as f32;
            for y in [0.0, 1.0] {
                positions.push(Vec3::new(angle.cos(), y, angle.sin()));
            }
        }
        let faces: Vec<Face> = (0..count as u32)
            .map(|k| Face::Quad([2 * k, 2 * k + 1, 2 * k + 3, 2 * k + 2]))
            .collect();
        Patch::new(&positions, &faces, Vec::new(), None)
    }

    #[test]
    fn middles_of_an_arc_come_nearer_to_it_by_an_order() {
        let mut errors = Vec::new();
        for count in [6, 12, 24] {
            let fine = arc(count).refined();
            // At the ends of the arc the mean normals are not those of the cylinder.
            let inside = fine.positions.iter().filter(|p| p.z > 0.6);
            let off = inside.map(|p| (p.x.hypot(p.z) - 1.0).abs());
            errors.push(off.fold(0.0, f32::max));
        }
        // Flat faces are off by θ²/8 for an edge that turns by θ: 0.034 for the coarsest.
        assert!(errors[0] < 3e-3, "{errors:?}");
        assert!(
            errors[1] < errors[0] / 10.0 && errors[1] < 2e-4,
            "{errors:?}"
        );
    }

    #[test]
    fn nodes_stay_and_a_flat_sheet_stays_flat() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
        for faces in [
            vec![Face::Quad([0, 1, 2, 3])],
            vec![Face::Tri([0, 1, 2]), Face::Tri([0, 2, 3])],
        ] {
            let patch = Patch::new(&positions, &faces, vec![Vec3::ONE; 4], None);
            let fine = patch.refined();
            assert_eq!(fine.positions[..4], positions);
            assert_eq!(fine.positions.len(), 9);
            assert_eq!(fine.colors.len(), 9);
            assert_eq!(fine.cells.len(), 4 * faces.len());
            let area: Vec3 = fine.cells.iter().map(|c| fine.area(c)).sum();
            assert!((0.5 * area - Vec3::Z).length() < 1e-6);
            assert!(fine.normals.iter().all(|n| *n == Vec3::Z));
            assert_eq!(patch.rim().len(), 4);
            assert_eq!(fine.rim().len(), 8);
        }
    }

    #[test]
    fn only_sides_of_the_mesh_are_outlines_after_a_cut() {
        let fine = arc(1).refined();
        let outlines = fine.cells.iter().flat_map(|c| c.outline);
        assert_eq!(outlines.filter(|o| *o).count(), 8);
    }
}
