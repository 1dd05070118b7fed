//! Search for files by glob patterns.

mod braces;
mod find;
mod indexed;
mod judge;
mod names;
mod pattern;
mod segment;

use toolpost_trigrams::TrigramIndex;
use toolpost_workspace::walk::{HiddenFiles, Kind, Prune, Rules, SkippedEntries, Unreadable};
use toolpost_workspace::{Workspace, WorkspacePath};

use crate::grep::Case;
use crate::{Complete, Control, SearchError};

pub use names::Names;

/// A request for the files whose paths match a glob.
///
/// A pattern without a slash is matched against the last name at any depth, as with `rg --glob`: `*.rs` finds all Rust
/// files below `base`, and `./*.rs` only those directly in it. A pattern with a slash is matched from `base` on, name
/// by name: `*`, `?`, classes and braces match within a name, `**` matches any number of names, and a trailing `/`
/// selects directories. A name without wildcards overrides the ignore rules: `**/dist/*.js` also searches ignored
/// directories called `dist`.
#[derive(Clone, Debug)]
pub struct GlobRequest {
    /// The directory to which the pattern is relative.
    pub base: WorkspacePath,
    /// The glob; an absolute one must be inside the workspace.
    pub pattern: String,
    /// The ignore rules to apply.
    pub rules: Rules,
    /// The policy for directories with dependencies, such as `node_modules`.
    pub prune: Prune,
    /// The policy for files and directories whose names begin with a dot.
    pub hidden: HiddenFiles,
    /// The comparison of upper-case and lower-case letters in the pattern and the path.
    pub case: Case,
    /// The kind of entry to find.
    pub only: EntryKinds,
    /// The maximum number of matches to return, `None` for no limit; all matches are counted.
    pub limit: Option<usize>,
    /// The maximum depth of entries; 1 is directly in the directory in which the walk starts, after the literal names
    /// at the start of the pattern.
    pub depth: Option<usize>,
}

impl GlobRequest {
    /// Creates a request for all files that a pattern matches, including hidden and ignored ones, except in directories
    /// of installed packages, caches and build output.
    pub fn of(base: WorkspacePath, pattern: impl Into<String>) -> Self {
        Self {
            base,
            pattern: pattern.into(),
            rules: Rules::None,
            prune: Prune::Dependencies,
            hidden: HiddenFiles::Show,
            case: Case::Sensitive,
            only: EntryKinds::Files,
            limit: None,
            depth: None,
        }
    }
}

/// The kinds of entries that a search for a glob returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntryKinds {
    /// Everything except directories; only directories if the pattern ends with a slash.
    #[default]
    Files,
    /// Directories.
    Directories,
    /// Entries of every kind.
    Any,
}

/// The result of a search for a glob.
#[derive(Clone, Debug)]
pub struct GlobOutput {
    /// The matching entries, newest first; those with equal times are in path order.
    pub matches: Vec<Match>,
    /// The total number of matching entries, including those beyond the limit.
    pub total: u64,
    /// The entries that ignore rules exclude although the pattern could match them.
    pub skipped: SkippedEntries,
    /// The files and directories that could not be read.
    pub unreadable: Unreadable,
    /// The completeness of the search: it ran to its end, timed out, or was cancelled.
    pub complete: Complete,
}

/// A file or directory that matches the glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The path of the entry.
    pub path: WorkspacePath,
    /// The modification time, in nanoseconds since 1970-01-01 UTC.
    pub modified: i64,
    /// The kind of entry; links are not followed.
    pub kind: Kind,
}

/// Finds the entries that match a glob. If only files are requested and `index` can list all names, no directory is
/// read.
pub fn glob(
    workspace: &Workspace,
    request: &GlobRequest,
    control: &Control,
    index: Option<&TrigramIndex>,
) -> Result<GlobOutput, SearchError> {
    find::find(workspace, request, control, index)
}
