use super::*;
use crate::energy::element::check;

const THREAD: Thread = Thread {
    closing: Closing {
        from: 1.0,
        until: 3.0,
    },
    gap: 0.0,
    stiffness: 1e4,
    damping_time: 0.02,
};

fn stitches() -> [Stitch<3>; 1] {
    [Stitch {
        nodes: [0, 1, 2],
        weights: [1.0, -0.3, -0.7],
        length: 0.4,
        stiffness: 250.0,
    }]
}

const PLACES: [DVec3; 3] = [
    DVec3::new(0.1, 0.5, 0.2),
    DVec3::new(-0.1, 0.02, 0.1),
    DVec3::new(0.3, -0.05, 0.0),
];
const MOVING: [DVec3; 3] = [
    DVec3::new(0.3, -0.1, 0.2),
    DVec3::new(-0.2, 0.4, 0.5),
    DVec3::new(0.1, 0.2, -0.3),
];

#[test]
fn force_stiffness_and_damping_are_derivatives_at_every_length() {
    let stitches = stitches();
    for left in [0.0, 0.5, 1.0] {
        let threads = Threads {
            stitches: &stitches,
            thread: THREAD,
            left,
        };
        let still = [DVec3::ZERO; 3];
        assert!(check::force_error(&threads, 0, &PLACES, 1e-3) < 1e-9);
        assert!(check::stiffness_error(&threads, 0, &PLACES, &still, false, 1e-3) < 1e-9);
        assert!(check::stiffness_error(&threads, 0, &PLACES, &MOVING, true, 1e-3) < 1e-9);
        assert!(check::ahead_error(&threads, 0, &PLACES, &MOVING) < 1e-12);
        let weights = Weights {
            stiffness: 1.0,
            damping: 1.0,
            ahead: 0.0,
        };
        let local = threads.linearise(0, &PLACES, &MOVING, &weights);
        assert!(check::lowest_curvature(&local) > -1e-9);
        let sum: DVec3 = local.force.into_iter().sum();
        assert!(sum.length() < 1e-12, "momentum: {sum}");
    }
}

#[test]
fn a_slack_thread_does_nothing() {
    let mut stitches = stitches();
    stitches[0].length = 2.0;
    let threads = Threads {
        stitches: &stitches,
        thread: THREAD,
        left: 1.0,
    };
    assert_eq!(threads.value(0, &PLACES), 0.0);
    assert_eq!(threads.force(0, &PLACES, &MOVING), [DVec3::ZERO; 3]);
}

#[test]
fn coincident_ends_are_at_rest() {
    let stitches = stitches();
    let threads = Threads {
        stitches: &stitches,
        thread: THREAD,
        left: 0.0,
    };
    let force = threads.force(0, &[DVec3::ONE; 3], &[DVec3::ZERO; 3]);
    assert_eq!(force, [DVec3::ZERO; 3]);
}

#[test]
fn a_seam_closes_while_it_is_told_to() {
    let closing = THREAD.closing;
    assert_eq!(closing.left(0.0), 1.0);
    assert_eq!(closing.left(1.0), 1.0);
    assert!((closing.left(2.0) - 0.5).abs() < 1e-12);
    assert_eq!(closing.left(3.0), 0.0);
    assert_eq!(closing.left(9.0), 0.0);
    // At once.
    let at_once = Closing {
        from: 0.0,
        until: 0.0,
    };
    assert_eq!(at_once.left(0.0), 0.0);
    let threads = Threads {
        stitches: &stitches(),
        thread: Thread { gap: 0.1, ..THREAD },
        left: 0.5,
    };
    assert!((threads.length(&stitches()[0]) - 0.25).abs() < 1e-12);
}

fn path(nodes: &[u32]) -> SeamPath {
    let places = (0..nodes.len()).map(|k| k as f64 / (nodes.len() - 1) as f64);
    SeamPath {
        nodes: nodes.to_vec(),
        places: places.collect(),
    }
}

fn total(seam: &Seam) -> f64 {
    let pairs = seam.pairs.iter().map(|s| s.stiffness);
    pairs.chain(seam.points.iter().map(|s| s.stiffness)).sum()
}

#[test]
fn edges_with_like_nodes_are_sewn_node_to_node() {
    let at = vec![DVec3::ZERO; 8];
    let seam = Seam::sew(&[path(&[0, 1, 2, 3]), path(&[4, 5, 6, 7])], &at, THREAD).unwrap();
    let joined: Vec<_> = seam.joined().collect();
    assert_eq!(joined, [[0, 4], [1, 5], [2, 6], [3, 7]]);
    assert_eq!(seam.attached().count(), 0);
    // All of the seam's length is held, whatever the stitches.
    assert!((total(&seam) - THREAD.stiffness).abs() < 1e-6);
}

#[test]
fn every_node_of_edges_with_unlike_nodes_is_sewn() {
    let at = vec![DVec3::ZERO; 7];
    // Measures 0, 1/2, 1 and 0, 1/3, 2/3, 1.
    let seam = Seam::sew(&[path(&[0, 1, 2]), path(&[3, 4, 5, 6])], &at, THREAD).unwrap();
    assert_eq!(seam.joined().collect::<Vec<_>>(), [[0, 3], [2, 6]]);
    let attached: Vec<_> = seam.attached().collect();
    assert_eq!(attached, [[1, 4, 5], [4, 0, 1], [5, 1, 2]]);
    let weights = seam.points[1].weights;
    assert!((weights[2] + 2.0 / 3.0).abs() < 1e-12, "{weights:?}");
    assert!((total(&seam) - THREAD.stiffness).abs() < 1e-6);
}

#[test]
fn rings_are_sewn_to_rings_all_around() {
    let at = vec![DVec3::ZERO; 8];
    let rings = [path(&[0, 1, 2, 3, 0]), path(&[4, 5, 6, 7, 4])];
    let seam = Seam::sew(&rings, &at, THREAD).unwrap();
    assert_eq!(seam.joined().count(), 4);
    assert!((total(&seam) - THREAD.stiffness).abs() < 1e-6);
    let shares: Vec<_> = seam.pairs.iter().map(|s| s.stiffness).collect();
    assert!(
        shares.iter().all(|k| (k - shares[0]).abs() < 1e-6),
        "{shares:?}"
    );
    let mixed = Seam::sew(&[path(&[0, 1, 2, 3, 0]), path(&[4, 5, 6])], &at, THREAD);
    assert_eq!(mixed, Err(SeamError::RingToEdge));
}

#[test]
fn a_dart_may_meet_at_its_point_and_nowhere_else() {
    let at = vec![DVec3::ZERO; 6];
    let dart = Seam::sew(&[path(&[0, 1, 2]), path(&[0, 3, 4])], &at, THREAD).unwrap();
    assert_eq!(dart.joined().collect::<Vec<_>>(), [[1, 3], [2, 4]]);
    let crossed = Seam::sew(&[path(&[0, 1, 2]), path(&[3, 1, 4])], &at, THREAD);
    assert_eq!(crossed, Err(SeamError::ToItself { node: 1 }));
    let short = Seam::sew(&[path(&[0, 1, 2]), path(&[0, 5, 1, 2])], &at, THREAD);
    assert!(
        matches!(short, Err(SeamError::ToItself { .. })),
        "{short:?}"
    );
    let point = SeamPath {
        nodes: vec![3],
        places: vec![0.0],
    };
    let none = Seam::sew(&[path(&[0, 1]), point], &at, THREAD);
    assert_eq!(none, Err(SeamError::TooShort));
}
