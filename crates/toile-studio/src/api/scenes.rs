//! Scene files: checked, read, listed, saved.

use super::{Answer, as_json, aside, find, io_denial, typed, whole};
use crate::error::Denial;
use crate::state::Shared;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use toile_live::check;
use toile_live::protocol::RefusalKind;
use toile_scene::files::read_input_text;
use toile_scene::run::write_atomically;

#[derive(Deserialize)]
struct CheckOrder {
    text: String,
    path: Option<String>,
}

/// Looks for what is wrong with a scene.
pub async fn check(State(shared): State<Arc<Shared>>, body: Body) -> Answer {
    let limits = &shared.limits;
    // Twice, for what JSON needs to quote.
    let bytes = whole(body, 2 * limits.scene_bytes, limits.body_time).await?;
    let order: CheckOrder = serde_json::from_slice(&bytes)
        .map_err(|error| Denial::message(format!("the order cannot be read: {error}")))?;
    let found = aside(move || {
        let place = shared.place(order.path.as_deref(), None);
        Ok(check::check(&place, &order.text))
    });
    Ok(as_json(&found.await?))
}

#[derive(Deserialize)]
pub struct ScenePath {
    path: String,
    #[serde(default)]
    replace: u8,
}

/// The text of a scene file.
pub async fn read(State(shared): State<Arc<Shared>>, Query(asked): Query<ScenePath>) -> Answer {
    check_name(&asked.path)?;
    let found = find(&shared, &asked.path)?;
    let length = std::fs::metadata(&found).map_or(0, |m| m.len());
    if length > shared.limits.scene_bytes as u64 {
        return Err(Denial::file(format!(
            "{}: {length} bytes are too long for a scene",
            asked.path
        )));
    }
    let text = read_input_text(&found).map_err(|error| io_denial(&asked.path, &error))?;
    Ok(typed("text/plain; charset=utf-8", text))
}

/// Saves a scene file.
pub async fn save(
    State(shared): State<Arc<Shared>>,
    Query(asked): Query<ScenePath>,
    body: Body,
) -> Answer {
    shared.may_change()?;
    check_name(&asked.path)?;
    let text = whole(body, shared.limits.scene_bytes, shared.limits.body_time).await?;
    let text =
        String::from_utf8(text).map_err(|_| Denial::message("the scene is not UTF-8 text"))?;
    let target = shared.folder.target(Path::new(&asked.path));
    let target = target.map_err(|error| io_denial(&asked.path, &error))?;
    if asked.replace == 0 && target.exists() {
        let message = format!(
            "{} exists already; replace it or choose another name",
            asked.path
        );
        return Err(Denial::new(
            StatusCode::CONFLICT,
            RefusalKind::File,
            message,
        ));
    }
    write_atomically(&target, text.as_bytes()).map_err(|error| Denial::file(error.to_string()))?;
    Ok(as_json(&json!({ "path": shared.folder.shown(&target) })))
}

fn check_name(path: &str) -> Result<(), Denial> {
    match path.ends_with(".toml") {
        true => Ok(()),
        false => Err(Denial::message(format!(
            "{path}: scene files are called NAME.toml"
        ))),
    }
}

/// The scene files of the folder.
pub async fn list(State(shared): State<Arc<Shared>>) -> Answer {
    let found = aside(move || {
        let mut scenes = Vec::new();
        crate::shelf::walk(&shared.folder, &mut |path, modified| {
            if path.extension().is_some_and(|e| e == "toml")
                && let Some(title) = title_of(path)
            {
                let path = shared.folder.shown(path);
                scenes.push(json!({ "path": path, "title": title, "modified": modified }));
            }
        });
        Ok(scenes)
    });
    let scenes: Vec<Value> = found.await?;
    Ok(as_json(&scenes))
}

/// A scene has cloth; its title, which may be empty. What the program wrote itself is not one to edit.
fn title_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    if matches!(name, "scene.resolved.toml" | "commands.toml" | "Cargo.toml") {
        return None;
    }
    let length = std::fs::metadata(path).ok()?.len();
    let text = (length < 1 << 20).then(|| read_input_text(path).ok())??;
    let table: toml::Table = text.parse().ok()?;
    table.get("cloth")?.as_table()?;
    let title = table.get("title").and_then(|t| t.as_str());
    Some(title.unwrap_or_default().to_owned())
}
