//! The doctor's findings in plain words.

use super::{Cases, Diagnosis, EdgeFaces, FaceNode, Finding, Severity, SharpFace, Statistics};
use std::fmt;

impl Finding {
    /// What was found and where, as one sentence without a full stop.
    pub fn what(&self) -> String {
        let edge = |e: &EdgeFaces| {
            let faces: Vec<String> = e.faces.iter().map(u32::to_string).collect();
            format!(
                "edge {}–{} of faces {}",
                e.nodes[0],
                e.nodes[1],
                faces.join(", ")
            )
        };
        let corner = |c: &FaceNode| format!("face {} names node {}", c.face, c.node);
        let sharp = |s: &SharpFace| format!("face {} with {:.2}°", s.face, s.angle.to_degrees());
        let pair = |[a, b]: &[u32; 2]| format!("{a} and {b}");
        match self {
            Finding::NoFaces => "the mesh has no faces".to_owned(),
            Finding::UvMismatch { uvs, faces } => {
                format!("there are {uvs} sets of texture coordinates for {faces} faces")
            }
            Finding::NonFinite(c) => list(
                c,
                "node has",
                "nodes have",
                " a coordinate that is not a finite number",
                u32::to_string,
            ),
            Finding::OutOfRange(c) => list(
                c,
                "face names",
                "faces name",
                " a node that does not exist",
                corner,
            ),
            Finding::RepeatedCorner(c) => {
                list(c, "face names", "faces name", " a node twice", corner)
            }
            Finding::DuplicateFace(c) => list(
                c,
                "face has",
                "faces have",
                " the same corners as another",
                pair,
            ),
            Finding::DegenerateFace(c) => {
                list(c, "face has", "faces have", " no area", u32::to_string)
            }
            Finding::FoldedQuad(c) => list(
                c,
                "quad is",
                "quads are",
                " folded over or turned inwards at a corner",
                u32::to_string,
            ),
            Finding::SliverFace(c) => {
                list(c, "face has", "faces have", " an angle below 1°", sharp)
            }
            Finding::NonManifoldEdge(c) => list(
                c,
                "edge belongs",
                "edges belong",
                " to more than two faces",
                edge,
            ),
            Finding::Inverted(c) => list(
                c,
                "edge lies",
                "edges lie",
                " between faces that face opposite ways",
                edge,
            ),
            Finding::NonManifoldNode(c) => list(
                c,
                "node holds",
                "nodes hold",
                " parts of the surface together by a point",
                u32::to_string,
            ),
            Finding::IsolatedNode(c) => list(
                c,
                "node belongs",
                "nodes belong",
                " to no face",
                u32::to_string,
            ),
            Finding::CoincidentNodes(c) => list(
                c,
                "node lies",
                "nodes lie",
                " where another one does, with no edge between them",
                pair,
            ),
            Finding::SelfIntersection(c) => list(
                c,
                "pair of faces intersects",
                "pairs of faces intersect",
                "",
                |p| pair(&p.faces),
            ),
            Finding::SuspiciousSize { extent } => format!("the mesh is {extent:.4} m across"),
        }
    }

    /// What it means for a simulation, as one sentence without a full stop.
    pub fn meaning(&self) -> &'static str {
        match self {
            Finding::NoFaces => "there is no cloth to simulate",
            Finding::UvMismatch { .. } => "the pattern cannot be matched to the faces",
            Finding::NonFinite(_) => "every force there would be undefined",
            Finding::OutOfRange(_) => {
                "the file is cut off or its indices count from the wrong number"
            }
            Finding::RepeatedCorner(_) => "such a face has no area and no place in the surface",
            Finding::DuplicateFace(_) => "the copies would weigh twice and lie inside each other",
            Finding::DegenerateFace(_) => "strain cannot be measured without area",
            Finding::FoldedQuad(_) => "strain has no sign where a quad folds over itself",
            Finding::SliverFace(_) => "such faces are very stiff and slow the simulation down",
            Finding::NonManifoldEdge(_) => "cloth is a surface: an edge has one face or two",
            Finding::Inverted(_) => {
                "front and back change there, so bending and air would push the wrong way"
            }
            Finding::NonManifoldNode(_) => "the parts will swing about the point as about a joint",
            Finding::IsolatedNode(_) => "they have no mass and nothing holds them",
            Finding::CoincidentNodes(_) => {
                "this is probably a seam that was never closed: the cloth will fall apart there"
            }
            Finding::SelfIntersection(_) => {
                "collisions cannot tell inside from outside there and the cloth may stay tangled"
            }
            Finding::SuspiciousSize { extent } if *extent > 1.0 => {
                "the coordinates are perhaps millimetres or centimetres"
            }
            Finding::SuspiciousSize { .. } => {
                "cloth is rarely that small; the coordinates are perhaps kilometres or a scale was applied twice"
            }
        }
    }

    /// How to mend it, as one sentence without a full stop.
    pub fn mend(&self) -> &'static str {
        match self {
            Finding::NoFaces => "export the mesh with its faces",
            Finding::UvMismatch { .. } => "export the texture coordinates again, or leave them out",
            Finding::NonFinite(_) => "export the mesh again, or remove the nodes and their faces",
            Finding::OutOfRange(_) => "export the mesh again",
            Finding::RepeatedCorner(_) => {
                "remove the faces, or make triangles of quads with only three different corners"
            }
            Finding::DuplicateFace(_) => "remove the copies",
            Finding::DegenerateFace(_) => "collapse their shortest edge or remove them",
            Finding::FoldedQuad(_) => {
                "list the corners in order around the quad, or split it into triangles"
            }
            Finding::SliverFace(_) => "remesh around them, or collapse their shortest edge",
            Finding::NonManifoldEdge(_) => {
                "remove the extra faces, or give each layer its own nodes"
            }
            Finding::Inverted(_) => "turn the faces so that all have their front on the same side",
            Finding::NonManifoldNode(_) => {
                "give each part its own node, or join the parts by faces"
            }
            Finding::IsolatedNode(_) => "remove the nodes",
            Finding::CoincidentNodes(_) => "weld nodes by distance (\"merge by distance\")",
            Finding::SelfIntersection(_) => "move the layers apart",
            Finding::SuspiciousSize { .. } => "give the scale of the file in metres per unit",
        }
    }
}

/// "3 faces have no area (4, 7, 9)", with dots if there are more than are listed.
fn list<T>(
    cases: &Cases<T>,
    one: &str,
    several: &str,
    rest: &str,
    name: impl Fn(&T) -> String,
) -> String {
    let noun = if cases.total == 1 { one } else { several };
    let mut named: Vec<String> = cases.first.iter().map(name).collect();
    if cases.total > cases.first.len() {
        named.push("…".to_owned());
    }
    format!("{} {noun}{rest} ({})", cases.total, named.join("; "))
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, meaning, mend) = (self.what(), self.meaning(), self.mend());
        write!(f, "{}: {what}: {meaning}; {mend}", self.severity())
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.extents;
        writeln!(
            f,
            "nodes {}, triangles {}, quads {}, edges {}",
            self.nodes, self.triangles, self.quads, self.edges
        )?;
        writeln!(
            f,
            "components {}, boundary loops {}, Euler characteristic {}",
            self.components, self.boundary_loops, self.euler_characteristic
        )?;
        writeln!(
            f,
            "extents {x:.4} × {y:.4} × {z:.4} m, area {:.6} m²",
            self.area
        )?;
        write!(
            f,
            "edges {:.3e} to {:.3e} m, mean {:.3e} m; smallest angle {:.1}°",
            self.shortest_edge,
            self.longest_edge,
            self.mean_edge,
            self.smallest_angle.to_degrees()
        )
    }
}

/// The statistics, then one line per finding.
impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.statistics)?;
        for finding in &self.findings {
            write!(f, "\n{finding}")?;
        }
        if self.is_clean() {
            write!(f, "\nnothing wrong was found")?;
        }
        Ok(())
    }
}
