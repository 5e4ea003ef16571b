//! A state as bytes: what checkpoints and snapshots hold.
//!
//! Layout (little-endian): `TOILESTA`, version `u32`; time `f64`, steps `u64`, three lists of vectors (count `u64`, 3 × `f64` each:
//! positions, velocities, last changes of velocity); pin count `u64`, for each pin its interval (`u32`, 0xFFFFFFFF for none) and the
//! list of its anchors; the length of the last step (`f64`, 0 for none) with the positions and velocities before it; three lists of
//! numbers (count `u64`, `f64` each: rest angles, creased angles, forces of limits); the count of contacts `u64`, for each its kind
//! and features (3 × `u32`), push and drag (4 × `f64`); the adaptive control's next pair of steps (`f64`,
//! 0 for none) and last error (`f64`); the count of nodes that stick to bodies `u64`, for each its number, adhesion and body (`u32`
//! each), the face that its anchor is at (`u32`, 0xFFFFFFFF for none) with the weights of its corners (3 × `f64`, for a face alone) and
//! the anchor (3 × `f64`); the count of nodes that stick to cloth `u64`, for each its number, adhesion and face and whether it is torn
//! (6 × `u32` in all), weights, way and pull (7 × `f64` in all); what was commanded: gravity and wind (a `u32` that is 1 if it is there,
//! then 3 × `f64`), the list of forces, the count of grasps `u64` with each of them (see `put_grasp`), grasps made `u32`, the count of led
//! bodies `u64` with number and travel of each, the count of settings `u64` with name (length `u64`, UTF-8) and value of each, and the
//! stage (a `u32` that is 1 if there is one, then number and whether it was told, `u32` each, since when it lasts and is still, `f64` each, and the
//! number after that of the first stage cut short, `u32`, 0 for none); last a
//! CRC-32 of all before.

use super::{ContactKey, KeptContact, Previous, State, StepMemory};
use crate::body::{Anchor, Bond, Stuck};
use crate::drive::{Commanded, Grasp, Grip, Leaving, PinState, Pose, Setting, StageMark, Travel};
use glam::{DQuat, DVec3};
use thiserror::Error;

const MAGIC: &[u8; 8] = b"TOILESTA";
const VERSION: u32 = 3;
/// Where a face would stand.
const NO_FACE: u32 = u32::MAX;

/// Bytes that are no state.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct StateError(&'static str);

const SHORT: StateError = StateError("it ends too early");

type Read<T> = Result<T, StateError>;

impl State {
    /// The whole state; the same state has the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Output(Vec::with_capacity(256 + self.positions.len() * 72));
        out.0.extend(MAGIC);
        out.u32(VERSION);
        out.f64(self.time);
        out.u64(self.steps);
        out.vectors(&self.positions);
        out.vectors(&self.velocities);
        out.vectors(&self.last_change);
        out.list(&self.pins, |out, pin| {
            out.u32(pin.interval.unwrap_or(u32::MAX));
            out.vectors(&pin.anchors);
        });
        out.f64(self.previous.as_ref().map_or(0.0, |p| p.step));
        if let Some(previous) = &self.previous {
            out.vectors(&previous.positions);
            out.vectors(&previous.velocities);
        }
        out.numbers(&self.rest_angles);
        out.numbers(&self.creased);
        out.numbers(&self.limit_forces);
        out.list(&self.contacts, |out, contact| {
            contact
                .key
                .to_numbers()
                .into_iter()
                .for_each(|n| out.u32(n));
            out.f64(contact.push);
            out.vector(contact.drag);
        });
        let memory = self.step_memory.map_or([0.0; 2], |m| [m.pair, m.error]);
        memory.into_iter().for_each(|number| out.f64(number));
        out.list(&self.stuck, Output::stuck);
        out.list(&self.bonds, Output::bond);
        out.commanded(&self.commanded);
        let sum = crc32fast::hash(&out.0);
        out.u32(sum);
        out.0
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote. Whether it belongs to a model, [`fits`](Self::fits) tells.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        let (body, sum) = bytes
            .split_last_chunk::<4>()
            .ok_or(StateError("it is too short"))?;
        if !body.starts_with(MAGIC) {
            return Err(StateError("it does not start with TOILESTA"));
        }
        if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
            return Err(StateError("its checksum is wrong"));
        }
        let mut input = Input(&body[MAGIC.len()..]);
        if input.u32()? != VERSION {
            return Err(StateError("it was written by another version"));
        }
        let state = input.state()?;
        match input.0.is_empty() {
            true => Ok(state),
            false => Err(StateError("it has more bytes than it should")),
        }
    }
}

struct Output(Vec<u8>);

impl Output {
    fn u32(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    fn u64(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn f64(&mut self, number: f64) {
        self.0.extend(number.to_le_bytes());
    }

    fn vector(&mut self, vector: DVec3) {
        vector.to_array().into_iter().for_each(|x| self.f64(x));
    }

    fn list<T>(&mut self, list: &[T], put: impl Fn(&mut Self, &T)) {
        self.u64(list.len() as u64);
        list.iter().for_each(|item| put(self, item));
    }

    fn vectors(&mut self, list: &[DVec3]) {
        self.list(list, |out, v| out.vector(*v));
    }

    fn numbers(&mut self, list: &[f64]) {
        self.list(list, |out, x| out.f64(*x));
    }

    fn optional(&mut self, vector: Option<DVec3>) {
        self.u32(u32::from(vector.is_some()));
        if let Some(vector) = vector {
            self.vector(vector);
        }
    }

    fn stuck(&mut self, stuck: &Stuck) {
        [stuck.node, stuck.adhesion, stuck.body]
            .into_iter()
            .for_each(|n| self.u32(n));
        match stuck.anchor {
            Anchor::Frame(place) => {
                self.u32(NO_FACE);
                self.vector(place);
            }
            Anchor::Face { face, weights, way } => {
                self.u32(face);
                self.vector(DVec3::from_array(weights));
                self.vector(way);
            }
        }
    }

    fn bond(&mut self, bond: &Bond) {
        let [a, b, c] = bond.face;
        let is_torn = u32::from(bond.is_torn);
        [bond.node, bond.adhesion, a, b, c, is_torn]
            .into_iter()
            .for_each(|n| self.u32(n));
        self.vector(DVec3::from_array(bond.weights));
        self.vector(bond.way);
        self.f64(bond.pull);
    }

    fn commanded(&mut self, commanded: &Commanded) {
        self.optional(commanded.gravity);
        self.optional(commanded.wind);
        self.vectors(&commanded.forces);
        self.list(&commanded.grasps, Output::grasp);
        self.u32(commanded.grasps_made);
        self.list(&commanded.bodies, |out, (body, travel)| {
            out.u32(*body);
            out.travel(travel);
        });
        self.list(&commanded.settings, |out, setting| {
            out.u64(setting.name.len() as u64);
            out.0.extend(setting.name.as_bytes());
            out.f64(setting.value);
        });
        self.u32(u32::from(commanded.stage.is_some()));
        if let Some(mark) = commanded.stage {
            self.u32(mark.number);
            self.u32(u32::from(mark.is_told));
            self.f64(mark.since);
            self.f64(mark.quiet_since);
            self.u32(mark.cut_short.map_or(0, |number| number + 1));
        }
    }

    /// Id; nodes, weights, anchors; travel; 1 and the places that it leaves, or 0; stiffness (0 for a rigid grip) and damping.
    fn grasp(&mut self, grasp: &Grasp) {
        self.u32(grasp.id);
        self.list(&grasp.nodes, |out, n| out.u32(*n));
        self.numbers(&grasp.weights);
        self.vectors(&grasp.anchors);
        self.travel(&grasp.travel);
        self.u32(u32::from(grasp.leaving.is_some()));
        if let Some(leaving) = &grasp.leaving {
            self.f64(leaving.since);
            self.f64(leaving.until);
            self.vectors(&leaving.places);
        }
        let (stiffness, damping) = match grasp.grip {
            Grip::Rigid => (0.0, 0.0),
            Grip::Spring { stiffness, damping } => (stiffness, damping),
        };
        self.f64(stiffness);
        self.f64(damping);
    }

    fn pose(&mut self, pose: &Pose) {
        self.vector(pose.translation);
        pose.rotation
            .to_array()
            .into_iter()
            .for_each(|x| self.f64(x));
    }

    fn travel(&mut self, travel: &Travel) {
        self.f64(travel.since);
        self.pose(&travel.from);
        self.vector(travel.linear);
        self.vector(travel.angular);
        self.u32(u32::from(travel.goal.is_some()));
        if let Some((end, goal)) = &travel.goal {
            self.f64(*end);
            self.pose(goal);
        }
    }
}

struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn take<const N: usize>(&mut self) -> Read<[u8; N]> {
        let (head, tail) = self.0.split_first_chunk::<N>().ok_or(SHORT)?;
        self.0 = tail;
        Ok(*head)
    }

    fn u32(&mut self) -> Read<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Read<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn f64(&mut self) -> Read<f64> {
        self.u64().map(f64::from_bits)
    }

    fn vector(&mut self) -> Read<DVec3> {
        Ok(DVec3::new(self.f64()?, self.f64()?, self.f64()?))
    }

    /// A list whose items take at least `least` bytes each: what is declared must be there before room is made for it.
    fn list<T>(&mut self, least: usize, item: impl Fn(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let count = self.u64()?;
        if count > (self.0.len() / least) as u64 {
            return Err(SHORT);
        }
        (0..count).map(|_| item(self)).collect()
    }

    fn numbers(&mut self) -> Read<Vec<f64>> {
        self.list(8, Self::f64)
    }

    fn vectors(&mut self) -> Read<Vec<DVec3>> {
        self.list(24, Self::vector)
    }

    fn optional<T>(&mut self, item: impl Fn(&mut Self) -> Read<T>) -> Read<Option<T>> {
        match self.u32()? {
            0 => Ok(None),
            _ => item(self).map(Some),
        }
    }

    fn state(&mut self) -> Read<State> {
        let (time, steps) = (self.f64()?, self.u64()?);
        let (positions, velocities, last_change) =
            (self.vectors()?, self.vectors()?, self.vectors()?);
        let pins = self.list(12, |input| {
            let interval = input.u32()?;
            Ok(PinState {
                interval: (interval != u32::MAX).then_some(interval),
                anchors: input.vectors()?,
            })
        })?;
        let step = self.f64()?;
        let previous = match step > 0.0 {
            true => Some(Previous {
                step,
                positions: self.vectors()?,
                velocities: self.vectors()?,
            }),
            false => None,
        };
        let (rest_angles, creased, limit_forces) =
            (self.numbers()?, self.numbers()?, self.numbers()?);
        let contacts = self.list(44, |input| {
            let key = [input.u32()?, input.u32()?, input.u32()?];
            let key = ContactKey::from_numbers(key);
            Ok(KeptContact {
                key: key.ok_or(StateError("it has a contact of no known kind"))?,
                push: input.f64()?,
                drag: input.vector()?,
            })
        })?;
        let (pair, error) = (self.f64()?, self.f64()?);
        Ok(State {
            time,
            steps,
            positions,
            velocities,
            last_change,
            previous,
            rest_angles,
            creased,
            limit_forces,
            contacts,
            step_memory: (pair > 0.0).then_some(StepMemory { pair, error }),
            pins,
            stuck: self.list(40, Self::stuck)?,
            bonds: self.list(80, Self::bond)?,
            commanded: self.commanded()?,
        })
    }

    fn stuck(&mut self) -> Read<Stuck> {
        Ok(Stuck {
            node: self.u32()?,
            adhesion: self.u32()?,
            body: self.u32()?,
            anchor: match self.u32()? {
                NO_FACE => Anchor::Frame(self.vector()?),
                face => Anchor::Face {
                    face,
                    weights: self.vector()?.to_array(),
                    way: self.vector()?,
                },
            },
        })
    }

    fn bond(&mut self) -> Read<Bond> {
        let (node, adhesion) = (self.u32()?, self.u32()?);
        let face = [self.u32()?, self.u32()?, self.u32()?];
        let is_torn = self.u32()? != 0;
        Ok(Bond {
            node,
            adhesion,
            face,
            is_torn,
            weights: self.vector()?.to_array(),
            way: self.vector()?,
            pull: self.f64()?,
        })
    }

    fn commanded(&mut self) -> Read<Commanded> {
        Ok(Commanded {
            gravity: self.optional(Self::vector)?,
            wind: self.optional(Self::vector)?,
            forces: self.vectors()?,
            grasps: self.list(80, Self::grasp)?,
            grasps_made: self.u32()?,
            bodies: self.list(100, |input| Ok((input.u32()?, input.travel()?)))?,
            settings: self.list(16, |input| {
                Ok(Setting {
                    name: input.text()?,
                    value: input.f64()?,
                })
            })?,
            stage: self.optional(|input| {
                Ok(StageMark {
                    number: input.u32()?,
                    is_told: input.u32()? != 0,
                    since: input.f64()?,
                    quiet_since: input.f64()?,
                    cut_short: input.u32()?.checked_sub(1),
                })
            })?,
        })
    }

    fn text(&mut self) -> Read<String> {
        let length = usize::try_from(self.u64()?).map_err(|_| SHORT)?;
        let (text, rest) = self.0.split_at_checked(length).ok_or(SHORT)?;
        self.0 = rest;
        let text =
            std::str::from_utf8(text).map_err(|_| StateError("it has a name that is no text"))?;
        Ok(text.to_owned())
    }

    fn grasp(&mut self) -> Read<Grasp> {
        Ok(Grasp {
            id: self.u32()?,
            nodes: self.list(4, Self::u32)?,
            weights: self.numbers()?,
            anchors: self.vectors()?,
            travel: self.travel()?,
            leaving: self.optional(|input| {
                Ok(Leaving {
                    since: input.f64()?,
                    until: input.f64()?,
                    places: input.vectors()?,
                })
            })?,
            grip: match (self.f64()?, self.f64()?) {
                (0.0, _) => Grip::Rigid,
                (stiffness, damping) => Grip::Spring { stiffness, damping },
            },
        })
    }

    fn pose(&mut self) -> Read<Pose> {
        Ok(Pose {
            translation: self.vector()?,
            rotation: DQuat::from_xyzw(self.f64()?, self.f64()?, self.f64()?, self.f64()?),
        })
    }

    fn travel(&mut self) -> Read<Travel> {
        Ok(Travel {
            since: self.f64()?,
            from: self.pose()?,
            linear: self.vector()?,
            angular: self.vector()?,
            goal: self.optional(|input| Ok((input.f64()?, input.pose()?)))?,
        })
    }
}

#[cfg(test)]
mod tests;
