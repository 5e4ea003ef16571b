//! The shelf, and files of the folder that a browser shows by itself.

use super::{Answer, as_json, aside, find, io_denial, typed};
use crate::error::Denial;
use crate::page::content_type;
use crate::state::Shared;
use axum::extract::{Query, State};
use axum::http::{HeaderValue, header};
use serde::Deserialize;
use std::sync::Arc;

/// What a page may look at.
const SHOWN: [&str; 8] = ["png", "jpg", "svg", "html", "csv", "json", "toml", "txt"];
/// Bytes of such a file.
const MOST_BYTES: u64 = 512 << 20;
/// A page of the folder is somebody else's: it may run its own scripts, but not as this page, and may ask nobody.
const SANDBOX: &str = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
    img-src data: blob:; media-src data: blob:; font-src data:; connect-src data: blob:; worker-src blob:; frame-src 'self' data: blob:";

#[derive(Deserialize)]
pub struct FilePath {
    path: String,
}

/// What there is in the folder.
pub async fn shelf(State(shared): State<Arc<Shared>>) -> Answer {
    let items = aside(move || Ok(crate::shelf::items(&shared.folder)));
    Ok(as_json(&items.await?))
}

/// A picture, a page or a table.
pub async fn file(State(shared): State<Arc<Shared>>, Query(asked): Query<FilePath>) -> Answer {
    let path = asked.path;
    let extension = path.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    if !SHOWN.contains(&extension.as_str()) {
        return Err(Denial::file(format!(
            "{path}: files of this kind are not shown"
        )));
    }
    let found = find(&shared, &path)?;
    let bytes = aside(move || {
        let length = std::fs::metadata(&found).map_or(0, |m| m.len());
        if length > MOST_BYTES {
            return Err(Denial::file(format!(
                "{path}: {length} bytes are too many to show"
            )));
        }
        toile_scene::files::read_input(&found).map_err(|error| io_denial(&path, &error))
    });
    let mut response = typed(content_type(&format!("x.{extension}")), bytes.await?);
    let policy = HeaderValue::from_static(SANDBOX);
    response
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(response)
}
