//! A mannequin of capsules, walking in place: one mesh whose parts overlap, and where its nodes are at any time.

use glam::{DMat3, DVec3, dvec3};
use std::f64::consts::TAU;
use toile::mesh::generate::{Capsule, capsule};
use toile::mesh::{Face, Mesh};

/// A capsule between two points, made wider along x by a factor.
struct Limb {
    from: DVec3,
    to: DVec3,
    radius: f64,
    wider: f64,
}

/// The parts at a time of the walk (s), one pace a second. The hem of the tank top is at z = 0.
fn limbs(time: f64) -> Vec<Limb> {
    let limb = |from, to, radius| Limb {
        from,
        to,
        radius,
        wider: 1.0,
    };
    let up = DVec3::Z;
    let mut all = vec![
        // Torso, hips, shoulders, neck, head.
        Limb {
            wider: 3.0,
            ..limb(0.06 * up, 0.36 * up, 0.05)
        },
        Limb {
            wider: 2.0,
            ..limb(-0.12 * up, -0.02 * up, 0.07)
        },
        limb(dvec3(-0.13, 0.0, 0.525), dvec3(0.13, 0.0, 0.525), 0.026),
        limb(0.35 * up, 0.66 * up, 0.03),
        limb(0.68 * up, 0.74 * up, 0.075),
    ];
    for side in [-1.0, 1.0] {
        let phase = TAU * time;
        let swing = side * phase.sin();
        let bent = 0.5 * (1.0 - (phase + side * 0.8).cos());
        // Forwards is −y. Angles are from straight down.
        let down = |angle: f64| dvec3(0.0, -angle.sin(), -angle.cos());
        let hip = dvec3(side * 0.075, 0.0, -0.13);
        let knee = hip + 0.36 * down(0.4 * swing);
        let foot = knee + 0.36 * down(0.4 * swing - 0.7 * bent);
        all.push(limb(hip, knee, 0.058));
        all.push(limb(knee, foot, 0.045));
        let shoulder = dvec3(side * 0.13, 0.0, 0.525);
        let out = dvec3(side * 0.9, 0.12 * swing, -0.43);
        let elbow = shoulder + 0.24 * out;
        let hand = elbow + 0.22 * dvec3(side * 0.45, -0.35 + 0.4 * swing, -0.8);
        all.push(limb(shoulder, elbow, 0.021));
        all.push(limb(elbow, hand, 0.02));
    }
    all
}

/// The mesh at a time of the walk (s); faces and numbers are always the same.
pub(super) fn mannequin(time: f64, around: u32) -> Mesh {
    let mut whole = Mesh::new(Vec::new(), Vec::new());
    for limb in limbs(time) {
        let along = limb.to - limb.from;
        // Every part has the same cells, so lengths that change do not change the topology.
        let mesh = capsule(&Capsule {
            radius: limb.radius,
            height: along.length(),
            cells: [around, around / 3, around / 4],
        });
        let Ok(mesh) = mesh else {
            continue; // the measures above are all positive
        };
        let turn = upright(along.normalize());
        let middle = 0.5 * (limb.from + limb.to);
        let first = whole.positions.len() as u32;
        let place = |p: &DVec3| {
            let p = turn * *p;
            middle + dvec3(limb.wider * p.x, p.y, p.z)
        };
        whole.positions.extend(mesh.positions.iter().map(place));
        whole.faces.extend(mesh.faces.iter().map(|face| match face {
            Face::Tri(t) => Face::Tri(t.map(|n| n + first)),
            Face::Quad(q) => Face::Quad(q.map(|n| n + first)),
        }));
    }
    whole
}

/// Turns z into a direction without spinning about it: what was along x stays as near to x as it can, or to y if that is nearer.
fn upright(direction: DVec3) -> DMat3 {
    let side = if direction.x.abs() < 0.95 {
        DVec3::X
    } else {
        DVec3::Y
    };
    let across = (side - side.dot(direction) * direction).normalize();
    DMat3::from_cols(across, direction.cross(across), direction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile::contact::deforming::{Sequence, SequenceSettings};

    #[test]
    fn it_is_one_body_all_the_way() {
        let times: Vec<f64> = (0..=20).map(|k| f64::from(k) / 20.0).collect();
        let frames: Vec<Mesh> = times.iter().map(|&t| mannequin(t, 12)).collect();
        assert!(frames.iter().all(|mesh| mesh.faces == frames[0].faces));
        let faces = frames[0].faces.clone();
        let places = frames.into_iter().map(|mesh| mesh.positions).collect();
        let body = Sequence::new(faces, times, places, SequenceSettings::default()).unwrap();
        assert_eq!(body.findings().parts, 13);
        assert_eq!(body.findings().open_edges, 0);
    }
}
