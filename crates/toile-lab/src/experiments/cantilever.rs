//! A strip clamped level at one end and bent by its own weight: the heavy elastica.
//!
//! The load `Γ = σ g L³ / D` runs from 1, where the strip hardly bends, to 1000, where it hangs down. The clamp holds two rows of
//! nodes; what lies between them cannot bend, and the hinge at the second row stands for half a cell on either side. So the strip
//! is clamped in the middle of its first cell, and its length `L` counts from there.
//!
//! Hinges at equal distances `a` are a chain of rigid links with the right rigidity, whose error is of second order in `a/L`.

use crate::outcome::Measurement;
use crate::paper_scene;
use crate::plot::{Axis, Plot, SIZE};
use crate::reference::HeavyElastica;
use crate::registry::{Experiment, Findings, LabError, Settings};
use crate::strip::{
    ALTERNATING, ALTERNATING_HINGES, ALTERNATING_ROW, BEND_SPRINGS, HERRING_BONE, Kind, QUAD_FORM,
    QUAD_HINGES, Strip, TRIANGLE_FORM, TRIANGLE_HINGES, TRIANGLE_ROW, TRIANGLES, hold_between,
    settle,
};
use glam::DVec3;
use toile_scene::scene::World;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "cantilever",
    title: "a clamped strip under its own weight follows the heavy elastica",
    reproduces: "the heavy elastica, θ'' = −Γ (1 − s) cos θ, for σ g L³ / D from 1 to 1000",
    about: "A strip is clamped level at one end, and its own weight bends it, from a light load at which it hardly sinks to a \
            heavy one at which it hangs down. Its exact shape is known, the heavy elastica, so this is the test of whether the \
            bending rigidity that a user writes is the one that the cloth has. The numbers are the height of the free end in \
            lengths of the strip; tolerances are 2 %.",
    parameters: &[
        ("length, density", "0.2 m, 0.2 kg/m²"),
        ("load σ g L³/D", "1, 10, 100, 1000"),
        ("mesh", "64 cells along; 16, 32 and 64 for the order"),
        ("bending", "hinges, quadratic form, curvature of triangles"),
        ("solver", "static, to a force of 1e-7 of the weight"),
    ],
    run,
};

const LENGTH: f64 = 0.2;
const DENSITY: f64 = 0.2;
const GRAVITY: f64 = 9.81;
const LOADS: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];

/// Bending rigidity (N·m) for a load.
fn rigidity(load: f64) -> f64 {
    DENSITY * GRAVITY * LENGTH.powi(3) / load
}

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let kinds: &[Kind] = if settings.quick {
        &[QUAD_HINGES, ALTERNATING]
    } else {
        &[
            QUAD_HINGES,
            QUAD_FORM,
            TRIANGLES,
            ALTERNATING,
            HERRING_BONE,
            TRIANGLE_ROW,
            ALTERNATING_ROW,
        ]
    };
    let mut findings = Findings::default();
    let mut plot = Plot::new(
        "heavy elastica: 64 cells over the exact curve",
        Axis::linear("x / L"),
        Axis::linear("z / L"),
    );
    for load in LOADS {
        let exact = HeavyElastica::new(load);
        plot = plot.guide(format!("load {load}"), exact.points.clone());
        for kind in kinds {
            let shape = bend(*kind, 64, load)?;
            findings.measurements.push(Measurement::new(
                format!("{}, load {load}: height of the free end over L", kind.name),
                "",
                shape[shape.len() - 1][1],
                exact.tip()[1],
                0.02 * exact.tip()[1].abs(),
            ));
            if *kind == QUAD_HINGES {
                plot = plot.curve(format!("load {load}, 64 cells"), shape);
            }
        }
    }
    orders(settings, kinds, &mut findings)?;
    if !settings.quick {
        wanting(&mut findings)?;
        irregular(&mut findings)?;
    }
    findings.pictures.push(("shapes", plot.draw(SIZE)));
    Ok(findings)
}

/// The strip's shape: mean place of each row of nodes in lengths of the strip, from the clamp on.
fn bend(kind: Kind, cells: u32, load: f64) -> Result<Vec<[f64; 2]>, LabError> {
    // Free length (cells − ½) a.
    let cell = LENGTH / (f64::from(cells) - 0.5);
    let strip = Strip {
        kind,
        start: -0.5 * cell,
        size: [cell * f64::from(cells), cell * f64::from(kind.across)],
        cells: [cells, kind.across],
        stretch: 2e3,
        bend: rigidity(load),
        density: DENSITY,
        gravity: GRAVITY,
        more: "",
    };
    let world = strip.world("", &hold_between(-9.0, 0.6 * cell))?;
    let mut state = world.state.clone();
    settle(&world, &mut state, 1e-7)?;
    let rows = cells as usize + 1;
    let mean = |row: usize| {
        let across = state.positions.iter().skip(row).step_by(rows);
        let middle = across.sum::<DVec3>() / (f64::from(kind.across + 1) * LENGTH);
        [middle.x, middle.z]
    };
    Ok((1..rows).map(mean).collect())
}

/// The error of the free end over three meshes, and the order at which it falls.
fn orders(settings: &Settings, kinds: &[Kind], findings: &mut Findings) -> Result<(), LabError> {
    let load = 100.0;
    let exact = HeavyElastica::new(load).tip();
    let kinds = if settings.quick { &kinds[..1] } else { kinds };
    for kind in kinds {
        let mut errors = Vec::new();
        for cells in [16, 32, 64] {
            let shape = bend(*kind, cells, load)?;
            let tip = shape[shape.len() - 1];
            errors.push((tip[0] - exact[0]).hypot(tip[1] - exact[1]));
        }
        findings.notes.push(format!(
            "{}, load {load}: free end off by {:.2e}, {:.2e}, {:.2e} of L with 16, 32, 64 cells",
            kind.name, errors[0], errors[1], errors[2]
        ));
        findings.measurements.push(Measurement::new(
            format!("{}, load {load}: order in the cell length", kind.name),
            "",
            (errors[0] / errors[2]).log2() / 2.0,
            2.0,
            0.3,
        ));
    }
    Ok(())
}

/// Kinds of cloth that this experiment finds wanting, and by how much.
fn wanting(findings: &mut Findings) -> Result<(), LabError> {
    let row = Kind {
        name: "one row of triangles, hinges",
        across: 1,
        ..TRIANGLE_HINGES
    };
    for (kind, why) in [
        (
            row,
            "it folds along its diagonals too and twists from cell to cell",
        ),
        (
            TRIANGLE_HINGES,
            "with all diagonals one way bending and twisting are coupled",
        ),
        (
            ALTERNATING_HINGES,
            "it relaxes by small folds along its diagonals",
        ),
        (BEND_SPRINGS, "its rim bends too easily"),
        (
            TRIANGLE_FORM,
            "free edges let it curl across, which the form does not resist",
        ),
    ] {
        let load = 1.0;
        let exact = HeavyElastica::new(load).tip()[1];
        let shape = bend(kind, 64, load)?;
        let tip = shape[shape.len() - 1][1];
        findings.notes.push(format!(
            "{}, {} cells wide, load {load}: free end at {tip:.4} L where {exact:.4} L is exact ({:+.1} %): {why}",
            kind.name,
            kind.across,
            100.0 * (tip / exact - 1.0)
        ));
    }
    Ok(())
}

/// A wider strip of irregular triangles, with as many of them along its length: what irregularity costs.
fn irregular(findings: &mut Findings) -> Result<(), LabError> {
    for load in LOADS {
        let exact = HeavyElastica::new(load).tip();
        for bending in ["curvature", "dihedral", "quadratic"] {
            let world = irregular_strip(bending, load, 64.0)?;
            let mut state = world.state.clone();
            settle(&world, &mut state, 1e-6)?;
            let ends = world.state.positions.iter().zip(&state.positions);
            let ends: Vec<f64> = ends
                .filter(|(start, _)| start.x > LENGTH - 1e-9)
                .map(|(_, now)| now.z / LENGTH)
                .collect();
            let tip = ends.iter().sum::<f64>() / ends.len() as f64;
            findings.notes.push(format!(
                "irregular triangles, {bending}, load {load}: free end at {tip:.4} L where {:.4} L is exact ({:+.1} %)",
                exact[1],
                100.0 * (tip / exact[1] - 1.0)
            ));
        }
    }
    Ok(())
}

fn irregular_strip(bending: &str, load: f64, along: f64) -> Result<World, LabError> {
    let cell = LENGTH / along;
    let (from, width) = (-cell, 8.0 * cell);
    let area = (LENGTH - from) * width;
    // An equilateral triangle of side a covers √3/4 a², and there are twice as many of them as nodes.
    let nodes = (area / (0.866 * cell * cell)).round();
    let text = format!(
        "[environment]\ngravity = [0, 0, {}]\n[cloth.strip]\nmesh.polygon = {{ outline = [[{from:?}, 0], [{LENGTH:?}, 0], \
         [{LENGTH:?}, {width:?}], [{from:?}, {width:?}]], nodes = {nodes} }}\nmodel = \"baraff-witkin\"\nbending = \"{bending}\"\n\
         [cloth.strip.material]\ndensity = {DENSITY}\nstretch_stiffness = 2e3\nshear_stiffness = 6e2\nbend = {:?}\n{}",
        -GRAVITY,
        rigidity(load),
        hold_between(-9.0, 0.5 * cell)
    );
    paper_scene::world("irregular strip", &text)
}
