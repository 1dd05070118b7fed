//! A client of the Agent Client Protocol: external agents that answer questions and work on delegated tasks.
//!
//! [`Acp`] starts the agent's program, hands it Toolpost's MCP server, and answers its requests for files and
//! permissions within [`AgentPermissions`]. An external agent takes the place of a model: budgets, transcripts and events
//! are those of `toolpost-agent`.
//!
//! ```
//! use std::time::Duration;
//! use toolpost_acp::{Acp, AgentPermissions, ServerCommand, Setup};
//!
//! let setup = Setup {
//!     command: vec!["an-agent".to_owned(), "--acp".to_owned()],
//!     environment: [].into(),
//!     roots: vec!["/srv/project".into()],
//!     handed: ServerCommand { program: "/usr/bin/toolpost".into(), ..ServerCommand::default() },
//!     may: AgentPermissions::Read,
//!     idle: Duration::from_secs(60),
//! };
//! let agent = Acp::new(setup, Vec::new());
//! assert!(agent.told(None).contains("/srv/project"));
//! ```
//!
//! The program starts on the first use, and ends with [`Acp::end`].

mod calls;
mod client;
mod conversation;
mod files;
mod link;
mod permissions;
mod pipes;
mod setup;
mod task;

pub use files::Disk;
pub use setup::{AgentPermissions, SERVER, ServerCommand, Setup};
pub use task::{Task, Tools};

use conversation::PromptResult;
use link::Link;
use std::sync::{Arc, OnceLock};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use toolpost_agent::{
    Budget, CheckResult, Limits, Permits, Reason, SchemaCheck, Subagent, TIME, Transcript, Watch,
    model_agents, models::Message, nobody, prompts,
};
use toolpost_engine::{
    Agents, AnswerFuture, CallCtx, CallGateway, Failure, Hint, Job, Kind, Prompt, Report, Session,
};

/// Advice for an agent that cannot be used.
const ADVICE: &str =
    "Use other tools, or tell the user that `toolpost doctor` starts the agent and shows the problem.";

/// An external agent, which answers questions and works on delegated tasks.
pub struct Acp {
    setup: Setup,
    subagents: Vec<Subagent>,
    permits: Permits,
    /// The running agent with all its sessions; `None` until it is started.
    link: Mutex<Option<Arc<Link>>>,
    disk: OnceLock<Disk>,
    watch: OnceLock<Watch>,
}

impl Acp {
    /// Creates the client; the agent starts on its first use.
    #[must_use]
    pub fn new(setup: Setup, subagents: Vec<Subagent>) -> Self {
        let (permits, link) = (Permits::new(), Mutex::new(None));
        Self { setup, subagents, permits, link, disk: OnceLock::new(), watch: OnceLock::new() }
    }

    /// Sets the file access of the agent; only the first call counts.
    pub fn reach(&self, disk: Disk) {
        let _ = self.disk.set(disk);
    }

    /// Sets the event callback; only the first call counts.
    pub fn watched(&self, watch: Watch) {
        let _ = self.watch.set(watch);
    }

    /// Lets the subagents of a session share its budget.
    pub fn share(&self, session: &str, budget: &Arc<Budget>) {
        self.permits.share(session, budget);
    }

    /// Starts the agent if necessary, and describes it: its name, whether it may require a login, and its permissions.
    ///
    /// # Errors
    /// The failure of the call that would use the agent, if the agent cannot be used.
    pub async fn standing(&self) -> Result<String, Failure> {
        let link = self.link().await?;
        let may = match self.setup.may {
            AgentPermissions::Read => "the agent may read",
            AgentPermissions::Write => "the agent may read, and write with Toolpost's tools",
            AgentPermissions::All => "the agent may do everything, also without Toolpost's tools",
        };
        let logins = link.about.auth_methods.len();
        let logins = if logins == 0 { "" } else { ", may require a login" };
        Ok(format!("{}, protocol 1{logins}; `acp_may` is {}: {may}", link.name(), self.setup.may.word()))
    }

    /// Stops the agent, if it runs.
    pub async fn end(&self) {
        if let Some(link) = self.link.lock().await.take() {
            link.end().await;
        }
    }

    /// Returns the running agent; one that has exited is started again.
    async fn link(&self) -> Result<Arc<Link>, Failure> {
        let mut kept = self.link.lock().await;
        if let Some(link) = kept.as_ref().filter(|link| !link.is_gone()) {
            return Ok(link.clone());
        }
        *kept = None;
        let opened = Link::open(&self.setup).await;
        let link = Arc::new(opened.map_err(|trouble| self.failure(&trouble))?);
        Ok(kept.insert(link).clone())
    }

    fn failure(&self, trouble: &link::AgentError) -> Failure {
        let kind = match trouble {
            link::AgentError::Late { .. } => Kind::Timeout,
            link::AgentError::Login { .. } => Kind::Denied,
            _ => Kind::Io,
        };
        let what = format!("The agent `{}` cannot be used: {trouble}.", self.setup.shown());
        Failure::new(kind, what).hint(Hint::Advice(ADVICE.to_owned()))
    }

    /// Returns the instructions that precede a task. `own` replaces the default description of the agent's role.
    #[must_use]
    pub fn told(&self, own: Option<&str>) -> String {
        let roots: Vec<String> = self.setup.roots.iter().map(|root| root.display().to_string()).collect();
        let writes = if self.setup.may == AgentPermissions::Read {
            prompts::WritePermission::No
        } else {
            prompts::WritePermission::Yes
        };
        prompts::handed(SERVER, &roots, own, writes)
    }
}

/// Returns the failure for a missing answer.
fn unanswered(turned: &PromptResult) -> Failure {
    let kind = match turned.reason {
        Reason::Cancelled => Kind::Cancelled,
        Reason::Budget { .. } | Reason::Limit => Kind::Timeout,
        Reason::Refused => Kind::Denied,
        _ => Kind::Io,
    };
    let why = turned.reason.sentence().unwrap_or_default();
    Failure::new(kind, format!("{why}{}", turned.remark)).hint(Hint::Advice(ADVICE.to_owned()))
}

impl Agents for Acp {
    fn ask<'a>(
        &'a self,
        prompt: Prompt,
        session: &'a Session,
        cancel: CancellationToken,
    ) -> AnswerFuture<'a, String> {
        Box::pin(async move {
            let budget = self.permits.budget(session.id(), Limits { time: Some(TIME), ..Limits::default() });
            budget.turn().map_err(model_agents::used_up)?;
            let (watch, transcript) = (nobody(), Transcript::none());
            let task = Task { system: String::new(), budget, cancel, watch, transcript, tools: Tools::None };
            let mut text = format!("{} Use no tools.\n\n{}", prompts::MATERIAL, prompts::question(&prompt));
            let mut fitting = SchemaCheck::new(prompt.schema);
            let mut conversation = self.begin(&task).await.map_err(|turned| unanswered(&turned))?;
            loop {
                let turned = conversation.prompt(text, &self.holds(&task)).await;
                if turned.reason != Reason::Completed {
                    return Err(unanswered(&turned));
                }
                match fitting.judge(&turned.words)? {
                    CheckResult::Fits(answer) => return Ok(answer),
                    CheckResult::Again(words) => text = words,
                }
            }
        })
    }

    fn keep_to_the_door(&self) -> bool {
        false
    }

    fn work<'a>(
        &'a self,
        job: Job,
        gateway: Arc<dyn CallGateway>,
        cx: &'a CallCtx,
    ) -> AnswerFuture<'a, Report> {
        Box::pin(async move {
            let subagent = Subagent::find(&self.subagents, job.agent.as_deref())?;
            let tools = model_agents::only(subagent, gateway.as_ref())?;
            let _leave = self.permits.leave(cx).await?;
            let limits = Limits { time: Some(cx.time_left(TIME)), ..Limits::default() };
            let own = subagent.map(|subagent| subagent.words.as_str()).filter(|words| !words.is_empty());
            let task = Task {
                system: self.told(own),
                budget: self.permits.budget(cx.session.id(), limits),
                cancel: cx.cancel.clone(),
                watch: self.watch.get().cloned().unwrap_or_else(nobody),
                transcript: Transcript::none(),
                tools: tools.map_or(Tools::All, Tools::Only),
            };
            let text = prompts::part(&job.task, job.context.as_deref());
            model_agents::report(self.go(vec![Message::User { text }], &task).await)
        })
    }
}
