use super::*;
use proptest::prelude::*;

fn point() -> impl Strategy<Value = DVec3> {
    // Whole numbers now and then, so that parallel, coplanar and degenerate cases are common.
    let number = prop_oneof![(-3i32..=3).prop_map(f64::from), -3.0..3.0];
    [number.clone(), number.clone(), number].prop_map(DVec3::from_array)
}

/// Weights that are allowed for a feature: `Σ = ±1`, none of the wrong sign.
fn are_convex(weights: &[f64], sign: f64) -> bool {
    let sum: f64 = weights.iter().sum();
    (sum - sign).abs() < 1e-12 && weights.iter().all(|w| w * sign >= -1e-12)
}

proptest! {
    /// Nearest means: no other point of the features is nearer, and sampled ones come close to it.
    #[test]
    fn nothing_on_a_triangle_is_nearer(nodes in [point(), point(), point(), point()], u in 0.0..1.0, v in 0.0..1.0) {
        let found = point_triangle(&nodes);
        prop_assert_eq!(found.weights[0], 1.0);
        prop_assert!(are_convex(&found.weights[1..], -1.0));
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        let [p, a, b, c] = nodes;
        let other = p.distance(a + u * (b - a) + v * (c - a));
        prop_assert!(found.distance() <= other + 1e-9, "{} {other}", found.distance());
        let way: DVec3 = (0..4).map(|k| found.weights[k] * nodes[k]).sum();
        prop_assert!(way.distance(found.way) < 1e-9);
    }

    #[test]
    fn nothing_on_two_edges_is_nearer(nodes in [point(), point(), point(), point()], u in 0.0..1.0, v in 0.0..1.0) {
        let found = edge_edge(&nodes);
        prop_assert!(are_convex(&found.weights[..2], 1.0));
        prop_assert!(are_convex(&found.weights[2..], -1.0));
        let [p, q, r, s] = nodes;
        let other = p.lerp(q, u).distance(r.lerp(s, v));
        prop_assert!(found.distance() <= other + 1e-6, "{} {other}", found.distance());
    }
}

#[test]
fn a_point_above_a_corner_a_side_and_the_middle() {
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let at = |p: DVec3| point_triangle(&[p, triangle[0], triangle[1], triangle[2]]);
    assert_eq!(
        at(DVec3::new(-1.0, -1.0, 1.0)).weights,
        [1.0, -1.0, 0.0, 0.0]
    );
    assert_eq!(
        at(DVec3::new(0.25, -2.0, 0.0)).weights,
        [1.0, -0.75, -0.25, 0.0]
    );
    let above = at(DVec3::new(0.25, 0.25, 0.5));
    assert_eq!(above.weights, [1.0, -0.5, -0.25, -0.25]);
    assert_eq!(above.way, 0.5 * DVec3::Z);
}

#[test]
fn crossing_parallel_and_collapsed_edges() {
    let crossing = edge_edge(&[
        DVec3::NEG_X,
        DVec3::X,
        DVec3::new(0.0, -1.0, 2.0),
        DVec3::new(0.0, 1.0, 2.0),
    ]);
    assert_eq!(crossing.weights, [0.5, 0.5, -0.5, -0.5]);
    assert_eq!(crossing.way, -2.0 * DVec3::Z);
    let parallel = edge_edge(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y]);
    assert_eq!(parallel.distance(), 1.0);
    let points = edge_edge(&[DVec3::ZERO, DVec3::ZERO, DVec3::Z, DVec3::Z]);
    assert_eq!(points.distance(), 1.0);
}
