//! The linear system of an implicit step and what holds nodes in it.

use super::ImplicitSettings;
use super::linked::link_cloths;
use crate::contact::{
    Change, Cushion, Given, Support, Surroundings, Tie, Verdict, book, find_support,
    pinched_support,
};
use crate::energy::EnergyBatch;
use crate::energy::assembly::Plan;
use crate::hold::{Attachment, Context};
use crate::linalg::{
    BlockMatrix, Coupling, Filter, LinearSolver, Outcome, SolveSettings, SystemSolver,
};
use crate::model::Model;
use crate::parallel;
use crate::timing::Watch;
use glam::{DMat3, DVec3};
use std::ops::Range;

/// Matrices and vectors that live from step to step.
#[derive(Debug)]
pub(crate) struct System {
    pub(super) plan: Plan,
    pub(super) matrix: BlockMatrix,
    pub(super) right_side: Vec<DVec3>,
    /// The unknown: the change of velocity (m/s).
    pub(super) change: Vec<DVec3>,
    /// The iterate that matrix and right side belong to (m, m/s).
    pub(super) positions: Vec<DVec3>,
    pub(super) velocities: Vec<DVec3>,
    /// The nodes that rest on bodies.
    pub(super) supports: Vec<Support>,
    support_of_node: Vec<Option<Support>>,
    /// Diagonal block and right side of each supported node, without friction.
    without_friction: Vec<(DMat3, DVec3)>,
    /// Where cloth meets cloth, or a body between its nodes, and what that adds to the matrix besides its diagonal.
    pub(super) cushions: Vec<Cushion>,
    /// Where it sticks to cloth.
    pub(super) ties: Vec<Tie>,
    /// What is pulled by springs from outside.
    pub attachments: Vec<Attachment>,
    couplings: Vec<Coupling>,
    /// Blocks of the matrix that cushions changed, with what they were, in the order of the changes.
    changed_blocks: Vec<(usize, DMat3)>,
    /// For each cloth the first of those that it pushes or is pushed by, directly or through others.
    pub(super) linked: Vec<usize>,
    /// Diagonal and right side without cushions and ties.
    without_cushions: (Vec<DMat3>, Vec<DVec3>),
    filters: Vec<Filter>,
    linear: SystemSolver,
}

/// The share of supports whose change is worth another round; the trace after the solve catches the rest.
const UNSETTLED: f64 = 0.02;

/// Worlds of more nodes are solved iteratively even if their matrix is constant: the factor's memory grows faster than they do.
const FACTORED_ONCE: usize = 20_000;

impl System {
    /// What an implicit integrator needs.
    pub fn new(model: &Model, settings: &ImplicitSettings) -> Self {
        let nodes = model.node_count();
        let zeros = || vec![DVec3::ZERO; nodes];
        let linear = model.energies.iter().all(EnergyBatch::is_linear);
        // Bodies would change the matrix whenever a node comes to rest on one, and cloths whenever they meet.
        let (alone, unmet) = (model.bodies.is_empty(), model.contacts.is_empty());
        let solver = match settings.solver {
            LinearSolver::Auto if linear && alone && unmet && nodes <= FACTORED_ONCE => {
                LinearSolver::Direct
            }
            // What bends alone is soft, and the stiffest of it is what a factor does not know.
            LinearSolver::Auto if linear && !unmet => LinearSolver::BlockJacobi,
            chosen => chosen,
        };
        System {
            plan: Plan::new(nodes, &model.energies, Some(&model.pattern)),
            matrix: BlockMatrix::new(model.pattern.clone()),
            right_side: zeros(),
            change: zeros(),
            positions: zeros(),
            velocities: zeros(),
            supports: Vec::new(),
            support_of_node: vec![None; nodes],
            without_friction: Vec::new(),
            cushions: Vec::new(),
            ties: Vec::new(),
            attachments: Vec::new(),
            couplings: Vec::new(),
            changed_blocks: Vec::new(),
            linked: Vec::new(),
            without_cushions: (Vec::new(), Vec::new()),
            filters: vec![Filter::Free; nodes],
            linear: SystemSolver::new(&model.pattern, solver),
        }
    }

    /// How forces are added up.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Which free nodes rest on a body.
    pub(super) fn find_supports(&mut self, context: &Context, around: &Surroundings) {
        let Context {
            model,
            state,
            h,
            reach,
            ..
        } = *context;
        self.supports.clear();
        if around.is_empty() {
            return;
        }
        parallel::fill(&mut self.support_of_node, |i| {
            if !context.is_free(i) {
                return None;
            }
            let (x, v) = (state.positions[i], state.velocities[i]);
            if let Some(pinch) = around.pinch(i) {
                return Some(pinched_support(i, pinch, v, (h, reach)));
            }
            let (offset, gravity) = (around.offsets[i], context.pull(i));
            find_support(&around.bodies, i, x, v, gravity, offset, h)
        });
        let found = self.support_of_node.iter().flatten();
        self.supports.extend(found);
        for support in &mut self.supports {
            let i = support.node;
            support.expect_slip(model.masses[i], state.velocities[i], self.right_side[i]);
        }
    }

    /// Finds out which cloths push each other.
    pub(super) fn link_cloths(&mut self, model: &Model) {
        let cushions = self.cushions.iter().map(Cushion::nodes);
        let pushed = cushions.chain(self.ties.iter().map(Tie::nodes));
        let ends = pushed.map(|[first, .., last]| [first, last]);
        link_cloths(model, ends, &mut self.linked);
    }

    /// Whether anything is in the system that the pattern does not know.
    fn is_coupled(&self) -> bool {
        !self.cushions.is_empty() || !self.ties.is_empty() || !self.attachments.is_empty()
    }

    /// Whether there are cushions between some nodes and bodies.
    pub(super) fn leans_on_bodies(&self, nodes: &Range<usize>) -> bool {
        let mut on_bodies = self.cushions.iter().filter(|c| c.is_on_body());
        on_bodies.any(|c| nodes.contains(&(c.nodes()[0] as usize)))
    }

    /// Remembers matrix and right side as they are without cushions and ties.
    pub(super) fn keep_plain(&mut self) {
        self.changed_blocks.clear();
        if self.is_coupled() {
            let (diagonal, right_side) = &mut self.without_cushions;
            diagonal.clone_from(&self.matrix.diagonal);
            right_side.clone_from(&self.right_side);
        }
    }

    /// Puts the cushions as they are in place of those before.
    pub(super) fn renew_cushions(&mut self) {
        if self.is_coupled() {
            let (diagonal, right_side) = &self.without_cushions;
            self.matrix.diagonal.copy_from_slice(diagonal);
            self.right_side.copy_from_slice(right_side);
            for &(at, block) in self.changed_blocks.iter().rev() {
                self.matrix.lower[at] = block;
            }
        }
        self.add_cushions();
    }

    /// Adds cushions and ties to matrix and right side at the present iterate.
    pub(super) fn add_cushions(&mut self) {
        self.couplings.clear();
        self.changed_blocks.clear();
        for cushion in &self.cushions {
            let Some(coupling) = cushion.coupling() else {
                continue;
            };
            // The nodes of a face are joined in most models; the factor then knows of the body between them.
            let within = cushion.is_on_body();
            let within = within.then(|| coupling.add_within(&mut self.matrix));
            match within.flatten() {
                Some(changed) => self.changed_blocks.extend(changed.into_iter().flatten()),
                None => {
                    coupling.add_to(&mut self.matrix.diagonal);
                    self.couplings.push(coupling);
                }
            }
        }
        for tie in &self.ties {
            let coupling = tie.coupling();
            coupling.add_to(&mut self.matrix.diagonal);
            self.couplings.push(coupling);
        }
        for attachment in &self.attachments {
            let coupling = attachment.coupling();
            coupling.add_to(&mut self.matrix.diagonal);
            self.couplings.push(coupling);
        }
        self.add_cushion_impulses();
    }

    /// Adds their impulses to the right side alone.
    pub(super) fn add_cushion_impulses(&mut self) {
        for cushion in &self.cushions {
            cushion.add_impulse(&self.velocities, &mut self.right_side);
        }
        for tie in &self.ties {
            tie.add_impulse(&self.velocities, &mut self.right_side);
        }
        for attachment in &self.attachments {
            attachment.add_impulse(&self.velocities, &mut self.right_side);
        }
    }

    /// Judges supports and cushions by the last solve; answers whether it is worth asking again. In a `late` round nothing is tried, and only what was
    /// torn loose is worth another.
    pub(super) fn revise(&mut self, late: bool) -> bool {
        let supports = self.revise_supports(late);
        if self.cushions.is_empty() {
            return supports;
        }
        self.advance(1.0);
        let mut changed = 0;
        for cushion in &mut self.cushions {
            changed += usize::from(cushion.revise(&self.velocities, late));
        }
        self.advance(-1.0);
        supports || !late && changed as f64 > UNSETTLED * self.cushions.len() as f64
    }

    /// One solve with held nodes and the supports as they are.
    pub(super) fn solve_supported(
        &mut self,
        holds: &[Filter],
        settings: SolveSettings,
        watch: &mut Watch,
    ) -> Outcome {
        self.filters.copy_from_slice(holds);
        for support in &self.supports {
            let i = support.node;
            self.filters[i] = support.filter();
            self.change[i] = support.constrain(self.velocities[i], self.change[i]);
        }
        let nodes = self.supports.iter().map(|support| support.node);
        let plain = nodes.map(|i| (self.matrix.diagonal[i], self.right_side[i]));
        self.without_friction.clear();
        self.without_friction.extend(plain);
        self.add_friction();
        let outcome = self.solve(settings, watch);
        for (support, plain) in self.supports.iter().zip(&self.without_friction) {
            let i = support.node;
            (self.matrix.diagonal[i], self.right_side[i]) = *plain;
        }
        outcome
    }

    /// One solve with the filters as they are.
    pub(super) fn solve(&mut self, settings: SolveSettings, watch: &mut Watch) -> Outcome {
        let factored = self.linear.factor(&self.matrix, &self.filters);
        if !factored {
            // Forces or stiffness are not finite; hand the fact on to the check that names the node.
            self.change.copy_from_slice(&self.right_side);
        }
        watch.lap(|times| &mut times.assemble);
        let outcome = self.linear.solve_coupled(
            (&self.matrix, &self.couplings),
            &self.right_side,
            &self.filters,
            &mut self.change,
            SolveSettings {
                iterations: if factored { settings.iterations } else { 0 },
                ..settings
            },
        );
        watch.lap(|times| &mut times.solve);
        outcome
    }

    /// Adds the friction of sliding supports to matrix and right side.
    pub(super) fn add_friction(&mut self) {
        for support in &self.supports {
            self.matrix.diagonal[support.node] += support.drag();
        }
        self.add_friction_impulse();
    }

    /// Adds the friction of sliding supports to the right side alone.
    pub(super) fn add_friction_impulse(&mut self) {
        for support in &self.supports {
            let i = support.node;
            self.right_side[i] += support.friction(self.velocities[i]);
        }
    }

    /// Lets go or lets slide where the last solve asked too much of a support. Answers whether it is worth asking again:
    /// so many changed, or friction is being tried; in a `late` round, some were torn loose.
    fn revise_supports(&mut self, late: bool) -> bool {
        if self.supports.is_empty() {
            return false;
        }
        let image = self.linear.image();
        let (mut changed, mut torn) = (0, false);
        for support in &mut self.supports {
            let i = support.node;
            let diagonal = self.matrix.diagonal[i];
            let sum = diagonal.x_axis.x + diagonal.y_axis.y + diagonal.z_axis.z;
            let change = support.revise(&Verdict {
                // Along the normal; along the surface as well while the node sticks.
                reaction: image[i] - self.right_side[i],
                slip: self.velocities[i] + self.change[i] - support.surface_velocity(),
                stiffness: sum / 3.0,
                last: late,
            });
            changed += usize::from(change != Change::None);
            torn |= change == Change::Torn;
        }
        if late {
            return torn;
        }
        let unsettled = changed as f64 > UNSETTLED * self.supports.len() as f64;
        unsettled || self.supports.iter().any(Support::is_trial)
    }

    /// Takes over the springs from outside, with `carried` the rule's `x̂`.
    pub(super) fn attach(&mut self, context: &Context, carried: impl Fn(usize) -> DVec3) {
        self.attachments.clone_from(&context.holds.attachments);
        for attachment in &mut self.attachments {
            attachment.prepare(&carried, context.reach);
        }
    }

    /// Tells the springs from outside what they pulled with.
    pub(super) fn learn_attachments(&mut self, reach: f64) {
        for attachment in &mut self.attachments {
            attachment.learn(&self.velocities, reach);
        }
    }

    /// Whether no support and no cushion waits for a verdict.
    pub(super) fn is_settled(&self) -> bool {
        self.supports.is_empty() && self.cushions.is_empty()
    }

    /// Books what holders gave to the nodes that they hold, after one solve: what the matrix makes of the change and the right side
    /// does not ask for.
    pub(super) fn book_held(&self, holds: &[Filter], held: &mut [DVec3]) {
        let image = self.linear.image();
        for (i, hold) in holds
            .iter()
            .enumerate()
            .filter(|(_, f)| **f != Filter::Free)
        {
            let asked = image[i] - self.right_side[i];
            held[i] = asked - hold.apply(asked);
        }
    }

    /// The same after the last of several Newton steps: the right side is what is left at the iterate.
    pub(super) fn book_held_residuals(&self, holds: &[Filter], held: &mut [DVec3]) {
        for (i, hold) in holds
            .iter()
            .enumerate()
            .filter(|(_, f)| **f != Filter::Free)
        {
            let left = self.right_side[i];
            held[i] = hold.apply(left) - left;
        }
    }

    /// Books what bodies gave to the nodes that they support, after the last of several Newton steps: the right side is what is left at the
    /// iterate, friction included.
    pub(super) fn book_residuals(&self, around: &Surroundings, given: &mut [Given]) {
        for support in &self.supports {
            let i = support.node;
            let left = self.right_side[i];
            let held = support.filter().apply(left) - left;
            let impulse = held + support.friction(self.velocities[i]);
            match around.pinch(i) {
                Some(pinch) => pinch.book(&mut given[i], impulse),
                None => book(&mut given[i], support.body, impulse),
            }
        }
    }

    /// The same after one step: what the matrix makes of the change and the right side does not ask for.
    pub(super) fn book_reactions(&self, around: &Surroundings, given: &mut [Given]) {
        let image = self.linear.image();
        for support in &self.supports {
            let i = support.node;
            let drag = support.drag() * self.change[i];
            let rubbed = support.friction(self.velocities[i]) - drag;
            // Drag and friction are in the image, and the right side has neither.
            let held = image[i] - self.right_side[i] - support.friction(self.velocities[i]);
            let impulse = held - support.filter().apply(held) + rubbed;
            match around.pinch(i) {
                Some(pinch) => pinch.book(&mut given[i], impulse),
                None => book(&mut given[i], support.body, impulse),
            }
        }
    }

    /// Adds a share of the change to the velocities.
    pub(super) fn advance(&mut self, share: f64) {
        let change = &self.change;
        parallel::for_each(&mut self.velocities, |i, v| *v += share * change[i]);
    }

    /// Moves the iterate's positions to where its velocities lead.
    pub(super) fn place(&mut self, end: impl Fn(usize, DVec3) -> DVec3 + Sync) {
        let velocities = &self.velocities;
        parallel::fill(&mut self.positions, |i| end(i, velocities[i]));
    }

    /// Norm of the right side in the free directions (N·s).
    pub(super) fn residual_norm(&self) -> f64 {
        let (right_side, filters) = (&self.right_side, &self.filters);
        let squares = parallel::sum(right_side.len(), |i| {
            filters[i].apply(right_side[i]).length_squared()
        });
        squares.sqrt()
    }
}
