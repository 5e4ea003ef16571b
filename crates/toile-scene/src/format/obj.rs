//! Wavefront OBJ: `v`, `vt` and `f`; every other keyword is passed over.

#[cfg(test)]
mod tests;

use super::corner_uvs::CornerUvs;
use super::text::{TextReader, Token};
use super::{ParseError, Place, check_writable, write_number};
use glam::{DVec2, DVec3};
use std::collections::HashMap;
use std::io::{self, BufRead, BufWriter, Write};
use toile::mesh::{Face, Mesh};

/// Reads an OBJ file. Corners may name vertices that come later in the file.
pub fn read_obj(reader: impl BufRead) -> Result<Mesh, ParseError> {
    let mut text = TextReader::new(reader, Some(b'#'));
    let mut obj = ObjMesh::default();
    while text.next_line()? {
        text.join_continued_lines()?;
        text.check_utf8()?;
        let Some(keyword) = text.token() else {
            continue;
        };
        match text.bytes(keyword) {
            b"v" => obj.vertex(&mut text)?,
            b"vt" => obj.texture_coordinates(&mut text)?,
            b"f" => obj.face(&mut text)?,
            _ => {}
        }
    }
    obj.finish()
}

/// Writes an OBJ file with quads and texture coordinates. Equal texture coordinates are written once, so
/// that other programs see which corners belong together.
pub fn write_obj(mesh: &Mesh, out: &mut impl Write) -> io::Result<()> {
    check_writable(mesh)?;
    let mut out = BufWriter::with_capacity(1 << 16, out);
    for position in &mesh.positions {
        write_row(&mut out, "v", &position.to_array())?;
    }
    let mut uv_numbers = HashMap::new();
    for (index, face) in mesh.faces.iter().enumerate() {
        let uvs = mesh.corner_uvs.as_ref().map(|uvs| &uvs[index]);
        let numbers = match uvs {
            Some(uvs) => Some(number_uvs(
                &mut out,
                &mut uv_numbers,
                &uvs[..face.corners().len()],
            )?),
            None => None,
        };
        write!(out, "f")?;
        for (k, &node) in face.corners().iter().enumerate() {
            write!(out, " {}", u64::from(node) + 1)?;
            if let Some(numbers) = numbers {
                write!(out, "/{}", numbers[k])?;
            }
        }
        writeln!(out)?;
    }
    out.flush()
}

fn write_row(out: &mut impl Write, keyword: &str, numbers: &[f64]) -> io::Result<()> {
    write!(out, "{keyword}")?;
    for &number in numbers {
        write!(out, " ")?;
        write_number(out, number)?;
    }
    writeln!(out)
}

/// The numbers that a face's texture coordinates have in the file; those that are new are written.
fn number_uvs(
    out: &mut impl Write,
    known: &mut HashMap<[u64; 2], u64>,
    uvs: &[DVec2],
) -> io::Result<[u64; 4]> {
    let mut numbers = [0; 4];
    for (number, uv) in numbers.iter_mut().zip(uvs) {
        let next = known.len() as u64 + 1;
        // The bits and not the values: −0 and 0 must both come back as they were.
        let key = uv.to_array().map(f64::to_bits);
        *number = *known.entry(key).or_insert(next);
        if *number == next {
            write_row(out, "vt", &uv.to_array())?;
        }
    }
    Ok(numbers)
}

/// One corner of a face as the line has it.
#[derive(Clone, Copy)]
struct Corner {
    vertex: i64,
    uv: Option<i64>,
}

#[derive(Default)]
struct ObjMesh {
    positions: Vec<DVec3>,
    uvs: Vec<DVec2>,
    faces: Vec<Face>,
    corner_uvs: CornerUvs,
    /// Corners whose texture coordinates had not been read yet: face, corner, number.
    late_uvs: Vec<(u32, u32, u32)>,
    ahead: References,
    uvs_ahead: References,
}

impl ObjMesh {
    fn vertex<R: BufRead>(&mut self, text: &mut TextReader<R>) -> Result<(), ParseError> {
        // What may follow (a weight, a colour) is not ours.
        let mut position = [0.0; 3];
        for coordinate in &mut position {
            let token = text.token().ok_or_else(|| {
                text.error_at_end("the vertex needs three coordinates: `v x y z`")
            })?;
            *coordinate = text.number(token)?;
        }
        self.positions.push(DVec3::from_array(position));
        check_count(text, self.positions.len(), "vertices")
    }

    fn texture_coordinates<R: BufRead>(
        &mut self,
        text: &mut TextReader<R>,
    ) -> Result<(), ParseError> {
        let u = text
            .token()
            .ok_or_else(|| text.error_at_end("the texture coordinate is empty: `vt u v`"))?;
        let u = text.number(u)?;
        // The format lets `v` be left out for textures of one dimension.
        let v = text.token().map_or(Ok(0.0), |v| text.number(v))?;
        self.uvs.push(DVec2::new(u, v));
        check_count(text, self.uvs.len(), "texture coordinates")
    }

    fn face<R: BufRead>(&mut self, text: &mut TextReader<R>) -> Result<(), ParseError> {
        let mut nodes = [0; 4];
        let mut uvs = [DVec2::ZERO; 4];
        let mut count = 0;
        let mut uv_count = 0;
        let mut corner_without_uv = None;
        while let Some((corner, token)) = next_corner(text)? {
            if count == 4 {
                let what = "is the fifth corner of this face, and faces have three or four; \
                            split the polygon into triangles or quads";
                return Err(text.error(token, what));
            }
            nodes[count] = self.node(text, token, corner.vertex)?;
            match corner.uv {
                Some(number) => {
                    uvs[count] = self.uv(text, token, number, count)?;
                    uv_count += 1;
                }
                None => corner_without_uv = corner_without_uv.or(Some(token)),
            }
            count += 1;
        }
        self.faces.push(match (count, nodes) {
            (4, quad) => Face::Quad(quad),
            (3, [a, b, c, _]) => Face::Tri([a, b, c]),
            _ => {
                let what = format!("the face has {count} corners, but faces have three or four");
                return Err(text.error_at_end(what));
            }
        });
        check_count(text, self.faces.len(), "faces")?;
        match corner_without_uv {
            None => self.corner_uvs.push(Some(uvs), || Place::WholeFile),
            Some(token) if uv_count > 0 => Err(text.error(
                token,
                "has no texture coordinate, unlike other corners of its face",
            )),
            Some(token) => self.corner_uvs.push(None, || text.place(token.start)),
        }
    }

    /// The node that a corner names: counted from 1, or backwards from the last one read.
    fn node<R: BufRead>(
        &mut self,
        text: &TextReader<R>,
        token: Token,
        number: i64,
    ) -> Result<u32, ParseError> {
        let known = self.positions.len();
        let index = absolute(number, known).map_err(|what| text.error(token, what))?;
        if index as usize >= known {
            self.ahead.note(index, || text.place(token.start));
        }
        Ok(index)
    }

    fn uv<R: BufRead>(
        &mut self,
        text: &TextReader<R>,
        token: Token,
        number: i64,
        corner: usize,
    ) -> Result<DVec2, ParseError> {
        let known = self.uvs.len();
        let index = absolute(number, known).map_err(|what| text.error(token, what))?;
        if let Some(uv) = self.uvs.get(index as usize) {
            return Ok(*uv);
        }
        self.uvs_ahead.note(index, || text.place(token.start));
        self.late_uvs
            .push((self.faces.len() as u32, corner as u32, index));
        Ok(DVec2::ZERO)
    }

    fn finish(mut self) -> Result<Mesh, ParseError> {
        for (count, what) in [
            (self.positions.len(), "v x y z"),
            (self.faces.len(), "f a b c"),
        ] {
            if count == 0 {
                let message =
                    format!("there is not one line `{what}` in the file; is it an OBJ mesh?");
                return Err(ParseError::at(Place::WholeFile, message));
            }
        }
        self.ahead
            .check(self.positions.len(), "vertex", "vertices")?;
        self.uvs_ahead
            .check(self.uvs.len(), "texture coordinate", "texture coordinates")?;
        for (face, corner, index) in self.late_uvs {
            let uv = self.uvs[index as usize];
            self.corner_uvs.set(face as usize, corner as usize, uv);
        }
        self.positions.shrink_to_fit();
        self.faces.shrink_to_fit();
        Ok(Mesh {
            positions: self.positions,
            faces: self.faces,
            corner_uvs: self.corner_uvs.finish(),
        })
    }
}

fn check_count<R: BufRead>(
    text: &TextReader<R>,
    count: usize,
    what: &str,
) -> Result<(), ParseError> {
    if count < u32::MAX as usize {
        return Ok(());
    }
    let message = format!("more than {} {what}; split the file", u32::MAX - 1);
    Err(text.error_at_end(message))
}

#[inline]
fn absolute(number: i64, known: usize) -> Result<u32, &'static str> {
    match number {
        0 => Err("names number 0, but they count from 1"),
        1.. => u32::try_from(number - 1).map_err(|_| "names a number beyond 32 bits"),
        // `known` stays below 2³², so neither the sum nor the conversion can overflow.
        _ => u32::try_from(known as i64 + number)
            .map_err(|_| "counts back beyond the first line of its kind"),
    }
}

#[inline]
fn next_corner<R: BufRead>(
    text: &mut TextReader<R>,
) -> Result<Option<(Corner, Token)>, ParseError> {
    let Some(rest) = text.peek() else {
        return Ok(None);
    };
    if let Some((corner, length)) = parse_corner(rest)
        && let Some(token) = text.token_of(length)
    {
        return Ok(Some((corner, token)));
    }
    let what = "is not a corner; corners are `a`, `a/b`, `a//c` or `a/b/c` with whole numbers";
    Err(match text.token() {
        Some(token) => text.error(token, what),
        None => text.error_at_end(format!("this {what}")),
    })
}

/// A corner at the start of `bytes` and its length.
#[inline]
fn parse_corner(bytes: &[u8]) -> Option<(Corner, usize)> {
    let (vertex, mut rest) = parse_integer(bytes)?;
    let mut uv = None;
    if let Some(after) = rest.strip_prefix(b"/") {
        rest = after;
        if !rest.starts_with(b"/") {
            let (number, after) = parse_integer(rest)?;
            uv = Some(number);
            rest = after;
        }
        if let Some(normal) = rest.strip_prefix(b"/") {
            rest = parse_integer(normal)?.1;
        }
    }
    Some((Corner { vertex, uv }, bytes.len() - rest.len()))
}

/// A whole number and what follows it.
#[inline]
fn parse_integer(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let (negative, digits) = match bytes.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, bytes),
    };
    let mut value = 0;
    let mut length = 0;
    while let Some(digit) = digits.get(length).map(|b| b.wrapping_sub(b'0'))
        && digit < 10
    {
        // Eighteen digits always fit.
        if length == 18 {
            return None;
        }
        value = 10 * value + i64::from(digit);
        length += 1;
    }
    let value = if negative { -value } else { value };
    (length > 0).then(|| (value, &digits[length..]))
}

/// References to what had not been read yet. Only those higher than all before are kept: the first
/// reference beyond the end of the file is always among them.
#[derive(Default)]
struct References {
    rising: Vec<(u32, Place)>,
}

impl References {
    fn note(&mut self, index: u32, place: impl FnOnce() -> Place) {
        if self.rising.last().is_none_or(|last| index > last.0) {
            self.rising.push((index, place()));
        }
    }

    fn check(&self, count: usize, one: &str, many: &str) -> Result<(), ParseError> {
        let beyond = self
            .rising
            .iter()
            .find(|(index, _)| *index as usize >= count);
        beyond.map_or(Ok(()), |&(index, place)| {
            let number = u64::from(index) + 1;
            let message =
                format!("the corner names {one} {number}, but the file has {count} {many}");
            Err(ParseError::at(place, message))
        })
    }
}
