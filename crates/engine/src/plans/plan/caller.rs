//! Host functions of a script: tool calls, model prompts, and values stored in the session.

use crate::{
    agents::{Agents, Prompt},
    call::{
        CallCtx,
        nested::{CallGateway, CallOutcome, InnerCall, NestedCallPermissions, Pictures},
    },
    failure::{Failure, Hint},
    plans::{Plans, store::Store},
    session::Session,
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;
use toolpost_script::{AnswerFuture, Host, HostCall, Reply};

/// The handler of one script's calls to host functions.
pub(super) struct Caller {
    gateway: Arc<dyn CallGateway>,
    agents: Result<Arc<dyn Agents>, Failure>,
    session: Arc<Session>,
    reply_bytes: usize,
    due: Option<Instant>,
}

impl Caller {
    pub(super) fn new(
        plans: &Plans,
        gateway: Arc<dyn CallGateway>,
        cx: &CallCtx,
        reply_bytes: usize,
        wall: Duration,
    ) -> Self {
        let (agents, session) = (plans.agents().backend(), cx.session.clone());
        Self { gateway, agents, session, reply_bytes, due: Instant::now().checked_add(wall) }
    }

    /// Calls a tool for the script; the call passes the same checks as a call by the client.
    fn call(&self, tool: String, arguments: String, cancel: CancellationToken) -> AnswerFuture {
        let (reply_bytes, due) = (self.reply_bytes, self.due);
        let call = InnerCall {
            tool,
            arguments,
            reply_bytes,
            due,
            may: NestedCallPermissions::Everything,
            pictures: Pictures::Named,
        };
        let gateway = self.gateway.clone();
        Box::pin(async move {
            let answer = gateway.call(call, cancel).await;
            match answer.ended {
                CallOutcome::Done => Ok(Reply::Text(answer.words)),
                CallOutcome::Failed | CallOutcome::Refused | CallOutcome::GivenUp | CallOutcome::Skipped => {
                    Err(answer.words)
                }
            }
        })
    }

    fn ask(&self, mut arguments: impl Iterator<Item = String>, cancel: CancellationToken) -> AnswerFuture {
        let agents = match &self.agents {
            Ok(agents) => agents.clone(),
            Err(failure) => return failed(words(failure)),
        };
        let instruction = arguments.next().unwrap_or_default();
        let (data, schema) = (arguments.next().unwrap_or_default(), arguments.next());
        let session = self.session.clone();
        Box::pin(async move {
            let answer = agents.ask(Prompt { instruction, data, schema }, &session, cancel).await;
            answer.map(Reply::Text).map_err(|failure| words(&failure))
        })
    }

    /// Reads or writes a value that scripts store in the session.
    fn keep(&self, host_call: &HostCall) -> Result<Reply, String> {
        let given = |at: usize| host_call.arguments.get(at).map_or("", String::as_str);
        let store = self.session.state::<Store>();
        match host_call.name.as_str() {
            "set" => store.set(given(0), given(1)).map(|()| Reply::Nothing),
            "get" => Ok(store.get(given(0)).map_or(Reply::Nothing, Reply::Json)),
            "append" => store.append(given(0), given(1)).map(|()| Reply::Nothing),
            _ => Ok(Reply::Text(store.keys().join("\n"))),
        }
    }
}

impl Host for Caller {
    fn answer(&self, host_call: HostCall, cancel: CancellationToken) -> AnswerFuture {
        let mut arguments = host_call.arguments.clone().into_iter();
        match host_call.name.as_str() {
            "tool" => {
                self.call(arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default(), cancel)
            }
            "model" => self.ask(arguments, cancel),
            _ => {
                let kept = self.keep(&host_call);
                Box::pin(async move { kept })
            }
        }
    }
}

fn failed(words: String) -> AnswerFuture {
    Box::pin(async move { Err(words) })
}

/// Formats a failure for a script: the message, and the hints that are plain text.
fn words(failure: &Failure) -> String {
    let mut words = failure.what.clone();
    for hint in &failure.hints {
        if let Hint::Advice(advice) = hint {
            words.push('\n');
            words.push_str(advice);
        }
    }
    words
}
