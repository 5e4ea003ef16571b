//! Loops over nodes and elements on all threads, with results that do not depend on how many.
//!
//! Two rules make them the same bit for bit: every output is written by exactly one loop body from inputs
//! that nobody writes, and sums run over pieces of a fixed size in a fixed order.

use glam::DVec3;

/// Elements a thread takes at once.
pub(crate) const PIECE: usize = 2048;
/// Loops shorter than this stay on the calling thread: waking another takes longer than they do.
#[cfg(feature = "parallel")]
const WORTHWHILE: usize = 8 * PIECE;

/// Calls `f(i, &mut a[i], &mut b[i])` for all `i`.
pub(crate) fn for_each_of_two<A: Send, B: Send>(
    a: &mut [A],
    b: &mut [B],
    f: impl Fn(usize, &mut A, &mut B) + Sync,
) {
    let piece = |(p, (a, b)): (usize, (&mut [A], &mut [B]))| {
        for (k, (a, b)) in a.iter_mut().zip(b).enumerate() {
            f(p * PIECE + k, a, b);
        }
    };
    #[cfg(feature = "parallel")]
    if a.len() >= WORTHWHILE {
        use rayon::prelude::*;
        let pieces = a.par_chunks_mut(PIECE).zip(b.par_chunks_mut(PIECE));
        return pieces.enumerate().for_each(piece);
    }
    let pieces = a.chunks_mut(PIECE).zip(b.chunks_mut(PIECE));
    pieces.enumerate().for_each(piece);
}

/// `out[i] = f(i)` for all `i`.
pub(crate) fn fill<T: Send>(out: &mut [T], f: impl Fn(usize) -> T + Sync) {
    for_each(out, |i, slot| *slot = f(i));
}

/// Calls `f(i, &mut out[i])` for all `i`.
pub(crate) fn for_each<T: Send>(out: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
    let piece = |(p, slots): (usize, &mut [T])| {
        for (k, slot) in slots.iter_mut().enumerate() {
            f(p * PIECE + k, slot);
        }
    };
    #[cfg(feature = "parallel")]
    if out.len() >= WORTHWHILE {
        use rayon::prelude::*;
        return out.par_chunks_mut(PIECE).enumerate().for_each(piece);
    }
    out.chunks_mut(PIECE).enumerate().for_each(piece);
}

/// Elements a thread takes at once where each takes long.
#[cfg(feature = "parallel")]
const COSTLY_PIECE: usize = 256;

/// Like [`for_each`], for bodies that take a tenth of a microsecond or longer.
pub(crate) fn for_each_costly<T: Send>(out: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
    #[cfg(feature = "parallel")]
    if out.len() >= 4 * COSTLY_PIECE {
        use rayon::prelude::*;
        let pieces = out.par_chunks_mut(COSTLY_PIECE).enumerate();
        return pieces.for_each(|(p, slots)| {
            for (k, slot) in slots.iter_mut().enumerate() {
                f(p * COSTLY_PIECE + k, slot);
            }
        });
    }
    for_each(out, f);
}

/// `Σ f(i)` over `0..count`, added up piece by piece.
pub(crate) fn sum(count: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    (0..count)
        .step_by(PIECE)
        .map(|from| (from..count.min(from + PIECE)).map(&f).sum::<f64>())
        .sum()
}

/// `Σ aᵢ·bᵢ`.
pub(crate) fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    let pieces = a.chunks(PIECE).zip(b.chunks(PIECE));
    pieces
        .map(|(a, b)| a.iter().zip(b).map(|(p, q)| p.dot(*q)).sum::<f64>())
        .sum()
}

/// How many threads there are to share work.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    1
}

/// Calls `f` with each item, the items in any order and on any thread.
pub(crate) fn each<T: Send>(items: Vec<T>, f: impl Fn(T) + Sync + Send) {
    #[cfg(feature = "parallel")]
    if items.len() > 1 {
        use rayon::prelude::*;
        return items.into_par_iter().for_each(f);
    }
    items.into_iter().for_each(f);
}

/// Both results, worked out side by side where that is `worthwhile`.
pub(crate) fn join<A: Send, B: Send>(
    worthwhile: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "parallel")]
    if worthwhile {
        return rayon::join(a, b);
    }
    let _ = worthwhile;
    (a(), b())
}

/// `f(0), f(1), …` on any thread, for loops whose bodies take long.
pub(crate) fn in_order<T: Send>(count: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        (0..count).into_par_iter().with_min_len(64).map(f).collect()
    }
    #[cfg(not(feature = "parallel"))]
    (0..count).map(f).collect()
}

/// Calls `f` with each task, the tasks in any order and on any thread. For few tasks of much work each.
pub(crate) fn for_each_task<T: Send>(tasks: &mut [T], f: impl Fn(&mut T) + Sync) {
    #[cfg(feature = "parallel")]
    if tasks.len() > 1 {
        use rayon::prelude::*;
        return tasks.par_iter_mut().with_max_len(1).for_each(&f);
    }
    tasks.iter_mut().for_each(f);
}
