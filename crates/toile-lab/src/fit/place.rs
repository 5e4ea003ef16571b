//! A shape moved as a whole to where it fits a noisy one best.
//!
//! The rotation with the least sum of squared distances is the unit quaternion that makes `qᵀ N q` largest, where the symmetric matrix `N` is
//! made of the products of the coordinates (Horn 1987). It is unique unless all points are on a line, and never a mirror image.

use crate::dense::eigenvectors;
use glam::{DQuat, DVec3};

/// Moves `shape` onto `places`, both with the same nodes; only those that `counts` are looked at.
pub(super) fn laid_onto(
    shape: &[DVec3],
    places: &[DVec3],
    counts: impl Fn(usize) -> bool,
) -> Vec<DVec3> {
    let chosen: Vec<usize> = (0..shape.len().min(places.len()))
        .filter(|&k| counts(k))
        .collect();
    if chosen.is_empty() {
        return shape.to_vec();
    }
    let count = chosen.len() as f64;
    let middle = |points: &[DVec3]| chosen.iter().map(|&k| points[k]).sum::<DVec3>() / count;
    let (from, to) = (middle(shape), middle(places));
    let mut s = [[0.0; 3]; 3];
    for &k in &chosen {
        let (a, b) = (shape[k] - from, places[k] - to);
        for i in 0..3 {
            for j in 0..3 {
                s[i][j] += a[i] * b[j];
            }
        }
    }
    let turn = rotation(&s);
    shape.iter().map(|p| to + turn * (*p - from)).collect()
}

/// The best rotation for sums of products of coordinates.
fn rotation([[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]]: &[[f64; 3]; 3]) -> DQuat {
    let n = vec![
        vec![xx + yy + zz, yz - zy, zx - xz, xy - yx],
        vec![yz - zy, xx - yy - zz, xy + yx, zx + xz],
        vec![zx - xz, xy + yx, yy - xx - zz, yz + zy],
        vec![xy - yx, zx + xz, yz + zy, zz - xx - yy],
    ];
    let (values, vectors) = eigenvectors(n);
    let best = (0..4).max_by(|&a, &b| values[a].total_cmp(&values[b]));
    let [w, x, y, z] = best.map_or([1.0, 0.0, 0.0, 0.0], |k| {
        std::array::from_fn(|row| vectors[row][k])
    });
    DQuat::from_xyzw(x, y, z, w).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use glam::dvec3;

    #[test]
    fn a_turned_sheet_is_found_again_through_noise() {
        let nodes = (0..5).flat_map(|i| (0..7).map(move |j| (f64::from(i), f64::from(j))));
        let shape: Vec<DVec3> = nodes.map(|(x, y)| dvec3(0.1 * x, 0.05 * y, 0.0)).collect();
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, 1.0, -2.0, 0.5);
        let shift = dvec3(3.0, -1.0, 0.2);
        let exact: Vec<DVec3> = shape.iter().map(|p| turn * *p + shift).collect();
        for (a, b) in laid_onto(&shape, &exact, |_| true).iter().zip(&exact) {
            assert!(a.distance(*b) < 1e-9);
        }
        let mut random = Random::new(5);
        let mut shake = || DVec3::from_array([(); 3].map(|()| 0.005 * random.normal()));
        let noisy: Vec<DVec3> = exact.iter().map(|p| *p + shake()).collect();
        let found = laid_onto(&shape, &noisy, |k| k != 3);
        for (a, b) in found.iter().zip(&exact) {
            assert!(a.distance(*b) < 0.006);
        }
    }
}
