//! Contact as the scene describes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which cloths keep from passing through which, and how bodies are met.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ContactSpec {
    /// Who meets whom.
    pub cloth: ClothContactSpec,
    /// Pairs of cloths, by name, that pass through each other all the same; a cloth paired with itself too.
    pub exclude: Vec<[String; 2]>,
    /// What to do with cloths that meet and intersect at the start.
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
    #[default]
    None,
    /// Every cloth meets itself, but not the others.
    Itself,
    /// Every cloth meets the others, but not itself.
    Others,
    /// Every cloth meets itself and the others.
    All,
}

/// What to do with intersections at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StartSpec {
    /// They are an error that names the faces.
    #[default]
    Refuse,
    /// They are a warning. What is through stays through until the cloth moves apart by itself.
    Tolerate,
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
