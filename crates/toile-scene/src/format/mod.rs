//! Files that other programs write and read: meshes as OBJ and PLY, motions as CSV.
//!
//! The law of this room: a file is read as it stands or refused with the place and the mend. Quads stay
//! quads, larger polygons are cut into triangles, numbers keep their last digit, and no input makes a reader panic or set aside more memory than
//! a small multiple of the file.
//!
//! The mesh parsers are our own. The crates there are for these formats lose the line numbers that a
//! good message needs, cut quads into triangles, or take many times the file's memory.
//!
//! * [`read_mesh`] and [`write_mesh`] go by the file's name. [`read_mesh_from`] takes it from wherever [`Files`] are.
//! * [`read_obj`], [`read_ply`], [`write_obj`] and [`write_ply`] work on bytes from anywhere.
//! * [`read_points`] takes the vertices of a PLY file that may have no faces.
//! * [`AnimatedMesh`] is a mesh that a binary glTF file moves.
//! * [`Trajectory`] is the motion of a body or of single nodes.

mod corner_uvs;
mod glb;
mod obj;
mod ply;
mod polygons;
mod text;
mod trajectory;

pub use glb::AnimatedMesh;
pub(crate) use obj::write_obj_with_normals;
pub use obj::{read_obj, write_obj};
pub(crate) use ply::write_ply_with_normals;
pub use ply::{PlyEncoding, read_ply, read_ply_points, write_ply};
pub use trajectory::Trajectory;

use crate::files::{Disk, Files, check_target};
use glam::DVec3;
use std::fmt;
use std::io::{self, BufRead, Seek};
use std::path::{Path, PathBuf};
use thiserror::Error;
use toile::mesh::Mesh;

/// Where in a file something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text file and a column in it, both counted from 1. Columns are characters in a mesh
    /// file and fields in a CSV file.
    Text {
        /// The line.
        line: u64,
        /// The column.
        column: u64,
    },
    /// A byte of a binary file, counted from 0.
    Byte(u64),
    /// No single place: something is missing altogether.
    WholeFile,
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Text { line, column } => write!(out, "line {line}, column {column}"),
            Place::Byte(offset) => write!(out, "byte {offset}"),
            Place::WholeFile => write!(out, "the whole file"),
        }
    }
}

/// Bytes that are not a readable file of their format.
#[derive(Debug, Error)]
pub enum ParseError {
    /// The bytes could not be fetched.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The bytes are there, but not what they should be.
    #[error("{}{message}", prefix(.place))]
    Invalid {
        /// Where it goes wrong.
        place: Place,
        /// What is wrong there and how to mend it.
        message: String,
    },
}

impl ParseError {
    pub(crate) fn at(place: Place, message: impl Into<String>) -> Self {
        ParseError::Invalid {
            place,
            message: message.into(),
        }
    }

    /// Where it goes wrong; `None` if the bytes could not even be fetched.
    pub fn place(&self) -> Option<Place> {
        match self {
            ParseError::Io(_) => None,
            ParseError::Invalid { place, .. } => Some(*place),
        }
    }

    fn in_file(self, path: &Path) -> FormatError {
        let path = path.to_owned();
        match self {
            ParseError::Io(source) => FormatError::Io { path, source },
            invalid => FormatError::Invalid {
                path,
                source: invalid,
            },
        }
    }
}

fn prefix(place: &Place) -> String {
    match place {
        Place::WholeFile => String::new(),
        place => format!("{place}: "),
    }
}

/// A file that cannot be read or written.
#[derive(Debug, Error)]
pub enum FormatError {
    /// The operating system says no, or the mesh cannot be written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The content is not what it should be.
    #[error("{path}: {source}")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: ParseError,
    },
    /// Neither the name nor the content tells the format.
    #[error("{path}: neither the name nor the content tells the format; {mend}")]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// What to do.
        mend: &'static str,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MeshFormat {
    Obj,
    Ply,
}

/// Reads a mesh file. The extension tells the format (`.obj`, `.ply`); if it is another one, the first
/// bytes do. Faces with more than four corners are cut into triangles.
pub fn read_mesh(path: &Path) -> Result<Mesh, FormatError> {
    read_mesh_from(&Disk, path)
}

/// The same from whoever has the file.
pub fn read_mesh_from(files: &dyn Files, path: &Path) -> Result<Mesh, FormatError> {
    Ok(read_mesh_cut(files, path)?.0)
}

/// Reads a mesh file as [`read_mesh_from`] does, and says how many faces had more than four corners and were cut.
pub fn read_mesh_cut(files: &dyn Files, path: &Path) -> Result<(Mesh, usize), FormatError> {
    let file = files.open(path);
    read_any(
        path,
        file.map_err(|error| ParseError::from(error).in_file(path))?,
    )
}

/// Reads the points of a `.ply` file (m). There may be faces or none.
pub fn read_points(path: &Path) -> Result<Vec<DVec3>, FormatError> {
    let file = Disk.open(path);
    let file = file.map_err(|error| ParseError::from(error).in_file(path))?;
    read_ply_points(file).map_err(|error| error.in_file(path))
}

fn read_any(path: &Path, mut reader: impl BufRead + Seek) -> Result<(Mesh, usize), FormatError> {
    let format = match format_of_name(path) {
        Some(format) => Some(format),
        None => {
            let start = reader.fill_buf().map_err(ParseError::from);
            format_of_content(start.map_err(|error| error.in_file(path))?)
        }
    };
    let mesh = match format {
        Some(MeshFormat::Obj) => obj::read_obj_cut(reader),
        Some(MeshFormat::Ply) => ply::read_ply_cut(reader),
        None => {
            return Err(FormatError::UnknownFormat {
                path: path.to_owned(),
                mend: "meshes are read from .obj and .ply files",
            });
        }
    };
    mesh.map_err(|error| error.in_file(path))
}

/// Writes a mesh file. The extension tells the format: `.obj`, or `.ply` (binary, little-endian).
pub fn write_mesh(path: &Path, mesh: &Mesh) -> Result<(), FormatError> {
    // Made before the file is opened: a mesh that cannot be written must not cost an older file.
    let bytes = mesh_bytes(path, mesh)?;
    let written = check_target(path).and_then(|()| std::fs::write(path, bytes));
    written.map_err(|source| FormatError::Io {
        path: path.to_owned(),
        source,
    })
}

/// The bytes of a mesh file, for whoever writes it; the name's extension tells the format.
pub fn mesh_bytes(path: &Path, mesh: &Mesh) -> Result<Vec<u8>, FormatError> {
    let format = format_of_name(path).ok_or_else(|| FormatError::UnknownFormat {
        path: path.to_owned(),
        mend: "name the file .obj or .ply",
    })?;
    let mut bytes = Vec::new();
    let written = match format {
        MeshFormat::Obj => write_obj(mesh, &mut bytes),
        MeshFormat::Ply => write_ply(mesh, PlyEncoding::BinaryLittleEndian, &mut bytes),
    };
    written.map_err(|source| FormatError::Io {
        path: path.to_owned(),
        source,
    })?;
    Ok(bytes)
}

fn format_of_name(path: &Path) -> Option<MeshFormat> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "obj" => Some(MeshFormat::Obj),
        "ply" => Some(MeshFormat::Ply),
        _ => None,
    }
}

fn format_of_content(start: &[u8]) -> Option<MeshFormat> {
    if start.starts_with(b"ply\n") || start.starts_with(b"ply\r") {
        return Some(MeshFormat::Ply);
    }
    // OBJ has no magic number: the first line that is not a comment must start with one of its keywords.
    let obj_keywords = [
        "v", "vt", "vn", "f", "o", "g", "s", "mtllib", "usemtl", "vp", "l",
    ];
    let mut lines = start.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"))?;
    let keyword = first.split(u8::is_ascii_whitespace).next()?;
    let known = obj_keywords.iter().any(|k| k.as_bytes() == keyword);
    known.then_some(MeshFormat::Obj)
}

/// Refuses what the readers would refuse, so that whatever is written can be read back.
fn check_writable(mesh: &Mesh) -> io::Result<()> {
    let refuse = |what: String| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    if mesh.positions.is_empty() || mesh.faces.is_empty() {
        return refuse("the mesh is empty; nothing was written".to_owned());
    }
    if let Some(node) = mesh.positions.iter().position(|p| !p.is_finite()) {
        return refuse(format!("node {node} is not at a finite position"));
    }
    let nodes = mesh.positions.len();
    let outside = |face: &toile::mesh::Face| face.corners().iter().any(|&n| n as usize >= nodes);
    if let Some(face) = mesh.faces.iter().position(outside) {
        return refuse(format!("face {face} names a node that is not there"));
    }
    if let Some(colors) = &mesh.node_colors {
        let inside = |c: &[f32; 3]| c.iter().all(|x| (0.0..=1.0).contains(x));
        if colors.len() != nodes || !colors.iter().all(inside) {
            return refuse("the nodes' colours are not one for each node, from 0 to 1".to_owned());
        }
    }
    let Some(uvs) = &mesh.corner_uvs else {
        return Ok(());
    };
    if uvs.len() != mesh.faces.len() {
        return refuse(format!(
            "there are texture coordinates for {} faces, but {} faces",
            uvs.len(),
            mesh.faces.len()
        ));
    }
    let mut corners = mesh.faces.iter().zip(uvs);
    let not_finite =
        corners.position(|(face, uv)| !uv[..face.corners().len()].iter().all(|p| p.is_finite()));
    match not_finite {
        Some(face) => refuse(format!(
            "face {face} has texture coordinates that are not finite"
        )),
        None => Ok(()),
    }
}

/// The shortest decimal text that reads back as the same number; tiny and huge ones with an exponent.
fn write_number(out: &mut impl io::Write, number: f64) -> io::Result<()> {
    let size = number.abs();
    if size == 0.0 || (1e-5..1e16).contains(&size) {
        write!(out, "{number}")
    } else {
        write!(out, "{number:e}")
    }
}
