//! What the indexes ask of the files of a workspace: which there are, which may have changed, and what they hold.

mod beside;
mod sign;
mod sweep;
mod watched;

pub(crate) use beside::Patrol;
pub(crate) use sign::{Sign, now};
pub(crate) use sweep::{Seen, Sweep, Swept, Unswept};
pub(crate) use watched::{Extent, Watched, lies_at};

/// How many files one thread takes at least before another one is worth while.
pub(crate) const EACH: usize = 8;
