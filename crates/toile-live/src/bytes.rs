//! Binary messages: a world once, then frames. Little-endian; `studio/src/protocol.ts` has the layout.

use crate::protocol::PROTOCOL;
use glam::{DQuat, DVec3};
use serde::Serialize;
use serde_json::{Map, Value};

/// First byte of a world.
pub const KIND_WORLD: u8 = 1;
/// First byte of a frame.
pub const KIND_FRAME: u8 = 2;
/// Bytes before a frame's parts.
pub const FRAME_HEADER: usize = 72;
/// The frame is not the newest.
pub const FLAG_PAST: u32 = 1;
/// The frame does not follow the one before it.
pub const FLAG_CUT: u32 = 2;
/// Arrays begin at multiples of this.
const ALIGNMENT: usize = 8;

/// Where an array is in the arrays of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ArrayRef {
    /// In bytes.
    pub offset: usize,
    /// Numbers in it.
    pub count: usize,
    /// `f32` or `u32`.
    pub r#type: &'static str,
}

/// The arrays of a world, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Arrays {
    bytes: Vec<u8>,
}

impl Arrays {
    /// Appends numbers in single precision.
    pub fn floats(&mut self, numbers: impl IntoIterator<Item = f32>) -> ArrayRef {
        let bytes = numbers.into_iter().map(f32::to_le_bytes);
        self.append(bytes, "f32")
    }

    /// Appends whole numbers.
    pub fn counts(&mut self, numbers: impl IntoIterator<Item = u32>) -> ArrayRef {
        let bytes = numbers.into_iter().map(u32::to_le_bytes);
        self.append(bytes, "u32")
    }

    fn append(&mut self, words: impl Iterator<Item = [u8; 4]>, name: &'static str) -> ArrayRef {
        pad(&mut self.bytes);
        let offset = self.bytes.len();
        self.bytes.extend(words.flatten());
        ArrayRef {
            offset,
            count: (self.bytes.len() - offset) / 4,
            r#type: name,
        }
    }

    /// The message of a world with these arrays.
    pub fn message(&self, session: u32, world: &Map<String, Value>) -> Vec<u8> {
        let json = Value::Object(world.clone()).to_string();
        let mut out = start(KIND_WORLD, session);
        out.extend((json.len() as u32).to_le_bytes());
        out.extend([0; 4]);
        out.extend(json.as_bytes());
        pad(&mut out);
        out.extend(&self.bytes);
        out
    }
}

/// What a frame shows.
#[derive(Clone, Debug, Default)]
pub struct Frame<'a> {
    /// Its number.
    pub number: u32,
    /// Flags.
    pub flags: u32,
    /// Simulated time (s).
    pub time: f64,
    /// What places are relative to (m).
    pub origin: DVec3,
    /// Poses of the scene's bodies.
    pub poses: Vec<(DVec3, DQuat)>,
    /// What is held.
    pub grasps: Vec<ShownGrasp>,
    /// Nodes, from the origin (m).
    pub positions: &'a [[f32; 3]],
    /// The field's number, and a value for each node, if there is one.
    pub field: Option<(u32, &'a [f32])>,
}

/// A grasp as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShownGrasp {
    /// Its id.
    pub id: u32,
    /// Where it pulls to (m).
    pub target: DVec3,
    /// Where it holds (m).
    pub held: DVec3,
    /// Of the cloth on the gripper (N).
    pub force: DVec3,
}

impl Frame<'_> {
    /// Its message.
    pub fn message(&self, session: u32) -> Vec<u8> {
        let nodes = self.positions.len();
        let bodies = self.poses.len();
        let size = FRAME_HEADER + 28 * bodies + 40 * self.grasps.len() + 16 * nodes;
        let mut out = start(KIND_FRAME, session);
        out.reserve(size);
        for number in [self.number, self.flags] {
            out.extend(number.to_le_bytes());
        }
        out.extend(self.time.to_le_bytes());
        out.extend(self.origin.to_array().iter().flat_map(|x| x.to_le_bytes()));
        let field = self.field.map_or(0, |(number, _)| number);
        for count in [nodes as u32, bodies as u32, self.grasps.len() as u32, field] {
            out.extend(count.to_le_bytes());
        }
        let range = self.field.map_or([0.0; 2], |(_, values)| range(values));
        put(&mut out, range);
        for (translation, rotation) in &self.poses {
            put(&mut out, self.local(*translation));
            put(&mut out, rotation.as_quat().to_array());
        }
        for grasp in &self.grasps {
            put(&mut out, [grasp.id as f32]);
            put(&mut out, self.local(grasp.target));
            put(&mut out, self.local(grasp.held));
            put(&mut out, grasp.force.as_vec3().to_array());
        }
        put(&mut out, self.positions.iter().flatten().copied());
        if let Some((_, values)) = self.field {
            put(&mut out, values.iter().copied());
        }
        out
    }

    fn local(&self, place: DVec3) -> [f32; 3] {
        (place - self.origin).as_vec3().to_array()
    }
}

/// The smallest and the largest finite value; zeros if there is none.
fn range(values: &[f32]) -> [f32; 2] {
    let finite = values.iter().filter(|v| v.is_finite());
    let [least, most] = finite.fold([f32::INFINITY, f32::NEG_INFINITY], |[a, b], &v| {
        [a.min(v), b.max(v)]
    });
    match least <= most {
        true => [least, most],
        false => [0.0; 2],
    }
}

fn start(kind: u8, session: u32) -> Vec<u8> {
    let mut out = vec![kind, PROTOCOL, 0, 0];
    out.extend(session.to_le_bytes());
    out
}

fn put(out: &mut Vec<u8>, numbers: impl IntoIterator<Item = f32>) {
    out.extend(numbers.into_iter().flat_map(f32::to_le_bytes));
}

fn pad(out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
}
