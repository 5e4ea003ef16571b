//! Meshes that are dropped on the page.

use super::{Answer, as_json, aside, whole};
use crate::error::Denial;
use crate::state::Shared;
use axum::body::Body;
use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toile::mesh::Mesh;
use toile::mesh::doctor::{Severity, examine};
use toile_scene::files::{Files, MemoryFiles};
use toile_scene::format::{AnimatedMesh, read_mesh_from};
use toile_scene::run::write_atomically;

/// Names that are tried before giving up.
const NAMES: u32 = 1000;

#[derive(Deserialize)]
pub struct MeshName {
    name: String,
}

/// Keeps a mesh in the folder and says what is wrong with it.
pub async fn upload(
    State(shared): State<Arc<Shared>>,
    Query(asked): Query<MeshName>,
    body: Body,
) -> Answer {
    shared.may_change()?;
    let name = plain_name(&asked.name)?;
    let bytes = whole(body, shared.limits.upload_bytes, shared.limits.body_time).await?;
    let found = aside(move || {
        let mesh = read(&name, &bytes)?;
        let target = free_name(&shared, &name)?;
        let wrong = |error: &dyn std::fmt::Display| Denial::file(error.to_string());
        write_atomically(&target, &bytes).map_err(|error| wrong(&error))?;
        Ok(described(&shared.folder.shown(&target), &mesh))
    });
    Ok(as_json(&found.await?))
}

/// A name without folders, of letters that every system has.
fn plain_name(name: &str) -> Result<String, Denial> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or("");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let plain: String = last
        .chars()
        .map(|c| if is_plain(c) { c } else { '-' })
        .collect();
    let plain = plain.trim_start_matches('.').to_ascii_lowercase();
    let extension = Path::new(&plain).extension().and_then(|e| e.to_str());
    match extension {
        Some("obj" | "ply" | "glb") if plain.len() <= 100 => Ok(plain),
        _ => Err(Denial::message(format!(
            "{name}: meshes are files called NAME.obj, NAME.ply or NAME.glb"
        ))),
    }
}

fn read(name: &str, bytes: &[u8]) -> Result<Mesh, Denial> {
    if name.ends_with(".glb") {
        let read = AnimatedMesh::from_bytes(bytes, None);
        let moving = read.map_err(|error| Denial::message(format!("{name}: {error}")))?;
        return Ok(Mesh {
            positions: moving.positions(0.0),
            faces: moving.faces().to_vec(),
            corner_uvs: moving.corner_uvs().map(<[_]>::to_vec),
            ..Mesh::default()
        });
    }
    let files = MemoryFiles::new().with(name, bytes);
    let files: &dyn Files = &files;
    read_mesh_from(files, Path::new(name)).map_err(|error| Denial::message(error.to_string()))
}

/// Where it is kept: under its own name, or with a number.
fn free_name(shared: &Shared, name: &str) -> Result<PathBuf, Denial> {
    let path = Path::new(name);
    let part =
        |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = (part(path.file_stem()), part(path.extension()));
    let numbered = (2..NAMES).map(|k| format!("{stem}-{k}.{extension}"));
    for name in std::iter::once(name.to_owned()).chain(numbered) {
        let target = shared.folder.target(Path::new(&name));
        let target = target.map_err(|error| super::io_denial(&name, &error))?;
        if std::fs::symlink_metadata(&target).is_err() {
            return Ok(target);
        }
    }
    Err(Denial::file(format!(
        "{name}: there are {NAMES} files of this name already"
    )))
}

fn described(path: &str, mesh: &Mesh) -> Value {
    let diagnosis = examine(mesh);
    let findings = diagnosis.findings.iter().map(|finding| {
        let severity = match finding.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        json!({
            "severity": severity,
            "what": finding.what(),
            "meaning": finding.meaning(),
            "mend": finding.mend(),
        })
    });
    json!({
        "path": path,
        "nodes": mesh.positions.len(),
        "faces": mesh.faces.len(),
        "size": diagnosis.statistics.extents,
        "usable": diagnosis.is_usable(),
        "findings": findings.collect::<Vec<_>>(),
    })
}
