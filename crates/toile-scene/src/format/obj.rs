//! Wavefront OBJ: `v` with its colour, `vt` and `f`; every other keyword is passed over.

#[cfg(test)]
mod tests;
mod write;

pub use write::write_obj;
pub(crate) use write::write_obj_with_normals;

use super::corner_uvs::CornerUvs;
use super::polygons::{MOST_CORNERS, PLACEHOLDER, Polygons};
use super::text::{TextReader, Token};
use super::{ParseError, Place};
use glam::{DVec2, DVec3};
use std::io::BufRead;
use toile::mesh::{Face, Mesh};

/// Reads an OBJ file. Corners may name vertices that come later in the file. Faces with more than four corners are
/// cut into triangles.
pub fn read_obj(reader: impl BufRead) -> Result<Mesh, ParseError> {
    Ok(read_obj_cut(reader)?.0)
}

/// The mesh, and how many faces were cut.
pub(super) fn read_obj_cut(reader: impl BufRead) -> Result<(Mesh, usize), ParseError> {
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
    /// As many as positions, as long as every vertex has one.
    colors: Vec<[f32; 3]>,
    /// Faces with more than four corners: their place, their nodes, the numbers of their texture coordinates.
    polygons: Vec<(usize, Vec<u32>, Vec<u32>)>,
}

impl ObjMesh {
    fn vertex<R: BufRead>(&mut self, text: &mut TextReader<R>) -> Result<(), ParseError> {
        let mut position = [0.0; 3];
        for coordinate in &mut position {
            let token = text.token().ok_or_else(|| {
                text.error_at_end("the vertex needs three coordinates: `v x y z`")
            })?;
            *coordinate = text.number(token)?;
        }
        self.positions.push(DVec3::from_array(position));
        if self.colors.len() + 1 == self.positions.len() {
            self.colors.extend(color(text));
        }
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
        let mut numbers = [0; 4];
        let mut beyond = Beyond::default();
        let mut count = 0;
        let mut uv_count = 0;
        let mut corner_without_uv = None;
        while let Some((corner, token)) = next_corner(text)? {
            let node = self.node(text, token, corner.vertex)?;
            let number = match corner.uv {
                Some(number) => {
                    uv_count += 1;
                    self.uv(text, token, number)?
                }
                None => {
                    corner_without_uv = corner_without_uv.or(Some(token));
                    0
                }
            };
            match count {
                0..4 => (nodes[count], numbers[count]) = (node, number),
                _ => beyond.push(text, token, node, number)?,
            }
            count += 1;
        }
        let face = self.faces.len();
        self.faces.push(match (count, nodes) {
            (4, quad) => Face::Quad(quad),
            (3, [a, b, c, _]) => Face::Tri([a, b, c]),
            (5.., _) => PLACEHOLDER,
            _ => {
                let what = format!("the face has {count} corners, but faces have three or more");
                return Err(text.error_at_end(what));
            }
        });
        check_count(text, self.faces.len(), "faces")?;
        match corner_without_uv {
            None if count > 4 => self
                .corner_uvs
                .push(Some(Default::default()), || Place::WholeFile)?,
            None => {
                let uvs = self.known_uvs(&numbers[..count]);
                self.corner_uvs.push(Some(uvs), || Place::WholeFile)?;
            }
            Some(token) if uv_count > 0 => {
                let what = "has no texture coordinate, unlike other corners of its face";
                return Err(text.error(token, what));
            }
            Some(token) => self.corner_uvs.push(None, || text.place(token.start))?,
        }
        if count > 4 {
            let corners = nodes.into_iter().chain(beyond.nodes).collect();
            let numbers = numbers.into_iter().chain(beyond.numbers);
            let numbers = numbers.take(uv_count).collect();
            self.polygons.push((face, corners, numbers));
        }
        Ok(())
    }

    /// Texture coordinates by their numbers, for the last face; those that come later are noted.
    fn known_uvs(&mut self, numbers: &[u32]) -> [DVec2; 4] {
        let mut uvs = [DVec2::ZERO; 4];
        for (corner, &number) in numbers.iter().enumerate() {
            match self.uvs.get(number as usize) {
                Some(uv) => uvs[corner] = *uv,
                None => {
                    let face = self.faces.len() as u32 - 1;
                    self.late_uvs.push((face, corner as u32, number));
                }
            }
        }
        uvs
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

    /// The number of a corner's texture coordinate, counted from 0.
    fn uv<R: BufRead>(
        &mut self,
        text: &TextReader<R>,
        token: Token,
        number: i64,
    ) -> Result<u32, ParseError> {
        let known = self.uvs.len();
        let index = absolute(number, known).map_err(|what| text.error(token, what))?;
        if index as usize >= known {
            self.uvs_ahead.note(index, || text.place(token.start));
        }
        Ok(index)
    }

    fn finish(mut self) -> Result<(Mesh, usize), ParseError> {
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
        let mut polygons = Polygons::default();
        for (face, corners, numbers) in self.polygons {
            let uvs = numbers.iter().map(|&n| self.uvs[n as usize]);
            polygons.push(face, corners, uvs.collect());
        }
        let whole = self.colors.len() == self.positions.len();
        let mut mesh = Mesh {
            positions: self.positions,
            faces: self.faces,
            corner_uvs: self.corner_uvs.finish(),
            node_colors: whole.then_some(self.colors),
        };
        let cut = polygons.cut(&mut mesh);
        Ok((mesh, cut))
    }
}

/// The corners of a face after its fourth.
#[derive(Default)]
struct Beyond {
    nodes: Vec<u32>,
    numbers: Vec<u32>,
}

impl Beyond {
    fn push<R: BufRead>(
        &mut self,
        text: &TextReader<R>,
        token: Token,
        node: u32,
        number: u32,
    ) -> Result<(), ParseError> {
        if self.nodes.len() + 4 == MOST_CORNERS {
            let what = format!(
                "is a corner too many: a face has at most {MOST_CORNERS}; split the polygon"
            );
            return Err(text.error(token, &what));
        }
        self.nodes.push(node);
        self.numbers.push(number);
        Ok(())
    }
}

/// The colour after a vertex, which many programs write: three numbers from 0 to 1. Anything else (a weight) is not ours.
fn color<R: BufRead>(text: &mut TextReader<R>) -> Option<[f32; 3]> {
    let mut color = [0.0; 3];
    for value in &mut color {
        let token = text.token()?;
        let number = text.number(token).ok()? as f32;
        *value = Some(number).filter(|n| (0.0..=1.0).contains(n))?;
    }
    text.token().is_none().then_some(color)
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
