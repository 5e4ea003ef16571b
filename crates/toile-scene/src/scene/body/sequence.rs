//! Bodies that deform, from numbered mesh files or animated glTF.

use super::super::sources::Sources;
use super::super::{SceneError, SceneSource};
use crate::files::Files;
use crate::format::{AnimatedMesh, read_mesh_cut};
use crate::recording::{Attributes, Morph};
use crate::spec::FilesSpec;
use std::path::{Path, PathBuf};
use toile::contact::deforming::{Sequence, SequenceSettings};
use toile::mesh::Mesh;

/// A number with more digits than this is no frame's.
const MOST_DIGITS: usize = 18;

/// More nodes in all frames together would take several gigabytes.
const MOST_PLACES: f64 = 1e8;

/// The files a scene means, in their order.
pub(super) fn find_files(
    source: &Sources,
    field: &str,
    files: &FilesSpec,
) -> Result<Vec<PathBuf>, SceneError> {
    let found = match files {
        FilesSpec::List(list) => Ok(list.iter().map(|file| source.absolute(file)).collect()),
        FilesSpec::Pattern(pattern) => {
            numbered(source.files(), &source.absolute(Path::new(pattern)))
        }
    };
    let found = found.and_then(|found: Vec<PathBuf>| match found.is_empty() {
        true => Err("the sequence has no files".into()),
        false => Ok(found),
    });
    found.map_err(|message| source.error(field, message))
}

/// The files whose names have a number in place of the `*`, by that number. None may be missing in between.
fn numbered(files: &dyn Files, pattern: &Path) -> Result<Vec<PathBuf>, String> {
    let name = pattern.file_name().and_then(|name| name.to_str());
    let Some((before, after)) = name.and_then(|name| name.split_once('*')) else {
        return Err(
            "the name has no `*` where the frame's number is, as in \"walk.*.obj\"; give that, or a list".into(),
        );
    };
    if after.contains('*') {
        return Err("the name has more than one `*`; only the frame's number may vary".into());
    }
    let folder = pattern.parent().unwrap_or(Path::new("."));
    let names = files
        .names(folder)
        .map_err(|error| format!("the folder {} cannot be read: {error}", folder.display()))?;
    let mut found: Vec<(u64, PathBuf)> = Vec::new();
    for name in names {
        let number = name
            .to_str()
            .and_then(|name| name.strip_prefix(before)?.strip_suffix(after))
            .filter(|digits| digits.len() <= MOST_DIGITS && !digits.is_empty())
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok());
        if let Some(number) = number {
            found.push((number, folder.join(&name)));
        }
    }
    found.sort();
    for pair in found.windows(2) {
        let [(first, path), (second, other)] = pair else {
            continue;
        };
        if first == second {
            return Err(format!(
                "{} and {} have the same number; remove one of them",
                path.display(),
                other.display()
            ));
        }
        if first + 1 != *second {
            return Err(format!(
                "frame {} is missing: after {} comes {}; add it, or name the files in a list",
                first + 1,
                path.display(),
                other.display()
            ));
        }
    }
    if found.is_empty() {
        return Err(format!("no file is called {}", pattern.display()));
    }
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// The body of these meshes, at so many frames per second from the start (s) on.
pub(super) fn sequence_shape(
    source: &Sources,
    field: &str,
    (paths, fps, start): (&[PathBuf], f64, f64),
    flip: bool,
) -> Result<(Sequence, Attributes), SceneError> {
    check_times(source, field, fps, start)?;
    let files_error = |message: String| source.error(&format!("{field}.files"), message);
    let (mut faces, mut carried, mut polygons) = (Vec::new(), Attributes::default(), 0);
    let mut frames = Vec::with_capacity(paths.len());
    for path in paths {
        let read = read_mesh_cut(source.files(), path);
        let (mesh, cut) = read.map_err(|error| files_error(error.to_string()))?;
        // Polygons are cut by their shape, which differs from frame to frame; the first frame's way serves for all.
        let alike = mesh.faces == faces
            || polygons > 0 && cut == polygons && mesh.faces.len() == faces.len();
        if frames.is_empty() {
            carried = Attributes::of(&mesh);
            (faces, polygons) = (mesh.faces, cut);
        } else if !alike {
            return Err(files_error(format!(
                "{} has other faces than {}; all frames need the same topology",
                path.display(),
                paths[0].display()
            )));
        }
        frames.push(mesh.positions);
    }
    let times = (0..frames.len()).map(|k| start + k as f64 / fps).collect();
    let settings = SequenceSettings {
        flip_inverted: flip,
        ..Default::default()
    };
    let made = Sequence::new(faces, times, frames, settings).map_err(|error| {
        let place = error.frame().and_then(|frame| paths.get(frame));
        let place = place.map_or_else(String::new, |path| format!("{}: ", path.display()));
        files_error(format!("{place}{error}"))
    })?;
    Ok((made, carried))
}

/// The body that a glTF file animates, looked at `fps` times a second from the start (s) on.
pub(super) fn animated_shape(
    source: &Sources,
    field: &str,
    (file, animation): (&Path, Option<&str>),
    (fps, start): (f64, f64),
    flip: bool,
) -> Result<(Sequence, Attributes), SceneError> {
    check_times(source, field, fps, start)?;
    let refuse = |message: String| source.error(&format!("{field}.file"), message);
    let mesh = AnimatedMesh::read(source.files(), file, animation);
    let mesh = mesh.map_err(|error| refuse(error.to_string()))?;
    let count = (mesh.duration() * fps).ceil();
    let size = (count + 1.0) * mesh.positions(0.0).len() as f64;
    if size > MOST_PLACES {
        return Err(refuse(format!(
            "{count} frames of this mesh would fill the memory; use a smaller fps or a shorter animation"
        )));
    }
    let at = |k: u32| (f64::from(k) / fps).min(mesh.duration());
    let looks: Vec<f64> = (0..=count as u32).map(at).collect();
    let frames = looks.iter().map(|&time| mesh.positions(time)).collect();
    let times = looks.iter().map(|time| start + time).collect();
    let settings = SequenceSettings {
        flip_inverted: flip,
        ..Default::default()
    };
    let made = Sequence::new(mesh.faces().to_vec(), times, frames, settings);
    let made = made.map_err(|error| refuse(format!("{}: {error}", file.display())))?;
    let carried = Mesh {
        corner_uvs: mesh.corner_uvs().map(<[_]>::to_vec),
        ..Mesh::default()
    };
    Ok((made, Attributes::of(&carried)))
}

fn check_times(source: &SceneSource, field: &str, fps: f64, start: f64) -> Result<(), SceneError> {
    if !(fps > 0.0 && fps.is_finite()) {
        let message = format!("the frame rate is {fps}; it must be a positive number");
        return Err(source.error(&format!("{field}.fps"), message));
    }
    if !start.is_finite() {
        let message = format!("the start is {start} s; it must be a number");
        return Err(source.error(&format!("{field}.start"), message));
    }
    Ok(())
}

/// How pictures show it.
pub(super) fn morph(sequence: &Sequence) -> Morph {
    let narrow = |k: usize| {
        let nodes = sequence.frame(k).iter();
        nodes.map(|p| p.as_vec3().to_array()).collect()
    };
    Morph {
        times: sequence.times().to_vec(),
        frames: (0..sequence.times().len()).map(narrow).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::write_mesh;
    use glam::DVec3;
    use toile::contact::Shape;
    use toile::mesh::generate::{Cuboid, cuboid};

    fn block() -> Mesh {
        cuboid(&Cuboid {
            half_extents: [0.5; 3],
            cells: [1; 3],
        })
        .unwrap()
    }

    /// A folder with a block that grows from frame 1 to frame `count`.
    fn folder(name: &str, count: u32) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("toile-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        for k in 1..=count {
            let mut mesh = block();
            for p in &mut mesh.positions {
                *p *= 1.0 + 0.01 * f64::from(k);
            }
            write_mesh(&folder.join(format!("grow.{k:03}.obj")), &mesh).unwrap();
        }
        folder
    }

    fn load(folder: &Path, files: &str) -> Result<crate::scene::World, String> {
        let text = format!(
            "[cloth.c]\nmesh.grid = {{ size = [0.2, 0.2], cells = [2, 2] }}\nplace = {{ at = [0.0, 0.0, 2.0] }}\n\
             [body.b]\nshape.sequence = {{ files = {files}, fps = 10 }}\n"
        );
        std::fs::write(folder.join("scene.toml"), text).unwrap();
        let source = SceneSource::read(&folder.join("scene.toml"));
        let resolved = source.and_then(|source| crate::scene::resolve(&source, source.parse()?));
        resolved.map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn numbered_files_are_a_body_that_deforms() {
        let folder = folder("sequence", 12);
        let world = load(&folder, "\"grow.*.obj\"").unwrap();
        let Shape::Sequence(sequence) = &world.model.bodies[0].shape else {
            panic!("no sequence")
        };
        assert_eq!(sequence.times().len(), 12);
        assert!((sequence.times()[11] - 1.1).abs() < 1e-12);
        let size = |time: f64| sequence.positions(time)[0].abs().max_element();
        assert!((size(0.25) - 0.5 * 1.035).abs() < 1e-6);
        let track = &world.body_tracks[0];
        let shown = track.positions_at(0.25)[0].abs().max_element();
        assert!((shown - 0.5 * 1.035).abs() < 1e-6);
        assert!(world.resolved.contains("grow.012.obj"));
        let listed = load(&folder, "[\"grow.001.obj\", \"grow.007.obj\"]").unwrap();
        let distance = listed.model.bodies[0].sample(DVec3::Z, 9.0).distance;
        assert!((distance - 0.465).abs() < 1e-6, "{distance}");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_wrong_with_the_files_is_said() {
        let folder = folder("sequence-bad", 6);
        let refused = |files: &str, what: &str| {
            let error = load(&folder, files).err().unwrap_or_default();
            assert!(error.contains(what), "{what:?} not in {error}");
        };
        refused("\"walk.*.obj\"", "no file is called");
        refused("\"grow.001.obj\"", "no `*`");
        refused("\"*.*.obj\"", "more than one");
        refused("[]", "no files");
        refused("7", "a list of file names");
        refused("[\"grow.001.obj\", \"grow.099.obj\"]", "grow.099.obj");
        std::fs::remove_file(folder.join("grow.004.obj")).unwrap();
        refused("\"grow.*.obj\"", "frame 4 is missing");
        let mut far = block();
        for p in &mut far.positions {
            *p += 9.0 * DVec3::X;
        }
        write_mesh(&folder.join("grow.004.obj"), &far).unwrap();
        refused("\"grow.*.obj\"", "farther than the body");
        let mut other = block();
        other.faces.pop();
        write_mesh(&folder.join("grow.004.obj"), &other).unwrap();
        refused("\"grow.*.obj\"", "same topology");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
