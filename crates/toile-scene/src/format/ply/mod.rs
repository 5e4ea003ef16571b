//! PLY: text and binary, either byte order.
//!
//! What is used: `x`, `y`, `z` of the element `vertex`; the list `vertex_indices` (or `vertex_index`) of
//! the element `face`; texture coordinates from the faces' list `texcoord`, or else from the vertices'
//! `s`/`t`, `u`/`v` or `texture_u`/`texture_v`; colours from the vertices' `red`, `green`, `blue`. Everything else is
//! passed over.

mod ascii;
mod binary;
mod elements;
mod faces;
mod header;
mod source;
#[cfg(test)]
mod tests;
mod write;

pub use write::write_ply;
pub(crate) use write::write_ply_with_normals;

use super::ParseError;
use super::text::TextReader;
use ascii::AsciiSource;
use binary::BinarySource;
use glam::DVec3;
use header::Header;
use std::io::{BufRead, Seek, SeekFrom};
use toile::mesh::Mesh;

/// How a PLY file stores its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlyEncoding {
    /// Decimal text.
    Ascii,
    /// Packed values, the lowest byte first.
    BinaryLittleEndian,
    /// Packed values, the highest byte first.
    BinaryBigEndian,
}

/// Reads a PLY file from the reader's position to its end. It must be able to seek, because the size of
/// the file tells how far the counts in the header can be believed. For bytes in memory, wrap them in a
/// [`std::io::Cursor`].
pub fn read_ply(reader: impl BufRead + Seek) -> Result<Mesh, ParseError> {
    Ok(read_ply_cut(reader)?.0)
}

/// The mesh, and how many faces had more than four corners and were cut into triangles.
pub(super) fn read_ply_cut(reader: impl BufRead + Seek) -> Result<(Mesh, usize), ParseError> {
    let (header, text, length) = open(reader)?;
    let offset = text.bytes_read();
    match header.encoding {
        PlyEncoding::Ascii => elements::read(&header, AsciiSource::new(text, length)),
        PlyEncoding::BinaryLittleEndian => {
            let source = BinarySource::<_, false>::new(text.into_inner(), offset, length);
            elements::read(&header, source)
        }
        PlyEncoding::BinaryBigEndian => {
            let source = BinarySource::<_, true>::new(text.into_inner(), offset, length);
            elements::read(&header, source)
        }
    }
}

/// Reads the vertices of a PLY file, such as a point cloud, which has no faces. Otherwise like [`read_ply`].
pub fn read_ply_points(reader: impl BufRead + Seek) -> Result<Vec<DVec3>, ParseError> {
    let (header, text, length) = open(reader)?;
    let offset = text.bytes_read();
    match header.encoding {
        PlyEncoding::Ascii => elements::read_points(&header, AsciiSource::new(text, length)),
        PlyEncoding::BinaryLittleEndian => {
            let source = BinarySource::<_, false>::new(text.into_inner(), offset, length);
            elements::read_points(&header, source)
        }
        PlyEncoding::BinaryBigEndian => {
            let source = BinarySource::<_, true>::new(text.into_inner(), offset, length);
            elements::read_points(&header, source)
        }
    }
}

/// Reads the header; gives the reader behind it, and how many bytes there are in all.
fn open<R: BufRead + Seek>(mut reader: R) -> Result<(Header, TextReader<R>, u64), ParseError> {
    let start = reader.stream_position()?;
    let length = reader.seek(SeekFrom::End(0))?.saturating_sub(start);
    reader.seek(SeekFrom::Start(start))?;
    let mut text = TextReader::new(reader, None);
    let header = header::read_header(&mut text)?;
    Ok((header, text, length))
}
