//! The machine's clock, which runs are handed from outside: where there is none (in a browser), the caller has another.

/// Seconds since the first call.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub fn wall_clock() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
