//! Meshes that are not quite smooth.

use super::Mesh;
use super::dice::Dice;
use glam::DVec3;

/// Moves every node along the mesh's normal there by a random distance: normally distributed, of standard
/// deviation `deviation` (m). Another seed gives other distances. Nodes without a normal stay.
///
/// A perfectly flat sheet does not know to which side to buckle. And the surplus of length of a rough one,
/// about `(deviation / edge)²`, is slack between pins at their full distance, without which they would hold
/// the cloth taut.
pub fn roughen(mesh: &mut Mesh, deviation: f64, seed: u64) {
    let mut normals = vec![DVec3::ZERO; mesh.positions.len()];
    for face in &mesh.faces {
        let area = face.vector_area(&mesh.positions);
        for &node in face.corners() {
            normals[node as usize] += area;
        }
    }
    let mut dice = Dice(seed);
    for (position, normal) in mesh.positions.iter_mut().zip(normals) {
        *position += deviation * dice.normal() * normal.normalize_or_zero();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Grid, GridPattern, grid};

    fn sheet() -> Mesh {
        grid(&Grid {
            size: [1.0, 1.0],
            cells: [60, 60],
            pattern: GridPattern::Quads,
        })
        .unwrap()
    }

    #[test]
    fn heights_have_the_deviation_asked_for_and_places_stay() {
        let (flat, mut rough) = (sheet(), sheet());
        roughen(&mut rough, 0.003, 7);
        let pairs = || flat.positions.iter().zip(&rough.positions);
        assert!(pairs().all(|(a, b)| a.truncate() == b.truncate()));
        let count = flat.positions.len() as f64;
        let mean = pairs().map(|(_, b)| b.z).sum::<f64>() / count;
        let square = pairs().map(|(_, b)| b.z * b.z).sum::<f64>() / count;
        // Of 3721 draws: mean 0 ± 4/√n, deviation 1 ± 4/√2n.
        assert!(mean.abs() < 0.003 * 0.066, "{mean}");
        assert!((square.sqrt() / 0.003 - 1.0).abs() < 0.047, "{square}");
    }

    #[test]
    fn the_seed_decides() {
        let roughened = |seed| {
            let mut mesh = sheet();
            roughen(&mut mesh, 0.01, seed);
            mesh.positions
        };
        assert_eq!(roughened(1), roughened(1));
        assert_ne!(roughened(1), roughened(2));
    }
}
