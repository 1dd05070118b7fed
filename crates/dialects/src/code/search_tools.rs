//! `search_tools`: TypeScript declarations of the functions that a script can call.

use super::typescript;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::offered::{self, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct SearchTools;

/// Default number of declarations in a reply.
const USUAL: u64 = 10;
/// Maximum number of declarations in a reply.
const MOST: u64 = 200;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Keywords or a name; empty: all tools.
    #[schemars(extend("x-aliases" = ["q", "search", "name"], "examples" = ["find files"]))]
    query: String,
    /// Maximum declarations.
    #[serde(default = "usual")]
    #[schemars(range(min = 1, max = 200), extend("x-aliases" = ["max_results"]))]
    limit: u64,
}

fn usual() -> u64 {
    USUAL
}

impl Tool for SearchTools {
    const NAME: &'static str = "search_tools";
    type Op = offered::FindTools;
    type Args = Args;

    fn lower(args: Args, _at: &Lowering) -> Result<Request, Failure> {
        if args.limit == 0 {
            return Err(Failure::invalid("limit must be greater than 0."));
        }
        let limit = usize::try_from(args.limit.min(MOST)).unwrap_or(usize::MAX);
        Ok(Request { query: args.query, limit })
    }

    fn render(output: &Output, page: &mut Page) {
        if output.tools.is_empty() {
            page.line("No matching tools.");
        }
        let declared: Vec<String> = output.tools.iter().map(typescript::declaration).collect();
        page.text(&declared.join("\n"));
        if output.fitting > output.tools.len() {
            page.note(format!(
                "{} of {} matches; raise limit to see more",
                output.tools.len(),
                output.fitting
            ));
        }
        if output.tools.len() < output.names.len() {
            page.note(format!("all tools: {}", output.names.join(", ")));
        }
    }
}
