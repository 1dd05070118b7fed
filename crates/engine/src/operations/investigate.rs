//! `investigate`: a question is looked into without a model: searches, links between symbols, cited places, gaps.

pub use crate::investigating::{Ended, Limits, Question as Request, Written};

use crate::{Access, CallCtx, Engine, Failure, Operation, Touch, investigating};
use schemars::JsonSchema;
use serde::Serialize;

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
    /// How much speaks for it: only to be compared with others of the same answer.
    pub score: f64,
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
}

impl Operation for Investigate {
    const NAME: &'static str = "investigate";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        vec![Touch::Read(request.base.clone())]
    }

    async fn run(engine: &Engine, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let looked = investigating::investigate(engine, &request, &cx.within(request.time)).await?;
        Ok(investigating::report(&request, looked))
    }
}
