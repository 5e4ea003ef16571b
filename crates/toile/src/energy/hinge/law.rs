//! How the moment of a hinge follows from its angle.
//!
//! With the angle's distance from rest `α = θ − θ₀`, taken the short way round, the hinge's spacing `ℓ` and
//! the area `a` it stands for, and `c = D a/ℓ²`:
//!
//! | law | energy | moment `ψ'` | slope `ψ''` |
//! |---|---|---|---|
//! | angle (Baraff and Witkin 1998) | `½ c α²` | `c α` | `c` |
//! | half angle (Bridson et al. 2003) | `4c (cos ½θ₀ − cos ½θ) − 2c α sin ½θ₀` | `2c (sin ½θ − sin ½θ₀)` | `c cos ½θ` |
//! | curve | `a U(α/ℓ)`, `U' = M` | `(a/ℓ) M(α/ℓ)` | `(a/ℓ²) M'(α/ℓ)` |
//!
//! **Half angle.** The paper writes the force `k |E|²/(|N₁|+|N₂|) (sin ½θ − sin ½θ₀) u` with the present
//! lengths. That is no gradient of any energy: stretching the faces changes the factor, and around a closed
//! path of stretching and folding it does work. With rest lengths in the factor, `|E|²/(|N₁|+|N₂|) = c/2D`,
//! and `k = 4D`, it is the force of the law above. The slope is `c` about a flat sheet and falls to nothing
//! at the full fold `θ = ±π`: a crease that rests at `±π` is held by no stiffness, and the second zero of
//! `sin ½θ − sin ½θ₀` beyond the full fold, at `2π − θ₀`, is an unstable equilibrium. The law of the angle
//! has neither weakness.
//!
//! **Past the full fold.** Where faces cross each other, `θ` jumps from `π` to `−π`. Because `α` is the short
//! way round, a crease that rests near `π` does not notice. The energy then has its ridge opposite the rest
//! angle.

use super::fold::wrapped;
use crate::energy::Curve;

/// How the moment follows from the angle. Pairs are for bending of the warp (the first axis of the rest
/// coordinates) and of the weft; a hinge that bends in another direction mixes them by `cos²` and `sin²`.
/// Where the two differ, the rest shape must know its warp
/// ([`RestShape::align_warp`](crate::mesh::RestShape::align_warp)).
#[derive(Clone, Debug)]
pub enum BendLaw {
    /// Linear in the angle.
    Angle {
        /// Bending rigidities `D` of warp and weft (N·m).
        rigidity: [f64; 2],
    },
    /// Linear in the sine of half the angle.
    HalfAngle {
        /// Bending rigidities `D` of warp and weft (N·m) about the flat sheet.
        rigidity: [f64; 2],
    },
    /// By measured curves of warp and weft: moment per width (N·m/m) against curvature (1/m).
    Curve([Curve; 2]),
}

/// The part of a hinge that does not change: what it stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HingeShape {
    /// Angle over curvature `ℓ` (m): the distance between the middles of its faces.
    pub spacing: f64,
    /// Area of cloth `a` it stands for (m²).
    pub area: f64,
    /// How much of its bending is the warp's: `cos²` of the angle between the warp and the normal of the
    /// edge.
    pub warp_share: f64,
    /// Stiffness `c` about the flat sheet (N·m/rad).
    pub stiffness: f64,
}

impl BendLaw {
    /// Bending rigidities of warp and weft about the flat sheet (N·m).
    pub fn rigidity(&self) -> [f64; 2] {
        match self {
            BendLaw::Angle { rigidity } | BendLaw::HalfAngle { rigidity } => *rigidity,
            BendLaw::Curve(curves) => [curves[0].at(0.0).slope, curves[1].at(0.0).slope],
        }
    }

    /// A hinge of this law.
    pub fn shape(&self, spacing: f64, area: f64, warp_share: f64) -> HingeShape {
        let rigidity = mixed(warp_share, self.rigidity());
        HingeShape {
            spacing,
            area,
            warp_share,
            stiffness: rigidity * area / (spacing * spacing),
        }
    }

    /// `ψ` (J).
    pub(super) fn energy(&self, shape: &HingeShape, angle: f64, rest: f64) -> f64 {
        let (bent, c) = (wrapped(angle - rest), shape.stiffness);
        match self {
            BendLaw::Angle { .. } => 0.5 * c * bent * bent,
            BendLaw::HalfAngle { .. } => {
                let half_rest = 0.5 * rest;
                // cos ½θ₀ − cos ½θ as a product, which keeps its digits near rest.
                let cosines = 2.0 * (half_rest + 0.25 * bent).sin() * (0.25 * bent).sin();
                4.0 * c * cosines - 2.0 * c * bent * half_rest.sin()
            }
            BendLaw::Curve(curves) => {
                let curvature = bent / shape.spacing;
                let energies = [0, 1].map(|k| curves[k].at(curvature).integral);
                shape.area * mixed(shape.warp_share, energies)
            }
        }
    }

    /// `ψ'` (N·m) and `ψ''` (N·m/rad).
    pub(super) fn moment(&self, shape: &HingeShape, angle: f64, rest: f64) -> [f64; 2] {
        let (bent, c) = (wrapped(angle - rest), shape.stiffness);
        match self {
            BendLaw::Angle { .. } => [c * bent, c],
            BendLaw::HalfAngle { .. } => {
                let (half_rest, half) = (0.5 * rest, 0.5 * (rest + bent));
                [2.0 * c * (half.sin() - half_rest.sin()), c * half.cos()]
            }
            BendLaw::Curve(curves) => {
                let curvature = bent / shape.spacing;
                let points = [0, 1].map(|k| curves[k].at(curvature));
                let moments = points.map(|p| p.value);
                let slopes = points.map(|p| p.slope);
                let width = shape.area / shape.spacing;
                [
                    width * mixed(shape.warp_share, moments),
                    width / shape.spacing * mixed(shape.warp_share, slopes),
                ]
            }
        }
    }
}

fn mixed(warp_share: f64, [warp, weft]: [f64; 2]) -> f64 {
    warp_share * warp + (1.0 - warp_share) * weft
}
