//! The event with which other threads wake the thread that watches a job.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::event::{EventfdFlags, eventfd};

/// Creates the event that wakes the thread of a job.
pub(crate) fn waker() -> io::Result<OwnedFd> {
    Ok(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)
}

/// Wakes a job's thread.
pub(crate) fn wake(waker: BorrowedFd<'_>) {
    let _ = rustix::io::write(waker, &1_u64.to_ne_bytes());
}
