//! Faces of a PLY file: corners and their texture coordinates.

use super::elements::{believable_count, finite};
use super::header::{Element, Kind, ValueType};
use super::source::{ValueSource, list_length, skip_property, whole_number};
use crate::format::corner_uvs::CornerUvs;
use crate::format::polygons::{MOST_CORNERS, PLACEHOLDER, Polygons};
use crate::format::{ParseError, Place};
use glam::DVec2;
use toile::mesh::Face;

#[derive(Default)]
pub(super) struct Faces {
    pub list: Vec<Face>,
    pub uvs: Option<Vec<[DVec2; 4]>>,
    pub polygons: Polygons,
}

/// Which properties of a face are used.
pub(super) struct FacePlan {
    indices: usize,
    texcoord: Option<usize>,
}

impl FacePlan {
    pub fn new(element: &Element) -> Result<Self, ParseError> {
        let list = |name: &str| {
            let is_list = |&at: &usize| matches!(element.properties[at].kind, Kind::List { .. });
            element.find(name).filter(is_list)
        };
        let indices = list("vertex_indices").or_else(|| list("vertex_index"));
        let indices = indices.ok_or_else(|| {
            let message =
                "faces need a list `vertex_indices`: `property list uchar int vertex_indices`";
            ParseError::at(element.place, message)
        })?;
        Ok(FacePlan {
            indices,
            texcoord: list("texcoord"),
        })
    }

    pub fn read(
        &self,
        element: &Element,
        source: &mut impl ValueSource,
        node_count: u32,
    ) -> Result<Faces, ParseError> {
        let mut list = Vec::with_capacity(believable_count(element, source, 3));
        let mut uvs = CornerUvs::default();
        let mut polygons = Polygons::default();
        for index in 0..element.count {
            source.begin_row(element, index)?;
            if let [only] = element.properties.as_slice()
                && let Some((nodes, count)) = source.plain_corners(only.kind, node_count)
            {
                list.push(face_of(nodes, count));
                continue;
            }
            let mut face = PLACEHOLDER;
            let mut polygon = Vec::new();
            let mut texcoord = TexCoord::default();
            for (at, property) in element.properties.iter().enumerate() {
                match property.kind {
                    Kind::List { count, item } if at == self.indices => {
                        let length = list_length(source, count)?;
                        match length {
                            5.. => polygon = read_polygon(source, item, length, index, node_count)?,
                            _ => face = read_corners(source, item, length, index, node_count)?,
                        }
                    }
                    Kind::List { count, item } if Some(at) == self.texcoord => {
                        texcoord = TexCoord::read(source, count, item)?;
                    }
                    kind => skip_property(source, kind)?,
                }
            }
            source.end_row()?;
            if self.texcoord.is_some() {
                let count = match polygon.len() {
                    0 => face.corners().len(),
                    more => more,
                };
                let corners = texcoord.corners(count, index)?;
                uvs.push(corners, || texcoord.place)?;
            }
            if !polygon.is_empty() {
                polygons.push(list.len(), polygon, texcoord.list());
            }
            list.push(face);
        }
        Ok(Faces {
            list,
            uvs: uvs.finish(),
            polygons,
        })
    }
}

#[inline]
fn read_corners(
    source: &mut impl ValueSource,
    item: ValueType,
    length: u64,
    face: u64,
    node_count: u32,
) -> Result<Face, ParseError> {
    if length < 3 {
        let message =
            format!("face {face} has {length} corners, but faces have three or more; remove it");
        return Err(ParseError::at(source.place(0, 1), message));
    }
    let count = length as usize;
    let mut nodes = [0; 4];
    read_nodes(source, item, &mut nodes[..count], face, node_count)?;
    Ok(face_of(nodes, count))
}

/// The corners of a face that has more than four.
#[cold]
fn read_polygon(
    source: &mut impl ValueSource,
    item: ValueType,
    length: u64,
    face: u64,
    node_count: u32,
) -> Result<Vec<u32>, ParseError> {
    if length > MOST_CORNERS as u64 {
        let message = format!(
            "face {face} has {length} corners, but a face has at most {MOST_CORNERS}; split the polygon"
        );
        return Err(ParseError::at(source.place(0, 1), message));
    }
    let mut nodes = vec![0; length as usize];
    for part in nodes.chunks_mut(4) {
        read_nodes(source, item, part, face, node_count)?;
    }
    Ok(nodes)
}

/// Up to four corners.
#[inline]
fn read_nodes(
    source: &mut impl ValueSource,
    item: ValueType,
    nodes: &mut [u32],
    face: u64,
    node_count: u32,
) -> Result<(), ParseError> {
    let count = nodes.len();
    let mut values = [0.0; 4];
    source.values(item, &mut values[..count])?;
    for (k, (node, &value)) in nodes.iter_mut().zip(&values).enumerate() {
        let index = whole_number(value).filter(|&n| n < node_count);
        *node = index.ok_or_else(|| {
            let message = format!(
                "face {face} names vertex {value}, but the {node_count} vertices are numbered from 0 to {}",
                node_count - 1
            );
            ParseError::at(source.place(k, count), message)
        })?;
    }
    Ok(())
}

#[inline]
fn face_of(nodes: [u32; 4], count: usize) -> Face {
    match nodes {
        [a, b, c, _] if count == 3 => Face::Tri([a, b, c]),
        quad => Face::Quad(quad),
    }
}

/// The texture coordinates of one face: `u v` for each corner, or nothing.
struct TexCoord {
    numbers: [f64; 8],
    length: u64,
    /// The numbers after the eighth, of a face with more than four corners.
    beyond: Vec<f64>,
    place: Place,
}

impl Default for TexCoord {
    fn default() -> Self {
        TexCoord {
            numbers: [0.0; 8],
            length: 0,
            beyond: Vec::new(),
            place: Place::WholeFile,
        }
    }
}

impl TexCoord {
    fn read(
        source: &mut impl ValueSource,
        count: ValueType,
        item: ValueType,
    ) -> Result<Self, ParseError> {
        let length = list_length(source, count)?;
        let mut texcoord = TexCoord {
            length,
            place: source.place(0, 1),
            ..TexCoord::default()
        };
        if length > 2 * MOST_CORNERS as u64 {
            source.skip(item, length)?;
            return Ok(texcoord);
        }
        let here = length.min(8) as usize;
        finite(source, item, &mut texcoord.numbers[..here])?;
        texcoord.beyond = vec![0.0; length as usize - here];
        for part in texcoord.beyond.chunks_mut(8) {
            finite(source, item, part)?;
        }
        Ok(texcoord)
    }

    /// The coordinates of all corners, one after the other.
    fn list(&self) -> Vec<DVec2> {
        let numbers = self.numbers[..self.length.min(8) as usize].iter();
        let numbers: Vec<f64> = numbers.chain(&self.beyond).copied().collect();
        let pairs = numbers.chunks_exact(2);
        pairs.map(|pair| DVec2::new(pair[0], pair[1])).collect()
    }

    /// The coordinates of a face with so many corners; `None` if the list is empty.
    fn corners(&self, count: usize, face: u64) -> Result<Option<[DVec2; 4]>, ParseError> {
        if self.length == 0 {
            return Ok(None);
        }
        if self.length != 2 * count as u64 {
            let message = format!(
                "face {face} has {count} corners, but {} numbers in `texcoord`; it needs two for each corner",
                self.length
            );
            return Err(ParseError::at(self.place, message));
        }
        let n = &self.numbers;
        Ok(Some(std::array::from_fn(|k| {
            DVec2::new(n[2 * k], n[2 * k + 1])
        })))
    }
}
