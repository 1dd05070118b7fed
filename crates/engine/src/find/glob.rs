//! The `glob` operation: finds files whose paths match a pattern, newest first.

use super::walk::walk;
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    find::Find,
    operation::Operation,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_search::GlobRequest;
use toolpost_workspace::WorkspacePath;

pub use super::walk::{Complete, WalkReport};
pub use toolpost_search::{Case, HiddenFiles, Only, Prune, Rules};

/// The `glob` operation, which finds files by their paths.
pub struct Glob;

/// A request for the files whose paths match a pattern.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory to which the pattern is relative.
    pub base: WorkspacePath,
    /// The glob pattern, such as `**/*.rs`.
    pub pattern: String,
    /// The ignore rules, such as `.gitignore`, to apply.
    pub rules: Rules,
    /// The treatment of directories of installed packages, caches and build output.
    pub prune: Prune,
    /// The treatment of names that start with a dot.
    pub hidden: HiddenFiles,
    /// The case sensitivity of the pattern.
    pub case: Case,
    /// The types of entries to find.
    pub only: Only,
    /// The maximum number of entries listed; further matches are only counted.
    pub limit: usize,
    /// The maximum number of directory levels from the pattern's first wildcard on; `None` for no limit.
    pub depth: Option<usize>,
}

impl Request {
    /// Requests the files that a pattern matches, including hidden and ignored files. Directories of installed
    /// packages, caches and build output are skipped.
    #[must_use]
    pub fn of(base: WorkspacePath, pattern: String) -> Self {
        Self {
            base,
            pattern,
            rules: Rules::None,
            prune: Prune::Dependencies,
            hidden: HiddenFiles::Show,
            case: Case::Sensitive,
            only: Only::Files,
            limit: 100,
            depth: None,
        }
    }
}

/// The entries that match a glob: files, or directories if the request asks for them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The matches, newest first; matches with the same time are sorted by path.
    pub matches: Vec<Match>,
    /// The total number of matches.
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
        let request = GlobRequest {
            base: request.base,
            pattern: request.pattern,
            rules: if base.root().label().is_some() { Rules::None } else { request.rules },
            prune: request.prune,
            hidden: request.hidden,
            case: request.case,
            only: request.only,
            limit: Some(request.limit),
            depth: request.depth,
        };
        walk(find, cx, &base, "steps through directories", move |find, control| {
            let found = toolpost_search::glob(
                find.files().workspace(),
                &request,
                control,
                find.grams_of(&request.base),
            )?;
            Ok(output(find, &request, found))
        })
        .await
    }
}

fn output(find: &Find, request: &GlobRequest, found: toolpost_search::GlobOutput) -> Output {
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
