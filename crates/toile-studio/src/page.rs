//! The page: what was built into the program, or a build elsewhere, or word of how to get one.

use crate::error::Denial;
use crate::state::Shared;
use axum::extract::State;
use axum::http::{Uri, header};
use axum::response::{IntoResponse, Response};
use std::borrow::Cow;
use std::path::{Component, Path};
use std::sync::Arc;

/// The files of `studio/dist`, if it had been built.
const EMBEDDED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

const MISSING: &str = include_str!("missing.html");

/// Answers with a file of the page.
pub async fn page(State(shared): State<Arc<Shared>>, uri: Uri) -> Result<Response, Denial> {
    let name = uri.path().trim_start_matches('/');
    let name = if name.is_empty() { "index.html" } else { name };
    let found = match &shared.page {
        Some(folder) => from_disk(folder, name).map(Cow::Owned),
        None => embedded(name).map(Cow::Borrowed),
    };
    match found {
        Some(bytes) => Ok(typed(name, bytes)),
        None if name == "index.html" => Ok(typed(name, Cow::Borrowed(MISSING.as_bytes()))),
        None => Err(Denial::file(format!("the page has no file `{name}`"))),
    }
}

/// Whether there is a page to show.
pub fn is_there(page: Option<&Path>) -> bool {
    match page {
        Some(folder) => folder.join("index.html").is_file(),
        None => embedded("index.html").is_some(),
    }
}

fn embedded(name: &str) -> Option<&'static [u8]> {
    let found = EMBEDDED.iter().find(|(known, _)| *known == name);
    found.map(|(_, bytes)| *bytes)
}

fn from_disk(folder: &Path, name: &str) -> Option<Vec<u8>> {
    let down = |part: Component| matches!(part, Component::Normal(_));
    let name = Path::new(name);
    let is_inside = name.components().all(down);
    is_inside.then(|| std::fs::read(folder.join(name)).ok())?
}

fn typed(name: &str, bytes: Cow<'static, [u8]>) -> Response {
    let kind = content_type(name);
    let body = match bytes {
        Cow::Borrowed(bytes) => axum::body::Body::from(bytes),
        Cow::Owned(bytes) => axum::body::Body::from(bytes),
    };
    ([(header::CONTENT_TYPE, kind)], body).into_response()
}

/// What kind of file a name is of.
pub fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "csv" => "text/csv; charset=utf-8",
        "toml" | "txt" | "md" => "text/plain; charset=utf-8",
        "glb" => "model/gltf-binary",
        _ => "application/octet-stream",
    }
}
