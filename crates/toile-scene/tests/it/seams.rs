//! Seams hold with every model, and with every way to name their edges.

use toile::contact::intersections;
use toile::step::{Workspace, step};
use toile_scene::scene::{SceneSource, World, resolve};

fn world(text: String) -> World {
    let source = SceneSource {
        name: "seams".into(),
        text,
        folder: Default::default(),
        overrides: Vec::new(),
    };
    resolve(&source, source.parse().unwrap()).unwrap()
}

/// A panel that hangs from another, which is held; the seam is closed after 0.2 s.
fn hanging(model: &str, given: &str, contact: &str) -> World {
    hanging_in("auto", model, given, contact)
}

fn hanging_in(constraints: &str, model: &str, given: &str, contact: &str) -> World {
    world(format!(
        "[time]\nstep = 0.01\nconstraints = \"{constraints}\"\n[contact]\ncloth = \"{contact}\"\n\
         [cloth.upper]\nmodel = \"{model}\"\n{given}\nmesh.grid = {{ size = [0.2, 0.2], cells = [6, 6] }}\n\
         place = {{ at = [0, 0, 0.24], rotate_degrees = [90, 0, 0] }}\ndamping = 1\n\
         [[cloth.upper.pin]]\nselect.corners = [2, 3]\n\
         [cloth.lower]\nmodel = \"{model}\"\n{given}\nmesh.grid = {{ size = [0.2, 0.2], cells = [5, 5] }}\n\
         place = {{ rotate_degrees = [90, 0, 0] }}\ndamping = 1\n\
         [[seam]]\nfirst = {{ cloth = \"upper\", select.corners = [0, 1] }}\n\
         second = {{ cloth = \"lower\", select.corners = [2, 3] }}\nuntil = 0.2\n"
    ))
}

/// The farthest that a stitch is open (m) after some steps.
fn opening(world: &World, steps: u32) -> f64 {
    let mut state = world.state.clone();
    let mut workspace = Workspace::new(&world.model, None);
    for _ in 0..steps {
        step(
            &world.model,
            &mut state,
            &mut workspace,
            world.schedule.step,
        )
        .unwrap();
        assert!(intersections(&world.model, &state.positions).is_empty());
    }
    let seams = world.model.seams();
    seams
        .map(|s| s.opening(&state.positions))
        .fold(0.0, f64::max)
}

#[test]
fn a_closed_seam_opens_by_less_than_a_millimetre() {
    for model in [
        "mass-spring",
        "baraff-witkin",
        "choi-ko",
        "kawabata",
        "isometric",
        "quasi-inextensible",
        "inequality",
    ] {
        let world = hanging(model, "", "all");
        let open = opening(&world, 80);
        println!("{model}: {:.3} mm", 1e3 * open);
        assert!(open < 1e-3, "{model}: {open}");
        assert!(world.warnings.is_empty(), "{:?}", world.warnings);
    }
}

#[test]
fn a_seam_of_springs_with_limits_holds_as_well() {
    for limit in ["limit.strain = {}", "limit.lengths = {}"] {
        let world = hanging("mass-spring", limit, "all");
        let open = opening(&world, 80);
        println!("{limit}: {:.3} mm", 1e3 * open);
        assert!(open < 1e-3, "{limit}: {open}");
    }
}

/// A solve that does not know of lengths hangs nothing on a seam: the scene says so, and the cloth stays together all the same.
#[test]
fn seams_that_limits_pull_open_are_warned_of() {
    for (model, given) in [
        ("area", ""),
        ("isometric", "material.hourglass_stiffness = 0"),
        ("inequality", "material.weak_springs = 0"),
    ] {
        let world = hanging_in("phases", model, given, "all");
        let warned = world.warnings.iter().any(|w| w.contains("seam"));
        assert!(warned, "{model}: {:?}", world.warnings);
        let open = opening(&world, 80);
        println!("{model}: {:.3} mm", 1e3 * open);
        assert!(open < 0.1, "{model}: {open}");
    }
}

/// One solve knows of lengths and seams together: nothing gives way, and there is nothing to warn of.
#[test]
fn seams_of_cloth_with_limits_stay_closed_in_one_solve() {
    for (model, given) in [
        ("isometric", "material.hourglass_stiffness = 0"),
        ("inequality", "material.weak_springs = 0"),
        ("quasi-inextensible", ""),
    ] {
        let world = hanging_in("unified", model, given, "all");
        assert!(world.warnings.is_empty(), "{:?}", world.warnings);
        let open = opening(&world, 80);
        println!("{model}: {:.3} mm", 1e3 * open);
        assert!(open < 1e-3, "{model}: {open}");
    }
}

#[test]
fn edges_are_named_in_many_ways() {
    let two = |first: &str, second: &str| {
        world(format!(
            "[cloth.a]\nmesh.grid = {{ size = [0.2, 0.2], cells = [4, 4] }}\nplace = {{ at = [-0.12, 0, 0] }}\n\
             [cloth.b]\nmesh.grid = {{ size = [0.2, 0.2], cells = [4, 4] }}\nplace = {{ at = [0.12, 0, 0] }}\n\
             [[seam]]\nfirst = {{ cloth = \"a\", {first} }}\nsecond = {{ cloth = \"b\", {second} }}\n"
        ))
    };
    let corners = "select.corners = [1, 3]";
    let widest = |world: &World| {
        let seam = world.model.seams().next().unwrap();
        (seam.stitches(), seam.opening(&world.state.positions))
    };
    for second in [
        "select.corners = [2, 0]",
        "select.nodes = [0, 5, 10, 15, 20]",
        "select.nodes = [20, 15, 10, 5, 0]",
        "select.nearest = [[0, -1, 0], [0, 1, 0]]",
        "select.box = { min = [0, -1, -1], max = [0.03, 1, 1] }",
    ] {
        // Five stitches of 4 cm, whichever end comes first.
        let (stitches, open) = widest(&two(corners, second));
        assert_eq!(stitches, 5, "{second}");
        assert!((open - 0.04).abs() < 1e-9, "{second}: {open}");
    }
    // The rings are sewn where they face each other, not where they begin.
    let tubes = |turn: u32| {
        world(format!(
            "[cloth.a]\nmesh.tube = {{ radius = 0.1, height = 0.1, cells = [12, 3] }}\nplace = {{ at = [0, 0, 0.15] }}\n\
             [cloth.b]\nmesh.tube = {{ radius = 0.1, height = 0.1, cells = [12, 3] }}\nplace = {{ rotate_degrees = [0, 0, {turn}] }}\n\
             [[seam]]\nfirst = {{ cloth = \"a\", select.boundary = 0 }}\nsecond = {{ cloth = \"b\", select.boundary = 1 }}\n"
        ))
    };
    for turn in [0, 90] {
        let (stitches, open) = widest(&tubes(turn));
        assert_eq!(stitches, 12);
        assert!((open - 0.05).abs() < 1e-9, "{turn}: {open}");
    }
}
