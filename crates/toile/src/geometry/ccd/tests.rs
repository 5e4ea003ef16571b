//! What needs no exact arithmetic to be judged; the rest is in the crate `toile-verify`.

use super::{edge_edge, edge_edge_within, point_triangle, point_triangle_within};
use glam::{DVec3, dvec3};
use proptest::prelude::*;

type Answer = fn(&[DVec3; 4], &[DVec3; 4]) -> Option<f64>;

const KINDS: [Answer; 2] = [point_triangle, edge_edge];

fn grid_points(reach: i32) -> impl Strategy<Value = [DVec3; 4]> {
    let coordinate = -reach..=reach;
    prop::array::uniform12(coordinate).prop_map(|c| {
        [0, 3, 6, 9].map(|i| dvec3(f64::from(c[i]), f64::from(c[i + 1]), f64::from(c[i + 2])))
    })
}

fn same(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-5,
        (a, b) => a == b,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn naming_the_points_in_another_order_changes_nothing(
        start in grid_points(3),
        end in grid_points(3),
    ) {
        let order = |x: &[DVec3; 4], by: [usize; 4]| by.map(|i| x[i]);
        let [pt, ee] = [point_triangle(&start, &end), edge_edge(&start, &end)];
        for by in [[0, 2, 3, 1], [0, 2, 1, 3], [0, 3, 2, 1]] {
            prop_assert!(same(pt, point_triangle(&order(&start, by), &order(&end, by))));
        }
        for by in [[1, 0, 2, 3], [0, 1, 3, 2], [2, 3, 0, 1]] {
            prop_assert!(same(ee, edge_edge(&order(&start, by), &order(&end, by))));
        }
    }

    #[test]
    fn contact_forwards_is_contact_backwards(start in grid_points(2), end in grid_points(2)) {
        for answer in KINDS {
            prop_assert_eq!(answer(&start, &end).is_some(), answer(&end, &start).is_some());
        }
    }

    #[test]
    fn units_and_places_do_not_matter(
        start in grid_points(2),
        end in grid_points(2),
        exponent in -100..100,
    ) {
        let place = dvec3(1e6, -3e5, 7.0);
        let unit = 2f64.powi(exponent);
        for answer in KINDS {
            let here = answer(&start, &end);
            let there = answer(&start.map(|p| p + place), &end.map(|p| p + place));
            prop_assert_eq!(here, there);
            prop_assert_eq!(here, answer(&start.map(|p| p * unit), &end.map(|p| p * unit)));
        }
    }

    #[test]
    fn the_largest_and_smallest_numbers_are_no_obstacle(
        start in grid_points(2),
        end in grid_points(2),
    ) {
        for answer in KINDS {
            let here = answer(&start, &end);
            for unit in [2f64.powi(1022), 2f64.powi(-1070)] {
                let there = answer(&start.map(|p| p * unit), &end.map(|p| p * unit));
                prop_assert!(same(here, there), "{here:?} {there:?} {unit}");
            }
        }
    }
}

#[test]
fn a_falling_point_keeps_its_distance_to_the_last_digit() {
    let triangle = [
        dvec3(-1.0, -1.0, 0.1),
        dvec3(2.0, -1.0, 0.1),
        dvec3(0.0, 2.0, 0.1),
    ];
    let with = |height: f64| {
        [
            dvec3(0.1, 0.2, height),
            triangle[0],
            triangle[1],
            triangle[2],
        ]
    };
    let time = point_triangle_within(&with(1.1), &with(-0.9), 0.25);
    assert!(
        time.is_some_and(|t| t <= 0.375 && t > 0.375 - 1e-9),
        "{time:?}"
    );
    assert_eq!(point_triangle_within(&with(1.1), &with(0.36), 0.25), None);
    assert!(point_triangle_within(&with(1.1), &with(0.35), 0.25).is_some());
}

#[test]
fn crossing_edges_keep_their_distance_to_the_last_digit() {
    let with = |z: f64| {
        [
            dvec3(-1.0, 0.0, z),
            dvec3(1.0, 0.1, z),
            dvec3(0.1, -1.0, 0.0),
            dvec3(0.0, 1.0, 0.0),
        ]
    };
    let time = edge_edge_within(&with(1.0), &with(-1.0), 0.5);
    assert!(
        time.is_some_and(|t| t <= 0.25 && t > 0.25 - 1e-9),
        "{time:?}"
    );
    assert_eq!(edge_edge_within(&with(1.0), &with(0.51), 0.5), None);
}

#[test]
fn what_is_not_finite_is_taken_for_contact() {
    let apart = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE];
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for i in 0..4 {
            let mut end = apart;
            end[i].y = wrong;
            assert_eq!(point_triangle(&apart, &end), Some(0.0));
            assert_eq!(edge_edge(&end, &apart), Some(0.0));
        }
    }
}

#[test]
fn a_point_that_rides_just_above_a_turning_triangle_raises_no_alarm() {
    // Every direction that separates them does so for an instant only; the volume never vanishes.
    let start = [dvec3(0.25, 0.25, 1e-12), DVec3::ZERO, DVec3::X, DVec3::Y];
    let turned = |p: DVec3| dvec3(p.x, -p.z, p.y);
    let end = start.map(turned);
    assert_eq!(point_triangle(&start, &end), None);
    assert_eq!(point_triangle(&end, &start), None);
}
