//! Numbers from the binary chunk.

use super::{Flaw, list};
use glam::{DMat4, DVec2, DVec3};
use serde_json::Value;

/// The binary chunk and what the JSON says about it.
pub(super) struct Buffer<'a> {
    accessors: &'a [Value],
    views: &'a [Value],
    bytes: &'a [u8],
}

impl<'a> Buffer<'a> {
    pub fn new(root: &'a Value, bytes: &'a [u8]) -> Self {
        Buffer {
            accessors: list(root, "accessors"),
            views: list(root, "bufferViews"),
            bytes,
        }
    }

    /// All numbers of an accessor, whose elements must have `width` of them; integers that stand for fractions are turned into those.
    pub fn read(&self, accessor: &Value, width: usize) -> Result<Vec<f64>, Flaw> {
        let number = accessor.as_u64().ok_or("an accessor is missing")? as usize;
        let flaw = |what: &str| format!("accessor {number} {what}");
        let accessor = self
            .accessors
            .get(number)
            .ok_or_else(|| flaw("is not there"))?;
        let found = match accessor["type"].as_str() {
            Some("SCALAR") => 1,
            Some("VEC2") => 2,
            Some("VEC3") => 3,
            Some("VEC4") => 4,
            Some("MAT4") => 16,
            _ => 0,
        };
        if found != width {
            return Err(flaw(&format!(
                "has {found} numbers per element, {width} were expected"
            )));
        }
        let (count, kind) = (whole(accessor, "count"), whole(accessor, "componentType"));
        let sparse = &accessor["sparse"];
        let mut all = match (&accessor["bufferView"], sparse) {
            // All zeros but for those that are listed.
            (Value::Null, Value::Object(_)) if count <= MOST_ELEMENTS => vec![0.0; count * width],
            (view, _) => self
                .numbers(view, whole(accessor, "byteOffset"), kind, [count, width])
                .map_err(flaw)?,
        };
        if !sparse.is_null() {
            self.replace(sparse, kind, width, &mut all).map_err(flaw)?;
        }
        let scale = match accessor["normalized"].as_bool() {
            Some(true) => scalar(kind).map_err(flaw)?.1,
            _ => 1.0,
        };
        all.iter_mut().for_each(|x| *x /= scale);
        match all.iter().all(|x| x.is_finite()) {
            true => Ok(all),
            false => Err(flaw("has numbers that are not finite")),
        }
    }

    /// Puts the values that a sparse accessor lists into their places.
    fn replace(
        &self,
        sparse: &Value,
        kind: usize,
        width: usize,
        all: &mut [f64],
    ) -> Result<(), &'static str> {
        let (places, values) = (&sparse["indices"], &sparse["values"]);
        let count = whole(sparse, "count");
        let of = |part: &Value, kind, width| {
            let offset = whole(part, "byteOffset");
            self.numbers(&part["bufferView"], offset, kind, [count, width])
        };
        let places_read = of(places, whole(places, "componentType"), 1)?;
        let values = of(values, kind, width)?;
        for (place, value) in places_read.iter().zip(values.chunks_exact(width)) {
            let at = *place as usize * width;
            let slot = all.get_mut(at..at + width);
            slot.ok_or("is sparse and names a place beyond its end")?
                .copy_from_slice(value);
        }
        Ok(())
    }

    /// Numbers of a buffer view: so many elements of so many numbers of a kind.
    fn numbers(
        &self,
        view: &Value,
        offset: usize,
        kind: usize,
        [count, width]: [usize; 2],
    ) -> Result<Vec<f64>, &'static str> {
        let (size, _) = scalar(kind)?;
        let view = view.as_u64().and_then(|view| self.views.get(view as usize));
        let view = view.ok_or("has no bytes")?;
        if whole(view, "buffer") != 0 {
            return Err("is in another file; save everything in one .glb");
        }
        let stride = match whole(view, "byteStride") {
            0 => size * width,
            stride => stride,
        };
        let first = whole(view, "byteOffset").saturating_add(offset);
        let end = count.saturating_sub(1).checked_mul(stride);
        let end = end.and_then(|last| last.checked_add(first)?.checked_add(size * width));
        if count > 0 && end.is_none_or(|end| end > self.bytes.len()) {
            return Err("reaches beyond the end of the file");
        }
        let mut all = Vec::with_capacity(count * width);
        for element in 0..count {
            for k in 0..width {
                let at = first + element * stride + k * size;
                all.push(decode(&self.bytes[at..at + size], kind));
            }
        }
        Ok(all)
    }

    pub fn vectors(&self, accessor: &Value) -> Result<Vec<DVec3>, Flaw> {
        let numbers = self.read(accessor, 3)?;
        Ok(numbers.chunks_exact(3).map(DVec3::from_slice).collect())
    }

    pub fn pairs(&self, accessor: &Value) -> Result<Vec<DVec2>, Flaw> {
        let numbers = self.read(accessor, 2)?;
        Ok(numbers.chunks_exact(2).map(DVec2::from_slice).collect())
    }

    pub fn matrices(&self, accessor: &Value) -> Result<Vec<DMat4>, Flaw> {
        let numbers = self.read(accessor, 16)?;
        Ok(numbers
            .chunks_exact(16)
            .map(DMat4::from_cols_slice)
            .collect())
    }

    pub fn integers(&self, accessor: &Value) -> Result<Vec<u32>, Flaw> {
        Ok(self
            .read(accessor, 1)?
            .into_iter()
            .map(|x| x as u32)
            .collect())
    }

    /// Joints and weights, which add up to one, of every node.
    pub fn bones(
        &self,
        attributes: &Value,
        count: usize,
        joints: usize,
    ) -> Result<Vec<[(usize, f64); 4]>, Flaw> {
        let names = self.read(&attributes["JOINTS_0"], 4)?;
        let weights = self.read(&attributes["WEIGHTS_0"], 4)?;
        if names.len() != 4 * count || weights.len() != 4 * count {
            return Err("a skinned mesh has not as many joints and weights as nodes".into());
        }
        if names.iter().any(|&joint| joint as usize >= joints) {
            return Err("a skinned mesh names a joint that is not there".into());
        }
        let pairs = names.chunks_exact(4).zip(weights.chunks_exact(4));
        let bones = |(joints, weights): (&[f64], &[f64])| {
            let sum: f64 = weights.iter().sum();
            [0, 1, 2, 3].map(|k| {
                let weight = if sum > 0.0 { weights[k] / sum } else { 0.25 };
                (joints[k] as usize, weight)
            })
        };
        Ok(pairs.map(bones).collect())
    }
}

/// A sparse accessor can ask for any number of zeros; more than this no mesh has.
const MOST_ELEMENTS: usize = 100_000_000;

fn whole(value: &Value, key: &str) -> usize {
    value[key].as_u64().unwrap_or(0) as usize
}

/// Bytes of a number, and the largest where it stands for a fraction.
fn scalar(kind: usize) -> Result<(usize, f64), &'static str> {
    Ok(match kind {
        5120 => (1, 127.0),
        5121 => (1, 255.0),
        5122 => (2, 32767.0),
        5123 => (2, 65535.0),
        5125 => (4, 4_294_967_295.0),
        5126 => (4, 1.0),
        _ => return Err("has an unknown kind of number"),
    })
}

fn decode(bytes: &[u8], kind: usize) -> f64 {
    match (kind, bytes) {
        (5120, [a]) => f64::from(i8::from_le_bytes([*a])),
        (5121, [a]) => f64::from(*a),
        (5122, [a, b]) => f64::from(i16::from_le_bytes([*a, *b])),
        (5123, [a, b]) => f64::from(u16::from_le_bytes([*a, *b])),
        (5125, [a, b, c, d]) => f64::from(u32::from_le_bytes([*a, *b, *c, *d])),
        (_, [a, b, c, d]) => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
        _ => f64::NAN,
    }
}
