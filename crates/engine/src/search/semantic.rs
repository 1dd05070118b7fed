//! `semantic`: the blocks of code with the meaning of the query, regardless of its terms; best first.

mod ask;

use super::keyword::{self, Block};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    find::walk::Walked,
    operation::Operation,
    search::Searcher,
    seen::Seen,
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::WorkspacePath;

pub use keyword::Cut;

/// Finds blocks by their meaning.
pub struct Semantic;

/// A semantic search request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directories to search, or single files.
    pub bases: Vec<WorkspacePath>,
    /// The query, in natural language.
    pub query: String,
    /// The maximum number of blocks.
    pub limit: usize,
    /// The maximum number of tokens of all blocks together.
    pub tokens: u64,
    /// The maximum size of one block, in bytes.
    pub each: usize,
    /// The maximum size of the answer, in bytes.
    pub max_bytes: usize,
}

/// The search results.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The blocks, best first.
    pub blocks: Vec<Alike>,
    /// The number of files that were searched.
    pub searched: usize,
    /// The number of their blocks.
    pub compared: usize,
    /// The number of files without embeddings yet; only their terms were compared.
    pub without: usize,
    /// The model that computed the embeddings.
    pub model: String,
    /// True if the model knows none of the query's words, so that only the words themselves were searched
    /// for.
    pub unknown: bool,
    /// The reason why fewer blocks are shown than requested.
    pub cut: Cut,
    /// The parts of the tree that were not searched.
    pub walk: Walked,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Vec<Seen>,
}

/// Lines that belong together, and the reasons for them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Alike {
    /// The lines; their score is at most 1.
    #[serde(flatten)]
    pub block: Block,
    /// The semantic similarity to the query: 1 for equal meaning; `None` if it is unknown.
    pub likeness: Option<f64>,
    /// The terms of the query that they contain, rare ones first.
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

    fn seen(output: &Output) -> Vec<Seen> {
        output.seen.clone()
    }
}
