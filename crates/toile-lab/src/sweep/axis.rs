//! Fields and their values, as people write them: `a=1,2,3,b=0:1:5`.

use crate::variants::Change;
use thiserror::Error;
use toile_scene::scene::parse_override;
use toml::Value;

/// More values than this on one axis are a slip of the finger.
const MOST_VALUES: usize = 10_000;

/// Words that are no axis.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AxisError {
    /// Values before any field.
    #[error("`{0}` has no `=`; write field=value,value,… or field=low:high:count")]
    NoField(String),
    /// A field without values.
    #[error("`{0}=` has no values; write field=value,value,… or field=low:high:count")]
    NoValues(String),
    /// A field twice.
    #[error("`{0}` is named twice")]
    Twice(String),
    /// A range that is none.
    #[error("`{text}` is no range: {message}")]
    Range {
        /// What was written.
        text: String,
        /// What is wrong.
        message: &'static str,
    },
}

/// Reads fields with their values, each as an axis. Values are TOML, or words; a comma before `field=` begins the next field.
pub fn parse_axis(text: &str) -> Result<Vec<Vec<Change>>, AxisError> {
    let mut axes: Vec<(String, Vec<Value>)> = Vec::new();
    for part in split_outside_brackets(text) {
        let (field, value) = match part.split_once('=') {
            Some((field, value)) => (Some(field.trim()), value.trim()),
            None => (None, part.trim()),
        };
        if let Some(field) = field {
            if field.is_empty() {
                return Err(AxisError::NoField(part.to_owned()));
            }
            if axes.iter().any(|(known, _)| known == field) {
                return Err(AxisError::Twice(field.to_owned()));
            }
            axes.push((field.to_owned(), Vec::new()));
        }
        let Some((field, values)) = axes.last_mut() else {
            return Err(AxisError::NoField(part.to_owned()));
        };
        if value.is_empty() {
            return Err(AxisError::NoValues(field.clone()));
        }
        values.extend(values_of(value)?);
    }
    let change = |field: &str, value: Value| Change::Field(field.to_owned(), value);
    let axes = axes.into_iter();
    Ok(axes
        .map(|(field, values)| values.into_iter().map(|v| change(&field, v)).collect())
        .collect())
}

/// Parts between commas, but not between those inside of brackets, quotes or braces.
fn split_outside_brackets(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut start) = (0i32, false, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// A single value, or those of a range.
fn values_of(text: &str) -> Result<Vec<Value>, AxisError> {
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let numbers: Option<Vec<f64>> = parts.iter().take(3).map(|p| p.parse().ok()).collect();
    let (Some(numbers), 3..=4) = (numbers, parts.len()) else {
        // The reader of --set knows what is TOML and what is a word.
        let single = parse_override(&format!("field={text}"));
        return Ok(single.map(|(_, value)| vec![value]).unwrap_or_default());
    };
    let wrong = |message| AxisError::Range {
        text: text.to_owned(),
        message,
    };
    let log = match parts.get(3) {
        None => false,
        Some(&"log") => true,
        Some(_) => return Err(wrong("only `log` may follow the count")),
    };
    let [low, high, count] = numbers[..] else {
        return Err(wrong("write low:high:count"));
    };
    if !(low.is_finite() && high.is_finite()) || (log && !(low > 0.0 && high > 0.0)) {
        return Err(wrong("its ends must be numbers, above zero with `log`"));
    }
    if count.fract() != 0.0 || !(2.0..=MOST_VALUES as f64).contains(&count) {
        return Err(wrong("the count must be a whole number from 2 to 10000"));
    }
    let value = |k: usize| {
        let share = k as f64 / (count - 1.0);
        let value = match log {
            true => low * (high / low).powf(share),
            false => low + (high - low) * share,
        };
        // 0.1 + 0.2 is for computers.
        Value::Float(format!("{value:.12e}").parse().unwrap_or(value))
    };
    Ok((0..count as usize).map(value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Vec<String>> {
        let axes = parse_axis(text).unwrap();
        let label = |axis: &Vec<Change>| axis.iter().map(Change::label).collect();
        axes.iter().map(label).collect()
    }

    #[test]
    fn lists_ranges_and_words_are_values() {
        assert_eq!(read("a.b=1,2,c=soft"), [vec!["b=1", "b=2"], vec!["c=soft"]]);
        assert_eq!(read("a=0:1:3"), [["a=0", "a=0.5", "a=1"]]);
        assert_eq!(read("a=0.001:0.1:3:log"), [["a=0.001", "a=0.01", "a=0.1"]]);
        assert_eq!(read("g=[0, 0, -9.81],[0, 0, -1.62]")[0].len(), 2);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("1,2", "no `=`"),
            ("=1", "no `=`"),
            ("a=", "no values"),
            ("a=1,,2", "no values"),
            ("a=1,a=2", "twice"),
            ("a=1:2:1.5", "whole number"),
            ("a=0:2:3:log", "above zero"),
            ("a=1:2:3:sqrt", "only `log`"),
        ] {
            let error = parse_axis(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
