//! The `usage` operation (usage search): finds examples of the use of an API, in the project's
//! dependencies and in the project itself.

mod ask;
mod remote_service;

use super::page::{Block, Truncation};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    code::symbol_index::ready,
    failure::{Failure, Hint, Kind},
    operation::Operation,
    search::{Searcher, parse},
    seen_content::SeenContent,
    workers::blocking,
};
pub use remote_service::{ServiceAnswer, ServiceFinding};

use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use tokio::sync::oneshot;
use toolpost_net::code::Service;
use toolpost_workspace::WorkspacePath;

/// The `usage` operation, which finds examples of the use of an API.
pub struct Usage;

/// A usage search request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The root directory of the project.
    pub base: WorkspacePath,
    /// The query, in natural language.
    pub query: String,
    /// The maximum number of tokens of the answer, estimated at four bytes each.
    pub tokens: u64,
    /// The maximum size of the answer, in bytes.
    pub max_bytes: usize,
    /// Requested length of the answer: the default, or more.
    pub extent: Extent,
    /// The remote service that is also queried, if one is configured.
    pub service: Option<Arc<Service>>,
}

/// Requested length of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// At most the default length.
    Usual,
    /// More than the default length.
    Long,
}

/// Examples of API use.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The packages with matches, best first.
    pub packages: Vec<Package>,
    /// The estimated number of tokens of the blocks, with four bytes for each token.
    pub tokens: u64,
    /// Why no more blocks are shown.
    pub cut: Truncation,
    /// The number of packages that were searched.
    pub searched: usize,
    /// The number of files that were searched in these packages and in the project.
    pub files: usize,
    /// The manifests and lock files that name the dependencies.
    pub read: Vec<String>,
    /// The lock files, and manifests with exact versions, that state the versions of the dependencies.
    pub version_files: Vec<String>,
    /// The directories of installed packages whose versions were read from the packages themselves.
    pub installed: Vec<String>,
    /// Dependencies that are not installed, grouped by the way to install them.
    pub missing: Vec<String>,
    /// The number of further missing packages, which are not named.
    pub missing_more: usize,
    /// The number of packages that were not searched for lack of time. A repeated call continues the
    /// indexing.
    pub later: usize,
    /// Progress of the indexes of the searched packages if they are incomplete, as a sentence without a
    /// period.
    pub unfinished: Option<String>,
    /// Files or packages that could not be read, with the reason.
    pub unreadable: Vec<String>,
    /// The number of files that the rules protect from being read.
    pub withheld: usize,
    /// The model that computed the embeddings.
    pub model: String,
    /// True if the model's vocabulary has none of the query's words; the search then used keywords only.
    pub unknown: bool,
    /// The answer of a remote service, if the operator configured one.
    pub service: Option<ServiceAnswer>,
    /// The other roots of the workspace, which were not searched.
    pub other_roots: Vec<String>,
    /// The reason why the local search failed; `None` if it succeeded.
    pub unsearched: Option<String>,
    /// The requested length of the answer.
    #[serde(skip)]
    #[schemars(skip)]
    pub extent: Extent,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Vec<SeenContent>,
}

/// A package with its matches.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Package {
    /// The name and version of the package, for example `rust:serde@1.0.228`; `None` for the project itself.
    pub name: Option<String>,
    /// The matching blocks, best first.
    pub blocks: Vec<Block>,
}

impl Operation for Usage {
    const NAME: &'static str = "usage";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Searcher;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        let service = request.service.as_ref().map(|service| Touch::Consult(remote_service::host(service)));
        Touch::reads(&request.base).into_iter().chain(service).collect()
    }

    async fn run(search: &Searcher, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        parse::words(&request.query)?;
        let index = search.words().clone();
        let _report = ready::report(cx, move || index.progress());
        let Some(service) = request.service.clone() else {
            let (search, cx) = (search.clone(), cx.clone());
            return blocking(move || ask::answer(&search, &request, &cx, None)).await;
        };
        // The service and the local search run at the same time. The local search waits for the answer of the
        // service before it divides the size limit.
        let (send, received) = oneshot::channel();
        let consulting = async {
            let consulted = remote_service::query(service, search, &request, cx).await?;
            // If the local search has failed, the channel has no receiver; `together` then uses the answer that is
            // returned here.
            let _ = send.send(consulted.clone());
            Ok(consulted)
        };
        let (own, at, within) = (search.clone(), request.clone(), cx.clone());
        let searched = blocking(move || ask::answer(&own, &at, &within, Some(received)));
        let (consulted, searched) = tokio::join!(consulting, searched);
        together(searched, consulted?, &request)
    }

    fn seen(output: &Output) -> Vec<SeenContent> {
        output.seen.clone()
    }
}

/// Returns the results of the search on this machine, which include the service's answer. If that search failed,
/// returns only the service's answer; fails if both failed.
fn together(
    searched: Result<Output, Failure>,
    consulted: ServiceAnswer,
    request: &Request,
) -> Result<Output, Failure> {
    let failure = match searched {
        Ok(output) => return Ok(output),
        // A cancelled call or an invalid request fails as a whole.
        Err(failure) if matches!(failure.kind, Kind::Cancelled | Kind::Invalid) => return Err(failure),
        Err(failure) => failure,
    };
    if let Some(why) = &consulted.failed {
        let advice = format!("The search service {} failed, too: {why}", consulted.name);
        return Err(failure.hint(Hint::Advice(advice)));
    }
    let consulted = consulted.cut(request.tokens.min(request.max_bytes as u64 / 4));
    Ok(Output { service: Some(consulted), unsearched: Some(failure.what), ..Output::nothing(request.extent) })
}

impl Output {
    /// Returns true if some files or packages were not searched for lack of time.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.unfinished.is_some() || self.later > 0
    }

    fn nothing(extent: Extent) -> Self {
        Self {
            packages: Vec::new(),
            tokens: 0,
            cut: Truncation::No,
            searched: 0,
            files: 0,
            read: Vec::new(),
            version_files: Vec::new(),
            installed: Vec::new(),
            missing: Vec::new(),
            missing_more: 0,
            later: 0,
            unfinished: None,
            unreadable: Vec::new(),
            withheld: 0,
            model: String::new(),
            unknown: false,
            service: None,
            other_roots: Vec::new(),
            unsearched: None,
            extent,
            seen: Vec::new(),
        }
    }
}
