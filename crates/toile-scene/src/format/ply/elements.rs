//! From the elements of a PLY file to a mesh.

use super::header::{Element, Header, Kind, ValueType};
use super::source::{ValueSource, list_length, skip_property, whole_number};
use crate::format::corner_uvs::CornerUvs;
use crate::format::{ParseError, Place};
use glam::{DVec2, DVec3};
use toile::mesh::{Face, Mesh};

/// Names that vertices give their texture coordinates, the usual one first.
const VERTEX_UV_NAMES: [[&str; 2]; 3] = [["s", "t"], ["u", "v"], ["texture_u", "texture_v"]];

/// Reads the body of a file as a mesh.
pub(super) fn read(header: &Header, mut source: impl ValueSource) -> Result<Mesh, ParseError> {
    let vertex_plan = VertexPlan::new(find(header, "vertex")?)?;
    let face_plan = FacePlan::new(find(header, "face")?)?;
    // Fits: `find` has checked it.
    let node_count = find(header, "vertex")?.count as u32;
    let mut vertices = Vertices::default();
    let mut faces = Faces::default();
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => vertices = vertex_plan.read(element, &mut source)?,
            "face" => faces = face_plan.read(element, &mut source, node_count)?,
            _ => source.skip_element(element)?,
        }
    }
    source.finish()?;
    // A face's own coordinates say more than its vertices': they can tell the two sides of a seam apart.
    let corner_uvs = faces.uvs.or_else(|| {
        let uvs = vertices.uvs?;
        Some(faces.list.iter().map(|face| uvs_of(face, &uvs)).collect())
    });
    Ok(Mesh {
        positions: vertices.positions,
        faces: faces.list,
        corner_uvs,
    })
}

/// Reads the positions of the vertices; faces need not be there.
pub(super) fn read_points(
    header: &Header,
    mut source: impl ValueSource,
) -> Result<Vec<DVec3>, ParseError> {
    let plan = VertexPlan::new(find(header, "vertex")?)?;
    let mut points = Vec::new();
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => points = plan.read(element, &mut source)?.positions,
            _ => source.skip_element(element)?,
        }
    }
    source.finish()?;
    Ok(points)
}

fn uvs_of(face: &Face, vertex_uvs: &[DVec2]) -> [DVec2; 4] {
    let mut uvs = [DVec2::ZERO; 4];
    for (uv, &node) in uvs.iter_mut().zip(face.corners()) {
        *uv = vertex_uvs[node as usize];
    }
    uvs
}

fn find<'a>(header: &'a Header, name: &str) -> Result<&'a Element, ParseError> {
    let element = header.elements.iter().find(|e| e.name == name);
    let element = element.ok_or_else(|| {
        let message =
            format!("the header declares no `element {name}`; a mesh needs vertices and faces");
        ParseError::at(Place::WholeFile, message)
    })?;
    if element.count == 0 || element.count >= u64::from(u32::MAX) {
        let message = format!(
            "the header declares {} elements `{name}`; a mesh has between 1 and {}",
            element.count,
            u32::MAX - 1
        );
        return Err(ParseError::at(element.place, message));
    }
    Ok(element)
}

/// How many rows to set memory aside for: as many as declared, but no more than the rest of the file
/// can hold.
fn believable_count(element: &Element, source: &impl ValueSource, list_items: u64) -> usize {
    let sizes = element.properties.iter().map(|p| match &*p.name {
        "vertex_indices" | "vertex_index" => source.least_size(p.kind, list_items),
        _ => source.least_size(p.kind, 0),
    });
    let row_size = sizes.sum::<u64>().max(1);
    element.count.min(source.remaining() / row_size + 1) as usize
}

/// Reads values and refuses those that are not finite.
#[inline]
fn finite(
    source: &mut impl ValueSource,
    value: ValueType,
    out: &mut [f64],
) -> Result<(), ParseError> {
    source.values(value, out)?;
    match out.iter().position(|number| !number.is_finite()) {
        None => Ok(()),
        Some(k) => {
            let message = format!("{} is not a finite number", out[k]);
            Err(ParseError::at(source.place(k, out.len()), message))
        }
    }
}

#[derive(Default)]
struct Vertices {
    positions: Vec<DVec3>,
    uvs: Option<Vec<DVec2>>,
}

/// What to do with the properties of a vertex, one after the other.
enum VertexStep {
    /// Read neighbours of one type into `[x, y, z, u, v]`, from `slot` on.
    Read {
        value: ValueType,
        slot: usize,
        count: usize,
    },
    /// Pass over a property.
    Skip(Kind),
}

struct VertexPlan {
    steps: Vec<VertexStep>,
    has_uvs: bool,
}

impl VertexPlan {
    fn new(element: &Element) -> Result<Self, ParseError> {
        let mut slots = vec![None; element.properties.len()];
        let scalar = |name: &str| {
            let is_scalar = |&at: &usize| matches!(element.properties[at].kind, Kind::Scalar(_));
            element.find(name).filter(is_scalar)
        };
        for (slot, name) in ["x", "y", "z"].into_iter().enumerate() {
            let property = scalar(name).ok_or_else(|| {
                let message = format!("vertices need a number `{name}`: `property double {name}`");
                ParseError::at(element.place, message)
            })?;
            slots[property] = Some(slot);
        }
        let mut pairs = VERTEX_UV_NAMES.iter();
        let uv = pairs.find_map(|[u, v]| Some((scalar(u)?, scalar(v)?)));
        if let Some((u, v)) = uv {
            slots[u] = Some(3);
            slots[v] = Some(4);
        }
        Ok(VertexPlan {
            steps: vertex_steps(element, &slots),
            has_uvs: uv.is_some(),
        })
    }

    fn read(
        &self,
        element: &Element,
        source: &mut impl ValueSource,
    ) -> Result<Vertices, ParseError> {
        let room = believable_count(element, source, 0);
        let mut positions = Vec::with_capacity(room);
        let mut uvs = Vec::with_capacity(if self.has_uvs { room } else { 0 });
        for index in 0..element.count {
            source.begin_row(element, index)?;
            let mut row = [0.0; 5];
            for step in &self.steps {
                match *step {
                    VertexStep::Read { value, slot, count } => {
                        finite(source, value, &mut row[slot..slot + count])?;
                    }
                    VertexStep::Skip(kind) => skip_property(source, kind)?,
                }
            }
            source.end_row()?;
            let [x, y, z, u, v] = row;
            positions.push(DVec3::new(x, y, z));
            if self.has_uvs {
                uvs.push(DVec2::new(u, v));
            }
        }
        Ok(Vertices {
            positions,
            uvs: self.has_uvs.then_some(uvs),
        })
    }
}

/// Joins properties that follow each other in the row and in the slots: `x y z` is read at one go.
fn vertex_steps(element: &Element, slots: &[Option<usize>]) -> Vec<VertexStep> {
    let mut steps = Vec::new();
    for (property, &slot) in element.properties.iter().zip(slots) {
        let (Kind::Scalar(kind), Some(next)) = (property.kind, slot) else {
            steps.push(VertexStep::Skip(property.kind));
            continue;
        };
        match steps.last_mut() {
            Some(VertexStep::Read { value, slot, count })
                if *value == kind && *slot + *count == next =>
            {
                *count += 1;
            }
            _ => steps.push(VertexStep::Read {
                value: kind,
                slot: next,
                count: 1,
            }),
        }
    }
    steps
}

#[derive(Default)]
struct Faces {
    list: Vec<Face>,
    uvs: Option<Vec<[DVec2; 4]>>,
}

/// Which properties of a face are used.
struct FacePlan {
    indices: usize,
    texcoord: Option<usize>,
}

impl FacePlan {
    fn new(element: &Element) -> Result<Self, ParseError> {
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

    fn read(
        &self,
        element: &Element,
        source: &mut impl ValueSource,
        node_count: u32,
    ) -> Result<Faces, ParseError> {
        let mut list = Vec::with_capacity(believable_count(element, source, 3));
        let mut uvs = CornerUvs::default();
        for index in 0..element.count {
            source.begin_row(element, index)?;
            if let [only] = element.properties.as_slice()
                && let Some((nodes, count)) = source.plain_corners(only.kind, node_count)
            {
                list.push(face_of(nodes, count));
                continue;
            }
            let mut face = Face::Tri([0; 3]);
            let mut texcoord = TexCoord::default();
            for (at, property) in element.properties.iter().enumerate() {
                match property.kind {
                    Kind::List { count, item } if at == self.indices => {
                        let length = list_length(source, count)?;
                        face = read_corners(source, item, length, index, node_count)?;
                    }
                    Kind::List { count, item } if Some(at) == self.texcoord => {
                        texcoord = TexCoord::read(source, count, item)?;
                    }
                    kind => skip_property(source, kind)?,
                }
            }
            source.end_row()?;
            if self.texcoord.is_some() {
                let corners = texcoord.corners(face.corners().len(), index)?;
                uvs.push(corners, || texcoord.place)?;
            }
            list.push(face);
        }
        Ok(Faces {
            list,
            uvs: uvs.finish(),
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
    if length != 3 && length != 4 {
        let message = format!(
            "face {face} has {length} corners, but faces have three or four; \
             split polygons into triangles or quads"
        );
        return Err(ParseError::at(source.place(0, 1), message));
    }
    let count = length as usize;
    let mut values = [0.0; 4];
    source.values(item, &mut values[..count])?;
    let mut nodes = [0; 4];
    for (k, &value) in values[..count].iter().enumerate() {
        let index = whole_number(value).filter(|&n| n < node_count);
        nodes[k] = index.ok_or_else(|| {
            let message = format!(
                "face {face} names vertex {value}, but the {node_count} vertices are numbered from 0 to {}",
                node_count - 1
            );
            ParseError::at(source.place(k, count), message)
        })?;
    }
    Ok(face_of(nodes, count))
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
    place: Place,
}

impl Default for TexCoord {
    fn default() -> Self {
        TexCoord {
            numbers: [0.0; 8],
            length: 0,
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
        if length > 8 {
            source.skip(item, length)?;
            return Ok(texcoord);
        }
        finite(source, item, &mut texcoord.numbers[..length as usize])?;
        Ok(texcoord)
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
