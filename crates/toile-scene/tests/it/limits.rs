//! Scenes with limits: every one of them in the scheme that has limits inside its step, and weak springs.

use toile::energy::EnergyBatch;
use toile::step::{Workspace, step};
use toile_scene::scene::{SceneSource, World, resolve};

fn world(integrator: &str, cloth: &str, material: &str) -> World {
    let text = format!(
        "[time]\nintegrator = \"{integrator}\"\n[cloth.sheet]\nmesh.grid = {{ size = [1, 1], cells = [6, 6] }}\n{cloth}\n\
         [cloth.sheet.material]\n{material}\n[[cloth.sheet.pin]]\nselect.corners = [2, 3]\n"
    );
    let source = SceneSource {
        name: "limits".into(),
        text,
        folder: Default::default(),
        overrides: Vec::new(),
    };
    resolve(&source, source.parse().unwrap()).unwrap()
}

#[test]
fn every_limit_holds_inside_the_limited_scheme() {
    // Shear is explicit there: without stiffness every step is stable.
    let soft = "shear_stiffness = 0\nstretch_stiffness = 1";
    for cloth in [
        "model = \"mass-spring\"\nlimit.strain = { stretch = 0.05, compression = 0.5, max_sweeps = 1000 }",
        "model = \"area\"",
        "model = \"inequality\"",
        "model = \"quasi-inextensible\"",
        "model = \"isometric\"",
    ] {
        let material = match cloth {
            "model = \"area\"" => "weak_springs = 1",
            _ => soft,
        };
        let world = world("mixed-limited", cloth, material);
        let mut state = world.state.clone();
        let mut workspace = Workspace::new(&world.model, None);
        let mut worked = 0;
        for _ in 0..40 {
            let report = step(&world.model, &mut state, &mut workspace, 0.01).unwrap();
            let limit = report.certificate.limit.unwrap();
            assert!(limit.converged, "{cloth}: {limit:?}");
            worked += limit.iterations;
        }
        let lowest = state.positions.iter().map(|p| p.z).fold(0.0, f64::min);
        assert!(worked > 0 && lowest < -0.5, "{cloth}: {worked} {lowest}");
    }
}

#[test]
fn weak_springs_lie_on_the_edges_that_the_model_says() {
    let springs = |cloth: &str, material: &str| {
        let world = world("backward-euler", cloth, material);
        let batches = world.model.energies.iter();
        let springs = batches.filter_map(|e| match e {
            EnergyBatch::Springs(batch) => Some(batch.springs.clone()),
            _ => None,
        });
        springs.flatten().collect::<Vec<_>>()
    };
    // 6 × 6 quads have 84 edges and 72 diagonals.
    let inequality = springs("model = \"inequality\"", "weak_springs = 7");
    assert_eq!(inequality.len(), 84 + 72);
    let area = springs("model = \"area\"", "weak_springs = 7");
    assert_eq!(area.len(), 72);
    for spring in inequality.iter().chain(&area) {
        let constant = spring.stiffness / spring.rest_length;
        assert!((constant - 7.0).abs() < 1e-12, "{constant}");
    }
    assert!(springs("model = \"inequality\"", "").is_empty());
    assert_eq!(springs("model = \"area\"", "").len(), 72);
    assert!(springs("model = \"area\"", "weak_springs = 0").is_empty());
}

#[test]
fn weak_springs_elsewhere_are_told_to_do_nothing() {
    let world = world("backward-euler", "", "weak_springs = 7");
    let told = world.warnings.iter().any(|w| w.contains("weak_springs"));
    assert!(told, "{:?}", world.warnings);
}
