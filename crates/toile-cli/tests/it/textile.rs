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
    assert!(
        ended.stdout.contains("first slope  4000.0 N/m"),
        "{}",
        ended.stdout
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = Folder::new();
    let textile = |more: &[&str]| toile(&folder, &[&["textile"], more].concat());
    textile(&["cantilever", "--model", "paper"]).says(1, &["paper"]);
    textile(&["cusick", "--radius", "150"]).says(1, &["millimetres"]);
    textile(&["cusick", "--nodes", "3"]).says(1, &["60"]);
    textile(&["cusick", "--set", "material.bend=-1"]).says(1, &["bend"]);
    textile(&["cusick", "--set", "material.bent=1"]).says(1, &["did you mean `bend`"]);
    textile(&["cusick", "--fabric", "paper"]).says(1, &["paper", "cotton"]);
    textile(&["bias", "--model", "mass-spring"]).says(1, &["baraff-witkin"]);
    textile(&["shear", "--model", "isometric"]).says(1, &["limit"]);
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
