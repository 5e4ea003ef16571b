//! Writes a report of a made-up recording, to look at the page without running a simulation:
//! `cargo run -p toile-scene --example sample_report -- report.html [plain|many|still|empty|fine]`.
//!
//! * `plain`: a sheet that waves over a moving ball and the ground
//! * `many`: three cloths of quads and triangles, no bodies
//! * `still`: one frame and no metrics
//! * `empty`: no frame at all
//! * `fine`: 50,000 nodes, more than the budget holds

#![allow(clippy::print_stdout)]

use glam::{DQuat, DVec3};
use std::error::Error;
use std::path::Path;
use toile::mesh::{Face, RestShape, Topology};
use toile_scene::recording::{BodyPose, BodyTrack, ClothTrack, Recording, RecordingWriter};
use toile_scene::report::{MetricsTable, ReportInput, write_report};

const SCENE: &str = "# resolved scene\ntitle = \"Sheet over a ball\"\nduration = 6.0 # s\nfps = 30\n\n[[cloth]]\n\
    name = \"sheet\"\nmesh = { grid = { size = [2.0, 2.0], cells = [64, 64] } }\ndensity = 0.15 # kg/m²\n";

/// A square sheet: how many cells it has along a side and where it hangs.
struct Sheet {
    cells: usize,
    centre: DVec3,
    triangles: bool,
    colors: [[f32; 3]; 2],
}

impl Sheet {
    fn rest(&self, i: usize, j: usize) -> DVec3 {
        let at = |k: usize| 2.0 * k as f64 / self.cells as f64 - 1.0;
        DVec3::new(at(i), at(j), 0.0)
    }

    fn nodes(&self) -> impl Iterator<Item = DVec3> + '_ {
        let side = 0..=self.cells;
        side.clone()
            .flat_map(move |j| side.clone().map(move |i| self.rest(i, j)))
    }

    /// Sinks onto the ball, waves, and drapes down around it.
    fn positions(&self, time: f64) -> impl Iterator<Item = DVec3> + '_ {
        let settle = 1.0 - (-1.2 * time).exp();
        self.nodes().map(move |p| {
            let (radius, angle) = (p.truncate().length(), p.y.atan2(p.x));
            let fall = (radius - 0.38).max(0.0) * settle;
            let folds = 0.16 * fall * (8.0 * angle + 0.6 * time).sin();
            let wave = 0.04 * (1.0 - 0.7 * settle) * (6.0 * radius - 5.0 * time).sin();
            let inward = 1.0 - 0.42 * fall.powf(1.2) + folds;
            let dome = 0.32 * (1.0 - (radius / 0.75).min(1.0).powi(2)) * settle;
            let drop = 0.95 * fall.powf(1.25);
            self.centre
                + DVec3::new(
                    p.x * inward,
                    p.y * inward,
                    dome + wave - drop - 0.25 * settle,
                )
        })
    }

    fn track(&self, name: &str, first_node: usize) -> Result<ClothTrack, Box<dyn Error>> {
        let row = self.cells as u32 + 1;
        let cells =
            (0..self.cells as u32).flat_map(|j| (0..self.cells as u32).map(move |i| (i, j)));
        let faces = cells.flat_map(|(i, j)| {
            let a = j * row + i;
            let quad = Face::Quad([a, a + 1, a + 1 + row, a + row]);
            match self.triangles {
                true => quad.triangles().map(Face::Tri).collect(),
                false => vec![quad],
            }
        });
        let positions: Vec<DVec3> = self.nodes().collect();
        let topology = Topology::new(positions.len(), faces.collect())?;
        let rest = RestShape::from_positions(&topology, &positions)?;
        Ok(ClothTrack {
            name: name.to_owned(),
            first_node,
            node_count: positions.len(),
            rest_areas: rest.areas.iter().map(|&a| a as f32).collect(),
            edges: topology.edges.iter().map(|e| e.nodes).collect(),
            rest_lengths: rest.edge_lengths.iter().map(|&l| l as f32).collect(),
            faces: topology.faces,
            thickness: 0.0,
            colors: self.colors,
            attributes: Default::default(),
        })
    }
}

fn ball(radius: f64) -> BodyTrack {
    let (rings, slices) = (24u32, 48u32);
    let point = |ring: u32, slice: u32| {
        let polar = std::f64::consts::PI * f64::from(ring) / f64::from(rings);
        let around = std::f64::consts::TAU * f64::from(slice) / f64::from(slices);
        radius
            * DVec3::new(
                polar.sin() * around.cos(),
                polar.sin() * around.sin(),
                polar.cos(),
            )
    };
    let cells = (0..rings).flat_map(|ring| (0..slices).map(move |slice| (ring, slice)));
    let corner = |ring: u32, slice: u32| ring * slices + slice % slices;
    let quad = |(r, s)| {
        Face::Quad([
            corner(r, s),
            corner(r + 1, s),
            corner(r + 1, s + 1),
            corner(r, s + 1),
        ])
    };
    BodyTrack {
        name: "ball".to_owned(),
        positions: (0..=rings)
            .flat_map(|r| (0..slices).map(move |s| point(r, s)))
            .collect(),
        faces: cells.map(quad).collect(),
        smooth: true,
        morph: None,
        ground_height: None,
        color: [0.78, 0.72, 0.62],
        attributes: Default::default(),
    }
}

fn ground() -> BodyTrack {
    BodyTrack {
        name: "ground".to_owned(),
        positions: Vec::new(),
        faces: Vec::new(),
        smooth: false,
        morph: None,
        ground_height: Some(0.0),
        color: [0.5, 0.5, 0.5],
        attributes: Default::default(),
    }
}

fn metrics(seconds: f64) -> MetricsTable {
    let names = "time,energy_kinetic,energy_gravity,energy_elastic,energy_total,stretch_worst,stretch_mean,\
        gap_smallest,iterations,residual_worst,residual_start,intersections,wall_seconds";
    let rows = (0..=(seconds * 120.0) as usize).map(|step| {
        let time = step as f64 / 120.0;
        let kinetic = 2.4 * time * time * (-2.2 * time).exp() + 0.02 * (9.0 * time).sin().powi(2);
        let gravity = 4.3 * (-1.2 * time).exp() + 1.1;
        let elastic = 0.35 * (1.0 - (-2.0 * time).exp()) + 0.01 * (14.0 * time).sin();
        let stretch = 0.021 * (-0.5 * time).exp() * (1.0 + 0.3 * (11.0 * time).sin().powi(3));
        let gap = if time < 0.6 {
            f64::NAN
        } else {
            8e-4 + 3e-4 * (5.0 * time).cos()
        };
        let iterations = (14.0 + 9.0 * (3.0 * time).sin()).round();
        let residual = 10f64.powf(-7.0 + 1.5 * (7.0 * time).sin());
        let intersections = f64::from(step % 170 == 40);
        let wall = 0.0032 + 0.0008 * (2.0 * time).sin();
        vec![
            time,
            kinetic,
            gravity,
            elastic,
            kinetic + gravity + elastic,
            stretch,
            0.2 * stretch,
            gap,
            iterations,
            residual,
            40.0 * residual,
            intersections,
            wall,
        ]
    });
    MetricsTable {
        columns: names.split(',').map(str::to_owned).collect(),
        rows: rows.collect(),
    }
}

fn sheets(kind: &str) -> Vec<Sheet> {
    let sheet = |cells, centre, triangles, colors| Sheet {
        cells,
        centre,
        triangles,
        colors,
    };
    let blue = [[0.24, 0.36, 0.62], [0.86, 0.80, 0.66]];
    match kind {
        "many" => vec![
            sheet(32, DVec3::new(-1.3, 0.0, 1.2), false, blue),
            sheet(
                24,
                DVec3::new(1.3, 0.0, 1.2),
                true,
                [[0.70, 0.26, 0.20], [0.93, 0.87, 0.80]],
            ),
            sheet(
                16,
                DVec3::new(0.0, 1.9, 1.4),
                false,
                [[0.25, 0.48, 0.36], [0.87, 0.86, 0.72]],
            ),
        ],
        "fine" => vec![sheet(223, DVec3::new(0.0, 0.0, 1.25), false, blue)],
        _ => vec![sheet(64, DVec3::new(0.0, 0.0, 1.25), false, blue)],
    }
}

fn record(path: &Path, kind: &str) -> Result<(), Box<dyn Error>> {
    let sheets = sheets(kind);
    let mut cloths = Vec::new();
    let mut first_node = 0;
    for (index, sheet) in sheets.iter().enumerate() {
        let track = sheet.track(&format!("sheet {}", index + 1), first_node)?;
        first_node += track.node_count;
        cloths.push(track);
    }
    let bodies = if kind == "many" {
        Vec::new()
    } else {
        vec![ball(0.42), ground()]
    };
    let frames = match kind {
        "still" => 1,
        "empty" => 0,
        _ => 181,
    };
    let mut writer = RecordingWriter::create(path, "Sheet over a ball", 30.0, &cloths, &bodies)?;
    for frame in 0..frames {
        let time = f64::from(frame) / 30.0;
        let time = if kind == "still" { 4.0 } else { time };
        let settle = 1.0 - (-1.2 * time).exp();
        let poses = [
            BodyPose {
                translation: DVec3::new(0.03 * time.sin(), 0.0, 0.82 - 0.02 * settle),
                rotation: DQuat::from_rotation_x(time),
            },
            BodyPose {
                translation: DVec3::ZERO,
                rotation: DQuat::IDENTITY,
            },
        ];
        let positions: Vec<DVec3> = sheets.iter().flat_map(|s| s.positions(time)).collect();
        writer.push(time, &poses[..bodies.len()], &positions, &[])?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().ok_or("name the file to write")?;
    let kind = arguments.next().unwrap_or_else(|| "plain".to_owned());
    let cache = Path::new(&out).with_extension("frames.toile");
    record(&cache, &kind)?;
    let recording = Recording::open(&cache)?;
    let metrics = match kind.as_str() {
        "still" => MetricsTable::default(),
        _ => metrics(6.0),
    };
    let fact = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let input = ReportInput {
        facts: vec![
            fact("strain model", "quasi-inextensible, 1 %"),
            fact("integrator", "backward Euler, 1/120 s"),
            fact("nodes", &recording.header().node_count.to_string()),
            fact("steps", "720"),
            fact("steps per second", "312"),
            fact("worst stretch", "2.1 %"),
            fact("intersections", "0"),
            fact("status", "converged"),
        ],
        scene_source: Some(SCENE),
        ..ReportInput::new(&recording, &metrics)
    };
    let mut file = std::io::BufWriter::new(std::fs::File::create(&out)?);
    let summary = write_report(&input, &mut file)?;
    std::fs::remove_file(&cache)?;
    println!("{summary:#?}");
    Ok(())
}
