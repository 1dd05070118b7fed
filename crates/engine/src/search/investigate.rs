//! `investigate`: a question is looked into: searches, links between symbols, cited places, gaps; a model guides it where there is one.

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

/// Looks into a question.
pub struct Investigate;

/// What was found out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// What was to be found out.
    pub objective: String,
    /// What was found, the best first.
    pub findings: Vec<Finding>,
    /// What was not found, not searched or not understood.
    pub gaps: Vec<String>,
    /// What is to be looked at where something is changed.
    pub recommended: Vec<Finding>,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// On what grounds.
    pub grounds: Vec<String>,
    /// How it was found out.
    pub meta: Meta,
    /// What came of letting a model guide it; none where there is no model.
    pub guide: Option<Guide>,
    /// For whom it is written.
    #[serde(skip)]
    #[schemars(skip)]
    pub written: Written,
}

/// A claim, and where it can be seen.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finding {
    /// What is claimed.
    pub claim: String,
    /// Where it can be seen, as `path:line`.
    pub evidence: Vec<String>,
    /// The file.
    pub path: String,
    /// The first line of the place.
    pub first_line: u64,
    /// Its last line.
    pub last_line: u64,
    /// What has its name there; empty for mere lines.
    pub name: String,
    /// What it is.
    pub kind: String,
    /// How much speaks for it: only to be compared with others of the same answer; 0 for what a model says.
    pub score: f64,
    /// Who claims it.
    pub by: Whose,
}

/// Who claims something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// The search, of what it has found.
    Search,
    /// A model; what it cites stands there.
    Model,
}

/// How it was found out.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Meta {
    /// How many rounds there were.
    pub turns: usize,
    /// How many there might be.
    pub max_turns: usize,
    /// How many operations there were.
    pub calls: usize,
    /// How many there might be.
    pub max_calls: usize,
    /// How long it took.
    pub elapsed_ms: u64,
    /// For what was looked.
    pub keywords: Vec<String>,
    /// Why no more was done.
    pub ended: Ended,
    /// How many files were searched.
    pub searched: usize,
    /// When it began.
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
