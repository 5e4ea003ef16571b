//! One VTK unstructured grid: an XML head and the arrays behind it as raw bytes.

use glam::DVec3;
use std::fmt::Write;
use toile::mesh::Face;

const TRIANGLE: u8 = 5;
const QUAD: u8 = 9;

/// The array of texture coordinates.
pub(super) const TEXTURE: &str = "TextureCoordinates";

/// An array of a grid.
#[derive(Clone, Debug)]
pub(super) struct DataArray {
    name: &'static str,
    kind: &'static str,
    components: usize,
    bytes: Vec<u8>,
}

impl DataArray {
    /// One number per point or cell.
    pub fn scalars(name: &'static str, values: impl IntoIterator<Item = f32>) -> Self {
        let bytes = values.into_iter().flat_map(f32::to_le_bytes).collect();
        DataArray {
            name,
            kind: "Float32",
            components: 1,
            bytes,
        }
    }

    /// Three numbers per point.
    pub fn vectors(name: &'static str, values: impl IntoIterator<Item = [f32; 3]>) -> Self {
        let numbers = values.into_iter().flatten();
        let bytes = numbers.flat_map(f32::to_le_bytes).collect();
        DataArray {
            name,
            kind: "Float32",
            components: 3,
            bytes,
        }
    }

    /// Where the points are (m): in double precision if they are far from zero, about some origin.
    pub fn points(points: &[DVec3], origin: DVec3) -> Self {
        if origin == DVec3::ZERO {
            return Self::vectors("Points", points.iter().map(|p| p.as_vec3().to_array()));
        }
        let numbers = points.iter().flat_map(|p| p.to_array());
        DataArray {
            name: "Points",
            kind: "Float64",
            components: 3,
            bytes: numbers.flat_map(f64::to_le_bytes).collect(),
        }
    }

    fn count(&self) -> usize {
        let size = if self.kind == "Float64" { 8 } else { 4 };
        self.bytes.len() / (size * self.components)
    }

    /// Two numbers per point.
    pub fn pairs(name: &'static str, values: impl IntoIterator<Item = [f32; 2]>) -> Self {
        let numbers = values.into_iter().flatten();
        let bytes = numbers.flat_map(f32::to_le_bytes).collect();
        DataArray {
            name,
            kind: "Float32",
            components: 2,
            bytes,
        }
    }

    /// One whole number per cell.
    pub fn integers(name: &'static str, values: impl IntoIterator<Item = i32>) -> Self {
        let bytes = values.into_iter().flat_map(i32::to_le_bytes).collect();
        DataArray {
            name,
            kind: "Int32",
            components: 1,
            bytes,
        }
    }
}

/// What the cells are: the same in every frame, so encoded once.
#[derive(Debug)]
pub(super) struct Cells {
    count: usize,
    /// Connectivity, offsets and types, as VTK calls them.
    arrays: [DataArray; 3],
}

impl Cells {
    /// Triangles and quads as they are. The caller sees to it that corners fit in 32-bit signed numbers.
    pub fn new(faces: &[Face]) -> Self {
        let corners = faces.iter().flat_map(|f| f.corners()).map(|&c| c as i32);
        let ends = faces.iter().scan(0, |end, face| {
            *end += face.corners().len() as i32;
            Some(*end)
        });
        let types = faces.iter().map(|face| match face {
            Face::Tri(_) => TRIANGLE,
            Face::Quad(_) => QUAD,
        });
        Cells {
            count: faces.len(),
            arrays: [
                DataArray::integers("connectivity", corners),
                DataArray::integers("offsets", ends),
                DataArray {
                    name: "types",
                    kind: "UInt8",
                    components: 1,
                    bytes: types.collect(),
                },
            ],
        }
    }
}

/// The bytes of a `.vtu` file.
pub(super) fn encode(
    time: Option<f64>,
    points: &DataArray,
    cells: &Cells,
    point_data: &[DataArray],
    cell_data: &[DataArray],
) -> Vec<u8> {
    let mut xml = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" \
         byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n",
    );
    // Writing to a `String` cannot fail.
    if let Some(time) = time {
        let _ = writeln!(
            xml,
            "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" \
             format=\"ascii\">{time}</DataArray>\n</FieldData>"
        );
    }
    let (point_count, cell_count) = (points.count(), cells.count);
    let _ = writeln!(
        xml,
        "<Piece NumberOfPoints=\"{point_count}\" NumberOfCells=\"{cell_count}\">"
    );
    let mut offset = 0;
    // ParaView puts pictures where the array of this name says.
    let texture = point_data.iter().find(|array| array.name == TEXTURE);
    let active = texture.map_or("", |_| " TCoords=\"TextureCoordinates\"");
    push_section(&mut xml, "PointData", active, point_data, &mut offset);
    push_section(&mut xml, "CellData", "", cell_data, &mut offset);
    push_section(
        &mut xml,
        "Points",
        "",
        std::slice::from_ref(points),
        &mut offset,
    );
    push_section(&mut xml, "Cells", "", &cells.arrays, &mut offset);
    xml.push_str("</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
    let mut bytes = xml.into_bytes();
    let data = point_data.iter().chain(cell_data);
    for array in data.chain([points]).chain(&cells.arrays) {
        bytes.extend((array.bytes.len() as u64).to_le_bytes());
        bytes.extend(&array.bytes);
    }
    bytes.extend(b"\n</AppendedData>\n</VTKFile>\n");
    bytes
}

/// Declares arrays; `offset` counts the bytes of those declared so far, each with its length before it.
fn push_section(
    xml: &mut String,
    section: &str,
    active: &str,
    arrays: &[DataArray],
    offset: &mut usize,
) {
    let _ = writeln!(xml, "<{section}{active}>");
    for DataArray {
        name,
        kind,
        components,
        bytes,
    } in arrays
    {
        let _ = writeln!(
            xml,
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" \
             format=\"appended\" offset=\"{offset}\"/>"
        );
        *offset += 8 + bytes.len();
    }
    let _ = writeln!(xml, "</{section}>");
}
