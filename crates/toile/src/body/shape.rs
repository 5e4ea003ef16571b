//! Signed distances of shapes, each in its own frame.
//!
//! The distance of analytic shapes is exact outside every shape; the normal is its gradient. Inside, at
//! points with several nearest surface points, one of them is chosen, always the same.

use super::deforming::{MovingSurface, Sequence};
use crate::geometry::Sample;
use crate::geometry::level_set::{LevelSet, LevelSetError, Settings};
use crate::mesh::generate::{self, GenerateError};
use crate::mesh::{Face, Mesh};
use glam::{DVec2, DVec3};
use std::sync::Arc;
use thiserror::Error;

/// A solid body in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Everything below `z = 0`.
    Plane,
    /// A ball around the origin.
    Sphere {
        /// Radius (m).
        radius: f64,
    },
    /// A box around the origin with faces along the axes.
    Cuboid {
        /// Half the side lengths (m).
        half_size: DVec3,
    },
    /// All points within `radius` of the segment from `−half_length` to `+half_length` on the z axis.
    Capsule {
        /// Radius (m).
        radius: f64,
        /// Half the segment's length (m).
        half_length: f64,
    },
    /// A solid cylinder along the z axis.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Half the height (m).
        half_height: f64,
    },
    /// A table top: a disc with a rounded rim whose upper side lies in `z = 0`.
    Disc {
        /// Radius to the outside of the rim (m).
        radius: f64,
        /// Thickness (m), at most the diameter.
        thickness: f64,
    },
    /// A triangle mesh, by its level set.
    Mesh(Arc<MeshShape>),
    /// A triangle mesh that deforms. By itself it stands as in its first frame.
    Sequence(Arc<Sequence>),
    /// A deforming mesh during one step, in the world's frame: what [`super::Body::placement`] makes of a
    /// sequence.
    Moving(Arc<MovingSurface>),
}

/// A mesh and its level set.
#[derive(Clone)]
pub struct MeshShape {
    /// The surface, for pictures.
    pub surface: Mesh,
    /// Its signed distance.
    pub level_set: LevelSet,
}

impl MeshShape {
    /// The shape of a mesh, whose quads count as two triangles.
    pub fn new(surface: Mesh, settings: Settings) -> Result<Self, LevelSetError> {
        let triangles: Vec<[u32; 3]> = surface.faces.iter().flat_map(Face::triangles).collect();
        let mut level_set = LevelSet::new(&surface.positions, &triangles, settings)?;
        level_set.release_spare_memory();
        Ok(MeshShape { surface, level_set })
    }
}

impl PartialEq for MeshShape {
    /// The level set follows from mesh and settings.
    fn eq(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.surface, &other.surface);
        ours.positions == theirs.positions
            && ours.faces == theirs.faces
            && self.level_set.settings() == other.level_set.settings()
    }
}

impl std::fmt::Debug for MeshShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MeshShape")
            .field("positions", &self.surface.positions)
            .field("faces", &self.surface.faces)
            .field("settings", self.level_set.settings())
            .finish_non_exhaustive()
    }
}

/// A shape with impossible measures.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ShapeError {
    /// A measure must be positive.
    #[error("the {shape}'s {measure} is {value}; it must be a positive number")]
    NotPositive {
        /// Which shape.
        shape: &'static str,
        /// Which measure.
        measure: &'static str,
        /// Its value.
        value: f64,
    },
    /// A disc thicker than it is wide.
    #[error("the disc is thicker ({thickness} m) than wide ({diameter} m)")]
    ThickDisc {
        /// Thickness (m).
        thickness: f64,
        /// Diameter (m).
        diameter: f64,
    },
}

impl Shape {
    /// Whether it holds the segment between any two of its points. Its signed distance is a convex function then.
    pub fn is_convex(&self) -> bool {
        match self {
            Shape::Plane
            | Shape::Sphere { .. }
            | Shape::Cuboid { .. }
            | Shape::Capsule { .. }
            | Shape::Cylinder { .. }
            | Shape::Disc { .. } => true,
            Shape::Mesh(_) | Shape::Sequence(_) | Shape::Moving(_) => false,
        }
    }

    /// Checks that every measure is a positive, finite number.
    pub fn check(&self) -> Result<(), ShapeError> {
        let positive = |shape, measure, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(ShapeError::NotPositive {
                    shape,
                    measure,
                    value,
                })
            }
        };
        match *self {
            Shape::Plane | Shape::Mesh(_) | Shape::Sequence(_) | Shape::Moving(_) => Ok(()),
            Shape::Sphere { radius } => positive("sphere", "radius", radius),
            Shape::Cuboid { half_size } => half_size
                .to_array()
                .into_iter()
                .try_for_each(|s| positive("box", "size", s)),
            Shape::Capsule {
                radius,
                half_length,
            } => positive("capsule", "radius", radius).and(positive(
                "capsule",
                "length",
                half_length,
            )),
            Shape::Cylinder {
                radius,
                half_height,
            } => positive("cylinder", "radius", radius).and(positive(
                "cylinder",
                "height",
                half_height,
            )),
            Shape::Disc { radius, thickness } => {
                positive("disc", "radius", radius)?;
                positive("disc", "thickness", thickness)?;
                let diameter = 2.0 * radius;
                if thickness > diameter {
                    return Err(ShapeError::ThickDisc {
                        thickness,
                        diameter,
                    });
                }
                Ok(())
            }
        }
    }

    /// Signed distance and normal at a point of the shape's own frame.
    pub fn sample(&self, point: DVec3) -> Sample {
        match *self {
            Shape::Plane => Sample {
                distance: point.z,
                normal: DVec3::Z,
            },
            Shape::Sphere { radius } => away_from(DVec3::ZERO, point, radius),
            Shape::Cuboid { half_size } => cuboid(point, half_size),
            Shape::Capsule {
                radius,
                half_length,
            } => {
                let nearest = DVec3::Z * point.z.clamp(-half_length, half_length);
                away_from(nearest, point, radius)
            }
            Shape::Cylinder {
                radius,
                half_height,
            } => cylinder(point, radius, half_height),
            Shape::Disc { radius, thickness } => {
                let rounding = 0.5 * thickness;
                let flat = point.truncate().clamp_length_max(radius - rounding);
                away_from(flat.extend(-rounding), point, rounding)
            }
            Shape::Mesh(ref mesh) => mesh.level_set.sample(point),
            Shape::Sequence(ref sequence) => sequence.at_first().sample(point),
            Shape::Moving(ref surface) => surface.sample(point),
        }
    }

    /// The surface as a mesh, for pictures and exports; an unbounded plane has none, nor has what is only
    /// placed for a step.
    pub fn surface(&self) -> Result<Option<Mesh>, GenerateError> {
        const AROUND: u32 = 64;
        Ok(match *self {
            Shape::Plane | Shape::Moving(_) => None,
            Shape::Sphere { radius } => Some(generate::sphere(&generate::Sphere {
                radius,
                pattern: generate::SpherePattern::Latitude {
                    around: AROUND,
                    rings: AROUND / 2,
                },
            })?),
            Shape::Cuboid { half_size } => Some(generate::cuboid(&generate::Cuboid {
                half_extents: half_size.to_array(),
                cells: [1; 3],
            })?),
            Shape::Capsule {
                radius,
                half_length,
            } => Some(generate::capsule(&generate::Capsule {
                radius,
                height: 2.0 * half_length,
                cells: [AROUND, 1, AROUND / 4],
            })?),
            Shape::Cylinder {
                radius,
                half_height,
            } => Some(generate::cylinder(&generate::Cylinder {
                radius,
                height: 2.0 * half_height,
                cells: [AROUND, 1],
            })?),
            Shape::Disc { radius, thickness } => Some(rounded_disc(radius, thickness, AROUND)),
            Shape::Mesh(ref mesh) => Some(mesh.surface.clone()),
            Shape::Sequence(ref sequence) => Some(sequence.mesh()),
        })
    }

    /// Whether the surface is round, so that pictures shade it smoothly.
    pub fn is_smooth(&self) -> bool {
        matches!(
            self,
            Shape::Sphere { .. }
                | Shape::Capsule { .. }
                | Shape::Disc { .. }
                | Shape::Mesh(_)
                | Shape::Sequence(_)
        )
    }
}

/// Distance to a ball of some radius around the nearest point of a skeleton.
fn away_from(nearest: DVec3, point: DVec3, radius: f64) -> Sample {
    let offset = point - nearest;
    Sample {
        distance: offset.length() - radius,
        normal: offset.try_normalize().unwrap_or(DVec3::Z),
    }
}

fn cuboid(point: DVec3, half_size: DVec3) -> Sample {
    let outside = point.abs() - half_size;
    if outside.max_element() <= 0.0 {
        let axis = outside.max_position();
        let mut normal = DVec3::ZERO;
        normal[axis] = 1f64.copysign(point[axis]);
        return Sample {
            distance: outside[axis],
            normal,
        };
    }
    let nearest = point.clamp(-half_size, half_size);
    away_from(nearest, point, 0.0)
}

/// The cylinder is a rectangle in the half-plane of radius and height, turned about the axis.
fn cylinder(point: DVec3, radius: f64, half_height: f64) -> Sample {
    let radial = point.truncate();
    let outward = radial.try_normalize().unwrap_or(DVec2::X);
    let excess = DVec2::new(radial.length() - radius, point.z.abs() - half_height);
    let up = 1f64.copysign(point.z);
    let (distance, slope) = if excess.max_element() <= 0.0 {
        let side = excess.x > excess.y;
        (excess.max_element(), if side { DVec2::X } else { DVec2::Y })
    } else {
        let beyond = excess.max(DVec2::ZERO);
        (beyond.length(), beyond.normalize_or(DVec2::Y))
    };
    Sample {
        distance,
        normal: (outward * slope.x).extend(up * slope.y),
    }
}

/// Flat on both sides, half a circle around the rim.
fn rounded_disc(radius: f64, thickness: f64, around: u32) -> Mesh {
    const RIM: u32 = 8;
    let rounding = 0.5 * thickness;
    let mut positions = vec![DVec3::ZERO, DVec3::NEG_Z * thickness];
    let turn = std::f64::consts::TAU / f64::from(around);
    for k in 0..around {
        let direction = DVec2::from_angle(f64::from(k) * turn);
        for r in 0..=RIM {
            let angle = std::f64::consts::PI * f64::from(r) / f64::from(RIM);
            let out = radius - rounding + rounding * angle.sin();
            positions.push((direction * out).extend(rounding * angle.cos() - rounding));
        }
    }
    let at = |k: u32, r: u32| 2 + (k % around) * (RIM + 1) + r;
    let mut faces = Vec::new();
    for k in 0..around {
        faces.push(Face::Tri([0, at(k, 0), at(k + 1, 0)]));
        faces.push(Face::Tri([1, at(k + 1, RIM), at(k, RIM)]));
        for r in 0..RIM {
            faces.push(Face::Quad([
                at(k, r),
                at(k, r + 1),
                at(k + 1, r + 1),
                at(k + 1, r),
            ]));
        }
    }
    Mesh::new(positions, faces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shapes() -> Vec<Shape> {
        vec![
            Shape::Plane,
            Shape::Sphere { radius: 0.7 },
            Shape::Cuboid {
                half_size: DVec3::new(0.5, 0.3, 0.8),
            },
            Shape::Capsule {
                radius: 0.3,
                half_length: 0.6,
            },
            Shape::Cylinder {
                radius: 0.5,
                half_height: 0.4,
            },
            Shape::Disc {
                radius: 0.8,
                thickness: 0.1,
            },
        ]
    }

    proptest! {
        #[test]
        fn stepping_back_along_the_normal_reaches_the_surface(
            x in -2.0..2.0f64, y in -2.0..2.0f64, z in -2.0..2.0f64,
        ) {
            let point = DVec3::new(x, y, z);
            for shape in shapes() {
                let sample = shape.sample(point);
                prop_assert!((sample.normal.length() - 1.0).abs() < 1e-12);
                if sample.distance > 1e-9 {
                    let foot = point - sample.normal * sample.distance;
                    prop_assert!(shape.sample(foot).distance.abs() < 1e-9, "{shape:?}");
                }
            }
        }

        #[test]
        fn the_normal_is_the_gradient_outside(
            x in -2.0..2.0f64, y in -2.0..2.0f64, z in -2.0..2.0f64,
        ) {
            let point = DVec3::new(x, y, z);
            for shape in shapes() {
                let sample = shape.sample(point);
                if sample.distance < 1e-3 {
                    continue;
                }
                let e = 1e-6;
                let slope = DVec3::AXES.map(|axis| {
                    (shape.sample(point + axis * e).distance
                        - shape.sample(point - axis * e).distance) / (2.0 * e)
                });
                prop_assert!(DVec3::from(slope).distance(sample.normal) < 1e-4, "{shape:?}");
            }
        }
    }

    #[test]
    fn surfaces_lie_on_the_zero_level() {
        for shape in shapes() {
            let Some(mesh) = shape.surface().unwrap() else {
                continue;
            };
            for &p in &mesh.positions {
                assert!(shape.sample(p).distance.abs() < 1e-9, "{shape:?} at {p}");
            }
            let volume: f64 = mesh
                .faces
                .iter()
                .flat_map(|f| f.triangles())
                .map(|[a, b, c]| {
                    let [a, b, c] = [a, b, c].map(|i| mesh.positions[i as usize]);
                    a.dot(b.cross(c)) / 6.0
                })
                .sum();
            assert!(volume > 0.0, "{shape:?} faces inwards");
        }
    }

    #[test]
    fn the_disc_is_flat_on_top_and_round_at_the_rim() {
        let disc = Shape::Disc {
            radius: 0.8,
            thickness: 0.1,
        };
        assert!((disc.sample(DVec3::new(0.3, 0.0, 0.2)).distance - 0.2).abs() < 1e-12);
        assert!((disc.sample(DVec3::new(1.0, 0.0, -0.05)).distance - 0.2).abs() < 1e-12);
    }

    #[test]
    fn impossible_measures_are_refused() {
        assert!(Shape::Sphere { radius: -1.0 }.check().is_err());
        assert!(Shape::Sphere { radius: f64::NAN }.check().is_err());
        let thick = Shape::Disc {
            radius: 0.1,
            thickness: 0.3,
        };
        assert!(thick.check().is_err());
    }
}
