//! What is looked for: fields of the scene, and between which bounds.

use super::FitError;
use crate::optimise::{Bounds, Scale};
use std::sync::Arc;
use toile_scene::files::{Disk, Files};
use toile_scene::scene::{SceneSource, resolve_from};
use toile_scene::spec::SceneSpec;
use toml::{Table, Value};

/// Without bounds, a parameter is looked for between its value in the scene divided by this and multiplied by it.
const USUAL_RANGE: f64 = 10.0;

/// A number of the scene to be found.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its field, such as `cloth.sheet.damping`.
    pub field: String,
    /// Between which values it is looked for, and on which scale.
    pub bounds: Bounds,
    /// Where to start.
    pub start: f64,
}

impl Parameter {
    /// Reads `field` or `field=low:high` or `field=low:high:log`. The start is what the scene has, if that is within the bounds, and
    /// else their middle.
    pub fn parse(text: &str, source: &SceneSource) -> Result<Self, FitError> {
        Self::parse_from(Arc::new(Disk), text, source)
    }

    /// The same with the files that the scene names from whoever has them.
    pub fn parse_from(
        files: Arc<dyn Files>,
        text: &str,
        source: &SceneSource,
    ) -> Result<Self, FitError> {
        let wrong = |message: String| FitError::Parameter {
            text: text.to_owned(),
            message,
        };
        let (field, range) = match text.split_once('=') {
            Some((field, range)) => (field.trim(), Some(range)),
            None => (text.trim(), None),
        };
        let spec = source.parse()?;
        let present = present_value(field, files, source, &spec).map_err(wrong)?;
        let bounds = match range {
            Some(range) => given_bounds(range).map_err(wrong)?,
            None => usual_bounds(present).map_err(wrong)?,
        };
        let middle = bounds.value(0.5);
        let start = present.filter(|v| (bounds.low..=bounds.high).contains(v));
        let parameter = Parameter {
            field: field.to_owned(),
            bounds,
            start: start.unwrap_or(middle),
        };
        // A field that does not exist is found here, with the words of the scene reader.
        let mut tried = source.clone();
        tried.overrides.push(parameter.setting(parameter.start));
        tried.parse()?;
        Ok(parameter)
    }

    /// The field with a value, as with `--set`.
    pub fn setting(&self, value: f64) -> (String, Value) {
        (self.field.clone(), Value::Float(value))
    }

    /// The last part of the field's name.
    pub fn name(&self) -> &str {
        self.field.rsplit('.').next().unwrap_or(&self.field)
    }
}

/// What the scene has in the field; `None` if it says nothing there.
fn present_value(
    field: &str,
    files: Arc<dyn Files>,
    source: &SceneSource,
    spec: &SceneSpec,
) -> Result<Option<f64>, String> {
    if field.is_empty() {
        return Err("names no field; write for example cloth.sheet.damping".into());
    }
    let table = Table::try_from(spec).map_err(|error| error.to_string())?;
    let mut here = Some(&Value::Table(table)).cloned();
    for part in field.split(['.', '[', ']']).filter(|p| !p.is_empty()) {
        here = match here {
            Some(Value::Table(table)) => table.get(part).cloned(),
            Some(Value::Array(list)) => part.parse().ok().and_then(|k: usize| list.get(k).cloned()),
            _ => None,
        };
    }
    match here {
        Some(Value::Float(value)) => Ok(Some(value)),
        Some(Value::Integer(value)) => Ok(Some(value as f64)),
        Some(other) => Err(format!("is {} and not a number", other.type_str())),
        // Without a virtual mass gravity acts on the density, wherever that comes from.
        None if field.ends_with(".virtual_mass") => {
            let world = resolve_from(files, source, spec.clone()).map_err(|e| e.to_string())?;
            let name = field.split('.').nth(1).unwrap_or_default();
            let cloth = world.model.cloths.iter().find(|c| c.name == name);
            Ok(cloth.map(|c| c.density))
        }
        None => Ok(None),
    }
}

fn given_bounds(range: &str) -> Result<Bounds, String> {
    let mut parts = range.split(':').map(str::trim);
    let mut number = |what: &str| -> Result<f64, String> {
        let text = parts.next().unwrap_or_default();
        let value: Option<f64> = text.parse().ok().filter(|v: &f64| v.is_finite());
        value.ok_or_else(|| {
            format!("the {what} bound `{text}` is not a number; write field=low:high")
        })
    };
    let (low, high) = (number("lower")?, number("upper")?);
    let scale = match parts.next() {
        None => Scale::Linear,
        Some("log") => Scale::Log,
        Some(other) => {
            return Err(format!(
                "`{other}` is no scale; `log` is, and nothing at all for linear"
            ));
        }
    };
    if low == high {
        return Err("both bounds are the same; there is nothing to look for between them".into());
    }
    if low > high {
        return Err(format!(
            "the bounds are the wrong way round; did you mean {high}:{low}?"
        ));
    }
    if scale == Scale::Log && low <= 0.0 {
        return Err("a logarithmic scale needs bounds above zero".into());
    }
    Ok(Bounds { low, high, scale })
}

fn usual_bounds(present: Option<f64>) -> Result<Bounds, String> {
    match present {
        Some(value) if value > 0.0 => Ok(Bounds {
            low: value / USUAL_RANGE,
            high: value * USUAL_RANGE,
            scale: Scale::Log,
        }),
        Some(value) => Err(format!(
            "is {value} in the scene, which says nothing about its size; give bounds: field=low:high"
        )),
        None => Err("is not in the scene; give bounds: field=low:high".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> SceneSource {
        SceneSource {
            name: "test".into(),
            text: "[cloth.sheet]\nmesh.grid = { size = [1, 1], cells = [2, 2] }\nmaterial = { density = 0.2, bend = 1e-5 }\n".into(),
            folder: Default::default(),
            overrides: Vec::new(),
        }
    }

    fn parse(text: &str) -> Result<Parameter, String> {
        Parameter::parse(text, &source()).map_err(|error| error.to_string())
    }

    #[test]
    fn bounds_and_starts_are_read_or_guessed() {
        let bend = parse("cloth.sheet.material.bend").unwrap();
        assert_eq!((bend.start, bend.bounds.scale), (1e-5, Scale::Log));
        let mass = parse("cloth.sheet.virtual_mass").unwrap();
        assert_eq!(mass.start, 0.2);
        let damping = parse("cloth.sheet.damping=1:5").unwrap();
        assert_eq!((damping.start, damping.name()), (3.0, "damping"));
        let damping = parse("cloth.sheet.damping=0.1:10:log").unwrap();
        assert!((damping.start - 1.0).abs() < 1e-12);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("cloth.sheet.damping", "give bounds"),
            ("cloth.sheet.damping=5:1", "wrong way round"),
            ("cloth.sheet.damping=1:1", "both bounds are the same"),
            ("cloth.sheet.damping=a:1", "lower bound `a`"),
            ("cloth.sheet.damping=0:1:log", "above zero"),
            ("cloth.sheet.damping=0:1:square", "no scale"),
            ("cloth.sheet.dampng=0:1", "`damping`"),
            ("cloth.sheet.model", "not a number"),
            ("", "names no field"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
