//! `query`: code by its shape.

use super::referred;
use crate::common::{walked, whole};
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::{
        glob::Complete,
        query::{self, Cut, Output, Place, Request},
    },
};
use toolpost_text::counted::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Query;

/// How many places are shown, when nothing is said.
const LIMIT: u64 = 100;
/// How many places are shown at most.
const MOST: u64 = 10_000;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["query"], "examples" = ["fn $NAME($$$PARAMS) { $$$BODY }"]))]
    pattern: String,
    /// Directory or file. Default: the workspace.
    #[schemars(extend("x-aliases" = ["directory", "file", "dir"], "examples" = ["src"]))]
    path: Option<String>,
    /// Default: each language in which the pattern is valid code.
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
        let limit = args.limit.map_or(Ok(LIMIT), |limit| whole::number("limit", limit))?;
        if limit == 0 {
            return Err(Failure::invalid("limit must be greater than zero; leave it out for 100 places."));
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
            page.line(if passed_over(output) {
                "No file was searched; whether such code is here is not known. What was left out is said below."
            } else {
                "No file was searched: there is none here in whose language the pattern is code."
            });
        } else if output.total == 0 {
            page.line(&format!("No code of this shape in {}.", counted(output.searched, "file")));
            page.note(
                "a pattern fits code with the same parts: words such as pub or async, types, and each parameter count; \
                 $$$NAME stands for any number of parts",
            );
        }
        for file in &output.files {
            file.places.iter().for_each(|found| place(&file.path, found, page));
        }
        if output.total > 0 {
            let all =
                format!("{} in {}", counted(output.total, "place"), counted(output.files_matched, "file"));
            let first =
                |what: &str| format!("the first {} of {all}; {what}narrow pattern or path", output.shown);
            page.note(match output.cut {
                Cut::No => all,
                Cut::Limit => first("raise limit, or "),
                Cut::Room => first("the answer has no room for more: "),
            });
        }
        notes(output, page);
    }
}

/// Tells whether there may be files which were not searched.
fn passed_over(output: &Output) -> bool {
    let walk = &output.walk;
    let left_out = !walk.skipped.is_empty() || walk.unreadable_total > 0;
    left_out || !output.foreign.is_empty() || walk.complete != Complete::Yes
}

/// Writes a place: where it is and what its holes hold, then its lines behind their references.
fn place(path: &str, place: &Place, page: &mut Page) {
    let holes = place.holes.iter().map(|hole| {
        let text = if hole.text.is_empty() { "(nothing)" } else { &hole.text };
        format!("  ${} = {text}", hole.name)
    });
    page.line(&format!("{path}:{}:{}{}", place.first_line, place.column, holes.collect::<String>()));
    let mut body = String::with_capacity(place.lines.bytes() + 16 * place.lines.len());
    place.lines.iter().for_each(|line| referred::line(line.number, line.text, line.cut(), &mut body));
    page.text(&body);
    if let Some(last) = place.lines.last().filter(|last| last.number < place.last_line) {
        page.line(&format!("… up to line {} ({} more)", place.last_line, place.last_line - last.number));
    }
    page.text("\n");
}

/// Says what was not searched, or not whole.
fn notes(output: &Output, page: &mut Page) {
    if !output.foreign.is_empty() {
        page.note(format!(
            "files of these languages were passed over, the pattern is no code there: {}",
            output.foreign.join(", ")
        ));
    }
    if output.imperfect > 0 {
        page.note(format!(
            "{} with parts that the parser does not understand; code there may not have been found",
            counted(output.imperfect, "file")
        ));
    }
    walked::notes(&output.walk, page);
    if output.walk.complete != Complete::Yes {
        page.note("timed_out: true; not all files were searched; narrow path");
    }
}
