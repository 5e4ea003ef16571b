//! Every experiment's short version comes out as it should.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use toile_lab::{EXPERIMENTS, Settings, run_experiment};

#[test]
fn every_verdict_of_every_experiment_holds() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("experiments");
    let settings = Settings { quick: true };
    let failed = Mutex::new(Vec::new());
    // Short versions are too small to be shared out among cores, so each core takes the next experiment.
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(experiment) = EXPERIMENTS.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = run_experiment(experiment, &settings, &folder).unwrap();
            assert!(!outcome.measurements.is_empty(), "{}", experiment.name);
            if !outcome.holds() {
                failed.lock().unwrap().push(outcome.table());
            }
        }
    };
    thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..cores {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
