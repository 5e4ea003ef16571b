//! What a scene's material becomes.

use toile::command::Command;
use toile::energy::Fabric;
use toile::glam::DVec3;
use toile_scene::scene::{SceneSource, World, resolve};
use toml::Table;

fn world(cloth: &str) -> World {
    let source = SceneSource {
        name: "materials".into(),
        text: cloth.into(),
        folder: Default::default(),
        overrides: Vec::new(),
    };
    resolve(&source, source.parse().unwrap()).unwrap()
}

/// The numbers of the material that a scene has when it is resolved.
fn material(model: &str, more: &str) -> Table {
    let cloth = format!(
        "[cloth.sheet]\nmesh.grid = {{ size = [0.1, 0.1], cells = [2, 2] }}\nmodel = \"{model}\"\n\
         [cloth.sheet.material]\nfabric = \"silk\"\n{more}\n"
    );
    let resolved: Table = world(&cloth).resolved.parse().unwrap();
    resolved["cloth"]["sheet"]["material"]
        .as_table()
        .unwrap()
        .clone()
}

#[test]
fn a_named_fabric_is_itself_in_every_model() {
    let silk = Fabric::named("silk").unwrap();
    let ([stretch, weft], [bend, weft_bend]) = (silk.stretch(), silk.bending());
    for model in [
        "tension-field",
        "baraff-witkin",
        "mass-spring",
        "quasi-inextensible",
    ] {
        let table = material(model, "");
        let number = |name: &str| table.get(name).map(|v| v.as_float().unwrap());
        assert_eq!(number("density"), Some(silk.density), "{model}");
        assert_eq!(number("stretch_stiffness"), Some(stretch), "{model}");
        assert_eq!(number("shear_stiffness"), Some(silk.shear_stiffness()));
        assert_eq!(number("bend"), Some(bend), "{model}");
        assert_eq!(number("weft_bend"), Some(weft_bend), "{model}");
        // Springs know no weft.
        let faces = ["tension-field", "baraff-witkin"].contains(&model);
        assert_eq!(number("weft_stretch_stiffness"), faces.then_some(weft));
    }
    // What the scene says comes first, for the weft too.
    let table = material("tension-field", "bend = 3e-5\nshear_stiffness = 7");
    assert_eq!(table["bend"].as_float(), Some(3e-5));
    assert_eq!(table.get("weft_bend"), None);
    assert_eq!(table["shear_stiffness"].as_float(), Some(7.0));
    assert_eq!(table["density"].as_float(), Some(silk.density));
}

/// A strip over an edge, bent by its weight, and then without it: friction between threads holds what it can, `HB/B` at the most.
#[test]
fn friction_between_threads_holds_a_fold() {
    let left = |hysteresis: &str| {
        let cloth = format!(
            "[time]\nstep = 0.005\n[contact]\ncloth = \"none\"\n\
             [cloth.strip]\nmesh.grid = {{ size = [0.06, 0.012], cells = [20, 4] }}\nmodel = \"baraff-witkin\"\ndamping = 6\n\
             [cloth.strip.material]\ndensity = 0.124\nbend = 1.157e-5\n{hysteresis}\n\
             [[cloth.strip.pin]]\nselect.box = {{ min = [-1, -1, -1], max = [-0.026, 1, 1] }}\n"
        );
        let mut simulation = world(&cloth).simulation();
        simulation.advance(1.0).unwrap();
        let bent = simulation
            .positions()
            .iter()
            .map(|x| x.z)
            .fold(0.0, f64::min);
        simulation.command(&Command::Gravity(DVec3::ZERO)).unwrap();
        simulation.advance(1.5).unwrap();
        let lowest = simulation
            .positions()
            .iter()
            .map(|x| x.z)
            .fold(0.0, f64::min);
        [-bent, -lowest]
    };
    let [bent, free] = left("");
    let [held, kept] = left("bend_hysteresis = 1.216e-3");
    assert!(bent > 0.02 && free < 5e-4, "{bent} {free}");
    // It resists bending too, though a strip that hangs nearly straight down shows little of it.
    assert!(held < bent - 2e-3, "{held} {bent}");
    assert!(kept > 2e-3 && kept < held, "{kept} {held}");
}
