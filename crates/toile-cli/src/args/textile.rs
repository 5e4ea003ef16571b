//! What can be said about textile tests and materials.

use super::WorkArgs;
use super::common::finite;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

pub const HELP: &str = "\
The tests, with the geometry of the standards:
  cusick      30 cm of cloth over a disc of 18 cm: drape coefficient, folds (BS 5058)
  cantilever  a strip of 2.5 cm pushed over an edge until it sinks to 41.5°: overhang, bending length, rigidity (ASTM D1388)
  tensile     a strip of 20 x 5 cm drawn out: force per width against extension; cloth with a limit carries weights instead
  bias        a strip of 15 x 5 cm cut at 45°: shear angle and force against displacement
  shear       a square in a frame of hinged bars: shear force against angle
  hanging     a square of 30 cm held by one corner: area of its shadows
  report      all of them but bias and hanging on several fabrics: one table and one page

The cloth is that of a scene's [cloth.NAME] table, and --set changes its fields by the same path; the name is yours. Rest is
found by the static solver, or by damped motion if the cloth has a limit (isometric, quasi-inextensible, inequality, area) or
--dynamic says so; the drape test always takes damped motion unless --static says otherwise. Numbers and pictures go to -o.

Examples:
  toile textile cusick --fabric silk --specimens 3 -o silk
  toile textile cusick --material shirt.toml
  toile textile cusick --model isometric --support ring --set cloth.sheet.material.bend=7.5e-6
  toile textile cantilever --set cloth.sheet.material.bend=1e-5 --set cloth.sheet.material.density=0.15 --json
  toile textile tensile --model kawabata --fabric cotton --cut 90
  toile textile shear --set cloth.sheet.material.shear_stiffness=50
  toile textile report cotton silk shirt.toml -o fabrics";

pub const MATERIAL_HELP: &str = "\
`fit` prints a [cloth.NAME.material] block for a scene, from what was measured on real cloth. `toile fabrics` lists fabrics
that have a name.

Examples:
  toile material fit --overhang 0.045 --density 0.15
  toile material fit --overhang 0.044,0.046,0.045 --density 0.15
  toile material fit --emt 3.5,7 --lt 0.75,0.7 --g 0.9 --b 0.07,0.045 --density 0.125 --name shirt -o shirt.toml
  toile material fit --kes shirt.kes.toml
  toile material fit --drape 0.52 --density 0.15";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TestName {
    Cusick,
    Cantilever,
    Tensile,
    Bias,
    Shear,
    Hanging,
    Report,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SupportName {
    /// The overhanging ring, its inner rim fixed
    Ring,
    /// The ring held as between two discs, as instruments do
    #[default]
    Clamped,
    /// The whole specimen on a disc, with contact and friction
    Disc,
}

#[derive(Debug, Args)]
pub struct TextileArgs {
    /// The test
    pub test: TestName,
    /// Named fabrics, or files that `material fit` wrote (report)
    #[arg(value_name = "FABRIC")]
    pub fabrics: Vec<String>,
    /// The cloth's model, as in a scene [default: tension-field]
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// A named fabric (see `toile fabrics`)
    #[arg(long, value_name = "NAME")]
    pub fabric: Option<String>,
    /// A file that `material fit` wrote: the material of the only cloth in it
    #[arg(long, value_name = "FILE", conflicts_with = "fabric")]
    pub material: Option<PathBuf>,
    /// Change a field of the cloth as in a scene: cloth.NAME.field=value, with any name; may be repeated
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    pub overrides: Vec<String>,
    /// How many nodes the specimen should have (cusick, hanging)
    #[arg(long, value_name = "N")]
    pub nodes: Option<u32>,
    /// How many specimens, each from another first disturbance: mean and deviation (cusick, report)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub specimens: Option<u32>,
    /// Drape on a mesh with four times as many nodes too, and tell what the coefficient would be without a mesh (cusick)
    #[arg(long)]
    pub refine: bool,
    /// Angle from the specimen's length to its warp (degrees): 0 tests the warp, 90 the weft
    #[arg(
        value_parser = finite,
        long,
        value_name = "DEGREES",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    pub cut: f64,
    /// What the drape test's specimen lies on
    #[arg(long, value_enum, default_value_t)]
    pub support: SupportName,
    /// Radius of the drape test's specimen (m): 0.12, 0.15 or 0.18
    #[arg(
        value_parser = finite,
        long,
        value_name = "M",
        default_value_t = 0.15,
        allow_negative_numbers = true
    )]
    pub radius: f64,
    /// Radius of what it lies on (m)
    #[arg(
        value_parser = finite,
        long,
        value_name = "M",
        default_value_t = 0.09,
        allow_negative_numbers = true
    )]
    pub support_radius: f64,
    /// Another number gives another first disturbance, and perhaps other folds
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Let it fall, damped, until it rests
    #[arg(long, conflicts_with = "static_")]
    pub dynamic: bool,
    /// Use the static solver
    #[arg(long = "static")]
    pub static_: bool,
    /// Folder for numbers (CSV) and pictures [default: none; report: runs/textile-report]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace existing results
    #[arg(long)]
    pub force: bool,
    /// Go on with a report that was stopped
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    #[command(flatten)]
    pub work: WorkArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MaterialArgs {
    #[command(subcommand)]
    pub command: MaterialCommand,
}

#[derive(Debug, Subcommand)]
pub enum MaterialCommand {
    /// A material block for a scene, from measurements
    #[command(after_help = MATERIAL_HELP)]
    Fit(Box<MaterialFitArgs>),
    /// The named fabrics, as `toile fabrics` has them
    #[command(hide = true)]
    List,
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("measured").required(true).args(["overhang", "kes", "emt", "drape"])))]
pub struct MaterialFitArgs {
    /// Overhang of a cantilever test (m), or several with commas
    #[arg(
        value_parser = finite,
        long,
        value_name = "M",
        requires = "density",
        value_delimiter = ',',
        num_args = 1,
        allow_negative_numbers = true
    )]
    pub overhang: Vec<f64>,
    /// Angle of that test (degrees)
    #[arg(
        value_parser = finite,
        long,
        value_name = "DEGREES",
        default_value_t = 41.5,
        allow_negative_numbers = true
    )]
    pub angle: f64,
    /// Mass per area (kg/m²)
    #[arg(value_parser = finite, long, value_name = "KG/M2", allow_negative_numbers = true)]
    pub density: Option<f64>,
    /// A record of Kawabata's instruments: a TOML file with density, emt, lt, g, b and perhaps 2hb, each a number or [warp, weft]
    #[arg(long, value_name = "FILE")]
    pub kes: Option<PathBuf>,
    /// Extension at 500 gf/cm (%), one number or WARP,WEFT
    #[arg(value_parser = finite, long, value_name = "PERCENT", requires_all = ["lt", "g", "b", "density"], value_delimiter = ',', num_args = 1, allow_negative_numbers = true)]
    pub emt: Vec<f64>,
    /// Linearity of the tensile curve
    #[arg(
        value_parser = finite,
        long,
        value_name = "LT",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    pub lt: Vec<f64>,
    /// Shear stiffness (gf/cm per degree; N/m per rad with --si)
    #[arg(
        value_parser = finite,
        long,
        value_name = "G",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    pub g: Vec<f64>,
    /// Bending rigidity (gf·cm²/cm; N·m with --si)
    #[arg(
        value_parser = finite,
        long,
        value_name = "B",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    pub b: Vec<f64>,
    /// --g and --b are in SI units
    #[arg(long)]
    pub si: bool,
    /// Drape coefficient of Cusick's test, as a share (52 % is 0.52), or several with commas
    #[arg(
        value_parser = finite,
        long,
        value_name = "DC",
        requires = "density",
        value_delimiter = ',',
        num_args = 1,
        allow_negative_numbers = true
    )]
    pub drape: Vec<f64>,
    /// Model of the simulated drape test [default: tension-field]
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Change a field of the cloth in the simulated drape test, as in a scene: cloth.NAME.field=value; may be
    /// repeated
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    pub overrides: Vec<String>,
    /// Nodes of the simulated drape test
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub nodes: u32,
    /// How near the simulated coefficient must come
    #[arg(
        value_parser = finite,
        long,
        value_name = "SHARE",
        default_value_t = 0.01,
        allow_negative_numbers = true
    )]
    pub tolerance: f64,
    /// Name of the cloth in the block
    #[arg(long, default_value = "sheet")]
    pub name: String,
    /// Write the block to a file instead of printing it
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub work: WorkArgs,
}
