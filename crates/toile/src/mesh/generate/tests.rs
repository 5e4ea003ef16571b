//! Counts, areas, orientation and patterns of the generators.

use super::*;
use crate::mesh::doctor::{Diagnosis, examine};
use crate::mesh::{RestShape, Topology};
use std::f64::consts::{PI, TAU};

const ALL_PATTERNS: [GridPattern; 5] = [
    GridPattern::Quads,
    GridPattern::Triangles(Diagonals::Forward),
    GridPattern::Triangles(Diagonals::Backward),
    GridPattern::Triangles(Diagonals::Alternating),
    GridPattern::Triangles(Diagonals::HerringBone),
];

/// Nodes, boundary loops and Euler characteristic of a mesh in which the doctor finds nothing.
pub(super) fn healthy(mesh: &Mesh) -> (usize, usize, i64) {
    let Diagnosis {
        findings,
        statistics: s,
    } = examine(mesh);
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(s.components, 1);
    (s.nodes, s.boundary_loops, s.euler_characteristic)
}

fn area(mesh: &Mesh) -> f64 {
    examine(mesh).statistics.area
}

fn volume(mesh: &Mesh) -> f64 {
    let sixth = |[a, b, c]: [DVec3; 3]| a.dot(b.cross(c)) / 6.0;
    let triangles = mesh.faces.iter().flat_map(Face::triangles);
    triangles
        .map(|t| sixth(t.map(|n| mesh.positions[n as usize])))
        .sum()
}

pub(super) fn faces_up(mesh: &Mesh) -> bool {
    let up = |f: &Face| f.vector_area(&mesh.positions).z > 0.0;
    mesh.faces.iter().all(up) && mesh.positions.iter().all(|p| p.z == 0.0)
}

/// Largest relative difference between the pattern and the mesh over all corner distances in a face.
fn pattern_strain(mesh: &Mesh) -> f64 {
    let uvs = mesh.corner_uvs.as_ref().unwrap();
    assert_eq!(uvs.len(), mesh.faces.len());
    let mut worst = 0.0_f64;
    for (face, uv) in mesh.faces.iter().zip(uvs) {
        let corners = face.corners();
        for i in 0..corners.len() {
            for j in 0..i {
                let [p, q] = [i, j].map(|k| mesh.positions[corners[k] as usize]);
                worst = worst.max((uv[i].distance(uv[j]) / p.distance(q) - 1.0).abs());
            }
        }
        assert!((uv[1] - uv[0]).perp_dot(uv[2] - uv[0]) > 0.0, "mirrored");
    }
    worst
}

#[test]
fn a_grid_has_the_promised_nodes_and_faces() {
    let make = |pattern| {
        let (size, cells) = ([3.0, 1.0], [3, 2]);
        grid(&Grid {
            size,
            cells,
            pattern,
        })
        .unwrap()
    };
    let quads = make(GridPattern::Quads);
    assert_eq!(quads.positions[0], DVec3::new(-1.5, -0.5, 0.0));
    assert_eq!(quads.positions[3], DVec3::new(1.5, -0.5, 0.0));
    assert_eq!(quads.positions[11], DVec3::new(1.5, 0.5, 0.0));
    assert_eq!(quads.positions[5].y, 0.0);
    assert_eq!(quads.faces[4], Face::Quad([5, 6, 10, 9]));
    let forward = |mesh: &Mesh| -> Vec<bool> {
        let cells = mesh.faces.chunks(2).enumerate();
        let is_forward = |(c, pair): (usize, &[Face])| {
            let a = (c % 3 + c / 3 * 4) as u32;
            let (b, c, d) = (a + 1, a + 5, a + 4);
            match pair {
                [Face::Tri(t), Face::Tri(u)] if (*t, *u) == ([a, b, c], [a, c, d]) => true,
                [Face::Tri(t), Face::Tri(u)] if (*t, *u) == ([a, b, d], [b, c, d]) => false,
                other => panic!("{other:?}"),
            }
        };
        cells.map(is_forward).collect()
    };
    let of = |d| forward(&make(GridPattern::Triangles(d)));
    assert_eq!(of(Diagonals::Forward), [true; 6]);
    assert_eq!(of(Diagonals::Backward), [false; 6]);
    let t = true;
    assert_eq!(of(Diagonals::Alternating), [t, !t, t, !t, t, !t]);
    assert_eq!(of(Diagonals::HerringBone), [t, t, t, !t, !t, !t]);
}

#[test]
fn grids_of_all_patterns_are_healthy_and_exact() {
    for pattern in ALL_PATTERNS {
        let mesh = grid(&Grid {
            size: [2.0, 0.5],
            cells: [8, 3],
            pattern,
        })
        .unwrap();
        assert_eq!(healthy(&mesh), (36, 1, 1));
        assert!(faces_up(&mesh));
        assert!((area(&mesh) - 1.0).abs() < 1e-14);
        assert_eq!(pattern_strain(&mesh), 0.0);
    }
}

#[test]
fn rings_have_two_rims_and_converge_to_the_area() {
    for pattern in ALL_PATTERNS {
        let make = |around| {
            ring(&Ring {
                inner_radius: 0.5,
                outer_radius: 1.0,
                cells: [around, 4],
                pattern,
            })
            .unwrap()
        };
        let mesh = make(24);
        assert_eq!(healthy(&mesh), (24 * 5, 2, 0));
        assert!(faces_up(&mesh));
        assert_eq!(pattern_strain(&mesh), 0.0);
        assert!((mesh.positions[0] - DVec3::X).length() < 1e-15);
        let error = |around| (area(&make(around)) - PI * 0.75).abs();
        assert!((error(24) / error(48) - 4.0).abs() < 0.1);
    }
}

#[test]
fn tubes_and_skirts_are_healthy_and_roll_out_without_strain() {
    for pattern in ALL_PATTERNS {
        for top_radius in [None, Some(0.25), Some(0.9), Some(0.5 + 1e-13)] {
            let mesh = tube(&Tube {
                radius: 0.5,
                top_radius,
                height: 2.0,
                cells: [16, 6],
                pattern,
            })
            .unwrap();
            assert_eq!(healthy(&mesh), (16 * 7, 2, 0));
            let outwards = |f: &Face| {
                let middle = mesh.positions[f.corners()[0] as usize].with_z(0.0);
                f.vector_area(&mesh.positions).dot(middle) > 0.0
            };
            assert!(mesh.faces.iter().all(outwards));
            assert!(pattern_strain(&mesh) < 1e-12, "{}", pattern_strain(&mesh));
        }
    }
}

#[test]
fn the_pattern_of_a_tube_is_one_rectangle_and_gives_its_rest_shape() {
    let mesh = tube(&Tube {
        radius: 0.5,
        top_radius: None,
        height: 2.0,
        cells: [200, 4],
        pattern: GridPattern::Quads,
    })
    .unwrap();
    let corners = mesh.corner_uvs.as_ref().unwrap().iter().flatten();
    let far = corners.fold(DVec2::ZERO, |far, &uv| far.max(uv));
    assert!((far.x - TAU * 0.5).abs() < 1e-3 && far.y == 2.0);
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    let rolled = RestShape::from_uvs(&topology, &mesh, 1.0).unwrap();
    let round = RestShape::from_positions(&topology, &mesh.positions).unwrap();
    assert!((rolled.total_area() - round.total_area()).abs() < 1e-12);
}

#[test]
fn spheres_are_closed_face_outwards_and_converge() {
    let patterns = |n: u32| {
        [
            (
                SpherePattern::Icosphere { subdivisions: n },
                10 * 4_usize.pow(n) + 2,
            ),
            (
                SpherePattern::Latitude {
                    around: 12 * n,
                    rings: 6 * n,
                },
                (12 * n * (6 * n - 1) + 2) as usize,
            ),
            (
                SpherePattern::Cube { cells: 4 * n },
                (6 * 16 * n * n + 2) as usize,
            ),
        ]
    };
    let make = |pattern| {
        sphere(&Sphere {
            radius: 0.5,
            pattern,
        })
        .unwrap()
    };
    for (coarse, fine) in patterns(2).into_iter().zip(patterns(4)) {
        for (pattern, nodes) in [coarse, fine] {
            let mesh = make(pattern);
            assert_eq!(healthy(&mesh), (nodes, 0, 2), "{pattern:?}");
            let on_sphere = |p: &DVec3| (p.length() - 0.5).abs() < 1e-15;
            assert!(mesh.positions.iter().all(on_sphere));
        }
        let missing = |pattern| {
            let mesh = make(pattern);
            [PI - area(&mesh), PI / 6.0 - volume(&mesh)]
        };
        let (before, after) = (missing(coarse.0), missing(fine.0));
        for k in 0..2 {
            assert!(after[k] > 0.0 && after[k] < 0.3 * before[k]);
        }
    }
    let cube = make(SpherePattern::Cube { cells: 5 });
    assert_eq!(cube.quad_count(), cube.faces.len());
}

#[test]
fn bodies_are_closed_with_the_right_volume() {
    let half_extents = [1.0, 2.0, 0.5];
    for cells in [[1, 1, 1], [3, 2, 4], [1, 5, 2]] {
        let mesh = cuboid(&Cuboid {
            half_extents,
            cells,
        })
        .unwrap();
        let [x, y, z] = cells.map(|n| n as usize);
        let nodes = (x + 1) * (y + 1) * (z + 1) - (x - 1) * (y - 1) * (z - 1);
        assert_eq!(healthy(&mesh), (nodes, 0, 2));
        assert!((volume(&mesh) - 8.0).abs() < 1e-12);
        assert!((area(&mesh) - 28.0).abs() < 1e-12);
    }
    let can = cylinder(&Cylinder {
        radius: 0.5,
        height: 2.0,
        cells: [256, 3],
    })
    .unwrap();
    assert_eq!(healthy(&can), (256 * 4 + 2, 0, 2));
    assert!((volume(&can) / (PI * 0.5) - 1.0).abs() < 2e-4);
    for dome in [1, 40] {
        let pill = capsule(&Capsule {
            radius: 0.5,
            height: 2.0,
            cells: [80, 3, dome],
        })
        .unwrap();
        assert_eq!(
            healthy(&pill),
            (80 * (4 + 2 * (dome as usize - 1)) + 2, 0, 2)
        );
        let top = pill.positions.last().unwrap();
        assert_eq!(*top, DVec3::new(0.0, 0.0, 1.5));
        if dome == 40 {
            let exact = PI * 0.5 + PI / 6.0;
            assert!((volume(&pill) / exact - 1.0).abs() < 2e-3);
        }
    }
}

#[test]
fn discs_have_about_the_wanted_nodes_and_converge() {
    for pattern in [DiscPattern::Rings, DiscPattern::Irregular { seed: 3 }] {
        for nodes in [7, 50, 200, 1000] {
            let mesh = disc(&Disc {
                radius: 0.5,
                nodes,
                pattern,
            })
            .unwrap();
            let (count, loops, euler) = healthy(&mesh);
            assert_eq!((loops, euler), (1, 1));
            assert!((count as f64 / f64::from(nodes) - 1.0).abs() <= 0.05);
            assert!(faces_up(&mesh));
            assert_eq!(pattern_strain(&mesh), 0.0);
            let missing = PI / 4.0 - area(&mesh);
            assert!(missing > 0.0 && missing < 1.5 / f64::from(nodes));
        }
    }
}

#[test]
fn a_disc_of_squares_is_whole_and_has_no_slivers() {
    for nodes in (7..400).chain([3000]) {
        let mesh = disc(&Disc {
            radius: 0.5,
            nodes,
            pattern: DiscPattern::Squares,
        })
        .unwrap();
        let (count, loops, euler) = healthy(&mesh);
        assert_eq!((loops, euler), (1, 1), "{nodes}");
        let off = (count as f64 / f64::from(nodes) - 1.0).abs();
        assert!(off < 3.0 / f64::from(nodes).sqrt(), "{nodes}: {count}");
        assert!(faces_up(&mesh));
        assert_eq!(pattern_strain(&mesh), 0.0);
        let missing = PI / 4.0 - area(&mesh);
        assert!(missing > 0.0 && missing < 3.0 / f64::from(nodes), "{nodes}");
        let smallest = examine(&mesh).statistics.smallest_angle;
        assert!(smallest > 18f64.to_radians(), "{nodes}: {smallest}");
    }
}

#[test]
fn bad_parameters_are_refused_by_name() {
    let message = |result: Result<Mesh, GenerateError>| result.unwrap_err().to_string();
    let pattern = GridPattern::Quads;
    let sheet = |size, cells| {
        message(grid(&Grid {
            size,
            cells,
            pattern,
        }))
    };
    assert_eq!(
        sheet([1.0, -2.0], [1, 1]),
        "`size[1]` is -2; it must be a finite number of metres above 0"
    );
    assert!(sheet([f64::NAN, 1.0], [1, 1]).starts_with("`size[0]` is NaN"));
    assert_eq!(
        sheet([1.0, 1.0], [0, 1]),
        "`cells[0]` is 0; it must be 1 or more"
    );
    assert!(sheet([1.0, 1.0], [u32::MAX, u32::MAX]).contains("lower `cells`"));
    let round = |radius, nodes| {
        let pattern = DiscPattern::Rings;
        message(disc(&Disc {
            radius,
            nodes,
            pattern,
        }))
    };
    assert!(round(0.0, 100).starts_with("`radius`"));
    assert!(round(1.0, 3).starts_with("`nodes`"));
    assert!(round(1.0, u32::MAX).contains("lower `nodes`"));
    let annulus = Ring {
        inner_radius: 1.0,
        outer_radius: 0.5,
        cells: [8, 1],
        pattern,
    };
    assert!(message(ring(&annulus)).contains("above `inner_radius`"));
    let pipe = Tube {
        radius: 1.0,
        top_radius: Some(0.0),
        height: 1.0,
        cells: [8, 1],
        pattern,
    };
    assert!(message(tube(&pipe)).starts_with("`top_radius`"));
    let ball = |pattern| {
        let radius = 1.0;
        message(sphere(&Sphere { radius, pattern }))
    };
    assert!(ball(SpherePattern::Icosphere { subdivisions: 40 }).contains("11 or less"));
    assert!(ball(SpherePattern::Cube { cells: u32::MAX }).contains("lower `cells`"));
    let tile = Planar {
        outline: [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y].to_vec(),
        holes: Vec::new(),
        nodes: 3,
        seed: 0,
    };
    assert_eq!(message(planar(&tile)), "`nodes` is 3; it must be 4 or more");
}
