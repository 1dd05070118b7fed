//! Models of all providers, through the `genai` crate; no other file imports it.

use super::{
    AnswerPart, CallRequest, CallStatus, Completion, Message, Model, ModelEndpoint, ModelError,
    ModelErrorKind, ModelFuture, ModelMessage, Picture, Pieces, Provider, Question, Stop, ToolResult, Usage,
};
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

/// Placeholder key for services that need no key but expect a value.
const NO_KEY: &str = "none";

/// A model of a provider.
pub struct GenaiModel {
    client: Client,
    place: ModelEndpoint,
    name: String,
}

impl GenaiModel {
    /// Creates a model at an endpoint, with the HTTP client of `toolpost-net`.
    ///
    /// # Errors
    /// `Unreachable` if no client can be created.
    pub fn new(place: ModelEndpoint, name: &str, http: reqwest::Client) -> Result<Self, ModelError> {
        let client = Client::builder().with_reqwest(http).build();
        let client =
            client.map_err(|error| ModelError::new(ModelErrorKind::Unreachable, &error.to_string()))?;
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

impl Model for GenaiModel {
    fn begin(&self, question: &Question) -> Result<Box<dyn Pieces>, ModelError> {
        let request = request(question, self.place.provider);
        Ok(Box::new(GenaiStream {
            client: self.client.clone(),
            asked: Some((self.target(), request, self.options(question))),
            stream: None,
            key: self.place.key().map(str::to_owned),
            provider: self.place.provider,
        }))
    }
}

/// Stream of the pieces of a model's answer.
struct GenaiStream {
    client: Client,
    asked: Option<(ServiceTarget, ChatRequest, ChatOptions)>,
    stream: Option<ChatStream>,
    key: Option<String>,
    provider: Provider,
}

impl GenaiStream {
    async fn piece(&mut self) -> Result<AnswerPart, ModelError> {
        if let Some((target, request, options)) = self.asked.take() {
            let response = self.client.exec_chat_stream(target, request, Some(&options)).await;
            self.stream = Some(response.map_err(|error| fault(&error))?.stream);
        }
        let Some(stream) = &mut self.stream else { return Err(broken()) };
        match stream.next().await {
            // For this provider, the library also reports a normal end if the stream was cut off; only the stop
            // reason is missing then.
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

impl Pieces for GenaiStream {
    fn next(&mut self) -> ModelFuture<'_, Result<AnswerPart, ModelError>> {
        Box::pin(async move {
            let piece = self.piece().await;
            if !matches!(&piece, Ok(piece) if !matches!(piece, AnswerPart::End(_))) {
                self.stream = None;
            }
            piece.map_err(|fault| fault.without(self.key.as_deref()))
        })
    }
}

fn broken() -> ModelError {
    ModelError::new(ModelErrorKind::Broken, "The model's answer ended early, or was not an event stream")
}

fn request(question: &Question, provider: Provider) -> ChatRequest {
    let mut asked: Vec<ChatMessage> =
        question.messages.iter().flat_map(|message| messages(message, provider)).collect();
    if !question.system.is_empty() {
        asked.insert(0, ChatMessage::system(question.system.clone()));
    }
    // The other providers cache prompts automatically.
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
    // The provider must not store the conversation; the transcript does.
    request.with_store(false)
}

/// Sets the cache breakpoints: after the system prompt, and after the last two messages of the user or with tool
/// results.
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
            let seen: Vec<ToolResult> = results.iter().map(|result| taken(result, provider)).collect();
            let words = ContentPart::Text(replies(&seen));
            let parts: Vec<ContentPart> =
                std::iter::once(words).chain(seen.iter().flat_map(pictures)).collect();
            vec![ChatMessage::user(MessageContent::from_parts(parts))]
        }
    }
}

/// Converts the results of tool calls to messages, with the images if the provider's format allows them.
fn replied(results: &[ToolResult], provider: Provider) -> Vec<ChatMessage> {
    let seen: Vec<ToolResult> = results.iter().map(|result| taken(result, provider)).collect();
    let pictures: Vec<ContentPart> = seen.iter().flat_map(pictures).collect();
    let responses: Vec<ToolResponse> = seen.iter().map(result).collect();
    let mut messages = match provider {
        // In this format, a result contains its images and an error flag.
        Provider::Anthropic => {
            let parts: Vec<ContentPart> = seen.iter().map(anthropic_result).collect();
            return vec![ChatMessage::user(MessageContent::from_parts(parts))];
        }
        // Each result gets its own message, because this format sends only the last of several results in one message.
        Provider::Ollama => responses.into_iter().map(|one| ChatMessage::from(vec![one])).collect(),
        Provider::OpenAi | Provider::Responses | Provider::Gemini => {
            vec![ChatMessage::from(responses)]
        }
    };
    // Results are text only in the other formats, so the images follow in a separate message.
    if !pictures.is_empty() {
        messages.push(ChatMessage::user(MessageContent::from_parts(pictures)));
    }
    messages
}

/// Replaces images of types that the provider does not accept with a note.
fn taken(result: &ToolResult, provider: Provider) -> ToolResult {
    let mut result = result.clone();
    let takes = provider.pictures();
    let (kept, left): (Vec<Picture>, Vec<Picture>) =
        result.pictures.into_iter().partition(|picture| takes.contains(&picture.mime.as_str()));
    for picture in left {
        let mime = picture.mime;
        result.words.push_str(&format!(
            "\n[an image is not shown, because this model's service does not accept {mime}]"
        ));
    }
    result.pictures = kept;
    result
}

/// Formats the replies to calls that a model wrote as text.
fn replies(results: &[ToolResult]) -> String {
    let replies = results.iter().map(|result| {
        let went = if result.went == CallStatus::Done { "done" } else { "failed" };
        format!("<reply tool=\"{}\" went=\"{went}\">\n{}\n</reply>", result.tool, result.words.trim_end())
    });
    replies.collect::<Vec<_>>().join("\n")
}

/// Returns the images of a result, after a text that names the tool and the call; empty if there are no images.
fn pictures(result: &ToolResult) -> Vec<ContentPart> {
    if result.pictures.is_empty() {
        return Vec::new();
    }
    let said = format!("[Images in the reply of {} (call {}):]", result.tool, result.id);
    let pictures = result.pictures.iter().map(|picture| {
        ContentPart::Binary(Binary::from_base64(picture.mime.clone(), picture.data.clone(), None))
    });
    std::iter::once(ContentPart::Text(said)).chain(pictures).collect()
}

/// Converts a result for Anthropic, with its images and error flag.
fn anthropic_result(result: &ToolResult) -> ContentPart {
    let words = json!({ "type": "text", "text": result.words });
    let pictures = result.pictures.iter().map(|picture| {
        let source = json!({ "type": "base64", "media_type": picture.mime, "data": &*picture.data });
        json!({ "type": "image", "source": source })
    });
    let content: Vec<Value> = std::iter::once(words).chain(pictures).collect();
    let mut part = json!({ "type": "tool_result", "tool_use_id": result.id, "content": content });
    if result.went == CallStatus::Failed {
        part["is_error"] = json!(true);
    }
    ContentPart::from_custom(part, None)
}

fn result(result: &ToolResult) -> ToolResponse {
    ToolResponse::new(result.id.clone(), result.words.clone()).with_fn_name(result.tool.clone())
}

/// Converts a model's message, with its parts in the order that providers expect.
fn parts(said: &ModelMessage) -> Vec<ContentPart> {
    let thoughts = said.thoughts.iter().filter_map(|thought| serde_json::from_value(thought.clone()).ok());
    let mut parts: Vec<ContentPart> = thoughts.collect();
    if !said.text.is_empty() {
        parts.push(ContentPart::Text(said.text.clone()));
    }
    parts.extend(said.calls.iter().map(|call| ContentPart::ToolCall(sent(call))));
    parts
}

/// Converts a call. Arguments that are not an object are replaced by an empty one, because no provider
/// accepts them.
fn sent(call: &CallRequest) -> ToolCall {
    let arguments = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
    ToolCall {
        call_id: call.id.clone(),
        fn_name: call.tool.clone(),
        fn_arguments: arguments.unwrap_or_else(|| json!({})),
        thought_signatures: (!call.marks.is_empty()).then(|| call.marks.clone()),
    }
}

fn piece(event: ChatStreamEvent) -> AnswerPart {
    match event {
        ChatStreamEvent::Start | ChatStreamEvent::Heartbeat => AnswerPart::Alive,
        ChatStreamEvent::Chunk(chunk) => AnswerPart::Words(chunk.content),
        ChatStreamEvent::ReasoningChunk(chunk) => AnswerPart::Thought(chunk.content),
        ChatStreamEvent::ThoughtSignatureChunk(_) => AnswerPart::Thought(String::new()),
        ChatStreamEvent::ToolCallChunk(chunk) => {
            let ToolCall { fn_name: tool, fn_arguments, .. } = chunk.tool_call;
            AnswerPart::Calling { tool, bytes: fn_arguments.as_str().map_or(0, str::len) }
        }
        ChatStreamEvent::End(end) => AnswerPart::End(Box::new(whole(end))),
    }
}

fn whole(end: StreamEnd) -> Completion {
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
    let mut said = ModelMessage::default();
    for part in end.captured_content.into_iter().flat_map(MessageContent::into_parts) {
        match part {
            ContentPart::Text(text) => said.text.push_str(&text),
            ContentPart::ToolCall(call) => said.calls.push(call_request(call)),
            other => said.thoughts.extend(serde_json::to_value(other).ok()),
        }
    }
    Completion { message: said, stop, usage }
}

/// Converts a received call; arguments that are not JSON stay text.
fn call_request(call: ToolCall) -> CallRequest {
    let arguments = match call.fn_arguments {
        Value::String(text) => text,
        Value::Null => "{}".to_owned(),
        other => other.to_string(),
    };
    CallRequest {
        id: call.call_id,
        tool: call.fn_name,
        arguments,
        marks: call.thought_signatures.unwrap_or_default(),
    }
}

fn fault(error: &genai::Error) -> ModelError {
    match error {
        genai::Error::HttpError { status, body, headers, .. } => {
            let mut fault = ModelError::of_status(status.as_u16(), &error_message(body));
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
            ModelError::told(kind, text("message").unwrap_or(&body.to_string()))
        }
        genai::Error::StreamParse { serde_error, .. } => {
            ModelError::new(ModelErrorKind::Shape, &format!("The model's answer is invalid: {serde_error}"))
        }
        other => ModelError::new(ModelErrorKind::Question, &format!("The model cannot be used: {other}")),
    }
}

/// Returns the error for a connection that was never made, or for one that broke.
fn unreached(error: &(dyn std::error::Error + 'static), cause: &str) -> ModelError {
    let http = error.downcast_ref::<reqwest::Error>();
    // The innermost error is that of the operating system.
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    let why = if http.is_some() { inner.to_string() } else { cause.to_owned() };
    match http {
        Some(http) if http.is_connect() || http.is_request() => ModelError::new(
            ModelErrorKind::Unreachable,
            &format!("The model's provider cannot be reached: {why}"),
        ),
        _ => ModelError::new(ModelErrorKind::Broken, &format!("The model's answer was interrupted: {why}")),
    }
}

/// Extracts the message of an error response.
fn error_message(body: &str) -> String {
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
