//! Errors that point into the scene file.

use miette::{Diagnostic, NamedSource, SourceSpan};
use std::ops::Range;
use thiserror::Error;

/// Something is wrong with a scene; says where, which field, and how to mend it.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct SceneError(Box<Details>);

// Boxed, because results are passed through many hands and an error is rare.
#[derive(Debug, Error, Diagnostic)]
#[error("{place}{message}")]
struct Details {
    /// What is wrong.
    message: String,
    /// `file:line:column: field: `, as far as known.
    place: String,
    /// Line and column, counted from 1, if it stands in a file.
    line: Option<(usize, usize)>,
    /// The field, if it is one's; else empty.
    field: String,
    #[source_code]
    source_code: Option<NamedSource<String>>,
    #[label("here")]
    span: Option<SourceSpan>,
    #[help]
    help: Option<String>,
    /// A name that is written and the one that was probably meant.
    meant: Option<(String, String)>,
}

impl SceneError {
    /// An error at a stretch of a file.
    pub(crate) fn at(
        name: &str,
        text: &str,
        span: Option<Range<usize>>,
        field: &str,
        message: String,
        help: Option<String>,
    ) -> Self {
        let line = span.as_ref().map(|s| line_column(text, s.start));
        let mut place = match line {
            Some((line, column)) => format!("{name}:{line}:{column}: "),
            None => format!("{name}: "),
        };
        if !field.is_empty() {
            place.push_str(&format!("{field}: "));
        }
        SceneError(Box::new(Details {
            message,
            place,
            line,
            field: field.to_owned(),
            source_code: span
                .is_some()
                .then(|| NamedSource::new(name, text.to_owned())),
            span: span.map(SourceSpan::from),
            help,
            meant: None,
        }))
    }

    /// An error that belongs to no place in a file.
    pub(crate) fn general(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::general_with_help(place, message, None)
    }

    /// An error that belongs to no place in a file, and what else to say.
    pub(crate) fn general_with_help(
        place: impl Into<String>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Self {
        let place: String = place.into();
        SceneError(Box::new(Details {
            message: message.into(),
            place: if place.is_empty() {
                place
            } else {
                format!("{place}: ")
            },
            line: None,
            field: String::new(),
            source_code: None,
            span: None,
            help,
            meant: None,
        }))
    }
}

impl SceneError {
    /// The same with what was written and what was probably meant.
    pub(crate) fn meaning(mut self, written: &str, meant: Option<&str>) -> Self {
        self.0.meant = meant.map(|meant| (written.to_owned(), meant.to_owned()));
        self
    }

    /// Where it stands in the text of the scene (bytes), if it stands there.
    pub fn span(&self) -> Option<Range<usize>> {
        let span = self.0.span?;
        Some(span.offset()..span.offset() + span.len())
    }

    /// What is wrong, without its place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// A change of the scene's text that probably mends it: what to replace (bytes) and by what.
    pub fn mend(&self) -> Option<(Range<usize>, &str)> {
        let (written, meant) = self.0.meant.as_ref()?;
        let text = self.0.source_code.as_ref()?.inner();
        // What is unknown may stand in the value of the field that was found.
        let from = self.span()?.start;
        let line = text.get(from..)?.split_inclusive('\n').next()?;
        let at = from + line.find(written.as_str())?;
        Some((at..at + written.len(), meant))
    }

    /// Line and column in the scene file, counted from 1, if it stands there.
    pub fn line_column(&self) -> Option<(usize, usize)> {
        self.0.line
    }

    /// The field that is wrong, such as `cloth.sheet.material.bend`; empty if it is no single one.
    pub fn field(&self) -> &str {
        &self.0.field
    }

    /// What else to say, such as the names that are known.
    pub fn help_text(&self) -> Option<&str> {
        self.0.help.as_deref()
    }
}

impl Diagnostic for SceneError {
    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Diagnostic::source_code(&*self.0)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        Diagnostic::labels(&*self.0)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        Diagnostic::help(&*self.0)
    }
}

/// Line and column, counted from 1; columns in characters.
pub(crate) fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let offset = text.floor_char_boundary(offset);
    let before = &text[..offset];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |n| n + 1);
    (line, text[start..offset].chars().count() + 1)
}
