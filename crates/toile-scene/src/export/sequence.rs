//! One mesh file per frame, for programs that know nothing of animation.

use super::frames::{Selection, cloth_positions};
use super::output::{Output, sequence_targets, stem_of};
use super::surface::smooth_normals;
use super::{ExportError, ExportOptions, ExportSummary};
use crate::format::{PlyEncoding, write_obj_with_normals, write_ply_with_normals};
use crate::recording::{ClothTrack, RecordedFrame};
use glam::{DVec2, Vec3};
use std::io;
use std::path::Path;
use toile::mesh::Mesh;

/// A mesh format: its extension and how a mesh is written in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeshFormat {
    extension: &'static str,
    write: fn(&Mesh, &[Vec3], &mut Vec<u8>) -> io::Result<()>,
}

/// Wavefront OBJ.
pub(super) const OBJ: MeshFormat = MeshFormat {
    extension: "obj",
    write: |mesh, normals, out| write_obj_with_normals(mesh, Some(normals), out),
};

/// Stanford PLY.
pub(super) const PLY: MeshFormat = MeshFormat {
    extension: "ply",
    write: |mesh, normals, out| {
        write_ply_with_normals(mesh, Some(normals), PlyEncoding::BinaryLittleEndian, out)
    },
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
        let mut mesh = merged_cloths(selection.cloths(), &selection.read(k)?);
        options.up.turn(&mut mesh.positions);
        let normals = smooth_normals(&mesh.positions, &mesh.faces);
        let written = (format.write)(&mesh, &normals, &mut bytes);
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
        notes: notes(selection, options),
    })
}

/// Cloths of a frame as one mesh. Where only some have texture coordinates, the others get zeros; where only some have
/// colours, the others get that of their front.
pub(super) fn merged_cloths<'c>(
    cloths: impl Iterator<Item = &'c ClothTrack> + Clone,
    frame: &RecordedFrame,
) -> Mesh {
    let has_uvs = cloths.clone().any(|c| c.attributes.corner_uvs.is_some());
    let has_colors = cloths.clone().any(|c| c.attributes.node_colors.is_some());
    let mut mesh = Mesh {
        corner_uvs: has_uvs.then(Vec::new),
        node_colors: has_colors.then(Vec::new),
        ..Mesh::default()
    };
    for cloth in cloths {
        let offset = mesh.positions.len() as u32;
        mesh.positions.extend(cloth_positions(frame, cloth));
        mesh.faces
            .extend(cloth.faces.iter().map(|f| f.shifted(offset)));
        if let Some(uvs) = &mut mesh.corner_uvs {
            let wide = |uvs: &[[f32; 2]; 4]| uvs.map(|uv| DVec2::from_array(uv.map(in_digits)));
            uvs.extend(cloth.attributes.corner_uvs.iter().flatten().map(wide));
            uvs.resize(mesh.faces.len(), [DVec2::ZERO; 4]);
        }
        if let Some(colors) = &mut mesh.node_colors {
            colors.extend(cloth.attributes.node_colors.iter().flatten());
            colors.resize(mesh.positions.len(), cloth.colors[0]);
        }
    }
    mesh
}

fn notes(selection: &Selection, options: &ExportOptions) -> Vec<String> {
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
    notes.push(options.up.note());
    notes
}

/// A number of single precision as its shortest digits say: 0.2, and not 0.20000000298.
fn in_digits(number: f32) -> f64 {
    let digits = number.to_string();
    digits.parse().unwrap_or(f64::from(number))
}
