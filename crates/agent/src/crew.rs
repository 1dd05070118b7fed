//! Who is asked by operations: one model that answers, and agents that do parts of the work.

use crate::{
    budget::{Account, Budget, Limits, Spent},
    compaction,
    ending::{Outcome, Reason},
    fits::{Fit, Fitting},
    hands::AtDoor,
    happening::{Watch, nobody, within},
    models::{Coming, Fault, FaultKind, Message, Model, Question, Service, Whole},
    permits::{Permits, TIME},
    pictures::Showing,
    run::Run,
    subagent::Subagent,
    transcript::Transcript,
    words,
};
use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio_util::sync::CancellationToken;
use toolpost_engine::{
    Agents, Asking, CallCtx, Failure, Finished, FrontDoor, Hint, Job, Kind, Prompt, Report, Session,
};

/// How often an agent asks its model.
const TURNS: u64 = 30;

/// Makes a model by its name.
pub type Maker = Arc<dyn Fn(&str) -> Result<Arc<dyn Model>, Fault> + Send + Sync>;

/// The model that answers, and the agents that do parts of the work.
pub struct Crew {
    service: Service,
    maker: Maker,
    window: u64,
    subagents: Vec<Subagent>,
    watch: OnceLock<Watch>,
    permits: Permits,
    told: OnceLock<Told>,
    showing: Showing,
    /// How many agents have begun.
    begun: AtomicU64,
}

/// What every agent is told of the tools and the workspace.
struct Told {
    instructions: String,
    roots: Vec<String>,
}

impl Crew {
    /// Puts a crew together: the model, how others are made by their names, how much a model can take in, the agents that the
    /// user has described.
    #[must_use]
    pub fn new(service: Service, maker: Maker, window: u64, subagents: Vec<Subagent>) -> Self {
        Self {
            service,
            maker,
            window,
            subagents,
            watch: OnceLock::new(),
            permits: Permits::new(),
            told: OnceLock::new(),
            showing: Showing::default(),
            begun: AtomicU64::new(0),
        }
    }

    /// Waits no longer than this for an agent that cannot begin.
    #[must_use]
    pub fn with_queue(self, queue: Duration) -> Self {
        Self { permits: self.permits.with_queue(queue), ..self }
    }

    /// Says whether the agents are shown pictures.
    #[must_use]
    pub fn with_pictures(self, showing: Showing) -> Self {
        Self { showing, ..self }
    }

    /// Says what every agent is told of the tools and the workspace; once, when both are known.
    pub fn tell(&self, instructions: String, roots: Vec<String>) {
        let _ = self.told.set(Told { instructions, roots });
    }

    /// Lets somebody watch the agents; once.
    pub fn watched(&self, watch: Watch) {
        let _ = self.watch.set(watch);
    }

    /// Lets the agents of a session work from its budget.
    pub fn share(&self, session: &str, budget: &Arc<Budget>) {
        self.permits.share(session, budget);
    }

    /// Gives the agents that the user has described.
    #[must_use]
    pub fn subagents(&self) -> &[Subagent] {
        &self.subagents
    }

    /// Gives the model.
    #[must_use]
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// Answers from what the whole work of a session may take.
    async fn answer(
        &self,
        prompt: Prompt,
        session: &Session,
        cancel: CancellationToken,
    ) -> Result<String, Failure> {
        let budget = self.permits.budget(session.id(), Limits::default());
        let mut question = asked(&prompt);
        let mut fitting = Fitting::new(prompt.schema);
        loop {
            budget.turn().map_err(used_up)?;
            let whole = self.once(&question, &budget, &cancel).await?;
            match fitting.judge(&whole.said.text)? {
                Fit::Fits(answer) => return Ok(answer),
                Fit::Again(words) => {
                    question.messages.extend([Message::Model(whole.said), Message::User { text: words }]);
                }
            }
        }
    }

    /// Asks once; the tokens are counted, and the time of the whole work ends the waiting.
    async fn once(
        &self,
        question: &Question,
        budget: &Budget,
        cancel: &CancellationToken,
    ) -> Result<Whole, Failure> {
        let late = async {
            match budget.due() {
                Some(due) => tokio::time::sleep_until(due.into()).await,
                None => std::future::pending().await,
            }
        };
        let whole = tokio::select! {
            biased;
            whole = self.service.ask(question, cancel, &|_| ()) => whole.map_err(|fault| failure(&fault))?,
            () = late => return Err(used_up(Spent::Time)),
        };
        budget.tokens(compaction::usage(question, &whole).total());
        Ok(whole)
    }

    async fn part(&self, job: Job, door: Arc<dyn FrontDoor>, cx: &CallCtx) -> Result<Report, Failure> {
        let subagent = Subagent::find(&self.subagents, job.agent.as_deref())?;
        let service = self.serving(subagent)?;
        let tools = only(subagent, door.as_ref())?;
        let _leave = self.permits.leave(cx).await?;
        let time = cx.time_left(TIME);
        let turns = job.turns.unwrap_or(TURNS).min(TURNS);
        let limits = Limits { turns: Some(turns), time: Some(time), ..Limits::default() };
        let budget = self.permits.budget(cx.session.id(), limits);
        let told = self.told.get();
        let run = Run {
            service,
            hands: Arc::new(AtDoor { door, only: tools, due: budget.due() }),
            system: words::system(
                told.map_or("", |told| told.instructions.as_str()),
                told.map_or(&[], |told| told.roots.as_slice()),
                subagent
                    .map(|subagent| subagent.words.as_str())
                    .or(job.role.as_deref())
                    .filter(|words| !words.is_empty()),
            ),
            budget,
            window: self.window,
            cancel: cx.cancel.clone(),
            watch: self.watch.get().map_or_else(nobody, |watch| within(watch.clone(), self.named(&job))),
            transcript: Transcript::none(),
            showing: self.showing,
        };
        let text = words::part(&job.task, job.context.as_deref());
        report(run.go(vec![Message::User { text }]).await)
    }

    /// Names an agent for those who watch: the number tells it from others of its name.
    fn named(&self, job: &Job) -> String {
        let number = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        format!("{} {number}", job.agent.as_deref().unwrap_or("agent"))
    }

    fn serving(&self, subagent: Option<&Subagent>) -> Result<Service, Failure> {
        match subagent.and_then(|subagent| subagent.model.as_deref()) {
            None => Ok(self.service.clone()),
            Some(model) => {
                let model = (self.maker)(model).map_err(|fault| failure(&fault))?;
                Ok(self.service.with_model(model))
            }
        }
    }
}

impl Agents for Crew {
    fn ask<'a>(
        &'a self,
        prompt: Prompt,
        session: &'a Session,
        cancel: CancellationToken,
    ) -> Asking<'a, String> {
        Box::pin(self.answer(prompt, session, cancel))
    }

    fn work<'a>(&'a self, job: Job, door: Arc<dyn FrontDoor>, cx: &'a CallCtx) -> Asking<'a, Report> {
        let part: Coming<'a, Result<Report, Failure>> = Box::pin(self.part(job, door, cx));
        part
    }
}

fn asked(prompt: &Prompt) -> Question {
    let text = words::question(prompt);
    Question {
        system: words::MATERIAL.to_owned(),
        messages: vec![Message::User { text }],
        ..Question::default()
    }
}

/// Says that the whole work may not ask a model once more.
pub(crate) fn used_up(spent: Spent) -> Failure {
    let kind = if spent == Spent::Time { Kind::Timeout } else { Kind::Denied };
    let what = format!("No model is asked: the whole work's budget of {} is used up.", spent.word());
    Failure::new(kind, what).hint(Hint::Advice("Say what there is, and what is missing.".to_owned()))
}

/// Picks the tools of an agent from those that there are; names of other clients' tools mean nothing here.
pub(crate) fn only(
    subagent: Option<&Subagent>,
    door: &dyn FrontDoor,
) -> Result<Option<Vec<String>>, Failure> {
    let Some((subagent, wanted)) = subagent.and_then(|agent| Some((agent, agent.tools.as_ref()?))) else {
        return Ok(None);
    };
    let there: Vec<String> = door.tools().into_iter().map(|tool| tool.name).collect();
    let kept: Vec<String> = there.iter().filter(|name| wanted.contains(name)).cloned().collect();
    if kept.is_empty() {
        let what = format!(
            "The agent {} may use {} alone ({}), and none of these tools is here.",
            subagent.name,
            wanted.join(", "),
            subagent.file
        );
        let advice = format!("Name other tools in that file: {}.", there.join(", "));
        return Err(Failure::new(Kind::NotFound, what).hint(Hint::Advice(advice)));
    }
    Ok(Some(kept))
}

/// Makes a report of what came of the work; where the model failed, that is a failure, with what there was.
pub(crate) fn report(outcome: Outcome) -> Result<Report, Failure> {
    let Outcome { reason, words, missing, used } = outcome;
    let kind = match &reason {
        Reason::Completed => return Ok(made(words, None, Finished::Completed, used)),
        Reason::Budget { spent } => return Ok(made(words, missing, finished(*spent), used)),
        Reason::Cancelled => Kind::Cancelled,
        Reason::Model { .. } | Reason::Agent { .. } | Reason::Filtered => Kind::Io,
        Reason::Refused => Kind::Denied,
        Reason::Limit => return Ok(made(words, missing, Finished::Limit, used)),
        Reason::Empty | Reason::Malformed | Reason::Cut => Kind::Conflict,
    };
    Err(Report::unfinished(kind, missing, words))
}

fn made(words: String, missing: Option<String>, ended: Finished, used: Account) -> Report {
    Report { words, missing, ended, turns: Some(used.turns.used) }
}

fn finished(spent: Spent) -> Finished {
    match spent {
        Spent::Turns => Finished::Turns,
        Spent::Calls => Finished::Calls,
        Spent::Tokens => Finished::Tokens,
        Spent::Time => Finished::Time,
    }
}

fn failure(fault: &Fault) -> Failure {
    let kind = match fault.kind {
        FaultKind::Cancelled => Kind::Cancelled,
        FaultKind::Silent => Kind::Timeout,
        FaultKind::TooLong => Kind::TooLarge,
        FaultKind::Refused => Kind::Denied,
        FaultKind::Question => Kind::Invalid,
        FaultKind::Unreachable
        | FaultKind::Overloaded
        | FaultKind::Provider
        | FaultKind::Broken
        | FaultKind::Shape => Kind::Io,
    };
    let failure = Failure::new(kind, format!("{}.", fault.what.trim_end_matches('.')));
    if fault.passes() { failure.hint(Hint::TryAgain) } else { failure }
}
