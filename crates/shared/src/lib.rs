//! The index that many machines share: what repositories hold, kept by a PostgreSQL server of the operator.
//!
//! Contents are kept once in a repository, by their hash, however many branches and clones have them. A
//! workspace asks about contents by their hashes, and searches all others on its own disk; so what it finds is what is there.

mod across;
mod ask;
mod condition;
mod content;
mod fault;
mod git;
mod names;
mod push;
mod schema;
mod server;

pub use across::{Across, FileAcross, FoundAcross};
pub use ask::Asking;
pub use fault::Fault;
pub use push::{Push, Pushed, name_in};
pub use server::{Server, without_password};
