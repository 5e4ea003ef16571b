//! What can be said about comparing, fitting and sweeping.

use super::common::finite;
use super::{SceneArgs, WorkArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Models, separated by commas
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub models: Vec<String>,
    /// Time steps (s), separated by commas
    #[arg(long, value_name = "H,H,…", value_parser = finite, value_delimiter = ',')]
    pub steps: Vec<f64>,
    /// Meshes, separated by commas: numbers of nodes, cells or files
    #[arg(long, value_name = "M,M,…", value_delimiter = ',')]
    pub meshes: Vec<String>,
    /// Another field and its values: field=a,b,c; may be repeated
    #[arg(long, value_name = "FIELD=A,B,…")]
    pub vary: Vec<String>,
    /// The variant that the others are held against, by its name in the table
    #[arg(long, value_name = "NAME")]
    pub against: Option<String>,
    /// Folder for the results [default: runs/NAME-compare]
    #[arg(short, long, alias = "output", value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Stop each variant at this time (s)
    #[arg(long, value_name = "T", value_parser = finite)]
    pub until: Option<f64>,
    /// Go on with a comparison that was stopped
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// Replace results that are in the folder already
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub work: WorkArgs,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FitMethod {
    /// A simplex that walks downhill (Nelder and Mead)
    NelderMead,
    /// A cloud of points that learns the shape of the valley (covariance matrix adaptation)
    CmaEs,
    /// The cloud with half of the simulations, then the simplex
    Both,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FitStart {
    /// Where the recording begins, at rest
    Recording,
    /// The scene's shape laid onto the first recorded frame, come to rest
    Settled,
    /// As the scene says
    Scene,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Unit {
    /// Metres
    M,
    /// Centimetres
    Cm,
    /// Millimetres
    Mm,
}

#[derive(Debug, Args)]
pub struct FitArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// The recording: .npz, .npy, .csv, or a folder of point clouds
    #[arg(long, value_name = "FILE")]
    pub recording: PathBuf,
    /// What to look for: fields of the scene, separated by commas, each with bounds if need be (field=low:high or field=low:high:log)
    #[arg(
        long,
        value_name = "FIELD[=LOW:HIGH],…",
        value_delimiter = ',',
        required = true
    )]
    pub params: Vec<String>,
    /// The cloth that was recorded, if the scene has several
    #[arg(long, value_name = "NAME")]
    pub cloth: Option<String>,
    /// Where the search looks (s from the start of the recording) [default: the first half]
    #[arg(long, value_name = "FROM:TO")]
    pub train: Option<String>,
    /// Where the result is tested (s) [default: after the training]
    #[arg(long, value_name = "FROM:TO")]
    pub test: Option<String>,
    /// How to look
    #[arg(long, default_value = "nelder-mead")]
    pub method: FitMethod,
    /// Simulations at the most
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub budget: u32,
    /// How often to start again from the best point
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub restarts: u32,
    /// Stop when the mean square error changes by less than this share
    #[arg(long, value_name = "SHARE", value_parser = finite, default_value_t = 1e-4)]
    pub tolerance: f64,
    /// Another number gives other random points
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Map the error over two of the parameters: COLUMNSxROWS, such as 10x10
    #[arg(long, value_name = "NxM", num_args = 0..=1, default_missing_value = "10x10")]
    pub sensitivity: Option<String>,
    /// Which two parameters to map [default: the first two of --params]
    #[arg(
        long,
        value_name = "FIELD,FIELD",
        value_delimiter = ',',
        requires = "sensitivity"
    )]
    pub sensitivity_params: Vec<String>,
    /// How simulations begin [default: recording; settled if it is noisy; scene for point clouds]
    #[arg(long)]
    pub start: Option<FitStart>,
    /// Smooth the tracks of held nodes over so many seconds to either side [default: 0.15 if they are noisy, else 0]
    #[arg(long, value_name = "T", value_parser = finite)]
    pub smooth: Option<f64>,
    /// Let pinned nodes move as the scene says, not as recorded
    #[arg(long)]
    pub drive_from_scene: bool,
    /// Unit of the recording
    #[arg(long, default_value = "m")]
    pub unit: Unit,
    /// Frames per second of recordings that hold no times
    #[arg(long, value_name = "RATE", value_parser = finite)]
    pub fps: Option<f64>,
    /// Folder for the results [default: runs/NAME-fit]
    #[arg(short, long, alias = "output", value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub work: WorkArgs,
    /// Go on with a fit that was stopped
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// Replace results that are in the folder already
    #[arg(long)]
    pub force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct SweepArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Fields and their values: a=1,2,3,b=0:1:5; may be repeated
    #[arg(long, value_name = "FIELD=VALUES,…", required_unless_present_any = ["zip", "variants"])]
    pub grid: Vec<String>,
    /// Fields that change together, first values with first values: a=1,2,3,b=4,5,6; may be repeated
    #[arg(long, value_name = "FIELD=VALUES,…")]
    pub zip: Vec<String>,
    /// A list of variants, .csv (a column per field, and `name`) or .toml ([[variant]] with name and set)
    #[arg(long, value_name = "FILE")]
    pub variants: Option<PathBuf>,
    #[command(flatten)]
    pub work: WorkArgs,
    /// Folder for the results [default: runs/NAME-sweep]
    #[arg(short, long, alias = "output", value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Keep the frames of every variant, in a run folder of its own
    #[arg(long)]
    pub frames: bool,
    /// Go on with a sweep that was stopped
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// Replace results that are in the folder already
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}
