//! Another model for every cloth of a scene.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, StrDeserializer};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;
use toile_scene::spec::{AreaSpec, ClothSpec, LimitSpec, ModelSpec, StrainSpec};

/// A model, perhaps with a limit on top: `mass-spring+strain`.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelChange {
    name: String,
    model: ModelSpec,
    limit: Option<LimitSpec>,
}

/// A name that is no model.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ModelChangeError {
    /// There is no such model.
    #[error("{0}")]
    Unknown(String),
    /// There is no such limit to add.
    #[error("`{0}` cannot be added to a model; `+strain` and `+area` can")]
    UnknownLimit(String),
}

impl FromStr for ModelChange {
    type Err = ModelChangeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, extra) = match text.split_once('+') {
            Some((name, extra)) => (name, Some(extra)),
            None => (text, None),
        };
        let words: StrDeserializer<ValueError> = name.into_deserializer();
        let model = ModelSpec::deserialize(words);
        let model = model.map_err(|error| {
            let message = error
                .to_string()
                .replace("unknown variant", "there is no model");
            ModelChangeError::Unknown(message)
        })?;
        let limit = match extra {
            None => None,
            Some("strain") => Some(LimitSpec::Strain(StrainSpec::default())),
            Some("area") => Some(LimitSpec::Area(AreaSpec::default())),
            Some(other) => return Err(ModelChangeError::UnknownLimit(other.into())),
        };
        Ok(ModelChange {
            name: text.to_owned(),
            model,
            limit,
        })
    }
}

impl fmt::Display for ModelChange {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl ModelChange {
    /// Gives a cloth this model. The settings of a limit stay if they are of the same kind; otherwise the scene's limit belongs to the
    /// model that goes, and goes with it.
    pub fn apply(&self, cloth: &mut ClothSpec) {
        let kept = match (&self.limit, cloth.limit.take()) {
            (Some(LimitSpec::Strain(_)), Some(given @ LimitSpec::Strain(_))) => Some(given),
            (Some(LimitSpec::Area(_)), Some(given @ LimitSpec::Area(_))) => Some(given),
            (None, given) if cloth.model == self.model => given,
            (wanted, _) => wanted.clone(),
        };
        cloth.limit = kept;
        cloth.model = self.model;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_scene() {
        assert!("baraff-witkin".parse::<ModelChange>().is_ok());
        let error = "baraf".parse::<ModelChange>().unwrap_err().to_string();
        assert!(
            error.contains("no model `baraf`") && error.contains("baraff-witkin"),
            "{error}"
        );
        assert!("isometric+glue".parse::<ModelChange>().is_err());
    }
}
