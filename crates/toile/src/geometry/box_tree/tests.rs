//! The tree's answers against trying every box.

use super::*;
use glam::{Vec3A, dvec3, vec3a};
use proptest::prelude::*;

fn point(size: f64) -> impl Strategy<Value = DVec3> {
    (-size..size, -size..size, -size..size).prop_map(|(x, y, z)| dvec3(x, y, z))
}

fn boxes(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Bounds>> {
    let one = (point(1.0), point(0.3)).prop_map(|(p, d)| Bounds::swept(p, p + d, 0.0));
    prop::collection::vec(one, count)
}

fn pairs_within(tree: &BoxTree) -> Vec<[u32; 2]> {
    let mut out = Vec::new();
    PairSearch::default().within(tree, &mut out);
    out
}

fn tried_within(boxes: &[Bounds]) -> Vec<[u32; 2]> {
    let all = (0..boxes.len()).flat_map(|i| (i + 1..boxes.len()).map(move |j| [i, j]));
    let met = all.filter(|[i, j]| boxes[*i].touches(&boxes[*j]));
    met.map(|pair| pair.map(|i| i as u32)).collect()
}

/// A tree over the same boxes with one in each leaf.
fn single(boxes: &[Bounds]) -> BoxTree {
    let mut tree = BoxTree::with_leaves(Leaves::Single);
    tree.rebuild(boxes);
    tree
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_tree_finds_the_touching_pairs_that_trying_all_finds(boxes in boxes(0..90)) {
        prop_assert_eq!(pairs_within(&BoxTree::new(&boxes)), tried_within(&boxes));
    }

    #[test]
    fn two_trees_find_the_touching_pairs_that_trying_all_finds(a in boxes(0..60), b in boxes(0..60)) {
        let mut found = Vec::new();
        PairSearch::default().between(&BoxTree::new(&a), &BoxTree::new(&b), &mut found);
        let all = (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| [i, j]));
        let met = all.filter(|[i, j]| a[*i].touches(&b[*j]));
        let tried: Vec<_> = met.map(|pair| pair.map(|i| i as u32)).collect();
        prop_assert_eq!(found, tried);
    }

    #[test]
    fn a_refitted_tree_and_a_new_one_find_the_same(old in boxes(70..71), new in boxes(70..71)) {
        let mut tree = BoxTree::new(&old);
        tree.refit(&new);
        prop_assert_eq!(pairs_within(&tree), pairs_within(&BoxTree::new(&new)));
    }

    #[test]
    fn the_nearest_box_is_that_of_trying_all(boxes in boxes(0..90), from in point(2.0)) {
        let from = from.as_vec3a();
        let distance = |b: &Bounds| (b.low - from).max(from - b.high).max(Vec3A::ZERO).length_squared();
        let tried = boxes.iter().map(distance).fold(f32::INFINITY, f32::min);
        for tree in [BoxTree::new(&boxes), single(&boxes)] {
            let mut best = f32::INFINITY;
            tree.nearest(from, best, |slot| {
                best = best.min(distance(&tree.boxes[slot]));
                best
            });
            prop_assert_eq!(best, tried);
        }
    }

    #[test]
    fn a_walk_comes_to_all_boxes_that_touch_one_and_from_above(boxes in boxes(1..90)) {
        let tree = single(&boxes);
        let mut slots = Vec::new();
        let keep = |at: u32| tree.branches[at as usize].bounds.touches(&boxes[0]);
        tree.walk(keep, |slot| slots.push(slot));
        prop_assert!(slots.windows(2).all(|w| w[0] > w[1]));
        let mut found: Vec<_> = slots.into_iter().map(|slot| tree.order[slot] as usize).collect();
        found.sort_unstable();
        let tried: Vec<_> = (0..boxes.len()).filter(|k| boxes[*k].touches(&boxes[0])).collect();
        prop_assert_eq!(found, tried);
    }

    #[test]
    fn the_pairs_that_a_test_accepts_are_found_once(boxes in boxes(0..90)) {
        let accepts = |i: u32, j: u32| (i + j).is_multiple_of(3);
        let mut found = BoxTree::new(&boxes).pairs_where(usize::MAX, accepts);
        found.iter_mut().for_each(|pair| pair.sort_unstable());
        found.sort_unstable();
        let mut tried = tried_within(&boxes);
        tried.retain(|[i, j]| accepts(*i, *j));
        prop_assert_eq!(found, tried);
    }

    #[test]
    fn a_swept_box_holds_all_points_on_the_way_and_their_reach(
        a in point(1.0), b in point(1.0), t in 0.0..=1.0, reach in 0.0..0.1, exponent in -42..38, far in point(1e3)
    ) {
        let scale = 10f64.powi(exponent);
        for shift in [DVec3::ZERO, far] {
            let (start, end, reach) = (scale * (a + shift), scale * (b + shift), scale * reach);
            let bounds = Bounds::swept(start, end, reach);
            let on_the_way = start + t * (end - start);
            let [plus, minus] = Bounds::swept_along_diagonals(start, end, reach);
            for p in [start, end] {
                let [x, y, z] = p.to_array();
                prop_assert!(plus.contains(dvec3(x + y + reach, y + z - reach, z + x)));
                prop_assert!(minus.contains(dvec3(x - y + reach, y - z - reach, z - x)));
            }
            for p in [start, end, on_the_way] {
                for k in 0..3 {
                    prop_assert!(bounds.contains(p + reach * DVec3::AXES[k]));
                    prop_assert!(bounds.contains(p - reach * DVec3::AXES[k]));
                }
            }
        }
    }
}

#[test]
fn boxes_far_out_stay_sharp_to_a_ten_millionth() {
    let bounds = Bounds::swept(DVec3::splat(1000.0), DVec3::splat(1000.0), 0.0);
    let width = (bounds.high - bounds.low).max_element();
    assert!(width > 0.0 && width < 1000.0 * 5e-7, "{width}");
}

#[test]
fn a_tree_over_nothing_and_one_over_one_box_have_no_pairs() {
    assert_eq!(pairs_within(&BoxTree::new(&[])), [[0; 2]; 0]);
    let one = [Bounds::swept(DVec3::ZERO, DVec3::ONE, 0.0)];
    assert_eq!(pairs_within(&BoxTree::new(&one)), [[0; 2]; 0]);
    let mut tree = BoxTree::new(&[]);
    tree.refit(&[]);
    assert!(!tree.needs_rebuild());
}

#[test]
fn equal_boxes_all_touch_even_without_extent() {
    let bounds = Bounds {
        low: Vec3A::ONE,
        high: Vec3A::ONE,
    };
    let mut tree = BoxTree::new(&[bounds; 21]);
    tree.refit(&[bounds; 21]);
    assert_eq!(pairs_within(&tree).len(), 21 * 20 / 2);
    assert!(!tree.needs_rebuild());
}

#[test]
fn boxes_that_share_only_a_corner_touch() {
    let a = Bounds {
        low: Vec3A::ZERO,
        high: Vec3A::ONE,
    };
    let b = Bounds {
        low: Vec3A::ONE,
        high: vec3a(2.0, 2.0, 2.0),
    };
    assert_eq!(pairs_within(&BoxTree::new(&[a, b])), [[0, 1]]);
    let gap = Bounds {
        low: vec3a(1.0, 1.0, 1.0000001),
        ..b
    };
    assert_eq!(pairs_within(&BoxTree::new(&[a, gap])), [[0; 2]; 0]);
}

#[test]
fn a_tree_is_worn_when_its_boxes_are_shuffled_but_not_when_they_move_and_grow_as_one() {
    let place = |i: usize| dvec3((i % 40) as f64, (i / 40) as f64, 0.0);
    let at = |p: DVec3| Bounds::swept(p, p + DVec3::ONE, 0.01);
    let larger = |p: DVec3| Bounds::swept(3.0 * p, 3.0 * p + 3.0, 0.03);
    let grid: Vec<_> = (0..1600).map(|i| at(place(i))).collect();
    let moved: Vec<_> = (0..1600).map(|i| larger(place(i) + 5.0)).collect();
    let shuffled: Vec<_> = (0..1600).map(|i| at(place(i * 577 % 1600))).collect();
    let mut tree = BoxTree::new(&grid);
    tree.refit(&moved);
    assert!(!tree.needs_rebuild());
    tree.refit(&shuffled);
    assert!(tree.needs_rebuild());
    tree.rebuild(&shuffled);
    assert!(!tree.needs_rebuild());
}

#[test]
fn a_large_search_cut_into_tasks_misses_and_repeats_nothing() {
    // A sheet rolled up, in 6000 small boxes.
    let at = |i: u32, j: u32| {
        let turn = f64::from(i) * 0.2;
        dvec3(
            0.1 * turn.sin(),
            0.01 * f64::from(j),
            0.0004 * turn + 0.01 * (0.1 * f64::from(j)).sin(),
        )
    };
    let cells = (0..120).flat_map(|i| (0..50).map(move |j| (i, j)));
    let boxes: Vec<_> = cells
        .map(|(i, j)| Bounds::around(&[at(i, j), at(i + 1, j), at(i, j + 1)]))
        .collect();
    assert!(tried_within(&boxes).len() > 10_000);
    assert_eq!(pairs_within(&BoxTree::new(&boxes)), tried_within(&boxes));
}
