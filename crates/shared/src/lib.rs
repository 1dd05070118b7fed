//! The shared index: contents of repositories on the operator's PostgreSQL server.
//!
//! Each content is stored once per repository, by its hash, for all branches and clones. A
//! workspace queries contents by hash, and searches all others on its own disk, so its results always match the disk.

mod across;
mod address;
mod ask;
mod block;
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
mod upload;
mod versions;

pub use across::{Across, FileAcross, FoundAcross};
pub use address::without_password;
pub use ask::Asking;
pub use block::{BlockAcross, Stretch};
pub use fault::Fault;
pub use meant::{FoundMeant, Meant};
pub use push::{Push, Pushed, name_in};
pub use removal::{Forgotten, Pruned, forget, prune};
pub use server::Server;
