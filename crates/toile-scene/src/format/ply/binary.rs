//! Values of a binary body.

use super::header::{Element, Kind, ValueType};
use super::source::{Row, ValueSource, left_over, skip_row};
use crate::format::{ParseError, Place};
use std::io::{self, Read};

/// Bytes fetched at once.
const BLOCK: usize = 1 << 16;

/// A body of packed values.
#[derive(Debug)]
pub(super) struct BinarySource<R, const BIG_ENDIAN: bool> {
    reader: R,
    length: u64,
    block: Vec<u8>,
    /// The part of the block that has not been read yet starts here.
    start: usize,
    /// Bytes of the file up to the end of the block.
    fetched: u64,
    row: Row,
    /// Size of each of the values last read.
    last: u64,
}

impl<R: Read, const BIG_ENDIAN: bool> BinarySource<R, BIG_ENDIAN> {
    /// `reader` stands behind the header of `offset` bytes, in a file of `length` bytes.
    pub fn new(reader: R, offset: u64, length: u64) -> Self {
        BinarySource {
            reader,
            length,
            block: Vec::with_capacity(BLOCK),
            start: 0,
            fetched: offset,
            row: Row::default(),
            last: 0,
        }
    }

    fn offset(&self) -> u64 {
        self.fetched - (self.block.len() - self.start) as u64
    }

    /// Reads as many values of `N` bytes as `out` has room for.
    #[inline]
    fn decode<const N: usize>(
        &mut self,
        out: &mut [f64],
        convert: impl Fn([u8; N]) -> f64,
    ) -> Result<(), ParseError> {
        let size = N * out.len();
        if self.block.len() - self.start < size {
            self.refill(size)?;
        }
        let bytes = &self.block[self.start..self.start + size];
        for (number, bytes) in out.iter_mut().zip(bytes.as_chunks::<N>().0) {
            let mut bytes = *bytes;
            if BIG_ENDIAN {
                bytes.reverse();
            }
            *number = convert(bytes);
        }
        self.start += size;
        self.last = N as u64;
        Ok(())
    }

    /// Fetches until `wanted` bytes are there or the file ends.
    #[cold]
    fn refill(&mut self, wanted: usize) -> Result<(), ParseError> {
        self.block.drain(..self.start);
        self.start = 0;
        while self.block.len() < wanted {
            let room = (BLOCK - self.block.len()) as u64;
            let got = (&mut self.reader).take(room).read_to_end(&mut self.block)?;
            self.fetched += got as u64;
            if got == 0 {
                return Err(self.row.ends_early(Place::Byte(self.fetched)));
            }
        }
        Ok(())
    }

    fn skip_bytes(&mut self, count: u64) -> Result<(), ParseError> {
        let buffered = (self.block.len() - self.start) as u64;
        if count <= buffered {
            self.start += count as usize;
            return Ok(());
        }
        if count > self.remaining() {
            return Err(self.row.ends_early(Place::Byte(self.length)));
        }
        self.block.clear();
        self.start = 0;
        let beyond = count - buffered;
        let mut passed = (&mut self.reader).take(beyond);
        self.fetched += io::copy(&mut passed, &mut io::sink())?;
        Ok(())
    }
}

impl<R: Read, const BIG_ENDIAN: bool> ValueSource for BinarySource<R, BIG_ENDIAN> {
    #[inline]
    fn begin_row(&mut self, element: &Element, index: u64) -> Result<(), ParseError> {
        self.row.set(element, index);
        Ok(())
    }

    #[inline]
    fn values(&mut self, value: ValueType, out: &mut [f64]) -> Result<(), ParseError> {
        match value {
            ValueType::I8 => self.decode(out, |b| i8::from_le_bytes(b).into()),
            ValueType::U8 => self.decode(out, |b| u8::from_le_bytes(b).into()),
            ValueType::I16 => self.decode(out, |b| i16::from_le_bytes(b).into()),
            ValueType::U16 => self.decode(out, |b| u16::from_le_bytes(b).into()),
            ValueType::I32 => self.decode(out, |b| i32::from_le_bytes(b).into()),
            ValueType::U32 => self.decode(out, |b| u32::from_le_bytes(b).into()),
            ValueType::F32 => self.decode(out, |b| f32::from_le_bytes(b).into()),
            ValueType::F64 => self.decode(out, f64::from_le_bytes),
        }
    }

    #[inline]
    fn plain_corners(&mut self, list: Kind, limit: u32) -> Option<([u32; 4], usize)> {
        let Kind::List { count, item } = list else {
            return None;
        };
        let limit = match (count, item) {
            (ValueType::U8, ValueType::U32) => limit,
            // A negative index looks like one of 2³¹ or more.
            (ValueType::U8, ValueType::I32) => limit.min(1 << 31),
            _ => return None,
        };
        let [length, bytes @ ..] = self.block[self.start..].first_chunk::<17>()?;
        let corners = *length as usize;
        let mut nodes = [0; 4];
        for (node, bytes) in nodes.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *node = if BIG_ENDIAN {
                u32::from_be_bytes(*bytes)
            } else {
                u32::from_le_bytes(*bytes)
            };
        }
        let usable = matches!(corners, 3 | 4) && nodes[..corners].iter().all(|&n| n < limit);
        usable.then(|| {
            self.start += 1 + 4 * corners;
            (nodes, corners)
        })
    }

    fn skip(&mut self, value: ValueType, count: u64) -> Result<(), ParseError> {
        // A list has less than 2³² items of at most 8 bytes.
        self.skip_bytes(value.size() * count)
    }

    fn end_row(&mut self) -> Result<(), ParseError> {
        Ok(())
    }

    fn skip_element(&mut self, element: &Element) -> Result<(), ParseError> {
        let Some(row_size) = element.fixed_row_size() else {
            for index in 0..element.count {
                self.begin_row(element, index)?;
                skip_row(self, element)?;
            }
            return Ok(());
        };
        if row_size == 0 {
            return Ok(());
        }
        let whole_rows = self.remaining() / row_size;
        self.row.set(element, 0);
        if whole_rows < element.count {
            self.row.index = whole_rows;
            return Err(self.row.ends_early(Place::Byte(self.length)));
        }
        self.skip_bytes(row_size * element.count)
    }

    fn finish(&mut self) -> Result<(), ParseError> {
        // Some programs end a binary file with a line end, others fill it up with zeros.
        let is_filling = |b: &u8| b.is_ascii_whitespace() || *b == 0;
        while self.remaining() > 0 {
            let rest = &self.block[self.start..];
            if let Some(position) = rest.iter().position(|b| !is_filling(b)) {
                self.start += position;
                return Err(left_over(Place::Byte(self.offset())));
            }
            self.start = self.block.len();
            if self.remaining() > 0 {
                self.refill(1)?;
            }
        }
        Ok(())
    }

    fn place(&self, k: usize, count: usize) -> Place {
        Place::Byte(self.offset() - self.last * (count - k) as u64)
    }

    fn least_size(&self, kind: Kind, items: u64) -> u64 {
        match kind {
            Kind::Scalar(value) => value.size(),
            Kind::List { count, item } => count.size() + item.size() * items,
        }
    }

    fn remaining(&self) -> u64 {
        self.length.saturating_sub(self.offset())
    }
}
