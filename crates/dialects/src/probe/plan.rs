//! `execute_plan`: a script that calls the dialect's tools as functions.

use super::search::CONTINUE;
use crate::common::script;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::plan::{self, Output, PagedTool, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct ExecutePlan;

/// JavaScript helpers of the dialect. `{CONTINUE}` stands for the text of [`CONTINUE`].
const LIBRARY: &str = include_str!("plan.js");

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// For example `const hits = search("login"); return extractPaths(hits)`. `await` is optional. The reply holds the
    /// returned value, logs and output.
    #[schemars(extend("x-aliases" = ["plan", "script", "javascript", "source"], "examples" = ["return search(\"login\")"]))]
    code: String,
    /// Purpose of the plan.
    #[schemars(extend("x-unlisted" = true))]
    #[expect(dead_code, reason = "the purpose of a plan does not change how it runs")]
    description: Option<String>,
}

impl Tool for ExecutePlan {
    const NAME: &'static str = "execute_plan";
    type Op = plan::Plan;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let paged = PagedTool { tool: "search".to_owned(), argument: "session".to_owned() };
        Ok(Request {
            library: Some(LIBRARY.replace("{CONTINUE}", CONTINUE)),
            paged: vec![paged],
            ..script::request(args.code, at)
        })
    }

    fn render(output: &Output, page: &mut Page) {
        script::render(output, "plan", page);
    }
}
