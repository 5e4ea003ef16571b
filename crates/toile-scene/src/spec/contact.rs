//! Contact as the scene describes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which cloths keep from passing through which, and how bodies are met.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ContactSpec {
    /// Who meets whom.
    pub cloth: ClothContactSpec,
    /// Pairs of names that pass through each other all the same: of cloths (one paired with itself too), of a cloth and a body, or of groups.
    pub exclude: Vec<[String; 2]>,
    /// Cloths and bodies that `exclude` can name together: `NAME = ["skirt", "belt"]`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<String, Vec<String>>,
    /// What to do with cloths that meet and intersect at the start, or are inside a body.
    pub start: StartSpec,
    /// When to look for intersections of the cloths that meet, by an exact test apart from what keeps them from passing.
    pub certify: CertifySpec,
    /// Relaxation time of the contact with bodies (s): nodes that touch come to the surface by the part step/relaxation in each step, from
    /// above or from inside. 0: at once.
    pub relaxation: f64,
    /// Show folds that reach into bodies outside of them, within this distance of the surface (m). Without this cloth is shown as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preserve_folds: Option<f64>,
}

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClothContactSpec {
    /// Cloth passes through cloth.
    None,
    /// Every cloth meets itself, but not the others.
    Itself,
    /// Every cloth meets the others, but not itself.
    Others,
    /// Every cloth meets itself and the others.
    #[default]
    All,
}

/// What to do with intersections at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StartSpec {
    /// They are an error that names the faces.
    #[default]
    Refuse,
    /// They are a warning. What is through is drawn out while the cloth moves.
    Tolerate,
    /// They are drawn apart before the cloth moves; where that fails, an error names the faces.
    Untangle,
}

/// When to look for intersections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CertifySpec {
    /// Not at all.
    Never,
    /// After the last step of every frame.
    #[default]
    EveryFrame,
    /// After every step.
    EveryStep,
}
