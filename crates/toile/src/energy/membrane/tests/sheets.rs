//! Whole sheets: uniform strain has the energy that paper and pencil give it, on every mesh.

use super::*;
use crate::energy::Fabric;
use crate::mesh::Mesh;
use crate::mesh::generate::{Diagonals, Grid, GridPattern, Planar, grid, planar};
use glam::DVec2;

/// Sheets of 1.2 m by 0.8 m.
fn sheets() -> Vec<Mesh> {
    let regular = |pattern| {
        grid(&Grid {
            size: [1.2, 0.8],
            cells: [6, 5],
            pattern,
        })
        .unwrap()
    };
    let mut skewed = regular(GridPattern::Quads);
    let mut dice = Dice(21);
    for p in &mut skewed.positions {
        let inside = p.x.abs() < 0.599 && p.y.abs() < 0.399;
        *p += if inside {
            0.04 * dice.vector() * DVec3::new(1.0, 1.0, 0.0)
        } else {
            DVec3::ZERO
        };
    }
    let irregular = planar(&Planar {
        outline: [[-0.6, -0.4], [0.6, -0.4], [0.6, 0.4], [-0.6, 0.4]]
            .map(DVec2::from)
            .to_vec(),
        holes: vec![],
        nodes: 60,
        seed: 5,
    })
    .unwrap();
    vec![
        regular(GridPattern::Quads),
        regular(GridPattern::Triangles(Diagonals::Alternating)),
        skewed,
        irregular,
    ]
}

/// Energy of a sheet whose warp runs along a direction, mapped by `w_u = m·(warp)`, `w_v = m·(weft)`.
fn energy(mesh: &Mesh, law: &MembraneLaw, angle: f64, map: impl Fn(DVec3) -> DVec3) -> f64 {
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    let mut rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
    let warp = DVec3::new(angle.cos(), angle.sin(), 0.0);
    rest.align_warp(&topology, &mesh.positions, Warp::Direction(warp))
        .unwrap();
    let moved: Vec<DVec3> = mesh.positions.iter().map(|p| map(*p)).collect();
    let triangles = MembraneBatch::triangles(&topology, &rest, 0, law.clone()).unwrap();
    let quads = MembraneBatch::quads(&topology, &rest, 0, law.clone()).unwrap();
    assert_eq!(triangles.count() + quads.count(), topology.faces.len());
    let at = |n: u32| moved[n as usize];
    let first: f64 = (0..triangles.count())
        .map(|e| triangles.value(e, &triangles.nodes(e).map(at)))
        .sum();
    let second: f64 = (0..quads.count())
        .map(|e| quads.value(e, &quads.nodes(e).map(at)))
        .sum();
    first + second
}

#[test]
fn uniform_strain_stores_the_analytic_energy_on_every_mesh() {
    let area = 0.96;
    let material = baraff_witkin(Hessian::Projected, 0.0);
    let (warp_stretch, weft_stretch, lean) = (1.07, 0.94, 0.2f64);
    let turn = DQuat::from_rotation_arc(DVec3::Z, DVec3::new(0.3, -0.5, 0.6).normalize());
    // By hand: |w_u| = 1.07, |w_v| = 0.94, and the angle between them is 0.2 rad off the right one.
    let dot = warp_stretch * weft_stretch * lean.sin();
    let smooth = 0.5
        * (120.0 * (1.07f64 - 1.0).powi(2) + 70.0 * (0.94f64 - 0.97).powi(2) + 25.0 * dot * dot);
    let fabric = Fabric::named("wool").unwrap();
    let measured = fabric.tensile_warp.at(0.07).integral
        + fabric.tensile_weft.at(-0.06).integral
        + fabric.shear.at(0.2).integral;
    let laws = [
        (MembraneLaw::BaraffWitkin(material), smooth),
        (MembraneLaw::Kawabata(Kawabata::new(&fabric)), measured),
    ];
    for mesh in sheets() {
        for angle in [0.0, 0.6, 2.0] {
            let (s, c) = f64::sin_cos(angle);
            let map = |p: DVec3| {
                let (along, across) = (c * p.x + s * p.y, c * p.y - s * p.x);
                let w_u = DVec3::X * warp_stretch;
                let w_v = DVec3::new(lean.sin(), lean.cos(), 0.0) * weft_stretch;
                turn * (w_u * along + w_v * across)
            };
            for (law, density) in &laws {
                let found = energy(&mesh, law, angle, map);
                let expected = area * density;
                assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
            }
        }
    }
}

#[test]
fn nodes_are_numbered_over_the_world_and_faces_over_the_cloth() {
    let mesh = &sheets()[0];
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
    let law = MembraneLaw::BaraffWitkin(BaraffWitkin::default());
    let quads = MembraneBatch::quads(&topology, &rest, 100, law).unwrap();
    assert_eq!(quads.nodes(0), [100, 101, 108, 107]);
    assert_eq!(quads.faces()[3], 3);
}

#[test]
fn impossible_materials_are_refused() {
    let default = BaraffWitkin::default();
    let bad = [
        BaraffWitkin {
            shear: -1.0,
            ..default
        },
        BaraffWitkin {
            stretch: [f64::NAN, 1.0],
            ..default
        },
        BaraffWitkin {
            rest_stretch: [1.0, 0.0],
            ..default
        },
    ];
    let (topology, rest) = one_face(Face::Tri([0, 1, 2]), &TRIANGLE, 0.0);
    for material in bad {
        let law = MembraneLaw::BaraffWitkin(material);
        assert!(MembraneBatch::triangles(&topology, &rest, 0, law).is_err());
    }
    let law = MembraneLaw::Kawabata(Kawabata {
        shear_damping: -1.0,
        ..kawabata(Hessian::Exact, 0.0)
    });
    let error = MembraneBatch::triangles(&topology, &rest, 0, law).unwrap_err();
    assert!(error.to_string().contains("shear_damping"));
}
