//! `stop`: stops a command, with everything that it started.

use super::{Ran, network::NetworkState};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    commands::CommandAccess,
    failure::Failure,
    operation::Operation,
    workers::blocking,
};
use toolpost_process::Why;

pub use super::Ran as Output;
pub use super::exec::{Side, Want};

/// The `stop` operation.
pub struct Stop;

/// A job to stop.
#[derive(Debug, Clone)]
pub struct Request {
    /// The job.
    pub id: String,
    /// The part of the output that is shown.
    pub want: Want,
}

impl Operation for Stop {
    const NAME: &'static str = "stop";
    const ACCESS: &'static [Access] = &[Access::Executes];
    type Capability = CommandAccess;
    type Request = Request;
    type Output = Output;

    /// Needs no permission: it affects only commands of the session.
    fn touches(_request: &Request) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(access: &CommandAccess, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let commands = access.commands()?;
        let job = commands.find(cx, Some(&request.id))?;
        let before = job.report();
        let notes = if Ran::is_over(&before) {
            vec!["It had ended already; nothing was left to stop.".to_owned()]
        } else {
            job.stop(Why::Stopped).await;
            commands.close_ports(&job).await;
            Vec::new()
        };
        blocking(move || Ran::of(&job, request.want, notes, NetworkState::default())).await
    }
}
