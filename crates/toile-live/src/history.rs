//! What a session keeps to look back on, and to go on from.
//!
//! Of every `stride`-th step the positions are kept, in single precision; of some of them the whole state, from which the
//! simulation can be led to any later frame by the commands that were given since. When both together take more memory than they
//! may, every second frame is forgotten and the stride doubles: the whole way stays, in coarser steps.

use crate::bytes::ShownGrasp;
use crate::field::Touched;
use glam::{DQuat, DVec3};
use std::collections::BTreeMap;
use toile::command::Command;
use toile::drive::Travel;

/// A snapshot for every so many kept frames.
const FRAMES_PER_SNAPSHOT: u32 = 10;

/// A kept frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// Simulated time (s).
    pub time: f64,
    /// What the nodes are relative to (m).
    pub origin: DVec3,
    /// The nodes (m).
    pub positions: Vec<[f32; 3]>,
    /// Poses of the scene's bodies.
    pub poses: Vec<(DVec3, DQuat)>,
    /// What led the engine's bodies off their paths.
    pub led: Vec<(u32, Travel)>,
    /// What was held, and how it pulled.
    pub grasps: Vec<ShownGrasp>,
    /// The nodes that contact acted on in the step before.
    pub touched: Vec<Touched>,
}

impl Kept {
    fn bytes(&self) -> usize {
        size_of::<Kept>()
            + size_of_val(self.positions.as_slice())
            + size_of_val(self.poses.as_slice())
            + size_of_val(self.led.as_slice())
            + size_of_val(self.grasps.as_slice())
            + size_of_val(self.touched.as_slice())
    }
}

/// Kept frames, snapshots and commands.
#[derive(Clone, Debug)]
pub struct History {
    budget: usize,
    used: usize,
    stride: u32,
    frames: BTreeMap<u32, Kept>,
    snapshots: BTreeMap<u32, Vec<u8>>,
    /// What was commanded after how many steps.
    log: Vec<(u32, Command)>,
}

impl History {
    /// An empty one with so much memory (bytes).
    pub fn new(budget: usize) -> Self {
        History {
            budget,
            used: 0,
            stride: 1,
            frames: BTreeMap::new(),
            snapshots: BTreeMap::new(),
            log: Vec::new(),
        }
    }

    /// Every so manieth frame is kept.
    pub fn stride(&self) -> u32 {
        self.stride
    }

    /// Bytes in use.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Whether a frame is to be kept.
    pub fn wants(&self, frame: u32) -> bool {
        frame.is_multiple_of(self.stride)
    }

    /// Whether the whole state of a frame is to be kept.
    pub fn wants_snapshot(&self, frame: u32) -> bool {
        frame.is_multiple_of(self.stride * FRAMES_PER_SNAPSHOT)
    }

    /// Keeps a frame.
    pub fn keep(&mut self, frame: u32, kept: Kept) {
        self.used += kept.bytes();
        if let Some(old) = self.frames.insert(frame, kept) {
            self.used -= old.bytes();
        }
        self.thin();
    }

    /// Keeps a state.
    pub fn keep_snapshot(&mut self, frame: u32, snapshot: Vec<u8>) {
        self.used += snapshot.len();
        if let Some(old) = self.snapshots.insert(frame, snapshot) {
            self.used -= old.len();
        }
        self.thin();
    }

    /// Notes a command that was obeyed after so many steps.
    pub fn note(&mut self, frame: u32, command: Command) {
        // Of a grasp that is led between two steps only the last word counts.
        if let Command::MoveGrasp { grasp, .. } = &command {
            let moved = *grasp;
            let same = |(at, other): &(u32, Command)| {
                *at == frame && matches!(other, Command::MoveGrasp { grasp, .. } if *grasp == moved)
            };
            if self.log.last().is_some_and(same) {
                self.log.pop();
            }
        }
        self.log.push((frame, command));
    }

    /// Forgets every second frame until the rest fits. The first one stays in any case.
    fn thin(&mut self) {
        while self.used > self.budget && self.frames.len() + self.snapshots.len() > 4 {
            self.stride *= 2;
            let (stride, coarse) = (self.stride, self.stride * FRAMES_PER_SNAPSHOT);
            self.frames.retain(|frame, _| frame.is_multiple_of(stride));
            self.snapshots
                .retain(|frame, _| frame.is_multiple_of(coarse));
            let frames = self.frames.values().map(Kept::bytes);
            let snapshots = self.snapshots.values().map(Vec::len);
            self.used = frames.chain(snapshots).sum();
        }
    }

    /// The kept frame that is nearest to a number.
    pub fn nearest(&self, frame: u32) -> Option<(u32, &Kept)> {
        let before = self.frames.range(..=frame).next_back();
        let after = self.frames.range(frame..).next();
        let distance = |found: &(&u32, &Kept)| found.0.abs_diff(frame);
        let both = before.into_iter().chain(after);
        both.min_by_key(distance).map(|(&at, kept)| (at, kept))
    }

    /// The kept frame before another.
    pub fn before(&self, frame: u32) -> Option<&Kept> {
        Some(self.frames.range(..frame).next_back()?.1)
    }

    /// The newest state that is not later than a frame.
    pub fn snapshot(&self, frame: u32) -> Option<(u32, &[u8])> {
        let found = self.snapshots.range(..=frame).next_back()?;
        Some((*found.0, found.1.as_slice()))
    }

    /// What was commanded after so many steps.
    pub fn commands(&self, frame: u32) -> Vec<Command> {
        let from = self.log.partition_point(|(at, _)| *at < frame);
        let given = self.log[from..].iter().take_while(|(at, _)| *at == frame);
        given.map(|(_, command)| command.clone()).collect()
    }

    /// Forgets what came after a frame, and what was commanded in it.
    pub fn cut(&mut self, frame: u32) {
        self.frames.split_off(&(frame + 1));
        self.snapshots.split_off(&(frame + 1));
        self.log.retain(|(at, _)| *at < frame);
        let frames = self.frames.values().map(Kept::bytes);
        let snapshots = self.snapshots.values().map(Vec::len);
        self.used = frames.chain(snapshots).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(time: f64) -> Kept {
        Kept {
            time,
            origin: DVec3::ZERO,
            positions: vec![[0.0; 3]; 100],
            poses: Vec::new(),
            led: Vec::new(),
            grasps: Vec::new(),
            touched: Vec::new(),
        }
    }

    #[test]
    fn memory_stays_within_its_bounds_and_the_whole_way_stays() {
        let budget = 100_000;
        let mut history = History::new(budget);
        for frame in 0..5000 {
            if history.wants_snapshot(frame) {
                history.keep_snapshot(frame, vec![0; 5000]);
            }
            if history.wants(frame) {
                history.keep(frame, kept(f64::from(frame)));
            }
            assert!(history.used() <= budget, "{} at {frame}", history.used());
        }
        assert_eq!(history.nearest(0).map(|(at, _)| at), Some(0));
        let (near, _) = history.nearest(3333).unwrap_or_else(|| unreachable!());
        assert!(near.abs_diff(3333) <= history.stride());
        assert_eq!(history.snapshot(history.stride()).map(|s| s.0), Some(0));
    }

    #[test]
    fn what_came_after_a_cut_is_gone() {
        let mut history = History::new(1 << 20);
        (0..20).for_each(|frame| history.keep(frame, kept(0.0)));
        history.note(3, Command::Release { grasp: 1 });
        history.note(7, Command::Release { grasp: 2 });
        history.cut(7);
        assert_eq!(history.nearest(19).map(|(at, _)| at), Some(7));
        assert_eq!(history.commands(3).len(), 1);
        assert!(history.commands(7).is_empty());
    }
}
