//! Memory: what the C library keeps back of freed memory goes back to the system now and then.
//!
//! A reading takes and frees some hundred megabytes in pieces of every size, and glibc keeps what is freed in the middle of its
//! heaps.

use std::time::{Duration, Instant};

/// How often memory is given back: going through the heaps takes milliseconds.
const EVERY: Duration = Duration::from_secs(10);

/// When memory was last given back.
pub(crate) struct Housekeeping {
    last: Instant,
}

impl Default for Housekeeping {
    fn default() -> Self {
        Self { last: Instant::now() }
    }
}

impl Housekeeping {
    /// Gives freed memory back to the system if it is time.
    pub(crate) fn when_due(&mut self) {
        if self.last.elapsed() >= EVERY {
            give_back();
            self.last = Instant::now();
        }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn give_back() {
    // SAFETY: it may be called at any time, from any thread, and moves nothing that is in use.
    unsafe { libc::malloc_trim(0) };
}

/// Other C libraries give memory back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_back() {}
