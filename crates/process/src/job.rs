//! One started program: its state, its output, waiting for it, and stopping it.

use std::collections::BTreeSet;
use std::io;
use std::net::TcpListener;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::watch::Sender;

use crate::launch::{Program, Size};
use crate::leftovers::{self, Holder};
use crate::output::{Excerpt, Output, OutputTail, Want};
use crate::reported_files::ReportedFiles;
use crate::resources::Resources;
use crate::sandbox::{Enforcement, Network, PathAccess, Scope, SessionNetwork};
use crate::session::SessionKey;
use crate::state::{Ending, Leftover, Report, Stage, Why};
use crate::waker::wake;

/// Time to wait for a stopped job after the grace period.
const PATIENCE: Duration = Duration::from_secs(3);

/// A program that was started, and all that descends from it.
#[derive(Debug, Clone)]
pub struct Job {
    shared: Arc<Shared>,
}

/// Event to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// The program has ended.
    Ended,
    /// The program has ended, or wrote more than this many bytes.
    Output(u64),
    /// The program has ended, and so has everything that it started.
    Gone,
}

/// Why a wait was over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitResult {
    /// The event has occurred.
    Come,
    /// The time was up.
    TimeUp,
}

/// State shared by a job and its thread.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) id: String,
    pub(crate) run: String,
    pub(crate) session: SessionKey,
    pub(crate) program: Program,
    pub(crate) directory: PathBuf,
    pub(crate) enforcement: Enforcement,
    /// The network that it shares with the other commands of its session.
    pub(crate) session_network: Option<Arc<SessionNetwork>>,
    /// The files and the network that it reaches; `None` without a sandbox.
    pub(crate) scope: Option<Scope>,
    /// The names that it may not create, by their numbers.
    pub(crate) guarded: Vec<PathBuf>,
    /// The files whose change is reported.
    pub(crate) reported: ReportedFiles,
    pub(crate) holder: Holder,
    pub(crate) begun: SystemTime,
    pub(crate) started: Instant,
    pub(crate) resources: Resources,
    pub(crate) grace: Duration,
    /// Name of this job's output in `/proc/PID/fd`.
    pub(crate) output_name: Option<String>,
    pub(crate) inner: Mutex<Inner>,
    pub(crate) changed: Sender<()>,
}

/// Mutable part.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) stage: Stage,
    pub(crate) pid: Option<i32>,
    /// The supervisor's PID, until it is reaped.
    pub(crate) supervisor: Option<i32>,
    pub(crate) output: Output,
    pub(crate) terminal: Option<OwnedFd>,
    pub(crate) listener: Option<TcpListener>,
    pub(crate) request: Option<Request>,
    /// Wakes the thread while it runs.
    pub(crate) waker: Option<Arc<OwnedFd>>,
    /// The numbers of the guarded names that it was not let create.
    pub(crate) refused: BTreeSet<usize>,
    pub(crate) presence: Presence,
}

/// Presence of processes of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Here,
    Gone(Instant),
}

/// A request to end a job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    pub(crate) why: Why,
    pub(crate) grace: Duration,
    pub(crate) notice: Notice,
}

/// The request to end, as a signal to the processes of a job.
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

    /// Returns the handle under which the session finds the job.
    pub fn id(&self) -> &str {
        &self.shared.id
    }

    /// Returns the value of `TOOLPOST_RUN_ID` in the environment of all its processes.
    pub fn run_id(&self) -> &str {
        &self.shared.run
    }

    /// Returns the program.
    pub fn program(&self) -> &Program {
        &self.shared.program
    }

    /// Returns the working directory.
    pub fn directory(&self) -> &std::path::Path {
        &self.shared.directory
    }

    /// Returns the resource limits of the job and everything that it starts.
    pub fn resources(&self) -> Resources {
        self.shared.resources
    }

    /// Returns the restrictions of it and of everything that it starts.
    pub fn enforcement(&self) -> &Enforcement {
        &self.shared.enforcement
    }

    /// Returns whether it shares one loopback with the other commands of its session.
    pub fn shares_network(&self) -> bool {
        self.shared.session_network.is_some()
    }

    /// Returns the network that it shares with the other commands of its session; `None` if it has another one.
    pub fn session_network(&self) -> Option<&Arc<SessionNetwork>> {
        self.shared.session_network.as_ref()
    }

    /// Returns its network access; `None` without a sandbox.
    pub fn network(&self) -> Option<Network> {
        self.shared.scope.as_ref().map(Scope::network)
    }

    /// Returns its access to a path, which counts from its directory if it is relative. Without a sandbox, that is `Change`.
    ///
    /// Only the words of the path are looked at: links inside a root are not followed.
    pub fn path_access(&self, path: &std::path::Path) -> PathAccess {
        let path = self.shared.directory.join(path);
        self.shared.scope.as_ref().map_or(PathAccess::Change, |scope| scope.of(&path))
    }

    /// Returns when it was started, and when it ended if it has.
    pub fn span(&self) -> (Instant, Option<Instant>) {
        let started = self.shared.started;
        (started, self.ending().map(|ending| started + ending.ran))
    }

    /// Lists the TCP ports at which its processes listen now.
    pub fn listening(&self) -> Vec<u16> {
        let inner = self.shared.lock();
        // The lock is held, so that the supervisor's number stays its own.
        inner.supervisor.map(crate::ports::below).unwrap_or_default()
    }

    /// Lists the guarded names that it tried to create or change and that were refused.
    pub fn refused(&self) -> Vec<PathBuf> {
        let refused = self.shared.lock().refused.clone();
        refused.into_iter().filter_map(|number| self.shared.guarded.get(number).cloned()).collect()
    }

    /// Lists the files that its plan wants reported and that were created or changed since it started, by whomever.
    pub fn changed(&self) -> Vec<PathBuf> {
        self.shared.reported.changed()
    }

    /// Takes the listener of its proxy, if its plan wants one; its owner answers the program's requests.
    ///
    /// It does not block, and must be dropped when the job has no processes left.
    pub fn take_listener(&self) -> Option<TcpListener> {
        self.shared.lock().listener.take()
    }

    /// Returns the time of its start.
    pub fn begun(&self) -> SystemTime {
        self.shared.begun
    }

    /// Returns the program's PID; `None` before the supervisor has reported it.
    pub fn pid(&self) -> Option<u32> {
        self.shared.lock().pid.map(i32::cast_unsigned)
    }

    /// Returns its stage.
    pub fn stage(&self) -> Stage {
        self.shared.lock().stage.clone()
    }

    /// Returns how the program ended; `None` before that.
    pub fn ending(&self) -> Option<Ending> {
        match self.shared.lock().stage {
            Stage::Ended(ending) => Some(ending),
            Stage::Running | Stage::Ending(_) => None,
        }
    }

    /// Lists what still runs although the program has ended.
    pub fn leftovers(&self) -> Vec<Leftover> {
        let inner = self.shared.lock();
        match (&inner.stage, inner.supervisor) {
            // The lock is held, so that the supervisor's number stays its own.
            (Stage::Ended(_), Some(supervisor)) => {
                leftovers::below(supervisor, self.shared.holder, self.shared.output_name.as_deref())
            }
            _ => Vec::new(),
        }
    }

    /// Returns a snapshot of its state.
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
            leftovers,
            lost: inner.output.lost(),
        }
    }

    /// Shows a part of what it wrote.
    pub fn show(&self, want: Want) -> io::Result<Excerpt> {
        self.shared.lock().output.show(want)
    }

    /// Returns its output after a position: at most that many bytes. The first position is 0.
    ///
    /// A line that is not ended is given apart from the text: it may still change.
    pub fn follow(&self, cursor: u64, limit: usize) -> io::Result<OutputTail> {
        self.shared.lock().output.follow(cursor, limit)
    }

    /// Waits until something has come, or the time is up; dropping the wait leaves the job alone.
    pub async fn wait(&self, until: Until, limit: Duration) -> WaitResult {
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

    /// Ends it: asks first, and kills at the end of the grace period. Returns immediately.
    pub fn ask_to_stop(&self, why: Why) {
        self.request(Request { why, grace: self.shared.grace, notice: Notice::Pending });
    }

    /// Ends it and all its descendants, and returns the report.
    ///
    /// When the report still lists something, the system would not let it be killed.
    pub async fn stop(&self, why: Why) -> Report {
        self.ask_to_stop(why);
        self.wait(Until::Gone, self.shared.grace + PATIENCE).await;
        self.report()
    }

    /// Writes to its terminal.
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
                    let what =
                        format!("{left} bytes were not taken: the program does not read what is typed");
                    return Err(io::Error::new(io::ErrorKind::WouldBlock, what));
                }
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }

    /// Changes the size of its terminal.
    pub fn resize(&self, size: Size) -> io::Result<()> {
        let inner = self.shared.lock();
        let terminal = inner.terminal.as_ref().ok_or_else(no_terminal)?;
        Ok(crate::spawn::set_size(terminal, size)?)
    }

    /// Returns whether anything of it is left, and if not, since when.
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

    fn has_come(&self, until: Until) -> bool {
        let inner = self.shared.lock();
        let is_ended = matches!(inner.stage, Stage::Ended(_));
        match until {
            Until::Ended => is_ended,
            Until::Output(bytes) => is_ended || inner.output.bytes() > bytes,
            Until::Gone => inner.presence != Presence::Here,
        }
    }
}

impl Shared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds output of the program, and returns the number of bytes so far.
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

    /// Notes that the program was refused the guarded name of this number.
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

    /// Forgets the supervisor, which is about to be reaped.
    pub(crate) fn forget_supervisor(&self) {
        self.lock().supervisor = None;
    }

    /// Notes that no process of the job is left.
    pub(crate) fn all_gone(&self) {
        {
            let mut inner = self.lock();
            inner.output.finish();
            inner.terminal = None;
            inner.listener = None;
            inner.waker = None;
            inner.presence = Presence::Gone(Instant::now());
        }
        self.changed.send_replace(());
    }
}

fn no_terminal() -> io::Error {
    let what = "the program has no terminal, or has ended: start it with one to write to it";
    io::Error::new(io::ErrorKind::Unsupported, what)
}
