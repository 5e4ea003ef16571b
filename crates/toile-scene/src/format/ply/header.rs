//! The header: which elements follow, how many of each, and how their values are stored.

use super::PlyEncoding;
use crate::format::text::{TextReader, quote};
use crate::format::{ParseError, Place};
use std::io::BufRead;

#[derive(Debug, PartialEq)]
pub(super) struct Header {
    pub encoding: PlyEncoding,
    pub elements: Vec<Element>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
    /// Where the header declares it.
    pub place: Place,
}

#[derive(Debug, PartialEq)]
pub(super) struct Property {
    pub name: String,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Scalar(ValueType),
    List { count: ValueType, item: ValueType },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ValueType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl ValueType {
    fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => ValueType::I8,
            b"uchar" | b"uint8" => ValueType::U8,
            b"short" | b"int16" => ValueType::I16,
            b"ushort" | b"uint16" => ValueType::U16,
            b"int" | b"int32" => ValueType::I32,
            b"uint" | b"uint32" => ValueType::U32,
            b"float" | b"float32" => ValueType::F32,
            b"double" | b"float64" => ValueType::F64,
            _ => return None,
        })
    }

    /// Bytes of a value in a binary file.
    pub fn size(self) -> u64 {
        match self {
            ValueType::I8 | ValueType::U8 => 1,
            ValueType::I16 | ValueType::U16 => 2,
            ValueType::I32 | ValueType::U32 | ValueType::F32 => 4,
            ValueType::F64 => 8,
        }
    }
}

impl Element {
    pub fn find(&self, name: &str) -> Option<usize> {
        self.properties.iter().position(|p| p.name == name)
    }

    /// Bytes from one row to the next in a binary file; `None` if lists make it vary.
    pub fn fixed_row_size(&self) -> Option<u64> {
        self.properties.iter().try_fold(0, |sum, p| match p.kind {
            Kind::Scalar(value) => Some(sum + value.size()),
            Kind::List { .. } => None,
        })
    }
}

/// Reads the header, the line `end_header` included.
pub(super) fn read_header<R: BufRead>(text: &mut TextReader<R>) -> Result<Header, ParseError> {
    if !text.next_line()? || words(text) != [b"ply"] {
        let what = "the first line must be `ply`; this is no PLY file";
        let place = Place::Text { line: 1, column: 1 };
        return Err(ParseError::at(place, what));
    }
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        if !text.next_line()? {
            let what = "the file ends before `end_header`; it may be cut off";
            return Err(text.error_at_end(what));
        }
        let words = words(text);
        match words.as_slice() {
            [] | [b"comment", ..] | [b"obj_info", ..] => {}
            [b"format", name, b"1.0"] if encoding.is_none() => {
                encoding = Some(parse_encoding(name).ok_or_else(|| unreadable(text))?);
            }
            [b"element", name, count] => {
                let place = text.place(0);
                elements.push(parse_element(name, count, place).ok_or_else(|| unreadable(text))?);
                check_element_names(&elements)?;
            }
            [b"property", rest @ ..] => {
                let property = parse_property(rest).ok_or_else(|| unreadable(text))?;
                let element = elements.last_mut().ok_or_else(|| {
                    ParseError::at(text.place(0), "a property before the first `element` line")
                })?;
                element.properties.push(property);
            }
            [b"end_header"] => break,
            _ => return Err(unreadable(text)),
        }
    }
    let encoding = encoding.ok_or_else(|| {
        ParseError::at(
            text.place(0),
            "the header has no line `format ascii 1.0` or the like",
        )
    })?;
    Ok(Header { encoding, elements })
}

fn words<R: BufRead>(text: &TextReader<R>) -> Vec<&[u8]> {
    let line = text.line();
    let words = line.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty()).collect()
}

fn unreadable<R: BufRead>(text: &TextReader<R>) -> ParseError {
    let message = format!(
        "{} is not a header line of PLY; there are `format ascii|binary_little_endian|binary_big_endian 1.0` \
         (once), `element NAME COUNT`, `property TYPE NAME`, `property list TYPE TYPE NAME` with the types \
         char, uchar, short, ushort, int, uint, float and double, `comment`, `obj_info` and `end_header`",
        quote(text.line())
    );
    ParseError::at(text.place(0), message)
}

fn parse_encoding(name: &[u8]) -> Option<PlyEncoding> {
    match name {
        b"ascii" => Some(PlyEncoding::Ascii),
        b"binary_little_endian" => Some(PlyEncoding::BinaryLittleEndian),
        b"binary_big_endian" => Some(PlyEncoding::BinaryBigEndian),
        _ => None,
    }
}

fn parse_element(name: &[u8], count: &[u8], place: Place) -> Option<Element> {
    Some(Element {
        name: String::from_utf8(name.to_vec()).ok()?,
        count: std::str::from_utf8(count).ok()?.parse().ok()?,
        properties: Vec::new(),
        place,
    })
}

/// Two elements of one name would leave open which one a face means.
fn check_element_names(elements: &[Element]) -> Result<(), ParseError> {
    let Some((last, before)) = elements.split_last() else {
        return Ok(());
    };
    let is_ours = ["vertex", "face"].contains(&last.name.as_str());
    if is_ours && before.iter().any(|e| e.name == last.name) {
        let message = format!("a second `element {}`; there may be only one", last.name);
        return Err(ParseError::at(last.place, message));
    }
    Ok(())
}

fn parse_property(words: &[&[u8]]) -> Option<Property> {
    let (name, kind) = match words {
        [b"list", count, item, name] => {
            let count = ValueType::from_name(count)?;
            let item = ValueType::from_name(item)?;
            (name, Kind::List { count, item })
        }
        [value, name] => (name, Kind::Scalar(ValueType::from_name(value)?)),
        _ => return None,
    };
    Some(Property {
        name: String::from_utf8(name.to_vec()).ok()?,
        kind,
    })
}
