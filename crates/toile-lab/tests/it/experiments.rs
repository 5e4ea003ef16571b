//! Every experiment's short version comes out as it should.

use std::path::PathBuf;
use toile_lab::{EXPERIMENTS, Settings, run_experiment};

#[test]
fn every_verdict_of_every_experiment_holds() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("experiments");
    let settings = Settings { quick: true };
    let mut failed = Vec::new();
    for experiment in EXPERIMENTS {
        let outcome = run_experiment(experiment, &settings, &folder).unwrap();
        assert!(!outcome.measurements.is_empty(), "{}", experiment.name);
        if !outcome.holds() {
            failed.push(outcome.table());
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
