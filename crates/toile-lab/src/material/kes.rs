//! A material from a line of Kawabata's record (KES-F).
//!
//! The instruments print the extension EMT (%) at 500 gf/cm, the linearity LT of the tensile curve, the shear stiffness G (gf/cm per
//! degree) and the bending rigidity B (gf·cm²/cm), each for warp and weft. How they become curves stands with the named fabrics.

use super::{Block, Entry, check_density, density_entry, number};
use crate::textile::{TextileError, within};
use serde::Deserialize;
use toile::energy::{Curve, Fabric, KawabataRecord};

/// One number for both directions, or warp and weft.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Pair {
    /// The same for both.
    One(f64),
    /// Warp and weft.
    Two([f64; 2]),
}

impl Pair {
    /// Warp and weft.
    pub fn both(self) -> [f64; 2] {
        match self {
            Pair::One(value) => [value; 2],
            Pair::Two(values) => values,
        }
    }
}

/// A line of the record, in the instruments' units.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kes {
    /// Mass per area (kg/m²). The instrument's mg/cm² is a hundredth of it.
    pub density: f64,
    /// Extension at 500 gf/cm (%).
    pub emt: Pair,
    /// Linearity.
    pub lt: Pair,
    /// Shear stiffness (gf/cm per degree), or N/m per rad with `si`.
    pub g: Pair,
    /// Bending rigidity (gf·cm²/cm), or N·m with `si`.
    pub b: Pair,
    /// Width of the loop of bending, 2HB (gf·cm/cm), or N with `si`, if it was measured.
    #[serde(default, rename = "2hb")]
    pub hysteresis: Option<Pair>,
    /// Whether `g`, `b` and `2hb` are in SI units.
    #[serde(default)]
    pub si: bool,
}

/// 1 gf/cm per degree (N/m per rad).
const SHEAR_UNIT: f64 = 0.980_665 * 180.0 / std::f64::consts::PI;
/// 1 gf·cm²/cm (N·m).
const BENDING_UNIT: f64 = 9.806_65e-5;
/// 1 gf·cm/cm (N).
const HYSTERESIS_UNIT: f64 = 9.806_65e-3;
/// Rows of a tensile table beyond the first.
const ROWS: u32 = 8;

impl Kes {
    /// Reads a record from TOML.
    pub fn read(text: &str) -> Result<Self, TextileError> {
        toml::from_str(text).map_err(|error| {
            TextileError::OutOfReach(format!(
                "the record must have density, emt, lt, g and b, each a number or [warp, weft]: {}",
                error.message()
            ))
        })
    }

    fn record(&self) -> Result<KawabataRecord, TextileError> {
        check_density(self.density)?;
        for (emt, lt) in self.emt.both().into_iter().zip(self.lt.both()) {
            let must = "EMT is in percent and lies between 0.2 and 100 (3.5 is 3.5 %, not 0.035)";
            within("the extension EMT", emt, [0.2, 100.0], must)?;
            let must = "the linearity lies between 0.2 and 1.2; 1 is a straight line";
            within("LT", lt, [0.2, 1.2], must)?;
        }
        let units = if self.si {
            [1.0 / SHEAR_UNIT, 1.0 / BENDING_UNIT]
        } else {
            [1.0; 2]
        };
        for (g, b) in self.g.both().into_iter().zip(self.b.both()) {
            let must = "G lies between 0.02 and 30 gf/cm per degree, or 1 and 1700 N/m per rad with SI units";
            within("the shear stiffness G", g * units[0], [0.02, 30.0], must)?;
            let must = "B lies between 0.0005 and 20 gf·cm²/cm, or 5e-8 and 2e-3 N·m with SI units";
            within("the bending rigidity B", b * units[1], [5e-4, 20.0], must)?;
        }
        let [warp, weft] = self.g.both();
        Ok(KawabataRecord {
            density: self.density,
            extension: self.emt.both().map(|e| 0.01 * e),
            linearity: self.lt.both(),
            // A sheet has one shear angle, so it has one stiffness.
            shear: 0.5 * (warp + weft) * units[0],
            bending: self.b.both().map(|b| b * units[1]),
        })
    }

    /// Width of the loop of bending (N), the mean of warp and weft.
    fn hysteresis(&self) -> Result<Option<f64>, TextileError> {
        let Some(measured) = self.hysteresis else {
            return Ok(None);
        };
        let unit = if self.si { 1.0 } else { HYSTERESIS_UNIT };
        for width in measured.both() {
            let must = "2HB lies between 0 and 2 gf·cm/cm, or 0 and 0.02 N with SI units";
            within(
                "the bending hysteresis 2HB",
                width * unit,
                [0.0, 2.0 * HYSTERESIS_UNIT],
                must,
            )?;
        }
        let [warp, weft] = measured.both();
        Ok(Some(0.5 * (warp + weft) * unit))
    }

    /// The block of such a cloth: numbers for every model, and curves for the Kawabata model.
    pub fn fit(&self) -> Result<Block, TextileError> {
        let record = self.record()?;
        let fabric = Fabric::from_record("measured", &record, "")
            .map_err(|error| TextileError::OutOfReach(error.to_string()))?;
        let [bend, weft_bend] = record.bending.map(|b| b * BENDING_UNIT);
        let entry = |field, value: f64, comment: &str| Entry {
            field,
            value: number(value),
            comment: comment.into(),
        };
        // A straight line with the same force at full extension.
        let secant = |axis: usize| toile_full_tension() / record.extension[axis];
        let mut entries = vec![
            density_entry(self.density),
            entry(
                "stretch_stiffness",
                secant(0),
                "N/m: 500 gf/cm over EMT of the warp",
            ),
            entry(
                "weft_stretch_stiffness",
                secant(1),
                "N/m: the same of the weft",
            ),
            entry(
                "shear_stiffness",
                record.shear * SHEAR_UNIT,
                "N/m per rad: G, mean of warp and weft",
            ),
            entry("bend", bend, "N·m: B of the warp"),
            entry("weft_bend", weft_bend, "N·m: B of the weft"),
        ];
        if let Some(width) = self.hysteresis()? {
            let comment = "N: 2HB, mean of warp and weft; friction between threads";
            entries.push(entry("bend_hysteresis", width, comment));
        }
        let table = |field, curve: &Curve, end: f64, rows: u32, comment: &str| Entry {
            field,
            value: rows_of(curve, end, rows),
            comment: comment.into(),
        };
        let [warp, weft] = record.extension;
        let tensile = "strain and N/m: F = 500 gf/cm (ε/EMT)^(2/LT − 1), with the work of LT";
        let curves = vec![
            table("tensile_warp", &fabric.tensile_warp, warp, ROWS, tensile),
            table("tensile_weft", &fabric.tensile_weft, weft, ROWS, tensile),
            table(
                "shear",
                &fabric.shear,
                8f64.to_radians(),
                1,
                "rad and N/m: slope G up to 8°",
            ),
            table(
                "bend_warp",
                &fabric.bending_warp,
                250.0,
                1,
                "1/m and N·m/m: slope B up to 2.5 per cm",
            ),
            table(
                "bend_weft",
                &fabric.bending_weft,
                250.0,
                1,
                "1/m and N·m/m: slope B up to 2.5 per cm",
            ),
        ];
        Ok(Block {
            about: "From a record of Kawabata's instruments (KES-F). The curves are for model = \"kawabata\"; the numbers\n\
                    before them are straight lines for the other models."
                .into(),
            entries,
            curves,
        })
    }
}

/// 500 gf/cm (N/m).
fn toile_full_tension() -> f64 {
    500.0 * 0.980_665
}

fn rows_of(curve: &Curve, end: f64, rows: u32) -> String {
    let row = |k: u32| {
        let x = end * f64::from(k) / f64::from(rows);
        format!("[{x:.5}, {:.6e}]", curve.at(x).value)
    };
    let rows: Vec<String> = (0..=rows).map(row).collect();
    format!("[{}]", rows.join(", "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use toile_scene::scene::{SceneSource, resolve};

    const COTTON: &str =
        "density = 0.125\nemt = [3.5, 7.0]\nlt = [0.75, 0.70]\ng = 0.9\nb = [0.070, 0.045]\n";

    #[test]
    fn the_block_is_a_scene_with_the_fabric_it_came_from() {
        let block = Kes::read(COTTON).unwrap().fit().unwrap();
        let text = format!(
            "[cloth.sheet]\nmesh.grid = {{ size = [0.1, 0.1], cells = [2, 2] }}\nmodel = \"kawabata\"\n{}",
            block.to_toml("sheet")
        );
        let source = SceneSource {
            name: "test".into(),
            text,
            folder: Default::default(),
            overrides: Vec::new(),
        };
        let spec = source.parse().unwrap();
        let material = &spec.cloth["sheet"].material;
        let fabric = Fabric::named("cotton").unwrap();
        assert!((material.bending()[0] / fabric.bending_warp.at(1.0).value - 1.0).abs() < 1e-3);
        let last = material.curves.tensile_weft.last().unwrap();
        assert!((last[0] - 0.07).abs() < 1e-9 && (last[1] - 490.33).abs() < 0.01);
        resolve(&source, spec).unwrap();
    }

    #[test]
    fn a_loop_that_was_measured_is_friction_between_threads() {
        let text = format!("{COTTON}2hb = [0.06, 0.04]\n");
        let block = Kes::read(&text).unwrap().fit().unwrap().to_toml("sheet");
        assert!(block.contains("bend_hysteresis = 4.9033e-4"), "{block}");
        let wrong = Kes::read(&format!("{COTTON}2hb = 60\n")).unwrap().fit();
        assert!(wrong.unwrap_err().to_string().contains("2HB lies between"));
    }

    #[test]
    fn si_and_gram_force_are_the_same_cloth() {
        let grams = Kes::read(COTTON).unwrap();
        let si = Kes {
            g: Pair::One(0.9 * SHEAR_UNIT),
            b: Pair::Two([0.070 * BENDING_UNIT, 0.045 * BENDING_UNIT]),
            si: true,
            ..grams
        };
        assert_eq!(grams.fit().unwrap().entries, si.fit().unwrap().entries);
    }

    #[test]
    fn wrong_units_are_noticed() {
        let cotton = Kes::read(COTTON).unwrap();
        let fraction = Kes {
            emt: Pair::One(0.035),
            ..cotton
        };
        assert!(fraction.fit().unwrap_err().to_string().contains("percent"));
        let newtons = Kes {
            b: Pair::One(6.9e-6),
            ..cotton
        };
        assert!(newtons.fit().unwrap_err().to_string().contains("SI"));
        assert!(
            Kes::read("density = 1")
                .unwrap_err()
                .to_string()
                .contains("emt")
        );
    }
}
