//! Sessions: calls of tools by one client.

use crate::Reply;
use serde_json::Value;
use std::{
    future::{Future, IntoFuture},
    pin::Pin,
    sync::Arc,
};
use tokio_util::sync::CancellationToken;
use toolpost_engine::{Progress, Session as State};
use toolpost_runtime::{Asker, Runtime};

/// Session of one client. It remembers the files that the client has read, its approvals and its commands.
#[derive(Clone)]
pub struct Session {
    runtime: Arc<Runtime>,
    state: Arc<State>,
    asker: Arc<dyn Asker>,
}

impl Session {
    pub(crate) fn new(runtime: Arc<Runtime>, state: Arc<State>, asker: Arc<dyn Asker>) -> Self {
        Self { runtime, state, asker }
    }

    /// Prepares a call of a tool. It runs when it is awaited.
    pub fn call(&self, tool: impl Into<String>, arguments: Value) -> Call {
        Call {
            runtime: self.runtime.clone(),
            reply: None,
            call: toolpost_runtime::Call {
                tool: tool.into(),
                arguments,
                session: self.state.clone(),
                cancel: CancellationToken::new(),
                asker: self.asker.clone(),
                progress: Progress::silent(),
            },
        }
    }

    /// Prepares a call with arguments as a model sends them: as JSON text. Text that is not JSON gets a reply
    /// with the error.
    pub fn call_text(&self, tool: impl Into<String>, arguments: &str) -> Call {
        match serde_json::from_str(arguments) {
            Ok(arguments) => self.call(tool, arguments),
            Err(error) => {
                Call { reply: Some(Reply::of_invalid_json(&error)), ..self.call(tool, Value::Null) }
            }
        }
    }

    /// Lists the commands that still run, or that left processes behind.
    #[must_use]
    pub fn running_commands(&self) -> Vec<String> {
        let commands = self.runtime.engine().commands();
        commands.map(|commands| commands.running(self.state.id())).unwrap_or_default()
    }

    /// Returns the id of the session, which the history of changes names.
    #[must_use]
    pub fn id(&self) -> &str {
        self.state.id()
    }
}

/// Call of a tool, which runs when it is awaited.
#[must_use = "a call does nothing until it is awaited"]
pub struct Call {
    runtime: Arc<Runtime>,
    /// The reply, if it is known without making the call, such as the error for arguments that are not JSON.
    reply: Option<Reply>,
    call: toolpost_runtime::Call,
}

impl Call {
    /// Reports the progress of the call: a growing count, and the name of the counted items. For a command, the
    /// count is its run time in milliseconds, and the text is its latest output, or `running for 3 s` without
    /// new output. The function runs in the threads of the call and must be quick.
    pub fn on_progress(mut self, hear: impl Fn(u64, &str) + Send + Sync + 'static) -> Self {
        self.call.progress = Progress::new(hear);
        self
    }

    /// Cancels the call when the token is cancelled. The reply is then a failure, or contains the results so far.
    pub fn cancelled_by(mut self, token: CancellationToken) -> Self {
        self.call.cancel = token;
        self
    }
}

impl IntoFuture for Call {
    type Output = Reply;
    type IntoFuture = Pin<Box<dyn Future<Output = Reply> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            match self.reply {
                Some(reply) => reply,
                None => self.runtime.call(self.call).await.into(),
            }
        })
    }
}
