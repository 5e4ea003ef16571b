//! Writing PLY.

use super::PlyEncoding;
use crate::format::{check_writable, write_number};
use glam::{DVec2, Vec3};
use std::io::{self, BufWriter, Write};
use toile::mesh::{Face, Mesh};

/// Writes a PLY file: positions and texture coordinates in double precision, colours of nodes in bytes. Texture coordinates
/// are the faces' list `texcoord`, and if every node has one place only also the nodes' `s` and `t`, which more programs
/// read.
pub fn write_ply(mesh: &Mesh, encoding: PlyEncoding, out: &mut impl Write) -> io::Result<()> {
    write_ply_with_normals(mesh, None, encoding, out)
}

/// As [`write_ply`], with a normal for every node.
pub(crate) fn write_ply_with_normals(
    mesh: &Mesh,
    normals: Option<&[Vec3]>,
    encoding: PlyEncoding,
    out: &mut impl Write,
) -> io::Result<()> {
    check_writable(mesh)?;
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let nodes = Nodes {
        mesh,
        normals,
        uvs: node_uvs(mesh),
    };
    // Most programs expect signed indices; unsigned ones only where they are needed.
    let signed = mesh.positions.len() <= i32::MAX as usize;
    let index_type = if signed { "int" } else { "uint" };
    nodes.write_header(encoding, index_type, &mut out)?;
    match encoding {
        PlyEncoding::Ascii => write_ascii(&nodes, &mut out)?,
        PlyEncoding::BinaryLittleEndian => write_binary(&nodes, &mut out, false)?,
        PlyEncoding::BinaryBigEndian => write_binary(&nodes, &mut out, true)?,
    }
    out.flush()
}

/// The place of every node in the pattern, if each has one only.
fn node_uvs(mesh: &Mesh) -> Option<Vec<DVec2>> {
    let mut places = vec![None; mesh.positions.len()];
    for (face, uvs) in mesh.faces.iter().zip(mesh.corner_uvs.as_ref()?) {
        for (&node, uv) in face.corners().iter().zip(uvs) {
            let known = places[node as usize].get_or_insert(*uv);
            if known != uv {
                return None;
            }
        }
    }
    Some(places.into_iter().map(Option::unwrap_or_default).collect())
}

/// What is written about nodes.
struct Nodes<'a> {
    mesh: &'a Mesh,
    normals: Option<&'a [Vec3]>,
    uvs: Option<Vec<DVec2>>,
}

impl Nodes<'_> {
    fn write_header(
        &self,
        encoding: PlyEncoding,
        index_type: &str,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let encoding = match encoding {
            PlyEncoding::Ascii => "ascii",
            PlyEncoding::BinaryLittleEndian => "binary_little_endian",
            PlyEncoding::BinaryBigEndian => "binary_big_endian",
        };
        write!(
            out,
            "ply\nformat {encoding} 1.0\ncomment toile, lengths in metres\n"
        )?;
        writeln!(out, "element vertex {}", self.mesh.positions.len())?;
        let mut properties = vec![("double", "x"), ("double", "y"), ("double", "z")];
        if self.normals.is_some() {
            properties.extend([("float", "nx"), ("float", "ny"), ("float", "nz")]);
        }
        if self.uvs.is_some() {
            properties.extend([("double", "s"), ("double", "t")]);
        }
        if self.mesh.node_colors.is_some() {
            properties.extend([("uchar", "red"), ("uchar", "green"), ("uchar", "blue")]);
        }
        for (kind, name) in properties {
            writeln!(out, "property {kind} {name}")?;
        }
        writeln!(out, "element face {}", self.mesh.faces.len())?;
        writeln!(out, "property list uchar {index_type} vertex_indices")?;
        if self.mesh.corner_uvs.is_some() {
            writeln!(out, "property list uchar double texcoord")?;
        }
        writeln!(out, "end_header")
    }

    fn color(&self, node: usize) -> Option<[u8; 3]> {
        let colors = self.mesh.node_colors.as_ref()?;
        Some(colors[node].map(|c| (c * 255.0).round() as u8))
    }
}

/// Each face with the texture coordinates of its corners; none at all without coordinates.
fn faces_with_uvs(mesh: &Mesh) -> impl Iterator<Item = (&Face, &[DVec2])> {
    mesh.faces.iter().enumerate().map(|(index, face)| {
        let uvs = mesh.corner_uvs.as_ref().map(|uvs| &uvs[index]);
        (face, uvs.map_or(&[][..], |uv| &uv[..face.corners().len()]))
    })
}

fn write_ascii(nodes: &Nodes, out: &mut impl Write) -> io::Result<()> {
    for (node, position) in nodes.mesh.positions.iter().enumerate() {
        for (k, number) in position.to_array().into_iter().enumerate() {
            if k > 0 {
                write!(out, " ")?;
            }
            write_number(out, number)?;
        }
        if let Some(normals) = nodes.normals {
            let [x, y, z] = normals[node].to_array();
            write!(out, " {x} {y} {z}")?;
        }
        for number in nodes.uvs.iter().flat_map(|uvs| uvs[node].to_array()) {
            write!(out, " ")?;
            write_number(out, number)?;
        }
        if let Some([r, g, b]) = nodes.color(node) {
            write!(out, " {r} {g} {b}")?;
        }
        writeln!(out)?;
    }
    for (face, uvs) in faces_with_uvs(nodes.mesh) {
        write!(out, "{}", face.corners().len())?;
        for node in face.corners() {
            write!(out, " {node}")?;
        }
        if !uvs.is_empty() {
            write!(out, " {}", 2 * uvs.len())?;
        }
        for number in uvs.iter().flat_map(|uv| uv.to_array()) {
            write!(out, " ")?;
            write_number(out, number)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_binary(nodes: &Nodes, out: &mut impl Write, big_endian: bool) -> io::Result<()> {
    let ordered = |bytes: &mut [u8]| {
        if big_endian {
            bytes.reverse();
        }
    };
    let double = |number: f64| {
        let mut bytes = number.to_le_bytes();
        ordered(&mut bytes);
        bytes
    };
    let word = |mut bytes: [u8; 4]| {
        ordered(&mut bytes);
        bytes
    };
    for (node, position) in nodes.mesh.positions.iter().enumerate() {
        out.write_all(position.to_array().map(double).as_flattened())?;
        if let Some(normals) = nodes.normals {
            let numbers = normals[node].to_array().map(f32::to_le_bytes);
            out.write_all(numbers.map(word).as_flattened())?;
        }
        if let Some(uvs) = &nodes.uvs {
            out.write_all(uvs[node].to_array().map(double).as_flattened())?;
        }
        if let Some(color) = nodes.color(node) {
            out.write_all(&color)?;
        }
    }
    for (face, uvs) in faces_with_uvs(nodes.mesh) {
        let corners = face.corners();
        out.write_all(&[corners.len() as u8])?;
        for &node in corners {
            out.write_all(&word(node.to_le_bytes()))?;
        }
        if !uvs.is_empty() {
            out.write_all(&[2 * uvs.len() as u8])?;
        }
        for uv in uvs {
            out.write_all(uv.to_array().map(double).as_flattened())?;
        }
    }
    Ok(())
}
