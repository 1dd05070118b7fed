//! `glob`: files by the pattern of their names, newest first.

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

pub use super::walk::{Complete, Walked};
pub use toolpost_search::{Case, Hidden, Only, Prune, Rules};

/// Finds files by their names.
pub struct Glob;

/// Which names, and where.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory from which the pattern is meant.
    pub base: WorkspacePath,
    /// The pattern.
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
    /// How many are listed; all are counted.
    pub limit: usize,
    /// How many levels are looked at, from where the pattern's first wildcard stands; all if not said.
    pub depth: Option<usize>,
}

impl Request {
    /// Asks for the files that a pattern names: hidden ones too, without ignore rules, outside of dependency directories.
    #[must_use]
    pub fn of(base: WorkspacePath, pattern: String) -> Self {
        Self {
            base,
            pattern,
            rules: Rules::None,
            prune: Prune::Dependencies,
            hidden: Hidden::Show,
            case: Case::Sensitive,
            only: Only::Files,
            limit: 100,
            depth: None,
        }
    }
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The newest first, those of one moment by path.
    pub matches: Vec<Match>,
    /// How many there are in all.
    pub total: u64,
    /// What was not looked at.
    pub walk: Walked,
    /// The pattern that was asked for; for the words.
    #[serde(skip)]
    #[schemars(skip)]
    pub pattern: String,
}

/// A file that was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Match {
    /// The file, relative to its root.
    pub path: String,
    /// When it was last changed, in seconds since 1970.
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
        walk: Walked::of(&found.skipped, found.unreadable, found.complete).of_one_root(find, &request.base),
        pattern: request.pattern.clone(),
    }
}
