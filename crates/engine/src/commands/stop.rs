//! `stop`: stops a command, with everything that it started.

use super::{CommandReport, network::NetworkState};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    commands::CommandAccess,
    failure::Failure,
    operation::Operation,
    workers::blocking,
};
use toolpost_policy::OutsidePaths;
use toolpost_process::StopReason;

pub use super::CommandReport as Output;
pub use super::exec::{OutputRange, Side};

/// The `stop` operation, which stops a command, with everything that it started.
pub struct Stop;

/// Request to stop a job (a started command).
#[derive(Debug, Clone)]
pub struct Request {
    /// The id of the job to stop.
    pub id: String,
    /// The part of the output that is shown.
    pub range: OutputRange,
}

impl Operation for Stop {
    const NAME: &'static str = "stop";
    const ACCESS: &'static [Access] = &[Access::Executes];
    type Capability = CommandAccess;
    type Request = Request;
    type Output = Output;

    /// Lists no accesses: a call can stop only jobs of its session, which needs no permission.
    fn touches(_request: &Request) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(access: &CommandAccess, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let commands = access.commands()?;
        let job = commands.find(cx, Some(&request.id))?;
        let before = job.report();
        let notes = if CommandReport::is_over(&before) {
            vec!["The command had already finished; there was nothing to stop.".to_owned()]
        } else {
            job.stop(StopReason::Stopped).await;
            commands.close_ports(&job).await;
            Vec::new()
        };
        blocking(move || {
            CommandReport::of(&job, request.range, notes, NetworkState::default(), &OutsidePaths::default())
        })
        .await
    }
}
