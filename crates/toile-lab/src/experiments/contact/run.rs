//! A run that looks for intersections after every step, by the exact test that has no part in keeping cloth from passing through.

use crate::clip::ClipRecorder;
use crate::outcome::Measurement;
use crate::paper_scene;
use crate::registry::{Findings, LabError};
use crate::snapshot::Album;
use glam::DVec3;
use std::time::Instant;
use toile::certificate::{PhaseTimes, Status};
use toile::contact::{ContactReport, Load, intersections};
use toile::state::State;
use toile_scene::scene::World;

/// What came of it.
pub(super) struct Course {
    /// All steps' contacts in one.
    pub contact: ContactReport,
    /// Pairs of faces that intersected after any step.
    pub intersections: usize,
    /// Deepest that a node was in a body (m), and the middle of a face.
    pub depth: f64,
    pub face_depth: f64,
    /// Largest strain of an edge, and largest principal strain of a face.
    pub stretch: f64,
    pub strain: f64,
    pub steps: u64,
    /// Newton steps of all steps, and steps that did not converge.
    pub newton_steps: u32,
    pub unfinished: u32,
    times: PhaseTimes,
    /// Wall time of the steps alone (s).
    pub seconds: f64,
}

/// Nodes may be so deep in a body: half the thickness of the cloth, so that its surface still shows.
const DEEPEST: f64 = 1e-3;

/// What may be looked at after every step, and what is shown of it.
pub(super) trait Watch {
    /// Looks at a state; answers where its nodes are shown if not where they are.
    fn look(&mut self, world: &World, state: &State) -> Option<Vec<DVec3>>;

    /// Hears before that what cloth pulled the pins with in the step that ended at a time (s).
    fn feel(&mut self, _time: f64, _pins: &[Load]) {}
}

/// Nobody looks.
impl Watch for () {
    fn look(&mut self, _world: &World, _state: &State) -> Option<Vec<DVec3>> {
        None
    }
}

/// Reads a scene.
pub(super) fn world_of(name: &'static str, text: String) -> Result<World, LabError> {
    paper_scene::world(name, &text)
}

/// Carries out a scene; its pictures and its clip go into `findings` under a name.
pub(super) fn carry_out(
    name: &'static str,
    title: &str,
    text: String,
    findings: &mut Findings,
) -> Result<Course, LabError> {
    let world = world_of(name, text)?;
    carry_out_watched(name, title, &world, &mut (), findings)
}

/// The same with a world, and somebody who looks after every step. What is shown is looked through for intersections too.
pub(super) fn carry_out_watched(
    name: &'static str,
    title: &str,
    world: &World,
    watch: &mut dyn Watch,
    findings: &mut Findings,
) -> Result<Course, LabError> {
    let model = &world.model;
    let mut simulation = world.simulation().with_clock(seconds);
    let mut shown = world.state.clone();
    let mut album = Album::new(world);
    let mut course = Course {
        contact: ContactReport::default(),
        intersections: intersections(model, &shown.positions).len(),
        depth: 0.0,
        face_depth: 0.0,
        stretch: 0.0,
        strain: 0.0,
        steps: world.schedule.steps(),
        newton_steps: 0,
        unfinished: 0,
        times: PhaseTimes::default(),
        seconds: 0.0,
    };
    let mut clip = ClipRecorder::new(world, 50.0);
    album.add(&shown, format!("t = {:.2} s", shown.time));
    clip.record(&shown);
    for n in 1..=course.steps {
        let begin = Instant::now();
        let report = simulation.step()?.report;
        course.seconds += begin.elapsed().as_secs_f64();
        course.times.add(&report.times);
        let certificate = report.certificate;
        if let Some(contact) = &certificate.contact {
            course.contact = course.contact.and(contact);
        }
        watch.feel(simulation.time(), simulation.pin_loads());
        let state = simulation.state();
        shown.time = state.time;
        match watch.look(world, state) {
            Some(positions) => {
                course.intersections += intersections(model, &positions).len();
                shown.positions = positions;
            }
            None => shown.positions.copy_from_slice(&state.positions),
        }
        clip.record(&shown);
        course.depth = course.depth.max(-certificate.gap_smallest.unwrap_or(0.0));
        let between = certificate.gap_between.unwrap_or(0.0);
        course.face_depth = course.face_depth.max(-between);
        course.stretch = course.stretch.max(certificate.stretch_worst);
        course.strain = course.strain.max(certificate.strain_max);
        course.newton_steps += certificate.newton_steps;
        course.unfinished += u32::from(report.status != Status::Converged);
        course.intersections += intersections(model, &state.positions).len();
        if n % (course.steps / 5).max(1) == 0 {
            album.add(&shown, format!("t = {:.2} s", state.time));
        }
    }
    findings.pictures.push((name, album.sheet(3)));
    findings.clips.push(clip.finish("motion", title));
    Ok(course)
}

impl Course {
    /// The verdicts and a line of figures.
    pub fn judge(&self, label: &str, findings: &mut Findings) {
        let none = |what: &str, count: usize| {
            Measurement::new(format!("{label}: {what}"), "", count as f64, 0.0, 0.0)
        };
        findings.measurements.extend([
            none("intersections after any step", self.intersections),
            none("collisions left", self.contact.missed),
            Measurement::new(
                format!("{label}: deepest node in a body"),
                "m",
                self.depth.max(0.0),
                0.0,
                DEEPEST,
            ),
            Measurement::new(
                format!("{label}: deepest face in a body"),
                "m",
                self.face_depth,
                0.0,
                DEEPEST,
            ),
        ]);
        let (t, c) = (&self.times, &self.contact);
        let gap = match c.smallest_gap {
            Some(gap) => format!("smallest gap {:.4} mm", 1e3 * gap),
            None => "cloth never near cloth".to_owned(),
        };
        findings.notes.push(format!(
            "{label}: {} steps, {} collisions, at most {} rounds and {} nodes in a zone, {gap}, worst stretch {:.1} %",
            self.steps,
            c.collisions,
            c.rounds,
            c.largest_zone,
            100.0 * self.stretch
        ));
        let frames = self.steps as f64 / 1e3;
        findings.notes.push(format!(
            "{label}: {:.1} s for the steps; a step takes {:.1} ms to assemble, {:.1} to solve, {:.1} for limits, {:.1} with bodies, {:.1} with cloth",
            self.seconds,
            t.assemble / frames,
            t.solve / frames,
            t.limit / frames,
            t.collide / frames,
            t.contact / frames
        ));
    }
}

/// Seconds since the first call.
fn seconds() -> f64 {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
