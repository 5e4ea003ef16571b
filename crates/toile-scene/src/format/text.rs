//! Text files line by line: one reused buffer, and the line and column of every token.

use super::{ParseError, Place};
use std::io::BufRead;

/// A stretch of the current line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub start: usize,
    pub end: usize,
}

/// Reads lines that end in LF or CRLF and cuts them at blanks.
#[derive(Debug)]
pub(super) struct TextReader<R> {
    reader: R,
    /// The line without its end; several lines of the file if they were joined.
    line: Vec<u8>,
    /// Where in `line` each joined line starts.
    joints: Vec<usize>,
    cursor: usize,
    line_number: u64,
    bytes_read: u64,
    /// Everything from this byte on is a comment; LF, which no line contains, if there are none.
    comment: u8,
    /// For each byte whether a token ends before it. One look-up per byte instead of five comparisons:
    /// this is where a large file spends its time.
    ends_token: [bool; 256],
}

impl<R: BufRead> TextReader<R> {
    /// A reader of text in which `comment` starts a comment anywhere in a line.
    pub fn new(reader: R, comment: Option<u8>) -> Self {
        let comment = comment.unwrap_or(b'\n');
        TextReader {
            reader,
            line: Vec::new(),
            joints: Vec::new(),
            cursor: 0,
            line_number: 0,
            bytes_read: 0,
            comment,
            ends_token: std::array::from_fn(|b| is_blank(b as u8) || b as u8 == comment),
        }
    }

    /// Goes to the next line; `false` at the end of the file.
    pub fn next_line(&mut self) -> Result<bool, ParseError> {
        self.line.clear();
        self.joints.clear();
        self.cursor = 0;
        let found = self.append_line()?;
        if self.line_number == 1 && self.line.starts_with(b"\xEF\xBB\xBF") {
            self.cursor = 3;
        }
        Ok(found)
    }

    fn append_line(&mut self) -> Result<bool, ParseError> {
        let length = self.reader.read_until(b'\n', &mut self.line)?;
        self.bytes_read += length as u64;
        if length == 0 {
            return Ok(false);
        }
        self.line_number += 1;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
        }
        Ok(true)
    }

    /// While the line ends in a backslash, appends the next one. A backslash at the end of a comment is
    /// only a character: continuing there would swallow the line after it.
    pub fn join_continued_lines(&mut self) -> Result<(), ParseError> {
        while let Some((b'\\', before)) = self.line.split_last() {
            if before.contains(&self.comment) {
                break;
            }
            let end = before.len();
            self.line[end] = b' ';
            self.joints.push(end + 1);
            if !self.append_line()? {
                self.joints.pop();
                let what = "the line ends in `\\`, but no line follows; the file may be cut off";
                return Err(ParseError::at(self.place(end), what));
            }
        }
        Ok(())
    }

    /// Refuses a line that is not UTF-8, comments apart.
    pub fn check_utf8(&self) -> Result<(), ParseError> {
        if self.line.is_ascii() {
            return Ok(());
        }
        let end = self.line.iter().position(|&b| b == self.comment);
        match std::str::from_utf8(&self.line[..end.unwrap_or(self.line.len())]) {
            Ok(_) => Ok(()),
            Err(error) => Err(ParseError::at(
                self.place(error.valid_up_to()),
                "a byte that is not UTF-8; save the file as UTF-8 text",
            )),
        }
    }

    /// The next stretch of the line between blanks; `None` at its end or where a comment starts.
    #[inline]
    pub fn token(&mut self) -> Option<Token> {
        self.peek()?;
        let goes_on = |b: &&u8| !self.ends_token[**b as usize];
        let rest = &self.line[self.cursor..];
        let length = rest.iter().take_while(goes_on).count();
        self.token_of(length)
    }

    /// Passes over blanks and gives the rest of the line; `None` at its end or where a comment starts.
    #[inline]
    pub fn peek(&mut self) -> Option<&[u8]> {
        let rest = &self.line[self.cursor..];
        self.cursor += rest.iter().take_while(|&&b| is_blank(b)).count();
        let rest = &self.line[self.cursor..];
        rest.first().filter(|&&b| b != self.comment).map(|_| rest)
    }

    /// The next `length` bytes, if a token ends after them.
    #[inline]
    pub fn token_of(&mut self, length: usize) -> Option<Token> {
        let (start, end) = (self.cursor, self.cursor + length);
        let ends = self
            .line
            .get(end)
            .is_none_or(|&b| self.ends_token[b as usize]);
        ends.then(|| {
            self.cursor = end;
            Token { start, end }
        })
    }

    /// The whole line.
    pub fn line(&self) -> &[u8] {
        &self.line
    }

    #[inline]
    pub fn bytes(&self, token: Token) -> &[u8] {
        &self.line[token.start..token.end]
    }

    /// The token as a finite number.
    #[inline]
    pub fn number(&self, token: Token) -> Result<f64, ParseError> {
        if let Some(number) = short_decimal(self.bytes(token)) {
            return Ok(number);
        }
        let text = std::str::from_utf8(self.bytes(token)).unwrap_or_default();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            Ok(number) if number.is_infinite() && has_digits(text) => {
                Err(self.error(token, "is too large: numbers end at 1.8e308"))
            }
            Ok(_) => Err(self.error(token, "is not a finite number")),
            Err(_) => Err(self.error(token, "is not a number")),
        }
    }

    /// An error about a token: its text, then `what`.
    #[cold]
    pub fn error(&self, token: Token, what: &str) -> ParseError {
        let message = format!("{} {what}", quote(self.bytes(token)));
        ParseError::at(self.place(token.start), message)
    }

    /// An error about something that should stand at the end of the line.
    #[cold]
    pub fn error_at_end(&self, what: impl Into<String>) -> ParseError {
        ParseError::at(self.place(self.cursor), what)
    }

    /// Line and column of a byte of the current line.
    pub fn place(&self, at: usize) -> Place {
        let joined = self.joints.partition_point(|&joint| joint <= at);
        let start = joined.checked_sub(1).map_or(0, |k| self.joints[k]);
        let is_first_byte_of_character = |b: &&u8| **b & 0xC0 != 0x80;
        let before = &self.line[start..at.min(self.line.len())];
        Place::Text {
            line: self.line_number - (self.joints.len() - joined) as u64,
            column: 1 + before.iter().filter(is_first_byte_of_character).count() as u64,
        }
    }

    /// How many bytes of the file the lines so far took.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// How many lines have been read.
    pub fn line_number(&self) -> u64 {
        self.line_number
    }

    /// The reader, just behind the last line read.
    pub fn into_inner(self) -> R {
        self.reader
    }
}

/// A carriage return is none: in a file whose lines end in nothing else, all would look like one line.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C)
}

/// A decimal number without exponent and of at most about sixteen digits: nearly all that a mesh file
/// holds. Digits below 2⁵³ and powers of ten up to 10²² are exact in an `f64`, so their quotient is the
/// number nearest to the text, just as the full conversion would give it, in a third of the time.
#[inline]
fn short_decimal(bytes: &[u8]) -> Option<f64> {
    const POWERS: [f64; 20] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19,
    ];
    let (negative, bytes) = match bytes.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, bytes),
    };
    // Nineteen digits fit into 64 bits.
    if bytes.len() > 19 {
        return None;
    }
    let mut digits = 0u64;
    let mut point = None;
    for (k, &byte) in bytes.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            digits = 10 * digits + u64::from(digit);
        } else if byte == b'.' && point.is_none() {
            point = Some(k);
        } else {
            return None;
        }
    }
    let decimals = point.map_or(0, |k| bytes.len() - 1 - k);
    let has_digits = bytes.len() > usize::from(point.is_some());
    if !has_digits || digits > 1 << 53 {
        return None;
    }
    let size = digits as f64 / POWERS[decimals];
    Some(if negative { -size } else { size })
}

/// Whether the text of an infinite number is one that grew too large, and not the word for it.
pub(super) fn has_digits(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
}

/// A piece of a file for a message: short, and printable whatever its bytes are.
pub(super) fn quote(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(120)]);
    let shown: String = text.chars().take(30).flat_map(char::escape_debug).collect();
    let dots = if text.chars().count() > 30 { "…" } else { "" };
    format!("`{shown}{dots}`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str) {
        if let Some(number) = short_decimal(text.as_bytes()) {
            let expected: f64 = text.parse().unwrap();
            assert_eq!(number.to_bits(), expected.to_bits(), "{text}");
        }
    }

    #[test]
    fn short_decimals_are_those_of_the_full_conversion() {
        for text in [
            "0",
            "-0",
            "-0.0",
            ".5",
            "5.",
            "0.1",
            "-0.3",
            "9007199254740992",
            "9007199254740993",
            "0.000000000000000001",
            "1234567.87654321",
            "0.9999999999999999",
        ] {
            check(text);
        }
        for text in [
            "",
            "-",
            ".",
            "-.",
            "1e5",
            "+1",
            "1.2.3",
            "nan",
            "99999999999999999999",
        ] {
            assert_eq!(short_decimal(text.as_bytes()), None, "{text}");
        }
        assert_eq!(short_decimal(b"-12.5"), Some(-12.5));
    }

    proptest! {
        #[test]
        fn random_short_decimals_are_those_of_the_full_conversion(text in "-?[0-9]{0,10}\\.?[0-9]{1,10}") {
            check(&text);
        }
    }

    #[test]
    fn quoted_bytes_are_short_and_printable() {
        assert_eq!(quote(b"abc"), "`abc`");
        assert_eq!(quote(b"a\x00\xff"), "`a\\0\u{fffd}`");
        assert!(quote(&[b'x'; 1000]).chars().count() < 40);
    }

    #[test]
    fn columns_count_characters_and_joined_lines_keep_their_numbers() {
        let mut text = TextReader::new("é é\\\n  x\n".as_bytes(), None);
        assert!(text.next_line().unwrap());
        text.join_continued_lines().unwrap();
        let places: Vec<_> =
            std::iter::from_fn(|| text.token().map(|t| text.place(t.start))).collect();
        let expected = [(1, 1), (1, 3), (2, 3)].map(|(line, column)| Place::Text { line, column });
        assert_eq!(places, expected);
    }
}
