//! `delegate`: assigns a task to a subagent with a separate session.

use super::{Job, Report};
use crate::{
    access::{Access, Touch},
    agents::AgentAccess,
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    operation::Operation,
};
use schemars::JsonSchema;
use serde::Serialize;

/// The `delegate` operation, which assigns a task to a subagent.
pub struct Delegate;

/// Name of the agent in access rules and replies if the request names none.
const ANY: &str = "general";
/// Maximum size of a task together with its context, in bytes.
const LONGEST: usize = 256 * 1024;

/// A task for a subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The task, its context, and the name of the agent.
    pub job: Job,
}

/// The report of the subagent.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The name of the subagent: `general` if the request names none.
    pub agent: String,
    /// The answer of the subagent.
    pub words: String,
    /// The unfinished part of the task; `None` if the task is finished.
    pub missing: Option<String>,
}

impl Operation for Delegate {
    const NAME: &'static str = "delegate";
    const ACCESS: &'static [Access] = &[Access::Delegates, Access::Calls];
    type Capability = AgentAccess;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        vec![Touch::Delegate(name(&request.job))]
    }

    async fn run(agents: &AgentAccess, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let job = request.job;
        if job.task.trim().is_empty() {
            return Err(Failure::invalid("The task is empty.").hint(Hint::Advice(
                "Describe the task with everything the agent needs: the agent does not see this conversation.".to_owned(),
            )));
        }
        let bytes = job.task.len() + job.context.as_ref().map_or(0, String::len);
        if bytes > LONGEST {
            let what = format!("The task and its context have {bytes} bytes; the maximum is {LONGEST}.");
            return Err(Failure::new(Kind::TooLarge, what).hint(Hint::Advice(
                "Shorten the task and its context, and give the paths of files that contain the rest: the agent can read files.".to_owned(),
            )));
        }
        let gateway = cx.gateway()?;
        let agent = name(&job);
        // The subagent gets a separate session: files that were read in this session count as unread there.
        let report = agents.backend()?.work(job, gateway.apart(), cx).await?;
        if report.missing.is_some() && report.words.is_empty() {
            return Err(Report::unfinished(Kind::Timeout, report.missing, report.words));
        }
        Ok(Output { agent, words: report.words, missing: report.missing })
    }
}

fn name(job: &Job) -> String {
    job.agent.clone().unwrap_or_else(|| ANY.to_owned())
}
