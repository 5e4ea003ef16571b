//! VTU grids, decoded from their appended bytes, and the collection with the times.

use super::fixture::{FPS, FRAMES, Folder, record};
use std::collections::HashMap;
use std::path::Path;
use toile_scene::export::{ExportFormat, ExportOptions, export};

/// The arrays of a grid by name, as bytes.
struct Grid {
    head: String,
    arrays: HashMap<String, Vec<u8>>,
}

impl Grid {
    fn open(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let marker = b"<AppendedData encoding=\"raw\">\n_";
        let at = bytes
            .windows(marker.len())
            .position(|w| w == marker)
            .unwrap();
        let head = String::from_utf8(bytes[..at].to_vec()).unwrap();
        assert!(head.contains("header_type=\"UInt64\"") && head.contains("LittleEndian"));
        let data = &bytes[at + marker.len()..];
        assert!(data.ends_with(b"\n</AppendedData>\n</VTKFile>\n"));
        let arrays = head
            .lines()
            .filter(|line| line.contains("format=\"appended\""));
        let arrays = arrays.map(|line| {
            let offset: usize = attribute(line, "offset").parse().unwrap();
            let length = u64::from_le_bytes(data[offset..offset + 8].try_into().unwrap());
            let bytes = data[offset + 8..][..length as usize].to_vec();
            (attribute(line, "Name").to_owned(), bytes)
        });
        let arrays = arrays.collect();
        Grid { head, arrays }
    }

    fn floats(&self, name: &str) -> Vec<f32> {
        let words = self.arrays[name].chunks(4);
        words
            .map(|w| f32::from_le_bytes(w.try_into().unwrap()))
            .collect()
    }

    fn integers(&self, name: &str) -> Vec<i32> {
        let words = self.arrays[name].chunks(4);
        words
            .map(|w| i32::from_le_bytes(w.try_into().unwrap()))
            .collect()
    }
}

fn attribute<'t>(line: &'t str, name: &str) -> &'t str {
    let opening = format!(" {name}=\"");
    let start = line
        .find(&opening)
        .unwrap_or_else(|| panic!("no {name} in {line}"))
        + opening.len();
    line[start..].split('"').next().unwrap()
}

#[test]
fn points_and_cells_are_those_of_the_recording() {
    let folder = Folder::new();
    let recording = record(&folder);
    let out = folder.path().join("walk.vtu");
    export(
        &recording,
        ExportFormat::Vtu,
        &out,
        &ExportOptions::default(),
    )
    .unwrap();
    for index in 0..FRAMES {
        let grid = Grid::open(&folder.path().join(format!("walk_{index:04}.vtu")));
        assert!(
            grid.head
                .contains("NumberOfPoints=\"13\" NumberOfCells=\"6\"")
        );
        let recorded = recording.frame(index).unwrap();
        let places = recorded.positions.iter();
        let places: Vec<f32> = places.flat_map(|p| p.as_vec3().to_array()).collect();
        assert_eq!(grid.floats("Points"), places);
        assert_eq!(grid.arrays["types"], [9, 9, 9, 9, 5, 5]);
        assert_eq!(grid.integers("offsets"), [4, 8, 12, 16, 19, 22]);
        assert_eq!(
            grid.integers("connectivity")[12..],
            [4, 5, 8, 7, 9, 10, 11, 9, 11, 12]
        );
        assert_eq!(grid.integers("cloth"), [0, 0, 0, 0, 1, 1]);
        let time = format!(">{}</DataArray>", recorded.time);
        assert!(grid.head.contains(&time), "{}", grid.head);
    }
}

#[test]
fn stretch_displacement_and_area_ratio_are_those_computed_by_hand() {
    let folder = Folder::new();
    let recording = record(&folder);
    let out = folder.path().join("walk.pvd");
    let options = ExportOptions {
        frames: Some(3..5),
        ..Default::default()
    };
    export(&recording, ExportFormat::Vtu, &out, &options).unwrap();
    // In frame 4 the table cloth is 1.4 times as wide, and its middle is lifted by 0.4.
    let grid = Grid::open(&folder.path().join("walk_0004.vtu"));
    let displacement = grid.floats("displacement");
    let close = |a: f32, b: f32| assert!((a - b).abs() < 1e-6, "{a} {b}");
    // Node 0 went from x = −1 to x = −1.4 and rose by 0.2; node 1 rose by 0.6.
    for (read, expected) in displacement[..6]
        .iter()
        .zip([-0.4, 0.0, 0.2, 0.0, 0.0, 0.6])
    {
        close(*read, expected);
    }
    // Both edges at node 1 became √(1.4² + 0.4²) long; node 3 has no edge.
    let length = 1.4f32.hypot(0.4);
    let stretch = grid.floats("stretch");
    for stretch in &stretch[..3] {
        close(*stretch, length - 1.0);
    }
    assert_eq!(stretch[3], 0.0);
    let ratio = grid.floats("area_ratio");
    close(ratio[0], length);
    // The flag's far corner (1, 1) rose by 0.8: the triangle (0,0) (1,0) (1,1) has area ½√(1 + 0.8²).
    close(ratio[4], 1f32.hypot(0.8));
}

#[test]
fn bodies_are_placed_by_their_poses() {
    let folder = Folder::new();
    let recording = record(&folder);
    let out = folder.path().join("walk");
    export(
        &recording,
        ExportFormat::Vtu,
        &out,
        &ExportOptions::default(),
    )
    .unwrap();
    for index in 0..FRAMES {
        let grid = Grid::open(&folder.path().join(format!("walk_bodies_{index:04}.vtu")));
        let points = grid.floats("Points");
        let poses = recording.frame(index).unwrap().poses;
        let ball = &recording.bodies()[0].positions;
        for (read, own) in points.chunks(3).zip(ball) {
            let expected = (poses[0].rotation * *own + poses[0].translation).as_vec3();
            assert!(glam::Vec3::from_slice(read).distance(expected) < 1e-6);
        }
        assert_eq!(points[18..21], [0.0, 0.0, -1.0]);
        let body = grid.integers("body");
        assert_eq!((body.len(), body[7], body[8]), (14, 0, 1));
        assert_eq!(grid.arrays["types"][7..9], [5, 9]);
    }
}

#[test]
fn the_collection_names_every_file_at_its_real_time() {
    let folder = Folder::new();
    let recording = record(&folder);
    let out = folder.path().join("R&D.vtu");
    let options = ExportOptions {
        every: 2,
        ..Default::default()
    };
    let summary = export(&recording, ExportFormat::Vtu, &out, &options).unwrap();
    let collection = summary.files.last().unwrap();
    assert_eq!(collection.file_name().unwrap(), "R&D.pvd");
    let text = std::fs::read_to_string(collection).unwrap();
    let sets = text.lines().filter(|line| line.starts_with("<DataSet"));
    let sets: Vec<(f64, String, String)> = sets
        .map(|line| {
            let file = attribute(line, "file").replace("&amp;", "&");
            (
                attribute(line, "timestep").parse().unwrap(),
                attribute(line, "part").into(),
                file,
            )
        })
        .collect();
    assert_eq!(sets.len(), 6);
    for (k, pair) in sets.chunks(2).enumerate() {
        let time = (2 * k) as f64 / FPS;
        assert_eq!(pair[0], (time, "0".into(), format!("R&D_{:04}.vtu", 2 * k)));
        assert_eq!(
            pair[1],
            (time, "1".into(), format!("R&D_bodies_{:04}.vtu", 2 * k))
        );
        assert!(pair.iter().all(|set| folder.path().join(&set.2).is_file()));
    }
}

#[test]
fn bodies_that_never_move_have_one_file_for_all_times() {
    let folder = Folder::new();
    let recording = record(&folder);
    let out = folder.path().join("walk");
    let options = ExportOptions {
        frames: Some(2..3),
        ..Default::default()
    };
    let summary = export(&recording, ExportFormat::Vtu, &out, &options).unwrap();
    let names: Vec<_> = summary
        .files
        .iter()
        .map(|f| f.file_name().unwrap())
        .collect();
    assert_eq!(names, ["walk_0002.vtu", "walk_bodies.vtu", "walk.pvd"]);
    let text = std::fs::read_to_string(&summary.files[2]).unwrap();
    assert!(text.contains("timestep=\"0.08\" group=\"\" part=\"1\" file=\"walk_bodies.vtu\""));
}
