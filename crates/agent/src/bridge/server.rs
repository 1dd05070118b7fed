//! An upstream server: connected on demand, stopped when it hangs, restarted after a crash.

use super::{
    entry::{Entry, Way},
    fault,
    link::{Link, LinkError},
    reply,
};
use rmcp::{
    Peer, RoleClient,
    model::{CallToolRequestParams, ClientRequest, JsonObject, PingRequest, Request, ServerResult},
    service::{PeerRequestOptions, ServiceError},
};
use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    sync::{Mutex, Notify},
    time::timeout,
};
use toolpost_engine::{CallCtx, Failure, Hint, Kind, Piece, RemoteTool};
use toolpost_runtime::Described;

/// Maximum time for a ping after a missing reply.
const PING: Duration = Duration::from_secs(2);
/// Delay before a restart after a failed start, doubled each time.
const BACK_OFF: Duration = Duration::from_secs(1);
/// Maximum delay before a restart.
const LONGEST: Duration = Duration::from_secs(60);
/// Maximum memory of a local server, in bytes.
const MEMORY: u64 = 4 * 1024 * 1024 * 1024;
/// Maximum time of a call, unless the call or the file sets less.
const CALL: Duration = Duration::from_secs(120);

/// An upstream server.
pub(super) struct Server {
    pub(super) entry: Entry,
    home: PathBuf,
    state: Mutex<State>,
    /// Notified when its tools have changed.
    pub(super) changed: Arc<Notify>,
}

#[derive(Default)]
struct State {
    link: Option<Link>,
    /// Last failed start: reason, time, and number of failures in a row.
    failed: Option<(String, Instant, u32)>,
}

impl Server {
    pub(super) fn new(entry: Entry, home: PathBuf) -> Self {
        Self { entry, home, state: Mutex::default(), changed: Arc::default() }
    }

    /// Connects if necessary, and returns the published tools.
    pub(super) async fn tools(&self) -> Result<Vec<Described>, Failure> {
        let mut state = self.state.lock().await;
        self.connect(&mut state).await?;
        Ok(self.wanted(&state))
    }

    /// Returns the published tools; the list is refreshed if the server announced a change.
    pub(super) async fn current(&self) -> Result<Vec<Described>, Failure> {
        let mut state = self.state.lock().await;
        self.connect(&mut state).await?;
        if let Some(link) = &mut state.link {
            link.refresh(&self.entry.name).await.map_err(|error| self.unreachable(&self.why(&error)))?;
        }
        Ok(self.wanted(&state))
    }

    /// Stops the server, if it was started here.
    pub(super) async fn end(&self) {
        self.state.lock().await.link = None;
    }

    /// Calls a tool. A server that died is restarted for the next call, but the call is not repeated: its
    /// effect is unknown.
    pub(super) async fn call(
        &self,
        tool: &RemoteTool,
        arguments: JsonObject,
        cx: &CallCtx,
    ) -> Result<Vec<Piece>, Failure> {
        let peer = self.peer().await?;
        let limit = cx.time_left(self.entry.call.unwrap_or(CALL).min(CALL));
        let params = CallToolRequestParams::new(tool.tool.clone()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(Request::new(params));
        let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let mut handle = match sent {
            Ok(handle) => handle,
            Err(error) => return Err(self.lost(&error).await),
        };
        let answer = tokio::select! {
            answer = &mut handle.rx => answer.unwrap_or(Err(ServiceError::TransportClosed)),
            () = cx.cancel.cancelled() => {
                handle.cancel(Some("the caller gave up".to_owned())).await.ok();
                return Err(Failure::new(
                    Kind::Cancelled,
                    format!("The call was cancelled; what the server `{}` had done by then stays.", tool.server),
                ));
            }
            () = tokio::time::sleep(limit) => {
                handle.cancel(Some("it took too long".to_owned())).await.ok();
                return Err(self.late(&peer, limit).await);
            }
        };
        match answer {
            Ok(ServerResult::CallToolResult(result)) => reply::pieces(&self.entry, tool, result),
            Ok(ServerResult::InputRequiredResult(_)) => Err(reply::complaint(
                &self.entry,
                tool,
                "It wants to ask the user something before it goes on; that is not passed on here.",
            )),
            Ok(_) => Err(reply::complaint(&self.entry, tool, "Its answer is not a tool result.")),
            Err(ServiceError::McpError(error)) => Err(reply::complaint(&self.entry, tool, &error.message)),
            Err(error) => Err(self.lost(&error).await),
        }
    }

    async fn peer(&self) -> Result<Peer<RoleClient>, Failure> {
        let mut state = self.state.lock().await;
        if let Some(link) = &state.link
            && link.memory().is_some_and(|bytes| bytes > MEMORY)
        {
            state.link = None;
        }
        let anew = state.link.is_none();
        self.connect(&mut state).await?;
        if anew {
            // Its tools may have changed.
            self.changed.notify_one();
        }
        let link = state.link.as_ref().ok_or_else(|| self.unreachable("it is not connected"))?;
        Ok(link.peer())
    }

    async fn connect(&self, state: &mut State) -> Result<(), Failure> {
        if state.link.as_ref().is_some_and(|link| !link.is_over()) {
            return Ok(());
        }
        state.link = None;
        if let Some((why, when, times)) = &state.failed {
            let pause = BACK_OFF.saturating_mul(1 << (times - 1).min(6)).min(LONGEST);
            if let Some(left) = pause.checked_sub(when.elapsed()) {
                let again = format!("{why}; it is tried again in {:.0} s", left.as_secs_f64().ceil());
                return Err(self.unreachable(&again));
            }
        }
        match Link::open(&self.entry, &self.home, self.changed.clone()).await {
            Ok(link) => {
                (state.link, state.failed) = (Some(link), None);
                Ok(())
            }
            Err(error) => {
                let why = self.why(&error);
                let times = state.failed.as_ref().map_or(0, |(_, _, times)| *times);
                state.failed = Some((why.clone(), Instant::now(), times.saturating_add(1)));
                Err(self.unreachable(&why))
            }
        }
    }

    /// Returns the failure for a timeout; a server that does not answer a ping either is stopped.
    async fn late(&self, peer: &Peer<RoleClient>, limit: Duration) -> Failure {
        let ping = peer.send_request(ClientRequest::PingRequest(PingRequest::default()));
        // An error response also proves that the server is alive: modern servers have no ping.
        let lives = matches!(timeout(PING, ping).await, Ok(Ok(_) | Err(ServiceError::McpError(_))));
        if !lives {
            self.state.lock().await.link = None;
        }
        let what = format!(
            "The server `{}` gave no answer within {:.1} s{}.",
            self.entry.name,
            limit.as_secs_f64(),
            match &self.entry.way {
                _ if lives => "",
                Way::Program { .. } =>
                    ", nor to anything else: it was ended, and the next call starts it again",
                Way::Http { .. } => ", nor to anything else: the next call connects to it anew",
            }
        );
        Failure::new(Kind::Timeout, what).hint(Hint::Advice(
            "Whether it had done anything is not known: look before you call it again, or ask it for less."
                .to_owned(),
        ))
    }

    /// Returns the failure for a connection that broke during a call.
    async fn lost(&self, error: &ServiceError) -> Failure {
        self.state.lock().await.link = None;
        let (how, then) = match &self.entry.way {
            Way::Program { .. } => ("went away during the call", "starts it again"),
            Way::Http { .. } => ("gave no answer that can be used", "connects to it anew"),
        };
        let why = fault::shown(&self.entry, &fault::asking(error));
        let what = format!("The server `{}` {how}: {}.", self.entry.name, why.trim_end_matches('.'));
        Failure::new(Kind::Remote, what).hint(Hint::Advice(format!(
            "Whether it had done anything is not known: look first. The next call {then}."
        )))
    }

    fn unreachable(&self, why: &str) -> Failure {
        let what =
            format!("The server `{}` cannot be reached: {}.", self.entry.name, why.trim_end_matches('.'));
        Failure::new(Kind::Remote, what).hint(Hint::Advice(
            "Do it with the other tools, or tell the user: `toolpost doctor` shows the servers.".to_owned(),
        ))
    }

    fn why(&self, error: &LinkError) -> String {
        fault::shown(&self.entry, &error.to_string())
    }

    /// Returns the tools that the configuration selects.
    fn wanted(&self, state: &State) -> Vec<Described> {
        let tools = state.link.iter().flat_map(|link| &link.tools);
        tools.filter(|described| self.entry.takes(&described.tool.tool)).cloned().collect()
    }
}
