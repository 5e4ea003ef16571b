//! Edge colouring: classes of edges that share no node, so that the edges of a class may be treated in any
//! order, or at once.

/// Edges sorted by colour.
#[derive(Clone, Debug, Default)]
pub(super) struct Colouring {
    /// All edges, those of one colour next to each other and in increasing order.
    order: Vec<u32>,
    /// Where each colour begins in `order`; one more entry than colours.
    starts: Vec<usize>,
}

impl Colouring {
    /// Gives each edge in turn the first colour that neither of its nodes has yet. That takes fewer than
    /// twice as many colours as edges meet at the busiest node, and depends on the order of the edges alone.
    pub(super) fn new(node_count: usize, edges: impl Iterator<Item = [u32; 2]>) -> Self {
        let mut colours_at: Vec<Vec<u32>> = vec![Vec::new(); node_count];
        // taken[colour] is the last edge that could not have it.
        let mut taken: Vec<usize> = Vec::new();
        let mut colours = Vec::new();
        for (edge, nodes) in edges.enumerate() {
            for node in nodes {
                for &colour in &colours_at[node as usize] {
                    taken[colour as usize] = edge + 1;
                }
            }
            let free = taken.iter().position(|&last| last != edge + 1);
            let colour = free.unwrap_or_else(|| {
                taken.push(0);
                taken.len() - 1
            }) as u32;
            for node in nodes {
                colours_at[node as usize].push(colour);
            }
            colours.push(colour);
        }
        Self::sorted(&colours, taken.len())
    }

    fn sorted(colours: &[u32], count: usize) -> Self {
        let mut starts = vec![0; count + 1];
        for &colour in colours {
            starts[colour as usize + 1] += 1;
        }
        for colour in 0..count {
            starts[colour + 1] += starts[colour];
        }
        let mut next = starts.clone();
        let mut order = vec![0; colours.len()];
        for (edge, &colour) in colours.iter().enumerate() {
            order[next[colour as usize]] = edge as u32;
            next[colour as usize] += 1;
        }
        Colouring { order, starts }
    }

    /// How many colours there are.
    pub(super) fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The edges of a colour.
    pub(super) fn class(&self, colour: usize) -> &[u32] {
        &self.order[self.starts[colour]..self.starts[colour + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_edges_of_a_colour_share_a_node_and_every_edge_has_one() {
        // A star with a rim: the centre meets every spoke, so there must be as many colours as spokes.
        let edges: Vec<[u32; 2]> = (1..=200)
            .map(|k| [0, k])
            .chain((1..200).map(|k| [k, k + 1]))
            .collect();
        let colouring = Colouring::new(201, edges.iter().copied());
        let mut seen = vec![false; edges.len()];
        for colour in 0..colouring.count() {
            let mut met = vec![false; 201];
            for &edge in colouring.class(colour) {
                assert!(!std::mem::replace(&mut seen[edge as usize], true));
                for node in edges[edge as usize] {
                    assert!(!std::mem::replace(&mut met[node as usize], true));
                }
            }
        }
        assert!(seen.iter().all(|&seen| seen));
        assert!((200..400).contains(&colouring.count()));
    }

    #[test]
    fn a_path_takes_two_colours() {
        let colouring = Colouring::new(6, (0..5).map(|k| [k, k + 1]));
        assert_eq!(colouring.count(), 2);
        assert_eq!(colouring.class(0), [0, 2, 4]);
        assert_eq!(colouring.class(1), [1, 3]);
    }

    #[test]
    fn nothing_has_no_colours() {
        assert_eq!(Colouring::new(0, std::iter::empty()).count(), 0);
    }
}
