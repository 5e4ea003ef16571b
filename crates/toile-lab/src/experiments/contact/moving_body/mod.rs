//! A mannequin that walks in a skirt and a tank top.

mod mannequin;

use super::run::{Course, carry_out};
use crate::experiments::tank_top::garment::{Pattern, tank_top};
use crate::registry::{Experiment, Findings, LabError, Settings};
use glam::dvec3;
use mannequin::mannequin;
use std::f64::consts::TAU;
use std::path::{Path, PathBuf};
use toile::mesh::{Face, Mesh};
use toile_scene::format::write_obj;
use toile_scene::run::write_atomically;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "moving-body",
    title: "a mannequin walks in a skirt and a tank top",
    reproduces: "clothes on a body that deforms: no intersections",
    about: "A mannequin of thirteen capsules, which overlap at its joints, walks in place: one mesh that deforms from frame to frame. \
            It wears a tank top, which hangs on its shoulders by contact alone, and a skirt whose waistband is held. Clothes meet the \
            body, themselves and each other. After every step an exact test that has no part in the simulation looks for faces that \
            intersect. None may be found, no collision may be left unresolved, and no node may be deeper in the body than a \
            millimetre, half the thickness of the cloth.",
    parameters: &[
        (
            "mannequin",
            "13 capsules, 24 cells around (short version: 12), 40 frames a second, one pace a second",
        ),
        ("tank top", "1676 triangles (short version: 440)"),
        ("skirt", "48×16 cells (short version: 24×8), 0.42 m long"),
        ("friction of the body", "0.4"),
        ("steps, duration", "5 ms, 2 s (short version: 0.5 s)"),
    ],
    run,
};

/// Frames of the mannequin per second.
const FPS: f64 = 40.0;
/// When it begins to walk (s): the clothes settle first.
const START: f64 = 0.2;

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let folder = std::env::temp_dir().join(format!("toile-moving-body-{}", std::process::id()));
    let outcome = dressed(settings, &folder, &mut findings);
    // Best effort: what matters is how the run went.
    let _ = std::fs::remove_dir_all(&folder);
    outcome?.judge("mannequin", &mut findings);
    Ok(findings)
}

/// Writes the meshes as files, as a user's would be, and lets the mannequin walk.
fn dressed(
    settings: &Settings,
    folder: &Path,
    findings: &mut Findings,
) -> Result<Course, LabError> {
    let (around, pattern, cells, duration) = if settings.quick {
        (12, Pattern::COARSE, [24, 8], 0.5)
    } else {
        (24, Pattern::FULL, [48, 16], 2.0)
    };
    std::fs::create_dir_all(folder).map_err(|source| LabError::Io {
        path: folder.to_owned(),
        source,
    })?;
    let frames = ((duration - START) * FPS).ceil() as u32;
    for frame in 0..=frames {
        let time = f64::from(frame) / FPS;
        // The first pace begins slowly.
        let walked = time * time / (time + 0.1);
        save(
            &mannequin(walked, around),
            folder.join(format!("walk.{frame:04}.obj")),
        )?;
    }
    save(&tank_top(&pattern).0, folder.join("top.obj"))?;
    save(&skirt(cells), folder.join("skirt.obj"))?;
    let path = |name: &str| format!("{:?}", folder.join(name).display().to_string());
    let waistband: Vec<u32> = (0..cells[0]).collect();
    let text = format!(
        "[time]\nstep = 0.005\nfps = 50\nduration = {duration:?}\n[contact]\ncloth = \"all\"\n\
         [cloth.top]\nmesh.file = {{ path = {} }}\ndamping = 0.5\n\
         [cloth.skirt]\nmesh.file = {{ path = {} }}\ndamping = 0.5\n\
         [[cloth.skirt.pin]]\nselect.nodes = {waistband:?}\n\
         [body.mannequin]\nshape.sequence = {{ files = {}, fps = {FPS:?}, start = {START:?} }}\nfriction = 0.4\n\
         color = [0.80, 0.70, 0.62]\n",
        path("top.obj"),
        path("skirt.obj"),
        path("walk.*.obj"),
    );
    let title = "A mannequin walks in a skirt and a tank top";
    carry_out("moving-body", title, text, findings)
}

fn save(mesh: &Mesh, path: PathBuf) -> Result<(), LabError> {
    let mut bytes = Vec::new();
    write_obj(mesh, &mut bytes).map_err(|source| LabError::Io {
        path: path.clone(),
        source,
    })?;
    Ok(write_atomically(&path, &bytes)?)
}

/// A skirt that widens from the waist to the hem: rings of nodes from above, cells around and along.
fn skirt([around, along]: [u32; 2]) -> Mesh {
    let mut mesh = Mesh::new(Vec::new(), Vec::new());
    for ring in 0..=along {
        let down = f64::from(ring) / f64::from(along);
        let (wide, deep) = (0.185 + 0.09 * down, 0.1 + 0.14 * down);
        for k in 0..around {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(around)).sin_cos();
            let place = dvec3(wide * cos, deep * sin, -0.03 - 0.4 * down);
            mesh.positions.push(place);
        }
    }
    for ring in 0..along {
        for k in 0..around {
            let at = |ring: u32, k: u32| ring * around + k % around;
            let [a, b] = [at(ring + 1, k), at(ring + 1, k + 1)];
            let [c, d] = [at(ring, k + 1), at(ring, k)];
            mesh.faces.push(Face::Quad([a, b, c, d]));
        }
    }
    mesh
}
