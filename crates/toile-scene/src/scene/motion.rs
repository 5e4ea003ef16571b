//! Places and motions: from the scene's words to rigid paths.

use super::check::check_vector;
use super::sources::Sources;
use super::{SceneError, SceneSource};
use crate::format::Trajectory;
use crate::spec::{BodySpec, InterpolationSpec, KeySpec, MotionSpec, PlaceSpec};
use glam::{DQuat, DVec3, EulerRot};
use toile::drive::{Interpolation, Keyframes, Motion, NodeTrajectory, PinPath, Pose, RigidPath};

pub(super) fn place(
    source: &SceneSource,
    field: &str,
    spec: &PlaceSpec,
) -> Result<Pose, SceneError> {
    let translation = check_vector(source, &format!("{field}.at"), spec.at)?;
    let angles = check_vector(
        source,
        &format!("{field}.rotate_degrees"),
        spec.rotate_degrees,
    )?;
    Ok(Pose {
        translation,
        rotation: rotation(angles),
    })
}

/// About x, then y, then z, in the fixed axes of the world.
fn rotation(degrees: DVec3) -> DQuat {
    let [x, y, z] = degrees.to_array().map(f64::to_radians);
    DQuat::from_euler(EulerRot::XYZEx, x, y, z)
}

/// The path of a body: displacements turn about its place, a trajectory carries it.
pub(super) fn body_path(
    source: &Sources,
    field: &str,
    spec: &mut BodySpec,
) -> Result<RigidPath, SceneError> {
    let field = format!("{field}.motion");
    let pivot = DVec3::from_array(spec.place.at);
    match load(source, &field, &mut spec.motion)? {
        Loaded::Displacement(motion) => Ok(RigidPath { pivot, motion }),
        Loaded::Frame(motion) => Ok(RigidPath {
            pivot: DVec3::ZERO,
            motion,
        }),
        Loaded::Nodes { .. } => {
            let message =
                "this trajectory has positions of nodes; a body needs time,x,y,z[,qx,qy,qz,qw]";
            Err(source.error(&field, message))
        }
    }
}

/// The path of a group of pinned nodes around `centre`.
pub(super) fn pin_path(
    source: &Sources,
    field: &str,
    motion: &mut MotionSpec,
    centre: DVec3,
    nodes: usize,
) -> Result<PinPath, SceneError> {
    let field = format!("{field}.motion");
    match load(source, &field, motion)? {
        Loaded::Displacement(motion) => Ok(PinPath::Carried(RigidPath {
            pivot: centre,
            motion,
        })),
        Loaded::Frame(motion) => Ok(PinPath::Carried(RigidPath {
            pivot: DVec3::ZERO,
            motion,
        })),
        Loaded::Nodes { times, positions } => {
            let recorded = positions.first().map_or(0, Vec::len);
            if recorded != nodes {
                let message =
                    format!("the trajectory has {recorded} nodes, but the pin selects {nodes}");
                return Err(source.error(&field, message));
            }
            NodeTrajectory::new(times, positions, nodes)
                .map(PinPath::Recorded)
                .map_err(|error| source.error(&field, error.to_string()))
        }
    }
}

enum Loaded {
    /// From where the thing stands.
    Displacement(Motion),
    /// A frame in world coordinates.
    Frame(Motion),
    Nodes {
        times: Vec<f64>,
        positions: Vec<Vec<DVec3>>,
    },
}

fn load(source: &Sources, field: &str, spec: &mut MotionSpec) -> Result<Loaded, SceneError> {
    let vector = |name: &str, value| check_vector(source, &format!("{field}.{name}"), value);
    let finite = |name: &str, value: f64| vector(name, [value, 0.0, 0.0]).map(|v| v.x);
    Ok(match spec {
        MotionSpec::Fixed => Loaded::Displacement(Motion::Fixed),
        MotionSpec::Velocity { linear, angular } => Loaded::Displacement(Motion::Velocity {
            linear: vector("velocity.linear", *linear)?,
            angular: vector("velocity.angular", *angular)?,
        }),
        MotionSpec::Sinusoid {
            amplitude,
            angular,
            frequency,
            phase,
        } => Loaded::Displacement(Motion::Sinusoid {
            amplitude: vector("sinusoid.amplitude", *amplitude)?,
            angular: vector("sinusoid.angular", *angular)?,
            frequency: finite("sinusoid.frequency", *frequency)?,
            phase: finite("sinusoid.phase", *phase)?,
        }),
        MotionSpec::Keyframes {
            keys,
            interpolation,
        } => Loaded::Displacement(keyframes(source, field, keys, *interpolation)?),
        MotionSpec::Trajectory { path, scale } => {
            *path = source.absolute(path);
            let field = format!("{field}.trajectory");
            super::check::check_positive(source, &format!("{field}.scale"), *scale)?;
            trajectory(source, &field, path, *scale)?
        }
    })
}

fn keyframes(
    source: &SceneSource,
    field: &str,
    keys: &[KeySpec],
    interpolation: InterpolationSpec,
) -> Result<Motion, SceneError> {
    let field = format!("{field}.keyframes.keys");
    let mut poses = Vec::with_capacity(keys.len());
    for (k, key) in keys.iter().enumerate() {
        let part = |name: &str| format!("{field}[{k}].{name}");
        poses.push(Pose {
            translation: check_vector(source, &part("displacement"), key.displacement)?,
            rotation: rotation(check_vector(
                source,
                &part("rotate_degrees"),
                key.rotate_degrees,
            )?),
        });
    }
    let times = keys.iter().map(|k| k.time).collect();
    let interpolation = match interpolation {
        InterpolationSpec::Smooth => Interpolation::Smooth,
        InterpolationSpec::Linear => Interpolation::Linear,
    };
    Keyframes::new(times, poses, interpolation)
        .map(Motion::Keyframes)
        .map_err(|error| source.error(&field, error.to_string()))
}

fn trajectory(
    source: &Sources,
    field: &str,
    path: &std::path::Path,
    scale: f64,
) -> Result<Loaded, SceneError> {
    let fail = |message: String| source.error(&format!("{field}.path"), message);
    match Trajectory::open(source.files(), path).map_err(|error| fail(error.to_string()))? {
        Trajectory::Frame {
            times,
            translations,
            rotations,
        } => {
            let poses = translations.iter().zip(rotations);
            let poses = poses
                .map(|(&t, rotation)| Pose {
                    translation: t * scale,
                    rotation,
                })
                .collect();
            let keys = Keyframes::new(times, poses, Interpolation::Linear);
            let keys = keys.map_err(|error| fail(error.to_string()))?;
            Ok(Loaded::Frame(Motion::Keyframes(keys)))
        }
        Trajectory::Nodes {
            times,
            mut positions,
            ..
        } => {
            for position in positions.iter_mut().flatten() {
                *position *= scale;
            }
            Ok(Loaded::Nodes { times, positions })
        }
    }
}
