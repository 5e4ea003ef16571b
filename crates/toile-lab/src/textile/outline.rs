//! The outline of cloth seen from above: the area it covers, and how far it reaches in every direction.

use glam::DVec2;
use std::f64::consts::TAU;

/// Area of the union of triangles in the plane (m²).
///
/// Folds overlap, so areas cannot be added up. On a level line every triangle that the line meets covers an interval; the length
/// of the union of the intervals is exact. The area is its integral by the midpoint rule over `lines` level lines, whose error
/// falls with the square of their distance.
pub fn union_area(triangles: &[[DVec2; 3]], lines: usize) -> f64 {
    let corners = || triangles.iter().flatten().map(|p| p.y);
    let low = corners().fold(f64::INFINITY, f64::min);
    let high = corners().fold(f64::NEG_INFINITY, f64::max);
    let spacing = (high - low) / lines as f64;
    if !(spacing > 0.0 && spacing.is_finite()) {
        return 0.0;
    }
    let mut covered: Vec<Vec<[f64; 2]>> = vec![Vec::new(); lines];
    for triangle in triangles {
        let [first, last] = triangle
            .iter()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], p| {
                [a.min(p.y), b.max(p.y)]
            });
        // Lines in the middle of their stripes, at low + (k + ½) spacing.
        let from = ((first - low) / spacing - 0.5).ceil().max(0.0) as usize;
        let to = ((last - low) / spacing - 0.5).floor();
        if to < 0.0 {
            continue;
        }
        for k in from..=(to as usize).min(lines - 1) {
            let y = low + (k as f64 + 0.5) * spacing;
            covered[k].extend(cut(triangle, y));
        }
    }
    covered.iter_mut().map(|c| union_length(c)).sum::<f64>() * spacing
}

/// Where a level line enters and leaves a triangle.
fn cut(triangle: &[DVec2; 3], y: f64) -> Option<[f64; 2]> {
    let mut span = [f64::INFINITY, f64::NEG_INFINITY];
    for i in 0..3 {
        let [a, b] = [triangle[i], triangle[(i + 1) % 3]];
        if (a.y <= y) != (b.y <= y) {
            let x = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
            span = [span[0].min(x), span[1].max(x)];
        }
    }
    (span[0] < span[1]).then_some(span)
}

/// Length of the union of intervals.
fn union_length(intervals: &mut [[f64; 2]]) -> f64 {
    intervals.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut length = 0.0;
    let mut reached = f64::NEG_INFINITY;
    for [from, to] in intervals {
        length += (*to - from.max(reached)).max(0.0);
        reached = reached.max(*to);
    }
    length
}

/// How far the outline reaches from the origin in each of `count` directions, the first along x; at least `inner`.
///
/// In every direction that is the farthest crossing of any edge, so what is folded under does not count.
pub fn reach(edges: &[[DVec2; 2]], inner: f64, count: usize) -> Vec<f64> {
    let mut radii = vec![inner; count];
    let step = TAU / count as f64;
    for [a, b] in edges {
        let start = a.to_angle();
        // The short way round from one end to the other.
        let turn = (b.to_angle() - start + 1.5 * TAU).rem_euclid(TAU) - 0.5 * TAU;
        let [low, high] = [start.min(start + turn), start.max(start + turn)];
        let cross = a.perp_dot(*b);
        for k in (low / step).ceil() as i64..=(high / step).floor() as i64 {
            let ray = DVec2::from_angle(k as f64 * step);
            // a + s (b − a) ∥ ray.
            let across = ray.perp_dot(*b - *a);
            let radius = if across.abs() > 1e-12 * a.distance(*b) {
                cross / (ray.perp_dot(*b) - ray.perp_dot(*a))
            } else {
                a.length().max(b.length())
            };
            let slot = &mut radii[k.rem_euclid(count as i64) as usize];
            if radius.is_finite() {
                *slot = slot.max(radius);
            }
        }
    }
    radii
}

/// The mean of a closed curve over `window` neighbouring values around each. A zigzag of that period vanishes.
pub fn smooth(radii: &[f64], window: usize) -> Vec<f64> {
    let count = radii.len();
    let window = window.clamp(1, count.max(1));
    let mean = |k: usize| {
        let around = (0..window).map(|j| radii[(k + count + j - window / 2) % count]);
        around.sum::<f64>() / window as f64
    };
    (0..count).map(mean).collect()
}

/// The folds of an outline.
#[derive(Clone, Debug, PartialEq)]
pub struct Folds {
    /// Directions of the crests (rad from the x axis).
    pub crests: Vec<f64>,
    /// Half the difference between the mean crest and the mean trough (m).
    pub amplitude: f64,
}

/// The crests of a closed curve `r(φ)` that stand out by at least `prominence` (m) from the troughs on either side.
pub fn folds(radii: &[f64], prominence: f64) -> Folds {
    let count = radii.len();
    let Some(lowest) = (0..count).min_by(|&a, &b| radii[a].total_cmp(&radii[b])) else {
        return Folds {
            crests: Vec::new(),
            amplitude: 0.0,
        };
    };
    // Around from the lowest place and back to it: a crest is taken when the curve has fallen far enough below it, a trough when
    // it has risen far enough above it.
    let (mut crests, mut troughs) = (Vec::new(), Vec::new());
    let (mut top, mut bottom) = (lowest, lowest);
    let mut rising = true;
    for k in (0..=count).map(|k| (lowest + k) % count) {
        if rising {
            if radii[k] > radii[top] {
                top = k;
            }
            if radii[top] - radii[k] >= prominence && radii[top] - radii[bottom] >= prominence {
                crests.push(top);
                (bottom, rising) = (k, false);
            }
        } else {
            if radii[k] < radii[bottom] {
                bottom = k;
            }
            if radii[k] - radii[bottom] >= prominence {
                troughs.push(bottom);
                (top, rising) = (k, true);
            }
        }
    }
    troughs.push(lowest);
    let mean = |places: &[usize]| {
        let sum: f64 = places.iter().map(|&k| radii[k]).sum();
        sum / places.len().max(1) as f64
    };
    let amplitude = if crests.is_empty() {
        0.0
    } else {
        0.5 * (mean(&crests) - mean(&troughs))
    };
    let angle = |k: &usize| TAU * *k as f64 / count as f64;
    Folds {
        crests: crests.iter().map(angle).collect(),
        amplitude,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(points: [[f64; 2]; 3]) -> [DVec2; 3] {
        points.map(DVec2::from_array)
    }

    /// A regular polygon as a fan.
    fn fan(radius: f64, count: usize, middle: DVec2) -> Vec<[DVec2; 3]> {
        let corner = |k: usize| middle + radius * DVec2::from_angle(TAU * k as f64 / count as f64);
        (0..count)
            .map(|k| [middle, corner(k), corner(k + 1)])
            .collect()
    }

    #[test]
    fn overlapping_triangles_count_once() {
        let a = triangle([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]]);
        // The same, its mirror image on top of it, and one apart.
        let b = triangle([[0.0, 0.0], [0.0, 2.0], [2.0, 0.0]]);
        let c = triangle([[5.0, 0.0], [7.0, 0.0], [5.0, 2.0]]);
        assert!((union_area(&[a, b], 1000) - 2.0).abs() < 1e-9);
        assert!((union_area(&[a, b, c], 1000) - 4.0).abs() < 1e-9);
        // Two squares of side 2 that share a unit square: 4 + 4 − 1.
        let square = |x: f64, y: f64| {
            [
                triangle([[x, y], [x + 2.0, y], [x + 2.0, y + 2.0]]),
                triangle([[x, y], [x + 2.0, y + 2.0], [x, y + 2.0]]),
            ]
        };
        let both: Vec<_> = square(0.0, 0.0)
            .into_iter()
            .chain(square(1.0, 1.0))
            .collect();
        assert!((union_area(&both, 999) - 7.0).abs() < 1e-2);
        assert_eq!(union_area(&[], 100), 0.0);
    }

    #[test]
    fn the_area_of_overlapping_discs_is_right_to_second_order() {
        // Two discs of radius 1 whose centres are 1 apart: 2π − (2π/3 − √3/2).
        let mut discs = fan(1.0, 4000, DVec2::ZERO);
        discs.extend(fan(1.0, 4000, DVec2::X));
        let exact = TAU * 2.0 / 3.0 + 0.75f64.sqrt();
        let error = |lines| (union_area(&discs, lines) / exact - 1.0).abs();
        assert!(error(400) < 1e-4, "{}", error(400));
        assert!(error(1600) < 1e-5, "{}", error(1600));
    }

    #[test]
    fn the_reach_is_the_farthest_crossing() {
        let corner = |k: usize| DVec2::from_angle(TAU * k as f64 / 6.0);
        let mut edges: Vec<[DVec2; 2]> = (0..6).map(|k| [corner(k), corner(k + 1)]).collect();
        edges.extend((0..6).map(|k| [0.5 * corner(k), 0.5 * corner(k + 1)]));
        let radii = reach(&edges, 0.1, 12);
        for (k, radius) in radii.iter().enumerate() {
            let exact = if k % 2 == 0 { 1.0 } else { 0.75f64.sqrt() };
            assert!((radius - exact).abs() < 1e-9, "{k}: {radius}");
        }
        assert_eq!(reach(&[], 0.1, 4), [0.1; 4]);
    }

    #[test]
    fn crests_are_counted_if_they_stand_out() {
        let curve = |f: &dyn Fn(f64) -> f64| -> Vec<f64> {
            (0..720).map(|k| f(TAU * k as f64 / 720.0)).collect()
        };
        let seven = curve(&|a| 0.12 + 0.01 * (7.0 * a + 0.3).cos() + 1e-4 * (91.0 * a).sin());
        let found = folds(&seven, 0.003);
        assert_eq!(found.crests.len(), 7);
        assert!((found.amplitude - 0.01).abs() < 3e-4);
        assert!(folds(&seven, 0.03).crests.is_empty());
        assert_eq!(folds(&curve(&|_| 0.1), 0.001).crests.len(), 0);
        // Six equal crests and one small one.
        let uneven = curve(&|a| 0.1 + 0.01 * (6.0 * a).cos().max(0.0).powi(2));
        assert_eq!(folds(&uneven, 0.003).crests.len(), 6);
    }
}
