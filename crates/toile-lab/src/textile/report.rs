//! One table and one page over several fabrics: what each test says of each of them.

mod page;

pub use page::page;

use super::cusick::{self, Drape};
use super::spread::Spread;
use super::{Rest, Specimen, TextileError, cantilever, shear_frame, tensile};
use crate::plot::{Axis, Plot, SIZE};
use serde::{Deserialize, Serialize};
use toile_render::Image;

/// A fabric to be tested.
#[derive(Clone, Debug, PartialEq)]
pub struct Fabric {
    /// What it is called on the page.
    pub name: String,
    /// What it is.
    pub specimen: Specimen,
}

/// How the tests are carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The drape test.
    pub drape: cusick::Setup,
    /// How many specimens of each fabric are draped, each from another first disturbance.
    pub specimens: u32,
}

/// A strip over an edge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bent {
    /// Half of the overhang (m).
    pub length: f64,
    /// Peirce's rigidity (N·m).
    pub rigidity: f64,
}

/// What was measured on a fabric. What a test could not say is missing, and [`missing`](Self::missing) says why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    /// Its name.
    pub fabric: String,
    /// Mass per area (kg/m²).
    pub density: f64,
    /// Drape coefficient of every specimen.
    pub coefficients: Vec<f64>,
    /// Folds of every specimen.
    pub folds: Vec<f64>,
    /// Bending of strips along warp and weft.
    pub bending: [Option<Bent>; 2],
    /// First slope of the tensile curve of warp and weft (N/m).
    pub stretch: [Option<f64>; 2],
    /// Shear stiffness (N/m per rad).
    pub shear: Option<f64>,
    /// Why a number is missing.
    pub missing: Vec<String>,
}

/// A fabric's sheet and the pictures of it, each with the end of its file name.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The numbers.
    pub sheet: Sheet,
    /// The pictures.
    pub pictures: Vec<(&'static str, Image)>,
}

impl Plan {
    /// How many tests each fabric goes through.
    pub fn tests(&self) -> u64 {
        u64::from(self.specimens) + 5
    }

    /// Carries out all tests on a fabric; `done` hears what has been measured.
    pub fn measure(
        &self,
        fabric: &Fabric,
        done: &mut dyn FnMut(&str),
    ) -> Result<Measured, TextileError> {
        let mut missing = Vec::new();
        let mut sheet = Sheet {
            fabric: fabric.name.clone(),
            density: f64::NAN,
            coefficients: Vec::new(),
            folds: Vec::new(),
            bending: [None; 2],
            stretch: [None; 2],
            shear: None,
            missing: Vec::new(),
        };
        let mut pictures = Vec::new();
        for drape in drapes(&self.drape, self.specimens, &fabric.specimen) {
            if let Some(drape) = noted(drape, "drape", &mut missing)? {
                if sheet.coefficients.is_empty() {
                    pictures = vec![("drape", drape.picture()), ("profile", drape.profile())];
                }
                sheet.density = drape.density;
                sheet.coefficients.push(drape.coefficient);
                sheet.folds.push(drape.folds.crests.len() as f64);
            }
            done("drape");
        }
        for (k, (way, degrees)) in [("warp", 0.0), ("weft", 90.0)].into_iter().enumerate() {
            let specimen = fabric.specimen.cut_at(degrees);
            let bent = cantilever::Setup::default().run(&specimen);
            let bent = noted(bent, &format!("bending, {way}"), &mut missing)?;
            if let Some(bent) = bent {
                sheet.density = bent.density;
                sheet.bending[k] = Some(Bent {
                    length: bent.bending_length,
                    rigidity: bent.rigidity,
                });
            }
            done("bending");
            let pulled = tensile::Setup::default().run(&specimen);
            let pulled = noted(pulled, &format!("stretch, {way}"), &mut missing)?;
            sheet.stretch[k] = pulled.and_then(|p| p.stiffness);
            done("stretch");
        }
        let sheared = shear_frame::Setup::default().run(&fabric.specimen);
        let sheared = noted(sheared, "shear", &mut missing)?;
        sheet.shear = sheared.map(|s| s.stiffness);
        done("shear");
        sheet.missing = missing;
        Ok(Measured { sheet, pictures })
    }
}

/// So many drapes of a specimen, each from the disturbance of another seed.
pub fn drapes<'a>(
    setup: &'a cusick::Setup,
    count: u32,
    specimen: &'a Specimen,
) -> impl Iterator<Item = Result<Drape, TextileError>> + 'a {
    (0..u64::from(count)).map(move |k| {
        let rest = Rest {
            seed: setup.rest.seed + k,
            ..setup.rest
        };
        cusick::Setup { rest, ..*setup }.run(specimen)
    })
}

/// A material that is wrong spoils the whole sheet; a test that fails, one number.
fn noted<T>(
    found: Result<T, TextileError>,
    what: &str,
    missing: &mut Vec<String>,
) -> Result<Option<T>, TextileError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error @ TextileError::Scene(_)) => Err(error),
        Err(error) => {
            missing.push(format!("{what}: {error}"));
            Ok(None)
        }
    }
}

impl Sheet {
    /// Mean and scatter of the drape coefficient.
    pub fn coefficient(&self) -> Option<Spread> {
        Spread::of(&self.coefficients)
    }

    /// Mean and scatter of the number of folds.
    pub fn fold_count(&self) -> Option<Spread> {
        Spread::of(&self.folds)
    }

    /// The bending length (m) of warp and weft together: that of their mean rigidity.
    fn bending_length(&self) -> Option<f64> {
        let [warp, weft] = self.bending;
        Some((0.5 * (warp?.length.powi(3) + weft?.length.powi(3))).cbrt())
    }
}

const COLUMNS: [&str; 14] = [
    "fabric",
    "density_kg_m2",
    "drape_coefficient",
    "drape_coefficient_deviation",
    "folds",
    "folds_deviation",
    "specimens",
    "bending_length_warp_m",
    "bending_length_weft_m",
    "rigidity_warp_n_m",
    "rigidity_weft_n_m",
    "stretch_warp_n_per_m",
    "stretch_weft_n_per_m",
    "shear_n_per_m_rad",
];

/// All sheets as a table; a number that is missing is an empty cell.
pub fn table(sheets: &[Sheet]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for sheet in sheets {
        let (drape, folds) = (sheet.coefficient(), sheet.fold_count());
        let [warp, weft] = sheet.bending;
        let numbers = [
            Some(sheet.density),
            drape.map(|s| s.mean),
            drape.and_then(|s| s.deviation),
            folds.map(|s| s.mean),
            folds.and_then(|s| s.deviation),
            Some(sheet.coefficients.len() as f64),
            warp.map(|b| b.length),
            weft.map(|b| b.length),
            warp.map(|b| b.rigidity),
            weft.map(|b| b.rigidity),
            sheet.stretch[0],
            sheet.stretch[1],
            sheet.shear,
        ];
        let written = |n: &Option<f64>| {
            n.filter(|n| n.is_finite())
                .map_or(String::new(), |n| n.to_string())
        };
        let cells = numbers.iter().map(written);
        writer.write_record(std::iter::once(sheet.fabric.clone()).chain(cells))?;
    }
    writer
        .into_inner()
        .map_err(|error| error.into_error().into())
}

/// Drape coefficient against bending length, and folds against drape coefficient; a curve for each fabric, of one point.
pub fn plots(sheets: &[Sheet]) -> Vec<(&'static str, Image)> {
    let drape = Plot::new(
        "Drape and bending",
        Axis::linear("bending length (cm)"),
        Axis::linear("drape coefficient (%)"),
    );
    let folds = Plot::new(
        "Folds and drape",
        Axis::linear("drape coefficient (%)"),
        Axis::linear("folds"),
    );
    let [mut drape, mut folds] = [drape, folds];
    for sheet in sheets {
        let Some(coefficient) = sheet.coefficient().map(|s| 100.0 * s.mean) else {
            continue;
        };
        let length = sheet.bending_length().map(|c| 100.0 * c);
        let points = length.map(|c| vec![[c, coefficient]]).unwrap_or_default();
        drape = drape.curve(&sheet.fabric, points);
        let count = sheet.fold_count().map_or(0.0, |s| s.mean);
        folds = folds.curve(&sheet.fabric, vec![[coefficient, count]]);
    }
    vec![("drape", drape.draw(SIZE)), ("folds", folds.draw(SIZE))]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use toile_scene::spec::ModelSpec;

    fn quick() -> Plan {
        Plan {
            drape: cusick::Setup {
                nodes: 120,
                ..cusick::Setup::default()
            },
            specimens: 2,
        }
    }

    #[test]
    fn a_fabric_gets_its_own_numbers_back() {
        let mut specimen = Specimen::default();
        specimen.material.fabric = Some("cotton".into());
        let fabric = Fabric {
            name: "shirt, \"white\"".into(),
            specimen,
        };
        let mut count = 0;
        let plan = quick();
        let measured = plan.measure(&fabric, &mut |_| count += 1).unwrap();
        let sheet = measured.sheet;
        assert_eq!((count, plan.tests()), (7, 7));
        assert_eq!(sheet.missing, Vec::<String>::new());
        let cotton = toile::energy::Fabric::named("cotton").unwrap();
        for k in 0..2 {
            let rigidity = sheet.bending[k].unwrap().rigidity / cotton.bending()[k];
            assert!((rigidity - 1.0).abs() < 0.03, "{rigidity}");
            let stretch = sheet.stretch[k].unwrap() / cotton.stretch()[k];
            assert!((stretch - 1.0).abs() < 2e-3, "{stretch}");
        }
        assert!((sheet.shear.unwrap() / cotton.shear_stiffness() - 1.0).abs() < 0.03);
        let drape = sheet.coefficient().unwrap();
        assert!(drape.count == 2 && (0.1..0.95).contains(&drape.mean));
        let text = String::from_utf8(table(std::slice::from_ref(&sheet)).unwrap()).unwrap();
        let mut rows = csv::Reader::from_reader(text.as_bytes());
        let row = rows.records().next().unwrap().unwrap();
        assert_eq!(&row[0], fabric.name);
        assert_eq!(row[2].parse::<f64>().unwrap(), drape.mean);
        let page = page(
            std::slice::from_ref(&sheet),
            &["shirt".into()],
            "2 specimens",
        );
        assert!(page.contains("shirt, &quot;white&quot;") && page.contains("shirt-drape.png"));
        // What was written is what is read.
        let json = serde_json::to_string(&sheet).unwrap();
        assert_eq!(serde_json::from_str::<Sheet>(&json).unwrap(), sheet);
    }

    #[test]
    fn what_a_test_cannot_say_is_told_and_what_is_wrong_is_refused() {
        let specimen = Specimen {
            model: ModelSpec::Isometric,
            ..Specimen::default()
        };
        let fabric = |specimen: Specimen| Fabric {
            name: "x".into(),
            specimen,
        };
        let plan = Plan {
            specimens: 0,
            ..quick()
        };
        let sheet = plan.measure(&fabric(specimen), &mut |_| {}).unwrap().sheet;
        assert_eq!(sheet.shear, None);
        assert!(sheet.missing.iter().any(|m| m.starts_with("shear: ")));
        let mut wrong = Specimen::default();
        wrong.material.fabric = Some("paper".into());
        let error = plan.measure(&fabric(wrong), &mut |_| {}).unwrap_err();
        assert!(error.to_string().contains("paper"), "{error}");
    }
}
