//! Models of a scene with other numbers, for simulations that are told to change them while they run.

use super::SceneSource;
use super::resolve::remake;
use super::sources::Sources;
use crate::files::Files;
use std::sync::Arc;
use toile::drive::Setting;
use toile::model::Model;
use toile::simulation::Recipe;
use toml::Value;

/// Fields of a cloth that a simulation can take up as it goes. The others say how it starts, or what it is.
const LIVE: [&str; 8] = [
    "material",
    "limit",
    "damping",
    "virtual_mass",
    "drag",
    "thickness",
    "friction",
    "compression",
];

/// A scene whose numbers can be changed.
#[derive(Clone, Debug)]
pub struct SceneRecipe {
    source: SceneSource,
    files: Arc<dyn Files>,
    model: Arc<Model>,
}

impl SceneRecipe {
    /// Of a scene, the files that it names, and the model that was made of it.
    pub fn new(source: SceneSource, files: Arc<dyn Files>, model: Arc<Model>) -> Self {
        SceneRecipe {
            source,
            files,
            model,
        }
    }
}

impl Recipe for SceneRecipe {
    fn model(&self, settings: &[Setting]) -> Result<Arc<Model>, String> {
        let mut source = self.source.clone();
        for Setting { name, value } in settings {
            check(name)?;
            source.overrides.push((name.clone(), Value::Float(*value)));
        }
        let source = Sources {
            source: &source,
            files: &self.files,
        };
        let model = remake(&source, &self.model).map_err(|error| error.to_string())?;
        Ok(Arc::new(model))
    }
}

fn check(name: &str) -> Result<(), String> {
    let parts: Vec<&str> = name.split('.').collect();
    match parts[..] {
        ["cloth", _, field, ..] if LIVE.contains(&field) => Ok(()),
        ["body", _, "friction", ..] => Ok(()),
        _ => Err(format!(
            "only body.NAME.friction and these fields of cloth.NAME can: {}",
            LIVE.join(", ")
        )),
    }
}
