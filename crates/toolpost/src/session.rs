//! Sessions: calls of tools by one client.

use crate::{Reply, TypedCall};
use serde_json::Value;
use std::{
    future::{Future, IntoFuture},
    pin::Pin,
    sync::Arc,
};
use tokio_util::sync::CancellationToken;
use toolpost_engine::{Engine, Progress, RunsOn, Session as State};
use toolpost_runtime::{Asker, OperationCall, Runtime};

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
    ///
    /// ```
    /// use toolpost::{Kind, Problem, Toolpost};
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), toolpost::Error> {
    /// let session = Toolpost::builder(".").read_only().state(None).open().await?.session();
    /// let found = session.call_text("Grep", r#"{"pattern": "^name = "}"#).await;
    /// assert_eq!(found.problem(), None);
    /// let invalid = session.call_text("Grep", r#"{"pattern": "#).await;
    /// assert_eq!(invalid.problem(), Some(Problem::InvalidJson));
    /// let missing = session.call_text("Grep", "{}").await;
    /// assert_eq!(missing.problem(), Some(Problem::Failed(Kind::Invalid)));
    /// println!("{}", missing.text()); // also for the model: it names the missing argument
    /// # Ok(())
    /// # }
    /// ```
    pub fn call_text(&self, tool: impl Into<String>, arguments: &str) -> Call {
        match serde_json::from_str(arguments) {
            Ok(arguments) => self.call(tool, arguments),
            Err(error) => {
                Call { reply: Some(Reply::of_invalid_json(&error)), ..self.call(tool, Value::Null) }
            }
        }
    }

    /// Prepares a call of an operation with a typed request. It runs when it is awaited, and returns the output as
    /// data, or the failure.
    ///
    /// The call passes the same policy, approvals, time limit, required reads and events as a call of a tool; events
    /// name the operation. An operation that can make a denied access is refused. Resolve the paths of the request with
    /// [`Toolpost::path`](crate::Toolpost::path).
    ///
    /// ```
    /// use toolpost::{Kind, Toolpost, operations::stat};
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let post = Toolpost::builder(".").read_only().state(None).open().await?;
    /// let session = post.session();
    /// let output = session.run::<stat::Stat>(stat::Request { path: post.path("Cargo.toml")? }).await?;
    /// assert!(output.bytes > 0);
    /// let missing = session.run::<stat::Stat>(stat::Request { path: post.path("none")? }).await;
    /// assert_eq!(missing.unwrap_err().kind, Kind::NotFound);
    /// # Ok(())
    /// # }
    /// ```
    pub fn run<O: RunsOn<Engine>>(&self, request: O::Request) -> TypedCall<O> {
        let call = OperationCall {
            request,
            session: self.state.clone(),
            cancel: CancellationToken::new(),
            asker: self.asker.clone(),
            progress: Progress::silent(),
        };
        TypedCall::new(self.runtime.clone(), call)
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
///
/// ```
/// use serde_json::json;
/// use std::time::Duration;
/// use toolpost::{CancellationToken, Toolpost};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), toolpost::Error> {
/// let post = Toolpost::builder(".").read_only().state(None).open().await?;
/// let token = CancellationToken::new();
/// let stop = token.clone();
/// tokio::spawn(async move {
///     tokio::time::sleep(Duration::from_secs(60)).await;
///     stop.cancel();
/// });
/// let reply = post
///     .session()
///     .call("Grep", json!({ "pattern": "^name = " }))
///     .on_progress(|count, what| println!("{count}: {what}"))
///     .cancelled_by(token)
///     .await;
/// assert!(!reply.is_error());
/// # Ok(())
/// # }
/// ```
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
