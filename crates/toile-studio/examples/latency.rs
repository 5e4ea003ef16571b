//! How soon a drag is seen, how many frames a page gets, and whether memory stays: a page's part over the real socket.
//!
//! `cargo run --release -p toile-studio --example latency -- [SECONDS]`

// An example's business is to print.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use serde_json::{Value, json};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use toile_studio::{Limits, Options, serve};
use tungstenite::{Message, WebSocket};

fn main() {
    let seconds = std::env::args().nth(1).and_then(|s| s.parse().ok());
    let seconds = Duration::from_secs(seconds.unwrap_or(20));
    let running = serve(Options {
        folder: std::env::temp_dir(),
        scene: None,
        port: 0,
        secret: None,
        read_only: true,
        page: None,
        program: None,
        limits: Limits::default(),
    })
    .unwrap();
    let address = running.address().replace("http://", "ws://") + "socket";
    let host = address.split('/').nth(2).unwrap();
    let stream = TcpStream::connect(host).unwrap();
    stream.set_nodelay(true).unwrap();
    let (mut socket, _) = tungstenite::client(address.as_str(), stream).unwrap();
    say(&mut socket, json!({ "op": "hello", "protocol": 1 }));
    for cells in [32, 64] {
        measure(&mut socket, cells, seconds);
    }
}

fn measure(socket: &mut WebSocket<TcpStream>, cells: u32, seconds: Duration) {
    let text = format!(
        "[cloth.sheet]\nmesh.grid = {{ size = [1, 1], cells = [{cells}, {cells}] }}\nplace = {{ at = [0, 0, 1.2] }}\n\
         damping = 0.6\n[[cloth.sheet.pin]]\nselect.corners = [2, 3]\n[body.floor]\nshape = \"plane\"\n"
    );
    say(socket, json!({ "op": "open", "text": text }));
    let session = loop {
        if let Message::Text(text) = socket.read().unwrap() {
            let value: Value = serde_json::from_str(&text).unwrap();
            if let Some(session) = value["session"].as_u64().filter(|_| value["ok"] == true) {
                break session;
            }
        }
    };
    let grasp = json!({ "do": "grasp", "cloth": 0, "face": 0, "weights": [1, 0, 0, 0] });
    say(
        socket,
        json!({ "op": "command", "session": session, "command": grasp }),
    );
    say(socket, json!({ "op": "play", "session": session }));
    let begin = Instant::now();
    let (mut frames, mut latencies, mut factor) = (0, Vec::new(), 0.0);
    // Where the grasp was sent to, and when.
    let mut asked: Option<(f32, Instant)> = None;
    while begin.elapsed() < seconds {
        match socket.read().unwrap() {
            Message::Text(text) => {
                let value: Value = serde_json::from_str(&text).unwrap();
                factor = value["factor"].as_f64().unwrap_or(factor);
            }
            Message::Binary(bytes) if bytes[0] == 2 => {
                frames += 1;
                let taken = json!({ "op": "taken", "session": session, "frame": 0 });
                say(socket, taken);
                if let Some((height, at)) = asked
                    && (target_height(&bytes) - height).abs() < 1e-4
                {
                    latencies.push(at.elapsed().as_secs_f64());
                    asked = None;
                }
                if asked.is_none() && frames % 5 == 0 {
                    let height = 1.0 + 0.2 * ((frames / 5) % 3) as f32;
                    let to = [-0.5, -0.5, height];
                    let order = json!({ "do": "moveGrasp", "grasp": 0, "to": to });
                    say(
                        socket,
                        json!({ "op": "command", "session": session, "command": order }),
                    );
                    asked = Some((height, Instant::now()));
                }
            }
            _ => {}
        }
    }
    latencies.sort_by(f64::total_cmp);
    let at = |share: f64| 1e3 * latencies[(share * (latencies.len() - 1) as f64) as usize];
    println!(
        "{0}x{0}: {1:.1} frames/s, {2:.2} of real time, drag to frame {3:.1} ms (median), {4:.1} ms (95 %), {5} MB in use",
        cells + 1,
        f64::from(frames) / begin.elapsed().as_secs_f64(),
        factor,
        at(0.5),
        at(0.95),
        resident() / 1_000_000
    );
    say(socket, json!({ "op": "close", "session": session }));
}

/// Where the first grasp pulls to (m).
fn target_height(frame: &[u8]) -> f32 {
    let bodies = u32::from_le_bytes(frame[52..56].try_into().unwrap()) as usize;
    let origin = f64::from_le_bytes(frame[40..48].try_into().unwrap()) as f32;
    let at = 72 + 28 * bodies + 12;
    origin + f32::from_le_bytes(frame[at..at + 4].try_into().unwrap())
}

fn say(socket: &mut WebSocket<TcpStream>, mut what: Value) {
    what["ask"] = 1.into();
    socket.send(Message::text(what.to_string())).unwrap();
}

/// Bytes of memory in use, where the system says so.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|p| p.parse::<u64>().ok());
    4096 * pages.unwrap_or(0)
}
