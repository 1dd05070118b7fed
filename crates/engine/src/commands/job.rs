//! `job`: how far a command is that was started before, and what it wrote.

use super::Ran;
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    commands::CommandAccess,
    failure::Failure,
    operation::Operation,
    workers::blocking,
};
use std::time::Duration;
use toolpost_process::Until;

pub use super::Ran as Output;
pub use super::exec::{Side, Want};

/// Looks at a command that was started before.
pub struct Look;

/// Which command, and how long it is waited for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The job; none for the one that was started last.
    pub id: Option<String>,
    /// How long its end is waited for, at most.
    pub wait: Duration,
    /// Which part of what it wrote is shown.
    pub want: Want,
    /// What was odd about the asking, in a sentence each; it comes back with the output.
    pub notes: Vec<String>,
}

impl Operation for Look {
    const NAME: &'static str = "job";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = CommandAccess;
    type Request = Request;
    type Output = Output;

    /// Touches nothing: the job is the session's own.
    fn touches(_request: &Request) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(access: &CommandAccess, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let commands = access.commands()?;
        let job = commands.find(cx, request.id.as_deref())?;
        let wait = cx.time_left(request.wait);
        tokio::select! {
            biased;
            () = cx.cancel.cancelled() => cx.check()?,
            _ = job.wait(Until::Ended, wait) => {}
        }
        let (commands, cx) = (commands.clone(), cx.clone());
        blocking(move || {
            let notes = request.notes.into_iter().chain(commands.refused(&cx, &job)).collect();
            Ran::of(&job, request.want, notes)
        })
        .await
    }
}
