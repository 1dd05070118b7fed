//! `grep`: lines that match a regular expression, in the files under a directory.

use crate::common::{integers::size, totals};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write as _;
use toolpost_engine::{
    Failure,
    operations::grep::{self, GrepRequest, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Grep;

/// Default limit on the lines from several files, as in opencode's own tool.
const LIMIT: usize = 100;
/// Default limit on the lines from a single file. It is higher than `LIMIT`, because this dialect has no tool to read
/// files.
const OF_FILE: usize = 1_000;
/// Maximum number of characters of a line.
const LINE: usize = 2_000;

/// Wording of the note at the end of a search reply.
const WORDING: totals::Wording = totals::Wording {
    entries: "lines",
    narrow: "pattern, include or path",
    rest: " are shown; pass a narrower pattern, include or path, or",
};

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["query", "regex", "search"], "examples" = ["fn \\w+_timeout"]))]
    pattern: String,
    /// File filter, such as "*.js" or "*.{ts,tsx}".
    #[schemars(extend("x-aliases" = ["glob", "include_pattern", "file_pattern"], "examples" = ["*.rs"]))]
    include: Option<String>,
    /// File or directory. Default: the first root.
    #[schemars(extend("x-aliases" = ["directory", "dir_path", "file_path", "search_path", "cwd"], "examples" = ["src"]))]
    path: Option<String>,
    #[schemars(extend("x-aliases" = ["head_limit", "max_results"], "x-unlisted" = true), range(min = 1, max = 1_000))]
    limit: Option<u64>,
    /// Lines to skip.
    #[schemars(range(min = 0))]
    offset: Option<u64>,
}

impl Tool for Grep {
    const NAME: &'static str = "grep";
    type Op = grep::Grep;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let base = at.source_or_root(args.path.as_deref())?;
        let search = GrepRequest {
            globs: args.include.iter().flat_map(|globs| grep::globs(globs)).collect(),
            limit: Some(args.limit.map_or(LIMIT, size)),
            max_line: LINE,
            offset: args.offset.map_or(0, size),
            ..GrepRequest::of(base, args.pattern)
        };
        let limit_of_file = Some(args.limit.map_or(OF_FILE, size));
        Ok(Request { limit_of_file, ..Request::of(search, at.reply_bytes()) })
    }

    fn render(output: &Output, page: &mut Page) {
        let mut body = String::new();
        for file in &output.files {
            for line in &file.lines {
                let _ = writeln!(body, "{}:{}:{}", file.path, line.number, line.text);
            }
        }
        page.take(body);
        totals::end(output, page, &WORDING);
    }
}
