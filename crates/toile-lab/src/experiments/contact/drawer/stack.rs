//! The sheets, a pull, and what the holders feel of it.

use crate::experiments::contact::contact_table::{ALLOWANCE, Limited};
use crate::experiments::contact::run::{Course, Watch, carry_out_watched, world_of};
use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Findings, LabError};
use glam::DVec3;
use toile::contact::Load;
use toile::state::State;
use toile_scene::scene::World;

const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 0.2;
const THICKNESS: f64 = 0.002;
const STEP: f64 = 0.005;
/// When the pull begins (s), and its speed (m/s).
const REST: f64 = 0.05;
const SPEED: f64 = 0.1;
/// What scenes ask for.
pub(super) const NEWTON_TOLERANCE: f64 = 1e-2;
/// How far the middle sheet is pulled while all lie on one another (m), and the end of a pull over which forces are averaged: a cell or
/// more.
pub(super) const BETWEEN: f64 = 0.035;
pub(super) const SPAN: f64 = 0.02;
/// The sheets in the order of their names, which is that of pins.
pub(super) const LOWER: usize = 0;
pub(super) const MIDDLE: usize = 1;
pub(super) const UPPER: usize = 2;

/// How the sheets lie, and how far the middle one is pulled.
#[derive(Clone, Copy)]
pub(super) struct Stack {
    /// From below (m).
    pub sides: [f64; 3],
    /// How far the middle of the lower sheet lies before those of the others (m).
    pub ahead: f64,
    pub cell: f64,
    pub friction: f64,
    /// How far the middle sheet is pulled (m).
    pub way: f64,
    pub tolerance: f64,
}

impl Stack {
    /// Sheets that stay on one another.
    pub fn between(cell: f64, friction: f64) -> Self {
        Stack {
            sides: [0.36, 0.28, 0.2],
            ahead: 0.0,
            cell,
            friction,
            way: BETWEEN,
            tolerance: NEWTON_TOLERANCE,
        }
    }

    /// What the sheets pull their holders with after a way, once all slides (N).
    pub fn expected(&self, way: f64) -> [f64; 3] {
        let [_, b, a] = self.sides;
        let over = (0.5 * (a + b) - way).clamp(0.0, a);
        let above = GRAVITY * DENSITY * a * over;
        let below = above + GRAVITY * DENSITY * b * b;
        [below, above + below, above].map(|presses| self.friction * presses)
    }

    fn label(&self, cloth: &Limited) -> String {
        let all = if self.way > BETWEEN {
            ", all the way"
        } else {
            ""
        };
        let firmly = if self.tolerance < NEWTON_TOLERANCE {
            ", solved firmly"
        } else {
            ""
        };
        let (cell, friction) = (1e3 * self.cell, self.friction);
        format!(
            "{}, friction {friction}, {cell} mm{all}{firmly}",
            cloth.name
        )
    }

    pub fn pull(&self, cloth: &'static Limited, findings: &mut Findings) -> Result<Pull, LabError> {
        let label = self.label(cloth);
        let world = world_of("drawer", self.scene(cloth))?;
        let mut watcher = Watcher::default();
        let course = carry_out_watched("drawer", &label, &world, &mut watcher, findings)?;
        // Two pictures and one clip are enough.
        let is_first = findings.clips.len() == 1;
        findings.clips.truncate(1);
        if is_first {
            let section = section(&world, &watcher.last, self.cell);
            findings.pictures.push(("section", section.draw(SIZE)));
        } else {
            findings.pictures.pop();
        }
        Ok(Pull {
            stack: *self,
            cloth,
            label,
            course,
            felt: watcher.felt,
        })
    }

    fn scene(&self, cloth: &Limited) -> String {
        let seconds = REST + self.way / SPEED;
        let sheets = ["lower", "middle", "upper"].iter().enumerate();
        let sheets = sheets.map(|(number, name)| self.sheet(number, name, cloth.text));
        // The edge moves on beyond the end of the run, which is rounded up to whole frames.
        let (until, far) = (seconds + 1.0, SPEED * (seconds + 1.0 - REST));
        format!(
            "[contact]\ncloth = \"all\"\n[time]\nstep = {STEP:?}\nduration = {seconds:?}\nconstraints = \"unified\"\n\
             newton_steps = 12\nnewton_tolerance = {:?}\n[body.floor]\nshape = \"plane\"\nfriction = 0.0\n{}\
             [[cloth.middle.pin]]\n{}motion.keyframes = {{ interpolation = \"linear\", \
             keys = [{{ time = {REST:?} }}, {{ time = {until:?}, displacement = [{far:?}, 0, 0] }}] }}\n",
            self.tolerance,
            sheets.collect::<String>(),
            self.edge(0.5 * self.sides[MIDDLE]),
        )
    }

    /// A sheet where it rests on those below, and whatever holds it unless it is the one that is pulled.
    fn sheet(&self, number: usize, name: &str, model: &str) -> String {
        let side = self.sides[number];
        let cells = (side / self.cell).round();
        // Nodes keep a little more from a floor than half the thickness.
        let height = THICKNESS * (0.65 + number as f64);
        let (at, friction) = match number {
            LOWER => (self.ahead, 2.0 * self.friction),
            MIDDLE => (0.0, 0.5 * self.friction),
            _ => (0.0, 2.0 * self.friction),
        };
        let held = match number {
            MIDDLE => String::new(),
            _ => format!("[[cloth.{name}.pin]]\n{}", self.edge(at - 0.5 * side)),
        };
        // Damped, so that the stretch with which it starts to slide comes to rest; without the springs of mass–spring cloth against bending,
        // which resist stretch as well, on fine meshes more than all others.
        format!(
            "[cloth.{name}]\n{model}bending = \"curvature\"\nmesh.grid = {{ size = [{side:?}, {side:?}], cells = [{cells}, {cells}] }}\n\
             place = {{ at = [{at:?}, 0, {height:?}] }}\nthickness = {THICKNESS:?}\nfriction = {friction:?}\n\
             material = {{ density = {DENSITY:?}, stretch_stiffness = 10, shear_stiffness = 10, bend = 1e-5, damping = 0.02 }}\n{held}"
        )
    }

    /// The edge across the pull at a place, held along the floor alone: it bears no weight.
    fn edge(&self, x: f64) -> String {
        let (low, high) = (x - 0.1 * self.cell, x + 0.1 * self.cell);
        format!(
            "select.box = {{ min = [{low:?}, -1, -1], max = [{high:?}, 1, 1] }}\nslide.line = [0, 0, 1]\n"
        )
    }
}

/// What was felt in a step.
pub(super) struct Felt {
    /// How far the middle sheet has been pulled (m).
    pub way: f64,
    /// What the holders were pulled with, each in the direction in which friction drags its sheet (N).
    pub forces: [f64; 3],
}

/// Looks on.
#[derive(Default)]
struct Watcher {
    felt: Vec<Felt>,
    last: Vec<DVec3>,
}

impl Watch for Watcher {
    fn look(&mut self, _world: &World, state: &State) -> Option<Vec<DVec3>> {
        self.last.clone_from(&state.positions);
        None
    }

    fn feel(&mut self, time: f64, pins: &[Load]) {
        let along = [1.0, -1.0, 1.0];
        self.felt.push(Felt {
            way: SPEED * (time - REST),
            forces: std::array::from_fn(|sheet| along[sheet] * pins[sheet].force.x),
        });
    }
}

/// A pull and what it showed.
pub(super) struct Pull {
    stack: Stack,
    cloth: &'static Limited,
    pub label: String,
    course: Course,
    felt: Vec<Felt>,
}

impl Pull {
    /// Mean forces over the end of the pull (N).
    pub fn mean(&self) -> [f64; 3] {
        let felt = || self.after(self.stack.way - SPAN);
        let count = felt().count() as f64;
        [LOWER, MIDDLE, UPPER].map(|sheet| felt().map(|f| f.forces[sheet]).sum::<f64>() / count)
    }

    /// The steps after a way (m).
    pub fn after(&self, way: f64) -> impl Iterator<Item = &Felt> {
        let felt = self.felt.iter();
        felt.filter(move |felt| felt.way > way + 1e-9)
    }

    /// What the middle sheet pulled with over what it should.
    pub fn over_coulomb(&self, felt: &Felt) -> f64 {
        felt.forces[MIDDLE] / self.stack.expected(felt.way)[MIDDLE]
    }

    /// The verdicts and a line of figures.
    pub fn judge(&self, share: f64, findings: &mut Findings) {
        let Pull {
            stack,
            cloth,
            label,
            course,
            ..
        } = self;
        let (mean, expected) = (self.mean(), stack.expected(stack.way));
        let strain = cloth.worst_strain(course).max(0.0);
        let crossed = course.intersections as f64;
        let measure = |what: &str, unit, value, reference, most| {
            Measurement::new(format!("{label}: {what}"), unit, value, reference, most)
        };
        let (force, law) = (mean[MIDDLE], expected[MIDDLE]);
        findings.measurements.extend([
            measure("force of the pull", "N", force, law, share * law),
            measure("intersections", "", crossed, 0.0, 0.0),
            measure("worst strain", "", strain, 0.0, cloth.limit + ALLOWANCE),
        ]);
        let steady = self.after(stack.way - SPAN);
        let ratios = steady.map(|felt| self.over_coulomb(felt));
        let [least, most] = ratios
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], ratio| {
                [low.min(ratio), high.max(ratio)]
            });
        findings.notes.push(format!(
            "{label}: {:.4} of Coulomb's force ({least:.3} to {most:.3}), {:.1} Newton steps a step, {} of {} steps unfinished, {:.1} s",
            force / law,
            f64::from(course.newton_steps) / course.steps as f64,
            course.unfinished,
            course.steps,
            course.seconds
        ));
    }
}

/// The heights of the row of nodes along the middle, from the side.
fn section(world: &World, positions: &[DVec3], cell: f64) -> Plot {
    let mut plot = Plot::new(
        "The sheets along the middle, from the side",
        Axis::linear("along the pull (mm)"),
        Axis::linear("height (mm)"),
    );
    for cloth in &world.model.cloths {
        let rest = &world.state.positions;
        // The one row that is not to the right of the middle and less than a cell to the left.
        let row = |i: &usize| (-1e-9..0.99 * cell).contains(&rest[*i].y);
        let places = cloth.nodes.clone().filter(row).map(|i| 1e3 * positions[i]);
        let mut line: Vec<_> = places.map(|p| [p.x, p.z]).collect();
        line.sort_by(|a, b| a[0].total_cmp(&b[0]));
        plot = plot.curve(cloth.name.clone(), line);
    }
    plot
}
