//! Where values come from: text or binary. The code that makes sense of them does not care which.

use super::header::{Element, Kind, ValueType};
use crate::format::{ParseError, Place};

/// The most values read in one call: two for each corner of a quad.
pub(super) const MOST_AT_ONCE: usize = 8;

/// Values of a PLY body in the order of the file.
pub(super) trait ValueSource {
    /// Goes to row `index` of `element`. Rows are asked for one after the other.
    fn begin_row(&mut self, element: &Element, index: u64) -> Result<(), ParseError>;

    /// The next values of the row, all of one type and at most [`MOST_AT_ONCE`]. They may be infinite or
    /// not numbers.
    fn values(&mut self, value: ValueType, out: &mut [f64]) -> Result<(), ParseError>;

    /// A row that is nothing but a list of three or four indices below `limit`, if that can be told without
    /// further ado. If not, nothing has been read, and the row must be read value by value.
    #[inline]
    fn plain_corners(&mut self, _list: Kind, _limit: u32) -> Option<([u32; 4], usize)> {
        None
    }

    /// Passes over `count` values of the row.
    fn skip(&mut self, value: ValueType, count: u64) -> Result<(), ParseError>;

    /// Refuses a row that has more values than the header declares.
    fn end_row(&mut self) -> Result<(), ParseError>;

    /// Passes over all rows of an element.
    fn skip_element(&mut self, element: &Element) -> Result<(), ParseError>;

    /// Refuses anything but blanks after the last row.
    fn finish(&mut self) -> Result<(), ParseError>;

    /// The place of the `k`-th of the `count` values last read together.
    fn place(&self, k: usize, count: usize) -> Place;

    /// The fewest bytes that such a property can take in a row, lists counted with `items` items.
    fn least_size(&self, kind: Kind, items: u64) -> u64;

    /// Bytes from here to the end of the file.
    fn remaining(&self) -> u64;
}

/// Passes over a row, whatever it holds.
pub(super) fn skip_row(source: &mut impl ValueSource, element: &Element) -> Result<(), ParseError> {
    for property in &element.properties {
        skip_property(source, property.kind)?;
    }
    Ok(())
}

pub(super) fn skip_property(source: &mut impl ValueSource, kind: Kind) -> Result<(), ParseError> {
    match kind {
        Kind::Scalar(value) => source.skip(value, 1),
        Kind::List { count, item } => {
            let count = list_length(source, count)?;
            source.skip(item, count)
        }
    }
}

/// The length that stands before the items of a list.
pub(super) fn list_length(
    source: &mut impl ValueSource,
    count: ValueType,
) -> Result<u64, ParseError> {
    let mut length = [0.0];
    source.values(count, &mut length)?;
    let [length] = length;
    match whole_number(length) {
        Some(length) => Ok(u64::from(length)),
        None => {
            let message = format!("{length} cannot be the length of a list");
            Err(ParseError::at(source.place(0, 1), message))
        }
    }
}

/// The value as a whole number; all integers of PLY fit into an `f64` without loss.
#[inline]
pub(super) fn whole_number(value: f64) -> Option<u32> {
    let number = value as u32;
    (f64::from(number) == value).then_some(number)
}

/// An element's row that is being read, for messages.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub element: String,
    pub index: u64,
    pub count: u64,
}

impl Row {
    pub fn set(&mut self, element: &Element, index: u64) {
        self.index = index;
        if index == 0 {
            self.element.clone_from(&element.name);
            self.count = element.count;
        }
    }

    pub fn ends_early(&self, place: Place) -> ParseError {
        let Row {
            element,
            index,
            count,
        } = self;
        let message = format!(
            "the file ends inside {element} {index} (counted from 0; the header declares {count}); \
             it is cut off, or the header is wrong"
        );
        ParseError::at(place, message)
    }
}

pub(super) fn left_over(place: Place) -> ParseError {
    let what = "the file goes on after the last element; the counts in the header are wrong";
    ParseError::at(place, what)
}
