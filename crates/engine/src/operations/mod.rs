//! What can be done: one file each.

pub mod batch;
pub mod bridge;
pub mod change;
pub mod copy;
pub mod delete;
pub mod exec;
pub mod glob;
pub mod grep;
pub mod job;
pub mod list;
pub mod make_directory;
pub mod navigate;
pub mod outline;
pub mod project;
pub mod query;
pub mod read;
pub mod read_many;
pub mod relations;
pub mod rename;
pub mod search;
pub mod semantic;
pub mod stat;
pub mod stop;
pub mod symbol;
pub mod symbols;
pub mod view;
