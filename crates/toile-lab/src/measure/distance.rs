//! Distances between a surface and a cloud of points that know nothing of its nodes.
//!
//! From every point of the cloud to the surface, and from places all over the surface to the cloud. The *Chamfer* distance is
//! the mean of the two mean distances, the *Hausdorff* distance the largest of all. A camera does not see everything: where cloth is
//! hidden, the way from the surface to the cloud is long for no fault of the cloth. Both ways are therefore kept apart.

use glam::DVec3;
use toile::geometry::NearestSurface;

/// Distances one way (m).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OneWay {
    /// Their mean.
    pub mean: f64,
    /// The root of the mean of their squares.
    pub root_mean_square: f64,
    /// The largest.
    pub largest: f64,
}

impl OneWay {
    /// Gathers distances with their weights. All zero if there are none.
    fn of(distances: impl Iterator<Item = (f64, f64)>) -> Self {
        let (mut weight, mut sum, mut squares, mut largest) = (0.0, 0.0, 0.0, 0.0f64);
        for (distance, w) in distances {
            weight += w;
            sum += w * distance;
            squares += w * distance * distance;
            largest = largest.max(distance);
        }
        if weight <= 0.0 {
            return OneWay::default();
        }
        OneWay {
            mean: sum / weight,
            root_mean_square: (squares / weight).sqrt(),
            largest,
        }
    }
}

/// How far a surface and a cloud are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CloudDistance {
    /// From the points to the surface.
    pub from_cloud: OneWay,
    /// From the surface to the points, every part of it counted by its area.
    pub from_surface: OneWay,
}

impl CloudDistance {
    /// The mean of both means (m).
    pub fn chamfer(&self) -> f64 {
        0.5 * (self.from_cloud.mean + self.from_surface.mean)
    }

    /// The farthest point of either from the other (m).
    pub fn hausdorff(&self) -> f64 {
        self.from_cloud.largest.max(self.from_surface.largest)
    }
}

/// Measures both ways. `None` if there is no point, no triangle, or a place that is not finite.
pub fn cloud_distance(
    cloud: &[DVec3],
    positions: &[DVec3],
    triangles: &[[u32; 3]],
) -> Option<CloudDistance> {
    let surface = NearestSurface::new(positions, triangles)?;
    let points = NearestSurface::of_points(cloud)?;
    let to_surface = cloud.iter().map(|p| (surface.nearest(*p).distance, 1.0));
    let to_cloud =
        samples(positions, triangles).map(|(p, area)| (points.nearest(p).distance, area));
    Some(CloudDistance {
        from_cloud: OneWay::of(to_surface),
        from_surface: OneWay::of(to_cloud),
    })
}

/// From the points of a cloud to a surface, when nothing else is asked. `None` as for [`cloud_distance`].
pub fn from_cloud(cloud: &[DVec3], positions: &[DVec3], triangles: &[[u32; 3]]) -> Option<OneWay> {
    let surface = NearestSurface::new(positions, triangles)?;
    let finite = cloud.iter().all(|p| p.is_finite());
    let distances = cloud.iter().map(|p| (surface.nearest(*p).distance, 1.0));
    (finite && !cloud.is_empty()).then(|| OneWay::of(distances))
}

/// Four places in every triangle, each with a quarter of its area, and its corners without any: they count for the largest distance.
fn samples<'a>(
    positions: &'a [DVec3],
    triangles: &'a [[u32; 3]],
) -> impl Iterator<Item = (DVec3, f64)> + 'a {
    const INSIDE: [[f64; 3]; 4] = [
        [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
        [2.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0],
        [1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0],
        [1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0],
    ];
    triangles.iter().flat_map(|t| {
        let [a, b, c] = t.map(|n| positions[n as usize]);
        let quarter = 0.125 * (b - a).cross(c - a).length();
        let inside = INSIDE.map(|[u, v, w]| (u * a + v * b + w * c, quarter));
        let corners = [a, b, c].map(|p| (p, 0.0));
        inside.into_iter().chain(corners)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn a_cloud_above_a_square_is_as_far_as_it_is_high() {
        let square = [DVec3::ZERO, DVec3::X, dvec3(1.0, 1.0, 0.0), DVec3::Y];
        let cloud: Vec<DVec3> = (0..=20)
            .flat_map(|i| (0..=20).map(move |j| dvec3(f64::from(i), f64::from(j), 0.0) / 20.0))
            .map(|p| p + 0.1 * DVec3::Z)
            .collect();
        let found = cloud_distance(&cloud, &square, &[[0, 1, 2], [0, 2, 3]]).unwrap();
        assert!((found.from_cloud.mean - 0.1).abs() < 1e-12);
        assert!((found.from_cloud.root_mean_square - 0.1).abs() < 1e-12);
        // The nearest point of the cloud is up to 3.5 cm aside.
        assert!(found.from_surface.mean >= 0.1 && found.from_surface.mean < 0.107);
        assert!(found.hausdorff() < 0.107 && found.chamfer() < 0.1035);
    }

    #[test]
    fn half_a_cloud_shows_in_one_way_only() {
        let square = [DVec3::ZERO, DVec3::X, dvec3(1.0, 1.0, 0.0), DVec3::Y];
        let cloud: Vec<DVec3> = (0..=10)
            .flat_map(|i| {
                (0..=10).map(move |j| dvec3(0.05 * f64::from(i), 0.1 * f64::from(j), 0.0))
            })
            .collect();
        let found = cloud_distance(&cloud, &square, &[[0, 1, 2], [0, 2, 3]]).unwrap();
        assert!(found.from_cloud.largest < 1e-12);
        assert!(
            (found.from_surface.largest - 0.5).abs() < 1e-12,
            "{found:?}"
        );
        assert!(cloud_distance(&[], &square, &[[0, 1, 2]]).is_none());
        assert!(from_cloud(&[DVec3::NAN], &square, &[[0, 1, 2]]).is_none());
    }
}
