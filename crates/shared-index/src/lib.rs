//! The shared index: file contents of repositories on the operator's PostgreSQL server.
//!
//! The index stores each file content once per repository, by its hash, for all branches and clones. A workspace asks
//! for contents by hash, and searches the files that the index lacks on the local disk, so its results always match the
//! disk.

mod across;
mod address;
mod ask;
mod block;
mod candidates;
mod commit;
mod condition;
mod content;
mod content_batch;
mod cuts;
mod fault;
mod git;
mod names;
mod pack;
mod push;
mod removal;
mod schema;
mod semantic;
mod server;
mod tls;
mod upload;
mod verified_blocks;
mod versions;

pub use across::{FileAcross, FoundAcross, RegexSearch};
pub use address::without_password;
pub use ask::IndexClient;
pub use block::{BlockAcross, Stretch};
pub use fault::SharedIndexError;
pub use push::{Push, PushReport, name_in};
pub use removal::{PruneReport, RemovalReport, forget, prune};
pub use semantic::{SemanticQuery, SemanticResults};
pub use server::Server;
