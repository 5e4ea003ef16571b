//! Rough meshes as a scene describes them.

use toile_scene::scene::{SceneError, SceneSource, World, resolve};

fn world(cloth: &str) -> Result<World, SceneError> {
    let source = SceneSource {
        name: "test".into(),
        text: format!(
            "[cloth.sheet]\nmesh.grid = {{ size = [1, 1], cells = [10, 10], pattern = \"forward\" }}\n{cloth}\n"
        ),
        folder: Default::default(),
        overrides: Vec::new(),
    };
    resolve(&source, source.parse()?)
}

/// Length of all edges at the start over that at rest.
fn excess(world: &World) -> f64 {
    let cloth = &world.model.cloths[0];
    let length = |e: &toile::mesh::Edge| {
        let [a, b] = e.nodes.map(|n| world.state.positions[n as usize]);
        a.distance(b)
    };
    let now: f64 = cloth.topology.edges.iter().map(length).sum();
    now / cloth.rest.edge_lengths.iter().sum::<f64>()
}

#[test]
fn a_rough_mesh_is_so_at_rest_unless_the_rest_shape_comes_from_elsewhere() {
    let rough = world("noise.deviation = 0.01").unwrap();
    assert!(rough.state.positions.iter().any(|p| p.z.abs() > 0.01));
    assert!((excess(&rough) - 1.0).abs() < 1e-12);
    let flat = world("noise.deviation = 0.01\nrest.uv = {}").unwrap();
    // Heights that differ by √2 σ in the mean square make edges of length a longer by σ²/a, those along the diagonals by 1/√2 of that.
    let (sides, diagonals) = (220.0 * 0.1, 100.0 * 0.1 * 2f64.sqrt());
    let expected = 1e-4 / 0.1 * (220.0 + 100.0 / 2f64.sqrt()) / (sides + diagonals);
    let found = excess(&flat) - 1.0;
    assert!((found / expected - 1.0).abs() < 0.3, "{found}");
    assert_eq!(flat.state.positions, rough.state.positions);
}

#[test]
fn another_seed_gives_another_mesh() {
    let heights = |seed: u32| {
        let noise = format!("noise = {{ deviation = 0.01, seed = {seed} }}");
        world(&noise).unwrap().state.positions
    };
    assert_eq!(heights(1), heights(1));
    assert_ne!(heights(1), heights(2));
}

#[test]
fn what_is_no_deviation_is_refused_by_name() {
    for wrong in ["0", "-1", "nan", "inf"] {
        let error = world(&format!("noise.deviation = {wrong}")).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("cloth.sheet.noise.deviation"), "{text}");
    }
    assert!(world("noise = { deviation = 0.01, colour = 2 }").is_err());
}
