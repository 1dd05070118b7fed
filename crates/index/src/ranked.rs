//! Ranked search over blocks of code: the words of a workspace, always fresh, and the grammar to ask for them.

mod blocks;
mod definitions;
mod exact;
mod filter;
mod find;
pub mod grammar;
mod hits;
mod index;
mod kept;
mod meaning;
#[cfg(test)]
mod model;
mod paths;
pub mod portable;
mod reading;
mod record;
mod search;
mod segment;
mod table;
mod test_files;
mod tokens;
mod varint;
mod words;

pub use crate::lifecycle::{Patience, Rank};
pub use blocks::Block;
pub use filter::BadFilter;
pub use index::{Index, LeftOut, Lent, Trouble};
pub use meaning::{Filled, Fused, Fusion, Meaning, Meant, Reason, Unfilled};
pub use search::{Ask, Found, Hit, Key, Tests, Unanswered, What};
pub use test_files::is_test;
