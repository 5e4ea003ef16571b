#![allow(clippy::unwrap_used)]

mod derivatives;
mod projection;
mod sheets;
mod tension_field;

use super::*;
use crate::energy::Curve;
use crate::mesh::Warp;
use glam::DQuat;

/// Numbers between −1 and 1 that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + 0.5 * (high - low) * (1.0 + self.roll())
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.roll(), self.roll(), self.roll())
    }

    fn rotation(&mut self) -> DQuat {
        let [x, y, z, w] = [self.roll(), self.roll(), self.roll(), self.roll() + 0.01];
        DQuat::from_xyzw(x, y, z, w).normalize()
    }
}

fn baraff_witkin(hessian: Hessian, damping: f64) -> BaraffWitkin {
    BaraffWitkin {
        stretch: [120.0, 70.0],
        shear: 25.0,
        rest_stretch: [1.0, 0.97],
        stretch_damping: [damping, 1.3 * damping],
        shear_damping: 0.7 * damping,
        hessian,
        damping_in_stiffness: false,
    }
}

/// Curves that bend within the strains of these tests, but have no row there at which a second derivative
/// jumps.
fn kawabata(hessian: Hessian, damping: f64) -> Kawabata {
    Kawabata {
        tensile: [
            Curve::new(&[(0.0, 0.0), (3.0, 200.0), (4.0, 500.0)]).unwrap(),
            Curve::new(&[(0.0, 0.0), (3.0, 300.0), (5.0, 330.0)]).unwrap(),
        ],
        shear: Curve::new(&[(0.0, 0.0), (2.5, 30.0), (3.0, 60.0)]).unwrap(),
        tensile_damping: [damping, 1.3 * damping],
        shear_damping: 0.7 * damping,
        hessian,
        damping_in_stiffness: false,
    }
}

fn tension_field(hessian: Hessian, damping: f64) -> TensionField {
    TensionField {
        stretch: [120.0, 70.0],
        shear: 25.0,
        buckling: [3.0, 2.0],
        damping,
        hessian,
    }
}

/// The laws whose second derivatives are continuous.
fn smooth_laws(hessian: Hessian, damping: f64) -> [MembraneLaw; 2] {
    [
        MembraneLaw::BaraffWitkin(baraff_witkin(hessian, damping)),
        MembraneLaw::Kawabata(kawabata(hessian, damping)),
    ]
}

fn laws(hessian: Hessian, damping: f64) -> [MembraneLaw; 3] {
    let [first, second] = smooth_laws(hessian, damping);
    [
        first,
        second,
        MembraneLaw::TensionField(tension_field(hessian, damping)),
    ]
}

/// One face whose warp runs at an angle to its first side.
fn one_face(face: Face, flat: &[[f64; 2]], warp: f64) -> (Topology, RestShape) {
    let positions: Vec<DVec3> = flat.iter().map(|p| DVec3::new(p[0], p[1], 0.0)).collect();
    let topology = Topology::new(positions.len(), vec![face]).unwrap();
    let mut rest = RestShape::from_positions(&topology, &positions).unwrap();
    rest.align_warp(&topology, &positions, Warp::Angle(warp))
        .unwrap();
    (topology, rest)
}

const TRIANGLE: [[f64; 2]; 3] = [[0.0, 0.0], [1.1, 0.2], [0.3, 0.9]];
const QUAD: [[f64; 2]; 4] = [[0.0, 0.0], [1.2, 0.1], [1.0, 1.1], [-0.1, 0.8]];

fn triangle(law: MembraneLaw, warp: f64) -> MembraneBatch<3> {
    let (topology, rest) = one_face(Face::Tri([0, 1, 2]), &TRIANGLE, warp);
    MembraneBatch::triangles(&topology, &rest, 0, law).unwrap()
}

fn quad(law: MembraneLaw, warp: f64) -> MembraneBatch<4> {
    let (topology, rest) = one_face(Face::Quad([0, 1, 2, 3]), &QUAD, warp);
    MembraneBatch::quads(&topology, &rest, 0, law).unwrap()
}

/// A face stretched or compressed by up to half, sheared, bumpy, turned and far from where it was.
fn deformed<const N: usize>(flat: &[[f64; 2]; N], dice: &mut Dice) -> [DVec3; N] {
    let turn = dice.rotation();
    let away = 3.0 * dice.vector();
    let stretch = [dice.between(0.5, 1.6), dice.between(0.5, 1.6)];
    let shear = 0.6 * dice.roll();
    flat.map(|[x, y]| {
        let flat = DVec3::new(stretch[0] * x + shear * y, stretch[1] * y, 0.0);
        turn * (flat + 0.08 * dice.vector()) + away
    })
}

fn velocities<const N: usize>(dice: &mut Dice) -> [DVec3; N] {
    std::array::from_fn(|_| dice.vector())
}
