//! Bytes as text that may stand inside an HTML page (RFC 4648, standard alphabet).

use std::io::{self, Write};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes per line of text. A multiple of three, so that every line but the last decodes on its own and the
/// page never needs a second copy of the whole text.
const LINE_BYTES: usize = 3 << 14;

/// How long `bytes` bytes are as text.
pub(super) fn encoded_length(bytes: u64) -> u64 {
    bytes.div_ceil(3) * 4 + bytes.div_ceil(LINE_BYTES as u64)
}

/// Takes bytes in pieces and writes lines of text.
pub(super) struct Encoder<'a, W: Write> {
    out: &'a mut W,
    pending: Vec<u8>,
    written: u64,
}

impl<'a, W: Write> Encoder<'a, W> {
    pub(super) fn new(out: &'a mut W) -> Self {
        Encoder {
            out,
            pending: Vec::with_capacity(LINE_BYTES),
            written: 0,
        }
    }

    pub(super) fn push(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let room = LINE_BYTES - self.pending.len();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.pending.extend_from_slice(now);
            bytes = later;
            if self.pending.len() == LINE_BYTES {
                self.write_line()?;
            }
        }
        Ok(())
    }

    /// Writes what is left; returns the length of all the text.
    pub(super) fn finish(mut self) -> io::Result<u64> {
        if !self.pending.is_empty() {
            self.write_line()?;
        }
        Ok(self.written)
    }

    fn write_line(&mut self) -> io::Result<()> {
        let mut text = Vec::with_capacity(self.pending.len().div_ceil(3) * 4 + 1);
        for group in self.pending.chunks(3) {
            text.extend_from_slice(&encode_group(group));
        }
        text.push(b'\n');
        self.pending.clear();
        self.written += text.len() as u64;
        self.out.write_all(&text)
    }
}

/// A small file as an address that holds all of it, such as a picture for `src`.
pub fn data_uri(media_type: &str, bytes: &[u8]) -> String {
    let mut out = format!("data:{media_type};base64,");
    out.reserve(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        out.extend(encode_group(group).map(char::from));
    }
    out
}

/// One to three bytes as four letters; `=` fills up.
fn encode_group(group: &[u8]) -> [u8; 4] {
    let byte = |k: usize| u32::from(group.get(k).copied().unwrap_or(0));
    let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    std::array::from_fn(|k| match k <= group.len() {
        true => ALPHABET[(bits >> (18 - 6 * k)) as usize & 63],
        false => b'=',
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(bytes: &[u8]) -> String {
        let mut out = Vec::new();
        let mut encoder = Encoder::new(&mut out);
        encoder.push(bytes).unwrap();
        let length = encoder.finish().unwrap();
        assert_eq!(length, out.len() as u64);
        assert_eq!(length, encoded_length(bytes.len() as u64));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_examples_of_the_standard_come_out() {
        for (plain, text) in [
            ("", ""),
            ("f", "Zg==\n"),
            ("fo", "Zm8=\n"),
            ("foo", "Zm9v\n"),
            ("foobar", "Zm9vYmFy\n"),
        ] {
            assert_eq!(encode(plain.as_bytes()), text);
        }
    }

    #[test]
    fn a_picture_becomes_an_address() {
        assert_eq!(
            data_uri("image/png", b"fooba"),
            "data:image/png;base64,Zm9vYmE="
        );
    }

    #[test]
    fn long_data_is_cut_into_lines_that_decode_alone() {
        let text = encode(&vec![0xA5; 2 * LINE_BYTES + 1]);
        let lengths: Vec<usize> = text.lines().map(str::len).collect();
        assert_eq!(lengths, [LINE_BYTES / 3 * 4, LINE_BYTES / 3 * 4, 4]);
    }
}
