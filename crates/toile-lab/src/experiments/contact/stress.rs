//! Scenes in which cloth meets itself as hard as it can: dropped on a ball, in a heap, in layers, twisted into a knot, squeezed in a box.

use super::run::carry_out;
use crate::outcome::Measurement;
use crate::registry::{Experiment, Findings, LabError, Settings};

pub(crate) const SPHERE_DROP: Experiment = Experiment {
    name: "sphere-drop",
    title: "a sheet falls on a ball and on to the floor, and meets itself",
    reproduces: "Bridson et al. 2002: no intersections, with friction",
    about: "A sheet falls on a ball, slides off and folds up on the floor. It meets the ball, the floor and itself. After every \
            step an exact test that has no part in the simulation looks for faces that intersect. None may be found, no collision \
            may be left unresolved, and no node may be deeper in a body than a millimetre, half the thickness of the cloth. Then the same with \
            ten times stiffer cloth whose edges are kept below 0.8 % of stretch: never more than 1 % may be found, and no node deeper in a body \
            than a tenth of a millimetre; and once more with four times as many nodes.",
    parameters: &[
        ("sheet", "1 m × 1 m, 64×64 cells (short version: 20×20)"),
        ("ball, friction of the floor", "radius 0.25 m, 0.5"),
        ("steps, duration", "5 ms, 2 s"),
        (
            "inextensible",
            "40000 N/m and strain limiting at 0.8 %; 64×64 cells, 10 ms, and 128×128 cells, 5 ms (short version: 20×20 alone)",
        ),
    ],
    run: sphere_drops,
};

pub(crate) const FIVE_SHEETS: Experiment = Experiment {
    name: "five-sheets",
    title: "five sheets fall on a ball, one upon the other",
    reproduces: "a pile at rest on friction, no intersections",
    about: "Five sheets fall on a ball, one upon the other, each turned a little: a pile in which every layer carries those above. \
            After every step an exact test that has no part in the simulation looks for faces that intersect. None may be found, \
            no collision may be left unresolved, and no node may be deeper in a body than a millimetre, half the thickness of the \
            cloth.",
    parameters: &[
        (
            "sheets",
            "five of 0.8 m × 0.8 m, 64×64 cells (short version: 12×12), 3 cm apart",
        ),
        ("ball", "radius 0.2 m"),
        ("steps, duration", "5 ms, 1 s"),
    ],
    run: |settings| {
        one(
            "five-sheets",
            "Five sheets fall on a ball",
            five_sheets(cells(settings, 64, 12), ""),
        )
    },
};

pub(crate) const HEAP: Experiment = Experiment {
    name: "heap",
    title: "an upright sheet falls into a heap, ten times with other roughness",
    reproduces: "no intersections, whatever the start",
    about: "An upright sheet falls on the floor and crumples into a heap, again and again from starts with other roughness, \
            because contact that works once may fail the next time. After every step an exact test that has no part in the \
            simulation looks for faces that intersect. None may be found, no collision may be left unresolved, and no node may be \
            deeper in a body than a millimetre, half the thickness of the cloth.",
    parameters: &[
        ("sheet", "1 m × 1 m, 64×64 cells (short version: 14×14)"),
        ("starts", "ten (short version: two), roughness 0.5 mm"),
        ("steps, duration", "5 ms, 1.2 s"),
    ],
    run: heaps,
};

pub(crate) const TWIST_KNOT: Experiment = Experiment {
    name: "twist-knot",
    title: "a tube is twisted by three turns until it crumples",
    reproduces: "Bridson et al. 2002, figure of twisted cloth: no intersections",
    about: "The two rims of a tube turn against each other until the cloth is a tight knot with many layers. It is pulled tighter \
            than cloth can bear, which is the hardest that contact can be asked. After every step an exact test that has no part \
            in the simulation looks for faces that intersect. None may be found, no collision may be left unresolved, and no node \
            may be deeper in a body than a millimetre, half the thickness of the cloth.",
    parameters: &[
        (
            "tube",
            "radius 0.12 m, height 0.6 m, 48×38 cells (short version: 16×12)",
        ),
        (
            "rims",
            "half a turn a second each, 5 cm/s towards each other",
        ),
        ("gravity", "none"),
        ("steps, duration", "5 ms, 3 s (short version: 1.6 s)"),
    ],
    run: |settings| {
        one(
            "twist-knot",
            "A tube is twisted into a knot",
            twist_knot(settings),
        )
    },
};

pub(crate) const CRUMPLE: Experiment = Experiment {
    name: "crumple",
    title: "a ball of cloth is squeezed in a shrinking box",
    reproduces: "cloth pressed from six sides: no intersections",
    about: "A ball of cloth is squeezed by six walls that close in until little room is left. Contact with bodies and of cloth \
            with itself must hold at the same time, from all sides. After every step an exact test that has no part in the \
            simulation looks for faces that intersect. None may be found, no collision may be left unresolved, and no node may be \
            deeper in a body than a millimetre, half the thickness of the cloth.",
    parameters: &[
        (
            "ball of cloth",
            "radius 0.2 m, about 2500 nodes (short version: 300)",
        ),
        ("box", "44 cm wide, every wall comes nearer at 0.1 m/s"),
        ("friction of the walls", "0.2"),
        ("steps, duration", "5 ms, 1.4 s (short version: 1.2 s)"),
    ],
    run: |settings| {
        one(
            "crumple",
            "A ball of cloth in a box that shrinks (its walls are not drawn)",
            crumple(settings),
        )
    },
};

fn cells(settings: &Settings, full: u32, quick: u32) -> u32 {
    if settings.quick { quick } else { full }
}

/// Contact of all with all, steps of 5 ms.
const HEAD: &str = "[contact]\ncloth = \"all\"\n[time]\nstep = 0.005\n";

fn one(name: &'static str, title: &str, text: String) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let course = carry_out(name, title, text, &mut findings)?;
    course.judge(name, &mut findings);
    Ok(findings)
}

fn sphere_drops(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let (name, title) = ("sphere-drop", "A sheet falls on a ball");
    let plain = sphere_drop(cells(settings, 64, 20), 0.005, "");
    carry_out(name, title, plain, &mut findings)?.judge(name, &mut findings);
    let stiff =
        "material.stretch_stiffness = 4e4\nlimit.strain = { stretch = 0.008, compression = 1 }\n";
    let (cells, label) = (cells(settings, 64, 20), "inextensible");
    let scene = sphere_drop(cells, 0.01, stiff);
    let course = carry_out(label, title, scene, &mut findings)?;
    course.judge(label, &mut findings);
    let (stretch, depth) = (course.stretch, course.depth.max(0.0));
    findings.measurements.extend([
        Measurement::new(format!("{label}: worst stretch"), "", stretch, 0.0, 0.01),
        Measurement::new(
            format!("{label}: deepest, as compared with others"),
            "m",
            depth,
            0.0,
            1e-4,
        ),
    ]);
    if !settings.quick {
        let label = "inextensible-129";
        let scene = sphere_drop(128, 0.005, stiff);
        carry_out(label, title, scene, &mut findings)?.judge(label, &mut findings);
    }
    Ok(findings)
}

fn sphere_drop(cells: u32, step: f64, cloth: &str) -> String {
    format!(
        "[contact]\ncloth = \"all\"\n[time]\nstep = {step:?}\nduration = 2\n\
         [cloth.sheet]\n{cloth}mesh.grid = {{ size = [1, 1], cells = [{cells}, {cells}] }}\n\
         place = {{ at = [0.05, 0.02, 0.57] }}\ndamping = 0.3\n\
         [body.ball]\nshape.sphere = {{ radius = 0.25 }}\nplace = {{ at = [0, 0, 0.3] }}\n\
         [body.floor]\nshape = \"plane\"\nfriction = 0.5\n"
    )
}

pub(super) fn five_sheets(cells: u32, cloth: &str) -> String {
    let sheets = (0..5).map(|k| {
        format!(
            "[cloth.sheet{k}]\n{cloth}mesh.grid = {{ size = [0.8, 0.8], cells = [{cells}, {cells}] }}\n\
             place = {{ at = [{:?}, 0, {:?}], rotate_degrees = [0, 0, {}] }}\ndamping = 0.2\n",
            0.01 * f64::from(k),
            0.6 + 0.03 * f64::from(k),
            17 * k
        )
    });
    format!(
        "{HEAD}duration = 1\n{}[body.ball]\nshape.sphere = {{ radius = 0.2 }}\nplace = {{ at = [0, 0, 0.35] }}\n\
         [body.floor]\nshape = \"plane\"\n",
        sheets.collect::<String>()
    )
}

pub(super) fn heap(cells: u32, seed: u32, cloth: &str) -> String {
    format!(
        "{HEAD}duration = 1.2\n\
         [cloth.sheet]\n{cloth}mesh.grid = {{ size = [1, 1], cells = [{cells}, {cells}] }}\n\
         place = {{ at = [0, 0, 0.6], rotate_degrees = [85, 0, 0] }}\n\
         noise = {{ deviation = 0.0005, seed = {seed} }}\ndamping = 0.2\n\
         [body.floor]\nshape = \"plane\"\n"
    )
}

fn heaps(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    let runs = if settings.quick { 2 } else { 10 };
    for seed in 1..=runs {
        let text = heap(cells(settings, 64, 14), seed, "");
        let title = "An upright sheet falls into a heap";
        let course = carry_out("heap", title, text, &mut findings)?;
        course.judge(&format!("heap {seed}"), &mut findings);
        // One picture and one clip are enough.
        findings.pictures.truncate(1);
        findings.clips.truncate(1);
    }
    Ok(findings)
}

fn twist_knot(settings: &Settings) -> String {
    let cells = cells(settings, 48, 16);
    let duration = if settings.quick { 1.6 } else { 3.0 };
    format!(
        "{HEAD}duration = {duration:?}\n[environment]\ngravity = [0, 0, 0]\n\
         [cloth.tube]\nmesh.tube = {{ radius = 0.12, height = 0.6, cells = [{cells}, {}] }}\ndamping = 1\n\
         noise = {{ deviation = 0.0003 }}\n\
         [[cloth.tube.pin]]\nselect.boundary = 0\n\
         motion.velocity = {{ angular = [0, 0, -3.14159], linear = [0, 0, 0.05] }}\n\
         [[cloth.tube.pin]]\nselect.boundary = 1\n\
         motion.velocity = {{ angular = [0, 0, 3.14159], linear = [0, 0, -0.05] }}\n",
        cells * 4 / 5
    )
}

fn crumple(settings: &Settings) -> String {
    let (nodes, duration) = if settings.quick {
        (300, 1.2)
    } else {
        (2500, 1.4)
    };
    // A wall at each side, facing inwards, that comes nearer at 0.1 m/s.
    let walls = [
        ("[0, 0, -0.22]", "[0, 0, 0]", "[0, 0, 0.1]"),
        ("[0, 0, 0.22]", "[180, 0, 0]", "[0, 0, -0.1]"),
        ("[-0.22, 0, 0]", "[0, 90, 0]", "[0.1, 0, 0]"),
        ("[0.22, 0, 0]", "[0, -90, 0]", "[-0.1, 0, 0]"),
        ("[0, -0.22, 0]", "[-90, 0, 0]", "[0, 0.1, 0]"),
        ("[0, 0.22, 0]", "[90, 0, 0]", "[0, -0.1, 0]"),
    ];
    let walls = walls.iter().enumerate().map(|(k, (at, turn, velocity))| {
        format!(
            "[body.wall{k}]\nshape = \"plane\"\nplace = {{ at = {at}, rotate_degrees = {turn} }}\n\
             motion.velocity = {{ linear = {velocity} }}\nfriction = 0.2\n"
        )
    });
    format!(
        "{HEAD}duration = {duration:?}\n[environment]\ngravity = [0, 0, 0]\n\
         [cloth.ball]\nmesh.sphere = {{ radius = 0.2, nodes = {nodes} }}\ndamping = 2\n{}",
        walls.collect::<String>()
    )
}
