//! Variants that are listed one by one, in a file.

use crate::variants::{Change, Variant};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toile_scene::scene::parse_override;
use toml::Value;

/// The column, or the key, that names a variant.
const NAME: &str = "name";

/// A file that is no list of variants.
#[derive(Debug, Error)]
pub enum ListError {
    /// The system says no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is not written as it should be.
    #[error("{path}: {what}")]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        what: String,
    },
}

/// Reads a list of variants. A CSV file has a column for each field and a row for each variant, and may have a column `name`; an empty cell
/// leaves the scene's value. A TOML file has a table `[[variant]]` for each, with `name` and `set`, whose keys are fields.
pub fn read_variants(path: &Path) -> Result<Vec<Variant>, ListError> {
    let text = std::fs::read_to_string(path).map_err(|source| ListError::Io {
        path: path.to_owned(),
        source,
    })?;
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let variants = match extension.to_ascii_lowercase().as_str() {
        "csv" => from_csv(&text),
        "toml" => from_toml(&text),
        _ => Err("its name must end with .csv or .toml".into()),
    };
    let variants = variants.and_then(checked);
    variants.map_err(|what| ListError::Wrong {
        path: path.to_owned(),
        what,
    })
}

fn checked(variants: Vec<Variant>) -> Result<Vec<Variant>, String> {
    if variants.is_empty() {
        return Err("it has no variants".into());
    }
    let names: Vec<&String> = variants.iter().filter_map(|v| v.name.as_ref()).collect();
    let twice = names
        .iter()
        .enumerate()
        .find(|(k, n)| names[..*k].contains(n));
    match twice {
        Some((_, name)) => Err(format!("two variants are called `{name}`")),
        None => Ok(variants),
    }
}

fn from_csv(text: &str) -> Result<Vec<Variant>, String> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let heading = reader.headers().map_err(|error| error.to_string())?.clone();
    for (k, field) in heading.iter().enumerate() {
        if field.is_empty() {
            return Err(format!(
                "column {} has no heading; write a field there",
                k + 1
            ));
        }
        if heading.iter().take(k).any(|known| known == field) {
            return Err(format!("`{field}` has two columns"));
        }
    }
    let mut variants = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let mut variant = Variant::default();
        for (field, cell) in heading
            .iter()
            .zip(&record)
            .filter(|(_, cell)| !cell.is_empty())
        {
            if field == NAME {
                variant.name = Some(cell.to_owned());
                continue;
            }
            // The reader of --set knows what is TOML and what is a word.
            let line = record.position().map_or(0, csv::Position::line);
            let parsed = parse_override(&format!("{field}={cell}"));
            let (field, value) = parsed.map_err(|message| format!("line {line}: {message}"))?;
            variant.changes.push(Change::Field(field, value));
        }
        variants.push(variant);
    }
    Ok(variants)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    variant: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    #[serde(default)]
    set: toml::Table,
}

fn from_toml(text: &str) -> Result<Vec<Variant>, String> {
    let list: List = toml::from_str(text).map_err(|error| error.to_string())?;
    let change = |(field, value): (String, Value)| Change::Field(field, value);
    let variants = list.variant.into_iter().map(|entry| Variant {
        name: entry.name,
        changes: entry.set.into_iter().map(change).collect(),
    });
    Ok(variants.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_and_toml_say_the_same() {
        let csv = "name, body.hand.motion.trajectory.path, time.fps\nslow, slow.csv, 25\nfast, fast.csv,\n";
        let toml = "[[variant]]\nname = \"slow\"\nset.\"body.hand.motion.trajectory.path\" = \"slow.csv\"\n\
                    set.\"time.fps\" = 25\n\n[[variant]]\nname = \"fast\"\n\
                    set = { \"body.hand.motion.trajectory.path\" = \"fast.csv\" }\n";
        let read = from_csv(csv).unwrap();
        assert_eq!(read, from_toml(toml).unwrap());
        let labels: Vec<String> = read.iter().map(Variant::label).collect();
        assert_eq!(labels, ["slow", "fast"]);
        assert_eq!(read[1].changes.len(), 1);
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |text: &str| from_csv(text).and_then(checked).unwrap_err();
        assert!(wrong("name,a\n").contains("no variants"));
        assert!(wrong("name,a\nx,1\nx,2\n").contains("two variants are called `x`"));
        assert!(wrong("a,a\n1,2\n").contains("two columns"));
        assert!(wrong("a,\n1,2\n").contains("column 2"));
        assert!(wrong("a,b\n1\n").contains("2 fields") || wrong("a,b\n1\n").contains("1 field"));
        assert!(
            from_toml("[[variant]]\nsets = 1\n")
                .unwrap_err()
                .contains("sets")
        );
    }
}
