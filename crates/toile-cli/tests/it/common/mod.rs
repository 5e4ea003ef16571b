//! What the program's tests share: a folder that goes away, a small scene, the program itself.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A sheet of 8 × 8 quads that hangs from a corner and swings over a ball; 12 frames in well under a second.
pub const SMALL: &str = r#"title = "Small"

[time]
duration = 0.48
fps = 25

[cloth.sheet]
mesh.grid = { size = [0.4, 0.4], cells = [8, 8] }
place = { at = [0.0, 0.0, 0.35] }

[[cloth.sheet.pin]]
select.corners = [0]

[body.ball]
shape.sphere = { radius = 0.15 }
place = { at = [0.0, 0.0, 0.15] }

[output]
checkpoint_interval = 0
"#;

/// A folder of its own for one test, removed at its end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("toile-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("the temporary folder is writable");
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.file(name);
        std::fs::write(&path, bytes).expect("the temporary folder is writable");
        path
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        let path = self.file(name);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How a call of the program ended.
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    pub fn of(output: Output) -> Self {
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// It went well.
    pub fn good(self) -> Self {
        assert_eq!(self.code, Some(0), "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// It ended with this code and said all of this on standard error, however the lines were broken.
    pub fn says(self, code: i32, fragments: &[&str]) -> Self {
        let text = &self.stderr;
        assert_eq!(self.code, Some(code), "{}\n{text}", self.stdout);
        assert!(!text.contains("panicked"), "{text}");
        for fragment in fragments {
            let found = unbroken(text).contains(&unbroken(fragment));
            assert!(found, "no `{fragment}` in:\n{text}");
        }
        self
    }
}

/// Without what a terminal's width puts between words.
fn unbroken(text: &str) -> String {
    let frame = |c: &char| !c.is_whitespace() && *c != '│';
    text.chars().filter(frame).collect()
}

/// The program in a folder.
pub fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toile"));
    command.current_dir(folder).args(arguments);
    command.stdin(Stdio::null());
    command
}

/// Runs the program to its end.
pub fn toile(folder: &Folder, arguments: &[&str]) -> Ended {
    let output = program(folder.path(), arguments).output();
    Ended::of(output.expect("the program starts"))
}

/// Names and contents of all files of a folder, sorted.
pub fn contents(path: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(path).expect("a folder");
    let mut all: Vec<_> = entries
        .map(|entry| {
            let entry = entry.expect("a readable folder");
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, std::fs::read(entry.path()).unwrap_or_default())
        })
        .collect();
    all.sort();
    all
}
