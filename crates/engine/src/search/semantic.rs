//! The `semantic` operation (semantic search): finds blocks of code that are similar in meaning to the
//! query, best first.

mod ask;

use super::page::Block;
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    find::walk::WalkReport,
    operation::Operation,
    search::Searcher,
    seen_content::SeenContent,
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::WorkspacePath;

pub use super::page::Truncation;

/// The `semantic` operation, which finds blocks of code by meaning.
pub struct Semantic;

/// A semantic search request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directories to search, or single files.
    pub bases: Vec<WorkspacePath>,
    /// The query, in natural language.
    pub query: String,
    /// The maximum number of blocks of code in the answer.
    pub limit: usize,
    /// The maximum number of tokens of all blocks together.
    pub tokens: u64,
    /// The maximum size of one block, in bytes.
    pub each: usize,
    /// The maximum size of the answer, in bytes.
    pub max_bytes: usize,
}

/// Blocks similar to a query.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The similar blocks, best first.
    pub blocks: Vec<Alike>,
    /// The number of files that were searched.
    pub searched: usize,
    /// The number of blocks in searched files.
    pub compared: usize,
    /// The number of files that have no embeddings yet and were searched by keywords only.
    pub without: usize,
    /// The model that computed the embeddings.
    pub model: String,
    /// True if the model's vocabulary has none of the query's words; the search then used keywords only.
    pub unknown: bool,
    /// Why fewer blocks are shown than requested.
    pub cut: Truncation,
    /// The parts of the tree that were not searched.
    pub walk: WalkReport,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Vec<SeenContent>,
}

/// A matching block, and the reasons for the match.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Alike {
    /// The block; its score is at most 1.
    #[serde(flatten)]
    pub block: Block,
    /// The semantic similarity to the query: 1 for equal meaning; `None` if it is unknown.
    pub likeness: Option<f64>,
    /// The terms of the query that the block contains, rare ones first.
    pub words: Vec<String>,
}

impl Operation for Semantic {
    const NAME: &'static str = "semantic";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Searcher;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        request.bases.iter().cloned().map(Touch::Read).collect()
    }

    async fn run(search: &Searcher, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let (search, cx) = (search.clone(), cx.clone());
        let index = search.words().clone();
        let _report = crate::code::symbol_index::ready::report(&cx, move || index.progress());
        blocking(move || ask::answer(&search, &request, &cx)).await
    }

    fn seen(output: &Output) -> Vec<SeenContent> {
        output.seen.clone()
    }
}
