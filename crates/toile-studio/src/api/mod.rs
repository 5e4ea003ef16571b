//! What is asked over HTTP: everything that needs no session.

mod files;
mod jobs;
mod meshes;
mod recordings;
mod scenes;

use crate::error::Denial;
use crate::page::page;
use crate::socket::{socket, welcome};
use crate::state::Shared;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use toile::energy::Fabric;
use toile_live::protocol::RefusalKind;
use toile_scene::scene::BUNDLED;

/// What a handler answers.
type Answer = Result<Response, Denial>;

/// All that is answered. Paths have no secret any more.
pub fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/socket", get(socket))
        .route("/api/about", get(about))
        .route("/api/schema", get(schema))
        .route("/api/templates", get(templates))
        .route("/api/fabrics", get(fabrics))
        .route("/api/check", post(scenes::check))
        .route("/api/scenes", get(scenes::list))
        .route("/api/scene", get(scenes::read).put(scenes::save))
        .route("/api/mesh", post(meshes::upload))
        .route("/api/shelf", get(files::shelf))
        .route("/api/file", get(files::file))
        .route("/api/recording", get(recordings::world))
        .route("/api/recording/frames", get(recordings::frames))
        .route("/api/recording/numbers", get(recordings::numbers))
        .route("/api/export", get(recordings::export))
        .route("/api/experiments", get(jobs::experiments))
        .route(
            "/api/jobs",
            get(jobs::list).post(jobs::start).delete(jobs::stop),
        )
        .route("/api/{*rest}", get(nothing))
        .fallback(get(page))
        .with_state(shared)
}

async fn nothing() -> Denial {
    Denial::file("the studio has no such address")
}

async fn about(State(shared): State<Arc<Shared>>) -> Answer {
    let mut about = welcome(&shared);
    let scene = shared.scene.as_ref();
    let scene = scene.map(|s| json!({ "name": s.name, "path": s.path, "text": s.text }));
    let limits = &shared.limits;
    let more = json!({
        "folder": shared.folder.name(),
        "scene": scene,
        "limits": {
            "sessions": limits.sessions,
            "uploadBytes": limits.upload_bytes,
            "sceneBytes": limits.scene_bytes,
        },
    });
    if let (Value::Object(about), Value::Object(more)) = (&mut about, more) {
        about.extend(more);
    }
    Ok(as_json(&about))
}

async fn schema() -> Answer {
    Ok(typed("application/json", toile_scene::spec::json_schema()))
}

async fn templates() -> Answer {
    let all = BUNDLED.iter().map(|scene| {
        let [name, text] = [scene.name, scene.text];
        json!({ "name": name, "title": scene.title(), "text": text })
    });
    Ok(as_json(&all.collect::<Vec<_>>()))
}

async fn fabrics() -> Answer {
    let known = Fabric::names().filter_map(|name| Fabric::named(name).ok());
    let all = known.map(
        |fabric| json!({ "name": fabric.name, "density": fabric.density, "source": fabric.source }),
    );
    Ok(as_json(&all.collect::<Vec<_>>()))
}

fn as_json(value: &impl Serialize) -> Response {
    typed("application/json", json!(value).to_string())
}

fn typed(kind: &'static str, body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, kind)], body.into()).into_response()
}

/// All of a body that is not too long and does not take too long.
async fn whole(body: Body, most: usize, time: Duration) -> Result<Vec<u8>, Denial> {
    let too_long = || {
        let message = format!("the body is longer than {most} bytes");
        Denial::new(StatusCode::PAYLOAD_TOO_LARGE, RefusalKind::Limit, message)
    };
    // What a client says beforehand need not be waited for.
    if axum::body::HttpBody::size_hint(&body).lower() > most as u64 {
        return Err(too_long());
    }
    match tokio::time::timeout(time, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(bytes.into()),
        Ok(Err(_)) => Err(too_long()),
        Err(_) => {
            let message = "the body did not come in time";
            let kind = RefusalKind::Limit;
            Err(Denial::new(StatusCode::REQUEST_TIMEOUT, kind, message))
        }
    }
}

/// Has something done that takes its time, not in the way of others.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Denial> + Send + 'static,
) -> Result<T, Denial> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| {
        let message = "this could not be done; the program's output says why";
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Err(Denial::new(status, RefusalKind::Message, message))
    })
}

/// A path of the folder that must be there.
fn find(shared: &Shared, path: &str) -> Result<std::path::PathBuf, Denial> {
    let found = shared.folder.find(Path::new(path));
    found.map_err(|error| io_denial(path, &error))
}

/// What the system said of a file, with a fitting status.
fn io_denial(path: &str, error: &std::io::Error) -> Denial {
    let status = match error.kind() {
        std::io::ErrorKind::NotFound => StatusCode::NOT_FOUND,
        std::io::ErrorKind::AlreadyExists => StatusCode::CONFLICT,
        std::io::ErrorKind::PermissionDenied => StatusCode::FORBIDDEN,
        _ => StatusCode::BAD_REQUEST,
    };
    Denial::new(status, RefusalKind::File, format!("{path}: {error}"))
}
