//! Who may ask: requests to this machine's own name, from this page or from no page, with the secret.
//!
//! * **Host.** A page of somebody else can have its own name lead to 127.0.0.1 (DNS rebinding) and then counts as coming from
//!   there. Its requests still carry its own name in `Host`.
//! * **Origin.** Whatever a page of somebody else sends by itself carries its origin.
//! * **Secret.** The first part of every path.

use crate::error::Denial;
use crate::state::Shared;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use toile_live::protocol::RefusalKind;

/// Lets a request through, without the secret in its path, or answers why not.
pub async fn guard(
    State(shared): State<Arc<Shared>>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Err(denial) = check(&shared, &mut request) {
        return with_headers(denial.into_response(), &shared);
    }
    let response = next.run(request).await;
    with_headers(response, &shared)
}

fn check(shared: &Shared, request: &mut Request) -> Result<(), Denial> {
    check_names(shared.port, request.headers())?;
    let path = request.uri().path();
    let mut parts = path.trim_start_matches('/').splitn(2, '/');
    let given = parts.next().unwrap_or("");
    if !shared.secret.is(given) {
        return Err(denied(
            "the address lacks the studio's secret, or has an old one; open the address that `toile studio` printed",
        ));
    }
    let rest = parts.next().map(|rest| format!("/{rest}"));
    let Some(rest) = rest else {
        return Err(denied("the address must end with `/`"));
    };
    let query = request
        .uri()
        .query()
        .map_or(String::new(), |q| format!("?{q}"));
    let uri = format!("{rest}{query}").parse::<Uri>();
    *request.uri_mut() = uri.map_err(|_| Denial::message("the path cannot be read"))?;
    Ok(())
}

fn denied(message: &str) -> Denial {
    Denial::new(StatusCode::FORBIDDEN, RefusalKind::Message, message)
}

/// Whether host and origin are this server's own.
fn check_names(port: u16, headers: &HeaderMap) -> Result<(), Denial> {
    let own = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
    let text = |value: &HeaderValue| value.to_str().unwrap_or("?").to_ascii_lowercase();
    let mut hosts = headers.get_all(header::HOST).iter().map(text);
    let is_own = hosts.next().is_some_and(|host| own.contains(&host)) && hosts.next().is_none();
    if !is_own {
        return Err(denied(
            "the request is addressed to another host; the studio answers to 127.0.0.1 and localhost alone",
        ));
    }
    for origin in headers.get_all(header::ORIGIN).iter().map(text) {
        let host = origin.strip_prefix("http://").unwrap_or("");
        if !own.iter().any(|own| own == host) {
            return Err(denied("the request comes from a page of somebody else"));
        }
    }
    let site = headers.get("sec-fetch-site").map(text);
    match site.as_deref() {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) => Err(denied("the request comes from a page of somebody else")),
    }
}

/// What browsers are told of every answer.
fn with_headers(mut response: Response, shared: &Shared) -> Response {
    let port = shared.port;
    let policy = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' blob: data:; media-src 'self' blob:; font-src 'self' data:; worker-src 'self' blob:; \
         connect-src 'self' blob: data: ws://127.0.0.1:{port} ws://localhost:{port}; frame-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    );
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers
            .entry(header::CONTENT_SECURITY_POLICY)
            .or_insert(policy);
    }
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    for (name, value) in [
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(*name, HeaderValue::from_static(value));
        }
        map
    }

    #[test]
    fn only_this_machines_own_names_and_pages_are_let_in() {
        fn is_let_in(pairs: &[(&'static str, &'static str)]) -> bool {
            check_names(8000, &headers(pairs)).is_ok()
        }
        assert!(is_let_in(&[("host", "127.0.0.1:8000")]));
        assert!(is_let_in(&[
            ("host", "LOCALHOST:8000"),
            ("origin", "http://localhost:8000")
        ]));
        assert!(!is_let_in(&[]));
        assert!(!is_let_in(&[("host", "127.0.0.1")]));
        assert!(!is_let_in(&[("host", "evil.example:8000")]));
        assert!(!is_let_in(&[
            ("host", "127.0.0.1:8000"),
            ("host", "evil.example")
        ]));
        let own = ("host", "127.0.0.1:8000");
        assert!(!is_let_in(&[own, ("origin", "https://127.0.0.1:8000")]));
        assert!(!is_let_in(&[own, ("origin", "null")]));
        assert!(!is_let_in(&[own, ("origin", "http://127.0.0.1:8001")]));
        assert!(!is_let_in(&[own, ("sec-fetch-site", "cross-site")]));
    }
}
