//! Scenes whose limits and contacts are met in one solve.

use toile::command::Command;
use toile::simulation::Simulation;
use toile_scene::scene::{SceneSource, World, resolve};

const SHEET: &str = "
[cloth.sheet]
mesh.grid = { size = [0.4, 0.4], cells = [8, 8] }
";

fn resolved(text: &str) -> Result<World, String> {
    let source = SceneSource {
        name: "here.toml".into(),
        text: text.to_owned(),
        folder: Default::default(),
        overrides: Vec::new(),
    };
    let spec = source.parse().map_err(|error| error.to_string())?;
    resolve(&source, spec).map_err(|error| error.to_string())
}

#[test]
fn what_one_solve_cannot_do_is_refused_with_its_place_and_the_mend() {
    let unified = "[time]\nconstraints = \"unified\"\n";
    let cases = [
        (
            format!("[time]\nconstraints = \"phases\"\n{SHEET}limit.stretch = {{}}\n"),
            ["cloth.sheet.limit.stretch", "constraints = \"unified\""],
        ),
        (
            format!("{unified}integrator = \"symplectic-euler\"\n{SHEET}"),
            ["time.constraints", "backward-euler"],
        ),
        (
            format!("{unified}{SHEET}limit.strain = {{}}\n"),
            ["time.constraints", "phases"],
        ),
        (
            format!("{unified}{SHEET}limit.stretch = {{ stretch = -0.1 }}\n"),
            ["cloth.sheet.limit.stretch", "0 or more"],
        ),
    ];
    for (text, expected) in cases {
        let Err(message) = resolved(&text) else {
            panic!("accepted: {text}");
        };
        for part in expected {
            assert!(message.contains(part), "{part:?} is not in {message}");
        }
    }
}

#[test]
fn limits_and_contacts_are_met_in_one_solve_unless_the_scene_has_what_that_does_not_know() {
    let floor = "[body.floor]\nshape = \"plane\"\nplace = { at = [0, 0, -1] }\n";
    let meets = [
        ("unified", "", "limit.stretch = {}\n", ""),
        ("unified", "", "limit.stretch = {}\n", floor),
        ("unified", "", "model = \"quasi-inextensible\"\n", floor),
        ("unified", "", "model = \"inequality\"\n", floor),
        ("unified", "", "model = \"isometric\"\n", floor),
        ("phases", "", "model = \"area\"\n", floor),
        (
            "unified",
            "[contact]\ncloth = \"itself\"\n",
            "limit.lengths = {}\n",
            "",
        ),
        (
            "unified",
            "[time]\nintegrator = \"bdf2\"\n",
            "limit.lengths = {}\n",
            floor,
        ),
        ("unified", "[time]\nconstraints = \"unified\"\n", "", ""),
        ("unified", "", "", floor),
        ("unified", "[contact]\ncloth = \"none\"\n", "", ""),
        ("phases", "", "limit = \"none\"\n", floor),
        ("phases", "", "model = \"mass-spring\"\n", floor),
        ("unified", "", "limit.lengths = {}\n", ""),
        (
            "phases",
            "[contact]\ncloth = \"none\"\n",
            "limit.lengths = {}\n",
            "",
        ),
        (
            "phases",
            "[time]\nintegrator = \"symplectic-euler\"\n",
            "limit.lengths = {}\n",
            floor,
        ),
        (
            "phases",
            "[contact]\nrelaxation = 0.1\n",
            "limit.lengths = {}\n",
            floor,
        ),
        (
            "phases",
            "[contact]\nstart = \"untangle\"\n",
            "limit.lengths = {}\n",
            floor,
        ),
        ("phases", "", "limit.strain = {}\n", floor),
        (
            "phases",
            "",
            "limit.lengths.solver = \"projection\"\n",
            floor,
        ),
        (
            "phases",
            "[time]\nconstraints = \"phases\"\n",
            "limit.lengths = {}\n",
            floor,
        ),
    ];
    for (expected, head, cloth, tail) in meets {
        let text = format!("{head}{SHEET}{cloth}{tail}");
        let world = resolved(&text).unwrap_or_else(|message| panic!("{text}: {message}"));
        let line = format!("constraints = \"{expected}\"");
        assert!(world.resolved.contains(&line), "{text}: {}", world.resolved);
    }
}

#[test]
fn default_cloth_stretches_by_two_per_cent_at_most_wherever_one_solve_is_possible() {
    let stretches = |text: &str| {
        let world = resolved(text).unwrap_or_else(|message| panic!("{text}: {message}"));
        world.model.limits.len()
    };
    assert_eq!(stretches(SHEET), 1);
    assert!(resolved(SHEET).unwrap().resolved.contains("stretch = 0.02"));
    let bounded = [
        format!("[time]\nconstraints = \"unified\"\n{SHEET}"),
        format!("{SHEET}model = \"tension-field\"\n"),
        format!(
            "{SHEET}[body.hand]\nshape.sphere = {{ radius = 0.1 }}\nplace.at = [0, 0, -1]\n[[body.hand.sticky]]\n"
        ),
    ];
    for text in bounded {
        assert_eq!(stretches(&text), 1, "{text}");
    }
    let free = [
        format!("{SHEET}limit = \"none\"\n"),
        format!("{SHEET}model = \"baraff-witkin\"\n"),
        format!("[time]\nconstraints = \"phases\"\n{SHEET}"),
        format!("[time]\nintegrator = \"symplectic-euler\"\n{SHEET}"),
        format!("[contact]\nrelaxation = 0.1\n{SHEET}"),
        // What tears off does not see what a limit pulls with.
        format!(
            "{SHEET}[body.hand]\nshape.sphere = {{ radius = 0.1 }}\nplace.at = [0, 0, -1]\n[[body.hand.sticky]]\nstrength = 3\n"
        ),
    ];
    for text in free {
        assert_eq!(stretches(&text), 0, "{text}");
    }
}

#[test]
fn numbers_of_limited_cloth_change_while_it_moves() {
    let world = resolved(&format!(
        "{SHEET}[[cloth.sheet.pin]]\nselect.corners = [2, 3]\n"
    ))
    .unwrap();
    let mut simulation = world.simulation();
    simulation.step().unwrap();
    let set = |name: &str, value| Command::Set {
        name: name.into(),
        value,
    };
    simulation
        .command(&set("cloth.sheet.material.bend", 1e-4))
        .unwrap();
    let strain = |simulation: &mut Simulation| {
        (0..60).fold(0.0f64, |worst, _| {
            worst.max(simulation.step().unwrap().report.certificate.strain_max)
        })
    };
    assert!(strain(&mut simulation) < 0.022);
    simulation
        .command(&set("cloth.sheet.limit.stretch.stretch", 0.001))
        .unwrap();
    let after = strain(&mut simulation);
    assert!(after < 0.0025, "{after}");
}

#[test]
fn every_elastic_model_holds_a_stretch_limit_while_it_hangs() {
    for model in [
        "mass-spring",
        "baraff-witkin",
        "tension-field",
        "choi-ko",
        "kawabata",
    ] {
        let fabric = match model {
            "kawabata" => "material.fabric = \"cotton\"\n",
            _ => "",
        };
        let text = format!(
            "[time]\nconstraints = \"unified\"\nstep = 0.01\n{SHEET}model = \"{model}\"\n{fabric}limit.stretch = {{ stretch = 0.005 }}\n\
             [[cloth.sheet.pin]]\nselect.corners = [2, 3]\n"
        );
        let world = resolved(&text).unwrap_or_else(|message| panic!("{model}: {message}"));
        let mut simulation = world.simulation();
        for _ in 0..40 {
            let report = simulation.step().unwrap();
            let limit = report.report.certificate.limit.unwrap();
            assert!(limit.residual < 1.5e-3, "{model}: {limit:?}");
        }
    }
}
