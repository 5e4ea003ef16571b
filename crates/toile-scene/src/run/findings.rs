//! What a user should know of a run that went through: what looked wrong before it, and what did not hold in
//! it.

use super::folder::{FolderError, RunFolder, write_atomically};
use crate::report::MetricsTable;
use crate::scene::World;
use serde::Serialize;
use toile::mesh::Mesh;
use toile::mesh::doctor::examine;

/// The file that findings are written to.
pub(super) const FILE_NAME: &str = "findings.json";
/// Cloth that is stretched by more than this looks like rubber, unless its scene expects it.
const SUSPICIOUS_STRETCH: f64 = 0.2;
/// A solve that now and then ends a little above its tolerance is nothing to tell: up to this share of the
/// steps, and up to this part of the forces.
const FEW_STEPS: f64 = 0.05;
const LARGE_RESIDUAL: f64 = 0.1;

/// What kind of finding it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// Something in the scene or in a mesh looks wrong; `toile check` says it too.
    Warning,
    /// The cloth was stretched more than cloth is.
    Stretch,
    /// Steps did not converge.
    Unconverged,
    /// Faces of cloth pass through each other.
    Intersections,
}

/// Something that a user should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// What was found, where, and what to do.
    pub message: String,
}

/// The edge that was stretched most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstStretch {
    /// Its strain, `l/l̄ − 1`.
    pub stretch: f64,
    /// The end of the frame in which it was (s).
    pub time: f64,
    /// The cloth.
    pub cloth: String,
    /// The ends of the edge, counted in the cloth from 0.
    pub nodes: [u32; 2],
}

impl std::fmt::Display for WorstStretch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (percent, [a, b]) = (100.0 * self.stretch, self.nodes);
        let (cloth, time) = (&self.cloth, self.time);
        write!(
            f,
            "worst stretch {percent:.2} % at {time:.3} s in cloth `{cloth}`, edge {a}–{b}"
        )
    }
}

/// All that was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Findings {
    /// The edge that was stretched most, whether that is much or not.
    pub worst_stretch: Option<WorstStretch>,
    /// What a user should know; empty if all went well.
    pub findings: Vec<Finding>,
}

impl Findings {
    /// Writes them into a run's folder.
    pub fn write(&self, folder: &RunFolder) -> Result<(), FolderError> {
        let path = folder.file(FILE_NAME);
        let json = serde_json::to_vec_pretty(self).map_err(|error| FolderError::Io {
            path: path.clone(),
            source: error.into(),
        })?;
        write_atomically(&path, &json)
    }
}

/// What looks wrong with a world before it runs: the warnings of its scene, and what the mesh doctor says of
/// its cloths.
pub fn start_warnings(world: &World) -> Vec<String> {
    let mut warnings = world.warnings.clone();
    for cloth in &world.model.cloths {
        let positions = world.state.positions[cloth.nodes.clone()].to_vec();
        let mesh = Mesh::new(positions, cloth.topology.faces.clone());
        let found = examine(&mesh).findings;
        let in_words = |f: &toile::mesh::doctor::Finding| {
            format!(
                "cloth `{}`: {}: {}; {}",
                cloth.name,
                f.what(),
                f.meaning(),
                f.mend()
            )
        };
        warnings.extend(found.iter().map(in_words));
    }
    warnings
}

/// Looks through the results of a run. `warnings` are those of its [start](start_warnings).
pub fn findings(world: &World, warnings: &[String], metrics: &MetricsTable) -> Findings {
    let worst_stretch = worst_stretch(world, metrics);
    let usual = world.expect.stretch_below.unwrap_or(SUSPICIOUS_STRETCH);
    let stretched = worst_stretch.as_ref().filter(|w| w.stretch > usual);
    let stretch = stretched.map(|worst| Finding {
        kind: FindingKind::Stretch,
        message: format!(
            "{worst}; cloth stretches by a few per cent: raise material.stretch_stiffness, shorten time.step, or look for \
             pins and bodies that pull it apart"
        ),
    });
    let warned = warnings.iter().map(|message| Finding {
        kind: FindingKind::Warning,
        message: message.clone(),
    });
    let findings = warned
        .chain(stretch)
        .chain(unconverged(metrics))
        .chain(intersections(metrics));
    Findings {
        findings: findings.collect(),
        worst_stretch,
    }
}

/// Where the table has its largest number of this name: the row, and the number.
fn largest(metrics: &MetricsTable, name: &str) -> Option<(usize, f64)> {
    let column = metrics.column(name)?;
    let known = metrics.rows.iter().map(|row| row[column]).enumerate();
    let known = known.filter(|(_, value)| value.is_finite());
    // The first of equals.
    known.reduce(|most, next| if next.1 > most.1 { next } else { most })
}

fn worst_stretch(world: &World, metrics: &MetricsTable) -> Option<WorstStretch> {
    let (row, stretch) = largest(metrics, "stretch_worst")?;
    let number = metrics.rows[row][metrics.column("edge_worst")?];
    let number = number.is_finite().then_some(number as usize)?;
    let mut edges = world.model.cloths.iter().flat_map(|cloth| {
        let edges = cloth.topology.edges.iter();
        edges.map(|edge| (&cloth.name, edge.nodes))
    });
    let (cloth, nodes) = edges.nth(number)?;
    Some(WorstStretch {
        stretch,
        time: metrics.rows[row][0],
        cloth: cloth.clone(),
        nodes,
    })
}

/// Steps that missed something, if they are more than a few or missed by much.
fn unconverged(metrics: &MetricsTable) -> Option<Finding> {
    let sum = |name: &str| {
        let column = metrics.column(name);
        let values = metrics.rows.iter().filter_map(|row| Some(row[column?]));
        values.filter(|v| v.is_finite()).sum::<f64>()
    };
    let count = sum("unconverged_steps");
    let column = metrics.column("unconverged_steps")?;
    let first = metrics.rows.iter().find(|row| row[column] > 0.0)?;
    let steps = sum("substeps").max(count);
    let residual = largest(metrics, "linear_residual").map_or(0.0, |(_, worst)| worst);
    let [solve, limit, contact] = ["solve_missed", "limit_missed", "contact_missed"].map(sum);
    let few = count <= FEW_STEPS * steps && residual <= LARGE_RESIDUAL;
    if few && limit + contact == 0.0 {
        return None;
    }
    let control = count - solve - limit - contact;
    let reasons = [
        (
            solve,
            format!(
                "solves ended above their tolerance (worst residual {residual:.1e}): raise time.max_iterations or \
             time.newton_steps, or shorten time.step"
            ),
        ),
        (
            limit,
            "limits of cloth were not met: pins or bodies may pull it apart".to_owned(),
        ),
        (
            contact,
            "cloth was not kept from passing through cloth: pins or bodies may leave it no room"
                .to_owned(),
        ),
        (
            control,
            "the error stayed above the tolerance of time.control".to_owned(),
        ),
    ];
    let reasons = reasons.iter().filter(|(number, _)| *number > 0.0);
    let reasons: Vec<String> = reasons
        .map(|(number, why)| format!("in {number} {why}"))
        .collect();
    Some(Finding {
        kind: FindingKind::Unconverged,
        message: format!(
            "{count} of {steps} steps did not converge, the first by {:.3} s: {}",
            first[0],
            reasons.join("; ")
        ),
    })
}

fn intersections(metrics: &MetricsTable) -> Option<Finding> {
    let (row, most) = largest(metrics, "intersections").filter(|(_, most)| *most > 0.0)?;
    let time = metrics.rows[row][0];
    Some(Finding {
        kind: FindingKind::Intersections,
        message: format!(
            "{most} pairs of faces pass through each other at {time:.3} s; shorten time.step, or look for pins and bodies that \
             leave the cloth no room"
        ),
    })
}
