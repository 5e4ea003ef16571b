//! What each energy costs in an implicit step: 65×65 and 129×129 nodes hung by two corners, a few steps of 10 ms.
//!
//! `cargo bench -p toile --bench energies` prints, for one thread and two, the time per step of assembly (with the preconditioner's
//! factor) and of the linear solve, and the quality beside it. Each figure is the fastest of three runs.

#![allow(clippy::print_stdout)] // printing is what a benchmark is for

#[path = "../tests/it/common/mod.rs"]
mod common;

use common::fixed;
use std::sync::OnceLock;
use std::time::Instant;
use toile::certificate::PhaseTimes;
use toile::energy::{
    BaraffWitkin, BendLaw, ChoiKoMaterial, ClothCurvature, EnergyBatch, Fabric, HingeEnergy,
    HingeHessian, HingeMaterial, Kawabata, MassSpringMaterial, MembraneBatch, MembraneLaw,
    QuadraticBend, RestAngles, bend_springs, choi_ko, cloth_hinges, mass_spring,
};
use toile::glam::DVec3;
use toile::integrate::{ImplicitSettings, Integrator};
use toile::mesh::generate::{Diagonals, Grid, GridPattern, grid};
use toile::mesh::{RestShape, Topology};
use toile::model::{Cloth, Model, ModelParts};
use toile::state::State;
use toile::step::{Workspace, step};

const STRETCH: f64 = 1000.0;
const SHEAR: f64 = 200.0;
const BEND: f64 = 1e-5;
const DAMPING: f64 = 1e-3;

fn seconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// A cloth's energies from its mesh.
type Recipe = fn(&Topology, &RestShape) -> Vec<EnergyBatch>;

fn springs(topology: &Topology, rest: &RestShape) -> Vec<EnergyBatch> {
    let material = MassSpringMaterial {
        stretch: STRETCH,
        shear: SHEAR,
        bend: BEND,
        damping: DAMPING,
    };
    let springs = mass_spring(topology, rest, &material).batch(0, DAMPING);
    vec![EnergyBatch::Springs(springs)]
}

fn pairs(topology: &Topology, rest: &RestShape) -> Vec<EnergyBatch> {
    let material = ChoiKoMaterial {
        stretch: STRETCH,
        shear: SHEAR,
        bend: BEND,
        damping: DAMPING,
    };
    let pairs = choi_ko(topology, rest, &material).batch(0, DAMPING);
    vec![EnergyBatch::ChoiKo(pairs)]
}

fn faces(topology: &Topology, rest: &RestShape, law: MembraneLaw) -> Vec<EnergyBatch> {
    let triangles = MembraneBatch::triangles(topology, rest, 0, law.clone());
    let quads = MembraneBatch::quads(topology, rest, 0, law);
    vec![
        EnergyBatch::Triangles(triangles.expect("the law is valid")),
        EnergyBatch::Quads(quads.expect("the law is valid")),
    ]
}

fn membrane(topology: &Topology, rest: &RestShape) -> Vec<EnergyBatch> {
    let law = BaraffWitkin {
        stretch: [STRETCH; 2],
        shear: SHEAR,
        stretch_damping: [DAMPING; 2],
        shear_damping: DAMPING,
        ..Default::default()
    };
    faces(topology, rest, MembraneLaw::BaraffWitkin(law))
}

fn measured(topology: &Topology, rest: &RestShape) -> Vec<EnergyBatch> {
    let fabric = Fabric::named("cotton").expect("cotton is known");
    faces(
        topology,
        rest,
        MembraneLaw::Kawabata(Kawabata::new(&fabric)),
    )
}

fn with_hinges(topology: &Topology, rest: &RestShape) -> Vec<EnergyBatch> {
    bending_at_edges(topology, rest, false)
}

fn with_curvature(topology: &Topology, rest: &RestShape) -> Vec<EnergyBatch> {
    bending_at_edges(topology, rest, true)
}

fn bending_at_edges(topology: &Topology, rest: &RestShape, curvature: bool) -> Vec<EnergyBatch> {
    let material = HingeMaterial {
        law: BendLaw::Angle {
            rigidity: [BEND; 2],
        },
        damping_time: DAMPING,
        hessian: HingeHessian::default(),
    };
    let hinges = cloth_hinges(topology, rest, 0, &material);
    let angles = hinges
        .rest_angles(RestAngles::Flat)
        .expect("flat always fits");
    let plate = curvature.then(|| ClothCurvature::new(topology, rest, &hinges, &material));
    let mut energy = HingeEnergy::new(hinges, angles, None);
    if let Some(plate) = plate {
        energy = energy.with_curvature(plate);
    }
    let mut batches = membrane(topology, rest);
    batches.push(EnergyBatch::Hinges(Box::new(energy)));
    batches
}

fn with_form(topology: &Topology, rest: &RestShape) -> Vec<EnergyBatch> {
    let mut batches = membrane(topology, rest);
    let form = QuadraticBend::new(topology, rest, 0, BEND, DAMPING);
    batches.push(EnergyBatch::Quadratic(form));
    batches
}

fn with_bend_springs(topology: &Topology, rest: &RestShape) -> Vec<EnergyBatch> {
    let mut batches = membrane(topology, rest);
    let springs = bend_springs(topology, rest, BEND, DAMPING, 0);
    batches.push(EnergyBatch::BendSprings(springs));
    batches
}

const RECIPES: [(&str, Recipe); 8] = [
    ("springs (stretch, shear, flexion)", springs),
    ("Choi–Ko pairs", pairs),
    ("Baraff–Witkin faces", membrane),
    ("Kawabata faces (cotton)", measured),
    ("Baraff–Witkin + hinges", with_hinges),
    ("Baraff–Witkin + curvature", with_curvature),
    ("Baraff–Witkin + quadratic form", with_form),
    ("Baraff–Witkin + linear bend springs", with_bend_springs),
];

fn world(cells: u32, pattern: GridPattern, recipe: Recipe) -> (Model, State) {
    let mesh = grid(&Grid {
        size: [1.0, 1.0],
        cells: [cells, cells],
        pattern,
    });
    let mesh = mesh.expect("a grid");
    let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).expect("a sheet");
    let rest = RestShape::from_positions(&topology, &mesh.positions).expect("a flat sheet");
    let energies = recipe(&topology, &rest);
    let cloth = Cloth {
        name: "sheet".into(),
        nodes: 0..topology.node_count,
        topology,
        rest,
        density: 0.2,
        air_damping: 0.0,
        gravity_factor: 1.0,
        contact_offset: 1e-3,
        friction: 0.3,
        compression: 1e4,
    };
    let model = Model::new(ModelParts {
        cloths: vec![cloth],
        energies,
        limits: Vec::new(),
        pins: vec![fixed(vec![0, cells])],
        bodies: vec![],
        body_contact: Default::default(),
        contacts: Vec::new(),
        gravity: DVec3::new(0.0, 0.0, -9.81),
        integrator: Integrator::Implicit(ImplicitSettings::CLASSIC),
        ..Default::default()
    });
    let model = model.expect("a world");
    let state = State::at_rest(&model, mesh.positions);
    (model, state)
}

/// Times of all steps together, iterations, and the worst stretch.
fn run(model: &Model, start: &State, steps: u32) -> (PhaseTimes, u32, f64) {
    let mut state = start.clone();
    let mut workspace = Workspace::new(model, Some(seconds));
    let (mut times, mut iterations, mut worst) = (PhaseTimes::default(), 0, 0f64);
    for _ in 0..steps {
        let report = step(model, &mut state, &mut workspace, 0.01).expect("the sheet hangs");
        times.add(&report.times);
        iterations += report.certificate.iterations;
        worst = worst.max(report.certificate.stretch_worst);
    }
    (times, iterations, worst)
}

fn measure(name: &str, cells: u32, pattern: GridPattern, recipe: Recipe) {
    let steps = 20;
    let (model, start) = world(cells, pattern, recipe);
    let runs = (0..3).map(|_| run(&model, &start, steps));
    let fastest = runs.min_by(|a, b| a.0.total().total_cmp(&b.0.total()));
    let (times, iterations, worst) = fastest.expect("there are three");
    let per_step = |t: f64| 1e3 * t / f64::from(steps);
    println!(
        "{0:>3}×{0:<3} {name:<36} assemble+factor {1:7.2} ms, solve {2:7.2} ms, {3:5.1} iterations | worst stretch {4:5.2} %",
        cells + 1,
        per_step(times.assemble),
        per_step(times.solve),
        f64::from(iterations) / f64::from(steps),
        100.0 * worst,
    );
}

fn main() {
    // `cargo test` builds and runs benches once without --bench; measuring is only for `cargo bench`.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let triangles = GridPattern::Triangles(Diagonals::Alternating);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a thread pool").install(|| {
            for (shape, pattern) in [("quads", GridPattern::Quads), ("triangles", triangles)] {
                println!("threads: {threads}, {shape}");
                for cells in [64, 128] {
                    for (name, recipe) in RECIPES {
                        measure(name, cells, pattern, recipe);
                    }
                }
            }
        });
    }
}
