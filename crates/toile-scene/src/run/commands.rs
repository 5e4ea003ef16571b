//! `commands.toml`: what a run was told while it went, so that it can be repeated to the bit.
//!
//! One table for each command, in order, with the number of steps after which it came. Numbers are written with as many digits as
//! it takes to read them back exactly.

use super::runner::RunError;
use crate::files::read_input_text;
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toile::command::Command;
use toile::drive::{Grasped, Grip, Pose, Target};
use toile::simulation::Simulation;

/// The file in a run's folder.
pub const FILE_NAME: &str = "commands.toml";

/// Somebody who steers a run: it is asked before every step of the schedule.
pub trait Commander: Send {
    /// What is to be done before the next step.
    fn commands(&mut self, _simulation: &Simulation) -> Vec<Command> {
        Vec::new()
    }
}

/// Nobody steers.
impl Commander for () {}

/// Commands read from a file, each to be given after as many steps as it was given after before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replay {
    commands: VecDeque<(u64, Command)>,
}

/// A file of commands that cannot be used.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The system says no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The text is no list of commands.
    #[error("{path} is no list of commands: {message}")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        message: String,
    },
    /// Commands must come in the order in which they were given.
    #[error(
        "{path}: command {index} comes after {steps} steps, but the one before it after more; put them in order"
    )]
    Order {
        /// The file.
        path: PathBuf,
        /// Which, counted from 1.
        index: usize,
        /// When it comes.
        steps: u64,
    },
}

impl Replay {
    /// Reads a file of commands.
    pub fn read(path: &Path) -> Result<Self, ReplayError> {
        let text = read_input_text(path).map_err(|source| ReplayError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text, path)
    }

    /// Reads a text of commands; `path` is for messages.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ReplayError> {
        let list: List = toml::from_str(text).map_err(|error| ReplayError::Syntax {
            path: path.to_owned(),
            message: error.to_string().trim().to_owned(),
        })?;
        let late = list
            .command
            .windows(2)
            .position(|w| w[0].steps > w[1].steps);
        if let Some(index) = late {
            return Err(ReplayError::Order {
                path: path.to_owned(),
                index: index + 2,
                steps: list.command[index + 1].steps,
            });
        }
        let entries = list.command.into_iter();
        Ok(Replay {
            commands: entries.map(|e| (e.steps, e.r#do.into())).collect(),
        })
    }
}

impl Commander for Replay {
    fn commands(&mut self, simulation: &Simulation) -> Vec<Command> {
        let steps = simulation.state().steps;
        let mut due = Vec::new();
        while let Some((at, _)) = self.commands.front()
            && *at <= steps
        {
            // What came before is in the state that the run goes on from.
            due.extend(self.commands.pop_front().filter(|(at, _)| *at == steps));
        }
        due.into_iter().map(|(_, command)| command).collect()
    }
}

/// The list of a run as it grows; there is no file before the first command.
#[derive(Debug)]
pub(super) struct CommandLog {
    path: PathBuf,
    file: Option<File>,
}

impl CommandLog {
    /// An empty list.
    pub fn create(path: PathBuf) -> Self {
        CommandLog { path, file: None }
    }

    /// The list of a run that goes on after so many steps: what came later is cut off.
    pub fn resume(path: PathBuf, steps: u64) -> Result<Self, RunError> {
        if !path.exists() {
            return Ok(Self::create(path));
        }
        let known = Replay::read(&path)?;
        let mut log = Self::create(path);
        for (at, command) in known.commands.iter().filter(|(at, _)| *at < steps) {
            log.push(*at, command)?;
        }
        match log.file {
            Some(_) => Ok(log),
            None => match std::fs::remove_file(&log.path) {
                Ok(()) => Ok(log),
                Err(source) => Err(log.error(source)),
            },
        }
    }

    /// Takes down a command that came after so many steps.
    pub fn push(&mut self, steps: u64, command: &Command) -> Result<(), RunError> {
        let entry = Entry {
            steps,
            r#do: Spec::from(command),
        };
        let list = List {
            command: vec![entry],
        };
        let text =
            toml::to_string(&list).map_err(|error| self.error(std::io::Error::other(error)))?;
        let file = match self.file.take() {
            Some(file) => file,
            None => File::create(&self.path).map_err(|source| self.error(source))?,
        };
        let written = writeln!(&file, "{text}");
        self.file = Some(file);
        written.map_err(|source| self.error(source))
    }

    /// Does what somebody says before the next step, and takes it down.
    pub fn obey(
        &mut self,
        simulation: &mut Simulation,
        commander: &mut dyn Commander,
    ) -> Result<(), RunError> {
        for command in commander.commands(simulation) {
            let steps = simulation.state().steps;
            let done = simulation.command(&command);
            done.map_err(|source| RunError::Command { steps, source })?;
            self.push(steps, &command)?;
        }
        Ok(())
    }

    pub fn sync(&self) -> Result<(), RunError> {
        match &self.file {
            Some(file) => file.sync_data().map_err(|source| self.error(source)),
            None => Ok(()),
        }
    }

    fn error(&self, source: std::io::Error) -> RunError {
        RunError::Io {
            path: self.path.clone(),
            source,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    command: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    steps: u64,
    r#do: Spec,
}

type Vector = [f64; 3];

/// A command as the file has it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Spec {
    Grasp {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nodes: Option<Vec<u32>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        point: Option<PointSpec>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spring: Option<SpringSpec>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        frame: Option<PoseSpec>,
    },
    MoveGrasp {
        grasp: u32,
        within: f64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pose: Option<PoseSpec>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        velocity: Option<VelocitySpec>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        places: Option<Vec<Vector>>,
    },
    Release {
        grasp: u32,
    },
    MoveBody {
        body: usize,
        within: f64,
        pose: PoseSpec,
    },
    DriveBody {
        body: usize,
        velocity: VelocitySpec,
    },
    ReleaseBody {
        body: usize,
    },
    Push {
        nodes: Vec<u32>,
        force: Vector,
    },
    Gravity(Vector),
    Wind(Vector),
    Set {
        name: String,
        value: f64,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PointSpec {
    cloth: usize,
    face: usize,
    weights: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpringSpec {
    stiffness: f64,
    damping: f64,
}

/// Position (m) and rotation as a quaternion x, y, z, w.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PoseSpec {
    position: Vector,
    rotation: [f64; 4],
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VelocitySpec {
    linear: Vector,
    angular: Vector,
}

impl From<&Pose> for PoseSpec {
    fn from(pose: &Pose) -> Self {
        PoseSpec {
            position: pose.translation.to_array(),
            rotation: pose.rotation.to_array(),
        }
    }
}

impl From<PoseSpec> for Pose {
    fn from(spec: PoseSpec) -> Self {
        Pose {
            translation: DVec3::from_array(spec.position),
            rotation: DQuat::from_array(spec.rotation),
        }
    }
}

impl From<&Command> for Spec {
    fn from(command: &Command) -> Self {
        let velocity = |linear: &DVec3, angular: &DVec3| VelocitySpec {
            linear: linear.to_array(),
            angular: angular.to_array(),
        };
        match command {
            Command::Grasp { what, grip, frame } => {
                let (nodes, point) = match what {
                    Grasped::Nodes(nodes) => (Some(nodes.clone()), None),
                    Grasped::Point {
                        cloth,
                        face,
                        weights,
                    } => {
                        let (cloth, face, weights) = (*cloth, *face, weights.clone());
                        (
                            None,
                            Some(PointSpec {
                                cloth,
                                face,
                                weights,
                            }),
                        )
                    }
                };
                let spring = match *grip {
                    Grip::Rigid => None,
                    Grip::Spring { stiffness, damping } => Some(SpringSpec { stiffness, damping }),
                };
                Spec::Grasp {
                    nodes,
                    point,
                    spring,
                    frame: frame.as_ref().map(PoseSpec::from),
                }
            }
            Command::MoveGrasp { grasp, to, within } => {
                let (mut pose, mut speed, mut places) = (None, None, None);
                match to {
                    Target::Pose(to) => pose = Some(PoseSpec::from(to)),
                    Target::Velocity { linear, angular } => speed = Some(velocity(linear, angular)),
                    Target::Places(to) => places = Some(to.iter().map(DVec3::to_array).collect()),
                }
                Spec::MoveGrasp {
                    grasp: *grasp,
                    within: *within,
                    pose,
                    velocity: speed,
                    places,
                }
            }
            Command::Release { grasp } => Spec::Release { grasp: *grasp },
            Command::MoveBody { body, to, within } => Spec::MoveBody {
                body: *body,
                within: *within,
                pose: PoseSpec::from(to),
            },
            Command::DriveBody {
                body,
                linear,
                angular,
            } => Spec::DriveBody {
                body: *body,
                velocity: velocity(linear, angular),
            },
            Command::ReleaseBody { body } => Spec::ReleaseBody { body: *body },
            Command::Push { nodes, force } => Spec::Push {
                nodes: nodes.clone(),
                force: force.to_array(),
            },
            Command::Gravity(gravity) => Spec::Gravity(gravity.to_array()),
            Command::Wind(wind) => Spec::Wind(wind.to_array()),
            Command::Set { name, value } => Spec::Set {
                name: name.clone(),
                value: *value,
            },
        }
    }
}

impl From<Spec> for Command {
    fn from(spec: Spec) -> Self {
        match spec {
            Spec::Grasp {
                nodes,
                point,
                spring,
                frame,
            } => Command::Grasp {
                what: match point {
                    Some(point) => Grasped::Point {
                        cloth: point.cloth,
                        face: point.face,
                        weights: point.weights,
                    },
                    // A grasp of nothing is refused when it is given.
                    None => Grasped::Nodes(nodes.unwrap_or_default()),
                },
                grip: spring.map_or(Grip::Rigid, |s| Grip::Spring {
                    stiffness: s.stiffness,
                    damping: s.damping,
                }),
                frame: frame.map(Pose::from),
            },
            Spec::MoveGrasp {
                grasp,
                within,
                pose,
                velocity,
                places,
            } => {
                let vectors = |list: Vec<Vector>| list.into_iter().map(DVec3::from_array).collect();
                let to = match (pose, velocity) {
                    (Some(pose), _) => Target::Pose(pose.into()),
                    (None, Some(velocity)) => Target::Velocity {
                        linear: DVec3::from_array(velocity.linear),
                        angular: DVec3::from_array(velocity.angular),
                    },
                    (None, None) => Target::Places(vectors(places.unwrap_or_default())),
                };
                Command::MoveGrasp { grasp, to, within }
            }
            Spec::Release { grasp } => Command::Release { grasp },
            Spec::MoveBody { body, within, pose } => Command::MoveBody {
                body,
                to: pose.into(),
                within,
            },
            Spec::DriveBody { body, velocity } => Command::DriveBody {
                body,
                linear: DVec3::from_array(velocity.linear),
                angular: DVec3::from_array(velocity.angular),
            },
            Spec::ReleaseBody { body } => Command::ReleaseBody { body },
            Spec::Push { nodes, force } => Command::Push {
                nodes,
                force: DVec3::from_array(force),
            },
            Spec::Gravity(gravity) => Command::Gravity(DVec3::from_array(gravity)),
            Spec::Wind(wind) => Command::Wind(DVec3::from_array(wind)),
            Spec::Set { name, value } => Command::Set { name, value },
        }
    }
}
