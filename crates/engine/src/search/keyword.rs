//! The `search` operation (keyword search): finds the blocks of code that match a query, best first.

mod ask;
mod cursor;
pub(super) mod places;

use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    find::walk::WalkReport,
    operation::Operation,
    search::{Searcher, parse::ParsedQuery},
    seen_content::SeenContent,
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::WorkspacePath;

pub use super::page::{Block, Truncation};
pub use super::parse::Matching;
pub use super::retrieve::omissions::REPEAT;
pub use toolpost_ranked::Tests;

/// The `search` operation, which finds blocks of code by keywords.
pub struct Search;

/// A keyword search request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory to search, or a single file.
    pub base: WorkspacePath,
    /// The query, as the caller wrote it.
    pub query: String,
    /// How to read the query: as terms and operators, or as exact text.
    pub matching: Matching,
    /// The inclusion of tests: searched or left out.
    pub tests: Tests,
    /// The maximum number of blocks of code in the answer.
    pub limit: usize,
    /// The maximum number of tokens of all blocks together; unlimited if `None`.
    pub tokens: Option<u64>,
    /// The position in the results at which the answer begins.
    pub from: From,
    /// The maximum size of the answer, in bytes.
    pub max_bytes: usize,
}

/// The position in the results at which an answer begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum From {
    /// At the best match.
    First,
    /// After the last block of the answer that returned this cursor.
    Cursor(String),
    /// After the blocks already shown for the same query under this session name; at the best match if there
    /// are none.
    Named(String),
}

/// Blocks that match a query.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The query, as parsed.
    pub understood: String,
    /// The matching blocks, best first.
    pub blocks: Vec<Block>,
    /// The total number of matching blocks.
    pub total: usize,
    /// The number of matching blocks that earlier answers showed.
    pub before: usize,
    /// The number of files with matching blocks.
    pub files: usize,
    /// The number of matches in tests, which are left out.
    pub tests: usize,
    /// The estimated number of tokens of the blocks, with four bytes for each token.
    pub tokens: u64,
    /// Why not all matching blocks are shown.
    pub cut: Truncation,
    /// The cursor at which the next answer continues; `None` if no blocks are left.
    pub next: Option<String>,
    /// True if an earlier answer already reached the end of the results, so that this one has no blocks.
    pub over: bool,
    /// True if files changed since the earlier answer. Some blocks may then appear twice or not at all.
    pub changed: bool,
    /// The number of files that were searched.
    pub searched: usize,
    /// Notes about the query, for example about other possible meanings.
    pub notes: Vec<String>,
    /// The parts of the tree that were not searched.
    pub walk: WalkReport,
    /// True if the request does not limit the number of tokens.
    #[serde(skip)]
    #[schemars(skip)]
    pub all: bool,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Vec<SeenContent>,
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
        let query = ParsedQuery::of(&request.query, request.matching)?;
        let (search, cx) = (search.clone(), cx.clone());
        let index = search.words().clone();
        let _report = crate::code::symbol_index::ready::report(&cx, move || index.progress());
        blocking(move || ask::answer(&search, &request, &query, &cx)).await
    }

    fn seen(output: &Output) -> Vec<SeenContent> {
        output.seen.clone()
    }
}
