//! Stages: from settings that hold for a while to commands that are given when they change.

use super::check::{check_positive, check_vector};
use super::{SceneError, SceneSource, World};
use crate::spec::{SceneSpec, SettingSpec, StageSpec, UntilSpec};
use glam::DVec3;
use std::collections::BTreeMap;
use toile::command::Command;
use toile::stage::{Stage, Until};
use toml::{Table, Value};

/// The stages of a scene. `world` is the scene without them.
pub(super) fn stages(
    source: &SceneSource,
    spec: &SceneSpec,
    world: &World,
) -> Result<Vec<Stage>, SceneError> {
    if spec.stage.is_empty() {
        return Ok(Vec::new());
    }
    let resolved: Table = world
        .resolved
        .parse()
        .map_err(|error: toml::de::Error| SceneError::general(&source.name, error.to_string()))?;
    // What comes after a last stage that ends is the scene as it is.
    let rest = StageSpec::default();
    let ends = spec.stage.last().is_some_and(|s| s.until.is_some());
    let all: Vec<&StageSpec> = spec.stage.iter().chain(ends.then_some(&rest)).collect();
    let mut simulation = world.simulation();
    let mut before = Settings::default();
    let mut stages = Vec::new();
    for (k, stage) in all.iter().enumerate() {
        let field = format!("stage[{k}]");
        check_end(source, spec, stage, &field, k + 1 == all.len())?;
        let settings = settings(source, spec, stage, &field)?;
        let commands = changes(source, spec, &resolved, (&before, &settings), k)?;
        for command in &commands {
            let at = match command {
                Command::Set { name, .. } if settings.numbers.contains_key(name) => {
                    format!("{field}.set.{name}")
                }
                _ => field.clone(),
            };
            // Said once before the run, so that it cannot fail in the middle of it.
            let done = simulation.command(command);
            done.map_err(|error| source.error(&at, error.to_string()))?;
        }
        stages.push(Stage {
            name: stage.name.clone(),
            commands,
            until: stage.until.map(until),
            at_most: stage.at_most,
        });
        before = settings;
    }
    Ok(stages)
}

fn until(spec: UntilSpec) -> Until {
    match spec {
        UntilSpec::Duration(span) => Until::Duration(span),
        UntilSpec::Sewn(tolerance) => Until::Sewn(tolerance),
        UntilSpec::Still(speed) => Until::Still(speed),
    }
}

fn check_end(
    source: &SceneSource,
    spec: &SceneSpec,
    stage: &StageSpec,
    field: &str,
    is_last: bool,
) -> Result<(), SceneError> {
    let at = |key: &str| format!("{field}.{key}");
    match stage.until {
        None if !is_last => {
            let message = "has no `until`, so the stages after it would never begin; say when it ends, by `until.duration`, \
                 `until.sewn` or `until.still`";
            return Err(source.error(field, message));
        }
        Some(UntilSpec::Sewn(_)) if spec.seam.is_empty() => {
            let message = "waits for seams to close, but the scene has none; add a [[seam]], or end the stage otherwise";
            return Err(source.error(&at("until.sewn"), message));
        }
        None => {}
        Some(UntilSpec::Duration(span)) => check_positive(source, &at("until.duration"), span)?,
        Some(UntilSpec::Sewn(open)) => check_positive(source, &at("until.sewn"), open)?,
        Some(UntilSpec::Still(speed)) => check_positive(source, &at("until.still"), speed)?,
    }
    let Some(at_most) = stage.at_most else {
        return Ok(());
    };
    check_positive(source, &at("at_most"), at_most)?;
    match stage.until {
        Some(UntilSpec::Sewn(_) | UntilSpec::Still(_)) => Ok(()),
        _ => {
            let message = "is the longest that a stage waits for seams or for rest (`until.sewn`, `until.still`); one that only \
                 lasts for a time has `until.duration` alone";
            Err(source.error(&at("at_most"), message))
        }
    }
}

/// What a stage names.
#[derive(Default)]
struct Settings {
    gravity: Option<DVec3>,
    wind: Option<DVec3>,
    numbers: BTreeMap<String, f64>,
}

fn settings(
    source: &SceneSource,
    spec: &SceneSpec,
    stage: &StageSpec,
    field: &str,
) -> Result<Settings, SceneError> {
    let at = |key: &str| format!("{field}.{key}");
    let vector = |key: &str, value: Option<[f64; 3]>| {
        let checked = value.map(|v| check_vector(source, &at(key), v));
        checked.transpose()
    };
    let has_air = spec
        .environment
        .air
        .as_ref()
        .is_some_and(|a| a.density > 0.0);
    if stage.wind.is_some() && !has_air {
        let message = "blows nothing: the scene has no air; add a table [environment.air]";
        return Err(source.error(&at("wind"), message));
    }
    let mut numbers = BTreeMap::new();
    flatten("", &stage.set, &mut numbers);
    for name in numbers.keys() {
        check_owner(source, spec, &at("set"), name)?;
    }
    Ok(Settings {
        gravity: vector("gravity", stage.gravity)?,
        wind: vector("wind", stage.wind)?,
        numbers,
    })
}

fn flatten(prefix: &str, table: &BTreeMap<String, SettingSpec>, found: &mut BTreeMap<String, f64>) {
    for (key, setting) in table {
        let name = match prefix {
            "" => key.clone(),
            _ => format!("{prefix}.{key}"),
        };
        match setting {
            SettingSpec::Number(value) => {
                found.insert(name, *value);
            }
            SettingSpec::Table(inner) => flatten(&name, inner, found),
        }
    }
}

/// A setting of a cloth or a body that is not there is best told from here.
fn check_owner(
    source: &SceneSource,
    spec: &SceneSpec,
    field: &str,
    name: &str,
) -> Result<(), SceneError> {
    let mut parts = name.split('.');
    let (kind, owner) = (parts.next(), parts.next());
    let known: Vec<&str> = match kind {
        Some("cloth") => spec.cloth.keys().map(String::as_str).collect(),
        Some("body") => spec.body.keys().map(String::as_str).collect(),
        _ => return Ok(()),
    };
    let (kind, owner) = (kind.unwrap_or_default(), owner.unwrap_or_default());
    source
        .known(&format!("{field}.{name}"), kind, owner, &known)
        .map(drop)
}

/// The commands that lead from one stage's settings to the next one's. What the next one does not name is again as in the scene.
fn changes(
    source: &SceneSource,
    spec: &SceneSpec,
    resolved: &Table,
    (before, after): (&Settings, &Settings),
    number: usize,
) -> Result<Vec<Command>, SceneError> {
    let mut commands = Vec::new();
    let environment = &spec.environment;
    let own = DVec3::from_array(environment.gravity);
    let gravity = after.gravity.or(before.gravity.map(|_| own));
    commands.extend(gravity.map(Command::Gravity));
    let air = environment.air.as_ref();
    let own = air.map_or(DVec3::ZERO, |air| DVec3::from_array(air.wind));
    let wind = after.wind.or(before.wind.map(|_| own));
    commands.extend(wind.map(Command::Wind));
    for name in before.numbers.keys() {
        if after.numbers.contains_key(name) {
            continue;
        }
        let value = own_value(resolved, name).ok_or_else(|| {
            let field = format!("stage[{}].set.{name}", number - 1);
            let message = "the scene has no number there to go back to when the stage ends; give it one, or set it in the next \
                 stage too";
            source.error(&field, message)
        })?;
        let name = name.clone();
        commands.push(Command::Set { name, value });
    }
    for (name, &value) in &after.numbers {
        let name = name.clone();
        commands.push(Command::Set { name, value });
    }
    Ok(commands)
}

/// A number of the scene, by its name.
fn own_value(resolved: &Table, name: &str) -> Option<f64> {
    let mut parts = name.split('.');
    let first = resolved.get(parts.next()?)?;
    match parts.try_fold(first, |here, part| here.get(part))? {
        Value::Float(value) => Some(*value),
        Value::Integer(value) => Some(*value as f64),
        _ => None,
    }
}
