//! The rigidity of a strip from its overhang.

use super::{Block, Entry, check_density, density_entry, number};
use crate::textile::cantilever::{ANGLE, length_at};
use crate::textile::{TextileError, within};

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

/// The block of such a cloth.
pub fn fit(overhang: f64, density: f64, angle: f64) -> Result<Block, TextileError> {
    let bend = rigidity(overhang, density, angle)?;
    Ok(Block {
        about: format!(
            "From a cantilever test (ASTM D1388): overhang {overhang} m at {angle}°, bending length {:.4} m.",
            (bend / (density * GRAVITY)).cbrt()
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
        let text = fit(0.04, 0.15, ANGLE).unwrap().to_toml("sheet");
        assert!(
            text.contains("[cloth.sheet.material]") && text.contains("bend = 1.17"),
            "{text}"
        );
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
