//! Point caches: where every node of a cloth is in every frame, and its mesh as OBJ beside it.
//!
//! | PC2, little-endian | MDD, big-endian |
//! |---|---|
//! | `POINTCACHE2\0`, version 1 (`i32`) | |
//! | points (`i32`) | frames (`i32`), points (`i32`) |
//! | first frame (`f32`), frames per sample (`f32`), samples (`i32`) | time of each frame (`f32`, s) |
//! | x y z (`f32`) of each point, sample by sample | x y z (`f32`) of each point, frame by frame |
//!
//! The points are the vertices of the OBJ file in its order; seams of the texture do not add any.

use super::frames::{Selection, Survey, cloth_positions};
use super::output::{Output, OutputFile, stem_of, with_suffix};
use super::sequence::merged_cloths;
use super::surface::readable_size;
use super::{ExportError, ExportOptions, ExportSummary};
use crate::format::write_obj;
use crate::recording::ClothTrack;
use glam::DVec3;
use std::path::{Path, PathBuf};

/// The two layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cache {
    Pc2,
    Mdd,
}

impl Cache {
    fn extension(self) -> &'static str {
        match self {
            Cache::Pc2 => "pc2",
            Cache::Mdd => "mdd",
        }
    }

    fn number(self, value: f32) -> [u8; 4] {
        match self {
            Cache::Pc2 => value.to_le_bytes(),
            Cache::Mdd => value.to_be_bytes(),
        }
    }

    fn head(self, points: i32, survey: &Survey, options: &ExportOptions) -> Vec<u8> {
        // There are fewer frames than nodes and bytes of the recording; `check` sees to both.
        let samples = survey.times.len() as i32;
        let mut head = Vec::new();
        match self {
            Cache::Pc2 => {
                head.extend(b"POINTCACHE2\0");
                head.extend(1i32.to_le_bytes());
                head.extend(points.to_le_bytes());
                head.extend((options.start_frame as f32).to_le_bytes());
                head.extend((options.every as f32).to_le_bytes());
                head.extend(samples.to_le_bytes());
            }
            Cache::Mdd => {
                head.extend(samples.to_be_bytes());
                head.extend(points.to_be_bytes());
                let start = survey.times[0];
                let times = survey.times.iter().map(|t| (t - start) as f32);
                head.extend(times.flat_map(f32::to_be_bytes));
            }
        }
        head
    }
}

pub(super) fn export(
    selection: &Selection,
    cache: Cache,
    out: &Path,
    options: &ExportOptions,
) -> Result<ExportSummary, ExportError> {
    let stem = stem_of(out, &[cache.extension(), "obj"])?;
    let cloths: Vec<&ClothTrack> = selection.cloths().collect();
    if cloths.is_empty() {
        return Err(ExportError::NothingToExport);
    }
    let targets: Vec<[PathBuf; 2]> = targets(&cloths, &stem, cache.extension());
    let mut output = Output::new(targets.iter().flatten(), options.force)?;
    let survey = selection.survey(|_, _| {})?;
    let first = selection.read(0)?;
    let mut files = Vec::with_capacity(cloths.len());
    for (cloth, [mesh, points]) in cloths.iter().zip(&targets) {
        let mut surface = merged_cloths([*cloth].into_iter(), &first);
        place(&mut surface.positions, selection, options);
        let mut text = Vec::new();
        write_obj(&surface, &mut text).map_err(|source| ExportError::Io {
            path: mesh.clone(),
            source,
        })?;
        let mut file = output.create(mesh)?;
        file.put(&text)?;
        file.finish()?;
        let mut file = output.create(points)?;
        file.put(cache.head(count(cloth, &survey)?, &survey, options))?;
        files.push(file);
    }
    for k in 0..selection.indices.len() {
        let frame = selection.read(k)?;
        for (cloth, file) in cloths.iter().zip(&mut files) {
            let mut places = cloth_positions(&frame, cloth).to_vec();
            place(&mut places, selection, options);
            let numbers = places.iter().flat_map(|p| p.as_vec3().to_array());
            let bytes: Vec<u8> = numbers.flat_map(|x| cache.number(x)).collect();
            file.put(bytes)?;
        }
    }
    files.into_iter().try_for_each(OutputFile::finish)?;
    Ok(ExportSummary {
        files: output.commit()?,
        notes: notes(selection, &survey, cache, options),
    })
}

/// From places of the recording to those of the files, which are about the recording's origin.
fn place(places: &mut [DVec3], selection: &Selection, options: &ExportOptions) {
    let origin = selection.origin();
    places.iter_mut().for_each(|p| *p -= origin);
    options.up.turn(places);
}

/// The mesh and the cache of each cloth; with several cloths their names are in the files' names.
fn targets(cloths: &[&ClothTrack], stem: &Path, extension: &str) -> Vec<[PathBuf; 2]> {
    let plain = |c: char| {
        if c.is_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        }
    };
    let mut stems: Vec<PathBuf> = Vec::with_capacity(cloths.len());
    for (number, cloth) in cloths.iter().enumerate() {
        let name: String = cloth.name.chars().map(plain).collect();
        let mut own = match cloths.len() {
            1 => stem.to_owned(),
            _ => with_suffix(stem, &format!("_{name}")),
        };
        if stems.contains(&own) {
            own = with_suffix(stem, &format!("_{name}_{number}"));
        }
        stems.push(own);
    }
    let pair = |stem: PathBuf| [".obj", &format!(".{extension}")].map(|s| with_suffix(&stem, s));
    stems.into_iter().map(pair).collect()
}

/// How many points a cloth has, if the file can say so.
fn count(cloth: &ClothTrack, survey: &Survey) -> Result<i32, ExportError> {
    let most = cloth.node_count.max(survey.times.len());
    match i32::try_from(most) {
        Ok(_) => Ok(cloth.node_count as i32),
        Err(_) => Err(ExportError::TooLarge {
            what: format!(
                "cloth `{}` has more than 2 147 483 647 nodes or frames",
                cloth.name
            ),
            mend: "export USDA instead".into(),
        }),
    }
}

fn notes(
    selection: &Selection,
    survey: &Survey,
    cache: Cache,
    options: &ExportOptions,
) -> Vec<String> {
    let mut notes = selection.notes_on_what_is_left_out();
    let bodies = selection.bodies().count();
    if bodies > 0 {
        notes.push(format!(
            "a point cache holds the cloths only: {bodies} bodies were left out"
        ));
    }
    notes.push(
        "normals are not in a point cache; texture coordinates and colours are in the .obj file"
            .into(),
    );
    let fps = selection.recording.header().fps;
    let (samples, start) = (survey.times.len(), options.start_frame);
    let last = i64::from(start) + (samples as i64 - 1) * options.every as i64;
    notes.push(match cache {
        Cache::Pc2 => format!(
            "{samples} samples at {fps} frames per second, from frame {start} to {last}; set this frame rate in the scene"
        ),
        Cache::Mdd => format!(
            "{samples} frames with their times from 0 s on, recorded at {fps} frames per second; start the cache at frame {start}"
        ),
    });
    notes.push(options.up.note());
    let origin = selection.origin();
    if origin != DVec3::ZERO {
        let [x, y, z] = options.up.place(origin).to_array();
        notes.push(format!(
            "a point cache has single precision: all places are from ({x}, {y}, {z}) m; move the object there"
        ));
    }
    let points: usize = selection.cloths().map(|c| c.node_count).sum();
    notes.push(format!(
        "{} in all; import the .obj first, then add the cache (Blender: modifier Mesh Cache, no axis changes)",
        readable_size(12 * points as u64 * samples as u64)
    ));
    notes
}
