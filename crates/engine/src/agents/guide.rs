//! Guidance of searches by a configured model.
//!
//! The model can only read, and only its claims with valid citations are kept.

mod citing;
mod claims;

pub(crate) use citing::{CitationRules, CitedClaim, CitedLocation, Quotes, check};
pub(crate) use claims::{Claim, read};

use super::{AgentStopReason, Agents, Job};
use crate::{
    access::Access,
    agents::AgentAccess,
    call::{
        CallCtx,
        nested::{
            CallGateway, CallOutcome, CallableTool, InnerAnswer, InnerCall, NestedCallFuture,
            NestedCallPermissions,
        },
    },
    failure::{Failure, Kind},
    files::Files,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio_util::sync::CancellationToken;
use toolpost_text::plural::counted;

/// Maximum number of dropped claims that a result lists. A claim is dropped if a citation is missing or
/// invalid.
const TOLD: usize = 10;
/// Maximum time for the model's work, if the call has no earlier deadline.
const LONGEST: Duration = Duration::from_secs(300);
/// Extra time after the time limit, so that a model that stops at the limit can still deliver its answer.
const GRACE: Duration = Duration::from_secs(1);
/// Role of the guiding model, as a part of its system prompt.
const ROLE: &str =
    "You find out how code works by reading it, and say only what you can show. You change nothing.";

/// Report on a guiding model's work.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Guide {
    /// The reason why the work ended or never began.
    pub ended: GuideEndReason,
    /// The reason why the model was not asked, failed or claimed nothing, or the part of the task that is unfinished;
    /// otherwise `None`.
    pub why: Option<String>,
    /// Number of requests to the model; `None` if the agent does not report it.
    pub turns: Option<u64>,
    /// Number of tool calls that the model made.
    pub calls: usize,
    /// Number of tool calls that were refused because the limit was reached.
    pub refused: usize,
    /// Number of claims in the model's answer.
    pub claims: usize,
    /// Number of claims that were dropped because a citation was missing or invalid.
    pub dropped: usize,
    /// The first ten dropped claims, with reasons.
    pub dropped_claims: Vec<DroppedClaim>,
}

/// The reason why a guiding model's work ended or never began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GuideEndReason {
    /// The model was not asked.
    NotAsked,
    /// The model answered.
    Completed,
    /// The model reached its turn limit.
    Turns,
    /// The model reached its limit on tool calls.
    Calls,
    /// The model reached its token limit.
    Tokens,
    /// The time limit was reached.
    Time,
    /// One of the agent's internal limits stopped the agent.
    Limit,
    /// The model failed.
    Failed,
}

impl From<AgentStopReason> for GuideEndReason {
    fn from(ended: AgentStopReason) -> Self {
        match ended {
            AgentStopReason::Completed => Self::Completed,
            AgentStopReason::Turns => Self::Turns,
            AgentStopReason::Calls => Self::Calls,
            AgentStopReason::Tokens => Self::Tokens,
            AgentStopReason::Time => Self::Time,
            AgentStopReason::Limit => Self::Limit,
        }
    }
}

/// Claim dropped for missing or invalid citations.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DroppedClaim {
    /// The text of the claim.
    pub claim: String,
    /// Why the claim was dropped, for example a quotation that is not in the file.
    pub why: String,
}

/// Availability of a model to guide a call.
pub(crate) enum Guidance {
    /// A model is available. Its tool calls go through this gateway, which has a separate session.
    Given(Arc<dyn Agents>, Arc<dyn CallGateway>),
    /// A model is configured but not used, for this reason.
    Withheld(String),
    /// No model is configured.
    None,
}

/// The claims of a model's answer that have valid citations, its open questions, and a report on the model's
/// work.
pub(crate) struct CitedAnswer {
    pub(crate) guide: Guide,
    pub(crate) claims: Vec<CitedClaim>,
    /// The open questions that the model reported.
    pub(crate) gaps: Vec<String>,
}

impl Guidance {
    /// Checks whether a model may guide this call: a model is configured, the call is not nested in another
    /// one, and the rules allow delegating to the agent `name` without approval.
    pub(crate) fn of(agents: &AgentAccess, cx: &CallCtx, name: &str) -> Self {
        let Ok(agents) = agents.backend() else { return Self::None };
        let Some(gateway) = &cx.gateway else {
            return Self::Withheld("a call made by another call cannot ask a model".to_owned());
        };
        if !cx.permissions.may_delegate(name) {
            return Self::Withheld(format!(
                "the rules do not allow delegating to the agent {name} without approval"
            ));
        }
        Self::Given(agents, gateway.apart())
    }

    /// Like `of`, for a model that calls tools: also requires an agent that can be restricted to reading.
    pub(crate) fn working(agents: &AgentAccess, cx: &CallCtx, name: &str) -> Self {
        match Self::of(agents, cx, name) {
            Self::Given(agents, _) if !agents.keep_to_the_door() => Self::Withheld(
                "the configured agent has its own tools and cannot be restricted to reading".to_owned(),
            ),
            other => other,
        }
    }

    /// Returns a report with the reason if a model is configured but may not be asked; otherwise `None`.
    pub(crate) fn withheld(&self) -> Option<Guide> {
        match self {
            Self::Withheld(why) => Some(Guide::not_asked(why.clone())),
            Self::Given(..) | Self::None => None,
        }
    }
}

/// Runs an agent on a task with its context, and checks the citations of its answer. The agent can only read,
/// and the numbers of turns and tool calls are limited.
///
/// If the agent fails, the result contains the reason. Only a cancelled call is an error.
pub(crate) async fn cited(
    (agents, gateway): (&Arc<dyn Agents>, Arc<dyn CallGateway>),
    prompt: (String, String),
    limits: (usize, usize),
    (files, rules): (&Files, CitationRules),
    cx: &CallCtx,
) -> Result<CitedAnswer, Failure> {
    let (mut guide, words) = work(agents, gateway, prompt, limits, cx).await?;
    let parsed = read(&words);
    let (claims, dropped) = check(files, parsed.claims, rules, cx).await?;
    if parsed.nothing && claims.is_empty() && dropped.is_empty() && guide.why.is_none() {
        guide.why = Some("the model reported that nothing matches".to_owned());
    }
    guide.judged(claims.len(), dropped);
    Ok(CitedAnswer { guide, claims, gaps: parsed.gaps })
}

async fn work(
    agents: &Arc<dyn Agents>,
    gateway: Arc<dyn CallGateway>,
    (task, context): (String, String),
    (turns, calls): (usize, usize),
    cx: &CallCtx,
) -> Result<(Guide, String), Failure> {
    let reading = Arc::new(ReadOnlyGateway::new(gateway, calls));
    let job = Job {
        task,
        context: Some(context),
        agent: None,
        role: Some(ROLE.to_owned()),
        turns: Some(turns as u64),
    };
    let report = tokio::select! {
        biased;
        () = cx.cancel.cancelled() => return Err(cancelled()),
        report = agents.work(job, reading.clone(), cx) => report,
        // An agent should stop at the time limit. An agent that continues is abandoned after the extra time.
        () = tokio::time::sleep(cx.time_left(LONGEST) + GRACE) => Err(Failure::new(Kind::Timeout, "the model did not answer in time")),
    };
    if cx.cancel.is_cancelled() {
        return Err(cancelled());
    }
    let (calls, refused) = reading.counted();
    let guide = |ended, why, turns| Guide { calls, refused, turns, ..Guide::new(ended, why) };
    Ok(match report {
        Ok(report) => (guide(report.ended.into(), report.missing, report.turns), report.words),
        Err(failure) => {
            let ended =
                if failure.kind == Kind::Timeout { GuideEndReason::Time } else { GuideEndReason::Failed };
            (guide(ended, Some(failure.what), None), String::new())
        }
    })
}

/// Returns the failure for a call that was cancelled while it waited for a model.
pub(crate) fn cancelled() -> Failure {
    Failure::new(Kind::Cancelled, "The call was cancelled while it waited for a model.")
}

impl Guide {
    fn new(ended: GuideEndReason, why: Option<String>) -> Self {
        let dropped_claims = Vec::new();
        Self { ended, why, turns: None, calls: 0, refused: 0, claims: 0, dropped: 0, dropped_claims }
    }

    /// Creates the report for a search in which no model was asked, with the reason.
    pub(crate) fn not_asked(why: String) -> Self {
        Self::new(GuideEndReason::NotAsked, Some(why))
    }

    /// Records the number of claims with valid citations (`kept`), and the dropped claims.
    fn judged(&mut self, kept: usize, mut dropped: Vec<DroppedClaim>) {
        self.claims = kept + dropped.len();
        self.dropped = dropped.len();
        dropped.truncate(TOLD);
        self.dropped_claims = dropped;
        if self.ended == GuideEndReason::Completed && self.claims == 0 && self.why.is_none() {
            self.why = Some("the model's answer has no claim in the required form".to_owned());
        }
    }

    /// Describes in one sentence how the model guided the search, or why it did not, without a final period.
    #[must_use]
    pub fn words(&self) -> String {
        let why = self.why.as_deref().map(|why| why.trim_end_matches('.')).unwrap_or_default();
        let begun = match self.ended {
            GuideEndReason::NotAsked => return format!("no model guided this search: {why}"),
            GuideEndReason::Failed => {
                return format!(
                    "the guiding model failed, so these results come from the search alone: {why}"
                );
            }
            GuideEndReason::Completed if why.is_empty() => "a model guided this search".to_owned(),
            GuideEndReason::Completed => format!("a model guided this search: {why}"),
            GuideEndReason::Turns
            | GuideEndReason::Calls
            | GuideEndReason::Tokens
            | GuideEndReason::Time
            | GuideEndReason::Limit => {
                format!("the guiding model was stopped early: {why}")
            }
        };
        let (claims, calls) = (counted(self.claims as u64, "claim"), counted(self.calls as u64, "tool call"));
        let refused = match self.refused {
            0 => String::new(),
            more => format!(", and {more} refused because the limit on tool calls was reached"),
        };
        let dropped = match self.dropped {
            0 => String::new(),
            wrong => format!(" ({wrong} dropped because of wrong citations)"),
        };
        format!("{begun}; {claims}{dropped}; {calls}{refused}")
    }
}

/// A gateway for a model's tool calls that allows only reading. Calls through gateways that `apart` creates
/// count towards the same limit.
struct ReadOnlyGateway {
    gateway: Arc<dyn CallGateway>,
    most: usize,
    wanted: Arc<AtomicUsize>,
}

impl ReadOnlyGateway {
    fn new(gateway: Arc<dyn CallGateway>, most: usize) -> Self {
        Self { gateway, most, wanted: Arc::default() }
    }

    /// Returns the number of calls that were made, and the number that were refused because of the limit.
    fn counted(&self) -> (usize, usize) {
        let wanted = self.wanted.load(Ordering::SeqCst);
        (wanted.min(self.most), wanted.saturating_sub(self.most))
    }
}

impl CallGateway for ReadOnlyGateway {
    fn call<'a>(&'a self, call: InnerCall, cancel: CancellationToken) -> NestedCallFuture<'a> {
        if self.wanted.fetch_add(1, Ordering::SeqCst) >= self.most {
            let words = format!(
                "This call was not made, because all {} tool calls of this task are used. Give your answer now, from what you have read.",
                self.most
            );
            return Box::pin(std::future::ready(InnerAnswer::of_words(CallOutcome::Refused, words)));
        }
        self.gateway.call(InnerCall { may: NestedCallPermissions::Read, ..call }, cancel)
    }

    fn tools(&self) -> Vec<CallableTool> {
        let reads = |tool: &CallableTool| {
            tool.access.iter().all(|access| matches!(access, Access::Reads | Access::Asks))
        };
        self.gateway.tools().into_iter().filter(reads).collect()
    }

    fn apart(&self) -> Arc<dyn CallGateway> {
        Arc::new(Self { gateway: self.gateway.apart(), most: self.most, wanted: self.wanted.clone() })
    }
}
