//! The 27 points of a cell that is halved: corners, middles of edges and faces, centre.
//!
//! They are numbered `x + 3 y + 9 z` with each coordinate 0, 1 or 2.

/// A point of the root cube, in units of the finest cells.
pub(super) type Lattice = [u32; 3];

/// How many of the points there are.
pub(super) const POINTS: usize = 27;
/// The centre among them.
pub(super) const CENTRE: usize = 13;

/// Coordinates of one of the 27 points, each 0, 1 or 2.
pub(super) const fn coordinates(point: usize) -> [usize; 3] {
    [point % 3, point / 3 % 3, point / 9]
}

/// The corners of the smallest side of the cell (edge, face, or the whole cell) around each of the 27 points.
/// Interpolated there, the field is their mean.
pub(super) struct Parents {
    lists: [[u8; 8]; POINTS],
    counts: [u8; POINTS],
}

impl Parents {
    pub(super) const TABLE: Parents = Parents::new();

    const fn new() -> Self {
        let mut table = Parents {
            lists: [[0; 8]; POINTS],
            counts: [0; POINTS],
        };
        let mut point = 0;
        while point < POINTS {
            let mut corner = 0;
            while corner < 8 {
                if touches(point, corner) {
                    table.lists[point][table.counts[point] as usize] = corner as u8;
                    table.counts[point] += 1;
                }
                corner += 1;
            }
            point += 1;
        }
        table
    }

    /// One corner for a corner, two for an edge, four for a face, eight for the centre.
    pub(super) fn of(&self, point: usize) -> &[u8] {
        &self.lists[point][..self.counts[point] as usize]
    }
}

/// Whether a point lies halfway or at the corner along every axis.
const fn touches(point: usize, corner: usize) -> bool {
    let place = coordinates(point);
    let mut axis = 0;
    while axis < 3 {
        if place[axis] != 1 && place[axis] != 2 * (corner >> axis & 1) {
            return false;
        }
        axis += 1;
    }
    true
}

/// Numbers lattice points in the order in which they first come up. A plain table with open addressing, so
/// that nothing depends on a random hash.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    slots: Vec<(u64, u32)>,
    count: usize,
}

const EMPTY: u64 = u64::MAX;

impl Index {
    /// Forgets all points and makes room for about `expected`.
    pub(super) fn clear(&mut self, expected: usize) {
        let room = (2 * expected).next_power_of_two().max(64);
        self.slots.clear();
        self.slots.resize(room, (EMPTY, 0));
        self.count = 0;
    }

    /// The number stored for a point, which is `fresh` if the point is new.
    pub(super) fn number(&mut self, point: Lattice, fresh: u32) -> u32 {
        if 4 * self.count >= 3 * self.slots.len() {
            self.grow();
        }
        let key = point.iter().fold(0, |key, &c| key << 21 | u64::from(c));
        let slot = self.slot(key);
        if self.slots[slot].0 == EMPTY {
            self.slots[slot] = (key, fresh);
            self.count += 1;
        }
        self.slots[slot].1
    }

    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mixed = (key ^ key >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut slot = (mixed >> 32) as usize & mask;
        while self.slots[slot].0 != EMPTY && self.slots[slot].0 != key {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let doubled = vec![(EMPTY, 0); 2 * self.slots.len()];
        for entry in std::mem::replace(&mut self.slots, doubled) {
            if entry.0 != EMPTY {
                let slot = self.slot(entry.0);
                self.slots[slot] = entry;
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<(u64, u32)>() * self.slots.capacity()
    }
}
