//! Text processing without I/O: lines, encodings, matching, patches, merging, diffs and truncation.

pub mod budget;
pub mod cut;
pub mod diff;
pub mod duplicates;
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
pub mod plural;
pub mod redact;
mod subsequence;
pub mod terminal;
pub mod wildcard;
pub mod window;
