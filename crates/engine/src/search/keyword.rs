//! `search`: the blocks of code that match a query, best first.

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

/// A keyword search request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory to search, or a single file.
    pub base: WorkspacePath,
    /// The query.
    pub query: String,
    /// The interpretation of the query.
    pub matching: Matching,
    /// The choice to search tests.
    pub tests: Tests,
    /// The maximum number of blocks.
    pub limit: usize,
    /// The maximum number of tokens of all blocks together; unlimited if `None`.
    pub tokens: Option<u64>,
    /// The position at which the answer begins.
    pub from: From,
    /// The maximum size of the answer, in bytes.
    pub max_bytes: usize,
}

/// The interpretation of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// By the query grammar.
    Query,
    /// As a literal text, ignoring letter case.
    Exact,
}

/// The position at which an answer begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum From {
    /// At the best match.
    First,
    /// After the blocks of the answer that returned this cursor.
    Cursor(String),
    /// After the blocks already shown for the same query under this name; at the best match if there are
    /// none.
    Named(String),
}

/// The search results.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The query, as parsed.
    pub understood: String,
    /// The blocks, best first.
    pub blocks: Vec<Block>,
    /// The total number of matching blocks.
    pub total: usize,
    /// The number of them that were shown before.
    pub before: usize,
    /// The number of files that contain them.
    pub files: usize,
    /// The number of further matches in tests.
    pub tests: usize,
    /// The estimated number of tokens of the blocks: four bytes each.
    pub tokens: u64,
    /// The reason why blocks are missing at the end.
    pub cut: Cut,
    /// The cursor for the rest.
    pub next: Option<String>,
    /// True if the answer that this one continues had already shown the last block.
    pub over: bool,
    /// True if files have changed since the answer that this one continues, so that some blocks may appear
    /// twice or not at all.
    pub changed: bool,
    /// The number of files that were searched.
    pub searched: usize,
    /// Remarks about other possible meanings of the query.
    pub notes: Vec<String>,
    /// The parts of the tree that were not searched.
    pub walk: Walked,
    /// True if the number of tokens is not limited.
    #[serde(skip)]
    #[schemars(skip)]
    pub all: bool,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Vec<Seen>,
}

/// The reason why not all blocks are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// All are shown.
    No,
    /// The limit of blocks was reached.
    Limit,
    /// The next block has more tokens than are left.
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
    /// Its kind, for example `function`; `lines` if it is not a symbol.
    pub kind: String,
    /// The qualified name; empty for lines without one.
    pub name: String,
    /// The score, comparable only within the same answer.
    pub score: f64,
    /// Its lines; the last ones may be missing if there is no room.
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
