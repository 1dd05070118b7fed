//! `search` and `searchAll`: keyword search for blocks of code, best first.

use super::references;
use crate::common::{block, integers, walk_notes};
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::{
        block_search::{self, BlockSearch, BlockSelector, SearchMethod},
        glob::Complete,
        search::{self, Block, From, Matching, Output, Request, Tests, Truncation},
    },
};
use toolpost_text::plural::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Search;
pub(super) struct SearchAll;

/// Maximum number of blocks in a reply.
const MOST: f64 = 1_000.0;
/// Maximum number of blocks in a page of an exhaustive search.
const EACH: f64 = 100_000.0;
/// Default limits: blocks per reply, tokens per reply, pages of `searchAll`.
const DEFAULT: (f64, f64, f64) = (20.0, 20_000.0, 50.0);
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Keywords, any of which may match; AND, OR, NOT, +must, -mustNot, (groups), "exact phrase", wild*cards; filters
    /// ext:rs,js lang:python dir:src file:"src/**/*.ts" filename:a.rs type:function; name:, signature:, body: and comment:
    /// for a part of the block.
    #[schemars(extend("x-aliases" = ["pattern", "q", "keywords"], "examples" = ["authentication AND middleware"]))]
    query: String,
    /// Directory or file, or a dependency: js:NAME, go:NAME, rust:NAME, py:NAME, java:NAME, or a part of it:
    /// rust:tokio/src/sync. Default: the first root.
    #[schemars(extend("x-aliases" = ["directory", "dir", "file"], "examples" = ["src"]))]
    path: Option<String>,
    /// Maximum results.
    #[serde(default = "limit")]
    #[schemars(range(min = 1), extend("x-aliases" = ["max_results", "maxResults"]))]
    limit: f64,
    /// Treat the query as literal text, ignoring case.
    #[serde(default)]
    exact: bool,
    /// Include tests.
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["allow_tests"]))]
    allow_tests: bool,
    /// Maximum tokens; null: as many as a reply holds.
    #[serde(default = "tokens")]
    #[schemars(range(min = 1), extend("x-aliases" = ["max_tokens"], "x-null" = true))]
    max_tokens: Option<f64>,
    /// From the last reply, to continue.
    session: Option<String>,
    /// Accepted and ignored: a session always continues.
    #[schemars(extend("x-unlisted" = true))]
    #[expect(dead_code, reason = "a session always continues")]
    next_page: Option<bool>,
    /// Language of the files.
    #[schemars(extend("x-unlisted" = true, "x-aliases" = ["lang"]))]
    language: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AllArgs {
    /// Keywords; see `search`.
    #[schemars(extend("x-aliases" = ["pattern", "q", "keywords"], "examples" = ["authentication"]))]
    query: String,
    /// As in `search`.
    #[schemars(extend("x-aliases" = ["directory", "dir", "file"], "examples" = ["src"]))]
    path: Option<String>,
    /// Literal text.
    #[serde(default)]
    exact: bool,
    /// From the last reply.
    session: Option<String>,
    #[serde(default = "tokens_of_page")]
    #[schemars(range(min = 1))]
    max_tokens_per_page: f64,
    #[serde(default = "pages")]
    #[schemars(range(min = 1))]
    max_pages: f64,
}

fn limit() -> f64 {
    DEFAULT.0
}

#[expect(clippy::unnecessary_wraps, reason = "a serde default must have the type of the field")]
fn tokens() -> Option<f64> {
    Some(DEFAULT.1)
}

fn tokens_of_page() -> f64 {
    DEFAULT.1
}

fn pages() -> f64 {
    DEFAULT.2
}

impl Tool for Search {
    const NAME: &'static str = "search";
    type Op = BlockSearch;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let base = at.source_or_root(args.path.as_deref())?;
        let query = match &args.language {
            Some(language) if !args.exact => {
                format!("({}) lang:\"{}\"", args.query, language.replace('"', ""))
            }
            _ => args.query,
        };
        Ok(Request {
            base,
            query,
            matching: if args.exact { Matching::Exact } else { Matching::Query },
            tests: if args.allow_tests { Tests::Searched } else { Tests::LeftOut },
            limit: count("limit", args.limit.min(MOST))?,
            tokens: args.max_tokens.map(|tokens| some("maxTokens", tokens)).transpose()?,
            from: from(args.session),
            max_bytes: if args.max_tokens.is_none() { at.most_bytes() } else { at.reply_bytes() },
        })
    }

    fn render(output: &block_search::Output, page: &mut Page) {
        let block_search::Output { found: output, method } = output;
        if output.all {
            page.all();
        }
        if let Some(method) = method {
            groups(method, page);
        }
        render(output, page);
        if let Some(next) = &output.next {
            let why = match output.cut {
                Truncation::Limit | Truncation::No => "",
                Truncation::Tokens => "maxTokens is reached; ",
                Truncation::Room => "the reply is full; ",
            };
            page.note(format!("{why}{CONTINUE} \"{next}\""));
        }
    }
}

/// Text before the cursor of the next page, in a note. In scripts, `searchAll` finds the cursor after this
/// text.
pub(super) const CONTINUE: &str = "to continue, make the same call with session:";

/// Writes how the blocks were selected: the model's groups with their reasons, and notes.
fn groups(method: &SearchMethod, page: &mut Page) {
    for group in &method.groups {
        page.line(&format!("- {}: {}", group.reason, group.places.join(", ")));
    }
    if !method.groups.is_empty() {
        page.text("\n");
    }
    if let Some(guide) = &method.guide {
        page.note(guide.words());
    }
    match method.by {
        BlockSelector::Agent => {}
        BlockSelector::Expansion => {
            page.note("the query was expanded and the results reordered, without a model");
        }
        BlockSelector::Words => page.note("found by the keywords of the query alone"),
    }
}

impl Tool for SearchAll {
    const NAME: &'static str = "searchAll";
    type Op = search::Search;
    type Args = AllArgs;

    fn lower(args: AllArgs, at: &Lowering) -> Result<Request, Failure> {
        let base = at.source_or_root(args.path.as_deref())?;
        let each = some("maxTokensPerPage", args.max_tokens_per_page)?;
        let pages = some("maxPages", args.max_pages)?;
        Ok(Request {
            base,
            query: args.query,
            matching: if args.exact { Matching::Exact } else { Matching::Query },
            tests: Tests::LeftOut,
            limit: count("limit", EACH)?,
            tokens: Some(each.saturating_mul(pages)),
            from: from(args.session),
            max_bytes: at.reply_bytes(),
        })
    }

    fn render(output: &Output, page: &mut Page) {
        if output.all {
            page.all();
        }
        render(output, page);
        let left = output.total.saturating_sub(output.before + output.blocks.len());
        if let Some(next) = &output.next {
            let why =
                if output.cut == Truncation::Room { "the reply is full" } else { "maxPages is reached" };
            let left = counted(left as u64, "result");
            page.note(format!("{why}; {left} left: {CONTINUE} \"{next}\""));
        }
    }
}

/// Parses the start of a page from `session`.
fn from(session: Option<String>) -> From {
    match session.filter(|session| !session.trim().is_empty() && session != "new") {
        None => From::First,
        Some(session) if session.starts_with("next-") => From::Cursor(session),
        Some(session) => From::Named(session),
    }
}

fn some(name: &str, said: f64) -> Result<u64, Failure> {
    match integers::number(name, said)? {
        0 => Err(Failure::invalid(format!("{name} must be greater than 0; leave it out for the default."))),
        number => Ok(number),
    }
}

fn count(name: &str, said: f64) -> Result<usize, Failure> {
    some(name, said).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
}

fn render(output: &Output, page: &mut Page) {
    if output.all {
        page.all();
    }
    if output.blocks.is_empty() {
        if output.total == 0 && !output.over {
            page.line(match output.walk.complete {
                Complete::Yes => "No results found.",
                Complete::NotReady | Complete::TimedOut | Complete::Cancelled => {
                    "Nothing found yet: not all files could be searched, so there may be more."
                }
            });
            page.note(format!(
                "searched for {} in {}",
                output.understood,
                counted(output.searched as u64, "file")
            ));
            if output.tests == 0 {
                page.note("words without AND match more; word* matches a prefix; exact: true searches for literal text");
            }
        } else {
            page.line(&format!("✓ All results retrieved for this query: {} in all.", output.total));
        }
    }
    for (at, found) in output.blocks.iter().enumerate() {
        if at > 0 {
            page.text("\n---\n");
        }
        write(found, page);
    }
    if !output.blocks.is_empty() {
        let all =
            format!("{} in {}", counted(output.total as u64, "result"), counted(output.files as u64, "file"));
        let (first, last) = (output.before + 1, output.before + output.blocks.len());
        let shown = match () {
            () if output.total == output.blocks.len() => String::new(),
            () if first == last => format!("shown: {first}, "),
            () => format!("shown: {first}-{last}, "),
        };
        page.text("\n");
        page.outcome(&format!("Found {all}; {shown}about {} tokens.", output.tokens));
    }
    notes(output, page);
}

/// Writes a block: its location, its kind and name if it has a name, and its lines with references.
fn write(found: &Block, page: &mut Page) {
    page.line(&format!("File: {}", found.path));
    let name =
        if found.name.is_empty() { String::new() } else { format!(" ({} {})", found.kind, found.name) };
    page.line(&format!("Lines: {}-{}{name}", found.first_line, found.last_line));
    page.text("\n");
    let mut body = String::with_capacity(found.lines.bytes() + 16 * found.lines.len());
    found.lines.iter().for_each(|line| references::line(line.number, line.text, line.cut(), &mut body));
    page.text(&body);
    block::rest(found, page);
}

/// Adds notes about left-out results, changed files, and files that were not searched.
fn notes(output: &Output, page: &mut Page) {
    if output.tests > 0 {
        let more = counted(output.tests as u64, "result");
        page.note(format!("left out: {more} in tests; set allowTests: true to include them"));
    }
    if output.changed {
        page.note("files have changed since the previous reply, so results may be repeated or missing; leave out the argument session to start again");
    }
    output.notes.iter().for_each(|note| page.note(note.clone()));
    walk_notes::notes(&output.walk, output.total as u64, page);
    walk_notes::incomplete(&output.walk, "not all files were searched", "pass a narrower path", page);
}
