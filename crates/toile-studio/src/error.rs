//! What can go wrong, and how it is answered.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::path::PathBuf;
use thiserror::Error;
use toile_live::protocol::{Refusal, RefusalKind};

/// A studio that cannot be opened.
#[derive(Debug, Error)]
pub enum StudioError {
    /// The folder is not one, or cannot be read.
    #[error("{path}: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The port is taken, or may not be used.
    #[error(
        "cannot listen on port {port} of this machine: {source}; choose another one with --port"
    )]
    Port {
        /// The port.
        port: u16,
        /// What the system said.
        source: std::io::Error,
    },
    /// The system has no random numbers to make a secret of.
    #[error("the system has no random numbers to make a secret of: {0}")]
    Random(String),
    /// A chosen secret that could be guessed, or stand in no address.
    #[error("the chosen secret must have 32 hexadecimal digits (0 to 9, a to f), drawn at random")]
    Secret,
    /// Threads cannot be had.
    #[error("cannot start the server: {0}")]
    Start(std::io::Error),
}

/// Why a request is not answered as asked.
#[derive(Debug)]
pub struct Denial {
    /// The status.
    pub status: StatusCode,
    /// Why.
    pub refusal: Refusal,
}

impl Denial {
    /// With a status and a reason.
    pub fn new(status: StatusCode, kind: RefusalKind, message: impl Into<String>) -> Self {
        Denial {
            status,
            refusal: Refusal::new(kind, message),
        }
    }

    /// A file that cannot be had.
    pub fn file(message: impl Into<String>) -> Self {
        Denial::new(StatusCode::NOT_FOUND, RefusalKind::File, message)
    }

    /// Something that makes no sense.
    pub fn message(message: impl Into<String>) -> Self {
        Denial::new(StatusCode::BAD_REQUEST, RefusalKind::Message, message)
    }
}

impl From<Refusal> for Denial {
    fn from(refusal: Refusal) -> Self {
        let status = match refusal.kind {
            RefusalKind::Limit => StatusCode::PAYLOAD_TOO_LARGE,
            RefusalKind::ReadOnly => StatusCode::FORBIDDEN,
            RefusalKind::NoSession | RefusalKind::File => StatusCode::NOT_FOUND,
            _ => StatusCode::BAD_REQUEST,
        };
        Denial { status, refusal }
    }
}

impl IntoResponse for Denial {
    fn into_response(self) -> Response {
        let body = json!({ "error": self.refusal }).to_string();
        (
            self.status,
            [(header::CONTENT_TYPE, "application/json")],
            body,
        )
            .into_response()
    }
}
