//! Mending meshes that somebody else made: what the [doctor](super::doctor) finds, this takes away.
//!
//! Every step takes a mesh and changes as little of it as it can: nodes keep their places and their order, faces their
//! order, and texture coordinates and colours go with them. What a step did, it says in numbers.
//!
//! * [`weld`]: nodes at one place become one.
//! * [`triangulate`]: quads are cut in two.
//! * [`orient`]: neighbours show the same side.
//! * [`mend`]: all that a mesh needs to be simulated.

mod clean;
mod orient;
mod split;
mod weld;

pub use orient::{Oriented, orient};
pub use weld::{Welded, weld};

use super::{Face, Mesh, cut_polygon};
use glam::DVec2;
use std::fmt;

/// What [`mend`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mended {
    /// Nodes that became one with an earlier one.
    pub welded: usize,
    /// Faces that named a missing node, one without a finite place, or one node twice.
    pub broken: usize,
    /// Faces with the same corners as an earlier one.
    pub duplicates: usize,
    /// Quads that crossed over or turned inwards, cut into triangles.
    pub folded: usize,
    /// Faces without area.
    pub degenerate: usize,
    /// Nodes that were doubled where parts met in a point or more than two faces at an edge.
    pub split: usize,
    /// Edges that still have more than two faces.
    pub crowded_left: usize,
    /// Nodes that no face named.
    pub unused: usize,
    /// Faces that were turned round.
    pub turned: usize,
    /// Edges where neighbours still face different ways, because the surface has one side only.
    pub one_sided: usize,
}

impl Mended {
    /// Whether there was nothing to do.
    pub fn is_nothing(&self) -> bool {
        *self == Mended::default()
    }
}

impl fmt::Display for Mended {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = [
            (self.broken, "broken faces removed"),
            (self.welded, "nodes welded to others at the same place"),
            (self.duplicates, "duplicate faces removed"),
            (self.folded, "folded quads cut into triangles"),
            (self.degenerate, "faces without area removed"),
            (
                self.split,
                "nodes doubled where parts met in a point or at an edge",
            ),
            (self.unused, "nodes without faces removed"),
            (self.turned, "faces turned round"),
            (
                self.crowded_left,
                "edges still have more than two faces; separate them by hand",
            ),
            (
                self.one_sided,
                "edges join fronts to backs: the surface has one side only; cut it open",
            ),
        ];
        if self.is_nothing() {
            return write!(out, "nothing to mend");
        }
        let mut separator = "";
        for (count, what) in lines.iter().filter(|(count, _)| *count > 0) {
            write!(out, "{separator}{count} {what}")?;
            separator = "\n";
        }
        Ok(())
    }
}

/// Makes a surface of a mesh: welds nodes closer than `tolerance` (m), removes faces that are none and nodes without
/// faces, separates what meets in a point or with more than two faces at an edge, and turns faces so that neighbours show
/// the same side.
pub fn mend(mesh: &mut Mesh, tolerance: f64) -> Mended {
    let mut done = Mended::default();
    clean::check_attributes(mesh);
    done.broken = clean::remove_broken(mesh);
    let welded = weld(mesh, tolerance);
    done.welded = welded.nodes;
    done.broken += welded.faces;
    done.duplicates = clean::remove_duplicates(mesh);
    done.folded = cut_quads(mesh, |mesh, face| {
        let shape = super::doctor::shapes::Shape::new(face, &mesh.positions);
        shape.is_folded() && !shape.is_degenerate()
    });
    // A half of a folded quad may be a triangle that was there already.
    done.duplicates += clean::remove_duplicates(mesh);
    done.degenerate = clean::remove_degenerate(mesh);
    let (split, crowded_left) = split::split(mesh);
    (done.split, done.crowded_left) = (split, crowded_left);
    done.unused = clean::remove_unused(mesh);
    let oriented = orient(mesh);
    (done.turned, done.one_sided) = (oriented.turned, oriented.one_sided);
    done
}

/// Nodes closer than this are at the same place: a millionth of the median edge (m). The doctor measures by the same.
pub fn default_tolerance(mesh: &Mesh) -> f64 {
    let at = |n: u32| mesh.positions.get(n as usize);
    let sides = mesh.faces.iter().flat_map(|face| face.edges());
    let length = |[a, b]: [u32; 2]| Some(at(a)?.distance(*at(b)?));
    let mut lengths: Vec<f64> = sides.filter_map(length).filter(|l| l.is_finite()).collect();
    if lengths.is_empty() {
        return 0.0;
    }
    let middle = lengths.len() / 2;
    1e-6 * *lengths.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Cuts all quads in two along the diagonal that leaves the larger smallest angle; says how many there were.
pub fn triangulate(mesh: &mut Mesh) -> usize {
    cut_quads(mesh, |_, _| true)
}

fn cut_quads(mesh: &mut Mesh, wanted: impl Fn(&Mesh, &Face) -> bool) -> usize {
    let mut faces = Vec::with_capacity(2 * mesh.faces.len());
    let mut uvs = Vec::with_capacity(2 * mesh.faces.len());
    let mut cut = 0;
    for (index, face) in mesh.faces.iter().enumerate() {
        let own = mesh.corner_uvs.as_ref().map(|uvs| uvs[index]);
        match face {
            Face::Quad(nodes) if wanted(mesh, face) => {
                cut += 1;
                for triangle in cut_polygon(&nodes.map(|n| mesh.positions[n as usize])) {
                    faces.push(Face::Tri(triangle.map(|k| nodes[k])));
                    uvs.extend(own.map(|own| {
                        let [a, b, c] = triangle.map(|k| own[k]);
                        [a, b, c, DVec2::ZERO]
                    }));
                }
            }
            face => {
                faces.push(*face);
                uvs.extend(own);
            }
        }
    }
    mesh.faces = faces;
    if mesh.corner_uvs.is_some() {
        mesh.corner_uvs = Some(uvs);
    }
    cut
}

/// Keeps some faces, with their texture coordinates; says how many went.
fn keep_faces(mesh: &mut Mesh, keep: &[bool]) -> usize {
    let before = mesh.faces.len();
    let mut flags = keep.iter();
    mesh.faces.retain(|_| flags.next().is_none_or(|&keep| keep));
    if let Some(uvs) = &mut mesh.corner_uvs {
        let mut flags = keep.iter();
        uvs.retain(|_| flags.next().is_none_or(|&keep| keep));
    }
    before - mesh.faces.len()
}

/// Gives every corner another node.
fn rename_nodes(face: &Face, name: impl Fn(u32) -> u32) -> Face {
    match *face {
        Face::Tri(t) => Face::Tri(t.map(name)),
        Face::Quad(q) => Face::Quad(q.map(name)),
    }
}

#[cfg(test)]
mod tests;
