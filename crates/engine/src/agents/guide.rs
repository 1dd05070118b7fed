//! How a model guides what would else be found out without one: asked where there is one, held to reading, believed where it cites.

mod citing;
mod claims;
mod reading;

pub(crate) use citing::{Cited, Citing, Place, Quotes, check};
pub(crate) use claims::{Claim, read};

use super::{Agents, Finished, Job};
use crate::{
    agents::AgentAccess,
    call::{CallCtx, nested::FrontDoor},
    failure::{Failure, Kind},
};
use reading::Reading;
use schemars::JsonSchema;
use serde::Serialize;
use std::{sync::Arc, time::Duration};
use toolpost_text::counted::counted;

/// How many claims that were dropped are told with their reasons.
const TOLD: usize = 10;
/// How long a model is waited for at most, and how much longer than it has for its answer.
const LONGEST: Duration = Duration::from_secs(300);
const GRACE: Duration = Duration::from_secs(1);
/// Who it is that guides.
const ROLE: &str =
    "You find out how code works by reading it, and say only what you can show. You change nothing.";

/// What came of letting a model guide.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Guide {
    /// How it ended.
    pub ended: GuideEnded,
    /// Why it was not asked, why it failed, or what is missing.
    pub why: Option<String>,
    /// How many turns it took, where that is known.
    pub turns: Option<u64>,
    /// How many calls of tools it made.
    pub calls: usize,
    /// How many more it wanted than it might make.
    pub refused: usize,
    /// How many claims it made.
    pub claims: usize,
    /// How many of them were dropped, since nothing was cited for them or what was cited does not stand there.
    pub dropped: usize,
    /// The first of these.
    pub dropped_claims: Vec<Dropped>,
}

/// How it ended with the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GuideEnded {
    /// It was not asked.
    NotAsked,
    /// It gave its answer.
    Completed,
    /// It used all its turns before.
    Turns,
    /// It used all its calls before.
    Calls,
    /// It used all its tokens before.
    Tokens,
    /// The time was up before.
    Time,
    /// It met a limit of its own before.
    Limit,
    /// It failed.
    Failed,
}

/// A claim that was dropped.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Dropped {
    /// The claim.
    pub claim: String,
    /// Why.
    pub why: String,
}

/// Whether a model guides.
pub(crate) enum Guidance {
    /// It does, through a door of its own.
    Given(Arc<dyn Agents>, Arc<dyn FrontDoor>),
    /// There is one, and it is not asked; why.
    Withheld(String),
    /// There is none.
    None,
}

/// What the one who guides brought back.
pub(crate) struct Worked {
    pub(crate) guide: Guide,
    pub(crate) words: String,
}

impl Guidance {
    /// Finds out whether a model guides under that name: where there is one, in calls of the client, as the rules allow.
    pub(crate) fn of(agents: &AgentAccess, cx: &CallCtx, name: &str) -> Self {
        let Ok(agents) = agents.backend() else { return Self::None };
        let Some(door) = &cx.door else {
            return Self::Withheld("inside of another call no model is asked".to_owned());
        };
        if !(cx.may_delegate)(name) {
            return Self::Withheld(format!(
                "the rules do not let work be left to the agent {name} without asking"
            ));
        }
        Self::Given(agents, door.apart())
    }

    /// Finds out the same where a part of the work is left to it, which has to keep to reading.
    pub(crate) fn working(agents: &AgentAccess, cx: &CallCtx, name: &str) -> Self {
        match Self::of(agents, cx, name) {
            Self::Given(agents, _) if !agents.keep_to_the_door() => Self::Withheld(
                "the agent that is asked here has tools of its own and cannot be kept to reading".to_owned(),
            ),
            other => other,
        }
    }

    /// Says why a model that there is was not asked.
    pub(crate) fn withheld(&self) -> Option<Guide> {
        match self {
            Self::Withheld(why) => Some(Guide::not_asked(why.clone())),
            Self::Given(..) | Self::None => None,
        }
    }
}

/// Lets an agent work that only reads, with so many turns and calls of tools; its failure is told, and is none of the call, but
/// that the caller gave up is.
pub(crate) async fn work(
    agents: &Arc<dyn Agents>,
    door: Arc<dyn FrontDoor>,
    (task, context): (String, String),
    (turns, calls): (usize, usize),
    cx: &CallCtx,
) -> Result<Worked, Failure> {
    let reading = Arc::new(Reading::new(door, calls));
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
        // Who works ends in time by itself; who does not is left.
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

/// Says that the caller gave up while a model was asked.
pub(crate) fn cancelled() -> Failure {
    Failure::new(Kind::Cancelled, "The call was cancelled while a model was asked.")
}

impl Guide {
    fn new(ended: GuideEnded, why: Option<String>) -> Self {
        let dropped_claims = Vec::new();
        Self { ended, why, turns: None, calls: 0, refused: 0, claims: 0, dropped: 0, dropped_claims }
    }

    /// Says that a model was not asked, and why.
    pub(crate) fn not_asked(why: String) -> Self {
        Self::new(GuideEnded::NotAsked, Some(why))
    }

    /// Takes down what became of the claims.
    pub(crate) fn judged(&mut self, kept: usize, mut dropped: Vec<Dropped>) {
        self.claims = kept + dropped.len();
        self.dropped = dropped.len();
        dropped.truncate(TOLD);
        self.dropped_claims = dropped;
        if self.ended == GuideEnded::Completed && self.claims == 0 && self.why.is_none() {
            self.why = Some("its answer has no claim in the form that was asked for".to_owned());
        }
    }

    /// Says in a sentence what came of it.
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
