//! Times of contact held against exact arithmetic.

use toile::geometry::ccd::{edge_edge, edge_edge_within, point_triangle, point_triangle_within};
use toile::glam::DVec3;
use toile_verify::exact;
use toile_verify::families::{FAMILIES, Query, Random};

type Answer = fn(&[DVec3; 4], &[DVec3; 4]) -> Option<f64>;
type Truth = fn(&[DVec3; 4], &[DVec3; 4]) -> Option<i128>;

const KINDS: [(Answer, Truth); 2] = [
    (point_triangle, exact::point_triangle),
    (edge_edge, exact::edge_edge),
];

#[derive(Default)]
struct Tally {
    positives: usize,
    negatives: usize,
    false_alarms: usize,
    much_too_early: usize,
}

impl Tally {
    /// Counts one query, and fails if its contact is missed.
    fn add(&mut self, query: &Query, (answer, truth): (Answer, Truth)) {
        let time = answer(&query.start, &query.end);
        let Some(contact) = truth(&query.start, &query.end) else {
            self.negatives += 1;
            self.false_alarms += usize::from(time.is_some());
            return;
        };
        self.positives += 1;
        let time = time.unwrap_or_else(|| panic!("missed {query:?}"));
        assert!((0.0..=1.0).contains(&time));
        assert!(exact::not_later(time, contact), "late: {time} {query:?}");
        let early = contact as f64 / 2f64.powi(exact::TICKS as i32) - time;
        self.much_too_early += usize::from(early > 1e-5);
    }
}

#[test]
fn no_contact_is_missed_and_few_alarms_are_false_in_any_family() {
    let mut all = Tally::default();
    for kind in KINDS {
        for (name, family) in FAMILIES {
            let mut random = Random(20);
            let mut tally = Tally::default();
            for _ in 0..150 {
                tally.add(&family(&mut random), kind);
            }
            let Tally {
                positives,
                negatives,
                false_alarms,
                much_too_early,
            } = tally;
            assert!(
                false_alarms * 20 <= negatives,
                "{name}: {false_alarms} of {negatives}"
            );
            assert!(
                much_too_early * 20 <= positives,
                "{name}: {much_too_early} of {positives}"
            );
            all.positives += positives;
            all.negatives += negatives;
            all.false_alarms += false_alarms;
        }
    }
    assert!(all.positives > 800 && all.negatives > 800);
    assert!(
        all.false_alarms * 200 < all.negatives,
        "{}",
        all.false_alarms
    );
}

#[test]
fn on_a_small_grid_every_decision_is_right() {
    let mut random = Random(3);
    for _ in 0..600 {
        let mut points = || [0; 4].map(|_| random.grid(2, 1.0));
        let (start, end) = (points(), points());
        for (answer, truth) in KINDS {
            let found = answer(&start, &end).is_some();
            assert_eq!(found, truth(&start, &end).is_some(), "{start:?} {end:?}");
        }
    }
}

#[test]
fn nothing_comes_nearer_than_the_distance_before_the_time() {
    let mut random = Random(11);
    let large_motion = FAMILIES[2].1;
    for _ in 0..300 {
        let query = large_motion(&mut random);
        let distance = random.between(0.01, 0.5);
        let [u, v] = [0; 2].map(|_| random.between(0.0, 1.0));
        let [near_triangle, near_edge] = [point_triangle_within, edge_edge_within]
            .map(|within| within(&query.start, &query.end, distance));
        for step in 0..=200 {
            let t = f64::from(step) / 200.0;
            let x: [DVec3; 4] = std::array::from_fn(|i| query.start[i].lerp(query.end[i], t));
            let in_triangle = x[1].lerp(x[2], u).lerp(x[3], v);
            let between_edges = x[0].lerp(x[1], u).distance(x[2].lerp(x[3], v));
            let told = |time: Option<f64>| time.is_some_and(|toi| toi <= t);
            assert!(
                x[0].distance(in_triangle) > distance || told(near_triangle),
                "{query:?} within {distance} at {t}"
            );
            assert!(
                between_edges > distance || told(near_edge),
                "{query:?} within {distance} at {t}"
            );
        }
    }
}
