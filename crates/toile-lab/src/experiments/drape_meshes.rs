//! One fabric, many meshes: does it drape the same way on all of them?

use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Experiment, Findings, LabError, Settings};
use crate::textile::cusick::{Drape, Meshing, Setup, Support};
use crate::textile::{Rest, Specimen, TextileError};
use std::sync::atomic::AtomicBool;
use toile_render::{Image, contact_sheet};
use toile_scene::spec::{BendingSpec, ModelSpec, PatternSpec};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "drape-meshes",
    title: "a fabric falls the same way on every mesh: Cusick's test on meshes of all kinds",
    reproduces: "membrane locking: what decides is the fabric, not the mesh",
    about: "Cusick's test, clamped, for three bending lengths on eight meshes: rings of quads and of triangles, squares that are cut to a disc, \
            irregular triangles, coarse and fine. A mesh of flat faces cannot bend but at its edges, so a model that resists every shortening \
            drapes too stiffly on coarse meshes (membrane locking); the tension field lets faces buckle within themselves instead. Cloth can \
            rest with more folds or with fewer, so specimens are let down slowly and not dropped, and the fabric decides how many it takes. The \
            model is judged against its own finest meshes, and those against Baraff–Witkin's; others stand beside it.",
    parameters: &[
        (
            "cloth",
            "0.2 kg/m², stretch 2000 N/m, shear 30 N/m; bending by curvature",
        ),
        (
            "bending lengths",
            "1.2, 1.8 and 2.7 cm (short version: 1.8 cm)",
        ),
        (
            "meshes",
            "rings of quads (300, 800 nodes), of alternating (800, 10,000) and herring-bone triangles (1600), squares (800), irregular \
             triangles (800, 3000); short version: quads and irregular, 800",
        ),
        (
            "starts",
            "3 for the tension field, 1 on the finest mesh, 1 for the others",
        ),
        (
            "rest",
            "waves of 1 mm, gravity grows in 3 s; backward Euler, 10 ms, damping 2/s, until no node is faster than 2 mm/s",
        ),
    ],
    run,
};

/// kg/m².
const DENSITY: f64 = 0.2;
/// m/s².
const GRAVITY: f64 = 9.81;
/// `(B/ρg)^⅓` (m).
const BENDING_LENGTHS: [f64; 3] = [0.012, 0.018, 0.027];
/// Shear stiffness (N/m), and what else is tried.
const SHEAR: f64 = 30.0;
const OTHER_SHEARS: [f64; 2] = [15.0, 60.0];
/// From this many nodes on the flagship is judged; meshes from so many on say what its limit is.
const JUDGED: u32 = 800;
const FINEST: u32 = 3000;
/// How far its mean over starts may be from the limit, and how many folds fewer or more.
const SPREAD: f64 = 0.02;
const FOLDS: f64 = 1.0;
/// How far the limits of both models may be apart.
const APART: f64 = 0.03;

/// Baraff–Witkin's coefficient at a bending length of 1.8 cm on its finest meshes, and its folds.
const FINE: f64 = 0.583;
const FINE_FOLDS: f64 = 6.0;

/// A way of meshing a specimen.
#[derive(Clone, Copy)]
struct Mesh {
    name: &'static str,
    meshing: Meshing,
    nodes: u32,
    starts: u64,
}

const fn cells(name: &'static str, pattern: PatternSpec, nodes: u32) -> Mesh {
    Mesh {
        name,
        meshing: Meshing::Cells(pattern),
        nodes,
        starts: 3,
    }
}

const fn irregular(nodes: u32) -> Mesh {
    Mesh {
        name: "irregular",
        meshing: Meshing::Irregular,
        nodes,
        starts: 3,
    }
}

const MESHES: [Mesh; 8] = [
    cells("quads", PatternSpec::Quads, 300),
    cells("quads", PatternSpec::Quads, 800),
    cells("alternating", PatternSpec::Alternating, 800),
    irregular(800),
    Mesh {
        name: "squares",
        meshing: Meshing::Squares,
        nodes: 800,
        starts: 3,
    },
    cells("herring-bone", PatternSpec::HerringBone, 1600),
    irregular(3000),
    Mesh {
        starts: 1,
        ..cells("alternating", PatternSpec::Alternating, 10_000)
    },
];

/// What the short version has.
const QUICK: [Mesh; 2] = [
    Mesh {
        starts: 1,
        ..MESHES[1]
    },
    Mesh {
        starts: 1,
        ..MESHES[3]
    },
];

const FLAGSHIP: (&str, ModelSpec) = ("tension field", ModelSpec::TensionField);
const REFERENCE: (&str, ModelSpec) = ("Baraff–Witkin", ModelSpec::BaraffWitkin);
/// The reference resists every shortening, and needs finer meshes.
const REFERENCE_NODES: [u32; 2] = [3000, 10_000];

/// Models that are listed, on [`LISTED`].
const OTHERS: [(&str, ModelSpec); 4] = [
    REFERENCE,
    ("mass–spring", ModelSpec::MassSpring),
    ("Choi–Ko", ModelSpec::ChoiKo),
    ("quasi-inextensible", ModelSpec::QuasiInextensible),
];
const LISTED: [usize; 2] = [1, 3];

/// Drapes of a fabric on a mesh to be made.
#[derive(Clone, Copy)]
struct Task {
    model: (&'static str, ModelSpec),
    length: f64,
    shear: f64,
    mesh: Mesh,
}

impl Task {
    fn run(&self, seed: u64) -> Result<Drape, TextileError> {
        let bend = DENSITY * GRAVITY * self.length.powi(3);
        let mut specimen = Specimen {
            model: self.model.1,
            bending: BendingSpec::Curvature,
            ..Specimen::default()
        }
        .with_bend(bend);
        specimen.material.density = Some(DENSITY);
        specimen.material.stretch_stiffness = Some(2e3);
        specimen.material.shear_stiffness = Some(self.shear);
        let setup = Setup {
            support: Support::Clamped,
            nodes: self.mesh.nodes,
            meshing: self.mesh.meshing,
            rest: Rest::let_down(seed),
            ..Setup::default()
        };
        setup.run(&specimen)
    }
}

/// What a model's drapes on one mesh came to.
struct Row {
    task: Task,
    nodes: usize,
    /// Means over the starts.
    coefficient: f64,
    folds: f64,
}

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut table = Table::default();
    let quick = settings.quick;
    let lengths = if quick {
        &BENDING_LENGTHS[1..2]
    } else {
        &BENDING_LENGTHS[..]
    };
    let meshes = if quick { &QUICK[..] } else { &MESHES[..] };
    let mut limits = Vec::new();
    for &length in lengths {
        let task = |model, mesh| Task {
            model,
            length,
            shear: SHEAR,
            mesh,
        };
        let tasks: Vec<Task> = meshes.iter().map(|&mesh| task(FLAGSHIP, mesh)).collect();
        let rows = table.drape(&tasks)?;
        if quick {
            // There is no time for fine meshes: their limit is that of the long version.
            table.judge(&rows, length, [FINE, FINE_FOLDS], APART);
            continue;
        }
        let finest = rows.iter().filter(|r| r.task.mesh.nodes >= FINEST);
        let limit = mean(finest.clone().map(|r| r.coefficient));
        table.judge(
            &rows,
            length,
            [limit, mean(finest.map(|r| r.folds))],
            SPREAD,
        );
        limits.push([length, limit]);
        let picture = plot(&rows, length);
        table
            .findings
            .pictures
            .push((picture_name(length), picture));
        let fine = REFERENCE_NODES.map(|nodes| {
            let mesh = cells("alternating", PatternSpec::Alternating, nodes);
            task(REFERENCE, Mesh { starts: 1, ..mesh })
        });
        let reference = table.drape(&fine)?;
        table.findings.measurements.push(Measurement::new(
            format!(
                "bending length {:.1} cm: limits of tension field and Baraff–Witkin",
                100.0 * length
            ),
            "",
            limit,
            extrapolated(&reference),
            APART,
        ));
        for model in OTHERS {
            let one = |k: &usize| Mesh {
                starts: 1,
                ..MESHES[*k]
            };
            let tasks: Vec<Task> = LISTED.iter().map(|k| task(model, one(k))).collect();
            table.drape(&tasks)?;
        }
    }
    for pair in limits.windows(2) {
        let what = format!(
            "stiffer cloth drapes less: {:.1} cm above {:.1} cm",
            100.0 * pair[1][0],
            100.0 * pair[0][0]
        );
        table.grows(what, pair[0][1], pair[1][1]);
    }
    if !quick {
        for mesh in [MESHES[1], MESHES[3]] {
            let tasks = [OTHER_SHEARS[0], SHEAR, OTHER_SHEARS[1]].map(|shear| Task {
                model: FLAGSHIP,
                length: BENDING_LENGTHS[1],
                shear,
                mesh,
            });
            let rows = table.drape(&tasks)?;
            for pair in rows.windows(2) {
                let what = format!(
                    "cloth that shears less drapes less: {} above {} N/m, {}",
                    pair[1].task.shear, pair[0].task.shear, mesh.name
                );
                table.grows(what, pair[0].coefficient, pair[1].coefficient);
            }
        }
    }
    let Table {
        mut findings,
        pages,
    } = table;
    findings.pictures.push(("drapes", contact_sheet(&pages, 3)));
    Ok(findings)
}

#[derive(Default)]
struct Table {
    findings: Findings,
    pages: Vec<(Image, String)>,
}

impl Table {
    /// Drapes on each mesh from its starts, those of a mesh as one row.
    fn drape(&mut self, tasks: &[Task]) -> Result<Vec<Row>, LabError> {
        let starts: Vec<(Task, u64)> = tasks
            .iter()
            .flat_map(|&task| (1..=task.mesh.starts).map(move |seed| (task, seed)))
            .collect();
        let never = AtomicBool::new(false);
        let drape = |(task, seed): &(Task, u64)| task.run(*seed);
        let found = crate::jobs::map(crate::jobs::usual(), &starts, &never, drape, |_, _| {});
        let mut found = found.into_iter();
        let mut rows = Vec::new();
        for &task in tasks {
            let same: Vec<_> = found.by_ref().take(task.mesh.starts as usize).collect();
            let drapes: Vec<&Drape> = same
                .iter()
                .flatten()
                .filter_map(|d| d.as_ref().ok())
                .collect();
            rows.extend(self.row(task, &drapes, same.len() - drapes.len()));
        }
        Ok(rows)
    }

    /// A model that finds no rest says so in its row; only the flagship must.
    fn row(&mut self, task: Task, drapes: &[&Drape], lost: usize) -> Option<Row> {
        let nodes = drapes.first().map_or(task.mesh.nodes as usize, |d| d.nodes);
        let folds = drapes.iter().map(|d| d.folds.crests.len() as f64);
        let row = Row {
            task,
            nodes,
            coefficient: mean(drapes.iter().map(|d| d.coefficient)),
            folds: mean(folds.clone()),
        };
        let each: Vec<String> = drapes
            .iter()
            .zip(folds)
            .map(|(d, folds)| format!("{:.1} % with {folds}", 100.0 * d.coefficient))
            .collect();
        let each = match (each.len(), lost) {
            (0, _) => "found no rest".to_owned(),
            (_, 0) => format!("{} folds", each.join(", ")),
            (_, lost) => format!("{} folds, {lost} without rest", each.join(", ")),
        };
        self.findings.notes.push(format!(
            "{}, {:.1} cm, {:.0} N/m, {}, {nodes} nodes: {each}",
            task.model.0,
            100.0 * task.length,
            task.shear,
            task.mesh.name,
        ));
        if let (Some(first), ModelSpec::TensionField) = (drapes.first(), task.model.1)
            && task.shear == SHEAR
            && task.mesh.nodes == JUDGED
        {
            let caption = format!(
                "{:.1} cm, {}: {:.1} %",
                100.0 * task.length,
                task.mesh.name,
                100.0 * first.coefficient
            );
            self.pages.push((first.picture(), caption));
        }
        let flagship = task.model.1 == FLAGSHIP.1;
        (flagship || !drapes.is_empty()).then_some(row)
    }

    /// How far the flagship is from a coefficient and a number of folds at the most.
    fn judge(&mut self, rows: &[Row], length: f64, limit: [f64; 2], tolerance: f64) {
        let judged = rows.iter().filter(|r| r.task.mesh.nodes >= JUDGED);
        let farthest = |value: fn(&Row) -> f64, limit: f64| {
            let off = judged.clone().map(|r| (value(r) - limit).abs());
            // A row without a drape fails.
            off.fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) })
        };
        let length = format!("bending length {:.1} cm: tension field", 100.0 * length);
        let off = [
            farthest(|r| r.coefficient, limit[0]),
            farthest(|r| r.folds, limit[1]),
        ];
        let measurements = [
            ("farthest mesh from its limit", off[0], tolerance),
            ("folds more or fewer than there", off[1], FOLDS),
        ];
        for (what, value, tolerance) in measurements {
            let what = format!("{length}, {what}");
            let measurement = Measurement::new(what, "", value, 0.0, tolerance);
            self.findings.measurements.push(measurement);
        }
    }

    fn grows(&mut self, what: String, from: f64, to: f64) {
        let grows = f64::from(u8::from(to > from));
        let measurement = Measurement::new(what, "", grows, 1.0, 0.0);
        self.findings.measurements.push(measurement);
    }
}

/// What a coefficient on two meshes leads to, if its error goes with the width of the cells; the finer one where they do not rest with as
/// many folds.
fn extrapolated(rows: &[Row]) -> f64 {
    let [coarse, fine] = rows else {
        return f64::NAN;
    };
    if coarse.folds != fine.folds {
        return fine.coefficient;
    }
    let [wide, narrow] = [coarse, fine].map(|r| 1.0 / (r.nodes as f64).sqrt());
    fine.coefficient + (fine.coefficient - coarse.coefficient) * narrow / (wide - narrow)
}

fn picture_name(length: f64) -> &'static str {
    match length {
        l if l < 0.015 => "meshes-limp",
        l if l < 0.02 => "meshes",
        _ => "meshes-stiff",
    }
}

fn plot(rows: &[Row], length: f64) -> Image {
    let title = format!(
        "Tension field, bending length {:.1} cm: drape coefficient",
        100.0 * length
    );
    let mut plot = Plot::new(
        &title,
        Axis::log("nodes"),
        Axis::linear("drape coefficient"),
    );
    let mut names: Vec<&str> = rows.iter().map(|r| r.task.mesh.name).collect();
    names.dedup();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let of = rows.iter().filter(|r| r.task.mesh.name == name);
        let points: Vec<[f64; 2]> = of.map(|r| [r.nodes as f64, r.coefficient]).collect();
        plot = plot.curve(name.to_owned(), points);
    }
    plot.draw(SIZE)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), v| (sum + v, count + 1));
    sum / f64::from(count)
}
