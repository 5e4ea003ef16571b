//! Animations: how nodes and weights change with time.

use super::accessor::Buffer;
use super::{Flaw, list, numbers};
use glam::{DMat4, DQuat, DVec3};
use serde_json::Value;

/// Where a node stands relative to its parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trs {
    translation: DVec3,
    rotation: DQuat,
    scale: DVec3,
}

impl Trs {
    pub fn of_node(value: &Value) -> Result<Self, Flaw> {
        let vector = |key: &str, default: DVec3| match numbers(&value[key])[..] {
            [] => Ok(default),
            [x, y, z] => Ok(DVec3::new(x, y, z)),
            _ => Err(format!("a node's {key} has not three numbers")),
        };
        let rotation = match numbers(&value["rotation"])[..] {
            [] => DQuat::IDENTITY,
            [x, y, z, w] => turn(&[x, y, z, w]),
            _ => return Err("a node's rotation has not four numbers".into()),
        };
        Ok(Trs {
            translation: vector("translation", DVec3::ZERO)?,
            rotation,
            scale: vector("scale", DVec3::ONE)?,
        })
    }

    pub fn matrix(&self) -> DMat4 {
        DMat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

fn turn(numbers: &[f64]) -> DQuat {
    let turn = DQuat::from_slice(numbers);
    match turn.length_squared() > 0.0 {
        true => turn.normalize(),
        false => DQuat::IDENTITY,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    Translation,
    Rotation,
    Scale,
    Weights,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joining {
    Step,
    Linear,
    Cubic,
}

#[derive(Clone, Debug)]
struct Channel {
    node: usize,
    path: Path,
    joining: Joining,
    times: Vec<f64>,
    /// `width` numbers per key; with cubic joining slope before, value, slope after.
    values: Vec<f64>,
    width: usize,
}

/// One of the file's animations.
#[derive(Clone, Debug)]
pub(super) struct Animation {
    channels: Vec<Channel>,
}

impl Animation {
    /// The animation with a name, or the first; none if the file has none.
    pub fn choose(
        root: &Value,
        buffer: &Buffer,
        nodes: usize,
        name: Option<&str>,
    ) -> Result<Option<Self>, Flaw> {
        let all = list(root, "animations");
        let chosen = match name {
            None => all.first(),
            Some(name) => {
                let found = all.iter().find(|one| one["name"].as_str() == Some(name));
                let names: Vec<&str> = all.iter().filter_map(|one| one["name"].as_str()).collect();
                Some(found.ok_or_else(|| {
                    format!(
                        "it has no animation `{name}`; there are: {}",
                        names.join(", ")
                    )
                })?)
            }
        };
        let Some(chosen) = chosen else {
            return Ok(None);
        };
        let mut channels = Vec::new();
        for channel in list(chosen, "channels") {
            let sampler = channel["sampler"].as_u64().unwrap_or(u64::MAX) as usize;
            let sampler = list(chosen, "samplers").get(sampler);
            let sampler = sampler.ok_or("a channel of the animation has no sampler")?;
            channels.extend(Channel::new(&channel["target"], sampler, buffer, nodes)?);
        }
        Ok(Some(Animation { channels }))
    }

    pub fn duration(&self) -> f64 {
        let ends = self
            .channels
            .iter()
            .filter_map(|channel| channel.times.last());
        ends.copied().fold(0.0, f64::max)
    }

    pub fn apply(&self, time: f64, places: &mut [Trs], weights: &mut [Vec<f64>]) {
        for channel in &self.channels {
            let now = channel.at(time);
            let place = &mut places[channel.node];
            match channel.path {
                Path::Translation => place.translation = DVec3::from_slice(&now),
                Path::Scale => place.scale = DVec3::from_slice(&now),
                Path::Rotation => place.rotation = turn(&now),
                Path::Weights => weights[channel.node] = now,
            }
        }
    }
}

impl Channel {
    /// None for what the format's extensions animate.
    fn new(
        target: &Value,
        sampler: &Value,
        buffer: &Buffer,
        nodes: usize,
    ) -> Result<Option<Self>, Flaw> {
        let (Some(node), Some(path)) = (target["node"].as_u64(), target["path"].as_str()) else {
            return Ok(None);
        };
        let node = node as usize;
        if node >= nodes {
            return Err("the animation moves a node that is not there".into());
        }
        let (path, width) = match path {
            "translation" => (Path::Translation, 3),
            "scale" => (Path::Scale, 3),
            "rotation" => (Path::Rotation, 4),
            "weights" => (Path::Weights, 1),
            _ => return Ok(None),
        };
        let joining = match sampler["interpolation"].as_str() {
            Some("STEP") => Joining::Step,
            Some("CUBICSPLINE") => Joining::Cubic,
            _ => Joining::Linear,
        };
        let times = buffer.read(&sampler["input"], 1)?;
        let values = buffer.read(&sampler["output"], width)?;
        let increasing = times.windows(2).all(|pair| pair[0] < pair[1]);
        let keys = times.len() * if joining == Joining::Cubic { 3 } else { 1 };
        if times.is_empty() || !increasing || values.len() % keys != 0 {
            return Err(
                "the keys of the animation do not match, or their times do not increase".into(),
            );
        }
        let width = values.len() / keys;
        let right = match path {
            Path::Translation | Path::Scale => width == 3,
            Path::Rotation => width == 4,
            Path::Weights => width > 0,
        };
        if !right {
            return Err("the animation has not as many values as times".into());
        }
        Ok(Some(Channel {
            node,
            path,
            joining,
            times,
            values,
            width,
        }))
    }

    /// The first key holds before, the last one after.
    fn at(&self, time: f64) -> Vec<f64> {
        let after = self.times.partition_point(|&t| t <= time);
        if after == 0 || after == self.times.len() {
            return self.key(after.saturating_sub(1)).to_vec();
        }
        let before = after - 1;
        let span = self.times[after] - self.times[before];
        let share = (time - self.times[before]) / span;
        let (from, to) = (self.key(before), self.key(after));
        match self.joining {
            Joining::Step => from.to_vec(),
            Joining::Linear if self.path == Path::Rotation => {
                // slerp takes the short way.
                turn(from).slerp(turn(to), share).to_array().to_vec()
            }
            Joining::Linear => {
                let ends = from.iter().zip(to);
                ends.map(|(a, b)| a + (b - a) * share).collect()
            }
            Joining::Cubic => {
                let (s, s2) = (share, share * share);
                let s3 = s2 * s;
                let (leaving, arriving) = (self.slope(before, 2), self.slope(after, 0));
                (0..self.width)
                    .map(|k| {
                        (2.0 * s3 - 3.0 * s2 + 1.0) * from[k]
                            + span * (s3 - 2.0 * s2 + s) * leaving[k]
                            + (3.0 * s2 - 2.0 * s3) * to[k]
                            + span * (s3 - s2) * arriving[k]
                    })
                    .collect()
            }
        }
    }

    fn key(&self, key: usize) -> &[f64] {
        match self.joining {
            Joining::Cubic => self.slope(key, 1),
            _ => &self.values[key * self.width..][..self.width],
        }
    }

    /// One of the three entries of a cubic key.
    fn slope(&self, key: usize, entry: usize) -> &[f64] {
        &self.values[(3 * key + entry) * self.width..][..self.width]
    }
}
