//! What can be said about the studio.

use super::WorkArgs;
use clap::Args;
use std::path::PathBuf;

pub const HELP: &str = "\
Serves a page on this machine alone, on a free port, and opens it in the browser. Its address has a secret in it; whoever has the
address can do what the page can. Nothing outside of the folder is read or written. Ctrl-C stops it.

Examples:
  toile studio                  the present folder
  toile studio hello            a bundled scene
  toile studio scenes/my.toml   a scene, and the folder that it is in
  toile studio --no-open --port 8080 results --read-only";

#[derive(Debug, Args)]
pub struct StudioArgs {
    /// A folder, a scene file or the name of a bundled scene [default: the present folder]
    #[arg(value_name = "FOLDER | SCENE")]
    pub what: Option<String>,
    /// The port [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Do not open the browser
    #[arg(long)]
    pub no_open: bool,
    /// Change nothing in the folder and start no jobs
    #[arg(long)]
    pub read_only: bool,
    /// Serve another build of the page than the one inside the program
    #[arg(long, value_name = "DIR", hide = true)]
    pub page: Option<PathBuf>,
    #[command(flatten)]
    pub work: WorkArgs,
}
