//! The server: it listens on this machine alone, takes so many connections at once, and waits for nobody for long.

use crate::error::StudioError;
use crate::folder::Folder;
use crate::guard::guard;
use crate::secret::Secret;
use crate::state::Shared;
use crate::{Options, api, page};
use axum::Router;
use axum::middleware::from_fn_with_state;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};

/// Threads that answer requests; simulations have their own.
const WORKERS: usize = 2;
/// How long a stopping server waits for what it is doing.
const LAST_WORDS: Duration = Duration::from_secs(2);
const BUSY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// A server at work.
#[derive(Debug)]
pub struct Running {
    address: String,
    has_page: bool,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// What to open in a browser. Whoever has it can do what the page can.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Whether there is a page to show, or only word of how to get one.
    pub fn has_page(&self) -> bool {
        self.has_page
    }

    /// Says that it is time to stop: sessions end, jobs are told to.
    pub fn stop(&self) {
        // Nobody listens if it has stopped already.
        let _ = self.stop.send(true);
    }

    /// Waits until it has stopped.
    pub fn wait(mut self) {
        self.join();
    }

    /// Somebody who can stop it from elsewhere.
    pub fn stopper(&self) -> impl Fn() + Send + 'static {
        let stop = self.stop.clone();
        move || {
            let _ = stop.send(true);
        }
    }

    fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            // If it panicked, that was said.
            let _ = thread.join();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
        self.join();
    }
}

/// Starts a server.
pub fn serve(options: Options) -> Result<Running, StudioError> {
    let folder = Folder::new(&options.folder).map_err(|source| StudioError::Folder {
        path: options.folder.clone(),
        source,
    })?;
    let port = options.port;
    let refused = |source| StudioError::Port { port, source };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(refused)?;
    listener.set_nonblocking(true).map_err(refused)?;
    let port = listener.local_addr().map_err(refused)?.port();
    let secret = match &options.secret {
        Some(chosen) => Secret::chosen(chosen)?,
        None => Secret::new()?,
    };
    let secrets = (secret, Secret::new()?.text()[..8].to_owned());
    let address = format!("http://127.0.0.1:{port}/{}/", secrets.0.text());
    let has_page = page::is_there(options.page.as_deref());
    let (stop, stopping) = watch::channel(false);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .thread_name("studio")
        .enable_all()
        .build()
        .map_err(StudioError::Start)?;
    let shared = Arc::new(Shared::new(options, folder, secrets, port, stopping));
    let thread = std::thread::Builder::new()
        .name("studio".into())
        .spawn(move || {
            runtime.block_on(listen(listener, shared.clone()));
            shared.sessions.stop();
            shared.jobs.stop();
            runtime.shutdown_timeout(LAST_WORDS);
        })
        .map_err(StudioError::Start)?;
    Ok(Running {
        address,
        has_page,
        stop,
        thread: Some(thread),
    })
}

async fn listen(listener: TcpListener, shared: Arc<Shared>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
        return;
    };
    let inner = api::router(shared.clone());
    // What is inside sees paths without the secret.
    let app = Router::new()
        .fallback_service(inner)
        .layer(from_fn_with_state(shared.clone(), guard));
    let places = Arc::new(Semaphore::new(shared.limits.connections));
    loop {
        let accepted = tokio::select! {
            () = shared.stopped() => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            // Out of file descriptors, as a rule: others will be closed.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(place) = places.clone().try_acquire_owned() else {
            let _ = stream.try_write(BUSY);
            continue;
        };
        let (app, head_time) = (app.clone(), shared.limits.head_time);
        tokio::spawn(async move {
            connection(stream, app, head_time).await;
            drop(place);
        });
    }
}

async fn connection(stream: TcpStream, app: Router, head_time: Duration) {
    // Small messages go out at once; if that cannot be had, they go out a little later.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head_time)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app))
        .with_upgrades();
    // A connection that breaks is its own business.
    let _ = connection.await;
}
