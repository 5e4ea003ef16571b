//! Bent sheets on which energies are measured.

use crate::energy::Elements;
use crate::mesh::generate::{Diagonals, Grid, GridPattern, Planar, grid, planar};
use crate::mesh::{Mesh, RestShape, Topology};
use glam::{DVec2, DVec3};

/// A square sheet of 1 m.
pub(in crate::energy) fn sheet(pattern: Option<GridPattern>, cells: u32) -> Mesh {
    let corner = |x, y| DVec2::new(x, y) * 0.5;
    match pattern {
        Some(pattern) => grid(&Grid {
            size: [1.0; 2],
            cells: [cells; 2],
            pattern,
        }),
        None => planar(&Planar {
            outline: vec![
                corner(-1., -1.),
                corner(1., -1.),
                corner(1., 1.),
                corner(-1., 1.),
            ],
            holes: vec![],
            nodes: cells * cells,
            seed: 7,
        }),
    }
    .unwrap()
}

/// Half the sides of the window in which energies are measured (m).
const WINDOW: DVec2 = DVec2::new(0.3, 0.3);

/// Meshes by name, each with half the sides of a window (m) and the relative error that its energy in there
/// may have.
pub(in crate::energy) fn patterns() -> Vec<(&'static str, Mesh, DVec2, f64)> {
    let hexagons = DVec2::new(12.0 * 0.02, 14.0 * 0.02 * 0.75f64.sqrt());
    let cut = |d| sheet(Some(GridPattern::Triangles(d)), 40);
    vec![
        ("quads", sheet(Some(GridPattern::Quads), 40), WINDOW, 3e-4),
        ("forward", cut(Diagonals::Forward), WINDOW, 3e-4),
        ("alternating", cut(Diagonals::Alternating), WINDOW, 3e-4),
        ("herring-bone", cut(Diagonals::HerringBone), WINDOW, 3e-4),
        ("equilateral", equilateral(), hexagons, 3e-4),
        ("irregular", sheet(None, 40), WINDOW, 1e-2),
    ]
}

/// Equilateral triangles of side 2 cm: a backward-cut grid, sheared.
fn equilateral() -> Mesh {
    let mut mesh = sheet(Some(GridPattern::Triangles(Diagonals::Backward)), 50);
    for p in &mut mesh.positions {
        *p = DVec3::new(p.x + 0.5 * p.y, 0.75f64.sqrt() * p.y, 0.0);
    }
    mesh
}

pub(in crate::energy) fn rest_of(mesh: &Mesh) -> (Topology, RestShape) {
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
    (topology, rest)
}

/// The sheet rolled up without stretch to a cylinder of curvature `κ`, bent in the direction `θ` (rad).
pub(in crate::energy) fn rolled(flat: &[DVec3], curvature: f64, direction: f64) -> Vec<DVec3> {
    let (s, c) = direction.sin_cos();
    let (along, across) = (DVec3::new(c, s, 0.0), DVec3::new(-s, c, 0.0));
    let roll = |p: &DVec3| {
        let angle = curvature * p.dot(along);
        let lifted = (1.0 - angle.cos()) / curvature;
        along * (angle.sin() / curvature) + across * p.dot(across) + DVec3::Z * lifted
    };
    flat.iter().map(roll).collect()
}

/// Energy of the elements whose middle lies in the box `|x| < half.x`, `|y| < half.y` of the flat sheet;
/// those on its sides count half.
pub(in crate::energy) fn energy_inside<const N: usize>(
    elements: &impl Elements<N>,
    flat: &[DVec3],
    bent: &[DVec3],
    half: DVec2,
) -> f64 {
    (0..elements.count())
        .map(|e| {
            let sum: DVec3 = elements.nodes(e).iter().map(|&n| flat[n as usize]).sum();
            let middle = sum / N as f64;
            let share = |gap: f64| (0.5 + 1e9 * gap).clamp(0.0, 1.0);
            let x = elements.nodes(e).map(|n| bent[n as usize]);
            share(half.x - middle.x.abs()) * share(half.y - middle.y.abs()) * elements.value(e, &x)
        })
        .sum()
}
