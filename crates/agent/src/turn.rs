//! Calls of one model answer: concurrent if their tools allow it, otherwise one at a time, in order.

use crate::{
    budget::{Budget, BudgetLimit},
    event::{AgentEvent, Watch},
    models::{CallRequest, CallStatus, ToolResult},
    pictures,
    toolset::{RunTool, TaskEffect, ToolReply, Toolset},
};
use serde_json::{Map, Value};
use std::{collections::HashSet, sync::Arc, time::Instant};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use toolpost_engine::{CallOutcome, InnerAnswer};
use toolpost_text::cut;
use toolpost_text::plural::counted;

/// Maximum number of concurrent calls.
const AT_ONCE: usize = 8;
/// Maximum length of quoted invalid arguments, in characters.
const SHOWN: usize = 400;
/// Maximum length of a tool's name in [`AgentEvent::Settled`], in characters, because a name that the model made up can
/// be long.
const NAME: usize = 80;

/// Context of the calls in an answer.
pub(crate) struct TurnContext<'a> {
    pub(crate) hands: Arc<dyn Toolset>,
    pub(crate) tools: &'a [RunTool],
    pub(crate) budget: &'a Budget,
    pub(crate) cancel: &'a CancellationToken,
    pub(crate) watch: &'a Watch,
}

/// Results of the calls of one answer.
#[derive(Debug, Default)]
pub(crate) struct TurnResults {
    /// One result per call, in order.
    pub(crate) results: Vec<ToolResult>,
    /// Result of the task, if a call completed it.
    pub(crate) done: Option<String>,
    /// Exhausted budget, if it prevented calls.
    pub(crate) spent: Option<BudgetLimit>,
    /// Number of calls whose arguments are not a JSON object.
    pub(crate) malformed: usize,
}

/// A prepared call, or the reason why it is not made.
enum PreparedCall {
    Call { tool: String, arguments: Map<String, Value>, shared: bool, ends: TaskEffect },
    Malformed(String),
}

impl TurnContext<'_> {
    /// Makes the calls of an answer: concurrently if [`RunTool::is_shared`] allows it, otherwise one at a time.
    pub(crate) async fn make(&self, calls: &[CallRequest]) -> TurnResults {
        let mut made = TurnResults::default();
        let mut group: Vec<(usize, PreparedCall)> = Vec::new();
        let mut results: Vec<Option<ToolResult>> = vec![None; calls.len()];
        for (at, call) in calls.iter().enumerate() {
            let ready = self.ready(call);
            let shared =
                matches!(&ready, PreparedCall::Call { shared: true, .. } | PreparedCall::Malformed(_));
            if !shared {
                self.settle(&mut group, calls, &mut results, &mut made).await;
            }
            group.push((at, ready));
            if !shared || group.len() >= AT_ONCE {
                self.settle(&mut group, calls, &mut results, &mut made).await;
            }
        }
        self.settle(&mut group, calls, &mut results, &mut made).await;
        made.results = results.into_iter().flatten().collect();
        made
    }

    /// Prepares a call. An unknown name is passed to the runtime, which lists the available tools.
    fn ready(&self, call: &CallRequest) -> PreparedCall {
        let written = if call.arguments.trim().is_empty() { "{}" } else { call.arguments.as_str() };
        let arguments = match serde_json::from_str::<Value>(written) {
            Ok(Value::Object(arguments)) => arguments,
            Ok(_) => {
                return PreparedCall::Malformed(
                    "they are valid JSON of another type, such as an array or a string".to_owned(),
                );
            }
            Err(error) => return PreparedCall::Malformed(error.to_string()),
        };
        let tool = self.hands.meant(&call.tool).unwrap_or_else(|| call.tool.clone());
        let hand = self.tools.iter().find(|hand| hand.tool.name == tool);
        let ends = hand.map_or(TaskEffect::Nothing, |hand| hand.ends);
        PreparedCall::Call { tool, arguments, shared: hand.is_none_or(RunTool::is_shared), ends }
    }

    /// Makes the prepared calls of a group concurrently.
    async fn settle(
        &self,
        group: &mut Vec<(usize, PreparedCall)>,
        calls: &[CallRequest],
        results: &mut [Option<ToolResult>],
        made: &mut TurnResults,
    ) {
        let mut running = JoinSet::new();
        let mut results_of_work = Vec::new();
        for (at, ready) in group.drain(..) {
            let call = &calls[at];
            let failed = |words: String| Some(answered(call, words, CallStatus::Failed));
            match ready {
                PreparedCall::Malformed(why) => {
                    made.malformed += 1;
                    results[at] = failed(malformed(call, &why));
                }
                _ if self.cancel.is_cancelled() => {
                    results[at] = failed("This call was not made, because the task was stopped.".to_owned());
                }
                _ if made.done.is_some() => {
                    results[at] = failed(
                        "This call was not made, because the task was already reported as complete."
                            .to_owned(),
                    );
                }
                PreparedCall::Call { tool, arguments, ends, .. } => {
                    if let Err(spent) = self.budget.call() {
                        made.spent = made.spent.or(Some(spent));
                        results[at] = failed(format!(
                            "This call was not made, because the budget of {} is used up.",
                            spent.word()
                        ));
                        continue;
                    }
                    if ends == TaskEffect::Work {
                        let said = arguments.get("result").and_then(Value::as_str).unwrap_or_default();
                        results_of_work.push((at, said.to_owned()));
                    }
                    self.begin(&mut running, at, tool, Value::Object(arguments).to_string());
                }
            }
        }
        while let Some(settled) = running.join_next().await {
            // The runtime's layers catch a panic of a tool, so a panic here is a bug in the toolset.
            let (at, answer) = match settled {
                Ok(settled) => settled,
                Err(error) => match error.try_into_panic() {
                    Ok(payload) => std::panic::resume_unwind(payload),
                    Err(_) => continue,
                },
            };
            let went = if answer.ended == CallOutcome::Done { CallStatus::Done } else { CallStatus::Failed };
            let said = results_of_work.iter().find(|(done, _)| *done == at);
            if let (CallStatus::Done, Some((_, said))) = (went, said) {
                made.done = Some(said.clone());
            }
            let (words, pictures) = pictures::taken(answer);
            results[at] = Some(ToolResult { pictures, ..answered(&calls[at], words, went) });
        }
    }

    fn begin(&self, running: &mut JoinSet<(usize, InnerAnswer)>, at: usize, tool: String, arguments: String) {
        (self.watch)(&AgentEvent::Call { tool: tool.clone(), arguments: arguments.clone() });
        let (hands, cancel, watch) = (self.hands.clone(), self.cancel.child_token(), self.watch.clone());
        let name: String = tool.chars().take(NAME).collect();
        running.spawn(async move {
            let began = Instant::now();
            let ToolReply { answer, effect, prompt_time } = hands.call(tool, arguments, cancel).await;
            let took = began.elapsed().saturating_sub(prompt_time);
            let (went, why) = match answer.ended {
                CallOutcome::Done => (CallStatus::Done, String::new()),
                _ => (CallStatus::Failed, answer.words.clone()),
            };
            watch(&AgentEvent::Settled { tool: name, went, bytes: answer.words.len(), took, why, effect });
            (at, answer)
        });
    }
}

/// Replaces the empty and repeated ids of an answer's calls, so that each id is unique.
pub(crate) fn distinct(calls: &mut [CallRequest], turn: u64) {
    let mut known = HashSet::new();
    for (at, call) in calls.iter_mut().enumerate() {
        if call.id.is_empty() || !known.insert(call.id.clone()) {
            call.id = format!("call-{turn}-{at}");
            known.insert(call.id.clone());
        }
    }
}

fn answered(call: &CallRequest, words: String, went: CallStatus) -> ToolResult {
    // Some providers reject an empty reply.
    let words = if words.trim().is_empty() { "(nothing)".to_owned() } else { words };
    ToolResult { id: call.id.clone(), tool: call.tool.clone(), words, went, pictures: Vec::new() }
}

fn malformed(call: &CallRequest, why: &str) -> String {
    let (shown, more) = cut::line(&call.arguments, SHOWN);
    let more =
        if more == 0 { String::new() } else { format!("… and {}", counted(more as u64, "more character")) };
    format!(
        "This call was not made, because its arguments are not a JSON object ({why}): {shown}{more}\nMake \
         the call again with a complete JSON object; if the arguments are long, split them into several \
         calls."
    )
}
