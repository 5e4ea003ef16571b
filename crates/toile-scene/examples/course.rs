//! Steps a scene and tells what its certificates said, and where the time went:
//!
//! `cargo run --release -p toile-scene --example course -- SCENE [FIELD=VALUE …]`
//!
//! Nothing is written and nothing is drawn, so that what is measured is the steps. `RAYON_NUM_THREADS=1` keeps it to one thread;
//! `COURSE_STEPS=1` in the environment has a line for each step.

#![allow(clippy::print_stdout)]

use std::error::Error;
use toile::certificate::{PhaseTimes, Status};
use toile_scene::run::wall_clock;
use toile_scene::scene::{SceneSource, parse_override, resolve};

#[derive(Default)]
struct Course {
    steps: u32,
    unfinished: u32,
    newton_steps: u32,
    most: u32,
    iterations: u32,
    strain: f64,
    stretch: f64,
    limit: f64,
    gap: f64,
    between: f64,
    friction: f64,
    times: PhaseTimes,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("which scene?")?;
    let mut source = SceneSource::find(&name)?;
    for setting in arguments {
        source.overrides.push(parse_override(&setting)?);
    }
    let world = resolve(&source, source.parse()?)?;
    let each = std::env::var_os("COURSE_STEPS").is_some();
    let mut simulation = world.simulation().with_clock(wall_clock);
    let mut course = Course {
        gap: f64::INFINITY,
        between: f64::INFINITY,
        ..Course::default()
    };
    for _ in 0..world.schedule.steps() {
        let report = simulation.step()?.report;
        let told = report.certificate;
        course.steps += 1;
        course.unfinished += u32::from(report.status != Status::Converged);
        course.newton_steps += told.newton_steps;
        course.most = course.most.max(told.newton_steps);
        course.iterations += told.iterations;
        course.strain = course.strain.max(told.strain_max);
        course.stretch = course.stretch.max(told.stretch_worst);
        course.limit = told.limit.map_or(0.0, |l| l.residual).max(course.limit);
        course.gap = course.gap.min(told.gap_smallest.unwrap_or(f64::INFINITY));
        course.between = course
            .between
            .min(told.gap_between.unwrap_or(f64::INFINITY));
        course.friction = course.friction.max(told.friction_residual.unwrap_or(0.0));
        course.times.add(&report.times);
        if each {
            println!(
                "{:.4} s: {:?}, {} Newton steps, {} iterations, edges {:.4} %, faces {:.4} %, gap {:.4} mm, share {:.3}, {:.1} ms",
                simulation.time(),
                report.status,
                told.newton_steps,
                told.iterations,
                1e2 * told.stretch_worst,
                1e2 * told.strain_max,
                1e3 * told.gap_smallest.unwrap_or(f64::INFINITY),
                told.share_done,
                1e3 * report.times.total()
            );
        }
    }
    course.print();
    Ok(())
}

impl Course {
    fn print(&self) {
        let (steps, solves) = (f64::from(self.steps), f64::from(self.newton_steps.max(1)));
        println!(
            "{} steps, {} unfinished; {:.2} Newton steps a step ({} at the most), {:.1} iterations each",
            self.steps,
            self.unfinished,
            f64::from(self.newton_steps) / steps,
            self.most,
            f64::from(self.iterations) / solves
        );
        println!(
            "worst: edges {:.4} %, faces {:.4} %, limit missed by {:.4} %; nodes {:.4} mm and faces {:.4} mm from bodies; friction {:.2e} N",
            1e2 * self.stretch,
            1e2 * self.strain,
            1e2 * self.limit,
            1e3 * self.gap,
            1e3 * self.between,
            self.friction
        );
        let t = &self.times;
        println!(
            "{:.2} s: drive {:.2}, assemble {:.2}, solve {:.2}, limits {:.2}, bodies {:.2}, cloths {:.2}, certify {:.2}",
            t.total(),
            t.drive,
            t.assemble,
            t.solve,
            t.limit,
            t.collide,
            t.contact,
            t.certify
        );
    }
}
