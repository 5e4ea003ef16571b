//! In which order to eliminate the stencils so that the factor stays within a narrow envelope.
//!
//! A greedy sweep after King (1970): from a stencil at the edge of the graph on, the next is always the one that brings
//! the fewest new stencils into the front of those that wait, and among these the one that has waited longest. The front
//! then moves through the cloth like a straight line, along its longer side. Which beginning is best is tried out.

/// Beginnings that are tried.
const TRIALS: usize = 24;

/// An order of elimination: `order[k]` is the stencil that comes `k`-th. `weights` are the stencils' numbers of
/// equations, `neighbours` the stencils that share a node with each.
pub(super) fn narrow_order(weights: &[usize], neighbours: &[Vec<u32>]) -> Vec<u32> {
    let count = weights.len();
    let step = count.div_ceil(TRIALS).max(1);
    let starts = (0..count).step_by(step);
    let trials = starts.map(|start| sweep(start, weights, neighbours));
    let best = trials.min_by_key(|order| work(order, weights, neighbours));
    best.unwrap_or_default()
}

/// One greedy sweep; parts of the graph that do not hang together follow one another.
fn sweep(start: usize, weights: &[usize], neighbours: &[Vec<u32>]) -> Vec<u32> {
    #[derive(Clone, Copy, PartialEq)]
    enum Place {
        Far,
        Front,
        Done,
    }
    let count = weights.len();
    let mut places = vec![Place::Far; count];
    let mut front: Vec<u32> = Vec::new();
    let mut order = Vec::with_capacity(count);
    let mut next_far = 0;
    while order.len() < count {
        if front.is_empty() {
            let begin = if order.is_empty() {
                start
            } else {
                while places[next_far] != Place::Far {
                    next_far += 1;
                }
                next_far
            };
            places[begin] = Place::Front;
            front.push(begin as u32);
        }
        // What the front would grow by. The front lists the longest waiting first, and the first minimum wins.
        let growth = |&stencil: &u32| -> usize {
            let far = neighbours[stencil as usize]
                .iter()
                .filter(|&&n| places[n as usize] == Place::Far);
            far.map(|&n| weights[n as usize]).sum()
        };
        let choice = (0..front.len()).min_by_key(|&k| growth(&front[k]));
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
pub(super) fn work(order: &[u32], weights: &[usize], neighbours: &[Vec<u32>]) -> usize {
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
