//! Pulls a hanging sheet about by a spring, as a mouse does, and tells what its steps take:
//!
//! `cargo run --release -p toile-scene --example pull -- CELLS SPEED [FIELD=VALUE …]`
//!
//! The middle of the sheet is grasped and led to and fro over 30 cm with this speed (m/s). `PULL_STEPS=1` in the environment has a
//! line for each step.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::PathBuf;
use toile::certificate::{PhaseTimes, Status};
use toile::command::Command;
use toile::drive::{Grasped, Grip, Pose, Target};
use toile::glam::{DQuat, DVec3};
use toile_scene::run::wall_clock;
use toile_scene::scene::{SceneSource, parse_override, resolve};

const WAY: f64 = 0.3;
const SECONDS: f64 = 2.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |what: &'static str| arguments.next().ok_or(what);
    let cells: usize = number("how many cells?")?.parse()?;
    let speed: f64 = number("how fast?")?.parse()?;
    let text = format!(
        r#"title = "Pulled"
[time]
duration = 4.0
[cloth.sheet]
mesh.grid = {{ size = [1.0, 1.0], cells = [{cells}, {cells}] }}
place = {{ at = [0.0, 0.0, 1.2] }}
damping = 0.6
[[cloth.sheet.pin]]
select.corners = [2, 3]
[body.floor]
shape = "plane"
"#
    );
    let mut source = SceneSource {
        name: "pulled.toml".to_owned(),
        text,
        folder: PathBuf::new(),
        overrides: Vec::new(),
    };
    for setting in arguments {
        source.overrides.push(parse_override(&setting)?);
    }
    let world = resolve(&source, source.parse()?)?;
    let mut simulation = world.simulation().with_clock(wall_clock);
    let h = world.schedule.step;
    while simulation.time() < 1.0 {
        simulation.step()?;
    }
    let model = simulation.model();
    let mass: f64 = model.masses.iter().sum();
    let stiffness = mass * 9.81 / 0.02;
    let node = ((cells + 1) * (cells / 4) + cells / 2) as u32;
    let what = Grasped::Nodes(vec![node]);
    let damping = 0.5 * (stiffness * mass).sqrt();
    let grip = Grip::Spring { stiffness, damping };
    let frame = None;
    let grasp = simulation.command(&Command::Grasp { what, grip, frame })?;
    let grasp = grasp.ok_or("no grasp")?;
    let start = simulation.positions()[node as usize];
    let each = std::env::var_os("PULL_STEPS").is_some();
    let (mut steps, mut newton, mut iterations, mut unfinished) = (0u32, 0, 0, 0u32);
    let (mut strain, mut times, mut slowest) = (0.0f64, PhaseTimes::default(), 0.0f64);
    let (mut going, mut until) = (false, 0.0);
    while simulation.time() < 1.0 + SECONDS {
        if simulation.time() >= until {
            going = !going;
            let side = if going { WAY } else { 0.0 };
            let to = Pose {
                translation: start + DVec3::new(0.6 * side, -0.6 * side, 0.5 * side),
                rotation: DQuat::IDENTITY,
            };
            let to = Target::Pose(to);
            let within = WAY / speed;
            simulation.command(&Command::MoveGrasp { grasp, to, within })?;
            until = simulation.time() + within.max(0.25);
        }
        let report = simulation.step()?.report;
        let told = report.certificate;
        steps += 1;
        newton += told.newton_steps;
        iterations += told.iterations;
        unfinished += u32::from(report.status != Status::Converged);
        strain = strain.max(told.strain_max);
        slowest = slowest.max(report.times.total());
        times.add(&report.times);
        if each {
            println!(
                "{:.3} s: {:?}, {} Newton steps, {} iterations, faces {:.3} %, {:.1} ms",
                simulation.time(),
                report.status,
                told.newton_steps,
                told.iterations,
                1e2 * told.strain_max,
                1e3 * report.times.total()
            );
        }
    }
    println!(
        "{steps} steps of {:.1} ms, {unfinished} unfinished; {:.1} Newton steps a step, {:.1} iterations each; faces {:.3} %; \
         {:.1} ms a step ({:.0} at the most), {:.2} ms a Newton step",
        1e3 * h,
        f64::from(newton) / f64::from(steps),
        f64::from(iterations) / f64::from(newton),
        1e2 * strain,
        1e3 * times.total() / f64::from(steps),
        1e3 * slowest,
        1e3 * times.total() / f64::from(newton)
    );
    println!(
        "assemble {:.2}, solve {:.2}, limits {:.2}, bodies {:.2}, cloths {:.2}, certify {:.2} s",
        times.assemble, times.solve, times.limit, times.collide, times.contact, times.certify
    );
    Ok(())
}
