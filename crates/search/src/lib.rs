//! Search for files by name and content, and directory listings.

mod control;
mod error;
pub mod glob;
pub mod grep;
pub mod list;
mod order;
mod request_path;
mod terms;

pub use control::{Complete, Control};
pub use error::SearchError;
pub use glob::{EntryKinds, GlobOutput, GlobRequest, Match, Names, glob};
pub use grep::{Case, GrepOutput, GrepRequest, Mode, grep};
pub use list::{ListOutput, ListRequest, Node, list};
pub use terms::{TermFiles, with_terms};
pub use toolpost_workspace::walk::{HiddenFiles, Kind, Prune, Rules, SkippedEntries, Unreadable};
