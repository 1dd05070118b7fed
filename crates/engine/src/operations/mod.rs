//! What can be done: one file each.

pub mod change;
pub mod glob;
pub mod grep;
pub mod list;
pub mod read;
pub mod stat;
