//! `query`: structural code search.

use super::references;
use crate::common::{integers, walk_notes};
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::{
        glob::Complete,
        query::{self, Output, Place, Request, Truncation},
    },
};
use toolpost_text::plural::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Query;

/// Default number of matches in a reply.
const LIMIT: u64 = 100;
/// Maximum number of matches in a reply.
const MOST: u64 = 10_000;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["query"], "examples" = ["fn $NAME($$$PARAMS) { $$$BODY }"]))]
    pattern: String,
    /// Directory or file. Default: the first root.
    #[schemars(extend("x-aliases" = ["directory", "file", "dir"], "examples" = ["src"]))]
    path: Option<String>,
    /// Default: every language that can parse the pattern.
    #[schemars(extend("x-aliases" = ["lang"], "examples" = ["rust"]))]
    language: Option<String>,
    /// Maximum matches. Default: 100.
    #[schemars(range(min = 1), extend("x-aliases" = ["max_results", "maxResults"]))]
    limit: Option<f64>,
}

impl Tool for Query {
    const NAME: &'static str = "query";
    type Op = query::Query;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let limit = args.limit.map_or(Ok(LIMIT), |limit| integers::number("limit", limit))?;
        if limit == 0 {
            return Err(Failure::invalid("limit must be greater than 0; leave it out for 100 matches."));
        }
        Ok(Request {
            base: at.source_or_root(args.path.as_deref())?,
            pattern: args.pattern,
            language: args.language,
            limit: limit.min(MOST),
            max_bytes: at.reply_bytes(),
            rules: at.rules(),
        })
    }

    fn render(output: &Output, page: &mut Page) {
        if output.searched == 0 {
            page.line(if may_have_skipped(output) {
                "No file was searched, so there may be matches. The skipped files are listed below."
            } else {
                "No file was searched: no file here is in a programming language, or in the requested one. Pass another path or language."
            });
        } else if output.total == 0 {
            page.line(&format!("No matches in {}.", counted(output.searched, "file")));
            page.note(
                "a pattern matches code with the same parts: keywords such as pub or async, types and each parameter count; $$$NAME stands for any number of parts",
            );
        }
        for file in &output.files {
            file.places.iter().for_each(|found| place(&file.path, found, page));
        }
        if output.total > 0 {
            let all =
                format!("{} in {}", counted(output.total, "match"), counted(output.files_matched, "file"));
            let first = |what: &str| {
                format!("the first {} of {all}; {what}pass a narrower pattern or path", output.shown)
            };
            page.note(match output.cut {
                Truncation::No => all,
                Truncation::Limit => first("raise limit, or "),
                Truncation::Room => first("the reply is full: "),
            });
        }
        notes(output, page);
    }
}

/// Checks whether some files may not have been searched.
fn may_have_skipped(output: &Output) -> bool {
    let walk = &output.walk;
    let left_out = !walk.skipped.is_empty() || !walk.other_roots.is_empty() || walk.unreadable_total > 0;
    left_out || !output.foreign.is_empty() || walk.complete != Complete::Yes
}

/// Writes a match: its location and captures, then its lines with references.
fn place(path: &str, place: &Place, page: &mut Page) {
    let holes = place.holes.iter().map(|hole| {
        let text = if hole.text.is_empty() { "(nothing)" } else { &hole.text };
        format!("  ${} = {text}", hole.name)
    });
    page.line(&format!("{path}:{}:{}{}", place.first_line, place.column, holes.collect::<String>()));
    let mut body = String::with_capacity(place.lines.bytes() + 16 * place.lines.len());
    place.lines.iter().for_each(|line| references::line(line.number, line.text, line.cut(), &mut body));
    page.text(&body);
    if let Some(last) = place.lines.last().filter(|last| last.number < place.last_line) {
        page.line(&format!(
            "… (the match ends at line {}; lines not shown: {})",
            place.last_line,
            place.last_line - last.number
        ));
    }
    page.text("\n");
}

/// Notes files that were not searched, or only in part.
fn notes(output: &Output, page: &mut Page) {
    if !output.foreign.is_empty() {
        page.note(format!(
            "skipped files in languages in which the pattern is not valid code: {}",
            output.foreign.join(", ")
        ));
    }
    if output.imperfect > 0 {
        page.note(format!(
            "{} with parts that could not be parsed; matches there may be missing",
            counted(output.imperfect, "file")
        ));
    }
    walk_notes::notes(&output.walk, output.total, page);
    walk_notes::incomplete(&output.walk, "not all files were searched", "pass a narrower path", page);
}
