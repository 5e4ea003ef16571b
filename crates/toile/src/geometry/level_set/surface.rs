//! From a list of triangles to a closed surface, and what was wrong with it.

use super::edges::{closing_loops, orient};
use super::{LevelSetError, Settings};
use glam::DVec3;

/// What was found, and mended, in the mesh. Nothing here keeps a level set from being made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Findings {
    /// Edges along which the surface is open.
    pub open_edges: usize,
    /// Loops of open edges; each was covered by a fan around its middle.
    pub holes: usize,
    /// Length of the longest loop (m).
    pub longest_rim: f64,
    /// Triangles that name a node twice, or two nodes at the same place; they are left out.
    pub degenerate_triangles: usize,
    /// Further copies of a triangle; they are left out.
    pub duplicate_triangles: usize,
    /// Triangles turned over because they faced the other way than the rest of their part.
    pub flipped_triangles: usize,
    /// Triangles, covers included, that do not bound the body: inside another part, or of a part that is
    /// inside out. The distance does not see them.
    pub hidden_triangles: usize,
    /// Parts that hang together through edges of two triangles.
    pub parts: usize,
    /// Whether the whole mesh was inside out and has been turned.
    pub inverted: bool,
    /// Volume (m³); where parts overlap it counts twice.
    pub volume: f64,
}

/// A closed, oriented surface over the given nodes and the middles of the covers.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    /// How many nodes the mesh has.
    pub given_nodes: usize,
    /// Given nodes first, then the middles of the covers.
    pub points: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    /// The given triangle that each one is; covers come after all of them and have none.
    pub sources: Vec<u32>,
    /// Nodes at the same place as an earlier one, with that one.
    twins: Vec<[u32; 2]>,
    /// Rims of the covers with a middle, in the order of those.
    rims: Vec<Vec<u32>>,
    pub findings: Findings,
}

impl Surface {
    pub(super) fn new(
        positions: &[DVec3],
        triangles: &[[u32; 3]],
        settings: &Settings,
    ) -> Result<Self, LevelSetError> {
        Self::joined(positions, triangles, settings, |_, _| true)
    }

    /// A surface whose nodes at the same place are one only if they `belong` together.
    pub(crate) fn joined(
        positions: &[DVec3],
        triangles: &[[u32; 3]],
        settings: &Settings,
        belong: impl Fn(u32, u32) -> bool,
    ) -> Result<Self, LevelSetError> {
        check(positions, triangles)?;
        let (names, twins) = weld(positions, belong);
        let mut surface = Surface {
            given_nodes: positions.len(),
            points: positions.to_vec(),
            triangles: Vec::new(),
            sources: Vec::new(),
            twins,
            rims: Vec::new(),
            findings: Findings::default(),
        };
        surface.take_over(triangles, &names);
        if surface.triangles.is_empty() {
            return Err(LevelSetError::Empty);
        }
        let oriented = orient(&mut surface.triangles);
        surface.findings.parts = oriented.parts;
        surface.findings.flipped_triangles = oriented.flipped;
        surface.cover_holes(settings)?;
        let volume = surface.checked_volume(settings.flip_inverted)?;
        if volume < 0.0 {
            for triangle in &mut surface.triangles {
                triangle.swap(1, 2);
            }
            surface.findings.inverted = true;
        }
        surface.findings.volume = volume.abs();
        Ok(surface)
    }

    /// Leaves out degenerate triangles and copies.
    fn take_over(&mut self, triangles: &[[u32; 3]], names: &[u32]) {
        let mut keyed: Vec<([u32; 3], u32)> = Vec::with_capacity(triangles.len());
        for (index, triangle) in triangles.iter().enumerate() {
            let mut key = triangle.map(|node| names[node as usize]);
            key.sort_unstable();
            if key[0] != key[1] && key[1] != key[2] {
                keyed.push((key, index as u32));
            }
        }
        self.findings.degenerate_triangles = triangles.len() - keyed.len();
        keyed.sort_unstable();
        let all = keyed.len();
        keyed.dedup_by_key(|(key, _)| *key);
        self.findings.duplicate_triangles = all - keyed.len();
        keyed.sort_unstable_by_key(|&(_, index)| index);
        for (_, index) in keyed {
            let named = triangles[index as usize].map(|node| names[node as usize]);
            self.triangles.push(named);
            self.sources.push(index);
        }
    }

    /// Puts a fan over every loop of open edges.
    fn cover_holes(&mut self, settings: &Settings) -> Result<(), LevelSetError> {
        let (loops, open_edges) = closing_loops(&self.triangles, self.points.len());
        self.findings.open_edges = open_edges;
        self.findings.holes = loops.len();
        if !settings.cover_holes && open_edges > 0 {
            return Err(LevelSetError::Open {
                edges: open_edges,
                holes: loops.len(),
            });
        }
        for rim in loops {
            let around = |k: usize| (rim[k], rim[(k + 1) % rim.len()]);
            let length =
                |(a, b): (u32, u32)| self.points[a as usize].distance(self.points[b as usize]);
            let rim_length: f64 = (0..rim.len()).map(around).map(length).sum();
            self.findings.longest_rim = self.findings.longest_rim.max(rim_length);
            if let [a, b, c] = rim[..] {
                self.triangles.push([a, b, c]);
                continue;
            }
            let middle = self.points.len() as u32;
            let fan = (0..rim.len()).map(around).map(|(a, b)| [middle, a, b]);
            self.triangles.extend(fan);
            self.points.push(mean(&rim, &self.points));
            self.rims.push(rim);
        }
        Ok(())
    }

    /// Moves the nodes. Errors leave the surface as it was; `Ok(false)` says that nodes which were at the
    /// same place have parted, so that the surface must be made anew.
    pub(super) fn place(
        &mut self,
        positions: &[DVec3],
        flip_inverted: bool,
    ) -> Result<bool, LevelSetError> {
        if positions.len() != self.given_nodes {
            return Err(LevelSetError::WrongCount {
                expected: self.given_nodes,
                found: positions.len(),
            });
        }
        check(positions, &[])?;
        let apart = |&[a, b]: &[u32; 2]| positions[a as usize] != positions[b as usize];
        if self.twins.iter().any(apart) {
            return Ok(false);
        }
        let mut points = self.all_points(positions);
        std::mem::swap(&mut self.points, &mut points);
        match self.checked_volume(false) {
            // The same surface turned inside out by its motion is the caller's to know of.
            Err(LevelSetError::Inverted { .. }) if flip_inverted => {
                self.points = points;
                Ok(false)
            }
            Err(error) => {
                self.points = points;
                Err(error)
            }
            Ok(volume) => {
                self.findings.volume = volume;
                Ok(true)
            }
        }
    }

    /// The points of the surface when the mesh's nodes are at these positions: those, and the middles of the
    /// covers.
    pub(crate) fn all_points(&self, positions: &[DVec3]) -> Vec<DVec3> {
        let mut points = positions.to_vec();
        points.extend(self.rims.iter().map(|rim| mean(rim, positions)));
        points
    }

    /// The volume `Σ a·(b×c)/6` (m³), or what is wrong with it.
    pub(crate) fn checked_volume(&self, may_be_negative: bool) -> Result<f64, LevelSetError> {
        let (low, high) = self.bounds();
        let centre = 0.5 * (low + high);
        let (mut volume, mut area) = (0.0, 0.0);
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|node| self.points[node as usize] - centre);
            volume += a.dot(b.cross(c)) / 6.0;
            area += 0.5 * (b - a).cross(c - a).length();
        }
        // A sheet has a volume of rounding only.
        if volume.abs() <= 1e-9 * area * low.distance(high) {
            return Err(LevelSetError::NoInside { volume });
        }
        if volume < 0.0 && !may_be_negative {
            return Err(LevelSetError::Inverted { volume });
        }
        Ok(volume)
    }

    /// The box around all triangles.
    pub(crate) fn bounds(&self) -> (DVec3, DVec3) {
        let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let nodes = self.triangles.as_flattened().iter();
        nodes.fold(nothing, |(low, high), &node| {
            let point = self.points[node as usize];
            (low.min(point), high.max(point))
        })
    }

    /// A vector of the nodes at one of the surface's points: middles of covers have the mean of their rim.
    pub(super) fn at_point(&self, point: u32, vectors: &[DVec3]) -> DVec3 {
        match (point as usize).checked_sub(self.given_nodes) {
            None => vectors[point as usize],
            Some(cover) => mean(&self.rims[cover], vectors),
        }
    }
}

fn mean(nodes: &[u32], vectors: &[DVec3]) -> DVec3 {
    let sum: DVec3 = nodes.iter().map(|&node| vectors[node as usize]).sum();
    sum / nodes.len() as f64
}

fn check(positions: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), LevelSetError> {
    if let Some(node) = positions.iter().position(|p| !p.is_finite()) {
        return Err(LevelSetError::NotFinite { node });
    }
    for (triangle, nodes) in triangles.iter().enumerate() {
        if let Some(&node) = nodes.iter().find(|&&node| node as usize >= positions.len()) {
            let count = positions.len();
            return Err(LevelSetError::NoSuchNode {
                triangle,
                node,
                count,
            });
        }
    }
    Ok(())
}

/// For every node the first one at exactly the same place, so that seams are no openings; and the pairs
/// for which that is another one.
fn weld(positions: &[DVec3], belong: impl Fn(u32, u32) -> bool) -> (Vec<u32>, Vec<[u32; 2]>) {
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    // Adding zero makes −0 and 0 the same.
    let key = |node: u32| (positions[node as usize] + DVec3::ZERO).to_array();
    order.sort_unstable_by(|&i, &j| {
        let by_place = key(i).into_iter().zip(key(j)).map(|(a, b)| a.total_cmp(&b));
        by_place
            .fold(std::cmp::Ordering::Equal, |all, next| all.then(next))
            .then(i.cmp(&j))
    });
    let mut names: Vec<u32> = (0..positions.len() as u32).collect();
    let mut twins = Vec::new();
    let mut leaders: Vec<u32> = Vec::new();
    for same in order.chunk_by(|&i, &j| positions[i as usize] == positions[j as usize]) {
        leaders.clear();
        for &node in same {
            match leaders.iter().find(|&&leader| belong(node, leader)) {
                None => leaders.push(node),
                Some(&leader) => {
                    names[node as usize] = leader;
                    twins.push([node, leader]);
                }
            }
        }
    }
    (names, twins)
}
