//! The index that many machines share: what repositories hold, kept by a PostgreSQL server of the operator.
//!
//! Contents are kept once in a repository, by their hash, however many branches and clones have them. A
//! workspace asks about contents by their hashes, and searches all others on its own disk; so what it finds is what is there.

mod across;
mod address;
mod ask;
mod candidates;
mod commit;
mod condition;
mod content;
mod cuts;
mod fault;
mod git;
mod meant;
mod names;
mod pack;
mod push;
mod removal;
mod schema;
mod secured;
mod send;
mod server;
mod shown;
mod versions;

pub use across::{Across, FileAcross, FoundAcross};
pub use address::without_password;
pub use ask::Asking;
pub use fault::Fault;
pub use meant::{BlockAcross, FoundMeant, Meant, Stretch};
pub use push::{Push, Pushed, name_in};
pub use removal::{Forgotten, Pruned, forget, prune};
pub use server::Server;
