//! What is promised about runs that are stopped, killed, resumed, refused or starved of disk.

use crate::common::{Ended, Folder, SMALL, contents, toile};
use std::path::Path;

/// A run's results that must not depend on how they came about.
fn results(folder: &Folder, run: &str) -> [Vec<u8>; 3] {
    ["frames.toile", "metrics.csv", "forces.csv"].map(|name| folder.read(&format!("{run}/{name}")))
}

fn small() -> Folder {
    let folder = Folder::new();
    folder.write("small.toml", SMALL);
    folder
}

fn run(folder: &Folder, out: &str, more: &[&str]) -> Ended {
    let start = ["run", "small.toml", "-q", "--no-report", "-o", out];
    toile(folder, &[&start, more].concat())
}

fn assert_same(folder: &Folder, one: &str, other: &str) {
    let (one, other) = (results(folder, one), results(folder, other));
    assert!(one[0] == other[0], "frames.toile differs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    for table in [1, 2] {
        assert_eq!(text(&one[table]), text(&other[table]));
    }
}

#[test]
fn a_run_in_two_parts_equals_a_run_in_one() {
    let folder = small();
    run(&folder, "whole", &[]).good();
    run(&folder, "parts", &["--until", "0.2"]).good();
    assert_ne!(results(&folder, "whole"), results(&folder, "parts"));
    run(&folder, "parts", &["--resume"]).good();
    assert_same(&folder, "whole", "parts");
}

#[test]
fn a_finished_run_can_be_lengthened() {
    let folder = small();
    run(&folder, "whole", &["--set", "time.duration=0.8"]).good();
    run(&folder, "longer", &[]).good();
    let longer = ["--resume", "--set", "time.duration=0.8"];
    run(&folder, "longer", &longer).good();
    assert_same(&folder, "whole", "longer");
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let folder = small();
    // Large enough that the loops of the engine are really shared out.
    let cells = "cloth.sheet.mesh.grid.cells=[130,130]";
    let large = ["--set", cells, "--set", "time.fps=100"];
    for (size, more) in [("small", &[][..]), ("large", &large[..])] {
        let until = if more.is_empty() { "0.48" } else { "0.01" };
        let outs = ["1", "2"].map(|threads| {
            let out = format!("{size}-{threads}");
            let plain = ["--threads", threads, "--until", until];
            run(&folder, &out, &[&plain, more].concat()).good();
            out
        });
        assert_same(&folder, &outs[0], &outs[1]);
    }
}

#[test]
fn results_are_kept_unless_replacing_them_is_asked_for() {
    let folder = small();
    run(&folder, "out", &["--until", "0.08"]).good();
    let before = contents(&folder.file("out"));
    run(&folder, "out", &[]).says(1, &["out already holds results", "--resume", "--force"]);
    assert_eq!(contents(&folder.file("out")), before);

    folder.write("out/notes.txt", "mine");
    run(&folder, "out", &["--force"]).good();
    assert_eq!(folder.read("out/notes.txt"), b"mine");
    run(&folder, "whole", &[]).good();
    assert_same(&folder, "whole", "out");
}

#[test]
fn a_call_that_cannot_run_removes_nothing_even_with_force() {
    let folder = small();
    run(&folder, "out", &["--until", "0.08"]).good();
    let before = contents(&folder.file("out"));
    let force = ["--force", "--until", "99"];
    run(&folder, "out", &force).says(1, &["--until 99 is beyond", "0.48 s"]);
    let force = ["--force", "--set", "cloth.sheet.material.density=-1"];
    run(&folder, "out", &force).says(1, &["cloth.sheet.material.density"]);
    assert_eq!(contents(&folder.file("out")), before);
}

#[test]
fn a_folder_of_other_things_is_refused_and_kept() {
    let folder = small();
    std::fs::create_dir(folder.file("home")).unwrap();
    folder.write("home/thesis.tex", "mine");
    for more in [&[][..], &["--force"], &["--resume"]] {
        run(&folder, "home", more).says(1, &["home holds files that are not results", "-o"]);
        let kept = contents(&folder.file("home"));
        assert_eq!(kept, [("thesis.tex".to_owned(), b"mine".to_vec())]);
    }
}

#[test]
fn a_changed_scene_is_not_resumed() {
    let folder = small();
    run(&folder, "out", &["--until", "0.08"]).good();
    let before = contents(&folder.file("out"));
    for change in [
        "cloth.sheet.material.density=0.3",
        "cloth.sheet.limit.strain.stretch=0.05",
    ] {
        let change = ["--resume", "--set", change];
        run(&folder, "out", &change).says(1, &["out was made from a different scene", "--force"]);
        assert_eq!(contents(&folder.file("out")), before);
    }
}

#[test]
fn damaged_files_stop_a_resume_and_are_kept() {
    let folder = small();
    run(&folder, "out", &["--until", "0.2"]).good();
    let whole = |name: &str| folder.read(&format!("out/{name}"));
    let originals = ["checkpoint.toile", "frames.toile", "metrics.csv"].map(|n| (n, whole(n)));
    let refuse = |name: &str, bytes: &[u8], fragments: &[&str]| {
        folder.write(&format!("out/{name}"), bytes);
        let before = contents(&folder.file("out"));
        run(&folder, "out", &["--resume"]).says(1, fragments);
        assert_eq!(contents(&folder.file("out")), before);
        for (name, bytes) in &originals {
            folder.write(&format!("out/{name}"), bytes);
        }
    };
    let (_, checkpoint) = &originals[0];
    let mut flipped = checkpoint.clone();
    flipped[checkpoint.len() / 2] ^= 1;
    let named = "checkpoint.toile is not a usable checkpoint";
    refuse(
        "checkpoint.toile",
        &flipped,
        &[named, "checksum", "--force"],
    );
    let half = &checkpoint[..checkpoint.len() / 2];
    refuse("checkpoint.toile", half, &[named]);
    refuse("checkpoint.toile", b"", &[named, "too short"]);
    let (_, frames) = &originals[1];
    refuse(
        "frames.toile",
        &frames[..frames.len() / 2],
        &["frames.toile"],
    );
    refuse("frames.toile", b"", &["frames.toile"]);
    let (_, metrics) = &originals[2];
    refuse(
        "metrics.csv",
        &metrics[..metrics.len() / 2],
        &["metrics.csv"],
    );
    run(&folder, "out", &["--resume"]).good();
}

#[test]
fn a_flipped_byte_is_noticed_wherever_it_is() {
    let folder = small();
    run(&folder, "out", &["--until", "0.2"]).good();
    for name in ["frames.toile", "metrics.csv", "timings.csv", "forces.csv"] {
        let file = format!("out/{name}");
        let whole = folder.read(&file);
        // In what comes before the frames, and in the last one; in an early line, and in the last one.
        for at in [whole.len() / 3, whole.len() - 9] {
            let mut flipped = whole.clone();
            flipped[at] ^= 1;
            folder.write(&file, &flipped);
            let before = contents(&folder.file("out"));
            run(&folder, "out", &["--resume"]).says(1, &[name, "checksum is wrong", "--force"]);
            assert_eq!(contents(&folder.file("out")), before);
            if name == "frames.toile" && at == whole.len() - 9 {
                let render = ["render", "out", "--frame", "last", "--out", "a.png"];
                toile(&folder, &render).says(1, &["frame 5", "damaged"]);
                let export = ["export", "out", "--to", "vtu", "--out", "a.vtu"];
                toile(&folder, &export).says(1, &["frame 5", "damaged"]);
            }
        }
        folder.write(&file, &whole);
    }
    run(&folder, "out", &["--resume"]).good();
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let folder = small();
    folder.write("file", "not a folder");
    run(&folder, "file/out", &[]).says(1, &["file/out"]);
    run(&folder, "file", &[]).says(1, &["file"]);
    assert_eq!(folder.read("file"), b"not a folder");
}

#[cfg(unix)]
mod signals {
    use super::*;
    use crate::common::program;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    /// Long enough that a signal finds it at work.
    const LONG: [&str; 2] = ["--set", "time.duration=4"];

    fn start(folder: &Folder, out: &str, more: &[&str]) -> Child {
        let first = ["run", "small.toml", "-q", "--no-report", "-o", out];
        let mut command = program(folder.path(), &[&first, &LONG[..], more].concat());
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    }

    /// Runs to the end, with no more checkpoints than usual.
    fn finish(folder: &Folder, out: &str, more: &[&str]) {
        let usual = ["--set", "output.checkpoint_interval=5"];
        run(folder, out, &[&LONG[..], &usual, more].concat()).good();
    }

    fn wait_for_checkpoint(path: &Path) {
        for _ in 0..6000 {
            if path.join("checkpoint.toile").exists() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("{} got no checkpoint", path.display());
    }

    fn signal(child: &Child, name: &str) {
        let id = child.id().to_string();
        let sent = Command::new("kill").args([name, &id]).status();
        assert!(sent.expect("`kill` exists").success());
    }

    fn frames(folder: &Folder, out: &str) -> usize {
        let table = folder.read(&format!("{out}/metrics.csv"));
        table.iter().filter(|&&b| b == b'\n').count() - 1
    }

    #[test]
    fn an_interrupted_run_says_how_to_go_on_and_goes_on() {
        let folder = small();
        finish(&folder, "whole", &[]);
        for name in ["-INT", "-TERM"] {
            let out = &name[1..];
            let child = start(&folder, out, &[]);
            wait_for_checkpoint(&folder.file(out));
            signal(&child, name);
            let ended = Ended::of(child.wait_with_output().expect("it ends"));
            ended.says(130, &["continue with: toile run small.toml", "--resume"]);
            assert!(frames(&folder, out) < frames(&folder, "whole"));
            finish(&folder, out, &["--resume"]);
            assert_same(&folder, "whole", out);
        }
    }

    #[test]
    fn a_run_killed_at_any_moment_again_and_again_ends_with_the_same_bytes() {
        let folder = small();
        finish(&folder, "whole", &[]);
        // Moments from before the first frame to the middle of the run; the last ones come on top of each other.
        for (k, pauses) in [&[3, 9][..], &[17, 60, 25], &[41, 130]].iter().enumerate() {
            let out = format!("killed-{k}");
            for &pause in *pauses {
                let mut child = start(&folder, &out, &["--resume"]);
                std::thread::sleep(Duration::from_millis(pause));
                child.kill().expect("it can be killed");
                child.wait().expect("it ends");
            }
            finish(&folder, &out, &["--resume"]);
            assert_same(&folder, "whole", &out);
        }
    }

    #[test]
    fn two_runs_never_write_to_one_folder() {
        let folder = small();
        let long = ["--set", "time.duration=4000"];
        let child = start(&folder, "out", &long);
        wait_for_checkpoint(&folder.file("out"));
        for more in [&[][..], &["--force"], &["--resume"]] {
            run(&folder, "out", more).says(1, &["another run is writing to out"]);
        }
        signal(&child, "-INT");
        let ended = Ended::of(child.wait_with_output().expect("it ends"));
        ended.says(130, &[]);
        run(&folder, "out", &["--resume", long[0], "time.duration=0.48"]).good();
    }

    #[test]
    fn a_full_disk_is_an_error_that_names_the_file() {
        let folder = small();
        run(&folder, "whole", &[]).good();
        let program = env!("CARGO_BIN_EXE_toile");
        // Blocks of half a kilobyte, or of a whole one: too few for the header, and for the frames.
        for (blocks, out) in [(1, "early"), (8, "soon"), (28, "late")] {
            // With the signal ignored, a file that grows too long fails as it does on a full disk.
            let script = format!(
                "trap '' XFSZ; ulimit -f {blocks}; exec '{program}' run small.toml -q --no-report -o {out}"
            );
            let mut shell = Command::new("sh");
            shell.current_dir(folder.path()).args(["-c", &script]);
            let ended = Ended::of(shell.output().expect("`sh` exists"));
            ended.says(1, &[&format!("{out}/"), ".to", "File too large"]);
            // What was there before the disk was full goes on when there is room.
            run(&folder, out, &["--resume"]).good();
            assert_same(&folder, "whole", out);
        }
    }
}
