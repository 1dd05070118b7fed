//! `read_file` and `read_file_range`: a whole file, or some of its lines with numbers.

use super::truncation;
use crate::common::{document, line_numbers};
use schemars::JsonSchema;
use serde::Deserialize;
use std::{fmt::Write as _, ops::RangeInclusive};
use toolpost_engine::{
    Failure,
    operations::read::{self, Gutter, IgnoredRange, Line, LinePreference, Output, Request, Text, Total},
};
use toolpost_text::cut::{NOTICE, TRUNCATED};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct ReadFile;
pub(super) struct ReadFileRange;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["file_path", "filepath", "filename", "target_file", "file"], "examples" = ["src/main.rs"]))]
    path: String,
    /// PDF pages, such as "1-5" (at most 20), or parts of an office document.
    #[schemars(extend("examples" = ["1-5"]))]
    pages: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct RangeArgs {
    #[schemars(extend("x-aliases" = ["file_path", "filepath", "filename", "target_file", "file"], "examples" = ["src/main.rs"]))]
    path: String,
    #[serde(default = "one")]
    #[schemars(extend("x-raise" = true), range(min = 1))]
    start_line: u64,
    /// Inclusive. Default: the last line.
    #[schemars(range(min = 1))]
    end_line: Option<u64>,
    /// Lines before and after.
    #[serde(default)]
    #[schemars(extend("x-raise" = true), range(min = 0))]
    context_lines: u64,
}

const fn one() -> u64 {
    1
}

impl Tool for ReadFile {
    const NAME: &'static str = "read_file";
    type Op = read::Read;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let pages = args.pages.filter(|pages| !pages.trim().is_empty());
        Ok(Request { pages, ..request(args.path, at, Gutter::None)? })
    }

    fn render(output: &Output, page: &mut Page) {
        document::render(&output.content, page, |text, page| whole(output, text, page));
        if output.ignored == Some(IgnoredRange::Pages) {
            page.note("pages has no effect: the file has no pages");
        }
        notes(output, page);
    }
}

impl Tool for ReadFileRange {
    const NAME: &'static str = "read_file_range";
    type Op = read::Read;
    type Args = RangeArgs;

    fn lower(args: RangeArgs, at: &Lowering) -> Result<Request, Failure> {
        let (start, end) = (args.start_line, args.end_line.unwrap_or(u64::MAX));
        if end < start {
            let what = format!("end_line ({end}) is before start_line ({start}).");
            return Err(Failure::invalid(what));
        }
        let offset = start.saturating_sub(args.context_lines).max(1);
        let last = end.saturating_add(args.context_lines);
        Ok(Request {
            offset,
            limit: (last - offset).saturating_add(1),
            // For a document, the range selects pages.
            pages: args.end_line.map(|end| format!("{start}-{end}")),
            ..request(args.path, at, Gutter::Label)?
        })
    }

    fn render(output: &Output, page: &mut Page) {
        document::render(&output.content, page, |text, page| range(output, text, page));
        notes(output, page);
    }
}

/// Builds the request for a whole file, or for its beginning and end if it is too long.
fn request(said: String, at: &Lowering, gutter: Gutter) -> Result<Request, Failure> {
    let bytes = at.reply_bytes();
    Ok(Request {
        max_lines: at.budget_lines() as u64,
        characters: bytes as u64,
        gutter,
        keep: LinePreference::Ends { head: truncation::HEAD as u64, tail: truncation::TAIL as u64 },
        ..Request::of(at.source(&said)?, said, bytes)
    })
}

fn whole(output: &Output, text: &Text, page: &mut Page) {
    let path = output.place.absolute();
    if text.lines.is_empty() {
        page.line(&format!("=== File: {path} (empty) ==="));
        page.line("// The file exists and has no content.");
        return;
    }
    page.line(&format!("=== File: {path} ==="));
    lines(output, text, page, |_, _| ());
    // The lines have no numbers, so content can look like a part of the reply.
    let imitates = |line: &Line<'_>| {
        let text = line.text.trim_start();
        [NOTICE, TRUNCATED, "=== File: "].iter().any(|mark| text.starts_with(mark))
    };
    if let Some(line) = text.lines.iter().find(imitates) {
        page.note(format!(
            "line {} of the file is content, although it looks like a note or a header of this reply",
            line.number
        ));
    }
}

fn range(output: &Output, text: &Text, page: &mut Page) {
    let shown = match (text.lines.first(), text.lines.last(), gap(text)) {
        (Some(first), Some(last), Some(gap)) => {
            format!("{}-{} and {}-{}", first.number, gap.start() - 1, gap.end() + 1, last.number)
        }
        (Some(first), Some(last), None) => format!("{}-{}", first.number, last.number),
        _ => "0-0".to_owned(),
    };
    page.line(&format!("File: {}", output.path));
    page.line(&format!("Lines {shown} (of {}):", line_numbers::total(text.total)));
    lines(output, text, page, |number, body| {
        let _ = write!(body, "{number}: ");
    });
}

/// Returns the numbers of the lines that are left out between the first and the last shown line.
fn gap(text: &Text) -> Option<RangeInclusive<u64>> {
    let next = text.next.filter(|_| text.lines.has_gap())?;
    let end = text.lines.iter().find(|line| line.number >= next)?.number - 1;
    Some(next..=end)
}

/// Formats the size that the reply would have without a limit: bytes and lines of a whole file, or only the lines of a
/// range, because their size in bytes is not known.
fn size(output: &Output, text: &Text) -> String {
    let (first, last) = (text.lines.first(), text.lines.last());
    let (first, last) = (first.map_or(0, |line| line.number), last.map_or(0, |line| line.number));
    let total = text.total.count();
    if first == 1 && last == total {
        return truncation::size(output.bytes, total);
    }
    format!("{} lines", last + 1 - first)
}

/// Writes the lines, with a notice in place of omitted lines.
fn lines(output: &Output, text: &Text, page: &mut Page, gutter: impl Fn(u64, &mut String)) {
    let mut body = String::with_capacity(text.lines.bytes() + 9 * text.lines.len());
    let mut before: Option<u64> = None;
    for (shown, line) in text.lines.iter().enumerate() {
        if before.is_some_and(|before| before + 1 < line.number) {
            let showing = format!("first {shown} and last {} lines", text.lines.len() - shown);
            let notice = truncation::truncated(&size(output, text), &showing);
            body.truncate(body.trim_end_matches('\n').len());
            body.push_str(&notice);
        }
        gutter(line.number, &mut body);
        match &text.end {
            Some(end) if shown + 1 == text.lines.len() => both_ends(output, text, &line, end, &mut body),
            _ => line_numbers::text(&line, &mut body),
        }
        before = Some(line.number);
    }
    page.fitted(body);
}

/// Writes the beginning and the end of the last line, which is too long to show whole.
fn both_ends(output: &Output, text: &Text, line: &Line<'_>, end: &str, body: &mut String) {
    let (head, tail) = (line.text.len(), end.len());
    body.push_str(line.text);
    let showing = format!("first {head} and last {tail} bytes of line {}", line.number);
    body.push_str(&truncation::truncated(&size(output, text), &showing));
    body.push_str(end);
    body.push('\n');
}

fn notes(output: &Output, page: &mut Page) {
    if let Some(text) = output.text() {
        if !text.facts.is_empty() {
            page.note(text.facts.join("; "));
        }
        if let Some(gap) = gap(text) {
            // The next reply is likely to have room for as many lines as this one.
            let end = (gap.start() + text.lines.len() as u64 - 1).min(*gap.end());
            page.note(format!("continue with read_file_range, start_line {}, end_line {end}", gap.start()));
        } else if let Some(next) = text.next
            && matches!(text.total, Total::MoreThan(_))
        {
            page.note(format!("continue with read_file_range, start_line {next}"));
        }
    }
    if let Some(note) = &output.note {
        page.note(note.clone());
    }
}
