//! The agent loop: asks the model and makes its calls, until the task is complete or a limit ends the run.

use crate::{
    budget::{Budget, BudgetLimit},
    compaction,
    event::{AgentEvent, Watch},
    forms::{self, Form},
    models::{
        AnswerPart, CallRequest, CallStatus, Completion, Message, ModelError, ModelErrorKind, Question,
        RequestEvent, Service, Stop, ToolDefinition, ToolResult,
    },
    outcome::{Outcome, Reason},
    pictures::{self, ImageDisplay},
    toolset::{RunTool, Toolset},
    transcript::Transcript,
    turn::{TurnContext, TurnResults, distinct},
};
use std::sync::Arc;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Maximum number of reminders, without a call in between, to a model whose answer was empty or cut off.
const NUDGES: u32 = 2;
const NOTHING: &str = "Your answer was empty. Continue the task; when it is done, report the result.";
const CUT: &str =
    "Your answer was cut off at its maximum length. Continue where it ended, in shorter answers.";

/// Configuration of a run.
pub struct Run {
    /// Model service.
    pub service: Service,
    /// Tools that the model may call.
    pub hands: Arc<dyn Toolset>,
    /// System prompt.
    pub system: String,
    /// Budget of the run.
    pub budget: Arc<Budget>,
    /// Context window of the model, in tokens.
    pub window: u64,
    /// Token that cancels the run.
    pub cancel: CancellationToken,
    /// Callback for events.
    pub watch: Watch,
    /// Transcript of the run.
    pub transcript: Transcript,
    /// Display of images to the model: as images, or as notes.
    pub showing: ImageDisplay,
}

/// State of a run.
struct RunState<'a> {
    run: &'a Run,
    tools: Vec<RunTool>,
    forms: Vec<Form>,
    question: Question,
    /// Cancelled when the caller cancels or the time is up.
    stop: CancellationToken,
    turns: u64,
    nudges: u32,
    malformed: u32,
    /// Tokens of the last request and its answer.
    taken: u64,
    forced: ForcedCompaction,
    /// Display of images to the model. It changes if the service rejects images.
    showing: ImageDisplay,
    unmade: Vec<String>,
}

/// Number of times that a run has compacted its conversation because the provider rejected a request as too long. The
/// next such rejection ends the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ForcedCompaction {
    No,
    Once,
}

/// Next step after an answer.
enum Next {
    Asks,
    Ends(Reason, Option<String>),
}

impl Run {
    /// Runs until the task is complete, or a limit, an error or the caller ends the run. `messages` is the conversation
    /// so far.
    pub async fn go(&self, messages: Vec<Message>) -> Outcome {
        let (stop, _ends) = self.stopping();
        let mut going = RunState::new(self, messages, stop);
        let (reason, words) = loop {
            match going.turn().await {
                Next::Asks => {}
                Next::Ends(reason, words) => break (reason, words),
            }
        };
        self.transcript.ended(&reason);
        let used = self.budget.account();
        (self.watch)(&AgentEvent::Ended(used));
        let words = words.unwrap_or_else(|| going.last_words());
        let missing = reason.sentence().map(|sentence| {
            let unmade = match going.unmade.as_slice() {
                [] => String::new(),
                names => format!(" Calls that were not made: {}.", names.join(", ")),
            };
            format!("{sentence}{unmade} Used: {used}.")
        });
        Outcome { reason, words, missing, used }
    }

    /// Returns a token that is cancelled at the deadline or by the caller. Dropping the guard stops the
    /// timer.
    fn stopping(&self) -> (CancellationToken, DropGuard) {
        let stop = self.cancel.child_token();
        let ended = CancellationToken::new();
        if let Some(due) = self.budget.due() {
            let (stop, ended) = (stop.clone(), ended.clone());
            tokio::spawn(async move {
                tokio::select! {
                    () = tokio::time::sleep_until(due.into()) => stop.cancel(),
                    () = ended.cancelled() => {}
                }
            });
        }
        (stop, ended.drop_guard())
    }
}

impl<'a> RunState<'a> {
    fn new(run: &'a Run, messages: Vec<Message>, stop: CancellationToken) -> Self {
        let question =
            Question { system: run.system.clone(), messages, tools: Vec::new(), most_tokens: None };
        let (turns, nudges, malformed, taken) = (0, 0, 0, 0);
        let (tools, forms) = (Vec::new(), Vec::new());
        let (forced, unmade) = (ForcedCompaction::No, Vec::new());
        let showing = run.showing;
        Self { run, tools, forms, question, stop, turns, nudges, malformed, taken, forced, showing, unmade }
    }

    /// Reloads the tools, because upstream servers can change theirs.
    fn look(&mut self) {
        let tools = self.run.hands.tools();
        if tools == self.tools {
            return;
        }
        self.forms = tools.iter().map(|hand| Form::of(&hand.tool.name, &hand.tool.schema)).collect();
        let offers = tools.iter().map(|hand| ToolDefinition {
            name: hand.tool.name.clone(),
            description: hand.tool.description.clone(),
            schema: serde_json::from_str(&hand.tool.schema).unwrap_or_default(),
        });
        self.question.tools = offers.collect();
        self.tools = tools;
    }

    /// Sends one model request, and makes the calls of the answer.
    async fn turn(&mut self) -> Next {
        if let Err(spent) = self.run.budget.turn() {
            return Next::Ends(Reason::Budget { spent }, None);
        }
        self.turns += 1;
        self.look();
        (self.run.watch)(&AgentEvent::Turn { number: self.turns });
        if compaction::is_full(self.taken.max(compaction::size(&self.question)), self.run.window) {
            self.shorten().await;
        }
        match self.request_completion().await {
            Ok(whole) => self.process_completion(whole).await,
            // The next turn, which counts in the budget, asks without images.
            Err(fault) if self.rejects_images(&fault) => {
                self.showing = ImageDisplay::Named;
                (self.run.watch)(&AgentEvent::Unseen { fault: fault.what });
                Next::Asks
            }
            Err(fault) if fault.kind == ModelErrorKind::TooLong && self.forced == ForcedCompaction::No => {
                self.forced = ForcedCompaction::Once;
                self.shorten().await;
                Next::Asks
            }
            Err(fault) => Next::Ends(self.stopped().unwrap_or(Reason::Model { fault: fault.what }), None),
        }
    }

    /// Returns whether the images of the last request may be the reason why the service rejected it.
    fn rejects_images(&self, fault: &ModelError) -> bool {
        self.showing == ImageDisplay::Shown
            && pictures::has_any(&self.question)
            && pictures::may_be_why(fault)
    }

    async fn request_completion(&self) -> Result<Completion, ModelError> {
        let watch = self.run.watch.clone();
        let hear = move |request_event: RequestEvent<'_>| match request_event {
            RequestEvent::Piece(AnswerPart::Words(words)) => watch(&AgentEvent::Words(words.clone())),
            RequestEvent::Piece(AnswerPart::Calling { tool, .. }) if !tool.is_empty() => {
                watch(&AgentEvent::Calling(tool.clone()));
            }
            RequestEvent::Piece(_) => {}
            RequestEvent::Again { fault, pause, next } => {
                watch(&AgentEvent::Again { fault: fault.what.clone(), pause, next });
            }
        };
        let question = pictures::shown(&self.question, self.showing);
        self.run.service.ask(&question, &self.stop, &hear).await
    }

    /// Records an answer, makes its calls, and decides the next step.
    async fn process_completion(&mut self, whole: Completion) -> Next {
        self.count(&whole);
        let Completion { message: mut said, stop, usage: _ } = whole;
        distinct(&mut said.calls, self.turns);
        let written = if said.calls.is_empty() { self.written(&said.text) } else { Vec::new() };
        self.push(Message::Model(said.clone()));
        if let Some(reason) = self.stopped() {
            self.unmade = said.calls.iter().chain(&written).map(|call| call.tool.clone()).collect();
            return Next::Ends(reason, None);
        }
        if !said.calls.is_empty() {
            let turn_results = self.make(&said.calls).await;
            self.push(Message::Results { results: turn_results.results.clone() });
            return self.next_after_calls(turn_results);
        }
        if !written.is_empty() {
            let turn_results = self.make(&written).await;
            self.push(Message::Replies { results: turn_results.results.clone() });
            return self.next_after_calls(turn_results);
        }
        self.answered(&said.text, stop)
    }

    /// Decides the next step after an answer without calls.
    fn answered(&mut self, text: &str, stop: Stop) -> Next {
        let empty = text.trim().is_empty();
        let (reason, nudge) = match stop {
            Stop::Filtered => return Next::Ends(Reason::Filtered, None),
            Stop::Length => (Reason::Cut, CUT),
            Stop::End | Stop::Other(_) if empty => (Reason::Empty, NOTHING),
            Stop::End | Stop::Other(_) => return Next::Ends(Reason::Completed, Some(self.whole_words(text))),
        };
        if self.nudges >= NUDGES {
            return Next::Ends(reason, None);
        }
        self.nudges += 1;
        self.push(Message::User { text: nudge.to_owned() });
        Next::Asks
    }

    /// Decides the next step after the calls of an answer.
    fn next_after_calls(&mut self, turn_results: TurnResults) -> Next {
        if let Some(words) = turn_results.done {
            return Next::Ends(Reason::Completed, Some(words));
        }
        let unmade =
            turn_results.results.iter().filter(|result| result.words.starts_with("This call was not made"));
        self.unmade = unmade.map(|result| result.tool.clone()).collect();
        if let Some(spent) = turn_results.spent {
            return Next::Ends(Reason::Budget { spent }, None);
        }
        if let Some(reason) = self.stopped() {
            return Next::Ends(reason, None);
        }
        self.nudges = 0;
        self.malformed = if turn_results.malformed == 0 { 0 } else { self.malformed + 1 };
        if self.malformed > 1 { Next::Ends(Reason::Malformed, None) } else { Next::Asks }
    }

    async fn make(&self, calls: &[CallRequest]) -> TurnResults {
        let run = self.run;
        let turn = TurnContext {
            hands: run.hands.clone(),
            tools: &self.tools,
            budget: &run.budget,
            cancel: &self.stop,
            watch: &run.watch,
        };
        turn.make(calls).await
    }

    /// Finds calls in the text of an answer.
    fn written(&self, text: &str) -> Vec<CallRequest> {
        let found = forms::find(text, &self.forms).into_iter().enumerate();
        let call_requests = found.map(|(at, call)| CallRequest {
            id: format!("call-{}-{at}", self.turns),
            tool: call.tool,
            arguments: call.arguments,
            marks: Vec::new(),
        });
        call_requests.collect()
    }

    /// Returns why the run must stop: the caller cancelled it, or its time is up. `None` if it may continue.
    fn stopped(&self) -> Option<Reason> {
        if self.run.cancel.is_cancelled() {
            return Some(Reason::Cancelled);
        }
        self.run.budget.late().err().map(|spent: BudgetLimit| Reason::Budget { spent })
    }

    /// Counts the tokens of an answer.
    fn count(&mut self, whole: &Completion) {
        let usage = compaction::usage(&self.question, whole);
        self.taken = usage.total();
        self.run.budget.tokens(usage.total());
        self.run.transcript.usage(usage);
    }

    async fn shorten(&mut self) {
        let from = self.taken.max(compaction::size(&self.question));
        let shorter =
            compaction::shorten(&self.question, self.run.window, &self.run.service, &self.stop).await;
        self.run.budget.tokens(shorter.usage.total());
        self.question.messages = shorter.messages;
        self.run.transcript.shortened(&self.question.messages);
        self.taken = 0;
        (self.run.watch)(&AgentEvent::Shortened { from, to: compaction::size(&self.question) });
    }

    fn push(&mut self, message: Message) {
        self.run.transcript.message(&message);
        self.question.messages.push(message);
    }

    /// Joins an answer that was cut off with its continuation.
    fn whole_words(&self, last: &str) -> String {
        let mut parts = vec![last.trim()];
        let mut messages = self.question.messages.iter().rev().skip(1);
        while let (Some(Message::User { text }), Some(Message::Model(said))) =
            (messages.next(), messages.next())
        {
            if text != CUT {
                break;
            }
            parts.push(said.text.trim_end());
        }
        parts.reverse();
        parts.concat()
    }

    fn last_words(&self) -> String {
        let words = self.question.messages.iter().rev().filter_map(|message| match message {
            Message::Model(said) => Some(said.text.trim()),
            Message::User { .. } | Message::Results { .. } | Message::Replies { .. } => None,
        });
        words.into_iter().find(|words| !words.is_empty()).unwrap_or_default().to_owned()
    }
}

/// Repairs an interrupted conversation: a call without a reply gets one that says its effect is unknown.
#[must_use]
pub fn repaired(mut messages: Vec<Message>) -> Vec<Message> {
    const UNKNOWN: &str = "Toolpost exited during this call, so the effect of the call is unknown. Check \
                           before you make the call again.";
    if let Some(Message::Model(said)) = messages.last()
        && !said.calls.is_empty()
    {
        let unknown = |call: &CallRequest| ToolResult {
            id: call.id.clone(),
            tool: call.tool.clone(),
            words: UNKNOWN.to_owned(),
            went: CallStatus::Failed,
            pictures: Vec::new(),
        };
        let results = said.calls.iter().map(unknown).collect();
        messages.push(Message::Results { results });
    }
    messages
}
