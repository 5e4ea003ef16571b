//! One fabric, many meshes: does it drape the same way on all of them?

use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Experiment, Findings, LabError, Settings};
use crate::textile::cusick::{Drape, Setup, Support};
use crate::textile::{Method, Rest, Specimen, TextileError};
use std::sync::atomic::AtomicBool;
use toile_render::{Image, contact_sheet};
use toile_scene::spec::{BendingSpec, ModelSpec, PatternSpec};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "drape-meshes",
    title: "a fabric falls the same way on every mesh: Cusick's test on meshes of all kinds",
    reproduces: "membrane locking: what decides is the fabric, not the mesh",
    about: "Cusick's test, clamped, for three bending lengths on rings of quads and of triangles, regular and irregular, coarse and fine. A \
            mesh of flat faces cannot bend but at its edges, so a model that resists every shortening drapes too stiffly on coarse meshes \
            (membrane locking). The tension-field model lets faces buckle within themselves under the stress at which a strip of cloth as \
            long as a cell would. It is judged against its own finest meshes, and those against Baraff–Witkin's. Other models stand beside \
            it and are not judged.",
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
            "rings of quads, of alternating and of herring-bone triangles, irregular triangles; 400, 800 and 1600 nodes (short \
             version: quads and alternating, 800 nodes)",
        ),
        ("starts", "2 for the tension field, 1 for the others"),
        (
            "rest",
            "backward Euler, 10 ms, damping 2/s, until no node is faster than 2 mm/s",
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
/// From this many nodes on the flagship is judged.
const JUDGED: u32 = 800;
/// How far its mean over starts may be from the mean of its finest meshes.
const SPREAD: f64 = 0.02;
/// How far the means of both models' finest meshes may be apart.
const APART: f64 = 0.03;

/// Baraff–Witkin's coefficient at a bending length of 1.8 cm on rings of 10,350 nodes.
const FINE: f64 = 0.634;

/// A way of meshing a ring.
#[derive(Clone, Copy)]
struct Layout {
    name: &'static str,
    pattern: PatternSpec,
    irregular: bool,
}

const LAYOUTS: [Layout; 4] = [
    Layout {
        name: "quads",
        pattern: PatternSpec::Quads,
        irregular: false,
    },
    Layout {
        name: "alternating",
        pattern: PatternSpec::Alternating,
        irregular: false,
    },
    Layout {
        name: "irregular",
        pattern: PatternSpec::Quads,
        irregular: true,
    },
    Layout {
        name: "herring-bone",
        pattern: PatternSpec::HerringBone,
        irregular: false,
    },
];

const FLAGSHIP: ModelSpec = ModelSpec::TensionField;

const MODELS: [(&str, ModelSpec); 5] = [
    ("tension field", FLAGSHIP),
    ("Baraff–Witkin", ModelSpec::BaraffWitkin),
    ("mass–spring", ModelSpec::MassSpring),
    ("Choi–Ko", ModelSpec::ChoiKo),
    ("quasi-inextensible", ModelSpec::QuasiInextensible),
];

/// One drape to be made.
#[derive(Clone, Copy)]
struct Task {
    model: ModelSpec,
    length: f64,
    layout: Layout,
    nodes: u32,
    seed: u64,
}

impl Task {
    fn run(&self) -> Result<Drape, TextileError> {
        let bend = DENSITY * GRAVITY * self.length.powi(3);
        let mut specimen = Specimen {
            model: self.model,
            bending: BendingSpec::Curvature,
            ..Specimen::default()
        }
        .with_bend(bend);
        specimen.material.density = Some(DENSITY);
        specimen.material.stretch_stiffness = Some(2e3);
        specimen.material.shear_stiffness = Some(30.0);
        let setup = Setup {
            support: Support::Clamped,
            nodes: self.nodes,
            pattern: self.layout.pattern,
            irregular: self.layout.irregular,
            rest: Rest {
                method: Method::Dynamic,
                seed: self.seed,
                ..Rest::default()
            },
            ..Setup::default()
        };
        setup.run(&specimen)
    }
}

/// What a model's drapes on one mesh came to.
struct Row {
    task: Task,
    nodes: usize,
    coefficient: f64,
    folds: [usize; 2],
}

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let mut pages = Vec::new();
    let quick = settings.quick;
    let (lengths, layouts, sizes, models, starts) = match quick {
        true => (
            &BENDING_LENGTHS[1..2],
            &LAYOUTS[..2],
            &[800][..],
            &MODELS[..1],
            1,
        ),
        false => (
            &BENDING_LENGTHS[..],
            &LAYOUTS[..],
            &[400, 800, 1600][..],
            &MODELS[..],
            2,
        ),
    };
    let mut limits = Vec::new();
    for &length in lengths {
        let mut finest = Vec::new();
        for &(name, model) in models {
            let tasks: Vec<Task> = sizes
                .iter()
                .flat_map(|&nodes| layouts.iter().map(move |&layout| (nodes, layout)))
                .map(|(nodes, layout)| Task {
                    model,
                    length,
                    layout,
                    nodes,
                    seed: 1,
                })
                .collect();
            let starts = if model == FLAGSHIP { starts } else { 1 };
            let rows = drapes(&tasks, starts, name, &mut findings, &mut pages)?;
            let best = sizes.last().copied().unwrap_or(0);
            let at_best = rows.iter().filter(|r| r.task.nodes == best);
            let limit = mean(&at_best.map(|r| r.coefficient).collect::<Vec<_>>());
            if model == FLAGSHIP {
                judge(&rows, length, limit, quick, &mut findings);
                limits.push([length, limit]);
                if !quick {
                    findings
                        .pictures
                        .push((picture_name(length), plot(&rows, length)));
                }
            }
            finest.push(limit);
        }
        // The short version has no time for the reference, which is that of the long one.
        let reference = finest.get(1).copied().unwrap_or(FINE);
        findings.measurements.push(Measurement::new(
            format!(
                "bending length {:.1} cm: tension field against Baraff–Witkin, finest meshes",
                100.0 * length
            ),
            "",
            finest[0],
            reference,
            APART,
        ));
    }
    for pair in limits.windows(2) {
        findings.measurements.push(Measurement::new(
            format!(
                "stiffer cloth drapes less: {:.1} cm above {:.1} cm",
                100.0 * pair[1][0],
                100.0 * pair[0][0]
            ),
            "",
            f64::from(u8::from(pair[1][1] > pair[0][1])),
            1.0,
            0.0,
        ));
    }
    findings.pictures.push(("drapes", contact_sheet(&pages, 3)));
    Ok(findings)
}

/// Drapes on each mesh from so many starts, those of a mesh as one row.
fn drapes(
    meshes: &[Task],
    starts: u64,
    name: &str,
    findings: &mut Findings,
    pages: &mut Vec<(Image, String)>,
) -> Result<Vec<Row>, LabError> {
    let tasks: Vec<Task> = meshes
        .iter()
        .flat_map(|&task| (1..=starts).map(move |seed| Task { seed, ..task }))
        .collect();
    let never = AtomicBool::new(false);
    let found = crate::jobs::map(crate::jobs::usual(), &tasks, &never, Task::run, |_, _| {});
    let mut rows = Vec::new();
    for (task, same) in meshes.iter().zip(found.chunks(starts as usize)) {
        // A model that finds no rest says so in its row; only the flagship must.
        let drapes: Vec<&Drape> = same
            .iter()
            .flatten()
            .filter_map(|d| d.as_ref().ok())
            .collect();
        let lost = same.len() - drapes.len();
        let Some(first) = drapes.first() else {
            findings.notes.push(format!(
                "{name}, {:.1} cm, {}, {} nodes: found no rest",
                100.0 * task.length,
                task.layout.name,
                task.nodes
            ));
            if task.model == FLAGSHIP {
                rows.push(Row {
                    task: *task,
                    nodes: task.nodes as usize,
                    coefficient: f64::NAN,
                    folds: [0; 2],
                });
            }
            continue;
        };
        let coefficients: Vec<f64> = drapes.iter().map(|d| d.coefficient).collect();
        let folds = drapes.iter().map(|d| d.folds.crests.len());
        let row = Row {
            task: *task,
            nodes: first.nodes,
            coefficient: mean(&coefficients),
            folds: [folds.clone().min().unwrap_or(0), folds.max().unwrap_or(0)],
        };
        findings.notes.push(format!(
            "{name}, {:.1} cm, {}, {} nodes: {:.1} %, {} to {} folds{}",
            100.0 * task.length,
            task.layout.name,
            row.nodes,
            100.0 * row.coefficient,
            row.folds[0],
            row.folds[1],
            if lost > 0 {
                format!(", {lost} without rest")
            } else {
                String::new()
            }
        ));
        if task.layout.irregular && task.model == FLAGSHIP && task.nodes <= JUDGED {
            let caption = format!(
                "{:.1} cm, {} nodes: {:.1} %",
                100.0 * task.length,
                row.nodes,
                100.0 * row.coefficient
            );
            pages.push((first.picture(), caption));
        }
        rows.push(row);
    }
    Ok(rows)
}

fn judge(rows: &[Row], length: f64, limit: f64, quick: bool, findings: &mut Findings) {
    let judged = rows.iter().filter(|r| quick || r.task.nodes >= JUDGED);
    let farthest = judged
        .map(|r| (r.coefficient - limit).abs())
        .fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) });
    findings.measurements.push(Measurement::new(
        format!(
            "bending length {:.1} cm: tension field, farthest mesh from its limit",
            100.0 * length
        ),
        "",
        farthest,
        0.0,
        SPREAD,
    ));
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
        Axis::linear("nodes"),
        Axis::linear("drape coefficient"),
    );
    for layout in LAYOUTS {
        let of = rows.iter().filter(|r| r.task.layout.name == layout.name);
        let points: Vec<[f64; 2]> = of.map(|r| [r.nodes as f64, r.coefficient]).collect();
        plot = plot.curve(layout.name.to_owned(), points);
    }
    plot.draw(SIZE)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
