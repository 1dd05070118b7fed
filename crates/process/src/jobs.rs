//! The table of the server's jobs (started programs), with limits on their number and age.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::{CStr, OsStr};
use std::net::TcpListener;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rustix::process::{Rlimit, Signal};
use tokio::sync::watch::Sender;
use toolpost_sandbox::{
    Confinement, Creations, Enforcement, Network, Plan, Sandbox, Scope, SessionNetwork, limit_of,
};

use crate::error::{StartError, UnknownJobError};
use crate::job::{Job, JobState, Notice, Presence, Request, Shared, WaitCondition, waker};
use crate::launch::Launch;
use crate::leftovers::{JobAncestor, name_of_other_end};
use crate::login::{Changes, Logins};
use crate::network::Networks;
use crate::output::Output;
use crate::prepare::prepare;
use crate::prepared::{Launchers, Supervisor};
use crate::random::random_name;
use crate::reported_files::ReportedFiles;
use crate::session::SessionKey;
use crate::shortage::start_patiently;
use crate::spawn::{ProgramHandle, raise_file_limit, spawn};
use crate::state::{Stage, StopReason};
use crate::temporary::Temporaries;
use crate::tree;
use crate::usage::{FreeSpace, free_space};
use crate::watch::Watch;

/// Stack size of the thread that watches a job's program, in bytes.
const STACK: usize = 256 * 1024;

/// Limits of the job table.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The directory for temporary files, and for output that is too long for memory (in files without a
    /// name).
    pub spool: PathBuf,
    /// Maximum total size of the output of all jobs on the disk, in bytes. If it is exceeded when a job starts,
    /// the output of finished jobs is shrunk, the oldest first.
    pub spooled: u64,
    /// Maximum number of running jobs.
    pub running: usize,
    /// Maximum number of finished jobs that a session remembers.
    pub remembered: usize,
    /// Time after the exit for which a finished job is remembered.
    pub age: Duration,
    /// The function that measures free disk space, for the disk limit.
    pub free_space: FreeSpace,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            spool: std::env::temp_dir(),
            spooled: 1024 * 1024 * 1024,
            running: 1000,
            remembered: 100,
            age: Duration::from_secs(24 * 60 * 60),
            free_space,
        }
    }
}

/// All jobs of this server. Dropping the table kills them.
#[derive(Debug)]
pub struct Jobs {
    settings: Settings,
    /// The prefix of this server's run ids, which distinguishes them from those of other servers.
    server: String,
    files: Rlimit,
    table: Mutex<Table>,
    temporaries: Temporaries,
    networks: Networks,
    launchers: Launchers,
    logins: Logins,
}

#[derive(Debug, Default)]
struct Table {
    /// The jobs in the order in which they started.
    jobs: Vec<Job>,
    door: Admission,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Admission {
    #[default]
    Open,
    Closed,
}

/// Returns the network access in a sandbox plan; `Closed` without a sandbox.
fn network_of(sandbox: &Sandbox) -> Network {
    match sandbox {
        Sandbox::On(plan) => plan.network,
        Sandbox::Off => Network::Closed,
    }
}

impl Jobs {
    /// Creates an empty job table.
    pub fn new(settings: Settings) -> Result<Self, StartError> {
        let (server, files) = (random_name()?, raise_file_limit());
        let temporaries = Temporaries::new(&settings.spool, &server);
        Ok(Self {
            settings,
            server,
            files,
            table: Mutex::default(),
            temporaries,
            networks: Networks::default(),
            launchers: Launchers::default(),
            logins: Logins::default(),
        })
    }

    /// Starts a program for a session.
    pub fn start(&self, session: &SessionKey, launch: &Launch) -> Result<Job, StartError> {
        self.check_room()?;
        let launch = &self.with_temporary(session, launch);
        let profile = self.logins.of(session, launch, |launch| self.start_comparison(session, launch));
        let job = self.start_unlisted(session, launch, profile.as_ref())?;
        self.add(job.clone());
        Ok(job)
    }

    /// Starts the comparison of two shells, which is not added to the table of jobs.
    fn start_comparison(&self, session: &SessionKey, launch: &Launch) -> Result<Job, StartError> {
        let job = self.start_unlisted(session, launch, None)?;
        // The job table may have been shut down after `start` checked it.
        if self.lock().door == Admission::Closed {
            job.request(at_once());
        }
        Ok(job)
    }

    /// Starts a program that is not added to the table of jobs.
    fn start_unlisted(
        &self,
        session: &SessionKey,
        launch: &Launch,
        profile: Option<&Changes>,
    ) -> Result<Job, StartError> {
        let id = format!("job-{}", random_name()?);
        let run = format!("{}-{id}", self.server);
        let reported = ReportedFiles::new(&launch.sandbox);
        // Create the thread and the event that wakes it first. If one of them failed later, the program would
        // run for a moment before it is killed.
        let (wake, begin) = start_patiently(|| {
            let wake = waker().map_err(|fault| StartError::Missing { what: "a descriptor", fault })?;
            Ok((Arc::new(wake), watching_thread()?))
        })?;
        let (confined, mut started) = start_patiently(|| self.spawn(session, launch, &run, profile))?;
        let SandboxProperties { enforcement, holder, guarded, scope, session_network } = confined;
        let inner = JobState {
            stage: Stage::Running,
            pid: None,
            supervisor: Some(started.supervisor.pid()),
            output: Output::new(self.settings.spool.clone()),
            terminal: started.terminal.take(),
            listener: started.listener.take().map(TcpListener::from),
            session_network: session_network.clone(),
            request: None,
            waker: Some(Arc::clone(&wake)),
            refused: BTreeSet::new(),
            presence: Presence::Here,
        };
        let shared = Arc::new(Shared {
            id,
            run,
            session: session.clone(),
            program: launch.program.clone(),
            directory: launch.directory.clone(),
            enforcement,
            shares_network: session_network.is_some(),
            scope,
            guarded,
            reported,
            holder,
            begun: SystemTime::now(),
            started: Instant::now(),
            resources: launch.limits.resources,
            grace: launch.limits.grace,
            output_name: name_of_other_end(&started.output),
            inner: Mutex::new(inner),
            changed: Sender::new(()),
        });
        let job = Job::new(Arc::clone(&shared));
        let watch = Watch::new(shared, started, wake, launch, self.settings.free_space);
        // The job's thread waits for this message. If that thread were gone, `watch` would be dropped, which
        // closes the control socket, and the supervisor would kill everything.
        let _ = begin.send(watch);
        Ok(job)
    }

    /// Starts the program of a job, through the session's launcher if that has prepared its sandbox.
    fn spawn(
        &self,
        session: &SessionKey,
        launch: &Launch,
        run: &str,
        profile: Option<&Changes>,
    ) -> Result<(SandboxProperties, ProgramHandle), StartError> {
        let network = || self.networks.of(session, network_of(&launch.sandbox));
        let prepared = prepare(launch, run, profile, network)?;
        let mut confined = SandboxProperties::of(prepared.confinement.as_ref());
        let launcher = self.launchers.of(session, &launch.sandbox, prepared.confinement.as_ref());
        let started = spawn(launch, prepared, self.files, launcher.as_ref()).inspect_err(|error| {
            // Launchers and the supervisors that they keep ready count towards the system's limits.
            if error.fault().is_some_and(|fault| limit_of(fault).is_some()) {
                self.launchers.forget_all();
            }
        })?;
        match (&started.supervisor, &launcher) {
            (Supervisor::Launched { .. }, _) => confined.holder = JobAncestor::Child,
            (Supervisor::Child(_), Some(launcher)) => self.launchers.give_up(session, launcher),
            (Supervisor::Child(_), None) => {}
        }
        Ok((confined, started))
    }

    /// Takes the listener for the proxy of a session's shared network; `None` if it was already taken or does
    /// not exist.
    pub fn take_listener(&self, session: &SessionKey) -> Option<TcpListener> {
        self.networks.find(session, Network::Proxied)?.take_listener()
    }

    /// Finds a job of a session.
    pub fn find(&self, session: &SessionKey, id: &str) -> Result<Job, UnknownJobError> {
        let jobs = self.list(session);
        let found = jobs.iter().find(|job| job.id() == id);
        found.cloned().ok_or_else(|| UnknownJobError {
            id: id.to_owned(),
            known: jobs.iter().map(|job| job.id().to_owned()).collect(),
        })
    }

    /// Returns the latest job of a session; `None` if the session has no jobs.
    pub fn latest(&self, session: &SessionKey) -> Option<Job> {
        self.list(session).into_iter().next()
    }

    /// Lists the jobs of a session, the latest first.
    pub fn list(&self, session: &SessionKey) -> Vec<Job> {
        let mut table = self.lock();
        self.forget_old(&mut table);
        table.jobs.iter().rev().filter(|job| job.shared().session == *session).cloned().collect()
    }

    /// Stops the jobs of a session, and removes the session's jobs, networks and temporary directory. A job
    /// whose processes cannot be killed stays in the table.
    pub async fn end_session(&self, session: &SessionKey) {
        let mut jobs = self.list(session);
        jobs.extend(self.logins.running().into_iter().filter(|job| job.shared().session == *session));
        end(&jobs, Duration::from_secs(2), Duration::from_secs(4)).await;
        self.logins.forget(session);
        self.launchers.forget(session);
        self.networks.forget(session);
        self.temporaries.forget(session);
        self.lock().jobs.retain(|job| job.shared().session != *session || job.presence() == Presence::Here);
    }

    /// Stops all jobs, waits at most two seconds for their exit, and starts no more.
    pub async fn shut_down(&self) {
        let mut jobs = {
            let mut table = self.lock();
            table.door = Admission::Closed;
            table.jobs.clone()
        };
        jobs.extend(self.logins.running());
        end(&jobs, Duration::from_secs(1), Duration::from_millis(1900)).await;
        self.logins.forget_all();
        self.launchers.forget_all();
        self.networks.forget_all();
        self.temporaries.forget_all();
    }

    /// Adds the session's temporary directory to the sandbox plan of a program, unless the plan names one, and
    /// lets all steps of the start use one search for protected paths.
    fn with_temporary<'a>(&self, session: &SessionKey, launch: &'a Launch) -> Cow<'a, Launch> {
        let Sandbox::On(plan) = &launch.sandbox else { return Cow::Borrowed(launch) };
        let temporary = plan.temporary.clone().or_else(|| self.temporaries.of(session));
        let plan = Plan { temporary, nested: plan.nested.for_one_start(), ..plan.clone() };
        Cow::Owned(Launch { sandbox: Sandbox::On(plan), ..launch.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_room(&self) -> Result<(), StartError> {
        let comparisons = self.logins.running().len();
        let table = self.lock();
        let running = table.jobs.iter().filter(|job| job.presence() == Presence::Here).count() + comparisons;
        match table.door {
            Admission::Closed => Err(StartError::ShuttingDown),
            Admission::Open if running >= self.settings.running => Err(StartError::TooMany { running }),
            Admission::Open => Ok(()),
        }
    }

    fn add(&self, job: Job) {
        let mut table = self.lock();
        // The job table may have been shut down after `start` checked it.
        if table.door == Admission::Closed {
            job.request(at_once());
        }
        self.forget_old(&mut table);
        self.shrink_old(&table);
        table.jobs.push(job);
    }

    /// Removes from the table the finished jobs that exceed the age limit, and of each session the oldest
    /// finished jobs that exceed the number limit.
    fn forget_old(&self, table: &mut Table) {
        let mut seen: std::collections::HashMap<SessionKey, usize> = std::collections::HashMap::new();
        table.jobs.reverse();
        table.jobs.retain(|job| match job.presence() {
            Presence::Here => true,
            Presence::Gone(since) => {
                let count = seen.entry(job.shared().session.clone()).or_default();
                *count += 1;
                *count <= self.settings.remembered && since.elapsed() <= self.settings.age
            }
        });
        table.jobs.reverse();
    }

    /// Shrinks the output of the oldest finished jobs until the output of all jobs fits the disk limit.
    fn shrink_old(&self, table: &Table) {
        let spooled = |job: &Job| job.shared().lock().output.spooled();
        let mut all: u64 = table.jobs.iter().map(spooled).sum();
        for job in table.jobs.iter().filter(|job| job.presence() != Presence::Here) {
            if all <= self.settings.spooled {
                return;
            }
            all -= spooled(job);
            job.shared().lock().output.shrink();
        }
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        let comparisons = self.logins.running();
        for job in self.lock().jobs.iter().chain(&comparisons) {
            job.request(at_once());
        }
    }
}

/// Asks all processes of these jobs to exit, with one scan of the process table. Those that remain after
/// `grace` are killed. Waits at most `limit` until all have exited.
async fn end(jobs: &[Job], grace: Duration, limit: Duration) {
    let mut all = Vec::new();
    // A scan of all processes takes milliseconds, so a server without commands skips it.
    if jobs.iter().any(|job| job.shared().lock().supervisor.is_some()) {
        // If the scan fails, no process is asked to exit: all are killed at the end of the grace period.
        let _ = tree::each(|process| all.push(process));
    }
    // Record the request to stop first. Otherwise an exit that the signal causes would be reported as if the
    // program had exited unasked.
    for job in jobs {
        job.request(Request { why: StopReason::SessionEnded, grace, notice: Notice::Given });
    }
    for job in jobs {
        let inner = job.shared().lock();
        let Some(supervisor) = inner.supervisor else { continue };
        for process in tree::below_in(&all, supervisor) {
            let _ = tree::signal(&process, Signal::TERM);
            let _ = tree::signal(&process, Signal::CONT);
        }
    }
    let end = tokio::time::Instant::now() + limit;
    for job in jobs {
        job.wait(WaitCondition::Gone, end.saturating_duration_since(tokio::time::Instant::now())).await;
    }
}

/// Returns the path of a guarded name. A directory and a pattern, which `//` separates, become one path.
fn path_of(name: &CStr) -> PathBuf {
    let path = String::from_utf8_lossy(name.to_bytes());
    match path.split_once("//") {
        Some((directory, pattern)) => Path::new(directory).join(pattern),
        None => PathBuf::from(OsStr::from_bytes(name.to_bytes())),
    }
}

fn at_once() -> Request {
    Request { why: StopReason::SessionEnded, grace: Duration::ZERO, notice: Notice::Pending }
}

/// Starts a thread that waits for a job to watch. The thread exits if the sender is dropped without a job.
fn watching_thread() -> Result<std::sync::mpsc::Sender<Watch>, StartError> {
    let (begin, watch) = std::sync::mpsc::channel::<Watch>();
    let thread = std::thread::Builder::new().name("job".to_owned()).stack_size(STACK);
    let run = move || {
        if let Ok(watch) = watch.recv() {
            watch.run();
        }
    };
    thread.spawn(run).map_err(|fault| StartError::Missing { what: "a thread", fault })?;
    Ok(begin)
}

/// Properties of a program's sandbox that its job needs after the start.
struct SandboxProperties {
    enforcement: Enforcement,
    holder: JobAncestor,
    guarded: Vec<PathBuf>,
    scope: Option<Scope>,
    session_network: Option<Arc<SessionNetwork>>,
}

impl SandboxProperties {
    fn of(confined: Option<&Confinement>) -> Self {
        let guarded = confined.and_then(|confined| confined.creations.as_ref()).map(Creations::names);
        Self {
            enforcement: confined.map_or_else(Enforcement::off, |confined| confined.enforcement.clone()),
            holder: JobAncestor::of(confined),
            guarded: guarded.unwrap_or_default().iter().map(|name| path_of(name)).collect(),
            scope: confined.map(|confined| confined.scope.clone()),
            session_network: confined.and_then(Confinement::session_network).cloned(),
        }
    }
}
