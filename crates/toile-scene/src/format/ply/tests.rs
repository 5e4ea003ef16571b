use super::*;
use crate::format::Place;
use glam::{DVec2, DVec3};
use std::io::Cursor;
use toile::mesh::Face;

fn read(bytes: impl AsRef<[u8]>) -> Result<Mesh, ParseError> {
    read_ply(Cursor::new(bytes))
}

fn assert_error(bytes: impl AsRef<[u8]>, place: Place, part: &str) {
    let error = read(bytes).unwrap_err();
    assert_eq!(error.place(), Some(place), "{error}");
    assert!(error.to_string().contains(part), "{error}");
}

fn line(line: u64, column: u64) -> Place {
    Place::Text { line, column }
}

/// A text file: the lines of its header after `format`, and its body.
fn ascii(header: &[&str], body: &str) -> String {
    let lines = header.join("\n");
    format!("ply\nformat ascii 1.0\n{lines}\nend_header\n{body}")
}

const XYZ: [&str; 3] = ["property float x", "property float y", "property float z"];
const TRIANGLE: &str = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

fn plain(body: &str) -> String {
    let [x, y, z] = XYZ;
    let face = "property list uchar int vertex_indices";
    ascii(&["element vertex 3", x, y, z, "element face 1", face], body)
}

/// The header line of a binary file and how its encoding orders the bytes of a value.
type ByteOrder = (&'static str, fn(&[u8]) -> Vec<u8>);
const BYTE_ORDERS: [ByteOrder; 2] = [
    ("binary_little_endian", |b| b.to_vec()),
    ("binary_big_endian", |b| b.iter().rev().copied().collect()),
];

#[test]
fn a_plain_text_file_is_read() {
    let mesh = read(plain(TRIANGLE)).unwrap();
    assert_eq!(mesh.positions, [DVec3::ZERO, DVec3::X, DVec3::Y]);
    assert_eq!(mesh.faces, [Face::Tri([0, 1, 2])]);
    assert_eq!(mesh.corner_uvs, None);
}

#[test]
fn points_need_no_faces() {
    let [x, y, z] = XYZ;
    let cloud = ascii(&["element vertex 2", x, y, z], "0 0 1\n1 0 0\n");
    let points = read_ply_points(Cursor::new(cloud)).unwrap();
    assert_eq!(points, [DVec3::Z, DVec3::X]);
    // The vertices of a mesh are points as well.
    let points = read_ply_points(Cursor::new(plain(TRIANGLE))).unwrap();
    assert_eq!(points, [DVec3::ZERO, DVec3::X, DVec3::Y]);
}

#[test]
fn blank_lines_comments_and_crlf_are_no_trouble() {
    let text = plain("\n0 0 0\n\n1 0 0 \n\t0 1 0\n\n3 0 1 2\n\n");
    let text = text.replace("1.0\n", "1.0\ncomment été\nobj_info x\n");
    assert_eq!(
        read(text.replace('\n', "\r\n")).unwrap(),
        read(plain(TRIANGLE)).unwrap()
    );
    // The last line end may be missing.
    assert!(read(plain(TRIANGLE).trim_end()).is_ok());
}

#[test]
fn unknown_elements_and_properties_are_passed_over_in_every_encoding() {
    let header = "element camera 2\nproperty double f\nproperty list ushort short lens\n\
        element vertex 3\nproperty uchar red\nproperty double z\nproperty list int float weights\n\
        property short y\nproperty char x\nelement marker 2\nproperty float a\nproperty uint b\n\
        element empty 4000000000\n\
        element face 2\nproperty int material\nproperty list uint ushort vertex_index\nproperty list char char flags\n\
        element edge 1\nproperty int a\nend_header\n";
    let expected = Mesh::new(
        [[1.0, 2.0, 0.5], [-1.0, -2.0, 1.5], [3.0, 4.0, 2.5]]
            .map(DVec3::from)
            .to_vec(),
        vec![Face::Tri([2, 1, 0]), Face::Quad([0, 1, 2, 0])],
    );
    let text = format!(
        "ply\nformat ascii 1.0\n{header}1.5 2 7 8\n2.5 0\n200 0.5 1 9 2 1\n200 1.5 0 -2 -1\n200 2.5 3 1 2 3 4 3\n\
         1 1\n2 2\n5 3 2 1 0 0\n5 4 0 1 2 0 2 1 1\n9\n"
    );
    assert_eq!(read(text).unwrap(), expected);
    for (name, order) in BYTE_ORDERS {
        let mut bytes = format!("ply\nformat {name} 1.0\n{header}").into_bytes();
        let mut put = |value: &[u8]| bytes.extend(order(value));
        for lens in [&[7i16, 8][..], &[]] {
            put(&1.5f64.to_le_bytes());
            put(&(lens.len() as u16).to_le_bytes());
            lens.iter().for_each(|l| put(&l.to_le_bytes()));
        }
        for (k, position) in expected.positions.iter().enumerate() {
            put(&[200]);
            put(&position.z.to_le_bytes());
            put(&(k as i32).to_le_bytes());
            (0..k).for_each(|_| put(&1f32.to_le_bytes()));
            put(&(position.y as i16).to_le_bytes());
            put(&(position.x as i8).to_le_bytes());
        }
        (0..4).for_each(|_| put(&[1, 2, 3, 4]));
        for face in &expected.faces {
            put(&5i32.to_le_bytes());
            put(&(face.corners().len() as u32).to_le_bytes());
            face.corners()
                .iter()
                .for_each(|&n| put(&(n as u16).to_le_bytes()));
            put(&[1]);
            put(&[77]);
        }
        put(&9i32.to_le_bytes());
        assert_eq!(read(&bytes).unwrap(), expected, "{name}");
        // Cut off anywhere, it is refused at the place where it ends.
        for length in bytes.len() - 90..bytes.len() {
            assert_error(
                &bytes[..length],
                Place::Byte(length as u64),
                "the file ends inside",
            );
        }
        bytes.extend(b"\n\0");
        assert_eq!(read(&bytes).unwrap(), expected, "{name}");
        bytes.push(1);
        assert_error(&bytes, Place::Byte(bytes.len() as u64 - 1), "goes on");
    }
}

#[test]
fn faces_may_come_before_vertices() {
    let [x, y, z] = XYZ;
    let face = "property list uchar int vertex_indices";
    let text = ascii(
        &["element face 1", face, "element vertex 3", x, y, z],
        "3 0 1 2\n0 0 0\n1 0 0\n0 1 0\n",
    );
    assert_eq!(read(text).unwrap(), read(plain(TRIANGLE)).unwrap());
}

#[test]
fn texture_coordinates_come_from_vertices_or_faces() {
    let [x, y, z] = XYZ;
    let face = "property list uchar int vertex_indices";
    let expected = [DVec2::ZERO, DVec2::X, DVec2::new(0.25, 0.5), DVec2::ZERO];
    for [u, v] in [["s", "t"], ["u", "v"], ["texture_u", "texture_v"]] {
        let (u, v) = (format!("property float {u}"), format!("property float {v}"));
        let header = ["element vertex 3", x, &u, y, &v, z, "element face 1", face];
        let text = ascii(&header, "0 0 0 0 0\n1 1 0 0 0\n0 0.25 1 0.5 0\n3 0 1 2\n");
        let mesh = read(text).unwrap();
        assert_eq!(mesh.corner_uvs, Some(vec![expected]));
        assert_eq!(mesh.positions[2], DVec3::Y);
    }
    let texcoord = "property list uchar float texcoord";
    let header = [
        "element vertex 3",
        x,
        y,
        z,
        "property float s",
        "property float t",
    ];
    let header = [&header[..], &["element face 1", texcoord, face]].concat();
    let mesh = read(ascii(
        &header,
        "0 0 0 9 9\n1 0 0 9 9\n0 1 0 9 9\n6 0 0 1 0 .25 .5 3 0 1 2\n",
    ));
    assert_eq!(
        mesh.unwrap().corner_uvs,
        Some(vec![expected]),
        "the face's own come first"
    );
    let header = [
        "element vertex 3",
        x,
        y,
        z,
        "element face 2",
        face,
        texcoord,
    ];
    let body = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2 0\n3 0 1 2 ";
    assert_eq!(
        read(ascii(&header, &format!("{body}0\n")))
            .unwrap()
            .corner_uvs,
        None
    );
    assert_error(
        ascii(&header, &format!("{body}6 0 0 1 0 1 1\n")),
        line(14, 9),
        "no texture coordinates, but other faces have",
    );
    assert_error(
        ascii(&header, &format!("{body}4 0 0 1 0\n")),
        line(15, 9),
        "4 numbers",
    );
    let long = format!("{body}9 1 2 3 4 5 6 7 8 9\n");
    assert_error(ascii(&header, &long), line(15, 9), "9 numbers");
}

#[test]
fn headers_that_are_none_are_refused_with_their_line() {
    assert_error("", line(1, 1), "first line must be `ply`");
    assert_error("solid\n", line(1, 1), "first line must be `ply`");
    assert_error("ply\nformat ascii 1.0\n", line(2, 1), "before `end_header`");
    assert_error(
        "ply\nformat ascii 2.0\n",
        line(2, 1),
        "`format ascii 2.0` is not",
    );
    assert_error(
        "ply\nformat binary 1.0\n",
        line(2, 1),
        "is not a header line",
    );
    assert_error(
        "ply\nproperty int x\n",
        line(2, 1),
        "before the first `element`",
    );
    assert_error(
        "ply\nelement vertex -1\n",
        line(2, 1),
        "is not a header line",
    );
    assert_error(
        "ply\nelement vertex 3\nproperty int64 x\n",
        line(3, 1),
        "is not a header line",
    );
    assert_error(
        "ply\nelement face 1\nelement face 2\n",
        line(3, 1),
        "a second `element face`",
    );
    assert_error("ply\nend_header\n", line(2, 1), "no line `format");
}

#[test]
fn a_mesh_needs_vertices_and_faces() {
    let [x, y, z] = XYZ;
    let face = "property list uchar int vertex_indices";
    assert_error(
        ascii(&["element vertex 3", x, y, z], ""),
        Place::WholeFile,
        "`element face`",
    );
    assert_error(
        ascii(&["element face 1", face], ""),
        Place::WholeFile,
        "`element vertex`",
    );
    let no_z = ascii(&["element vertex 3", x, y, "element face 1", face], "");
    assert_error(no_z, line(3, 1), "`property double z`");
    let scalar = "property int vertex_indices";
    let no_list = ascii(&["element vertex 3", x, y, z, "element face 1", scalar], "");
    assert_error(no_list, line(7, 1), "need a list `vertex_indices`");
    let none = plain(TRIANGLE).replace("vertex 3", "vertex 0");
    assert_error(none, line(3, 1), "declares 0 elements");
}

#[test]
fn rows_of_text_that_do_not_fit_the_header_are_refused() {
    assert_error(
        plain("0 0 0\n1 0\n"),
        line(11, 4),
        "vertex 1 has fewer values",
    );
    assert_error(plain("0 0 0\n1 0 0 0\n"), line(11, 7), "one value more");
    assert_error(
        plain("0 0 0\n1 nan 0\n"),
        line(11, 3),
        "not a finite number",
    );
    assert_error(plain("0 0 0\n1 x 0\n"), line(11, 3), "`x` is not a number");
    assert_error(
        plain("0 0 0\n1 0 0\n"),
        line(12, 1),
        "the file ends inside vertex 2",
    );
    assert_error(
        plain("0 0 0\n1 0 0\n0 1 0\n"),
        line(13, 1),
        "the file ends inside face 0",
    );
    assert_error(
        plain(&format!("{TRIANGLE}3 0 1 2\n")),
        line(14, 1),
        "goes on",
    );
}

#[test]
fn faces_that_are_none_are_refused() {
    let with_face = |face: &str| plain(&format!("0 0 0\n1 0 0\n0 1 0\n{face}\n"));
    assert_error(
        with_face("5000 0 1"),
        line(13, 1),
        "face 0 has 5000 corners",
    );
    assert_error(
        with_face("5 0 1 2 0 7"),
        line(13, 11),
        "face 0 names vertex 7",
    );
    assert_error(with_face("2 0 1"), line(13, 1), "face 0 has 2 corners");
    assert_error(
        with_face("-3 0 1"),
        line(13, 1),
        "cannot be the length of a list",
    );
    assert_error(
        with_face("3 0 3 1"),
        line(13, 5),
        "face 0 names vertex 3, but the 3 vertices",
    );
    assert_error(with_face("3 0 1 -1"), line(13, 7), "names vertex -1");
    assert_error(with_face("3 0 1.5 1"), line(13, 5), "names vertex 1.5");
}

#[test]
fn faults_in_a_binary_file_are_named_by_their_byte() {
    for (name, order) in BYTE_ORDERS {
        let header = plain("").replace("ascii", name);
        let make = |positions: [f32; 9], nodes: [i32; 3]| {
            let mut bytes = header.clone().into_bytes();
            bytes.extend(positions.iter().flat_map(|p| order(&p.to_le_bytes())));
            bytes.push(3);
            bytes.extend(nodes.iter().flat_map(|n| order(&n.to_le_bytes())));
            bytes
        };
        let mut positions = [0.0; 9];
        assert!(read(make(positions, [0, 1, 2])).is_ok());
        let start = header.len() as u64;
        let bad = Place::Byte(start + 36 + 1 + 8);
        assert_error(make(positions, [0, 1, 3]), bad, "names vertex 3");
        assert_error(make(positions, [0, 1, -1]), bad, "names vertex -1");
        positions[4] = f32::NAN;
        assert_error(
            make(positions, [0, 1, 2]),
            Place::Byte(start + 16),
            "NaN is not a finite",
        );
        positions[4] = f32::INFINITY;
        assert_error(
            make(positions, [0, 1, 2]),
            Place::Byte(start + 16),
            "inf is not a finite",
        );
    }
}

#[test]
fn a_written_header_names_what_follows() {
    let mut mesh = read(plain(TRIANGLE)).unwrap();
    mesh.corner_uvs = Some(vec![[DVec2::X, DVec2::Y, DVec2::ONE, DVec2::ZERO]]);
    let mut out = Vec::new();
    write_ply(&mesh, PlyEncoding::Ascii, &mut out).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "ply\nformat ascii 1.0\ncomment toile, lengths in metres\nelement vertex 3\n\
         property double x\nproperty double y\nproperty double z\nproperty double s\nproperty double t\n\
         element face 1\nproperty list uchar int vertex_indices\nproperty list uchar double texcoord\nend_header\n\
         0 0 0 1 0\n1 0 0 0 1\n0 1 0 1 1\n3 0 1 2 6 1 0 0 1 1 1\n"
    );
}

#[test]
fn polygons_are_cut_in_every_encoding() {
    let [x, y, z] = XYZ;
    let uvs = "property list uchar float texcoord";
    let face = "property list uchar int vertex_indices";
    let header = ["element vertex 5", x, y, z, "element face 2", face, uvs];
    let body = "0 0 0\n2 0 0\n2 1 0\n1 2 0\n0 1 0\n\
        5 0 1 2 3 4 10 0 0 2 0 2 1 1 2 0 1\n4 0 1 2 4 8 0 0 2 0 2 1 0 1\n";
    let (mesh, cut) = read_ply_cut(Cursor::new(ascii(&header, body))).unwrap();
    assert_eq!((cut, mesh.faces.len()), (1, 4));
    assert_eq!(mesh.faces[3], Face::Quad([0, 1, 2, 4]));
    for (face, uvs) in mesh.faces.iter().zip(mesh.corner_uvs.as_ref().unwrap()) {
        for (&node, uv) in face.corners().iter().zip(uvs) {
            assert_eq!(mesh.positions[node as usize].truncate(), *uv);
        }
    }
    let whole: f64 = mesh.faces[..3]
        .iter()
        .map(|f| f.vector_area(&mesh.positions).z)
        .sum();
    assert!((whole - 3.0).abs() < 1e-12);
    // As bytes, without texture coordinates.
    for (name, order) in BYTE_ORDERS {
        let text = format!(
            "ply\nformat {name} 1.0\nelement vertex 5\n{x}\n{y}\n{z}\nelement face 1\n{face}\nend_header\n"
        );
        let mut bytes = text.into_bytes();
        for number in mesh.positions.iter().flat_map(|p| p.as_vec3().to_array()) {
            bytes.extend(order(&number.to_le_bytes()));
        }
        bytes.push(5);
        (0..5i32).for_each(|node| bytes.extend(order(&node.to_le_bytes())));
        let (read, cut) = read_ply_cut(Cursor::new(bytes)).unwrap();
        assert_eq!((cut, &read.faces[..]), (1, &mesh.faces[..3]), "{name}");
    }
}

#[test]
fn colours_and_places_in_the_pattern_come_back() {
    let mut mesh = Mesh::new(
        vec![DVec3::ZERO, DVec3::X, DVec3::Y],
        vec![Face::Tri([0, 1, 2])],
    );
    mesh.node_colors = Some(vec![[0.0, 0.2, 1.0], [1.0; 3], [0.4, 0.0, 0.6]]);
    mesh.corner_uvs = Some(vec![[DVec2::X, DVec2::Y, DVec2::ONE, DVec2::ZERO]]);
    for encoding in [
        PlyEncoding::Ascii,
        PlyEncoding::BinaryLittleEndian,
        PlyEncoding::BinaryBigEndian,
    ] {
        let mut bytes = Vec::new();
        write_ply(&mesh, encoding, &mut bytes).unwrap();
        let head = String::from_utf8_lossy(&bytes).into_owned();
        assert!(head.contains("property double s\nproperty double t\nproperty uchar red"));
        assert_eq!(read(bytes).unwrap(), mesh);
    }
}
