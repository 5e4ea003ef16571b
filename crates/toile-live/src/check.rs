//! What is wrong with a scene's text, where, and how it is mended.

use crate::protocol::{Mend, Problem};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use toile_scene::files::Files;
use toile_scene::memory::node_count;
use toile_scene::scene::{SceneError, SceneSource, World, resolve_from};

/// Where a scene's text stands: who has the files that it names, and what it may ask for.
#[derive(Clone, Debug)]
pub struct Place {
    /// What to call it in messages.
    pub name: String,
    /// The folder that relative paths start from.
    pub folder: PathBuf,
    /// Who has the files.
    pub files: Arc<dyn Files>,
    /// Nodes that it may have.
    pub most_nodes: u64,
}

/// What a check says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// Nothing is wrong.
    pub ok: bool,
    /// What is.
    pub problems: Vec<Problem>,
    /// What looks wrong though it can be simulated.
    pub warnings: Vec<String>,
    /// What could be made of it.
    pub world: Option<Summary>,
}

/// A world in a few words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The scene's title.
    pub title: String,
    /// Of all cloths.
    pub nodes: usize,
    /// Of a step (s).
    pub step: f64,
    /// s
    pub duration: f64,
    /// Names.
    pub cloths: Vec<String>,
    /// Names.
    pub bodies: Vec<String>,
}

/// The world of a scene's text.
pub fn resolve(place: &Place, text: &str) -> Result<World, SceneError> {
    let source = SceneSource {
        name: place.name.clone(),
        text: text.to_owned(),
        folder: place.folder.clone(),
        overrides: Vec::new(),
    };
    let spec = source.parse()?;
    let nodes = spec.cloth.iter().map(|(name, cloth)| {
        let count = node_count(&cloth.mesh, (&*place.files, &place.folder));
        (count, name)
    });
    let nodes: Vec<(u64, &String)> = nodes.collect();
    let all = nodes
        .iter()
        .fold(0u64, |sum, (n, _)| sum.saturating_add(*n));
    if let Some((_, name)) = nodes.iter().max().filter(|_| all > place.most_nodes) {
        let message = format!(
            "the scene has {all} nodes, and a live session takes {} at the most; take a coarser mesh, or run it with `toile run`",
            place.most_nodes
        );
        return Err(source.error(&format!("cloth.{name}.mesh"), message));
    }
    resolve_from(place.files.clone(), &source, spec)
}

/// Looks for what is wrong with a scene's text.
pub fn check(place: &Place, text: &str) -> Check {
    match resolve(place, text) {
        Err(error) => Check {
            ok: false,
            problems: vec![problem(&error, text)],
            warnings: Vec::new(),
            world: None,
        },
        Ok(world) => {
            let schedule = &world.schedule;
            let cloths = world.cloth_tracks.iter().map(|c| c.name.clone());
            let bodies = world.body_tracks.iter().map(|b| b.name.clone());
            Check {
                ok: true,
                problems: Vec::new(),
                world: Some(Summary {
                    nodes: world.model.node_count(),
                    step: schedule.step,
                    duration: schedule.frames as f64 / schedule.fps,
                    cloths: cloths.collect(),
                    bodies: bodies.collect(),
                    title: world.title,
                }),
                warnings: world.warnings,
            }
        }
    }
}

/// An error as an editor shows it.
pub fn problem(error: &SceneError, text: &str) -> Problem {
    let place = error.line_column();
    let span = error.span();
    let units = |at: usize| text[..text.floor_char_boundary(at)].encode_utf16().count();
    let mend = error.mend().map(|(range, insert)| Mend {
        label: format!("change to `{insert}`"),
        from: units(range.start),
        to: units(range.end),
        insert: insert.to_owned(),
    });
    Problem {
        message: error.message().to_owned(),
        field: error.field().to_owned(),
        line: place.map(|p| p.0),
        column: place.map(|p| p.1),
        from: span.as_ref().map(|s| units(s.start)),
        to: span.as_ref().map(|s| units(s.end)),
        help: error.help_text().map(str::to_owned),
        mend,
    }
}
