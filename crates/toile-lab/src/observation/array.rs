//! NPY: one array of numbers, as numpy saves it.
//!
//! The format: the six bytes `\x93NUMPY`, a version, the header's length, the header (a Python dictionary with
//! `descr`, `fortran_order` and `shape`), then the numbers.

use super::error::RecordingError;

const MAGIC: &[u8] = b"\x93NUMPY";

/// Numbers with a shape; the last index runs fastest, whatever the file's order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Array {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

/// Reads an array; its name is for messages.
pub(super) fn decode(bytes: &[u8], name: &str) -> Result<Array, RecordingError> {
    let fail = |message: String| RecordingError::array(name, message);
    let (header, data) = split(bytes).ok_or_else(|| {
        fail(
            "this is no NPY array, or it is cut off; save it with numpy.save or numpy.savez".into(),
        )
    })?;
    let descriptor = text_field(header, "descr")
        .ok_or_else(|| fail("the header does not tell the type of the numbers".into()))?;
    let number = NumberType::parse(descriptor).ok_or_else(|| {
        let types = "float32, float64, int32 and int64";
        fail(format!(
            "numbers of type `{descriptor}` are not read; save {types} (x.astype(float))"
        ))
    })?;
    let shape = shape_field(header).ok_or_else(|| fail("the header tells no shape".into()))?;
    let count = shape
        .iter()
        .try_fold(1usize, |n, &side| n.checked_mul(side));
    let size = count.and_then(|count| count.checked_mul(number.size));
    if size != Some(data.len()) {
        let found = data.len();
        return Err(fail(format!(
            "an array of shape {shape:?} and type `{descriptor}` does not have {found} bytes; the file may be cut off"
        )));
    }
    let values = data
        .chunks_exact(number.size)
        .map(|b| number.read(b))
        .collect();
    let fortran = field(header, "fortran_order").is_some_and(|rest| rest.starts_with("True"));
    Ok(Array {
        values: if fortran {
            last_index_fastest(&shape, values)
        } else {
            values
        },
        shape,
    })
}

/// The header's text and the bytes after it.
fn split(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (version, rest) = rest.split_at_checked(2)?;
    let (length, rest) = if version[0] == 1 {
        let (length, rest) = rest.split_first_chunk::<2>()?;
        (u16::from_le_bytes(*length) as usize, rest)
    } else {
        let (length, rest) = rest.split_first_chunk::<4>()?;
        (u32::from_le_bytes(*length) as usize, rest)
    };
    let (header, data) = rest.split_at_checked(length)?;
    Some((std::str::from_utf8(header).ok()?, data))
}

/// What follows a key of the header and its colon.
fn field<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let quoted = [format!("'{key}'"), format!("\"{key}\"")];
    let at = quoted
        .iter()
        .find_map(|key| Some(header.find(key)? + key.len()))?;
    Some(header[at..].trim_start().strip_prefix(':')?.trim_start())
}

fn text_field<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let rest = field(header, key)?;
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    rest[1..].split_once(quote).map(|(text, _)| text)
}

fn shape_field(header: &str) -> Option<Vec<usize>> {
    let rest = field(header, "shape")?.strip_prefix('(')?;
    let (inside, _) = rest.split_once(')')?;
    let sides = inside
        .split(',')
        .map(str::trim)
        .filter(|side| !side.is_empty());
    sides
        .map(|side| side.trim_end_matches('L').parse().ok())
        .collect()
}

/// How a number is stored.
#[derive(Clone, Copy, Debug)]
struct NumberType {
    kind: u8,
    size: usize,
    big_endian: bool,
}

impl NumberType {
    fn parse(descriptor: &str) -> Option<Self> {
        let bytes = descriptor.as_bytes();
        let (order, rest) = match bytes.first()? {
            b'<' | b'>' | b'=' | b'|' => (bytes[0], &bytes[1..]),
            _ => (b'<', bytes),
        };
        let (kind, size) = match rest {
            b"f4" | b"i4" | b"u4" => (rest[0], 4),
            b"f8" | b"i8" | b"u8" => (rest[0], 8),
            _ => return None,
        };
        Some(NumberType {
            kind,
            size,
            big_endian: order == b'>',
        })
    }

    fn read(self, bytes: &[u8]) -> f64 {
        let mut little = [0; 8];
        little[..self.size].copy_from_slice(bytes);
        if self.big_endian {
            little[..self.size].reverse();
        }
        let bits = u64::from_le_bytes(little);
        match (self.kind, self.size) {
            (b'f', 4) => f64::from(f32::from_bits(bits as u32)),
            (b'f', _) => f64::from_bits(bits),
            (b'i', 4) => f64::from(bits as u32 as i32),
            (b'i', _) => bits as i64 as f64,
            _ => bits as f64,
        }
    }
}

/// Puts numbers whose first index runs fastest into the other order.
fn last_index_fastest(shape: &[usize], values: Vec<f64>) -> Vec<f64> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for &side in shape {
        strides.push(stride);
        stride *= side;
    }
    let source = |mut index: usize| {
        let mut at = 0;
        for (&side, stride) in shape.iter().zip(&strides).rev() {
            at += index % side * stride;
            index /= side;
        }
        at
    };
    (0..values.len())
        .map(|index| values[source(index)])
        .collect()
}

/// Writes an array of 64-bit floats, or of 64-bit integers if `whole`.
pub(super) fn encode(shape: &[usize], values: &[f64], whole: bool) -> Vec<u8> {
    let sides: String = shape.iter().map(|side| format!("{side}, ")).collect();
    // Python wants the comma of a tuple with one entry, and can do without it in others.
    let sides = if shape.len() == 1 {
        sides.trim_end()
    } else {
        sides.trim_end_matches(", ")
    };
    let descriptor = if whole { "<i8" } else { "<f8" };
    let mut header =
        format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': ({sides}), }}");
    // The numbers start at a multiple of 64 bytes, after a line end.
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.extend(std::iter::repeat_n(
        ' ',
        unpadded.next_multiple_of(64) - unpadded,
    ));
    header.push('\n');
    let mut bytes = [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes()].concat();
    bytes.extend(header.as_bytes());
    for &value in values {
        bytes.extend(if whole {
            (value as i64).to_le_bytes()
        } else {
            value.to_le_bytes()
        });
    }
    bytes
}
