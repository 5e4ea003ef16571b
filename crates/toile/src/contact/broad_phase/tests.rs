//! The broad phase against trying every pair.

use super::*;
use glam::dvec3;
use proptest::prelude::*;

/// A world of triangles with their sides, moving.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub triangles: Vec<[u32; 3]>,
    pub edges: Vec<[u32; 2]>,
    pub parts: Vec<u16>,
    pub start: Vec<DVec3>,
    pub end: Vec<DVec3>,
}

impl World {
    pub fn new(
        triangles: Vec<[u32; 3]>,
        parts: Vec<u16>,
        start: Vec<DVec3>,
        end: Vec<DVec3>,
    ) -> Self {
        let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
        let sorted = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
        let mut edges: Vec<_> = triangles.iter().flat_map(sides).map(sorted).collect();
        edges.sort_unstable();
        edges.dedup();
        World {
            triangles,
            edges,
            parts,
            start,
            end,
        }
    }

    /// Squares `wide × long`, each cut in two, with nodes at the given places.
    pub fn sheet(
        wide: u32,
        long: u32,
        start: impl Fn(u32, u32) -> DVec3,
        end: impl Fn(u32, u32) -> DVec3,
    ) -> Self {
        let node = |i, j| i * (long + 1) + j;
        let squares = (0..wide).flat_map(|i| (0..long).map(move |j| (i, j)));
        let halves = |(i, j)| {
            let (a, b, c, d) = (
                node(i, j),
                node(i + 1, j),
                node(i + 1, j + 1),
                node(i, j + 1),
            );
            [[a, b, c], [a, c, d]]
        };
        let triangles: Vec<_> = squares.flat_map(halves).collect();
        let nodes = || (0..=wide).flat_map(|i| (0..=long).map(move |j| (i, j)));
        let parts = vec![0; triangles.len()];
        let begin = nodes().map(|(i, j)| start(i, j)).collect();
        World::new(
            triangles,
            parts,
            begin,
            nodes().map(|(i, j)| end(i, j)).collect(),
        )
    }

    pub fn broad_phase(&self, may_collide: impl Fn(u16, u16) -> bool) -> BroadPhase {
        BroadPhase::new(
            self.start.len(),
            &self.triangles,
            &self.edges,
            &self.parts,
            may_collide,
        )
        .unwrap()
    }

    pub fn found(&self, broad_phase: &mut BroadPhase, reach: f64) -> Candidates {
        let mut out = Candidates::default();
        broad_phase.update(&self.start, &self.end, |_| reach);
        broad_phase.find(&mut out);
        out
    }

    /// What a pair of loops over all elements finds. Every node and edge must be in triangles of one part
    /// only.
    fn tried(&self, reach: f64, may_collide: impl Fn(u16, u16) -> bool) -> Candidates {
        let points = self.start.iter().zip(&self.end);
        let boxed = |(a, b): (&DVec3, &DVec3)| {
            let [plus, minus] = Bounds::swept_along_diagonals(*a, *b, reach);
            [Bounds::swept(*a, *b, reach), plus, minus]
        };
        let boxes: Vec<_> = points.map(boxed).collect();
        let around = |nodes: &[u32], k: usize| {
            let each = nodes.iter().map(|v| boxes[*v as usize][k]);
            each.fold(Bounds::EMPTY, Bounds::joined)
        };
        let touch = |a: &[u32], b: &[u32]| (0..3).all(|k| around(a, k).touches(&around(b, k)));
        let part = |nodes: &[u32]| {
            let holds = |t: &[u32; 3]| nodes.iter().all(|v| t.contains(v));
            self.triangles.iter().position(holds).map(|t| self.parts[t])
        };
        let meet = |a: &[u32], b: &[u32]| {
            let (Some(p), Some(q)) = (part(a), part(b)) else {
                return false;
            };
            let apart = a.iter().all(|v| !b.contains(v));
            apart && may_collide(p.min(q), p.max(q)) && touch(a, b)
        };
        let mut all = Candidates::default();
        for v in 0..self.start.len() as u32 {
            let met = (0..self.triangles.len()).filter(|t| meet(&[v], &self.triangles[*t]));
            all.point_triangle.extend(met.map(|t| [v, t as u32]));
        }
        for e in 0..self.edges.len() {
            let met = (e + 1..self.edges.len()).filter(|f| meet(&self.edges[e], &self.edges[*f]));
            all.edge_edge.extend(met.map(|f| [e as u32, f as u32]));
        }
        all
    }
}

pub(super) fn point(size: f64) -> impl Strategy<Value = DVec3> {
    (-size..size, -size..size, -size..size).prop_map(|(x, y, z)| dvec3(x, y, z))
}

/// Up to three parts of up to eight nodes each, between which up to twelve triangles are drawn at will.
fn worlds() -> impl Strategy<Value = World> {
    let corners = (0u32..8, 0u32..8, 0u32..8);
    let proper = corners.prop_filter("three corners", |(a, b, c)| a != b && b != c && c != a);
    let triangles = prop::collection::vec((proper, 0u16..3), 1..36);
    let nodes = prop::collection::vec((point(1.0), point(0.4)), 24);
    (triangles, nodes).prop_map(|(drawn, nodes)| {
        let own = |((a, b, c), part): &((u32, u32, u32), u16)| {
            let base = 8 * u32::from(*part);
            [base + a, base + b, base + c]
        };
        let triangles = drawn.iter().map(own).collect();
        let parts = drawn.iter().map(|(_, part)| *part).collect();
        let start = nodes.iter().map(|(p, _)| *p).collect();
        World::new(
            triangles,
            parts,
            start,
            nodes.iter().map(|(p, d)| *p + *d).collect(),
        )
    })
}

/// Calls `f` where there are so many threads.
fn on_threads<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap().install(f)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn all_pairs_of_elements_are_found_once_and_only_between_parts_that_may_collide(
        world in worlds(), reach in 0.0..0.1, allowed in prop::array::uniform6(any::<bool>())
    ) {
        let may = |a: u16, b: u16| allowed[usize::from([0, 2, 3][usize::from(a)] + b)];
        let found = world.found(&mut world.broad_phase(may), reach);
        prop_assert_eq!(found, world.tried(reach, may));
    }

    #[test]
    fn whatever_comes_within_reach_at_some_time_is_found(
        world in worlds(), reach in 0.05..0.3, time in 0.0..=1.0, u in 0.0..=1.0, v in 0.0..=1.0
    ) {
        let found = world.found(&mut world.broad_phase(|_, _| true), reach);
        let at = |v: u32| world.start[v as usize].lerp(world.end[v as usize], time);
        let near = |p: DVec3, q: DVec3| p.distance(q) < 1.999999 * reach;
        for node in world.triangles.concat() {
            for (t, corners) in world.triangles.iter().enumerate() {
                let [a, b, c] = corners.map(at);
                let q = a.lerp(b, u).lerp(c, v);
                if near(at(node), q) && !corners.contains(&node) {
                    prop_assert!(found.point_triangle.contains(&[node, t as u32]));
                }
            }
        }
        for (e, one) in world.edges.iter().enumerate() {
            for (f, other) in world.edges.iter().enumerate().skip(e + 1) {
                let [[p, q], [r, s]] = [one.map(at), other.map(at)];
                if near(p.lerp(q, u), r.lerp(s, v)) && one.iter().all(|v| !other.contains(v)) {
                    prop_assert!(found.edge_edge.contains(&[e as u32, f as u32]));
                }
            }
        }
    }

    #[test]
    fn what_was_asked_before_does_not_show(world in worlds(), other in prop::collection::vec(point(1.0), 24)) {
        let mut used = world.broad_phase(|_, _| true);
        used.update(&other, &other, |_| 0.01);
        used.find(&mut Candidates::default());
        let fresh = &mut world.broad_phase(|_, _| true);
        prop_assert_eq!(world.found(&mut used, 0.01), world.found(fresh, 0.01));
    }

    #[test]
    fn every_node_and_edge_has_exactly_one_owner(world in worlds()) {
        let owners = ownership::assign(world.start.len(), &world.triangles, &world.edges).unwrap();
        let mut nodes: Vec<_> = owners.iter().flat_map(Owner::nodes).collect();
        nodes.sort_unstable();
        let mut used = world.triangles.concat();
        used.sort_unstable();
        used.dedup();
        prop_assert_eq!(nodes, used);
        let mut edges: Vec<_> = owners.iter().flat_map(Owner::edges).collect();
        edges.sort_unstable();
        let sorted = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
        prop_assert_eq!(edges.len(), world.edges.len());
        for (k, (edge, ends)) in edges.into_iter().enumerate() {
            prop_assert_eq!((edge, sorted(ends)), (k as u32, world.edges[k]));
        }
    }

}

#[test]
fn layers_on_a_slope_are_told_apart() {
    let slope = |z: f64| {
        [
            dvec3(0.0, 0.0, z),
            dvec3(1.0, 0.0, z + 1.0),
            dvec3(0.0, 1.0, z),
        ]
    };
    let nodes = [slope(0.0), slope(0.1)].concat();
    let world = World::new(vec![[0, 1, 2], [3, 4, 5]], vec![0; 2], nodes.clone(), nodes);
    let mut broad_phase = world.broad_phase(|_, _| true);
    // The planes are 0.1/√2 apart.
    assert_eq!(world.found(&mut broad_phase, 0.035), Candidates::default());
    assert!(!world.found(&mut broad_phase, 0.036).edge_edge.is_empty());
}

#[test]
fn a_world_of_nothing_has_no_pairs() {
    let mut nothing = BroadPhase::new(0, &[], &[], &[], |_, _| true).unwrap();
    nothing.update(&[], &[], |_| 0.0);
    let mut out = Candidates::default();
    nothing.find(&mut out);
    assert_eq!(out, Candidates::default());
}

/// A sheet folded into layers, with enough triangles for all threads.
fn folded() -> World {
    let place = |i: u32, j: u32| {
        let turn = f64::from(i) * 0.2;
        dvec3(
            0.1 * turn.sin(),
            0.01 * f64::from(j),
            0.0004 * turn + 0.01 * (0.1 * f64::from(j)).sin(),
        )
    };
    let moved = |i, j| place(i, j) + dvec3(0.0, 0.001, -0.002 * f64::from(i % 3));
    World::sheet(60, 50, place, moved)
}

#[test]
fn one_thread_and_several_give_the_same_vectors() {
    let world = folded();
    let find = || world.found(&mut world.broad_phase(|_, _| true), 0.0005);
    let alone = on_threads(1, find);
    assert!(alone.point_triangle.len() > 10_000);
    for threads in [2, 3, 8] {
        assert_eq!(on_threads(threads, find), alone);
    }
}

#[test]
fn a_second_search_writes_into_the_same_memory() {
    let world = folded();
    let mut broad_phase = world.broad_phase(|_, _| true);
    let mut out = world.found(&mut broad_phase, 0.0005);
    let places = (out.point_triangle.as_ptr(), out.edge_edge.as_ptr());
    broad_phase.update(&world.start, &world.end, |_| 0.0005);
    broad_phase.find(&mut out);
    assert_eq!(
        places,
        (out.point_triangle.as_ptr(), out.edge_edge.as_ptr())
    );
}

#[test]
fn each_node_has_the_reach_it_was_given() {
    let triangle = |z| [dvec3(0.0, 0.0, z), dvec3(1.0, 0.0, z), dvec3(0.0, 1.0, z)];
    let nodes = [triangle(0.0), triangle(0.1)].concat();
    let world = World::new(
        vec![[0, 1, 2], [3, 4, 5]],
        vec![0, 1],
        nodes.clone(),
        nodes.clone(),
    );
    let mut broad_phase = world.broad_phase(|_, _| true);
    let mut count = |lower: f64, upper: f64| {
        let mut out = Candidates::default();
        broad_phase.update(&nodes, &nodes, |v| if v < 3 { lower } else { upper });
        broad_phase.find(&mut out);
        out.point_triangle.len()
    };
    assert_eq!(count(0.04, 0.05), 0);
    assert_eq!(count(0.04, 0.07), 6);
}

#[test]
fn a_wrong_mesh_is_refused_by_name() {
    let new = |triangles: &[[u32; 3]], edges: &[[u32; 2]], parts: &[u16]| {
        BroadPhase::new(3, triangles, edges, parts, |_, _| true)
            .unwrap_err()
            .to_string()
    };
    assert!(new(&[[0, 1, 3]], &[], &[0]).contains("corner 3"));
    assert!(new(&[[0, 1, 2]], &[[0, 1], [1, 0]], &[0]).contains("edge 1"));
    assert!(new(&[[0, 1, 2]], &[[0, 0]], &[0]).contains("edge 0"));
    assert!(new(&[[0, 1, 2]], &[], &[]).contains("0 parts"));
}
