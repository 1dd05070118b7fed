//! `searchFiles`: files by name pattern, newest first.

use crate::common::{file_list, integers, walk_notes};
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::glob::{self, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct SearchFiles;

/// Default number of paths in a reply.
const LIMIT: u64 = 100;
/// Maximum number of paths in a reply.
const MOST: u64 = 10_000;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// A name at any depth ("*.test.ts") or a path ("src/**/*.rs").
    #[schemars(extend("x-aliases" = ["glob", "name", "query"], "examples" = ["*.test.ts"]))]
    pattern: String,
    /// Default: the first root.
    #[schemars(extend("x-aliases" = ["path", "dir", "folder"], "examples" = ["src"]))]
    directory: Option<String>,
    /// Maximum files. Default: 100.
    #[schemars(range(min = 1), extend("x-aliases" = ["max_results", "maxResults"]))]
    limit: Option<f64>,
    /// Search subdirectories.
    #[schemars(extend("x-unlisted" = true))]
    recursive: Option<bool>,
}

impl Tool for SearchFiles {
    const NAME: &'static str = "searchFiles";
    type Op = glob::Glob;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let base = at.source_or_root(args.directory.as_deref())?;
        let limit = args.limit.map_or(Ok(LIMIT), |limit| integers::number("limit", limit))?;
        if limit == 0 {
            return Err(Failure::invalid("limit must be greater than 0; leave it out for 100 files."));
        }
        Ok(Request {
            limit: Some(usize::try_from(limit.min(MOST)).unwrap_or(usize::MAX)),
            depth: (args.recursive == Some(false)).then_some(1),
            ..Request::of(base, args.pattern)
        })
    }

    fn render(output: &Output, page: &mut Page) {
        if output.total == 0 {
            page.line("No files found.");
        }
        file_list::whole_name(output, page);
        let (shown, total) = (file_list::paths(output, page), output.total);
        if u64::try_from(shown).is_ok_and(|shown| shown < total) {
            page.note(format!(
                "the {shown} newest of {total} files; raise limit, or pass a narrower pattern or directory"
            ));
        }
        walk_notes::notes(&output.walk, output.total, page);
        let advice = "pass a narrower pattern or directory";
        walk_notes::incomplete(&output.walk, file_list::FOUND_SO_FAR, advice, page);
    }
}
