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
mod limits;

use super::linked::link_cloths;
use super::rule::Rule;
use super::{ImplicitSettings, Predicted};
use crate::contact::{Candidate, ContactPoint, ContactReport, Surroundings, Trial, book};
use crate::energy::Weights;
use crate::energy::assembly::Plan;
use crate::hold::{Attachment, Context};
use crate::limit::LimitReport;
use crate::linalg::{
    BlockMatrix, BlockPattern, Coupling, Filter, Outcome, SolveSettings, SystemSolver,
};
use crate::model::Model;
use crate::parallel::{self, dot};
use crate::state::KeptContact;
use crate::timing::Watch;
use body_contacts::{BodyContacts, Journey};
use cloth_pairs::{ClothPairs, Way};
use contact_row::ContactRow;
use glam::{DMat3, DVec3};
use limits::{Limits, for_each_limited_pair};
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
const CONTACT_TOLERANCE: f64 = 0.3;
/// Stiffness of a contact, relative to that of what it works against. From 5 to 80 a sheet that falls on a ball takes the same
/// number of iterations; softer contacts are missed by more.
const CONTACT_STIFFNESS: f64 = 20.0;
/// A row that has had nothing to do for this many iterations is dropped.
const IDLE: u32 = 3;
/// `y` goes to this part of the way to an impact.
const SHORT_OF_IMPACT: f64 = 0.9;
/// Looks along a Newton step at the most.
const LOOKS: u32 = 6;
/// A share of it is good when the slope there is this part of that at the start.
const FLAT: f64 = 0.3;

/// What the solve lives in from step to step.
#[derive(Debug)]
pub(crate) struct Unified {
    plan: Plan,
    /// Inertia and energies.
    base: BlockMatrix,
    /// And rows.
    matrix: BlockMatrix,
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
    linear: SystemSolver,
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
        let pattern = Arc::new(BlockPattern::new(nodes, pairs.into_iter()));
        let zeros = || vec![DVec3::ZERO; nodes];
        Unified {
            plan: Plan::new(nodes, &model.energies, Some(&pattern)),
            base: BlockMatrix::new(pattern.clone()),
            matrix: BlockMatrix::new(pattern.clone()),
            right_side: zeros(),
            reference: zeros(),
            edges: shortest_edges(model),
            velocities: zeros(),
            search: zeros(),
            committed: zeros(),
            moves: zeros(),
            saved: zeros(),
            downhill: zeros(),
            balance: zeros(),
            product: zeros(),
            limits: Limits::new(model, &pattern),
            rows: Vec::new(),
            pairs: ClothPairs::for_model(model).map(Box::new),
            bodies: BodyContacts::for_model(model).map(Box::new),
            couplings: Vec::new(),
            attachments: Vec::new(),
            linear: SystemSolver::new(&pattern, settings.solver),
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
    // What the last Newton step foresaw that the Lagrangian would fall by, against what it falls by where nothing but gravity
    // acts: the balance of forces in the norm of the matrix, in which what is stiff moves nothing. Where cloth is crumpled the
    // balance itself falls slowly, by forces that hardly move it.
    let (mut fall, weight_work) = (f64::INFINITY, step.weight_work());
    loop {
        let mut slope = step.assemble(solve, predicted.newton_steps > 0);
        // Multipliers follow when the minimum for those before is about found: sooner, rows that were not in the solve would
        // push as no solve has answered to, and be thrown out again.
        let balance = free_norm(&solve.balance, context);
        if predicted.newton_steps > 0 {
            let unlearned = solve.unlearned(model);
            let held = solve.limits.hold(model);
            let touching = left.contact <= 1.0;
            let settled = balance <= tolerance || fall <= step.tolerance().powi(2) * weight_work;
            let settled = settled && held && solve.narrow() <= tolerance;
            predicted.converged = settled && touching && done >= DONE;
            if settled || slope <= LEARN * unlearned || slope <= tolerance {
                solve.learn();
                if !predicted.converged {
                    slope = step.assemble(solve, false);
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
        let first = predicted.newton_steps == 0 && solve.is_unconstrained();
        let outcome = step.newton(solve, slope, scale, first);
        predicted.iterations += outcome.iterations;
        predicted.linear_residual = outcome.residual;
        predicted.newton_steps += 1;
        watch.lap(|times| &mut times.solve);
        fall = 0.5 * dot(&solve.downhill, &solve.moves);
        step.search(solve);
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
    /// Takes the quadratic model of inertia and energies, places the search point, and recalls the rows.
    fn begin(&self, solve: &mut Unified) {
        let Context {
            model,
            state,
            holds,
            ..
        } = *self.context;
        let (rule, reach) = (self.rule, self.rule.reach);
        solve.attachments.clone_from(&holds.attachments);
        for attachment in &mut solve.attachments {
            attachment.prepare(|i| rule.position(i), reach);
        }
        parallel::fill(&mut solve.velocities, |i| rule.first_velocity(i));
        solve.search.copy_from_slice(&state.positions);
        self.linearise(solve, rule.step);
        let velocities = &solve.velocities;
        parallel::fill(&mut solve.reference, |i| rule.end(i, velocities[i]));
        solve.committed.copy_from_slice(&state.positions);
        // What nothing stops goes on getting faster as it did. Elsewhere the last change of velocities may have been an impact.
        let free = solve.limits.is_empty() && solve.pairs.is_none() && solve.bodies.is_none();
        let growth = if free { 1.0 } else { 0.0 };
        parallel::fill(&mut solve.search, |i| {
            let guess = rule.end(i, state.velocities[i] + growth * state.last_change[i]);
            holds.filters[i].constrain(holds.targets[i], guess)
        });
        let unit = reach * reach;
        solve
            .limits
            .begin(model, &state.positions, &state.limit_forces, unit);
        solve.rows.clear();
        if let Some(pairs) = solve.pairs.as_deref_mut() {
            pairs.begin(&state.positions);
        }
        if let Some(bodies) = solve.bodies.as_deref_mut() {
            bodies.begin(self.context, self.around);
        }
        // Contacts of the step before push from the start; what would meet on the way is found at once.
        self.find_rows(solve, 0.0);
        for row in &mut solve.rows {
            row.radius = row.cone(0.0);
            let key = row.key;
            if let Ok(at) = state.contacts.binary_search_by_key(&key, |kept| kept.key) {
                let kept = &state.contacts[at];
                row.push = unit * kept.push;
                row.radius = row.cone(row.push);
                let drag = (unit * kept.drag).reject_from_normalized(row.normal);
                row.drag = drag.clamp_length_max(row.radius);
            }
        }
    }

    /// Matrix and right side of inertia and energies at the search point; `ahead` as in [`Weights`].
    fn linearise(&self, solve: &mut Unified, ahead: f64) {
        let (model, reach) = (self.context.model, self.rule.reach);
        let Unified {
            plan,
            base,
            right_side,
            search,
            velocities,
            attachments,
            ..
        } = solve;
        parallel::fill(&mut base.diagonal, |i| {
            let mass = model.masses[i] * (1.0 + reach * model.air_damping[i]);
            DMat3::from_diagonal(DVec3::splat(mass))
        });
        right_side.fill(DVec3::ZERO);
        let weights = Weights {
            stiffness: reach * reach,
            damping: reach,
            ahead,
        };
        let memory = self.context.state.memory();
        let system = (&mut *base, &mut right_side[..]);
        plan.add_systems(
            &model.energies,
            &memory,
            search,
            velocities,
            &weights,
            system,
        );
        let (context, rule, velocities) = (self.context, self.rule, &*velocities);
        parallel::for_each(right_side, |i, value| {
            let drag = model.air_damping[i] * velocities[i];
            let inertia = rule.velocity(i) - velocities[i];
            let pull = context.pull(i) - drag;
            *value = model.masses[i] * (inertia + reach * pull) + reach * *value;
        });
        for attachment in attachments.iter() {
            attachment.add_impulse(velocities, right_side);
        }
    }

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

    /// Gradient and matrix of the Lagrangian at the search point; energies are linearised there too if asked for.
    /// Answers the norm of the gradient in the free directions (kg·m).
    fn assemble(&self, solve: &mut Unified, again: bool) -> f64 {
        let (model, rule) = (self.context.model, self.rule);
        if again && (self.settings.newton_steps > 1 || solve.has_left_its_model()) {
            let search = &solve.search;
            parallel::fill(&mut solve.velocities, |i| rule.velocity_to(i, search[i]));
            self.linearise(solve, 0.0);
            solve.reference.copy_from_slice(&solve.search);
        }
        let Unified {
            base,
            matrix,
            right_side,
            reference,
            search,
            saved,
            downhill,
            balance,
            product,
            limits,
            rows,
            couplings,
            attachments,
            ..
        } = solve;
        matrix.diagonal.copy_from_slice(&base.diagonal);
        matrix.lower.copy_from_slice(&base.lower);
        let (from, to) = (&*reference, &*search);
        parallel::fill(saved, |i| to[i] - from[i]);
        base.multiply(saved, product);
        couplings.clear();
        for attachment in attachments.iter() {
            let coupling = attachment.coupling();
            coupling.add_product(saved, product);
            coupling.add_to(&mut matrix.diagonal);
            couplings.push(coupling);
        }
        // The gradient, first of all.
        let (right_side, product, reach) = (&*right_side, &*product, rule.reach);
        parallel::fill(downhill, |i| product[i] - reach * right_side[i]);
        balance.copy_from_slice(downhill);
        limits.evaluate(model, search);
        limits.add(model, search, [&mut *downhill, &mut *balance], matrix);
        parallel::for_each(downhill, |_, g| *g = -*g);
        parallel::for_each(balance, |_, g| *g = -*g);
        for row in rows.iter() {
            let place = row.combine(search);
            let force = row.force(place);
            for (&node, &weight) in row.nodes.iter().zip(&row.weights) {
                downhill[node as usize] += weight * force;
                balance[node as usize] += weight * force;
            }
            if let Some(coupling) = row.coupling(place)
                && coupling.add_within(matrix).is_none()
            {
                coupling.add_to(&mut matrix.diagonal);
                couplings.push(coupling);
            }
        }
        free_norm(&solve.downhill, self.context)
    }

    /// Solves for a Newton step.
    fn newton(&self, solve: &mut Unified, residual: f64, scale: f64, only: bool) -> Outcome {
        let filters = &self.context.holds.filters;
        solve.moves.fill(DVec3::ZERO);
        let target = if only {
            self.settings.tolerance * scale
        } else {
            (FORCING * residual).max(0.1 * self.tolerance() * scale)
        };
        let factored = solve.linear.factor(&solve.matrix, filters);
        if !factored {
            // Forces or stiffness are not finite; hand the fact on to the check that names the node.
            solve.moves.copy_from_slice(&solve.downhill);
        }
        solve.linear.solve_coupled(
            (&solve.matrix, &solve.couplings),
            &solve.downhill,
            filters,
            &mut solve.moves,
            SolveSettings {
                residual: target,
                iterations: if factored {
                    self.settings.max_iterations
                } else {
                    0
                },
            },
        )
    }

    /// Moves the search point along the Newton step to where the Lagrangian is lowest, as far as a few looks tell, and predicts
    /// the multipliers of the limits there.
    fn search(&self, solve: &mut Unified) {
        let model = self.context.model;
        let steepest = -dot(&solve.downhill, &solve.moves);
        solve.limits.predict(model, &solve.search, &solve.moves);
        solve.saved.copy_from_slice(&solve.search);
        solve.base.multiply(&solve.moves, &mut solve.product);
        let curvature = dot(&solve.product, &solve.moves);
        // The slope of everything but the rows is linear along the way.
        let smooth = {
            let rows: f64 = solve
                .rows
                .iter()
                .map(|r| r.slope(&solve.search, &solve.moves))
                .sum();
            steepest - rows - solve.limits.slope(model, &solve.search, &solve.moves)
        };
        let mut share = 1.0f64;
        let mut bracket = [(0.0, steepest), (f64::INFINITY, 0.0)];
        for look in 0..LOOKS {
            let (saved, moves) = (&solve.saved, &solve.moves);
            parallel::fill(&mut solve.search, |i| saved[i] + share * moves[i]);
            solve.limits.evaluate(model, &solve.search);
            let rows: f64 = solve
                .rows
                .iter()
                .map(|r| r.slope(&solve.search, &solve.moves))
                .sum();
            let slope = smooth
                + share * curvature
                + rows
                + solve.limits.slope(model, &solve.search, &solve.moves);
            if slope.abs() <= FLAT * steepest.abs()
                || look + 1 == LOOKS
                || slope <= 0.0 && share >= 1.0
            {
                break;
            }
            if slope > 0.0 || slope.is_nan() {
                bracket[1] = (share, slope);
            } else {
                bracket[0] = (share, slope);
            }
            let [(low, at_low), (high, at_high)] = bracket;
            let crossing = low + (high - low) * at_low / (at_low - at_high);
            share = match crossing.is_finite() {
                true => crossing.clamp(low + 0.1 * (high - low), high - 0.1 * (high - low)),
                false => low + 0.1 * (high - low),
            };
        }
        if share != 1.0 {
            solve.limits.share_prediction(share);
        }
    }

    /// Looks along the way from the committed place to the search point, and goes as far as there is no impact.
    fn travel(&self, solve: &mut Unified, done: f64, collisions: &mut usize) -> Left {
        let share = self.find_rows(solve, done);
        let go = if share < 1.0 {
            *collisions += 1;
            SHORT_OF_IMPACT * share
        } else {
            1.0
        };
        let search = &solve.search;
        parallel::for_each(&mut solve.committed, |i, y| {
            *y = if go == 1.0 {
                search[i]
            } else {
                y.lerp(search[i], go)
            };
        });
        let violations = solve.rows.iter().map(|row| {
            // Cloth without a thickness keeps nothing, and misses nothing.
            row.violation(row.combine(&solve.search)) / row.slack.max(f64::MIN_POSITIVE)
        });
        Left {
            contact: violations.fold(0.0, f64::max),
            share: go,
        }
    }

    /// Looks for contacts along the way from the committed place to the search point: known rows are looked at anew, new ones
    /// begin without a push, and those that have had nothing to do for long are dropped. Answers the share of the way up to the
    /// first impact.
    fn find_rows(&self, solve: &mut Unified, done: f64) -> f64 {
        let Unified {
            rows,
            pairs,
            bodies,
            committed,
            search,
            base,
            ..
        } = solve;
        let context = self.context;
        rows.retain(|row| row.idle < IDLE);
        let known = rows.len();
        let mut share = 1.0f64;
        let diagonal = &base.diagonal;
        let mut add = |mut look: ContactRow| match rows[..known]
            .binary_search_by_key(&look.key, |row| row.key)
        {
            Ok(at) => rows[at].renew(&look),
            Err(_) => {
                look.stiffness =
                    CONTACT_STIFFNESS * stiffness(&look, diagonal, &context.holds.filters);
                if look.stiffness > 0.0 {
                    rows.push(look);
                }
            }
        };
        if let Some(bodies) = bodies.as_deref_mut() {
            let journey = Journey {
                from: committed,
                to: search,
                done,
            };
            share = share.min(bodies.look(context, self.around, &journey, &mut add));
        }
        if let Some(pairs) = pairs.as_deref_mut() {
            let way = Way {
                start: &context.state.positions,
                from: committed,
                to: search,
            };
            share = share.min(pairs.look(context.model, &way, &mut add));
        }
        rows.sort_unstable_by_key(|row| row.key);
        share
    }

    /// Shifts cloth that nothing but cloth touches by what the solve left of the balance of all its nodes: energies, limits and
    /// contacts between cloths do not feel it, so that momentum is kept to rounding. Cloths that push each other are shifted as
    /// one.
    fn balance_momentum(&self, solve: &mut Unified) {
        let (model, reach) = (self.context.model, self.rule.reach);
        let cloths = &model.cloths;
        let Unified {
            rows,
            linked,
            balance,
            committed,
            ..
        } = solve;
        let between = rows.iter().filter(|row| row.body().is_none());
        let pairs = between.map(|row| [row.nodes[0], row.nodes[3]]);
        link_cloths(model, pairs, linked);
        let touches_body = |nodes: &std::ops::Range<usize>| {
            let on_bodies = rows.iter().filter(|row| row.body().is_some());
            on_bodies
                .into_iter()
                .any(|row| nodes.contains(&(row.nodes[0] as usize)))
        };
        let is_free = |cloth: usize| {
            let nodes = &cloths[cloth].nodes;
            self.context.is_unheld(cloth) && !model.in_air(nodes) && !touches_body(nodes)
        };
        for leader in 0..cloths.len() {
            let members = || (0..cloths.len()).filter(|&cloth| linked[cloth] == leader);
            if !members().all(is_free) {
                continue;
            }
            let (mut left, mut inertia) = (DVec3::ZERO, 0.0);
            for i in members().flat_map(|cloth| cloths[cloth].nodes.clone()) {
                left += balance[i];
                inertia += model.masses[i] * (1.0 + reach * model.air_damping[i]);
            }
            for i in members().flat_map(|cloth| cloths[cloth].nodes.clone()) {
                committed[i] += left / inertia;
            }
        }
    }

    /// Books what bodies and holders gave, keeps the multipliers, and reports.
    fn finish(
        &self,
        solve: &mut Unified,
        predicted: &Predicted,
        collisions: usize,
        done: f64,
        trial: &mut Trial,
    ) {
        let Context { model, holds, .. } = *self.context;
        let reach = self.rule.reach;
        let unit = reach * reach;
        let loads = &mut trial.loads;
        for (i, filter) in holds.filters.iter().enumerate() {
            if *filter != Filter::Free {
                let given = -solve.balance[i] / reach;
                loads.held[i] = given - filter.apply(given);
            }
        }
        solve.kept.clear();
        for row in &solve.rows {
            let force = row.push * row.normal - row.drag;
            if force == DVec3::ZERO {
                continue;
            }
            solve.kept.push(KeptContact {
                key: row.key,
                push: row.push / unit,
                drag: row.drag / unit,
            });
            if let Some(body) = row.body() {
                for (&node, &weight) in row.nodes.iter().zip(&row.weights) {
                    book(
                        &mut loads.given[node as usize],
                        body as usize,
                        weight * force / reach,
                    );
                }
            }
        }
        let rule = self.rule;
        let committed = &solve.committed;
        parallel::fill(&mut solve.velocities, |i| rule.velocity_to(i, committed[i]));
        for attachment in &mut solve.attachments {
            attachment.learn(&solve.velocities, reach);
        }
        solve.limits.evaluate(model, &solve.committed);
        solve.limits.store(model, unit);
        let breaches = solve.rows.iter();
        let breaches = breaches.map(|row| row.breach(row.combine(&solve.committed)) / unit);
        solve.report.friction_residual = breaches.reduce(f64::max);
        solve.report.share_done = done;
        let bodies = solve.bodies.as_deref();
        solve.report.gap_between =
            bodies.and_then(|b| b.smallest_between(self.around, &solve.committed));
        solve.report.limit = (!solve.limits.is_empty()).then(|| LimitReport {
            iterations: predicted.newton_steps,
            linear_iterations: predicted.iterations,
            residual: solve.limits.worst(),
            least_multiplier: None,
            converged: solve.limits.hold(model),
        });
        solve.report.contact = solve.pairs.as_deref().map(|pairs| {
            let (near, smallest_gap) = pairs.nearest(&solve.committed);
            ContactReport {
                near,
                smallest_gap,
                collisions,
                rounds: predicted.newton_steps,
                largest_zone: 0,
                missed: usize::from(done < DONE),
            }
        });
    }
}

impl Unified {
    /// Where cloth touched in the last step, with what it got there.
    pub fn points(&self, positions: &[DVec3], reach: f64) -> Vec<ContactPoint> {
        let rows = self.rows.iter().filter(|row| row.push > 0.0);
        let unit = reach * reach;
        rows.map(|row| {
            let parts = row.nodes.iter().zip(&row.weights);
            let first = parts.filter(|(_, w)| **w > 0.0);
            ContactPoint {
                nodes: row.nodes,
                weights: row.weights,
                body: row.body().map(|b| b as usize),
                place: first.map(|(&n, &w)| w * positions[n as usize]).sum(),
                normal: row.normal,
                force: (row.push * row.normal - row.drag) / unit,
                is_sliding: row.drag.length() >= 0.999 * row.radius,
            }
        })
        .collect()
    }
}

/// The stiffness that a contact works against, along its normal (kg): that of its nodes, in a row.
fn stiffness(row: &ContactRow, diagonal: &[DMat3], filters: &[Filter]) -> f64 {
    let n = row.normal;
    let mut compliance = 0.0;
    for (&node, &weight) in row.nodes.iter().zip(&row.weights) {
        let node = node as usize;
        let free = filters[node].apply(n).length_squared();
        compliance += weight * weight * free / n.dot(diagonal[node] * n);
    }
    if compliance > 0.0 {
        1.0 / compliance
    } else {
        0.0
    }
}
