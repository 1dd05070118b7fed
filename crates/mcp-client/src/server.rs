//! An upstream server: connected on demand, stopped when it hangs, restarted after a crash.

use super::{
    entry::{Entry, ServerTransport},
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
use toolpost_engine::{CallCtx, Failure, Hint, Kind, RemoteTool, UpstreamPart};
use toolpost_runtime::UpstreamToolDefinition;

/// Maximum time for a ping after a missing reply.
const PING: Duration = Duration::from_secs(2);
/// Delay before a restart after a failed start, doubled each time.
const BACK_OFF: Duration = Duration::from_secs(1);
/// Maximum delay before a restart.
const LONGEST: Duration = Duration::from_secs(60);
/// Maximum memory of a local server, in bytes.
const MEMORY: u64 = 4 * 1024 * 1024 * 1024;
/// Maximum time of a call, unless the call or the configuration file sets less.
const CALL: Duration = Duration::from_secs(120);

/// An upstream server.
pub(super) struct Server {
    pub(super) entry: Entry,
    home: PathBuf,
    state: Mutex<State>,
    /// Notified when the server's tools have changed.
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

    /// Connects if necessary, and returns the tools that the configuration selects.
    pub(super) async fn tools(&self) -> Result<Vec<UpstreamToolDefinition>, Failure> {
        let mut state = self.state.lock().await;
        self.connect(&mut state).await?;
        Ok(self.wanted(&state))
    }

    /// Like [`Self::tools`], but first refreshes the list if the server announced a change.
    pub(super) async fn current(&self) -> Result<Vec<UpstreamToolDefinition>, Failure> {
        let mut state = self.state.lock().await;
        self.connect(&mut state).await?;
        if let Some(link) = &mut state.link {
            link.refresh(&self.entry.name).await.map_err(|error| self.unreachable(&self.why(&error)))?;
        }
        Ok(self.wanted(&state))
    }

    /// Disconnects from the server; a local server is stopped.
    pub(super) async fn end(&self) {
        self.state.lock().await.link = None;
    }

    /// Calls a tool. A server that died is restarted for the next call, but the call is not repeated, because its effect is
    /// unknown.
    pub(super) async fn call(
        &self,
        tool: &RemoteTool,
        arguments: JsonObject,
        cx: &CallCtx,
    ) -> Result<Vec<UpstreamPart>, Failure> {
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
                handle.cancel(Some("the caller cancelled".to_owned())).await.ok();
                return Err(Failure::new(
                    Kind::Cancelled,
                    format!("The call was cancelled; changes that the MCP server `{}` has already made \
                             remain.", tool.server),
                ));
            }
            () = tokio::time::sleep(limit) => {
                handle.cancel(Some("the call took too long".to_owned())).await.ok();
                return Err(self.late(&peer, limit).await);
            }
        };
        match answer {
            Ok(ServerResult::CallToolResult(result)) => reply::pieces(&self.entry, tool, result),
            Ok(ServerResult::InputRequiredResult(_)) => Err(reply::complaint(
                &self.entry,
                tool,
                "The tool must ask the user something before it continues, which Toolpost does not support.",
            )),
            Ok(_) => Err(reply::complaint(&self.entry, tool, "The server's answer is not a tool result.")),
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
            // After a reconnection, the tools may have changed, so they are published again.
            self.changed.notify_one();
        }
        let link = state.link.as_ref().ok_or_else(|| self.unreachable("the server is not connected"))?;
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
                let again = format!("{why}; the next attempt is in {:.0} s", left.as_secs_f64().ceil());
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

    /// Returns the failure for a timeout. If the server does not answer a ping either, closes the connection, which stops a
    /// local server.
    async fn late(&self, peer: &Peer<RoleClient>, limit: Duration) -> Failure {
        let ping = peer.send_request(ClientRequest::PingRequest(PingRequest::default()));
        // An error response, such as that of a modern server, which has no ping, also proves that the server is alive.
        let lives = matches!(timeout(PING, ping).await, Ok(Ok(_) | Err(ServiceError::McpError(_))));
        if !lives {
            self.state.lock().await.link = None;
        }
        let what = format!(
            "The MCP server `{}` did not answer within {:.1} s{}.",
            self.entry.name,
            limit.as_secs_f64(),
            match &self.entry.way {
                _ if lives => "",
                ServerTransport::Program { .. } =>
                    " and did not answer a ping either, so Toolpost stopped it; the next call restarts it",
                ServerTransport::Http { .. } => " and did not answer a ping either; the next call reconnects",
            }
        );
        Failure::new(Kind::Timeout, what).hint(Hint::Advice(
            "The call may have had effects: check them before you repeat it. A smaller request may be answered in time."
                .to_owned(),
        ))
    }

    /// Returns the failure for a connection that broke during a call.
    async fn lost(&self, error: &ServiceError) -> Failure {
        self.state.lock().await.link = None;
        let (how, then) = match &self.entry.way {
            ServerTransport::Program { .. } => ("disconnected during the call", "restarts the server"),
            ServerTransport::Http { .. } => ("gave no usable answer", "reconnects"),
        };
        let why = fault::shown(&self.entry, &fault::asking(error));
        let what = format!("The MCP server `{}` {how}: {}.", self.entry.name, why.trim_end_matches('.'));
        Failure::new(Kind::Remote, what).hint(Hint::Advice(format!(
            "The call may have had effects: check them first. The next call {then}."
        )))
    }

    fn unreachable(&self, why: &str) -> Failure {
        let what =
            format!("The MCP server `{}` cannot be used: {}.", self.entry.name, why.trim_end_matches('.'));
        Failure::new(Kind::Remote, what).hint(Hint::Advice(
            "Use other tools, or tell the user that `toolpost doctor` shows the state of the MCP servers."
                .to_owned(),
        ))
    }

    fn why(&self, error: &LinkError) -> String {
        fault::shown(&self.entry, &error.to_string())
    }

    /// Returns the tools that the configuration selects.
    fn wanted(&self, state: &State) -> Vec<UpstreamToolDefinition> {
        let tools = state.link.iter().flat_map(|link| &link.tools);
        tools.filter(|described| self.entry.takes(&described.tool.tool)).cloned().collect()
    }
}
