//! Stages as the scene describes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A part of the run in which some settings are not those of the scene. What a stage does not name is as the scene has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StageSpec {
    /// What it is called in messages.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Acceleration of gravity (m/s²).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gravity: Option<[f64; 3]>,
    /// Steady wind (m/s).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wind: Option<[f64; 3]>,
    /// It ends after this time (s), though what it waits for has not come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// What ends it. Without this it lasts to the end of the run, so only the last stage can be without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<UntilSpec>,
    /// Other numbers of the scene, by the names that they have there: `set.cloth.sheet.friction = 0.1`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, SettingSpec>,
}

/// What ends a stage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UntilSpec {
    /// So many seconds are over.
    Duration(f64),
    /// No seam is open by more than this (m), beyond its gap.
    Sewn(f64),
    /// No node has been faster than this (m/s) for a quarter of a second.
    Still(f64),
}

/// A number, or numbers by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a number, or a table of numbers by the names that they have in the scene"
)]
pub enum SettingSpec {
    /// Its value.
    Number(f64),
    /// What the name so far has in it.
    Table(BTreeMap<String, SettingSpec>),
}
