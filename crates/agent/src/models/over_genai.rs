//! All providers, by the crate `genai`; no other file names it.

use super::{
    Answered, Asked, Coming, Fault, FaultKind, Message, Model, Picture, Piece, Pieces, Place, Provider,
    Question, Said, Stop, Usage, Went, Whole,
};
use crate::words;
use futures_util::StreamExt;
use genai::adapter::AdapterKind;
use genai::chat::{
    Binary, CacheControl, ChatMessage, ChatOptions, ChatRequest, ChatRole, ChatStream, ChatStreamEvent,
    ContentPart, MessageContent, StopReason, StreamEnd, Tool, ToolCall, ToolResponse,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};
use serde_json::{Value, json};
use std::time::Duration;

/// What is sent where a service wants no key, and the form has a place for one.
const NO_KEY: &str = "none";

/// A model of one of the providers.
pub struct OverGenai {
    client: Client,
    place: Place,
    name: String,
}

impl OverGenai {
    /// Names a model at a place, asked through a client of the door to the network.
    ///
    /// # Errors
    /// `Unreachable` when no client can be made.
    pub fn new(place: Place, name: &str, http: reqwest::Client) -> Result<Self, Fault> {
        let client = Client::builder().with_reqwest(http).build();
        let client = client.map_err(|error| Fault::new(FaultKind::Unreachable, &error.to_string()))?;
        Ok(Self { client, place, name: name.to_owned() })
    }

    fn target(&self) -> ServiceTarget {
        let kind = match self.place.provider {
            Provider::OpenAi => AdapterKind::OpenAI,
            Provider::Responses => AdapterKind::OpenAIResp,
            Provider::Anthropic => AdapterKind::Anthropic,
            Provider::Gemini => AdapterKind::Gemini,
            Provider::Ollama => AdapterKind::Ollama,
        };
        ServiceTarget {
            endpoint: Endpoint::from_owned(self.place.url()),
            auth: AuthData::from_single(self.place.key().unwrap_or(NO_KEY)),
            model: ModelIden::new(kind, self.name.clone()),
        }
    }

    fn options(&self, question: &Question) -> ChatOptions {
        let options = ChatOptions::default()
            .with_capture_usage(true)
            .with_capture_content(true)
            .with_capture_tool_calls(true)
            .with_capture_reasoning_content(true);
        match question.most_tokens {
            Some(most) => options.with_max_tokens(most),
            None => options,
        }
    }
}

impl Model for OverGenai {
    fn begin(&self, question: &Question) -> Result<Box<dyn Pieces>, Fault> {
        let request = request(question, self.place.provider);
        Ok(Box::new(Giving {
            client: self.client.clone(),
            asked: Some((self.target(), request, self.options(question))),
            stream: None,
            key: self.place.key().map(str::to_owned),
            provider: self.place.provider,
        }))
    }
}

/// An answer that is being given.
struct Giving {
    client: Client,
    asked: Option<(ServiceTarget, ChatRequest, ChatOptions)>,
    stream: Option<ChatStream>,
    key: Option<String>,
    provider: Provider,
}

impl Giving {
    async fn piece(&mut self) -> Result<Piece, Fault> {
        if let Some((target, request, options)) = self.asked.take() {
            let response = self.client.exec_chat_stream(target, request, Some(&options)).await;
            self.stream = Some(response.map_err(|error| fault(&error))?.stream);
        }
        let Some(stream) = &mut self.stream else { return Err(broken()) };
        match stream.next().await {
            // In this form the library makes an end of a stream that was cut off.
            Some(Ok(ChatStreamEvent::End(end)))
                if self.provider == Provider::Responses && end.captured_stop_reason.is_none() =>
            {
                Err(broken())
            }
            Some(Ok(event)) => Ok(piece(event)),
            Some(Err(error)) => Err(fault(&error)),
            None => Err(broken()),
        }
    }
}

impl Pieces for Giving {
    fn next(&mut self) -> Coming<'_, Result<Piece, Fault>> {
        Box::pin(async move {
            let piece = self.piece().await;
            if !matches!(&piece, Ok(piece) if !matches!(piece, Piece::End(_))) {
                self.stream = None;
            }
            piece.map_err(|fault| fault.without(self.key.as_deref()))
        })
    }
}

fn broken() -> Fault {
    Fault::new(
        FaultKind::Broken,
        "The answer of the model ended before it was whole, or was no stream of events",
    )
}

fn request(question: &Question, provider: Provider) -> ChatRequest {
    let mut asked: Vec<ChatMessage> =
        question.messages.iter().flat_map(|message| messages(message, provider)).collect();
    if !question.system.is_empty() {
        asked.insert(0, ChatMessage::system(question.system.clone()));
    }
    // The other providers cache what was asked before on their own.
    if provider == Provider::Anthropic {
        mark_for_cache(&mut asked);
    }
    let mut request = ChatRequest::from_messages(asked);
    if !question.tools.is_empty() {
        request = request.with_tools(question.tools.iter().map(|tool| {
            Tool::new(tool.name.clone())
                .with_description(tool.description.clone())
                .with_schema(tool.schema.clone())
        }));
    }
    // The providers keep nothing: the transcript does.
    request.with_store(false)
}

/// Marks the places up to which a conversation is cached: the system, where the next question goes on, and where this one does.
fn mark_for_cache(messages: &mut [ChatMessage]) {
    let asked =
        messages.iter_mut().rev().filter(|message| matches!(message.role, ChatRole::User | ChatRole::Tool));
    for message in asked.take(2) {
        message.options = Some(CacheControl::Ephemeral.into());
    }
    for system in messages.iter_mut().filter(|message| message.role == ChatRole::System) {
        system.options = Some(CacheControl::Ephemeral.into());
    }
}

fn messages(message: &Message, provider: Provider) -> Vec<ChatMessage> {
    match message {
        Message::User { text } => vec![ChatMessage::user(text.clone())],
        Message::Model(said) => vec![ChatMessage::assistant(MessageContent::from_parts(parts(said)))],
        Message::Results { results } => replied(results, provider),
        Message::Replies { results } => {
            let seen: Vec<Answered> = results.iter().map(|result| taken(result, provider)).collect();
            let words = ContentPart::Text(words::replies(&seen));
            let parts: Vec<ContentPart> =
                std::iter::once(words).chain(seen.iter().flat_map(pictures)).collect();
            vec![ChatMessage::user(MessageContent::from_parts(parts))]
        }
    }
}

/// Gives the results of calls, with their pictures where each form has a place for them.
fn replied(results: &[Answered], provider: Provider) -> Vec<ChatMessage> {
    let seen: Vec<Answered> = results.iter().map(|result| taken(result, provider)).collect();
    let pictures: Vec<ContentPart> = seen.iter().flat_map(pictures).collect();
    let responses: Vec<ToolResponse> = seen.iter().map(result).collect();
    let mut messages = match provider {
        // A result holds its own pictures, and says whether it is an error.
        Provider::Anthropic => {
            let parts: Vec<ContentPart> = seen.iter().map(anthropic_result).collect();
            return vec![ChatMessage::user(MessageContent::from_parts(parts))];
        }
        // Of several results in one message, this form sends the last one alone.
        Provider::Ollama => responses.into_iter().map(|one| ChatMessage::from(vec![one])).collect(),
        Provider::OpenAi | Provider::Responses | Provider::Gemini => {
            vec![ChatMessage::from(responses)]
        }
    };
    // A result has words alone in the other forms, so its pictures come behind it.
    if !pictures.is_empty() {
        messages.push(ChatMessage::user(MessageContent::from_parts(pictures)));
    }
    messages
}

/// Leaves out the pictures that a provider takes in no form, and says so.
fn taken(result: &Answered, provider: Provider) -> Answered {
    let mut result = result.clone();
    let takes = provider.pictures();
    let (kept, left): (Vec<Picture>, Vec<Picture>) =
        result.pictures.into_iter().partition(|picture| takes.contains(&picture.mime.as_str()));
    for picture in left {
        let mime = picture.mime;
        result.words.push_str(&format!("\n[a picture is not shown: this model's service takes no {mime}]"));
    }
    result.pictures = kept;
    result
}

/// Gives the pictures of a result, behind the words that say whose they are.
fn pictures(result: &Answered) -> Vec<ContentPart> {
    if result.pictures.is_empty() {
        return Vec::new();
    }
    let said = format!("[The pictures of the reply of {}, call {}:]", result.tool, result.id);
    let pictures = result.pictures.iter().map(|picture| {
        ContentPart::Binary(Binary::from_base64(picture.mime.clone(), picture.data.clone(), None))
    });
    std::iter::once(ContentPart::Text(said)).chain(pictures).collect()
}

/// Returns a result in the form of Anthropic, with its pictures; a failed call is an error there.
fn anthropic_result(result: &Answered) -> ContentPart {
    let words = json!({ "type": "text", "text": result.words });
    let pictures = result.pictures.iter().map(|picture| {
        let source = json!({ "type": "base64", "media_type": picture.mime, "data": &*picture.data });
        json!({ "type": "image", "source": source })
    });
    let content: Vec<Value> = std::iter::once(words).chain(pictures).collect();
    let mut part = json!({ "type": "tool_result", "tool_use_id": result.id, "content": content });
    if result.went == Went::Failed {
        part["is_error"] = json!(true);
    }
    ContentPart::from_custom(part, None)
}

fn result(result: &Answered) -> ToolResponse {
    ToolResponse::new(result.id.clone(), result.words.clone()).with_fn_name(result.tool.clone())
}

/// Gives what a model said, in the order in which the providers want it back.
fn parts(said: &Said) -> Vec<ContentPart> {
    let thoughts = said.thoughts.iter().filter_map(|thought| serde_json::from_value(thought.clone()).ok());
    let mut parts: Vec<ContentPart> = thoughts.collect();
    if !said.text.is_empty() {
        parts.push(ContentPart::Text(said.text.clone()));
    }
    parts.extend(said.calls.iter().map(|call| ContentPart::ToolCall(sent(call))));
    parts
}

/// Gives a call as it is sent back: arguments that are no object went to nobody, and no provider takes them.
fn sent(call: &Asked) -> ToolCall {
    let arguments = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
    ToolCall {
        call_id: call.id.clone(),
        fn_name: call.tool.clone(),
        fn_arguments: arguments.unwrap_or_else(|| json!({})),
        thought_signatures: (!call.marks.is_empty()).then(|| call.marks.clone()),
    }
}

fn piece(event: ChatStreamEvent) -> Piece {
    match event {
        ChatStreamEvent::Start | ChatStreamEvent::Heartbeat => Piece::Alive,
        ChatStreamEvent::Chunk(chunk) => Piece::Words(chunk.content),
        ChatStreamEvent::ReasoningChunk(chunk) => Piece::Thought(chunk.content),
        ChatStreamEvent::ThoughtSignatureChunk(_) => Piece::Thought(String::new()),
        ChatStreamEvent::ToolCallChunk(chunk) => {
            let ToolCall { fn_name: tool, fn_arguments, .. } = chunk.tool_call;
            Piece::Calling { tool, bytes: fn_arguments.as_str().map_or(0, str::len) }
        }
        ChatStreamEvent::End(end) => Piece::End(Box::new(whole(end))),
    }
}

fn whole(end: StreamEnd) -> Whole {
    let usage = end.captured_usage.map(|usage| {
        let number = |number: Option<i32>| u64::try_from(number.unwrap_or(0)).unwrap_or(0);
        let cached = usage.prompt_tokens_details.and_then(|details| details.cached_tokens);
        Usage {
            asked: number(usage.prompt_tokens),
            said: number(usage.completion_tokens),
            cached: number(cached),
        }
    });
    let stop = match end.captured_stop_reason {
        None | Some(StopReason::Completed(_) | StopReason::ToolCall(_) | StopReason::StopSequence(_)) => {
            Stop::End
        }
        Some(StopReason::MaxTokens(_)) => Stop::Length,
        Some(StopReason::ContentFilter(_)) => Stop::Filtered,
        Some(StopReason::Other(word)) => Stop::Other(word),
    };
    let mut said = Said::default();
    for part in end.captured_content.into_iter().flat_map(MessageContent::into_parts) {
        match part {
            ContentPart::Text(text) => said.text.push_str(&text),
            ContentPart::ToolCall(call) => said.calls.push(heard(call)),
            other => said.thoughts.extend(serde_json::to_value(other).ok()),
        }
    }
    Whole { said, stop, usage }
}

/// Takes a call as it was written: text that is no JSON stays as it is.
fn heard(call: ToolCall) -> Asked {
    let arguments = match call.fn_arguments {
        Value::String(text) => text,
        Value::Null => "{}".to_owned(),
        other => other.to_string(),
    };
    Asked {
        id: call.call_id,
        tool: call.fn_name,
        arguments,
        marks: call.thought_signatures.unwrap_or_default(),
    }
}

fn fault(error: &genai::Error) -> Fault {
    match error {
        genai::Error::HttpError { status, body, headers, .. } => {
            let mut fault = Fault::of_status(status.as_u16(), &told(body));
            fault.retry_after = retry_after(headers);
            fault
        }
        genai::Error::WebStream { error, cause, .. } => match error.downcast_ref::<genai::Error>() {
            Some(error) => fault(error),
            None => unreached(error.as_ref(), cause),
        },
        genai::Error::ChatResponse { body, .. } => {
            let inner = body.get("error").unwrap_or(body);
            let text = |key: &str| inner.get(key).and_then(Value::as_str);
            let kind =
                text("code").or_else(|| text("type")).filter(|kind| *kind != "error").unwrap_or("an error");
            Fault::told(kind, text("message").unwrap_or(&body.to_string()))
        }
        genai::Error::StreamParse { serde_error, .. } => Fault::new(
            FaultKind::Shape,
            &format!("The answer of the model cannot be understood: {serde_error}"),
        ),
        other => Fault::new(FaultKind::Question, &format!("The model cannot be asked: {other}")),
    }
}

/// Tells a connection that was never made from one that broke.
fn unreached(error: &(dyn std::error::Error + 'static), cause: &str) -> Fault {
    let http = error.downcast_ref::<reqwest::Error>();
    // The innermost error says what the system said.
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    let why = if http.is_some() { inner.to_string() } else { cause.to_owned() };
    match http {
        Some(http) if http.is_connect() || http.is_request() => {
            Fault::new(FaultKind::Unreachable, &format!("The model's provider cannot be reached: {why}"))
        }
        _ => Fault::new(FaultKind::Broken, &format!("The answer of the model broke off: {why}")),
    }
}

/// Gives the sentence of a provider's refusal.
fn told(body: &str) -> String {
    let data: Option<Value> = serde_json::from_str(body).ok();
    let message = data.as_ref().and_then(|data| {
        let error = data.get("error").or_else(|| data.get(0)?.get("error"))?;
        error.get("message").and_then(Value::as_str).or_else(|| error.as_str())
    });
    message.unwrap_or(body).to_owned()
}

fn retry_after(headers: &reqwest::header::HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|milliseconds| milliseconds / 1000.0);
    Duration::try_from_secs_f64(seconds.or_else(|| number("retry-after"))?).ok()
}
