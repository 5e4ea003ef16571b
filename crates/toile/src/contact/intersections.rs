//! Whether cloth intersects cloth: the exact test that certifies a state, apart from all that keeps it so.

use crate::mesh::{Face, self_intersections};
use crate::model::Model;
use glam::DVec3;

/// Pairs of faces that intersect, among the cloths that may not pass through each other. Faces are numbered
/// over all cloths, one after another. Faces that a seam without a gap sews together may touch, and do not
/// count.
pub fn intersections(model: &Model, positions: &[DVec3]) -> Vec<[u32; 2]> {
    let (mut faces, mut cloth_of_face) = (Vec::<Face>::new(), Vec::new());
    for (number, cloth) in model.cloths.iter().enumerate() {
        let first = cloth.nodes.start as u32;
        let renumbered = cloth.topology.faces.iter().map(|face| face.shifted(first));
        faces.extend(renumbered);
        cloth_of_face.resize(faces.len(), number);
    }
    let meets = |pair: &[u32; 2]| {
        let [a, b] = pair.map(|face| cloth_of_face[face as usize]);
        let sewn = || {
            let [a, b] = pair.map(|face| faces[face as usize].corners());
            model.sewn.join(a, b)
        };
        model.meets(a, b) && !sewn()
    };
    let all = self_intersections(positions, &faces);
    all.into_iter().map(|p| p.faces).filter(meets).collect()
}
