//! From the elements of a PLY file to a mesh.

use super::faces::{FacePlan, Faces};
use super::header::{Element, Header, Kind, ValueType};
use super::source::{ValueSource, skip_property};
use crate::format::{ParseError, Place};
use glam::{DVec2, DVec3};
use toile::mesh::{Face, Mesh};

/// Names that vertices give their texture coordinates, the usual one first.
const VERTEX_UV_NAMES: [[&str; 2]; 3] = [["s", "t"], ["u", "v"], ["texture_u", "texture_v"]];

/// Reads the body of a file as a mesh, and says how many polygons were cut.
pub(super) fn read(
    header: &Header,
    mut source: impl ValueSource,
) -> Result<(Mesh, usize), ParseError> {
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
    let own_uvs = faces.uvs.is_some();
    let mut mesh = Mesh {
        positions: vertices.positions,
        faces: faces.list,
        corner_uvs: faces.uvs,
        node_colors: vertices.colors,
    };
    let cut = faces.polygons.cut(&mut mesh);
    if let (Some(uvs), false) = (vertices.uvs, own_uvs) {
        mesh.corner_uvs = Some(mesh.faces.iter().map(|face| uvs_of(face, &uvs)).collect());
    }
    Ok((mesh, cut))
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
pub(super) fn believable_count(
    element: &Element,
    source: &impl ValueSource,
    list_items: u64,
) -> usize {
    let sizes = element.properties.iter().map(|p| match &*p.name {
        "vertex_indices" | "vertex_index" => source.least_size(p.kind, list_items),
        _ => source.least_size(p.kind, 0),
    });
    let row_size = sizes.sum::<u64>().max(1);
    element.count.min(source.remaining() / row_size + 1) as usize
}

/// Reads values and refuses those that are not finite.
#[inline]
pub(super) fn finite(
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
    colors: Option<Vec<[f32; 3]>>,
}

/// Where the colour starts in a vertex's row. It does not follow the texture coordinates, so that it is read by itself.
const COLOR_SLOT: usize = 6;

/// What to do with the properties of a vertex, one after the other.
enum VertexStep {
    /// Read neighbours of one type into `[x, y, z, u, v, _, r, g, b]`, from `slot` on.
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
    /// The largest value a colour can have.
    color_scale: Option<f64>,
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
        let color = ["red", "green", "blue"].map(scalar);
        let kinds = color.map(|at| at.map(|at| element.properties[at].kind));
        let color_scale = match kinds {
            [Some(Kind::Scalar(kind)), second, third] if second == third && second == kinds[0] => {
                full_scale(kind)
            }
            _ => None,
        };
        if let (Some(_), [Some(r), Some(g), Some(b)]) = (color_scale, color) {
            for (k, at) in [r, g, b].into_iter().enumerate() {
                slots[at] = Some(COLOR_SLOT + k);
            }
        }
        Ok(VertexPlan {
            steps: vertex_steps(element, &slots),
            has_uvs: uv.is_some(),
            color_scale,
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
        let mut colors = Vec::with_capacity(self.color_scale.map_or(0, |_| room));
        for index in 0..element.count {
            source.begin_row(element, index)?;
            let mut row = [0.0; COLOR_SLOT + 3];
            for step in &self.steps {
                match *step {
                    // A colour that is no number is no reason to refuse a mesh.
                    VertexStep::Read { value, slot, count } if slot >= COLOR_SLOT => {
                        source.values(value, &mut row[slot..slot + count])?;
                    }
                    VertexStep::Read { value, slot, count } => {
                        finite(source, value, &mut row[slot..slot + count])?;
                    }
                    VertexStep::Skip(kind) => skip_property(source, kind)?,
                }
            }
            source.end_row()?;
            let [x, y, z, u, v, _, color @ ..] = row;
            positions.push(DVec3::new(x, y, z));
            if self.has_uvs {
                uvs.push(DVec2::new(u, v));
            }
            if let Some(scale) = self.color_scale {
                // Not a number becomes 0.
                // What is no number becomes black.
                colors.push(color.map(|c| 1.0_f64.min((c / scale).max(0.0)) as f32));
            }
        }
        Ok(Vertices {
            positions,
            uvs: self.has_uvs.then_some(uvs),
            colors: self.color_scale.is_some().then_some(colors),
        })
    }
}

/// What stands for full light in a colour of this type.
fn full_scale(kind: ValueType) -> Option<f64> {
    match kind {
        ValueType::U8 => Some(255.0),
        ValueType::U16 => Some(65535.0),
        ValueType::F32 | ValueType::F64 => Some(1.0),
        _ => None,
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
