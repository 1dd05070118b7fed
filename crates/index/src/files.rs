//! What the indexes ask of the files of a workspace: which there are, which may have changed, and what they hold.

mod beside;
mod sign;
mod sweep;
mod threads;
mod watched;

pub(crate) use beside::Patrol;
pub(crate) use sign::{Sign, now};
pub(crate) use sweep::{Seen, Sweep, Swept, Unswept};
pub(crate) use threads::{on_threads, same};
pub(crate) use watched::{Extent, Watched, lies_at};
