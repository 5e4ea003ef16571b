//! The rigidity with which the simulated drape test has a measured coefficient.
//!
//! The coefficient rises with the bending rigidity `B`. The search runs over the logarithm of the bending length
//! `c = (B/ρg)^⅓`, from [`LENGTHS`], by false position with halving (Illinois), until the coefficient is near enough.

use super::{Block, Entry, check_density, density_entry, number};
use crate::textile::cusick::Setup;
use crate::textile::{Specimen, Spread, TextileError, positive, within};
use toile_scene::spec::ModelSpec;

/// Bending lengths that are tried (m).
pub const LENGTHS: [f64; 2] = [0.006, 0.06];
const GRAVITY: f64 = 9.81;
const TRIALS: u32 = 14;

/// A rigidity that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Bending rigidity (N·m).
    pub bend: f64,
    /// The coefficient that the simulated test has with it.
    pub coefficient: f64,
    /// Folds at the end.
    pub folds: usize,
    /// By how much of itself the rigidity changes where the coefficient changes by a point (0.01).
    pub per_point: f64,
    /// Tests made.
    pub trials: u32,
    /// The material.
    pub block: Block,
}

/// Finds the rigidity of a specimen with this density (kg/m²) and drape coefficient, the mean of those given, to `tolerance` in the
/// coefficient.
pub fn fit(
    coefficients: &[f64],
    density: f64,
    setup: &Setup,
    specimen: &Specimen,
    tolerance: f64,
) -> Result<Found, TextileError> {
    let must = "a drape coefficient is a share between 0.02 and 0.99 (52 % is 0.52)";
    for &coefficient in coefficients {
        within("the drape coefficient", coefficient, [0.02, 0.99], must)?;
    }
    let spread = Spread::of(coefficients)
        .ok_or_else(|| TextileError::OutOfReach("no drape coefficient was given".into()))?;
    let coefficient = spread.mean;
    check_density(density)?;
    positive("the tolerance", tolerance)?;
    let mut specimen = specimen.clone();
    specimen.material.density = Some(density);
    let mut trials = 0;
    let mut test = |log: f64| -> Result<(f64, f64, usize), TextileError> {
        trials += 1;
        let bend = density * GRAVITY * log.exp().powi(3);
        let drape = setup.run(&specimen.with_bend(bend))?;
        let folds = drape.folds.crests.len();
        Ok((bend, drape.coefficient, folds))
    };
    let [mut low, mut high] = LENGTHS.map(f64::ln);
    let mut ends = [test(low)?, test(high)?];
    if !(ends[0].1..=ends[1].1).contains(&coefficient) {
        return Err(TextileError::OutOfReach(format!(
            "a drape coefficient of {coefficient} is out of reach: bending lengths from {} to {} m give {:.3} to {:.3} with this \
             model, shear stiffness and support; choose another support or model",
            LENGTHS[0], LENGTHS[1], ends[0].1, ends[1].1
        )));
    }
    let mut off = [ends[0].1 - coefficient, ends[1].1 - coefficient];
    let mut best = if off[0].abs() < off[1].abs() {
        ends[0]
    } else {
        ends[1]
    };
    for _ in 0..TRIALS {
        if (best.1 - coefficient).abs() <= tolerance {
            break;
        }
        let middle = (low * off[1] - high * off[0]) / (off[1] - off[0]);
        let middle = middle.clamp(low + 0.1 * (high - low), high - 0.1 * (high - low));
        let found = test(middle)?;
        let error = found.1 - coefficient;
        if error.abs() < (best.1 - coefficient).abs() {
            best = found;
        }
        if error > 0.0 {
            (high, ends[1], off) = (middle, found, [0.5 * off[0], error]);
        } else {
            (low, ends[0], off) = (middle, found, [error, 0.5 * off[1]]);
        }
    }
    let (bend, reached, folds) = best;
    // On either side far enough for a fold to come or go: between neighbours the coefficient jumps.
    let log = (bend / (density * GRAVITY)).cbrt().ln();
    let sides = [test(log - ASIDE)?, test(log + ASIDE)?];
    // The rigidity goes with the third power of the length.
    let slope = (sides[1].1 - sides[0].1) / (6.0 * ASIDE);
    let per_point = 0.01 / slope.max(f64::MIN_POSITIVE);
    let block = block(&spread, density, setup, &specimen, (best, per_point));
    Ok(Found {
        bend,
        coefficient: reached,
        folds,
        per_point,
        trials,
        block,
    })
}

/// Logarithm of the bending length from the one found to those that say how steep the coefficient is there: a tenth more and less.
const ASIDE: f64 = 0.1;

fn block(
    measured: &Spread,
    density: f64,
    setup: &Setup,
    specimen: &Specimen,
    ((bend, reached, folds), per_point): ((f64, f64, usize), f64),
) -> Block {
    let uncertain = match measured.error() {
        Some(error) => format!(
            "the standard error of {} coefficients makes it uncertain by {:.0} %",
            measured.count,
            1e4 * error * per_point
        ),
        None => "specimens of one fabric scatter by 1 to 9 points".to_owned(),
    };
    let shears = specimen.model != ModelSpec::Isometric;
    let shear = if shears {
        "The shear stiffness was assumed, not measured."
    } else {
        "Isometric cloth does not shear; other models with this rigidity drape otherwise."
    };
    let mut entries = vec![density_entry(density)];
    if shears {
        entries.push(Entry {
            field: "shear_stiffness",
            value: number(specimen.material.shear()),
            comment: "N/m per rad: assumed in the search".into(),
        });
    }
    entries.push(Entry {
        field: "bend",
        value: number(bend),
        comment: format!(
            "N·m: bending length {:.4} m",
            (bend / (density * GRAVITY)).cbrt()
        ),
    });
    Block {
        about: format!(
            "From a drape coefficient of {:.3} (Cusick, {:.0} cm over {:.0} cm): the simulated test ({:?}, {:?}, {} nodes)\n\
             has {reached:.3} and {folds} folds with this rigidity. {shear}\n\
             A point of the coefficient is {:.0} % of the rigidity; {uncertain}.",
            measured.mean,
            200.0 * setup.specimen_radius,
            200.0 * setup.support_radius,
            specimen.model,
            setup.support,
            setup.nodes,
            100.0 * per_point
        ),
        entries,
        curves: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::textile::Rest;

    fn quick() -> (Setup, Specimen) {
        let mut specimen = Specimen::default();
        specimen.material.shear_stiffness = Some(50.0);
        let setup = Setup {
            nodes: 200,
            rest: Rest::let_down(Rest::default().seed),
            ..Setup::default()
        };
        (setup, specimen)
    }

    #[test]
    fn a_coefficient_leads_back_to_its_rigidity() {
        let (setup, specimen) = quick();
        let mut known = specimen.with_bend(3e-5);
        known.material.density = Some(0.2);
        let drape = setup.run(&known).unwrap().coefficient;
        let found = fit(&[drape], 0.2, &setup, &specimen, 0.005).unwrap();
        assert!((found.coefficient - drape).abs() < 0.01);
        assert!((found.bend / 3e-5).ln().abs() < 0.3, "{}", found.bend);
        // What a point is worth is what a third more rigidity wins.
        let mut stiffer = specimen.with_bend(found.bend * 0.3f64.exp());
        stiffer.material.density = Some(0.2);
        let won = setup.run(&stiffer).unwrap().coefficient - found.coefficient;
        let promised = 0.01 * 0.3 / found.per_point;
        assert!((0.4..2.5).contains(&(won / promised)), "{won} {promised}");
    }

    #[test]
    fn percents_and_what_cannot_be_reached_are_refused() {
        let (setup, specimen) = quick();
        let error = fit(&[52.0], 0.15, &setup, &specimen, 0.01).unwrap_err();
        assert!(error.to_string().contains("52 % is 0.52"));
        let error = fit(&[0.03], 0.15, &setup, &specimen, 0.01).unwrap_err();
        assert!(error.to_string().contains("out of reach"), "{error}");
    }
}
