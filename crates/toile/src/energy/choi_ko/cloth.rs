//! Which pairs a cloth has, and what ribbon each stands for.

use super::super::mass_spring::{shear, structural};
use super::super::ring::{FACING, Neighbour, Ring, line_form, rings};
use super::ChoiKoBatch;
use crate::mesh::{RestShape, Topology};
use glam::DVec2;
use std::collections::HashMap;

/// Moduli of the cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChoiKoMaterial {
    /// Stretch stiffness `Y` (N/m): force per width at 100 % strain.
    pub stretch: f64,
    /// Shear stiffness `S` (N/m): force per width at a shear of 1 rad.
    pub shear: f64,
    /// Bending rigidity `D` (N·m).
    pub bend: f64,
    /// Damping time `τ` (s).
    pub damping: f64,
}

/// The pairs of one cloth by what they resist.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChoiKo {
    /// `(nodes, rest length (m), stiffness k (N))` of pairs that resist tension.
    pub tension: Vec<([u32; 2], f64, f64)>,
    /// `(nodes, rest length (m), rigidity k_b (N·m²), slope c_b (N/m))` of pairs that buckle.
    pub buckling: Vec<([u32; 2], f64, f64, f64)>,
}

impl ChoiKo {
    /// All pairs in one batch, the cloth's nodes shifted by `first_node`, damped with the time `τ` (s).
    pub fn batch(&self, first_node: u32, damping_time: f64) -> ChoiKoBatch {
        let mut batch = ChoiKoBatch::new();
        for &(nodes, rest, k) in self.tension.iter().filter(|pair| pair.2 > 0.0) {
            batch.add_tension(
                nodes.map(|n| n + first_node),
                rest,
                k,
                damping_time * k / rest,
            );
        }
        for &(nodes, rest, rigidity, line) in self.buckling.iter().filter(|pair| pair.2 > 0.0) {
            let damping = damping_time * 7.2 * rigidity / rest.powi(3);
            batch.add_buckling(nodes.map(|n| n + first_node), rest, rigidity, line, damping);
        }
        batch
    }
}

/// Lays pairs over a cloth.
///
/// **Tension** pairs are the structural and shear springs of the mass–spring model, with its stiffnesses.
///
/// **Buckling** pairs join nodes that face each other over a node (along grid lines and along the diagonals
/// of quads; along lines of edges between triangles that are straight to 30°) or over the edge of a triangle
/// pair. A pair's chord on a bent sheet tells the normal curvature along it, `κ cos²` of the angle to a
/// cylinder's direction, so a pair that stands for the area `ω` stores `½ D ω κ² cos⁴` with `k_b = D ω/L`: a
/// ribbon of width `ω/L`. Each node spreads its area over the pairs around it so that cylinders of all
/// directions come out alike (see `ring.rs`):
///
/// | mesh | pairs | `ω` |
/// |---|---|---|
/// | square grid, side `a` | lines and diagonals | `2/3 a²` each; widths `a/3` and `a√2/6` |
/// | equilateral triangles | lines and opposite corners | 8/9 of the node's area per direction, divided between the two |
///
/// Grid lines alone (`ω = a²`, width `a/2`, because skip-one pairs overlap by half) would store only half of
/// `½ D κ²` at 45°. Inside a sheet, cylinders bent along 0°, 30°, 45°, 90° and 135° store between 0.9999 and
/// 1.0000 of `½ D κ²` on quads, on all three ways to cut them into triangles and on equilateral triangles,
/// and 0.999 to 1.003 on an irregular mesh of 1600 nodes. Poisson's ratio of the bent sheet is 1/3, as always
/// when only normal curvatures are felt. Rims feel less: a square of `n × n` quads rolled along a grid line
/// stores `(n−1)(n−1/3)/n²` of what it should, 97 % for `n = 40`.
///
/// `c_b` is what the same ribbon resists in plane, `Y` times its width over `L`. So bends gentler than
/// `κ₀ = √(288 D/Y)/L²` feel softer than `D`: there the sheet compresses instead of buckling. Beyond, a pair
/// that feels the curvature `κ` stores less than its share by about `½ (κ₀/κ)²` of it. The figures above are
/// for a `Y` so large that this does not count; with `D = 10⁻⁵` N·m, `Y = 4000` N/m and `L = 2` cm, `κ₀` is
/// 2.1 per metre.
pub fn choi_ko(topology: &Topology, rest: &RestShape, material: &ChoiKoMaterial) -> ChoiKo {
    let mut tension = structural(topology, rest, material.stretch);
    tension.extend(shear(topology, rest, material.shear));
    let mut ribbons: HashMap<[u32; 2], Ribbon> = HashMap::new();
    for ring in rings(topology, rest) {
        add_ribbons(&ring, &mut ribbons);
    }
    let mut buckling: Vec<_> = ribbons
        .into_iter()
        .filter(|(_, ribbon)| ribbon.area > 0.0)
        .map(|(nodes, ribbon)| {
            let length = ribbon.length / ribbon.times;
            let width = ribbon.area / length;
            (
                nodes,
                length,
                material.bend * width,
                material.stretch * width / length,
            )
        })
        .collect();
    buckling.sort_by_key(|pair| pair.0);
    ChoiKo { tension, buckling }
}

#[derive(Clone, Copy, Debug, Default)]
struct Ribbon {
    /// Sum of the rest lengths of all rings that met it (m), and how many they were.
    length: f64,
    times: f64,
    /// `ω` (m²).
    area: f64,
}

fn add_ribbons(ring: &Ring, ribbons: &mut HashMap<[u32; 2], Ribbon>) {
    let over_edges = ring.hinges().map(|[p, q, _]| [p, q]);
    let mut pairs: Vec<_> = ring.lines(FACING).chain(over_edges).collect();
    let middle = Neighbour {
        node: ring.middle,
        at: DVec2::ZERO,
        angle: 0.0,
        spoke: false,
    };
    pairs.extend(ring.beyond.iter().map(|[_, apex, _]| [middle, *apex]));
    let forms: Vec<_> = pairs.iter().map(|[p, q]| line_form(q.at - p.at)).collect();
    for ([p, q], area) in pairs.iter().zip(ring.spread(&forms)) {
        let key = [p.node.min(q.node), p.node.max(q.node)];
        let ribbon = ribbons.entry(key).or_default();
        ribbon.length += p.at.distance(q.at);
        ribbon.times += 1.0;
        ribbon.area += area;
    }
}
