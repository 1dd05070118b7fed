//! Tool calls of a client, from arrival to answer.

use super::{
    approvals::Approvals,
    ask::{self, CallAnswer, Client},
    era::Era,
    progress,
};
use crate::wire::{CallTurn, OpenRequests};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use rmcp::{
    ErrorData,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InputRequests,
        InputRequiredResult,
    },
    service::{RequestContext, RoleServer},
};
use serde_json::Value;
use std::{future::poll_fn, pin::pin, sync::Arc, task::Poll};
use tokio::sync::Semaphore;
use toolpost_engine::Session;
use toolpost_runtime::{Asker, Call, Outcome, Question, Runtime, ToolReply, Verdict};
use toolpost_tool::ReplyPart;

/// The name of the approval question, the only one that a call can have.
const APPROVAL: &str = "approval";

/// The state that all calls of a client share.
pub(super) struct Calls {
    pub(super) runtime: Arc<Runtime>,
    pub(super) session: Arc<Session>,
    pub(super) open: Arc<OpenRequests>,
    /// The source of approvals if the client cannot prompt its user.
    pub(super) asker: Arc<dyn Asker>,
    pub(super) approvals: Approvals,
    /// Limits the number of approval prompts that are open at the same time.
    pub(super) questions: Arc<Semaphore>,
}

/// The way to prompt the client's user.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PromptChannel {
    /// The server sends the client a request, while the call waits for the answer.
    During,
    /// The server answers the call with the question, and the client repeats the call with the user's answer.
    Again,
    /// The client cannot prompt.
    None,
}

impl Calls {
    /// Runs a call and answers it.
    pub(super) async fn make(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let turn = self.open.turn(&context.id);
        let tool = request.name.into_owned();
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let way = way(&context);
        let answer = request.input_responses.as_ref().and_then(|answers| answers.get(APPROVAL));
        let asker = match request.request_state {
            Some(sealed) => self.answered(&sealed, &tool, &arguments, answer)?,
            None => self.asker(way, &context),
        };
        let (progress, reports) = progress::reports(context.meta.get_progress_token(), &context.peer);
        let call = Call {
            tool: tool.clone(),
            arguments: arguments.clone(),
            session: Arc::clone(&self.session),
            cancel: context.ct.clone(),
            asker,
            progress,
        };
        let going = in_turn(self.runtime.call(call), turn);
        let outcome = match reports {
            Some(reports) => reports.during(going).await,
            None => going.await,
        };
        match outcome {
            Outcome::Done(answer) => Ok(done(answer).into()),
            Outcome::Failed(_, answer) => Ok(failed(answer).into()),
            Outcome::NoSuchTool(answer) => Err(ErrorData::invalid_params(answer.words(), None)),
            Outcome::Ask(question) if way == PromptChannel::Again => self.ask(&tool, &arguments, &question),
            Outcome::Ask(question) => Ok(failed(nobody(&question)).into()),
        }
    }

    fn asker(&self, way: PromptChannel, context: &RequestContext<RoleServer>) -> Arc<dyn Asker> {
        match way {
            PromptChannel::During => Arc::new(Client {
                peer: context.peer.clone(),
                id: context.id.clone(),
                open: Arc::clone(&self.open),
                cancel: context.ct.clone(),
                room: Arc::clone(&self.questions),
            }),
            PromptChannel::Again => Arc::new(Verdict::Later),
            PromptChannel::None => Arc::clone(&self.asker),
        }
    }

    /// Decrypts the earlier question about this call. If the client sent no answer to it, the question is asked
    /// again.
    fn answered(
        &self,
        sealed: &str,
        tool: &str,
        arguments: &Value,
        answer: Option<&Value>,
    ) -> Result<Arc<dyn Asker>, ErrorData> {
        let opened = self.approvals.open(sealed, self.session.id(), tool, arguments);
        let question = opened.map_err(|refused| {
            let why = refused.words();
            let said = format!(
                "The `requestState` {why}. Make the call again without `requestState` to get a new prompt."
            );
            ErrorData::invalid_params(said, None)
        })?;
        let verdict = answer.map_or(Verdict::Later, ask::verdict);
        Ok(Arc::new(CallAnswer { question, verdict }))
    }

    fn ask(&self, tool: &str, arguments: &Value, question: &Question) -> Result<CallToolResponse, ErrorData> {
        let form = InputRequests::from([(APPROVAL.to_owned(), ask::form(question))]);
        let sealed = self.approvals.seal(self.session.id(), tool, arguments, question).map_err(|error| {
            ErrorData::internal_error(
                format!("The system provides no random numbers ({error}), so no approval can be requested."),
                None,
            )
        })?;
        Ok(InputRequiredResult::new(Some(form), Some(sealed)).into())
    }
}

fn way(context: &RequestContext<RoleServer>) -> PromptChannel {
    let Some(client) = context.client_capabilities() else { return PromptChannel::None };
    if !ask::can_ask(&client) {
        return PromptChannel::None;
    }
    match Era::of(context) {
        Era::Legacy => PromptChannel::During,
        Era::Modern => PromptChannel::Again,
    }
}

/// Runs a call. A call with a turn starts after the previous call has started, and then lets the next one start.
async fn in_turn<T>(call: impl Future<Output = T>, turn: Option<CallTurn>) -> T {
    let Some(mut turn) = turn else { return call.await };
    turn.comes().await;
    let mut call = pin!(call);
    let begun = poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await;
    turn.pass();
    match begun {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => call.await,
    }
}

fn nobody(question: &Question) -> ToolReply {
    ToolReply::text(format!(
        "{} needs approval, and this client cannot prompt the user: {} Allow the call in the policy file, \
         or use a client that can prompt.",
        question.tool, question.reason
    ))
}

/// Converts the reply of a call; the reply of a script that stopped is marked as an error.
fn done(mut answer: ToolReply) -> CallToolResult {
    let structured = answer.structured.take();
    let is_error = answer.is_error().then_some(true);
    let mut result = CallToolResult::success(content(answer));
    result.is_error = is_error;
    result.structured_content = structured;
    result
}

/// Converts a failed call; the model reads the reason.
fn failed(answer: ToolReply) -> CallToolResult {
    CallToolResult::error(content(answer))
}

fn content(answer: ToolReply) -> Vec<ContentBlock> {
    let block = |part| match part {
        ReplyPart::Text(text) => ContentBlock::text(text),
        ReplyPart::Image { mime, data } => ContentBlock::image(STANDARD.encode(data), mime),
    };
    answer.parts.into_iter().map(block).collect()
}
