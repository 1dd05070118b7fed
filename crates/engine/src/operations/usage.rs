//! `usage`: how something is used, in the packages that the project depends on and in the project itself.

mod ask;
mod weigh;

use super::search::{Block, Cut};
use crate::{Access, CallCtx, Engine, Failure, Operation, Seen, Touch, engine::blocking};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::WorkspacePath;

/// Finds code and documents of dependencies.
pub struct Usage;

/// What to look for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The project.
    pub base: WorkspacePath,
    /// What is asked, in words.
    pub query: String,
    /// How many tokens the answer may have.
    pub tokens: u64,
    /// How many bytes the answer may have.
    pub max_bytes: usize,
    /// How much of a reply that is.
    pub extent: Extent,
}

/// How much was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// No more than is usual.
    Usual,
    /// More than a reply usually holds.
    Long,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The packages that hold what fits, the one that fits best first.
    pub packages: Vec<Package>,
    /// How many tokens the blocks have, as far as that can be estimated: four bytes each.
    pub tokens: u64,
    /// Why not more is shown.
    pub cut: Cut,
    /// How many packages were searched.
    pub searched: usize,
    /// How many files they have.
    pub files: usize,
    /// The files that say what the project depends on.
    pub read: Vec<String>,
    /// Packages that are not on this machine, each with how it gets there.
    pub missing: Vec<String>,
    /// How many these are in all.
    pub missing_total: usize,
    /// How many packages there was no time for; what was read of them by now is kept.
    pub later: usize,
    /// What could not be read, with why.
    pub unreadable: Vec<String>,
    /// How many files the rules keep from being read.
    pub withheld: usize,
    /// The model by which meanings were compared.
    pub model: String,
    /// Whether the model knows none of the words, so that only the words themselves were looked for.
    pub unknown: bool,
    /// How much was asked for.
    #[serde(skip)]
    #[schemars(skip)]
    pub extent: Extent,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Vec<Seen>,
}

/// A package, and what in it fits.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Package {
    /// Its name and version, as `rust:serde@1.0.228`; none for the project itself.
    pub name: Option<String>,
    /// The blocks, those that fit best first.
    pub blocks: Vec<Block>,
}

impl Operation for Usage {
    const NAME: &'static str = "usage";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.base)
    }

    async fn run(engine: &Engine, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let (engine, cx) = (engine.clone(), cx.clone());
        blocking(move || ask::answer(&engine, &request, &cx)).await
    }

    fn seen(output: &Output) -> Vec<Seen> {
        output.seen.clone()
    }
}
