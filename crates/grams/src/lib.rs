//! Trigram index that narrows a regular-expression search to candidate files.
//!
//! The index knows the files of a walk and the blocks that contain each trigram. For a pattern, it returns the files
//! that can match and counts the others. The caller searches the candidates on disk, so a false positive costs time
//! but never changes the result.

mod gram;
mod index;
mod key;
mod listing;
mod look;
mod pattern;
mod remote;
mod remote_files;
mod segment;
mod sieve;
mod source;
mod unavailable;

pub use index::{Grams, Status};
pub use listing::{Listed, Named, Names, Parts, Shortlist};
pub use pattern::{Letters, Need, Pattern, Reach};
pub use remote::{Answer, Knows, Lost, Shared, State as SharedState};
pub use segment::{block_end as block, form};
pub use sieve::{Judge, MayRead, Sieve, WITHHELD_NAMES};
pub use source::{Form, Lines};
pub use unavailable::Unavailable;
