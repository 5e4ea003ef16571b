//! Values of a text body.

use super::header::{Element, Kind, ValueType};
use super::source::{MOST_AT_ONCE, Row, ValueSource, left_over, skip_row};
use crate::format::text::{TextReader, Token};
use crate::format::{ParseError, Place};
use std::io::BufRead;

/// A body of text: one row per line.
#[derive(Debug)]
pub(super) struct AsciiSource<R> {
    text: TextReader<R>,
    length: u64,
    row: Row,
    /// The values last read.
    last: [Token; MOST_AT_ONCE],
}

impl<R: BufRead> AsciiSource<R> {
    /// `text` stands behind the header of a file of `length` bytes.
    pub fn new(text: TextReader<R>, length: u64) -> Self {
        AsciiSource {
            text,
            length,
            row: Row::default(),
            last: [Token { start: 0, end: 0 }; MOST_AT_ONCE],
        }
    }

    fn next_filled_line(&mut self) -> Result<bool, ParseError> {
        while self.text.next_line()? {
            if !self.text.line().trim_ascii().is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn token(&mut self) -> Result<Token, ParseError> {
        self.text.token().ok_or_else(|| {
            let Row { element, index, .. } = &self.row;
            let message = format!(
                "{element} {index} has fewer values than the header declares; \
                 each must stand on a line of its own"
            );
            self.text.error_at_end(message)
        })
    }
}

impl<R: BufRead> ValueSource for AsciiSource<R> {
    fn begin_row(&mut self, element: &Element, index: u64) -> Result<(), ParseError> {
        self.row.set(element, index);
        if self.next_filled_line()? {
            return Ok(());
        }
        let line = self.text.line_number() + 1;
        Err(self.row.ends_early(Place::Text { line, column: 1 }))
    }

    fn values(&mut self, _: ValueType, out: &mut [f64]) -> Result<(), ParseError> {
        for (k, number) in out.iter_mut().enumerate() {
            self.last[k] = self.token()?;
            *number = self.text.number(self.last[k])?;
        }
        Ok(())
    }

    fn skip(&mut self, _: ValueType, count: u64) -> Result<(), ParseError> {
        // A length beyond the line ends the loop at the end of the line.
        for _ in 0..count {
            self.token()?;
        }
        Ok(())
    }

    fn end_row(&mut self) -> Result<(), ParseError> {
        let Some(extra) = self.text.token() else {
            return Ok(());
        };
        let Row { element, index, .. } = &self.row;
        let what = format!("is one value more than the header declares for {element} {index}");
        Err(self.text.error(extra, &what))
    }

    fn skip_element(&mut self, element: &Element) -> Result<(), ParseError> {
        if element.properties.is_empty() {
            return Ok(());
        }
        for index in 0..element.count {
            self.begin_row(element, index)?;
            skip_row(self, element)?;
            self.end_row()?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ParseError> {
        if self.next_filled_line()? {
            return Err(left_over(self.text.place(0)));
        }
        Ok(())
    }

    fn place(&self, k: usize, _: usize) -> Place {
        self.text.place(self.last[k].start)
    }

    fn least_size(&self, kind: Kind, items: u64) -> u64 {
        // A digit and a blank or line end.
        match kind {
            Kind::Scalar(_) => 2,
            Kind::List { .. } => 2 + 2 * items,
        }
    }

    fn remaining(&self) -> u64 {
        self.length.saturating_sub(self.text.bytes_read())
    }
}
