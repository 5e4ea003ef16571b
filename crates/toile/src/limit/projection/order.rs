//! In which order to eliminate the stencils so that the factor stays within a narrow envelope.
//!
//! The front of an elimination should move through the cloth as a short straight line. Two kinds of order are
//! tried, and the one with the least work is taken:
//!
//! * **by slow waves**: stencils sorted by the smoothest functions on their graph, the first eigenvectors of
//!   its Laplacian (Barnard, Pothen and Simon 1995). They vary along and across the cloth; mixtures of the
//!   two vary in other directions;
//! * **by greed** (King 1970): the next stencil is always the one that brings the fewest new ones into the
//!   front. It knows no directions, so it also does for strips and trees.

/// Beginnings that are tried by greed. Made once for a mesh; has no influence on the solution but rounding.
const GREEDY_STARTS: usize = 8;
/// Directions that are tried by waves, 15° apart. Made once for a mesh.
const WAVE_DIRECTIONS: u32 = 12;
/// Graphs with more stencils than this are only ordered by greed, from one end, which takes less time;
/// systems of that size usually go to the sparse factor, which has an order of its own.
const MOST_STENCILS: usize = 2000;

/// An order of elimination: `order[k]` is the stencil that comes `k`-th. `weights` are the stencils' numbers
/// of equations, `neighbours` the stencils that share a node with each.
pub(super) fn narrow_order(weights: &[usize], neighbours: &[Vec<u32>]) -> Vec<u32> {
    let count = weights.len();
    if count > MOST_STENCILS {
        return sweep(0, weights, neighbours);
    }
    let step = count.div_ceil(GREEDY_STARTS).max(1);
    let greedy = (0..count)
        .step_by(step)
        .map(|start| sweep(start, weights, neighbours));
    let waves = slow_waves(neighbours);
    let sorted = (0..WAVE_DIRECTIONS).map(|k| {
        let (sin, cos) =
            (std::f64::consts::PI * f64::from(k) / f64::from(WAVE_DIRECTIONS)).sin_cos();
        let height = |s: u32| cos * waves[0][s as usize] + sin * waves[1][s as usize];
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by(|&a, &b| height(a).total_cmp(&height(b)));
        order
    });
    let trials = greedy.chain(sorted);
    let best = trials.min_by_key(|order| work(order, weights, neighbours));
    best.unwrap_or_default()
}

/// The two smoothest functions on the graph besides the constant, by subspace iteration from a fixed
/// beginning.
fn slow_waves(neighbours: &[Vec<u32>]) -> [Vec<f64>; 2] {
    let count = neighbours.len();
    let most = neighbours.iter().map(Vec::len).max().unwrap_or(1) as f64;
    // Any beginning will do that is not smooth by itself.
    let begin = |seed: f64| {
        (0..count)
            .map(|k| (seed * (k as f64 + 1.0)).sin())
            .collect()
    };
    let mut waves: [Vec<f64>; 2] = [begin(1.7), begin(2.9)];
    let mut next = vec![0.0; count];
    for _ in 0..20 * (count as f64).sqrt().ceil() as usize + 100 {
        for wave in &mut waves {
            for (k, near) in neighbours.iter().enumerate() {
                let pull: f64 = near.iter().map(|&n| wave[n as usize] - wave[k]).sum();
                next[k] = wave[k] + pull / most;
            }
            wave.copy_from_slice(&next);
        }
        let [first, second] = &mut waves;
        centre_and_scale(first);
        let along: f64 = first.iter().zip(&*second).map(|(a, b)| a * b).sum();
        for (b, a) in second.iter_mut().zip(&*first) {
            *b -= along * a;
        }
        centre_and_scale(second);
    }
    waves
}

fn centre_and_scale(wave: &mut [f64]) {
    let mean = wave.iter().sum::<f64>() / wave.len() as f64;
    wave.iter_mut().for_each(|v| *v -= mean);
    let length = wave.iter().map(|v| v * v).sum::<f64>().sqrt();
    if length > 0.0 {
        wave.iter_mut().for_each(|v| *v /= length);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Far,
    Front,
    Done,
}

/// One greedy sweep; parts of the graph that do not hang together follow one another.
fn sweep(start: usize, weights: &[usize], neighbours: &[Vec<u32>]) -> Vec<u32> {
    let count = weights.len();
    let mut places = vec![Place::Far; count];
    let mut front: Vec<u32> = Vec::new();
    let mut order = Vec::with_capacity(count);
    let mut next = start;
    while order.len() < count {
        if front.is_empty() {
            while places[next] != Place::Far {
                next = (next + 1) % count;
            }
            places[next] = Place::Front;
            front.push(next as u32);
        }
        let growth = |stencil: u32| -> usize {
            let near = neighbours[stencil as usize].iter().map(|&n| n as usize);
            let far = near.filter(|&n| places[n] == Place::Far);
            far.map(|n| weights[n]).sum()
        };
        // The front lists the longest waiting first, and the first minimum wins.
        let choice = (0..front.len()).min_by_key(|&k| growth(front[k]));
        let chosen = front.remove(choice.unwrap_or(0));
        places[chosen as usize] = Place::Done;
        order.push(chosen);
        for &n in &neighbours[chosen as usize] {
            if places[n as usize] == Place::Far {
                places[n as usize] = Place::Front;
                front.push(n);
            }
        }
    }
    order
}

/// About how many multiplications the factor takes: the squares of the rows' lengths.
fn work(order: &[u32], weights: &[usize], neighbours: &[Vec<u32>]) -> usize {
    let mut starts = vec![0; weights.len()];
    let mut rows = 0;
    for &stencil in order {
        starts[stencil as usize] = rows;
        rows += weights[stencil as usize];
    }
    let of = |stencil: usize| {
        let reach = neighbours[stencil].iter().map(|&n| starts[n as usize]);
        let first = reach.min().unwrap_or(starts[stencil]).min(starts[stencil]);
        let length = starts[stencil] - first + weights[stencil];
        weights[stencil] * length * length
    };
    (0..weights.len()).map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lattice whose stencils reach two cells far, shuffled.
    fn lattice(columns: usize, rows: usize) -> Vec<Vec<u32>> {
        let count = columns * rows;
        let shuffled = |k: usize| (k * 37 % count) as u32;
        assert_eq!((0..count).map(shuffled).max(), Some(count as u32 - 1));
        let mut neighbours = vec![Vec::new(); count];
        for a in 0..count {
            for b in 0..count {
                let far = |d: usize, p: usize, q: usize| (p % d).abs_diff(q % d);
                if far(columns, a, b) <= 2 && (a / columns).abs_diff(b / columns) <= 2 {
                    neighbours[shuffled(a) as usize].push(shuffled(b));
                }
            }
        }
        neighbours
    }

    #[test]
    fn every_stencil_comes_once_and_the_front_is_as_narrow_as_row_by_row() {
        for (columns, rows) in [(7, 7), (5, 20), (12, 9)] {
            let neighbours = lattice(columns, rows);
            let weights = vec![3; columns * rows];
            let order = narrow_order(&weights, &neighbours);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..(columns * rows) as u32));
            let narrow = columns.min(rows);
            let in_rows: Vec<u32> = (0..columns * rows)
                .map(|k| match narrow == columns {
                    true => k,
                    false => k % rows * columns + k / rows,
                })
                .map(|k| (k * 37 % (columns * rows)) as u32)
                .collect();
            let (found, by_rows) = (
                work(&order, &weights, &neighbours),
                work(&in_rows, &weights, &neighbours),
            );
            assert!(
                (found as f64) < 1.15 * by_rows as f64,
                "{columns}×{rows}: {found} {by_rows}"
            );
        }
    }

    #[test]
    fn graphs_in_pieces_and_single_stencils_are_ordered() {
        let pieces = vec![vec![0, 1], vec![0, 1], vec![2], vec![3, 4], vec![3, 4]];
        assert_eq!(narrow_order(&[1; 5], &pieces).len(), 5);
        assert_eq!(narrow_order(&[2], &[vec![0]]), [0]);
        assert!(narrow_order(&[], &[]).is_empty());
    }
}
