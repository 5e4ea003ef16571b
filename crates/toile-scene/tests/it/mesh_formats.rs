//! Mesh and motion files: what is written comes back, and no bytes make a reader panic.

use glam::{DVec2, DVec3};
use proptest::prelude::*;
use proptest::sample::Index;
use std::io::{BufReader, Cursor};
use std::path::PathBuf;
use toile::mesh::{Face, Mesh};
use toile_scene::files::Disk;
use toile_scene::format::{
    FormatError, PlyEncoding, Trajectory, read_mesh, read_obj, read_ply, write_mesh, write_obj,
    write_ply,
};

const ENCODINGS: [PlyEncoding; 3] = [
    PlyEncoding::Ascii,
    PlyEncoding::BinaryLittleEndian,
    PlyEncoding::BinaryBigEndian,
];

/// Any finite number: of everyday size, or with arbitrary bits (tiny, huge, subnormal, −0).
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        -10.0..10.0f64,
        (-1000i32..1000).prop_map(|n| f64::from(n) / 64.0),
        any::<u64>()
            .prop_map(f64::from_bits)
            .prop_filter("finite", |n| n.is_finite()),
        Just(-0.0),
    ]
}

#[derive(Clone, Copy, Debug)]
enum Corners {
    Triangles,
    Quads,
    Mixed,
}

fn face(nodes: u32, corners: Corners) -> impl Strategy<Value = Face> {
    let tri = proptest::array::uniform3(0..nodes).prop_map(Face::Tri);
    let quad = proptest::array::uniform4(0..nodes).prop_map(Face::Quad);
    match corners {
        Corners::Triangles => tri.boxed(),
        Corners::Quads => quad.boxed(),
        Corners::Mixed => prop_oneof![tri, quad].boxed(),
    }
}

fn mesh() -> impl Strategy<Value = Mesh> {
    let corners = prop_oneof![
        Just(Corners::Triangles),
        Just(Corners::Quads),
        Just(Corners::Mixed)
    ];
    (1..20usize, 1..30usize, corners, any::<bool>())
        .prop_flat_map(|(nodes, faces, corners, has_uvs)| {
            let position = (number(), number(), number()).prop_map(DVec3::from);
            let uv = (number(), number()).prop_map(DVec2::from);
            let uvs = proptest::array::uniform4(uv);
            (
                proptest::collection::vec(position, nodes),
                proptest::collection::vec((face(nodes as u32, corners), uvs), faces),
                Just(has_uvs),
            )
        })
        .prop_map(|(positions, faces, has_uvs)| {
            let (faces, mut uvs): (Vec<Face>, Vec<[DVec2; 4]>) = faces.into_iter().unzip();
            for (face, uv) in faces.iter().zip(&mut uvs) {
                // Unused, and not written.
                if let Face::Tri(_) = face {
                    uv[3] = DVec2::ZERO;
                }
            }
            Mesh {
                positions,
                faces,
                corner_uvs: has_uvs.then_some(uvs),
                node_colors: None,
            }
        })
}

/// All bits of a mesh: unlike `==` it tells −0 from 0.
fn bits(mesh: &Mesh) -> (Vec<u64>, &[Face], Option<Vec<u64>>) {
    let positions = mesh.positions.iter().flat_map(|p| p.to_array());
    let uvs = mesh.corner_uvs.as_ref().map(|uvs| {
        let numbers = uvs.iter().flatten().flat_map(|p| p.to_array());
        numbers.map(f64::to_bits).collect()
    });
    (positions.map(f64::to_bits).collect(), &mesh.faces, uvs)
}

/// The mesh in every format and encoding.
fn written(mesh: &Mesh) -> Vec<Vec<u8>> {
    let mut files = vec![Vec::new()];
    write_obj(mesh, &mut files[0]).unwrap();
    for encoding in ENCODINGS {
        let mut out = Vec::new();
        write_ply(mesh, encoding, &mut out).unwrap();
        files.push(out);
    }
    files
}

/// Gives the bytes to every reader; a mesh that comes out must have its indices in range.
fn read_with_all(bytes: &[u8]) {
    for mesh in [read_obj(bytes), read_ply(Cursor::new(bytes))]
        .into_iter()
        .flatten()
    {
        let nodes = mesh.positions.len();
        assert!(mesh.positions.iter().all(|p| p.is_finite()));
        for face in &mesh.faces {
            assert!(face.corners().iter().all(|&n| (n as usize) < nodes));
        }
        assert!(
            mesh.corner_uvs
                .is_none_or(|uvs| uvs.len() == mesh.faces.len())
        );
    }
    if let Ok(trajectory) = Trajectory::read(bytes) {
        assert!(trajectory.times().is_sorted());
    }
}

/// One change of a file: a byte replaced, a stretch doubled or removed, or the end cut off.
#[derive(Clone, Debug)]
enum Mutation {
    Replace(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Double(Index, usize),
    Truncate(Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    // Bytes that mean something in one of the formats are worth more tries than others.
    let telling =
        proptest::sample::select(b"0123456789-+./\\#\n\r\t \"e,nvft\0\x03\x04\xff".to_vec());
    let byte = prop_oneof![telling, any::<u8>()];
    let at = any::<Index>;
    prop_oneof![
        4 => (at(), byte.clone()).prop_map(|(i, b)| Mutation::Replace(i, b)),
        2 => (at(), proptest::collection::vec(byte, 1..12)).prop_map(|(i, b)| Mutation::Insert(i, b)),
        2 => (at(), 1..20usize).prop_map(|(i, n)| Mutation::Remove(i, n)),
        1 => (at(), 1..60usize).prop_map(|(i, n)| Mutation::Double(i, n)),
        2 => at().prop_map(Mutation::Truncate),
    ]
}

fn mutate(bytes: &mut Vec<u8>, mutation: &Mutation) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    let stretch = |at: &Index, n: &usize| {
        let start = at.index(length);
        start..(start + n).min(length)
    };
    match mutation {
        Mutation::Replace(at, byte) => bytes[at.index(length)] = *byte,
        Mutation::Insert(at, new) => {
            let at = at.index(length);
            bytes.splice(at..at, new.iter().copied());
        }
        Mutation::Remove(at, n) => {
            bytes.drain(stretch(at, n));
        }
        Mutation::Double(at, n) => {
            let copy = bytes[stretch(at, n)].to_vec();
            let at = at.index(length);
            bytes.splice(at..at, copy);
        }
        Mutation::Truncate(at) => bytes.truncate(at.index(length)),
    }
}

/// A PLY file with unknown elements and lists of every kind around the mesh.
const RICH_PLY: &str = "ply\nformat ascii 1.0\ncomment c\nelement a 2\nproperty list int double b\nproperty char c\n\
    element vertex 4\nproperty float x\nproperty double y\nproperty list uchar short w\nproperty int z\n\
    property float s\nproperty float t\nelement face 2\nproperty uchar d\nproperty list ushort uint vertex_index\n\
    property list uchar float texcoord\nelement e 1\nproperty float g\nend_header\n\
    1 2.5 3\n0 4\n0 0 0 0 0 0\n1 0 2 7 8 0 1 0\n1 1 0 0 1 1\n0 1 1 9 0 0 1\n\
    5 3 0 1 2 6 0 0 1 0 1 1\n5 4 0 1 2 3 8 0 0 1 0 1 1 0 1\n3.5\n";
const RICH_OBJ: &str = "# c\nv 0 0 0 1\nv 1 0 0\nv 1 1 \\\n 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\ng a\n\
    f 1/1/1 2/2/1 3/3/1\nf -4/-3 -3/-2 -2/-1 -1/-1\n";
const MOTIONS: [&str; 2] = [
    "# c\ntime,x,y,z,qx,qy,qz,qw\r\n0,1,2,3,0,0,0,1\r\n\r\n0.5,1,2,3,0,1,0,-1\n",
    "time,x4,y4,z4,x0,y0,z0\n0,1,2,3,4,5,6\n1e-1,1,2,3,4,5,6\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_comes_back_bit_for_bit(mesh in mesh()) {
        let files = written(&mesh);
        let obj = read_obj(files[0].as_slice()).unwrap();
        prop_assert_eq!(bits(&obj), bits(&mesh));
        for file in &files[1..] {
            let ply = read_ply(Cursor::new(file)).unwrap();
            prop_assert_eq!(bits(&ply), bits(&mesh));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_never_panic(
        mesh in mesh(),
        mutations in proptest::collection::vec(mutation(), 1..4),
    ) {
        let mut files = written(&mesh);
        files.extend([RICH_PLY, RICH_OBJ, MOTIONS[0], MOTIONS[1]].map(|text| text.as_bytes().to_vec()));
        for mut file in files {
            mutations.iter().for_each(|m| mutate(&mut file, m));
            read_with_all(&file);
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read_with_all(&bytes);
        for encoding in ["ascii", "binary_little_endian", "binary_big_endian"] {
            let start = RICH_PLY.split_inclusive("end_header\n").next().unwrap();
            let mut file = start.replace("ascii", encoding).into_bytes();
            file.extend(&bytes);
            read_with_all(&file);
        }
    }
}

#[test]
fn a_mesh_much_larger_than_any_buffer_comes_back_whole() {
    let nodes = 9_000u32;
    let wave = |i: u32, f: f64| (f64::from(i) * f).sin();
    let positions = (0..nodes).map(|i| DVec3::new(f64::from(i) / 3.0, wave(i, 0.1), wave(i, 0.7)));
    let face = |i: u32| match i % 3 {
        0 => Face::Quad([i, i + 1, i + 3, i + 2]),
        _ => Face::Tri([i, i + 1, i + 2]),
    };
    let mut mesh = Mesh::new(positions.collect(), (0..nodes - 3).map(face).collect());
    for has_uvs in [false, true] {
        if has_uvs {
            let uvs = (0..nodes).zip(&mesh.faces).map(|(i, face)| {
                let mut uv = [DVec2::new(wave(i, 0.3), wave(i / 2, 0.2)); 4];
                uv[face.corners().len()..].fill(DVec2::ZERO);
                uv
            });
            mesh.corner_uvs = Some(uvs.collect());
        }
        let files = written(&mesh);
        assert_eq!(read_obj(files[0].as_slice()).unwrap(), mesh);
        for file in &files[1..] {
            assert!(file.len() > 300_000);
            assert_eq!(read_ply(Cursor::new(file)).unwrap(), mesh);
            // A source that hands out a few bytes at a time.
            let trickle = BufReader::with_capacity(7, Cursor::new(file));
            assert_eq!(read_ply(trickle).unwrap(), mesh);
        }
    }
}

#[test]
fn the_rich_files_that_get_damaged_are_readable_while_whole() {
    assert_eq!(read_ply(Cursor::new(RICH_PLY)).unwrap().faces.len(), 2);
    assert_eq!(read_obj(RICH_OBJ.as_bytes()).unwrap().faces.len(), 2);
    for motion in MOTIONS {
        assert_eq!(
            Trajectory::read(motion.as_bytes()).unwrap().times().len(),
            2
        );
    }
}

#[test]
fn a_small_file_that_declares_billions_of_elements_is_refused_without_setting_memory_aside() {
    // Memory for what these headers declare would be some hundred gigabytes: asking for it would abort.
    for encoding in ["ascii", "binary_little_endian", "binary_big_endian"] {
        for (vertices, faces, others) in [
            (4_000_000_000, 1, 0),
            (1, 4_000_000_000, 0),
            (1, 1, 4_000_000_000),
            (4_000_000_000, 4_000_000_000, u64::MAX),
            (u64::MAX, u64::MAX, u64::MAX),
        ] {
            let mut file = format!(
                "ply\nformat {encoding} 1.0\nelement o {others}\nproperty list int double l\n\
                 element vertex {vertices}\nproperty double x\nproperty double y\nproperty double z\n\
                 element face {faces}\nproperty list uint uint vertex_index\nend_header\n"
            );
            file.push_str(&"4 ".repeat(12));
            let error = read_ply(Cursor::new(&file)).unwrap_err();
            assert!(error.place().is_some(), "{error}");
        }
    }
}

#[test]
fn a_list_that_claims_billions_of_items_is_refused() {
    let mut file =
        b"ply\nformat binary_little_endian 1.0\nelement o 1\nproperty list uint double l\n\
        element vertex 1\nproperty char x\nproperty char y\nproperty char z\n\
        element face 1\nproperty list uint uint vertex_index\nend_header\n"
            .to_vec();
    file.extend([0xFF; 40]);
    let error = read_ply(Cursor::new(&file)).unwrap_err().to_string();
    assert!(error.contains("the file ends inside o 0"), "{error}");
}

/// A folder of this test alone, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("toile-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing to be done if it fails; the system clears its temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn small_mesh() -> Mesh {
    let positions = vec![DVec3::ZERO, DVec3::X, DVec3::ONE, DVec3::Y];
    Mesh::new(
        positions,
        vec![Face::Quad([0, 1, 2, 3]), Face::Tri([0, 1, 2])],
    )
}

#[test]
fn the_extension_tells_the_format_and_else_the_content() {
    let folder = Folder::new("formats");
    let mesh = small_mesh();
    for name in ["a.obj", "a.OBJ", "a.ply", "a.Ply"] {
        let path = folder.0.join(name);
        write_mesh(&path, &mesh).unwrap();
        assert_eq!(read_mesh(&path).unwrap(), mesh, "{name}");
    }
    for (k, content) in written(&mesh).into_iter().enumerate() {
        let path = folder.file(&format!("mesh-{k}.dat"), &content);
        assert_eq!(read_mesh(&path).unwrap(), mesh);
    }
    let commented = [b"\n# by hand\n\n".to_vec(), written(&mesh)[0].clone()].concat();
    assert_eq!(read_mesh(&folder.file("mesh", &commented)).unwrap(), mesh);
}

#[test]
fn errors_name_the_file_and_the_place() {
    let folder = Folder::new("format-errors");
    let path = folder.file("shirt.obj", b"v 0 0 0\nv 0 zero 0\n");
    let error = read_mesh(&path).unwrap_err();
    let shown = format!(
        "{}: line 2, column 5: `zero` is not a number",
        path.display()
    );
    assert_eq!(error.to_string(), shown);
    let path = folder.file("mesh.stl", b"solid cube\n");
    assert!(matches!(
        read_mesh(&path),
        Err(FormatError::UnknownFormat { .. })
    ));
    let path = folder.0.join("absent.ply");
    assert!(matches!(read_mesh(&path), Err(FormatError::Io { .. })));
    let path = folder.file("motion.csv", b"time,x,y,z\n0,0,0,0\n0,0,0,0\n");
    let error = Trajectory::open(&Disk, &path).unwrap_err().to_string();
    assert!(error.contains("motion.csv: line 3, column 1: "), "{error}");
}

#[test]
fn a_mesh_that_could_not_be_read_back_is_not_written_over_an_older_file() {
    let folder = Folder::new("format-refusals");
    let good = small_mesh();
    let change = |edit: fn(&mut Mesh)| {
        let mut mesh = small_mesh();
        edit(&mut mesh);
        mesh
    };
    let path = folder.0.join("a.ply");
    write_mesh(&path, &good).unwrap();
    for bad in [
        Mesh::default(),
        change(|m| m.faces.clear()),
        change(|m| m.positions[1].y = f64::NAN),
        change(|m| m.faces[1] = Face::Tri([0, 1, 4])),
        change(|m| m.corner_uvs = Some(vec![])),
        change(|m| m.corner_uvs = Some(vec![[DVec2::splat(f64::INFINITY); 4]; 2])),
    ] {
        assert!(write_mesh(&path, &bad).is_err(), "{bad:?}");
        assert_eq!(read_mesh(&path).unwrap(), good);
    }
    assert!(matches!(
        write_mesh(&folder.0.join("a.stl"), &good),
        Err(FormatError::UnknownFormat { .. })
    ));
}
