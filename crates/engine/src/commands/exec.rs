//! `exec`: starts a command, and waits for it up to a time limit.

use super::{CommandReport, Commands, kill, network::NetworkState};
use crate::{
    access::{
        Access, Touch,
        command::{Approval, Command, Line},
    },
    call::CallCtx,
    commands::CommandAccess,
    failure::{Failure, Kind},
    operation::Operation,
    workers::blocking,
};
use std::time::{Duration, Instant};
use toolpost_process::{Job, Launch, Limits, Program, StopReason, WaitCondition, WaitResult};

pub use super::{
    CommandExit, CommandOutcome, CommandReport as Output, ConfinementReport, Leftover, OutputPiece, State,
};
pub use toolpost_process::{OutputRange, OutputSide as Side, Shell};

/// The `exec` operation, which starts a command and waits for it up to a time limit.
pub struct Exec;

/// A command, and the limits of the wait.
#[derive(Debug, Clone)]
pub struct Request {
    /// The command, and its working directory.
    pub command: Command,
    /// The mode of the shell, with or without the user's profile; ignored if no shell runs the command.
    pub shell: Shell,
    /// The maximum time to wait for the command, and whether the command is stopped after it.
    pub wait: WaitLimit,
    /// The part of the output that is shown.
    pub range: OutputRange,
    /// Notes about the request, one sentence each; they are returned with the output.
    pub notes: Vec<String>,
}

/// The maximum wait for a command, and the action after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitLimit {
    /// Waits until the command exits; after the time limit, stops it with everything that it started.
    OrEnd(Duration),
    /// Waits until the command exits; after the time limit, leaves it running in the background.
    OrLeave(Duration),
}

/// Interval between progress reports about a command that a call waits for.
const PROGRESS: Duration = Duration::from_millis(500);
/// Extra time that a call waits while a command that has exceeded its time limit is stopped.
const PATIENCE: Duration = Duration::from_secs(6);
/// Maximum size of the output in a progress report, in bytes.
const LATEST: usize = 400;

impl Operation for Exec {
    const NAME: &'static str = "exec";
    const ACCESS: &'static [Access] = &[Access::Executes];
    type Capability = CommandAccess;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        // A call needs no permission to stop jobs (started commands) of its session.
        if request.command.approval == Approval::ByRules && kill::names_only_jobs(&request.command) {
            return Vec::new();
        }
        vec![Touch::Execute(request.command.clone())]
    }

    async fn run(access: &CommandAccess, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let commands = access.commands()?;
        if let Some(stopped) = kill::run(&commands, cx, &request.command, request.notes.clone()).await? {
            return Ok(stopped);
        }
        let Request { wait, range, mut notes, .. } = request;
        notes.extend(kill::misplaced(&commands, cx, &request.command));
        let (wait, limit) = match wait {
            // The job itself stops the command at its time limit. Stopping takes time, so this call waits
            // longer than the limit.
            WaitLimit::OrEnd(time) => (time.saturating_add(PATIENCE), Some(cx.time_left(time))),
            WaitLimit::OrLeave(time) => (cx.time_left(time), None),
        };
        let launch = launch(&commands, &request.command, request.shell, limit);
        let outside = cx.permissions.outside_paths(&request.command);
        let unmet = cx.permissions.unmet_network(&request.command);
        let job = commands.start(cx, commands.showing(launch, &outside.readable)).await?;
        let mut watched = JobWait { job: job.clone(), dropped: OnDrop::End };
        watched.wait(cx, wait).await?;
        watched.dropped = OnDrop::Leave;
        let (commands, cx) = (commands.clone(), cx.clone());
        blocking(move || {
            let network = NetworkState { unmet, ..commands.network(&cx, &job) };
            CommandReport::of(&job, range, notes, network, &outside)
        })
        .await
    }
}

fn launch(commands: &Commands, command: &Command, shell: Shell, limit: Option<Duration>) -> Launch {
    let program = match &command.line {
        Line::Shell(line) => Program::Line { line: line.clone(), shell },
        Line::Words(words) => {
            Program::direct(words.first().cloned().unwrap_or_default(), words.iter().skip(1).cloned())
        }
    };
    let launch = commands.launch(program, &command.directory);
    let limits = Limits { time: limit, ..launch.limits };
    Launch { limits, ..launch }
}

/// A job (a started command) that a call waits for.
struct JobWait {
    job: Job,
    dropped: OnDrop,
}

/// The action on a job when the call no longer waits for it.
enum OnDrop {
    /// The job is stopped, because its call was abandoned.
    End,
    /// The job continues in the background, or has ended.
    Leave,
}

impl JobWait {
    /// Waits for the end of the job up to a limit, and meanwhile reports the output as progress. If the call is
    /// cancelled, stops the job and fails.
    async fn wait(&self, cx: &CallCtx, wait: Duration) -> Result<(), Failure> {
        let start = Instant::now();
        let mut heard = 0;
        loop {
            let left = wait.saturating_sub(start.elapsed());
            tokio::select! {
                biased;
                () = cx.cancel.cancelled() => {
                    self.job.stop(StopReason::Cancelled).await;
                    return Err(given_up(&self.job));
                }
                woke = self.job.wait(WaitCondition::Ended, left.min(PROGRESS)) => {
                    if woke == WaitResult::Come || left <= PROGRESS {
                        return Ok(());
                    }
                }
            }
            heard = tell(cx, &self.job, start, heard);
        }
    }
}

impl Drop for JobWait {
    fn drop(&mut self) {
        match self.dropped {
            OnDrop::End => self.job.ask_to_stop(StopReason::Cancelled),
            OnDrop::Leave => {}
        }
    }
}

/// Reports the output of a command after the position `heard`, or the run time if there is no new output. Returns the
/// position up to which the output is reported.
fn tell(cx: &CallCtx, job: &Job, start: Instant, heard: u64) -> u64 {
    let ran = start.elapsed();
    let count = u64::try_from(ran.as_millis()).unwrap_or(u64::MAX);
    match job.follow(heard, LATEST) {
        Ok(followed) if !(followed.text.is_empty() && followed.pending.is_empty()) => {
            cx.progress.tell(count, format!("{}{}", followed.text, followed.pending).trim_end());
            followed.cursor
        }
        _ => {
            cx.progress.tell(count, &format!("running for {} s", ran.as_secs()));
            heard
        }
    }
}

fn given_up(job: &Job) -> Failure {
    let shown = job.show(OutputRange { from: Side::Bottom, skip: 0, count: 4_000 });
    let text: String =
        shown.map(|shown| shown.pieces.into_iter().map(|piece| piece.text).collect()).unwrap_or_default();
    let what = "The call was cancelled: the command and everything that it had started were stopped. Its changes \
                until then remain.";
    let failure = Failure::new(Kind::Cancelled, what);
    if text.is_empty() { failure } else { failure.found(text) }
}
