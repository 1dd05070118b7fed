//! Ranked search over blocks of code: the words of a workspace, always fresh, and the grammar to ask for them.

mod blocks;
mod exact;
mod filter;
mod find;
pub mod grammar;
mod hits;
mod index;
mod kept;
mod meaning;
mod record;
mod search;
mod table;
mod tokens;

pub use blocks::Block;
pub use filter::BadFilter;
pub use index::{Index, LeftOut, Lent, Trouble};
pub use meaning::{Filled, Fused, Fusion, Meaning, Meant, Reason, Unfilled};
pub use search::{Ask, Found, Hit, Key, Tests, Unanswered, What, is_test};
