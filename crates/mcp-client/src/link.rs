//! Connection to an upstream server: start, handshake and tool list.

use super::{
    definitions,
    entry::{Entry, Era, ServerTransport},
    fault,
};
use rmcp::{
    ClientHandler, Peer, RoleClient,
    model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion},
    service::{
        ClientInitializeError, ClientLifecycleMode, NotificationContext, RunningService,
        serve_client_with_lifecycle,
    },
};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use thiserror::Error;
use tokio::{
    net::unix::pipe,
    sync::Notify,
    time::{Instant, timeout_at},
};
use toolpost_process::{Environment, Launch, Program, Service, StartError};
use toolpost_runtime::UpstreamToolDefinition;

/// Connection to a server. Dropping it stops a local server.
pub(super) struct Link {
    service: RunningService<RoleClient, Client>,
    served: Option<Service>,
    /// Set if the server announced a change of its tools since the last list.
    stale: Arc<AtomicBool>,
    /// Tools of the last list.
    pub(super) tools: Vec<UpstreamToolDefinition>,
    /// Tools that are not published, with the reason.
    pub(super) left_out: Vec<String>,
}

/// The client side of the protocol. It handles only changes of the tool list; rmcp's defaults answer the
/// server's requests.
pub(super) struct Client {
    info: ClientConfig,
    /// Set and notified when the server announces a change of its tools.
    stale: Arc<AtomicBool>,
    changed: Arc<Notify>,
}

/// Reason why there is no connection.
#[derive(Debug, Error)]
pub(super) enum LinkError {
    #[error("the server could not be started: {0}")]
    Start(#[from] StartError),
    #[error("the server's pipes could not be used: {0}")]
    Pipes(std::io::Error),
    #[error("{0}")]
    Address(String),
    #[error("the connection to the server could not be opened: {0}")]
    Open(String),
    #[error("the server did not list its tools: {0}")]
    List(String),
    #[error("the server was not ready within {0} s")]
    Late(f64),
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        self.info.clone()
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.stale.store(true, Ordering::Release);
        self.changed.notify_one();
    }
}

impl Link {
    /// Connects to a server and lists its tools, within the time limit for the start.
    pub(super) async fn open(entry: &Entry, home: &Path, changed: Arc<Notify>) -> Result<Self, LinkError> {
        let by = Instant::now() + entry.start;
        let late = || LinkError::Late(entry.start.as_secs_f64());
        let eras = match entry.era {
            Some(era) => vec![era],
            // A modern-only server rejects the handshake, and is started again without one.
            None => vec![Era::Legacy, Era::Modern],
        };
        let mut first = None;
        for era in eras {
            let tried = timeout_at(by, Self::opened(entry, home, changed.clone(), era)).await;
            match tried.map_err(|_| late())? {
                Ok(link) => return Ok(link),
                Err(error @ (LinkError::Start(_) | LinkError::Pipes(_) | LinkError::Address(_))) => {
                    return Err(error);
                }
                // The first error is more useful, because few servers are modern-only.
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(late))
    }

    async fn opened(entry: &Entry, home: &Path, changed: Arc<Notify>, era: Era) -> Result<Self, LinkError> {
        let mode = match era {
            Era::Legacy => ClientLifecycleMode::Initialize,
            Era::Modern => {
                ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
            }
        };
        let info = ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("toolpost", env!("CARGO_PKG_VERSION")),
        );
        let stale = Arc::new(AtomicBool::new(false));
        let client = Client { info, stale: stale.clone(), changed };
        let open = |error: ClientInitializeError| LinkError::Open(fault::opening(&error));
        let (service, served) = match &entry.way {
            ServerTransport::Program { .. } => {
                let (served, input, output) = start(entry, home)?;
                let service = serve_client_with_lifecycle(client, (output, input), mode).await;
                (service.map_err(open)?, Some(served))
            }
            ServerTransport::Http { url, headers } => {
                let transport = super::http::transport(url, headers).map_err(LinkError::Address)?;
                (serve_client_with_lifecycle(client, transport, mode).await.map_err(open)?, None)
            }
        };
        let mut link = Self { service, served, stale, tools: Vec::new(), left_out: Vec::new() };
        link.list(&entry.name).await?;
        Ok(link)
    }

    /// Lists the tools again, if the server announced a change.
    pub(super) async fn refresh(&mut self, server: &str) -> Result<(), LinkError> {
        if self.stale.load(Ordering::Acquire) { self.list(server).await } else { Ok(()) }
    }

    async fn list(&mut self, server: &str) -> Result<(), LinkError> {
        self.stale.store(false, Ordering::Release);
        let listed = self.service.peer().list_all_tools().await;
        let listed = listed.map_err(|error| LinkError::List(fault::asking(&error)))?;
        (self.tools, self.left_out) = definitions::tools(server, listed);
        Ok(())
    }

    /// Returns the peer that receives calls.
    pub(super) fn peer(&self) -> Peer<RoleClient> {
        self.service.peer().clone()
    }

    /// Returns whether the connection is closed.
    pub(super) fn is_over(&self) -> bool {
        self.service.is_closed() || self.served.as_ref().is_some_and(|served| served.exit().is_some())
    }

    /// Returns the memory of a local server, in bytes; `None` for a remote server.
    pub(super) fn memory(&self) -> Option<u64> {
        self.served.as_ref().and_then(Service::memory)
    }
}

/// Starts a server. Its error output is discarded, because it may quote protected content.
fn start(entry: &Entry, home: &Path) -> Result<(Service, pipe::Sender, pipe::Receiver), LinkError> {
    let ServerTransport::Program { command, arguments, environment, directory } = &entry.way else {
        return Err(LinkError::Address(
            "the server is configured with a URL, not with a command, so Toolpost cannot start it".to_owned(),
        ));
    };
    let environment = environment
        .iter()
        .fold(Environment::of_this_process(), |environment, (name, value)| environment.with(name, value));
    let directory = directory.as_deref().map_or_else(|| home.to_path_buf(), |directory| home.join(directory));
    let launch =
        Launch { environment, ..Launch::new(Program::direct(command.as_str(), arguments), directory) };
    let (served, wires) = Service::start(&launch)?;
    let input = pipe::Sender::from_owned_fd(wires.input.into()).map_err(LinkError::Pipes)?;
    let output = pipe::Receiver::from_owned_fd(wires.output.into()).map_err(LinkError::Pipes)?;
    let errors = pipe::Receiver::from_owned_fd(wires.errors.into()).map_err(LinkError::Pipes)?;
    tokio::spawn(drain(errors));
    Ok((served, input, output))
}

async fn drain(mut errors: pipe::Receiver) {
    tokio::io::copy(&mut errors, &mut tokio::io::sink()).await.ok();
}
