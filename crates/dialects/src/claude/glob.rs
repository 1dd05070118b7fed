//! `Glob`: files by name pattern, newest first.

use crate::common::file_list;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::glob::{self, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Glob;

/// Maximum number of paths in a reply.
const LIMIT: usize = 100;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Such as "**/*.ts" or "src/**/*.{c,h}".
    #[schemars(extend("examples" = ["**/*.rs"]))]
    pattern: String,
    /// Directory. Default: the first root.
    #[schemars(extend("x-aliases" = ["directory", "dir_path"], "examples" = ["src"]))]
    path: Option<String>,
}

impl Tool for Glob {
    const NAME: &'static str = "Glob";
    type Op = glob::Glob;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let base = at.source_or_root(args.path.as_deref())?;
        Ok(Request { limit: Some(LIMIT), ..Request::of(base, file_list::of_files(args.pattern)) })
    }

    fn render(output: &Output, page: &mut Page) {
        file_list::render(output, page);
        file_list::whole_name(output, page);
        file_list::complete(output, page);
    }
}
