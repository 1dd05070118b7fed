//! Agents that operations use: a model that answers questions, and subagents that work on delegated tasks.

use crate::{
    budget::{Account, Budget, BudgetLimit, Limits},
    compaction,
    event::{Watch, nobody, within},
    models::{Completion, Message, Model, ModelError, ModelErrorKind, Question, Service},
    outcome::{Outcome, Reason},
    permits::{Permits, TIME},
    pictures::ImageDisplay,
    prompts,
    run::Run,
    schema_check::{CheckResult, SchemaCheck},
    subagent::Subagent,
    toolset::NestedTools,
    transcript::Transcript,
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
    AgentStopReason, Agents, AnswerFuture, CallCtx, CallGateway, Failure, Hint, Job, Kind, Prompt, Report,
    Session,
};

/// Maximum number of turns of a subagent.
const TURNS: u64 = 30;

/// Function that creates a model by its name.
pub type Maker = Arc<dyn Fn(&str) -> Result<Arc<dyn Model>, ModelError> + Send + Sync>;

/// The model and its subagents.
pub struct ModelAgents {
    service: Service,
    maker: Maker,
    window: u64,
    subagents: Vec<Subagent>,
    watch: OnceLock<Watch>,
    permits: Permits,
    shared_instructions: OnceLock<Instructions>,
    showing: ImageDisplay,
    /// Number of subagents started so far.
    begun: AtomicU64,
}

/// Instructions and roots, which every subagent gets.
struct Instructions {
    instructions: String,
    roots: Vec<String>,
}

impl ModelAgents {
    /// Creates the agents from the model's service, a factory for other models, the context window in tokens
    /// and the user's subagents.
    #[must_use]
    pub fn new(service: Service, maker: Maker, window: u64, subagents: Vec<Subagent>) -> Self {
        Self {
            service,
            maker,
            window,
            subagents,
            watch: OnceLock::new(),
            permits: Permits::new(),
            shared_instructions: OnceLock::new(),
            showing: ImageDisplay::default(),
            begun: AtomicU64::new(0),
        }
    }

    /// Sets the maximum time that a subagent waits for its start.
    #[must_use]
    pub fn with_queue(self, queue: Duration) -> Self {
        Self { permits: self.permits.with_queue(queue), ..self }
    }

    /// Sets whether the model gets the images of replies, or only notes about them.
    #[must_use]
    pub fn with_pictures(self, showing: ImageDisplay) -> Self {
        Self { showing, ..self }
    }

    /// Sets the instructions and the workspace roots that every subagent gets; only the first call counts.
    pub fn tell(&self, instructions: String, roots: Vec<String>) {
        let _ = self.shared_instructions.set(Instructions { instructions, roots });
    }

    /// Sets the event callback; only the first call counts.
    pub fn watched(&self, watch: Watch) {
        let _ = self.watch.set(watch);
    }

    /// Lets the subagents of a session share its budget.
    pub fn share(&self, session: &str, budget: &Arc<Budget>) {
        self.permits.share(session, budget);
    }

    /// Returns the user's subagents.
    #[must_use]
    pub fn subagents(&self) -> &[Subagent] {
        &self.subagents
    }

    /// Returns the model's service.
    #[must_use]
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// Sends one request, and counts its tokens in `budget`, whose deadline also cancels the request.
    async fn once(
        &self,
        question: &Question,
        budget: &Budget,
        cancel: &CancellationToken,
    ) -> Result<Completion, Failure> {
        let late = async {
            match budget.due() {
                Some(due) => tokio::time::sleep_until(due.into()).await,
                None => std::future::pending().await,
            }
        };
        let whole = tokio::select! {
            biased;
            whole = self.service.ask(question, cancel, &|_| ()) => whole.map_err(|fault| failure(&fault))?,
            () = late => return Err(used_up(BudgetLimit::Time)),
        };
        budget.tokens(compaction::usage(question, &whole).total());
        Ok(whole)
    }

    /// Returns the name of a subagent for events, with a number that makes it unique.
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

impl Agents for ModelAgents {
    fn ask<'a>(
        &'a self,
        prompt: Prompt,
        session: &'a Session,
        cancel: CancellationToken,
    ) -> AnswerFuture<'a, String> {
        Box::pin(async move {
            let budget = self.permits.budget(session.id(), Limits::default());
            let mut question = question_of(&prompt);
            let mut fitting = SchemaCheck::new(prompt.schema);
            loop {
                budget.turn().map_err(used_up)?;
                let whole = self.once(&question, &budget, &cancel).await?;
                match fitting.judge(&whole.message.text)? {
                    CheckResult::Fits(answer) => return Ok(answer),
                    CheckResult::Again(words) => {
                        question
                            .messages
                            .extend([Message::Model(whole.message), Message::User { text: words }]);
                    }
                }
            }
        })
    }

    fn work<'a>(
        &'a self,
        job: Job,
        gateway: Arc<dyn CallGateway>,
        cx: &'a CallCtx,
    ) -> AnswerFuture<'a, Report> {
        Box::pin(async move {
            let subagent = Subagent::find(&self.subagents, job.agent.as_deref())?;
            let service = self.serving(subagent)?;
            let tools = only(subagent, gateway.as_ref())?;
            let _leave = self.permits.leave(cx).await?;
            let time = cx.time_left(TIME);
            let turns = job.turns.unwrap_or(TURNS).min(TURNS);
            let limits = Limits { turns: Some(turns), time: Some(time), ..Limits::default() };
            let budget = self.permits.budget(cx.session.id(), limits);
            let shared_instructions = self.shared_instructions.get();
            let run = Run {
                service,
                hands: Arc::new(NestedTools { gateway, only: tools, due: budget.due() }),
                system: prompts::system(
                    shared_instructions.map_or("", |shared| shared.instructions.as_str()),
                    shared_instructions.map_or(&[], |shared| shared.roots.as_slice()),
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
            let text = prompts::part(&job.task, job.context.as_deref());
            report(run.go(vec![Message::User { text }]).await)
        })
    }
}

fn question_of(prompt: &Prompt) -> Question {
    let text = prompts::question(prompt);
    Question {
        system: prompts::MATERIAL.to_owned(),
        messages: vec![Message::User { text }],
        ..Question::default()
    }
}

/// Returns the failure for a session whose budget is used up.
pub fn used_up(spent: BudgetLimit) -> Failure {
    let kind = if spent == BudgetLimit::Time { Kind::Timeout } else { Kind::Denied };
    let what = format!("The model did not answer, because the total budget of {} is used up.", spent.word());
    Failure::new(kind, what)
        .hint(Hint::Advice("Report the results so far, and what is still missing.".to_owned()))
}

/// Selects the tools of a subagent; `None` if it may use all. Names of tools that the session does not have
/// are ignored; the result is an error if no tool is left.
pub fn only(subagent: Option<&Subagent>, gateway: &dyn CallGateway) -> Result<Option<Vec<String>>, Failure> {
    let Some((subagent, wanted)) = subagent.and_then(|agent| Some((agent, agent.tools.as_ref()?))) else {
        return Ok(None);
    };
    let there: Vec<String> = gateway.tools().into_iter().map(|tool| tool.name).collect();
    let kept: Vec<String> = there.iter().filter(|name| wanted.contains(name)).cloned().collect();
    if kept.is_empty() {
        let what = format!(
            "The agent {} may use only the tools {} (according to {}), and none of them is available in \
             this session.",
            subagent.name,
            wanted.join(", "),
            subagent.file
        );
        let advice = format!("List available tools in that file: {}.", there.join(", "));
        return Err(Failure::new(Kind::NotFound, what).hint(Hint::Advice(advice)));
    }
    Ok(Some(kept))
}

/// Converts an outcome to a report. If the run ended without completing its task or reaching a limit, returns an error
/// that contains the result so far.
pub fn report(outcome: Outcome) -> Result<Report, Failure> {
    let Outcome { reason, words, missing, used } = outcome;
    let kind = match &reason {
        Reason::Completed => return Ok(report_of(words, None, AgentStopReason::Completed, used)),
        Reason::Budget { spent } => return Ok(report_of(words, missing, (*spent).into(), used)),
        Reason::Cancelled => Kind::Cancelled,
        Reason::Model { .. } | Reason::Agent { .. } | Reason::Filtered => Kind::Io,
        Reason::Refused => Kind::Denied,
        Reason::Limit => return Ok(report_of(words, missing, AgentStopReason::Limit, used)),
        Reason::Empty | Reason::Malformed | Reason::Cut => Kind::Conflict,
    };
    Err(Report::unfinished(kind, missing, words))
}

fn report_of(words: String, missing: Option<String>, ended: AgentStopReason, used: Account) -> Report {
    Report { words, missing, ended, turns: Some(used.turns.used) }
}

fn failure(fault: &ModelError) -> Failure {
    let kind = match fault.kind {
        ModelErrorKind::Cancelled => Kind::Cancelled,
        ModelErrorKind::Silent => Kind::Timeout,
        ModelErrorKind::TooLong => Kind::TooLarge,
        ModelErrorKind::Refused => Kind::Denied,
        ModelErrorKind::Question => Kind::Invalid,
        ModelErrorKind::Unreachable
        | ModelErrorKind::Overloaded
        | ModelErrorKind::Provider
        | ModelErrorKind::Broken
        | ModelErrorKind::Shape => Kind::Io,
    };
    let failure = Failure::new(kind, format!("{}.", fault.what.trim_end_matches('.')));
    if fault.passes() { failure.hint(Hint::TryAgain) } else { failure }
}
