//! A square sheet under its own weight that bends like a plate.
//!
//! The weight is so small that the middle sinks by a thousandth of the side, and the sheet is so stretchy: stretching, which grows with the square of
//! the deflection, plays no part. Supported at its rim the middle sinks by 0.00406 `q a⁴/D`, clamped by 0.00127 `q a⁴/D`, whatever
//! Poisson's ratio is. The clamp holds two rings of nodes; as with the [cantilever](super::cantilever), the plate ends in the middle
//! between them.
//!
//! A bending model that resists twisting by another measure than bending shows it here: the twist `κ_xy` carries about a third of
//! the energy of a supported plate. Hinges of right triangles resist it three times too much (see the book), and their plate sinks
//! too little by an amount that no refinement mends.

use crate::outcome::Measurement;
use crate::reference::{CLAMPED_PLATE, SUPPORTED_PLATE};
use crate::registry::{Experiment, Findings, LabError, Settings};
use crate::snapshot::Album;
use crate::strip::{
    ALTERNATING, ALTERNATING_HINGES, BEND_SPRINGS, HERRING_BONE, Kind, QUAD_FORM, QUAD_HINGES,
    Strip, TRIANGLE_FORM, TRIANGLE_HINGES, TRIANGLES, settle,
};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "plate",
    title: "a square sheet, supported or clamped at its rim, sinks like a plate",
    reproduces: "Kirchhoff's plate under even load: 0.00406 and 0.00127 q a⁴/D in the middle",
    about: "A square sheet lies on its rim, or is clamped there, and sinks a little under its weight, like a floor between four \
            walls. Plate theory knows how far the middle sinks. The number is the measured deflection over the exact one: 1 is \
            right, and a bending model that resists twisting too much shows a smaller one, however fine its mesh.",
    parameters: &[
        ("side, rigidity", "1 m, 1e-3 N·m"),
        ("deflection", "1 mm in the middle of a supported plate"),
        (
            "mesh",
            "16, 32 and 64 cells a side (short version: 16 and 32)",
        ),
        ("solver", "static"),
    ],
    run,
};

const BEND: f64 = 1e-3;
const SIDE: f64 = 1.0;
/// How far the middle of a supported plate is to sink (m).
const DEPTH: f64 = 1e-3;

#[derive(Clone, Copy, PartialEq)]
enum Rim {
    Supported,
    Clamped,
}

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let cells: &[u32] = if settings.quick {
        &[16, 32]
    } else {
        &[16, 32, 64]
    };
    let right = [
        QUAD_HINGES,
        QUAD_FORM,
        TRIANGLE_FORM,
        TRIANGLES,
        ALTERNATING,
        HERRING_BONE,
    ];
    let noted = [
        (TRIANGLE_HINGES, "; its hinges resist twisting too much"),
        (ALTERNATING_HINGES, "; its hinges resist twisting too much"),
        (BEND_SPRINGS, "; its rim bends too easily"),
    ];
    let mut findings = Findings::default();
    for (rim, name, exact) in [
        (Rim::Supported, "supported", SUPPORTED_PLATE),
        (Rim::Clamped, "clamped", CLAMPED_PLATE),
    ] {
        let kinds = right.iter().map(|kind| (*kind, ""));
        for (kind, remark) in kinds.chain(noted) {
            let mut ratios = Vec::new();
            for &n in cells {
                ratios.push(sink(kind, n, rim)? / exact);
            }
            let listed: Vec<String> = ratios.iter().map(|r| format!("{r:.4}")).collect();
            let finest = ratios[ratios.len() - 1];
            findings.notes.push(format!(
                "{name}, {}: {} of the exact deflection with {cells:?} cells a side{remark}",
                kind.name,
                listed.join(", ")
            ));
            if !remark.is_empty() {
                continue;
            }
            findings.measurements.push(Measurement::new(
                format!("{name}, {}: deflection over the exact one", kind.name),
                "",
                finest,
                1.0,
                0.02,
            ));
        }
    }
    findings.pictures.push(("supported", picture()?));
    Ok(findings)
}

fn plate(kind: Kind, cells: u32, rim: Rim) -> Result<toile_scene::scene::World, LabError> {
    // Clamped, half a cell at every side does not count.
    let free = match rim {
        Rim::Supported => f64::from(cells),
        Rim::Clamped => f64::from(cells) - 1.0,
    };
    let cell = SIDE / free;
    let side = cell * f64::from(cells);
    let density = 0.2;
    let strip = Strip {
        kind,
        start: 0.0,
        size: [side; 2],
        cells: [cells; 2],
        stretch: 1.0,
        bend: BEND,
        density,
        gravity: DEPTH * BEND / (SUPPORTED_PLATE * density * SIDE.powi(4)),
        more: "",
    };
    let ring = match rim {
        Rim::Supported => 0.5 * cell,
        Rim::Clamped => 1.5 * cell,
    };
    // Four pins without a shared node: left and right columns, and what is left of the lower and upper rows.
    let (near, far, half) = (ring, side - ring, 0.5 * side);
    let boxes = [
        ([-1.0, -9.0], [near, 9.0]),
        ([far, -9.0], [9.0, 9.0]),
        ([near, -9.0], [far, -half + ring]),
        ([near, half - ring], [far, 9.0]),
    ];
    let mut pins = String::new();
    for ([x0, y0], [x1, y1]) in boxes {
        pins += &format!(
            "[[cloth.strip.pin]]\nselect.box = {{ min = [{x0:?}, {y0:?}, -9], max = [{x1:?}, {y1:?}, 9] }}\n"
        );
    }
    strip.world("", &pins)
}

/// How far the middle sinks, in `q a⁴/D`.
fn sink(kind: Kind, cells: u32, rim: Rim) -> Result<f64, LabError> {
    let world = plate(kind, cells, rim)?;
    let mut state = world.state.clone();
    settle(&world, &mut state, 1e-6)?;
    let middle = (cells / 2 * (cells + 1) + cells / 2) as usize;
    Ok(-state.positions[middle].z / DEPTH * SUPPORTED_PLATE)
}

fn picture() -> Result<toile_render::Image, LabError> {
    let world = plate(QUAD_HINGES, 32, Rim::Supported)?;
    let mut state = world.state.clone();
    settle(&world, &mut state, 1e-6)?;
    for x in &mut state.positions {
        x.z *= 0.1 / DEPTH; // to be seen at all
    }
    let mut album = Album::new(&world);
    album.add(&state, "deflection × 100".into());
    Ok(album.sheet(1))
}
