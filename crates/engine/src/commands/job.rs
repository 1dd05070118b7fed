//! `job`: progress and output of a command that was started before.

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

/// The `job` operation.
pub struct JobQuery;

/// A job, and the limit of the wait.
#[derive(Debug, Clone)]
pub struct Request {
    /// The job; `None` for the one that was started last.
    pub id: Option<String>,
    /// Maximum wait for its end.
    pub wait: Duration,
    /// The part of the output that is shown.
    pub want: Want,
    /// Notes about the request, in a sentence each; they are returned with the output.
    pub notes: Vec<String>,
}

impl Operation for JobQuery {
    const NAME: &'static str = "job";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = CommandAccess;
    type Request = Request;
    type Output = Output;

    /// Needs no permission: the job belongs to the session.
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
            let network = commands.network(&cx, &job);
            Ran::of(&job, request.want, request.notes, network)
        })
        .await
    }
}
