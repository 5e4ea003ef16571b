//! Normals, bounds and colours that several formats want.

use glam::{DVec3, Vec3};
use toile::mesh::Face;

/// Unit normals at the nodes: the faces' normals weighted by area. A node without area around it gets
/// the upward direction, because every format demands unit length.
pub(super) fn smooth_normals(positions: &[DVec3], faces: &[Face]) -> Vec<Vec3> {
    let mut sums = vec![DVec3::ZERO; positions.len()];
    for face in faces {
        let area = face.vector_area(positions);
        for &corner in face.corners() {
            sums[corner as usize] += area;
        }
    }
    sums.into_iter()
        .map(|sum| sum.try_normalize().unwrap_or(DVec3::Z).as_vec3())
        .collect()
}

/// Unit normals of the faces, upward where a face has no area.
pub(super) fn face_normals(positions: &[DVec3], faces: &[Face]) -> Vec<Vec3> {
    let normal = |face: &Face| face.vector_area(positions).try_normalize();
    faces
        .iter()
        .map(|face| normal(face).unwrap_or(DVec3::Z).as_vec3())
        .collect()
}

/// Smallest and largest coordinates; zero for no points at all.
pub(super) fn bounds(points: impl IntoIterator<Item = [f32; 3]>) -> [[f32; 3]; 2] {
    let mut points = points.into_iter();
    let first = points.next().unwrap_or_default();
    points.fold([first, first], |[low, high], point| {
        [
            std::array::from_fn(|axis| low[axis].min(point[axis])),
            std::array::from_fn(|axis| high[axis].max(point[axis])),
        ]
    })
}

/// An sRGB colour in linear light, which is what glTF and USD store.
pub(super) fn linear_color(srgb: [f32; 3]) -> [f32; 3] {
    srgb.map(|value| match value.clamp(0.0, 1.0) {
        dark if dark <= 0.04045 => dark / 12.92,
        bright => ((bright + 0.055) / 1.055).powf(2.4),
    })
}

/// Mean area (m²) of the two ways to cut a face into triangles: a warped quad has no area of its own, and
/// this one does not depend on which corner comes first.
pub(super) fn area(face: &Face, positions: &[DVec3]) -> f64 {
    let triangle = |a: u32, b: u32, c: u32| Face::Tri([a, b, c]).vector_area(positions).length();
    match *face {
        Face::Tri([a, b, c]) => triangle(a, b, c),
        Face::Quad([a, b, c, d]) => {
            0.5 * (triangle(a, b, c) + triangle(a, c, d) + triangle(a, b, d) + triangle(b, c, d))
        }
    }
}

/// How many of some faces are quads.
pub(super) fn quad_count(faces: &[Face]) -> usize {
    let is_quad = |face: &&Face| matches!(face, Face::Quad(_));
    faces.iter().filter(is_quad).count()
}

/// A file size as people read it.
pub(super) fn readable_size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..1_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_of_a_flat_quad_point_to_its_front() {
        let positions = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
        let normals = smooth_normals(&positions, &[Face::Quad([0, 1, 2, 3])]);
        assert_eq!(normals, vec![Vec3::Z; 4]);
        let back = smooth_normals(&positions, &[Face::Quad([3, 2, 1, 0])]);
        assert_eq!(back, vec![-Vec3::Z; 4]);
    }

    #[test]
    fn the_area_of_a_warped_quad_does_not_depend_on_its_first_corner() {
        let positions = [DVec3::ZERO, DVec3::X, DVec3::ONE, 2.0 * DVec3::Y];
        let one = area(&Face::Quad([0, 1, 2, 3]), &positions);
        let other = area(&Face::Quad([1, 2, 3, 0]), &positions);
        assert!((one - other).abs() < 1e-15, "{one} {other}");
    }

    #[test]
    fn colours_are_brought_to_linear_light() {
        let [dark, middle, white] = linear_color([0.04, 0.5, 1.0]);
        assert!((dark - 0.003_095_975).abs() < 1e-7);
        assert!((middle - 0.214_041_14).abs() < 1e-6);
        assert_eq!(white, 1.0);
    }
}
