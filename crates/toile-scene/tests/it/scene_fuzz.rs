//! Scenes with slips of all kinds: an answer or an error that says something, never a panic.

use proptest::prelude::*;
use std::path::PathBuf;
use toile_scene::scene::{BUNDLED, SceneSource, resolve};
use toile_scene::spec::{MeshSpec, SceneSpec};

/// Meshes beyond this many nodes are only parsed: the time belongs to more scenes.
const MANY_NODES: u64 = 20_000;

/// What stands in a number's place after a slip.
const SLIPS: [&str; 10] = [
    "nan",
    "inf",
    "-inf",
    "1e300",
    "-1",
    "0",
    "\"x\"",
    "4294967295",
    "1e-300",
    "[]",
];

#[derive(Clone, Debug)]
enum Slip {
    Byte(usize, u8),
    Line(usize),
    Twice(usize),
    Number(usize, &'static str),
}

fn slip() -> impl Strategy<Value = Slip> {
    prop_oneof![
        1 => (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Slip::Byte(at, byte)),
        1 => any::<usize>().prop_map(Slip::Line),
        1 => any::<usize>().prop_map(Slip::Twice),
        4 => (any::<usize>(), prop::sample::select(&SLIPS[..]))
            .prop_map(|(at, text)| Slip::Number(at, text)),
    ]
}

fn apply(text: &str, slip: &Slip) -> String {
    let lines = || text.lines().map(str::to_owned).collect::<Vec<_>>();
    match *slip {
        Slip::Byte(at, byte) => {
            let mut bytes = text.as_bytes().to_vec();
            if let Some(at) = at.checked_rem(bytes.len()) {
                bytes[at] = byte;
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
        Slip::Line(at) => {
            let mut lines = lines();
            if let Some(at) = at.checked_rem(lines.len()) {
                lines.remove(at);
            }
            lines.join("\n")
        }
        Slip::Twice(at) => {
            let mut lines = lines();
            if let Some(at) = at.checked_rem(lines.len()) {
                lines.insert(at, lines[at].clone());
            }
            lines.join("\n")
        }
        Slip::Number(at, replacement) => {
            let numbers = numbers(text);
            let Some(at) = at.checked_rem(numbers.len()) else {
                return text.to_owned();
            };
            let (from, to) = numbers[at];
            format!("{}{replacement}{}", &text[..from], &text[to..])
        }
    }
}

/// Where the values are that look like numbers.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let part = |c: char| c.is_ascii_digit() || ".-e".contains(c);
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = rest.find(|c| !part(c)).unwrap_or(rest.len());
        if rest[..length].contains(|c: char| c.is_ascii_digit()) {
            found.push((at, at + length));
        }
        let next = rest[length..].chars().next().map_or(0, char::len_utf8);
        at += length + next;
    }
    found
}

fn nodes(spec: &SceneSpec) -> u64 {
    let product = |cells: &[u32; 2]| (u64::from(cells[0]) + 1) * (u64::from(cells[1]) + 1);
    let of_mesh = |mesh: &MeshSpec| match mesh {
        MeshSpec::Grid { cells, .. }
        | MeshSpec::Ring { cells, .. }
        | MeshSpec::Tube { cells, .. } => product(cells),
        MeshSpec::Polygon { nodes, .. }
        | MeshSpec::Disc { nodes, .. }
        | MeshSpec::Sphere { nodes, .. } => u64::from(*nodes),
        MeshSpec::File { .. } => 0,
    };
    let cloths = spec.cloth.values().map(|cloth| of_mesh(&cloth.mesh));
    cloths.fold(0, u64::saturating_add)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_scene_with_slips_is_read_or_refused_with_a_message(
        scene in 0..BUNDLED.len(),
        slips in prop::collection::vec(slip(), 1..4),
    ) {
        let text = slips.iter().fold(BUNDLED[scene].text.to_owned(), |text, slip| apply(&text, slip));
        let source = SceneSource {
            name: "slip.toml".into(),
            text,
            folder: PathBuf::new(),
            overrides: Vec::new(),
        };
        let world = match source.parse() {
            Ok(spec) if nodes(&spec) > MANY_NODES => return Ok(()),
            Ok(spec) => resolve(&source, spec),
            Err(error) => Err(error),
        };
        match world {
            Ok(world) => {
                prop_assert!(world.schedule.step > 0.0 && world.schedule.step.is_finite());
                prop_assert!(world.state.positions.iter().all(|p| p.is_finite()));
                let again = SceneSource { text: world.resolved.clone(), ..source };
                prop_assert!(again.parse().is_ok(), "{}", world.resolved);
            }
            Err(error) => {
                let message = error.to_string();
                prop_assert!(message.len() > "slip.toml: ".len(), "`{message}`");
            }
        }
    }
}
