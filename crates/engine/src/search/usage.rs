//! `usage`: how something is used, in the packages that the project depends on and in the project itself.

mod ask;
mod consult;
mod purpose;
mod weigh;

use super::keyword::{Block, Cut};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    operation::Operation,
    search::Searcher,
    seen::Seen,
    workers::blocking,
};
pub use consult::{Consulted, Finding};

use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use tokio::sync::oneshot;
use toolpost_net::code::Service;
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
    /// The service that is asked, too.
    pub service: Option<Arc<Service>>,
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
    /// What a service on another machine answered, where the operator has named one.
    pub service: Option<Consulted>,
    /// Why nothing on this machine was searched; nothing if it was.
    pub unsearched: Option<String>,
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
    type Capability = Searcher;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        let service = request.service.as_ref().map(|service| Touch::Consult(consult::host(service)));
        Touch::reads(&request.base).into_iter().chain(service).collect()
    }

    async fn run(search: &Searcher, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        if request.query.trim().is_empty() {
            return Err(Failure::invalid("The query is empty: say in a few words what to look for."));
        }
        let Some(service) = request.service.clone() else {
            let (search, cx) = (search.clone(), cx.clone());
            return blocking(move || ask::answer(&search, &request, &cx, None)).await;
        };
        // Both at once; how much of each is shown is known when both are there.
        let (tell, told) = oneshot::channel();
        let asked = async {
            let consulted = consult::consult(service, search, &request, cx).await?;
            // Where nobody waits for it any more, the answer below is what counts.
            let _ = tell.send(consulted.clone());
            Ok(consulted)
        };
        let (own, at, within) = (search.clone(), request.clone(), cx.clone());
        let searched = blocking(move || ask::answer(&own, &at, &within, Some(told)));
        let (consulted, searched) = tokio::join!(asked, searched);
        together(searched, consulted?, &request)
    }

    fn seen(output: &Output) -> Vec<Seen> {
        output.seen.clone()
    }
}

/// Gives what the service says where nothing here could be searched; that both fail is a failure.
fn together(
    searched: Result<Output, Failure>,
    consulted: Consulted,
    request: &Request,
) -> Result<Output, Failure> {
    let failure = match searched {
        Ok(output) => return Ok(output),
        // What ended the call, or is wrong with it, ends it as a whole.
        Err(failure) if matches!(failure.kind, Kind::Cancelled | Kind::Invalid) => return Err(failure),
        Err(failure) => failure,
    };
    if let Some(why) = &consulted.failed {
        let advice = format!("{} was asked, too: {why}", consulted.name);
        return Err(failure.hint(Hint::Advice(advice)));
    }
    let consulted = consulted.cut(request.tokens.min(request.max_bytes as u64 / 4));
    Ok(Output { service: Some(consulted), unsearched: Some(failure.what), ..Output::nothing(request.extent) })
}

impl Output {
    fn nothing(extent: Extent) -> Self {
        Self {
            packages: Vec::new(),
            tokens: 0,
            cut: Cut::No,
            searched: 0,
            files: 0,
            read: Vec::new(),
            missing: Vec::new(),
            missing_total: 0,
            later: 0,
            unreadable: Vec::new(),
            withheld: 0,
            model: String::new(),
            unknown: false,
            service: None,
            unsearched: None,
            extent,
            seen: Vec::new(),
        }
    }
}
