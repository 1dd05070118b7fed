//! `run_code`: a script that calls the tools of the other dialects as functions.

use crate::common::script;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::plan::{self, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct RunCode;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Every tool is a function that takes one object, as search_tools declares it. The returned value is the reply.
    #[schemars(extend("x-aliases" = ["script", "javascript", "source", "js"], "examples" = ["return Glob({ pattern: \"**/*.rs\" })"]))]
    code: String,
}

impl Tool for RunCode {
    const NAME: &'static str = "run_code";
    type Op = plan::Plan;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        Ok(script::request(args.code, at))
    }

    fn render(output: &Output, page: &mut Page) {
        script::render(output, "script", page);
    }
}
