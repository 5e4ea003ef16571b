//! Requests that must be refused with a clear answer, and a server that is alive afterwards.

use crate::client::{Studio, answer_of};
use std::io::{Read, Write};
use std::time::Duration;

#[test]
fn without_the_secret_nothing_is_answered() {
    let studio = Studio::new();
    let host = studio.host();
    let ask = |path: &str| {
        let head = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        studio.raw(head.as_bytes())
    };
    let wrong = "0".repeat(studio.secret.len());
    let short = &studio.secret[..studio.secret.len() - 1];
    for path in [
        "/".to_owned(),
        "/api/about".into(),
        "/socket".into(),
        format!("/{wrong}/api/about"),
        format!("/{short}/api/about"),
        format!("/{}", studio.secret),
        format!("/x/../{}/api/about", studio.secret),
    ] {
        let (status, body) = ask(&path);
        let text = String::from_utf8_lossy(&body).into_owned();
        assert_eq!(status, 403, "{path}: {text}");
        assert!(text.contains("address"), "{path}: {text}");
        assert!(!text.contains(&studio.secret), "{path}");
    }
    studio.assert_alive();
}

#[test]
fn other_names_for_this_machine_and_pages_of_others_are_refused() {
    let studio = Studio::new();
    let (secret, host) = (&studio.secret, studio.host());
    let ask = |headers: &str| {
        let head =
            format!("GET /{secret}/api/about HTTP/1.1\r\n{headers}connection: close\r\n\r\n");
        let (status, body) = studio.raw(head.as_bytes());
        (status, String::from_utf8_lossy(&body).into_owned())
    };
    let own = format!("host: {host}\r\n");
    assert_eq!(ask(&own).0, 200);
    assert_eq!(ask(&format!("{own}origin: http://{host}\r\n")).0, 200);
    let port = studio.port;
    for (headers, word) in [
        (format!("host: evil.example:{port}\r\n"), "another host"),
        (
            format!("host: 127.0.0.1.evil.example:{port}\r\n"),
            "another host",
        ),
        (
            format!("{own}origin: http://evil.example\r\n"),
            "somebody else",
        ),
        (
            format!("{own}origin: http://localhost:1\r\n"),
            "somebody else",
        ),
        (format!("{own}origin: null\r\n"), "somebody else"),
        (
            format!("{own}sec-fetch-site: cross-site\r\n"),
            "somebody else",
        ),
    ] {
        let (status, text) = ask(&headers);
        assert_eq!(status, 403, "{headers}");
        assert!(text.contains(word), "{headers}: {text}");
    }
    studio.assert_alive();
}

#[test]
fn a_body_of_a_gigabyte_is_refused_before_it_is_read() {
    let studio = Studio::new();
    let (secret, host) = (&studio.secret, studio.host());
    for (method, path) in [
        ("POST", "api/check"),
        ("PUT", "api/scene?path=big.toml"),
        ("POST", "api/mesh?name=big.obj"),
        ("POST", "api/jobs"),
    ] {
        let head = format!(
            "{method} /{secret}/{path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            1u64 << 30
        );
        let (status, body) = studio.raw(head.as_bytes());
        let text = String::from_utf8_lossy(&body).into_owned();
        assert_eq!(status, 413, "{path}: {text}");
        assert!(text.contains("longer than"), "{path}: {text}");
    }
    // Without a length, in pieces.
    let mut stream = studio.stream();
    let head = format!(
        "PUT /{secret}/api/scene?path=big.toml HTTP/1.1\r\nhost: {host}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let piece = [&b"100000\r\n"[..], &vec![b'#'; 1 << 20], b"\r\n"].concat();
    for _ in 0..1024 {
        if stream.write_all(&piece).is_err() {
            break;
        }
    }
    drop(stream);
    assert!(!studio.folder.served().join("big.toml").exists());
    studio.assert_alive();
}

#[test]
fn who_sends_a_request_byte_by_byte_is_not_waited_for() {
    let studio = Studio::with(|options| {
        options.limits.head_time = Duration::from_millis(200);
        options.limits.body_time = Duration::from_millis(200);
        options.limits.connections = 40;
    });
    // Half a head each, and then nothing.
    let mut slow: Vec<_> = (0..20).map(|_| studio.stream()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET /").unwrap();
    }
    for mut stream in slow {
        // Closed by the server, whatever it says before.
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    }
    // A head, and half a body.
    let (secret, host) = (&studio.secret, studio.host());
    let mut stream = studio.stream();
    let head = format!(
        "POST /{secret}/api/check HTTP/1.1\r\nhost: {host}\r\ncontent-length: 100\r\nconnection: close\r\n\r\n{{"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let (status, body) = answer_of(&mut stream);
    let text = String::from_utf8_lossy(&body).into_owned();
    assert_eq!(status, 408, "{text}");
    assert!(text.contains("did not come in time"), "{text}");
    studio.assert_alive();
}

#[test]
fn connections_beyond_the_limit_are_told_so_and_the_others_live() {
    let studio = Studio::with(|options| options.limits.connections = 4);
    let waiting: Vec<_> = (0..4).map(|_| studio.stream()).collect();
    // They are taken in the order in which they knock, so the fifth is the one too many.
    let mut fifth = studio.stream();
    let (status, _) = answer_of(&mut fifth);
    assert_eq!(status, 503);
    drop(waiting);
    loop {
        // The places are free when the server has seen that the others are gone.
        if studio.get("api/about").0 == 200 {
            break;
        }
    }
    studio.assert_alive();
}

#[test]
fn what_is_no_request_is_refused() {
    let studio = Studio::new();
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00"[..],
        b"HELLO\r\n\r\n",
        &[0; 4096],
    ] {
        let (status, _) = studio.raw(garbage);
        assert!(status == 400 || status == 0, "{status}");
    }
    let long = format!("GET /{} HTTP/1.1\r\n", "a".repeat(1 << 20));
    let (status, _) = studio.raw(long.as_bytes());
    assert!(matches!(status, 0 | 400 | 414 | 431), "{status}");
    let message = studio.refusal("POST", "api/check", b"not json", 400);
    assert!(message.contains("cannot be read"), "{message}");
    studio.refusal("GET", "api/nothing-of-the-kind", b"", 404);
    studio.assert_alive();
}

#[test]
fn a_chosen_secret_must_be_one() {
    let secret = "0123456789abcdef0123456789abcdef";
    let studio = Studio::with(|options| options.secret = Some(secret.into()));
    assert_eq!(studio.secret, secret);
    studio.assert_alive();
    for weak in [
        "",
        "1234",
        &"g".repeat(32),
        &"A".repeat(32),
        "../../../../../../../../../../..",
    ] {
        let options = toile_studio::Options {
            folder: studio.folder.served(),
            scene: None,
            port: 0,
            secret: Some(weak.into()),
            read_only: false,
            page: None,
            program: None,
            limits: toile_studio::Limits::default(),
        };
        let refused = toile_studio::serve(options).unwrap_err().to_string();
        assert!(refused.contains("32 hexadecimal digits"), "{refused}");
    }
}
