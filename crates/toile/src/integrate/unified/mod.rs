//! One solve: a step as one constrained minimisation, in which cloth neither stretches nor passes through.
//!
//! With the rule's `x̂`, `v̂`, `H` (see [`rule`](super::rule)) a step looks for
//!
//! `min_x ½ (x − x̂ − H v̂)ᵀ M (x − x̂ − H v̂) + H² Ψ(x)`
//!
//! subject to all limits, to `n·Σ wᵢ xᵢ ≥ b` for every contact and to Coulomb's law on it. Every row of it carries a multiplier
//! and a stiffness (the method of multipliers: Hestenes 1969, Powell 1969, Rockafellar 1973), so that one matrix
//! `A + Σ k ∇c ∇cᵀ` holds inertia, energies, limits and contacts together. `A` and its right side are those of the
//! [implicit step](super::implicit), linearised anew whenever the iterate has left them: a model that is kept while contacts move
//! the cloth by far would let springs stretch that it thinks of as turned (an upright sheet that falls into a heap: 17 % for 2 %).
//!
//! Two configurations are kept. `y` is what will be committed: it starts where the step starts, and only ever moves along ways
//! that continuous collision detection has certified. `x` is the search point, which may violate anything. An iteration:
//!
//! 1. one Newton step on `x` for all rows, as long as the Lagrangian falls along it. It predicts the multipliers of the limits,
//!    `λ + k (c + J Δx)`, and these, not `λ + k c`, count for the second derivatives: what `k` makes of the second order of `c`
//!    is no tension, and would hold the next step back (the primal–dual form of the method: Gill and Robinson 2012);
//!    Where forces balance with them and only the limits are still missed, the step goes back to the limits and does no more;
//! 2. if the minimum for the present multipliers is about found, they become what the rows pull and push with; friction stays in
//!    its cone, whose radius is that of the push before;
//! 3. the way from `y` to `x` is looked at: whatever would meet there becomes a row at once, and `y` goes as far as the first
//!    impact;
//! 4. the share of the step that is done grows, `β ← β + (1 − β) α`.
//!
//! It ends when `β` is nearly 1, the limits hold at `y`, contacts hold, and forces balance with the predicted multipliers or the
//! last Newton step had next to nothing to gain.
//! Whatever happens, `y` has no intersections that the start did not have; and one-sided limits that hold at the start and at
//! `x` hold at `y` too, because lengths are convex functions.
//!
//! The formulation of contact follows Zheng, Luo and Li (2025), penetration-free elastodynamics without barriers.

mod body_contacts;
mod cloth_pairs;
mod contact_row;
mod finish;
mod lagrangian;
mod limits;
mod matrix;
mod newton;
mod travel;

use super::linked::link_cloths;
use super::rule::Rule;
use super::{ImplicitSettings, Predicted};
use crate::contact::{Candidate, ContactPoint, ContactReport, SPARE, Surroundings, Trial};
use crate::energy::assembly::Plan;
use crate::hold::{Attachment, Context};
use crate::limit::LimitReport;
use crate::linalg::{BlockMatrix, BlockPattern, Coupling};
use crate::model::Model;
use crate::parallel::{self, dot};
use crate::state::KeptContact;
use crate::timing::Watch;
use body_contacts::BodyContacts;
use cloth_pairs::ClothPairs;
use contact_row::ContactRow;
use glam::DVec3;
use limits::{Limits, for_each_limited_pair};
use matrix::StepMatrix;
use std::sync::Arc;

/// Energies are linearised anew when a node has moved by more than this part of its shortest edge: an edge that turns so far is
/// thought to be longer by an eighth of a per cent.
const MODEL_HOLDS: f64 = 0.05;
/// Iterations at the most.
const MOST_ITERATIONS: u32 = 60;
/// The share of a step that is enough.
const DONE: f64 = 0.99;
/// What may be left of the balance of forces, relative to the larger of the first right side and the impulse of gravity. Half of
/// it costs a fifth more iterations where two sheets land on a box, and none on a ball.
const RESIDUAL: f64 = 0.1;
/// Multipliers are learned when the residual is less than this part of what they would change.
const LEARN: f64 = 0.3;

/// A Newton step is solved to this part of the residual (inexact Newton). From a thousandth to a twentieth cost the same.
const FORCING: f64 = 1e-2;

/// Contacts may be missed by this part of the distance that they keep; nodes ask bodies for as much more, so that it is left to
/// them. What rests comes to what it asks for in the steps after. Before that a sheet that falls on a ball took 3.4 Newton steps a
/// step with it, and 4.4 with a third of it.
const CONTACT_TOLERANCE: f64 = SPARE;
/// Rows of nodes against bodies ask for this part of the offset, so that what a step may miss leaves them the offset itself.
const WITH_SPARE: f64 = 1.0 + SPARE;

/// Steps back to the limits go on while each leaves at the most this part of what they are missed by.
const RESTORES: f64 = 0.5;

/// What the solve lives in from step to step.
#[derive(Debug)]
pub(crate) struct Unified {
    plan: Plan,
    /// Inertia and energies.
    base: BlockMatrix,
    /// And rows.
    matrix: StepMatrix,
    /// The right side of the implicit step at the reference (N·s).
    right_side: Vec<DVec3>,
    /// Where the quadratic model of inertia and energies is taken (m).
    reference: Vec<DVec3>,
    /// The shortest edge at each node, at rest (m).
    edges: Vec<f64>,
    velocities: Vec<DVec3>,
    /// `x`, `y`, and a Newton step (m).
    search: Vec<DVec3>,
    committed: Vec<DVec3>,
    moves: Vec<DVec3>,
    saved: Vec<DVec3>,
    /// The gradient of inertia and energies (kg·m).
    smooth: Vec<DVec3>,
    /// Minus the gradient of the Lagrangian (kg·m).
    downhill: Vec<DVec3>,
    /// The same with the multipliers that the last solve predicted for the limits.
    balance: Vec<DVec3>,
    product: Vec<DVec3>,
    limits: Limits,
    rows: Vec<ContactRow>,
    pairs: Option<Box<ClothPairs>>,
    bodies: Option<Box<BodyContacts>>,
    couplings: Vec<Coupling>,
    pub attachments: Vec<Attachment>,
    /// Contacts of the last step, for the next.
    kept: Vec<KeptContact>,
    /// For each cloth the first of those that it pushes.
    linked: Vec<usize>,
    report: UnifiedReport,
}

/// How the last step went, in what was committed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UnifiedReport {
    pub limit: Option<LimitReport>,
    pub contact: Option<ContactReport>,
    pub share_done: f64,
    pub friction_residual: Option<f64>,
    pub gap_between: Option<f64>,
}

impl Unified {
    pub fn new(model: &Model, settings: &ImplicitSettings) -> Self {
        let nodes = model.node_count();
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for row in 0..nodes {
            let columns = &model.pattern.columns[model.pattern.row(row)];
            pairs.extend(columns.iter().map(|&c| [row as u32, c]));
        }
        for_each_limited_pair(model, |pair| pairs.push(pair));
        for_each_touching_pair(model, |pair| pairs.push(pair));
        let pattern = Arc::new(BlockPattern::new(nodes, pairs.into_iter()));
        let zeros = || vec![DVec3::ZERO; nodes];
        Unified {
            plan: Plan::new(nodes, &model.energies, Some(&pattern)),
            base: BlockMatrix::new(pattern.clone()),
            matrix: StepMatrix::new(&pattern, settings.solver),
            right_side: zeros(),
            reference: zeros(),
            edges: shortest_edges(model),
            velocities: zeros(),
            search: zeros(),
            committed: zeros(),
            moves: zeros(),
            saved: zeros(),
            smooth: zeros(),
            downhill: zeros(),
            balance: zeros(),
            product: zeros(),
            limits: Limits::new(model, &pattern),
            rows: Vec::new(),
            pairs: ClothPairs::for_model(model).map(Box::new),
            bodies: BodyContacts::for_model(model).map(Box::new),
            couplings: Vec::new(),
            attachments: Vec::new(),
            kept: Vec::new(),
            linked: Vec::new(),
            report: UnifiedReport::default(),
        }
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    pub fn report(&self) -> &UnifiedReport {
        &self.report
    }

    /// What the limits pulled with (N·m), and the contacts, for the next step.
    pub fn memory(&self) -> (&[f64], &[KeptContact]) {
        (&self.limits.forces, &self.kept)
    }
}

/// Every two nodes of a triangle that bodies may touch.
fn for_each_touching_pair(model: &Model, mut pair: impl FnMut([u32; 2])) {
    for cloth in model.cloths.iter().filter(|_| !model.bodies.is_empty()) {
        let first = cloth.nodes.start as u32;
        for [a, b, c] in cloth.topology.faces.iter().flat_map(|f| f.triangles()) {
            for [a, b] in [[a, b], [b, c], [c, a]] {
                pair([a + first, b + first]);
            }
        }
    }
}

/// The shortest edge at each node, at rest (m).
fn shortest_edges(model: &Model) -> Vec<f64> {
    let mut shortest = vec![f64::INFINITY; model.node_count()];
    for cloth in &model.cloths {
        let first = cloth.nodes.start;
        for (edge, &length) in cloth.topology.edges.iter().zip(&cloth.rest.edge_lengths) {
            for node in edge.nodes {
                let at_node = &mut shortest[first + node as usize];
                *at_node = at_node.min(length);
            }
        }
    }
    shortest
}

/// What is left to be done after an iteration.
#[derive(Clone, Copy, Debug)]
struct Left {
    /// Worst violation of a contact, as a part of what it may be missed by.
    contact: f64,
    share: f64,
}

/// One step.
struct Step<'a> {
    context: &'a Context<'a>,
    around: &'a Surroundings,
    rule: Rule<'a>,
    settings: &'a ImplicitSettings,
}

/// Puts a step into the trial.
pub(super) fn predict(
    context: &Context,
    solve: &mut Unified,
    settings: &ImplicitSettings,
    around: &Surroundings,
    trial: &mut Trial,
    watch: &mut Watch,
) -> Predicted {
    let Context {
        model, state, h, ..
    } = *context;
    let step = Step {
        context,
        around,
        rule: Rule::new(settings.rule, state, h),
        settings,
    };
    let reach = step.rule.reach;
    step.begin(solve);
    watch.lap(|times| &mut times.assemble);

    let mut predicted = Predicted {
        converged: false,
        iterations: 0,
        newton_steps: 0,
        linear_residual: 0.0,
        force_residual: None,
    };
    let scale = step.scale(solve);
    let tolerance = step.tolerance() * scale;
    let mut left = Left {
        contact: 0.0,
        share: 1.0,
    };
    let (mut done, mut collisions) = (0.0, 0);
    let (mut restoring, mut missed) = (false, f64::INFINITY);
    // What the last Newton step foresaw that the Lagrangian would fall by, against what it falls by where nothing but gravity
    // acts: the balance of forces in the norm of the matrix, in which what is stiff moves nothing. Where cloth is crumpled the
    // balance itself falls slowly, by forces that hardly move it.
    let (mut fall, weight_work) = (f64::INFINITY, step.weight_work());
    loop {
        let mut slope = step.evaluate(solve, predicted.newton_steps > 0);
        // Multipliers follow when the minimum for those before is about found: sooner, rows that were not in the solve would
        // push as no solve has answered to, and be thrown out again.
        let balance = free_norm(&solve.balance, context);
        if predicted.newton_steps > 0 {
            let unlearned = solve.unlearned(model);
            let held = solve.limits.hold(model);
            let arrived = left.contact <= 1.0 && done >= DONE;
            let balanced = balance <= tolerance;
            let settled = balanced || fall <= step.tolerance().powi(2) * weight_work;
            let settled = settled && held && solve.narrow() <= tolerance;
            predicted.converged = settled && arrived;
            let worst = solve.limits.worst();
            restoring = balanced && arrived && !held && worst <= RESTORES * missed;
            missed = if restoring { worst } else { f64::INFINITY };
            if restoring {
                slope = step.aim_at_limits(solve);
            } else if settled || slope <= LEARN * unlearned || slope <= tolerance {
                solve.learn();
                if !predicted.converged {
                    slope = step.evaluate(solve, false);
                }
            }
        }
        predicted.force_residual = Some(if scale > 0.0 { balance / scale } else { 0.0 });
        watch.lap(|times| &mut times.assemble);
        if predicted.converged {
            break;
        }
        if predicted.newton_steps >= step.most_iterations(solve) || !slope.is_finite() {
            break;
        }
        step.fill_matrix(solve);
        watch.lap(|times| &mut times.assemble);
        let target = if predicted.newton_steps == 0 && solve.is_unconstrained() {
            settings.tolerance * scale
        } else if restoring {
            FORCING * slope
        } else {
            (FORCING * slope).max(0.1 * tolerance)
        };
        let outcome = step.newton(solve, target);
        predicted.iterations += outcome.iterations;
        predicted.linear_residual = outcome.residual;
        predicted.newton_steps += 1;
        watch.lap(|times| &mut times.solve);
        if restoring {
            step.restore(solve);
        } else {
            fall = 0.5 * dot(&solve.downhill, &solve.moves);
            step.search(solve);
        }
        watch.lap(|times| &mut times.limit);
        left = step.travel(solve, done, &mut collisions);
        done += (1.0 - done) * left.share;
        watch.lap(|times| &mut times.contact);
    }
    if scale > 0.0 {
        predicted.linear_residual /= scale;
    }
    if done >= DONE {
        step.balance_momentum(solve);
    }
    step.finish(solve, &predicted, collisions, done, trial);
    watch.lap(|times| &mut times.certify);
    let (rule, committed) = (step.rule, &solve.committed);
    parallel::fill(&mut trial.candidates, |i| Candidate {
        position: committed[i],
        velocity: (committed[i] - rule.position(i)) / reach,
    });
    predicted
}

impl Unified {
    /// Whether rows have moved a node so far from where energies were linearised that it matters. (Energies alone get as many
    /// Newton steps as were asked for.)
    fn has_left_its_model(&self) -> bool {
        let mut nodes = self.search.iter().zip(&self.reference).zip(&self.edges);
        !self.is_unconstrained()
            && nodes.any(|((x, from), edge)| x.distance(*from) > MODEL_HOLDS * edge)
    }

    /// Whether nothing but energies is in the solve.
    fn is_unconstrained(&self) -> bool {
        self.limits.is_empty() && self.rows.is_empty()
    }

    /// Makes what the rows push and pull with their multipliers.
    fn learn(&mut self) {
        self.limits.keep();
        for row in &mut self.rows {
            row.learn(row.combine(&self.search));
        }
    }

    /// How much the gradient would change if they did, estimated (kg·m).
    fn unlearned(&self, model: &Model) -> f64 {
        self.unlearned_contacts()
            .hypot(self.limits.unlearned(model).sqrt())
    }

    /// The same of the contacts alone (kg·m).
    fn unlearned_contacts(&self) -> f64 {
        let rows = self.rows.iter();
        let squares = rows.map(|row| row.unlearned(row.combine(&self.search)));
        squares.sum::<f64>().sqrt()
    }

    /// How far the friction cones are from those of the present pushes (kg·m).
    fn narrow(&self) -> f64 {
        let rows = self.rows.iter();
        let squares = rows.map(|row| row.narrow(row.combine(&self.search)));
        squares.sum::<f64>().sqrt()
    }
}

/// The norm of a gradient in the free directions (kg·m).
fn free_norm(gradient: &[DVec3], context: &Context) -> f64 {
    let filters = &context.holds.filters;
    let squares = parallel::sum(gradient.len(), |i| {
        filters[i].apply(gradient[i]).length_squared()
    });
    squares.sqrt()
}

impl Step<'_> {
    /// The part of the scale that residuals have to fall to.
    fn tolerance(&self) -> f64 {
        match self.settings.newton_steps {
            1 => RESIDUAL,
            _ => self.settings.newton_tolerance,
        }
    }

    /// Newton steps at the most: of energies alone as many as were asked for.
    fn most_iterations(&self, solve: &Unified) -> u32 {
        match solve.is_unconstrained() {
            true => self.settings.newton_steps,
            false => MOST_ITERATIONS.max(self.settings.newton_steps),
        }
    }

    /// What residuals are small against (kg·m).
    fn scale(&self, solve: &Unified) -> f64 {
        let masses = &self.context.model.masses;
        let squares = parallel::sum(masses.len(), |i| {
            (masses[i] * self.context.pull(i)).length_squared()
        });
        let weight = self.rule.reach * squares.sqrt();
        let right_side = &solve.right_side;
        self.rule.reach * dot(right_side, right_side).sqrt().max(weight)
    }

    /// What the Lagrangian of free cloth falls by in a step (kg·m²).
    fn weight_work(&self) -> f64 {
        let masses = &self.context.model.masses;
        let unit = self.rule.reach.powi(2);
        parallel::sum(masses.len(), |i| {
            0.5 * masses[i] * (unit * self.context.pull(i)).length_squared()
        })
    }
}
