//! Running of commands: the job table, the sandbox and the network proxy.

pub mod exec;
mod file_notes;
pub mod job;
mod network;
mod publish;
mod refusal;
mod report;
pub mod stop;

pub use publish::{BadPort, PublishedPorts};
pub use report::{Confined, Ending, Leftover, Piece, Ran, Standing, State};

use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind, convert},
    workers::blocking,
};
use network::{NetworkState, Refusals};
use publish::Publisher;
use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::{runtime::Handle, sync::Semaphore};
use tokio_util::sync::CancellationToken;
use toolpost_net::Hosts;
use toolpost_process::{
    Job, Jobs, Launch, Limits, Network, Plan, Program, Resources, Sandbox, SessionKey, Settings, UnknownJob,
    Until,
};
use toolpost_workspace::WorkspacePath;

/// The runner of commands. Clones share their state.
#[derive(Debug, Clone)]
pub struct Commands {
    jobs: Arc<Jobs>,
    sandbox: Arc<Sandbox>,
    hosts: Hosts,
    resources: Resources,
    refusals: Refusals,
    publisher: Publisher,
    /// Cancelled at shutdown.
    ending: CancellationToken,
    /// Limits concurrent starts: each takes a thread, and other calls need some.
    starting: Arc<Semaphore>,
}

/// The commands of a session and the proxy of their network. They end when it is dropped, with the session.
#[derive(Debug)]
pub(crate) struct SessionCommands {
    jobs: Arc<Jobs>,
    session: SessionKey,
    /// Cancelled when the session ends.
    ending: CancellationToken,
    runtime: Handle,
}

impl Drop for SessionCommands {
    fn drop(&mut self) {
        self.ending.cancel();
        let (jobs, session) = (Arc::clone(&self.jobs), self.session.clone());
        // If the runtime has ended, no task can run: the server is exiting, and the kernel kills the
        // commands.
        self.runtime.spawn(async move { jobs.end_session(&session).await });
    }
}

/// Maximum number of programs that are started at the same time.
const STARTING: usize = 8;

impl Commands {
    /// Creates a runner with an empty job table. Output that is too long for memory goes to unnamed files in
    /// the spool directory.
    /// The sandbox confines every command, and the commands reach only these hosts.
    ///
    /// # Errors
    /// If the system has no randomness for the names of jobs.
    pub fn new(spool: PathBuf, sandbox: Sandbox, hosts: Hosts) -> Result<Self, Failure> {
        let settings = Settings { spool, ..Settings::default() };
        let jobs = Arc::new(Jobs::new(settings).map_err(convert::start)?);
        let network = if hosts.is_empty() { Network::Closed } else { Network::Proxied };
        let sandbox = match sandbox {
            Sandbox::On(plan) => Sandbox::On(Plan { network, ..plan }),
            Sandbox::Off => Sandbox::Off,
        };
        let starting = Arc::new(Semaphore::new(STARTING));
        Ok(Self {
            jobs,
            sandbox: Arc::new(sandbox),
            hosts,
            resources: Resources::of_machine(),
            refusals: Refusals::default(),
            publisher: Publisher::default(),
            ending: CancellationToken::new(),
            starting,
        })
    }

    /// Sets the memory, processes and disk space that each command may use. Without this call, the machine's
    /// defaults apply.
    #[must_use]
    pub fn with_resources(self, resources: Resources) -> Self {
        Self { resources, ..self }
    }

    /// Lets the user reach these ports of commands from the host, at 127.0.0.1. Without this call, there are none.
    #[must_use]
    pub fn with_published(self, ports: PublishedPorts) -> Self {
        Self { publisher: Publisher::new(ports), ..self }
    }

    /// Stops everything that runs, within two seconds, and starts nothing more.
    pub async fn shut_down(&self) {
        self.jobs.shut_down().await;
        self.ending.cancel();
    }

    /// Starts a program for a session, and serves its network requests through the proxy.
    pub(crate) async fn start(&self, cx: &CallCtx, launch: Launch) -> Result<Job, Failure> {
        let (jobs, session) = (Arc::clone(&self.jobs), key(cx));
        let _place = tokio::select! {
            biased;
            () = cx.cancel.cancelled() => return Err(cancelled()),
            place = self.starting.acquire() => place.ok(),
        };
        let slot = cx.session.state::<OnceLock<SessionCommands>>();
        let belongings = slot.get_or_init(|| SessionCommands {
            jobs: Arc::clone(&self.jobs),
            session: session.clone(),
            ending: self.ending.child_token(),
            runtime: Handle::current(),
        });
        let job = blocking(move || jobs.start(&session, &launch).map_err(convert::start)).await?;
        self.connect_session(belongings);
        self.connect(&key(cx), &job);
        self.publisher.watch(&job, belongings.ending.clone());
        Ok(job)
    }

    /// Builds the launch of a program in a directory of the workspace.
    pub(crate) fn launch(&self, program: Program, directory: &WorkspacePath) -> Launch {
        let limits = Limits { resources: self.resources, ..Limits::default() };
        Launch { sandbox: (*self.sandbox).clone(), limits, ..Launch::new(program, directory.raw()) }
    }

    /// Runs the proxy of the network that the commands of a session share.
    fn connect_session(&self, session: &SessionCommands) {
        let Some(listener) = self.jobs.take_listener(&session.session) else { return };
        let (hosts, ending) = (self.hosts.clone(), session.ending.clone());
        let refused = self.refusals.of(session.session.0.clone());
        tokio::spawn(async move {
            tokio::select! {
                // If it ends, connections to it are refused, and the commands report that.
                _ = toolpost_net::serve(listener, hosts, refused) => {}
                () = ending.cancelled() => {}
            }
        });
    }

    /// Returns the hosts that the proxy refused while a job ran, and the ports that it listens on. Opens those that are published.
    /// Blocks.
    pub(crate) fn network(&self, cx: &CallCtx, job: &Job) -> NetworkState {
        let slot = cx.session.state::<OnceLock<SessionCommands>>();
        let ending = slot.get().map_or(&self.ending, |session| &session.ending);
        NetworkState {
            refused: network::refused(&self.refusals.during(cx.session.id(), job.span())),
            ports: self.publisher.update(job, ending),
        }
    }

    /// Closes the published ports of a job.
    pub(crate) async fn close_ports(&self, job: &Job) {
        self.publisher.close(job).await;
    }

    /// Runs the proxy of a job that has a separate network, until the job and all its processes have exited.
    fn connect(&self, session: &SessionKey, job: &Job) {
        let Some(listener) = job.take_listener() else { return };
        let (job, hosts) = (job.clone(), self.hosts.clone());
        let refused = self.refusals.of(session.0.clone());
        tokio::spawn(async move {
            tokio::select! {
                // If it ends, the job's connections are refused, and the command reports that.
                _ = toolpost_net::serve(listener, hosts, refused) => {}
                _ = job.wait(Until::Gone, Duration::MAX) => {}
            }
        });
    }

    /// Lists the commands of a session that still run, or that left processes behind.
    #[must_use]
    pub fn running(&self, session: &str) -> Vec<String> {
        let jobs = self.jobs.list(&SessionKey(session.to_owned()));
        let open = jobs.iter().rev().filter(|job| !Ran::is_over(&job.report()));
        open.map(|job| job.program().words()).collect()
    }

    /// Finds a job of a session by its name, or the one that was started last.
    pub(crate) fn find(&self, cx: &CallCtx, id: Option<&str>) -> Result<Job, Failure> {
        let session = key(cx);
        match id {
            Some(id) => self.jobs.find(&session, id).map_err(|error| unknown(&error)),
            None => self.jobs.latest(&session).ok_or_else(|| {
                let what = "No command was started in this session, so there is none to look at.";
                Failure::new(Kind::NotFound, what)
            }),
        }
    }
}

fn cancelled() -> Failure {
    Failure::new(Kind::Cancelled, "The call was cancelled before its command was started.")
}

/// Returns the key of a call's session in the job table.
fn key(cx: &CallCtx) -> SessionKey {
    SessionKey(cx.session.id().to_owned())
}

fn unknown(error: &UnknownJob) -> Failure {
    Failure::new(Kind::NotFound, convert::opened(&error.to_string()))
}

/// Commands, if they may run. Clones share their state.
#[derive(Clone)]
pub struct CommandAccess {
    commands: Option<Commands>,
}

impl CommandAccess {
    /// Opens the capability.
    pub(crate) fn new(commands: Option<Commands>) -> Self {
        Self { commands }
    }

    /// Returns the runner of commands.
    ///
    /// # Errors
    /// `Denied` if running commands is disabled.
    pub(crate) fn commands(&self) -> Result<Commands, Failure> {
        self.commands.clone().ok_or_else(|| {
            let advice = "Do it with the tools for files, or leave the command to the user.";
            Failure::new(Kind::Denied, "No commands can be run here: this runtime was made without them.")
                .hint(Hint::Advice(advice.to_owned()))
        })
    }
}
