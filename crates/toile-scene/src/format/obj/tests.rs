use super::*;

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

fn read(text: impl AsRef<[u8]>) -> Mesh {
    read_obj(text.as_ref()).unwrap()
}

/// Reading must fail at a line and column, with a message that contains `part`.
fn assert_error(text: impl AsRef<[u8]>, line: u64, column: u64, part: &str) {
    let error = read_obj(text.as_ref()).unwrap_err();
    assert_eq!(error.place(), Some(Place::Text { line, column }), "{error}");
    assert!(error.to_string().contains(part), "{error}");
}

#[test]
fn quads_and_triangles_stay_what_they_are() {
    let mesh = read(format!("{SQUARE}f 1 2 3 4\nf 1 2 3\n"));
    assert_eq!(mesh.faces, [Face::Quad([0, 1, 2, 3]), Face::Tri([0, 1, 2])]);
    assert_eq!(mesh.positions[2], DVec3::new(1.0, 1.0, 0.0));
    assert_eq!(mesh.corner_uvs, None);
}

#[test]
fn all_forms_of_corners_are_read() {
    let uvs = "vt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\n";
    for (face, has_uvs) in [
        ("f 1 2 3", false),
        ("f 1//1 2//1 3//1", false),
        ("f 1/1 2/2 3/3", true),
        ("f 1/1/1 2/2/1 3/3/1", true),
        ("f -4/-3/-1 -3/-2/-1 -2/-1/-1", true),
        ("\tf  1/1\t2/2  3/3  # the first", true),
    ] {
        let mesh = read(format!("{SQUARE}{uvs}{face}\n"));
        assert_eq!(mesh.faces, [Face::Tri([0, 1, 2])], "{face}");
        let expected = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::ZERO];
        assert_eq!(mesh.corner_uvs, has_uvs.then(|| vec![expected]), "{face}");
    }
}

#[test]
fn negative_indices_count_from_the_vertices_read_so_far() {
    let mesh = read("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 5 5\nf -1 1 2\n");
    assert_eq!(mesh.faces, [Face::Tri([0, 1, 2]), Face::Tri([3, 0, 1])]);
}

#[test]
fn faces_may_come_before_their_vertices() {
    let mesh = read(format!("f 1/3 2/2 3/1\n{SQUARE}vt 1 1\nvt 1 0\nvt 0 0\n"));
    let expected = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::ZERO];
    assert_eq!(mesh.corner_uvs, Some(vec![expected]));
}

#[test]
fn other_keywords_weights_colours_comments_and_line_ends_are_no_trouble() {
    let text = b"\xEF\xBB\xBF# caf\xE9 \\\r\nmtllib a b.mtl\r\no Hemd\xC3\xA4rmel\r\n\r\nv 0 0 0 1\r\n\
        v 1 0 0 0.5 0.5 0.5\r\nv 0 1e0 -0 # caf\xE9\r\nvn 0 0 1\r\ng\r\ns off\r\nusemtl x\r\nf 1 2\\\r\n 3\r\nl 1 2";
    let mesh = read(text);
    assert_eq!(mesh.positions[2].y, 1.0);
    assert_eq!(mesh.faces, [Face::Tri([0, 1, 2])]);
}

#[test]
fn a_texture_coordinate_may_have_one_or_three_numbers() {
    let mesh = read(format!("{SQUARE}vt 0.5\nvt 1 0 0\nf 1/1 2/2 3/2\n"));
    let uvs = mesh.corner_uvs.unwrap();
    assert_eq!(uvs[0][..2], [DVec2::new(0.5, 0.0), DVec2::X]);
}

#[test]
fn polygons_are_cut_with_their_texture_coordinates() {
    // An L: only some triangles of its six corners lie inside. Its texture is its shape, and comes after it.
    let corners = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]];
    let lines = |keyword: &str| -> String {
        let line = |[x, y]: [i32; 2]| format!("{keyword} {x} {y} 0\n");
        corners.into_iter().map(line).collect()
    };
    let text = format!(
        "f 1/1 2/2 3/3\nf 1/1 2/2 3/3 4/4 5/5 6/6\nf 4/4 5/5 6/6\n{}{}",
        lines("v"),
        lines("vt")
    );
    let (mesh, cut) = read_obj_cut(text.as_bytes()).unwrap();
    assert_eq!((cut, mesh.faces.len()), (1, 6));
    assert_eq!(mesh.faces[0], Face::Tri([0, 1, 2]));
    assert_eq!(mesh.faces[5], Face::Tri([3, 4, 5]));
    let areas = mesh.faces[1..5]
        .iter()
        .map(|f| f.vector_area(&mesh.positions).z);
    assert!(areas.clone().all(|a| a > 0.0));
    assert!((areas.sum::<f64>() - 3.0).abs() < 1e-12);
    let uvs = mesh.corner_uvs.unwrap();
    for (face, uvs) in mesh.faces.iter().zip(&uvs) {
        for (&node, uv) in face.corners().iter().zip(uvs) {
            assert_eq!(mesh.positions[node as usize].truncate(), *uv);
        }
    }
}

#[test]
fn colours_are_read_if_every_vertex_has_one() {
    let face = "f 1 2 3\n";
    let mesh = read(format!(
        "v 0 0 0 1 0.5 0\nv 1 0 0 0 0 1\nv 0 1 0 0 0 0\n{face}"
    ));
    assert_eq!(mesh.node_colors.unwrap()[0], [1.0, 0.5, 0.0]);
    for last in ["v 0 1 0", "v 0 1 0 1", "v 0 1 0 0 0 nan", "v 0 1 0 0 0 255"] {
        let mesh = read(format!("v 0 0 0 1 0.5 0\nv 1 0 0 0 0 1\n{last}\n{face}"));
        assert_eq!(mesh.node_colors, None, "{last}");
    }
}

#[test]
fn two_corner_faces_and_endless_ones_are_refused_with_their_line() {
    let endless = " 1".repeat(5000);
    assert_error(
        format!("{SQUARE}f{endless}\n"),
        5,
        8195,
        "split the polygon",
    );
    assert_error(format!("{SQUARE}f 1 2\n"), 5, 6, "2 corners");
    assert_error(format!("{SQUARE}f\n"), 5, 2, "0 corners");
}

#[test]
fn the_first_face_without_texture_coordinates_is_named() {
    let start = format!("{SQUARE}vt 0 0\n");
    let (with, without) = ("f 1/1 2/1 3/1\n", "f 1 2 3\n");
    let part = "this face has no texture coordinates";
    assert_error(format!("{start}{with}{without}{with}"), 7, 3, part);
    assert_error(format!("{start}{without}{without}{with}"), 6, 3, part);
    assert_error(
        format!("{start}f 1/1 2 3/1\n"),
        6,
        7,
        "unlike other corners",
    );
    // The same with coordinates that come later.
    assert_error(
        format!("{SQUARE}f 1/1 2 3/1\nvt 0 0\n"),
        5,
        7,
        "unlike other corners",
    );
}

#[test]
fn numbers_that_are_none_are_refused_with_line_and_column() {
    assert_error("v 0 nan 0\n", 1, 5, "`nan` is not a finite number");
    assert_error("v 0 0 -inf\n", 1, 7, "not a finite number");
    assert_error("v 1e999 0 0\n", 1, 3, "`1e999` is too large");
    assert_error("\nv 0 0,5 0\n", 2, 5, "`0,5` is not a number");
    assert_error("v 0 0\n", 1, 6, "three coordinates");
    assert_error("vt\n", 1, 3, "`vt u v`");
    assert_error("vt 0 x\n", 1, 6, "not a number");
    assert_error("v 0 \\\n 0 \\\n z\n", 3, 2, "`z` is not a number");
}

#[test]
fn corners_that_are_none_are_refused_with_line_and_column() {
    for corner in [
        "a", "1/", "1//", "1/2/", "1/2/3/", "1/a", "--1", "1.0", "1\r2",
    ] {
        assert_error(format!("{SQUARE}f 1 {corner} 2\n"), 5, 5, "is not a corner");
    }
    assert_error(format!("{SQUARE}f 1 2 0\n"), 5, 7, "count from 1");
    assert_error(format!("{SQUARE}f 1 2 -5\n"), 5, 7, "counts back");
    assert_error(format!("{SQUARE}f 1 2 4294967299\n"), 5, 7, "32 bits");
    let many_digits = "9".repeat(30);
    assert_error(
        format!("{SQUARE}f 1 2 {many_digits}\n"),
        5,
        7,
        "is not a corner",
    );
}

#[test]
fn the_first_index_out_of_range_is_named() {
    let faces = "f 1 2 3\nf 1 2 5\nf 1 2 9\n";
    assert_error(
        format!("{SQUARE}{faces}"),
        6,
        7,
        "names vertex 5, but the file has 4 vertices",
    );
    assert_error(
        format!("{faces}{SQUARE}"),
        2,
        7,
        "names vertex 5, but the file has 4 vertices",
    );
    assert_error(
        format!("{SQUARE}vt 0 0\nf 1/1 2/2 3/1\n"),
        6,
        7,
        "names texture coordinate 2, but the file has 1",
    );
}

#[test]
fn bytes_that_are_not_utf8_are_refused_outside_comments() {
    assert_error(b"# ok \xFF\no caf\xE9\n", 2, 6, "not UTF-8");
    assert_error(b"v 0 \xFF 0\n", 1, 5, "not UTF-8");
}

#[test]
fn a_line_that_should_go_on_must_not_be_the_last() {
    assert_error(format!("{SQUARE}f 1 2 3 \\"), 5, 9, "no line follows");
}

#[test]
fn a_file_without_vertices_or_faces_is_refused() {
    for text in ["", "# nothing\n", "f 1 2 3\n", SQUARE] {
        let error = read_obj(text.as_bytes()).unwrap_err();
        assert_eq!(error.place(), Some(Place::WholeFile), "{text}: {error}");
    }
}

#[test]
fn equal_texture_coordinates_are_written_once_and_before_their_face() {
    let mut mesh = read(format!("{SQUARE}f 1 2 3\nf 1 3 4\n"));
    let uv = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::ZERO];
    mesh.corner_uvs = Some(vec![uv, [DVec2::ZERO, DVec2::ONE, DVec2::Y, DVec2::ZERO]]);
    mesh.positions[0] = DVec3::new(0.1, -1e-20, 1e300);
    let mut out = Vec::new();
    write_obj(&mesh, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(
        text,
        "v 0.1 -1e-20 1e300\nv 1 0 0\nv 1 1 0\nv 0 1 0\n\
         vt 0 0\nvt 1 0\nvt 1 1\nf 1/1 2/2 3/3\nvt 0 1\nf 1/1 3/3 4/4\n"
    );
    assert_eq!(read(text), mesh);
}
