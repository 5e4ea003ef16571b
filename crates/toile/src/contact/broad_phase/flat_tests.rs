//! Flat patches: found where they are, and nothing in them meets anything else in them.

use super::flat::{axis_of, normals_of};
use super::tests::{World, point};
use super::*;
use glam::dvec3;
use proptest::prelude::*;

/// The triangles of each patch that is found flat.
fn flat_patches(world: &World) -> Vec<Vec<u32>> {
    let mut broad_phase = world.broad_phase(|_, _| true);
    broad_phase.skip_flat_patches(true);
    world.found(&mut broad_phase, 0.0);
    let Part { tree, flatness, .. } = &broad_phase.parts[0];
    let flat = (0..tree.branches.len()).filter(|at| flatness.is_flat(*at as u32));
    let members = |at: usize| {
        let branch = &tree.branches[at];
        tree.order[branch.first as usize..branch.end as usize].to_vec()
    };
    flat.map(members).collect()
}

/// Whether the line from `p` to `q` passes through a triangle.
fn pierces([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let volume = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).cross(c - a).dot(d - a);
    let through = [[a, b], [b, c], [c, a]].map(|[s, t]| volume(p, q, s, t));
    let inside = through.iter().all(|v| *v > 0.0) || through.iter().all(|v| *v < 0.0);
    inside && (volume(a, b, c, p) > 0.0) != (volume(a, b, c, q) > 0.0)
}

/// The time at which a side of one of the triangles passes through another of them, of a number of times
/// tried.
fn time_of_intersection(world: &World, members: &[u32]) -> Option<f64> {
    let corners = |t: &u32| world.triangles[*t as usize];
    (0..=16).map(|k| f64::from(k) / 16.0).find(|time| {
        let at = |v: u32| world.start[v as usize].lerp(world.end[v as usize], *time);
        let sides = members
            .iter()
            .map(corners)
            .flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut pairs = sides.flat_map(|side| members.iter().map(move |t| (side, corners(t))));
        pairs.any(|([p, q], t)| {
            !t.contains(&p) && !t.contains(&q) && pierces([at(p), at(q)], t.map(at))
        })
    })
}

/// A ramp three squares wide that winds by an angle around the z axis and climbs.
fn ramp(angle: f64, climb: f64, roughness: f64) -> impl Fn(u32, u32) -> DVec3 {
    move |i, j| {
        let turn = angle * f64::from(i) / 24.0;
        let radius = 1.0 + 0.2 * f64::from(j);
        let rough = roughness * (f64::from(7 * i + 3 * j)).sin();
        dvec3(
            radius * turn.cos(),
            radius * turn.sin(),
            climb * turn + rough,
        )
    }
}

/// A square with a side of 1 m.
fn level(i: u32, j: u32) -> DVec3 {
    dvec3(f64::from(i), f64::from(j), 0.0) / 16.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nothing_in_a_flat_patch_of_a_ramp_meets_the_rest_of_it(
        angles in prop::array::uniform2(2.0..14.0), climbs in prop::array::uniform2(-0.02..0.02), roughness in 0.0..0.05
    ) {
        let start = ramp(angles[0], climbs[0], roughness);
        let world = World::sheet(24, 3, start, ramp(angles[1], climbs[1], roughness));
        for members in flat_patches(&world) {
            prop_assert_eq!(time_of_intersection(&world, &members), None);
        }
    }

    #[test]
    fn nothing_in_a_flat_patch_of_a_folding_sheet_meets_the_rest_of_it(
        waves in prop::array::uniform4(0.0..8.0), heights in prop::array::uniform4(-0.4..0.4), sway in prop::array::uniform2(-0.3..0.3)
    ) {
        let shape = |n: usize| move |i: u32, j: u32| {
            let p = level(i, j);
            let along = f64::sin(waves[n] * p.x) + f64::cos(waves[n + 1] * p.y);
            let across = sway[n / 2] * (9.0 * p.x + 4.0 * p.y).sin();
            p + dvec3(across, 0.5 * across, heights[n] * along + heights[n + 1] * f64::sin(waves[n] * p.y))
        };
        let world = World::sheet(12, 12, shape(0), shape(2));
        for members in flat_patches(&world) {
            prop_assert_eq!(time_of_intersection(&world, &members), None);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn the_normal_of_a_moving_triangle_stays_in_the_cone(
        start in prop::array::uniform3(point(1.0)), moves in prop::array::uniform3(point(1.0)), half_turn in any::<bool>()
    ) {
        let turned = |p: DVec3| if half_turn { dvec3(-p.x, -p.y, p.z) } else { p };
        let end = [0, 1, 2].map(|k| turned(start[k]) + 0.5 * moves[k]);
        let Some(axis) = axis_of(&normals_of(start, end)) else { return Ok(()) };
        for k in 0..=32 {
            let [a, b, c] = [0, 1, 2].map(|v| start[v].lerp(end[v], f64::from(k) / 32.0));
            let normal = (b - a).cross(c - a);
            prop_assert!(normal.dot(axis) >= 0.4999 * normal.length());
            prop_assert!(normal.length() > 0.0);
        }
    }
}

#[test]
fn a_level_sheet_is_one_flat_patch_however_far_it_falls_while_it_turns_a_little() {
    let fallen = |i, j| level(i, j) - dvec3(3.0, 0.0, 20.0);
    let world = World::sheet(16, 16, level, fallen);
    assert_eq!(flat_patches(&world)[0].len(), world.triangles.len());
    let turned = |i, j| DVec3::cross(level(i, j) - 0.5, DVec3::Z).lerp(level(i, j) - 0.5, 0.97);
    let world = World::sheet(16, 16, level, turned);
    assert_eq!(flat_patches(&world)[0].len(), world.triangles.len());
}

#[test]
fn nothing_is_left_of_a_flat_patch_when_flat_patches_are_skipped() {
    let wave = |i, j| level(i, j) + dvec3(0.0, 0.0, 0.01 * f64::from(i % 5));
    let world = World::sheet(16, 16, wave, wave);
    let mut broad_phase = world.broad_phase(|_, _| true);
    assert!(!world.found(&mut broad_phase, 0.025).edge_edge.is_empty());
    broad_phase.skip_flat_patches(true);
    assert_eq!(world.found(&mut broad_phase, 0.025), Candidates::default());
    broad_phase.skip_flat_patches(false);
    assert!(!world.found(&mut broad_phase, 0.025).edge_edge.is_empty());
}

#[test]
fn a_ramp_that_winds_over_itself_is_not_flat_though_its_normals_are_upright() {
    let once_around = |angle| {
        let world = World::sheet(24, 3, ramp(angle, 0.01, 0.0), ramp(angle, 0.01, 0.0));
        let patches = flat_patches(&world);
        patches
            .iter()
            .any(|members| members.len() == world.triangles.len())
    };
    assert!(once_around(5.0));
    assert!(!once_around(7.0));
}

#[test]
fn a_ramp_that_winds_over_itself_only_during_the_step_is_not_flat() {
    // At the end it lies as at the start, but turned by half a turn. In the middle all of it is in one point.
    let start = ramp(5.0, 0.0, 0.0);
    let world = World::sheet(24, 3, &start, |i, j| start(i, j) * dvec3(-1.0, -1.0, 1.0));
    assert!(flat_patches(&world).is_empty());
}

#[test]
fn a_sheet_that_turns_over_is_not_flat() {
    let world = World::sheet(16, 16, level, |i, j| level(i, j) * dvec3(-1.0, 1.0, 1.0));
    assert!(flat_patches(&world).is_empty());
}

#[test]
fn two_ends_of_a_ring_nearer_than_the_reach_are_not_one_flat_patch() {
    let ring = ramp(6.2, 0.0, 0.0);
    let world = World::sheet(24, 3, &ring, &ring);
    let mut broad_phase = world.broad_phase(|_, _| true);
    broad_phase.skip_flat_patches(true);
    assert_eq!(world.found(&mut broad_phase, 0.01), Candidates::default());
    assert!(!world.found(&mut broad_phase, 0.06).edge_edge.is_empty());
}

#[test]
fn trees_grown_over_other_places_are_kept_and_find_the_same() {
    let rolled = |i: u32, j: u32| {
        let turn = 0.9 * f64::from(i);
        dvec3(turn.cos(), 0.1 * f64::from(j), turn.sin()) * (1.0 + 0.01 * f64::from(i))
    };
    let world = World::sheet(40, 6, rolled, rolled);
    // So bad a tree that it would be grown anew.
    let places: Vec<_> = (0..41 * 7).map(|k| k * 57 % (41 * 7)).collect();
    let elsewhere: Vec<_> = places.iter().map(|k| level(k / 7, k % 7)).collect();
    let mut kept = world.broad_phase(|_, _| true);
    kept.grow_over(&elsewhere);
    let order = kept.parts[0].tree.order.clone();
    let found = world.found(&mut kept, 0.01);
    assert!(kept.parts[0].tree.needs_rebuild());
    assert_eq!(kept.parts[0].tree.order, order);
    assert_eq!(
        found,
        world.found(&mut world.broad_phase(|_, _| true), 0.01)
    );
}
