use super::*;
use proptest::prelude::*;

mod formats;

/// A sheet of 3 × 2 nodes that swings, at 10 frames per second.
fn swing(frames: usize) -> NodeRecording {
    let frame = |k: usize| {
        let shift = DVec3::new(0.0, (0.3 * k as f64).sin(), 0.1 / (k + 1) as f64);
        let node = |n: usize| DVec3::new(0.1 * (n % 3) as f64, 0.1 * (n / 3) as f64, 0.0) + shift;
        (0..6).map(node).collect()
    };
    let times = (0..frames).map(|k| k as f64 / 10.0).collect();
    let recording = NodeRecording::new(times, (0..frames).map(frame).collect()).unwrap();
    recording
        .with_grid([3, 2])
        .unwrap()
        .with_held(&[2, 0])
        .unwrap()
}

fn nodes(observation: Result<Observation, RecordingError>) -> NodeRecording {
    match observation.unwrap() {
        Observation::Nodes(recording) => recording,
        Observation::Clouds(_) => panic!("these are clouds"),
    }
}

#[track_caller]
fn assert_says<T: std::fmt::Debug>(result: Result<T, RecordingError>, parts: &[&str]) {
    let message = result.unwrap_err().to_string();
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn gaps_are_filled_and_remembered() {
    let full = swing(6);
    let mut frames = full.frames.clone();
    frames[0][1] = DVec3::NAN;
    frames[2][4] = DVec3::NAN;
    frames[3][4].y = f64::INFINITY;
    frames[5][5] = DVec3::NAN;
    let found = NodeRecording::new(full.times.clone(), frames).unwrap();
    assert_eq!(found.frames[0][1], full.frames[1][1]);
    assert_eq!(found.frames[5][5], full.frames[4][5]);
    let line = full.frames[1][4].lerp(full.frames[4][4], 1.0 / 3.0);
    assert!((found.frames[2][4] - line).length() < 1e-15);
    assert!(!found.is_seen(3, 4) && found.is_seen(4, 4));
    assert_eq!(found.seen_count(), 32);
    assert!(found.is_seen_at(0.1, 4) && !found.is_seen_at(0.11, 4) && found.is_seen_at(0.4, 4));
    let note = "4 of 36 node positions are missing and were interpolated (first: frame 0, node 1)";
    assert_eq!(found.notes, [note]);
}

#[test]
fn frames_in_which_nothing_is_seen_are_dropped() {
    let full = swing(6);
    let mut frames = full.frames.clone();
    frames[0] = vec![DVec3::NAN; 6];
    frames[3] = vec![DVec3::NAN; 6];
    let found = NodeRecording::new(full.times.clone(), frames).unwrap();
    assert_eq!(found.times, [0.1, 0.2, 0.4, 0.5]);
    assert_eq!(found.frames[2], full.frames[4]);
    assert_eq!(found.notes, ["2 dropped frames (first: frame 0)"]);
}

#[test]
fn what_says_too_little_is_refused() {
    let times = vec![0.0, 1.0];
    let frame = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let with = |gaps: &[usize]| {
        let mut frame = frame.clone();
        gaps.iter().for_each(|&node| frame[node] = DVec3::NAN);
        frame
    };
    let read = |frames: Vec<Vec<DVec3>>| NodeRecording::new(times.clone(), frames);
    assert_says(read(vec![with(&[1]), with(&[1])]), &["node 1", "any frame"]);
    let half_gone = read(vec![with(&[0, 1]), with(&[1, 2])]);
    assert_says(half_gone, &["4 of 6", "node 0 of frame 0", "half"]);
    assert_says(
        read(vec![frame.clone(), vec![DVec3::ZERO]]),
        &["frame 1", "1 nodes"],
    );
    assert_says(read(vec![vec![], vec![]]), &["no nodes"]);
    let at = |times: &[f64]| NodeRecording::new(times.to_vec(), vec![frame.clone(); times.len()]);
    assert_says(at(&[0.0, f64::NAN]), &["frame 1", "NaN"]);
    assert_says(at(&[0.0, 2.0, 1.0]), &["frame 2", "1 s", "2 s"]);
    assert_says(at(&[0.0, 0.0]), &["frame 1", "doubles"]);
    assert_says(at(&[]), &["0 frames"]);
    assert_says(swing(3).check_nodes(5), &["6 nodes", "cloth 5"]);
}

#[test]
fn units_are_told_by_size() {
    let recording = swing(4);
    let scaled = |scale: f64| {
        let options = ReadOptions {
            scale,
            ..ReadOptions::default()
        };
        nodes(decode_npz(&encode_npz(&recording).unwrap(), &options)).check_size(0.22)
    };
    assert_eq!(scaled(1.0), Ok(()));
    assert_says(scaled(1000.0), &["millimetres", "--unit mm"]);
    assert_says(scaled(100.0), &["centimetres", "--unit cm"]);
    assert_says(scaled(1e6), &["3000 times larger"]);
    assert_says(scaled(0.01), &["leave it out", "--unit cm"]);
    assert_says(scaled(0.001), &["leave it out", "--unit mm"]);
    assert_says(scaled(1e-6), &["this cloth?"]);
    let options = ReadOptions {
        scale: -1.0,
        ..ReadOptions::default()
    };
    assert_says(decode_csv(b"", &options), &["scale", "0.001"]);
}

#[test]
fn positions_between_frames() {
    let recording = swing(4);
    let mut found = Vec::new();
    recording.at(0.15, &mut found);
    let middle = recording.frames[1][3].midpoint(recording.frames[2][3]);
    assert!((found[3] - middle).length() < 1e-12);
    recording.at(-1.0, &mut found);
    assert_eq!(found, recording.frames[0]);
    recording.at(7.0, &mut found);
    assert_eq!(found, recording.frames[3]);
    assert_eq!(recording.span(), [0.0, 3.0 / 10.0]);
}

#[test]
fn resampling_keeps_the_ends_and_the_mask() {
    let mut recording = swing(4);
    recording.seen[1][2] = false;
    let finer = recording.resample(0.05).unwrap();
    assert_eq!(finer.times.len(), 7);
    assert_eq!(finer.grid, recording.grid);
    for frame in 0..4 {
        for (a, b) in finer.frames[2 * frame].iter().zip(&recording.frames[frame]) {
            assert!((a - b).length() < 1e-12);
        }
    }
    let hidden: Vec<bool> = finer.seen.iter().map(|row| !row[2]).collect();
    assert_eq!(hidden, [false, true, true, true, false, false, false]);
    for wrong in [0.0, -1.0, f64::NAN, 1e-12] {
        assert_says(recording.resample(wrong), &["interval"]);
    }
    assert_says(recording.resample(1.0), &["at least 2"]);
}

#[test]
fn damage_is_as_large_as_asked_and_always_the_same() {
    let recording = swing(400);
    let damage = Damage {
        noise: 0.01,
        drop_frames: 0.25,
        jitter: 0.02,
        missing: 0.1,
        seed: 5,
    };
    let damaged = damage.apply(&recording).unwrap();
    assert_eq!(damaged, damage.apply(&recording).unwrap());
    let kept = damaged.times.len() as f64 / 400.0;
    assert!((kept - 0.75).abs() < 0.06, "{kept}");
    let seen = damaged.seen_count() as f64 / (6 * damaged.times.len()) as f64;
    assert!((seen - 0.9).abs() < 0.03, "{seen}");
    assert!((damaged.times[0] - recording.times[0]).abs() < 0.05);
    let noise_only = Damage {
        noise: 0.01,
        ..Damage::default()
    };
    let noisy = noise_only.apply(&recording).unwrap();
    assert_eq!(noisy.times, recording.times);
    let pairs = noisy
        .frames
        .iter()
        .flatten()
        .zip(recording.frames.iter().flatten());
    let square: f64 = pairs.map(|(a, b)| (a - b).length_squared()).sum();
    let deviation = (square / (3.0 * 2400.0)).sqrt();
    assert!((deviation - 0.01).abs() < 5e-4, "{deviation}");
    assert_eq!(Damage::default().apply(&recording).unwrap(), recording);
    let other = Damage { seed: 6, ..damage };
    assert_ne!(other.apply(&recording).unwrap(), damaged);
    // Even if all else is lost, something is left of the first frame.
    let frames = vec![vec![DVec3::ZERO]; 9];
    let single = NodeRecording::new((0..9).map(f64::from).collect(), frames).unwrap();
    for seed in 0..50 {
        let hiding = Damage {
            missing: 0.3,
            seed,
            ..Damage::default()
        };
        if let Ok(hidden) = hiding.apply(&single) {
            assert_eq!(hidden.times[0], 0.0);
        }
    }
    let wrong = Damage {
        missing: 1.5,
        ..damage
    };
    assert_says(wrong.apply(&recording), &["missing", "1.5"]);
}

/// Recordings of 2 to 5 frames and up to 4 nodes, some of them hidden.
fn recordings() -> impl Strategy<Value = NodeRecording> {
    let position = (-1e3..1e3, -1e-3..1e-3, -1.0..1.0f64);
    let node = (position, 0..8).prop_map(|((x, y, z), hidden)| match hidden {
        0 => DVec3::NAN,
        _ => DVec3::new(x, y, z),
    });
    let shape = (2usize..6, 1usize..5);
    let frames = shape.prop_flat_map(move |(frames, nodes)| {
        prop::collection::vec(prop::collection::vec(node.clone(), nodes), frames)
    });
    let timed = (frames, 0.001..10.0f64).prop_map(|(frames, step)| {
        let times = (0..frames.len()).map(|k| k as f64 * step - 1.0).collect();
        NodeRecording::new(times, frames).ok()
    });
    timed.prop_filter_map("too little is seen", |recording| recording)
}

proptest! {
    #[test]
    fn what_is_written_is_read(recording in recordings()) {
        let options = ReadOptions::default();
        let npz = nodes(decode_npz(&encode_npz(&recording).unwrap(), &options));
        let csv = nodes(decode_csv(encode_csv(&recording).as_bytes(), &options));
        for found in [npz, csv] {
            prop_assert_eq!(&found.times, &recording.times);
            prop_assert_eq!(&found.frames, &recording.frames);
            prop_assert_eq!(&found.seen, &recording.seen);
        }
    }

    #[test]
    fn damaged_bytes_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
        form in 0..3,
    ) {
        let recording = swing(3);
        let mut bytes = match form {
            0 => encode_npz(&recording).unwrap(),
            1 => encode_npy(&recording),
            _ => encode_csv(&recording).into_bytes(),
        };
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        bytes.truncate(cut.index(2 * bytes.len()));
        let options = ReadOptions { fps: Some(10.0), ..ReadOptions::default() };
        let _ = decode_npz(&bytes, &options);
        let _ = decode_npy(&bytes, &options);
        let _ = decode_csv(&bytes, &options);
    }
}
