//! The lifecycle of an index over the files of a workspace: it detects changed files and schedules reading
//! them.
//!
//! An index implements [`UpdatableIndex`] with functions that scan for changes and read some of the changed
//! files. [`update`] then updates the index within the time limit of a caller ([`Patience`]), and continues
//! in a background thread. [`WatchState`] and [`Sweep`] find the changed files. [`Patrol`] rescans everything
//! from time to time, because a watch misses some writes.
//!
//! ```
//! use toolpost_index_lifecycle::{ScanScope, Sweep};
//! use toolpost_workspace::{Options, Workspace};
//!
//! let directory = tempfile::tempdir()?;
//! # #[expect(clippy::disallowed_methods, reason = "the example prepares its files")]
//! std::fs::write(directory.path().join("main.rs"), "fn main() {}\n")?;
//! # #[expect(clippy::disallowed_methods, reason = "the example prepares its files")]
//! std::fs::write(directory.path().join("notes.txt"), "later\n")?;
//! let (workspace, _) = Workspace::open(Options { roots: vec![directory.path().into()], ..Options::default() })?;
//!
//! let sweep = Sweep::ruled(|name| name.to_string_lossy().ends_with(".rs"), &|| false);
//! let found = sweep.look(&workspace, &ScanScope::All)?;
//! assert_eq!(found.files.iter().map(|file| &*file.shown).collect::<Vec<_>>(), ["main.rs"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate reads the metadata of files, never their content, and depends on no particular index.

mod lifecycle;
mod rescan;
mod schedule;
mod signature;
mod sweep;
mod watch_state;

pub use lifecycle::{
    Lifecycle, Order, PartialIndex, Patience, Phase, Rank, Stop, UpdatableIndex, lock_unless_stopped,
    read_for, scan, update,
};
pub use rescan::Patrol;
pub use schedule::{Rescan, RescanSchedule, SHARE, SINGLE, WaitedScan, WatchedPart};
pub use signature::{FileSignature, now};
pub use sweep::{ScanResult, ScanScope, ScannedFile, Sweep, UpdateError};
pub use watch_state::{WatchState, lies_at};

/// The minimum number of files for each thread of an index that reads files on several threads.
pub const EACH: usize = 8;
