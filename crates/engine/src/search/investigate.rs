//! `investigate`: answers a question with searches, links between symbols, cited places and gaps; a model
//! guides it if one is configured.

pub(crate) mod guided;
pub(crate) mod ledger;
pub(crate) mod limits;
pub(crate) mod report;
pub(crate) mod rounds;
pub(crate) mod terms;

pub use crate::agents::guide::{Dropped, Guide, GuideEnded};
pub use limits::{Ended, Limits, Written};
pub use rounds::Question as Request;

use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    operation::Operation,
    search::Searcher,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Instant;

/// Investigates a question.
pub struct Investigate;

/// The result of an investigation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The objective.
    pub objective: String,
    /// The findings, best first.
    pub findings: Vec<Finding>,
    /// Things that were not found, not searched or not understood.
    pub gaps: Vec<String>,
    /// Places to check before a change.
    pub recommended: Vec<Finding>,
    /// The confidence, from 0 to 1.
    pub confidence: f64,
    /// The reasons for the confidence.
    pub grounds: Vec<String>,
    /// Statistics of the investigation.
    pub meta: Meta,
    /// The result of the guidance by a model; `None` if there is no model.
    pub guide: Option<Guide>,
    /// The audience of the report.
    #[serde(skip)]
    #[schemars(skip)]
    pub written: Written,
}

/// A claim with its evidence.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finding {
    /// The claim.
    pub claim: String,
    /// The evidence, as `path:line`.
    pub evidence: Vec<String>,
    /// The file.
    pub path: String,
    /// The first line of the place.
    pub first_line: u64,
    /// Its last line.
    pub last_line: u64,
    /// The name of the symbol at the place; empty for lines without one.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// The score, comparable only within the same answer; 0 for claims of a model.
    pub score: f64,
    /// The author of the claim.
    pub by: Whose,
}

/// The author of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// The search, about its own results.
    Search,
    /// A model; its citations were verified in the files.
    Model,
}

/// Statistics of an investigation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Meta {
    /// The number of rounds.
    pub turns: usize,
    /// The maximum number of rounds.
    pub max_turns: usize,
    /// The number of operations.
    pub calls: usize,
    /// The maximum number of operations.
    pub max_calls: usize,
    /// The duration in milliseconds.
    pub elapsed_ms: u64,
    /// The terms that were searched for.
    pub keywords: Vec<String>,
    /// The reason why it ended.
    pub ended: Ended,
    /// The number of files that were searched.
    pub searched: usize,
    /// The start time.
    #[serde(skip)]
    #[schemars(skip)]
    pub began: Instant,
}

impl Operation for Investigate {
    const NAME: &'static str = "investigate";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Asks];
    type Capability = Searcher;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.base)
    }

    async fn run(search: &Searcher, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        guided::looked_into(search, &request, &cx.within(request.time)).await
    }
}
