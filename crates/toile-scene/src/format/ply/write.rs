//! Writing PLY.

use super::PlyEncoding;
use crate::format::{check_writable, write_number};
use glam::DVec2;
use std::io::{self, BufWriter, Write};
use toile::mesh::{Face, Mesh};

/// Writes a PLY file: positions and texture coordinates (the faces' list `texcoord`) in double precision.
pub fn write_ply(mesh: &Mesh, encoding: PlyEncoding, out: &mut impl Write) -> io::Result<()> {
    check_writable(mesh)?;
    let mut out = BufWriter::with_capacity(1 << 16, out);
    // Most programs expect signed indices; unsigned ones only where they are needed.
    let signed = mesh.positions.len() <= i32::MAX as usize;
    write_header(
        mesh,
        encoding,
        if signed { "int" } else { "uint" },
        &mut out,
    )?;
    match encoding {
        PlyEncoding::Ascii => write_ascii(mesh, &mut out)?,
        PlyEncoding::BinaryLittleEndian => {
            write_binary(mesh, &mut out, f64::to_le_bytes, u32::to_le_bytes)?;
        }
        PlyEncoding::BinaryBigEndian => {
            write_binary(mesh, &mut out, f64::to_be_bytes, u32::to_be_bytes)?;
        }
    }
    out.flush()
}

fn write_header(
    mesh: &Mesh,
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
    writeln!(out, "element vertex {}", mesh.positions.len())?;
    for axis in ["x", "y", "z"] {
        writeln!(out, "property double {axis}")?;
    }
    writeln!(out, "element face {}", mesh.faces.len())?;
    writeln!(out, "property list uchar {index_type} vertex_indices")?;
    if mesh.corner_uvs.is_some() {
        writeln!(out, "property list uchar double texcoord")?;
    }
    writeln!(out, "end_header")
}

/// Each face with the texture coordinates of its corners; none at all without coordinates.
fn faces_with_uvs(mesh: &Mesh) -> impl Iterator<Item = (&Face, &[DVec2])> {
    mesh.faces.iter().enumerate().map(|(index, face)| {
        let uvs = mesh.corner_uvs.as_ref().map(|uvs| &uvs[index]);
        (face, uvs.map_or(&[][..], |uv| &uv[..face.corners().len()]))
    })
}

fn write_ascii(mesh: &Mesh, out: &mut impl Write) -> io::Result<()> {
    for position in &mesh.positions {
        for (k, number) in position.to_array().into_iter().enumerate() {
            if k > 0 {
                write!(out, " ")?;
            }
            write_number(out, number)?;
        }
        writeln!(out)?;
    }
    for (face, uvs) in faces_with_uvs(mesh) {
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

fn write_binary(
    mesh: &Mesh,
    out: &mut impl Write,
    float: fn(f64) -> [u8; 8],
    index: fn(u32) -> [u8; 4],
) -> io::Result<()> {
    for position in &mesh.positions {
        out.write_all(position.to_array().map(float).as_flattened())?;
    }
    for (face, uvs) in faces_with_uvs(mesh) {
        let corners = face.corners();
        out.write_all(&[corners.len() as u8])?;
        for &node in corners {
            out.write_all(&index(node))?;
        }
        if !uvs.is_empty() {
            out.write_all(&[2 * uvs.len() as u8])?;
        }
        for uv in uvs {
            out.write_all(uv.to_array().map(float).as_flattened())?;
        }
    }
    Ok(())
}
