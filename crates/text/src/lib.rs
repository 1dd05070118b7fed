//! Lines, encodings, matching, diffs, cutting: bytes in, bytes out.

pub mod counted;
pub mod cut;
pub mod diff;
pub mod encoding;
pub mod escape;
pub mod frontmatter;
pub mod guard;
pub mod hashline;
pub mod line_edit;
pub mod lines;
pub mod matching;
pub mod merge;
pub mod names;
mod omission;
pub mod patch;
pub mod redact;
mod subsequence;
pub mod terminal;
pub mod wildcard;
pub mod window;
