//! Named fabrics: what a few kinds of woven cloth resist with, as Kawabata's instruments (KES-F) describe it.
//!
//! The instruments stretch a specimen to 500 gf/cm, shear it by ±8° and bend it to ±2.5 cm⁻¹. A line of their
//! record is turned into curves in SI units like this:
//!
//! * **Tensile.** From the extension `e` at 500 gf/cm (EMT) and the linearity
//!   `LT = WT / (½ · 500 gf/cm · e)`, with `WT` the work done. The curve `F = 500 gf/cm · (ε/e)^m` with
//!   `m = 2/LT − 1` has both; a table of it is interpolated.
//! * **Shear.** A straight line of slope `G`, in gf/cm per degree. The instrument sees nothing beyond 8°, so
//!   neither does the line.
//! * **Bending.** A straight line of slope `B`, in gf·cm²/cm.
//!
//! Compression is taken to be as stiff as tension: cloth buckles instead, if its mesh can.
//!
//! Honesty about the numbers: `denim` is a published measurement. Of some others density and bending were
//! measured, and the rest is typical. The remaining ones are *typical* values from the middle of the ranges
//! that handbooks of fabric handle give for such cloth, and no measurements of any specimen. Each fabric says
//! so in [`Fabric::source`].

use super::curve::{Curve, CurveError};
use thiserror::Error;

/// A woven fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct Fabric {
    /// What it is called.
    pub name: String,
    /// Mass per area (kg/m²).
    pub density: f64,
    /// Force per width of the warp (N/m) against its strain.
    pub tensile_warp: Curve,
    /// Force per width of the weft (N/m) against its strain.
    pub tensile_weft: Curve,
    /// Shear force per width (N/m) against shear angle (rad).
    pub shear: Curve,
    /// Moment per width (N·m/m) against curvature (1/m) where the warp is bent.
    pub bending_warp: Curve,
    /// Moment per width (N·m/m) against curvature (1/m) where the weft is bent.
    pub bending_weft: Curve,
    /// Where the numbers come from.
    pub source: String,
}

/// A fabric that is not known or has no valid curves.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FabricError {
    /// There is no fabric of this name.
    #[error("there is no fabric called `{name}`; known are {}", Fabric::names().collect::<Vec<_>>().join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// A curve cannot be made.
    #[error("the fabric's {which} curve: {error}")]
    Curve {
        /// Which curve.
        which: &'static str,
        /// What is wrong with it.
        error: CurveError,
    },
}

/// A record of the instruments, in their units. Pairs are warp and weft.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KawabataRecord {
    /// Mass per area (kg/m²).
    pub density: f64,
    /// Extension at 500 gf/cm (EMT as a fraction, not in percent).
    pub extension: [f64; 2],
    /// Linearity of the tensile curve (LT); 1 is a straight line.
    pub linearity: [f64; 2],
    /// Shear stiffness `G` (gf/cm per degree).
    pub shear: f64,
    /// Bending rigidity `B` (gf·cm²/cm).
    pub bending: [f64; 2],
}

/// Full tension of the instrument, 500 gf/cm (N/m).
pub const FULL_TENSION: f64 = 490.3325;
/// 1 gf/cm per degree (N/m per rad).
const SHEAR_UNIT: f64 = 0.980_665 * 180.0 / std::f64::consts::PI;
/// 1 gf·cm²/cm (N·m).
const BENDING_UNIT: f64 = 9.806_65e-5;
/// Largest shear angle of the instrument (rad).
const FULL_SHEAR: f64 = 8.0 * std::f64::consts::PI / 180.0;
/// Largest curvature of the instrument (1/m).
const FULL_CURVATURE: f64 = 250.0;

const TYPICAL: &str =
    "typical of this kind of cloth (middle of usual KES-F ranges), not a measurement of a specimen";
const DENIM: &str = "EMT, LT, B and G: KES-F values of denim sample A, one for both directions, table 5 of \"Regenerated \
    Cellulose-Based Denim Fabric for Tropical Regions\", Journal of Textiles 2016, 4614168; density: typical of \
    denim, because the 104 mg/cm² of that table is implausible";

const MATSUDAIRA: &str = "density and B, one for both directions: Matsudaira et al., Journal of Textile Engineering 61 (2015), 69-73, \
    who measured its drape too; EMT, LT and G: typical of this kind of cloth";
const FENG_SILK: &str = "density and B: a fabric of 75.3 g/m² without a name in the data of Feng et al., Learning-Based Bending Stiffness \
    Parameter Estimation by a Drape Tester, 2022; EMT, LT and G: those of `silk`";
const FENG_DENIM: &str = "density and B: a fabric of 440.4 g/m² without a name in the data of Feng et al., Learning-Based Bending Stiffness \
    Parameter Estimation by a Drape Tester, 2022; EMT, LT and G: those of `denim`";

/// Tensile and shear values that are typical of a kind of cloth, with a density and a rigidity that were
/// measured.
const fn measured(kind: KawabataRecord, density: f64, bending: [f64; 2]) -> KawabataRecord {
    KawabataRecord {
        density,
        bending,
        ..kind
    }
}

const COTTON: KawabataRecord = KawabataRecord {
    density: 0.125,
    extension: [0.035, 0.07],
    linearity: [0.75, 0.70],
    shear: 0.9,
    bending: [0.070, 0.045],
};
const WOOL: KawabataRecord = KawabataRecord {
    density: 0.22,
    extension: [0.05, 0.09],
    linearity: [0.62, 0.60],
    shear: 0.6,
    bending: [0.100, 0.075],
};
const POLYESTER: KawabataRecord = KawabataRecord {
    density: 0.09,
    extension: [0.03, 0.045],
    linearity: [0.75, 0.70],
    shear: 0.35,
    bending: [0.035, 0.025],
};
const SILK: KawabataRecord = KawabataRecord {
    density: 0.065,
    extension: [0.03, 0.05],
    linearity: [0.70, 0.65],
    shear: 0.3,
    bending: [0.025, 0.018],
};
const DENIM_A: KawabataRecord = KawabataRecord {
    density: 0.38,
    extension: [0.055_15, 0.055_15],
    linearity: [0.712, 0.712],
    shear: 2.18,
    bending: [0.172, 0.172],
};

const FABRICS: [(&str, KawabataRecord, &str); 12] = [
    ("cotton", COTTON, TYPICAL),
    ("wool", WOOL, TYPICAL),
    (
        "polyester-cotton",
        KawabataRecord {
            density: 0.15,
            extension: [0.025, 0.05],
            linearity: [0.80, 0.75],
            shear: 1.4,
            bending: [0.090, 0.055],
        },
        TYPICAL,
    ),
    ("polyester", POLYESTER, TYPICAL),
    ("silk", SILK, TYPICAL),
    ("denim", DENIM_A, DENIM),
    (
        "polyester-faille",
        measured(POLYESTER, 0.1043, [0.019; 2]),
        MATSUDAIRA,
    ),
    (
        "wool-tropical",
        measured(WOOL, 0.1629, [0.067; 2]),
        MATSUDAIRA,
    ),
    (
        "polyester-tropical",
        measured(POLYESTER, 0.1165, [0.077; 2]),
        MATSUDAIRA,
    ),
    (
        "cotton-broadcloth",
        measured(COTTON, 0.1238, [0.118; 2]),
        MATSUDAIRA,
    ),
    (
        "limp-75",
        measured(SILK, 0.0753, [0.0059, 0.0055]),
        FENG_SILK,
    ),
    (
        "stiff-440",
        measured(DENIM_A, 0.4404, [1.107, 0.253]),
        FENG_DENIM,
    ),
];

impl Fabric {
    /// The names of the known fabrics.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FABRICS.iter().map(|entry| entry.0)
    }

    /// The known fabric of this name.
    pub fn named(name: &str) -> Result<Self, FabricError> {
        let found = FABRICS.iter().find(|entry| entry.0 == name);
        let (name, record, source) = found.ok_or_else(|| FabricError::Unknown {
            name: name.to_owned(),
        })?;
        Self::from_record(name, record, source)
    }

    /// Stretch stiffness of warp and weft (N/m): straight lines to where the curves end.
    pub fn stretch(&self) -> [f64; 2] {
        [&self.tensile_warp, &self.tensile_weft]
            .map(|curve| curve.at(curve.end()).value / curve.end())
    }

    /// Shear stiffness (N/m per rad).
    pub fn shear_stiffness(&self) -> f64 {
        self.shear.at(0.0).slope
    }

    /// Bending rigidity where the warp and where the weft is bent (N·m).
    pub fn bending(&self) -> [f64; 2] {
        [&self.bending_warp, &self.bending_weft].map(|curve| curve.at(0.0).slope)
    }

    /// The fabric that a line of the instruments' record describes.
    pub fn from_record(
        name: &str,
        record: &KawabataRecord,
        source: &str,
    ) -> Result<Self, FabricError> {
        let tensile = |axis: usize, which| {
            curve(
                which,
                &tensile_table(record.extension[axis], record.linearity[axis]),
            )
        };
        let line = |which, end: f64, slope: f64| curve(which, &[(0.0, 0.0), (end, slope * end)]);
        let bending =
            |axis: usize, which| line(which, FULL_CURVATURE, record.bending[axis] * BENDING_UNIT);
        Ok(Fabric {
            name: name.to_owned(),
            density: record.density,
            tensile_warp: tensile(0, "warp tensile")?,
            tensile_weft: tensile(1, "weft tensile")?,
            shear: line("shear", FULL_SHEAR, record.shear * SHEAR_UNIT)?,
            bending_warp: bending(0, "warp bending")?,
            bending_weft: bending(1, "weft bending")?,
            source: source.to_owned(),
        })
    }
}

fn curve(which: &'static str, table: &[(f64, f64)]) -> Result<Curve, FabricError> {
    Curve::new(table).map_err(|error| FabricError::Curve { which, error })
}

/// Rows of `F = 500 gf/cm · (ε/e)^m`.
fn tensile_table(extension: f64, linearity: f64) -> [(f64, f64); 9] {
    let exponent = 2.0 / linearity - 1.0;
    std::array::from_fn(|k| {
        let share = k as f64 / 8.0;
        (extension * share, FULL_TENSION * share.powf(exponent))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_fabric_has_the_record_it_was_made_from() {
        for (name, record, source) in FABRICS {
            let fabric = Fabric::named(name).unwrap();
            assert_eq!(fabric.source, source);
            for (axis, curve) in [&fabric.tensile_warp, &fabric.tensile_weft]
                .into_iter()
                .enumerate()
            {
                let full = curve.at(record.extension[axis]);
                assert!((full.value - FULL_TENSION).abs() < 1e-9);
                // WT, the work to full tension, through nine rows of the power law.
                let work = 0.5 * record.linearity[axis] * FULL_TENSION * record.extension[axis];
                assert!(
                    (full.integral / work - 1.0).abs() < 3e-3,
                    "{name} {}",
                    full.integral / work
                );
            }
            for (axis, stiffness) in fabric.stretch().into_iter().enumerate() {
                let exact = FULL_TENSION / record.extension[axis];
                assert!((stiffness / exact - 1.0).abs() < 1e-12, "{name}");
                let [bend, measured] =
                    [fabric.bending()[axis], record.bending[axis] * BENDING_UNIT];
                assert!((bend / measured - 1.0).abs() < 1e-12, "{name}");
            }
            assert!((fabric.shear_stiffness() / record.shear / SHEAR_UNIT - 1.0).abs() < 1e-12);
            let degree = 1f64.to_radians();
            assert!((fabric.shear.at(degree).value / 0.980_665 - record.shear).abs() < 1e-12);
            let bent = fabric.bending_warp.at(100.0).value; // 1 cm⁻¹; 1 gf·cm/cm is 9.80665e-3 N
            assert!((bent / 9.806_65e-3 - record.bending[0]).abs() < 1e-12);
        }
    }

    #[test]
    fn silk_is_light_and_denim_stiff() {
        let all = ["silk", "cotton", "denim"].map(|n| Fabric::named(n).unwrap());
        for pair in all.windows(2) {
            assert!(pair[0].density < pair[1].density);
            assert!(pair[0].shear.at(0.1).value < pair[1].shear.at(0.1).value);
            assert!(pair[0].bending_warp.at(50.0).value < pair[1].bending_warp.at(50.0).value);
        }
    }

    #[test]
    fn an_unknown_fabric_is_answered_with_the_known_ones() {
        let error = Fabric::named("paper").unwrap_err().to_string();
        assert!(error.contains("`paper`") && error.contains("polyester-cotton"));
        let record = KawabataRecord {
            extension: [0.0, 0.1],
            ..FABRICS[0].1
        };
        let error = Fabric::from_record("x", &record, "")
            .unwrap_err()
            .to_string();
        assert!(error.contains("warp tensile"), "{error}");
    }
}
