//! What is looked at on demand: contacts, and what the last step did not meet.

use crate::field::Surroundings;
use crate::numbers::{face_of, middle, worst_face};
use glam::DVec3;
use serde::Serialize;
use toile::certificate::Certificate;
use toile::fields::{face_strains, node_gaps};
use toile::limit::Limit;
use toile::simulation::Simulation;
use toile_scene::scene::World;

/// Contacts that are listed if nobody says how many.
const LISTED: usize = 1000;
/// Faces and nodes that are listed of each kind.
const WORST: usize = 20;

/// The contacts of the last step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contacts {
    /// After which step.
    pub frame: u32,
    /// How many there are.
    pub count: usize,
    /// The strongest of them.
    pub contacts: Vec<Contact>,
}

/// A contact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contact {
    /// m
    pub place: [f64; 3],
    /// From the second feature to the first.
    pub normal: [f64; 3],
    /// On the first (N).
    pub force: [f64; 3],
    /// Whether it slides.
    pub sliding: bool,
    /// The body of the scene, by number, if it is with one.
    pub body: Option<usize>,
    /// The nodes that take part, numbered over all cloths.
    pub nodes: Vec<u32>,
}

/// The strongest contacts of the last step.
pub fn contacts(
    frame: u32,
    world: &World,
    simulation: &Simulation,
    limit: Option<usize>,
) -> Contacts {
    let mut points = simulation.contacts();
    let count = points.len();
    points.sort_by(|a, b| b.force.length().total_cmp(&a.force.length()));
    points.truncate(limit.unwrap_or(LISTED).min(LISTED));
    let frames = &world.body_frames;
    let of_scene = |body: usize| frames.iter().position(|f| f.parts.contains(&body));
    let contacts = points.into_iter().map(|point| {
        let taking_part = point.nodes.iter().zip(point.weights);
        Contact {
            place: point.place.to_array(),
            normal: point.normal.to_array(),
            force: point.force.to_array(),
            sliding: point.is_sliding,
            body: point.body.and_then(of_scene),
            nodes: taking_part
                .filter(|(_, w)| *w != 0.0)
                .map(|(n, _)| *n)
                .collect(),
        }
    });
    Contacts {
        frame,
        count,
        contacts: contacts.collect(),
    }
}

/// What the last step did not meet, and where.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failing {
    /// After which step.
    pub frame: u32,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A place where something is beyond what it should be, or the step as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Row {
    /// `stretch`, `gap`, `solve`, `limit` or `contact`.
    pub kind: &'static str,
    /// In words.
    pub what: String,
    /// The number that is told.
    pub value: Option<f64>,
    /// The cloth, by number.
    pub cloth: Option<usize>,
    /// The face, by its number in the cloth.
    pub face: Option<usize>,
    /// The node, numbered over all cloths.
    pub node: Option<u32>,
    /// m
    pub place: Option<[f64; 3]>,
}

/// What the last step did not meet.
pub fn failing(frame: u32, simulation: &Simulation, around: &Surroundings) -> Failing {
    let mut rows = Vec::new();
    if let Some(last) = simulation.last() {
        as_a_whole(&last.report.certificate, simulation, &mut rows);
        stretched(simulation, around, &mut rows);
        inside(simulation, &mut rows);
    }
    Failing { frame, rows }
}

fn as_a_whole(certificate: &Certificate, simulation: &Simulation, rows: &mut Vec<Row>) {
    use toile::certificate::Status;
    let mut tell = |kind, what: &str, value| {
        rows.push(Row {
            kind,
            what: what.to_owned(),
            value,
            ..Row::default()
        });
    };
    match simulation.last().map(|last| last.report.status) {
        Some(Status::IterationLimit) => tell(
            "solve",
            "a linear solve stopped at its iteration limit; the value is what it left",
            Some(certificate.linear_residual),
        ),
        Some(Status::LimitMissed) => tell(
            "limit",
            "a limit of cloth was not met; the value is what it left",
            certificate.limit.map(|l| l.residual),
        ),
        Some(Status::ContactMissed) => tell(
            "contact",
            "cloth could not be kept from passing through cloth; the value counts where",
            certificate.contact.map(|c| c.missed as f64),
        ),
        _ => {}
    }
    if certificate.share_done < 1.0 {
        tell(
            "contact",
            "contacts did not let the step go all of its way; the value is the share",
            Some(certificate.share_done),
        );
    }
}

/// Faces beyond their limit, and the one that is stretched most in any case.
fn stretched(simulation: &Simulation, around: &Surroundings, rows: &mut Vec<Row>) {
    let model = simulation.model();
    let strains = face_strains(model, simulation.positions());
    let bound = |cloth: usize| {
        model.limits.iter().find_map(|(k, limit)| match limit {
            Limit::Stretch(limit) if *k == cloth => {
                Some((1.0 + limit.stretch()) * (1.0 + limit.tolerance()) - 1.0)
            }
            _ => None,
        })
    };
    let bounds: Vec<Option<f64>> = (0..model.cloths.len()).map(bound).collect();
    let beyond = |face: usize| {
        let (cloth, _) = face_of(simulation, face)?;
        bounds[cloth].filter(|bound| strains[face][0] > *bound)
    };
    let mut faces: Vec<usize> = (0..strains.len())
        .filter(|f| beyond(*f).is_some())
        .collect();
    faces.sort_by(|a, b| strains[*b][0].total_cmp(&strains[*a][0]));
    faces.truncate(WORST);
    let what = match faces.is_empty() {
        true => "the face that is stretched most",
        false => "stretched beyond its limit",
    };
    if faces.is_empty() {
        faces.extend(worst_face(simulation).map(|(face, _)| face));
    }
    for face in faces {
        let found = face_of(simulation, face);
        rows.push(Row {
            kind: "stretch",
            what: what.to_owned(),
            value: Some(strains[face][0]),
            cloth: found.map(|f| f.0),
            face: found.map(|f| f.1),
            node: None,
            place: middle(around, simulation.positions(), face).map(|p| p.to_array()),
        });
    }
}

/// Nodes that bodies reach into.
fn inside(simulation: &Simulation, rows: &mut Vec<Row>) {
    let (model, positions) = (simulation.model(), simulation.positions());
    let gaps = node_gaps(model, simulation.state());
    let deep = |n: &usize| gaps[*n] < -0.5 * model.contact_offsets[*n];
    let mut nodes: Vec<usize> = (0..gaps.len()).filter(deep).collect();
    nodes.sort_by(|a, b| gaps[*a].total_cmp(&gaps[*b]));
    let place = |node: usize| -> DVec3 { positions[node] };
    rows.extend(nodes.into_iter().take(WORST).map(|node| Row {
        kind: "gap",
        what: "a body reaches into the cloth".to_owned(),
        value: Some(gaps[node]),
        cloth: model.cloths.iter().position(|c| c.nodes.contains(&node)),
        face: None,
        node: Some(node as u32),
        place: Some(place(node).to_array()),
    }));
}
