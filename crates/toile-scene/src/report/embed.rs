//! The player inside other pages.
//!
//! A page that shows several recordings holds the player once ([`player_shell`]) and each recording's data ([`embed`]). Where somebody
//! asks for one, its script puts shell, manifest and data together and hands them to a frame (`srcdoc`). The frame inherits the page's
//! content security policy, which must allow inline scripts and styles and pictures from `blob:`.

use super::pack::{Opening, Pack};
use super::{MetricsTable, ReportError, fill};
use crate::recording::Recording;

/// A recording as the player reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedRecording {
    /// JSON that may stand inside a script element as it is.
    pub manifest: String,
    /// Base64, in lines.
    pub data: String,
    /// Frames in the recording.
    pub frames_recorded: usize,
    /// Frames in the data.
    pub frames_kept: usize,
    /// By how much a coordinate of a node can be off (m).
    pub rounding_error: f64,
}

/// The player's page without a recording: what comes before the manifest, between it and the data, and after the data.
pub fn player_shell() -> [String; 3] {
    fill(|name| match name {
        "title" => "Player".to_owned(),
        "class" => "embedded".to_owned(),
        _ => String::new(),
    })
}

/// A recording in so many bytes; frames are left out evenly if there are too many, two are there in any case.
pub fn embed(recording: &Recording, budget_bytes: usize) -> Result<EmbeddedRecording, ReportError> {
    let metrics = MetricsTable::default();
    let pack = Pack::new(recording, &metrics, Opening::default(), 0, budget_bytes)?;
    let mut data = Vec::new();
    pack.write(&mut data)?;
    Ok(EmbeddedRecording {
        manifest: pack.manifest_json(),
        data: String::from_utf8(data).expect("base64 is plain text"),
        frames_recorded: pack.frames().recorded,
        frames_kept: pack.frames().count,
        rounding_error: pack.frames().rounding_error(),
    })
}
