//! `toile drape` as a user calls it.

use crate::common::{Folder, contents, toile};

/// A sheet of 8 × 8 quads that hangs from two corners above the floor.
const HANGING: &str = r#"title = "Hanging"

[cloth.sheet]
mesh.grid = { size = [0.4, 0.4], cells = [8, 8] }
place = { at = [0.0, 0.0, 0.6] }

[[cloth.sheet.pin]]
select.corners = [2, 3]

[body.floor]
shape = "plane"

[expect]
stretch_below = 0.1
gap_above = 0.0
lowest_between = [0.1, 0.25]
speed_below = 0.0
"#;

fn column(csv: &str, name: &str) -> Vec<f64> {
    let mut lines = csv.lines();
    let heading = lines.next().unwrap_or_default();
    let at = heading.split(',').position(|c| c == name);
    let at = at.unwrap_or_else(|| panic!("no {name} in {heading}"));
    let cell = |line: &str| line.split(',').nth(at).and_then(|c| c.parse().ok());
    lines.map(|line| cell(line).unwrap_or(f64::NAN)).collect()
}

#[test]
fn a_drape_leaves_a_folder_that_other_commands_understand() {
    let folder = Folder::new();
    folder.write("hanging.toml", HANGING);
    let ended = toile(&folder, &["drape", "hanging.toml"]).good();
    let said = &ended.stdout;
    assert!(said.contains("in balance after"), "{said}");
    assert!(said.contains("all 3 expectations"), "{said}");

    let out = folder.file("runs/hanging-drape");
    let names: Vec<String> = contents(&out).into_iter().map(|(name, _)| name).collect();
    for name in [
        "checkpoint.toile",
        "frames.toile",
        "metrics.csv",
        "preview-animated.png",
        "preview.png",
        "report.html",
        "scene.resolved.toml",
    ] {
        assert!(names.iter().any(|n| n == name), "no {name} in {names:?}");
    }
    let csv = folder.read("runs/hanging-drape/metrics.csv");
    let csv = String::from_utf8_lossy(&csv);
    let residual = column(&csv, "force_residual");
    assert!(residual[residual.len() - 1] <= 1e-6);
    let energy = column(&csv, "energy_total");
    assert!(energy.windows(2).all(|w| w[1] <= w[0] + 1e-9), "{energy:?}");

    let run = "runs/hanging-drape";
    let render = ["render", run, "--frame", "last", "--size", "64x48"];
    toile(&folder, &[&render[..], &["--out", "end.png"]].concat()).good();
    toile(&folder, &["export", run, "--to", "glb", "--out", "a.glb"]).good();
}

#[test]
fn a_bound_on_stretch_is_let_be_and_told_where_the_shape_exceeds_it() {
    let folder = Folder::new();
    let cloth = "[cloth.sheet]\n";
    let bounded = format!("{cloth}model = \"baraff-witkin\"\nlimit.stretch.stretch = 0.02\n");
    folder.write("bounded.toml", HANGING.replace(cloth, &bounded));
    let drape = ["drape", "bounded.toml", "--no-report", "--force"];
    let within = toile(&folder, &drape).good();
    assert!(
        !within.stderr.contains("beyond its limit"),
        "{}",
        within.stderr
    );
    let soft = [
        "--set",
        "cloth.sheet.material.stretch_stiffness=50",
        "--set",
        "expect.stretch_below=1",
    ];
    let beyond = toile(&folder, &[&drape[..], &soft].concat()).good();
    assert!(
        beyond.stderr.contains("beyond its limit by"),
        "{}",
        beyond.stderr
    );
}

#[test]
fn two_drapes_on_other_numbers_of_threads_leave_the_same_bytes() {
    let folder = Folder::new();
    folder.write("hanging.toml", HANGING);
    for (out, threads) in [("one", "1"), ("two", "2")] {
        let run = ["drape", "hanging.toml", "-q", "--no-report", "-o", out];
        toile(&folder, &[&run[..], &["--threads", threads]].concat()).good();
    }
    for name in ["frames.toile", "metrics.csv", "checkpoint.toile"] {
        let [one, two] = ["one", "two"].map(|out| folder.read(&format!("{out}/{name}")));
        assert!(one == two, "{name}");
    }
}

#[test]
fn a_drape_that_runs_out_of_iterations_says_so_and_can_be_resumed() {
    let folder = Folder::new();
    folder.write("hanging.toml", HANGING);
    let run = ["drape", "hanging.toml", "--no-report", "-o", "out"];
    let short = [&run[..], &["--max-iterations", "5"]].concat();
    toile(&folder, &short).says(1, &["limit of iterations", "-o out --resume"]);
    let before = column(
        &String::from_utf8_lossy(&folder.read("out/metrics.csv")),
        "iteration",
    );
    assert_eq!(before, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    toile(&folder, &run).says(1, &["already holds results"]);

    let resumed = toile(&folder, &[&run[..], &["--resume"]].concat()).good();
    assert!(
        resumed.stdout.contains("resumed at 5"),
        "{}",
        resumed.stdout
    );
    let after = column(
        &String::from_utf8_lossy(&folder.read("out/metrics.csv")),
        "iteration",
    );
    let counted = after.iter().enumerate().all(|(k, &n)| n == k as f64);
    assert!(counted && after.len() > 6, "{after:?}");
    // A run does not go on from where a drape stands.
    let other = ["run", "hanging.toml", "-o", "out", "--resume"];
    toile(&folder, &other).says(1, &["different scene"]);
}

#[test]
fn a_drape_that_makes_no_sense_is_refused_with_the_place() {
    let folder = Folder::new();
    let sunk = HANGING.replace("0.0, 0.0, 0.6", "0.0, 0.0, -0.3");
    folder.write("sunk.toml", sunk);
    toile(&folder, &["drape", "sunk.toml"]).says(1, &["cloth `sheet`", "body `floor`"]);
    folder.write("hanging.toml", HANGING);
    let limited = [
        "drape",
        "hanging.toml",
        "--set",
        "cloth.sheet.limit.strain.stretch=0.1",
        "-o",
        "limited",
    ];
    toile(&folder, &limited).says(1, &["cloth `sheet`", "has a limit", "toile run"]);
    let bad = ["drape", "hanging.toml", "--tolerance", "0", "-o", "b"];
    toile(&folder, &bad).says(1, &["drape.tolerance", "positive"]);
    assert!(!folder.file("b").exists());
}
