//! From what a page orders to what the engine is commanded.

use crate::protocol::{GripName, Order, Refusal, RefusalKind};
use glam::{DQuat, DVec3};
use toile::command::Command;
use toile::drive::{Grasp, Grasped, Grip, Pose, Target};
use toile::simulation::Simulation;
use toile_scene::scene::World;

/// A spring that carries the whole cloth gives way by so much (m), if nobody says how stiff it is.
const GIVES_WAY: f64 = 0.02;
/// How fast a hand leads a spring at the most, and how fast it may at least (m/s, in the time of the simulation).
const HAND_SPEED: [f64; 2] = [1.5, 0.5];
/// For cloth without weight: the gravity that it is held against (m/s²).
const LEAST_GRAVITY: f64 = 1.0;

/// How fast a hand goes in a simulation that goes by so much of real time. Its way is drawn in the time of whoever looks on; cloth that
/// goes at a twentieth of that would else be jerked at twenty times the speed.
pub fn hand_speed(factor: f64) -> f64 {
    let [usual, least] = HAND_SPEED;
    (usual * factor).clamp(least, usual)
}

/// The commands of an order, of a hand of so much speed (m/s). They are for one moment: between two steps.
pub fn commands(
    order: &Order,
    world: &World,
    simulation: &Simulation,
    hand: f64,
) -> Result<Vec<Command>, Refusal> {
    Ok(match order {
        Order::Grasp {
            cloth,
            face,
            weights,
            grip,
            stiffness,
            damping,
        } => {
            let spring = [*stiffness, *damping];
            vec![Command::Grasp {
                what: Grasped::Point {
                    cloth: *cloth,
                    face: *face,
                    weights: weights.clone(),
                },
                grip: grip_of(*grip, spring, *cloth, simulation),
                frame: None,
            }]
        }
        Order::GraspNodes { nodes, grip } => {
            let cloths = &simulation.model().cloths;
            let first = nodes.first().map_or(0, |n| *n as usize);
            let cloth = cloths.iter().position(|c| c.nodes.contains(&first));
            vec![Command::Grasp {
                what: Grasped::Nodes(nodes.clone()),
                grip: grip_of(*grip, [None; 2], cloth.unwrap_or(0), simulation),
                frame: None,
            }]
        }
        Order::MoveGrasp { grasp, to, within } => {
            let found = simulation.grasps().iter().find(|g| g.id == *grasp);
            let found = found.ok_or_else(|| {
                refused(format!(
                    "there is no grasp {grasp}; it was released or never made"
                ))
            })?;
            let (now, to) = (simulation.time(), DVec3::from_array(*to));
            let by_hand = match found.grip {
                Grip::Spring { .. } => target(found, now).distance(to) / hand,
                Grip::Rigid => 0.0,
            };
            vec![Command::MoveGrasp {
                grasp: *grasp,
                to: Target::Pose(led(found, now, to)),
                within: within.max(by_hand),
            }]
        }
        Order::Release { grasp } => vec![Command::Release { grasp: *grasp }],
        Order::MoveBody {
            body,
            translation,
            rotation,
            within,
        } => {
            let to = Pose {
                translation: DVec3::from_array(*translation),
                rotation: DQuat::from_array(*rotation),
            };
            move_body(*body, to, *within, world, simulation)?
        }
        Order::ReleaseBody { body } => {
            let parts = frame(world, *body)?.parts.clone();
            parts.map(|body| Command::ReleaseBody { body }).collect()
        }
        Order::Gravity { value } => vec![Command::Gravity(DVec3::from_array(*value))],
        Order::Wind { value } => vec![Command::Wind(DVec3::from_array(*value))],
        Order::Set { name, value } => vec![Command::Set {
            name: name.clone(),
            value: *value,
        }],
    })
}

fn refused(message: String) -> Refusal {
    Refusal::new(RefusalKind::Command, message)
}

/// A grip; a spring that nobody has measures for carries the cloth without giving way much, and does not swing.
fn grip_of(
    name: GripName,
    [stiffness, damping]: [Option<f64>; 2],
    cloth: usize,
    simulation: &Simulation,
) -> Grip {
    if name != GripName::Spring {
        return Grip::Rigid;
    }
    let model = simulation.model();
    let nodes = model.cloths.get(cloth).map(|c| c.nodes.clone());
    let mass: f64 = model.masses[nodes.unwrap_or_default()].iter().sum();
    let gravity = simulation.state().gravity(model).length();
    let stiffness = stiffness.unwrap_or(mass * gravity.max(LEAST_GRAVITY) / GIVES_WAY);
    Grip::Spring {
        stiffness,
        damping: damping.unwrap_or(0.5 * (stiffness.max(0.0) * mass).sqrt()),
    }
}

/// The middle of where a grasp leads what it holds (m).
pub(crate) fn target(grasp: &Grasp, time: f64) -> DVec3 {
    let count = grasp.anchors.len();
    let places = (0..count).map(|anchor| grasp.place(anchor, time));
    places.sum::<DVec3>() / count.max(1) as f64
}

/// The middle of what it holds (m).
pub(crate) fn held(grasp: &Grasp, positions: &[DVec3]) -> DVec3 {
    let places = grasp.nodes.iter().map(|n| positions[*n as usize]);
    match grasp.weights.is_empty() {
        true => places.sum::<DVec3>() / grasp.nodes.len().max(1) as f64,
        false => places.zip(&grasp.weights).map(|(p, w)| *w * p).sum(),
    }
}

/// The frame of a grasp, shifted so that the middle of what it leads comes to a place (m).
fn led(grasp: &Grasp, time: f64, to: DVec3) -> Pose {
    let now = grasp.travel.pose(time);
    Pose {
        translation: now.translation + (to - target(grasp, time)),
        rotation: now.rotation,
    }
}

fn frame(world: &World, body: usize) -> Result<&toile_scene::scene::BodyFrame, Refusal> {
    let count = world.body_frames.len();
    let found = world.body_frames.get(body);
    found.ok_or_else(|| refused(format!("there is no body {body}; the scene has {count}")))
}

fn move_body(
    body: usize,
    to: Pose,
    within: f64,
    world: &World,
    simulation: &Simulation,
) -> Result<Vec<Command>, Refusal> {
    let frame = frame(world, body)?;
    let now = frame.pose_in(simulation.model(), simulation.state());
    let turns = to.rotation.is_finite() && to.rotation.angle_between(now.rotation) > 1e-9;
    if frame.parts.len() > 1 && turns && within > 0.0 {
        let message = "a body of several parts cannot be turned over time; lead it step by step, with within = 0";
        return Err(refused(message.into()));
    }
    let back = Pose {
        translation: now.rotation.conjugate() * -now.translation,
        rotation: now.rotation.conjugate(),
    };
    let (first, alone) = (frame.parts.start, frame.parts.len() == 1);
    let places = frame.parts.clone().map(|part| {
        let inside = match part == first && alone {
            true => frame.first_part,
            false => back.after(&simulation.body_pose(part)),
        };
        let to = if inside == Pose::IDENTITY {
            to
        } else {
            to.after(&inside)
        };
        Command::MoveBody {
            body: part,
            to,
            within,
        }
    });
    Ok(places.collect())
}
