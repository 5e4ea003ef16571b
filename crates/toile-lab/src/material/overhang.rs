//! The rigidity of a strip from its overhang.

use super::{Block, Entry, check_density, density_entry, number};
use crate::textile::cantilever::{ANGLE, length_at};
use crate::textile::{Spread, TextileError, within};

const GRAVITY: f64 = 9.81;

/// The bending rigidity (N·m) of cloth whose chord falls by `angle` (degrees) at this overhang (m): that of the heavy elastica.
pub fn rigidity(overhang: f64, density: f64, angle: f64) -> Result<f64, TextileError> {
    let must = "the overhang of cloth lies between 5 mm and 0.5 m, in metres (45 mm is 0.045)";
    within("the overhang", overhang, [5e-3, 0.5], must)?;
    check_density(density)?;
    let must = "it must lie between 1 and 85 degrees (the standard's is 41.5)";
    within("the angle", angle, [1.0, 85.0], must)?;
    Ok(density * GRAVITY * (overhang / length_at(angle)).powi(3))
}

/// How exactly an overhang is read off an instrument (m): its scale has millimetres.
const READING: f64 = 5e-4;

/// The block of such a cloth, from one overhang (m) or several.
pub fn fit(overhangs: &[f64], density: f64, angle: f64) -> Result<Block, TextileError> {
    for &overhang in overhangs {
        rigidity(overhang, density, angle)?;
    }
    let spread = Spread::of(overhangs)
        .ok_or_else(|| TextileError::OutOfReach("no overhang was given".into()))?;
    let overhang = spread.mean;
    let bend = rigidity(overhang, density, angle)?;
    // The rigidity goes with the third power of the overhang.
    let (error, why) = match spread.error() {
        Some(error) => (
            error,
            format!("the standard error of {} overhangs", spread.count),
        ),
        None => (READING, "a reading to half a millimetre".to_owned()),
    };
    let about = match spread.deviation {
        Some(deviation) => format!(
            "{} overhangs of {overhang:.4} ± {deviation:.4} m",
            spread.count
        ),
        None => format!("overhang {overhang} m"),
    };
    Ok(Block {
        about: format!(
            "From a cantilever test (ASTM D1388): {about} at {angle}°, bending length {:.4} m.\n\
             The rigidity is uncertain by {:.1} %: {why}.",
            (bend / (density * GRAVITY)).cbrt(),
            300.0 * error / overhang
        ),
        entries: vec![
            density_entry(density),
            Entry {
                field: "bend",
                value: number(bend),
                comment: if angle == ANGLE {
                    "N·m: ρ g L³ / 8.004, the heavy elastica at 41.5° (Peirce: ρ g (L/2)³)".into()
                } else {
                    format!("N·m: the heavy elastica whose chord falls by {angle}°")
                },
            },
        ],
        curves: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn peirces_rule_is_met() {
        let bend = rigidity(0.04, 0.15, ANGLE).unwrap();
        let peirce = 0.15 * GRAVITY * 0.02f64.powi(3);
        assert!((bend / peirce - 1.0).abs() < 1e-3, "{bend} {peirce}");
        let text = fit(&[0.04], 0.15, ANGLE).unwrap().to_toml("sheet");
        assert!(
            text.contains("[cloth.sheet.material]") && text.contains("bend = 1.17"),
            "{text}"
        );
    }

    #[test]
    fn overhangs_that_differ_make_the_rigidity_uncertain() {
        let one = fit(&[0.04], 0.15, ANGLE).unwrap().about;
        assert!(one.contains("uncertain by 3.8 %"), "{one}");
        let three = fit(&[0.038, 0.040, 0.042], 0.15, ANGLE).unwrap();
        // s = 2 mm, so s/√3 is 2.9 % of the mean, three times that of its third power.
        assert!(
            three.about.contains("uncertain by 8.7 %"),
            "{}",
            three.about
        );
        assert!(three.about.contains("0.0400 ± 0.0020 m"), "{}", three.about);
        assert!(fit(&[0.04, -0.04], 0.15, ANGLE).is_err());
    }

    #[test]
    fn units_that_cannot_be_are_noticed() {
        let error = rigidity(45.0, 0.15, ANGLE).unwrap_err().to_string();
        assert!(error.contains("45 mm is 0.045"), "{error}");
        let error = rigidity(0.045, 150.0, ANGLE).unwrap_err().to_string();
        assert!(error.contains("150 g/m²"), "{error}");
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(rigidity(bad, 0.15, ANGLE).is_err());
            assert!(rigidity(0.04, bad, ANGLE).is_err());
        }
    }
}
