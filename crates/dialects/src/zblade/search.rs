//! `codebase_search`: lines that match a regular expression, with context.

use crate::common::{integers::size, walk_notes};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write as _;
use toolpost_engine::{
    Failure,
    operations::{
        glob::Complete,
        grep::{self, GrepRequest, Line, Output, Prune, Request},
    },
};
use toolpost_text::plural::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct CodebaseSearch;

/// Lines of context on each side of a match.
const AROUND: usize = 2;
/// Maximum lines of blocks in a reply, leaving room for its heading and notes.
const LINES: usize = 1_990;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Ripgrep syntax.
    #[schemars(extend("x-aliases" = ["pattern", "regex"], "examples" = ["struct \\w+Error"]))]
    query: String,
    /// Such as "*.rs,*.toml".
    #[schemars(extend("x-aliases" = ["file_patterns", "glob"], "examples" = ["*.rs,*.toml"]))]
    file_pattern: Option<String>,
    #[serde(default = "fifty")]
    #[schemars(extend("x-raise" = true, "x-aliases" = ["limit"]), range(min = 1))]
    max_results: u64,
}

const fn fifty() -> u64 {
    50
}

impl Tool for CodebaseSearch {
    const NAME: &'static str = "codebase_search";
    type Op = grep::Grep;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let names = args.file_pattern.unwrap_or_default();
        let search = GrepRequest {
            globs: names
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
            rules: at.rules(),
            prune: Prune::Dependencies,
            before: AROUND,
            after: AROUND,
            // The limit counts context lines, too, and each match can have `2 * AROUND` of them.
            limit: Some(size(args.max_results).saturating_mul(2 * AROUND + 1)),
            ..GrepRequest::of(at.path_or_root(None)?, args.query)
        };
        Ok(Request::of(search, at.reply_bytes()))
    }

    fn render(output: &Output, page: &mut Page) {
        let query = &output.asked.pattern;
        let most = (output.asked.limit.unwrap_or(0) / (2 * AROUND + 1)) as u64;
        if output.lines_matched == 0 {
            page.line(&format!("No matches found for query: '{query}'"));
            if output.files_searched == 0 && output.walk.complete == Complete::Yes {
                page.note("no file matches file_pattern, which takes globs such as \"*.rs,*.toml\"");
            }
        } else {
            let total = output.lines_matched;
            let found = output.counted.before(counted(total, "match"));
            page.line(&format!("Found {found} for '{query}' (showing up to {most}):"));
            let (body, shown) = blocks(output, most);
            page.take(body);
            if shown < total {
                let rest = if shown < most { "; the reply is full" } else { ", or raise max_results" };
                page.note(format!(
                    "{shown} of {found} are shown; pass a narrower query or file_pattern{rest}"
                ));
            }
        }
        walk_notes::notes_without_path(&output.walk, output.lines_matched, page);
        let effect = "these are the matches found so far, not all of them";
        walk_notes::incomplete(&output.walk, effect, "pass a narrower query or file_pattern", page);
    }
}

/// Writes up to `most` matches with context; adjacent ones share a block. Returns the text and the number of matches
/// in it.
fn blocks(output: &Output, most: u64) -> (String, u64) {
    let (mut body, mut shown, mut room) = (String::new(), 0, LINES);
    for file in &output.files {
        for block in apart(&file.lines) {
            let Some(at) = block.iter().position(|line| line.is_match) else { continue };
            // Stops at the limit, or if a blank line, the heading and the lines up to the first match do not fit.
            if shown == most || room < at + 3 {
                return (body, shown);
            }
            let _ = writeln!(body, "\n{}:{}:", file.path, block[at].number);
            room -= 2;
            for line in first(block, most - shown) {
                if room == 0 {
                    return (body, shown);
                }
                room -= 1;
                let mark = if line.is_match { ">>>" } else { "   " };
                let _ = writeln!(body, "{mark} {}: {}", line.number, line.text);
                shown += u64::from(line.is_match);
            }
        }
    }
    (body, shown)
}

/// Splits lines into blocks of lines that follow each other in the file.
fn apart(lines: &[Line]) -> impl Iterator<Item = &[Line]> {
    lines.chunk_by(|_, next| !next.after_gap)
}

/// Returns the lines of a block up to its match number `most`, with the context after that match.
fn first(block: &[Line], most: u64) -> impl Iterator<Item = &Line> {
    let mut hits = 0;
    block.iter().take_while(move |line| {
        hits += u64::from(line.is_match);
        hits <= most
    })
}
