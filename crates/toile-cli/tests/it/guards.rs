//! What the program must never do: lose results, replace what is no file, wait for ever, or take more memory
//! than there is.

use crate::common::{Folder, SMALL, contents, toile};

fn small() -> Folder {
    let folder = Folder::new();
    folder.write("small.toml", SMALL);
    folder
}

const RUN: [&str; 6] = ["run", "small.toml", "-q", "--no-report", "-o", "out"];

#[test]
fn results_without_a_checkpoint_are_not_replaced_by_a_resume() {
    for command in ["run", "drape"] {
        let folder = small();
        let start = [command, "small.toml", "-q", "--no-report", "-o", "out"];
        let start = [&start[..], &["--set", "expect={}"]].concat();
        toile(&folder, &start);
        std::fs::remove_file(folder.file("out/checkpoint.toile")).unwrap();
        let before = contents(&folder.file("out"));
        let again = [&start[..], &["--resume"]].concat();
        toile(&folder, &again).says(1, &["out holds results but no checkpoint.toile", "--force"]);
        assert_eq!(contents(&folder.file("out")), before);
        // Frames alone are results, too.
        std::fs::remove_file(folder.file("out/metrics.csv")).unwrap();
        toile(&folder, &again).says(1, &["no checkpoint.toile"]);
        let anew = [&start[..], &["--force"]].concat();
        toile(&folder, &anew);
        assert!(folder.file("out/checkpoint.toile").exists());
    }
}

#[test]
fn a_run_killed_before_its_first_checkpoint_starts_anew() {
    let folder = small();
    toile(&folder, &RUN).good();
    let whole = folder.read("out/frames.toile");
    std::fs::remove_dir_all(folder.file("out")).unwrap();
    std::fs::create_dir(folder.file("out")).unwrap();
    folder.write("out/frames.toile", &whole[..40]);
    folder.write("out/metrics.csv", "time,stretch_worst\n");
    toile(&folder, &[&RUN[..], &["--resume"]].concat()).good();
    assert_eq!(folder.read("out/frames.toile"), whole);
}

#[test]
fn folders_are_not_replaced_by_files() {
    let folder = small();
    toile(&folder, &RUN).good();
    folder.write("ball.obj", BALL);
    std::fs::create_dir(folder.file("taken.npz")).unwrap();
    folder.write("taken.npz/mine.txt", "mine");
    for arguments in writers("taken.npz") {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ended = toile(&folder, &arguments);
        assert_eq!(ended.code, Some(1), "{arguments:?}: {}", ended.stdout);
        assert!(
            ended.stderr.contains("folder"),
            "{arguments:?}: {}",
            ended.stderr
        );
    }
    assert_eq!(folder.read("taken.npz/mine.txt"), b"mine");
}

#[test]
fn files_that_exist_are_replaced_only_when_that_is_asked_for() {
    let folder = small();
    toile(&folder, &RUN).good();
    folder.write("ball.obj", BALL);
    for arguments in writers("mine.npz") {
        folder.write("mine.npz", "mine");
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let force = arguments.pop();
        assert_eq!(force, Some("--force"));
        toile(&folder, &arguments).says(1, &["mine.npz exists already", "--force"]);
        assert_eq!(folder.read("mine.npz"), b"mine", "{arguments:?}");
        arguments.push("--force");
        toile(&folder, &arguments).good();
        assert_ne!(folder.read("mine.npz"), b"mine", "{arguments:?}");
    }
}

/// Every command that writes a file which the user names, with leave to replace it.
fn writers(out: &str) -> Vec<Vec<String>> {
    let overhang = ["material", "fit", "--overhang", "0.05", "--density", "0.1"];
    [
        &["render", "out", "--frame", "0", "--size", "32x32"][..],
        &["check", "small.toml"],
        &["levelset", "ball.obj", "--size", "16", "--cell", "0.5"],
        &["export", "out", "--to", "npz"],
        &overhang,
    ]
    .iter()
    // An export adds what is missing to a name.
    .filter(|start| start[0] != "export" || out.ends_with(".npz"))
    .map(|start| {
        let all = [start, &["-o", out, "--force"][..]].concat();
        all.iter().map(|&word| word.to_owned()).collect()
    })
    .collect()
}

/// A tetrahedron, fronts outwards.
const BALL: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn a_scene_that_does_not_fit_into_memory_is_refused_before_it_is_made() {
    let folder = small();
    let cells = "cloth.sheet.mesh.grid.cells=[7000,7000]";
    let said = [
        "cloth `sheet` has 49014001 nodes",
        "GB of memory",
        "coarser mesh",
        "--memory",
    ];
    let limit = ["--set", cells, "--memory", "4G"];
    for command in [
        &["run", "small.toml"][..],
        &["drape", "small.toml"],
        &["check", "small.toml"],
    ] {
        toile(&folder, &[command, &limit].concat()).says(1, &said);
    }
    let axis = ["sweep", "small.toml", "--grid", "time.fps=25,50"];
    let ended = toile(&folder, &[&axis[..], &limit].concat());
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    // What fits is not kept from running.
    toile(&folder, &[&RUN[..], &["--memory", "100M"]].concat()).good();
    let wrong = [&RUN[..], &["--memory", "much"]].concat();
    toile(&folder, &wrong).says(2, &["--memory", "such as 8G"]);
}

#[test]
fn numbers_beyond_all_numbers_are_refused_where_they_stand() {
    let folder = small();
    let digits = "9".repeat(309);
    let set = format!("cloth.sheet.damping={digits}");
    toile(&folder, &["check", "small.toml", "--set", &set]).says(1, &["--set", "too large"]);
    let set = format!("cloth.sheet.damping={digits}.0");
    toile(&folder, &["check", "small.toml", "--set", &set]).says(1, &["--set", "too large"]);
    for number in [digits.clone(), format!("{digits}.0")] {
        folder.write(
            "huge.toml",
            format!("{SMALL}\n[cloth.sheet.drag]\nnormal = {number}\n"),
        );
        toile(&folder, &["check", "huge.toml"]).says(1, &["huge.toml:22", "too large"]);
    }
    let until = [&RUN[..], &["--until", &digits]].concat();
    toile(&folder, &until).says(2, &["--until", "finite number"]);
    folder.write(
        "m.obj",
        format!("v 0 0 {digits}\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
    );
    toile(&folder, &["check", "m.obj"]).says(1, &["m.obj", "line 1", "too large"]);
}

#[test]
fn what_is_no_scene_is_told_what_it_is() {
    let folder = small();
    std::fs::create_dir(folder.file("my.toml")).unwrap();
    folder.write("body.glb", b"glTF\x02\x00\x00\x00");
    folder.write("ball.obj", BALL);
    toile(&folder, &RUN).good();
    for command in ["run", "check", "drape"] {
        toile(&folder, &[command, "my.toml"]).says(1, &["my.toml", "is a folder"]);
        toile(&folder, &[command, "body.glb"]).says(1, &["body.glb", "glTF", "shape.gltf"]);
        toile(&folder, &[command, "helo"]).says(1, &["did you mean `hello`?"]);
        let resolved = "out/scene.resolved.toml";
        toile(&folder, &[command, "out"]).says(1, &["the folder of a run", resolved]);
    }
    toile(&folder, &["run", "ball.obj"]).says(1, &["it is a mesh", "mesh.file", "toile check"]);
    // A folder of that name does not hide a bundled scene.
    std::fs::create_dir(folder.file("hello")).unwrap();
    toile(&folder, &["check", "hello"]).good();
}

#[test]
fn colours_are_from_0_to_1() {
    let folder = Folder::new();
    let sheet = "place = { at = [0.0, 0.0, 0.35] }";
    for (line, field) in [
        ("color = [2, 0, 0]", "cloth.sheet.color"),
        ("back_color = [0.5, -0.1, 0]", "cloth.sheet.back_color"),
        ("color = [nan, 0, 0]", "cloth.sheet.color"),
    ] {
        folder.write(
            "bad.toml",
            SMALL.replace(sheet, &format!("{sheet}\n{line}")),
        );
        toile(&folder, &["check", "bad.toml"]).says(1, &["bad.toml:10:1", field, "from 0 to 1"]);
    }
    let ball = "shape.sphere = { radius = 0.15 }";
    folder.write(
        "bad.toml",
        SMALL.replace(ball, &format!("{ball}\ncolor = [255, 128, 0]")),
    );
    let said = ["body.ball.color", "from 0 to 1", "divide by 255"];
    toile(&folder, &["check", "bad.toml"]).says(1, &said);
}

#[test]
fn a_set_inside_the_wrong_table_is_blamed_and_not_the_file() {
    let folder = small();
    for (set, says) in [
        ("cloth.sheet.pin[0].select.corners=[9]", "no corner 9"),
        ("cloth.shet.damping=1", "missing field `mesh`"),
        ("cloth.sheet.mesh.grid.cells=[0,8]", "cells"),
        ("body.ball.shape.sphere.radius=-1", "radius"),
        ("cloth.sheet.pin.0.select.corners=[9]", "no corner 9"),
    ] {
        let ended = toile(&folder, &["check", "small.toml", "--set", set]);
        let field = set.split('=').next().unwrap();
        let ended = ended.says(1, &[&format!("--set {field}="), says]);
        assert!(!ended.stderr.contains("── here"), "{}", ended.stderr);
    }
    // What the file has wrong stays the file's.
    let wrong = SMALL.replace("mesh.grid", "mesh.gird");
    folder.write("wrong.toml", wrong);
    let ended = toile(
        &folder,
        &["check", "wrong.toml", "--set", "cloth.sheet.damping=1"],
    );
    let ended = ended.says(1, &["wrong.toml:8:", "did you mean `grid`?"]);
    assert!(!ended.stderr.contains("--set"), "{}", ended.stderr);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use crate::common::program;
    use std::fs::File;
    use std::os::unix::fs::FileTypeExt;
    use std::process::{Command, Stdio};

    fn make_pipe(folder: &Folder, name: &str) {
        let made = Command::new("mkfifo").arg(folder.file(name)).status();
        assert!(made.expect("`mkfifo` exists").success());
    }

    #[test]
    fn pipes_and_devices_are_not_replaced() {
        let folder = small();
        toile(&folder, &RUN).good();
        folder.write("ball.obj", BALL);
        make_pipe(&folder, "pipe.npz");
        std::os::unix::fs::symlink("/dev/null", folder.file("null.npz")).unwrap();
        for out in ["pipe.npz", "null.npz", "/dev/null"] {
            for arguments in writers(out) {
                let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
                toile(&folder, &arguments).says(1, &[out, "cannot be replaced"]);
            }
        }
        let kind = |name: &str| {
            std::fs::symlink_metadata(folder.file(name))
                .unwrap()
                .file_type()
        };
        assert!(kind("pipe.npz").is_fifo());
        assert!(kind("null.npz").is_symlink());
        assert!(kind("/dev/null").is_char_device());
    }

    #[test]
    fn pipes_and_devices_are_not_read() {
        let folder = small();
        for name in ["pipe.toml", "pipe.obj", "pipe.csv", "pipe.npz"] {
            make_pipe(&folder, name);
        }
        for scene in ["pipe.toml", "/dev/zero", "/dev/null"] {
            toile(&folder, &["run", scene, "-o", "out"]).says(1, &[scene, "cannot be read"]);
        }
        toile(&folder, &["check", "pipe.obj"]).says(1, &["pipe.obj", "a pipe"]);
        toile(&folder, &["levelset", "pipe.obj"]).says(1, &["pipe.obj", "a pipe"]);
        toile(&folder, &["material", "fit", "--kes", "/dev/zero"]).says(1, &["a device"]);
        let fit = [
            "fit",
            "small.toml",
            "--params",
            "cloth.sheet.damping=0:5",
            "--recording",
        ];
        toile(&folder, &[&fit[..], &["pipe.npz"]].concat()).says(1, &["pipe.npz", "a pipe"]);
        let mesh = "mesh.grid = { size = [0.4, 0.4], cells = [8, 8] }";
        let text = SMALL.replace(mesh, "mesh.file = { path = \"pipe.obj\" }");
        folder.write("mesh.toml", text);
        toile(&folder, &["check", "mesh.toml"]).says(1, &["mesh.toml:8", "a pipe"]);
        let pin = "select.corners = [0]";
        let motion = format!("{pin}\nmotion.trajectory = {{ path = \"pipe.csv\" }}");
        folder.write("motion.toml", SMALL.replace(pin, &motion));
        toile(&folder, &["check", "motion.toml"]).says(1, &["motion.toml:13", "a pipe"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn results_that_cannot_be_printed_are_a_failure() {
        let folder = small();
        toile(&folder, &RUN).good();
        for arguments in [
            &["scenes"][..],
            &["scenes", "hello"],
            &["fabrics"],
            &["schema"],
            &["completions", "bash"],
            &["check", "small.toml"],
            &["lab", "list"],
            &["run", "small.toml", "--no-report", "-o", "other"],
            &["render", "out", "--frame", "0", "-o", "frame.png"],
            &["export", "out", "--to", "npz", "-o", "frames.npz"],
            &["material", "fit", "--overhang", "0.05", "--density", "0.1"],
            &["--help"],
            &["run", "--help"],
            &["--version"],
        ] {
            let full = File::options().write(true).open("/dev/full").unwrap();
            let mut command = program(folder.path(), arguments);
            let output = command
                .stdout(full)
                .stderr(Stdio::piped())
                .output()
                .unwrap();
            let says = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{arguments:?}: {says}");
            assert!(says.contains("standard output"), "{arguments:?}: {says}");
        }
    }

    #[test]
    fn a_reader_who_has_seen_enough_ends_nothing_and_is_no_fault() {
        let folder = small();
        for arguments in [&["scenes"][..], &["schema"], &["run", "small.toml"]] {
            let mut command = program(folder.path(), arguments);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().expect("the program starts");
            drop(child.stdout.take());
            let output = child.wait_with_output().expect("it ends");
            let says = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{arguments:?}: {says}");
            assert!(!says.contains("standard output"), "{says}");
        }
        assert!(folder.file("runs/small/report.html").exists());
    }
}
