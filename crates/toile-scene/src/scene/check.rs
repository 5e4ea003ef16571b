//! Numbers and names that every part of a scene is held to.

use super::{SceneError, SceneSource};
use glam::DVec3;

/// Names become parts of file names and of field paths.
pub(super) fn check_name(source: &SceneSource, kind: &str, name: &str) -> Result<(), SceneError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.len() <= 64 && name.chars().all(plain) {
        return Ok(());
    }
    let message = format!(
        "`{name}` is no name for a {kind}; use letters, digits, `-` and `_`, at most 64 of them"
    );
    Err(source.error(kind, message))
}

pub(super) fn check_positive(
    source: &SceneSource,
    field: &str,
    value: f64,
) -> Result<(), SceneError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(source.error(field, format!("is {value}; it must be a positive number")))
}

pub(super) fn check_not_negative(
    source: &SceneSource,
    field: &str,
    value: f64,
) -> Result<(), SceneError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    let message = format!("is {value}; it must be zero or a positive number");
    Err(source.error(field, message))
}

/// Red, green and blue, each from 0 to 1.
pub(super) fn check_color(
    source: &SceneSource,
    field: &str,
    value: Option<[f32; 3]>,
) -> Result<(), SceneError> {
    let Some(value) = value.filter(|v| !v.iter().all(|part| (0.0..=1.0).contains(part))) else {
        return Ok(());
    };
    let eight_bit = value.iter().all(|part| (0.0..=255.0).contains(part));
    let mend = match eight_bit && value.iter().any(|&part| part >= 10.0) {
        true => "; if it counts to 255, divide by 255",
        false => "",
    };
    let message = format!("is {value:?}; red, green and blue are each from 0 to 1{mend}");
    Err(source.error(field, message))
}

pub(super) fn check_vector(
    source: &SceneSource,
    field: &str,
    value: [f64; 3],
) -> Result<DVec3, SceneError> {
    // A thousand kilometres are far beyond any cloth; such a number is a slip and would only overflow later.
    if value.iter().all(|x| x.is_finite() && x.abs() <= 1e6) {
        return Ok(DVec3::from_array(value));
    }
    let message = format!("is {value:?}; it must be three finite numbers below a million");
    Err(source.error(field, message))
}
