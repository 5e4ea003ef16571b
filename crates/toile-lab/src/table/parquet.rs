//! Tables as Parquet: the plainest files that the format allows.
//!
//! One row group, one page per column, values as they are in memory, nothing compressed; every column may have missing cells.
//! The layout is that of <https://parquet.apache.org/docs/file-format/>. It is written here because the crates for it take longer
//! to compile than this engine does.

use super::thrift::Thrift;
use super::{Table, TableError, Values};
use std::io::Write;

const MAGIC: &[u8] = b"PAR1";

/// Enumerations of the format.
const TYPE_INT64: i32 = 2;
const TYPE_DOUBLE: i32 = 5;
const TYPE_BYTE_ARRAY: i32 = 6;
const REPETITION_OPTIONAL: i32 = 1;
const CONVERTED_UTF8: i32 = 0;
const ENCODING_PLAIN: i32 = 0;
const ENCODING_RLE: i32 = 3;
const CODEC_UNCOMPRESSED: i32 = 0;
const PAGE_DATA: i32 = 0;

/// Where a column stands in the file.
struct Chunk<'a> {
    name: &'a str,
    values: &'a Values,
    offset: usize,
    size: usize,
}

impl Table {
    /// Writes the table as a Parquet file. The same table always gives the same bytes.
    pub fn write_parquet(&self, mut out: impl Write) -> Result<(), TableError> {
        let mut bytes = MAGIC.to_vec();
        let mut chunks = Vec::new();
        for column in &self.columns {
            let offset = bytes.len();
            append_page(&mut bytes, &column.values, self.rows);
            chunks.push(Chunk {
                name: &column.name,
                values: &column.values,
                offset,
                size: bytes.len() - offset,
            });
        }
        let footer = footer(&chunks, self.rows);
        bytes.extend(&footer);
        bytes.extend((footer.len() as u32).to_le_bytes());
        bytes.extend(MAGIC);
        out.write_all(&bytes)?;
        out.flush()?;
        Ok(())
    }
}

fn physical_type(values: &Values) -> i32 {
    match values {
        Values::Numbers(_) => TYPE_DOUBLE,
        Values::Integers(_) => TYPE_INT64,
        Values::Texts(_) => TYPE_BYTE_ARRAY,
    }
}

/// Appends a page: its header, which cells have a value, and the values.
fn append_page(bytes: &mut Vec<u8>, values: &Values, rows: usize) {
    let mut plain = Vec::new();
    let present: Vec<bool> = match values {
        Values::Numbers(values) => {
            plain.extend(values.iter().flatten().flat_map(|v| v.to_le_bytes()));
            values.iter().map(Option::is_some).collect()
        }
        Values::Integers(values) => {
            plain.extend(values.iter().flatten().flat_map(|v| v.to_le_bytes()));
            values.iter().map(Option::is_some).collect()
        }
        Values::Texts(values) => {
            for text in values.iter().flatten() {
                plain.extend((text.len() as u32).to_le_bytes());
                plain.extend(text.as_bytes());
            }
            values.iter().map(Option::is_some).collect()
        }
    };
    let levels = definition_levels(&present);
    let size = (4 + levels.len() + plain.len()) as i32;
    bytes.extend(Thrift::encode(|header| {
        header.i32(1, PAGE_DATA);
        header.i32(2, size);
        header.i32(3, size);
        header.field(5, |page| {
            page.i32(1, rows as i32);
            page.i32(2, ENCODING_PLAIN);
            page.i32(3, ENCODING_RLE);
            page.i32(4, ENCODING_RLE);
        });
    }));
    bytes.extend((levels.len() as u32).to_le_bytes());
    bytes.extend(levels);
    bytes.extend(plain);
}

/// Runs of cells with and without a value: twice the length of each, seven bits at a time, and a byte 1 or 0.
fn definition_levels(present: &[bool]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for run in present.chunk_by(|a, b| a == b) {
        let mut length = (run.len() as u64) << 1;
        while length >= 0x80 {
            bytes.push(length as u8 | 0x80);
            length >>= 7;
        }
        bytes.push(length as u8);
        bytes.push(u8::from(run[0]));
    }
    bytes
}

fn footer(chunks: &[Chunk], rows: usize) -> Vec<u8> {
    Thrift::encode(|file| {
        file.i32(1, 1);
        // The root, which only tells the number of columns, and the columns.
        let elements: Vec<Option<&Chunk>> =
            [None].into_iter().chain(chunks.iter().map(Some)).collect();
        file.structures(2, &elements, |element, chunk| match chunk {
            None => {
                element.text(4, "table");
                element.i32(5, chunks.len() as i32);
            }
            Some(chunk) => {
                element.i32(1, physical_type(chunk.values));
                element.i32(3, REPETITION_OPTIONAL);
                element.text(4, chunk.name);
                if matches!(chunk.values, Values::Texts(_)) {
                    element.i32(6, CONVERTED_UTF8);
                }
            }
        });
        file.i64(3, rows as i64);
        let total: usize = chunks.iter().map(|chunk| chunk.size).sum();
        file.structures(4, &[()], |group, ()| {
            group.structures(1, chunks, |column, chunk| {
                column.i64(2, chunk.offset as i64);
                column.field(3, |metadata| chunk_metadata(metadata, chunk, rows));
            });
            group.i64(2, total as i64);
            group.i64(3, rows as i64);
        });
        file.text(6, "toile");
    })
}

fn chunk_metadata(metadata: &mut Thrift, chunk: &Chunk, rows: usize) {
    metadata.i32(1, physical_type(chunk.values));
    metadata.i32_list(2, &[ENCODING_PLAIN, ENCODING_RLE]);
    metadata.text_list(3, &[chunk.name]);
    metadata.i32(4, CODEC_UNCOMPRESSED);
    metadata.i64(5, rows as i64);
    metadata.i64(6, chunk.size as i64);
    metadata.i64(7, chunk.size as i64);
    metadata.i64(9, chunk.offset as i64);
}
