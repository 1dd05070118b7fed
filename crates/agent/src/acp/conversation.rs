//! One session with an agent: it is asked, its work is watched, and it is stopped when that is enough.

use super::{
    allowed::Verdict,
    calls::{Enough, Told},
    client::{Heard, Seat},
    link::{Link, Trouble},
};
use crate::{
    budget::Budget,
    ending::Reason,
    happening::{Given, Happening, Watch},
    transcript::Transcript,
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

/// How long an agent has to open a session: it starts our tools for that.
const OPEN: Duration = Duration::from_secs(60);
/// How long an agent has to stop that was told to.
const STOP: Duration = Duration::from_secs(5);
/// How many messages wait to be heard; then the agent waits.
pub(super) const WAITING: usize = 256;

/// One session with an agent.
pub(super) struct Conversation {
    link: Arc<Link>,
    id: SessionId,
    heard: mpsc::Receiver<Heard>,
}

/// What holds a question to an agent.
pub(super) struct Holds<'a> {
    pub(super) budget: &'a Budget,
    pub(super) cancel: &'a CancellationToken,
    pub(super) watch: &'a Watch,
    pub(super) transcript: &'a Transcript,
    /// How long nothing may come while it waits for no tool.
    pub(super) idle: Duration,
}

/// What came of a question to an agent.
pub(super) struct Turned {
    pub(super) reason: Reason,
    pub(super) words: String,
    /// The tools whose calls were not settled.
    pub(super) unsettled: Vec<String>,
    /// What else is to be said of its end.
    pub(super) remark: &'static str,
}

impl Conversation {
    /// Opens a session; what comes in it goes to the seat's hearer, whose other end this takes.
    pub(super) async fn open(
        link: Arc<Link>,
        request: NewSessionRequest,
        seat: Seat,
        heard: mpsc::Receiver<Heard>,
    ) -> Result<Self, Trouble> {
        let opened = link.ask("session/new", link.connection.send_request(request), OPEN).await?;
        link.sessions.add(opened.session_id.clone(), seat);
        Ok(Self { link, id: opened.session_id, heard })
    }

    /// Asks, and waits until the agent has done what it does.
    pub(super) async fn prompt(&mut self, text: String, holds: &Holds<'_>) -> Turned {
        let text = ContentBlock::Text(TextContent::new(text));
        let request = PromptRequest::new(self.id.clone(), vec![text]);
        let mut answer = pin!(self.link.connection.send_request(request).block_task());
        let mut told = Told::new(holds.watch, holds.transcript, holds.budget);
        let mut stopping: Option<(Reason, Instant)> = None;
        let mut last = Instant::now();
        let mut remark = "";
        let reason = loop {
            let until = self.until(stopping.as_ref(), last, &told, holds);
            let stop = tokio::select! {
                biased;
                () = holds.cancel.cancelled(), if stopping.is_none() => Some(Reason::Cancelled),
                () = sleep_until(until.into()) => match stopping {
                    Some((reason, _)) => {
                        self.link.kill();
                        remark = " The agent did not stop when it was told to, and was ended.";
                        break reason;
                    }
                    None => Some(late(holds)),
                },
                heard = self.heard.recv() => {
                    last = Instant::now();
                    heard.and_then(|heard| hear(heard, &mut told, holds))
                }
                answered = &mut answer => {
                    while let Ok(heard) = self.heard.try_recv() {
                        hear(heard, &mut told, holds);
                    }
                    break self.ended(answered, stopping.map(|(reason, _)| reason)).await;
                }
            };
            if let (Some(reason), None) = (stop, &stopping) {
                self.stop();
                stopping = Some((reason, Instant::now() + STOP));
            }
        };
        let unsettled = told.unsettled();
        Turned { reason, words: told.end(), unsettled, remark }
    }

    /// Says when it is enough: of time, of silence, or of waiting for it to stop.
    fn until(
        &self,
        stopping: Option<&(Reason, Instant)>,
        last: Instant,
        told: &Told<'_>,
        holds: &Holds<'_>,
    ) -> Instant {
        if let Some((_, by)) = stopping {
            return *by;
        }
        let far = Instant::now() + Duration::from_secs(24 * 60 * 60);
        let silence = if told.waits() { far } else { last + holds.idle };
        holds.budget.due().map_or(silence, |due| due.min(silence))
    }

    /// Tells it to stop.
    fn stop(&self) {
        self.link.connection.send_notification(CancelNotification::new(self.id.clone())).ok();
    }

    async fn ended(
        &self,
        answered: Result<PromptResponse, agent_client_protocol::Error>,
        stopping: Option<Reason>,
    ) -> Reason {
        // Whatever it answers to being stopped: that is why it ended.
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
                    fault("it says that it was cancelled, and nobody here had done that")
                }
                _ => fault("it gives a reason that is none of the protocol's"),
            },
            Err(error) => fault(&self.link.trouble("session/prompt", &error).await.to_string()),
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.link.sessions.remove(&self.id);
        // What still runs in it is for nobody.
        self.stop();
        if self.link.about.agent_capabilities.session_capabilities.close.is_some() {
            self.link.connection.send_request(CloseSessionRequest::new(self.id.clone())).detach();
        }
    }
}

/// Says why time is up.
fn late(holds: &Holds<'_>) -> Reason {
    match holds.budget.late() {
        Err(spent) => Reason::Budget { spent },
        Ok(()) => {
            let seconds = holds.idle.as_secs_f64();
            Reason::Agent {
                fault: format!("nothing came from it for {seconds} s, and it waited for no tool"),
            }
        }
    }
}

fn hear(heard: Heard, told: &mut Told<'_>, holds: &Holds<'_>) -> Option<Reason> {
    match heard {
        Heard::Update(update) => match told.hear(*update) {
            Ok(()) => None,
            Err(Enough::Spent(spent)) => Some(Reason::Budget { spent }),
            Err(Enough::TooLong) => Some(Reason::Agent { fault: "it said more than 8 MB".to_owned() }),
        },
        Heard::Asked { what, verdict } => {
            let (given, why) = match verdict {
                Verdict::Yes(why) => (Given::Yes, why),
                Verdict::No(why) => (Given::No, why),
            };
            (holds.watch)(&Happening::Permission { what, given, why });
            None
        }
    }
}
