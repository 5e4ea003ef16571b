//! Covers the unit interval with times proven free of contact.

use super::direction::{candidates, towards_nearest};
use super::moving_polygon::MovingPolygon;
use super::number::{Real, Vector};
use super::volume::Volume;

/// Contact need not be located better than this, as a part of the motion.
const TIME_TOLERANCE: f64 = 1e-6;

/// An appeal takes as long as some rounds.
const COST_OF_APPEAL: usize = 3;

/// The most gaps that wait at a time. The earlier of two that are left of a gap has at most half its
/// width, and so on down to the shortest: log₂(1 / SHORTEST) ≈ 73 for double-doubles, and some more where
/// gaps are left in pieces.
const MOST_GAPS: usize = 100;

/// A time before which there is no contact, or `None` if there is none in the gap [from, to].
///
/// Gaps that are still open are worked on from the earliest to the latest: a direction guessed at some
/// time in one proves a while around it free, and what is left on either side are smaller gaps.
/// `appeal` takes over gaps too hard for `S`, and answers for them in the same way.
pub(super) fn cover<S: Real, const N: usize>(
    motion: &MovingPolygon<S, N>,
    gap: [S; 2],
    appeal: impl Fn([S; 2]) -> Option<S>,
) -> Option<S> {
    let free = match probe(motion, middle(gap)) {
        Some([from, to]) if from <= gap[0] && gap[1] <= to => return None,
        Some(free) => free,
        None => [middle(gap); 2],
    };
    let mut gaps = Gaps::new();
    let volume = (motion.distance == 0.0).then(|| Volume::new(motion));
    gaps.add_around(gap, free, volume.as_ref());
    let mut rounds = 0;
    while rounds < S::MOST_ROUNDS {
        rounds += 1;
        let gap = gaps.earliest()?;
        if volume.as_ref().is_some_and(|v| v.is_nonzero_on(gap)) {
            continue;
        }
        match look_at(motion, gap) {
            Finding::Closed => {}
            Finding::Open { gap, free } if gaps.has_room() => {
                gaps.add_around(gap, free, volume.as_ref());
            }
            Finding::Open { gap, .. } => return Some(gap[0]),
            Finding::Stuck { gap } => {
                if let Some(time) = appeal(gap) {
                    return Some(time);
                }
                rounds += COST_OF_APPEAL;
            }
        }
    }
    gaps.earliest().map(|gap| gap[0])
}

/// What a look at a gap has come to.
enum Finding<S> {
    Closed,
    /// The gap may have become smaller, and some times within it are free. If these are but an instant,
    /// no direction was found there, and both sides are worth a closer look.
    Open {
        gap: [S; 2],
        free: [S; 2],
    },
    /// No direction was found at the beginning of the gap, or anywhere in one that is short enough.
    Stuck {
        gap: [S; 2],
    },
}

/// Narrows a gap from both ends, as contact is approached from there in great steps, much as in Newton's
/// method; then tries the middle.
fn look_at<S: Real, const N: usize>(motion: &MovingPolygon<S, N>, gap: [S; 2]) -> Finding<S> {
    let [mut start, mut end] = gap;
    let narrow = is_narrow(gap);
    match probe(motion, start) {
        Some([_, free_to]) => start = start.max(free_to),
        None => return Finding::Stuck { gap },
    }
    if start >= end {
        return Finding::Closed;
    }
    match probe(motion, end) {
        Some([free_from, _]) => end = end.min(free_from),
        None if narrow => return Finding::Stuck { gap: [start, end] },
        None => {}
    }
    if start >= end {
        return Finding::Closed;
    }
    let gap = [start, end];
    let at = middle(gap);
    if (end - start).to_f64() < S::SHORTEST {
        return Finding::Stuck { gap };
    }
    match probe(motion, at) {
        Some(free) => Finding::Open { gap, free },
        None if narrow => Finding::Stuck { gap },
        None => Finding::Open { gap, free: [at; 2] },
    }
}

/// Whether the time is known well enough to be told.
fn is_narrow<S: Real>([from, to]: [S; 2]) -> bool {
    (to - from).to_f64() <= TIME_TOLERANCE
}

/// The gaps that wait for their turn, the earliest on top.
struct Gaps<S> {
    waiting: [[S; 2]; MOST_GAPS],
    count: usize,
}

impl<S: Real> Gaps<S> {
    fn new() -> Self {
        Self {
            waiting: [[S::zero(); 2]; MOST_GAPS],
            count: 0,
        }
    }

    fn earliest(&mut self) -> Option<[S; 2]> {
        self.count = self.count.checked_sub(1)?;
        Some(self.waiting[self.count])
    }

    fn has_room(&self) -> bool {
        self.count + 6 <= MOST_GAPS
    }

    /// What is left of a gap around the times proven free.
    fn add_around(&mut self, gap: [S; 2], free: [S; 2], volume: Option<&Volume<S>>) {
        self.add_pieces([free[1], gap[1]], volume);
        self.add_pieces([gap[0], free[0]], volume);
    }

    /// A gap, in three pieces if the volume changes its sign: contact then is likely in the short one
    /// about that time, and impossible elsewhere.
    fn add_pieces(&mut self, gap: [S; 2], volume: Option<&Volume<S>>) {
        let crossing = || volume?.sign_change(gap.map(S::to_f64));
        let Some(time) = (if is_narrow(gap) { None } else { crossing() }) else {
            return self.add(gap);
        };
        let cut = |time: f64| S::exact(time).max(gap[0]).min(gap[1]);
        let about = 0.25 * TIME_TOLERANCE;
        let (before, after) = (cut(time - about), cut(time + about));
        self.add([after, gap[1]]);
        self.add([before, after]);
        self.add([gap[0], before]);
    }

    fn add(&mut self, gap: [S; 2]) {
        if gap[0] < gap[1] {
            self.waiting[self.count] = gap;
            self.count += 1;
        }
    }
}

fn middle<S: Real>([from, to]: [S; 2]) -> S {
    from + (to - from) * S::exact(0.5)
}

/// An interval around `time` that is proven free.
fn probe<S: Real, const N: usize>(motion: &MovingPolygon<S, N>, time: S) -> Option<[S; 2]> {
    let corners = motion.at(time);
    let around_time = |direction: Vector<S>| {
        // Of size 1, or of no use.
        let unit = direction * S::exact(1.0 / direction.largest().to_f64());
        let [from, to] = motion.free_times(unit)?;
        (from <= time && time <= to).then_some([from, to])
    };
    around_time(towards_nearest(&corners)).or_else(|| candidates(&corners).find_map(around_time))
}

/// Whether the origin plainly passes through the polygon about the time of the gap: it changes sides,
/// and stays well inside the edges. Such contact needs no closer look. An answer by rounded numbers,
/// good enough as an error costs a false alarm at most.
pub(super) fn passes_through<const N: usize>(
    motion: &MovingPolygon<f64, N>,
    [from, to]: [f64; 2],
) -> bool {
    let around = [from - TIME_TOLERANCE, to + TIME_TOLERANCE];
    if !is_narrow([from, to]) || around[0] < 0.0 || around[1] > 1.0 {
        return false;
    }
    let [before, after] = around.map(|time| {
        let x = motion.at(time);
        let normal = (x[1] - x[0]).cross(x[2] - x[1]);
        let square = normal.dot(normal);
        let inside = |i: usize| x[i].cross(x[(i + 1) % N]).dot(normal) > 1e-3 * square;
        let height = normal.dot(x[0]);
        let plain = height * height > 1e-24 * square * x[0].dot(x[0]);
        (plain && (0..N).all(inside)).then_some(height)
    });
    matches!((before, after), (Some(a), Some(b)) if (a < 0.0) != (b < 0.0))
}
