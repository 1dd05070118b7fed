//! Find: globs, regular expressions, listings and the files that they match.

pub mod glob;
pub mod grep;
pub mod list;
pub mod read_many;
pub(crate) mod walk;
