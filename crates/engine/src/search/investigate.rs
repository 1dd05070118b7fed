//! The `investigate` operation: answers a question from searches and links between symbols, with cited
//! locations and gaps.
//!
//! If a model is configured, it guides the investigation.

pub(crate) mod guided;
pub(crate) mod ledger;
pub(crate) mod limits;
pub(crate) mod report;
pub(crate) mod rounds;

pub use crate::agents::guide::{DroppedClaim, Guide, GuideEndReason};
pub use limits::{EndReason, Limits, ReportFormat};
pub use rounds::Request;

use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    operation::Operation,
    search::Searcher,
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::time::Instant;
use toolpost_ranked::BlockKind;

/// The `investigate` operation, which answers a question about the code.
pub struct Investigate;

/// The result of an investigation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The question as asked.
    pub objective: String,
    /// The findings, best first.
    pub findings: Vec<Finding>,
    /// Descriptions of what was not found, not searched or not resolved.
    pub gaps: Vec<String>,
    /// Locations to check before a change.
    pub recommended: Vec<Finding>,
    /// The evidence for the findings as a whole, one clause each.
    pub grounds: Vec<String>,
    /// Statistics of the investigation.
    pub meta: Meta,
    /// How a model guided the search, or why it was not asked; `None` without a model.
    pub guide: Option<Guide>,
    /// The format of the report.
    #[serde(skip)]
    #[schemars(skip)]
    pub written: ReportFormat,
}

/// A claim with its evidence.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finding {
    /// The claimed fact.
    pub claim: String,
    /// The evidence, as `path:line`.
    pub evidence: Vec<String>,
    /// The file's path.
    pub path: String,
    /// The first line of the location.
    pub first_line: u64,
    /// The last line of the location.
    pub last_line: u64,
    /// The name of the symbol at the location; empty for lines outside a symbol, and for claims of a model.
    pub name: String,
    /// The kind of location, for example `function`, or `claim` for claims of a model.
    #[schemars(with = "String")]
    pub kind: FindingKind,
    /// The score, comparable only within one answer; 0 for claims of a model.
    pub score: f64,
    /// The author of the claim.
    pub by: Whose,
}

/// The kind of the location of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingKind {
    /// A block of code.
    Block(BlockKind),
    /// The location that a model cites for its claim.
    Claim,
}

impl FindingKind {
    /// Returns the name: that of the block's kind, or `claim`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Block(kind) => kind.name(),
            Self::Claim => "claim",
        }
    }
}

impl Serialize for FindingKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The author of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// The search, which describes its results.
    Search,
    /// A model; the citations of the claim were verified in the files.
    Model,
}

/// Statistics of an investigation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Meta {
    /// The number of rounds of the search and turns of the model.
    pub turns: usize,
    /// The maximum value of `turns`.
    pub max_turns: usize,
    /// The number of operations of the search and tool calls of the model.
    pub calls: usize,
    /// The maximum value of `calls`.
    pub max_calls: usize,
    /// The duration in milliseconds.
    pub elapsed_ms: u64,
    /// The terms that were searched for.
    pub keywords: Vec<String>,
    /// The reason why the investigation ended.
    pub ended: EndReason,
    /// The number of files that were searched.
    pub searched: usize,
    /// The time at which the investigation started.
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
