//! What a contour cuts off.

use super::contour::Contour;
use std::collections::{HashMap, HashSet};

/// The smallest piece that a contour cuts off a cloth, by mass; `None` if it cuts nothing off. `neighbours`
/// are the nodes next to each node.
pub(super) fn smaller_piece(
    neighbours: &[Vec<u32>],
    contour: &Contour,
    masses: &[f64],
) -> Option<HashSet<u32>> {
    let cut: HashSet<[u32; 2]> = contour.crossings.iter().map(|c| c.side).collect();
    let mut piece_of = HashMap::new();
    let mut pieces: Vec<Vec<u32>> = Vec::new();
    for start in contour.crossings.iter().flat_map(|c| c.side) {
        if piece_of.contains_key(&start) {
            continue;
        }
        piece_of.insert(start, pieces.len());
        let mut piece = vec![start];
        let mut next = 0;
        while let Some(&node) = piece.get(next) {
            next += 1;
            for &other in &neighbours[node as usize] {
                let side = [node.min(other), node.max(other)];
                if !cut.contains(&side) && !piece_of.contains_key(&other) {
                    piece_of.insert(other, pieces.len());
                    piece.push(other);
                }
            }
        }
        pieces.push(piece);
    }
    let mass = |k: &usize| -> f64 {
        let nodes = pieces[*k].iter();
        nodes.map(|&n| masses[n as usize]).sum()
    };
    let apart = contour
        .crossings
        .iter()
        .map(|c| c.side.map(|n| piece_of[&n]));
    let apart = apart.filter(|[a, b]| a != b);
    let smallest = apart.flatten().min_by(|a, b| {
        let by_mass = mass(a).total_cmp(&mass(b));
        by_mass.then(a.cmp(b))
    })?;
    Some(pieces[smallest].iter().copied().collect())
}
