//! The `glob` operation: finds files whose paths match a pattern, newest first.

use super::walk::walk;
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    find::{Find, rules_of},
    operation::Operation,
};
use schemars::JsonSchema;
use serde::Serialize;

pub use super::walk::{Complete, WalkReport};
pub use toolpost_search::{Case, EntryKinds, GlobRequest as Request, HiddenFiles, Prune, Rules};

/// The `glob` operation, which finds files by their paths.
pub struct Glob;

/// The matches of a glob.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The matches, newest first; matches with the same time are sorted by path.
    pub matches: Vec<Match>,
    /// The total number of matches, including those that are not listed.
    pub total: u64,
    /// The parts of the tree that were not searched.
    pub walk: WalkReport,
    /// The requested pattern, for the reply text.
    #[serde(skip)]
    #[schemars(skip)]
    pub pattern: String,
}

/// A matching file or directory.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Match {
    /// The path, relative to its root.
    pub path: String,
    /// The time of the last change, in seconds since the Unix epoch.
    pub modified: i64,
}

impl Operation for Glob {
    const NAME: &'static str = "glob";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Find;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.base)
    }

    async fn run(find: &Find, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let base = request.base.clone();
        let request = Request { rules: rules_of(&base, request.rules), ..request };
        walk(find, cx, &base, "steps through directories", move |find, control| {
            let found = toolpost_search::glob(
                find.files().workspace(),
                &request,
                control,
                find.trigrams_of(&request.base),
            )?;
            Ok(output(find, &request, found))
        })
        .await
    }
}

fn output(find: &Find, request: &Request, found: toolpost_search::GlobOutput) -> Output {
    let matches = found.matches.iter().map(|found| Match {
        path: found.path.display(),
        modified: found.modified.div_euclid(1_000_000_000),
    });
    Output {
        matches: matches.collect(),
        total: found.total,
        walk: WalkReport::of(&found.skipped, found.unreadable, found.complete)
            .of_one_root(find.files(), &request.base),
        pattern: request.pattern.clone(),
    }
}
