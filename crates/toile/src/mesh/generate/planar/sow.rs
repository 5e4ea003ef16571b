//! Throwing points into an area so that none come close to each other.

use super::outline::{PolygonError, Rim};
use super::triangulate::triangulate;
use crate::mesh::dice::Dice;
use glam::DVec2;

/// Distance at the start, relative to the side of the triangles that are to come: random points that keep
/// this distance cannot quite fill the area.
const FIRST_DISTANCE: f64 = 0.80;
/// How much of the distance between points they keep from the rim.
const CLEARANCE: f64 = 0.75;
/// Throws per wanted point before the distance is relaxed. More make a denser first sowing and take longer;
/// smoothing evens out the rest.
const THROWS: usize = 4;
/// What the distance is multiplied by then: 3 % a time, so that it ends within that of the densest sowing.
const RELAXATION: f64 = 0.97;
/// Closer than this to each other, relative to the first distance, points are not worth having.
const LAST_DISTANCE: f64 = 1e-3;

/// The rim's points, followed by `count` points inside (fewer if there is no room at all).
pub(super) fn sow(rim: &Rim, count: usize, seed: u64) -> Result<Vec<DVec2>, PolygonError> {
    let mut dice = Dice(seed);
    let field = Field::new(rim)?;
    let nodes = rim.points.len() + count;
    let triangles = (2 * nodes + 2 * rim.holes).saturating_sub(rim.points.len() + 2);
    let side = (4.0 / 3.0_f64.sqrt() * rim.area / triangles.max(1) as f64).sqrt();
    let first = FIRST_DISTANCE * side;
    let mut bed = Bed::new(rim, first, nodes);
    let mut distance = first;
    while bed.points.len() < nodes && distance > LAST_DISTANCE * first {
        for _ in 0..THROWS * count {
            bed.try_add(field.random_point(&mut dice), distance);
            if bed.points.len() == nodes {
                break;
            }
        }
        distance *= RELAXATION;
    }
    let mut points = bed.points;
    // Neighbours in the plane become neighbours in memory.
    points[rim.points.len()..].sort_by_cached_key(|p| interleaved(*p));
    Ok(points)
}

/// The area as triangles, to hit it evenly.
struct Field<'a> {
    rim: &'a Rim,
    triangles: Vec<[u32; 3]>,
    /// Area up to and including each triangle.
    area_up_to: Vec<f64>,
}

impl<'a> Field<'a> {
    fn new(rim: &'a Rim) -> Result<Self, PolygonError> {
        let triangles = triangulate(&rim.points, rim)?;
        let mut total = 0.0;
        let area_up_to = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|n| rim.points[n as usize]);
                total += 0.5 * (b - a).perp_dot(c - a);
                total
            })
            .collect();
        Ok(Field {
            rim,
            triangles,
            area_up_to,
        })
    }

    fn random_point(&self, dice: &mut Dice) -> DVec2 {
        let total = self.area_up_to.last().copied().unwrap_or(0.0);
        let hit = dice.fraction() * total;
        let index = self.area_up_to.partition_point(|&area| area <= hit);
        let triangle = self.triangles[index.min(self.triangles.len() - 1)];
        let [a, b, c] = triangle.map(|n| self.rim.points[n as usize]);
        let (mut u, mut v) = (dice.fraction(), dice.fraction());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        a + (b - a) * u + (c - a) * v
    }
}

/// The points so far, sorted into square cells so that neighbours are quickly found.
struct Bed<'a> {
    rim: &'a Rim,
    points: Vec<DVec2>,
    origin: DVec2,
    cell: f64,
    columns: usize,
    rows: usize,
    /// The latest point in each cell, and for each point the one before it in its cell.
    latest: Vec<u32>,
    earlier: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<'a> Bed<'a> {
    fn new(rim: &'a Rim, distance: f64, nodes: usize) -> Self {
        let (low, high) = rim
            .points
            .iter()
            .fold((rim.points[0], rim.points[0]), |(low, high), &p| {
                (low.min(p), high.max(p))
            });
        let sides = rim.points.iter().zip(&rim.next);
        let longest = sides.map(|(p, &n)| p.distance(rim.points[n as usize]));
        // Whoever is near the middle of a side must still find one of its ends in a cell nearby. And a
        // narrow strip from corner to corner must not ask for more cells than a few per point.
        let few = ((high - low).element_product() / (4 * nodes) as f64).sqrt();
        let cell = longest.fold(distance.max(few), |cell, side| {
            cell.max((0.5 * side).hypot(CLEARANCE * distance))
        });
        let count = |extent: f64| (extent / cell).floor() as usize + 1;
        let (columns, rows) = (count(high.x - low.x), count(high.y - low.y));
        let mut bed = Bed {
            rim,
            points: Vec::new(),
            origin: low,
            cell,
            columns,
            rows,
            latest: vec![NONE; columns * rows],
            earlier: Vec::new(),
        };
        for &point in &rim.points {
            bed.add(point);
        }
        bed
    }

    fn cell_of(&self, point: DVec2) -> [usize; 2] {
        let at = (point - self.origin) / self.cell;
        [
            (at.x as usize).min(self.columns - 1),
            (at.y as usize).min(self.rows - 1),
        ]
    }

    fn add(&mut self, point: DVec2) {
        let [x, y] = self.cell_of(point);
        let latest = &mut self.latest[y * self.columns + x];
        self.earlier.push(*latest);
        *latest = self.points.len() as u32;
        self.points.push(point);
    }

    fn try_add(&mut self, point: DVec2, distance: f64) {
        let [x, y] = self.cell_of(point);
        for row in y.saturating_sub(1)..=(y + 1).min(self.rows - 1) {
            for column in x.saturating_sub(1)..=(x + 1).min(self.columns - 1) {
                let mut other = self.latest[row * self.columns + column];
                while other != NONE {
                    if self.is_too_close(point, other as usize, distance) {
                        return;
                    }
                    other = self.earlier[other as usize];
                }
            }
        }
        self.add(point);
    }

    fn is_too_close(&self, point: DVec2, other: usize, distance: f64) -> bool {
        let there = self.points[other];
        if point.distance_squared(there) < distance * distance {
            return true;
        }
        if other >= self.rim.points.len() {
            return false;
        }
        // A point of the rim stands for the sides that meet there as well.
        let clearance = CLEARANCE * distance;
        [self.rim.next[other], self.rim.previous[other]]
            .iter()
            .map(|&end| distance_to_segment_squared(point, there, self.points[end as usize]))
            .any(|squared| squared < clearance * clearance)
    }
}

fn distance_to_segment_squared(point: DVec2, a: DVec2, b: DVec2) -> f64 {
    let along = ((point - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    point.distance_squared(a.lerp(b, along))
}

/// The bits of both coordinates in turn: near in the plane is near in this order (Morton 1966).
fn interleaved(p: DVec2) -> u64 {
    let spread = |x: f64| {
        let bits = ((x + 1.0) * f64::from(1 << 20)) as u64;
        (0..22).fold(0, |sum, k| sum | ((bits >> k) & 1) << (2 * k))
    };
    spread(p.x) | spread(p.y) << 1
}
