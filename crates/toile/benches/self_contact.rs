//! What contact of a cloth with itself costs, against its number of triangles.
//!
//! `cargo bench -p toile --bench self_contact` takes sheets of 1 m with 8,000 to 200,000 triangles through three steps of 5 ms of their fall: once *pleated* like a
//! curtain, with no features near each other, and once *rolled up* so tightly that nearly all of it is nearer to itself than its thickness. It prints the
//! milliseconds of a step by phase, the share of contact, the power of the number of triangles from one line to the next, and how the steps held (worst stretch, smallest gap,
//! intersections by the exact test). `threads=1` takes one thread (of two), `cells=128` is the finest sheet.

#![allow(clippy::print_stdout)] // printing is what a benchmark is for

#[path = "../tests/it/common/mod.rs"]
mod common;

use common::{COTTON, fixed, square, world};
use std::f64::consts::{PI, TAU};
use std::sync::OnceLock;
use std::time::Instant;
use toile::certificate::PhaseTimes;
use toile::contact::intersections;
use toile::glam::{DVec2, DVec3};
use toile::integrate::{ImplicitSettings, Integrator};
use toile::step::{Workspace, step};

const H: f64 = 0.005;
const STEPS: u32 = 3;
/// Cells along a side.
const SIZES: [u32; 4] = [64, 128, 224, 316];

/// Where a sheet's material goes, seen from its side: from the way along the sheet (m) and the distance that layers keep (m).
type Curve = fn(f64, f64) -> DVec2;

/// Half circles of 3 cm, up and down.
fn pleats(along: f64, _: f64) -> DVec2 {
    let radius = 0.03;
    let count = (along / (PI * radius)).floor();
    let angle = along / radius - PI * count;
    let side = if count % 2.0 == 0.0 { 1.0 } else { -1.0 };
    let centre = (2.0 * count + 1.0) * radius;
    DVec2::new(centre - radius * angle.cos(), side * radius * angle.sin())
}

/// A spiral that begins with a radius of 6 cm.
fn roll(along: f64, distance: f64) -> DVec2 {
    // Where the length is that of a circle of the mean radius, near enough for so flat a spiral.
    let (inner, pitch) = (0.06, distance / TAU);
    let angle = ((inner * inner + 2.0 * pitch * along).sqrt() - inner) / pitch;
    (inner + pitch * angle) * DVec2::from_angle(angle)
}

fn now() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

fn measure(curve: Curve, cells: u32) -> f64 {
    let integrator = Integrator::Implicit(ImplicitSettings::CLASSIC);
    let edge: Vec<u32> = (0..=cells).map(|k| k * (cells + 1)).collect();
    let pins = vec![fixed(edge)];
    let gravity = DVec3::NEG_Z * 9.81;
    let (mut model, mut state) = world(&square(cells), COTTON, pins, gravity, integrator);
    model = model
        .rebuilt(|parts| parts.contacts = vec![[0, 0]])
        .expect("cloth may meet itself");
    // As thick as contact takes it, and a little nearer.
    let thickest = 0.5 / f64::from(cells) / 2f64.sqrt();
    let distance = 0.97 * thickest.min(2.0 * model.cloths[0].contact_offset);
    for x in &mut state.positions {
        let flat = curve(x.x + 0.5, distance);
        *x = DVec3::new(flat.x, x.y, flat.y);
    }
    let mut workspace = Workspace::new(&model, Some(now));
    let mut times = PhaseTimes::default();
    let (mut near, mut gap, mut stretch) = (0, f64::INFINITY, 0.0f64);
    for _ in 0..STEPS {
        let report = match step(&model, &mut state, &mut workspace, H) {
            Ok(report) => report,
            Err(error) => {
                println!("{error}");
                return f64::NAN;
            }
        };
        times.add(&report.times);
        stretch = stretch.max(report.certificate.stretch_worst);
        if let Some(contact) = report.certificate.contact {
            near = near.max(contact.near);
            gap = contact.smallest_gap.map_or(gap, |g| gap.min(g));
        }
    }
    let per_step = 1e3 / f64::from(STEPS);
    let found = intersections(&model, &state.positions).len();
    print!(
        "{:9} {near:8} {:8.1} {:8.1} {:8.1} {:6.0} % {:8.2} {:7.2} % {:6.3} {found:3}",
        2 * cells * cells,
        per_step * times.assemble,
        per_step * times.solve,
        per_step * times.contact,
        100.0 * times.contact / times.total(),
        1e3 * per_step * times.contact / f64::from(2 * cells * cells),
        100.0 * stretch,
        if gap.is_finite() { 1e3 * gap } else { f64::NAN },
    );
    times.contact
}

fn main() {
    // `cargo test` builds and runs benches once without --bench; measuring is only for `cargo bench`.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let argument = |name: &str| {
        let given = std::env::args().find_map(|a| Some(a.strip_prefix(name)?.to_owned()));
        given.and_then(|text| text.strip_prefix('=')?.parse::<u32>().ok())
    };
    let threads = argument("threads").unwrap_or(2) as usize;
    let finest = argument("cells").unwrap_or(u32::MAX);
    let run = || {
        let shapes: [(&str, Curve); 2] = [("pleated", pleats), ("rolled up", roll)];
        for (name, curve) in shapes {
            println!("{name}, {threads} threads; milliseconds a step");
            println!(
                "triangles     near assemble    solve  contact    share   µs/tri  stretch gap mm  intersections; power"
            );
            let mut last: Option<(u32, f64)> = None;
            for cells in SIZES.into_iter().filter(|&c| c <= finest) {
                let time = measure(curve, cells);
                let power = last.map(|(before, then)| {
                    (time / then).ln() / (2.0 * (f64::from(cells) / f64::from(before)).ln())
                });
                println!("  {}", power.map_or(String::new(), |p| format!("{p:.2}")));
                last = Some((cells, time));
            }
        }
    };
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(run),
        Err(error) => println!("{error}"),
    }
}
