//! First contact in exact arithmetic: the truth that the tests hold the answers against.
//!
//! Coordinates become integers (doubles are dyadic), corners of the polygon of differences linear
//! polynomials in t. By Carathéodory's theorem the origin lies in the polygon if it lies on the segment
//! between two corners (x_i × x_j = 0 and x_i · x_j ≤ 0) or strictly inside a triangle of three
//! (det = 0, and x_i × x_j, x_j × x_k, x_k × x_i point the same way). Each is a system of equations and
//! inequalities between integer polynomials in t. Real roots are isolated by Sturm's chains.

use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, Zero};
use toile::glam::DVec3;

/// Times are told in units of 2⁻⁶⁰.
pub const TICKS: u32 = 60;

/// The first contact of a point and a triangle, rounded up to a tick.
pub fn point_triangle(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<i128> {
    let x = differences(&[[0, 1], [0, 2], [0, 3]], start, end);
    first_contact(&x, &[[0, 1], [1, 2], [2, 0]], &[[0, 1, 2]])
}

/// The first contact of two edges, rounded up to a tick.
pub fn edge_edge(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<i128> {
    let x = differences(&[[0, 2], [0, 3], [1, 3], [1, 2]], start, end);
    let pairs = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]];
    first_contact(&x, &pairs, &[[0, 1, 2], [0, 2, 3]])
}

/// Whether `time` is at or before the contact.
pub fn not_later(time: f64, contact: i128) -> bool {
    (time * 2f64.powi(TICKS as i32)).ceil() as i128 <= contact
}

type Polynomial = Vec<BigInt>;
type Vector = [Polynomial; 3];

fn first_contact(x: &[Vector], pairs: &[[usize; 2]], triples: &[[usize; 3]]) -> Option<i128> {
    let on_segments = pairs.iter().filter_map(|&[i, j]| {
        let opposed = negated(&dot(&x[i], &x[j]));
        let crossed = cross(&x[i], &x[j]);
        let parallel = crossed
            .iter()
            .fold(vec![], |sum, c| common_divisor(&sum, c));
        first_solution(&parallel, &[opposed], false)
    });
    let inside = triples.iter().filter_map(|&[i, j, k]| {
        let c = [
            cross(&x[i], &x[j]),
            cross(&x[j], &x[k]),
            cross(&x[k], &x[i]),
        ];
        let same_way = [dot(&c[0], &c[1]), dot(&c[1], &c[2]), dot(&c[2], &c[0])];
        first_solution(&dot(&c[0], &x[k]), &same_way, true)
    });
    on_segments.chain(inside).min()
}

/// The first t in [0, 1] with `equation` = 0 and all `inequalities` ≥ 0, or > 0 if `strict`.
///
/// If the equation always holds, contact begins at t = 0 or where an inequality becomes an equality. A
/// strict system then counts at t = 0 only: later its contact would begin on an edge, which is the
/// business of the other systems.
fn first_solution(
    equation: &Polynomial,
    inequalities: &[Polynomial],
    strict: bool,
) -> Option<i128> {
    let mut candidates = vec![Root::at_zero()];
    if !equation.is_empty() {
        candidates = roots(equation);
    } else if !strict {
        let nonzero = inequalities.iter().filter(|h| !h.is_empty());
        candidates.extend(nonzero.flat_map(roots));
    }
    let good = |sign: i8| if strict { sign > 0 } else { sign >= 0 };
    let solves = |root: &Root| inequalities.iter().all(|h| good(root.sign_of(h)));
    candidates.iter().find(|root| solves(root)).map(Root::tick)
}

/// A real root in (begin, begin + 1] · 2^−level, or zero itself if `begin` is −1.
struct Root {
    chain: Vec<Polynomial>,
    begin: BigInt,
    level: u32,
}

impl Root {
    fn at_zero() -> Self {
        Self {
            chain: sturm_chain(&vec![BigInt::zero(), BigInt::one()]),
            begin: BigInt::from(-1),
            level: 0,
        }
    }

    fn is_zero(&self) -> bool {
        self.begin.is_negative()
    }

    fn refine(&mut self) {
        let middle = &self.begin * 2 + 1;
        self.level += 1;
        let in_upper_half = count(&self.chain, &middle, &(&middle + 1), self.level) > 0;
        self.begin = if in_upper_half { middle } else { middle - 1 };
    }

    fn sign_of(&self, h: &Polynomial) -> i8 {
        if h.is_empty() {
            return 0;
        }
        if self.is_zero() {
            return sign_at(h, &BigInt::zero(), 0);
        }
        let within = |chain: &[Polynomial], root: &Self| {
            count(chain, &root.begin, &(&root.begin + 1), root.level) > 0
        };
        if within(&sturm_chain(&common_divisor(&self.chain[0], h)), self) {
            return 0;
        }
        let chain = sturm_chain(&squarefree(h));
        let mut closer = Self {
            chain: self.chain.clone(),
            begin: self.begin.clone(),
            level: self.level,
        };
        while within(&chain, &closer) {
            closer.refine();
        }
        sign_at(h, &(&closer.begin + 1), closer.level)
    }

    fn tick(&self) -> i128 {
        let end: BigInt = &self.begin + 1;
        let ticks: BigInt = (end << TICKS) + (BigInt::one() << self.level) - 1;
        i128::try_from(ticks >> self.level).expect("a time is at most 2⁶⁰ ticks")
    }
}

/// The distinct real roots in [0, 1], in order, each located to a tick.
fn roots(p: &Polynomial) -> Vec<Root> {
    let p = squarefree(p);
    let mut found = Vec::new();
    if p[0].is_zero() {
        found.push(Root::at_zero());
    }
    let chain = sturm_chain(&p);
    let mut open = vec![(BigInt::zero(), 0)];
    while let Some((begin, level)) = open.pop() {
        match count(&chain, &begin, &(&begin + 1), level) {
            0 => {}
            1 if level >= TICKS => found.push(Root {
                chain: chain.clone(),
                begin,
                level,
            }),
            _ => {
                open.push((&begin * 2 + 1, level + 1));
                open.push((&begin * 2, level + 1));
            }
        }
    }
    found
}

/// How many roots lie in (begin, end] · 2^−level.
fn count(chain: &[Polynomial], begin: &BigInt, end: &BigInt, level: u32) -> usize {
    let changes = |at: &BigInt| {
        let signs = chain.iter().map(|p| sign_at(p, at, level));
        let signs: Vec<i8> = signs.filter(|&s| s != 0).collect();
        signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
    };
    changes(begin) - changes(end)
}

fn sturm_chain(p: &Polynomial) -> Vec<Polynomial> {
    let mut chain = vec![p.clone(), derivative(p)];
    while let [.., a, b] = chain.as_slice()
        && !b.is_empty()
    {
        let next = negated(&remainder(a, b));
        chain.push(next);
    }
    chain.pop();
    chain
}

/// The remainder of a division, times a positive number.
fn remainder(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let mut rest = a.clone();
    let lead = b.last().expect("no division by zero");
    while rest.len() >= b.len() {
        let shift = rest.len() - b.len();
        let top = &rest[rest.len() - 1] * lead.signum();
        for c in &mut rest {
            *c *= lead.abs();
        }
        for (i, c) in b.iter().enumerate() {
            rest[i + shift] -= c * &top;
        }
        rest = trimmed(rest);
    }
    rest
}

fn common_divisor(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let (mut a, mut b) = (a.clone(), b.clone());
    while !b.is_empty() {
        (a, b) = if a.is_empty() {
            (b, a)
        } else {
            (b.clone(), remainder(&a, &b))
        };
    }
    a
}

/// The polynomial with the same roots, each once, up to a factor that may be negative.
fn squarefree(p: &Polynomial) -> Polynomial {
    let divisor = common_divisor(p, &derivative(p));
    if divisor.len() <= 1 {
        return p.clone();
    }
    let (mut rest, lead) = (p.clone(), &divisor[divisor.len() - 1]);
    let mut quotient = vec![BigInt::zero(); p.len() + 1 - divisor.len()];
    for shift in (0..quotient.len()).rev() {
        let top = rest[shift + divisor.len() - 1].clone();
        for c in rest.iter_mut().chain(&mut quotient) {
            *c *= lead;
        }
        for (i, c) in divisor.iter().enumerate() {
            rest[i + shift] -= c * &top;
        }
        quotient[shift] += top;
    }
    quotient
}

fn sign_at(p: &Polynomial, m: &BigInt, level: u32) -> i8 {
    let mut value = BigInt::zero();
    let mut scale = 0;
    for c in p.iter().rev() {
        value = value * m + (c << scale);
        scale += level;
    }
    match value.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

fn trimmed(mut p: Polynomial) -> Polynomial {
    while p.last().is_some_and(Zero::is_zero) {
        p.pop();
    }
    p
}

fn derivative(p: &Polynomial) -> Polynomial {
    p.iter().enumerate().skip(1).map(|(i, c)| c * i).collect()
}

fn negated(p: &Polynomial) -> Polynomial {
    p.iter().map(|c| -c).collect()
}

fn plus(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let term = |p: &Polynomial, i: usize| p.get(i).cloned().unwrap_or_default();
    trimmed(
        (0..a.len().max(b.len()))
            .map(|i| term(a, i) + term(b, i))
            .collect(),
    )
}

fn times(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let mut product = vec![BigInt::zero(); (a.len() + b.len()).saturating_sub(1)];
    for (i, c) in a.iter().enumerate() {
        for (j, d) in b.iter().enumerate() {
            product[i + j] += c * d;
        }
    }
    trimmed(product)
}

fn dot(a: &Vector, b: &Vector) -> Polynomial {
    (0..3).fold(vec![], |sum, k| plus(&sum, &times(&a[k], &b[k])))
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    [[1, 2], [2, 0], [0, 1]]
        .map(|[i, j]| plus(&times(&a[i], &b[j]), &negated(&times(&a[j], &b[i]))))
}

fn differences(corners: &[[usize; 2]], start: &[DVec3; 4], end: &[DVec3; 4]) -> Vec<Vector> {
    let all = start.iter().chain(end).flat_map(|p| p.to_array());
    let lowest = all.map(|c| decoded(c).1).min().expect("24 coordinates");
    let integer = |c: f64| {
        let (mantissa, exponent) = decoded(c);
        BigInt::from(mantissa) << (exponent - lowest)
    };
    let difference = |i: usize, j: usize, k: usize| {
        let first = integer(start[i][k]) - integer(start[j][k]);
        let last = integer(end[i][k]) - integer(end[j][k]);
        let step = last - &first;
        trimmed(vec![first, step])
    };
    let vector = |&[i, j]: &[usize; 2]| [0, 1, 2].map(|k| difference(i, j, k));
    corners.iter().map(vector).collect()
}

/// The integers m, e with c = m · 2^e, m odd or zero.
fn decoded(c: f64) -> (i64, i32) {
    if c == 0.0 {
        return (0, 1000);
    }
    let bits = c.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) = match exponent {
        0 => (fraction, -1074),
        _ => (fraction | (1 << 52), exponent - 1075),
    };
    let zeros = mantissa.trailing_zeros();
    let mantissa = mantissa >> zeros;
    let signed = if c < 0.0 { -mantissa } else { mantissa };
    (signed, exponent + zeros as i32)
}
