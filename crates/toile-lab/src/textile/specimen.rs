//! What a piece of cloth is, whatever test it goes through.

use super::TextileError;
use std::collections::BTreeMap;
use toile_scene::scene::{SceneSource, World, resolve};
use toile_scene::spec::{
    BendingSpec, ClothContactSpec, ClothSpec, DragSpec, FoldSpec, HessianSpec, LimitSpec,
    MaterialSpec, MeshSpec, ModelSpec, PatternSpec, PlaceSpec, RestSpec, SceneSpec, WarpSpec,
};

/// Name of the cloth in the scenes of the tests.
pub(crate) const NAME: &str = "specimen";

/// A piece of cloth to be tested.
#[derive(Clone, Debug, PartialEq)]
pub struct Specimen {
    /// What keeps it from stretching.
    pub model: ModelSpec,
    /// What resists bending.
    pub bending: BendingSpec,
    /// What it is made of.
    pub material: MaterialSpec,
    /// What it will not do besides; models that are limits bring their own.
    pub limit: Option<LimitSpec>,
    /// Rest angles and creases.
    pub fold: FoldSpec,
    /// Thickness (m).
    pub thickness: f64,
    /// From the length of a specimen to its warp (degrees): 0 tests the warp, 90 the weft, 45 the bias.
    pub warp_degrees: f64,
}

impl Default for Specimen {
    /// Baraff and Witkin's cloth with a scene's default cotton, half a millimetre thick.
    fn default() -> Self {
        Specimen {
            model: ModelSpec::BaraffWitkin,
            bending: BendingSpec::Model,
            material: MaterialSpec::default(),
            limit: None,
            fold: FoldSpec::default(),
            thickness: 5e-4,
            warp_degrees: 0.0,
        }
    }
}

impl Specimen {
    /// The cloth of a scene, without its mesh, place and pins.
    pub fn of_cloth(cloth: &ClothSpec) -> Self {
        Specimen {
            model: cloth.model,
            bending: cloth.bending,
            material: cloth.material.clone(),
            limit: cloth.limit.clone(),
            fold: cloth.fold.clone(),
            thickness: cloth.thickness,
            warp_degrees: 0.0,
        }
    }

    /// Whether it can be made at all.
    pub fn check(&self) -> Result<(), TextileError> {
        let mesh = MeshSpec::Grid {
            size: [0.1, 0.1],
            cells: [2, 2],
            pattern: self.pattern(PatternSpec::Quads),
        };
        world_of(self.cloth(mesh), |_| {}).map(|_| ())
    }

    /// The specimen with another bending rigidity (N·m), the same for warp and weft. Measured bending curves give way to it.
    pub fn with_bend(&self, bend: f64) -> Self {
        let mut changed = self.clone();
        changed.material.bend = Some(bend);
        changed.material.weft_bend = None;
        if changed.model == ModelSpec::Kawabata {
            let line = vec![[0.0, 0.0], [250.0, 250.0 * bend]];
            changed.material.curves.bend_warp.clone_from(&line);
            changed.material.curves.bend_weft = line;
        }
        changed
    }

    /// The specimen cut at another angle (degrees).
    pub fn cut_at(&self, warp_degrees: f64) -> Self {
        Specimen {
            warp_degrees,
            ..self.clone()
        }
    }

    /// Whether something other than forces keeps its shape, so that no energy can be minimised.
    pub fn is_limited(&self) -> bool {
        use ModelSpec::{Area, Inequality, Isometric, QuasiInextensible};
        let own = matches!(
            self.model,
            Isometric | QuasiInextensible | Inequality | Area
        );
        own || self
            .limit
            .as_ref()
            .is_some_and(|limit| *limit != LimitSpec::None)
    }

    /// Whether its faces must be triangles about as wide as long: where areas alone are kept, quads and slivers change their shape for
    /// nothing.
    pub(crate) fn needs_even_faces(&self) -> bool {
        self.model == ModelSpec::Area
    }

    /// Whether straight springs stand for its bending: they are told apart from slack ones only where their mesh is as coarse as folds.
    pub(crate) fn bends_by_springs(&self) -> bool {
        let springs = matches!(self.model, ModelSpec::MassSpring | ModelSpec::ChoiKo);
        springs && self.bending == BendingSpec::Model
    }

    /// How its cells are cut into faces, if they may be cut like this.
    pub(crate) fn pattern(&self, asked: PatternSpec) -> PatternSpec {
        match asked {
            PatternSpec::Quads if self.needs_even_faces() => PatternSpec::HerringBone,
            any => any,
        }
    }

    /// The cloth of a scene with this mesh. The length of the specimen is the x axis.
    pub(crate) fn cloth(&self, mesh: MeshSpec) -> ClothSpec {
        let (sin, cos) = self.warp_degrees.to_radians().sin_cos();
        let warp = if self.warp_degrees == 0.0 {
            WarpSpec::Auto
        } else {
            WarpSpec::Direction([cos, sin, 0.0])
        };
        ClothSpec {
            mesh,
            noise: None,
            rest: RestSpec::default(),
            place: PlaceSpec::default(),
            velocity: [0.0; 3],
            model: self.model,
            // A specimen without a limit has none, whatever a cloth of its model would have elsewhere.
            limit: match self.is_limited() {
                true => self.limit.clone(),
                false => Some(LimitSpec::None),
            },
            bending: self.bending,
            material: self.material.clone(),
            warp,
            fold: self.fold.clone(),
            hessian: HessianSpec::default(),
            damping: 0.0,
            virtual_mass: None,
            drag: DragSpec::default(),
            thickness: self.thickness,
            friction: 0.3,
            compression: 1e4,
            pin: Vec::new(),
            adhere: Vec::new(),
            sticky: Vec::new(),
            color: None,
            back_color: None,
        }
    }
}

/// The world with one cloth; `change` adds what else the test needs.
pub(crate) fn world_of(
    cloth: ClothSpec,
    change: impl FnOnce(&mut SceneSpec),
) -> Result<World, TextileError> {
    let source = SceneSource {
        name: "the specimen".into(),
        text: String::new(),
        folder: Default::default(),
        overrides: Vec::new(),
    };
    let mut spec = source.parse()?;
    // What is looked for is the shape at rest, and how exactly it falls into it does not matter. But faces that go to and fro between
    // slack and taut tremble for ever unless a step knows where they end.
    let folds = cloth.model == ModelSpec::TensionField;
    spec.time.newton_steps = (!folds).then_some(1);
    spec.cloth = BTreeMap::from([(NAME.to_owned(), cloth)]);
    spec.contact.cloth = ClothContactSpec::None;
    change(&mut spec);
    Ok(resolve(&source, spec)?)
}
