//! Recordings in files and folders.

use glam::DVec3;
use std::fs;
use std::path::PathBuf;
use toile_lab::observation::{NodeRecording, Observation, ReadOptions, read, write_nodes};

/// An empty folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("observation-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the folder for tests can be made");
    path
}

fn rate(fps: f64) -> ReadOptions {
    ReadOptions {
        fps: Some(fps),
        ..ReadOptions::default()
    }
}

#[test]
fn a_recording_is_written_and_read_by_name() {
    let folder = folder("nodes");
    let frames = (0..3).map(|k| vec![DVec3::ZERO, DVec3::X * f64::from(k)]);
    let recording = NodeRecording::new(vec![0.0, 0.5, 1.0], frames.collect()).unwrap();
    for name in ["a.npz", "a.npy", "a.CSV"] {
        let path = folder.join(name);
        write_nodes(&path, &recording).unwrap();
        let found = read(&path, &rate(2.0)).unwrap();
        assert_eq!(found, Observation::Nodes(recording.clone()), "{name}");
    }
    let error = write_nodes(&folder.join("a.txt"), &recording).unwrap_err();
    assert!(error.to_string().contains(".npz"), "{error}");
    let error = read(&folder.join("a.txt"), &rate(1.0)).unwrap_err();
    assert!(error.to_string().contains("folders"), "{error}");
    let error = read(&folder.join("b.npz"), &rate(1.0)).unwrap_err();
    assert!(error.to_string().contains("b.npz"), "{error}");
    let options = ReadOptions {
        expected_nodes: Some(9),
        ..rate(1.0)
    };
    let error = read(&folder.join("a.npz"), &options).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a.npz: the recording has 2 nodes"),
        "{error}"
    );
}

#[test]
fn a_folder_of_points_is_a_recording() {
    let folder = folder("clouds");
    let header = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
    fs::write(folder.join("scan-10.ply"), format!("{header}3 0 0\n")).unwrap();
    fs::write(folder.join("scan-9.ply"), format!("{header}2 0 0\n")).unwrap();
    fs::write(folder.join("scan-1.xyz"), "1 0 0\n1 1 0\n").unwrap();
    let error = read(&folder, &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("--fps"), "{error}");
    let options = ReadOptions {
        scale: 0.1,
        ..rate(4.0)
    };
    let Observation::Clouds(found) = read(&folder, &options).unwrap() else {
        panic!("these are clouds");
    };
    assert_eq!(found.times, [0.0, 0.25, 0.5]);
    assert_eq!(found.cloud(0).unwrap().len(), 2);
    assert!((found.clouds[2][0] - DVec3::X * 0.3).length() < 1e-15);

    fs::write(folder.join("times.csv"), "time\n0\n0.1\n0.3\n").unwrap();
    let found = read(&folder, &ReadOptions::default()).unwrap();
    assert_eq!(found.times(), [0.0, 0.1, 0.3]);
    fs::write(folder.join("times.csv"), "time\n0\n0.1\n").unwrap();
    let error = read(&folder, &ReadOptions::default()).unwrap_err();
    assert!(
        error.to_string().contains("2 times for 3 frames"),
        "{error}"
    );
    fs::write(folder.join("times.csv"), "0\nsoon\n1\n").unwrap();
    let error = read(&folder, &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("times.csv: line 2"), "{error}");
    fs::write(folder.join("times.csv"), "0\n1\n2\n").unwrap();
    fs::write(folder.join("scan-9.ply"), "ply\n").unwrap();
    let error = read(&folder, &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("scan-9.ply"), "{error}");
    fs::write(folder.join("scan-9.ply"), format!("{header}2 0 0\n")).unwrap();
    fs::write(folder.join("scan-1.xyz"), "").unwrap();
    let error = read(&folder, &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("frame 0 is empty"), "{error}");
}
