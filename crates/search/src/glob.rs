//! Files by the shape of their names.

mod braces;
mod find;
mod judge;
mod known;
mod names;
mod pattern;
mod segment;

use serde::Serialize;
use toolpost_grams::Grams;
use toolpost_workspace::walk::{Hidden, Kind, Prune, Rules, Skipped, Unreadable};
use toolpost_workspace::{Workspace, WorkspacePath};

use crate::grep::Case;
use crate::order::shown;
use crate::{Complete, Control, SearchError};

pub use names::Names;

/// A name search.
///
/// A pattern without a slash is matched against the last name at any depth, as with `rg --glob`: `*.rs` finds all
/// Rust files below `base`, and `./*.rs` only those directly in it. A pattern with a slash is matched from `base` on,
/// name by name: `*`, `?`, classes and braces match within a name, `**` matches any number of names, and a trailing
/// `/` selects directories. A literal name lifts every rule for itself: `**/dist/*.js` enters ignored directories
/// called `dist`.
#[derive(Clone, Debug)]
pub struct GlobRequest {
    /// The directory from which the pattern is meant.
    pub base: WorkspacePath,
    /// The pattern; an absolute one must lie inside the workspace.
    pub pattern: String,
    /// Whose ignore rules count.
    pub rules: Rules,
    /// The treatment of dependency directories.
    pub prune: Prune,
    /// The treatment of hidden names.
    pub hidden: Hidden,
    /// The comparison of letters.
    pub case: Case,
    /// The wanted kind of entry.
    pub only: Only,
    /// The most matches that are returned; all are counted.
    pub limit: Option<usize>,
    /// The maximum depth, from the directory of the pattern's first wildcard; 1 is that directory alone.
    pub depth: Option<usize>,
}

/// The kinds of entries to return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Only {
    /// Everything but directories, unless the pattern ends with a slash.
    #[default]
    Files,
    /// Directories.
    Directories,
    /// Everything.
    Any,
}

/// The result of a name search.
#[derive(Clone, Debug, Serialize)]
pub struct GlobOutput {
    /// The newest matches first, those of one moment by path.
    pub matches: Vec<Match>,
    /// The total number of matches.
    pub total: u64,
    /// The entries that rules exclude although the pattern could match there.
    pub skipped: Skipped,
    /// The unreadable paths.
    pub unreadable: Unreadable,
    /// The completeness of the result.
    pub complete: Complete,
}

/// Something that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Match {
    /// The path.
    #[serde(serialize_with = "shown")]
    pub path: WorkspacePath,
    /// When it was last changed, in nanoseconds since 1970.
    pub modified: i64,
    /// The kind of entry; links are not followed.
    pub kind: Kind,
}

/// Finds what matches a pattern; where there is an index that knows all names, without a walk.
pub fn glob(
    workspace: &Workspace,
    request: &GlobRequest,
    control: &Control,
    index: Option<&Grams>,
) -> Result<GlobOutput, SearchError> {
    find::find(workspace, request, control, index)
}
