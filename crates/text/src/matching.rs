//! Search for the old text of an edit in a file, and adaptation of the edit's new text to the location.

mod blocks;
mod choice;
mod closest;
mod differ;
mod find;
mod fold;
mod hit;
mod keep;
mod long_line;
mod miss;
mod nesting;
mod options;
mod reindent;
mod show;
mod unescape;

use std::ops::Range;

pub(crate) use closest::closest;
pub(crate) use fold::plain;
pub(crate) use keep::characters;

pub use find::{find, find_until};
pub use hit::{Choice, Difference, Hit, Matches};
pub use miss::{ClosestLines, LineDifference, MatchLocation, Miss};
pub use options::{MatchCount, MatchOptions, Step};
pub(crate) use reindent::IndentShift;

/// Lists the differences between an old text and the text that it matches in the file, apart from
/// indentation.
pub(crate) fn differences(view: &str, old: &str, range: Range<usize>) -> Vec<Difference> {
    differ::all(view, old, &[range])
}
