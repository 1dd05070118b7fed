//! Host functions of a script: calls of tools, answers of a model, and values that the session keeps.

use crate::{
    agents::{Agents, Prompt},
    call::{
        CallCtx,
        nested::{CallGateway, Ended, InnerCall, May, Pictures},
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

/// Handles the host calls of one script.
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

    /// Calls a tool; the call passes the same checks as every other call.
    fn call(&self, tool: String, arguments: String, cancel: CancellationToken) -> AnswerFuture {
        let (reply_bytes, due) = (self.reply_bytes, self.due);
        let call =
            InnerCall { tool, arguments, reply_bytes, due, may: May::Everything, pictures: Pictures::Named };
        let gateway = self.gateway.clone();
        Box::pin(async move {
            let answer = gateway.call(call, cancel).await;
            match answer.ended {
                Ended::Done => Ok(Reply::Text(answer.words)),
                Ended::Failed | Ended::Refused | Ended::GivenUp | Ended::Skipped => Err(answer.words),
            }
        })
    }

    fn ask(&self, mut said: impl Iterator<Item = String>, cancel: CancellationToken) -> AnswerFuture {
        let agents = match &self.agents {
            Ok(agents) => agents.clone(),
            Err(failure) => return failed(words(failure)),
        };
        let instruction = said.next().unwrap_or_default();
        let (data, schema) = (said.next().unwrap_or_default(), said.next());
        let session = self.session.clone();
        Box::pin(async move {
            let answer = agents.ask(Prompt { instruction, data, schema }, &session, cancel).await;
            answer.map(Reply::Text).map_err(|failure| words(&failure))
        })
    }

    /// Reads or writes a value that the session keeps.
    fn keep(&self, asked: &HostCall) -> Result<Reply, String> {
        let given = |at: usize| asked.arguments.get(at).map_or("", String::as_str);
        let store = self.session.state::<Store>();
        match asked.name.as_str() {
            "set" => store.set(given(0), given(1)).map(|()| Reply::Nothing),
            "get" => Ok(store.get(given(0)).map_or(Reply::Nothing, Reply::Json)),
            "append" => store.append(given(0), given(1)).map(|()| Reply::Nothing),
            _ => Ok(Reply::Text(store.keys().join("\n"))),
        }
    }
}

impl Host for Caller {
    fn answer(&self, asked: HostCall, cancel: CancellationToken) -> AnswerFuture {
        let mut said = asked.arguments.clone().into_iter();
        match asked.name.as_str() {
            "tool" => self.call(said.next().unwrap_or_default(), said.next().unwrap_or_default(), cancel),
            "model" => self.ask(said, cancel),
            _ => {
                let kept = self.keep(&asked);
                Box::pin(async move { kept })
            }
        }
    }
}

fn failed(words: String) -> AnswerFuture {
    Box::pin(async move { Err(words) })
}

/// Formats a failure for a script, with the hints that need no tool.
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
