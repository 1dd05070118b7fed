//! Parallel directory walks through open descriptors, with ignore rules.
//!
//! Every directory is opened beneath an open descriptor and never through a link, so a directory that is
//! replaced by a link during the walk is not entered. [`SkippedEntries`] counts the entries that rules
//! exclude, and [`Unreadable`] counts the entries that cannot be read.

mod directory;
mod entry;
mod exclude;
mod frame;
mod in_order;
mod inherited_rules;
mod listing;
mod opener;
mod options;
mod prune;
mod queue;
mod rule_cache;
mod rules;
mod stats;
mod visitor;
mod worker;

pub use crate::access::Kind;
pub use entry::{Candidate, Entry, FileStat, OpenedFile, RuleEffect, StoredStat, WalkOpenError, found_below};
pub use in_order::{InOrder, InOrderResult, Judge, in_order};
pub use opener::Opener;
pub use options::{HiddenFiles, Options, Prune, Rules};
pub use stats::{EntryType, Reason, SkippedEntries, Unreadable, is_unreadable_at};

pub use directory::{Directory, DirectoryEntry, show};
pub(crate) use entry::file_stat;
#[cfg(target_os = "linux")]
pub(crate) use exclude::{EXCLUDE, info, open_directory};
#[cfg(target_os = "linux")]
pub(crate) use inherited_rules::{RULES, is_top};
#[cfg(target_os = "linux")]
pub(crate) use prune::marks_dependencies;
pub use visitor::{Claim, Next, Visitor};
pub use worker::{WalkEnd, WalkResult, walk};
