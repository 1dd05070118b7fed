//! Running commands: the job table, the sandbox and the network proxy.

pub mod exec;
mod file_notes;
pub mod job;
mod kill;
mod network;
mod publish;
mod refusal;
mod report;
mod sandbox_text;
pub mod stop;

pub use publish::{PortError, PublishedPorts};
pub use report::{
    CommandExit, CommandOutcome, CommandReport, ConfinementReport, Leftover, OutputPiece, State,
};

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
    Environment, Job, Jobs, Launch, Limits, Network, PathAccess, Plan, Program, Resources, Sandbox,
    SessionKey, Settings, UnknownJobError, WaitCondition,
};
use toolpost_workspace::WorkspacePath;

/// The part of the engine that starts, tracks and stops commands. Clones share their state.
#[derive(Debug, Clone)]
pub struct Commands {
    jobs: Arc<Jobs>,
    sandbox: Arc<Sandbox>,
    hosts: Hosts,
    resources: Resources,
    refusals: Refusals,
    publisher: Publisher,
    /// Cancelled when the server shuts down.
    ending: CancellationToken,
    /// Limits concurrent starts, because each takes a worker thread, and other calls need worker threads, too.
    starting: Arc<Semaphore>,
}

/// The commands of a session, and the proxy of their network. Dropping this value, at the end of the session,
/// stops the commands and the proxy.
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
        // If the Tokio runtime has ended, no task can run: the server is exiting, and the kernel kills the
        // commands.
        self.runtime.spawn(async move { jobs.end_session(&session).await });
    }
}

/// Maximum number of programs that are started at the same time.
const STARTING: usize = 8;

impl Commands {
    /// Creates a runner with an empty job table.
    ///
    /// `sandbox` confines every command, unless it is off. Confined commands can reach only the given hosts. Output
    /// that is too long for memory goes to unnamed files in the directory `spool`.
    ///
    /// # Errors
    /// If the operating system provides no random bytes for the ids of jobs.
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

    /// Sets the limits on memory, processes and disk space for each command. The defaults depend on the
    /// machine.
    #[must_use]
    pub fn with_resources(self, resources: Resources) -> Self {
        Self { resources, ..self }
    }

    /// Sets the ports that are published: when a command in its session's network listens on such a port, programs of
    /// the host reach it at 127.0.0.1. By default, no port is published.
    #[must_use]
    pub fn with_published(self, ports: PublishedPorts) -> Self {
        Self { publisher: Publisher::new(ports), ..self }
    }

    /// Stops all commands, and waits at most two seconds for their exit; later starts fail.
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

    /// Describes how a program is started in a directory of the workspace, with the configured sandbox and limits.
    pub(crate) fn launch(&self, program: Program, directory: &WorkspacePath) -> Launch {
        let limits = Limits { resources: self.resources, ..Limits::default() };
        Launch { sandbox: (*self.sandbox).clone(), limits, ..Launch::new(program, directory.raw()) }
    }

    /// Adds paths that the sandbox of a launch shows to the command, read-only. Leaves out secrets, and directories that
    /// contain a home directory. Changes nothing without a sandbox. Blocks.
    pub(crate) fn showing(&self, launch: Launch, paths: &[PathBuf]) -> Launch {
        let Sandbox::On(plan) = &launch.sandbox else { return launch };
        if paths.is_empty() {
            return launch;
        }
        let environment = Environment::of_this_process();
        let paths = paths.iter().map(|path| environment.expanded(path));
        let Some(readability) = plan.readability(&environment) else { return launch };
        let can_be_shown = |path: &PathBuf| readability.of(path) == PathAccess::Read;
        let readable = plan.readable.iter().cloned().chain(paths.filter(can_be_shown)).collect();
        Launch { sandbox: Sandbox::On(Plan { readable, ..plan.clone() }), ..launch }
    }

    /// Starts the proxy of the network that the commands of a session share, unless the proxy was started
    /// before.
    fn connect_session(&self, session: &SessionCommands) {
        let Some(listener) = self.jobs.take_listener(&session.session) else { return };
        let (hosts, ending) = (self.hosts.clone(), session.ending.clone());
        let refused = self.refusals.of(session.session.0.clone());
        tokio::spawn(async move {
            tokio::select! {
                // If the proxy ends, the connections of the commands are refused, and the commands report
                // that.
                _ = toolpost_net::serve(listener, hosts, refused) => {}
                () = ending.cancelled() => {}
            }
        });
    }

    /// Returns a note on the hosts that the proxy refused while a job ran, and the ports on which the job
    /// listens. Opens these ports on the host if they are published. Blocks.
    pub(crate) fn network(&self, cx: &CallCtx, job: &Job) -> NetworkState {
        let slot = cx.session.state::<OnceLock<SessionCommands>>();
        let ending = slot.get().map_or(&self.ending, |session| &session.ending);
        NetworkState {
            refused: network::refused(&self.refusals.during(cx.session.id(), job.span())),
            unmet: Vec::new(),
            ports: self.publisher.update(job, ending),
        }
    }

    /// Closes the published ports of a job.
    pub(crate) async fn close_ports(&self, job: &Job) {
        self.publisher.close(job).await;
    }

    /// Starts the proxy of a job with a separate network. The proxy runs until all processes of the job exit.
    fn connect(&self, session: &SessionKey, job: &Job) {
        let Some(listener) = job.take_listener() else { return };
        let (job, hosts) = (job.clone(), self.hosts.clone());
        let refused = self.refusals.of(session.0.clone());
        tokio::spawn(async move {
            tokio::select! {
                // If the proxy ends, the connections of the command are refused, and the command reports
                // that.
                _ = toolpost_net::serve(listener, hosts, refused) => {}
                _ = job.wait(WaitCondition::Gone, Duration::MAX) => {}
            }
        });
    }

    /// Lists the shell commands or programs of a session that are running, or that exited but left processes
    /// running, in the order of their start.
    #[must_use]
    pub fn running(&self, session: &str) -> Vec<String> {
        let jobs = self.jobs.list(&SessionKey(session.to_owned()));
        let open = jobs.iter().rev().filter(|job| !CommandReport::is_over(&job.report()));
        open.map(|job| job.program().words()).collect()
    }

    /// Finds the job of the session to which a running process belongs; `None` if it belongs to none.
    pub(crate) fn job_of_process(&self, cx: &CallCtx, pid: u32) -> Option<Job> {
        let mut jobs = self.jobs.list(&key(cx)).into_iter();
        jobs.find(|job| !CommandReport::is_over(&job.report()) && job.holds_process(pid))
    }

    /// Finds a job of the session by its id; without an id, the job that was started last. Fails with
    /// `NotFound` if there is none.
    pub(crate) fn find(&self, cx: &CallCtx, id: Option<&str>) -> Result<Job, Failure> {
        let session = key(cx);
        match id {
            Some(id) => self.jobs.find(&session, id).map_err(|error| unknown(&error)),
            None => self.jobs.latest(&session).ok_or_else(|| {
                let what = "No command was started in this session, so there is none to check.";
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

fn unknown(error: &UnknownJobError) -> Failure {
    Failure::new(Kind::NotFound, convert::opened(&error.to_string()))
}

/// The part of the engine that starts and tracks commands, if running commands is enabled. Clones share their state.
#[derive(Clone)]
pub struct CommandAccess {
    commands: Option<Commands>,
}

impl CommandAccess {
    pub(crate) fn new(commands: Option<Commands>) -> Self {
        Self { commands }
    }

    /// Returns the part of the engine that starts and tracks commands.
    ///
    /// # Errors
    /// `Denied` if running commands is disabled.
    pub(crate) fn commands(&self) -> Result<Commands, Failure> {
        self.commands.clone().ok_or_else(|| {
            let advice = "Use the file tools, or leave the command to the user.";
            Failure::new(
                Kind::Denied,
                "No commands can run here: the program that embeds Toolpost has not enabled commands.",
            )
            .hint(Hint::Advice(advice.to_owned()))
        })
    }
}
