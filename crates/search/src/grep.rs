//! Content search: lines and files that match a regular expression.

mod anchor;
mod breaks;
mod fallback_encoding;
mod filter;
mod in_sequence;
mod matcher;
mod output;
mod request;
mod run;
mod scan;
mod sink;
mod text;
mod window;
mod worker;
mod wrong;

use toolpost_trigrams::TrigramIndex;
use toolpost_workspace::Workspace;

pub use output::{
    Content, CountCompleteness, FileHits, GrepOutput, Line, LineTruncation, Role, Totals, UnsearchedFiles,
};
pub use request::{Case, GrepRequest, MayRead, Mode, Show, Span};
pub use text::{TextMatches, Texts};
pub use wrong::ONE_LINE;

use crate::{Control, SearchError};

/// Finds the lines, or the files, that match a regular expression.
///
/// An index reduces the number of files that are read; the matches are the same.
pub fn grep(
    workspace: &Workspace,
    request: &GrepRequest,
    control: &Control,
    index: Option<&TrigramIndex>,
) -> Result<GrepOutput, SearchError> {
    run::run(workspace, request, control, index)
}
