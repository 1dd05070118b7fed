//! One server process: its start, initialisation and requests.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;
use toolpost_process::{Exit, Launch, Program, Sandbox, Service};

use crate::documents::{Documents, Notification};
use crate::initialize::{Capabilities, greeting};
use crate::readiness::Readiness;
use crate::server_state::ServerState;
use crate::wire::{ConnectionEnd, RequestError, Wire, locked};
use crate::{Home, KnownServer, ServerError, ServerReadiness, Settings, Stage, Stamp};

/// Time limit for the exit of a server that has closed its output.
const ENDING: Duration = Duration::from_secs(1);

/// One started server; dropping this value stops it.
pub struct Server {
    known: &'static KnownServer,
    lacks: Option<String>,
    served: Service,
    wire: Wire,
    pub(crate) heard: Arc<ServerState>,
    pub(crate) greeted: watch::Sender<Option<Result<Capabilities, ServerError>>>,
    pub(crate) documents: Mutex<Documents>,
    pub(crate) used: Mutex<Instant>,
    started: Instant,
    lost: Mutex<Option<ServerError>>,
}

impl Server {
    /// Starts a server; `initialize` runs in the background.
    pub(crate) fn start(
        known: &'static KnownServer,
        program: &Path,
        home: &Home,
        settings: &Settings,
        disk: HashMap<PathBuf, Stamp>,
    ) -> Result<Arc<Self>, ServerError> {
        let not_started = |why: String| ServerError::NotStarted { server: known.name.to_owned(), why };
        let sandbox = match &settings.sandbox {
            Sandbox::On(plan) => Sandbox::On(toolpost_process::Plan {
                access: toolpost_process::Access::Read,
                network: toolpost_process::Network::Closed,
                ..plan.clone()
            }),
            Sandbox::Off => Sandbox::Off,
        };
        let launch = Launch {
            environment: settings.environment.clone().without_places(&settings.not_in),
            sandbox,
            ..Launch::new(Program::direct(program, known.arguments), &home.directory)
        };
        let (served, wires) = Service::start(&launch).map_err(|error| not_started(error.to_string()))?;
        let heard = ServerState::new(&home.directory, Readiness::new(known, home.lacks.clone()));
        let wire = Wire::new(wires, settings.limits.message, Arc::clone(&heard) as _)
            .map_err(|fault| not_started(fault.to_string()))?;
        let now = Instant::now();
        let server = Arc::new(Self {
            known,
            lacks: home.lacks.clone(),
            served,
            wire,
            heard,
            greeted: watch::channel(None).0,
            documents: Mutex::new(Documents::new(disk, known.edits)),
            used: Mutex::new(now),
            started: now,
            lost: Mutex::new(None),
        });
        tokio::spawn(greet(Arc::clone(&server)));
        Ok(server)
    }

    /// Returns the entry of the server in the table of known servers.
    #[must_use]
    pub fn known(&self) -> &'static KnownServer {
        self.known
    }

    /// Returns the server's current readiness.
    #[must_use]
    pub fn standing(&self) -> ServerReadiness {
        locked(&self.heard.readiness).judge(Instant::now())
    }

    /// Returns the time since the last use.
    #[must_use]
    pub fn idle(&self) -> Duration {
        locked(&self.used).elapsed()
    }

    /// Returns the failure that ended the server; `None` while it runs.
    pub(crate) fn lost(&self) -> Option<ServerError> {
        let dead = self.served.exit().is_some() || self.standing().stage == Stage::Dead;
        dead.then(|| locked(&self.lost).clone().unwrap_or_else(|| self.ended("unexpectedly")))
    }

    /// Returns the server's run time, and the time since its exit.
    pub(crate) fn life(&self) -> (Duration, Duration) {
        let now = Instant::now();
        let end = locked(&self.heard.readiness).dead_since().unwrap_or(now);
        (end.saturating_duration_since(self.started), now.saturating_duration_since(end))
    }

    /// Returns the reason why answers were incomplete when the server started, such as a missing project
    /// file; `None` if there was no such reason.
    pub(crate) fn lacks(&self) -> Option<&str> {
        self.lacks.as_deref()
    }

    /// Returns the memory use in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.served.memory().unwrap_or(0)
    }

    /// Stops the server immediately, and records the failure that later calls return.
    pub(crate) fn end(&self, fault: ServerError) {
        self.heard.note(|readiness| readiness.died(fault.to_string(), Instant::now()));
        locked(&self.lost).get_or_insert(fault);
        self.wire.end(&ConnectionEnd::Closed);
        self.served.kill();
    }

    /// Requests a shutdown, and ends the server if it does not exit in time.
    pub(crate) async fn shut_down(&self, wait: Duration) {
        let asked = async {
            if self.wire.request("shutdown", &Value::Null).await.is_ok() {
                self.wire.tell("exit", &Value::Null);
                self.served.wait().await;
            }
        };
        // A server that does not exit in time is killed.
        let _ = timeout(wait, asked).await;
        self.served.kill();
    }

    /// Sends a request and waits for the reply.
    pub(crate) async fn request(
        &self,
        method: &str,
        params: &Value,
        within: Duration,
    ) -> Result<Value, ServerError> {
        let server = self.known.name.to_owned();
        let method = method.to_owned();
        match timeout(within, self.wire.request(&method, params)).await {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(RequestError::Refused(refusal))) => {
                Err(ServerError::Refused { server, method, code: refusal.code, message: refusal.message })
            }
            Ok(Err(RequestError::ConnectionEnd(over))) => Err(self.over(over).await),
            Err(_) => Err(ServerError::Late { server, method, waited: within }),
        }
    }

    /// Returns the failure for a closed connection, and stops the server.
    async fn over(&self, over: ConnectionEnd) -> ServerError {
        let server = self.known.name.to_owned();
        let fault = match over {
            ConnectionEnd::Garbled(what) => ServerError::Garbled { server, what },
            ConnectionEnd::Deaf => ServerError::Deaf { server },
            ConnectionEnd::Closed => {
                // A server that closed its output has exited, or is about to.
                let _ = timeout(ENDING, self.served.wait()).await;
                self.ended("during a request")
            }
        };
        let fault = locked(&self.lost).get_or_insert(fault).clone();
        self.end(fault.clone());
        fault
    }

    fn ended(&self, when: &'static str) -> ServerError {
        let how = match self.served.exit() {
            Some(Exit::Code(code)) => format!("exit code {code}"),
            Some(Exit::Signal(signal)) => format!("killed by signal {signal}"),
            Some(Exit::Unknown) => "unknown exit status".to_owned(),
            None => "the server closed its output".to_owned(),
        };
        ServerError::Ended { server: self.known.name.to_owned(), when, how }
    }

    /// Sends notifications.
    pub(crate) fn send(&self, letters: impl IntoIterator<Item = Notification>) {
        for (method, params) in letters {
            self.wire.tell(method, &params);
        }
    }
}

/// Sends `initialize` to a server. All callers that wait for the server get the result.
async fn greet(server: Arc<Server>) {
    let params = greeting(server.heard.root());
    let answer = server.request("initialize", &params, server.known.cap).await;
    let promises = answer.and_then(|answer| {
        Capabilities::read(&answer).map_err(|what| {
            let fault = ServerError::Odd {
                server: server.known.name.to_owned(),
                method: "initialize".to_owned(),
                what,
            };
            server.end(fault.clone());
            fault
        })
    });
    match &promises {
        Ok(_) => {
            server.wire.tell("initialized", &json!({}));
            server.heard.note(|readiness| readiness.greeted(Instant::now()));
        }
        Err(fault) => server.end(fault.clone()),
    }
    server.greeted.send_replace(Some(promises));
}
