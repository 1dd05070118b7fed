//! Search for an old text in a file, and the new text fitted to its place.

mod blocks;
mod closest;
mod differ;
mod find;
mod fold;
mod hit;
mod keep;
mod miss;
mod near;
mod nesting;
mod options;
mod part;
mod reindent;
mod show;
mod unescape;

use std::ops::Range;

pub(crate) use closest::closest;
pub(crate) use fold::plain;
pub(crate) use keep::characters;

pub use find::find;
pub use hit::{Difference, Hit, Matches};
pub use miss::{Closest, Miss, Place};
pub use options::{How, Step, Want};
pub(crate) use reindent::Shift;

/// Lists the differences between an old text and its place in the file, apart from indentation.
pub(crate) fn differences(view: &str, old: &str, range: Range<usize>) -> Vec<Difference> {
    differ::all(view, old, &[range])
}
