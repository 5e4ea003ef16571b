//! Bodies that deform: their shapes as morph targets, at the times when they change.

use super::super::frames::{Selection, Survey};
use super::super::gltf::{Document, Element};
use super::super::surface::smooth_normals;
use super::super::vertices::Vertices;
use super::BYTES_PER_NODE;
use crate::recording::{BodyTrack, Morph};
use glam::DVec3;
use serde_json::json;

/// When a body has which shape. Between two keys a player blends linearly, as the body itself moves.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Keys {
    /// Times of the recording (s); the first is that of the first exported frame.
    times: Vec<f64>,
    /// The target of each key; 0 is the mesh itself.
    targets: Vec<usize>,
    /// The key that first shows each target, the mesh itself among them.
    first_shown: Vec<usize>,
}

impl Keys {
    /// A body's own times are exact, and often fewer than the frames; frames are taken where they are fewer.
    fn new(morph: &Morph, frames: &[f64]) -> Self {
        let (start, end) = (frames[0], frames[frames.len() - 1]);
        let own = morph.times.iter().copied();
        let mut times = vec![start];
        times.extend(own.filter(|&t| t > start && t < end));
        times.push(end);
        if times.len() > frames.len() {
            times = frames.to_vec();
        }
        // Single precision, in which the file has them, must tell them apart.
        times.dedup_by(|late, early| (*late - start) as f32 <= (*early - start) as f32);
        let mut keys = Keys {
            times,
            targets: Vec::new(),
            first_shown: vec![0],
        };
        let base = morph.positions(start);
        let mut before = base.clone();
        for (k, &time) in keys.times.iter().enumerate() {
            let shape = morph.positions(time);
            let target = match keys.targets.last() {
                Some(&last) if shape == before => last,
                _ if shape == base => 0,
                _ => {
                    keys.first_shown.push(k);
                    keys.first_shown.len() - 1
                }
            };
            keys.targets.push(target);
            before = shape;
        }
        keys
    }

    /// How many targets there are besides the mesh itself.
    pub fn target_count(&self) -> usize {
        self.first_shown.len() - 1
    }

    fn weights(&self) -> Vec<f32> {
        let count = self.target_count();
        let mut weights = vec![0.0; count * self.targets.len()];
        for (k, &target) in self.targets.iter().enumerate() {
            if target > 0 {
                weights[k * count + target - 1] = 1.0;
            }
        }
        weights
    }
}

/// The keys of every body that has a surface, `None` for those that stay as they are.
pub(super) fn all_keys(selection: &Selection, times: &[f64]) -> Vec<Option<Keys>> {
    let keys = |body: &BodyTrack| {
        let morph = body.morph.as_ref().filter(|_| times.len() > 1)?;
        Some(Keys::new(morph, times)).filter(|keys| keys.target_count() > 0)
    };
    selection.bodies().map(|(_, body)| keys(body)).collect()
}

/// Bytes that targets take at the most.
pub(super) fn size(keys: &Keys, vertices: usize) -> u64 {
    let targets = keys.target_count() as u64;
    targets * vertices as u64 * BYTES_PER_NODE + targets * keys.times.len() as u64 * 4
}

/// Adds the targets of a body to its mesh, and the animation of their weights to its node.
pub(super) fn animate(
    document: &mut Document,
    (mesh, node): (usize, usize),
    body: &BodyTrack,
    keys: &Keys,
    survey: &Survey,
) {
    let vertices = Vertices::new(body.positions.len(), &body.faces, &body.attributes);
    let base = Shape::at(body, keys.times[0]);
    let mut targets = Vec::with_capacity(keys.target_count());
    for &key in &keys.first_shown[1..] {
        let shape = Shape::at(body, keys.times[key]);
        let positions = differences(&vertices, &shape.positions, &base.positions);
        let mut target = json!({ "POSITION": document.differences(&positions) });
        if body.smooth {
            let normals = differences(&vertices, &shape.normals, &base.normals);
            target["NORMAL"] = json!(document.differences(&normals));
        }
        targets.push(target);
    }
    let name = |&key: &usize| format!("{} s", keys.times[key]);
    let names: Vec<String> = keys.first_shown[1..].iter().map(name).collect();
    document.meshes[mesh]["primitives"][0]["targets"] = json!(targets);
    document.meshes[mesh]["extras"] = json!({ "targetNames": names });
    let start = survey.times[0];
    let times: Vec<f32> = keys.times.iter().map(|t| (t - start) as f32).collect();
    let input = document.key_times(&times);
    let output = document.animation_floats(&keys.weights(), Element::Scalar);
    document.animate(node, "weights", input, output);
}

struct Shape {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

impl Shape {
    fn at(body: &BodyTrack, time: f64) -> Self {
        let here = body.positions_at(time);
        let normals = match body.smooth {
            true => smooth_normals(&here, &body.faces),
            false => Vec::new(),
        };
        Shape {
            positions: here
                .iter()
                .map(|p: &DVec3| p.as_vec3().to_array())
                .collect(),
            normals: normals.into_iter().map(|n| n.to_array()).collect(),
        }
    }
}

fn differences(vertices: &Vertices, now: &[[f32; 3]], base: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let pairs = vertices.spread(now).zip(vertices.spread(base));
    let difference = |(now, base): ([f32; 3], [f32; 3])| std::array::from_fn(|k| now[k] - base[k]);
    pairs.map(difference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn morph(shapes: &[(f64, f32)]) -> Morph {
        Morph {
            times: shapes.iter().map(|s| s.0).collect(),
            frames: shapes.iter().map(|s| vec![[s.1, 0.0, 0.0]]).collect(),
        }
    }

    #[test]
    fn a_body_that_stands_still_at_the_end_has_no_targets_for_that() {
        let frames: Vec<f64> = (0..=100).map(|k| f64::from(k) * 0.1).collect();
        let keys = Keys::new(&morph(&[(0.0, 0.0), (0.55, 1.0), (1.0, 2.0)]), &frames);
        assert_eq!(keys.times, [0.0, 0.55, 1.0, 10.0]);
        assert_eq!(keys.targets, [0, 1, 2, 2]);
        assert_eq!(keys.weights(), [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0]);
    }

    #[test]
    fn frames_are_taken_where_they_are_fewer_and_the_first_shape_is_the_mesh() {
        let fine: Vec<(f64, f32)> = (0..100)
            .map(|k| (0.01 * f64::from(k), (k % 50) as f32))
            .collect();
        let keys = Keys::new(&morph(&fine), &[0.0, 0.25, 0.5]);
        assert_eq!(keys.times, [0.0, 0.25, 0.5]);
        assert_eq!(keys.targets, [0, 1, 0]);
    }
}
