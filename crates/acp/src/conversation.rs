//! A session with an external agent: prompt, events, and cancellation at a limit.

use super::{
    calls::{ReportLog, StopCause},
    client::{SessionEvent, SessionRights},
    link::{AgentError, Link},
    permissions::Verdict,
};
use agent_client_protocol::v1::schema::{
    CancelNotification, CloseSessionRequest, ContentBlock, NewSessionRequest, PromptRequest, PromptResponse,
    SessionId, StopReason, TextContent,
};
use std::{
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{sync::mpsc, time::sleep_until};
use tokio_util::sync::CancellationToken;
use toolpost_agent::{AgentEvent, Budget, PermissionDecision, Reason, Transcript, Watch};

/// Maximum time to open a session, during which the agent starts Toolpost's server.
const OPEN: Duration = Duration::from_secs(60);
/// Maximum time that an agent may take to stop after a cancellation.
const STOP: Duration = Duration::from_secs(5);
/// Maximum number of queued messages; a full queue blocks the agent.
pub(super) const WAITING: usize = 256;

/// A session with an external agent.
pub(super) struct Conversation {
    link: Arc<Link>,
    id: SessionId,
    heard: mpsc::Receiver<SessionEvent>,
}

/// Limits of a prompt.
pub(super) struct PromptLimits<'a> {
    pub(super) budget: &'a Budget,
    pub(super) cancel: &'a CancellationToken,
    pub(super) watch: &'a Watch,
    pub(super) transcript: &'a Transcript,
    /// Maximum time without a message, unless a tool is running.
    pub(super) idle: Duration,
}

/// Result of a prompt.
pub(super) struct PromptResult {
    pub(super) reason: Reason,
    pub(super) words: String,
    /// Tools with unfinished calls.
    pub(super) unsettled: Vec<String>,
    /// Additional remark on how the prompt ended; empty if there is none.
    pub(super) remark: &'static str,
}

impl Conversation {
    /// Opens a session; its events arrive at the receiver of `seat`.
    pub(super) async fn open(
        link: Arc<Link>,
        request: NewSessionRequest,
        seat: SessionRights,
        heard: mpsc::Receiver<SessionEvent>,
    ) -> Result<Self, AgentError> {
        let opened = link.ask("session/new", link.connection.send_request(request), OPEN).await?;
        link.sessions.add(opened.session_id.clone(), seat);
        Ok(Self { link, id: opened.session_id, heard })
    }

    /// Sends a prompt, and waits until the agent has finished.
    pub(super) async fn prompt(&mut self, text: String, holds: &PromptLimits<'_>) -> PromptResult {
        let text = ContentBlock::Text(TextContent::new(text));
        let request = PromptRequest::new(self.id.clone(), vec![text]);
        let mut answer = pin!(self.link.connection.send_request(request).block_task());
        let mut log = ReportLog::new(holds.watch, holds.transcript, holds.budget);
        let mut stopping: Option<(Reason, Instant)> = None;
        let mut last = Instant::now();
        let mut remark = "";
        let reason = loop {
            let until = self.until(stopping.as_ref(), last, &log, holds);
            let stop = tokio::select! {
                biased;
                () = holds.cancel.cancelled(), if stopping.is_none() => Some(Reason::Cancelled),
                () = sleep_until(until.into()) => match stopping {
                    Some((reason, _)) => {
                        self.link.kill();
                        remark = " The agent did not stop when asked, and was killed.";
                        break reason;
                    }
                    None => Some(late(holds)),
                },
                heard = self.heard.recv() => {
                    last = Instant::now();
                    heard.and_then(|heard| hear(heard, &mut log, holds))
                }
                answered = &mut answer => {
                    while let Ok(heard) = self.heard.try_recv() {
                        hear(heard, &mut log, holds);
                    }
                    break self.ended(answered, stopping.map(|(reason, _)| reason)).await;
                }
            };
            if let (Some(reason), None) = (stop, &stopping) {
                self.stop();
                stopping = Some((reason, Instant::now() + STOP));
            }
        };
        let unsettled = log.unsettled();
        PromptResult { reason, words: log.end(), unsettled, remark }
    }

    /// Returns the next deadline: the budget's, the idle limit, or the time to stop after a cancellation.
    fn until(
        &self,
        stopping: Option<&(Reason, Instant)>,
        last: Instant,
        log: &ReportLog<'_>,
        holds: &PromptLimits<'_>,
    ) -> Instant {
        if let Some((_, by)) = stopping {
            return *by;
        }
        let far = Instant::now() + Duration::from_secs(24 * 60 * 60);
        let silence = if log.waits() { far } else { last + holds.idle };
        holds.budget.due().map_or(silence, |due| due.min(silence))
    }

    /// Cancels the prompt.
    fn stop(&self) {
        self.link.connection.send_notification(CancelNotification::new(self.id.clone())).ok();
    }

    async fn ended(
        &self,
        answered: Result<PromptResponse, agent_client_protocol::Error>,
        stopping: Option<Reason>,
    ) -> Reason {
        // The cancellation decides the reason, whatever the agent answers.
        if let Some(reason) = stopping {
            return reason;
        }
        let fault = |fault: &str| Reason::Agent { fault: fault.to_owned() };
        match answered {
            Ok(response) => match response.stop_reason {
                StopReason::EndTurn => Reason::Completed,
                StopReason::MaxTokens => Reason::Cut,
                StopReason::MaxTurnRequests => Reason::Limit,
                StopReason::Refusal => Reason::Refused,
                StopReason::Cancelled => {
                    fault("the agent reports a cancellation that Toolpost did not request")
                }
                _ => fault("the agent stopped for a reason that the protocol does not define"),
            },
            Err(error) => fault(&self.link.trouble("session/prompt", &error).await.to_string()),
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.link.sessions.remove(&self.id);
        // The conversation is dropped, so no caller waits for the rest of the agent's answer.
        self.stop();
        if self.link.about.agent_capabilities.session_capabilities.close.is_some() {
            self.link.connection.send_request(CloseSessionRequest::new(self.id.clone())).detach();
        }
    }
}

/// Returns why a run ends at a passed deadline: the budget is used up, or the agent was idle.
fn late(holds: &PromptLimits<'_>) -> Reason {
    match holds.budget.late() {
        Err(spent) => Reason::Budget { spent },
        Ok(()) => {
            let seconds = holds.idle.as_secs_f64();
            Reason::Agent {
                fault: format!("the agent sent nothing for {seconds} s, although no tool was running"),
            }
        }
    }
}

fn hear(heard: SessionEvent, log: &mut ReportLog<'_>, holds: &PromptLimits<'_>) -> Option<Reason> {
    match heard {
        SessionEvent::Update(update) => match log.hear(*update) {
            Ok(()) => None,
            Err(StopCause::Spent(spent)) => Some(Reason::Budget { spent }),
            Err(StopCause::TooLong) => Some(Reason::Agent {
                fault: "the agent wrote more than 8 MiB of text, which is the limit".to_owned(),
            }),
        },
        SessionEvent::Permission { what, verdict } => {
            let (given, why) = match verdict {
                Verdict::Yes(why) => (PermissionDecision::Yes, why),
                Verdict::No(why) => (PermissionDecision::No, why),
            };
            (holds.watch)(&AgentEvent::Permission { what, given, why });
            None
        }
    }
}
