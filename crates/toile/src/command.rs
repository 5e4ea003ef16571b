//! Commands: what can be said to a world between two steps.
//!
//! A command changes the state alone ([`Commanded`](crate::drive::Commanded)), so a checkpoint knows of it, and the same commands after the
//! same steps lead to the same bits.

use crate::drive::{Grasp, Grasped, Grip, Pin, Pose, Target, Travel};
use crate::model::Model;
use crate::state::State;
use glam::DVec3;
use thiserror::Error;

/// Something to be done before the next step.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Takes hold of cloth. The answer is the id of the grasp.
    Grasp {
        /// What is held.
        what: Grasped,
        /// How firmly.
        grip: Grip,
        /// The frame that it rides on; where the middle of what is held is, not turned, if none is given.
        frame: Option<Pose>,
    },
    /// Leads a grasp.
    MoveGrasp {
        /// Its id.
        grasp: u32,
        /// Where to.
        to: Target,
        /// Evenly within so many seconds; by the end of the next step if zero.
        within: f64,
    },
    /// Lets go.
    Release {
        /// The grasp's id.
        grasp: u32,
    },
    /// Leads a body to a pose.
    MoveBody {
        /// The body, by number.
        body: usize,
        /// The pose of its frame.
        to: Pose,
        /// Evenly within so many seconds; by the end of the next step if zero.
        within: f64,
    },
    /// Leads a body on and on.
    DriveBody {
        /// The body, by number.
        body: usize,
        /// Velocity of its frame's origin (m/s).
        linear: DVec3,
        /// Angular velocity about it (rad/s).
        angular: DVec3,
    },
    /// Puts a body back on the path that the model has for it.
    ReleaseBody {
        /// The body, by number.
        body: usize,
    },
    /// Pushes nodes from now on, each with this force (N) in the place of what was said before; zero ends it.
    Push {
        /// The nodes, numbered over the whole world; all of them if the list is empty.
        nodes: Vec<u32>,
        /// N
        force: DVec3,
    },
    /// Acceleration of gravity from now on (m/s²).
    Gravity(DVec3),
    /// Mean velocity of the air from now on (m/s); it acts on cloth that is in the air.
    Wind(DVec3),
    /// Changes a number of the scene, one that leaves the pattern of the matrix alone.
    Set {
        /// What the scene calls it, such as `cloth.sheet.material.bend`.
        name: String,
        /// Its new value.
        value: f64,
    },
}

/// A command that cannot be obeyed. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CommandError {
    /// A number is infinite, not a number, or out of its range.
    #[error("{what} is {value}; it must be {must}")]
    BadNumber {
        /// What it is.
        what: &'static str,
        /// Its value.
        value: String,
        /// What it must be.
        must: &'static str,
    },
    /// Nothing would be held.
    #[error("the grasp names no node; give it at least one")]
    NothingGrasped,
    /// A node that is not there.
    #[error("there is no node {node}; the nodes are 0 to {last}")]
    NoSuchNode {
        /// The node.
        node: u32,
        /// The last one there is.
        last: usize,
    },
    /// A node that something holds already.
    #[error("node {node} is already held by {by}; let go of it first")]
    AlreadyHeld {
        /// The node.
        node: u32,
        /// A pin or a grasp.
        by: String,
    },
    /// A node that is named twice.
    #[error("node {node} is named twice in one grasp")]
    NamedTwice {
        /// The node.
        node: u32,
    },
    /// A face that is not there.
    #[error("there is no face {face} of cloth {cloth}")]
    NoSuchFace {
        /// The cloth, by number.
        cloth: usize,
        /// The face.
        face: usize,
    },
    /// Weights that are no place on the face.
    #[error(
        "the weights of a point on a face must be one number for each of its {corners} corners and add up to 1"
    )]
    BadWeights {
        /// Corners of the face.
        corners: usize,
    },
    /// A grasp that is not there, or no longer.
    #[error("there is no grasp {grasp}; it was released or never made")]
    NoSuchGrasp {
        /// The id.
        grasp: u32,
    },
    /// A body that is not there.
    #[error("there is no body {body}; the world has {bodies}")]
    NoSuchBody {
        /// The body.
        body: usize,
        /// How many there are.
        bodies: usize,
    },
    /// Places that are not one for each held node.
    #[error("{given} places were given for the {wanted} that the grasp holds")]
    WrongCount {
        /// Places given.
        given: usize,
        /// Places wanted.
        wanted: usize,
    },
    /// Forces that are not one for each node.
    #[error("{forces} forces were given for {nodes} nodes; give one for each")]
    ForceCount {
        /// Forces given.
        forces: usize,
        /// Nodes named.
        nodes: usize,
    },
    /// A setting that cannot be changed while the simulation runs.
    #[error("`{name}` cannot be changed while the simulation runs: {why}")]
    Setting {
        /// The setting.
        name: String,
        /// Why not.
        why: String,
    },
}

/// Does what a command says; answers the id of a grasp that was made. [`Command::Set`] only notes its value: whoever owns the
/// model makes it anew.
pub fn obey(
    model: &Model,
    state: &mut State,
    command: &Command,
) -> Result<Option<u32>, CommandError> {
    let now = state.time;
    match command {
        Command::Grasp { what, grip, frame } => {
            return grasp(model, state, what, *grip, *frame).map(Some);
        }
        Command::MoveGrasp { grasp, to, within } => {
            check_span(*within)?;
            let grasp = find_grasp(state, *grasp)?;
            check_target(to, grasp.anchors.len())?;
            grasp.lead(to.clone(), now, *within);
        }
        Command::Release { grasp } => {
            find_grasp(state, *grasp)?;
            state.commanded.grasps.retain(|g| g.id != *grasp);
        }
        Command::MoveBody { body, to, within } => {
            check_span(*within)?;
            check_pose(to)?;
            let travel = body_travel(model, state, *body)?;
            let travel = travel.towards(*to, now, *within);
            state.commanded.lead_body(*body, travel);
        }
        Command::DriveBody {
            body,
            linear,
            angular,
        } => {
            check_vector("the velocity", *linear)?;
            check_vector("the angular velocity", *angular)?;
            let travel = body_travel(model, state, *body)?;
            let travel = travel.with_velocity(*linear, *angular, now);
            state.commanded.lead_body(*body, travel);
        }
        Command::ReleaseBody { body } => {
            check_body(model, *body)?;
            state.commanded.bodies.retain(|(b, _)| *b as usize != *body);
        }
        Command::Push { nodes, force } => {
            check_vector("the force", *force)?;
            push(model, state, nodes, *force)?;
        }
        Command::Gravity(gravity) => {
            check_vector("gravity", *gravity)?;
            state.commanded.gravity = Some(*gravity);
        }
        Command::Wind(wind) => {
            check_vector("the wind", *wind)?;
            state.commanded.wind = Some(*wind);
        }
        Command::Set { name, value } => {
            if !value.is_finite() {
                return Err(not_finite("the value", value));
            }
            state.commanded.set(name, *value);
        }
    }
    Ok(None)
}

fn grasp(
    model: &Model,
    state: &mut State,
    what: &Grasped,
    grip: Grip,
    frame: Option<Pose>,
) -> Result<u32, CommandError> {
    if let Grip::Spring { stiffness, damping } = grip
        && !grip.is_possible()
    {
        return Err(CommandError::BadNumber {
            what: "the grip",
            value: format!("a spring of {stiffness} N/m with {damping} N·s/m"),
            must: "a positive stiffness and a damping of zero or more",
        });
    }
    if let Some(frame) = &frame {
        check_pose(frame)?;
    }
    let (nodes, weights) = match what {
        Grasped::Nodes(nodes) => (nodes.clone(), Vec::new()),
        Grasped::Point {
            cloth,
            face,
            weights,
        } => point(model, *cloth, *face, weights)?,
    };
    check_nodes(model, state, &nodes)?;
    let places: Vec<DVec3> = nodes.iter().map(|&n| state.positions[n as usize]).collect();
    let middle: DVec3 = match weights.is_empty() {
        true => places.iter().sum::<DVec3>() / places.len() as f64,
        false => places.iter().zip(&weights).map(|(p, w)| *w * *p).sum(),
    };
    let frame = frame.unwrap_or(Pose {
        translation: middle,
        ..Pose::IDENTITY
    });
    // A rigid grip holds all of the face, a spring pulls at the point.
    let by_point = !weights.is_empty() && grip != Grip::Rigid;
    let held = if by_point { vec![middle] } else { places };
    let id = state.commanded.grasps_made;
    state.commanded.grasps_made += 1;
    state.commanded.grasps.push(Grasp {
        id,
        nodes,
        weights: if by_point { weights } else { Vec::new() },
        anchors: held.into_iter().map(|p| frame.unapply(p)).collect(),
        travel: Travel::at(frame),
        leaving: None,
        grip,
    });
    Ok(id)
}

/// The nodes and weights of a point on a face.
fn point(
    model: &Model,
    cloth: usize,
    face: usize,
    weights: &[f64],
) -> Result<(Vec<u32>, Vec<f64>), CommandError> {
    let found = model.cloths.get(cloth);
    let found = found.and_then(|c| Some((c, c.topology.faces.get(face)?)));
    let Some((cloth, face)) = found else {
        return Err(CommandError::NoSuchFace { cloth, face });
    };
    let first = cloth.nodes.start as u32;
    let nodes: Vec<u32> = face.corners().iter().map(|n| n + first).collect();
    let sum: f64 = weights.iter().sum();
    let in_range = weights.iter().all(|w| (-1e-9..=1.0 + 1e-9).contains(w));
    if weights.len() != nodes.len() || !in_range || (sum - 1.0).abs() > 1e-6 {
        return Err(CommandError::BadWeights {
            corners: nodes.len(),
        });
    }
    Ok((nodes, weights.to_vec()))
}

fn check_nodes(model: &Model, state: &State, nodes: &[u32]) -> Result<(), CommandError> {
    if nodes.is_empty() {
        return Err(CommandError::NothingGrasped);
    }
    let mut sorted = nodes.to_vec();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|w| w[0] == w[1]) {
        return Err(CommandError::NamedTwice { node: pair[0] });
    }
    check_present(model, nodes)?;
    for &node in nodes {
        let pins = |pin: &Pin| pin.is_held_at(state.time) && pin.nodes.contains(&node);
        let pinned = model.pins.iter().position(pins);
        let grasped = state.commanded.grasps.iter().find(|g| g.holds(node));
        let by = pinned
            .map(|pin| format!("pin {pin}"))
            .or_else(|| grasped.map(|grasp| format!("grasp {}", grasp.id)));
        if let Some(by) = by {
            return Err(CommandError::AlreadyHeld { node, by });
        }
    }
    Ok(())
}

fn check_present(model: &Model, nodes: &[u32]) -> Result<(), CommandError> {
    let last = model.node_count() - 1;
    match nodes.iter().find(|n| **n as usize > last) {
        Some(&node) => Err(CommandError::NoSuchNode { node, last }),
        None => Ok(()),
    }
}

fn push(model: &Model, state: &mut State, nodes: &[u32], force: DVec3) -> Result<(), CommandError> {
    check_present(model, nodes)?;
    let forces = &mut state.commanded.forces;
    forces.resize(model.node_count(), DVec3::ZERO);
    match nodes.is_empty() {
        true => forces.fill(force),
        false => nodes.iter().for_each(|&n| forces[n as usize] = force),
    }
    if forces.iter().all(|f| *f == DVec3::ZERO) {
        forces.clear();
    }
    Ok(())
}

/// Pushes nodes from now on, each with a force of its own (N) in the place of what was said before.
pub(crate) fn push_each(
    model: &Model,
    state: &mut State,
    nodes: &[u32],
    forces: &[DVec3],
) -> Result<(), CommandError> {
    if nodes.len() != forces.len() {
        return Err(CommandError::ForceCount {
            forces: forces.len(),
            nodes: nodes.len(),
        });
    }
    check_present(model, nodes)?;
    let mut all = forces.iter();
    all.try_for_each(|&f| check_vector("the force", f))?;
    let known = &mut state.commanded.forces;
    known.resize(model.node_count(), DVec3::ZERO);
    for (&node, &force) in nodes.iter().zip(forces) {
        known[node as usize] = force;
    }
    if known.iter().all(|f| *f == DVec3::ZERO) {
        known.clear();
    }
    Ok(())
}

fn find_grasp(state: &mut State, id: u32) -> Result<&mut Grasp, CommandError> {
    let found = state.commanded.grasps.iter_mut().find(|g| g.id == id);
    found.ok_or(CommandError::NoSuchGrasp { grasp: id })
}

fn check_body(model: &Model, body: usize) -> Result<(), CommandError> {
    let bodies = model.bodies.len();
    match body < bodies {
        true => Ok(()),
        false => Err(CommandError::NoSuchBody { body, bodies }),
    }
}

/// How a body is led now.
fn body_travel(model: &Model, state: &State, body: usize) -> Result<Travel, CommandError> {
    check_body(model, body)?;
    let led = state.commanded.body(body).copied();
    Ok(led.unwrap_or_else(|| Travel::at(model.bodies[body].pose(state.time))))
}

fn check_target(target: &Target, anchors: usize) -> Result<(), CommandError> {
    match target {
        Target::Pose(pose) => check_pose(pose),
        Target::Velocity { linear, angular } => {
            check_vector("the velocity", *linear)?;
            check_vector("the angular velocity", *angular)
        }
        Target::Places(places) => {
            if places.len() != anchors {
                return Err(CommandError::WrongCount {
                    given: places.len(),
                    wanted: anchors,
                });
            }
            places.iter().try_for_each(|&p| check_vector("a place", p))
        }
    }
}

fn check_pose(pose: &Pose) -> Result<(), CommandError> {
    check_vector("the position", pose.translation)?;
    if !pose.is_possible() {
        return Err(CommandError::BadNumber {
            what: "the rotation",
            value: format!("{:?}", pose.rotation.to_array()),
            must: "a quaternion (x, y, z, w) of length 1",
        });
    }
    Ok(())
}

fn check_vector(what: &'static str, value: DVec3) -> Result<(), CommandError> {
    match value.is_finite() {
        true => Ok(()),
        false => Err(not_finite(what, &value)),
    }
}

fn not_finite(what: &'static str, value: &dyn std::fmt::Display) -> CommandError {
    CommandError::BadNumber {
        what,
        value: value.to_string(),
        must: "finite",
    }
}

fn check_span(within: f64) -> Result<(), CommandError> {
    if within >= 0.0 && within.is_finite() {
        return Ok(());
    }
    Err(CommandError::BadNumber {
        what: "the time to get there",
        value: format!("{within} s"),
        must: "zero or a positive number of seconds",
    })
}
