//! Patches of cloth so flat that nothing in them can meet anything else in them.
//!
//! Let a patch of triangles, all oriented alike, have its normals on one side: `n·v > 0` for one direction
//! `v`. Seen along `v`, every triangle then lies the right way round, and the number of triangles seen at a
//! point is the number of times the patch's contour winds around it. If the contour, seen so, is one closed
//! curve that does not meet itself, that is once at most: no two triangles overlap in the picture, and so
//! they do not meet in space (Volino & Magnenat-Thalmann 1994). Two elements without a common node cannot
//! even touch. If one did, in the picture, the triangles around them would overlap or the contour would meet
//! itself.
//!
//! Neither half suffices: a ramp that winds around a pillar has nearly upright normals, and it is its contour
//! that crosses itself.
//!
//! Both must hold at all times of the step. With corners on straight lines the normal is quadratic in time,
//! and a positive combination of its three Bézier coefficients (Tang et al. 2009), so it is in any cone that
//! they are in. The contour is looked at as it sweeps: each pair of its sides that are not neighbours must be
//! parted by a line, over the whole step, after the mean motion is taken out; neighbours must go on in a
//! common direction.
//!
//! **What is promised:** no pair that touches at any time of the step is lost. **What is not:** a pair that
//! only comes near. Normals are at most 60° from the axis, so two points at a distance `d` are no more than
//! `2d` apart along the cloth too, if the straight line between them, seen along the axis, stays in the
//! patch. If it leaves it, it crosses the contour, of which sides that are not neighbours stay farther apart
//! than twice the reach. So what is left out is near by nature, such as the two halves of a narrow square.
//! But it may be within the reach: flat patches are for finding collisions, and repulsion at a distance asks
//! for all pairs.

use super::ownership::Owner;
use crate::geometry::{Bounds, BoxTree};
use crate::parallel;
use glam::{DVec2, DVec3};

/// Cosine of the widest angle between a normal and the axis, 60°: points at a distance `d` are then at most
/// `2d` apart along the cloth. The test holds for any angle below 90°; wider ones find more patches and
/// loosen that bound.
const LEAST_COSINE: f64 = 0.5;
/// Patches with fewer triangles than this are searched, which is quicker than to look at their contour. Has
/// no influence on what touches.
const SMALLEST_PATCH: usize = 32;
/// What is taken for rounding error in a projected position, relative to the size of the contour and its
/// coordinates: a million times that of a double. Too large only makes patches be searched.
const PICTURE_ROUNDING: f64 = 1e-10;

/// The nodes of a step.
pub(super) struct SweptNodes<'a, R> {
    pub start: &'a [DVec3],
    pub end: &'a [DVec3],
    pub reach: R,
}

/// The contour of a patch: what is known of it as long as the tree is not grown anew.
#[derive(Clone, Debug, Default)]
enum Contour {
    #[default]
    Unknown,
    /// One closed line of nodes, along the orientation of the triangles.
    Line(Vec<u32>),
    /// Anything else.
    Other,
}

/// Which branches of a tree are flat.
#[derive(Clone, Debug, Default)]
pub(super) struct Flatness {
    /// For each branch, a box of all directions that its normals have.
    normals: Vec<Bounds>,
    /// For each slot of the tree, the same for its triangle.
    triangle_normals: Vec<Bounds>,
    contours: Vec<Contour>,
    flat: Vec<bool>,
    stack: Vec<u32>,
    picture: Picture,
}

impl Flatness {
    /// Whether nothing within a branch can meet anything else within it.
    pub fn is_flat(&self, branch: u32) -> bool {
        self.flat.get(branch as usize).is_some_and(|flat| *flat)
    }

    /// Forgets what it knows of a tree that has been grown anew, or that is not to be looked at any more.
    pub fn forget(&mut self) {
        self.contours.clear();
        self.flat.clear();
    }

    /// Looks for the flat patches of a tree over triangles, the largest first.
    pub fn update<R>(&mut self, tree: &BoxTree, owners: &[Owner], motion: &SweptNodes<R>)
    where
        R: Fn(usize) -> f64 + Sync,
    {
        self.collect_normals(tree, owners, motion);
        self.flat.clear();
        self.flat.resize(tree.branches.len(), false);
        self.contours.resize(tree.branches.len(), Contour::Unknown);
        self.stack.clear();
        self.stack.push(0);
        while let Some(at) = self.stack.pop() {
            let branch = &tree.branches[at as usize];
            if branch.count() < SMALLEST_PATCH || branch.is_leaf() {
                continue;
            }
            let axis = axis_of(&self.normals[at as usize]);
            let contour = &mut self.contours[at as usize];
            if axis.is_some() && matches!(contour, Contour::Unknown) {
                let members = &tree.order[branch.first as usize..branch.end as usize];
                *contour = contour_of(members, owners);
            }
            if let (Some(axis), Contour::Line(line)) = (axis, contour)
                && self.picture.is_simple(line, axis, motion)
            {
                self.flat[at as usize] = true;
            } else {
                self.stack.extend(branch.children(at));
            }
        }
    }

    /// Boxes of the normals of all triangles, and from the leaves up of all branches.
    fn collect_normals<R: Sync>(
        &mut self,
        tree: &BoxTree,
        owners: &[Owner],
        motion: &SweptNodes<R>,
    ) {
        let (start, end) = (motion.start, motion.end);
        self.triangle_normals.resize(tree.len(), Bounds::EMPTY);
        parallel::fill(&mut self.triangle_normals, |slot| {
            let corners = owners[tree.order[slot] as usize].corners;
            normals_of(
                corners.map(|v| start[v as usize]),
                corners.map(|v| end[v as usize]),
            )
        });
        self.normals.resize(tree.branches.len(), Bounds::EMPTY);
        for at in (0..tree.branches.len()).rev() {
            let branch = &tree.branches[at];
            self.normals[at] = if branch.is_leaf() {
                let slots = branch.first as usize..branch.end as usize;
                let below = self.triangle_normals[slots].iter();
                below.fold(Bounds::EMPTY, |all, one| all.joined(*one))
            } else {
                let [l, r] = branch.children(at as u32);
                self.normals[l as usize].joined(self.normals[r as usize])
            };
        }
    }
}

/// A box of the directions in whose cone the normal stays: those of the three Bézier coefficients of
/// `n(t) = (b − a) × (c − a)`, which are `n(0)`, `n(1)` and the mixed product of the sides at the start and
/// at the end.
pub(super) fn normals_of(start: [DVec3; 3], end: [DVec3; 3]) -> Bounds {
    let sides = |[a, b, c]: [DVec3; 3]| (b - a, c - a);
    let ((p, q), (r, s)) = (sides(start), sides(end));
    let size = |v: DVec3| v.abs().max_element();
    let longest = size(p).max(size(q)).max(size(r)).max(size(s));
    let farthest = size(start[0]).max(size(end[0])).max(longest);
    // A normal shorter than this may be wrong by more than the cone leaves room for.
    let shortest = longest * (1e-6 * longest + 1e-12 * farthest);
    let coefficients = [p.cross(q), r.cross(s), 0.5 * (p.cross(s) + r.cross(q))];
    let mut all = Bounds::EMPTY;
    for normal in coefficients {
        let length = normal.length();
        let direction = if length > shortest {
            normal / length
        } else {
            return Bounds::swept(DVec3::splat(-1.0), DVec3::ONE, 0.0);
        };
        all = all.joined(Bounds::swept(direction, direction, 0.0));
    }
    all
}

/// An axis from which no direction in the box deviates too much.
pub(super) fn axis_of(normals: &Bounds) -> Option<DVec3> {
    let (low, high) = (normals.low.as_dvec3(), normals.high.as_dvec3());
    let axis = (low + high).try_normalize()?;
    let least = (low * axis).min(high * axis).element_sum();
    (least >= LEAST_COSINE).then_some(axis)
}

/// The contour of some triangles: those of their sides that no other of them has in the opposite direction.
fn contour_of(members: &[u32], owners: &[Owner]) -> Contour {
    let mut sides = Vec::with_capacity(3 * members.len());
    for &t in members {
        let [a, b, c] = owners[t as usize].corners;
        sides.extend([[a, b], [b, c], [c, a]].map(|[p, q]| ([p.min(q), p.max(q)], [p, q])));
    }
    sides.sort_unstable();
    let mut free = Vec::new();
    for group in sides.chunk_by(|x, y| x.0 == y.0) {
        match group {
            [(_, side)] => free.push(*side),
            [(_, [a, b]), (_, [c, d])] if a == d && b == c => {}
            // Three at one side, or two that are oriented against each other.
            _ => return Contour::Other,
        }
    }
    free.sort_unstable();
    let Some(&[first, mut node]) = free.first() else {
        return Contour::Other;
    };
    let mut line = vec![first];
    while node != first && line.len() < free.len() {
        line.push(node);
        match free.binary_search_by_key(&node, |[from, _]| *from) {
            Ok(place) => node = free[place][1],
            Err(_) => return Contour::Other,
        }
    }
    let all_once = line.len() == free.len() && free.windows(2).all(|w| w[0][0] != w[1][0]);
    if node == first && all_once {
        Contour::Line(line)
    } else {
        Contour::Other
    }
}

/// A contour as seen along an axis. Kept from one look to the next for its memory.
#[derive(Clone, Debug, Default)]
struct Picture {
    sides: Vec<Side>,
}

/// A side of the contour in the picture, in m.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// Its place along the contour.
    place: usize,
    /// Where it begins and ends, at the start of the step and at its end.
    corners: [DVec2; 4],
    low: DVec2,
    high: DVec2,
}

impl Side {
    fn new(place: usize, corners: [DVec2; 4]) -> Self {
        let [a, b, c, d] = corners;
        Side {
            place,
            corners,
            low: a.min(b).min(c.min(d)),
            high: a.max(b).max(c.max(d)),
        }
    }

    /// From its beginning to its end, half-way through the step.
    fn direction(&self) -> DVec2 {
        let [a, b, c, d] = self.corners;
        (b - a + (d - c)).normalize_or_zero()
    }

    /// Whether two sides stay farther apart than `gap` throughout the step: whether a line parts all that
    /// they sweep.
    fn is_apart_from(&self, other: &Side, gap: f64) -> bool {
        let boxes = (self.high + gap).cmplt(other.low) | (other.high + gap).cmplt(self.low);
        if boxes.any() {
            return true;
        }
        let range = |side: &Side, along: DVec2| {
            let [a, b, c, d] = side.corners.map(|p| p.dot(along));
            (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)))
        };
        [self.direction(), other.direction()]
            .into_iter()
            .any(|direction| {
                let (from, to) = range(self, direction.perp());
                let (other_from, other_to) = range(other, direction.perp());
                to + gap < other_from || other_to + gap < from
            })
    }

    /// Whether the next side goes on into a common direction throughout the step, so that the two meet only
    /// in their common corner.
    fn goes_on_to(&self, next: &Side, rounding: f64) -> bool {
        let along = (self.direction() + next.direction()).normalize_or_zero();
        let forward = |side: &Side| {
            let [a, b, c, d] = side.corners;
            (b - a).dot(along) > rounding && (d - c).dot(along) > rounding
        };
        forward(self) && forward(next)
    }
}

impl Picture {
    /// Whether a contour, seen along an axis, never meets itself during the step.
    fn is_simple<R>(&mut self, line: &[u32], axis: DVec3, motion: &SweptNodes<R>) -> bool
    where
        R: Fn(usize) -> f64,
    {
        let (right, up) = axis.any_orthonormal_pair();
        let see = |p: DVec3| DVec2::new(p.dot(right), p.dot(up));
        // Only where the nodes are relative to each other counts, so their mean motion is taken out.
        let mean = |nodes: &[DVec3]| {
            let sum: DVec3 = line.iter().map(|v| nodes[*v as usize]).sum();
            sum / line.len() as f64
        };
        let (middle, middle_at_end) = (mean(motion.start), mean(motion.end));
        let mut reach: f64 = 0.0;
        self.sides.clear();
        for (place, v) in line.iter().map(|v| *v as usize).enumerate() {
            let w = line[(place + 1) % line.len()] as usize;
            let [a, b] = [v, w].map(|v| see(motion.start[v] - middle));
            let [c, d] = [v, w].map(|v| see(motion.end[v] - middle_at_end));
            self.sides.push(Side::new(place, [a, b, c, d]));
            reach = reach.max((motion.reach)(v));
        }
        let size = |s: &Side| s.low.abs().max(s.high.abs()).max_element();
        let extent = self.sides.iter().map(size).fold(0.0, f64::max);
        let far = middle.abs().max(middle_at_end.abs()).max_element();
        let rounding = PICTURE_ROUNDING * extent + 1e-14 * far;
        self.neighbours_go_on(rounding) && self.others_stay_apart(2.0 * reach + rounding)
    }

    fn neighbours_go_on(&self, rounding: f64) -> bool {
        let next = self.sides.iter().cycle().skip(1);
        self.sides
            .iter()
            .zip(next)
            .all(|(a, b)| a.goes_on_to(b, rounding))
    }

    /// Sweeps over the picture from left to right. Puts the sides out of order.
    fn others_stay_apart(&mut self, gap: f64) -> bool {
        let count = self.sides.len();
        self.sides
            .sort_unstable_by(|a, b| a.low.x.total_cmp(&b.low.x).then(a.place.cmp(&b.place)));
        self.sides.iter().enumerate().all(|(k, side)| {
            let later = self.sides[k + 1..].iter();
            let mut near = later.take_while(|other| other.low.x <= side.high.x + gap);
            near.all(|other| {
                let steps = side.place.abs_diff(other.place);
                steps == 1 || steps == count - 1 || side.is_apart_from(other, gap)
            })
        })
    }
}
