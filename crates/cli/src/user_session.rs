//! Session of a user at a terminal, whose commands call operations through the tools of one dialect.

use crate::{
    ask::{self, Input, SessionCalls},
    out,
};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use toolpost::{Lifetime, Session, Settings, Toolpost};
use toolpost_dialects::terminal::DIALECT as INTERNAL;
use toolpost_tool::Dialect;

/// Output of an operation, or its error text.
pub(crate) type OperationResult = Result<Value, String>;

/// Session of a user at a terminal.
pub(crate) struct UserSession {
    dialect: &'static str,
    session: Session,
}

impl UserSession {
    /// Opens a session in `dialect` with replies of at most `room` bytes, runs `ask`, and shuts everything
    /// down.
    pub(crate) fn asks<T>(
        settings: &mut Settings,
        dialect: &'static str,
        room: usize,
        ask: impl AsyncFnOnce(&Self) -> Result<T>,
    ) -> Result<T> {
        settings.dialects.set(Vec::new());
        settings.tools.value = None;
        settings.reply_bytes.value = Some(room);
        let asker = ask::asker(settings.ask.value, Input::Person, SessionCalls::Several);
        let builder = Toolpost::with_settings(settings.clone()).asker(asker).structured();
        let tools =
            toolpost_dialects::named(dialect).with_context(|| format!("the dialect {dialect} is missing"))?;
        // The tools of the dialect, with hints for a terminal. The leak is bounded: a process opens one session.
        let worded: &'static Dialect = Box::leak(Box::new(Dialect { say: INTERNAL.say, ..*tools }));
        let post =
            builder.own_dialect(&INTERNAL).own_dialect(worded).lifetime(Lifetime::OneCall).open_blocking()?;
        out::report(&post);
        let person = Self { dialect, session: post.session() };
        let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        threads.block_on(async {
            let answer = ask(&person).await;
            post.close().await;
            answer
        })
    }

    /// Calls the tool that runs `operation`.
    pub(crate) async fn call(&self, operation: &str, arguments: Value) -> Result<OperationResult> {
        let dialect = toolpost_dialects::named(self.dialect)
            .with_context(|| format!("the dialect {} is missing", self.dialect))?;
        let mut tools = INTERNAL.tools.iter().chain(dialect.tools);
        let tool = tools.find(|tool| tool.operation == operation);
        let tool = tool.with_context(|| format!("no tool runs {operation}"))?;
        // An unknown parameter is an error here, because the tool would silently ignore it.
        let schema = (tool.schema)();
        let known = |key: &&String| {
            schema.pointer("/properties").is_some_and(|known| known.get(key.as_str()).is_some())
        };
        let given = arguments.as_object().into_iter().flat_map(|given| given.keys());
        if let Some(unknown) = given.into_iter().find(|key| !known(key)) {
            bail!("the tool {} has no parameter {unknown}", tool.name);
        }
        let (progress, _line) = out::ProgressLine::of_call();
        let call = self.session.call(tool.name, arguments);
        let reply = call.on_progress(move |count, what| progress.tell(count, what)).await;
        if reply.is_error() {
            return Ok(Err(reply.text()));
        }
        Ok(Ok(reply.structured().cloned().context("the reply has no structured result")?))
    }
}
