//! A running external agent: start, handshake, requests, and termination with all its processes.

use super::{
    client::{self, Sessions},
    pipes::{self, Tail},
    setup::{AgentPermissions, Setup},
};
use agent_client_protocol::{
    Agent, ErrorCode, Lines,
    schema::ProtocolVersion,
    v1::{
        ConnectionTo, SentRequest,
        schema::{
            AuthMethod, ClientCapabilities, FileSystemCapabilities, Implementation, InitializeRequest,
            InitializeResponse,
        },
    },
};
use std::{sync::Arc, time::Duration};
use thiserror::Error;
use tokio::{
    net::unix::pipe,
    sync::oneshot,
    time::{sleep, timeout},
};
use tokio_util::sync::{CancellationToken, DropGuard};
use toolpost_process::{Environment, Exit, Launch, Program, Service, StartError};
use toolpost_text::redact::redact;

/// Maximum time for start and handshake; some agents are downloaded first.
const START: Duration = Duration::from_secs(90);
/// Method name of the handshake.
const GREETING: &str = "initialize";
/// Maximum time between the end of the agent's output and its exit.
const END: Duration = Duration::from_millis(500);

/// A running agent. Dropping it ends the agent with all its processes.
pub(super) struct Link {
    pub(super) connection: ConnectionTo<Agent>,
    pub(super) sessions: Sessions,
    /// The agent's reply to the handshake.
    pub(super) about: InitializeResponse,
    served: Service,
    tail: Arc<Tail>,
    _over: DropGuard,
}

/// Reason why an agent cannot be used.
#[derive(Debug, Error)]
pub(super) enum AgentError {
    #[error("the agent could not be started: {0}")]
    Start(#[from] StartError),
    #[error("the agent's pipes could not be used: {0}")]
    Pipes(#[from] std::io::Error),
    #[error("the agent did not answer {what} within {seconds} s{tail}")]
    Late { what: &'static str, seconds: f64, tail: String },
    #[error("{0}")]
    Gone(String),
    #[error("the agent answered {what} with an error: {why}")]
    Refused { what: &'static str, why: String },
    #[error("the agent needs a login: start it directly and log in{methods}")]
    Login { methods: String },
    #[error(
        "the agent does not support version 1 of the Agent Client Protocol ({0}); try another release of \
         the agent"
    )]
    Version(String),
}

impl Link {
    /// Starts an agent, and performs the handshake.
    pub(super) async fn open(setup: &Setup) -> Result<Self, AgentError> {
        let (served, input, output, errors) = start(setup)?;
        let tail = Arc::new(Tail::default());
        tokio::spawn(pipes::listen(errors, tail.clone()));
        let (sessions, over) = (Sessions::default(), CancellationToken::new());
        let lines = Lines::new(pipes::written(input), pipes::messages(output, tail.clone()));
        let (tell, told) = oneshot::channel();
        let serving = client::serve(lines, sessions.clone(), tell, over.clone());
        tokio::spawn(async move {
            if let Err(error) = serving.await {
                tracing::debug!(%error, "the connection to an agent ended");
            }
        });
        let about = InitializeResponse::new(ProtocolVersion::V1);
        let Ok(connection) = told.await else {
            return Err(AgentError::Gone("the connection to the agent failed".to_owned()));
        };
        let link = Self { connection, sessions, about, served, tail, _over: over.drop_guard() };
        let about = link.ask(GREETING, link.connection.send_request(greeting(setup.may)), START).await?;
        if about.protocol_version != ProtocolVersion::V1 {
            return Err(AgentError::Version(format!("it uses version {}", about.protocol_version.as_u16())));
        }
        Ok(Self { about, ..link })
    }

    /// Waits for the response to a request.
    pub(super) async fn ask<T>(
        &self,
        what: &'static str,
        sent: SentRequest<T>,
        limit: Duration,
    ) -> Result<T, AgentError> {
        let answer = tokio::select! {
            answer = sent.block_task() => answer,
            () = self.gone() => return Err(AgentError::Gone(self.farewell().await)),
            () = sleep(limit) => {
                let (seconds, tail) = (limit.as_secs_f64(), self.tail.words());
                return Err(AgentError::Late { what, seconds, tail });
            }
        };
        match answer {
            Ok(answer) => Ok(answer),
            Err(error) => Err(self.trouble(what, &error).await),
        }
    }

    /// Converts the error of the request `what` to the reason why the agent cannot be used.
    pub(super) async fn trouble(
        &self,
        what: &'static str,
        error: &agent_client_protocol::Error,
    ) -> AgentError {
        let gone = agent_client_protocol::is_incoming_transport_closed(error)
            || agent_client_protocol::is_connection_terminated(error);
        if gone {
            return AgentError::Gone(self.farewell().await);
        }
        if error.code == ErrorCode::AUTH_REQUIRED {
            return AgentError::Login { methods: self.logins() };
        }
        let mut why = error.message.clone();
        match &error.data {
            Some(serde_json::Value::String(more)) => why.push_str(&format!(": {more}")),
            Some(data) => why.push_str(&format!(": {data}")),
            None => {}
        }
        // The protocol library rejects a handshake with another protocol version; only the text of its error shows
        // that.
        if what == GREETING && why.contains("protocol version") {
            return AgentError::Version(why);
        }
        let shown: String = redact(&why).chars().filter(|letter| !letter.is_control()).take(600).collect();
        AgentError::Refused { what, why: shown }
    }

    /// Waits until the connection is closed.
    pub(super) async fn gone(&self) {
        tokio::select! {
            () = self.connection.incoming_closed() => {}
            _ = self.connection.terminated() => {}
        }
    }

    /// Returns whether the connection is closed, or the agent has exited.
    pub(super) fn is_gone(&self) -> bool {
        self.connection.is_incoming_closed()
            || self.connection.termination().is_some()
            || self.served.exit().is_some()
    }

    /// Describes how the agent exited, with its last output.
    pub(super) async fn farewell(&self) -> String {
        if let Some(fault) = self.tail.fault() {
            return fault.to_owned();
        }
        let exit = timeout(END, self.served.wait()).await;
        let how = match exit {
            Ok(Exit::Code(code)) => format!("the agent exited with status {code}"),
            Ok(Exit::Signal(signal)) => format!("signal {signal} killed the agent"),
            Ok(Exit::Unknown) => "the agent exited".to_owned(),
            Err(_) => "the agent closed its output".to_owned(),
        };
        format!("{how}{}", self.tail.words())
    }

    /// Kills the agent and all its processes.
    pub(super) fn kill(&self) {
        self.served.kill();
    }

    /// Kills the agent, and waits briefly for its exit.
    pub(super) async fn end(&self) {
        self.served.kill();
        timeout(END, self.served.wait()).await.ok();
    }

    /// Returns the name that the agent reports.
    pub(super) fn name(&self) -> String {
        let Some(info) = &self.about.agent_info else { return "an agent that reports no name".to_owned() };
        let name = info.title.as_deref().filter(|title| !title.is_empty()).unwrap_or(&info.name);
        format!("{name} {}", info.version).chars().filter(|letter| !letter.is_control()).take(120).collect()
    }

    fn logins(&self) -> String {
        let names = self.about.auth_methods.iter().map(|method| match method {
            AuthMethod::Agent(method) => method.name.clone(),
            AuthMethod::Terminal(method) => method.name.clone(),
            _ => String::new(),
        });
        let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
        if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) }
    }
}

fn greeting(may: AgentPermissions) -> InitializeRequest {
    let files =
        FileSystemCapabilities::new().read_text_file(true).write_text_file(may != AgentPermissions::Read);
    InitializeRequest::new(ProtocolVersion::V1)
        .client_capabilities(ClientCapabilities::new().fs(files).terminal(false))
        .client_info(Implementation::new("toolpost", env!("CARGO_PKG_VERSION")))
}

/// Starts the program outside the sandbox, because it needs its login and the network.
fn start(setup: &Setup) -> Result<(Service, pipe::Sender, pipe::Receiver, pipe::Receiver), AgentError> {
    let environment = setup
        .environment
        .iter()
        .fold(Environment::of_this_process(), |environment, (name, value)| environment.with(name, value));
    let (program, arguments) =
        setup.command.split_first().map_or(("", &[][..]), |(first, rest)| (first, rest));
    let directory = setup.roots.first().cloned().unwrap_or_else(|| "/".into());
    let launch = Launch { environment, ..Launch::new(Program::direct(program, arguments), directory) };
    let (served, wires) = Service::start(&launch)?;
    let input = pipe::Sender::from_owned_fd(wires.input.into())?;
    let output = pipe::Receiver::from_owned_fd(wires.output.into())?;
    let errors = pipe::Receiver::from_owned_fd(wires.errors.into())?;
    Ok((served, input, output, errors))
}
