//! The page is taken apart again and compared with the recording it came from.

use super::*;
use crate::recording::{BodyPose, BodyTrack, ClothTrack, RecordingWriter};
use glam::{DQuat, DVec3};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use toile::mesh::Face;

const CELLS: u32 = 6;

/// A file in the system's folder for passing things, gone at the end of the test.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("toile-report-{}-{number}.toile", std::process::id());
        TemporaryFile(std::env::temp_dir().join(name))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn cloth(name: &str, first_node: usize) -> ClothTrack {
    let row = CELLS + 1;
    let starts = (0..CELLS).flat_map(|j| (0..CELLS).map(move |i| j * row + i));
    let faces: Vec<Face> = starts
        .map(|a| Face::Quad([a, a + 1, a + 1 + row, a + row]))
        .collect();
    ClothTrack {
        name: name.to_owned(),
        first_node,
        node_count: (row * row) as usize,
        rest_areas: vec![1.0; faces.len()],
        edges: vec![[0, 1], [1, 2]],
        rest_lengths: vec![1.0; 2],
        faces,
        thickness: 0.001,
        colors: [[0.2, 0.3, 0.4], [0.5, 0.6, 0.7]],
        attributes: Default::default(),
    }
}

fn position(node: usize, time: f64) -> DVec3 {
    let x = node as f64;
    DVec3::new(
        0.3 * (x + time).sin(),
        -4.0 + 0.01 * x,
        0.7 * (0.3 * x * time).cos(),
    )
}

fn record(
    title: &str,
    cloths: usize,
    frames: usize,
    bodies: &[BodyTrack],
) -> (TemporaryFile, Recording) {
    let file = TemporaryFile::new();
    let nodes = ((CELLS + 1) * (CELLS + 1)) as usize;
    let tracks: Vec<ClothTrack> = (0..cloths).map(|k| cloth(title, k * nodes)).collect();
    let mut writer = RecordingWriter::create(&file.0, title, 10.0, &tracks, bodies).unwrap();
    for frame in 0..frames {
        let time = frame as f64 * 0.1;
        let positions: Vec<DVec3> = (0..cloths * nodes).map(|n| position(n, time)).collect();
        let pose = BodyPose {
            translation: DVec3::new(time, 0.5, 0.25),
            rotation: DQuat::IDENTITY,
        };
        writer
            .push(time, &vec![pose; bodies.len()], &positions, &[])
            .unwrap();
    }
    let recording = Recording::open(&file.0).unwrap();
    (file, recording)
}

fn ball(name: &str) -> BodyTrack {
    BodyTrack {
        name: name.to_owned(),
        positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
        faces: vec![Face::Tri([0, 1, 2])],
        smooth: true,
        morph: None,
        ground_height: None,
        color: [0.5; 3],
        attributes: Default::default(),
    }
}

fn report(
    recording: &Recording,
    metrics: &MetricsTable,
    budget_bytes: usize,
) -> (String, ReportSummary) {
    let input = ReportInput {
        facts: vec![("nodes <b>".to_owned(), "\"1\" & 2".to_owned())],
        scene_source: Some("title = \"</pre><script>alert(1)</script>\""),
        budget_bytes,
        ..ReportInput::new(recording, metrics)
    };
    let mut out = Vec::new();
    let summary = write_report(&input, &mut out).unwrap();
    assert_eq!(summary.bytes, out.len() as u64);
    (String::from_utf8(out).unwrap(), summary)
}

/// What a browser finds in the element with this id.
fn script<'a>(page: &'a str, id: &str) -> &'a str {
    let start = page.find(&format!("id=\"{id}\">")).unwrap();
    let text = &page[start..];
    let text = &text[text.find('>').unwrap() + 1..];
    &text[..text.find("</script>").unwrap()]
}

fn decode_base64(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("{other} is no letter of base64"),
    };
    let mut out = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        for group in line.as_bytes().chunks(4) {
            let letters: Vec<u8> = group.iter().copied().filter(|&l| l != b'=').collect();
            let bits = letters
                .iter()
                .fold(0u32, |sum, &l| sum << 6 | u32::from(value(l)));
            let bytes = (bits << (6 * (4 - letters.len()))).to_be_bytes();
            out.extend(&bytes[1..letters.len()]);
        }
    }
    out
}

struct Unpacked {
    manifest: Value,
    bytes: Vec<u8>,
}

impl Unpacked {
    fn new(page: &str) -> Self {
        Unpacked {
            manifest: serde_json::from_str(script(page, "manifest")).unwrap(),
            bytes: decode_base64(script(page, "data")),
        }
    }

    fn number(&self, pointer: &str) -> f64 {
        let found = self.manifest.pointer(pointer).and_then(Value::as_f64);
        found.unwrap_or_else(|| panic!("no number at {pointer}"))
    }

    fn array<const N: usize>(&self, name: &str) -> Vec<[u8; N]> {
        let start = self.number(&format!("/{name}/offset")) as usize;
        let length = self.number(&format!("/{name}/length")) as usize;
        let bytes = &self.bytes[start..start + N * length];
        bytes
            .chunks_exact(N)
            .map(|b| b.try_into().unwrap())
            .collect()
    }

    fn times(&self) -> Vec<f64> {
        self.array("times")
            .into_iter()
            .map(f64::from_le_bytes)
            .collect()
    }

    /// One frame's coordinates.
    fn frame(&self, index: usize) -> Vec<f64> {
        let count = 3 * self.number("/nodeCount") as usize;
        let start =
            self.number("/frames/offset") as usize + index * self.number("/frames/stride") as usize;
        let fine = self.manifest["frames"]["fine"].as_bool().unwrap();
        let coordinate = |k: usize| {
            let at = start + 2 * k;
            let coarse = u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]);
            let steps = match fine {
                true => f64::from(coarse) * 256.0 + f64::from(self.bytes[start + 2 * count + k]),
                false => f64::from(coarse),
            };
            let axis = k % 3;
            let step = self.number(&format!("/frames/step/{axis}"));
            self.number(&format!("/frames/low/{axis}")) + steps * step
        };
        (0..count).map(coordinate).collect()
    }

    /// The largest difference from the true positions.
    fn worst_error(&self) -> f64 {
        let times = self.times();
        let errors = times.iter().enumerate().flat_map(|(index, &time)| {
            let frame = self.frame(index);
            (0..frame.len()).map(move |k| (frame[k] - position(k / 3, time)[k % 3]).abs())
        });
        errors.fold(0.0, f64::max)
    }
}

#[test]
fn the_page_unpacks_to_the_recorded_positions() {
    let (_file, recording) = record("waves", 2, 9, &[ball("ball")]);
    let (page, summary) = report(&recording, &MetricsTable::default(), DEFAULT_BUDGET_BYTES);
    let unpacked = Unpacked::new(&page);
    assert_eq!((summary.frames_kept, summary.frames_recorded), (9, 9));
    assert!(summary.rounding_error < 1e-7, "{summary:?}");
    let single_precision = 3e-7; // the recording itself holds f32
    assert!(unpacked.worst_error() <= summary.rounding_error + single_precision);
    let poses = unpacked.array::<4>("poses");
    assert_eq!(poses.len(), 9 * 7);
    assert!((f32::from_le_bytes(poses[8 * 7]) - 0.8).abs() < 1e-6);
}

#[test]
fn a_second_cloth_names_its_own_nodes() {
    let (_file, recording) = record("two", 2, 1, &[]);
    let (page, _) = report(&recording, &MetricsTable::default(), DEFAULT_BUDGET_BYTES);
    let faces = Unpacked::new(&page).array::<4>("faces");
    let corners: Vec<u32> = faces.into_iter().map(u32::from_le_bytes).collect();
    let half = corners.len() / 2;
    assert_eq!(corners[..4], [0, 1, 8, 7]);
    assert_eq!(corners[half..half + 4], [49, 50, 57, 56]);
}

#[test]
fn a_small_budget_thins_frames_evenly_and_says_so() {
    let (_file, recording) = record("waves", 2, 500, &[]);
    let full = report(&recording, &MetricsTable::default(), usize::MAX)
        .1
        .bytes;
    let budget = full as usize - 300_000;
    let (page, summary) = report(&recording, &MetricsTable::default(), budget);
    assert!(summary.bytes <= budget as u64);
    assert!(
        summary.bytes > budget as u64 - 5_000,
        "room was wasted: {summary:?}"
    );
    assert!((3..500).contains(&summary.frames_kept));
    let said = format!(
        "this page holds {} of the 500 recorded frames",
        summary.frames_kept
    );
    assert!(page.contains(&said));
    let unpacked = Unpacked::new(&page);
    assert!(unpacked.worst_error() <= summary.rounding_error + 3e-7);
    assert!(summary.rounding_error < 1e-4);
    let times = unpacked.times();
    assert_eq!((times[0], times[times.len() - 1]), (0.0, 499.0 * 0.1));
    let gaps: Vec<i64> = times
        .windows(2)
        .map(|t| ((t[1] - t[0]) / 0.1).round() as i64)
        .collect();
    let (least, most) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
    assert!(most - least <= 1, "{gaps:?}");
}

#[test]
fn without_any_budget_the_first_and_the_last_frame_stay() {
    let (_file, recording) = record("waves", 1, 30, &[]);
    let (page, summary) = report(&recording, &MetricsTable::default(), 0);
    assert_eq!(summary.frames_kept, 2);
    assert_eq!(Unpacked::new(&page).times(), [0.0, 29.0 * 0.1]);
}

#[test]
fn a_nasty_title_stays_text() {
    let nasty =
        "</script></title><script>alert('x')</script> {{data}} {{scripts}} & \"quotes\" <!--";
    let (_file, recording) = record(nasty, 1, 2, &[ball(nasty)]);
    let metrics = MetricsTable {
        columns: vec!["time".to_owned(), nasty.to_owned()],
        rows: vec![vec![0.0, 1.0]],
    };
    let (page, _) = report(&recording, &metrics, DEFAULT_BUDGET_BYTES);
    assert!(!page.contains("alert('x')</script>"));
    assert!(!page.contains("<script>alert"));
    assert_eq!(page.matches("</script>").count(), 3);
    assert!(page.contains("<title>&lt;/script&gt;&lt;/title&gt;&lt;script&gt;alert(&#39;x&#39;)"));
    assert!(page.contains("<th scope=\"row\">nodes &lt;b&gt;</th><td>&quot;1&quot; &amp; 2</td>"));
    let manifest = Unpacked::new(&page).manifest;
    assert_eq!(manifest["title"], nasty);
    assert_eq!(manifest["bodies"][0]["name"], nasty);
    assert_eq!(manifest["columns"][1], nasty);
}

#[test]
fn no_frame_one_frame_and_no_cloth_are_fine() {
    for (cloths, frames) in [(1, 0), (1, 1), (0, 3), (0, 0)] {
        let (_file, recording) = record("short", cloths, frames, &[]);
        let (page, summary) = report(&recording, &MetricsTable::default(), DEFAULT_BUDGET_BYTES);
        let unpacked = Unpacked::new(&page);
        assert_eq!(summary.frames_kept, frames);
        assert_eq!(unpacked.times().len(), frames);
        assert!(unpacked.worst_error() < 1e-6);
    }
}

#[test]
fn far_from_the_origin_the_page_is_as_fine_as_near_it() {
    let far = DVec3::new(9e5, 0.0, 3e5);
    let file = TemporaryFile::new();
    let bodies = [BodyTrack {
        ground_height: Some(far.z - 1.0),
        ..ball("ball")
    }];
    let cloths = [cloth("a", 0)];
    let mut writer = RecordingWriter::create(&file.0, "far", 10.0, &cloths, &bodies).unwrap();
    let positions: Vec<DVec3> = (0..49).map(|n| far + position(n, 0.0)).collect();
    let pose = BodyPose {
        translation: far + DVec3::X,
        rotation: DQuat::IDENTITY,
    };
    writer.push(0.0, &[pose], &positions, &[]).unwrap();
    let recording = Recording::open(&file.0).unwrap();
    let (page, _) = report(&recording, &MetricsTable::default(), DEFAULT_BUDGET_BYTES);
    let unpacked = Unpacked::new(&page);
    let (frame, origin) = (unpacked.frame(0), recording.origin());
    for (k, found) in frame.iter().enumerate() {
        let expected = (positions[k / 3] - origin)[k % 3];
        assert!((found - expected).abs() < 2e-6, "{k}: {found} {expected}");
    }
    let poses = unpacked.array::<4>("poses");
    let x = f64::from(f32::from_le_bytes(poses[0]));
    assert!((x - (pose.translation - origin).x).abs() < 2e-6, "{x}");
    let ground = unpacked.number("/bodies/0/groundHeight");
    assert_eq!(ground, far.z - 1.0 - origin.z);
}

#[test]
fn metrics_are_packed_by_column_in_the_order_of_time() {
    let (_file, recording) = record("plots", 1, 2, &[]);
    let metrics = MetricsTable::parse_csv("time,a,b\n1,10,20\n0,30,\nNaN,5,6\n").unwrap();
    let (page, _) = report(&recording, &metrics, DEFAULT_BUDGET_BYTES);
    let unpacked = Unpacked::new(&page);
    let times = unpacked
        .array("metricTimes")
        .into_iter()
        .map(f64::from_le_bytes);
    assert_eq!(times.collect::<Vec<_>>(), [0.0, 1.0]);
    let values = unpacked
        .array("metricValues")
        .into_iter()
        .map(f32::from_le_bytes);
    let values: Vec<f32> = values.collect();
    assert_eq!((&values[..2], values[3]), (&[30.0, 10.0][..], 20.0));
    assert!(values[2].is_nan());
}

#[test]
fn metrics_of_a_very_long_run_leave_room_for_frames() {
    let (_file, recording) = record("plots", 1, 2, &[]);
    let metrics = MetricsTable {
        columns: vec!["time".to_owned(), "a".to_owned()],
        rows: (0..50_000).map(|k| vec![f64::from(k), 1.0]).collect(),
    };
    let (page, summary) = report(&recording, &metrics, 300_000);
    assert!(summary.bytes <= 300_000, "{summary:?}");
    assert!(page.contains("rows of the metrics are left out"));
    let mut times = Unpacked::new(&page)
        .array("metricTimes")
        .into_iter()
        .map(f64::from_le_bytes);
    assert_eq!(times.next_back(), Some(49_999.0));
}

#[test]
fn a_row_that_does_not_fit_the_columns_is_refused() {
    let (_file, recording) = record("plots", 1, 1, &[]);
    let metrics = MetricsTable {
        columns: vec!["time".to_owned()],
        rows: vec![vec![0.0], vec![]],
    };
    let input = ReportInput::new(&recording, &metrics);
    let error = write_report(&input, &mut Vec::new()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("row 1 of the metrics has 0 values for 1 columns")
    );
}

#[test]
fn the_page_loads_nothing() {
    let (_file, recording) = record("alone", 1, 2, &[]);
    let (page, _) = report(&recording, &MetricsTable::default(), DEFAULT_BUDGET_BYTES);
    let namespace = "http://www.w3.org/2000/svg";
    let page = page.replace(namespace, "");
    for network in [
        "http://", "https://", "src=", "@import", "url(", "fetch(", "<link",
    ] {
        assert!(!page.contains(network), "the page has {network}");
    }
}

#[test]
fn shell_and_data_of_an_embedded_recording_make_a_whole_page() {
    let (_file, recording) = record("</script><b>", 1, 30, &[ball("ball")]);
    let embedded = embed(&recording, 10_000).unwrap();
    assert!(embedded.frames_kept > 2 && embedded.frames_kept < 30);
    assert!(embedded.manifest.len() + embedded.data.len() <= 10_000);
    assert!(!embedded.manifest.contains('<'));
    let [before, between, after] = player_shell();
    let page = [
        &before,
        &embedded.manifest,
        &between,
        &embedded.data,
        &after,
    ]
    .map(String::as_str);
    let unpacked = Unpacked::new(&page.concat());
    assert_eq!(unpacked.times().len(), embedded.frames_kept);
    assert_eq!(unpacked.manifest["title"], "</script><b>");
    assert!(before.contains("<body class=\"embedded\">"));
}
