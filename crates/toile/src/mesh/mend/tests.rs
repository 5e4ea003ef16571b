use super::*;
use crate::mesh::Topology;
use crate::mesh::doctor::examine;
use crate::mesh::generate::{self, Diagonals, Grid, GridPattern, Sphere, SpherePattern};
use glam::DVec3;
use proptest::prelude::*;

fn grid(cells: [u32; 2], pattern: GridPattern) -> Mesh {
    generate::grid(&Grid {
        size: [1.0, 0.7],
        cells,
        pattern,
    })
    .unwrap()
}

fn sphere() -> Mesh {
    generate::sphere(&Sphere {
        radius: 0.3,
        pattern: SpherePattern::Icosphere { subdivisions: 2 },
    })
    .unwrap()
}

/// The mesh with a node of its own for every corner, as some programs export them.
fn exploded(mesh: &Mesh) -> Mesh {
    let mut loose = Mesh {
        corner_uvs: mesh.corner_uvs.clone(),
        ..Mesh::default()
    };
    for face in &mesh.faces {
        let first = loose.positions.len() as u32;
        let corners = face.corners().iter().map(|&n| mesh.positions[n as usize]);
        loose.positions.extend(corners);
        loose.faces.push(match face {
            Face::Tri(_) => Face::Tri([first, first + 1, first + 2]),
            Face::Quad(_) => Face::Quad([first, first + 1, first + 2, first + 3]),
        });
    }
    loose
}

fn euler(mesh: &Mesh) -> i64 {
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    mesh.positions.len() as i64 - topology.edges.len() as i64 + mesh.faces.len() as i64
}

proptest! {
    #[test]
    fn welding_twice_is_welding_once(
        places in proptest::collection::vec(proptest::array::uniform3(0.0..1.0_f64), 3..60),
        corners in proptest::collection::vec(proptest::array::uniform3(0..1000_u32), 1..60),
        tolerance in 0.0..0.3_f64,
    ) {
        let count = places.len() as u32;
        let faces = corners.iter().map(|c| Face::Tri(c.map(|n| n % count)));
        let mut mesh = Mesh::new(places.into_iter().map(DVec3::from_array).collect(), faces.collect());
        weld(&mut mesh, tolerance);
        let once = mesh.clone();
        prop_assert_eq!(weld(&mut mesh, tolerance), Welded::default());
        prop_assert_eq!(mesh, once);
    }

    /// Whatever comes in, what comes out is a surface or says that it is none, and the doctor finds no other error.
    #[test]
    fn a_mended_mesh_is_a_surface(
        places in proptest::collection::vec(proptest::array::uniform3(0..5_i32), 3..25),
        corners in proptest::collection::vec((proptest::array::uniform4(0..27_u32), any::<bool>()), 1..60),
    ) {
        let spots: Vec<DVec3> = places.iter().map(|p| DVec3::from_array(p.map(f64::from)) * 0.1).collect();
        let faces = corners.iter().map(|(c, quad)| match quad {
            true => Face::Quad(*c),
            false => Face::Tri([c[0], c[1], c[2]]),
        });
        let mut mesh = Mesh::new(spots, faces.collect());
        let done = mend(&mut mesh, 1e-9);
        if mesh.faces.is_empty() || done.crowded_left > 0 || done.one_sided > 0 {
            return Ok(());
        }
        prop_assert!(Topology::new(mesh.positions.len(), mesh.faces.clone()).is_ok());
        let diagnosis = examine(&mesh);
        prop_assert!(diagnosis.is_usable(), "{}", diagnosis);
    }
}

#[test]
fn corners_with_nodes_of_their_own_become_a_sheet_again() {
    for pattern in [
        GridPattern::Quads,
        GridPattern::Triangles(Diagonals::Alternating),
    ] {
        let sheet = grid([6, 4], pattern);
        let mut mesh = exploded(&sheet);
        let done = mend(&mut mesh, 1e-9);
        assert_eq!(
            done.welded,
            exploded(&sheet).positions.len() - sheet.positions.len()
        );
        assert!(examine(&mesh).is_clean(), "{}", examine(&mesh));
        assert_eq!(mesh.faces.len(), sheet.faces.len());
        assert_eq!(
            mesh.corner_uvs, sheet.corner_uvs,
            "texture coordinates go with their corners"
        );
        assert!(mend(&mut mesh, 1e-9).is_nothing());
    }
}

#[test]
fn every_fault_is_mended_and_named() {
    let mut mesh = grid([4, 4], GridPattern::Quads);
    let faces = mesh.faces.len();
    mesh.faces.push(mesh.faces[3].reversed());
    mesh.faces.push(Face::Tri([0, 1, 1]));
    mesh.faces.push(Face::Tri([0, 1, 99_999]));
    mesh.faces.push(Face::Tri([0, 1, 2]));
    mesh.faces[0] = mesh.faces[0].reversed();
    mesh.positions.push(DVec3::new(9.0, 9.0, 9.0));
    mesh.corner_uvs = None;
    let done = mend(&mut mesh, 1e-9);
    let expected = Mended {
        broken: 2,
        duplicates: 1,
        degenerate: 1,
        turned: 1,
        unused: 1,
        ..Mended::default()
    };
    assert_eq!(done, expected);
    assert_eq!(mesh.faces.len(), faces);
    assert!(examine(&mesh).is_clean(), "{}", examine(&mesh));
    let text = done.to_string();
    assert!(
        text.contains("1 faces turned round") && text.lines().count() == 5,
        "{text}"
    );
}

#[test]
fn a_node_on_a_longest_side_leaves_no_gap() {
    // The triangle 0 2 1 has no area: node 1 lies on the side that 0 2 3 has below.
    let positions = [[0.0, 0.0], [0.4, 0.0], [1.0, 0.0], [0.5, -1.0], [0.5, 1.0]];
    let positions = positions.map(|[x, y]| DVec3::new(x, y, 0.0)).to_vec();
    let faces = vec![
        Face::Tri([0, 1, 4]),
        Face::Tri([1, 2, 4]),
        Face::Tri([0, 2, 1]),
        Face::Tri([0, 3, 2]),
    ];
    let mut mesh = Mesh::new(positions, faces);
    mesh.corner_uvs = Some(
        mesh.faces
            .iter()
            .map(|f| {
                let at = |k: usize| {
                    mesh.positions[f.corners()[k % f.corners().len()] as usize].truncate()
                };
                [at(0), at(1), at(2), DVec2::ZERO]
            })
            .collect(),
    );
    mend(&mut mesh, 1e-9);
    assert!(examine(&mesh).is_clean(), "{}", examine(&mesh));
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
    assert_eq!(
        topology.boundary_loops,
        [vec![0, 3, 2, 4]],
        "the sheet has one rim and no slit"
    );
    for (face, uvs) in mesh.faces.iter().zip(mesh.corner_uvs.as_ref().unwrap()) {
        for (&node, uv) in face.corners().iter().zip(uvs) {
            assert!(uv.distance(mesh.positions[node as usize].truncate()) < 1e-12);
        }
    }
}

#[test]
fn parts_that_meet_in_a_point_and_at_an_edge_are_taken_apart() {
    // Two triangles that share a node.
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let points = vec![
        DVec3::ZERO,
        at(1.0, 0.0, 0.0),
        at(1.0, 1.0, 0.0),
        at(-1.0, 0.0, 0.0),
        at(-1.0, -1.0, 0.0),
    ];
    let mut bow = Mesh::new(points, vec![Face::Tri([0, 1, 2]), Face::Tri([0, 3, 4])]);
    assert_eq!(mend(&mut bow, 1e-9).split, 1);
    assert_eq!(bow.positions.len(), 6);
    // A fin on a flat sheet: the sheet stays whole.
    let points = vec![
        at(0.0, 0.0, 0.0),
        at(0.0, 1.0, 0.0),
        at(1.0, 0.5, 0.0),
        at(-1.0, 0.5, 0.1),
        at(0.1, 0.5, 1.0),
    ];
    let faces = vec![
        Face::Tri([1, 0, 2]),
        Face::Tri([0, 1, 4]),
        Face::Tri([0, 1, 3]),
    ];
    let mut fin = Mesh::new(points, faces);
    let done = mend(&mut fin, 1e-9);
    assert_eq!((done.split, done.crowded_left), (2, 0));
    let sheet = [fin.faces[0], fin.faces[2]];
    assert!(
        sheet
            .iter()
            .all(|f| f.corners().contains(&0) && f.corners().contains(&1))
    );
    assert!(examine(&fin).is_usable());
}

#[test]
fn a_closed_surface_shows_its_front_outside() {
    let mut ball = sphere();
    let turned = |k: usize| (k * 7919) % 5 < 3;
    for (k, face) in ball
        .faces
        .iter_mut()
        .enumerate()
        .filter(|(k, _)| turned(*k))
    {
        let _ = k;
        *face = face.reversed();
    }
    let wrong = (0..ball.faces.len()).filter(|&k| turned(k)).count();
    let oriented = orient(&mut ball);
    assert_eq!(
        oriented,
        Oriented {
            turned: wrong,
            one_sided: 0
        }
    );
    assert_eq!(ball.faces, sphere().faces);
}

#[test]
fn a_moebius_strip_is_told_apart() {
    let count = 12;
    let place = |k: u32, side: f64| {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(count);
        let (sin, cos) = angle.sin_cos();
        let (tilt_sin, tilt_cos) = (0.5 * angle).sin_cos();
        let radius = 1.0 + 0.2 * side * tilt_cos;
        DVec3::new(radius * cos, radius * sin, 0.2 * side * tilt_sin)
    };
    let positions = (0..count)
        .flat_map(|k| [place(k, -1.0), place(k, 1.0)])
        .collect();
    let faces = (0..count).map(|k| {
        let (a, b) = (2 * k, 2 * k + 1);
        match k + 1 < count {
            true => Face::Quad([a, a + 2, b + 2, b]),
            // After one turn top and bottom have changed places.
            false => Face::Quad([a, 1, 0, b]),
        }
    });
    let mut strip = Mesh::new(positions, faces.collect());
    assert_eq!(orient(&mut strip).one_sided, 1);
}

#[test]
fn quads_are_cut_with_their_texture_coordinates() {
    let mut mesh = grid([5, 3], GridPattern::Quads);
    let area = |m: &Mesh| -> f64 { m.faces.iter().map(|f| f.vector_area(&m.positions).z).sum() };
    let before = area(&mesh);
    assert_eq!(triangulate(&mut mesh), 15);
    assert_eq!((mesh.faces.len(), mesh.quad_count()), (30, 0));
    assert!((area(&mesh) - before).abs() < 1e-12);
    assert_eq!(euler(&mesh), 1);
    for (face, uvs) in mesh.faces.iter().zip(mesh.corner_uvs.as_ref().unwrap()) {
        for (&node, uv) in face.corners().iter().zip(uvs) {
            assert_eq!(*uv, mesh.positions[node as usize].truncate());
        }
    }
}
