use super::*;
use proptest::prelude::*;

fn sample() -> State {
    State {
        time: 0.1 + 0.2,
        steps: 30,
        positions: vec![DVec3::new(1.0, -0.0, f64::MIN_POSITIVE); 3],
        velocities: vec![DVec3::splat(1.0 / 3.0); 3],
        last_change: vec![DVec3::NEG_ONE; 3],
        previous: Some(Previous {
            step: 1e-3,
            positions: vec![DVec3::Y; 3],
            velocities: vec![DVec3::Z; 3],
        }),
        rest_angles: vec![0.1, -0.2],
        creased: vec![0.0, 0.3],
        limit_forces: vec![1.5, 0.0, -2.0],
        contacts: vec![
            KeptContact {
                key: ContactKey::NodeBody(3, 0),
                push: 0.5,
                drag: DVec3::X,
            },
            KeptContact {
                key: ContactKey::EdgeEdge(1, 9),
                push: 1.0 / 3.0,
                drag: DVec3::NEG_Y,
            },
        ],
        step_memory: Some(StepMemory {
            pair: 0.25,
            error: 1.0 / 3.0,
        }),
        pins: vec![
            PinState::default(),
            PinState {
                interval: Some(2),
                anchors: vec![DVec3::X],
            },
        ],
        stuck: vec![
            Stuck {
                node: 1,
                adhesion: 0,
                body: 2,
                anchor: Anchor::Frame(DVec3::new(0.1, -0.2, 1e-9)),
            },
            Stuck {
                node: 2,
                adhesion: 0,
                body: 1,
                anchor: Anchor::Face {
                    face: 7,
                    weights: [0.5, 0.25, 0.25],
                    way: DVec3::new(0.0, 1e-3, 0.0),
                },
            },
        ],
        bonds: vec![Bond {
            node: 0,
            adhesion: 1,
            face: [2, 1, 0],
            weights: [0.1, 0.2, 0.7],
            way: DVec3::new(0.0, -2e-3, 1e-5),
            pull: 1.0 / 7.0,
            is_torn: true,
        }],
        commanded: commanded(),
    }
}

fn commanded() -> Commanded {
    let pose = Pose {
        translation: DVec3::new(0.5, 0.0, 1.0 / 9.0),
        rotation: DQuat::from_rotation_y(0.3),
    };
    let travel = Travel::at(pose);
    Commanded {
        gravity: Some(DVec3::NEG_Z),
        wind: None,
        forces: vec![DVec3::X; 3],
        grasps: vec![
            Grasp {
                id: 4,
                nodes: vec![0, 2],
                weights: Vec::new(),
                anchors: vec![DVec3::X, DVec3::Y],
                travel: travel.towards(Pose::IDENTITY, 0.2, 0.7),
                leaving: Some(Leaving {
                    since: 0.1,
                    until: 0.4,
                    places: vec![DVec3::ONE; 2],
                }),
                grip: Grip::Rigid,
            },
            Grasp {
                id: 5,
                nodes: vec![0, 1, 2],
                weights: vec![0.2, 0.3, 0.5],
                anchors: vec![DVec3::Z],
                travel,
                leaving: None,
                grip: Grip::Spring {
                    stiffness: 200.0,
                    damping: 0.0,
                },
            },
        ],
        grasps_made: 6,
        bodies: vec![(1, travel.with_velocity(DVec3::Y, DVec3::Z, 0.1))],
        settings: vec![Setting {
            name: "cloth.sheet.material.bend".to_owned(),
            value: 1e-5,
        }],
        stage: Some(StageMark {
            number: 1,
            is_told: true,
            since: 0.1 + 0.2,
            quiet_since: 1.0 / 3.0,
            cut_short: Some(0),
        }),
    }
}

#[test]
fn a_state_reads_back_bit_for_bit() {
    let bytes = sample().to_bytes();
    let back = State::from_bytes(&bytes).unwrap();
    assert_eq!(back, sample());
    assert_eq!(back.to_bytes(), bytes);
}

proptest! {
    #[test]
    fn damaged_bytes_are_refused_without_panic(cut in 0usize..3000, flip in 0usize..3000, bit in 0u8..8) {
        let mut bytes = sample().to_bytes();
        let at = flip % bytes.len();
        bytes[at] ^= 1 << bit;
        prop_assert!(State::from_bytes(&bytes).is_err());
        bytes.truncate(cut % bytes.len());
        prop_assert!(State::from_bytes(&bytes).is_err());
    }

    #[test]
    fn random_bytes_are_refused_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(State::from_bytes(&bytes).is_err());
        // Also with a valid frame around them, so that the inner lists are reached.
        let mut framed = MAGIC.to_vec();
        framed.extend(VERSION.to_le_bytes());
        framed.extend(&bytes);
        framed.extend(crc32fast::hash(&framed).to_le_bytes());
        let _ = State::from_bytes(&framed);
    }

    /// Damage that the checksum does not see reaches the lists and must not make room for what is not there.
    #[test]
    fn damage_with_a_right_checksum_is_no_panic(flip in 12usize..3000, byte in any::<u8>()) {
        let mut bytes = sample().to_bytes();
        let end = bytes.len() - 4;
        let at = 12 + flip % (end - 12);
        bytes[at] = byte;
        let sum = crc32fast::hash(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        let _ = State::from_bytes(&bytes);
    }
}
