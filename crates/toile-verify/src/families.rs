//! Families of queries, from the ordinary to the degenerate.

use toile::glam::DVec3;

/// Four points at the start and at the end.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// Where they start (m).
    pub start: [DVec3; 4],
    /// Where they end (m).
    pub end: [DVec3; 4],
}

/// A small generator of random numbers, the same everywhere (Vigna's splitmix64).
pub struct Random(pub u64);

impl Random {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A power of ten with an exponent uniform in [low, high).
    fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low, high))
    }

    /// Uniform below `n`, if that is small.
    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| self.between(-size, size)))
    }

    /// Small integers times `unit`.
    pub fn grid(&mut self, reach: u64, unit: f64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| (self.below(2 * reach + 1) as f64 - reach as f64) * unit))
    }
}

/// A way to make queries.
pub type Family = fn(&mut Random) -> Query;

/// All families by name.
pub const FAMILIES: [(&str, Family); 14] = [
    ("cloth layers", layers),
    ("cloth neighbours", neighbours),
    ("large motion", large_motion),
    ("grid", grid),
    ("half-integer grid, one plane", in_one_plane),
    ("grid at rest", at_rest),
    ("repeated points", repeated_points),
    ("parallel edges sliding", sliding_parallel),
    ("touching", touching),
    ("touching at the end", touching_at_end),
    ("missing by a hair", missing_by_a_hair),
    ("missing by a unit in the last place", missing_by_an_ulp),
    ("skew plane, far away", far_away),
    ("stuck to a turning plane", turning_together),
];

/// Elements about 1 large, a hundredth apart, moved by a hundredth.
fn layers(random: &mut Random) -> Query {
    let mut start = [0; 4].map(|_| random.vector(1.0));
    for p in &mut start {
        p.z *= 0.05;
    }
    start[0].z += 0.05;
    start[1].z += 0.02;
    let drift = random.vector(0.02);
    let end = start.map(|p| p + drift + random.vector(0.02));
    Query { start, end }
}

/// Elements of a crumpled sheet, moved by a tenth of their size.
fn neighbours(random: &mut Random) -> Query {
    let start = [0; 4].map(|_| random.vector(1.0));
    let end = start.map(|p| p + random.vector(0.1));
    Query { start, end }
}

fn large_motion(random: &mut Random) -> Query {
    let [start, end] = [0; 2].map(|_| [0; 4].map(|_| random.vector(1.0)));
    Query { start, end }
}

fn grid(random: &mut Random) -> Query {
    let [start, end] = [0; 2].map(|_| [0; 4].map(|_| random.grid(2, 1.0)));
    Query { start, end }
}

fn in_one_plane(random: &mut Random) -> Query {
    let mut query = grid(random);
    // A plane through the origin that may lean.
    let lean = random.grid(1, 1.0);
    for p in query.start.iter_mut().chain(&mut query.end) {
        p.z = lean.x * p.x + lean.y * p.y;
        *p *= 0.5;
    }
    query
}

fn at_rest(random: &mut Random) -> Query {
    let start = [0; 4].map(|_| random.grid(2, 1.0));
    let step = random.below(2) as f64;
    let drift = random.grid(1, step);
    Query {
        start,
        end: start.map(|p| p + drift),
    }
}

fn repeated_points(random: &mut Random) -> Query {
    let mut query = grid(random);
    let (i, j) = (random.below(4) as usize, random.below(4) as usize);
    query.start[i] = query.start[j];
    if random.below(3) > 0 {
        query.end[i] = query.end[j];
    }
    query
}

fn sliding_parallel(random: &mut Random) -> Query {
    let along = random.grid(3, 1.0);
    let base = random.grid(2, 0.5);
    let unit = [0.0, 1e-9, 1e-3, 0.5][random.below(4) as usize];
    let offset = random.grid(1, unit);
    let (first, second) = (random.below(5) as f64 - 2.0, random.below(5) as f64 - 2.0);
    let other = base + along * first * 0.5 + offset;
    let start = [base, base + along, other, other + along];
    let step = random.below(2) as f64;
    let moved = along * second * 0.5 + random.grid(1, step);
    let end = [start[0], start[1], start[2] + moved, start[3] + moved];
    Query { start, end }
}

/// Four points, with one moved so that the sum of weight · position vanishes at a dyadic time: contact
/// both of a point with a triangle and of edges, for weights that are chosen so.
fn contact_at(random: &mut Random, time: f64, inside: bool) -> Query {
    let mut query = Query {
        start: [0; 4].map(|_| random.grid(64, 1.0 / 64.0)),
        end: [0; 4].map(|_| random.grid(64, 1.0 / 64.0)),
    };
    let eighths = |n: u64| n as f64 / 8.0;
    let (u, v) = if inside {
        (eighths(1 + random.below(3)), eighths(1 + random.below(3)))
    } else {
        (eighths(random.below(5)), 0.0)
    };
    let now: Vec<DVec3> = (0..4)
        .map(|i| query.start[i] * (1.0 - time) + query.end[i] * time)
        .collect();
    let edges = random.below(2) == 0;
    let mismatch = if edges {
        now[0] * (1.0 - u) + now[1] * u - now[2] * (1.0 - v) - now[3] * v
    } else {
        now[0] - now[1] * (1.0 - u - v) - now[2] * u - now[3] * v
    };
    // All are exact: dyadic numbers with few bits.
    let shifted = if edges { vec![0, 1] } else { vec![0] };
    for i in shifted {
        query.start[i] -= mismatch;
        query.end[i] -= mismatch;
    }
    query
}

fn touching(random: &mut Random) -> Query {
    let (time, inside) = (random.below(9) as f64 / 8.0, random.below(2) == 0);
    contact_at(random, time, inside)
}

fn touching_at_end(random: &mut Random) -> Query {
    let inside = random.below(2) == 0;
    contact_at(random, 1.0, inside)
}

fn missing_by_a_hair(random: &mut Random) -> Query {
    let time = [0.5, 1.0][random.below(2) as usize];
    let inside = random.below(2) == 0;
    let mut query = contact_at(random, time, inside);
    let size = random.magnitude(-15.0, -7.0);
    let hair = random.vector(size);
    query.start[0] += hair;
    query.end[0] += hair;
    query
}

fn missing_by_an_ulp(random: &mut Random) -> Query {
    let time = [0.25, 1.0][random.below(2) as usize];
    let mut query = contact_at(random, time, false);
    let (i, axis) = (random.below(4) as usize, random.below(3) as usize);
    for p in [&mut query.start[i][axis], &mut query.end[i][axis]] {
        *p = if random.below(2) == 0 {
            p.next_up()
        } else {
            p.next_down()
        };
    }
    query
}

/// Large or small, and far from the origin, so that all coordinates are rounded.
fn far_away(random: &mut Random) -> Query {
    let mut query = in_one_plane(random);
    let size = random.magnitude(-6.0, 3.0);
    let distance = size * random.magnitude(0.0, 6.0);
    let away = random.vector(distance);
    for p in query.start.iter_mut().chain(&mut query.end) {
        *p = *p * size + away;
    }
    query
}

/// A plane turns over, and a point or an edge moves nearly along with it, a little above.
fn turning_together(random: &mut Random) -> Query {
    let start = [0; 3].map(|_| random.vector(1.0));
    let end = [0; 3].map(|_| random.vector(1.0));
    let [u, v] = [random.between(0.0, 0.7), random.between(-0.2, 0.7)];
    let height = random.magnitude(-9.0, -1.0);
    let above = random.vector(height);
    let point = |x: &[DVec3; 3]| x[0] * (1.0 - u - v) + x[1] * u + x[2] * v + above;
    let four = |x: [DVec3; 3]| [point(&x), x[0], x[1], x[2]];
    Query {
        start: four(start),
        end: four(end),
    }
}
