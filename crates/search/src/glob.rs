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

/// What to look for, and where.
///
/// A pattern without a slash is matched against the last name at any depth, as `rg --glob` does: `*.rs` finds all Rust
/// files below `base`, `./*.rs` only those in it. With a slash it is matched from `base` on, name by name: `*`, `?`,
/// classes and braces stay within a name, `**` stands for any number of names, a trailing `/` asks for directories.
/// A name that is written out lifts every rule for itself: `**/dist/*.js` enters ignored directories called `dist`.
#[derive(Clone, Debug)]
pub struct GlobRequest {
    /// The directory from which the pattern is meant.
    pub base: WorkspacePath,
    /// The pattern; an absolute one must lie inside the workspace.
    pub pattern: String,
    /// Whose ignore rules count.
    pub rules: Rules,
    /// What happens to dependency directories.
    pub prune: Prune,
    /// What happens to hidden names.
    pub hidden: Hidden,
    /// How letters are compared.
    pub case: Case,
    /// What is wanted.
    pub only: Only,
    /// The most matches that are returned; all are counted.
    pub limit: Option<usize>,
    /// How many levels are looked at, from where the pattern's first wildcard stands; 1 is that directory alone.
    pub depth: Option<usize>,
}

/// What kinds of things are wanted.
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

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct GlobOutput {
    /// The newest matches first, those of one moment by path.
    pub matches: Vec<Match>,
    /// How many there are in all.
    pub total: u64,
    /// What rules left out although the pattern could have matched there.
    pub skipped: Skipped,
    /// What could not be read.
    pub unreadable: Unreadable,
    /// Whether everything was seen.
    pub complete: Complete,
}

/// Something that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Match {
    /// Where it is.
    #[serde(serialize_with = "shown")]
    pub path: WorkspacePath,
    /// When it was last changed, in nanoseconds since 1970.
    pub modified: i64,
    /// What it is; links are not followed.
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
