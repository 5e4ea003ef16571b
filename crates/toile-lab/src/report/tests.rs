//! Pages made of results that were never run.

use super::*;
use crate::outcome::{ClipFile, Measurement, Outcome, Parameter};
use crate::results::{DamagedResult, read_results};
use glam::DVec3;
use std::sync::atomic::{AtomicUsize, Ordering};
use toile::mesh::Face;
use toile_render::Image;
use toile_scene::recording::{ClothTrack, RecordedFrame, Reel};

/// A folder in the system's place for passing things, gone at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("toile-lab-report-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn picture(&self, name: &str) -> PathBuf {
        let image = Image::filled(60, 40, [0.2, 0.4, 0.6]);
        std::fs::write(self.0.join(name), image.encode_png().unwrap()).unwrap();
        PathBuf::from(name)
    }

    fn clip(&self, name: &str, frames: usize) -> ClipFile {
        let path = Path::new("clips").join(name);
        std::fs::create_dir_all(self.0.join(&path)).unwrap();
        let file = self.0.join(&path).join("frames.toile");
        reel(frames).write(&file).unwrap();
        ClipFile {
            title: "a triangle <turns>".into(),
            path,
        }
    }

    fn report(&self, outcomes: Vec<Outcome>, budget: usize) -> (String, ReportSummary) {
        let results = Results {
            outcomes,
            damaged: Vec::new(),
        };
        let out = self.0.join(FILE_NAME);
        let summary = write_report(&results, &self.0, &out, budget).unwrap();
        let page = std::fs::read_to_string(&out).unwrap();
        assert_eq!(page.len(), summary.bytes);
        (page, summary)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn reel(frames: usize) -> Reel {
    let nodes = 300;
    Reel {
        title: "a triangle".into(),
        fps: 10.0,
        cloths: vec![ClothTrack {
            name: "</script>".into(),
            first_node: 0,
            node_count: nodes,
            faces: vec![Face::Tri([0, 1, 2])],
            rest_areas: vec![0.5],
            edges: Vec::new(),
            rest_lengths: Vec::new(),
            thickness: 0.0,
            colors: [[0.5; 3]; 2],
            attributes: Default::default(),
        }],
        bodies: Vec::new(),
        frames: (0..frames)
            .map(|k| RecordedFrame {
                time: 0.1 * k as f64,
                poses: Vec::new(),
                positions: (0..nodes)
                    .map(|n| DVec3::new(n as f64, k as f64, 0.5))
                    .collect(),
                velocities: Vec::new(),
            })
            .collect(),
    }
}

fn outcome(name: &str, measured: f64) -> Outcome {
    Outcome {
        name: name.into(),
        title: "a thing that swings".into(),
        reproduces: "a law".into(),
        about: "It swings. It matters.".into(),
        parameters: vec![Parameter {
            name: "length".into(),
            value: "1 m".into(),
        }],
        quick: true,
        measurements: vec![Measurement::new("period", "s", measured, 2.0, 0.5)],
        notes: vec![
            "a remark".into(),
            "cells   error".into(),
            "    5   1e-3".into(),
        ],
        pictures: Vec::new(),
        clips: Vec::new(),
        seconds: 3.2,
    }
}

#[test]
fn a_page_has_everything_and_loads_nothing() {
    let folder = Folder::new();
    let mut good = outcome("swing", 2.1);
    good.pictures = vec![folder.picture("swing-plot.png")];
    good.clips = vec![folder.clip("swing-clip", 5)];
    let (page, summary) = folder.report(vec![good, outcome("bend", 3.0)], DEFAULT_BUDGET_BYTES);
    assert_eq!((summary.embedded, summary.linked), (2, 0));
    for part in [
        "id=\"swing\"",
        "href=\"#bend\"",
        "1 of 1 hold",
        "1 of 1 fail",
        "One experiment has verdicts that fail",
        "It swings. It matters.",
        "<dt>length</dt><dd>1 m</dd>",
        "<pre tabindex=\"0\">cells   error\n    5   1e-3</pre>",
        "src=\"data:image/png;base64,iVBOR",
        "a triangle &lt;turns&gt;",
        "Content-Security-Policy",
        "how far the two may be apart",
    ] {
        assert!(page.contains(part), "no {part}");
    }
    let namespace = "http://www.w3.org/2000/svg";
    let page = page.replace(namespace, "").replace("src=\"data:", "");
    for network in [
        "http://", "https://", " src=", "@import", "url(", "fetch(", "<link",
    ] {
        assert!(!page.contains(network), "the page has {network}");
    }
}

#[test]
fn nothing_in_a_result_becomes_markup() {
    let nasty = "<script>alert('1')</script>\"&";
    let folder = Folder::new();
    let mut bad = outcome(nasty, 2.0);
    (bad.title, bad.reproduces, bad.about) = (nasty.into(), nasty.into(), nasty.into());
    bad.notes = vec![nasty.into(), format!("{nasty}    {nasty}")];
    bad.parameters[0] = Parameter {
        name: nasty.into(),
        value: nasty.into(),
    };
    bad.measurements = vec![Measurement::new(nasty, nasty, f64::NAN, 0.0, 1.0)];
    bad.pictures = vec![PathBuf::from(nasty)];
    bad.clips = vec![ClipFile {
        title: nasty.into(),
        path: nasty.into(),
    }];
    let results = Results {
        outcomes: vec![bad],
        damaged: vec![DamagedResult {
            path: nasty.into(),
            why: nasty.into(),
        }],
    };
    let out = folder.0.join("page.html");
    let summary = write_report(&results, &folder.0, &out, DEFAULT_BUDGET_BYTES).unwrap();
    let page = std::fs::read_to_string(&out).unwrap();
    assert_eq!(summary.missing.len(), 2);
    assert!(!page.contains("<script>alert"));
    assert!(page.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;"));
    assert!(page.contains("not a number"));
}

#[test]
fn what_does_not_fit_is_linked_and_the_page_says_so() {
    let folder = Folder::new();
    let mut one = outcome("swing", 2.0);
    one.pictures = vec![folder.picture("swing-a.png"), folder.picture("swing b.png")];
    one.clips = vec![folder.clip("swing-clip", 400)];
    let (bare, _) = folder.report(vec![outcome("swing", 2.0)], DEFAULT_BUDGET_BYTES);
    let budget = bare.len() + 1000;
    let (page, summary) = folder.report(vec![one.clone()], budget);
    assert!(page.len() <= budget, "{} of {budget}", page.len());
    assert_eq!((summary.embedded, summary.linked), (0, 3));
    assert!(page.contains("href=\"swing%20b.png\""));
    assert!(page.contains("href=\"clips/swing-clip/frames.toile\""));
    assert!(page.contains("3 pictures and clips are not inside this page but linked"));
    // With more room pictures come first; a clip is thinned before it is left out.
    let (page, summary) = folder.report(vec![one], 600_000);
    assert!(page.len() <= 600_000);
    assert_eq!((summary.embedded, summary.linked), (3, 0));
    assert!(page.contains(" of 400 frames"));
}

#[test]
fn missing_pictures_are_noted_and_paths_stay_inside() {
    let folder = Folder::new();
    let mut one = outcome("swing", 2.0);
    one.pictures = vec!["gone.png".into(), "../secret.png".into(), "text.png".into()];
    std::fs::write(folder.0.join("text.png"), "no picture").unwrap();
    let (page, summary) = folder.report(vec![one], DEFAULT_BUDGET_BYTES);
    assert_eq!(summary.missing.len(), 3);
    assert!(page.contains("The picture gone.png cannot be shown"));
    assert!(page.contains("leads out of the folder"));
    assert!(page.contains("it is not a PNG picture"));
}

#[test]
fn results_are_read_in_the_order_of_the_registry_and_damage_is_named() {
    let folder = Folder::new();
    let write = |name: &str, text: &str| std::fs::write(folder.0.join(name), text).unwrap();
    let empty = read_results(&folder.0).unwrap_err().to_string();
    assert!(empty.contains("holds no results"), "{empty}");
    for name in ["zebra", "catenary", "free-flight"] {
        let json = serde_json::to_string(&outcome(name, 2.0)).unwrap();
        write(&format!("{name}.json"), &json);
    }
    write("broken.json", "{\"name\": ");
    let results = read_results(&folder.0).unwrap();
    let names: Vec<&str> = results.outcomes.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["free-flight", "catenary", "zebra"]);
    assert!(results.damaged[0].path.ends_with("broken.json"));
    assert!(results.damaged[0].why.contains("run the experiment again"));
}
