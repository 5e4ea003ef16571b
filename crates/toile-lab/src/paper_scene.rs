//! Scenes of experiments.
//!
//! What an experiment's text leaves open is here as the papers have it, and not as [scenes](toile_scene::spec) have it by default, so that
//! what an experiment shows does not move when a default does: springs, the model's own bending, one Newton step, cloth that passes
//! through cloth, a cloth of 150 g/m².

use crate::registry::LabError;
use toile_scene::scene::{SceneError, SceneSource, World, resolve};
use toml::{Table, Value};

/// Fields of a scene and of each of its cloths, and what they are unless the text says otherwise.
const SCENE: [(&str, &str, Setting); 2] = [
    ("time", "newton_steps", Setting::Count(1)),
    ("contact", "cloth", Setting::Word("none")),
];
const CLOTH: [(&str, Setting); 2] = [
    ("model", Setting::Word("mass-spring")),
    ("bending", Setting::Word("model")),
];
const MATERIAL: [(&str, Setting); 3] = [
    ("density", Setting::Number(0.15)),
    ("shear_stiffness", Setting::Number(400.0)),
    ("bend", Setting::Number(1e-5)),
];

#[derive(Clone, Copy)]
enum Setting {
    Count(i64),
    Number(f64),
    Word(&'static str),
}

impl From<Setting> for Value {
    fn from(setting: Setting) -> Self {
        match setting {
            Setting::Count(count) => Value::Integer(count),
            Setting::Number(number) => Value::Float(number),
            Setting::Word(word) => Value::String(word.into()),
        }
    }
}

/// The source of a scene, with what the papers have in place of what its text leaves open.
pub(crate) fn source(name: &str, text: &str) -> Result<SceneSource, LabError> {
    let unread = |error: toml::de::Error| LabError::Text(format!("{name}: {error}"));
    let mut scene: Table = text.parse().map_err(unread)?;
    for (part, field, setting) in SCENE {
        fill(inner(&mut scene, part), field, setting);
    }
    if let Some(Value::Table(cloths)) = scene.get_mut("cloth") {
        for cloth in cloths.iter_mut().filter_map(|(_, c)| c.as_table_mut()) {
            for (field, setting) in CLOTH {
                fill(cloth, field, setting);
            }
            let material = inner(cloth, "material");
            // A named fabric brings its own.
            let unnamed = !material.contains_key("fabric");
            for (field, setting) in MATERIAL.into_iter().filter(|_| unnamed) {
                fill(material, field, setting);
            }
        }
    }
    Ok(SceneSource {
        name: name.into(),
        text: scene.to_string(),
        folder: Default::default(),
        overrides: Vec::new(),
    })
}

/// The world of such a scene.
pub(crate) fn world(name: &str, text: &str) -> Result<World, LabError> {
    Ok(resolved(&source(name, text)?)?)
}

/// The world of a source.
pub(crate) fn resolved(source: &SceneSource) -> Result<World, SceneError> {
    resolve(source, source.parse()?)
}

fn fill(table: &mut Table, field: &str, setting: Setting) {
    table.entry(field).or_insert_with(|| setting.into());
}

/// The table of this name, made if there is none.
fn inner<'a>(table: &'a mut Table, name: &str) -> &'a mut Table {
    let entry = table.entry(name).or_insert_with(|| Table::new().into());
    entry
        .as_table_mut()
        .expect("experiments write their own tables")
}
