//! Many simulations at once, one to a thread.
//!
//! A small simulation gains nothing from a second thread; two small simulations do. Results come back in the order of the items,
//! whoever worked them out, so nothing depends on the number of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many jobs to run if nobody says: as many as there are threads, which is as many as there are cores
/// unless somebody has said otherwise.
pub fn usual() -> usize {
    rayon::current_num_threads()
}

/// Works on items on up to `jobs` threads. `done` hears of every result as it comes; the items that were not begun when `stop` was set
/// have none.
pub(crate) fn map<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    stop: &AtomicBool,
    work: impl Fn(&T) -> R + Sync,
    done: impl FnMut(usize, &R) + Send,
) -> Vec<Option<R>> {
    let next = AtomicUsize::new(0);
    let results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let shared = Mutex::new((results, done));
    let worker = || {
        // The engine's own threads would only get in each other's way.
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        while !stop.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return;
            };
            let result = match &alone {
                Ok(pool) => pool.install(|| work(item)),
                Err(_) => work(item),
            };
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            let (results, done) = &mut *shared;
            done(index, &result);
            results[index] = Some(result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            scope.spawn(worker);
        }
    });
    let (results, _) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order_and_each_is_announced_once() {
        let items: Vec<u64> = (0..50).collect();
        for jobs in [1, 3] {
            let stop = AtomicBool::new(false);
            let mut heard = Vec::new();
            let squares = map(jobs, &items, &stop, |n| n * n, |index, _| heard.push(index));
            let squares: Vec<u64> = squares.into_iter().flatten().collect();
            assert_eq!(squares, items.iter().map(|n| n * n).collect::<Vec<_>>());
            heard.sort_unstable();
            assert_eq!(heard, (0..50).collect::<Vec<_>>());
        }
    }

    #[test]
    fn nothing_begins_after_a_stop() {
        let stop = AtomicBool::new(false);
        let stop_at_second = |n: &u32| {
            if *n == 1 {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let done = map(1, &[0, 1, 2, 3], &stop, stop_at_second, |_, _| {});
        assert_eq!(done, [Some(()), Some(()), None, None]);
    }
}
