//! Textile tests and materials from the command line.

use crate::common::{Ended, Folder, program};

fn toile(folder: &Folder, arguments: &[&str]) -> Ended {
    Ended::of(program(folder.path(), arguments).output().unwrap())
}

#[test]
fn a_cantilever_gives_its_rigidity_back() {
    let folder = Folder::new();
    let ended = toile(
        &folder,
        &[
            "textile",
            "cantilever",
            "--set",
            "material.bend=2e-5",
            "--set",
            "material.density=0.2",
            "--set",
            "bending=dihedral",
            "--out",
            "pictures",
            "--json",
        ],
    )
    .good();
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let rigidity = json["elastica_rigidity"].as_f64().unwrap();
    assert!((rigidity / 2e-5 - 1.0).abs() < 0.03, "{rigidity}");
    assert!(folder.file("pictures/cantilever.png").is_file());
}

#[test]
fn a_drape_test_prints_its_coefficient() {
    let folder = Folder::new();
    let ended = toile(
        &folder,
        &["textile", "cusick", "--nodes", "120", "--out", "drape"],
    )
    .good();
    assert!(ended.stdout.contains("drape coefficient"));
    for picture in ["drape/cusick.png", "drape/profile.png"] {
        assert!(folder.file(picture).is_file(), "{picture}");
    }
}

#[test]
fn a_shear_frame_and_a_strip_answer() {
    let folder = Folder::new();
    let arguments = ["textile", "shear", "--model", "kawabata", "--json"];
    let set = ["--set", "material.shear_stiffness=33"];
    let ended = toile(&folder, &[&arguments[..], &set[..]].concat()).good();
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert!((json["stiffness"].as_f64().unwrap() - 33.0).abs() < 0.1);
    let ended = toile(&folder, &["textile", "tensile"]).good();
    // The mean force up to 0.5 % over half of that extension, for the strain (λ² − 1)/2 and 4000 N/m.
    let slope = 4000.0 * (0.5 * (1.005f64.powi(2) - 1.0)).powi(2) / 0.005 / 0.005;
    let says = format!("first slope  {slope:.1} N/m");
    assert!(ended.stdout.contains(&says), "{}", ended.stdout);
    // What they measured can be had as numbers and as a picture.
    toile(&folder, &["textile", "tensile", "-o", "curves"]).good();
    toile(&folder, &["textile", "shear", "-o", "curves"]).good();
    for name in ["tensile", "shear"] {
        let table = String::from_utf8(folder.read(&format!("curves/{name}.csv"))).unwrap();
        assert!(table.lines().count() > 5, "{table}");
        assert!(folder.file(&format!("curves/{name}.png")).is_file());
    }
    let again = ["textile", "tensile", "-o", "curves"];
    toile(&folder, &again).says(1, &["curves/tensile.csv", "--force"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = Folder::new();
    let textile = |more: &[&str]| toile(&folder, &[&["textile"], more].concat());
    textile(&["cantilever", "--model", "paper"]).says(1, &["paper"]);
    textile(&["cusick", "--radius", "150"]).says(1, &["millimetres"]);
    textile(&["cusick", "--nodes", "3"]).says(1, &["60"]);
    textile(&["cusick", "--support-radius", "0.2"]).says(1, &["smaller than the specimen"]);
    textile(&["cusick", "--set", "material.bend=-1"]).says(1, &["bend"]);
    textile(&["cusick", "--set", "material.bent=1"]).says(1, &["did you mean `bend`"]);
    textile(&["cusick", "--fabric", "paper"]).says(1, &["paper", "cotton"]);
    textile(&["bias", "--model", "mass-spring"]).says(1, &["baraff-witkin"]);
    textile(&["shear", "--model", "isometric"]).says(1, &["limit"]);
    textile(&["shear", "--specimens", "3"]).says(1, &["cusick"]);
    textile(&["cusick", "silk"]).says(1, &["--fabric NAME"]);
    textile(&["cusick", "--resume"]).says(1, &["report"]);
    textile(&["report"]).says(1, &["toile fabrics"]);
    textile(&["report", "silk", "silk"]).says(1, &["two fabrics", "silk"]);
    textile(&["report", "silk", "--cut", "90"]).says(1, &["--cut"]);
    textile(&["report", "silk", "papre"]).says(1, &["papre", "cotton"]);
    assert!(!folder.file("runs").exists(), "nothing was measured");
    folder.write("silk.json", "mine");
    textile(&["report", "silk", "-o", "."]).says(1, &["silk.json", "--force"]);
    textile(&["report", "silk", "-o", ".", "--resume"]).says(1, &["silk.json", "--force"]);
    assert_eq!(folder.read("silk.json"), b"mine");
    textile(&["cusick", "--material", "none.toml"]).says(1, &["none.toml"]);
    folder.write("two.toml", "[cloth.a.material]\n[cloth.b.material]\n");
    textile(&["cusick", "--material", "two.toml"]).says(1, &["two.toml", "one cloth", "2"]);
    folder.write("bent.toml", "[cloth.a.material]\nbent = 1\n");
    textile(&["cusick", "--material", "bent.toml"]).says(1, &["did you mean `bend`"]);
}

/// What the fit says drapes as it was told to, in the test of the same settings.
#[test]
fn a_drape_that_was_fitted_is_what_the_test_gives_back() {
    let folder = Folder::new();
    let coarse = ["--nodes", "100"];
    let fit = [
        "material",
        "fit",
        "--drape",
        "0.60,0.64",
        "--density",
        "0.15",
        "-o",
        "cloth.toml",
    ];
    toile(&folder, &[&fit[..], &coarse].concat()).good();
    let block = String::from_utf8(folder.read("cloth.toml")).unwrap();
    assert!(block.contains("drape coefficient of 0.620"), "{block}");
    assert!(
        block.contains("the standard error of 2 coefficients"),
        "{block}"
    );
    let test = ["textile", "cusick", "--material", "cloth.toml", "--json"];
    let ended = toile(&folder, &[&test[..], &coarse].concat()).good();
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let drape = json["drape_coefficient"].as_f64().unwrap();
    assert!((drape - 0.62).abs() < 0.01, "{drape}");
}

#[test]
fn several_specimens_scatter_about_their_mean() {
    let folder = Folder::new();
    let test = [
        "textile",
        "cusick",
        "--fabric",
        "silk",
        "--nodes",
        "120",
        "--specimens",
        "2",
    ];
    let ended = toile(&folder, &[&test[..], &["--json", "-o", "silk"]].concat()).good();
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let one = |k: usize| json["specimens"][k]["drape_coefficient"].as_f64().unwrap();
    let mean = json["drape_coefficient"].as_f64().unwrap();
    assert!((mean - 0.5 * (one(0) + one(1))).abs() < 1e-12);
    let deviation = json["drape_coefficient_deviation"].as_f64().unwrap();
    assert!((deviation - (one(0) - one(1)).abs() / 2f64.sqrt()).abs() < 1e-12);
    assert!(deviation > 0.0);
    let table = String::from_utf8(folder.read("silk/cusick.csv")).unwrap();
    assert_eq!(table.lines().count(), 3, "{table}");
}

#[test]
fn a_report_goes_on_where_it_was_stopped_and_shows_every_fabric() {
    let folder = Folder::new();
    folder.write(
        "shirt.toml",
        "[cloth.x.material]\ndensity = 0.2\nbend = 2e-5\n",
    );
    let report = |more: &[&str]| {
        let start = ["textile", "report", "silk", "shirt.toml", "-o", "out"];
        let coarse = [
            "--nodes",
            "60",
            "--specimens",
            "1",
            "--model",
            "baraff-witkin",
        ];
        toile(&folder, &[&start[..], &coarse, more].concat())
    };
    let ended = report(&[]).good();
    let table = String::from_utf8(folder.read("out/report.csv")).unwrap();
    assert!(ended.stdout.contains(table.trim_end()), "{}", ended.stdout);
    let names: Vec<&str> = table.lines().filter_map(|l| l.split(',').next()).collect();
    assert_eq!(names, ["fabric", "silk", "shirt"]);
    let page = String::from_utf8(folder.read("out/index.html")).unwrap();
    for picture in [
        "silk-drape.png",
        "shirt-profile.png",
        "drape.png",
        "folds.png",
    ] {
        assert!(page.contains(picture) && folder.file(&format!("out/{picture}")).is_file());
    }
    report(&[]).says(1, &["out/report.csv", "--force"]);
    // Results of other tests are not replaced.
    report(&["--resume", "--seed", "7"]).says(1, &["out/silk.json", "-o", "--force"]);
    assert_eq!(folder.read("out/report.csv"), table.as_bytes());
    // Silk is not measured again, and the shirt, which is lost, comes out the same.
    std::fs::remove_file(folder.file("out/shirt.json")).unwrap();
    let silk = std::fs::metadata(folder.file("out/silk.json")).unwrap();
    report(&["--resume"]).good();
    let now = std::fs::metadata(folder.file("out/silk.json")).unwrap();
    assert_eq!(silk.modified().unwrap(), now.modified().unwrap());
    assert_eq!(folder.read("out/report.csv"), table.as_bytes());
}

#[test]
fn an_overhang_becomes_a_material() {
    let folder = Folder::new();
    let fit = |more: &[&str]| toile(&folder, &[&["material", "fit"], more].concat());
    let ended = fit(&["--overhang", "0.04", "--density", "0.15", "--name", "shirt"]).good();
    assert!(ended.stdout.contains("[cloth.shirt.material]"));
    assert!(ended.stdout.contains("bend = 1.17"), "{}", ended.stdout);
    fit(&["--overhang", "45", "--density", "0.15"]).says(1, &["45 mm is 0.045"]);
    fit(&["--overhang", "-0.1", "--density", "0.15"]).says(1, &["overhang"]);
    fit(&["--overhang", "nan", "--density", "0.15"]).says(2, &["overhang"]);
    fit(&["--overhang", "0.04", "--density", "150"]).says(1, &["150 g/m² is 0.15"]);
    fit(&["--overhang", "0.04", "--density", "0"]).says(1, &["density"]);
    fit(&["--drape", "52", "--density", "0.15"]).says(1, &["52 % is 0.52"]);
    fit(&["--overhang", "0.04"]).says(2, &["--density"]);
    fit(&[]).says(2, &["--overhang"]);
    fit(&["--overhang", "0.04", "--density", "0.1", "--name", "a b"]).says(1, &["name"]);
}

#[test]
fn a_record_becomes_a_scene_that_runs() {
    let folder = Folder::new();
    folder.write(
        "shirt.toml",
        "density = 0.125\nemt = [3.5, 7.0]\nlt = [0.75, 0.70]\ng = 0.9\nb = [0.070, 0.045]\n",
    );
    toile(
        &folder,
        &[
            "material",
            "fit",
            "--kes",
            "shirt.toml",
            "--out",
            "block.toml",
        ],
    )
    .good();
    let block = String::from_utf8(folder.read("block.toml")).unwrap();
    let given = [
        "material",
        "fit",
        "--emt",
        "3.5,7",
        "--lt",
        "0.75,0.7",
        "--g",
        "0.9",
        "--b",
        "0.07,0.045",
        "--density",
        "0.125",
    ];
    assert_eq!(toile(&folder, &given).good().stdout, block);
    let mesh = "mesh.grid = { size = [0.1, 0.1], cells = [2, 2] }";
    folder.write(
        "scene.toml",
        format!("[cloth.sheet]\n{mesh}\nmodel = \"kawabata\"\n{block}"),
    );
    toile(&folder, &["check", "scene.toml"]).good();
    let again = [
        "material",
        "fit",
        "--kes",
        "shirt.toml",
        "--out",
        "block.toml",
    ];
    toile(&folder, &again).says(1, &["exists already"]);
    folder.write(
        "bad.toml",
        "density = 0.1\nemt = 0.035\nlt = 0.7\ng = 1\nb = 0.1\n",
    );
    toile(&folder, &["material", "fit", "--kes", "bad.toml"]).says(1, &["percent"]);
    toile(&folder, &["material", "fit", "--kes", "none.toml"]).says(1, &["none.toml"]);
    assert!(
        toile(&folder, &["material", "list"])
            .good()
            .stdout
            .contains("denim")
    );
}
