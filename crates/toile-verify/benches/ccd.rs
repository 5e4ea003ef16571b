//! Continuous collision detection: time, misses and false alarms of every family of queries.
//!
//! `cargo bench -p toile-verify --bench ccd` times 20,000 queries of each family and holds 1000 of them against exact arithmetic; `judged=4000` and
//! `seed=42` change that. *Early* is by how much of the step the time was before the true one, at the worst.

#![allow(clippy::print_stdout)] // printing is what a benchmark is for

use std::time::Instant;
use toile::geometry::ccd::{edge_edge, edge_edge_within, point_triangle, point_triangle_within};
use toile::glam::DVec3;
use toile_verify::exact;
use toile_verify::families::{FAMILIES, Query, Random};

type Answer = fn(&[DVec3; 4], &[DVec3; 4]) -> Option<f64>;
type Truth = fn(&[DVec3; 4], &[DVec3; 4]) -> Option<i128>;

/// Queries of each family.
const QUERIES: usize = 20_000;
/// Distance that is asked for (m), where one is.
const DISTANCE: f64 = 1e-3;

/// What exact arithmetic says of some answers.
#[derive(Default)]
struct Tally {
    positive: usize,
    negative: usize,
    missed: usize,
    false_alarms: usize,
    early: f64,
}

impl Tally {
    fn judge(&mut self, query: &Query, answer: Answer, truth: Truth) {
        let time = answer(&query.start, &query.end);
        let Some(contact) = truth(&query.start, &query.end) else {
            self.negative += 1;
            self.false_alarms += usize::from(time.is_some());
            return;
        };
        self.positive += 1;
        match time {
            Some(time) if exact::not_later(time, contact) => {
                self.early = self.early.max(contact as f64 / 2f64.powi(60) - time);
            }
            _ => self.missed += 1,
        }
    }
}

/// `name=value` among the arguments.
fn argument(name: &str) -> Option<u64> {
    let value = |a: String| a.strip_prefix(name)?.strip_prefix('=')?.parse().ok();
    std::env::args().find_map(value)
}

fn queries(family: fn(&mut Random) -> Query) -> Vec<Query> {
    let mut random = Random(argument("seed").unwrap_or(7));
    (0..QUERIES).map(|_| family(&mut random)).collect()
}

/// Nanoseconds a query.
fn time(queries: &[Query], answer: impl Fn(&Query) -> Option<f64>) -> u128 {
    let begin = Instant::now();
    for query in queries {
        std::hint::black_box(answer(query));
    }
    begin.elapsed().as_nanos() / queries.len() as u128
}

fn main() {
    // `cargo test` builds and runs benches once without --bench; measuring is only for `cargo bench`.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let judged = argument("judged").unwrap_or(1000) as usize;
    println!(
        "{:38}{:>10}{:>10}{:>10}{:>8}{:>13}{:>10}",
        "", "ns/query", "positive", "negative", "missed", "false alarms", "early"
    );
    let kinds: [(&str, Answer, Truth); 2] = [
        ("point and triangle", point_triangle, exact::point_triangle),
        ("two edges", edge_edge, exact::edge_edge),
    ];
    for (kind, answer, truth) in kinds {
        println!("{kind}");
        for (name, family) in FAMILIES {
            let queries = queries(family);
            let nanoseconds = time(&queries, |q| answer(&q.start, &q.end));
            let mut tally = Tally::default();
            for query in queries.iter().take(judged) {
                tally.judge(query, answer, truth);
            }
            println!(
                "  {name:36}{nanoseconds:>10}{:>10}{:>10}{:>8}{:>13}{:>10.1e}",
                tally.positive, tally.negative, tally.missed, tally.false_alarms, tally.early
            );
        }
    }
    println!("nearer than {DISTANCE} m, point and triangle / two edges");
    for (name, family) in &FAMILIES[..3] {
        let queries = queries(*family);
        let [points, edges] = [point_triangle_within, edge_edge_within]
            .map(|answer| time(&queries, |q| answer(&q.start, &q.end, DISTANCE)));
        println!("  {name:36}{points:>10} / {edges}");
    }
}
