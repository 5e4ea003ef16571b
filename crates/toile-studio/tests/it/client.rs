//! A browser's part: plain requests and a socket, to this machine alone.

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use toile_studio::{Limits, Options, Running, serve};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// Longer than anything takes here; it only keeps a broken test from waiting for ever.
const PATIENCE: Duration = Duration::from_secs(120);

pub const SHEET: &str = "title = \"sheet\"\n[time]\nstep = 0.01\n[cloth.sheet]\n\
    mesh.grid = { size = [1, 1], cells = [8, 8] }\nplace = { at = [0, 0, 1] }\n\
    [[cloth.sheet.pin]]\nselect.corners = [2, 3]\n[body.floor]\nshape = \"plane\"\n";

/// A folder of a test's own.
pub struct TestFolder(pub PathBuf);

impl TestFolder {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("toile-studio-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(folder.join("served")).unwrap();
        std::fs::write(
            folder.join("outside.obj"),
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        )
        .unwrap();
        std::fs::write(folder.join("outside.toml"), SHEET).unwrap();
        std::fs::write(folder.join("served/sheet.toml"), SHEET).unwrap();
        TestFolder(folder)
    }

    /// What is served.
    pub fn served(&self) -> PathBuf {
        self.0.join("served")
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A server and its folder.
pub struct Studio {
    pub running: Running,
    pub folder: TestFolder,
    pub port: u16,
    pub secret: String,
}

impl Studio {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut Options)) -> Self {
        let folder = TestFolder::new();
        let mut options = Options {
            folder: folder.served(),
            scene: None,
            port: 0,
            secret: None,
            read_only: false,
            page: None,
            program: None,
            limits: Limits::default(),
        };
        change(&mut options);
        let running = serve(options).unwrap();
        let rest = running.address().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, secret) = rest.trim_end_matches('/').split_once('/').unwrap();
        Studio {
            port: port.parse().unwrap(),
            secret: secret.to_owned(),
            running,
            folder,
        }
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn stream(&self) -> TcpStream {
        let stream = TcpStream::connect(self.host()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends the head of a request, and what else is given; the status and the body of the answer.
    pub fn raw(&self, request: &[u8]) -> (u16, Vec<u8>) {
        let mut stream = self.stream();
        // A server that refuses need not read all of it.
        let _ = stream.write_all(request);
        answer_of(&mut stream)
    }

    pub fn request(&self, method: &str, path: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let (secret, host) = (&self.secret, self.host());
        let head = format!(
            "{method} /{secret}/{path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        self.raw(&[head.as_bytes(), body].concat())
    }

    pub fn get(&self, path: &str) -> (u16, Vec<u8>) {
        self.request("GET", path, b"")
    }

    /// The JSON of an answer that must be one.
    pub fn json(&self, method: &str, path: &str, body: &[u8]) -> Value {
        let (status, bytes) = self.request(method, path, body);
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&bytes));
        serde_json::from_slice(&bytes).unwrap()
    }

    /// The server still answers.
    pub fn assert_alive(&self) {
        let about = self.json("GET", "api/about", b"");
        assert_eq!(about["protocol"], 1);
    }

    /// The message of a refusal with this status.
    pub fn refusal(&self, method: &str, path: &str, body: &[u8], status: u16) -> String {
        let (given, bytes) = self.request(method, path, body);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert_eq!(given, status, "{method} {path}: {text}");
        let value: Value = serde_json::from_str(&text).unwrap();
        value["error"]["message"].as_str().unwrap().to_owned()
    }

    pub fn page(&self) -> Page {
        let mut page = Page::knock(self, &[]).unwrap();
        let welcome = page.ask(json!({ "op": "hello", "protocol": 1 })).unwrap();
        assert_eq!(welcome["protocol"], 1);
        page
    }
}

/// The status and the body of an answer whose connection is closed after it.
pub fn answer_of(stream: &mut TcpStream) -> (u16, Vec<u8>) {
    let mut bytes = Vec::new();
    // A connection that is reset after the answer has answered.
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let status = text.split(' ').nth(1).and_then(|s| s.parse().ok());
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n");
    let body = end.map_or(Vec::new(), |end| bytes[end + 4..].to_vec());
    (status.unwrap_or(0), body)
}

/// A frame as it came.
#[derive(Clone, Debug)]
pub struct Frame {
    pub session: u32,
    pub number: u32,
    pub flags: u32,
    pub time: f64,
    pub grasps: Vec<Held>,
    pub positions: Vec<[f64; 3]>,
    /// Which field it is, by its number; 0 for none.
    pub colour: usize,
    pub field: Option<Vec<f32>>,
}

/// What is held.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    pub id: f32,
    /// Where it is led (m).
    pub target: [f64; 3],
    /// N.
    pub force: [f32; 3],
}

/// A page with its socket.
pub struct Page {
    pub socket: WebSocket<TcpStream>,
    asked: u64,
    pub events: Vec<Value>,
    pub frames: Vec<Frame>,
    pub worlds: Vec<Value>,
    /// Whether frames are taken up as they come.
    pub takes: bool,
}

impl Page {
    pub fn knock(studio: &Studio, headers: &[(&'static str, String)]) -> Result<Page, u16> {
        let address = format!("ws://{}/{}/socket", studio.host(), studio.secret);
        Self::knock_at(studio, &address, headers)
    }

    pub fn knock_at(
        studio: &Studio,
        address: &str,
        headers: &[(&'static str, String)],
    ) -> Result<Page, u16> {
        let mut request = address.into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        match tungstenite::client(request, studio.stream()) {
            Ok((socket, _)) => Ok(Page {
                socket,
                asked: 0,
                events: Vec::new(),
                frames: Vec::new(),
                worlds: Vec::new(),
                takes: true,
            }),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
                Err(answer.status().as_u16())
            }
            Err(other) => panic!("{other}"),
        }
    }

    pub fn send(&mut self, what: Value) -> u64 {
        self.asked += 1;
        let mut what = what;
        what["ask"] = self.asked.into();
        self.socket.send(Message::text(what.to_string())).unwrap();
        self.asked
    }

    /// Asks and waits for the answer.
    pub fn ask(&mut self, what: Value) -> Result<Value, Value> {
        let number = self.send(what);
        self.answer(number)
    }

    pub fn answer(&mut self, number: u64) -> Result<Value, Value> {
        loop {
            let heard = self.hear().expect("the socket was closed");
            if heard["answer"] == number {
                return match heard["ok"].as_bool() {
                    Some(true) => Ok(heard),
                    _ => Err(heard["error"].clone()),
                };
            }
        }
    }

    /// Waits for the next message; a binary one or an event is kept. `None` when the socket is closed.
    pub fn hear(&mut self) -> Option<Value> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    let value: Value = serde_json::from_str(&text).unwrap();
                    if value.get("event").is_some() {
                        self.events.push(value.clone());
                    }
                    return Some(value);
                }
                Ok(Message::Binary(bytes)) => {
                    if bytes[0] == 1 {
                        self.worlds.push(world(&bytes));
                        continue;
                    }
                    let frame = frame(&bytes);
                    let (session, number) = (frame.session, frame.number);
                    self.frames.push(frame);
                    if self.takes {
                        let taken = json!({ "op": "taken", "session": session, "frame": number });
                        self.socket.send(Message::text(taken.to_string())).unwrap();
                    }
                    return Some(Value::Null);
                }
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    /// Waits for a frame that is like this.
    pub fn frame(&mut self, is_it: impl Fn(&Frame) -> bool) -> Frame {
        loop {
            if let Some(frame) = self.frames.iter().find(|f| is_it(f)) {
                return frame.clone();
            }
            assert!(self.hear().is_some(), "the socket was closed");
        }
    }

    /// Waits for a status that is like this.
    pub fn status(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut statuses = self.events.iter().filter(|e| e["event"] == "status");
            if let Some(status) = statuses.find(|s| is_it(s)) {
                return status.clone();
            }
            assert!(self.hear().is_some(), "the socket was closed");
        }
    }

    pub fn open(&mut self, text: &str) -> u32 {
        let opened = self.ask(json!({ "op": "open", "text": text })).unwrap();
        opened["session"].as_u64().unwrap() as u32
    }

    /// Makes some steps and waits for the frame after them.
    pub fn step(&mut self, session: u32, count: u32) -> Frame {
        let last = self
            .ask(json!({ "op": "attach", "session": session }))
            .unwrap();
        let last = last["status"]["last"].as_u64().unwrap() as u32;
        self.frames.clear();
        self.ask(json!({ "op": "step", "session": session, "count": count }))
            .unwrap();
        self.frame(|f| f.number == last + count)
    }

    pub fn command(&mut self, session: u32, command: Value) -> Result<Value, Value> {
        self.ask(json!({ "op": "command", "session": session, "command": command }))
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn f64_at(bytes: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// The JSON of a world.
pub fn world(bytes: &[u8]) -> Value {
    let length = u32_at(bytes, 8) as usize;
    serde_json::from_slice(&bytes[16..16 + length]).unwrap()
}

pub fn frame(bytes: &[u8]) -> Frame {
    assert_eq!(bytes[..2], [2, 1]);
    let [nodes, bodies, grasps, colour] = [48, 52, 56, 60].map(|at| u32_at(bytes, at) as usize);
    let origin: [f64; 3] = [24, 32, 40].map(|at| f64_at(bytes, at));
    let held = 72 + 28 * bodies;
    let grasp = |n: usize| {
        let at = held + 40 * n;
        Held {
            id: f32_at(bytes, at),
            target: [0, 1, 2].map(|k| origin[k] + f64::from(f32_at(bytes, at + 4 + 4 * k))),
            force: [28, 32, 36].map(|k| f32_at(bytes, at + k)),
        }
    };
    let start = held + 40 * grasps;
    let position =
        |n: usize| [0, 1, 2].map(|k| origin[k] + f64::from(f32_at(bytes, start + 12 * n + 4 * k)));
    let end = start + 12 * nodes;
    let field = (colour > 0).then(|| (0..nodes).map(|n| f32_at(bytes, end + 4 * n)).collect());
    let size = end + if field.is_some() { 4 * nodes } else { 0 };
    assert_eq!(bytes.len(), size);
    Frame {
        session: u32_at(bytes, 4),
        number: u32_at(bytes, 8),
        flags: u32_at(bytes, 12),
        time: f64_at(bytes, 16),
        grasps: (0..grasps).map(grasp).collect(),
        positions: (0..nodes).map(position).collect(),
        colour,
        field,
    }
}

pub fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).powi(2))
        .sum::<f64>()
        .sqrt()
}

/// Makes a link, where the system has them.
pub fn link(to: &Path, at: &Path) {
    #[cfg(unix)]
    std::os::unix::fs::symlink(to, at).unwrap();
}
