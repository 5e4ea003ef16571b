//! The outline of an area: checked, put in order and divided evenly.

use glam::DVec2;
use robust::{Coord, orient2d};
use std::fmt;
use thiserror::Error;

/// One of the loops that bound an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    /// Around the whole.
    Outline,
    /// Around a hole (counted from 0).
    Hole(usize),
}

impl fmt::Display for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loop::Outline => write!(f, "the outline"),
            Loop::Hole(index) => write!(f, "hole {index}"),
        }
    }
}

/// An outline that does not bound a simple area. Points and sides are counted from 0; side `k` goes from
/// point `k` to the next.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PolygonError {
    /// Fewer than three corners.
    #[error("{place} has {count} points; it needs at least 3")]
    TooFewPoints {
        /// Where.
        place: Loop,
        /// How many points it has.
        count: usize,
    },
    /// A coordinate is not a number.
    #[error(
        "point {point} of {place} is not finite; give every point two finite coordinates in metres"
    )]
    NotFinite {
        /// Where.
        place: Loop,
        /// The point.
        point: usize,
    },
    /// Two corners in a row at the same place.
    #[error(
        "point {point} of {place} lies where the next one does; remove it (the first point need not be repeated at the end)"
    )]
    RepeatedPoint {
        /// Where.
        place: Loop,
        /// The first of the two.
        point: usize,
    },
    /// Two sides cross, touch or overlap.
    #[error("side {} of {} meets side {} of {}; an outline must not cross or touch itself or another",
        .sides[0], .places[0], .sides[1], .places[1])]
    Crossing {
        /// Where the two sides are.
        places: [Loop; 2],
        /// The sides.
        sides: [usize; 2],
    },
    /// All points lie on a line, or so nearly that nothing fits between.
    #[error("{place} encloses no area; its points must not all lie on one line")]
    NoArea {
        /// Where.
        place: Loop,
    },
    /// A hole that is not in the sheet.
    #[error("hole {hole} lies outside the outline; move it inside or remove it")]
    HoleOutside {
        /// The hole.
        hole: usize,
    },
    /// A hole in a hole.
    #[error("hole {inner} lies inside hole {outer}; remove it")]
    HoleInHole {
        /// The inner hole.
        inner: usize,
        /// The outer hole.
        outer: usize,
    },
    /// Loops come so close that rounding decides whether they touch.
    #[error("the outline nearly touches itself near ({x:.6}, {y:.6}); widen it there")]
    TooNarrow {
        /// Where (m).
        x: f64,
        /// Where (m).
        y: f64,
    },
}

/// A checked outline. Points are scaled by a power of two (which rounds nothing) so that the largest
/// coordinate is about 1.
pub(super) struct Outline {
    /// The outline counter-clockwise, then the holes clockwise: the area is always on the left.
    loops: Vec<Vec<DVec2>>,
    /// What the coordinates were multiplied by.
    pub scale: f64,
}

/// The rim of an area, divided evenly.
pub(super) struct Rim {
    /// Its points, loop by loop.
    pub points: Vec<DVec2>,
    /// The point after each point.
    pub next: Vec<u32>,
    /// The point before each point.
    pub previous: Vec<u32>,
    /// Enclosed area.
    pub area: f64,
    /// Number of holes.
    pub holes: usize,
    /// What the coordinates were multiplied by.
    pub scale: f64,
}

impl Outline {
    pub(super) fn new(outline: &[DVec2], holes: &[Vec<DVec2>]) -> Result<Self, PolygonError> {
        let given = || std::iter::once(outline).chain(holes.iter().map(Vec::as_slice));
        let mut largest = 0.0_f64;
        for (index, points) in given().enumerate() {
            check_points(place(index), points)?;
            let reach = points.iter().map(|p| p.abs().max_element());
            largest = reach.fold(largest, f64::max);
        }
        // Not below the smallest normal number, whose inverse is still finite.
        let scale = (-largest.max(f64::MIN_POSITIVE).log2().ceil()).exp2();
        let mut loops = Vec::new();
        for (index, points) in given().enumerate() {
            let mut points: Vec<DVec2> = points.iter().map(|&p| p * scale).collect();
            let area = enclosed(&points);
            let reach = points.iter().map(|p| p.distance_squared(points[0]));
            if area.abs() <= 1e-12 * reach.fold(0.0, f64::max) {
                return Err(PolygonError::NoArea {
                    place: place(index),
                });
            }
            if (area > 0.0) != (index == 0) {
                points[1..].reverse();
            }
            loops.push(points);
        }
        check_crossings(&loops)?;
        check_nesting(&loops)?;
        Ok(Outline { loops, scale })
    }

    pub(super) fn corner_count(&self) -> u32 {
        let count: usize = self.loops.iter().map(Vec::len).sum();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Divides the sides so that together with the inside there are `nodes` points of even distance.
    pub(super) fn divide(&self, nodes: u32) -> Rim {
        let area = self.loops.iter().map(|l| enclosed(l)).sum();
        let length: f64 = self.sides().map(|(a, b)| a.distance(b)).sum();
        let holes = self.loops.len() - 1;
        let mut spacing = super::spacing(area, length, holes, nodes);
        let pieces = |side: (DVec2, DVec2), spacing: f64| {
            (side.0.distance(side.1) / spacing).round().max(1.0)
        };
        // A narrow strip is all rim.
        while self.sides().map(|s| pieces(s, spacing)).sum::<f64>() > f64::from(nodes) {
            spacing *= 1.02;
        }
        let mut rim = Rim {
            points: Vec::new(),
            next: Vec::new(),
            previous: Vec::new(),
            area,
            holes,
            scale: self.scale,
        };
        for corners in &self.loops {
            let first = rim.points.len() as u32;
            for (a, b) in sides_of(corners) {
                let count = pieces((a, b), spacing);
                let steps = (0..count as u32).map(|k| f64::from(k) / count);
                rim.points.extend(steps.map(|t| a.lerp(b, t)));
            }
            let end = rim.points.len() as u32;
            rim.next.extend(first + 1..end);
            rim.next.push(first);
            rim.previous.push(end - 1);
            rim.previous.extend(first..end - 1);
        }
        rim
    }

    fn sides(&self) -> impl Iterator<Item = (DVec2, DVec2)> + '_ {
        self.loops.iter().flat_map(|l| sides_of(l))
    }
}

fn place(index: usize) -> Loop {
    index.checked_sub(1).map_or(Loop::Outline, Loop::Hole)
}

fn sides_of(corners: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> + '_ {
    let next = corners.iter().cycle().skip(1);
    corners.iter().copied().zip(next.copied())
}

/// Area inside a loop, negative if it runs clockwise.
fn enclosed(corners: &[DVec2]) -> f64 {
    let origin = corners[0];
    let fan = sides_of(corners).map(|(a, b)| (a - origin).perp_dot(b - origin));
    0.5 * fan.sum::<f64>()
}

fn check_points(place: Loop, points: &[DVec2]) -> Result<(), PolygonError> {
    let count = points.len();
    if count < 3 {
        return Err(PolygonError::TooFewPoints { place, count });
    }
    if let Some(point) = points.iter().position(|p| !p.is_finite()) {
        return Err(PolygonError::NotFinite { place, point });
    }
    if let Some(point) = sides_of(points).position(|(a, b)| a == b) {
        return Err(PolygonError::RepeatedPoint { place, point });
    }
    Ok(())
}

struct Side {
    ends: [DVec2; 2],
    place: usize,
    index: usize,
    count: usize,
}

impl Side {
    fn low(&self) -> DVec2 {
        self.ends[0].min(self.ends[1])
    }

    fn high(&self) -> DVec2 {
        self.ends[0].max(self.ends[1])
    }

    /// Whether `other` is the next side of the same loop.
    fn precedes(&self, other: &Side) -> bool {
        self.place == other.place && (self.index + 1) % self.count == other.index
    }
}

/// Compares each side with those that start before it ends, from left to right.
fn check_crossings(loops: &[Vec<DVec2>]) -> Result<(), PolygonError> {
    let mut sides = Vec::new();
    for (place, corners) in loops.iter().enumerate() {
        let count = corners.len();
        sides.extend(sides_of(corners).enumerate().map(|(index, (a, b))| Side {
            ends: [a, b],
            place,
            index,
            count,
        }));
    }
    sides.sort_by(|a, b| a.low().x.total_cmp(&b.low().x));
    for (k, side) in sides.iter().enumerate() {
        let near = sides[k + 1..]
            .iter()
            .take_while(|s| s.low().x <= side.high().x);
        for other in near {
            if sides_meet(side, other) {
                return Err(PolygonError::Crossing {
                    places: [place(side.place), place(other.place)],
                    sides: [side.index, other.index],
                });
            }
        }
    }
    Ok(())
}

fn sides_meet(a: &Side, b: &Side) -> bool {
    let neighbours = match (a.precedes(b), b.precedes(a)) {
        (true, true) => return true, // Cannot be: a loop has at least three sides.
        (true, false) => Some((a.ends, b.ends[1])),
        (false, true) => Some((b.ends, a.ends[1])),
        (false, false) => None,
    };
    if let Some(([from, corner], to)) = neighbours {
        // They share a corner; they overlap if the outline turns straight back there.
        return turn(from, corner, to) == 0.0 && (from - corner).dot(to - corner) > 0.0;
    }
    if a.low().cmpgt(b.high()).any() || b.low().cmpgt(a.high()).any() {
        return false;
    }
    let across = |s: &Side, t: &Side| {
        let [p, q] = t.ends.map(|p| turn(s.ends[0], s.ends[1], p));
        !((p > 0.0 && q > 0.0) || (p < 0.0 && q < 0.0))
    };
    // Neither lies on one side of the other's line. On one line both, their boxes decide.
    across(a, b) && across(b, a)
}

/// Exact sign: positive where the way from `a` over `b` to `c` turns left.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let point = |p: DVec2| Coord { x: p.x, y: p.y };
    orient2d(point(a), point(b), point(c))
}

/// Loops that do not cross lie inside each other or beside each other; one corner tells which.
fn check_nesting(loops: &[Vec<DVec2>]) -> Result<(), PolygonError> {
    for (inner, corners) in loops.iter().enumerate().skip(1) {
        if !contains(&loops[0], corners[0]) {
            return Err(PolygonError::HoleOutside { hole: inner - 1 });
        }
        let around = (1..loops.len()).find(|&o| o != inner && contains(&loops[o], corners[0]));
        if let Some(outer) = around {
            return Err(PolygonError::HoleInHole {
                inner: inner - 1,
                outer: outer - 1,
            });
        }
    }
    Ok(())
}

/// Whether a point is inside a loop: whether a ray to the right leaves it an odd number of times.
fn contains(corners: &[DVec2], point: DVec2) -> bool {
    let crossed = sides_of(corners).filter(|&(a, b)| {
        let upwards = a.y <= point.y && point.y < b.y;
        let downwards = b.y <= point.y && point.y < a.y;
        let side = turn(a, b, point);
        (upwards && side > 0.0) || (downwards && side < 0.0)
    });
    crossed.count() % 2 == 1
}
