//! How USD writes numbers, lists, strings and names.

use std::collections::HashSet;
use std::fmt::Write;

/// Adds the shortest text that reads back as the same `f32`.
pub(super) fn push_number(text: &mut String, number: f32) {
    let size = number.abs();
    // Writing to a `String` cannot fail.
    let _ = if size != 0.0 && !(1e-4..1e7).contains(&size) {
        write!(text, "{number:e}")
    } else {
        write!(text, "{number}")
    };
}

/// `[(x, y, z), …]`
pub(super) fn triples(values: impl IntoIterator<Item = [f32; 3]>) -> String {
    let mut text = String::from("[");
    for (index, [x, y, z]) in values.into_iter().enumerate() {
        text.push_str(if index == 0 { "(" } else { ", (" });
        push_number(&mut text, x);
        text.push_str(", ");
        push_number(&mut text, y);
        text.push_str(", ");
        push_number(&mut text, z);
        text.push(')');
    }
    text.push(']');
    text
}

/// `[(x, y), …]`
pub(super) fn pairs(values: impl IntoIterator<Item = [f32; 2]>) -> String {
    let mut text = String::from("[");
    for (index, [x, y]) in values.into_iter().enumerate() {
        text.push_str(if index == 0 { "(" } else { ", (" });
        push_number(&mut text, x);
        text.push_str(", ");
        push_number(&mut text, y);
        text.push(')');
    }
    text.push(']');
    text
}

/// `[1, 2, …]`
pub(super) fn integers(values: impl IntoIterator<Item = usize>) -> String {
    let mut text = String::from("[");
    for (index, value) in values.into_iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        let _ = write!(text, "{separator}{value}");
    }
    text.push(']');
    text
}

/// A string in quotes.
pub(super) fn quoted(value: &str) -> String {
    let mut text = String::from("\"");
    for character in value.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            control if control.is_control() => text.push(' '),
            plain => text.push(plain),
        }
    }
    text.push('"');
    text
}

/// Hands out names that USD accepts and that differ from each other.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// `wanted` with everything but letters, digits and `_` replaced, and a number behind it if it is taken.
    pub fn unique(&mut self, wanted: &str) -> String {
        let valid = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut base: String = wanted.chars().map(valid).collect();
        if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) {
            base.insert(0, '_');
        }
        let mut name = base.clone();
        let mut number = 2;
        while !self.0.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_valid_and_unique() {
        let mut names = Names::default();
        assert_eq!(names.unique("table cloth"), "table_cloth");
        assert_eq!(names.unique("table-cloth"), "table_cloth_2");
        assert_eq!(names.unique("table_cloth_2"), "table_cloth_2_2");
        assert_eq!(names.unique("2nd"), "_2nd");
        assert_eq!(names.unique(""), "_");
        assert_eq!(names.unique("Tür"), "T_r");
    }

    #[test]
    fn numbers_read_back_as_they_were() {
        for number in [
            0.1f32,
            -0.0,
            1.0,
            1e-30,
            -3.402_823_5e38,
            16_777_216.0,
            1.0 / 3.0,
            1e-45,
        ] {
            let mut text = String::new();
            push_number(&mut text, number);
            assert_eq!(
                text.parse::<f32>().unwrap().to_bits(),
                number.to_bits(),
                "{text}"
            );
            assert!(text.len() < 16, "{text}");
        }
    }

    #[test]
    fn strings_cannot_break_out_of_their_quotes() {
        assert_eq!(quoted("a \"b\" \\ c\nd\te"), r#""a \"b\" \\ c\nd e""#);
    }
}
