//! `semantic`: the blocks of code that mean what was asked for, whatever words they use; those that fit best first.

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

/// Finds blocks by what they mean.
pub struct Semantic;

/// What to look for, and where.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directories to search, or single files.
    pub bases: Vec<WorkspacePath>,
    /// What is asked, in words.
    pub query: String,
    /// How many blocks are shown.
    pub limit: usize,
    /// How many tokens they may have together.
    pub tokens: u64,
    /// How many bytes of one block are shown.
    pub each: usize,
    /// How many bytes the answer may have.
    pub max_bytes: usize,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The blocks, those that fit best first.
    pub blocks: Vec<Alike>,
    /// How many files were searched.
    pub searched: usize,
    /// How many blocks they have.
    pub compared: usize,
    /// How many of the files have no vectors yet, so that only their words were looked at.
    pub without: usize,
    /// The model that made the vectors.
    pub model: String,
    /// Whether the model knows none of the words, so that only the words themselves were looked for.
    pub unknown: bool,
    /// Why not as many blocks are shown as were asked for.
    pub cut: Cut,
    /// What was not searched.
    pub walk: Walked,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Vec<Seen>,
}

/// Lines that belong together, and what speaks for them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Alike {
    /// The lines; their score is 1 at most.
    #[serde(flatten)]
    pub block: Block,
    /// How near their meaning is to the question: 1 for the same; none if nothing is known of that.
    pub likeness: Option<f64>,
    /// The words of the question that they hold, rare ones first.
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
