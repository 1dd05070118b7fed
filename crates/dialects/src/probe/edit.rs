//! `edit`: replaces a text, lines by reference, or a symbol.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure, Hint, Kind,
    operations::change::{
        self, Change, ChangeTarget, EditPosition, Lines, MatchCount, Output, Reference, Request,
    },
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Edit;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["path", "file", "filename", "filepath"], "examples" = ["src/main.rs"]))]
    file_path: String,
    /// New text. Empty deletes the lines or the symbol.
    #[schemars(extend("x-aliases" = ["new_str", "new_text", "content"], "examples" = ["let a = 2;"]))]
    new_string: String,
    /// Text to replace. With start_line: text that the lines must contain.
    #[schemars(extend("x-aliases" = ["old_str", "old_text"], "examples" = ["let a = 1;"]))]
    old_string: Option<String>,
    #[serde(default)]
    replace_all: bool,
    /// Function, class or method to edit, such as "total" or "Cart.total".
    #[schemars(extend("x-aliases" = ["symbol_name"], "examples" = ["Cart.total"]))]
    symbol: Option<String>,
    /// Insert before or after the symbol or lines.
    position: Option<Position>,
    /// "42", or "42:ab" with its hash.
    #[schemars(extend("x-aliases" = ["line"], "examples" = ["42:ab"]))]
    start_line: Option<String>,
    /// Last line, inclusive. Default: start_line.
    #[schemars(extend("examples" = ["45:cd"]))]
    end_line: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Position {
    Before,
    After,
}

impl Tool for Edit {
    const NAME: &'static str = "edit";
    type Op = change::ChangeFiles;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let path = at.file(&args.file_path)?;
        let given = |said: &Option<String>| said.clone().filter(|said| !said.trim().is_empty());
        let place = if let Some(symbol) = given(&args.symbol) {
            ChangeTarget::Symbol { name: symbol, side: side(args.position) }
        } else if let Some(start) = given(&args.start_line) {
            let lines = lines(&start, given(&args.end_line).as_deref(), args.position)?;
            match args.old_string.filter(|old| !old.is_empty()) {
                Some(_) if args.replace_all => return Err(two_places()),
                Some(holds) => ChangeTarget::LinesWith { lines, holds },
                None => ChangeTarget::Lines(lines),
            }
        } else if let Some(old) = args.old_string.filter(|old| !old.is_empty()) {
            if args.position.is_some() || given(&args.end_line).is_some() {
                return Err(half_lines());
            }
            let want = if args.replace_all { MatchCount::Every } else { MatchCount::One };
            ChangeTarget::Text { old, want, near: None, matching: at.matching() }
        } else {
            return Err(nowhere());
        };
        Ok(Request { changes: vec![Change { path, at: place, text: args.new_string }] })
    }

    fn render(output: &Output, page: &mut Page) {
        super::edit_reply::render(output, page);
    }

    fn reword(failure: Failure) -> Failure {
        let mut failure = super::edit_reply::reword(failure);
        if failure.kind == Kind::NotFound {
            failure.hints.push(Hint::Advice("To create a new file, use create.".to_owned()));
        }
        if failure.kind == Kind::NoMatch {
            failure.hints.extend(other_ways(&failure.what).map(|words| Hint::Advice(words.to_owned())));
        }
        // The failure shows the whole current content of the file, so the file counts as read. The first
        // hint, which asks the model to read it, is replaced.
        if failure.shows.is_some()
            && let Some(first) = failure.hints.first_mut()
        {
            let words = "Edit the content shown here: pass these line references, or quote its text.";
            *first = Hint::Advice(words.to_owned());
        }
        failure
    }
}

/// Parses the line range; `start_line` alone may hold a range.
fn lines(start: &str, end: Option<&str>, position: Option<Position>) -> Result<Lines, Failure> {
    let (start, end) = match (start.split_once('-'), end) {
        (Some((start, end)), None) if !start.contains('|') => (start, Some(end)),
        _ => (start, end),
    };
    let first = reference("start_line", start)?;
    let last = end.map_or(Ok(first), |end| reference("end_line", end))?;
    Ok(Lines { first, last, side: side(position) })
}

fn side(position: Option<Position>) -> EditPosition {
    match position {
        None => EditPosition::Replace,
        Some(Position::Before) => EditPosition::Before,
        Some(Position::After) => EditPosition::After,
    }
}

fn reference(name: &str, said: &str) -> Result<Reference, Failure> {
    said.parse().map_err(|error| Failure::invalid(format!("{name}: {error}.")))
}

/// Returns advice on other ways to edit, if the failure text `what` reports that the text or the symbol was not
/// found.
fn other_ways(what: &str) -> Option<&'static str> {
    const TEXT: &str = "To replace a whole function or class, give symbol instead of old_string. If the path is not the right \
        one, find the file with searchFiles.";
    const SYMBOL: &str =
        "Find the name with search or extract, or give the text to replace as old_string instead of symbol.";
    if what.contains(": the file has no symbol ") {
        return Some(SYMBOL);
    }
    what.contains("The text to replace was not found").then_some(TEXT)
}

fn half_lines() -> Failure {
    Failure::invalid("position and end_line need start_line; without it, old_string would be replaced.").hint(
        Hint::Advice(
            "Give start_line, or leave both out and repeat old_string in new_string, next to the new text."
                .to_owned(),
        ),
    )
}

fn two_places() -> Failure {
    Failure::invalid(
        "start_line and replace_all exclude each other: one replaces lines, the other every old_string.",
    )
    .hint(Hint::Advice(
        "Leave out replace_all to replace the lines, or start_line to replace old_string everywhere."
            .to_owned(),
    ))
}

fn nowhere() -> Failure {
    Failure::invalid("The target is missing: none of old_string, symbol and start_line is given.")
        .hint(Hint::Advice(
            "Give old_string (the text to replace), symbol (the name of a function or class), or start_line and end_line, such as \"42:ab\".".to_owned(),
        ))
        .hint(Hint::Advice("To write a whole file, use create, with overwrite if it exists.".to_owned()))
}
