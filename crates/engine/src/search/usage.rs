//! `usage`: examples of the use of an API, in the project's dependencies and in the project itself.

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

/// A usage search request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The root directory of the project.
    pub base: WorkspacePath,
    /// The query, in natural language.
    pub query: String,
    /// The maximum number of tokens of the answer.
    pub tokens: u64,
    /// The maximum size of the answer, in bytes.
    pub max_bytes: usize,
    /// The requested length, compared with a default reply.
    pub extent: Extent,
    /// The service that is queried too.
    pub service: Option<Arc<Service>>,
}

/// The requested length of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// At most the default length.
    Usual,
    /// More than a reply holds by default.
    Long,
}

/// The search results.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The packages with matches, best first.
    pub packages: Vec<Package>,
    /// The estimated number of tokens of the blocks: four bytes each.
    pub tokens: u64,
    /// The reason why no more is shown.
    pub cut: Cut,
    /// The number of packages that were searched.
    pub searched: usize,
    /// The number of their files.
    pub files: usize,
    /// The files that name the dependencies.
    pub read: Vec<String>,
    /// Packages that are not on this machine, grouped by the way to install them.
    pub missing: Vec<String>,
    /// The number of further missing packages, which are not named.
    pub missing_more: usize,
    /// The number of packages that there was no time for; the files read so far stay in the index.
    pub later: usize,
    /// Files or packages that could not be read, with the reason.
    pub unreadable: Vec<String>,
    /// The number of files that the rules protect from being read.
    pub withheld: usize,
    /// The model that compared meanings.
    pub model: String,
    /// True if the model knows none of the query's words, so that only the words themselves were searched
    /// for.
    pub unknown: bool,
    /// The answer of a remote service, if the operator configured one.
    pub service: Option<Consulted>,
    /// The reason why nothing on this machine was searched; `None` if it was searched.
    pub unsearched: Option<String>,
    /// The requested length.
    #[serde(skip)]
    #[schemars(skip)]
    pub extent: Extent,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Vec<Seen>,
}

/// A package with its matches.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Package {
    /// Its name and version, for example `rust:serde@1.0.228`; `None` for the project itself.
    pub name: Option<String>,
    /// The blocks, best first.
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
        // Both run at once; the room for each is known when both have answered.
        let (tell, told) = oneshot::channel();
        let asked = async {
            let consulted = consult::consult(service, search, &request, cx).await?;
            // If the receiver is gone, only the answer below counts.
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

/// Returns the answer of the service if nothing on this machine could be searched; fails if both failed.
fn together(
    searched: Result<Output, Failure>,
    consulted: Consulted,
    request: &Request,
) -> Result<Output, Failure> {
    let failure = match searched {
        Ok(output) => return Ok(output),
        // A cancelled call or an invalid request fails as a whole.
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
            missing_more: 0,
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
