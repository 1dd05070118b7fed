//! Approval prompts for the client's user (elicitation).

use crate::wire::OpenRequests;
use rmcp::{
    model::{
        ClientCapabilities, ClientResult, ConstTitle, ElicitRequest, ElicitRequestParams, ElicitResult,
        ElicitationAction, ElicitationSchema, EnumSchema, InputRequest, PrimitiveSchemaDefinition, RequestId,
        ServerRequest, SingleSelectEnumSchema, TitledSingleSelectEnumSchema,
    },
    service::{Peer, PeerRequestOptions, RoleServer},
};
use std::{sync::Arc, time::Duration};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use toolpost_runtime::{Asker, Question, Span, Verdict, VerdictFuture};

/// The field of the approval form, and two of its values; the other values are the longer scopes of an approval
/// (`Span`).
const DECISION: &str = "decision";
const ONCE: &str = "once";
const DENY: &str = "deny";
/// The time that a user has to answer an approval prompt.
const TIME: Duration = Duration::from_secs(10 * 60);
/// Maximum number of questions that a user may be asked at the same time.
pub(super) const AT_ONCE: usize = 16;

/// Returns true if a client can show its user a question.
pub(super) fn can_ask(client: &ClientCapabilities) -> bool {
    // A client that lists no elicitation mode supports forms.
    client.elicitation.as_ref().is_some_and(|ways| ways.form.is_some() || ways.url.is_none())
}

/// Formats a question as a form with one field.
pub(super) fn form(question: &Question) -> InputRequest {
    InputRequest::Elicitation(request(question))
}

/// Parses the user's answer to an approval question, which arrived with the repeated call.
pub(super) fn verdict(answer: &serde_json::Value) -> Verdict {
    match serde_json::from_value::<ElicitResult>(answer.clone()) {
        Ok(answer) => judge(&answer),
        Err(_) => Verdict::Deny("The client's answer to the prompt could not be read.".to_owned()),
    }
}

/// Prompts the client's user over the connection, while the call waits.
pub(super) struct Client {
    /// The connection to the client.
    pub(super) peer: Peer<RoleServer>,
    /// The id of the call that asks.
    pub(super) id: RequestId,
    /// The open requests. The call is one of them, and does not count as running while it waits for the user.
    pub(super) open: Arc<OpenRequests>,
    /// Cancelled when the call is no longer needed.
    pub(super) cancel: CancellationToken,
    /// Limits the number of prompts that are open at the same time.
    pub(super) room: Arc<Semaphore>,
}

impl Asker for Client {
    fn ask<'a>(&'a self, question: &'a Question) -> VerdictFuture<'a> {
        Box::pin(self.put(question))
    }
}

impl Client {
    async fn put(&self, question: &Question) -> Verdict {
        let Ok(_room) = self.room.try_acquire() else {
            return Verdict::Deny(format!(
                "The user already has {AT_ONCE} unanswered prompts. Make the call again later."
            ));
        };
        self.open.step_aside(&self.id);
        let asking = ServerRequest::ElicitRequest(request(question));
        let asked = self.peer.send_request_with_option(asking, PeerRequestOptions::no_options()).await;
        let Ok(mut asked) = asked else { return unanswered() };
        let answer = tokio::select! {
            answer = &mut asked.rx => Some(answer),
            () = self.cancel.cancelled() => None,
            () = tokio::time::sleep(TIME) => None,
        };
        match answer {
            Some(Ok(Ok(ClientResult::ElicitResult(answer)))) => judge(&answer),
            Some(_) => unanswered(),
            None => {
                // If this notification fails, the client has disconnected.
                asked.cancel(Some("the call has ended".to_owned())).await.ok();
                unanswered()
            }
        }
    }
}

/// The user's answer to an approval question, which arrived with the repeated call. It counts only if the call asks
/// the same question again.
pub(super) struct CallAnswer {
    /// The question that the user answered.
    pub(super) question: Question,
    /// The user's answer.
    pub(super) verdict: Verdict,
}

impl Asker for CallAnswer {
    fn ask<'a>(&'a self, question: &'a Question) -> VerdictFuture<'a> {
        let verdict = if *question == self.question { self.verdict.clone() } else { Verdict::Later };
        Box::pin(std::future::ready(verdict))
    }
}

fn request(question: &Question) -> ElicitRequest {
    let field = PrimitiveSchemaDefinition::Enum(choices(question));
    let schema = ElicitationSchema::new(std::collections::BTreeMap::from([(DECISION.to_owned(), field)]));
    ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.words(),
        requested_schema: schema,
    })
}

/// Returns the one field of the form. Its default is "once" and it is not required, so accepting the form
/// unchanged allows the call once.
fn choices(question: &Question) -> EnumSchema {
    let longer = question.spans.iter().map(|span| ConstTitle::new(span.word(), question.choice(*span)));
    let choices = [ConstTitle::new(ONCE, "Allow once")].into_iter().chain(longer);
    let choices = choices.chain([ConstTitle::new(DENY, "Deny")]).collect();
    let mut schema = TitledSingleSelectEnumSchema::new(choices);
    schema.title = Some("Decision".into());
    schema.default = Some(ONCE.to_owned());
    EnumSchema::Single(SingleSelectEnumSchema::Titled(schema))
}

/// Converts the client's answer to a verdict. A form that was accepted without a choice allows the call once; an
/// answer that does not match the form denies it.
fn judge(answer: &ElicitResult) -> Verdict {
    // A client without a user declines or closes prompts itself.
    let no = || Verdict::Declined("The user, or the client for the user, declined it.".to_owned());
    match answer.action {
        ElicitationAction::Accept => {}
        ElicitationAction::Decline => return no(),
        _ => return Verdict::Declined("The client closed the prompt without an answer.".to_owned()),
    }
    let content = answer.content.as_ref();
    let fields = content.and_then(|content| content.as_object());
    let choice = fields.and_then(|fields| fields.get(DECISION));
    let unset = choice.is_some_and(serde_json::Value::is_null);
    match (choice, choice.and_then(|choice| choice.as_str())) {
        (None, _) if content.is_none_or(serde_json::Value::is_null) => Verdict::Allow,
        (None, _) if fields.is_some_and(serde_json::Map::is_empty) => Verdict::Allow,
        _ if unset => Verdict::Allow,
        (_, Some(ONCE)) => Verdict::Allow,
        (_, Some(DENY)) => no(),
        (_, Some(word)) if word == Span::Session.word() => Verdict::AllowFor(Span::Session),
        (_, Some(word)) if word == Span::Always.word() => Verdict::AllowFor(Span::Always),
        _ => Verdict::Deny("The client's answer to the prompt does not match the form's schema.".to_owned()),
    }
}

fn unanswered() -> Verdict {
    Verdict::Deny("The client did not answer the prompt.".to_owned())
}
