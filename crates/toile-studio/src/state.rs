//! What all requests share.

use crate::folder::Folder;
use crate::jobs::Jobs;
use crate::limits::Limits;
use crate::live::Sessions;
use crate::secret::Secret;
use crate::{Options, StartScene};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use toile_live::check::Place;
use toile_live::protocol::{Refusal, RefusalKind};
use tokio::sync::{broadcast, watch};

/// Events that wait for a slow page at the most.
const EVENTS: usize = 64;

/// What all requests share.
#[derive(Debug)]
pub struct Shared {
    pub secret: Secret,
    /// Differs from server to server.
    pub server: String,
    pub port: u16,
    pub folder: Arc<Folder>,
    pub read_only: bool,
    pub scene: Option<StartScene>,
    pub page: Option<PathBuf>,
    pub limits: Limits,
    pub sessions: Arc<Sessions>,
    pub jobs: Jobs,
    /// Said to all pages.
    pub events: broadcast::Sender<String>,
    /// Turns true when it is time to stop.
    pub stopping: watch::Receiver<bool>,
}

impl Shared {
    pub fn new(
        options: Options,
        folder: Folder,
        (secret, server): (Secret, String),
        port: u16,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        let (events, _) = broadcast::channel(EVENTS);
        let folder = Arc::new(folder);
        Shared {
            secret,
            server,
            port,
            read_only: options.read_only,
            scene: options.scene,
            page: options.page,
            limits: options.limits,
            sessions: Arc::new(Sessions::new(options.limits)),
            jobs: Jobs::new(
                options.program,
                folder.clone(),
                events.clone(),
                options.limits.jobs,
            ),
            folder,
            events,
            stopping,
        }
    }

    /// Where a scene's text stands: beside its file, or in the folder itself.
    pub fn place(&self, path: Option<&str>, name: Option<&str>) -> Place {
        let path = path.map(Path::new);
        let folder = path.and_then(Path::parent).unwrap_or(Path::new(""));
        let own = path.map(|p| p.display().to_string());
        Place {
            name: own
                .or(name.map(str::to_owned))
                .unwrap_or_else(|| "scene".into()),
            folder: folder.to_owned(),
            files: self.folder.clone(),
            most_nodes: self.limits.nodes,
        }
    }

    /// Waits until it is time to stop.
    pub async fn stopped(&self) {
        let mut stopping = self.stopping.clone();
        // An error is that nobody can say so any more, which is as good.
        let _ = stopping.wait_for(|stop| *stop).await;
    }

    /// Refuses what would change something, if nothing may be changed.
    pub fn may_change(&self) -> Result<(), Refusal> {
        match self.read_only {
            false => Ok(()),
            true => Err(Refusal::new(
                RefusalKind::ReadOnly,
                "the studio was started with --read-only; nothing in its folder is changed",
            )),
        }
    }
}

/// The value of a lock, whatever became of whoever held it before.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
