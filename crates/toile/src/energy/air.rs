//! Air: what wind does to cloth, and what still air does to cloth that moves.
//!
//! A face with vector area `A n̂` and mean velocity `v̄` feels the air pass with `u = v̄ − wind(x̄, t)`. The force on it is that of
//! a flat plate, with a coefficient `C_n` for flow against it and a (small) one `C_t` for friction along it:
//!
//! `F = −½ ρ A |u| P u`, `P = C_n n̂n̂ᵀ + C_t (I − n̂n̂ᵀ)`.
//!
//! At the angle of attack `α` (`sin α = û·n̂`) this is a drag with `C_D = C_n sin²α + C_t cos²α` against the motion and a lift with
//! `C_L = (C_n − C_t) sin α cos α` across it. It takes energy, `F·u = −½ ρ A |u| uᵀPu ≤ 0`, does not depend on which side is the front, and is
//! smooth where `u = 0`. Each corner gets an equal part.
//!
//! The damping `−∂F/∂v̄ = ½ ρ A |u| (P + P û ûᵀ)` is not symmetric. We use `½ ρ A |u| (P + P û ûᵀP / ûᵀPû)`: symmetric, positive
//! semi-definite, right along `u` always, and exact where `u` is along or across the normal. How the force changes with the
//! place and shape of the face is left out of the stiffness. Faces do not shade each other.
//!
//! Falling flat, a sheet of `ρ_s` (kg/m²) ends at the speed `√(2 ρ_s g / (ρ C_n))`; [`Air`] acts through elements of three and four nodes
//! ([`Air::triangles_at`], [`Air::quads_at`]) frozen at one time.
//!
//! # Virtual mass
//!
//! A second, much simpler model of air (Coltraro, Amorós, Alberich-Carramiñana and Torras 2022): let gravity act on another mass than inertia,
//!
//! `ρ M ẍ = −δ M g − α M ẋ + …`
//!
//! with the cloth's density `ρ`, the *virtual gravitational mass* `δ` (both kg/m²) and a damping `α` (kg/(m²·s)). Light cloth that swings in air is slower
//! than in vacuum; the air that it takes along and the pressure on it act as if it were less heavy than it is
//! inert. Two numbers, fitted to a recording, stand for drag, lift and turbulence: for cloth of `ρ = 1` the paper finds
//! `δ` between 0.32 (paper) and 0.61 (felt) and `α` from 1.05 (slow shaking) to 2.7 (fast). `δ = ρ` is vacuum. The model knows no wind,
//! and at rest it hangs cloth of the weight `δ g`: a static drape under it is too light, unless the cloth is inextensible and does not
//! resist bending, when the weight does not matter. [`VirtualMass`] gives the factor on gravity.

mod noise;
#[cfg(test)]
mod tests;
mod wind;

pub use wind::{Gusts, Wind};

use super::{Elements, Local, Weights};
use crate::mesh::Face;
use glam::{DMat3, DVec3};

/// Density of air at 20 °C and sea level (kg/m³).
pub const AIR_DENSITY: f64 = 1.2;

/// What the air is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AirParameters {
    /// Density `ρ` (kg/m³).
    pub density: f64,
    /// `C_n`: coefficient of flow against a face. A square plate across the flow has about 1.2, an endless strip 2.
    pub normal: f64,
    /// `C_t`: coefficient of friction along a face, both sides together.
    pub tangential: f64,
    /// How the air moves.
    pub wind: Wind,
}

impl Default for AirParameters {
    fn default() -> Self {
        AirParameters {
            density: AIR_DENSITY,
            normal: 1.2,
            tangential: 0.02,
            wind: Wind::default(),
        }
    }
}

/// The air around a cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct Air {
    parameters: AirParameters,
    triangles: Vec<[u32; 3]>,
    quads: Vec<[u32; 4]>,
}

/// The faces of a cloth with `N` corners in the air as it is at one time.
#[derive(Clone, Copy, Debug)]
pub struct AirFaces<'a, const N: usize> {
    parameters: &'a AirParameters,
    wind: Wind,
    faces: &'a [[u32; N]],
    time: f64,
}

/// A cloth whose gravitational mass is not its inertial one; see the head of this module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VirtualMass {
    /// `δ` (kg/m²).
    pub gravitational: f64,
}

impl VirtualMass {
    /// What gravity on a cloth of density `ρ` (kg/m²) is to be multiplied with: `δ/ρ`.
    pub fn gravity_factor(&self, density: f64) -> f64 {
        self.gravitational / density
    }
}

impl Air {
    /// Air around a cloth's faces, its nodes shifted by `first_node`.
    pub fn new(parameters: AirParameters, faces: &[Face], first_node: u32) -> Self {
        let (mut triangles, mut quads) = (Vec::new(), Vec::new());
        for face in faces {
            match face.shifted(first_node) {
                Face::Tri(t) => triangles.push(t),
                Face::Quad(q) => quads.push(q),
            }
        }
        Air {
            parameters,
            triangles,
            quads,
        }
    }

    /// What the air is like.
    pub fn parameters(&self) -> &AirParameters {
        &self.parameters
    }

    /// A node of the cloth it acts on.
    pub(crate) fn first_node(&self) -> Option<usize> {
        let triangle = self.triangles.first().map(|t| t[0]);
        let node = triangle.or_else(|| self.quads.first().map(|q| q[0]));
        node.map(|n| n as usize)
    }

    /// The triangles in the air of the time `time` (s).
    pub fn triangles_at(&self, time: f64) -> AirFaces<'_, 3> {
        self.triangles_in(time, None)
    }

    /// The quads in the air of the time `time` (s).
    pub fn quads_at(&self, time: f64) -> AirFaces<'_, 4> {
        self.quads_in(time, None)
    }

    /// The triangles in the air of a time (s), with another steady wind (m/s) than it has by itself, if one is given.
    pub(crate) fn triangles_in(&self, time: f64, steady: Option<DVec3>) -> AirFaces<'_, 3> {
        AirFaces {
            parameters: &self.parameters,
            wind: self.wind(steady),
            faces: &self.triangles,
            time,
        }
    }

    /// The same of the quads.
    pub(crate) fn quads_in(&self, time: f64, steady: Option<DVec3>) -> AirFaces<'_, 4> {
        AirFaces {
            parameters: &self.parameters,
            wind: self.wind(steady),
            faces: &self.quads,
            time,
        }
    }

    fn wind(&self, steady: Option<DVec3>) -> Wind {
        match steady {
            // What is commanded blows at once.
            Some(steady) => Wind {
                steady,
                ramp: 0.0,
                ..self.parameters.wind
            },
            None => self.parameters.wind,
        }
    }
}

/// A plate in the stream.
struct Plate {
    /// `u` (m/s).
    past: DVec3,
    /// `½ ρ A |u| P` (kg/s).
    resistance: DMat3,
}

impl<const N: usize> AirFaces<'_, N> {
    fn plate(&self, x: &[DVec3; N], v: &[DVec3; N]) -> Plate {
        let mean = |p: &[DVec3; N]| p.iter().sum::<DVec3>() / N as f64;
        let wind = self.wind.velocity(mean(x), self.time);
        let past = mean(v) - wind;
        let (normal, area) = vector_area(x).normalize_and_length();
        let AirParameters {
            density,
            normal: across,
            tangential: along,
            ..
        } = *self.parameters;
        let factor = 0.5 * density * area * past.length();
        // Without area there is no normal, but nothing to push on either.
        let resistance =
            factor * (outer(normal, (across - along) * normal) + DMat3::IDENTITY * along);
        Plate { past, resistance }
    }
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Half the cross product of two sides of a triangle or of the diagonals of a quad.
fn vector_area<const N: usize>(x: &[DVec3; N]) -> DVec3 {
    // Summed from the first corner so that places far from the origin cost no digits.
    let fan = (1..N - 1).map(|k| (x[k] - x[0]).cross(x[k + 1] - x[0]));
    0.5 * fan.sum::<DVec3>()
}

impl<const N: usize> Elements<N> for AirFaces<'_, N> {
    fn count(&self) -> usize {
        self.faces.len()
    }

    fn nodes(&self, element: usize) -> [u32; N] {
        self.faces[element]
    }

    /// Air stores nothing.
    fn value(&self, _element: usize, _x: &[DVec3; N]) -> f64 {
        0.0
    }

    fn force(&self, _element: usize, x: &[DVec3; N], v: &[DVec3; N]) -> [DVec3; N] {
        let plate = self.plate(x, v);
        [-(plate.resistance * plate.past) / N as f64; N]
    }

    fn linearise(
        &self,
        _element: usize,
        x: &[DVec3; N],
        v: &[DVec3; N],
        weights: &Weights,
    ) -> Local<N> {
        let plate = self.plate(x, v);
        let push = plate.resistance * plate.past;
        let power = push.dot(plate.past);
        let grown = if power > 0.0 {
            outer(push, push / power)
        } else {
            DMat3::ZERO
        };
        let block = (weights.damping / (N * N) as f64) * (plate.resistance + grown);
        Local {
            force: [-push / N as f64; N],
            blocks: [[block; N]; N],
        }
    }
}
