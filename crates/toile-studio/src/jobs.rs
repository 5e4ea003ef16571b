//! Experiments and textile tests: the program itself does them, and its last lines are told.

use crate::folder::Folder;
use crate::state::locked;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use toile_lab::{EXPERIMENTS, Outcome};
use toile_live::protocol::{Refusal, RefusalKind};
use toile_scene::files::read_input;
use toile_scene::run::write_atomically;
use toile_scene::scene::SceneSource;
use tokio::sync::broadcast;

/// Lines that are kept of what a job says, and how much of each.
const LINES: usize = 40;
const LINE: usize = 300;
/// Bytes of a result that a job prints.
const RESULT: u64 = 4 << 20;
/// Jobs that are remembered.
const REMEMBERED: usize = 50;
/// How often a job is looked after, and how often it is told how long it has taken.
const LOOK: Duration = Duration::from_millis(100);
const TELL: Duration = Duration::from_secs(1);
/// A job is not said to be nearer to its end than this: it may take longer than the last time.
const NEARLY: f64 = 0.98;
/// Fields of a cloth that say what it is made of.
const OF_THE_CLOTH: [&str; 8] = [
    "model",
    "limit",
    "bending",
    "material",
    "hessian",
    "thickness",
    "friction",
    "compression",
];

/// What is to be done.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Order {
    /// An experiment of the lab.
    Lab {
        experiment: String,
        /// Its short version.
        #[serde(default)]
        quick: bool,
    },
    /// A Cusick drape test of a scene's cloth.
    Cusick {
        text: String,
        /// Its name; the first one if not said.
        cloth: Option<String>,
    },
}

/// Something that is done.
#[derive(Clone, Debug, Serialize)]
pub struct Job {
    pub id: u32,
    kind: &'static str,
    title: String,
    state: State,
    progress: Option<f64>,
    seconds: f64,
    lines: VecDeque<String>,
    result: Option<String>,
    #[serde(skip)]
    began: Instant,
    /// How long it took the last time (s).
    #[serde(skip)]
    expected: Option<f64>,
}

impl Job {
    /// How long it has taken, and how much of what it took the last time that is.
    fn look_at_the_clock(&mut self) {
        self.seconds = self.began.elapsed().as_secs_f64();
        let share = self.expected.map(|all| self.seconds / all.max(1e-3));
        self.progress = share.map(|share| share.min(NEARLY));
    }
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Running,
    Done,
    Failed,
    Stopped,
}

/// What is to be started, and where its results go.
struct Plan {
    kind: &'static str,
    title: String,
    arguments: Vec<String>,
    result: String,
    /// How long the same took the last time (s).
    expected: Option<f64>,
    /// The file that its output goes into, if that is its result.
    output: Option<PathBuf>,
}

/// All jobs.
#[derive(Debug)]
pub struct Jobs {
    program: Option<PathBuf>,
    folder: Arc<Folder>,
    events: broadcast::Sender<String>,
    most: usize,
    list: Arc<Mutex<List>>,
}

#[derive(Debug, Default)]
struct List {
    made: u32,
    jobs: VecDeque<(Job, Option<Child>)>,
}

impl Jobs {
    /// None yet.
    pub fn new(
        program: Option<PathBuf>,
        folder: Arc<Folder>,
        events: broadcast::Sender<String>,
        most: usize,
    ) -> Self {
        Jobs {
            program,
            folder,
            events,
            most,
            list: Arc::default(),
        }
    }

    /// What runs and what has run, the newest last.
    pub fn list(&self) -> Vec<Job> {
        locked(&self.list)
            .jobs
            .iter()
            .map(|(job, _)| job.clone())
            .collect()
    }

    /// Starts one.
    pub fn start(&self, order: &Order) -> Result<Job, Refusal> {
        let refused = |message: String| Refusal::new(RefusalKind::Command, message);
        let Some(program) = &self.program else {
            return Err(refused("this studio has no program to do jobs with".into()));
        };
        let plan = match order {
            Order::Lab { experiment, quick } => self.experiment(experiment, *quick)?,
            Order::Cusick { text, cloth } => self.cusick(text, cloth.as_deref())?,
        };
        let mut list = locked(&self.list);
        let running = list
            .jobs
            .iter()
            .filter(|(job, _)| job.state == State::Running)
            .count();
        if running >= self.most {
            let message = format!("{running} job is running already; wait for it or stop it");
            return Err(Refusal::new(RefusalKind::Limit, message));
        }
        let mut child = Command::new(program)
            .args(&plan.arguments)
            .current_dir(self.folder.root())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| refused(format!("the program cannot be started: {error}")))?;
        list.made += 1;
        let job = Job {
            id: list.made,
            kind: plan.kind,
            title: plan.title,
            state: State::Running,
            progress: plan.expected.map(|_| 0.0),
            seconds: 0.0,
            lines: VecDeque::new(),
            result: None,
            began: Instant::now(),
            expected: plan.expected,
        };
        let (out, told) = (child.stdout.take(), child.stderr.take());
        list.jobs.push_back((job.clone(), Some(child)));
        if list.jobs.len() > REMEMBERED {
            list.jobs.pop_front();
        }
        drop(list);
        let watch = Watch {
            id: job.id,
            list: self.list.clone(),
            events: self.events.clone(),
        };
        watch.tell();
        let place = self.folder.root().join(&plan.result);
        watch.begin(out, told, (plan.result, place, plan.output));
        Ok(job)
    }

    fn experiment(&self, name: &str, quick: bool) -> Result<Plan, Refusal> {
        let found = EXPERIMENTS.iter().find(|e| e.name == name);
        let found = found.ok_or_else(|| {
            let message =
                format!("there is no experiment `{name}`; `toile lab list` has all of them");
            Refusal::new(RefusalKind::Command, message)
        })?;
        let mut arguments: Vec<String> = ["lab", "run", found.name, "--out", "lab"]
            .map(String::from)
            .into();
        arguments.extend(quick.then(|| "--quick".to_owned()));
        let result = format!("lab/{}.json", found.name);
        Ok(Plan {
            kind: "lab",
            title: found.title.to_owned(),
            arguments,
            expected: self.seconds_of(&result, quick),
            result,
            output: None,
        })
    }

    /// How long an experiment took the last time, in the same version.
    fn seconds_of(&self, result: &str, quick: bool) -> Option<f64> {
        let path = self.folder.find(Path::new(result)).ok()?;
        let earlier: Outcome = serde_json::from_slice(&read_input(&path).ok()?).ok()?;
        (earlier.quick == quick && earlier.seconds > 0.0).then_some(earlier.seconds)
    }

    /// The test of the cloth that a scene describes.
    fn cusick(&self, text: &str, cloth: Option<&str>) -> Result<Plan, Refusal> {
        let source = SceneSource {
            name: "scene".into(),
            text: text.to_owned(),
            folder: PathBuf::new(),
            overrides: Vec::new(),
        };
        let wrong = |message: String| Refusal::new(RefusalKind::Scene, message);
        let spec = source.parse().map_err(|error| wrong(error.to_string()))?;
        // What is looked at may be a recording, whose cloths are not those of the scene that is being edited.
        let named = cloth.and_then(|name| spec.cloth.get_key_value(name));
        let found = named.or_else(|| spec.cloth.iter().next());
        let (name, cloth) = found.ok_or_else(|| wrong("the scene has no cloth".into()))?;
        let table = toml::Table::try_from(cloth).map_err(|error| wrong(error.to_string()))?;
        let number = (1..).find(|k| {
            !self
                .folder
                .root()
                .join(format!("textile/cusick-{k}"))
                .exists()
        });
        let result = format!("textile/cusick-{}", number.unwrap_or(1));
        let mut arguments = vec!["textile".into(), "cusick".into(), "--json".into()];
        arguments.extend(["--out".into(), result.clone()]);
        for field in OF_THE_CLOTH {
            if field == "model" {
                let model = table.get(field).and_then(|v| v.as_str());
                arguments.extend(model.map(|m| format!("--model={m}")));
            } else if let Some(value) = table.get(field) {
                arguments.push(format!("--set=cloth.specimen.{field}={value}"));
            }
        }
        let title = format!("Cusick drape test of `{name}`");
        Ok(Plan {
            kind: "cusick",
            expected: self.took(&title),
            title,
            arguments,
            output: Some(self.folder.root().join(&result).join("cusick.json")),
            result,
        })
    }

    /// How long the last job of this name took (s).
    fn took(&self, title: &str) -> Option<f64> {
        let jobs = &locked(&self.list).jobs;
        let mut done = jobs.iter().rev().map(|(job, _)| job);
        let found = done.find(|job| job.state == State::Done && job.title == title);
        found.map(|job| job.seconds)
    }

    /// Stops one.
    pub fn stop_one(&self, id: u32) -> Result<Job, Refusal> {
        let mut list = locked(&self.list);
        let found = list.jobs.iter_mut().find(|(job, _)| job.id == id);
        let (job, child) = found
            .ok_or_else(|| Refusal::new(RefusalKind::Command, format!("there is no job {id}")))?;
        if let (State::Running, Some(child)) = (job.state, child) {
            job.look_at_the_clock();
            job.state = State::Stopped;
            // It may just have ended.
            let _ = child.kill();
        }
        Ok(job.clone())
    }

    /// Stops all.
    pub fn stop(&self) {
        for job in self.list() {
            let _ = self.stop_one(job.id);
        }
    }
}

/// Looks after one job.
#[derive(Clone)]
struct Watch {
    id: u32,
    list: Arc<Mutex<List>>,
    events: broadcast::Sender<String>,
}

impl Watch {
    fn begin(
        self,
        out: Option<impl Read + Send + 'static>,
        told: Option<impl Read + Send + 'static>,
        (result, place, output): (String, PathBuf, Option<PathBuf>),
    ) {
        let (lines, printed) = (self.clone(), self.clone());
        std::thread::spawn(move || told.into_iter().for_each(|told| lines.listen(told)));
        let is_result = output.is_some();
        let printing = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            match (out, is_result) {
                // What cannot be read is missing from the result, which then is none.
                (Some(out), true) => drop(out.take(RESULT).read_to_end(&mut bytes)),
                (Some(out), false) => printed.listen(out),
                (None, _) => {}
            }
            bytes
        });
        std::thread::spawn(move || {
            let success = self.wait();
            let bytes = printing.join().unwrap_or_default();
            // An experiment that came out wrong has a result all the same.
            let made = match &output {
                Some(file) => success && write_atomically(file, &bytes).is_ok(),
                None => place.exists(),
            };
            self.end(made.then_some(result));
        });
    }

    /// Changes the job, and tells of it.
    fn change(&self, change: impl FnOnce(&mut Job)) {
        let mut list = locked(&self.list);
        if let Some((job, _)) = list.jobs.iter_mut().find(|(job, _)| job.id == self.id) {
            if job.state == State::Running {
                job.look_at_the_clock();
            }
            change(job);
        }
        drop(list);
        self.tell();
    }

    fn tell(&self) {
        let list = locked(&self.list);
        let job = list.jobs.iter().find(|(job, _)| job.id == self.id);
        if let Some((job, _)) = job {
            // Nobody may be listening.
            let _ = self
                .events
                .send(json!({ "event": "job", "job": job }).to_string());
        }
    }

    fn listen(&self, told: impl Read) {
        for line in BufReader::new(told).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            let line: String = line.trim_end().chars().take(LINE).collect();
            if !line.is_empty() {
                self.change(|job| {
                    job.lines.push_back(line);
                    if job.lines.len() > LINES {
                        job.lines.pop_front();
                    }
                });
            }
        }
    }

    /// Waits for its end; answers whether all went well.
    fn wait(&self) -> bool {
        let mut told = Instant::now();
        loop {
            std::thread::sleep(LOOK);
            if told.elapsed() > TELL {
                told = Instant::now();
                self.change(|_| {});
            }
            let mut list = locked(&self.list);
            let found = list.jobs.iter_mut().find(|(job, _)| job.id == self.id);
            let Some((_, Some(child))) = found else {
                return false;
            };
            match child.try_wait() {
                Ok(None) => {}
                Ok(Some(status)) => return status.success(),
                Err(_) => return false,
            }
        }
    }

    fn end(&self, result: Option<String>) {
        self.change(|job| {
            if job.state == State::Stopped {
                return;
            }
            job.state = match result {
                Some(_) => State::Done,
                None => State::Failed,
            };
            job.progress = job.progress.map(|_| 1.0);
            job.result = result;
        });
    }
}
