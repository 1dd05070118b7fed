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

/// The `delegate` operation.
pub struct Delegate;

/// The name for rules about an agent that the user has not described.
const ANY: &str = "general";
/// Maximum size of a task and its context, in bytes.
const LONGEST: usize = 256 * 1024;

/// A task for a subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The task.
    pub job: Job,
}

/// The report of the agent.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The agent.
    pub agent: String,
    /// Its answer.
    pub words: String,
    /// The unfinished part of the task, if the agent did not finish it.
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
                "Say all that the agent has to know: it sees nothing of what was said here.".to_owned(),
            )));
        }
        let bytes = job.task.len() + job.context.as_ref().map_or(0, String::len);
        if bytes > LONGEST {
            let what = format!("The task and its context have {bytes} bytes; they may have {LONGEST}.");
            return Err(Failure::new(Kind::TooLarge, what).hint(Hint::Advice(
                "Name the files in which the rest stands: the agent can read them.".to_owned(),
            )));
        }
        let gateway = cx.gateway()?;
        let agent = name(&job);
        // The separate session does not know what this session has seen.
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
