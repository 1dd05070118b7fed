//! Content search.

mod among;
mod anchor;
mod breaks;
mod cut;
mod filter;
mod foreign;
mod matcher;
mod narrow;
mod output;
mod request;
mod run;
mod scan;
mod searching;
mod sink;
mod text;
mod window;
mod wrong;

use toolpost_grams::Grams;
use toolpost_workspace::Workspace;

pub use output::{Content, Counted, Cut, FileHits, GrepOutput, Line, Role, Totals, Unsearched};
pub use request::{Case, GrepRequest, MayRead, Mode, Show, Span};
pub use text::{Held, Texts};
pub use wrong::ONE_LINE;

use crate::{Control, SearchError};

/// Finds the lines that match a regular expression.
///
/// With an index, only candidate files are read; the result is the same.
pub fn grep(
    workspace: &Workspace,
    request: &GrepRequest,
    control: &Control,
    index: Option<&Grams>,
) -> Result<GrepOutput, SearchError> {
    run::run(workspace, request, control, index)
}
