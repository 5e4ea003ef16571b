use super::*;
use crate::mesh::Face;
use crate::mesh::doctor::examine;
use crate::mesh::generate::{
    self, Cuboid, Disc, DiscPattern, Grid, GridPattern, Sphere, SpherePattern, Tube,
};
use glam::{DVec2, DVec3};
use proptest::prelude::*;

fn area(mesh: &Mesh) -> f64 {
    let triangles = mesh.faces.iter().flat_map(|f| f.triangles());
    triangles
        .map(|t| Face::Tri(t).vector_area(&mesh.positions).length())
        .sum()
}

fn topology(mesh: &Mesh) -> Topology {
    Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap()
}

fn euler(mesh: &Mesh) -> i64 {
    mesh.positions.len() as i64 - topology(mesh).edges.len() as i64 + mesh.faces.len() as i64
}

/// Mean length of the edges, and the share of them within half and one and a half of the wanted length.
fn lengths(mesh: &Mesh, wanted: f64) -> (f64, f64) {
    let edges = topology(mesh).edges;
    let at = |n: u32| mesh.positions[n as usize];
    let lengths = edges
        .iter()
        .map(|e| at(e.nodes[0]).distance(at(e.nodes[1])));
    let near = lengths
        .clone()
        .filter(|l| (0.5 * wanted..=1.5 * wanted).contains(l))
        .count();
    let count = edges.len() as f64;
    (lengths.sum::<f64>() / count, near as f64 / count)
}

/// What holds for every mesh that was laid anew.
fn assert_alike(before: &Mesh, after: &Mesh, length: f64, area_error: f64) {
    let diagnosis = examine(after);
    assert!(diagnosis.is_usable(), "{diagnosis}");
    assert_eq!(euler(after), euler(before), "holes and handles stay");
    assert_eq!(
        topology(after).boundary_loops.len(),
        topology(before).boundary_loops.len()
    );
    let ratio = area(after) / area(before);
    assert!((ratio - 1.0).abs() < area_error, "area {ratio}");
    let (mean, near) = lengths(after, length);
    assert!(
        (0.8..1.2).contains(&(mean / length)),
        "mean edge {mean}, wanted {length}"
    );
    // Inside the length can be had; along a rim it goes by what is between two corners, and a fifth may miss.
    let all = topology(after);
    let count = all.edges.len() as f64;
    let rim = all.boundary_loops.iter().map(|l| l.len()).sum::<usize>() as f64;
    let others = (1.0 - near) * count;
    assert!(
        others < 0.5 + 0.03 * (count - rim) + 0.2 * rim,
        "{others} of {count} edges, {rim} of them at the rim, are not near the length"
    );
    // One of some hundred sheets that are a few edges wide has a triangle of 10°.
    let slender = diagnosis.statistics.smallest_angle;
    assert!(slender > 0.1, "smallest angle {slender}");
}

fn grid(cells: [u32; 2]) -> Mesh {
    generate::grid(&Grid {
        size: [1.0, 0.6],
        cells,
        pattern: GridPattern::Quads,
    })
    .unwrap()
}

fn ball(subdivisions: u32) -> Mesh {
    generate::sphere(&Sphere {
        radius: 0.5,
        pattern: SpherePattern::Icosphere { subdivisions },
    })
    .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn a_sheet_keeps_its_rim_its_area_and_its_texture(cells in 2..20_u32, length in 0.03..0.15_f64) {
        let sheet = grid([cells, 3]);
        let fine = remesh(&sheet, &RemeshSettings::with_length(length)).unwrap();
        assert_alike(&sheet, &fine, length, 1e-9);
        // The texture is the sheet itself, and stays so.
        for (face, uvs) in fine.faces.iter().zip(fine.corner_uvs.as_ref().unwrap()) {
            for (&node, uv) in face.corners().iter().zip(uvs) {
                prop_assert!(uv.distance(fine.positions[node as usize].truncate()) < 1e-9);
            }
        }
    }
}

#[test]
fn a_ball_stays_round_when_it_gets_coarser_or_finer() {
    for (subdivisions, length) in [(4, 0.1), (3, 0.05)] {
        let before = ball(subdivisions);
        let after = remesh(&before, &RemeshSettings::with_length(length)).unwrap();
        assert_alike(&before, &after, length, 0.02);
        let off = |p: &DVec3| (p.length() - 0.5).abs();
        assert!(after.positions.iter().all(|p| off(p) < 0.01));
    }
}

#[test]
fn a_disc_and_a_tube_keep_their_rims() {
    let disc = generate::disc(&Disc {
        radius: 0.5,
        nodes: 2000,
        pattern: DiscPattern::Irregular { seed: 1 },
    });
    let disc = disc.unwrap();
    let after = remesh(&disc, &RemeshSettings::with_length(0.05)).unwrap();
    assert_alike(&disc, &after, 0.05, 0.01);
    let tube = generate::tube(&Tube {
        radius: 0.3,
        top_radius: None,
        height: 0.8,
        cells: [40, 10],
        pattern: GridPattern::Quads,
    });
    let tube = tube.unwrap();
    let after = remesh(&tube, &RemeshSettings::with_length(0.04)).unwrap();
    assert_alike(&tube, &after, 0.04, 0.01);
    // The seam of its texture is a line from end to end, and both sides of it are still in the pattern.
    let width = |mesh: &Mesh| {
        let uvs = mesh.corner_uvs.as_ref().unwrap().iter();
        let all: Vec<DVec2> = uvs.flat_map(|uvs| uvs[..3].to_vec()).collect();
        let low = all.iter().copied().reduce(DVec2::min).unwrap();
        let high = all.iter().copied().reduce(DVec2::max).unwrap();
        high - low
    };
    let mut cut = tube.clone();
    triangulate(&mut cut);
    assert!(width(&after).distance(width(&cut)) < 1e-9);
    let pattern_area: f64 = after
        .corner_uvs
        .as_ref()
        .unwrap()
        .iter()
        .map(|uvs| 0.5 * (uvs[1] - uvs[0]).perp_dot(uvs[2] - uvs[0]))
        .sum();
    let ratio = pattern_area / area(&tube);
    assert!(
        (ratio - 1.0).abs() < 0.01,
        "the pattern has {ratio} of its area"
    );
}

#[test]
fn a_box_keeps_its_edges() {
    let before = generate::cuboid(&Cuboid {
        half_extents: [0.3, 0.2, 0.1],
        cells: [3, 2, 1],
    });
    let before = before.unwrap();
    let after = remesh(&before, &RemeshSettings::with_length(0.03)).unwrap();
    assert_alike(&before, &after, 0.03, 1e-9);
    for corner in 0..8 {
        let sign = |k: u32| if corner >> k & 1 == 0 { -1.0 } else { 1.0 };
        let corner = DVec3::new(0.3 * sign(0), 0.2 * sign(1), 0.1 * sign(2));
        assert!(after.positions.iter().any(|p| p.distance(corner) < 1e-12));
    }
}

#[test]
fn colours_are_carried_along() {
    let mut sheet = grid([10, 6]);
    let shade = |p: &DVec3| [(p.x + 0.5) as f32, (p.y + 0.3) as f32, 0.5];
    sheet.node_colors = Some(sheet.positions.iter().map(shade).collect());
    let after = remesh(
        &sheet,
        &RemeshSettings {
            rounds: 1,
            ..RemeshSettings::with_length(0.03)
        },
    )
    .unwrap();
    let colors = after.node_colors.unwrap();
    assert_eq!(colors.len(), after.positions.len());
    let off = after
        .positions
        .iter()
        .zip(&colors)
        .map(|(p, c)| (shade(p)[0] - c[0]).abs());
    // Smoothing moves nodes by less than an edge, and leaves their colours.
    assert!(off.fold(0.0, f32::max) < 0.03);
}

#[test]
fn what_is_no_surface_is_refused() {
    let settings = RemeshSettings::with_length(0.1);
    let mut mesh = grid([2, 2]);
    mesh.faces[0] = mesh.faces[0].reversed();
    let error = remesh(&mesh, &settings).unwrap_err();
    assert!(error.to_string().contains("mend the mesh first"), "{error}");
    let error = remesh(&grid([2, 2]), &RemeshSettings::with_length(0.0)).unwrap_err();
    assert_eq!(error, RemeshError::Length { length: 0.0 });
    let error = remesh(&grid([2, 2]), &RemeshSettings::with_length(1e-5)).unwrap_err();
    assert!(matches!(error, RemeshError::TooMany { .. }), "{error}");
}
