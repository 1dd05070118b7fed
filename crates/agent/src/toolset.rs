//! Tools that a run can call: those of the runtime, or nested calls of the call that delegated the task.

use crate::{effect::Effect, models::ModelFuture};
use serde_json::Value;
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;
use toolpost_engine::{
    Access, CallGateway, CallOutcome, CallableTool, InnerAnswer, InnerCall, NestedCallPermissions, Pictures,
    Progress, Session,
};
use toolpost_runtime::{Asker, Call, Outcome, Published, Runtime, Verdict, VerdictFuture};

/// Operation that declares the task complete.
const COMPLETE: &str = "complete";

/// A callable tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunTool {
    /// Name, description, schema and access of the tool.
    pub tool: CallableTool,
    /// Effect of a successful call on the run.
    pub ends: TaskEffect,
}

/// Effect of a successful call on the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskEffect {
    /// No effect; the task continues.
    Nothing,
    /// The task is complete; the call contains its result.
    Work,
}

impl RunTool {
    /// Returns whether calls can run concurrently: the tool does not write, run commands, use upstream
    /// servers or an editor, or complete the task.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        let alone = |access: &Access| {
            matches!(access, Access::Writes | Access::Executes | Access::Bridges | Access::Editor)
        };
        self.ends == TaskEffect::Nothing && !self.tool.access.iter().any(alone)
    }
}

/// Tools of a run.
pub trait Toolset: Send + Sync {
    /// Returns the tools in the order of publication.
    fn tools(&self) -> Vec<RunTool>;

    /// Returns the published name of the tool that a model means by a name or an alias; `None` if there is no
    /// such tool.
    fn meant(&self, name: &str) -> Option<String>;

    /// Runs a call.
    fn call(&self, tool: String, arguments: String, cancel: CancellationToken) -> ModelFuture<'_, ToolReply>;
}

/// Reply of a call.
#[derive(Debug, Clone)]
pub struct ToolReply {
    /// Content for the model.
    pub answer: InnerAnswer,
    /// Effect of the call; empty if the call returned no structured output.
    pub effect: Effect,
    /// Time spent in approval prompts.
    pub prompt_time: Duration,
}

impl From<InnerAnswer> for ToolReply {
    fn from(answer: InnerAnswer) -> Self {
        Self { answer, effect: Effect::default(), prompt_time: Duration::ZERO }
    }
}

/// Asker that measures the time of prompts, and cancels them when the run ends.
struct TimedAsker {
    asker: Arc<dyn Asker>,
    cancel: CancellationToken,
    asked: Mutex<Duration>,
}

impl Asker for TimedAsker {
    fn ask<'a>(&'a self, question: &'a toolpost_runtime::Question) -> VerdictFuture<'a> {
        Box::pin(async move {
            let began = Instant::now();
            let verdict = tokio::select! {
                biased;
                () = self.cancel.cancelled() => {
                    Verdict::Deny("The task was stopped before the request was answered.".to_owned())
                }
                verdict = self.asker.ask(question) => verdict,
            };
            *self.asked.lock().unwrap_or_else(PoisonError::into_inner) += began.elapsed();
            verdict
        })
    }
}

/// Tools of a runtime.
pub struct RuntimeTools {
    /// Runtime that makes the calls.
    pub runtime: Arc<Runtime>,
    /// Session of the calls.
    pub session: Arc<Session>,
    /// Asker for approval prompts.
    pub asker: Arc<dyn Asker>,
}

impl Toolset for RuntimeTools {
    fn tools(&self) -> Vec<RunTool> {
        self.runtime.catalogue().tools().iter().map(|tool| hand(tool)).collect()
    }

    fn meant(&self, name: &str) -> Option<String> {
        self.runtime.catalogue().find(name).map(|tool| tool.name.clone())
    }

    fn call(&self, tool: String, arguments: String, cancel: CancellationToken) -> ModelFuture<'_, ToolReply> {
        let timed = Arc::new(TimedAsker {
            asker: self.asker.clone(),
            cancel: cancel.clone(),
            asked: Mutex::default(),
        });
        let call = Call {
            tool,
            arguments: serde_json::from_str(&arguments).unwrap_or(Value::String(arguments)),
            session: self.session.clone(),
            cancel,
            asker: timed.clone(),
            progress: Progress::silent(),
        };
        Box::pin(async move {
            let (ended, answer) = match self.runtime.call(call).await {
                Outcome::Done(answer) if answer.is_error() => (CallOutcome::Failed, answer),
                Outcome::Done(answer) => (CallOutcome::Done, answer),
                Outcome::Failed(_, answer) | Outcome::NoSuchTool(answer) => (CallOutcome::Failed, answer),
                Outcome::Ask(question) => {
                    return InnerAnswer::of_words(CallOutcome::Refused, question.words()).into();
                }
            };
            let effect = answer.structured.as_ref().map(Effect::of).unwrap_or_default();
            let (words, pictures) = answer.with_pictures();
            let prompt_time = *timed.asked.lock().unwrap_or_else(PoisonError::into_inner);
            ToolReply { answer: InnerAnswer { ended, words, pictures }, effect, prompt_time }
        })
    }
}

fn hand(published: &Published) -> RunTool {
    let ends = if published.operation() == COMPLETE { TaskEffect::Work } else { TaskEffect::Nothing };
    let tool = CallableTool {
        name: published.name.clone(),
        description: published.description().to_owned(),
        schema: published.schema().to_string(),
        access: published.access().to_vec(),
    };
    RunTool { tool, ends }
}

/// Tools of a subagent, as nested calls of the delegating call.
pub struct NestedTools {
    /// Gateway through which the delegating call makes nested calls.
    pub gateway: Arc<dyn CallGateway>,
    /// Names of the allowed tools; `None` for all.
    pub only: Option<Vec<String>>,
    /// Deadline of the calls.
    pub due: Option<Instant>,
}

impl Toolset for NestedTools {
    fn tools(&self) -> Vec<RunTool> {
        let wanted = |tool: &CallableTool| self.only.as_ref().is_none_or(|only| only.contains(&tool.name));
        let tools = self.gateway.tools().into_iter().filter(wanted);
        tools.map(|tool| RunTool { tool, ends: TaskEffect::Nothing }).collect()
    }

    fn meant(&self, name: &str) -> Option<String> {
        self.tools().into_iter().map(|hand| hand.tool.name).find(|known| known == name)
    }

    fn call(&self, tool: String, arguments: String, cancel: CancellationToken) -> ModelFuture<'_, ToolReply> {
        if self.meant(&tool).is_none() {
            let names: Vec<String> = self.tools().into_iter().map(|hand| hand.tool.name).collect();
            let shown: String = tool.chars().take(80).flat_map(char::escape_default).collect();
            let words = format!("No tool is called {shown}. The tools are: {}.", names.join(", "));
            return Box::pin(std::future::ready(InnerAnswer::of_words(CallOutcome::Failed, words).into()));
        }
        // This caller sets no limit on the reply, because that of the operator or the dialect applies.
        let call = InnerCall {
            tool,
            arguments,
            reply_bytes: usize::MAX,
            due: self.due,
            may: NestedCallPermissions::Everything,
            pictures: Pictures::Given,
        };
        Box::pin(async move { self.gateway.call(call, cancel).await.into() })
    }
}
