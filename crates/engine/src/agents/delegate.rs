//! `delegate`: a part of the work is left to an agent with a session of its own.

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

/// Leaves a part of the work to an agent.
pub struct Delegate;

/// The name by which rules speak of an agent that nobody has described.
const ANY: &str = "general";
/// The most bytes that a task and its context may have.
const LONGEST: usize = 256 * 1024;

/// What is left to whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The part of the work.
    pub job: Job,
}

/// What the agent brought back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The agent.
    pub agent: String,
    /// Its words.
    pub words: String,
    /// What is missing of the task, where it was not brought to its end.
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
        let door = cx.door()?;
        let agent = name(&job);
        // What was seen on this side was not seen there.
        let report = agents.backend()?.work(job, door.apart(), cx).await?;
        if report.missing.is_some() && report.words.is_empty() {
            return Err(Report::unfinished(Kind::Timeout, report.missing, report.words));
        }
        Ok(Output { agent, words: report.words, missing: report.missing })
    }
}

fn name(job: &Job) -> String {
    job.agent.clone().unwrap_or_else(|| ANY.to_owned())
}
