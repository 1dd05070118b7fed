//! Files of a workspace, and the changes to them, for both indexes.

mod beside;
mod sign;
mod sweep;
mod watched;

pub(crate) use beside::Patrol;
pub(crate) use sign::{Sign, now};
pub(crate) use sweep::{Seen, Sweep, Swept, Unswept};
pub(crate) use watched::{Extent, Watched, lies_at};

/// The minimum number of files per thread.
pub(crate) const EACH: usize = 8;
