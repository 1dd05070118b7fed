//! Progress reports of an external agent, converted to events and transcript messages.

use super::permissions::in_meta;
use agent_client_protocol::v1::schema::{
    ContentBlock, SessionUpdate, ToolCallContent, ToolCallId, ToolCallStatus, ToolCallUpdate,
};
use std::{
    collections::{HashMap, HashSet},
    time::Instant,
};
use toolpost_agent::{
    AgentEvent, Budget, BudgetLimit, Effect, Transcript, Watch,
    models::{CallRequest, CallStatus, Message, ModelMessage, ToolResult},
};
use toolpost_text::cut;

/// Maximum size of an agent's text in one run, in bytes.
const WORDS: usize = 8 * 1024 * 1024;
/// Maximum size of a recorded reply, in bytes.
const REPLY: usize = 64 * 1024;
/// Maximum length of a tool name, in characters.
const NAME: usize = 80;

/// Progress reports that Toolpost has received from an agent during one prompt.
pub(super) struct ReportLog<'a> {
    watch: &'a Watch,
    transcript: &'a Transcript,
    budget: &'a Budget,
    /// The agent's text since its last tool call.
    text: String,
    /// The agent's last text before a tool call. It is the result if no text follows the last call.
    before: String,
    said: usize,
    open: HashMap<ToolCallId, UnfinishedCall>,
    settled: HashSet<ToolCallId>,
}

/// An unfinished call.
struct UnfinishedCall {
    tool: String,
    arguments: String,
    words: String,
    began: Instant,
    announcement: Announcement,
}

/// State of the event for a call: not sent, or sent. Agents report a call before they know its arguments, so the
/// event is sent when the arguments are known or the call runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Announcement {
    NotYet,
    Yes,
}

/// Reason to stop an agent because of its reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopCause {
    /// The budget is used up.
    Spent(BudgetLimit),
    /// The agent's text is too long.
    TooLong,
}

impl<'a> ReportLog<'a> {
    pub(super) fn new(watch: &'a Watch, transcript: &'a Transcript, budget: &'a Budget) -> Self {
        let (text, before) = (String::new(), String::new());
        let (open, settled) = (HashMap::new(), HashSet::new());
        Self { watch, transcript, budget, text, before, said: 0, open, settled }
    }

    /// Records a progress report of the agent.
    ///
    /// # Errors
    /// If the agent must be stopped; the error is the reason.
    pub(super) fn hear(&mut self, update: SessionUpdate) -> Result<(), StopCause> {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => self.say(&words(&chunk.content)),
            SessionUpdate::ToolCall(call) => self.call(call.into()),
            SessionUpdate::ToolCallUpdate(update) => self.call(update),
            _ => Ok(()),
        }
    }

    /// Returns whether the agent waits for a tool.
    pub(super) fn waits(&self) -> bool {
        !self.open.is_empty()
    }

    /// Returns the tools with unfinished calls.
    pub(super) fn unsettled(&self) -> Vec<String> {
        self.open.values().map(|open| open.tool.clone()).collect()
    }

    /// Records the agent's last text in the transcript, and returns it. If there is none after the last call, returns
    /// the text before that call.
    pub(super) fn end(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        if text.trim().is_empty() {
            return std::mem::take(&mut self.before).trim().to_owned();
        }
        self.transcript
            .message(&Message::Model(ModelMessage { text: text.clone(), ..ModelMessage::default() }));
        text.trim().to_owned()
    }

    fn say(&mut self, words: &str) -> Result<(), StopCause> {
        self.said += words.len();
        if self.said > WORDS {
            return Err(StopCause::TooLong);
        }
        self.text.push_str(words);
        (self.watch)(&AgentEvent::Words(words.to_owned()));
        Ok(())
    }

    fn call(&mut self, update: ToolCallUpdate) -> Result<(), StopCause> {
        let id = update.tool_call_id.clone();
        if self.settled.contains(&id) {
            return Ok(());
        }
        if !self.open.contains_key(&id) {
            self.budget.call().map_err(StopCause::Spent)?;
            self.open.insert(id.clone(), UnfinishedCall::new());
        }
        let status = update.fields.status;
        if let Some(open) = self.open.get_mut(&id) {
            open.take(&update);
        }
        let known = self.open.get(&id).is_some_and(|open| open.arguments.len() > 2);
        if known || status.is_some_and(|status| status != ToolCallStatus::Pending) {
            self.tell(&id);
        }
        if let Some(status @ (ToolCallStatus::Completed | ToolCallStatus::Failed)) = status {
            self.settle(&id, status);
        }
        Ok(())
    }

    fn tell(&mut self, id: &ToolCallId) {
        let Some(open) = self.open.get_mut(id).filter(|open| open.announcement == Announcement::NotYet)
        else {
            return;
        };
        open.announcement = Announcement::Yes;
        let (tool, arguments) = (open.tool.clone(), open.arguments.clone());
        let text = std::mem::take(&mut self.text);
        let call = CallRequest {
            id: id.0.to_string(),
            tool: tool.clone(),
            arguments: arguments.clone(),
            marks: Vec::new(),
        };
        self.transcript.message(&Message::Model(ModelMessage {
            text: text.clone(),
            calls: vec![call],
            thoughts: Vec::new(),
        }));
        if !text.trim().is_empty() {
            self.before = text;
        }
        (self.watch)(&AgentEvent::Call { tool, arguments });
    }

    fn settle(&mut self, id: &ToolCallId, status: ToolCallStatus) {
        let Some(open) = self.open.remove(id) else { return };
        self.settled.insert(id.clone());
        let went = if status == ToolCallStatus::Completed { CallStatus::Done } else { CallStatus::Failed };
        let bytes = open.words.len();
        let limit = cut::Limit { bytes: REPLY, lines: usize::MAX };
        let words = cut::ends(&open.words, limit).map_or_else(|| open.words.clone(), |kept| kept.to_string());
        let why = if went == CallStatus::Failed { words.clone() } else { String::new() };
        let answered =
            ToolResult { id: id.0.to_string(), tool: open.tool.clone(), words, went, pictures: Vec::new() };
        self.transcript.message(&Message::Results { results: vec![answered] });
        let (took, effect) = (open.began.elapsed(), Effect::default());
        (self.watch)(&AgentEvent::Settled { tool: open.tool, went, bytes, took, why, effect });
    }
}

impl UnfinishedCall {
    fn new() -> Self {
        let (arguments, words) = ("{}".to_owned(), String::new());
        Self {
            tool: "call".to_owned(),
            arguments,
            words,
            began: Instant::now(),
            announcement: Announcement::NotYet,
        }
    }

    fn take(&mut self, update: &ToolCallUpdate) {
        let fields = &update.fields;
        let name = fields.name.as_deref().or_else(|| in_meta(update)).or(fields.title.as_deref());
        if let Some(name) = name.filter(|_| self.announcement == Announcement::NotYet) {
            self.tool = cut::line(name.trim(), NAME).0.to_owned();
        }
        if let Some(input) = fields.raw_input.as_ref().filter(|input| !input.is_null()) {
            self.arguments = input.to_string();
        }
        if let Some(content) = &fields.content {
            self.words = content.iter().map(shown).collect::<Vec<_>>().join("\n");
        }
    }
}

fn shown(content: &ToolCallContent) -> String {
    match content {
        ToolCallContent::Content(content) => words(&content.content),
        ToolCallContent::Diff(diff) => format!("[a change to {}]", diff.path.display()),
        _ => String::new(),
    }
}

fn words(content: &ContentBlock) -> String {
    match content {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::ResourceLink(link) => link.uri.clone(),
        ContentBlock::Image(image) => format!("[an image ({}) is not shown here]", image.mime_type),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::sync::{Arc, Mutex};
    use toolpost_agent::Limits;

    fn hear(log: &mut ReportLog<'_>, update: Value) -> Result<(), StopCause> {
        log.hear(serde_json::from_value(update).unwrap())
    }

    fn say(text: &str) -> Value {
        json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})
    }

    #[test]
    fn calls_are_reported_with_arguments_and_settled_once() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let watched = seen.clone();
        let watch: Watch = Arc::new(move |happening| {
            watched.lock().unwrap().push(match happening {
                AgentEvent::Words(words) => words.clone(),
                AgentEvent::Call { tool, arguments } => format!("> {tool} {arguments}"),
                AgentEvent::Settled { tool, went, bytes, .. } => format!("< {tool} {went:?} {bytes}"),
                other => format!("{other:?}"),
            });
        });
        let (budget, transcript) =
            (Budget::new(Limits { calls: Some(2), ..Limits::default() }), Transcript::none());
        let mut log = ReportLog::new(&watch, &transcript, &budget);
        let update = |id: &str, more: Value| {
            let mut update = json!({"sessionUpdate": "tool_call_update", "toolCallId": id});
            update.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            update
        };
        let content = json!([{"type": "content", "content": {"type": "text", "text": "four"}}]);
        hear(&mut log, say("I look.")).unwrap();
        hear(&mut log, json!({"sessionUpdate": "tool_call", "toolCallId": "a", "title": "Read"})).unwrap();
        assert_eq!((log.waits(), seen.lock().unwrap().len()), (true, 1));
        hear(&mut log, update("a", json!({"rawInput": {"path": "x"}}))).unwrap();
        hear(&mut log, update("a", json!({"status": "completed", "content": content}))).unwrap();
        hear(&mut log, update("a", json!({"status": "failed"}))).unwrap();
        // The first report about this call is its failure.
        hear(&mut log, update("b", json!({"status": "failed", "title": "Run"}))).unwrap();
        assert!(!log.waits());
        let third = json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Read"});
        assert_eq!(hear(&mut log, third), Err(StopCause::Spent(BudgetLimit::Calls)));
        assert_eq!(log.end(), "I look.");
        let wanted = ["I look.", "> Read {\"path\":\"x\"}", "< Read Done 4", "> Run {}", "< Run Failed 0"];
        assert_eq!(*seen.lock().unwrap(), wanted);
    }

    #[test]
    fn the_result_is_the_text_after_the_last_call() {
        let (watch, transcript) = (toolpost_agent::nobody(), Transcript::none());
        let budget = Budget::new(Limits::default());
        let mut log = ReportLog::new(&watch, &transcript, &budget);
        let call =
            json!({"sessionUpdate": "tool_call", "toolCallId": "a", "title": "x", "status": "completed"});
        for update in [say("First. "), call, say("It is "), say("done.\n")] {
            hear(&mut log, update).unwrap();
        }
        assert_eq!(log.end(), "It is done.");
        let long = "x".repeat(1024 * 1024);
        let many = (0..9).map(|_| hear(&mut log, say(&long))).find(Result::is_err);
        assert_eq!(many, Some(Err(StopCause::TooLong)));
    }
}
