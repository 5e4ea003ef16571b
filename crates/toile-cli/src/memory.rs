//! How much memory the program uses.

use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The most that was in use since this was last asked (bytes).
pub fn most_since_last_asked() -> u64 {
    let most = ALLOCATOR.peak_usage() as u64;
    ALLOCATOR.reset_peak_usage();
    most
}
