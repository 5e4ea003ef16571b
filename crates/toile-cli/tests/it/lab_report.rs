//! What `toile lab run` leaves on the disk, and the page that `toile lab report` makes of it.

use crate::common::{Folder, program, toile};
use serde_json::Value;

const QUICK: [&str; 5] = ["lab", "run", "degrees-of-freedom", "free-flight", "--quick"];

fn json(folder: &Folder, name: &str) -> Value {
    serde_json::from_slice(&folder.read(name)).expect("JSON")
}

fn page(folder: &Folder, name: &str) -> String {
    String::from_utf8(folder.read(name)).expect("text")
}

#[test]
fn a_run_leaves_results_pictures_clips_and_a_page() {
    let folder = Folder::new();
    let ended = toile(&folder, &QUICK).good();
    assert!(ended.stdout.contains("picture: lab/free-flight-thrown.png"));
    assert!(ended.stdout.contains("clip: lab/clips/free-flight-thrown"));
    assert!(ended.stdout.contains("look at lab/report.html"));
    assert!(
        ended.stderr.contains("free-flight (2 of 2"),
        "{}",
        ended.stderr
    );
    let outcome = json(&folder, "lab/free-flight.json");
    assert_eq!(outcome["quick"], true);
    assert_eq!(outcome["pictures"][0], "free-flight-thrown.png");
    assert_eq!(outcome["clips"][0]["path"], "clips/free-flight-thrown");
    assert!(outcome["about"].as_str().unwrap().contains("momentum"));
    assert!(!outcome["parameters"].as_array().unwrap().is_empty());
    // A clip is a recording like any other.
    let clip = "lab/clips/free-flight-thrown";
    assert!(folder.read(&format!("{clip}/frames.toile")).len() < 3_000_000);
    toile(
        &folder,
        &["render", clip, "--frame", "last", "--size", "64x48"],
    )
    .good();
    let page = page(&folder, "lab/report.html");
    for part in [
        "id=\"free-flight\"",
        "id=\"degrees-of-freedom\"",
        "class=\"clip\"",
        "Every verdict holds",
    ] {
        assert!(page.contains(part), "no {part}");
    }
}

#[test]
fn resuming_skips_what_is_there_in_the_same_version() {
    let folder = Folder::new();
    let run = ["lab", "run", "free-flight", "--quick", "--no-report"];
    toile(&folder, &run).good();
    assert!(!folder.file("lab/report.html").exists());
    // Changed by hand, so that it shows whether it was taken or made anew.
    let mut outcome = json(&folder, "lab/free-flight.json");
    outcome["notes"] = Value::from(vec!["from earlier"]);
    folder.write("lab/free-flight.json", outcome.to_string());
    let resumed = toile(&folder, &[&run[..], &["--resume", "--json"]].concat()).good();
    let printed: Value = serde_json::from_str(&resumed.stdout).unwrap();
    assert_eq!(printed[0]["notes"][0], "from earlier");
    assert_eq!(printed[0]["pictures"][0], "lab/free-flight-thrown.png");
    // A result of the full version, and one that is damaged, are not what was asked for.
    outcome["quick"] = Value::from(false);
    for text in [outcome.to_string(), "{".to_owned()] {
        folder.write("lab/free-flight.json", text);
        toile(&folder, &[&run[..], &["--resume"]].concat()).good();
        let again = json(&folder, "lab/free-flight.json");
        assert!(again["quick"] == true && again["notes"][0] != "from earlier");
    }
}

#[test]
fn the_page_is_made_anew_from_results_and_says_what_is_wrong_with_them() {
    let folder = Folder::new();
    toile(&folder, &[&QUICK[..], &["--no-report"]].concat()).good();
    let ended = toile(&folder, &["lab", "report", "lab", "--out", "page.html"]).good();
    assert!(ended.stdout.contains("look at page.html"));
    std::fs::remove_file(folder.file("lab/free-flight-thrown.png")).unwrap();
    let ended = toile(&folder, &["lab", "report", "lab"]).good();
    assert!(
        ended
            .stderr
            .contains("free-flight-thrown.png cannot be shown")
    );
    assert!(page(&folder, "lab/report.html").contains("free-flight-thrown.png cannot be shown"));
    folder.write("lab/pendulum.json", "{\"name\": \"pend");
    toile(&folder, &["lab", "report", "lab"])
        .says(1, &["lab/pendulum.json", "run the experiment again"]);
    let page = page(&folder, "lab/report.html");
    assert!(page.contains("Results that could not be read"));
    assert!(page.contains("id=\"free-flight\""));
}

#[test]
fn folders_without_results_are_refused() {
    let folder = Folder::new();
    std::fs::create_dir(folder.file("empty")).unwrap();
    toile(&folder, &["lab", "report", "empty"]).says(1, &["holds no results", "toile lab run"]);
    toile(&folder, &["lab", "report", "nowhere"]).says(1, &["nowhere"]);
    folder.write("empty/x.json", "[]");
    toile(&folder, &["lab", "report", "empty"]).says(1, &["none of the results", "empty"]);
    toile(&folder, &["lab", "report", "empty", "--budget", "0"]).says(2, &["--budget"]);
}

#[test]
fn experiments_say_what_they_are_about() {
    let folder = Folder::new();
    let long = toile(&folder, &["lab", "list", "--long"]).good().stdout;
    let short = toile(&folder, &["lab", "list"]).good().stdout;
    assert!(short.lines().count() < 60 && long.len() > 4 * short.len());
    let shown = toile(&folder, &["lab", "show", "pendulum"]).good().stdout;
    assert!(
        shown.contains("like a ruler on a") && shown.contains("20 N·m"),
        "{shown}"
    );
    assert!(long.contains(shown.trim()));
    toile(&folder, &["lab", "show", "nope"]).says(1, &["no experiment `nope`"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_after_the_experiment_and_says_how_to_go_on() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    // The first one must be at work for long enough to be interrupted.
    let two = ["lab", "run", "pendulum", "free-flight", "--quick"];
    let mut child = program(folder.path(), &two)
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert!(first.contains("pendulum (1 of 2"), "{first}");
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(sent.success());
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    let code = child.wait().unwrap().code();
    let rest = rest.join("\n");
    assert_eq!(code, Some(130), "{rest}");
    let again = "toile lab run pendulum free-flight --quick --out lab --resume";
    assert!(rest.contains(again), "{rest}");
    assert!(folder.file("lab/pendulum.json").exists());
    assert!(!folder.file("lab/free-flight.json").exists());
    let resumed = toile(&folder, &[&two[..], &["--resume"]].concat()).good();
    assert!(!resumed.stderr.contains("pendulum ("), "{}", resumed.stderr);
}
