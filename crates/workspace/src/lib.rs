//! The disk inside the roots: resolve, walk, read, commit; and the history, by which commits are taken back.

mod access;
mod aside;
mod beneath;
mod cache;
mod commit;
mod draft;
mod fault;
mod hash;
mod history;
mod hold;
mod journal;
mod ledger;
mod locks;
mod lookup;
pub mod memory;
mod nameless;
pub mod operator;
mod options;
mod owner;
mod path;
pub mod probe;
mod read;
mod recovery;
mod resolve;
mod root;
mod shelf;
mod siblings;
mod signal;
mod spelling;
mod spot;
mod state;
mod system;
mod threads;
mod tree;
pub mod walk;
mod watch;
mod workspace;

pub use access::{AccessError, AccessKind, Kind, OwnerWritable, Stat};
pub use aside::{AsideError, Holder};
pub use beneath::{open_directory_at, open_directory_beneath};
pub use cache::{Blob, Cache, Turn as CacheTurn};
pub use commit::{CommitError, CommitKind};
pub use draft::{Action, Cause, Changed, Committed, Draft, Expect, Note, Outcome, Overwrite};
pub use fault::Fault;
pub use hash::{ContentHash, Hasher, hash};
pub use history::{
    Change, Content, FileDiff, FindError, History, Obstacle, Record as HistoryRecord, Shown, Sort, UndoError,
    Undone, What,
};
pub use hold::{Hold, HoldError};
pub use ledger::{Coverage, LEDGER_LIMIT, Ledger, Record, Seen};
pub use lookup::{Lookup, LookupError, Missing};
pub use options::{Durability, HistoryLimits, OpenError, Options, Scope};
pub use owner::unique;
pub use path::WorkspacePath;
pub use read::{Entry, OpenFile, Snapshot, open_regular, stat_at};
pub use recovery::Recovery;
pub use resolve::PathError;
pub use root::Root;
pub use shelf::{Shelf, ShelfError};
pub use siblings::Siblings;
pub use signal::ignore_file_size_signal;
pub use threads::on_threads;
pub use watch::{Changed as WatchChanged, Unsure, Watch};
pub use workspace::Workspace;
