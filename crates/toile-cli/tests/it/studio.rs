//! `toile studio`, from its first word to Ctrl-C.

use crate::common::{Folder, SMALL, toile};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// Started in a folder; with the address that it said.
fn start(folder: &Folder, arguments: &[&str]) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_toile"))
        .args(["studio", "--no-open"])
        .args(arguments)
        .current_dir(folder.path())
        .env_remove("TOILE_STUDIO_SECRET")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let out = child.stdout.take().unwrap();
    let lines = BufReader::new(out).lines().map_while(Result::ok);
    let mut said = lines.filter_map(|l| l.trim().strip_prefix("http://").map(str::to_owned));
    let address = said.next().expect("it says its address");
    (child, address)
}

fn about(address: &str) -> String {
    let (host, secret) = address.trim_end_matches('/').split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let head =
        format!("GET /{secret}/api/about HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[cfg(unix)]
#[test]
fn it_serves_a_scene_until_it_is_interrupted() {
    let folder = Folder::new();
    folder.write("small.toml", SMALL);
    let (mut child, address) = start(&folder, &["small.toml"]);
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let answer = about(&address);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("\"path\":\"small.toml\""), "{answer}");
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(TcpStream::connect(address.split('/').next().unwrap()).is_err());
}

#[test]
fn what_cannot_be_served_is_said() {
    let folder = Folder::new();
    let nothing = ["studio", "--no-open", "nothing.toml"];
    toile(&folder, &nothing).says(1, &["no such file and no bundled scene"]);
}
