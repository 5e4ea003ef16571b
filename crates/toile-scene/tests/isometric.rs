//! Isometric cloth as a scene describes it.
#![allow(clippy::unwrap_used)]

use toile::energy::EnergyBatch;
use toile_scene::scene::{SceneSource, World, resolve};

fn world(material: &str) -> World {
    let source = SceneSource {
        name: "test".into(),
        text: format!(
            "[cloth.sheet]\nmesh.grid = {{ size = [1, 1], cells = [3, 3] }}\nmodel = \"isometric\"\n\
             [cloth.sheet.material]\n{material}\n"
        ),
        folder: Default::default(),
        overrides: Vec::new(),
    };
    resolve(&source, source.parse().unwrap()).unwrap()
}

#[test]
fn a_weak_membrane_holds_it_together_between_the_nodes_unless_it_is_not_wanted() {
    let membranes = |world: &World| {
        let quads = |e: &&EnergyBatch| matches!(e, EnergyBatch::Quads(_));
        world.model.energies.iter().filter(quads).count()
    };
    assert_eq!(membranes(&world("")), 1);
    assert_eq!(membranes(&world("hourglass_stiffness = 3")), 1);
    assert_eq!(membranes(&world("hourglass_stiffness = 0")), 0);
}
