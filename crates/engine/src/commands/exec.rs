//! `exec`: starts a command, and waits for it up to a time limit.

use super::{Commands, Ran};
use crate::{
    access::{
        Access, Touch,
        command::{Command, Line},
    },
    call::CallCtx,
    commands::CommandAccess,
    failure::{Failure, Kind},
    operation::Operation,
    workers::blocking,
};
use std::time::{Duration, Instant};
use toolpost_process::{Job, Launch, Limits, Program, Until, WaitResult, Why};

pub use super::{Confined, Ending, Leftover, Piece, Ran as Output, Standing, State};
pub use toolpost_process::{From as Side, Shell, Want};

/// The `exec` operation.
pub struct Exec;

/// A command, and the limits of the wait.
#[derive(Debug, Clone)]
pub struct Request {
    /// The command, and its working directory.
    pub command: Command,
    /// The way to start a shell, if the command is a shell command.
    pub shell: Shell,
    /// The maximum wait, and the action after it.
    pub wait: Wait,
    /// The part of the output that is shown.
    pub want: Want,
    /// Notes about the request, in a sentence each; they are returned with the output.
    pub notes: Vec<String>,
}

/// The maximum wait for a command, and the action after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Waits until the command exits; after the time limit, stops it with everything that it started.
    OrEnd(Duration),
    /// Waits until the command exits; after the time limit, leaves it running in the background.
    OrLeave(Duration),
}

/// Interval of progress reports with new output.
const PROGRESS: Duration = Duration::from_millis(500);
/// Extra wait for a command that has exceeded its time limit.
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
        vec![Touch::Execute(request.command.clone())]
    }

    async fn run(access: &CommandAccess, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let commands = access.commands()?;
        let Request { wait, want, notes, .. } = request;
        let (wait, limit) = match wait {
            // A command with a time limit is stopped by the runtime, which can take longer than the limit.
            Wait::OrEnd(time) => (time.saturating_add(PATIENCE), Some(cx.time_left(time))),
            Wait::OrLeave(time) => (cx.time_left(time), None),
        };
        let job = commands.start(cx, launch(&commands, &request.command, request.shell, limit)).await?;
        let mut watched = JobWait { job: job.clone(), dropped: OnDrop::End };
        watched.wait(cx, wait).await?;
        watched.dropped = OnDrop::Leave;
        let (commands, cx) = (commands.clone(), cx.clone());
        blocking(move || {
            let network = commands.network(&cx, &job);
            Ran::of(&job, want, notes, network)
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

/// A job that a call waits for.
struct JobWait {
    job: Job,
    dropped: OnDrop,
}

/// The treatment of a job when the call no longer waits for it.
enum OnDrop {
    /// It is stopped: the call that ran it was abandoned.
    End,
    /// It continues, or has ended.
    Leave,
}

impl JobWait {
    /// Waits for the job up to the limit, and reports its output meanwhile.
    async fn wait(&self, cx: &CallCtx, wait: Duration) -> Result<(), Failure> {
        let start = Instant::now();
        let mut heard = 0;
        loop {
            let left = wait.saturating_sub(start.elapsed());
            tokio::select! {
                biased;
                () = cx.cancel.cancelled() => {
                    self.job.stop(Why::Cancelled).await;
                    return Err(given_up(&self.job));
                }
                woke = self.job.wait(Until::Ended, left.min(PROGRESS)) => {
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
            OnDrop::End => self.job.ask_to_stop(Why::Cancelled),
            OnDrop::Leave => {}
        }
    }
}

/// Reports the run time and the latest output of a command; returns the output position up to which it has
/// reported.
fn tell(cx: &CallCtx, job: &Job, start: Instant, heard: u64) -> u64 {
    let ran = start.elapsed();
    let count = u64::try_from(ran.as_millis()).unwrap_or(u64::MAX);
    match job.follow(heard, LATEST) {
        Ok(followed) if !(followed.text.is_empty() && followed.pending.is_empty()) => {
            cx.progress.tell(count, format!("{}{}", followed.text, followed.pending).trim_end());
            followed.cursor
        }
        _ => {
            cx.progress.tell(count, &format!("runs for {} s", ran.as_secs()));
            heard
        }
    }
}

fn given_up(job: &Job) -> Failure {
    let shown = job.show(Want { from: Side::Bottom, skip: 0, count: 4_000 });
    let text: String =
        shown.map(|shown| shown.pieces.into_iter().map(|piece| piece.text).collect()).unwrap_or_default();
    let what = "The call was cancelled: the command was ended, with everything that it had started. What it did until \
                then is done.";
    let failure = Failure::new(Kind::Cancelled, what);
    if text.is_empty() { failure } else { failure.found(text) }
}
