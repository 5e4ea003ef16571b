//! Scenes whose limits and contacts are met in one solve.

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
        ("phases", "", "", floor),
        ("phases", "", "limit.lengths = {}\n", ""),
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
fn every_elastic_model_holds_a_stretch_limit_while_it_hangs() {
    for model in ["mass-spring", "baraff-witkin", "choi-ko", "kawabata"] {
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
