//! Which way the threads run.
//!
//! A woven cloth has two directions, warp and weft. Its energies take the first axis of each face's rest
//! coordinates for the warp; where those axes lie is chance until somebody says where the threads run. Here
//! each face's coordinates are turned in their plane until the first axis is the warp. Lengths and areas stay
//! as they are.

use super::{Face, RestShape, Topology};
use glam::{DMat2, DVec2, DVec3};
use std::f64::consts::FRAC_PI_2;
use thiserror::Error;

/// A direction whose share in a face's plane is smaller than this (3°) does not say where the warp runs.
const LEAST_IN_PLANE: f64 = 0.05;

/// Where the warp runs. Directions need not be unit vectors, and their sign does not matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Warp<'a> {
    /// One direction for the whole cloth in the space of the rest mesh, projected into each face.
    Direction(DVec3),
    /// One direction for each face in the space of the rest mesh, projected into it.
    PerFace(&'a [DVec3]),
    /// At this angle (rad) from the first axis of the present rest coordinates towards the second. With a
    /// pattern in texture coordinates, 0 is along `u`. (In pieces that were mirrored because they lie face
    /// down, the angle runs the other way.)
    Angle(f64),
    /// Along `x`, or along `y` in faces that are nearly perpendicular to `x`: for cloth that nobody has said
    /// more of.
    Unspecified,
}

/// A warp that cannot be laid into the cloth.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum WarpError {
    /// There is not one direction for each face.
    #[error(
        "{given} warp directions are given, but the cloth has {faces} faces; give one for each face"
    )]
    Count {
        /// How many directions there are.
        given: usize,
        /// How many faces.
        faces: usize,
    },
    /// The rest positions are not those of the cloth.
    #[error(
        "{given} rest positions are given for {nodes} nodes; warp directions need the mesh the rest shape came from"
    )]
    Positions {
        /// How many positions there are.
        given: usize,
        /// How many nodes.
        nodes: usize,
    },
    /// The direction is zero or not finite.
    #[error("the warp direction of face {face} is ({}, {}, {}); it must be finite and not zero", .direction.x, .direction.y, .direction.z)]
    NoDirection {
        /// The face (counted from 0).
        face: usize,
        /// The direction.
        direction: DVec3,
    },
    /// The angle is not finite.
    #[error("the warp angle is {angle}; it must be a finite number of radians")]
    NoAngle {
        /// The angle (rad).
        angle: f64,
    },
    /// The direction stands on the face.
    #[error(
        "the warp direction is perpendicular to face {face} to within {:.1}°, so it has no place in the face's plane; \
         choose a direction that lies in the cloth, or give one for each face", .degrees
    )]
    Perpendicular {
        /// The face (counted from 0).
        face: usize,
        /// The angle between the direction and the face's normal (degrees).
        degrees: f64,
    },
}

impl RestShape {
    /// Turns each face's rest coordinates so that their first axis is the warp. `positions` (m) are those of
    /// the rest mesh; [`Warp::Angle`] does not need them and takes any.
    pub fn align_warp(
        &mut self,
        topology: &Topology,
        positions: &[DVec3],
        warp: Warp,
    ) -> Result<(), WarpError> {
        let directions = self.warp_in_faces(topology, positions, warp)?;
        for ((corners, metric), along) in self
            .corners
            .iter_mut()
            .zip(&mut self.inverse_metric)
            .zip(directions)
        {
            // Rows are the new axes, so that this times old coordinates gives the new ones.
            let turn = DMat2::from_cols(along, along.perp()).transpose();
            *corners = corners.map(|p| turn * p);
            *metric *= turn.transpose();
        }
        Ok(())
    }

    /// The warp in each face's present rest coordinates, as unit vectors.
    fn warp_in_faces(
        &self,
        topology: &Topology,
        positions: &[DVec3],
        warp: Warp,
    ) -> Result<Vec<DVec2>, WarpError> {
        let faces = topology.faces.len();
        if let Warp::Angle(angle) = warp {
            if !angle.is_finite() {
                return Err(WarpError::NoAngle { angle });
            }
            return Ok(vec![DVec2::from_angle(angle); faces]);
        }
        if positions.len() != topology.node_count {
            return Err(WarpError::Positions {
                given: positions.len(),
                nodes: topology.node_count,
            });
        }
        if let Warp::PerFace(directions) = warp
            && directions.len() != faces
        {
            return Err(WarpError::Count {
                given: directions.len(),
                faces,
            });
        }
        let in_face = |face: usize| {
            let axes = axes(&topology.faces[face], positions, &self.inverse_metric[face]);
            match warp {
                Warp::PerFace(directions) => project(face, directions[face], axes),
                Warp::Direction(direction) => project(face, direction, axes),
                _ => project(face, DVec3::X, axes).or_else(|_| project(face, DVec3::Y, axes)),
            }
        };
        (0..faces).map(in_face).collect()
    }
}

/// What the axes of a face's rest coordinates are in the space of the mesh: `∂x/∂ū` at its centre.
fn axes(face: &Face, positions: &[DVec3], inverse_metric: &DMat2) -> [DVec3; 2] {
    let at = |i: u32| positions[i as usize];
    let [first, second] = match *face {
        Face::Tri([a, b, c]) => [at(b) - at(a), at(c) - at(a)],
        Face::Quad([a, b, c, d]) => [
            0.5 * (at(b) + at(c) - at(a) - at(d)),
            0.5 * (at(c) + at(d) - at(a) - at(b)),
        ],
    };
    let column = |m: DVec2| first * m.x + second * m.y;
    [column(inverse_metric.x_axis), column(inverse_metric.y_axis)]
}

/// The unit vector in rest coordinates that comes nearest to a direction in space.
fn project(face: usize, direction: DVec3, [first, second]: [DVec3; 2]) -> Result<DVec2, WarpError> {
    let unit = direction
        .try_normalize()
        .ok_or(WarpError::NoDirection { face, direction })?;
    // Least squares, because a pattern need not have exactly the shape of the mesh it was drawn for.
    let shared = first.dot(second);
    let gram = DMat2::from_cols_array(&[first.dot(first), shared, shared, second.dot(second)]);
    let along = gram.inverse() * DVec2::new(first.dot(unit), second.dot(unit));
    let share = (along.x * first + along.y * second).length();
    // Written so that a face without an area in space counts as perpendicular too.
    if share >= LEAST_IN_PLANE {
        return Ok(along.normalize());
    }
    let degrees = (FRAC_PI_2 - share.min(1.0).acos()).to_degrees();
    Err(WarpError::Perpendicular { face, degrees })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::mesh::generate::{GridPattern, Tube, tube};

    fn bent_strip() -> (Topology, Vec<DVec3>) {
        // A quad in the plane and a triangle that stands upright on its side at x = 1.
        let positions = vec![
            DVec3::ZERO,
            DVec3::X,
            DVec3::new(1.0, 1.0, 0.0),
            DVec3::Y,
            DVec3::new(1.0, 0.3, 0.8),
        ];
        let faces = vec![Face::Quad([0, 1, 2, 3]), Face::Tri([2, 1, 4])];
        (Topology::new(5, faces).unwrap(), positions)
    }

    /// The warp of every face in space.
    fn warp_of(rest: &RestShape, topology: &Topology, positions: &[DVec3]) -> Vec<DVec3> {
        let faces = topology.faces.iter().zip(&rest.inverse_metric);
        faces.map(|(f, m)| axes(f, positions, m)[0]).collect()
    }

    #[test]
    fn one_direction_becomes_the_first_axis_of_every_face() {
        let (topology, positions) = bent_strip();
        let mut rest = RestShape::from_positions(&topology, &positions).unwrap();
        let direction = DVec3::new(0.4, 2.0, 0.7);
        rest.align_warp(&topology, &positions, Warp::Direction(direction))
            .unwrap();
        for (warp, normal) in warp_of(&rest, &topology, &positions)
            .into_iter()
            .zip([DVec3::Z, DVec3::X])
        {
            let expected = direction.reject_from(normal).normalize();
            assert!((warp - expected).length() < 1e-14, "{warp} {expected}");
        }
        // The corners turned with the metric, and nothing was stretched.
        for (face, flat) in topology.faces.iter().zip(&rest.corners) {
            let nodes = face.corners();
            for k in 0..nodes.len() {
                let next = (k + 1) % nodes.len();
                let across = positions[nodes[next] as usize] - positions[nodes[k] as usize];
                let normal = face.vector_area(&positions).normalize();
                let along = direction.reject_from(normal).normalize();
                let expected = DVec2::new(across.dot(along), across.dot(normal.cross(along)));
                assert!((flat[next] - flat[k] - expected).length() < 1e-14);
            }
        }
    }

    #[test]
    fn a_direction_that_stands_on_a_face_is_an_error_that_names_it() {
        let (topology, positions) = bent_strip();
        let mut rest = RestShape::from_positions(&topology, &positions).unwrap();
        let error = rest
            .align_warp(
                &topology,
                &positions,
                Warp::Direction(DVec3::new(1.0, 0.0, 0.01)),
            )
            .unwrap_err();
        assert!(
            matches!(error, WarpError::Perpendicular { face: 1, degrees } if (degrees - 0.573).abs() < 1e-3)
        );
    }

    #[test]
    fn unless_told_the_warp_is_x_and_else_y() {
        let (topology, positions) = bent_strip();
        let mut rest = RestShape::from_positions(&topology, &positions).unwrap();
        rest.align_warp(&topology, &positions, Warp::Unspecified)
            .unwrap();
        let warp = warp_of(&rest, &topology, &positions);
        assert!((warp[0] - DVec3::X).length() < 1e-14);
        assert!((warp[1] - DVec3::Y).length() < 1e-14);
        let round = tube(&Tube {
            radius: 0.2,
            top_radius: None,
            height: 1.0,
            cells: [24, 5],
            pattern: GridPattern::Quads,
        })
        .unwrap();
        let topology = Topology::new(round.positions.len(), round.faces.clone()).unwrap();
        let mut rest = RestShape::from_positions(&topology, &round.positions).unwrap();
        rest.align_warp(&topology, &round.positions, Warp::Unspecified)
            .unwrap();
    }

    #[test]
    fn an_angle_turns_the_present_axes() {
        let (topology, positions) = bent_strip();
        let mut rest = RestShape::from_positions(&topology, &positions).unwrap();
        let before = rest.corners.clone();
        rest.align_warp(&topology, &[], Warp::Angle(FRAC_PI_2))
            .unwrap();
        for (old, new) in before.iter().zip(&rest.corners) {
            for (p, q) in old.iter().zip(new) {
                assert!((DVec2::new(p.y, -p.x) - *q).length() < 1e-15);
            }
        }
        assert!(matches!(
            rest.align_warp(&topology, &[], Warp::Angle(f64::NAN)),
            Err(WarpError::NoAngle { .. })
        ));
    }

    #[test]
    fn directions_per_face_are_counted_and_checked() {
        let (topology, positions) = bent_strip();
        let mut rest = RestShape::from_positions(&topology, &positions).unwrap();
        let mut align = |directions: &[DVec3]| {
            rest.align_warp(&topology, &positions, Warp::PerFace(directions))
        };
        assert_eq!(align(&[DVec3::X, DVec3::Z]), Ok(()));
        assert_eq!(
            align(&[DVec3::X]),
            Err(WarpError::Count { given: 1, faces: 2 })
        );
        for bad in [DVec3::ZERO, DVec3::NAN] {
            assert!(matches!(
                align(&[DVec3::X, bad]),
                Err(WarpError::NoDirection { face: 1, .. })
            ));
        }
        assert!(matches!(
            rest.align_warp(&topology, &positions[1..], Warp::Unspecified),
            Err(WarpError::Positions { given: 4, nodes: 5 })
        ));
    }
}
