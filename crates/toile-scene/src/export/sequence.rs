//! One mesh file per frame, for programs that know nothing of animation.

use super::frames::{Selection, cloth_positions};
use super::output::{Output, sequence_targets, stem_of};
use super::{ExportError, ExportOptions, ExportSummary};
use crate::format::{PlyEncoding, write_obj, write_ply};
use crate::recording::RecordedFrame;
use std::io;
use std::path::Path;
use toile::mesh::Mesh;

/// A mesh format: its extension and how a mesh is written in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeshFormat {
    extension: &'static str,
    write: fn(&Mesh, &mut Vec<u8>) -> io::Result<()>,
}

/// Wavefront OBJ.
pub(super) const OBJ: MeshFormat = MeshFormat {
    extension: "obj",
    write: |mesh, out| write_obj(mesh, out),
};

/// Stanford PLY.
pub(super) const PLY: MeshFormat = MeshFormat {
    extension: "ply",
    write: |mesh, out| write_ply(mesh, PlyEncoding::BinaryLittleEndian, out),
};

pub(super) fn export(
    selection: &Selection,
    format: MeshFormat,
    out: &Path,
    options: &ExportOptions,
) -> Result<ExportSummary, ExportError> {
    if selection.cloths().next().is_none() {
        return Err(ExportError::NothingToExport);
    }
    let stem = stem_of(out, &[format.extension])?;
    let targets = sequence_targets(&stem, format.extension, &selection.indices);
    let mut output = Output::new(&targets, options.force)?;
    selection.survey(|_, _| {})?;
    for (k, target) in targets.iter().enumerate() {
        let mut bytes = Vec::new();
        let written = (format.write)(&merged_cloths(selection, &selection.read(k)?), &mut bytes);
        written.map_err(|source| ExportError::Io {
            path: target.clone(),
            source,
        })?;
        let mut file = output.create(target)?;
        file.put(&bytes)?;
        file.finish()?;
    }
    Ok(ExportSummary {
        files: output.commit()?,
        notes: notes(selection),
    })
}

/// All cloths of a frame as one mesh, in the order of the recording.
fn merged_cloths(selection: &Selection, frame: &RecordedFrame) -> Mesh {
    let mut mesh = Mesh::default();
    for cloth in selection.cloths() {
        let offset = mesh.positions.len() as u32;
        mesh.positions.extend(cloth_positions(frame, cloth));
        mesh.faces
            .extend(cloth.faces.iter().map(|f| f.shifted(offset)));
    }
    mesh
}

fn notes(selection: &Selection) -> Vec<String> {
    let mut notes = selection.notes_on_what_is_left_out();
    let bodies = selection.bodies().count();
    if bodies > 0 {
        notes.push(format!(
            "a mesh sequence holds the cloths only: {bodies} bodies were left out"
        ));
    }
    if selection.cloths().count() > 1 {
        let names: Vec<_> = selection
            .cloths()
            .map(|c| format!("`{}`", c.name))
            .collect();
        notes.push(format!(
            "each file holds the cloths {} as one mesh",
            names.join(", ")
        ));
    }
    notes
}
