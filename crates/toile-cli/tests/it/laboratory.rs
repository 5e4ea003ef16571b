//! Comparing, sweeping and fitting from the command line.

use crate::common::{Folder, toile};

/// A small sheet that hangs from two corners, one of which is moved.
const SHEET: &str = "\
title = \"sheet\"
[time]
duration = 0.8
fps = 100
step = 0.01
newton_steps = 1
[contact]
cloth = \"none\"
[cloth.sheet]
mesh.grid = { size = [0.3, 0.4], cells = [6, 8] }
place.rotate_degrees = [90, 0, 90]
model = \"mass-spring\"
bending = \"model\"
damping = 2
virtual_mass = 0.09
material = { density = 0.15, shear_stiffness = 400, bend = 1e-5 }
[[cloth.sheet.pin]]
select.corners = [2, 3]
motion.keyframes = { keys = [{ time = 0 }, { time = 0.4, displacement = [0.05, 0, 0] }, { time = 0.8, displacement = [0, 0, 0] }] }
";

fn sheet(folder: &Folder) {
    std::fs::write(folder.file("sheet.toml"), SHEET).unwrap();
}

/// Runs the sheet and leaves its nodes as a recording.
fn recorded(folder: &Folder) {
    sheet(folder);
    toile(folder, &["run", "sheet.toml", "--no-report"]).good();
    let export = ["export", "runs/sheet", "--to", "npz", "--out", "clip.npz"];
    toile(folder, &export).good();
}

#[test]
fn a_comparison_measures_every_variant_and_goes_on() {
    let folder = Folder::new();
    sheet(&folder);
    let arguments = [
        "compare",
        "sheet.toml",
        "--models",
        "isometric,mass-spring",
        "--meshes",
        "6x8,35",
        "-o",
        "out",
    ];
    let ended = toile(&folder, &arguments).good();
    assert!(ended.stdout.contains("reference"), "{}", ended.stdout);
    let table = std::fs::read_to_string(folder.file("out/compare.csv")).unwrap();
    assert_eq!(table.lines().count(), 5, "{table}");
    for name in [
        "series.csv",
        "report.html",
        "preview-animated.png",
        "distance.png",
        "quality.png",
    ] {
        assert!(folder.file("out").join(name).is_file(), "{name}");
    }
    // Once more is refused, and resumed there is nothing to do: the same numbers.
    toile(&folder, &arguments).says(1, &["--force"]);
    toile(&folder, &[&arguments[..], &["--resume"]].concat()).good();
    assert_eq!(
        std::fs::read_to_string(folder.file("out/compare.csv")).unwrap(),
        table
    );
}

#[test]
fn comparisons_that_make_no_sense_are_refused() {
    let folder = Folder::new();
    sheet(&folder);
    for (options, part) in [
        (&["--models", "isometric"][..], "nothing to compare"),
        (&["--models", "isometric,isometrik"], "no model `isometrik`"),
        (&["--models", "isometric,isometric"], "two variants"),
        (&["--meshes", "6x8,fine"], "no mesh"),
        (&["--steps", "0.01,0.03"], "variant `30 ms`"),
        (&["--vary", "cloth.sheet.dampng=1,2"], "`damping`"),
        (
            &["--steps", "0.01,0.005", "--against", "1 ms"],
            "no variant `1 ms`",
        ),
    ] {
        let arguments = ["compare", "sheet.toml", "-o", "out"];
        toile(&folder, &[&arguments[..], options].concat()).says(1, &[part]);
        assert!(!folder.file("out/compare.csv").exists());
    }
}

#[test]
fn a_sweep_fills_one_table_and_skips_what_it_has() {
    let folder = Folder::new();
    sheet(&folder);
    let grid = "cloth.sheet.damping=1:3:3,cloth.sheet.model=isometric,mass-spring";
    let arguments = [
        "sweep",
        "sheet.toml",
        "--grid",
        grid,
        "-o",
        "out",
        "--set",
        "time.duration=0.2",
    ];
    toile(&folder, &arguments).good();
    let path = folder.file("out/results.csv");
    let table = std::fs::read_to_string(&path).unwrap();
    assert_eq!(table.lines().count(), 7, "{table}");
    // A row is lost; only that one is made again.
    let lines: Vec<&str> = table.lines().collect();
    std::fs::write(
        &path,
        [&lines[..3], &lines[4..]].concat().join("\r\n") + "\r\n",
    )
    .unwrap();
    let ended = toile(&folder, &[&arguments[..], &["--resume"]].concat()).good();
    assert!(
        ended.stdout.contains("6 of 6 variants (5 from before)"),
        "{}",
        ended.stdout
    );
    let without_time = |text: &str| -> Vec<String> {
        let cut = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
        text.lines().map(cut).collect()
    };
    let again = std::fs::read_to_string(&path).unwrap();
    assert_eq!(without_time(&again), without_time(&table));
    let other = [
        "sweep",
        "sheet.toml",
        "--grid",
        "cloth.sheet.damping=1,2",
        "-o",
        "out",
    ];
    toile(&folder, &other).says(1, &["--resume"]);
    toile(&folder, &[&other[..], &["--resume"]].concat()).says(1, &["another sweep"]);
}

#[test]
fn a_sweep_by_force_replaces_the_frames_of_another() {
    let folder = Folder::new();
    sheet(&folder);
    let short = ["--set", "time.duration=0.1", "-o", "out", "--frames"];
    for (grid, more) in [
        ("cloth.sheet.damping=1,2", &[][..]),
        ("cloth.sheet.damping=3,4", &["--force"]),
    ] {
        let arguments = ["sweep", "sheet.toml", "--grid", grid];
        toile(&folder, &[&arguments[..], &short[..], more].concat()).good();
        let table = std::fs::read_to_string(folder.file("out/results.csv")).unwrap();
        assert_eq!(table.matches("finished").count(), 2, "{table}");
        assert!(folder.file("out/0001/frames.toile").is_file());
    }
}

#[test]
fn frames_are_compared_at_the_same_moments() {
    let folder = Folder::new();
    sheet(&folder);
    let arguments = [
        "compare",
        "sheet.toml",
        "--vary",
        "time.fps=50,100",
        "--until",
        "0.2",
        "-o",
        "out",
    ];
    toile(&folder, &arguments).good();
    let mut table = csv_rows(&std::fs::read_to_string(folder.file("out/compare.csv")).unwrap());
    let column = table[0]
        .iter()
        .position(|name| name == "distance_farthest")
        .unwrap();
    // The steps are the same, so the motion is; times are rounded, and so are the positions between two frames.
    for row in table.drain(1..) {
        assert!(row[column].parse::<f64>().unwrap() < 1e-12, "{row:?}");
    }
}

#[test]
fn free_cloth_keeps_its_momentum_and_held_cloth_does_not() {
    let folder = Folder::new();
    let (free, _) = SHEET.split_once("[[cloth.sheet.pin]]").unwrap();
    let free = free.replace(
        "damping = 2\nvirtual_mass = 0.09\n",
        "velocity = [1, 0, 2]\n",
    );
    std::fs::write(folder.file("free.toml"), free).unwrap();
    sheet(&folder);
    let changes = |scene: &str, step: &str| -> Vec<[f64; 2]> {
        let integrators = "time.integrator=backward-euler,mixed-a";
        let (folds, step) = (
            "cloth.sheet.noise={deviation=0.005,seed=1}",
            format!("time.step={step}"),
        );
        let arguments = [
            "compare",
            scene,
            "--vary",
            integrators,
            "--until",
            "0.1",
            "-o",
            "out",
            "--force",
            "--set",
            folds,
            "--set",
            &step,
        ];
        toile(&folder, &arguments).good();
        let table = csv_rows(&std::fs::read_to_string(folder.file("out/compare.csv")).unwrap());
        let place = |name: &str| table[0].iter().position(|c| c == name).unwrap();
        let places = [place("momentum_change"), place("spin_change")];
        table[1..]
            .iter()
            .map(|row| places.map(|k| row[k].parse().unwrap()))
            .collect()
    };
    // Gravity's share is taken out; a first-order implicit rule changes the spin, mixed A does not.
    let [implicit, mixed] = changes("free.toml", "0.0001")[..] else {
        panic!("two variants");
    };
    assert!(implicit[0] < 1e-13 && mixed[0] < 1e-13);
    assert!(mixed[1] < 1e-13 && implicit[1] > 1e3 * mixed[1]);
    let [held, _] = changes("sheet.toml", "0.0001")[..] else {
        panic!("two variants");
    };
    assert!(held[0] > 1e-3);
}

/// Cells of a table in which no comma stands in quotes.
fn csv_rows(text: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| line.split(',').map(str::to_owned).collect();
    text.lines().map(cells).collect()
}

#[test]
fn a_variant_that_fails_is_a_row_that_says_why() {
    let folder = Folder::new();
    sheet(&folder);
    let grid = "time.integrator=backward-euler,symplectic-euler";
    let set = [
        "--set",
        "cloth.sheet.model=mass-spring",
        "--set",
        "cloth.sheet.material.stretch_stiffness=1e9",
    ];
    let arguments = ["sweep", "sheet.toml", "--grid", grid, "-o", "out"];
    let ended = toile(&folder, &[&arguments[..], &set[..]].concat());
    let table = std::fs::read_to_string(folder.file("out/results.csv")).unwrap();
    let failed = table
        .lines()
        .filter(|line| line.contains("symplectic-euler"))
        .collect::<Vec<_>>();
    assert!(!failed[0].contains("finished"), "{}", ended.stderr);
    ended.says(1, &["1 variants failed"]);
}

/// Header and rows of a sweep's table.
fn sweep_table(folder: &Folder, out: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(folder.file(&format!("{out}/results.csv"))).unwrap();
    let cells = |line: &str| line.split(',').map(String::from).collect();
    text.lines().map(cells).collect()
}

const BALL: &str = "\n[body.ball]\nshape.sphere = { radius = 0.1 }\nplace.at = [0.105, 0, 0.1]\n";

#[test]
fn a_sweep_tells_forces_on_bodies_the_same_with_and_without_frames() {
    let folder = Folder::new();
    std::fs::write(folder.file("sheet.toml"), format!("{SHEET}{BALL}")).unwrap();
    let sweep = [
        "sweep",
        "sheet.toml",
        "--grid",
        "body.ball.friction=0.1,0.5",
        "--set",
        "time.duration=0.4",
    ];
    toile(&folder, &[&sweep[..], &["-o", "plain"]].concat()).good();
    toile(&folder, &[&sweep[..], &["-o", "kept", "--frames"]].concat()).good();
    let [plain, kept] = ["plain", "kept"].map(|out| sweep_table(&folder, out));
    for figure in [
        "force_largest",
        "force_mean",
        "force_final",
        "torque_largest",
        "torque_mean",
        "torque_final",
    ] {
        let column = plain[0]
            .iter()
            .position(|c| *c == format!("ball.{figure}"))
            .unwrap();
        for row in 1..=2 {
            assert_eq!(plain[row][column], kept[row][column], "{figure}");
        }
    }
    let forces = std::fs::read_to_string(folder.file("kept/0000/forces.csv")).unwrap();
    let size = |line: &str| {
        let cells: Vec<f64> = line
            .split(',')
            .skip(2)
            .take(3)
            .map(|c| c.parse().unwrap())
            .collect();
        cells.iter().map(|x| x * x).sum::<f64>().sqrt()
    };
    let largest = forces.lines().skip(1).map(size).fold(0.0, f64::max);
    let column = plain[0]
        .iter()
        .position(|c| c == "ball.force_largest")
        .unwrap();
    assert!(largest > 0.0);
    assert_eq!(plain[1][column].parse::<f64>().unwrap(), largest);
    // The forces come back with the rows of an earlier sweep.
    toile(
        &folder,
        &[&sweep[..], &["-o", "plain", "--resume"]].concat(),
    )
    .good();
    assert_eq!(sweep_table(&folder, "plain"), plain);
}

#[test]
fn listed_and_zipped_variants_do_not_multiply_with_themselves() {
    let folder = Folder::new();
    sheet(&folder);
    let list = "name,cloth.sheet.damping,time.step\nsoft,1,0.01\nhard,3,0.005\n";
    std::fs::write(folder.file("list.csv"), list).unwrap();
    let short = ["--set", "time.duration=0.1"];
    let listed = [
        "sweep",
        "sheet.toml",
        "--variants",
        "list.csv",
        "-o",
        "listed",
    ];
    toile(&folder, &[&listed[..], &short].concat()).good();
    let table = sweep_table(&folder, "listed");
    assert_eq!(table.len(), 3);
    assert_eq!(
        table[0][..4],
        ["number", "variant", "cloth.sheet.damping", "time.step"]
    );
    assert_eq!(table[1][..4], ["0", "soft", "1.0", "0.01"]);
    assert_eq!(table[2][..4], ["1", "hard", "3.0", "0.005"]);
    toile(&folder, &[&listed[..], &short].concat()).says(1, &["--resume"]);
    toile(&folder, &[&listed[..], &short, &["--resume"]].concat()).good();
    // Another list is another sweep.
    std::fs::write(folder.file("list.csv"), list.replace("hard,3", "hard,4")).unwrap();
    toile(&folder, &[&listed[..], &short, &["--resume"]].concat()).says(1, &["another sweep"]);

    let zip = [
        "sweep",
        "sheet.toml",
        "--zip",
        "cloth.sheet.damping=1,2,3,cloth.sheet.virtual_mass=0.1,0.11,0.12",
    ];
    let grid = ["--grid", "time.step=0.01,0.005", "-o", "zipped"];
    toile(&folder, &[&zip[..], &grid, &short].concat()).good();
    let table = sweep_table(&folder, "zipped");
    assert_eq!(table.len(), 1 + 6);
    assert_eq!(table[6][1..4], ["3.0", "0.12", "0.005"]);
    let uneven = [
        "sweep",
        "sheet.toml",
        "--zip",
        "cloth.sheet.damping=1,2,time.step=0.01",
        "-o",
        "no",
    ];
    toile(&folder, &uneven).says(1, &["as many values"]);
    let twice = [
        "sweep",
        "sheet.toml",
        "--variants",
        "list.csv",
        "--grid",
        "time.step=0.01",
        "-o",
        "no",
    ];
    toile(&folder, &twice).says(1, &["`time.step` is varied twice"]);
    assert!(!folder.file("no").exists());
}

#[test]
fn a_fit_says_between_which_values_parameters_lie_and_which_are_not_told() {
    let folder = Folder::new();
    // A floor that nothing touches: its friction does nothing.
    let floor = "\n[body.floor]\nshape = \"plane\"\nplace.at = [0, 0, -3]\nfriction = 0.3\n";
    std::fs::write(folder.file("sheet.toml"), format!("{SHEET}{floor}")).unwrap();
    toile(&folder, &["run", "sheet.toml", "--no-report"]).good();
    let export = ["export", "runs/sheet", "--to", "npz", "--out", "clip.npz"];
    toile(&folder, &export).good();
    let fit = |params: &str, out: &str| {
        let arguments = [
            "fit",
            "sheet.toml",
            "--recording",
            "clip.npz",
            "--params",
            params,
            "--train",
            "0:0.6",
            "--budget",
            "60",
            "--set",
            "cloth.sheet.damping=3",
            "--json",
            "-o",
            out,
        ];
        let ended = toile(&folder, &arguments).good();
        let json: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        (json, ended.stderr)
    };
    let (json, _) = fit("cloth.sheet.damping=0:6", "one");
    let interval = |json: &serde_json::Value, k: usize| {
        [0, 1].map(|end| json["parameters"][k]["interval_95"][end].as_f64().unwrap())
    };
    let [low, high] = interval(&json, 0);
    assert!(
        low <= 2.0 && 2.0 <= high && high - low < 0.5,
        "{low} {high}"
    );
    assert_eq!(json["parameters"][0]["is_told"], true);

    let (json, said) = fit("cloth.sheet.damping=0:6,body.floor.friction=0:1", "two");
    let [low, high] = interval(&json, 0);
    assert!(low <= 2.0 && 2.0 <= high, "{low} {high}");
    assert_eq!(json["parameters"][1]["is_told"], false);
    assert_eq!(interval(&json, 1), [0.0, 1.0]);
    assert!(
        json["not_told"][0]
            .as_str()
            .unwrap()
            .contains("does not tell body.floor.friction")
    );
    assert!(said.contains("does not tell"), "{said}");
}

#[test]
fn a_fit_finds_what_the_recording_was_made_with() {
    let folder = Folder::new();
    recorded(&folder);
    let arguments = [
        "fit",
        "sheet.toml",
        "--recording",
        "clip.npz",
        "--params",
        "cloth.sheet.virtual_mass=0.03:0.2,cloth.sheet.damping=0:6",
        "--set",
        "cloth.sheet.damping=4",
        "--set",
        "cloth.sheet.virtual_mass=0.15",
        "--train",
        "0:0.6",
        "--test",
        "0.6:0.8",
        "--budget",
        "100",
        "--sensitivity",
        "2x3",
        "-o",
        "out",
        "--json",
    ];
    let ended = toile(&folder, &arguments).good();
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let value = |k: usize| json["parameters"][k]["value"].as_f64().unwrap();
    assert!((value(0) / 0.09 - 1.0).abs() < 0.03, "{}", value(0));
    assert!((value(1) / 2.0 - 1.0).abs() < 0.05, "{}", value(1));
    assert!(json["test"]["mean_error"].as_f64().unwrap() < 1e-3);
    for name in [
        "fitted.toml",
        "errors.png",
        "search.png",
        "sensitivity.png",
        "report.html",
        "preview-animated.png",
    ] {
        assert!(folder.file("out").join(name).is_file(), "{name}");
    }
    // Resumed, every simulation comes from the log, and so does the result.
    let again = toile(&folder, &[&arguments[..], &["--resume"]].concat()).good();
    let resumed: serde_json::Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(resumed["parameters"], json["parameters"]);
    assert_eq!(resumed["simulations"], json["simulations"]);
    assert!(resumed["simulations_recalled"].as_u64() >= json["simulations"].as_u64());
}

#[test]
fn a_fit_to_clouds_tells_how_far_they_are_from_the_cloth() {
    let folder = Folder::new();
    sheet(&folder);
    toile(&folder, &["run", "sheet.toml", "--no-report"]).good();
    // The nodes of every tenth frame, as points that know nothing of each other.
    std::fs::create_dir(folder.file("clouds")).unwrap();
    let start = ["export", "runs/sheet", "--to", "ply", "--out", "clouds/f"];
    toile(&folder, &[&start[..], &["--every", "10"]].concat()).good();
    let fit = ["fit", "sheet.toml", "--recording", "clouds", "--fps", "10"];
    let fields = ["--params", "cloth.sheet.damping=1:3", "--budget", "6"];
    let end = ["-o", "out", "--json"];
    let ended = toile(&folder, &[&fit[..], &fields, &end].concat()).good();
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let chamfer = json["mean_chamfer"].as_f64().unwrap();
    let hausdorff = json["worst_hausdorff"].as_f64().unwrap();
    // Points stand 5 cm apart: the middle of a face is 3.5 cm from the nearest, its mean about half of that; nothing is much farther.
    assert!((0.005..0.02).contains(&chamfer), "{chamfer}");
    assert!((0.02..0.045).contains(&hausdorff), "{hausdorff}");
    let table = std::fs::read_to_string(folder.file("out").join("distances.csv")).unwrap();
    assert!(csv_rows(&table).len() >= 8);
}

#[test]
fn fits_that_make_no_sense_are_refused() {
    let folder = Folder::new();
    recorded(&folder);
    let text = "time,x0,y0,z0,x1,y1,z1\n0,0,0,0,0,0.3,0.4\n0.1,0,0,0,0,0.3,0.4\n";
    std::fs::write(folder.file("one.csv"), text).unwrap();
    let unsorted = "time,x0,y0,z0\n0,0,0,0\n0.2,0,0,0\n0.1,0,0,0\n";
    std::fs::write(folder.file("unsorted.csv"), unsorted).unwrap();
    let damping = "cloth.sheet.damping=0:5";
    for (recording, params, options, part) in [
        ("clip.npz", "cloth.sheet.dampng=0:5", &[][..], "`damping`"),
        (
            "clip.npz",
            "cloth.sheet.damping=5:0",
            &[],
            "wrong way round",
        ),
        ("clip.npz", "cloth.sheet.model", &[], "not a number"),
        ("clip.npz", damping, &["--unit", "mm"], "--unit"),
        ("clip.npz", damping, &["--train", "7:0"], "--train 7:0"),
        (
            "clip.npz",
            damping,
            &["--test", "70:80"],
            "no recorded frame",
        ),
        (
            "clip.npz",
            damping,
            &["--cloth", "shirt"],
            "no cloth `shirt`",
        ),
        ("clip.npz", damping, &["--sensitivity"], "two parameters"),
        ("one.csv", damping, &[], "nodes"),
        ("unsorted.csv", damping, &[], "0.1"),
        ("missing.npz", damping, &[], "missing.npz"),
        ("sheet.toml", damping, &[], "sheet.toml"),
    ] {
        let arguments = [
            "fit",
            "sheet.toml",
            "--recording",
            recording,
            "--params",
            params,
            "-o",
            "out",
        ];
        toile(&folder, &[&arguments[..], options].concat()).says(1, &[part]);
        assert!(!folder.file("out/fit.json").exists());
    }
}
