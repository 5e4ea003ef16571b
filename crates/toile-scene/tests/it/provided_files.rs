//! Scenes whose files are in memory: what a disk would give, to the bit.

use glam::DVec3;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use toile::command::Command;
use toile::mesh::Mesh;
use toile::mesh::generate::{Cuboid, Diagonals, Grid, GridPattern, cuboid, grid};
use toile_scene::files::{Disk, Files, MemoryFiles};
use toile_scene::format::mesh_bytes;
use toile_scene::recording::{RecordedFrame, Recording};
use toile_scene::run::{RunFolder, RunOptions, run};
use toile_scene::scene::{SceneSource, World, resolve_from};

/// Every kind of file that a scene can name, but animations; some of them beside and above it.
const SCENE: &str = r#"
[time]
duration = 0.1
fps = 50
[cloth.sheet]
mesh.file = { path = "../meshes/sheet.obj" }
rest.file = { path = "rest/../rest/sheet.ply" }
place.at = [0.0, 0.0, 0.3]
bending = "dihedral"
fold.rest.file = { path = "../meshes/folds.obj" }
[[cloth.sheet.pin]]
select.corners = [0]
motion.trajectory.path = "./lift.csv"
[body.block]
shape.mesh = { file = "../meshes/block.obj", cell = 0.05 }
[body.breath]
shape.sequence = { files = "breath/frame.*.obj", fps = 20 }
place.at = [2.0, 0.0, 0.0]
"#;

fn block(half: f64) -> Mesh {
    let block = cuboid(&Cuboid {
        half_extents: [half; 3],
        cells: [2; 3],
    });
    block.unwrap()
}

fn sheet(size: f64) -> Mesh {
    let sheet = grid(&Grid {
        size: [size; 2],
        cells: [6; 2],
        pattern: GridPattern::Triangles(Diagonals::Alternating),
    });
    sheet.unwrap()
}

fn folded() -> Mesh {
    let mut sheet = sheet(0.4);
    for p in &mut sheet.positions {
        p.z = 0.1 * p.x * p.x;
    }
    sheet
}

/// The scene and what it names.
fn files() -> Vec<(PathBuf, Vec<u8>)> {
    let mesh = |name: &str, mesh: &Mesh| {
        let name = PathBuf::from(name);
        let bytes = mesh_bytes(&name, mesh).unwrap();
        (name, bytes)
    };
    let mut files = vec![
        ("scenes/scene.toml".into(), SCENE.into()),
        (
            "scenes/lift.csv".into(),
            "time,x,y,z\n0,0,0,0\n1,0,0,1\n".into(),
        ),
        mesh("meshes/sheet.obj", &sheet(0.4)),
        mesh("scenes/rest/sheet.ply", &sheet(0.41)),
        mesh("meshes/folds.obj", &folded()),
        mesh("meshes/block.obj", &block(0.2)),
    ];
    for k in 1..=3 {
        let name = format!("scenes/breath/frame.{k}.obj");
        files.push(mesh(&name, &block(0.2 + 0.01 * f64::from(k))));
    }
    files
}

fn in_memory() -> MemoryFiles {
    let files = files().into_iter();
    files.fold(MemoryFiles::new(), |all, (name, bytes)| {
        all.with(name, bytes)
    })
}

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = format!("toile-provided-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        let _ = std::fs::remove_dir_all(&folder);
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn on_disk(name: &str) -> Folder {
    let folder = Folder::new(name);
    for (name, bytes) in files() {
        let file = folder.0.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }
    folder
}

fn world(files: impl Files + 'static, scene: &Path) -> World {
    let source = SceneSource::read_from(&files, scene).unwrap();
    resolve_from(Arc::new(files), &source, source.parse().unwrap()).unwrap()
}

fn world_in_memory() -> World {
    world(in_memory(), Path::new("scenes/scene.toml"))
}

fn bits(positions: &[DVec3]) -> Vec<u64> {
    let numbers = positions.iter().flat_map(|p| p.to_array());
    numbers.map(f64::to_bits).collect()
}

#[test]
fn a_scene_in_memory_moves_as_on_the_disk_to_the_bit() {
    let folder = on_disk("bits");
    let on_disk = world(Disk, &folder.0.join("scenes/scene.toml"));
    let in_memory = world_in_memory();
    assert_eq!(on_disk.fingerprint(), in_memory.fingerprint());
    let (mut one, mut other) = (on_disk.simulation(), in_memory.simulation());
    let start = bits(one.positions());
    for _ in 0..5 {
        one.step().unwrap();
        other.step().unwrap();
    }
    assert_eq!(bits(one.positions()), bits(other.positions()));
    assert_ne!(bits(one.positions()), start, "nothing moved");
}

#[test]
fn a_resolved_scene_names_its_files_so_that_they_are_found_again() {
    let first = world_in_memory();
    assert!(first.resolved.contains("\"/meshes/sheet.obj\""));
    assert!(first.resolved.contains("\"/scenes/breath/frame.2.obj\""));
    let files = in_memory().with("elsewhere/again.toml", &first.resolved);
    let again = world(files, Path::new("elsewhere/again.toml"));
    assert_eq!(first.fingerprint(), again.fingerprint());
}

#[test]
fn a_setting_changed_on_the_way_reads_the_meshes_from_where_they_were() {
    let mut simulation = world_in_memory().simulation();
    let command = Command::Set {
        name: "cloth.sheet.material.density".into(),
        value: 0.3,
    };
    simulation.command(&command).unwrap();
    assert_eq!(simulation.model().cloths[0].density, 0.3);
    simulation.step().unwrap();
}

#[test]
fn a_missing_file_is_named_with_the_line_that_asks_for_it() {
    for (gone, field, line) in [
        ("/meshes/sheet.obj", "cloth.sheet.mesh.file.path", 6),
        ("/scenes/rest/sheet.ply", "cloth.sheet.rest.file.path", 7),
        ("/meshes/folds.obj", "cloth.sheet.fold.rest.file.path", 10),
        ("/scenes/lift.csv", "motion.trajectory.path", 13),
        ("/meshes/block.obj", "body.block.shape.mesh.file", 15),
    ] {
        let mut files = in_memory();
        assert!(files.remove(gone), "{gone}");
        let source = SceneSource::read_from(&files, Path::new("scenes/scene.toml")).unwrap();
        let refused = resolve_from(Arc::new(files), &source, source.parse().unwrap());
        let error = refused.unwrap_err().to_string();
        let place = format!("scenes/scene.toml:{line}:");
        assert!(error.starts_with(&place), "{place} not in {error}");
        for words in [gone, field, "there is no such file"] {
            assert!(error.contains(words), "{words} not in {error}");
        }
    }
    let missing = SceneSource::read_from(&MemoryFiles::new(), Path::new("scenes/other.toml"));
    let error = missing.unwrap_err().to_string();
    assert!(error.starts_with("scenes/other.toml: "), "{error}");
}

#[test]
fn a_recording_in_memory_is_read_as_on_the_disk() {
    let folder = Folder::new("recording");
    let made = RunFolder::create(&folder.0, false).unwrap();
    // The outside clock: a second passes with every look at it.
    static LOOKS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let options = RunOptions {
        until: None,
        resume: false,
        threads: Some(1),
        checkpoint_interval: 1e9,
        stop: &AtomicBool::new(false),
        clock: || f64::from(LOOKS.fetch_add(1, Ordering::Relaxed)),
    };
    let summary = run(&world_in_memory(), &made, &options, &mut ()).unwrap();
    let looks = f64::from(LOOKS.load(Ordering::Relaxed));
    assert_eq!(summary.wall, looks - 1.0);

    let file = folder.0.join("frames.toile");
    let files = MemoryFiles::new().with("run/frames.toile", std::fs::read(&file).unwrap());
    let on_disk = Recording::open(&folder.0).unwrap();
    for name in ["run", "run/frames.toile"] {
        let in_memory = Recording::open_from(&files, Path::new(name)).unwrap();
        let frames = |recording: &Recording| -> Vec<RecordedFrame> {
            // From the back, so that each is looked for.
            let frames = (0..recording.frame_count()).rev();
            frames.map(|k| recording.frame(k).unwrap()).collect()
        };
        assert_eq!(frames(&on_disk).len(), 6);
        assert_eq!(frames(&on_disk), frames(&in_memory), "{name}");
    }
    let missing = Recording::open_from(&files, Path::new("other/frames.toile"));
    let error = missing.unwrap_err().to_string();
    assert!(error.contains("other/frames.toile"), "{error}");
}
