//! Errors of area (Coltraro and others 2022, section 8.3). Area belongs to the cloth, not to its mesh.

use glam::DVec3;
use toile::mesh::Face;

/// Errors of area at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AreaErrors {
    /// `|A − A₀| / A₀` of the whole cloth, equation 19.
    pub total: f64,
    /// Mean of `|a − a₀| / a₀` over the faces, equation 20.
    pub mean: f64,
    /// That mean and twice the standard deviation, equation 21: were the errors normal, 95 % of the faces would be below.
    pub dispersion: f64,
    /// 95 % of the faces are below.
    pub most: f64,
    /// The largest of all.
    pub worst: f64,
}

impl AreaErrors {
    /// From the relative change `a/a₀ − 1` and the rest area of every face. All are zero for cloth without faces.
    pub fn of(changes: &[f64], rest_areas: &[f64]) -> Self {
        let grown: f64 = changes.iter().zip(rest_areas).map(|(c, a)| c * a).sum();
        let whole: f64 = rest_areas.iter().sum();
        let mut sizes: Vec<f64> = changes.iter().map(|c| c.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let Some(&worst) = sizes.last() else {
            return AreaErrors {
                total: 0.0,
                mean: 0.0,
                dispersion: 0.0,
                most: 0.0,
                worst: 0.0,
            };
        };
        let count = sizes.len() as f64;
        let mean = sizes.iter().sum::<f64>() / count;
        let variance = sizes.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / count;
        AreaErrors {
            total: (grown / whole).abs(),
            mean,
            dispersion: mean + 2.0 * variance.sqrt(),
            most: sizes[(0.95 * count) as usize],
            worst,
        }
    }
}

/// `a/a₀ − 1` of every face.
pub fn changes(faces: &[Face], positions: &[DVec3], rest_areas: &[f64]) -> Vec<f64> {
    let change = |(face, rest): (&Face, &f64)| area(face, positions) / rest - 1.0;
    faces.iter().zip(rest_areas).map(change).collect()
}

/// Area of a face (m²): of a quad that of its bilinear surface, by 2×2 Gauss points.
pub fn area(face: &Face, positions: &[DVec3]) -> f64 {
    let Face::Quad(corners) = *face else {
        return face.vector_area(positions).length();
    };
    let [a, b, c, d] = corners.map(|n| positions[n as usize]);
    let near = 0.5 - 0.5 / 3f64.sqrt();
    let points = [near, 1.0 - near];
    let along = |v: f64| (b - a).lerp(c - d, v);
    let across = |u: f64| (d - a).lerp(c - b, u);
    let pairs = points.iter().flat_map(|&u| points.map(|v| (u, v)));
    let weighted = pairs.map(|(u, v)| 0.25 * along(v).cross(across(u)).length());
    weighted.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn errors_follow_their_formulas() {
        // Areas 1 and 3; the first grows by 10 %, the second shrinks by 2 %.
        let errors = AreaErrors::of(&[0.1, -0.02], &[1.0, 3.0]);
        assert!((errors.total - 0.04 / 4.0).abs() < 1e-15);
        assert!((errors.mean - 0.06).abs() < 1e-15);
        assert!((errors.dispersion - (0.06 + 2.0 * 0.04)).abs() < 1e-15);
        assert_eq!((errors.most, errors.worst), (0.1, 0.1));
        assert_eq!(AreaErrors::of(&[], &[]).worst, 0.0);
    }

    #[test]
    fn bent_quads_have_the_area_of_their_surface() {
        // x = u, y = v, z = u v: ∫∫ √(1 + u² + v²) = 1.2807893…
        let corners = [DVec3::ZERO, DVec3::X, dvec3(1.0, 1.0, 1.0), DVec3::Y];
        let area = area(&Face::Quad([0, 1, 2, 3]), &corners);
        assert!((area - 1.280_789).abs() < 2e-4, "{area}");
    }
}
