//! Strips of cloth: what beams are to structures.

use crate::paper_scene;
use crate::registry::LabError;
use std::ops::ControlFlow;
use toile::equilibrium::{Equilibrium, EquilibriumSettings, EquilibriumStatus, minimise};
use toile::state::State;
use toile_scene::scene::World;

/// A kind of cloth: model, bending and mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub name: &'static str,
    /// How many cells wide a strip is.
    pub across: u32,
    pub model: &'static str,
    pub bending: &'static str,
    pub pattern: &'static str,
}

pub(crate) const QUAD_HINGES: Kind = Kind {
    name: "quads, hinges",
    across: 1,
    model: "baraff-witkin",
    bending: "dihedral",
    pattern: "quads",
};
pub(crate) const TRIANGLE_HINGES: Kind = Kind {
    name: "triangles, hinges",
    across: 8,
    pattern: "forward",
    ..QUAD_HINGES
};
pub(crate) const ALTERNATING_HINGES: Kind = Kind {
    name: "alternating triangles, hinges",
    across: 8,
    pattern: "alternating",
    ..QUAD_HINGES
};
/// Right triangles all cut one way, with the energy of their curvature.
pub(crate) const TRIANGLES: Kind = Kind {
    name: "triangles, curvature",
    bending: "curvature",
    ..TRIANGLE_HINGES
};
pub(crate) const ALTERNATING: Kind = Kind {
    name: "alternating triangles, curvature",
    bending: "curvature",
    ..ALTERNATING_HINGES
};
pub(crate) const HERRING_BONE: Kind = Kind {
    name: "herring-bone triangles, curvature",
    pattern: "herring-bone",
    ..ALTERNATING
};
/// One cell wide.
pub(crate) const TRIANGLE_ROW: Kind = Kind {
    name: "one row of triangles, curvature",
    across: 1,
    ..TRIANGLES
};
pub(crate) const ALTERNATING_ROW: Kind = Kind {
    name: "one row of alternating triangles, curvature",
    across: 1,
    ..ALTERNATING
};
pub(crate) const QUAD_FORM: Kind = Kind {
    name: "quads, quadratic form",
    bending: "quadratic",
    ..QUAD_HINGES
};
pub(crate) const TRIANGLE_FORM: Kind = Kind {
    name: "triangles, quadratic form",
    across: 8,
    pattern: "alternating",
    ..QUAD_FORM
};
pub(crate) const BEND_SPRINGS: Kind = Kind {
    name: "quads, linear bend springs",
    across: 8,
    model: "mass-spring",
    bending: "linear-springs",
    pattern: "quads",
};

/// A strip along x in the plane z = 0, from `start` on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strip {
    pub kind: Kind,
    /// Where it begins (m).
    pub start: f64,
    /// Length and width (m).
    pub size: [f64; 2],
    pub cells: [u32; 2],
    /// N/m.
    pub stretch: f64,
    /// N·m.
    pub bend: f64,
    /// kg/m².
    pub density: f64,
    /// m/s², downwards.
    pub gravity: f64,
    /// More lines of the cloth's table and of the scene, such as pins.
    pub more: &'static str,
}

impl Strip {
    /// The world, with pins `pins` given as TOML.
    pub fn world(&self, time: &str, pins: &str) -> Result<World, LabError> {
        let Strip {
            kind,
            start,
            size,
            cells,
            ..
        } = *self;
        let text = format!(
            "{time}\n[environment]\ngravity = [0, 0, {}]\n\
             [cloth.strip]\nmesh.grid = {{ size = [{:?}, {:?}], cells = [{}, {}], pattern = \"{}\" }}\n\
             place.at = [{:?}, 0, 0]\nmodel = \"{}\"\nbending = \"{}\"\n{}\n\
             [cloth.strip.material]\ndensity = {:?}\nstretch_stiffness = {:?}\nshear_stiffness = {:?}\nbend = {:?}\ndamping = 2e-3\n\
             {pins}",
            -self.gravity,
            size[0],
            size[1],
            cells[0],
            cells[1],
            kind.pattern,
            start + 0.5 * size[0],
            kind.model,
            kind.bending,
            self.more,
            self.density,
            self.stretch,
            0.3 * self.stretch,
            self.bend,
        );
        paper_scene::world(kind.name, &text)
    }
}

/// A pin that holds all nodes between two places along x (m).
pub(crate) fn hold_between(from: f64, to: f64) -> String {
    format!(
        "[[cloth.strip.pin]]\nselect.box = {{ min = [{from:?}, -9, -9], max = [{to:?}, 9, 9] }}\n"
    )
}

/// Forces below this share of the weight move no strip by anything that counts.
const ROUNDED: f64 = 1e-4;

/// Brings a state to rest; an answer that is not at rest is an error, since nothing measured on it would mean anything.
pub(crate) fn settle(
    world: &World,
    state: &mut State,
    tolerance: f64,
) -> Result<Equilibrium, LabError> {
    let settings = EquilibriumSettings {
        tolerance,
        ..Default::default()
    };
    let end = minimise(&world.model, state, &settings, &mut |_| {
        ControlFlow::Continue(())
    })?;
    // A search that ends in rounding is good enough if what is left could not be seen in a shape.
    let rounded = end.status == EquilibriumStatus::Stalled && end.certificate.gradient < ROUNDED;
    if end.status != EquilibriumStatus::Converged && !rounded {
        return Err(LabError::NotAtRest {
            gradient: end.certificate.gradient,
        });
    }
    Ok(end)
}
