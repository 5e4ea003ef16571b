//! Reading a scene: TOML with overrides, into a [`SceneSpec`], with errors that know their line.
//!
//! The text is parsed twice: once into plain values, on which `--set` works and from which the spec is
//! made, and once into a tree with positions, in which an error's field path is looked up. That way an error
//! found late (a density below zero, a missing mesh file) points at its line as well as one found early.

use super::SceneError;
use super::error::line_column;
use crate::files::{Disk, Files};
use crate::spec::SceneSpec;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

/// A scene file is written by hand; one larger than this is something else.
const MAX_BYTES: u64 = 16 << 20;

/// A scene's text and what the command line changed in it.
#[derive(Clone, Debug)]
pub struct SceneSource {
    /// How to call it in messages.
    pub name: String,
    /// The TOML text.
    pub text: String,
    /// The folder that relative paths start from.
    pub folder: PathBuf,
    /// Fields set from outside: path and value.
    pub overrides: Vec<(String, Value)>,
}

impl SceneSource {
    /// Reads a scene file.
    pub fn read(path: &Path) -> Result<Self, SceneError> {
        Self::read_from(&Disk, path)
    }

    /// The same from whoever has the file.
    pub fn read_from(files: &dyn Files, path: &Path) -> Result<Self, SceneError> {
        let name = path.display().to_string();
        let fail = |error: std::io::Error| SceneError::general(&name, error.to_string());
        let mut file = files.open(path).map_err(fail)?;
        let length = files.length(path).map_err(fail)?;
        if length > MAX_BYTES {
            let message = format!("{length} bytes is too long for a scene; is this a scene file?");
            return Err(SceneError::general(&name, message));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(fail)?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            SceneError::general(&name, format!("byte {at} is not UTF-8 text"))
        })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(SceneSource {
            name,
            text,
            folder,
            overrides: Vec::new(),
        })
    }

    /// Parses, applies the overrides and makes the spec.
    pub fn parse(&self) -> Result<SceneSpec, SceneError> {
        let mut table: Table = self.text.parse().map_err(|error: toml::de::Error| {
            let message = match error.message() {
                // The second is of whole numbers that would fit into more bits than TOML gives them.
                said if said.ends_with("number overflowed")
                    || said.contains("expected any valid TOML") =>
                {
                    "the number is too large: numbers end at 1.8e308, whole ones at 9.2e18"
                        .to_owned()
                }
                said => said.to_owned(),
            };
            SceneError::at(&self.name, &self.text, error.span(), "", message, None)
        })?;
        for (path, value) in &self.overrides {
            self.apply(&mut table, path, value)?;
        }
        serde_path_to_error::deserialize(Value::Table(table)).map_err(|error| {
            let path = error.path().to_string();
            let message = error.into_inner().message().trim().to_owned();
            self.explain(if path == "." { "" } else { &path }, &message)
        })
    }

    /// An error about a field, found by its path (`cloth.sheet.pin[0].held`).
    pub fn error(&self, field: &str, message: impl Into<String>) -> SceneError {
        self.error_with_help(field, message.into(), None)
    }

    fn error_with_help(&self, field: &str, message: String, help: Option<String>) -> SceneError {
        let span = self.locate(field);
        if let Some((path, value)) = self.override_of(field) {
            let place = format!("--set {path}={value}");
            // Where the rest of the table stands in the file may be half of the answer.
            let rest = span.filter(|_| path_parts(path).len() > path_parts(field).len());
            let file = rest.map_or(String::new(), |s| {
                let (line, column) = line_column(&self.text, s.start);
                format!(" ({}:{line}:{column})", self.name)
            });
            return SceneError::general_with_help(place, format!("{field}{file}: {message}"), help);
        }
        SceneError::at(&self.name, &self.text, span, field, message, help)
    }

    /// The last override of a field or of what encloses it; else one of something in it, unless the file is
    /// wrong by itself.
    fn override_of(&self, field: &str) -> Option<&(String, Value)> {
        let wrong = path_parts(field);
        let agrees = |path: &str, enclosing: bool| {
            let parts = path_parts(path);
            let deep_enough = enclosing == (parts.len() <= wrong.len());
            deep_enough && !wrong.is_empty() && parts.iter().zip(&wrong).all(|(a, b)| a == b)
        };
        let last = |enclosing| {
            let mut all = self.overrides.iter().rev();
            all.find(|(path, _)| agrees(path, enclosing))
        };
        let file_alone = || SceneSource {
            overrides: Vec::new(),
            ..self.clone()
        };
        last(true).or_else(|| last(false).filter(|_| file_alone().parse().is_ok()))
    }

    /// Which of some known names this is; an error that suggests the nearest if it is none.
    pub(crate) fn known(
        &self,
        field: &str,
        what: &str,
        name: &str,
        known: &[&str],
    ) -> Result<usize, SceneError> {
        let found = known.iter().position(|k| *k == name);
        found.ok_or_else(|| {
            let near = nearest_name(name, known);
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", known.join(", ")),
            };
            let error = self.error(field, format!("there is no {what} `{name}`; {hint}"));
            error.meaning(name, near)
        })
    }

    /// Turns serde's words into a pointer at the field and a suggestion.
    fn explain(&self, path: &str, message: &str) -> SceneError {
        let unknown = ["unknown field `", "unknown variant `"]
            .iter()
            .find_map(|start| message.strip_prefix(start));
        let Some((name, rest)) = unknown.and_then(|m| m.split_once('`')) else {
            return self.error(path, message);
        };
        let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
        let field = if path.is_empty() {
            name.to_owned()
        } else if path.ends_with(name) {
            path.to_owned()
        } else {
            format!("{path}.{name}")
        };
        let near = nearest_name(name, &known);
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "remove it".to_owned(),
            None => format!("known here: {}", known.join(", ")),
        };
        let what = if message.starts_with("unknown field") {
            "field"
        } else {
            "choice"
        };
        let message = match near {
            Some(near) => format!("unknown {what} `{name}`; did you mean `{near}`?"),
            None => format!("unknown {what} `{name}`; {help}"),
        };
        // An unknown variant stands in the value of the path, not below it.
        let field = if self.locate(&field).is_some() {
            field
        } else {
            path.to_owned()
        };
        let help = near.map(|_| format!("known here: {}", known.join(", ")));
        self.error_with_help(&field, message, help)
            .meaning(name, near)
    }

    /// Where a field stands in the text; the nearest enclosing table if it is not written there.
    fn locate(&self, field: &str) -> Option<Range<usize>> {
        let root = DeTable::parse(&self.text).ok()?;
        let mut place: Option<Range<usize>> = None;
        let mut here = Node::Table(root.get_ref());
        for part in path_parts(field) {
            let Some((key, next)) = here.child(&part) else {
                break;
            };
            place = Some(key);
            here = next;
        }
        place
    }

    fn apply(&self, table: &mut Table, path: &str, value: &Value) -> Result<(), SceneError> {
        let bad = |message: String| SceneError::general(format!("--set {path}={value}"), message);
        let parts = path_parts(path);
        let Some((last, parents)) = parts.split_last() else {
            return Err(bad("names no field".into()));
        };
        let mut here = Place::Table(table);
        for part in parents {
            here = here
                .enter(part)
                .ok_or_else(|| bad(format!("`{part}` is not a table or has no such entry")))?;
        }
        match here {
            Place::Table(table) => {
                table.insert(last.clone(), value.clone());
                Ok(())
            }
            Place::Array(array) => {
                let slot = last.parse().ok().and_then(|k: usize| array.get_mut(k));
                let slot = slot.ok_or_else(|| bad(format!("the list has no entry {last}")))?;
                *slot = value.clone();
                Ok(())
            }
        }
    }
}

/// `cloth.sheet.pin[0].held` as `cloth`, `sheet`, `pin`, `0`, `held`.
fn path_parts(path: &str) -> Vec<String> {
    path.split(['.', '[', ']'])
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Parses `field.path=value` of the command line. The value is TOML; what is not valid TOML is a string.
pub fn parse_override(text: &str) -> Result<(String, Value), String> {
    let (path, value) = text
        .split_once('=')
        .ok_or_else(|| format!("`{text}` has no `=`; write field.path=value"))?;
    let (path, value) = (path.trim(), value.trim());
    if path.is_empty() {
        return Err(format!("`{text}` names no field; write field.path=value"));
    }
    let written = format!("value = {value}");
    let parsed: Option<Value> = written
        .parse::<Table>()
        .ok()
        .and_then(|mut table| table.remove("value"));
    // What reads as TOML and yet is no value holds a number beyond what a number can be.
    if parsed.is_none() && DeTable::parse(&written).is_ok() {
        return Err(format!(
            "{path}: a number in `{}` is too large",
            shortened(value)
        ));
    }
    Ok((
        path.to_owned(),
        parsed.unwrap_or_else(|| Value::String(value.to_owned())),
    ))
}

/// The beginning of a text that may be very long.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The known name that is most like this one, if one is like it at all.
pub fn nearest_name<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let scored = known
        .iter()
        .map(|&k| (strsim::normalized_damerau_levenshtein(name, k), k));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= 0.6).then_some(best.1)
}

enum Node<'a> {
    Table(&'a DeTable<'a>),
    Value(&'a DeValue<'a>),
}

impl<'a> Node<'a> {
    fn child(&self, part: &str) -> Option<(Range<usize>, Node<'a>)> {
        let table = match self {
            Node::Table(table) => *table,
            Node::Value(DeValue::Table(table)) => table,
            Node::Value(DeValue::Array(list)) => {
                let entry: &Spanned<DeValue> = list.get(part.parse::<usize>().ok()?)?;
                return Some((entry.span(), Node::Value(entry.get_ref())));
            }
            Node::Value(_) => return None,
        };
        let (key, value) = table.iter().find(|(key, _)| key.get_ref() == part)?;
        Some((key.span(), Node::Value(value.get_ref())))
    }
}

enum Place<'a> {
    Table(&'a mut Table),
    Array(&'a mut Vec<Value>),
}

impl<'a> Place<'a> {
    /// Goes one level down; tables on the way are made as needed, list entries are not.
    fn enter(self, part: &str) -> Option<Place<'a>> {
        let value = match self {
            Place::Table(table) => table
                .entry(part)
                .or_insert_with(|| Value::Table(Table::new())),
            Place::Array(array) => array.get_mut(part.parse::<usize>().ok()?)?,
        };
        match value {
            Value::Table(table) => Some(Place::Table(table)),
            Value::Array(array) => Some(Place::Array(array)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> SceneSource {
        SceneSource {
            name: "test.toml".into(),
            text: text.into(),
            folder: PathBuf::new(),
            overrides: Vec::new(),
        }
    }

    const SHEET: &str = "[cloth.sheet]\nmesh.grid = { size = [1, 1], cells = [4, 4] }\n";

    #[test]
    fn a_misspelt_field_is_named_with_its_line_and_the_near_name() {
        let text = format!("{SHEET}[cloth.sheet.material]\n  stretch_stiffnes = 3\n");
        let error = source(&text).parse().unwrap_err().to_string();
        assert_eq!(
            error,
            "test.toml:4:3: cloth.sheet.material.stretch_stiffnes: unknown field `stretch_stiffnes`; \
             did you mean `stretch_stiffness`?"
        );
    }

    #[test]
    fn a_misspelt_choice_points_at_its_field() {
        let text = format!("{SHEET}model = \"mass-sprong\"\n");
        let error = source(&text).parse().unwrap_err().to_string();
        assert!(
            error.starts_with("test.toml:3:1: cloth.sheet.model"),
            "{error}"
        );
        assert!(error.contains("did you mean `mass-spring`?"), "{error}");
        let error = source("[cloth.a]\nmesh.gird = {}\n")
            .parse()
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("test.toml:2:6: cloth.a.mesh.gird"),
            "{error}"
        );
        assert!(error.contains("did you mean `grid`?"), "{error}");
    }

    #[test]
    fn a_wrong_type_and_a_missing_field_name_their_place() {
        let error = source("[cloth.a]\nmesh.grid = { size = \"big\", cells = [1, 1] }")
            .parse()
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("test.toml:2:15: cloth.a.mesh.grid.size"),
            "{error}"
        );
        let error = source("[cloth.a]\ndamping = 1\n")
            .parse()
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("test.toml:1:8: cloth.a: missing field `mesh`"),
            "{error}"
        );
    }

    #[test]
    fn broken_toml_points_at_the_break() {
        let error = source("[cloth.a]\nmesh = {")
            .parse()
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("test.toml:2:"), "{error}");
    }

    #[test]
    fn overrides_change_add_and_fail_by_name() {
        let mut scene = source(SHEET);
        for text in [
            "cloth.sheet.material.bend=1e-5",
            "time.duration = 3",
            "title=hello you",
        ] {
            scene.overrides.push(parse_override(text).unwrap());
        }
        let spec = scene.parse().unwrap();
        assert_eq!(spec.cloth["sheet"].material.bend, Some(1e-5));
        assert_eq!(spec.time.duration, 3.0);
        assert_eq!(spec.title, "hello you");
        scene.overrides = vec![parse_override("cloth.sheet.material.bent=1").unwrap()];
        let error = scene.parse().unwrap_err().to_string();
        assert!(
            error.contains("--set cloth.sheet.material.bent") && error.contains("`bend`"),
            "{error}"
        );
        assert!(parse_override("nothing").is_err());
    }

    #[test]
    fn the_resolved_scene_reads_back_as_the_same_spec() {
        let spec = source(SHEET).parse().unwrap();
        let text = toml::to_string_pretty(&spec).unwrap();
        assert_eq!(source(&text).parse().unwrap(), spec, "{text}");
    }
}
