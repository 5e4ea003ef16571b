//! What can be said on the command line.

mod common;
mod laboratory;
mod mesh;
mod studio;
#[cfg(test)]
mod tests;
mod textile;

pub use common::{SceneArgs, ThreadsArg, WorkArgs};
pub use laboratory::{CompareArgs, FitArgs, FitMethod, FitStart, SweepArgs, Unit};
pub use mesh::{MeshArgs, MeshCommand, MeshFiles};
pub use studio::StudioArgs;
pub use textile::{
    MaterialArgs, MaterialCommand, MaterialFitArgs, SupportName, TestName, TextileArgs,
};

use clap::{Args, Parser, Subcommand, ValueEnum};
use common::finite;
use std::path::PathBuf;

const HELP: &str = "\
First steps:
  toile run hello                   simulate a bundled scene into runs/hello
  xdg-open runs/hello/report.html   look at it: 3D player and plots in your browser
  toile scenes                      what else is bundled
  toile scenes hello > my.toml      start a scene of your own
  toile check my.toml               find mistakes before running
  toile run my.toml                 into runs/my

A scene is a text file (TOML):
  [cloth.sheet]                                         # a name of your choice
  mesh.grid = { size = [1.0, 1.0], cells = [40, 40] }   # one metre, 40 x 40 quads
  place = { at = [0.0, 0.0, 1.2] }
  material.bend = 1e-5
  [[cloth.sheet.pin]]
  select.corners = [2, 3]                               # held at two corners
  [body.floor]
  shape = \"plane\"
All quantities are SI (m, kg, s, N); z points up. `toile schema` has every field for your editor.

Go on from there:
  toile studio my.toml                                                  pull at it and tune it in your browser
  toile run my.toml -o runs/soft --set cloth.sheet.material.bend=1e-6   try a value without editing
  toile render runs/my --frame last --color stretch -o end.png          other pictures
  toile export runs/my --to glb -o my.glb                               for Blender
  toile drape my.toml                                                   the shape at rest, without the way there
  toile compare my.toml --models mass-spring,isometric                  the same scene, two models
  toile sweep my.toml --grid cloth.sheet.damping=0:2:5                  many values, one table
  toile fit my.toml --recording clip.npz --params cloth.sheet.damping=0:5   parameters of real cloth

The same everywhere:
  -o, --out PATH      where results go; what is there already is kept unless you say --force
  --set FIELD=VALUE   changes a field of the scene, by its path in the file: cloth.sheet.pin[0].held=[[0, 1]]
  --threads, --memory how much of the machine to use; results do not depend on it
  frames              are counted from 0, the start
  exit code           0 done, 1 something is wrong (and was said), 2 wrong command line, 130 stopped by Ctrl-C: go on with --resume

Every command explains itself with --help.";

/// Cloth simulation: write a scene, run it, watch it, measure it.
#[derive(Debug, Parser)]
#[command(
    name = "toile",
    version,
    after_help = HELP
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene into a folder of results
    #[command(after_help = "\
A run folder holds:
  report.html             3D player and plots, one file, works offline
  preview.png             contact sheet;  preview-animated.png  the motion
  frames.toile            all frames, for `toile export` and `toile render`
  metrics.csv             per frame: time, certificate (stretch, gap, residuals), energies
  timings.csv             per frame: wall time by phase
  forces.csv              per step: force and torque of the cloth on each body, if there are any
  findings.json           what you should know: warnings, too much stretch, steps that did not converge, intersections
  scene.resolved.toml     the scene with every default filled in
  checkpoint.toile        where --resume goes on

The findings are printed at the end, too; --strict makes them a failure.
Ctrl-C stops after the present frame and leaves a resumable run (exit code 130).
Exit code 1: the scene is wrong, the physics failed, the scene's [expect] table was missed, or there are findings under --strict.

Examples:
  toile run hello
  toile run my.toml -o results/soft --set cloth.sheet.material.bend=1e-6
  toile run my.toml --until 0.5
  toile run my.toml --resume
  toile run my.toml --strict --force")]
    Run(RunArgs),
    /// Find the shape in which a scene's cloth comes to rest, without simulating how it gets there
    #[command(after_help = "\
Minimises the total energy (elastic, gravity, contact) from the scene's start until the force left on the cloth is a
millionth of its weight. Pins hold their nodes and bodies stand where they are at time 0. There is no friction: friction
has no energy, and cloth may slide off what would hold it in `toile run`. Cloth has many equilibria; the start and
drape.seed decide which one is found. The scene's [drape] table has the settings.

The folder is like a run's, and `toile render` and `toile export` work on it:
  report.html, preview.png, preview-animated.png, scene.resolved.toml
  frames.toile            the start, the way, the equilibrium (last frame); one second is fps iterations
  metrics.csv             per iteration: force left, energies, stretch, gap
  checkpoint.toile        where --resume goes on

Ctrl-C stops after the present iteration; --resume goes on from there (exit code 130).
Exit code 1: the scene is wrong, no balance was reached, or the scene's [expect] table was missed.

Examples:
  toile drape hello
  toile drape table-drape -o results/cloth --set cloth.tablecloth.material.bend=1e-4
  toile drape my.toml --tolerance 1e-8 --max-iterations 3000
  toile render runs/hello-drape --frame last --color stretch -o stretch.png")]
    Drape(DrapeArgs),
    /// Look for mistakes in a scene or a mesh, and say what each means
    #[command(after_help = "\
For a mesh (.obj, .ply): degenerate and duplicate elements, non-manifold edges, inverted elements, isolated
nodes, self-intersections and more. For a scene: everything `run` would refuse, and its cloths' meshes.
Exit code 1 if there is an error; warnings alone exit with 0.

Examples:
  toile check my.toml
  toile check my.toml --set contact.start=tolerate -o start.png
  toile check shirt.obj")]
    Check(CheckArgs),
    /// Mend meshes: weld, orient, cut into triangles, lay the triangles anew
    #[command(after_help = mesh::HELP)]
    Mesh(MeshArgs),
    /// Write a run's frames for other programs
    #[command(after_help = "\
All but npz carry the texture coordinates and vertex colours of the meshes. Generated cloth has its pattern as texture
coordinates, in metres. What a format cannot hold is said in a note.

  obj, ply   one mesh per frame, quads kept
  glb        animated glTF (morph targets, also for bodies that deform); opens in Blender and in browsers
  usda       USD text with time samples; opens in Houdini, Blender, usdview
  vtu        one file per frame and a .pvd for ParaView, with stretch and area change
  pc2, mdd   point caches, one per cloth, with the cloth's mesh as .obj; Blender (modifier Mesh Cache), Houdini, Maya
  npz        node positions for numpy: t (T), x (T×N×3), grid; a recording for `toile fit`

Where there is one file per frame, its name has the number of the frame: hello_0000.obj is the start.

Examples:
  toile export runs/hello --to glb -o hello.glb
  toile export runs/hello --to obj -o frames/hello --every 5
  toile export runs/hello --to mdd -o hello.mdd --up y")]
    Export(ExportArgs),
    /// Take pictures of a run again, with another camera or coloured by stretch
    #[command(after_help = "\
Examples:
  toile render runs/hello -o side.png --azimuth 0 --elevation 5
  toile render runs/hello --frame last --size 1600x1200 --color stretch -o stretch.png
  toile render runs/hello --animate -o swing.png")]
    Render(RenderArgs),
    /// Make the level set of a mesh, as bodies have it: what was mended, how large it is, and cuts through it
    #[command(after_help = "\
A level set is the signed distance to a closed mesh, negative inside, on cells that are small near the surface. Scenes
use it for bodies (`shape.mesh = { file = \"body.obj\" }`). Holes are covered, patches that face the wrong way are turned.

Examples:
  toile levelset body.obj
  toile levelset body.ply --cell 0.005 -o cuts.png")]
    Levelset(LevelSetArgs),
    /// List the bundled scenes, or print one
    Scenes(ScenesArgs),
    /// List the named fabrics: density, bending rigidity, shear stiffness, and where the numbers come from
    Fabrics,
    /// Print the JSON schema of scene files, for editors
    Schema,
    /// Experiments that hold the engine against physics and the papers
    Lab(LabArgs),
    /// Run one scene under several models, time steps or meshes, and hold the results against each other
    #[command(after_help = "\
Every combination of models, steps, meshes and --vary values is a variant. Each runs into a folder of its own inside -o, where
`toile render` and `toile export` work as ever. Distances are taken from the finest variant (most nodes, then shortest
step), or from the one that --against names. Meshes are compared through the rest shape's coordinates.

The folder holds:
  compare.csv             a row per variant: stretch, errors of area, energy, folds, distance, time, iterations, memory
  series.csv              stretch, energy and distance over time
  report.html             all variants side by side in the 3D player, with plots;  preview-animated.png  the same as a picture
  stretch.png, energy.png, distance.png, quality.png

Models: mass-spring, baraff-witkin, tension-field, choi-ko, kawabata, isometric, quasi-inextensible, inequality, area; with +strain or
+area a limit comes on top.
Meshes: a number of nodes (1000), cells (16x24), or other files (fine.obj).

Examples:
  toile compare hello --models mass-spring,baraff-witkin,isometric
  toile compare hello --models isometric --meshes 8x8,16x16,32x32 --steps 0.01,0.005
  toile compare my.toml --vary time.integrator=backward-euler,bdf2 --against integrator=bdf2")]
    Compare(CompareArgs),
    /// Find the parameters under which a scene moves like a recording
    #[command(after_help = "\
Recordings: node grids with correspondence, as .npz (t: T, x: T×N×3, grid, held), .npy (x) or .csv; or point clouds, as .csv
(time,x,y,z) or a folder of .ply or .xyz files. Times may be irregular, frames and nodes missing (NaN). Metres, or --unit.
The recorded grid may be finer or coarser than the scene's mesh. Pinned nodes follow their recorded tracks.

The search sees the training window only; the test window tells what the parameters are worth. A parameter without bounds is
looked for between a tenth and ten times its value in the scene.

The folder holds:
  fit.json, fitted.toml   parameters, errors;  lines for the scene
  errors.csv, errors.png  error and dispersion over time;  search.png  the search
  report.html             simulation over recording in the 3D player
  sensitivity.png, .csv   the error over two parameters (--sensitivity)
  evaluations.csv         every simulation; --resume goes on from it

Ctrl-C stops after the present simulations (exit code 130).

Examples:
  toile fit cloth.toml --recording clip.npz --params cloth.sheet.virtual_mass,cloth.sheet.damping=0:5
  toile fit cloth.toml --recording clip.npz --params cloth.sheet.damping=0:5 --train 0:7 --test 7:14 --method both
  toile fit cloth.toml --recording scans/ --fps 30 --unit mm --params cloth.sheet.material.bend=1e-6:1e-3:log")]
    Fit(FitArgs),
    /// Run many variants of a scene on all cores, into one table
    #[command(after_help = "\
--grid names fields and their values; all combinations run, one to a core. Values are lists (a,b,c) or ranges
(low:high:count, evenly; low:high:count:log, by equal factors). --zip names fields that change together, --variants a file with
one variant per row; grids multiply with both.

The folder holds results.csv: a row per variant with its values, what its certificate said (stretch, gap,
residuals, collisions, iterations), energies, heights and speed at the end, forces on bodies, wall time, and the verdict of [expect].
Ctrl-C stops after the present variants (exit code 130); --resume skips those that are in the table.

Examples:
  toile sweep hello --grid cloth.sheet.material.bend=1e-6,1e-5,1e-4
  toile sweep my.toml --grid time.step=0.01,0.005,cloth.sheet.damping=0:2:5 --threads 2
  toile sweep my.toml --zip body.hand.motion.trajectory.path=slow.csv,fast.csv,time.duration=4,2
  toile sweep my.toml --variants grasps.csv --grid body.hand.friction=0.2,0.5
  toile sweep my.toml --grid cloth.sheet.model=mass-spring,isometric --frames")]
    Sweep(SweepArgs),
    /// Textile tests on a piece of cloth: drape, bending, tension, shear
    #[command(after_help = textile::HELP)]
    Textile(TextileArgs),
    /// Materials for scenes from measurements on real cloth
    #[command(after_help = textile::MATERIAL_HELP)]
    Material(MaterialArgs),
    /// Cloth to see, touch and tune in the browser
    #[command(after_help = studio::HELP)]
    Studio(StudioArgs),
    /// Print a shell completion script
    #[command(
        after_help = "Example: toile completions bash > ~/.local/share/bash-completion/completions/toile"
    )]
    Completions(CompletionsArgs),
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// A scene file, or the name of a bundled scene (see `toile scenes`); with --branch, that run's own if there is none
    #[arg(required_unless_present = "branch")]
    pub scene: Option<String>,
    /// Change a field of the scene: field.path=value, value as in TOML; may be repeated
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    pub overrides: Vec<String>,
    /// Start where another run was at its last checkpoint, or at or before a time (s), see output.keep_checkpoints
    #[arg(long, value_name = "RUN[@TIME]", requires = "out")]
    pub branch: Option<String>,
    /// Folder for the results [default: runs/NAME]
    #[arg(short, long, alias = "output", value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Stop at this time (s), earlier than the scene does; --resume goes on from there
    #[arg(long, value_name = "T", value_parser = finite)]
    pub until: Option<f64>,
    /// Go on from the folder's last checkpoint, to the same bits as an uninterrupted run
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// Give the commands of another run (its commands.toml) again, each after as many steps: the same scene
    /// then comes to the same bits
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// Replace results that are in the folder already
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub work: WorkArgs,
    /// Exit with code 1 if there are findings: warnings, too much stretch, steps that did not converge,
    /// intersections
    #[arg(long)]
    pub strict: bool,
    /// Do not make pictures and the report at the end
    #[arg(long)]
    pub no_report: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct DrapeArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Folder for the results [default: runs/NAME-drape]
    #[arg(short, long, alias = "output", value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Stop when the force left is this part of the weight [default: the scene's drape.tolerance, 1e-6]
    #[arg(long, value_name = "SHARE", value_parser = finite)]
    pub tolerance: Option<f64>,
    /// Iterations at the most [default: the scene's drape.max_iterations, 1000]
    #[arg(long, value_name = "N")]
    pub max_iterations: Option<u32>,
    /// Go on from the folder's last checkpoint
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// Replace results that are in the folder already
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub work: WorkArgs,
    /// Do not make pictures and the report at the end
    #[arg(long)]
    pub no_report: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// A scene (.toml or the name of a bundled one) or a mesh (.obj, .ply)
    pub file: String,
    /// Change a field of the scene: field.path=value, value as in TOML; may be repeated
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    pub overrides: Vec<String>,
    /// Draw how the scene starts, with faces that intersect marked, into this file (PNG)
    #[arg(short, long, alias = "picture", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace an existing picture
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub work: WorkArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Format {
    Obj,
    Ply,
    Glb,
    Usda,
    Vtu,
    Npz,
    Pc2,
    Mdd,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Up {
    /// As in scenes and in Blender
    Z,
    /// As in Houdini and Maya
    Y,
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// A run folder
    pub folder: PathBuf,
    /// The format
    #[arg(long, visible_alias = "format", value_name = "FORMAT")]
    pub to: Format,
    /// The file to write; for one file per frame the start of their names: NAME gives NAME_0000.obj for frame
    /// 0
    #[arg(short, long, value_name = "PATH")]
    pub out: PathBuf,
    /// Only every Nth frame
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,
    /// First frame; frame 0 is the start
    #[arg(long, value_name = "N")]
    pub from: Option<usize>,
    /// Last frame [default: the last one there is]
    #[arg(long, value_name = "N")]
    pub to_frame: Option<usize>,
    /// Which axis is up in obj, ply, pc2 and mdd [default: z]; the other formats say it themselves
    #[arg(long, value_name = "AXIS")]
    pub up: Option<Up>,
    /// The number of the first frame in pc2 and mdd [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub start_frame: Option<i32>,
    /// Replace existing files
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// The cloth's own colours
    Cloth,
    /// By stretch
    Stretch,
}

#[derive(Debug, Args)]
pub struct LevelSetArgs {
    /// A mesh (.obj or .ply)
    pub mesh: PathBuf,
    /// Side of the finest cells (m) [default: a hundredth of the longest side]
    #[arg(long, value_name = "M", value_parser = finite, allow_negative_numbers = true)]
    pub cell: Option<f64>,
    /// The picture to write (PNG): cuts across x, y and z through the middle
    #[arg(short, long, value_name = "FILE", default_value = "levelset.png")]
    pub out: PathBuf,
    /// Width and height of each cut (pixels)
    #[arg(long, value_name = "N", default_value_t = 480, value_parser = clap::value_parser!(u32).range(16..=4096))]
    pub size: u32,
    /// Turn a mesh that is inside out, which is an error otherwise
    #[arg(long)]
    pub flip: bool,
    /// Refuse a mesh with holes instead of covering them
    #[arg(long)]
    pub closed: bool,
    /// Replace an existing picture
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub threads: ThreadsArg,
}

#[derive(Debug, Args)]
pub struct RenderArgs {
    /// A run folder
    pub folder: PathBuf,
    /// The picture to write (PNG)
    #[arg(short, long, value_name = "FILE", default_value = "render.png")]
    pub out: PathBuf,
    /// Which frame: a number (frame 0 is the start) or `last`; without it a contact sheet of the whole run
    #[arg(long, value_name = "N|last")]
    pub frame: Option<String>,
    /// An animated PNG of the whole run
    #[arg(long, conflicts_with = "frame")]
    pub animate: bool,
    /// Direction of the camera in the ground plane (degrees): 0 from +x, 90 from +y
    #[arg(long, value_name = "DEGREES", value_parser = finite, allow_negative_numbers = true)]
    pub azimuth: Option<f64>,
    /// Height of the camera above the horizon (degrees)
    #[arg(long, value_name = "DEGREES", value_parser = finite, allow_negative_numbers = true)]
    pub elevation: Option<f64>,
    /// 2 is twice as near
    #[arg(long, value_name = "FACTOR", value_parser = finite)]
    pub zoom: Option<f64>,
    /// Size of each picture in pixels, as WIDTHxHEIGHT
    #[arg(long, default_value = "640x480")]
    pub size: String,
    /// How cloth is coloured
    #[arg(long, default_value = "cloth")]
    pub color: Color,
    /// Strain at the ends of the colour scale (0.05 is 5 %); without it what the pictures need
    #[arg(long, value_name = "STRAIN", value_parser = finite)]
    pub range: Option<f64>,
    /// Draw the mesh
    #[arg(long)]
    pub wireframe: bool,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub threads: ThreadsArg,
}

#[derive(Debug, Args)]
pub struct ScenesArgs {
    /// Print this scene's text
    pub name: Option<String>,
}

#[derive(Debug, Args)]
pub struct LabArgs {
    #[command(subcommand)]
    pub command: LabCommand,
}

#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// List the experiments
    List {
        /// With what each is about and its settings
        #[arg(long)]
        long: bool,
    },
    /// Say what experiments are about, and with what settings they run
    Show {
        /// Names of experiments
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Run experiments: prints measured, reference, tolerance and verdict; exits with 1 where one fails
    #[command(after_help = "\
The folder (-o) gets for every experiment, as soon as it is done:
  NAME.json               the result; NAME-PICTURE.png, clips/NAME-CLIP/  what it saw
and in the end, from all results that are there:
  report.html             one page to read: numbers, pictures, clips in a 3D player; works offline

Ctrl-C stops after the present experiment and keeps what is done; --resume goes on from there (exit code 130).

Examples:
  toile lab run free-flight pendulum
  toile lab run --all --quick -o lab/quick
  toile lab run --all --resume")]
    Run(LabRunArgs),
    /// Make report.html anew from the results in a folder
    #[command(after_help = "\
Exit code 1 if a result cannot be read; the page shows the others. Pictures and clips that are not there are noted on the page.

Examples:
  toile lab report lab
  toile lab report lab -o lab.html --budget 20")]
    Report {
        /// A folder with results of `toile lab run`
        folder: PathBuf,
        /// The page to write [default: report.html in the folder, which is replaced]
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Replace the page that --out names
        #[arg(long)]
        force: bool,
        /// How large the page may become (MB); pictures and clips beyond are linked
        #[arg(long, value_name = "MB", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=2000))]
        budget: u32,
    },
}

#[derive(Debug, Args)]
pub struct LabRunArgs {
    /// Names of experiments
    #[arg(required_unless_present = "all")]
    pub names: Vec<String>,
    /// All of them
    #[arg(long, conflicts_with = "names")]
    pub all: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// A short version, for tests
    #[arg(long)]
    pub quick: bool,
    /// Folder for results, pictures, clips and the report
    #[arg(short, long, value_name = "DIR", default_value = "lab")]
    pub out: PathBuf,
    /// Skip experiments whose results of the same version (short or full) are in the folder
    #[arg(long)]
    pub resume: bool,
    /// Do not make report.html at the end
    #[arg(long)]
    pub no_report: bool,
    #[command(flatten)]
    pub work: WorkArgs,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}
