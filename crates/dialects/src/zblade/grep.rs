//! `grep_search`: lines that match a regular expression.

use super::json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use toolpost_engine::{
    Failure,
    operations::{
        glob::Complete,
        grep::{self, GrepRequest, Output, Prune, Request},
    },
};
use toolpost_text::budget::ByteBudget;
use toolpost_text::plural::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct GrepSearch;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["query", "regex"], "examples" = ["fn \\w+_timeout"]))]
    pattern: String,
    #[serde(default = "here")]
    #[schemars(extend("x-aliases" = ["dir", "directory", "search_path"], "examples" = ["src"]))]
    path: String,
    /// Also search dependencies, such as node_modules.
    include_dependencies: Option<bool>,
    /// Time limit; the reply may be partial. Default: 8000.
    #[schemars(extend("x-raise" = true), range(min = 500, max = 30_000))]
    timeout_ms: Option<u64>,
}

/// Default time limit of a search, in milliseconds.
const TIME: u64 = 8_000;
/// Bytes of a reply that are reserved for the fields around the matches.
const AROUND: usize = 1_024;

fn here() -> String {
    ".".to_owned()
}

/// Reply of a search that timed out or was cancelled, with the matches so far.
#[derive(Serialize)]
struct PartialMatches {
    timed_out: bool,
    timeout_ms: u64,
    partial_results: Vec<String>,
    result_count: u64,
    searched_path: String,
    next_step_hint: &'static str,
    metrics: Metrics,
}

#[derive(Serialize)]
struct Metrics {
    elapsed_ms: u64,
    files_searched: u64,
    files_matched: u64,
    lines_matched: u64,
}

impl Tool for GrepSearch {
    const NAME: &'static str = "grep_search";
    type Op = grep::Grep;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let base = at.source_or_root(Some(&args.path))?;
        let prune = if args.include_dependencies == Some(true) { Prune::Enter } else { Prune::Dependencies };
        let search = GrepRequest {
            rules: at.rules(),
            prune,
            limit: Some(at.budget_lines()),
            ..GrepRequest::of(base, args.pattern)
        };
        let time = Some(Duration::from_millis(args.timeout_ms.unwrap_or(TIME)));
        Ok(Request { time, ..Request::of(search, at.reply_bytes()) })
    }

    fn render(output: &Output, page: &mut Page) {
        if output.walk.complete == Complete::Yes {
            found(output, page);
        } else {
            json::write(&partial(output), page);
        }
        if let Some(vendor) = searched_vendor(output) {
            page.note_once(format!(
                "{vendor} counts as source code, because it has no modules.txt, autoload.php or bundle"
            ));
        }
        crate::common::walk_notes::notes(&output.walk, output.files_matched, page);
    }
}

/// Finds a directory called `vendor` that has a match, although the call did not ask for dependencies.
fn searched_vendor(output: &Output) -> Option<&str> {
    const NAME: &str = "vendor/";
    let base = output.asked.base.display();
    if output.asked.prune != Prune::Dependencies || base.split('/').any(|part| part == "vendor") {
        return None;
    }
    output.files.iter().find_map(|file| {
        let mut found = file.path.match_indices(NAME).map(|(at, _)| at);
        let at = found.find(|at| *at == 0 || file.path[..*at].ends_with('/'))?;
        Some(&file.path[..at + NAME.len() - 1])
    })
}

fn lines(output: &Output) -> impl Iterator<Item = String> {
    output
        .files
        .iter()
        .flat_map(|file| file.lines.iter().map(|line| format!("{}:{}:{}", file.path, line.number, line.text)))
}

fn found(output: &Output, page: &mut Page) {
    lines(output).for_each(|line| page.line(&line));
    if output.files_matched == 0 {
        let files = counted(output.files_searched, "file");
        page.line(&format!("No matches found in {files}"));
    } else if output.shown < output.entries {
        let what = output.counted.before(counted(output.lines_matched, "matching line"));
        let files = counted(output.files_matched, "file");
        page.note(format!(
            "the first {} of {what} in {files}; pass a narrower path or pattern",
            output.shown
        ));
    }
}

fn partial(output: &Output) -> PartialMatches {
    let next_step_hint = if output.walk.complete == Complete::Cancelled {
        "The call was cancelled. These are the matches found before, not all of them."
    } else {
        "These are the matches found in time, not all of them. Pass a narrower path or pattern, or raise timeout_ms."
    };
    let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let mut partial_results: Vec<String> = lines(output).collect();
    fit(&mut partial_results, output.asked.max_bytes.unwrap_or(usize::MAX));
    PartialMatches {
        timed_out: output.walk.complete != Complete::Cancelled,
        timeout_ms: output.asked.time.map_or(0, milliseconds),
        result_count: partial_results.len() as u64,
        partial_results,
        searched_path: output.asked.base.display(),
        next_step_hint,
        metrics: Metrics {
            elapsed_ms: milliseconds(output.asked.took),
            files_searched: output.files_searched,
            files_matched: output.files_matched,
            lines_matched: output.lines_matched,
        },
    }
}

/// Truncates the list to the lines that fit into `max_bytes` as JSON, with 1 KiB for the rest of the reply.
fn fit(lines: &mut Vec<String>, max_bytes: usize) {
    let sizes = lines.iter().map(|line| serde_json::Value::from(line.as_str()).to_string().len() + 1);
    let keep = ByteBudget::reserving(max_bytes, AROUND).count(sizes);
    lines.truncate(keep);
}
