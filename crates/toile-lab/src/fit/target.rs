//! A recording beside the cloth of a scene: which node is where at which time.
//!
//! Recordings with nodes on a grid are read at the mesh's nodes by bilinear interpolation in the rest shape's coordinates, so the
//! mesh may be coarser, finer or irregular. Recordings without a grid must have the mesh's nodes in the mesh's order. A cloud of
//! points has no nodes: it is held against the surface.

use super::hanger::mend;
use super::track::{noise, smooth};
use super::{FitError, Start};
use crate::measure::rest_map::extent;
use crate::observation::{CloudRecording, NodeRecording, Observation};
use glam::{DVec2, DVec3};
use toile::mesh::Face;
use toile_scene::scene::World;

/// Noise of held nodes (m) from which on their tracks are smoothed and the start is settled, unless somebody chooses.
const NOISY: f64 = 5e-4;
/// Reach of the smoothing then (s).
const USUAL_REACH: f64 = 0.15;

/// What a recording says about the nodes of a mesh.
#[derive(Clone, Debug)]
pub struct Target {
    /// Number of the cloth.
    pub cloth: usize,
    /// The cloth's first node in the world.
    pub first_node: u32,
    /// Times of the frames (s), from zero.
    pub times: Vec<f64>,
    /// What was seen.
    pub sight: Sight,
    /// Nodes of the world that the recording drives, and their tracks over the times.
    pub driven: Vec<(u32, Vec<DVec3>)>,
    /// How simulations begin.
    pub start: Start,
    /// What was guessed and changed, in plain words.
    pub notes: Vec<String>,
    /// The recorded surface, for pictures.
    pub surface: Option<RecordedSurface>,
}

/// What was seen at each time.
#[derive(Clone, Debug)]
pub enum Sight {
    /// Where each node of the cloth was, and whether it was really seen.
    Nodes {
        /// Places (m), frame by frame.
        places: Vec<Vec<DVec3>>,
        /// Whether they were seen.
        seen: Vec<Vec<bool>>,
    },
    /// Points on the cloth.
    Clouds(Vec<Vec<DVec3>>),
}

/// A recorded grid with its own nodes and faces.
#[derive(Clone, Debug)]
pub struct RecordedSurface {
    /// Its faces.
    pub faces: Vec<Face>,
    /// Its nodes (m), frame by frame.
    pub frames: Vec<Vec<DVec3>>,
}

/// What the user says about the recording; what is left open is guessed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TargetSettings {
    /// How simulations begin.
    pub start: Option<Start>,
    /// Reach of the smoothing of driven nodes (s); 0 for none.
    pub smoothing: Option<f64>,
    /// Whether pinned nodes follow the scene's own motion instead of the recording.
    pub drive_from_scene: bool,
}

impl Target {
    /// Brings a recording and a cloth of a world together.
    pub fn new(
        observation: Observation,
        world: &World,
        cloth: usize,
        settings: &TargetSettings,
    ) -> Result<Self, FitError> {
        observation.check_size(extent(&world.rest_positions[cloth]))?;
        let mut notes = observation.notes().to_vec();
        let first = observation.times()[0];
        let times = observation.times().iter().map(|t| t - first).collect();
        match observation {
            Observation::Clouds(CloudRecording { clouds, .. }) => {
                notes.push("a cloud of points drives nothing: pins move as the scene says, from the scene's start".into());
                Ok(Target {
                    cloth,
                    first_node: world.model.cloths[cloth].nodes.start as u32,
                    times,
                    sight: Sight::Clouds(clouds),
                    driven: Vec::new(),
                    start: Start::Scene,
                    notes,
                    surface: None,
                })
            }
            Observation::Nodes(recording) => {
                Self::from_nodes(recording, times, world, cloth, settings, notes)
            }
        }
    }

    fn from_nodes(
        recording: NodeRecording,
        times: Vec<f64>,
        world: &World,
        cloth: usize,
        settings: &TargetSettings,
        mut notes: Vec<String>,
    ) -> Result<Self, FitError> {
        let stencils = stencils(&recording, world, cloth, &mut notes)?;
        let place = |frame: &Vec<DVec3>| -> Vec<DVec3> {
            stencils.iter().map(|s| s.value(frame)).collect()
        };
        let places: Vec<Vec<DVec3>> = recording.frames.iter().map(place).collect();
        let visible =
            |seen: &Vec<bool>| -> Vec<bool> { stencils.iter().map(|s| s.all(seen)).collect() };
        let seen = recording.seen.iter().map(visible).collect();
        let first_node = world.model.cloths[cloth].nodes.start as u32;
        let mut driven = Vec::new();
        if !settings.drive_from_scene {
            let nodes = driven_nodes(&recording, &stencils, world, cloth, &mut notes)?;
            for node in nodes {
                let track: Vec<DVec3> = places.iter().map(|p| p[node]).collect();
                driven.push((first_node + node as u32, track));
            }
        }
        let worst = driven
            .iter()
            .map(|(_, track)| noise(track))
            .fold(0.0, f64::max);
        let noisy = worst > NOISY;
        let reach = settings
            .smoothing
            .unwrap_or(if noisy { USUAL_REACH } else { 0.0 });
        if reach > 0.0 {
            for (_, track) in &mut driven {
                *track = smooth(&times, track, reach);
            }
            notes.push(format!(
                "held nodes shake by {:.1} mm; their tracks were smoothed over ±{reach} s",
                1e3 * worst
            ));
        }
        let rest = &world.rest_positions[cloth];
        let at_rest = driven
            .iter()
            .map(|(node, _)| rest[(node - first_node) as usize]);
        let at_rest: Vec<DVec3> = at_rest.collect();
        let mut tracks: Vec<Vec<DVec3>> = driven.iter().map(|(_, track)| track.clone()).collect();
        let mended = mend(&mut tracks, &at_rest, if noisy { worst } else { 0.0 });
        for ((_, track), mended) in driven.iter_mut().zip(tracks) {
            *track = mended;
        }
        if mended.rigid {
            notes.push("held nodes keep their distances but for noise; they are moved like one rigid hanger".into());
        }
        if mended.too_far > 1e-4 {
            notes.push(format!(
                "held nodes were recorded up to {:.1} mm farther apart than the cloth between them is long, and were brought together",
                1e3 * mended.too_far
            ));
        }
        let start = settings.start.unwrap_or(match noisy {
            true => Start::Settled,
            false => Start::Recording,
        });
        let surface = recording.grid.map(|[columns, rows]| RecordedSurface {
            faces: grid_faces(columns, rows),
            frames: recording.frames,
        });
        Ok(Target {
            cloth,
            first_node,
            times,
            sight: Sight::Nodes { places, seen },
            driven,
            start,
            notes,
            surface,
        })
    }

    /// How long the recording is (s).
    pub fn duration(&self) -> f64 {
        self.times[self.times.len() - 1]
    }
}

/// A node's place on the recorded grid.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stencil {
    nodes: [u32; 4],
    weights: [f64; 4],
}

impl Stencil {
    fn value(&self, frame: &[DVec3]) -> DVec3 {
        let pairs = self.nodes.iter().zip(&self.weights);
        pairs.map(|(&n, &w)| w * frame[n as usize]).sum()
    }

    fn all(&self, seen: &[bool]) -> bool {
        let mut used = self
            .nodes
            .iter()
            .zip(&self.weights)
            .filter(|(_, w)| **w > 1e-9);
        used.all(|(&n, _)| seen[n as usize])
    }

    /// The recorded node that the place is on, if it is on one.
    fn exact(&self) -> Option<u32> {
        let on = self.weights.iter().position(|w| *w > 1.0 - 1e-9);
        on.map(|k| self.nodes[k])
    }
}

/// Where the cloth's nodes are in the recording.
fn stencils(
    recording: &NodeRecording,
    world: &World,
    cloth: usize,
    notes: &mut Vec<String>,
) -> Result<Vec<Stencil>, FitError> {
    let nodes = world.model.cloths[cloth].nodes.len();
    let Some(grid) = recording.grid.or_else(|| square(recording.nodes(), nodes)) else {
        recording.check_nodes(nodes)?;
        let alone = |n: u32| Stencil {
            nodes: [n; 4],
            weights: [1.0, 0.0, 0.0, 0.0],
        };
        return Ok((0..nodes as u32).map(alone).collect());
    };
    let flat = flat_coordinates(&world.rest_positions[cloth]).ok_or(FitError::NotFlat)?;
    let turns = (0..8u8).map(Turn);
    let candidates = turns.map(|turn| {
        let stencils: Vec<Stencil> = flat.iter().map(|p| turn.stencil(*p, grid)).collect();
        let score = score(&stencils, recording, world, cloth);
        (turn, stencils, score)
    });
    let best = candidates.min_by(|a, b| a.2.total_cmp(&b.2));
    let (turn, stencils, _) = best.ok_or(FitError::NotFlat)?;
    if turn != Turn(0) {
        notes.push(format!(
            "the recorded grid is read {turn}, as that fits pins and start best"
        ));
    }
    Ok(stencils)
}

/// A grid that nobody mentions, if the numbers leave no other choice.
fn square(recorded: usize, nodes: usize) -> Option<[usize; 2]> {
    let side = (recorded as f64).sqrt().round() as usize;
    (recorded != nodes && side > 1 && side * side == recorded).then_some([side, side])
}

/// How badly a way to read the grid fits: held nodes that are no pins weigh most, then lengths, then the distance from the scene's start,
/// wherever the recording stands as a whole.
fn score(stencils: &[Stencil], recording: &NodeRecording, world: &World, cloth: usize) -> f64 {
    let nodes = world.model.cloths[cloth].nodes.clone();
    let start = &world.state.positions[nodes.clone()];
    let placed: Vec<DVec3> = stencils
        .iter()
        .map(|s| s.value(&recording.frames[0]))
        .collect();
    let count = start.len() as f64;
    let middle = |points: &[DVec3]| points.iter().sum::<DVec3>() / count;
    let shift = middle(&placed) - middle(start);
    let apart = placed
        .iter()
        .zip(start)
        .map(|(a, b)| a.distance(*b + shift));
    let size = extent(start).max(f64::MIN_POSITIVE);
    let distance = apart.sum::<f64>() / (count * size);
    let cloth = &world.model.cloths[cloth];
    let edges = cloth.topology.edges.iter().zip(&cloth.rest.edge_lengths);
    let strain = edges.map(|(edge, rest)| {
        let [a, b] = edge.nodes.map(|n| placed[n as usize]);
        (a.distance(b) / rest - 1.0).abs().min(1.0)
    });
    let strain = strain.sum::<f64>() / cloth.topology.edges.len() as f64;
    let pinned = pinned_nodes(world, nodes);
    let strangers = pinned.iter().filter(|&&n| {
        let on = stencils[n].exact();
        !recording.held.is_empty() && !on.is_some_and(|n| recording.held.contains(&n))
    });
    100.0 * strangers.count() as f64 + 10.0 * strain + distance
}

/// Pinned nodes of a cloth, in its own numbers.
fn pinned_nodes(world: &World, cloth: std::ops::Range<usize>) -> Vec<usize> {
    let all = world.model.pins.iter().flat_map(|pin| &pin.nodes);
    let own = all.map(|&n| n as usize).filter(|n| cloth.contains(n));
    own.map(|n| n - cloth.start).collect()
}

/// Which nodes the recording drives: those the scene pins, or else the mesh's nodes at the recorded held ones.
fn driven_nodes(
    recording: &NodeRecording,
    stencils: &[Stencil],
    world: &World,
    cloth: usize,
    notes: &mut Vec<String>,
) -> Result<Vec<usize>, FitError> {
    let pinned = pinned_nodes(world, world.model.cloths[cloth].nodes.clone());
    if !pinned.is_empty() {
        return Ok(pinned);
    }
    let held: Vec<usize> = (0..stencils.len())
        .filter(|&n| {
            stencils[n]
                .exact()
                .is_some_and(|on| recording.held.contains(&on))
        })
        .collect();
    if held.is_empty() {
        return Err(FitError::NothingDriven);
    }
    notes.push(format!(
        "the scene pins nothing; the recording's {} held nodes are driven",
        held.len()
    ));
    Ok(held)
}

/// Rest coordinates from 0 to 1 along the two long sides of a flat mesh; `None` if it is not flat.
fn flat_coordinates(rest: &[DVec3]) -> Option<Vec<DVec2>> {
    let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let around = |(low, high): (DVec3, DVec3), p: &DVec3| (low.min(*p), high.max(*p));
    let (low, high) = rest.iter().fold(nothing, around);
    let sides = (high - low).to_array();
    let thin = (0..3).min_by(|&a, &b| sides[a].total_cmp(&sides[b]))?;
    let [u, v] = [[1, 2], [0, 2], [0, 1]][thin];
    let flat = sides[thin] < 0.05 * sides[u].min(sides[v]);
    let share = |p: &DVec3, axis: usize| (p[axis] - low[axis]) / sides[axis];
    flat.then(|| {
        rest.iter()
            .map(|p| DVec2::new(share(p, u), share(p, v)))
            .collect()
    })
}

/// One of the eight ways to lay a grid: mirrored along its columns, along its rows, and with both exchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn(u8);

impl std::fmt::Display for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let words = [
            "with columns turned",
            "with rows turned",
            "with columns and rows exchanged",
        ];
        let said = (0..3).filter(|bit| self.0 >> bit & 1 == 1);
        let said: Vec<&str> = said.map(|bit| words[bit]).collect();
        f.write_str(&said.join(" and "))
    }
}

impl Turn {
    fn stencil(self, place: DVec2, [columns, rows]: [usize; 2]) -> Stencil {
        let mut place = place;
        if self.0 & 1 == 1 {
            place.x = 1.0 - place.x;
        }
        if self.0 & 2 == 2 {
            place.y = 1.0 - place.y;
        }
        if self.0 & 4 == 4 {
            place = DVec2::new(place.y, place.x);
        }
        let along = |share: f64, count: usize| {
            let cells = count.saturating_sub(1).max(1);
            let at = (share * cells as f64).clamp(0.0, cells as f64);
            // Places that are on a node but for rounding are on it.
            let at = if (at - at.round()).abs() < 1e-9 {
                at.round()
            } else {
                at
            };
            let cell = (at as usize).min(cells - 1);
            (cell, (cell + 1).min(count - 1), at - cell as f64)
        };
        let (left, right, u) = along(place.x, columns);
        let (low, high, v) = along(place.y, rows);
        let node = |column: usize, row: usize| (row * columns + column) as u32;
        Stencil {
            nodes: [
                node(left, low),
                node(right, low),
                node(right, high),
                node(left, high),
            ],
            weights: [(1.0 - u) * (1.0 - v), u * (1.0 - v), u * v, (1.0 - u) * v],
        }
    }
}

fn grid_faces(columns: usize, rows: usize) -> Vec<Face> {
    let node = |column: usize, row: usize| (row * columns + column) as u32;
    let cells = (1..rows).flat_map(|row| (1..columns).map(move |column| (column, row)));
    cells
        .map(|(c, r)| {
            Face::Quad([
                node(c - 1, r - 1),
                node(c, r - 1),
                node(c, r),
                node(c - 1, r),
            ])
        })
        .collect()
}
