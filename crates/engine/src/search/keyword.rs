//! `search`: the blocks of code that a query asks for, those that fit best first.

pub(super) mod ask;
mod cursor;
pub(super) mod left_out;
pub(super) mod lend;
pub(super) mod page;
pub(super) mod places;

use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    files::document::text::stretch,
    find::walk::Walked,
    operation::Operation,
    search::Searcher,
    seen::Seen,
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_text::window::Lines;
use toolpost_workspace::WorkspacePath;

pub use toolpost_index::ranked::Tests;

/// Finds blocks by a query.
pub struct Search;

/// What to look for, and where.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory to search, or a single file.
    pub base: WorkspacePath,
    /// The query.
    pub query: String,
    /// How the query is meant.
    pub matching: Matching,
    /// Whether tests are searched.
    pub tests: Tests,
    /// How many blocks are shown.
    pub limit: usize,
    /// How many tokens they may have together; none for as many as there are.
    pub tokens: Option<u64>,
    /// Where the answer begins.
    pub from: From,
    /// How many bytes the answer may have.
    pub max_bytes: usize,
}

/// How a query is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// By its grammar.
    Query,
    /// As a text that stands there as it is, but for the case of its letters.
    Exact,
}

/// Where an answer begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum From {
    /// With what fits best.
    First,
    /// Behind what the answer showed that gave this.
    Cursor(String),
    /// Behind what was shown of the same question under this name, or else with the first.
    Named(String),
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The query, as it was understood.
    pub understood: String,
    /// The blocks, those that fit best first.
    pub blocks: Vec<Block>,
    /// How many there are in all.
    pub total: usize,
    /// How many of them were shown before.
    pub before: usize,
    /// How many files hold them.
    pub files: usize,
    /// How many more would have been found in tests.
    pub tests: usize,
    /// How many tokens the blocks have, as far as that can be estimated: four bytes each.
    pub tokens: u64,
    /// Why not all the rest is shown.
    pub cut: Cut,
    /// By what the rest is asked for.
    pub next: Option<String>,
    /// Whether the answer that this one goes on from had already shown the last of them.
    pub over: bool,
    /// Whether files have changed since the answer that this one goes on from, so that some may come twice or not at all.
    pub changed: bool,
    /// How many files were searched.
    pub searched: usize,
    /// What may have been meant otherwise.
    pub notes: Vec<String>,
    /// What was not searched.
    pub walk: Walked,
    /// Whether as many tokens were asked for as there are.
    #[serde(skip)]
    #[schemars(skip)]
    pub all: bool,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Vec<Seen>,
}

/// Why not all blocks are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// They are.
    No,
    /// No more were asked for.
    Limit,
    /// The next one has more tokens than are left.
    Tokens,
    /// The answer has no room for more.
    Room,
}

/// Lines that belong together.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Block {
    /// The file.
    pub path: String,
    /// The first line, counted from 1.
    pub first_line: u64,
    /// The last line.
    pub last_line: u64,
    /// What it is, such as `function`; `lines` where it is only lines.
    pub kind: String,
    /// The names of what it stands in and its own; empty for mere lines.
    pub name: String,
    /// How well it fits: only to be compared with others of the same answer.
    pub score: f64,
    /// Its lines; the last ones may be missing where there is no room.
    #[serde(serialize_with = "stretch::write")]
    #[schemars(with = "Vec<stretch::Stretch>")]
    pub lines: Lines,
}

impl Operation for Search {
    const NAME: &'static str = "search";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Searcher;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.base)
    }

    async fn run(search: &Searcher, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let question = ask::read(&request)?;
        let (search, cx) = (search.clone(), cx.clone());
        let index = search.words().clone();
        let _report = crate::code::symbol_index::ready::report(&cx, move || index.progress());
        blocking(move || ask::answer(&search, &request, &question, &cx)).await
    }

    fn seen(output: &Output) -> Vec<Seen> {
        output.seen.clone()
    }
}
