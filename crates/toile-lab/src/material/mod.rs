//! From measurements on real cloth to the `[cloth.NAME.material]` block of a scene.
//!
//! * [`overhang`]: the length at which a strip sinks to 41.5° gives its bending rigidity;
//! * [`kes`]: a line of Kawabata's record gives all curves;
//! * [`drape`]: a drape coefficient gives the bending rigidity with which the simulated test has it.
//!
//! Every number of the block says in a comment where it comes from.

pub mod drape;
pub mod kes;
pub mod overhang;

use crate::textile::{TextileError, within};

/// A field of the block.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name.
    pub field: &'static str,
    /// Its value, as TOML.
    pub value: String,
    /// Where it comes from.
    pub comment: String,
}

/// A material as a scene has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What it is, in a line or two.
    pub about: String,
    /// Fields of the material.
    pub entries: Vec<Entry>,
    /// Fields of its `curves`, which the Kawabata model takes.
    pub curves: Vec<Entry>,
}

impl Block {
    /// The TOML of a cloth called `name`.
    pub fn to_toml(&self, name: &str) -> String {
        let mut text = String::new();
        for line in self.about.lines() {
            text.push_str(&format!("# {line}\n"));
        }
        text.push_str(&format!("[cloth.{name}.material]\n"));
        write_entries(&mut text, &self.entries);
        if !self.curves.is_empty() {
            text.push_str(&format!("\n[cloth.{name}.material.curves]\n"));
            write_entries(&mut text, &self.curves);
        }
        text
    }
}

fn write_entries(text: &mut String, entries: &[Entry]) {
    for entry in entries {
        let Entry {
            field,
            value,
            comment,
        } = entry;
        text.push_str(&format!("# {comment}\n{field} = {value}\n"));
    }
}

/// A number with as many digits as a measurement deserves.
pub(crate) fn number(value: f64) -> String {
    format!("{value:.4e}")
}

/// Checks a mass per area (kg/m²).
pub(crate) fn check_density(density: f64) -> Result<(), TextileError> {
    let must = "cloth has between 0.005 and 5 kg/m² (150 g/m² is 0.15)";
    within("the density", density, [0.005, 5.0], must)
}

pub(crate) fn density_entry(density: f64) -> Entry {
    Entry {
        field: "density",
        value: format!("{density}"),
        comment: "kg/m², as measured".into(),
    }
}
