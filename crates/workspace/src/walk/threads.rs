//! How many threads all walks of this process may have beside those that they are called on.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

/// How many helping threads run now.
static HELPING: AtomicUsize = AtomicUsize::new(0);

/// The fewest that all walks together may have, on however small a machine.
const LEAST: usize = 8;

/// A number of helping threads that a walk may start; dropping it gives them back.
#[derive(Debug)]
pub(super) struct Allowance(usize);

impl Allowance {
    /// Takes as many as are wanted, or what is left.
    pub(super) fn take(wanted: usize) -> Self {
        let most = available_parallelism().map_or(1, NonZeroUsize::get).saturating_mul(2).max(LEAST);
        let mut taken = 0;
        let _ = HELPING.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |helping| {
            taken = wanted.min(most.saturating_sub(helping));
            Some(helping + taken)
        });
        Self(taken)
    }

    /// Says how many they are.
    pub(super) fn helpers(&self) -> usize {
        self.0
    }
}

impl Drop for Allowance {
    fn drop(&mut self) {
        HELPING.fetch_sub(self.0, Ordering::Relaxed);
    }
}
