//! Which files can hold what a regular expression says: an index of trigrams, always fresh.
//!
//! It knows the files that a walk finds, and in which of their blocks each trigram stands. Asked for a pattern, it
//! gives the files in which the pattern may match, and counts the others; who asked searches the candidates on the disk. So an
//! index that lets too much through costs time, and never an answer.

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
