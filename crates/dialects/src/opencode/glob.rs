//! `glob`: files by name pattern, newest first.

use crate::common::file_list;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::glob::{self, Output, Request, Rules},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Glob;

/// Maximum number of paths in a reply.
const LIMIT: usize = 100;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Such as "src/**/*.rs".
    #[schemars(extend("x-aliases" = ["glob", "query", "file_pattern"], "examples" = ["**/*.rs"]))]
    pattern: String,
    /// Directory. Default: the first root.
    #[schemars(extend("x-aliases" = ["directory", "dir_path", "search_path", "cwd"], "examples" = ["src"]))]
    path: Option<String>,
}

impl Tool for Glob {
    const NAME: &'static str = "glob";
    type Op = glob::Glob;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let base = at.source_or_root(args.path.as_deref())?;
        Ok(Request {
            rules: Rules::Git,
            limit: Some(LIMIT),
            ..Request::of(base, file_list::of_files(args.pattern))
        })
    }

    fn render(output: &Output, page: &mut Page) {
        file_list::render(output, page);
        if output.total == 0 && !output.walk.skipped.is_empty() {
            page.note("to search a skipped directory or file, pass it in pattern or path");
        }
        file_list::whole_name(output, page);
        file_list::complete(output, page);
    }
}
