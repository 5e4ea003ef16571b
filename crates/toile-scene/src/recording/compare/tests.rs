use super::*;
use crate::recording::{BodyPose, Recording};
use glam::DQuat;
use toile::mesh::Face;

/// One triangle as wide as `width` (m) that moves along x at `speed` (m/s), and a ground.
fn triangle(name: &str, width: f64, speed: f64, fps: f64, frames: usize) -> Reel {
    let cloth = ClothTrack {
        name: name.to_owned(),
        first_node: 0,
        node_count: 3,
        faces: vec![Face::Tri([0, 1, 2])],
        rest_areas: vec![0.5 * width as f32],
        edges: vec![[0, 1]],
        rest_lengths: vec![width as f32],
        thickness: 0.0,
        colors: [[0.5; 3]; 2],
        attributes: Default::default(),
    };
    let ground = BodyTrack {
        name: "floor".into(),
        positions: Vec::new(),
        faces: Vec::new(),
        smooth: false,
        morph: None,
        ground_height: Some(0.0),
        color: [0.5; 3],
        attributes: Default::default(),
    };
    let pose = BodyPose {
        translation: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
    };
    let frame = |k: usize| {
        let time = k as f64 / fps;
        let x = speed * time;
        RecordedFrame {
            time,
            poses: vec![pose],
            positions: [[x, 0.0, 1.0], [x + width, 0.0, 1.0], [x, 1.0, 1.0]]
                .map(DVec3::from)
                .to_vec(),
            velocities: Vec::new(),
        }
    };
    Reel {
        title: name.to_owned(),
        fps,
        cloths: vec![cloth],
        bodies: vec![ground],
        frames: (0..frames).map(frame).collect(),
    }
}

#[test]
fn variants_stand_side_by_side_and_do_not_touch() {
    let (a, b) = (
        triangle("sheet", 1.0, 0.0, 10.0, 5),
        triangle("sheet", 2.0, 0.0, 10.0, 5),
    );
    let variants = [Variant::new("soft", &a), Variant::new("stiff", &b)];
    let both = compare("both", &variants, Arrangement::default()).unwrap();
    let names: Vec<&str> = both.cloths.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["soft", "stiff"]);
    assert_ne!(both.cloths[0].colors, both.cloths[1].colors);
    assert_eq!(both.cloths[1].first_node, 3);
    assert_eq!((both.fps, both.frames.len()), (10.0, 5));
    // Two metres and 15 % apart, about the middle.
    let x: Vec<f64> = both.frames[4].positions.iter().map(|p| p[0]).collect();
    for (found, expected) in x.iter().zip([-1.15, -0.15, -1.15, 1.15, 3.15, 1.15]) {
        assert!((found - expected).abs() < 1e-6, "{x:?}");
    }
    // One ground for all.
    assert_eq!((both.bodies.len(), both.frames[0].poses.len()), (1, 1));
}

#[test]
fn along_y_and_overlaid() {
    let reel = triangle("sheet", 1.0, 0.0, 10.0, 2);
    let variants = [Variant::new("a", &reel), Variant::new("b", &reel)];
    let arrangement = Arrangement::SideBySide {
        along: Axis::Y,
        margin: 0.0,
    };
    let row = compare("row", &variants, arrangement).unwrap();
    assert_eq!(row.frames[0].positions[0], DVec3::new(0.0, -0.5, 1.0));
    assert_eq!(row.frames[0].positions[3], DVec3::new(0.0, 0.5, 1.0));
    let over = compare("over", &variants, Arrangement::Overlay).unwrap();
    let [first, second] = [0..3, 3..6].map(|nodes| &over.frames[1].positions[nodes]);
    assert_eq!(first, second);
}

#[test]
fn other_rates_and_lengths_meet_in_the_time_they_share() {
    let slow = triangle("slow", 1.0, 1.0, 4.0, 5); // to 1 s
    let fast = triangle("fast", 1.0, 2.0, 10.0, 8); // to 0.7 s
    let variants = [Variant::new("slow", &slow), Variant::new("fast", &fast)];
    let both = compare("both", &variants, Arrangement::Overlay).unwrap();
    assert_eq!((both.fps, both.frames.len()), (10.0, 8));
    for frame in &both.frames {
        let x = [frame.positions[0][0], frame.positions[3][0]];
        let time = frame.time;
        assert!((x[0] - time).abs() < 1e-6 && (x[1] - 2.0 * time).abs() < 1e-6);
    }
}

#[test]
fn frames_of_the_same_times_stay_as_they_are() {
    let reel = triangle("sheet", 0.3, 0.7, 30.0, 40);
    let alone = compare("one", &[Variant::new("one", &reel)], Arrangement::Overlay).unwrap();
    assert_eq!(alone.frames.len(), 40);
    for (now, then) in alone.frames.iter().zip(&reel.frames) {
        assert_eq!(now.positions, then.positions);
    }
}

#[test]
fn what_cannot_be_compared_says_why() {
    let message = |variants: &[Variant]| {
        let compared = compare("", variants, Arrangement::default());
        compared.unwrap_err().to_string()
    };
    assert!(message(&[]).contains("name at least one recording"));
    let (empty, early) = (
        triangle("", 1.0, 0.0, 10.0, 0),
        triangle("", 1.0, 0.0, 10.0, 3),
    );
    let mut late = triangle("", 1.0, 0.0, 10.0, 3);
    late.frames.iter_mut().for_each(|f| f.time += 5.0);
    assert!(message(&[Variant::new("short", &empty)]).contains("short has no complete frame"));
    let apart = message(&[Variant::new("a", &early), Variant::new("b", &late)]);
    assert!(
        apart.contains("b starts at 5 s, after a has ended at 0.2 s"),
        "{apart}"
    );
}

#[test]
fn a_comparison_is_a_recording_like_any_other() {
    let reel = triangle("sheet", 1.0, 0.5, 10.0, 4);
    let path = std::env::temp_dir().join(format!("toile-compare-{}.toile", std::process::id()));
    let variants = [Variant::new("a", &reel), Variant::new("b", &reel)];
    for _ in 0..2 {
        // The second time the file is there already.
        write_side_by_side(&path, "two", &variants).unwrap();
    }
    let read = Recording::open(&path).unwrap();
    let again = [Variant::new("row", &read), Variant::new("one", &reel)];
    let third = compare("again", &again, Arrangement::Overlay).unwrap();
    write_overlay(&path, "one", &variants[..1]).unwrap();
    let one = Recording::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!((read.frame_count(), read.cloths().len()), (4, 2));
    assert_eq!(read.header().title, "two");
    let names: Vec<_> = third.cloths.iter().map(|c| c.name.clone()).collect();
    assert_eq!(names, ["row · a", "row · b", "one"]);
    let back = one.frame(3).unwrap().positions;
    let pairs = back.iter().zip(&reel.frames[3].positions);
    assert!(pairs.into_iter().all(|(a, b)| a.distance(*b) < 1e-7));
}
