//! Session of a user at a terminal, whose commands call operations through the tools of one dialect.

use crate::{
    ask::{self, Input},
    out,
};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use toolpost::{assembly, settings::Settings};
use toolpost_engine::Session;
use toolpost_runtime::{Asker, Call, Outcome, Runtime, Structured};

/// Output of an operation, or its error text.
pub(crate) type Answer = Result<Value, String>;

/// Session of a user at a terminal.
pub(crate) struct UserSession {
    dialect: &'static str,
    runtime: Arc<Runtime>,
    session: Arc<Session>,
    asker: Arc<dyn Asker>,
}

impl UserSession {
    /// Opens a session in `dialect` with replies of at most `room` bytes, runs `ask`, and shuts everything
    /// down.
    pub(crate) fn asks(
        settings: &mut Settings,
        dialect: &'static str,
        room: usize,
        ask: impl AsyncFnOnce(&Self) -> Result<Answer>,
    ) -> Result<Answer> {
        settings.dialects.value = vec![dialect.to_owned()];
        settings.narrow.tools.value = None;
        settings.reply_bytes.value = Some(room);
        let assembly = assembly::assemble(settings, Structured::On, assembly::Life::Short)?;
        assembly.recovery.lines().iter().for_each(|line| eprintln!("toolpost: {line}"));
        let asker = ask::asker(settings.ask.value, Input::Person);
        let person = Self { dialect, runtime: assembly.runtime, session: Session::new(), asker };
        let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        threads.block_on(async {
            let answer = ask(&person).await;
            person.runtime.shut_down().await;
            answer
        })
    }

    /// Calls the tool that runs `operation`.
    pub(crate) async fn call(&self, operation: &str, arguments: Value) -> Result<Answer> {
        let dialect = toolpost_dialects::named(self.dialect)
            .with_context(|| format!("the dialect {} is missing", self.dialect))?;
        let tool = dialect.tools.iter().find(|tool| tool.operation == operation);
        let tool = tool.with_context(|| format!("no tool runs {operation}"))?;
        // The tool would silently ignore a parameter that it does not have.
        let schema = (tool.schema)();
        let known = |key: &&String| {
            schema.pointer("/properties").is_some_and(|known| known.get(key.as_str()).is_some())
        };
        let given = arguments.as_object().into_iter().flat_map(|given| given.keys());
        if let Some(unknown) = given.into_iter().find(|key| !known(key)) {
            bail!("the tool {} has no parameter {unknown}", tool.name);
        }
        let (progress, _line) = out::ProgressLine::of_call();
        let call = Call {
            tool: tool.name.to_owned(),
            arguments,
            session: self.session.clone(),
            cancel: CancellationToken::new(),
            asker: self.asker.clone(),
            progress,
        };
        Ok(match self.runtime.call(call).await {
            Outcome::Done(answer) => Ok(answer.structured.context("the answer has no structured part")?),
            Outcome::Failed(_, answer) | Outcome::NoSuchTool(answer) => Err(answer.words()),
            Outcome::Ask(question) => Err(question.words()),
        })
    }
}
