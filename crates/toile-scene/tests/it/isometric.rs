//! Isometric cloth as a scene describes it.

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
fn weak_springs_hold_it_together_between_the_nodes_unless_it_is_not_wanted() {
    let holders = |world: &World| {
        let springs = |e: &&EnergyBatch| matches!(e, EnergyBatch::Springs(_));
        world.model.energies.iter().filter(springs).count()
    };
    assert_eq!(holders(&world("")), 1);
    assert_eq!(holders(&world("hourglass_stiffness = 3")), 1);
    assert_eq!(holders(&world("hourglass_stiffness = 0")), 0);
}
