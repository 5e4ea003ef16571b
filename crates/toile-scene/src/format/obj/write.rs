//! Writing OBJ.

use crate::format::{check_writable, write_number};
use glam::{DVec2, Vec3};
use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use toile::mesh::Mesh;

/// Writes an OBJ file with quads, texture coordinates and colours of nodes. Equal texture coordinates are written once,
/// so that other programs see which corners belong together.
pub fn write_obj(mesh: &Mesh, out: &mut impl Write) -> io::Result<()> {
    write_obj_with_normals(mesh, None, out)
}

/// As [`write_obj`], with a normal for every node.
pub(crate) fn write_obj_with_normals(
    mesh: &Mesh,
    normals: Option<&[Vec3]>,
    out: &mut impl Write,
) -> io::Result<()> {
    check_writable(mesh)?;
    let mut out = BufWriter::with_capacity(1 << 16, out);
    for (node, position) in mesh.positions.iter().enumerate() {
        write_numbers(&mut out, "v", &position.to_array())?;
        if let Some(colors) = &mesh.node_colors {
            let [r, g, b] = colors[node];
            write!(out, " {r} {g} {b}")?;
        }
        writeln!(out)?;
    }
    for normal in normals.unwrap_or_default() {
        let [x, y, z] = normal.to_array();
        writeln!(out, "vn {x} {y} {z}")?;
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
            let node = u64::from(node) + 1;
            match (numbers, normals) {
                (None, None) => write!(out, " {node}")?,
                (Some(uvs), None) => write!(out, " {node}/{}", uvs[k])?,
                (None, Some(_)) => write!(out, " {node}//{node}")?,
                (Some(uvs), Some(_)) => write!(out, " {node}/{}/{node}", uvs[k])?,
            }
        }
        writeln!(out)?;
    }
    out.flush()
}

fn write_numbers(out: &mut impl Write, keyword: &str, numbers: &[f64]) -> io::Result<()> {
    write!(out, "{keyword}")?;
    for &number in numbers {
        write!(out, " ")?;
        write_number(out, number)?;
    }
    Ok(())
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
            write_numbers(out, "vt", &uv.to_array())?;
            writeln!(out)?;
        }
    }
    Ok(numbers)
}
