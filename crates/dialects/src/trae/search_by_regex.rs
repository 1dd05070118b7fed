//! `search_by_regex`: lines that match a regular expression.

use crate::common::walk_notes;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::grep::{self, Case, GrepRequest, Output, Request},
};
use toolpost_text::plural::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct SearchByRegex;

/// Maximum number of matching lines in a reply.
const LIMIT: usize = 50;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Regular expression (ripgrep syntax).
    #[schemars(extend("x-aliases" = ["pattern", "regex"], "examples" = ["fn \\w+_timeout"]))]
    query: String,
    /// Default: the first root.
    #[schemars(extend("x-aliases" = ["search_path", "directory", "dir_path", "path", "target_directory"], "examples" = ["src"]))]
    search_directory: Option<String>,
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["include", "glob", "file_pattern"], "x-unlisted" = true, "examples" = [["*.rs"]]))]
    includes: Vec<String>,
    #[schemars(extend("x-aliases" = ["ignore_case"], "x-unlisted" = true))]
    case_insensitive: Option<bool>,
}

impl Tool for SearchByRegex {
    const NAME: &'static str = "search_by_regex";
    type Op = grep::Grep;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let base = at.source_or_root(args.search_directory.as_deref())?;
        let search = GrepRequest {
            globs: args.includes.iter().flat_map(|globs| grep::globs(globs)).collect(),
            case: if args.case_insensitive == Some(true) { Case::Insensitive } else { Case::Sensitive },
            limit: Some(LIMIT),
            ..GrepRequest::of(base, args.query)
        };
        Ok(Request::of(search, at.reply_bytes()))
    }

    fn render(output: &Output, page: &mut Page) {
        let mut body = String::new();
        for file in &output.files {
            for line in &file.lines {
                body.push_str(&format!("{}:{}:{}\n", file.path, line.number, line.text));
            }
        }
        page.take(body);
        totals(output, page);
        walk_notes::notes(&output.walk, output.files_matched, page);
        let effect = "these are the matches found so far, not all of them";
        walk_notes::incomplete(&output.walk, effect, "pass a narrower search_directory", page);
    }
}

/// Writes the number of matches, and whether all are shown.
fn totals(output: &Output, page: &mut Page) {
    if output.files_matched == 0 {
        page.line(&format!("No matches found in {}", counted(output.files_searched, "file")));
        return;
    }
    let what = output.counted.before(format!(
        "{} in {}",
        counted(output.lines_matched, "matching line"),
        counted(output.files_matched, "file")
    ));
    if output.shown < output.entries {
        page.note(format!(
            "the first {} of {what}; pass a narrower query or search_directory to see the others",
            output.shown
        ));
    } else {
        page.note(what);
    }
}
