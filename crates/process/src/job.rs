//! One job: a started program with its state and output, and the handle to wait for it and to stop it.

use std::collections::BTreeSet;
use std::io;
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rustix::event::{EventfdFlags, eventfd};
use tokio::sync::watch::Sender;
use toolpost_sandbox::{Enforcement, Environment, Network, PathAccess, Scope, SessionNetwork, host};

use crate::launch::{Program, Size};
use crate::leftovers::{self, JobAncestor};
use crate::output::{Excerpt, Output, OutputRange, OutputTail};
use crate::reported_files::ReportedFiles;
use crate::resources::Resources;
use crate::session::SessionKey;
use crate::state::{ExitReport, Leftover, Report, Stage, StopReason};

/// Time to wait, after the grace period, for the killed processes of a job to disappear.
const PATIENCE: Duration = Duration::from_secs(3);

/// The handle of a started program and all its descendants.
#[derive(Debug, Clone)]
pub struct Job {
    shared: Arc<Shared>,
}

/// The event of a job for which `Job::wait` waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitCondition {
    /// The program has exited.
    Ended,
    /// The program has exited, or wrote more than this many bytes.
    Output(u64),
    /// The program and everything that it started have exited.
    Gone,
}

/// The outcome of waiting for an event of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitResult {
    /// The event occurred within the time limit.
    Come,
    /// The event did not occur within the time limit.
    TimeUp,
}

/// The state that the handles of a job share with the thread that watches its program.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) id: String,
    pub(crate) run: String,
    pub(crate) session: SessionKey,
    pub(crate) program: Program,
    pub(crate) directory: PathBuf,
    pub(crate) enforcement: Enforcement,
    /// True if the job shares a network namespace with the other commands of its session.
    pub(crate) shares_network: bool,
    /// The files and the network that the job can access; `None` without a sandbox.
    pub(crate) scope: Option<Scope>,
    /// The guarded paths, which the job may not create or change. Messages of the supervisor refer to them by
    /// index.
    pub(crate) guarded: Vec<PathBuf>,
    /// The files in the roots whose changes during the job are reported to the user, such as `AGENTS.md`.
    pub(crate) reported: ReportedFiles,
    pub(crate) holder: JobAncestor,
    pub(crate) begun: SystemTime,
    pub(crate) started: Instant,
    pub(crate) resources: Resources,
    pub(crate) grace: Duration,
    /// The target of a link in `/proc/PID/fd` by which a process is recognised as one that has the job's output
    /// open; `None` if it could not be determined.
    pub(crate) output_name: Option<String>,
    pub(crate) inner: Mutex<JobState>,
    pub(crate) changed: Sender<()>,
}

/// The mutable state of a job.
#[derive(Debug)]
pub(crate) struct JobState {
    pub(crate) stage: Stage,
    pub(crate) pid: Option<i32>,
    /// The supervisor's PID, until it is reaped or has no descendants left.
    pub(crate) supervisor: Option<i32>,
    pub(crate) output: Output,
    pub(crate) terminal: Option<OwnedFd>,
    pub(crate) listener: Option<TcpListener>,
    /// The session's network. The reference keeps the network alive until no process of the job is left.
    pub(crate) session_network: Option<Arc<SessionNetwork>>,
    pub(crate) request: Option<Request>,
    /// Wakes the thread that watches the program; `None` after that thread has finished.
    pub(crate) waker: Option<Arc<OwnedFd>>,
    /// The indexes of the guarded names that the job was not allowed to create or change.
    pub(crate) refused: BTreeSet<usize>,
    pub(crate) presence: Presence,
}

/// Presence of a job's processes: some are left (`Here`), or the last one exited at the given time (`Gone`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Here,
    Gone(Instant),
}

/// A request to the job's thread to stop all processes of the job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    pub(crate) why: StopReason,
    pub(crate) grace: Duration,
    pub(crate) notice: Notice,
}

/// State of the signal that asks the processes of a job to exit. `Pending`: the job's thread must send it. `Given`: it
/// must not, because the signal was sent, or because the processes are killed without a grace period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notice {
    Given,
    Pending,
}

impl Job {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Returns the id by which the session finds the job.
    pub fn id(&self) -> &str {
        &self.shared.id
    }

    /// Returns the run id: the value of `TOOLPOST_RUN_ID` in the environment of all processes of the job.
    pub fn run_id(&self) -> &str {
        &self.shared.run
    }

    /// Returns the program or shell command that the job was started with.
    pub fn program(&self) -> &Program {
        &self.shared.program
    }

    /// Returns the working directory in which the program was started.
    pub fn directory(&self) -> &std::path::Path {
        &self.shared.directory
    }

    /// Returns the resource limits of the job and everything that it starts.
    pub fn resources(&self) -> Resources {
        self.shared.resources
    }

    /// Returns the restrictions of the job and of everything that it starts.
    pub fn enforcement(&self) -> &Enforcement {
        &self.shared.enforcement
    }

    /// Returns whether the job shares one loopback interface with the other commands of its session.
    pub fn shares_network(&self) -> bool {
        self.shared.shares_network
    }

    /// Returns the network that the job shares with the other commands of its session. `None` if the job has
    /// a different network, or if none of its processes is left.
    pub fn session_network(&self) -> Option<Arc<SessionNetwork>> {
        self.shared.lock().session_network.clone()
    }

    /// Returns the job's network access; `None` without a sandbox.
    pub fn network(&self) -> Option<Network> {
        self.shared.scope.as_ref().map(Scope::network)
    }

    /// Returns the job's access to a path. Relative paths start at the working directory. Without a sandbox,
    /// the access is `Change`.
    ///
    /// Only the text of the path counts: symbolic links inside a root are not followed.
    pub fn path_access(&self, path: &std::path::Path) -> PathAccess {
        let path = self.shared.directory.join(path);
        self.shared.scope.as_ref().map_or(PathAccess::Change, |scope| scope.of(&path))
    }

    /// Returns the kind of access to a path that the sandbox withholds from the program: a hidden path, a path in
    /// the private home directory, or a directory that is visible only in part. `None` for other paths, and for
    /// a path whose first directory does not exist, because such a text may not be a path.
    pub fn withheld(&self, path: &std::path::Path) -> Option<PathAccess> {
        let path = Environment::of_this_process().expanded(path);
        let first: PathBuf = path.components().take(2).collect();
        let access = self.path_access(&path);
        let counts = matches!(access, PathAccess::Hidden | PathAccess::Home | PathAccess::Part);
        (counts && host::kind(&first).is_some()).then_some(access)
    }

    /// Returns the start time of the program, and its exit time if it has exited.
    pub fn span(&self) -> (Instant, Option<Instant>) {
        let started = self.shared.started;
        (started, self.ending().map(|ending| started + ending.ran))
    }

    /// Lists the TCP ports on which processes of the job listen now.
    pub fn listening(&self) -> Vec<u16> {
        let inner = self.shared.lock();
        // The lock is held, so that the supervisor's PID cannot be reused.
        inner.supervisor.map(crate::ports::below).unwrap_or_default()
    }

    /// Lists the guarded paths that the job tried to create or change and that were refused.
    pub fn refused(&self) -> Vec<PathBuf> {
        let refused = self.shared.lock().refused.clone();
        refused.into_iter().filter_map(|number| self.shared.guarded.get(number).cloned()).collect()
    }

    /// Lists the files that the sandbox plan asks to report and that any process has created or changed since
    /// the job started.
    pub fn changed(&self) -> Vec<PathBuf> {
        self.shared.reported.changed()
    }

    /// Takes the listener of the job's network proxy; `None` if the job has no separate proxy, or if the listener
    /// was already taken. The caller must serve its connections.
    ///
    /// The listener is non-blocking. Drop it when no process of the job is left.
    pub fn take_listener(&self) -> Option<TcpListener> {
        self.shared.lock().listener.take()
    }

    /// Returns the wall-clock time at which the program was started.
    pub fn begun(&self) -> SystemTime {
        self.shared.begun
    }

    /// Returns the program's PID; `None` before the supervisor has reported it.
    pub fn pid(&self) -> Option<u32> {
        self.shared.lock().pid.map(i32::cast_unsigned)
    }

    /// Returns the progress of the job: running, being stopped, or exited.
    pub fn stage(&self) -> Stage {
        self.shared.lock().stage.clone()
    }

    /// Returns how the program exited; `None` until it has.
    pub fn ending(&self) -> Option<ExitReport> {
        match self.shared.lock().stage {
            Stage::Ended(ending) => Some(ending),
            Stage::Running | Stage::Ending(_) => None,
        }
    }

    /// Lists the processes that still run after the program exited; empty while the program runs.
    pub fn leftovers(&self) -> Vec<Leftover> {
        let inner = self.shared.lock();
        match (&inner.stage, inner.supervisor) {
            // The lock is held, so that the supervisor's PID cannot be reused.
            (Stage::Ended(_), Some(supervisor)) => {
                leftovers::below(supervisor, self.shared.holder, self.shared.output_name.as_deref())
            }
            _ => Vec::new(),
        }
    }

    /// Returns whether a running process belongs to the job, including the processes of its sandbox. The PID is that
    /// of the host.
    pub fn holds_process(&self, pid: u32) -> bool {
        let inner = self.shared.lock();
        let wanted = pid.cast_signed();
        // The lock is held, so that the supervisor's PID cannot be reused.
        inner.supervisor.is_some_and(|supervisor| {
            crate::tree::below(supervisor).iter().any(|process| process.pid == wanted)
        })
    }

    /// Returns a snapshot of the job's state.
    pub fn report(&self) -> Report {
        let leftovers = self.leftovers();
        let inner = self.shared.lock();
        let ran = match &inner.stage {
            Stage::Ended(ending) => ending.ran,
            Stage::Running | Stage::Ending(_) => self.shared.started.elapsed(),
        };
        Report {
            stage: inner.stage.clone(),
            ran,
            bytes: inner.output.bytes(),
            characters: inner.output.characters(),
            text_bytes: inner.output.text_bytes(),
            losses: inner.output.losses(),
            leftovers,
            lost: inner.output.lost(),
        }
    }

    /// Returns the requested part of the job's output.
    pub fn show(&self, want: OutputRange) -> io::Result<Excerpt> {
        self.shared.lock().output.show(want)
    }

    /// Returns the output after a cursor: its last `limit` bytes if there are more. The first cursor is 0.
    ///
    /// An unfinished line is separate from the text, because it may still change.
    pub fn follow(&self, cursor: u64, limit: usize) -> io::Result<OutputTail> {
        self.shared.lock().output.follow(cursor, limit)
    }

    /// Waits for an event of the job, or until the time limit. Dropping the future does not affect the job.
    pub async fn wait(&self, until: WaitCondition, limit: Duration) -> WaitResult {
        let mut changed = self.shared.changed.subscribe();
        let come = async {
            while !self.has_come(until) {
                changed.borrow_and_update();
                if self.has_come(until) || changed.changed().await.is_err() {
                    return;
                }
            }
        };
        match tokio::time::timeout(limit, come).await {
            Ok(()) => WaitResult::Come,
            Err(_) => WaitResult::TimeUp,
        }
    }

    /// Asks all processes of the job to exit, and kills those that still run after the grace period. Returns
    /// immediately.
    pub fn ask_to_stop(&self, why: StopReason) {
        self.request(Request { why, grace: self.shared.grace, notice: Notice::Pending });
    }

    /// Stops the program and all its descendants, and returns the report.
    ///
    /// A process that the report still lists could not be killed, or had not exited a few seconds after the kill.
    pub async fn stop(&self, why: StopReason) -> Report {
        self.ask_to_stop(why);
        self.wait(WaitCondition::Gone, self.shared.grace + PATIENCE).await;
        self.report()
    }

    /// Writes to the program's terminal. Fails if the job has no terminal, and with `WouldBlock` if the
    /// program does not read all of the input.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let inner = self.shared.lock();
        let Some(terminal) = &inner.terminal else { return Err(no_terminal()) };
        let mut rest = bytes;
        while !rest.is_empty() {
            match rustix::io::write(terminal, rest) {
                Ok(length) => rest = &rest[length..],
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => {
                    let left = rest.len();
                    let what = format!("the program does not read its input: {left} bytes were not written");
                    return Err(io::Error::new(io::ErrorKind::WouldBlock, what));
                }
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }

    /// Changes the size of the program's terminal.
    pub fn resize(&self, size: Size) -> io::Result<()> {
        let inner = self.shared.lock();
        let terminal = inner.terminal.as_ref().ok_or_else(no_terminal)?;
        Ok(crate::standard_streams::set_size(terminal, size)?)
    }

    /// Returns whether any process of the job is left, and if not, since when.
    pub(crate) fn presence(&self) -> Presence {
        self.shared.lock().presence
    }

    pub(crate) fn request(&self, request: Request) {
        let mut inner = self.shared.lock();
        inner.request = Some(request);
        if let Some(waker) = &inner.waker {
            wake(waker.as_fd());
        }
    }

    fn has_come(&self, until: WaitCondition) -> bool {
        let inner = self.shared.lock();
        let is_ended = matches!(inner.stage, Stage::Ended(_));
        match until {
            WaitCondition::Ended => is_ended,
            WaitCondition::Output(bytes) => is_ended || inner.output.bytes() > bytes,
            WaitCondition::Gone => inner.presence != Presence::Here,
        }
    }
}

impl Shared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, JobState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds output of the program, and returns the number of bytes that the program has written so far.
    pub(crate) fn feed(&self, bytes: &[u8]) -> u64 {
        let written = {
            let mut inner = self.lock();
            inner.output.feed(bytes);
            inner.output.bytes()
        };
        self.changed.send_replace(());
        written
    }

    pub(crate) fn set_pid(&self, pid: i32) {
        self.lock().pid = Some(pid);
    }

    /// Records that the program was not allowed to create or change the guarded name with this index.
    pub(crate) fn add_refused(&self, number: i32) {
        if let Ok(number) = usize::try_from(number) {
            self.lock().refused.insert(number);
        }
    }

    pub(crate) fn take_request(&self) -> Option<Request> {
        self.lock().request.take()
    }

    pub(crate) fn is_ended(&self) -> bool {
        matches!(self.lock().stage, Stage::Ended(_))
    }

    pub(crate) fn set(&self, stage: Stage) {
        self.lock().stage = stage;
        self.changed.send_replace(());
    }

    /// Clears the supervisor's PID, because the supervisor is about to be reaped or has no descendants left.
    pub(crate) fn forget_supervisor(&self) {
        self.lock().supervisor = None;
    }

    /// Records that no process of the job is left.
    pub(crate) fn all_gone(&self) {
        {
            let mut inner = self.lock();
            inner.output.finish();
            inner.terminal = None;
            inner.listener = None;
            inner.session_network = None;
            inner.waker = None;
            inner.presence = Presence::Gone(Instant::now());
        }
        self.changed.send_replace(());
    }
}

fn no_terminal() -> io::Error {
    let what = "the program has no terminal, or has exited: to write to a program, start it with a terminal";
    io::Error::new(io::ErrorKind::Unsupported, what)
}

/// Creates the event that wakes the thread of a job.
pub(crate) fn waker() -> io::Result<OwnedFd> {
    Ok(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)
}

/// Wakes a job's thread.
pub(crate) fn wake(waker: BorrowedFd<'_>) {
    let _ = rustix::io::write(waker, &1_u64.to_ne_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::{Jobs, Settings};
    use crate::launch::Launch;

    #[tokio::test]
    async fn a_job_without_leftovers_forgets_its_supervisor() {
        let directory = tempfile::tempdir().unwrap();
        let settings = Settings { spool: directory.path().to_owned(), ..Settings::default() };
        let jobs = Jobs::new(settings).unwrap();
        for (line, is_left) in [("exit 3", false), ("sleep 97 >/dev/null 2>&1 & exit 3", true)] {
            for _ in 0..5 {
                let launch = Launch::new(Program::line(line), directory.path());
                let job = jobs.start(&SessionKey("a session".to_owned()), &launch).unwrap();
                job.wait(WaitCondition::Ended, Duration::from_secs(60)).await;
                // As long as the job has a supervisor PID, each report scans all processes of the system for
                // descendants.
                assert_eq!(job.shared().lock().supervisor.is_some(), is_left, "{line}");
                assert_eq!(
                    (job.leftovers().len(), job.listening()),
                    (usize::from(is_left), vec![]),
                    "{line}"
                );
            }
        }
        jobs.shut_down().await;
    }
}
