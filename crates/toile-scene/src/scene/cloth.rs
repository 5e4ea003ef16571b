//! Cloths: mesh, rest shape, place and pins.

use super::check::{check_color, check_positive, check_vector};
use super::limit::limit;
use super::material::{Sheet, align_warp, check_material, energies, material_warnings};
use super::motion::{pin_path, place};
use super::sources::Sources;
use super::{SceneError, SceneSource};
use crate::format::read_mesh_cut;
use crate::recording::{Attributes, ClothTrack};
use crate::spec::{
    ClothSpec, DiscPatternSpec, MeshSpec, NoiseSpec, PatternSpec, PinSpec, RestSpec, SelectSpec,
    SlideSpec, SpherePatternSpec,
};
use glam::{DVec2, DVec3};
use std::path::Path;
use toile::drive::{Interval, Pin, Slide};
use toile::energy::EnergyBatch;
use toile::limit::Limit;
use toile::mesh::generate::{self, Diagonals, GenerateError, GridPattern};
use toile::mesh::{Mesh, RestShape, Topology, roughen};
use toile::model::Cloth;

pub(super) struct ResolvedCloth {
    pub cloth: Cloth,
    pub positions: Vec<DVec3>,
    /// In the undeformed mesh.
    pub rest_positions: Vec<DVec3>,
    pub velocity: DVec3,
    pub energies: Vec<EnergyBatch>,
    pub limit: Option<Limit>,
    pub warnings: Vec<String>,
    pub pins: Vec<Pin>,
    pub track: ClothTrack,
}

/// What the cloths before have left to one.
#[derive(Clone, Copy)]
pub(super) struct ClothTurn {
    /// Its number.
    pub index: usize,
    /// Its first node in the world.
    pub first_node: usize,
    /// Whether its limit is part of the implicit solve.
    pub is_unified: bool,
}

pub(super) fn resolve_cloth(
    source: &Sources,
    name: &str,
    spec: &mut ClothSpec,
    turn: ClothTurn,
) -> Result<ResolvedCloth, SceneError> {
    let ClothTurn {
        index,
        first_node,
        is_unified,
    } = turn;
    let field = format!("cloth.{name}");
    let fabric = check_material(source, &field, spec)?;
    check_color(source, &format!("{field}.color"), spec.color)?;
    check_color(source, &format!("{field}.back_color"), spec.back_color)?;
    let (mut mesh, polygons) = load_mesh(source, &format!("{field}.mesh"), &mut spec.mesh)?;
    if let Some(NoiseSpec { deviation, seed }) = spec.noise {
        check_positive(source, &format!("{field}.noise.deviation"), deviation)?;
        roughen(&mut mesh, deviation, seed);
    }
    let mesh_error = |message: String| {
        let hint = "`toile check` lists everything that is wrong with a mesh";
        source.error(&format!("{field}.mesh"), format!("{message} ({hint})"))
    };
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone())
        .map_err(|error| mesh_error(error.to_string()))?;
    let (mut rest, rest_positions) = rest_shape(source, &field, &mut spec.rest, &topology, &mesh)?;
    let rest_positions = rest_positions.as_deref();
    align_warp(
        source,
        &field,
        &spec.warp,
        &topology,
        &mut rest,
        rest_positions,
    )?;
    if let Some(lonely) = rest.node_areas.iter().position(|&a| a <= 0.0) {
        return Err(mesh_error(format!("node {lonely} belongs to no face")));
    }
    let pose = place(source, &format!("{field}.place"), &spec.place)?;
    let positions: Vec<DVec3> = mesh.positions.iter().map(|&p| pose.apply(p)).collect();
    let velocity = check_vector(source, &format!("{field}.velocity"), spec.velocity)?;
    let track = track(name, spec, (index, first_node), &mesh, &topology, &rest);
    let selection = Selection {
        topology: &topology,
        rest: &rest,
        positions: &positions,
    };
    let mut pins = Vec::new();
    for (k, pin) in spec.pin.iter_mut().enumerate() {
        let field = format!("{field}.pin[{k}]");
        pins.push(resolve_pin(source, &field, pin, &selection, first_node)?);
    }
    let sheet = Sheet {
        topology: &topology,
        rest: &rest,
        start: &mesh.positions,
        rest_positions,
        first_node: first_node as u32,
        is_unified,
    };
    let energies = energies(source, &field, spec, fabric.as_ref(), &sheet)?;
    let limit = limit(source, &field, spec, &sheet)?;
    let density = spec.material.density.unwrap_or_default();
    let virtual_mass = spec.virtual_mass.unwrap_or(density);
    let cloth = Cloth {
        name: name.to_owned(),
        nodes: first_node..first_node + positions.len(),
        topology,
        rest,
        density,
        air_damping: spec.damping,
        gravity_factor: virtual_mass / density,
        contact_offset: 0.5 * spec.thickness,
        friction: spec.friction,
        compression: spec.compression,
    };
    let rest_positions = match rest_positions {
        Some(places) => places.to_vec(),
        None => pattern_places(&spec.rest, &mesh).unwrap_or(mesh.positions),
    };
    let mut warnings = material_warnings(&field, spec);
    if polygons > 0 {
        warnings.push(format!(
            "{field}.mesh: {polygons} faces with more than four corners were cut into triangles"
        ));
    }
    Ok(ResolvedCloth {
        cloth,
        positions,
        rest_positions,
        velocity,
        energies,
        limit,
        warnings,
        pins,
        track,
    })
}

/// The mesh, and how many of its faces had to be cut.
fn load_mesh(
    source: &Sources,
    field: &str,
    spec: &mut MeshSpec,
) -> Result<(Mesh, usize), SceneError> {
    let made = match spec {
        MeshSpec::File { path, scale } => {
            let field = format!("{field}.file");
            check_positive(source, &format!("{field}.scale"), *scale)?;
            *path = source.absolute(path);
            return read_scaled(source, &format!("{field}.path"), path, *scale);
        }
        made => made,
    };
    let made_mesh = generate_mesh(made).map_err(|error| match &error {
        GenerateError::Parameter { name, .. } | GenerateError::TooManyNodes { name, .. } => {
            source.error(&format!("{field}.{}.{name}", kind(made)), error.to_string())
        }
        _ => source.error(&format!("{field}.{}", kind(made)), error.to_string()),
    })?;
    Ok((made_mesh, 0))
}

fn kind(spec: &MeshSpec) -> &'static str {
    match spec {
        MeshSpec::Grid { .. } => "grid",
        MeshSpec::Polygon { .. } => "polygon",
        MeshSpec::Disc { .. } => "disc",
        MeshSpec::Ring { .. } => "ring",
        MeshSpec::Tube { .. } => "tube",
        MeshSpec::Sphere { .. } => "sphere",
        MeshSpec::File { .. } => "file",
    }
}

fn generate_mesh(spec: &MeshSpec) -> Result<Mesh, GenerateError> {
    let points = |list: &[[f64; 2]]| list.iter().map(|&p| DVec2::from_array(p)).collect();
    match spec {
        MeshSpec::Grid {
            size,
            cells,
            pattern,
        } => generate::grid(&generate::Grid {
            size: *size,
            cells: *cells,
            pattern: grid_pattern(*pattern),
        }),
        MeshSpec::Polygon {
            outline,
            holes,
            nodes,
            seed,
        } => generate::planar(&generate::Planar {
            outline: points(outline),
            holes: holes.iter().map(|h| points(h)).collect(),
            nodes: *nodes,
            seed: *seed,
        }),
        MeshSpec::Disc {
            radius,
            nodes,
            pattern,
            seed,
        } => generate::disc(&generate::Disc {
            radius: *radius,
            nodes: *nodes,
            pattern: match pattern {
                DiscPatternSpec::Irregular => generate::DiscPattern::Irregular { seed: *seed },
                DiscPatternSpec::Rings => generate::DiscPattern::Rings,
                DiscPatternSpec::Squares => generate::DiscPattern::Squares,
            },
        }),
        MeshSpec::Ring {
            inner_radius,
            outer_radius,
            cells,
            pattern,
        } => generate::ring(&generate::Ring {
            inner_radius: *inner_radius,
            outer_radius: *outer_radius,
            cells: *cells,
            pattern: grid_pattern(*pattern),
        }),
        MeshSpec::Tube {
            radius,
            top_radius,
            height,
            cells,
            pattern,
        } => generate::tube(&generate::Tube {
            radius: *radius,
            top_radius: *top_radius,
            height: *height,
            cells: *cells,
            pattern: grid_pattern(*pattern),
        }),
        MeshSpec::Sphere {
            radius,
            nodes,
            pattern,
        } => generate::sphere(&generate::Sphere {
            radius: *radius,
            pattern: sphere_pattern(*pattern, *nodes),
        }),
        MeshSpec::File { .. } => unreachable!("files are read, not generated"),
    }
}

fn grid_pattern(spec: PatternSpec) -> GridPattern {
    match spec {
        PatternSpec::Quads => GridPattern::Quads,
        PatternSpec::Forward => GridPattern::Triangles(Diagonals::Forward),
        PatternSpec::Backward => GridPattern::Triangles(Diagonals::Backward),
        PatternSpec::Alternating => GridPattern::Triangles(Diagonals::Alternating),
        PatternSpec::HerringBone => GridPattern::Triangles(Diagonals::HerringBone),
    }
}

/// The coarsest mesh of the pattern with at least this many nodes.
fn sphere_pattern(spec: SpherePatternSpec, nodes: u32) -> generate::SpherePattern {
    let wanted = f64::from(nodes);
    match spec {
        SpherePatternSpec::Icosphere => {
            // 10 · 4ⁿ + 2 nodes
            let n = ((wanted - 2.0).max(10.0) / 10.0).log(4.0).ceil();
            generate::SpherePattern::Icosphere {
                subdivisions: n as u32,
            }
        }
        SpherePatternSpec::Latitude => {
            // about 2 rings² nodes
            let rings = (wanted / 2.0).sqrt().ceil().max(2.0) as u32 + 1;
            generate::SpherePattern::Latitude {
                around: 2 * rings,
                rings,
            }
        }
        SpherePatternSpec::Cube => {
            // 6 cells² + 2 nodes
            let cells = ((wanted - 2.0).max(6.0) / 6.0).sqrt().ceil();
            generate::SpherePattern::Cube {
                cells: cells as u32,
            }
        }
    }
}

fn read_scaled(
    source: &Sources,
    field: &str,
    path: &Path,
    scale: f64,
) -> Result<(Mesh, usize), SceneError> {
    let read = read_mesh_cut(source.files(), path);
    let (mut mesh, polygons) = read.map_err(|error| source.error(field, error.to_string()))?;
    for position in &mut mesh.positions {
        *position *= scale;
    }
    Ok((mesh, polygons))
}

/// The rest shape, and the mesh it comes from unless that is a pattern in texture coordinates.
fn rest_shape(
    source: &Sources,
    field: &str,
    spec: &mut RestSpec,
    topology: &Topology,
    mesh: &Mesh,
) -> Result<(RestShape, Option<Vec<DVec3>>), SceneError> {
    let field = format!("{field}.rest");
    let (made, positions) = match spec {
        RestSpec::Mesh => {
            let made = RestShape::from_positions(topology, &mesh.positions);
            (made, Some(mesh.positions.clone()))
        }
        RestSpec::Uv { scale } => {
            check_positive(source, &format!("{field}.uv.scale"), *scale)?;
            (RestShape::from_uvs(topology, mesh, *scale), None)
        }
        RestSpec::File { path, scale } => {
            check_positive(source, &format!("{field}.file.scale"), *scale)?;
            *path = source.absolute(path);
            let (rest, _) = read_scaled(source, &format!("{field}.file.path"), path, *scale)?;
            let made = RestShape::from_mesh(topology, &rest);
            (made, Some(rest.positions))
        }
    };
    let made = made.map_err(|error| source.error(&field, error.to_string()))?;
    Ok((made, positions))
}

/// Where the nodes are in the pattern of the texture coordinates, if every node has one place there.
fn pattern_places(spec: &RestSpec, mesh: &Mesh) -> Option<Vec<DVec3>> {
    let (RestSpec::Uv { scale }, Some(uvs)) = (spec, &mesh.corner_uvs) else {
        return None;
    };
    let mut places = vec![None; mesh.positions.len()];
    for (face, uvs) in mesh.faces.iter().zip(uvs) {
        for (&node, uv) in face.corners().iter().zip(uvs) {
            let place = &mut places[node as usize];
            if place.is_some_and(|known: DVec2| known != *uv) {
                return None;
            }
            *place = Some(*uv);
        }
    }
    let places = places.into_iter();
    places.map(|uv| Some((uv? * *scale).extend(0.0))).collect()
}

fn slide(source: &SceneSource, field: &str, spec: &SlideSpec) -> Result<Slide, SceneError> {
    let unit = |name: &str, vector: [f64; 3]| {
        let field = format!("{field}.{name}");
        let vector = check_vector(source, &field, vector)?;
        let zero = || source.error(&field, "is zero; it must be a direction");
        vector.try_normalize().ok_or_else(zero)
    };
    Ok(match *spec {
        SlideSpec::Fixed => Slide::Nowhere,
        SlideSpec::Line(direction) => Slide::Line(unit("line", direction)?),
        SlideSpec::Plane(normal) => Slide::Plane(unit("plane", normal)?),
    })
}

/// Where nodes are selected.
pub(super) struct Selection<'a> {
    pub topology: &'a Topology,
    pub rest: &'a RestShape,
    pub positions: &'a [DVec3],
}

fn resolve_pin(
    source: &Sources,
    field: &str,
    spec: &mut PinSpec,
    selection: &Selection,
    first_node: usize,
) -> Result<Pin, SceneError> {
    let nodes = select(source, &format!("{field}.select"), &spec.select, selection)?;
    let positions = nodes.iter().map(|&n| selection.positions[n as usize]);
    let centre = positions.sum::<DVec3>() / nodes.len() as f64;
    let path = pin_path(source, field, &mut spec.motion, centre, nodes.len())?;
    Ok(Pin {
        nodes: nodes.iter().map(|&n| n + first_node as u32).collect(),
        path,
        held: intervals(source, &format!("{field}.held"), &spec.held)?,
        slide: slide(source, &format!("{field}.slide"), &spec.slide)?,
    })
}

/// Spans of time; all of time if none are listed.
pub(super) fn intervals(
    source: &SceneSource,
    field: &str,
    spans: &[[f64; 2]],
) -> Result<Vec<Interval>, SceneError> {
    if spans.is_empty() {
        return Ok(vec![Interval::ALWAYS]);
    }
    let mut last = f64::NEG_INFINITY;
    let mut intervals = Vec::with_capacity(spans.len());
    for (k, &[from, to]) in spans.iter().enumerate() {
        let in_order = from >= last && from < to;
        if !in_order || !from.is_finite() {
            let message =
                "each interval must end after it starts and start after the one before ends";
            return Err(source.error(&format!("{field}[{k}]"), message));
        }
        last = to;
        intervals.push(Interval { from, to });
    }
    Ok(intervals)
}

/// The nodes that a selection names, numbered in the cloth.
pub(super) fn select(
    source: &SceneSource,
    field: &str,
    spec: &SelectSpec,
    selection: &Selection,
) -> Result<Vec<u32>, SceneError> {
    let Selection {
        topology,
        rest,
        positions,
    } = selection;
    let pick = |kind: &str, list: &[u32], wanted: &[u32]| -> Result<Vec<u32>, SceneError> {
        let get = |&k: &u32| {
            list.get(k as usize).copied().ok_or_else(|| {
                let message = format!("there is no {kind} {k}; the cloth has {}", list.len());
                source.error(field, message)
            })
        };
        wanted.iter().map(get).collect()
    };
    let inside = |test: &dyn Fn(DVec3) -> bool| -> Vec<u32> {
        let found = (0..positions.len() as u32).filter(|&n| test(positions[n as usize]));
        found.collect()
    };
    let nodes = match spec {
        SelectSpec::Corners(wanted) => pick("corner", &rest.boundary_corners, wanted)?,
        SelectSpec::Nodes(wanted) => {
            let all: Vec<u32> = (0..topology.node_count as u32).collect();
            pick("node", &all, wanted)?
        }
        SelectSpec::Nearest(points) => points
            .iter()
            .map(|&p| check_vector(source, field, p).map(|p| nearest(positions, p)))
            .collect::<Result<_, _>>()?,
        SelectSpec::Box { min, max } => {
            let (min, max) = (DVec3::from_array(*min), DVec3::from_array(*max));
            inside(&|p| p.cmpge(min).all() && p.cmple(max).all())
        }
        SelectSpec::Ball { center, radius } => {
            let center = DVec3::from_array(*center);
            inside(&|p| p.distance(center) <= *radius)
        }
        SelectSpec::Boundary(index) => {
            let found = topology.boundary_loops.get(*index as usize);
            found.cloned().ok_or_else(|| {
                let count = topology.boundary_loops.len();
                source.error(field, format!("the cloth has {count} boundary loops"))
            })?
        }
    };
    check_selection(source, field, nodes)
}

fn check_selection(
    source: &SceneSource,
    field: &str,
    nodes: Vec<u32>,
) -> Result<Vec<u32>, SceneError> {
    if nodes.is_empty() {
        return Err(source.error(field, "selects no node"));
    }
    let mut sorted = nodes.clone();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|w| w[0] == w[1]) {
        return Err(source.error(field, format!("selects node {} twice", twice[0])));
    }
    Ok(nodes)
}

fn nearest(positions: &[DVec3], point: DVec3) -> u32 {
    let distance = |n: &usize| positions[*n].distance_squared(point);
    let found = (0..positions.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
    found.unwrap_or(0) as u32
}

/// Front and back colours for cloths that choose none.
const PALETTE: [[[f32; 3]; 2]; 5] = [
    [[0.75, 0.22, 0.20], [0.93, 0.82, 0.66]],
    [[0.16, 0.38, 0.58], [0.80, 0.86, 0.90]],
    [[0.20, 0.47, 0.36], [0.85, 0.88, 0.76]],
    [[0.85, 0.58, 0.18], [0.95, 0.89, 0.75]],
    [[0.45, 0.30, 0.52], [0.87, 0.81, 0.89]],
];

fn track(
    name: &str,
    spec: &ClothSpec,
    (index, first_node): (usize, usize),
    mesh: &Mesh,
    topology: &Topology,
    rest: &RestShape,
) -> ClothTrack {
    let [front, back] = PALETTE[index % PALETTE.len()];
    let narrow = |list: &[f64]| list.iter().map(|&x| x as f32).collect();
    ClothTrack {
        name: name.to_owned(),
        first_node,
        node_count: topology.node_count,
        faces: topology.faces.clone(),
        rest_areas: narrow(&rest.areas),
        edges: topology.edges.iter().map(|e| e.nodes).collect(),
        rest_lengths: narrow(&rest.edge_lengths),
        thickness: spec.thickness as f32,
        colors: [spec.color.unwrap_or(front), spec.back_color.unwrap_or(back)],
        attributes: Attributes::of(mesh),
    }
}
