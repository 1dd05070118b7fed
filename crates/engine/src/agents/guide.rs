//! Model guidance for searches: uses a configured model, restricts it to reading, and keeps only claims with
//! valid citations.

mod citing;
mod claims;
mod reading;

pub(crate) use citing::{Cited, Citing, Place, Quotes, check};
pub(crate) use claims::{Claim, read};

use super::{Agents, Finished, Job};
use crate::{
    agents::AgentAccess,
    call::{CallCtx, nested::CallGateway},
    failure::{Failure, Kind},
};
use reading::Reading;
use schemars::JsonSchema;
use serde::Serialize;
use std::{sync::Arc, time::Duration};
use toolpost_text::counted::counted;

/// Maximum number of dropped claims that are reported with their reasons.
const TOLD: usize = 10;
/// Maximum wait for a model, and the extra time after the time limit for its answer.
const LONGEST: Duration = Duration::from_secs(300);
const GRACE: Duration = Duration::from_secs(1);
/// The role of the guiding model.
const ROLE: &str =
    "You find out how code works by reading it, and say only what you can show. You change nothing.";

/// The result of guidance by a model.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Guide {
    /// Its outcome.
    pub ended: GuideEnded,
    /// The reason why the model was not asked or failed, or the missing part.
    pub why: Option<String>,
    /// Number of turns, if it is known.
    pub turns: Option<u64>,
    /// Number of tool calls.
    pub calls: usize,
    /// Number of tool calls that were refused because of the limit.
    pub refused: usize,
    /// Number of claims.
    pub claims: usize,
    /// Number of dropped claims: without a citation, or with an invalid one.
    pub dropped: usize,
    /// The first dropped claims.
    pub dropped_claims: Vec<Dropped>,
}

/// Outcome of guidance by a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GuideEnded {
    /// The model was not asked.
    NotAsked,
    /// The model answered.
    Completed,
    /// The model reached its turn limit.
    Turns,
    /// The model reached its limit of tool calls.
    Calls,
    /// The model ran out of tokens.
    Tokens,
    /// The time limit was reached.
    Time,
    /// The agent stopped at one of its internal limits.
    Limit,
    /// The model failed.
    Failed,
}

/// A claim that was dropped.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Dropped {
    /// The claim.
    pub claim: String,
    /// The reason.
    pub why: String,
}

/// Availability of a guiding model.
pub(crate) enum Guidance {
    /// A model is available, with a separate gateway.
    Given(Arc<dyn Agents>, Arc<dyn CallGateway>),
    /// A model is configured, and it is not asked, for this reason.
    Withheld(String),
    /// No model is configured.
    None,
}

/// The guidance and the answer of a model.
pub(crate) struct Worked {
    pub(crate) guide: Guide,
    pub(crate) words: String,
}

impl Guidance {
    /// Determines whether a model guides under that name: only if one is configured, in calls of the client,
    /// as the rules allow.
    pub(crate) fn of(agents: &AgentAccess, cx: &CallCtx, name: &str) -> Self {
        let Ok(agents) = agents.backend() else { return Self::None };
        let Some(gateway) = &cx.gateway else {
            return Self::Withheld("inside of another call no model is asked".to_owned());
        };
        if !cx.permissions.may_delegate(name) {
            return Self::Withheld(format!(
                "the rules do not let work be left to the agent {name} without asking"
            ));
        }
        Self::Given(agents, gateway.apart())
    }

    /// Determines the same for a delegated task, which needs an agent that can be restricted to reading.
    pub(crate) fn working(agents: &AgentAccess, cx: &CallCtx, name: &str) -> Self {
        match Self::of(agents, cx, name) {
            Self::Given(agents, _) if !agents.keep_to_the_door() => Self::Withheld(
                "the agent that is asked here has tools of its own and cannot be kept to reading".to_owned(),
            ),
            other => other,
        }
    }

    /// Returns why a configured model was not asked.
    pub(crate) fn withheld(&self) -> Option<Guide> {
        match self {
            Self::Withheld(why) => Some(Guide::not_asked(why.clone())),
            Self::Given(..) | Self::None => None,
        }
    }
}

/// Runs an agent that can only read, with limits of turns and tool calls. Its failure is part of the result
/// and does not fail the call; a cancelled call fails.
pub(crate) async fn work(
    agents: &Arc<dyn Agents>,
    gateway: Arc<dyn CallGateway>,
    (task, context): (String, String),
    (turns, calls): (usize, usize),
    cx: &CallCtx,
) -> Result<Worked, Failure> {
    let reading = Arc::new(Reading::new(gateway, calls));
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
        // The agent stops in time on its own; one that does not is abandoned.
        () = tokio::time::sleep(cx.time_left(LONGEST) + GRACE) => Err(Failure::new(Kind::Timeout, "no answer came in time")),
    };
    if cx.cancel.is_cancelled() {
        return Err(cancelled());
    }
    let (calls, refused) = reading.counted();
    let guide = |ended, why, turns| Guide { calls, refused, turns, ..Guide::new(ended, why) };
    Ok(match report {
        Ok(report) => {
            let ended = match report.ended {
                Finished::Completed => GuideEnded::Completed,
                Finished::Turns => GuideEnded::Turns,
                Finished::Calls => GuideEnded::Calls,
                Finished::Tokens => GuideEnded::Tokens,
                Finished::Time => GuideEnded::Time,
                Finished::Limit => GuideEnded::Limit,
            };
            Worked { guide: guide(ended, report.missing, report.turns), words: report.words }
        }
        Err(failure) => {
            let ended = if failure.kind == Kind::Timeout { GuideEnded::Time } else { GuideEnded::Failed };
            Worked { guide: guide(ended, Some(failure.what), None), words: String::new() }
        }
    })
}

/// The failure of a call that was cancelled while a model was asked.
pub(crate) fn cancelled() -> Failure {
    Failure::new(Kind::Cancelled, "The call was cancelled while a model was asked.")
}

impl Guide {
    fn new(ended: GuideEnded, why: Option<String>) -> Self {
        let dropped_claims = Vec::new();
        Self { ended, why, turns: None, calls: 0, refused: 0, claims: 0, dropped: 0, dropped_claims }
    }

    /// A result without guidance, with the reason.
    pub(crate) fn not_asked(why: String) -> Self {
        Self::new(GuideEnded::NotAsked, Some(why))
    }

    /// Records the checked claims.
    pub(crate) fn judged(&mut self, kept: usize, mut dropped: Vec<Dropped>) {
        self.claims = kept + dropped.len();
        self.dropped = dropped.len();
        dropped.truncate(TOLD);
        self.dropped_claims = dropped;
        if self.ended == GuideEnded::Completed && self.claims == 0 && self.why.is_none() {
            self.why = Some("its answer has no claim in the form that was asked for".to_owned());
        }
    }

    /// Describes the result in a sentence.
    #[must_use]
    pub fn words(&self) -> String {
        let why = self.why.as_deref().map(|why| why.trim_end_matches('.')).unwrap_or_default();
        let begun = match self.ended {
            GuideEnded::NotAsked => return format!("no model guided this: {why}"),
            GuideEnded::Failed => {
                return format!(
                    "the model that should have guided this failed, so it is what a search alone finds: {why}"
                );
            }
            GuideEnded::Completed if why.is_empty() => "a model guided this".to_owned(),
            GuideEnded::Completed => format!("a model guided this: {why}"),
            GuideEnded::Turns
            | GuideEnded::Calls
            | GuideEnded::Tokens
            | GuideEnded::Time
            | GuideEnded::Limit => {
                format!("the model that guided this was stopped before its end: {why}")
            }
        };
        let (claims, calls) = (counted(self.claims as u64, "claim"), counted(self.calls as u64, "tool call"));
        let refused = match self.refused {
            0 => String::new(),
            more => format!(", {more} more refused"),
        };
        format!("{begun}; {claims}, {} of them dropped for what they cite; {calls}{refused}", self.dropped)
    }
}
