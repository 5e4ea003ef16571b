//! One scene, many ways: models, steps, meshes, and any field of the scene.
//!
//! A [`Variant`] says how a scene is changed. Axes of choices multiply: two models and three steps are six variants. Variants are
//! made into worlds before the first of them runs, so that a mistake in the last one is found at once.

mod mesh;
mod model;

pub use mesh::{MeshChange, MeshChangeError};
pub use model::{ModelChange, ModelChangeError};

use std::sync::Arc;
use thiserror::Error;
use toile_scene::files::{Disk, Files};
use toile_scene::scene::{SceneError, SceneSource, World, resolve_from};
use toile_scene::spec::{SceneSpec, SelectSpec};
use toml::Value;

/// One change of a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// All cloths get another model.
    Model(ModelChange),
    /// Another time step (s).
    Step(f64),
    /// All cloths get a finer or coarser mesh.
    Mesh(MeshChange),
    /// A field of the scene, as with `--set`.
    Field(String, Value),
}

impl Change {
    /// What to call it.
    pub fn label(&self) -> String {
        match self {
            Change::Model(model) => model.to_string(),
            Change::Step(step) => format!("{} ms", trimmed(1e3 * step)),
            Change::Mesh(mesh) => mesh.to_string(),
            Change::Field(field, value) => {
                let name = field.rsplit('.').next().unwrap_or(field);
                match value {
                    Value::String(text) => format!("{name}={text}"),
                    Value::Float(number) => format!("{name}={number}"),
                    other => format!("{name}={other}"),
                }
            }
        }
    }
}

/// A number without the noise of its last digits.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A scene changed in some ways.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variant {
    /// What to call it, if not by its changes.
    pub name: Option<String>,
    /// The changes.
    pub changes: Vec<Change>,
}

/// A variant that is no scene.
#[derive(Debug, Error)]
pub enum VariantError {
    /// The changed scene is wrong.
    #[error("variant `{label}`: {error}")]
    Scene {
        /// The variant.
        label: String,
        /// What is wrong.
        error: Box<SceneError>,
    },
    /// A mesh cannot be changed like this.
    #[error("variant `{label}`: cloth `{cloth}`: {error}")]
    Mesh {
        /// The variant.
        label: String,
        /// The cloth.
        cloth: String,
        /// Why not.
        error: MeshChangeError,
    },
    /// Node numbers mean something else on another mesh.
    #[error(
        "variant `{label}`: cloth.{cloth}.pin[{pin}] selects nodes by number, which another mesh numbers differently; select them by \
         corners, boundary, nearest, box or ball"
    )]
    NumberedPin {
        /// The variant.
        label: String,
        /// The cloth.
        cloth: String,
        /// Which of its pins.
        pin: usize,
    },
}

impl Variant {
    /// What to call it: by its name, or the names of its changes.
    pub fn label(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let labels: Vec<String> = self.changes.iter().map(Change::label).collect();
        match labels.is_empty() {
            true => "as it is".into(),
            false => labels.join(", "),
        }
    }

    /// A name for a folder.
    pub fn slug(&self) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '=' | '_');
        let mut slug = String::new();
        for c in self.label().chars() {
            match plain(c) {
                true => slug.push(c),
                false if slug.ends_with('-') => {}
                false => slug.push('-'),
            }
        }
        slug.trim_matches('-').to_owned()
    }

    /// The scene with the fields that are changed.
    pub fn source(&self, source: &SceneSource) -> SceneSource {
        let mut source = source.clone();
        for change in &self.changes {
            if let Change::Field(field, value) = change {
                source.overrides.push((field.clone(), value.clone()));
            }
        }
        source
    }

    /// The changed scene, ready to run.
    pub fn world(&self, source: &SceneSource) -> Result<World, VariantError> {
        self.world_from(Arc::new(Disk), source)
    }

    /// The same with the files that it names from whoever has them.
    pub fn world_from(
        &self,
        files: Arc<dyn Files>,
        source: &SceneSource,
    ) -> Result<World, VariantError> {
        let source = self.source(source);
        let wrong = |error: SceneError| VariantError::Scene {
            label: self.label(),
            error: Box::new(error),
        };
        let mut spec = source.parse().map_err(wrong)?;
        for change in &self.changes {
            self.apply(change, &mut spec)?;
        }
        resolve_from(files, &source, spec).map_err(wrong)
    }

    fn apply(&self, change: &Change, spec: &mut SceneSpec) -> Result<(), VariantError> {
        match change {
            Change::Field(..) => {}
            Change::Step(step) => {
                spec.time.step = Some(*step);
                spec.time.substeps = None;
            }
            Change::Model(model) => spec.cloth.values_mut().for_each(|c| model.apply(c)),
            Change::Mesh(change) => {
                for (name, cloth) in &mut spec.cloth {
                    let numbered = |s: &SelectSpec| matches!(s, SelectSpec::Nodes(_));
                    if let Some(pin) = cloth.pin.iter().position(|p| numbered(&p.select)) {
                        return Err(VariantError::NumberedPin {
                            label: self.label(),
                            cloth: name.clone(),
                            pin,
                        });
                    }
                    let wrong = |error| VariantError::Mesh {
                        label: self.label(),
                        cloth: name.clone(),
                        error,
                    };
                    change.apply(&mut cloth.mesh).map_err(wrong)?;
                }
            }
        }
        Ok(())
    }
}

impl From<Change> for Variant {
    fn from(change: Change) -> Self {
        Variant {
            name: None,
            changes: vec![change],
        }
    }
}

/// Every combination of one choice from each axis, the last axis fastest. Axes without choices do not count.
pub fn product(axes: &[Vec<Change>]) -> Vec<Variant> {
    let choices = |axis: &Vec<Change>| axis.iter().cloned().map(Variant::from).collect();
    let axes: Vec<Vec<Variant>> = axes.iter().map(choices).collect();
    combinations(&axes)
}

/// The same where a choice may change several things at once, and have a name.
pub fn combinations(axes: &[Vec<Variant>]) -> Vec<Variant> {
    let mut variants = vec![Variant::default()];
    for axis in axes.iter().filter(|axis| !axis.is_empty()) {
        let longer = variants
            .iter()
            .flat_map(|variant| axis.iter().map(|choice| both(variant, choice)));
        variants = longer.collect();
    }
    variants
}

/// What two variants change together.
fn both(one: &Variant, other: &Variant) -> Variant {
    let named = one.name.is_some() || other.name.is_some();
    let parts = [one, other];
    let parts = parts
        .iter()
        .filter(|v| v.name.is_some() || !v.changes.is_empty());
    let labels: Vec<String> = parts.map(|v| v.label()).collect();
    Variant {
        name: named.then(|| labels.join(", ")),
        changes: [&one.changes[..], &other.changes[..]].concat(),
    }
}

/// More variants than this are a slip of the finger.
pub const MOST_VARIANTS: usize = 100_000;

/// Axes that cannot be combined.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CombineError {
    /// A field would have two values in a variant.
    #[error("`{0}` is varied twice; name it once")]
    Twice(String),
    /// There would be no end of it.
    #[error("there are more than {MOST_VARIANTS} combinations; take fewer values")]
    TooMany,
}

/// Every combination as [`combinations`] makes them, if a field is on one axis only and there are not too many.
pub fn combine(axes: &[Vec<Variant>]) -> Result<Vec<Variant>, CombineError> {
    let mut known: Vec<&str> = Vec::new();
    for axis in axes {
        let changes = axis.iter().flat_map(|variant| &variant.changes);
        let fields = changes.filter_map(|change| match change {
            Change::Field(field, _) => Some(field.as_str()),
            _ => None,
        });
        let fields: Vec<&str> = fields.collect();
        if let Some(field) = fields.iter().find(|field| known.contains(field)) {
            return Err(CombineError::Twice((*field).to_owned()));
        }
        known.extend(fields);
    }
    let mut sizes = axes.iter().map(|axis| axis.len().max(1));
    let count = sizes.try_fold(1usize, |n, size| n.checked_mul(size));
    match count.is_none_or(|n| n > MOST_VARIANTS) {
        true => Err(CombineError::TooMany),
        false => Ok(combinations(axes)),
    }
}

/// Axes that go together: the first values of all of them, then the second ones. `None` if they are not of one length.
pub fn zipped(axes: &[Vec<Change>]) -> Option<Vec<Variant>> {
    let length = axes.first().map_or(0, Vec::len);
    let choice = |k: usize| Variant {
        name: None,
        changes: axes.iter().map(|axis| axis[k].clone()).collect(),
    };
    let even = axes.iter().all(|axis| axis.len() == length);
    even.then(|| (0..length).map(choice).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(cloth: &str) -> SceneSource {
        SceneSource {
            name: "test".into(),
            text: format!(
                "[cloth.sheet]\nmesh.grid = {{ size = [1, 0.5], cells = [8, 4] }}\n{cloth}"
            ),
            folder: Default::default(),
            overrides: Vec::new(),
        }
    }

    #[test]
    fn axes_multiply() {
        let models = ["isometric", "mass-spring+strain"];
        let models = models.map(|m| Change::Model(m.parse().unwrap())).to_vec();
        let steps = vec![Change::Step(0.01), Change::Step(0.0025)];
        let variants = product(&[models, Vec::new(), steps]);
        let labels: Vec<String> = variants.iter().map(Variant::label).collect();
        assert_eq!(
            labels,
            [
                "isometric, 10 ms",
                "isometric, 2.5 ms",
                "mass-spring+strain, 10 ms",
                "mass-spring+strain, 2.5 ms"
            ]
        );
        assert_eq!(variants[1].slug(), "isometric-2.5-ms");
        assert_eq!(product(&[]), [Variant::default()]);
        for variant in &variants {
            let world = variant.world(&source("")).unwrap();
            let limited = world.model.limits.len();
            assert_eq!(limited, 1, "{}", variant.label());
        }
    }

    #[test]
    fn zipped_axes_go_together_and_multiply_with_others() {
        let field = |name: &str, value: i64| Change::Field(name.into(), value.into());
        let (a, b) = ([1, 2].map(|v| field("a", v)), [3, 4].map(|v| field("b", v)));
        let together = zipped(&[a.to_vec(), b.to_vec()]).unwrap();
        let mut named = together.clone();
        named[1].name = Some("last".into());
        let steps = vec![Change::Step(0.01).into(), Change::Step(0.02).into()];
        let labels = |axes: &[Vec<Variant>]| -> Vec<String> {
            combinations(axes).iter().map(Variant::label).collect()
        };
        assert_eq!(labels(&[together]), ["a=1, b=3", "a=2, b=4"]);
        let four = labels(&[named, steps]);
        assert_eq!(
            four,
            [
                "a=1, b=3, 10 ms",
                "a=1, b=3, 20 ms",
                "last, 10 ms",
                "last, 20 ms"
            ]
        );
        assert_eq!(zipped(&[a.to_vec(), b[..1].to_vec()]), None);
    }

    #[test]
    fn numbered_pins_do_not_survive_another_mesh() {
        let pinned = source("[[cloth.sheet.pin]]\nselect.nodes = [0]\n");
        let variant = Variant::from(Change::Mesh("16x8".parse().unwrap()));
        let error = variant.world(&pinned).unwrap_err().to_string();
        assert!(error.contains("cloth.sheet.pin[0]"), "{error}");
        let world = variant.world(&source("")).unwrap();
        assert_eq!(world.model.node_count(), 17 * 9);
        let world = Variant::default().world(&pinned).unwrap();
        assert_eq!(world.model.node_count(), 9 * 5);
    }

    #[test]
    fn a_wrong_field_names_the_variant() {
        let variant = Variant::from(Change::Field("cloth.sheet.materiel.bend".into(), 1.into()));
        let error = variant.world(&source("")).unwrap_err().to_string();
        assert!(
            error.contains("`bend=1`") && error.contains("materiel"),
            "{error}"
        );
    }
}
