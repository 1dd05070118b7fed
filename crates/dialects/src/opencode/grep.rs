//! `grep`: lines that match a regular expression, in the files under a directory.

use crate::common::counted::counted;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write as _;
use toolpost_engine::{
    Failure,
    operations::{
        glob::Complete,
        grep::{self, Output, Request},
    },
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Grep;

/// How many lines one reply shows.
const LIMIT: u64 = 1_000;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Regular expression (Rust syntax, as ripgrep).
    #[schemars(extend("x-aliases" = ["query", "regex", "search"], "examples" = ["fn \\w+_timeout"]))]
    pattern: String,
    /// Only files whose name fits, such as "*.js" or "*.{ts,tsx}".
    #[schemars(extend("x-aliases" = ["glob", "include_pattern", "file_pattern"], "examples" = ["*.rs"]))]
    include: Option<String>,
    /// File or directory to search in; the workspace's root if left out.
    #[schemars(extend("x-aliases" = ["directory", "dir_path", "file_path", "search_path", "cwd"], "examples" = ["src"]))]
    path: Option<String>,
    #[schemars(extend("x-aliases" = ["head_limit", "max_results"], "x-unlisted" = true), range(min = 1, max = 1_000))]
    limit: Option<u64>,
    #[schemars(extend("x-unlisted" = true), range(min = 0))]
    offset: Option<u64>,
}

impl Tool for Grep {
    const NAME: &'static str = "grep";
    type Op = grep::Grep;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let base = at.path_or_root(args.path.as_deref())?;
        Ok(Request {
            globs: args.include.iter().flat_map(|globs| grep::globs(globs)).collect(),
            limit: Some(args.limit.unwrap_or(LIMIT)),
            offset: args.offset.unwrap_or(0),
            ..Request::of(base, args.pattern, at.reply_bytes())
        })
    }

    fn render(output: &Output, page: &mut Page) {
        let mut body = String::new();
        for file in &output.files {
            for line in &file.lines {
                let _ = writeln!(body, "{}:{}:{}", file.path, line.number, line.text);
            }
        }
        page.text(&body);
        window(output, page);
        crate::common::walked::notes(&output.walk, page);
        if output.walk.complete != Complete::Yes {
            page.note("timed_out: true; these are the matches found so far, not all of them; narrow pattern, include or path");
        }
    }
}

/// Says how much there is in all, and how to get the rest.
fn window(output: &Output, page: &mut Page) {
    if output.files_matched == 0 {
        return page.line(&format!("No matches found in {}", counted(output.files_searched, "file")));
    }
    let what = format!(
        "{} in {}",
        counted(output.lines_matched, "matching line"),
        counted(output.files_matched, "file")
    );
    let last = output.offset + output.shown;
    if output.window_cut > 0 {
        page.note(format!(
            "{} lines of this window are too much to be kept in memory; narrow pattern, include or path",
            output.window_cut
        ));
    }
    if output.shown == 0 && output.window_cut > 0 {
        page.line(&what);
    } else if output.shown == 0 {
        page.line(&format!("No lines at this offset: there are {} ({what})", output.entries));
    } else if last < output.entries {
        page.note(format!(
            "{what}; lines {}-{last} of {} are shown, narrow pattern, include or path, or continue with offset {last}",
            output.offset + 1,
            output.entries
        ));
    } else {
        page.note(what);
    }
}
