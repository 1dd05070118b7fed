//! `job`: progress and output of a command that was started before.

use super::CommandReport;
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    commands::CommandAccess,
    failure::Failure,
    operation::Operation,
    workers::blocking,
};
use std::time::Duration;
use toolpost_policy::OutsidePaths;
use toolpost_process::WaitCondition;

pub use super::CommandReport as Output;
pub use super::exec::{OutputRange, Side};

/// The `job` operation, which reports on a command that was started before.
pub struct JobQuery;

/// The id of a job (a started command), and the maximum wait for its end.
#[derive(Debug, Clone)]
pub struct Request {
    /// The id of the job; `None` for the job that was started last in the session.
    pub id: Option<String>,
    /// Maximum time to wait for the end of the job.
    pub wait: Duration,
    /// The part of the output that is shown.
    pub range: OutputRange,
    /// Notes about the request, one sentence each; they are returned with the output.
    pub notes: Vec<String>,
}

impl Operation for JobQuery {
    const NAME: &'static str = "job";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = CommandAccess;
    type Request = Request;
    type Output = Output;

    /// Lists no accesses: a call sees only jobs of its session, which needs no permission.
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
            _ = job.wait(WaitCondition::Ended, wait) => {}
        }
        let (commands, cx) = (commands.clone(), cx.clone());
        blocking(move || {
            let network = commands.network(&cx, &job);
            CommandReport::of(&job, request.range, request.notes, network, &OutsidePaths::default())
        })
        .await
    }
}
