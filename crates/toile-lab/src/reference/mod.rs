//! Exact answers that simulations are held against.
//!
//! Each is worked out here from its equation, to far more digits than any mesh will show, and tested
//! against a limit that can be written down by hand.

mod bessel;
mod catenary;
mod chain;
#[allow(dead_code)]
mod elastica;
mod elliptic;
#[allow(dead_code)]
mod plate;

pub(crate) use bessel::{bessel_j0, bessel_j0_zero};
pub(crate) use catenary::Catenary;
pub(crate) use chain::{ChainMode, clamped_links, hanging_mode, hung_chain};
#[allow(unused_imports)]
pub(crate) use elastica::{HeavyElastica, PostBuckled};
pub(crate) use elliptic::{complete_e, complete_k, pendulum_period};
#[allow(unused_imports)]
pub(crate) use plate::{CLAMPED_PLATE, SUPPORTED_PLATE};

/// Where a continuous function changes sign between `low` and `high`, by bisection to the last bit.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let rising = f(high) > 0.0;
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low.min(high) || middle >= low.max(high) {
            break;
        }
        if (f(middle) > 0.0) == rising {
            high = middle;
        } else {
            low = middle;
        }
    }
    0.5 * (low + high)
}
