//! Steps, frames and integrators.

use super::adhesion::can_tear_off;
use super::check::check_positive;
use super::world::Schedule;
use super::{SceneError, SceneSource};
use crate::spec::{
    ClothContactSpec, ClothSpec, ConstraintsSpec, ControlSpec, EquationSolverSpec,
    InequalitySolverSpec, IntegratorSpec, LimitSpec, ModelSpec, SceneSpec, SolverSpec, StartSpec,
    StretchSpec, TimeSpec,
};
use toile::advance::StepControl;
use toile::integrate::{
    ConstraintSolve, ImplicitRule, ImplicitSettings, Integrator, MixedScheme, MixedSettings,
};
use toile::linalg::LinearSolver;

pub(super) fn integrator(time: &TimeSpec) -> Integrator {
    let implicit = |rule| {
        Integrator::Implicit(ImplicitSettings {
            rule,
            newton_steps: newton_steps(time),
            newton_tolerance: time.newton_tolerance,
            tolerance: time.tolerance,
            max_iterations: time.max_iterations,
            solver: match time.solver {
                SolverSpec::Auto => LinearSolver::Auto,
                SolverSpec::IncompleteCholesky => LinearSolver::IncompleteCholesky,
                SolverSpec::BlockJacobi => LinearSolver::BlockJacobi,
                SolverSpec::Direct => LinearSolver::Direct,
            },
            constraints: match time.constraints {
                ConstraintsSpec::Unified => ConstraintSolve::Unified,
                ConstraintsSpec::Phases | ConstraintsSpec::Auto => ConstraintSolve::Phases,
            },
        })
    };
    let mixed = |scheme| {
        Integrator::Mixed(MixedSettings {
            scheme,
            tolerance: time.tolerance,
            max_iterations: time.max_iterations,
        })
    };
    match time.integrator {
        IntegratorSpec::SymplecticEuler => Integrator::SymplecticEuler,
        IntegratorSpec::MixedA => mixed(MixedScheme::A),
        IntegratorSpec::MixedB => mixed(MixedScheme::B),
        IntegratorSpec::MixedC => mixed(MixedScheme::C),
        IntegratorSpec::MixedLimited => mixed(MixedScheme::Limited),
        IntegratorSpec::BackwardEuler => implicit(ImplicitRule::BackwardEuler),
        IntegratorSpec::Bdf2 => implicit(ImplicitRule::Bdf2),
    }
}

/// Newton steps that are enough but where cloth crumples.
const NEWTON_STEPS: u32 = 12;

/// How many Newton steps a step may take. One solve has a rule of its own for those that limits and contacts need, and takes 1 for it.
fn newton_steps(time: &TimeSpec) -> u32 {
    let usual = match time.constraints {
        ConstraintsSpec::Unified => 1,
        ConstraintsSpec::Phases | ConstraintsSpec::Auto => NEWTON_STEPS,
    };
    time.newton_steps.unwrap_or(usual)
}

fn is_implicit(time: &TimeSpec) -> bool {
    matches!(
        time.integrator,
        IntegratorSpec::BackwardEuler | IntegratorSpec::Bdf2
    )
}

/// What cloth may stretch by in any direction where its scene says nothing else.
const STRETCH: f64 = 0.02;

/// Settles what is left open of how limits and contacts are met: in one solve, if there are both, so that each could undo what the
/// other has done, and if it knows of everything in the scene. Principal stretches are bounded in one solve alone, and are so for every
/// cloth of the [default model](ModelSpec::TensionField) that may be in one and has no limit.
pub(super) fn settle_constraints(spec: &mut SceneSpec) {
    let known = is_implicit(&spec.time)
        && spec.contact.relaxation == 0.0
        && spec.contact.start == StartSpec::Refuse
        && spec.cloth.values().all(is_known);
    // What sticks until it is torn off does not see what a limit pulls with.
    let bounded = known && spec.time.constraints != ConstraintsSpec::Phases;
    if bounded && !can_tear_off(spec) {
        let open = |cloth: &&mut ClothSpec| {
            cloth.limit.is_none() && cloth.model == ModelSpec::TensionField
        };
        for cloth in spec.cloth.values_mut().filter(open) {
            cloth.limit = Some(LimitSpec::Stretch(StretchSpec {
                stretch: STRETCH,
                ..Default::default()
            }));
        }
    }
    if spec.time.constraints == ConstraintsSpec::Auto {
        let touches = !spec.body.is_empty() || spec.contact.cloth != ClothContactSpec::None;
        let asks = |cloth: &ClothSpec| match &cloth.limit {
            Some(LimitSpec::Stretch(_)) => true,
            Some(LimitSpec::None) => false,
            Some(_) => touches,
            None => touches && cloth.model.is_a_limit(),
        };
        spec.time.constraints = match known && spec.cloth.values().any(asks) {
            true => ConstraintsSpec::Unified,
            false => ConstraintsSpec::Phases,
        };
    }
}

/// Whether one solve knows of everything that this cloth does.
fn is_known(cloth: &ClothSpec) -> bool {
    cloth.sticky.is_empty()
        && cloth.adhere.is_empty()
        && cloth.model != ModelSpec::Area
        && cloth.limit.as_ref().is_none_or(is_part_of_the_solve)
}

/// Whether a limit leaves it to the solve how it is met.
fn is_part_of_the_solve(limit: &LimitSpec) -> bool {
    match limit {
        // Areas alone leave so many motions that the one solve often stops at the most iterations where cloth is pulled thin.
        LimitSpec::Strain(_) | LimitSpec::Area(_) => false,
        LimitSpec::Inequality(spec) => spec.solver == InequalitySolverSpec::default(),
        LimitSpec::Lengths(spec) => spec.solver == EquationSolverSpec::default(),
        LimitSpec::Isometric(spec) => spec.solver == EquationSolverSpec::default(),
        LimitSpec::Stretch(_) | LimitSpec::None => true,
    }
}

/// A step longer than this is not chosen by itself (s).
const LONGEST_DEFAULT_STEP: f64 = 0.005;

pub(super) fn resolve_time(
    source: &SceneSource,
    time: &mut TimeSpec,
) -> Result<Schedule, SceneError> {
    check_positive(source, "time.duration", time.duration)?;
    check_positive(source, "time.fps", time.fps)?;
    check_positive(source, "time.tolerance", time.tolerance)?;
    check_positive(source, "time.newton_tolerance", time.newton_tolerance)?;
    if time.newton_steps == Some(0) {
        return Err(source.error("time.newton_steps", "must be at least 1"));
    }
    if time.max_iterations == 0 {
        return Err(source.error("time.max_iterations", "must be at least 1"));
    }
    if time.constraints == ConstraintsSpec::Unified && !is_implicit(time) {
        let message = "one solve for limits and contacts is an implicit step: take `integrator = \"backward-euler\"` or \
                       `\"bdf2\"`, or `constraints = \"phases\"`";
        return Err(source.error("time.constraints", message));
    }
    let frame = 1.0 / time.fps;
    let substeps = match (time.step, time.substeps) {
        (Some(_), Some(_)) => {
            return Err(source.error("time.step", "give `step` or `substeps`, not both"));
        }
        (None, Some(count)) => f64::from(count),
        (None, None) => (frame / LONGEST_DEFAULT_STEP - 1e-9).ceil().max(1.0),
        (Some(step), None) => {
            check_positive(source, "time.step", step)?;
            divide_frame(source, frame, step, time.fps)?
        }
    };
    if !(1.0..=1e6).contains(&substeps) {
        let message = format!("{substeps} steps per frame; there must be 1 to 1000000");
        return Err(source.error("time.substeps", message));
    }
    let frames = time.duration * time.fps;
    if frames > 1e7 {
        let message = format!("{frames:.0} frames are too many; shorten the duration or lower fps");
        return Err(source.error("time.duration", message));
    }
    let substeps = substeps as u32;
    time.substeps = Some(substeps);
    time.step = None;
    let step = frame / f64::from(substeps);
    Ok(Schedule {
        step,
        control: resolve_control(source, time, step)?,
        substeps,
        frames: (frames - 1e-9).ceil().max(1.0) as u64,
        fps: time.fps,
    })
}

fn resolve_control(
    source: &SceneSource,
    time: &TimeSpec,
    step: f64,
) -> Result<StepControl, SceneError> {
    match time.control {
        ControlSpec::Fixed => Ok(StepControl::Fixed),
        ControlSpec::Cfl(fraction) => {
            let field = "time.control.cfl";
            if !(fraction > 0.0 && fraction <= 1.0) {
                let message = format!("is {fraction}; it must be above 0 and at most 1");
                return Err(source.error(field, message));
            }
            if let Integrator::Implicit(_) = integrator(time) {
                let message = "an implicit integrator is stable with any step and has no such limit; choose another \
                     time.integrator, or the control \"fixed\" or adaptive";
                return Err(source.error(field, message));
            }
            Ok(StepControl::Cfl { fraction })
        }
        ControlSpec::Adaptive {
            tolerance,
            smallest,
        } => {
            check_positive(source, "time.control.adaptive.tolerance", tolerance)?;
            check_positive(source, "time.control.adaptive.smallest", smallest)?;
            if 2.0 * smallest > step {
                let message = format!(
                    "is {smallest} s; it must be at most half of the step of {step} s that is to be cut"
                );
                return Err(source.error("time.control.adaptive.smallest", message));
            }
            Ok(StepControl::Adaptive {
                tolerance,
                smallest,
            })
        }
    }
}

fn divide_frame(source: &SceneSource, frame: f64, step: f64, fps: f64) -> Result<f64, SceneError> {
    let count = (frame / step).round();
    if (count * step - frame).abs() <= 1e-6 * frame {
        return Ok(count);
    }
    let rate = 1.0 / step;
    let whole = (rate / fps).ceil().max(1.0);
    let message = format!(
        "a step of {step} s does not divide the {frame:.6} s of a frame; \
         set time.fps to {:.6} or give time.substeps instead of a step",
        rate / whole
    );
    Err(source.error("time.step", message))
}
