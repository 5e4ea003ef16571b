//! An order of rows in which those that wait for one another do not follow one another.
//!
//! In a triangular solve a row waits for the rows that its lower blocks lead to. In the order of a mesh that
//! is as a rule the row just before, and the processor, which could work on several rows at once, has only
//! one. Any order in which every row comes after those it waits for gives the same factor and the same
//! solution; this one takes the rows as they come, but passes over a row until what it waits for is some
//! places back.

use super::BlockPattern;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How many places back a row must find what it waits for. More keeps the processor no busier and scatters
/// the memory that is read.
const APART: u32 = 4;

/// A permutation of rows.
#[derive(Clone, Debug)]
pub(super) struct Order {
    rows: Vec<u32>,
    places: Vec<u32>,
}

impl Order {
    pub(super) fn new(pattern: &BlockPattern) -> Self {
        let count = pattern.rows();
        let mut waits_for: Vec<u32> = (0..count)
            .map(|row| pattern.row(row).len() as u32)
            .collect();
        let (starts, followers) = followers(pattern);
        let mut ready: BinaryHeap<Reverse<u32>> = (0..count as u32)
            .filter(|&row| waits_for[row as usize] == 0)
            .map(Reverse)
            .collect();
        // Rows whose last predecessor was placed too recently, by the place from which they may come.
        let mut soon: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
        let mut order = Order {
            rows: Vec::with_capacity(count),
            places: vec![0; count],
        };
        for place in 0..count as u32 {
            while let Some(&Reverse((from, row))) = soon.peek()
                && from <= place
            {
                soon.pop();
                ready.push(Reverse(row));
            }
            let next = ready.pop().map(|Reverse(row)| row);
            // Nothing far enough apart: the row that waits the shortest.
            let Some(row) = next.or_else(|| soon.pop().map(|Reverse((_, row))| row)) else {
                break;
            };
            order.places[row as usize] = place;
            order.rows.push(row);
            let own = starts[row as usize] as usize..starts[row as usize + 1] as usize;
            for &follower in &followers[own] {
                let left = &mut waits_for[follower as usize];
                *left -= 1;
                if *left == 0 {
                    soon.push(Reverse((place + APART, follower)));
                }
            }
        }
        order
    }

    /// The rows in their new order.
    pub(super) fn rows(&self) -> impl ExactSizeIterator<Item = usize> {
        self.rows.iter().map(|&row| row as usize)
    }

    /// Where a row comes.
    #[inline(always)]
    pub(super) fn place(&self, row: usize) -> usize {
        self.places[row] as usize
    }
}

/// The rows that wait for each row: where they start, and all of them.
fn followers(pattern: &BlockPattern) -> (Vec<u32>, Vec<u32>) {
    let count = pattern.rows();
    let mut starts = vec![0u32; count + 1];
    for &column in &pattern.columns {
        starts[column as usize + 1] += 1;
    }
    for row in 0..count {
        starts[row + 1] += starts[row];
    }
    let mut next = starts.clone();
    let mut followers = vec![0; pattern.columns.len()];
    for row in 0..count {
        for &column in &pattern.columns[pattern.row(row)] {
            let place = &mut next[column as usize];
            followers[*place as usize] = row as u32;
            *place += 1;
        }
    }
    (starts, followers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(side: u32) -> BlockPattern {
        let at = |x: u32, y: u32| x + side * y;
        let along = (0..side * side).flat_map(move |n| {
            let (x, y) = (n % side, n / side);
            let right = (x + 1 < side).then(|| [n, at(x + 1, y)]);
            let up = (y + 1 < side).then(|| [n, at(x, y + 1)]);
            right.into_iter().chain(up)
        });
        BlockPattern::new((side * side) as usize, along)
    }

    #[test]
    fn every_row_comes_once_and_after_those_it_waits_for() {
        let pattern = grid(20);
        let order = Order::new(&pattern);
        let mut seen: Vec<usize> = order.rows().collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..400));
        for row in 0..400 {
            for &column in &pattern.columns[pattern.row(row)] {
                assert!(order.place(column as usize) < order.place(row));
            }
        }
    }

    #[test]
    fn hardly_a_row_of_a_grid_waits_for_one_just_before_it() {
        let pattern = grid(20);
        let order = Order::new(&pattern);
        let hurried = (0..400).filter(|&row| {
            let columns = &pattern.columns[pattern.row(row)];
            let last = columns.iter().map(|&c| order.place(c as usize)).max();
            last.is_some_and(|last| order.place(row) - last < APART as usize)
        });
        // At two corners of the grid there is nothing else to do.
        assert!(hurried.count() < 40);
    }
}
