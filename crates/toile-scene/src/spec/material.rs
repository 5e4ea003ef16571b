//! What cloth is made of, as the scene describes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What keeps the cloth from stretching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModelSpec {
    /// Structural, shear and flexion springs (Provot 1995).
    MassSpring,
    /// Stretch and shear conditions on every face (Baraff and Witkin 1998).
    BaraffWitkin,
    /// Stretch and shear of every face, which buckles within itself rather than be pushed together: tension-field theory with the
    /// buckling stress of the bending rigidity.
    #[default]
    TensionField,
    /// Springs that buckle at once when compressed (Choi and Ko 2002).
    ChoiKo,
    /// Measured tensile and shear curves on every face (Kawabata 1980; Breen, House and Wozny 1994).
    Kawabata,
    /// The surface keeps its metric and can only bend (Coltraro and others 2022).
    Isometric,
    /// Edges keep their lengths; the cloth shears softly (Goldenthal and others 2007).
    QuasiInextensible,
    /// Edges never grow longer than allowed, and shrink as they like (Jin and others 2017).
    Inequality,
    /// Faces keep their areas; weak springs across them keep them from growing thin (Kim 2015).
    Area,
}

impl ModelSpec {
    /// Whether the model is a limit by itself.
    pub fn is_a_limit(self) -> bool {
        match self {
            ModelSpec::Isometric
            | ModelSpec::QuasiInextensible
            | ModelSpec::Inequality
            | ModelSpec::Area => true,
            ModelSpec::MassSpring
            | ModelSpec::BaraffWitkin
            | ModelSpec::TensionField
            | ModelSpec::ChoiKo
            | ModelSpec::Kawabata => false,
        }
    }
}

/// What resists bending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BendingSpec {
    /// What the paper of the model has: flexion springs for mass-spring, buckling pairs for choi-ko; for isometric, quasi-inextensible,
    /// inequality and area the quadratic form if the cloth is flat at rest; else curvature.
    Model,
    /// Hinges at the edges, with rest angles (Bridson, Marino and Fedkiw 2003); see `fold`.
    Dihedral,
    /// The curvature of every triangle, from the angles around it; a plate on any mesh of triangles. Quads have hinges; see `fold`.
    #[default]
    Curvature,
    /// A constant quadratic form of the positions, for cloth that is flat at rest (Bergou and others 2006).
    Quadratic,
    /// Springs whose force is linear in the positions, for cloth that is flat at rest.
    LinearSprings,
    /// Nothing.
    None,
}

/// Which stiffness implicit steps see. Forces are the same with all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HessianSpec {
    /// The exact one without its negative eigenvalues.
    #[default]
    Projected,
    /// Only products of first derivatives.
    GaussNewton,
    /// The exact one; a step may fail where cloth is compressed.
    Exact,
}

/// What the cloth is made of. The defaults are a cotton broadcloth: mass and bending as measured by Matsudaira and others (2015), stretch
/// and shear as is usual for it. A named fabric has its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MaterialSpec {
    /// Mass per area (kg/m²). A named fabric brings its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Stretch stiffness (N/m): force per width at 100 % strain. With `weft_stretch_stiffness`, that of the warp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_stiffness: Option<f64>,
    /// Stretch stiffness of the weft (N/m), if it is another (baraff-witkin).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weft_stretch_stiffness: Option<f64>,
    /// Shear stiffness (N/m): force per width at a shear angle of 1 rad.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shear_stiffness: Option<f64>,
    /// Stiffness (N/m) against strain that alternates from face to face, which the metric at the nodes does not see (isometric);
    /// 1 if not given, 0 for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hourglass_stiffness: Option<f64>,
    /// Bending rigidity (N·m). With `weft_bend`, that of the warp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend: Option<f64>,
    /// Bending rigidity of the weft (N·m), if it is another (dihedral and curvature bending).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weft_bend: Option<f64>,
    /// Width of the loop in which Kawabata's instrument bends the cloth (N), 2HB: friction between threads, which holds small folds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend_hysteresis: Option<f64>,
    /// Stiffness of weak springs (N/m): for inequality on all edges and cross edges, 0 if not given; for area on the cross edges, 80 if not
    /// given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weak_springs: Option<f64>,
    /// Internal damping as a time (s): damping force over elastic force per rate of strain.
    pub damping: f64,
    /// Damping of bending as a time (s); the same as `damping` if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend_damping: Option<f64>,
    /// A named fabric: what is not given here of density, stretch, shear and bending is its own, and the kawabata model takes its curves.
    /// `toile fabrics` lists them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fabric: Option<String>,
    /// Measured curves for the kawabata model; they replace those of the fabric.
    #[serde(skip_serializing_if = "CurvesSpec::is_empty")]
    pub curves: CurvesSpec,
}

impl Default for MaterialSpec {
    fn default() -> Self {
        MaterialSpec {
            density: None,
            stretch_stiffness: None,
            weft_stretch_stiffness: None,
            shear_stiffness: None,
            hourglass_stiffness: None,
            bend: None,
            weft_bend: None,
            bend_hysteresis: None,
            weak_springs: None,
            damping: 2e-3,
            bend_damping: None,
            fabric: None,
            curves: CurvesSpec::default(),
        }
    }
}

impl MaterialSpec {
    /// Mass per area of cloth that nobody has said more of (kg/m²).
    pub const DENSITY: f64 = 0.124;
    /// Its stretch stiffness (N/m).
    pub const STRETCH: f64 = 4000.0;
    /// Its shear stiffness (N/m).
    pub const SHEAR: f64 = 50.0;
    /// Its bending rigidity (N·m).
    pub const BEND: f64 = 1.16e-5;

    /// Stretch stiffness of warp and weft (N/m). Those of a named fabric are known once the scene has been resolved.
    pub fn stretch(&self) -> [f64; 2] {
        let warp = self.stretch_stiffness.unwrap_or(Self::STRETCH);
        [warp, self.weft_stretch_stiffness.unwrap_or(warp)]
    }

    /// Shear stiffness (N/m), as [`stretch`](Self::stretch).
    pub fn shear(&self) -> f64 {
        self.shear_stiffness.unwrap_or(Self::SHEAR)
    }

    /// Bending rigidity of warp and weft (N·m), as [`stretch`](Self::stretch).
    pub fn bending(&self) -> [f64; 2] {
        let warp = self.bend.unwrap_or(Self::BEND);
        [warp, self.weft_bend.unwrap_or(warp)]
    }
}

/// A measured curve: rows of abscissa and value, from `[0, 0]` upwards.
pub type TableSpec = Vec<[f64; 2]>;

/// Measured curves. Each starts at `[0, 0]`, rises in both columns, and goes on straight beyond its last row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CurvesSpec {
    /// Strain of the warp (0.01 is 1 %) and force per width (N/m).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tensile_warp: TableSpec,
    /// The same of the weft; that of the warp if not given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tensile_weft: TableSpec,
    /// Shear angle (rad) and shear force per width (N/m).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shear: TableSpec,
    /// Curvature (1/m) and moment per width (N·m/m) where the warp is bent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bend_warp: TableSpec,
    /// The same where the weft is bent; that of the warp if not given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bend_weft: TableSpec,
}

impl CurvesSpec {
    /// Whether no curve is given.
    pub fn is_empty(&self) -> bool {
        *self == CurvesSpec::default()
    }
}

/// Where the warp runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum WarpSpec {
    /// Along u where the rest shape comes from texture coordinates; else along x of the rest mesh, or along y in faces
    /// that stand on x.
    #[default]
    Auto,
    /// Along this direction in the space of the rest mesh, projected into each face.
    Direction([f64; 3]),
    /// At this angle (rad) from the first axis of the rest coordinates: with texture coordinates, from u.
    Angle(f64),
    /// Along one direction for each face, in the order of the faces.
    Faces(Vec<[f64; 3]>),
}

/// Folds that dihedral and curvature bending rest in, and how new ones come to stay.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FoldSpec {
    /// The angles at which edges rest.
    pub rest: FoldRestSpec,
    /// How the moment follows from the angle.
    pub law: FoldLawSpec,
    /// Edges bent beyond this curvature (1/m) keep a crease.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yield_curvature: Option<f64>,
    /// Edges bent beyond this angle (rad) keep a crease, whatever the mesh. Give this or `yield_curvature`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yield_angle: Option<f64>,
    /// How much harder it becomes to crease further: growth of the yield angle per creased angle.
    pub hardening: f64,
    /// How much of a crease pulls back towards the first rest angle.
    pub kinematic_hardening: f64,
}

/// The angles at which edges rest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum FoldRestSpec {
    /// As in the mesh that the rest shape comes from; flat if it comes from texture coordinates.
    #[default]
    Shape,
    /// Flat.
    Flat,
    /// As in the mesh that the cloth starts from.
    Start,
    /// The same angle (rad) at every edge.
    Angle(f64),
    /// As if the mesh of the rest shape were laid in pleats around the z axis: a node at the angle φ from x is taken to stand
    /// `1 + depth · cos(count φ)` times as far from the axis.
    Pleats {
        /// Ridges around.
        count: u32,
        /// How far ridges stand out and valleys in, as a share of the distance from the axis; below 1.
        depth: f64,
    },
    /// As in a sculpted mesh with the same nodes.
    File {
        /// The mesh file, relative to the scene.
        path: PathBuf,
    },
}

/// How the moment follows from the angle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FoldLawSpec {
    /// In proportion to the angle.
    #[default]
    Angle,
    /// In proportion to the sine of half the angle, as in the paper.
    HalfAngle,
}
