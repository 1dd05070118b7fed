//! The thread of a job: it reads the program's output, records its exit, and stops the program on request or
//! at a limit.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::process::Signal;

use crate::job::{Notice, Shared};
use crate::launch::{Launch, Limits, Survivors};
use crate::leftovers::kill_by_cookie;
use crate::message::{MESSAGE, Message};
use crate::prepared::Supervisor;
use crate::spawn::ProgramHandle;
use crate::state::{Exit, ExitReport, Stage, StopReason};
use crate::supervisor::KILL;
use crate::tree;
use crate::usage::{DiskMeter, FreeSpace, MEBIBYTE};

/// Time to wait, after the program's exit, for output that is still in the pipe.
const DRAIN: Duration = Duration::from_millis(100);

/// Time to wait for the exit of killed processes; afterwards the job is reported as exited although they
/// remain.
const GOING: Duration = Duration::from_secs(2);

/// Maximum number of bytes of the program's output that are read at a time.
const READ: usize = 64 * 1024;

/// State of the thread that watches a job.
pub(crate) struct Watch {
    shared: Arc<Shared>,
    waker: Arc<OwnedFd>,
    supervisor: Supervisor,
    /// The socket to the supervisor; `None` after the supervisor has exited.
    control: Option<OwnedFd>,
    /// The server's end of the pipe or terminal from which it reads the program's output; `None` once no
    /// process of the job can write to the other end, or reading has failed.
    output: Option<OwnedFd>,
    limits: Limits,
    survivors: Survivors,
    started: Instant,
    /// The program's exit, and when the supervisor reported it.
    exit: Option<(Exit, Instant)>,
    why: Option<StopReason>,
    /// The end of the grace period, when all processes of the job are killed; `None` if no kill is planned.
    kill_at: Option<Instant>,
    /// The time at which the thread stops waiting for the exit of killed processes; `None` if none were killed.
    give_up_at: Option<Instant>,
    supervisor_gone_at: Option<Instant>,
    disk: Option<DiskMeter>,
    buffer: Vec<u8>,
}

impl Watch {
    /// Creates the state of the thread that watches a started program.
    pub(crate) fn new(
        shared: Arc<Shared>,
        started: ProgramHandle,
        waker: Arc<OwnedFd>,
        launch: &Launch,
        free: FreeSpace,
    ) -> Self {
        Self {
            shared,
            waker,
            supervisor: started.supervisor,
            control: Some(started.control),
            output: Some(started.output),
            limits: launch.limits,
            survivors: launch.survivors,
            started: Instant::now(),
            exit: None,
            why: None,
            kill_at: None,
            give_up_at: None,
            supervisor_gone_at: None,
            disk: DiskMeter::new(launch, free),
            buffer: vec![0; READ],
        }
    }

    /// Watches the job until the supervisor has exited and the output is closed.
    pub(crate) fn run(mut self) {
        while self.control.is_some() || self.output.is_some() {
            let ready = self.wait();
            // Carry out a request to stop first, because it may have caused the exit that the supervisor reports.
            if ready.woken {
                self.obey();
            }
            if ready.output {
                self.read();
            }
            if ready.control {
                self.listen();
            }
            self.look_at_the_clock();
            self.tell();
        }
        self.tell();
        let shared = Arc::clone(&self.shared);
        // Close the thread's descriptors before publishing that the job is gone.
        drop(self);
        shared.all_gone();
    }

    /// Waits for a request from another thread, a message from the supervisor, output, or the next deadline.
    fn wait(&self) -> Ready {
        let mut watched = vec![PollFd::new(&self.waker, PollFlags::IN)];
        watched.extend(self.control.as_ref().map(|control| PollFd::new(control, PollFlags::IN)));
        watched.extend(self.output.as_ref().map(|output| PollFd::new(output, PollFlags::IN)));
        let timeout = self.next_time().and_then(|time| {
            // Rounded up, so that the time is reached when the wait ends.
            let left = time.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
            Timespec::try_from(left).ok()
        });
        if poll(&mut watched, timeout.as_ref()).is_err() {
            return Ready::default();
        }
        let mut events = watched.iter().map(|watched| !watched.revents().is_empty());
        let mut next = |is_watched: bool| is_watched && events.next().unwrap_or_default();
        let woken = next(true);
        let control = next(self.control.is_some());
        Ready { woken, control, output: next(self.output.is_some()) }
    }

    /// Reads the program's output. A terminal that no process has open any more returns an error.
    fn read(&mut self) {
        let Some(output) = &self.output else { return };
        match rustix::io::read(output, &mut self.buffer[..]) {
            Ok(0) => self.output = None,
            Ok(length) => {
                let written = self.shared.feed(&self.buffer[..length]);
                if let Some(limit) = self.limits.output
                    && written > limit
                {
                    self.end(StopReason::TooMuchOutput(limit), Notice::Pending);
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => self.output = None,
        }
    }

    /// Reads a message from the supervisor, which has exited if its end of the socket is closed.
    fn listen(&mut self) {
        let Some(control) = &self.control else { return };
        let mut bytes = [0; MESSAGE];
        match recv(control, &mut bytes, RecvFlags::DONTWAIT) {
            // A supervisor that exits without having read an order resets the connection. The error is
            // reported once, before the messages that the supervisor sent, which are read next.
            Err(Errno::AGAIN | Errno::INTR | Errno::CONNRESET) => {}
            Ok((length, _)) if length > 0 => match Message::read(&bytes[..length]) {
                Some(Message::Started(pid)) => self.shared.set_pid(pid),
                Some(Message::Ended(status)) => self.ended(Exit::of(status)),
                Some(Message::EndedAlone(status)) => {
                    // No process is left, so callers need not search all processes of the machine for
                    // descendants while the supervisor exits.
                    self.shared.forget_supervisor();
                    self.exit = Some((Exit::of(status), Instant::now()));
                }
                Some(Message::Guarded(number)) => self.shared.add_refused(number),
                Some(Message::OverMemory(mebibytes)) => {
                    let used = u64::try_from(mebibytes).unwrap_or_default() * MEBIBYTE;
                    let limit = self.limits.resources.memory.unwrap_or(used);
                    self.killed(StopReason::TooMuchMemory { limit, used });
                }
                Some(Message::OverProcesses) => {
                    let limit = self.limits.resources.processes.unwrap_or_default();
                    self.killed(StopReason::TooManyProcesses { limit });
                }
                // These messages are not expected here: a program that could not be confined has no job
                // thread, and the listener was received before the start.
                Some(
                    Message::Failed(..) | Message::Refused(_) | Message::Listens | Message::Supervisor(_),
                )
                | None => {}
            },
            _ => self.supervisor_gone(),
        }
    }

    /// Records that the supervisor is killing all processes of the job, and why.
    fn killed(&mut self, why: StopReason) {
        if self.exit.is_none() && self.why.is_none() {
            self.why = Some(why);
        }
        self.kill_at = None;
        self.give_up_at.get_or_insert(Instant::now() + GOING);
    }

    fn ended(&mut self, exit: Exit) {
        self.exit = Some((exit, Instant::now()));
        if self.survivors == Survivors::End && self.why.is_none() {
            self.terminate(Notice::Pending);
        }
    }

    /// Handles the exit of the supervisor, which exits when no process is left. If the supervisor was killed,
    /// kills its processes, which are found by the run id in their environment.
    fn supervisor_gone(&mut self) {
        self.control = None;
        self.shared.forget_supervisor();
        let is_clean = self.supervisor.wait();
        if !is_clean || self.exit.is_none() {
            kill_by_cookie(&self.shared.run);
        }
        if self.exit.is_none() {
            self.exit = Some((Exit::Unknown, Instant::now()));
        }
        self.supervisor_gone_at = Some(Instant::now());
        self.kill_at = None;
        self.give_up_at = None;
    }

    /// Carries out a request to stop the job, which another thread has recorded.
    fn obey(&mut self) {
        let mut count = [0; 8];
        let _ = rustix::io::read(&self.waker, &mut count);
        if let Some(request) = self.shared.take_request() {
            self.limits.grace = self.limits.grace.min(request.grace);
            self.end(request.why, request.notice);
        }
    }

    /// Asks all processes of the job to exit, unless `notice` is `Given`. Those that still run after the grace period
    /// are killed.
    fn end(&mut self, why: StopReason, notice: Notice) {
        if self.exit.is_none() && self.why.is_none() {
            self.why = Some(why);
        }
        self.terminate(notice);
    }

    fn terminate(&mut self, notice: Notice) {
        let at = Instant::now() + self.limits.grace;
        match self.kill_at {
            Some(before) => self.kill_at = Some(before.min(at)),
            None if self.control.is_some() && self.give_up_at.is_none() => {
                self.kill_at = Some(at);
                self.resume();
                if notice == Notice::Pending {
                    self.ask_to_end();
                }
            }
            None => {}
        }
    }

    /// Lets the supervisor continue if a signal has suspended it.
    fn resume(&self) {
        if self.control.is_some() {
            self.supervisor.signal(Signal::CONT);
        }
    }

    fn ask_to_end(&self) {
        for process in tree::below(self.supervisor.pid()) {
            // A process that has exited needs no signal. One that this process may not signal is killed after
            // the grace period.
            let _ = tree::signal(&process, Signal::TERM);
            let _ = tree::signal(&process, Signal::CONT);
        }
    }

    fn look_at_the_clock(&mut self) {
        let now = Instant::now();
        if let Some(limit) = self.limits.time
            && self.exit.is_none()
            && self.why.is_none()
            && now >= self.started + limit
        {
            self.end(StopReason::TimedOut(limit), Notice::Pending);
        }
        if self.control.is_some()
            && self.give_up_at.is_none()
            && let Some((reserve, free)) = self.disk.as_mut().and_then(|disk| disk.exceeded(now))
        {
            // A program that fills the disk may continue to write during a grace period, so it gets none.
            self.limits.grace = Duration::ZERO;
            self.end(StopReason::TooLittleDisk { reserve, free }, Notice::Given);
        }
        if self.kill_at.is_some_and(|at| now >= at) {
            self.kill_at = None;
            self.give_up_at = Some(now + GOING);
            self.resume();
            if let Some(control) = &self.control {
                let _ = send(control, &[KILL], SendFlags::NOSIGNAL);
            }
        }
        // If another process still has the pipe open, it does not belong to the job, which has no processes
        // left.
        if self.supervisor_gone_at.is_some_and(|at| now >= at + DRAIN) {
            self.output = None;
        }
    }

    /// Publishes the progress of the job, for callers that wait for it.
    fn tell(&mut self) {
        if self.shared.is_ended() {
            return;
        }
        let now = Instant::now();
        let is_drained = self.output.is_none()
            || self.exit.is_some_and(|(_, at)| now >= at + DRAIN)
            || self.give_up_at.is_some_and(|at| now >= at);
        // A program that was stopped counts as exited when no process of the job is left, or when the wait for killed
        // processes is given up.
        let is_over = match self.why {
            Some(_) => self.control.is_none() || self.give_up_at.is_some_and(|at| now >= at),
            None => self.exit.is_some(),
        };
        if is_over && is_drained {
            let (exit, at) = self.exit.unwrap_or((Exit::Unknown, now));
            self.shared.set(Stage::Ended(ExitReport { exit, why: self.why, ran: at - self.started }));
        } else if let Some(why) = self.why {
            self.shared.set(Stage::Ending(why));
        }
    }

    fn next_time(&self) -> Option<Instant> {
        let is_ended = self.shared.is_ended();
        let limit = self.limits.time.filter(|_| self.exit.is_none() && self.why.is_none());
        let drained = self.exit.filter(|_| !is_ended).map(|(_, at)| at + DRAIN);
        let times = [
            limit.map(|limit| self.started + limit),
            drained.filter(|at| *at > Instant::now()),
            self.kill_at,
            self.disk
                .as_ref()
                .filter(|_| self.control.is_some() && self.give_up_at.is_none())
                .map(DiskMeter::next),
            self.give_up_at.filter(|_| !is_ended),
            self.supervisor_gone_at.map(|at| at + DRAIN),
        ];
        times.into_iter().flatten().min()
    }
}

#[derive(Default)]
struct Ready {
    woken: bool,
    control: bool,
    output: bool,
}
