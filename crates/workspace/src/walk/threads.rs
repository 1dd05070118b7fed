//! Process-wide limit on the helper threads of walks.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

/// Number of running helper threads.
static HELPING: AtomicUsize = AtomicUsize::new(0);

/// Minimum limit for all walks together, on any machine.
const LEAST: usize = 8;

/// A permit for helper threads, returned on drop.
#[derive(Debug)]
pub(super) struct Allowance(usize);

impl Allowance {
    /// Acquires up to `wanted` helper threads.
    pub(super) fn take(wanted: usize) -> Self {
        let most = available_parallelism().map_or(1, NonZeroUsize::get).saturating_mul(2).max(LEAST);
        let mut taken = 0;
        let _ = HELPING.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |helping| {
            taken = wanted.min(most.saturating_sub(helping));
            Some(helping + taken)
        });
        Self(taken)
    }

    /// Returns the number of granted threads.
    pub(super) fn helpers(&self) -> usize {
        self.0
    }
}

impl Drop for Allowance {
    fn drop(&mut self) {
        HELPING.fetch_sub(self.0, Ordering::Relaxed);
    }
}
