//! Trigram index that narrows a regular-expression search to candidate files.
//!
//! The index lists the files of a walk and, for each trigram, the blocks of files that contain it. For a
//! pattern, it returns the candidate files and counts the others. The caller searches the candidates on disk,
//! so a false positive costs time but never changes the result.

#[doc(hidden)]
pub mod fuzzing;
mod gram;
mod index;
mod key;
mod listing;
mod pattern;
mod remote;
mod remote_files;
mod scan;
mod segment;
mod sieve;
mod source;
mod unavailable;

pub use index::{TrigramIndex, TrigramStatus};
pub use listing::{CandidateFile, NameMatch, Names, Parts, Shortlist};
pub use pattern::{IndexQuery, Letters, Pattern, Reach};
pub use remote::{Answer, Knows, Lost, SharedIndex, State as SharedState};
pub use segment::{block_end as block, form};
pub use sieve::{Judge, MayRead, Sieve, WITHHELD_NAMES};
pub use source::{Form, Lines};
pub use unavailable::Unavailable;
