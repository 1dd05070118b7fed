//! `delegate`: a task for a subagent.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure, Job,
    operations::delegate::{self, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Delegate;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("examples" = ["Find out how requests are authenticated, and name the files and functions."]))]
    task: String,
    /// Name of an agent that the user has defined.
    subagent: Option<String>,
    /// Background information.
    context: Option<String>,
}

impl Tool for Delegate {
    const NAME: &'static str = "delegate";
    type Op = delegate::Delegate;
    type Args = Args;

    fn lower(args: Args, _at: &Lowering) -> Result<Request, Failure> {
        let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let (context, agent) = (said(args.context), said(args.subagent));
        Ok(Request { job: Job { task: args.task, context, agent, ..Job::default() } })
    }

    fn render(output: &Output, page: &mut Page) {
        if let Some(missing) = &output.missing {
            page.note(format!("the agent did not finish its task: {missing}"));
        }
        page.ends(output.words.clone());
    }
}
