//! Rigid impact zones: the last resort where contacts do not come to an end.
//!
//! Nodes that still collide after some rounds are joined into zones, and each zone moves through the step as
//! one rigid piece with the momentum and the angular momentum that its nodes had (Provot 1997; Bridson et al.
//! 2002):
//!
//! `x̄ᵢ = c + ū + R(ω) (xᵢ − c)`, `ω = I⁻¹ Σ mᵢ (xᵢ − c) × uᵢ`, with `uᵢ` the displacement of a node in the
//! step.
//!
//! On straight lines from `x` to `x̄` a point of the zone goes through `((1 − t) 1 + t R) x` and a shift,
//! which is one affine map for the whole zone and can be inverted at every `t` while `R` turns by less than
//! half a turn. So nothing within a zone meets, whatever its nodes did before, and as zones only ever grow,
//! an end is reached: at the latest when everything that touches is one zone.
//!
//! **Prescribed nodes** (pins, bodies) go where they go. A zone with prescribed nodes takes their motion, if
//! that is a rigid one. If it is not, no motion of the others is safe, and the zone is reported as squeezed.
//!
//! **Bodies** that stand in a zone's way take it along, as if it stuck to them.

use super::response::Mobility;
use glam::{DMat3, DQuat, DVec3};

/// Groups of nodes that move as one.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImpactZones {
    /// Another node of the same zone; itself for the one that stands for the zone. Empty while there are no
    /// zones.
    parents: Vec<u32>,
    /// Nodes of all zones, those of each together.
    members: Vec<(u32, u32)>,
    /// Who stands for the zones that did not move as one.
    squeezed: Vec<u32>,
}

/// What zones ask about bodies.
pub(crate) trait BodiesInTheWay {
    /// The body that a node meets on its way to a place.
    fn stop(&self, node: u32, end: DVec3) -> Option<usize>;
    /// Where a body that a node sticks to takes it.
    fn carry(&self, body: usize, node: u32) -> DVec3;
    /// Hears what a body moves a node by (m).
    fn pushes(&mut self, body: usize, node: u32, way: DVec3);
}

/// What became of the zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct ZoneReport {
    pub zones: usize,
    /// Nodes of the largest.
    pub largest: usize,
    /// Zones whose prescribed nodes do not move as one.
    pub squeezed: usize,
}

/// More than this turn (rad) in one step is no collision's doing but a nearly singular inertia; the zone is
/// then only shifted.
const MOST_TURN: f64 = 1.0;
/// Prescribed nodes move rigidly if none is off by more than this part of the zone's size: far above
/// rounding, far below what is seen.
const RIGID: f64 = 1e-9;
/// Rounds of fitting; each squares the error, so that four bring a tenth down to rounding.
const FIT_ROUNDS: usize = 5;

impl ImpactZones {
    /// Lets go of all nodes.
    pub fn clear(&mut self) {
        self.parents.clear();
    }

    /// Joins the zones of some nodes, of which there are `count` in all; `false` if they were in one zone
    /// already.
    pub fn join(&mut self, nodes: &[u32; 4], count: usize) -> bool {
        if self.parents.is_empty() {
            self.parents.extend(0..count as u32);
        }
        let roots = nodes.map(|node| self.root(node));
        // The smallest number stands for the zone, so the order of joining makes no difference.
        let least = roots[0].min(roots[1]).min(roots[2]).min(roots[3]);
        for root in roots {
            self.parents[root as usize] = least;
        }
        roots.iter().any(|&root| root != least)
    }

    /// Whether nodes have moved as one rigid piece, so that nothing among them can have met.
    pub fn moved_as_one(&self, nodes: &[u32; 4]) -> bool {
        let above = |mut node: u32| {
            while self.parents[node as usize] != node {
                node = self.parents[node as usize];
            }
            node
        };
        let root = above(nodes[0]);
        nodes.iter().all(|&n| above(n) == root) && !self.squeezed.contains(&root)
    }

    fn root(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            let above = self.parents[node as usize];
            self.parents[node as usize] = self.parents[above as usize];
            node = above;
        }
        node
    }

    /// Moves every zone as one rigid piece.
    pub fn apply(
        &mut self,
        starts: &[DVec3],
        wanted: &[DVec3],
        mobility: &Mobility,
        ends: &mut [DVec3],
    ) -> ZoneReport {
        self.collect();
        self.squeezed.clear();
        let mut report = ZoneReport::default();
        for zone in self.members.chunk_by(|a, b| a.0 == b.0) {
            report.zones += 1;
            report.largest = report.largest.max(zone.len());
            let nodes = || zone.iter().map(|&(_, node)| node);
            let led = || nodes().filter(|&n| mobility.is_led(n));
            let motion = if led().next().is_some() {
                let mut motion = RigidMotion::of(led().map(|n| (1.0, n)), starts, wanted);
                motion.fit(led(), starts, wanted);
                let off = |n: u32| motion.end(starts[n as usize]).distance(wanted[n as usize]);
                let size = nodes().map(|n| starts[n as usize].distance(motion.centre));
                let size = size.fold(0.0, f64::max);
                if led().any(|n| off(n) > RIGID * size) {
                    report.squeezed += 1;
                    self.squeezed.push(zone[0].0);
                    continue;
                }
                motion
            } else {
                let masses = |n: u32| 1.0 / mobility.inverse_masses[n as usize];
                RigidMotion::of(nodes().map(|n| (masses(n), n)), starts, wanted)
            };
            for node in nodes().filter(|&n| !mobility.is_led(n)) {
                ends[node as usize] = motion.end(starts[node as usize]);
            }
        }
        report
    }

    /// Zones that would be led into a body go along with it instead, as one piece: where they began the step they were outside, and
    /// there they stay relative to it. Answers how many zones meet a body for all that: two bodies take them different ways, or pins
    /// do.
    pub fn follow_bodies(
        &self,
        starts: &[DVec3],
        mobility: &Mobility,
        ends: &mut [DVec3],
        mut bodies: impl BodiesInTheWay,
    ) -> usize {
        let mut caught = 0;
        for zone in self.members.chunk_by(|a, b| a.0 == b.0) {
            let nodes = || zone.iter().map(|&(_, node)| node);
            let mut free = nodes().filter(|&n| !mobility.is_led(n));
            let Some(body) = free.find_map(|n| bodies.stop(n, ends[n as usize])) else {
                continue;
            };
            if nodes().any(|n| mobility.is_led(n)) {
                caught += 1;
                continue;
            }
            for node in nodes() {
                let (end, carried) = (&mut ends[node as usize], bodies.carry(body, node));
                bodies.pushes(body, node, carried - *end);
                *end = carried;
            }
            // A body that deforms takes a zone along as one piece no more than nearly.
            let mut motion = RigidMotion::of(nodes().map(|n| (1.0, n)), starts, ends);
            motion.fit(nodes(), starts, ends);
            for node in nodes() {
                ends[node as usize] = motion.end(starts[node as usize]);
            }
            let met = |n: u32| bodies.stop(n, ends[n as usize]).is_some();
            caught += usize::from(nodes().any(met));
        }
        caught
    }

    /// Lists the nodes of all zones with more than one.
    fn collect(&mut self) {
        self.members.clear();
        for node in 0..self.parents.len() as u32 {
            let root = self.root(node);
            if root != node {
                self.members.push((root, node));
            }
        }
        // Whoever stands for a zone belongs to it as well.
        self.members.sort_unstable();
        let joined = self.members.len();
        for k in 0..joined {
            let root = self.members[k].0;
            if k == 0 || self.members[k - 1].0 != root {
                self.members.push((root, root));
            }
        }
        self.members.sort_unstable();
    }
}

/// A rigid motion of a step.
struct RigidMotion {
    centre: DVec3,
    shift: DVec3,
    turn: DQuat,
}

impl RigidMotion {
    /// The one with the momentum and angular momentum of some masses (kg) on their way.
    fn of(
        masses: impl Iterator<Item = (f64, u32)> + Clone,
        starts: &[DVec3],
        ends: &[DVec3],
    ) -> Self {
        let (mut total, mut centre, mut shift) = (0.0, DVec3::ZERO, DVec3::ZERO);
        for (mass, node) in masses.clone() {
            let node = node as usize;
            total += mass;
            centre += mass * starts[node];
            shift += mass * (ends[node] - starts[node]);
        }
        centre /= total;
        shift /= total;
        let arms = masses.map(|(mass, node)| {
            let start = starts[node as usize];
            (mass, start - centre, ends[node as usize] - start - shift)
        });
        RigidMotion {
            centre,
            shift,
            turn: turn(arms),
        }
    }

    /// Comes nearer to the rigid motion of nodes that move so: what a turn of a finite angle leaves is turned
    /// again.
    fn fit(&mut self, nodes: impl Iterator<Item = u32> + Clone, starts: &[DVec3], ends: &[DVec3]) {
        for _ in 0..FIT_ROUNDS {
            let arms = nodes.clone().map(|node| {
                let start = starts[node as usize];
                let arm = self.turn * (start - self.centre);
                (1.0, arm, ends[node as usize] - self.end(start))
            });
            self.turn = turn(arms) * self.turn;
        }
    }

    fn end(&self, start: DVec3) -> DVec3 {
        self.centre + self.shift + self.turn * (start - self.centre)
    }
}

/// The turn that has the angular momentum of masses on arms (m) with their ways (m); none about axes without
/// inertia (nodes in a line).
fn turn(arms: impl Iterator<Item = (f64, DVec3, DVec3)>) -> DQuat {
    let (mut momentum, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
    for (mass, arm, way) in arms {
        momentum += mass * arm.cross(way);
        let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
        inertia += mass * (DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer);
    }
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    inertia += DMat3::from_diagonal(DVec3::splat(1e-12 * trace));
    let rate = inertia.inverse() * momentum;
    if rate.is_finite() && rate.length() < MOST_TURN {
        DQuat::from_scaled_axis(rate)
    } else {
        DQuat::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Filter;

    const STARTS: [DVec3; 6] = [
        DVec3::ZERO,
        DVec3::X,
        DVec3::Y,
        DVec3::new(0.2, 0.2, 0.1),
        DVec3::new(3.0, 0.0, 0.0),
        DVec3::new(0.1, 0.5, 0.2),
    ];

    fn wanted() -> Vec<DVec3> {
        let ways = [
            DVec3::new(0.0, 0.01, 0.02),
            DVec3::new(0.01, 0.0, -0.02),
            DVec3::new(0.0, -0.03, 0.0),
            DVec3::new(0.0, 0.0, -0.2),
            DVec3::new(0.0, 1.0, 0.0),
            DVec3::new(0.05, 0.0, -0.1),
        ];
        STARTS.iter().zip(ways).map(|(x, u)| *x + u).collect()
    }

    fn join_and_move(joined: &[[u32; 4]], filters: &[Filter; 6]) -> (Vec<DVec3>, ZoneReport) {
        let masses = [1.0, 2.0, 0.5, 1.0, 1.0, 3.0].map(|m: f64| 1.0 / m);
        let mobility = Mobility {
            inverse_masses: &masses,
            filters,
        };
        let mut zones = ImpactZones::default();
        for nodes in joined {
            zones.join(nodes, 6);
        }
        let mut ends = wanted();
        let report = zones.apply(&STARTS, &wanted(), &mobility, &mut ends);
        (ends, report)
    }

    #[test]
    fn a_zone_keeps_its_shape_and_its_momentum() {
        let (ends, report) = join_and_move(&[[3, 0, 1, 2], [5, 0, 1, 2]], &[Filter::Free; 6]);
        assert_eq!((report.zones, report.largest, report.squeezed), (1, 5, 0));
        let inside = [0, 1, 2, 3, 5];
        for (i, j) in [(0, 1), (1, 5), (3, 5), (2, 3)] {
            let change = ends[i].distance(ends[j]) - STARTS[i].distance(STARTS[j]);
            assert!(change.abs() < 1e-14);
        }
        let masses = [1.0, 2.0, 0.5, 1.0, 1.0, 3.0];
        let momentum = |ends: &[DVec3]| -> DVec3 {
            inside
                .iter()
                .map(|&k| masses[k] * (ends[k] - STARTS[k]))
                .sum()
        };
        assert!((momentum(&ends) - momentum(&wanted())).length() < 1e-14);
        // A turn of a finite angle keeps the angular momentum to second order.
        let centre: DVec3 = inside.iter().map(|&k| masses[k] * STARTS[k]).sum::<DVec3>() / 7.5;
        let angular = |ends: &[DVec3]| -> DVec3 {
            let arms = inside
                .iter()
                .map(|&k| (STARTS[k] - centre).cross(masses[k] * (ends[k] - STARTS[k])));
            arms.sum()
        };
        let change = (angular(&ends) - angular(&wanted())).length();
        assert!(change < 0.01 * angular(&wanted()).length(), "{change}");
        assert_eq!(ends[4], wanted()[4], "not in the zone");
    }

    #[test]
    fn zones_that_share_a_node_are_one_whatever_the_order() {
        let one = join_and_move(&[[3, 0, 1, 2], [5, 4, 1, 2]], &[Filter::Free; 6]);
        let other = join_and_move(&[[1, 2, 4, 5], [2, 1, 0, 3]], &[Filter::Free; 6]);
        assert_eq!(one, other);
        assert_eq!(one.1.largest, 6);
    }

    /// A floor under the lowest node at the start, which rises and turns.
    struct Floor {
        turn: DQuat,
        lift: DVec3,
        given: DVec3,
    }

    impl BodiesInTheWay for &mut Floor {
        fn stop(&self, _: u32, end: DVec3) -> Option<usize> {
            ((self.turn.inverse() * (end - self.lift)).z < -1e-9).then_some(0)
        }

        fn carry(&self, _: usize, node: u32) -> DVec3 {
            self.turn * STARTS[node as usize] + self.lift
        }

        fn pushes(&mut self, _: usize, _: u32, way: DVec3) {
            self.given += way;
        }
    }

    #[test]
    fn a_zone_goes_along_with_a_body_that_it_would_be_led_into() {
        let joined = [[3, 0, 1, 2], [5, 0, 1, 2]];
        let (free, _) = join_and_move(&joined, &[Filter::Free; 6]);
        let follow = |filters: &[Filter; 6], lift: f64| {
            let masses = [1.0; 6];
            let mobility = Mobility {
                inverse_masses: &masses,
                filters,
            };
            let mut zones = ImpactZones::default();
            for nodes in &joined {
                zones.join(nodes, 6);
            }
            let mut ends = wanted();
            zones.apply(&STARTS, &wanted(), &mobility, &mut ends);
            let mut floor = Floor {
                turn: DQuat::from_rotation_x(0.1),
                lift: lift * DVec3::Z,
                given: DVec3::ZERO,
            };
            let before = ends.clone();
            let caught = zones.follow_bodies(&STARTS, &mobility, &mut ends, &mut floor);
            let moved: DVec3 = ends.iter().zip(&before).map(|(a, b)| *a - *b).sum();
            assert!((floor.given - moved).length() < 1e-12);
            (ends, caught)
        };
        assert!(free[0].z < 0.0);
        let (ends, caught) = follow(&[Filter::Free; 6], 0.01);
        assert_eq!(caught, 0);
        for k in [0, 1, 2, 3, 5] {
            let there = DQuat::from_rotation_x(0.1) * STARTS[k] + 0.01 * DVec3::Z;
            assert!(ends[k].distance(there) < 1e-12, "{k}: {}", ends[k]);
        }
        assert_eq!(ends[4], wanted()[4], "not in the zone");
        // What a pin leads is not taken along, and that is told.
        let mut filters = [Filter::Free; 6];
        filters[1] = Filter::Held;
        let (ends, caught) = follow(&filters, 0.01);
        assert_eq!((caught, ends[1]), (1, wanted()[1]));
        // A body out of the way does nothing.
        assert_eq!(follow(&[Filter::Free; 6], -1.0).1, 0);
    }

    #[test]
    fn led_nodes_lead_the_zone_or_squeeze_it() {
        let mut filters = [Filter::Free; 6];
        filters[0] = Filter::Held;
        let (ends, report) = join_and_move(&[[3, 0, 1, 2]], &filters);
        assert_eq!(report.squeezed, 0);
        let way = wanted()[0] - STARTS[0];
        for k in 0..4 {
            assert!((ends[k] - STARTS[k]).distance(way) < 1e-15);
        }
        // A gripper that turns.
        let turned = |x: DVec3| DQuat::from_rotation_z(0.4) * x + DVec3::Z;
        let mut goals = wanted();
        for k in [0, 1, 2] {
            goals[k] = turned(STARTS[k]);
        }
        let all = [1.0; 6];
        let mut gripper = [Filter::Free; 6];
        gripper[..3].fill(Filter::Held);
        let mobility = Mobility {
            inverse_masses: &all,
            filters: &gripper,
        };
        let mut zones = ImpactZones::default();
        zones.join(&[3, 0, 1, 2], 6);
        let mut ends = goals.clone();
        let report = zones.apply(&STARTS, &goals, &mobility, &mut ends);
        assert_eq!(report.squeezed, 0);
        assert!(ends[3].distance(turned(STARTS[3])) < 1e-12);
        // Two held nodes that come nearer to each other are no rigid motion.
        filters[1] = Filter::Held;
        let (ends, report) = join_and_move(&[[3, 0, 1, 2]], &filters);
        assert_eq!(report.squeezed, 1);
        assert_eq!(ends, wanted());
    }
}
