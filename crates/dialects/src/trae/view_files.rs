//! `view_files`: line ranges of up to ten files.

use super::hints::say;
use crate::common::{document, line_numbers};
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::{
        read::{Output as File, Text, Total},
        view::{
            self, ExcerptFailure, ExcerptRequest, ExcerptResult, FileExcerpt, LineSelector, Output, Request,
        },
    },
};
use toolpost_text::cut::NOTICE;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct ViewFiles;

/// Maximum number of files in a call.
const MOST: usize = 10;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(
        length(max = 10),
        extend("x-aliases" = ["file_list", "paths"], "examples" = [[{"file_path": "src/main.rs", "start_line": 1, "end_line": 200}]])
    )]
    files: Vec<FileRange>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("examples" = [{"file_path": "src/main.rs", "start_line": 1, "end_line": 200}]))]
struct FileRange {
    /// Absolute, or relative to the workspace.
    #[schemars(extend("x-aliases" = ["path", "filename", "target_file"], "examples" = ["src/main.rs"]))]
    file_path: String,
    /// First line, counted from 1.
    #[schemars(extend("x-aliases" = ["start", "from", "offset"], "x-required" = true, "x-format" = "int32", "examples" = [1]))]
    start_line: Option<i64>,
    /// Last line, inclusive. About 200 lines are usually enough.
    #[schemars(extend("x-aliases" = ["end", "to"], "x-required" = true, "x-format" = "int32", "examples" = [200]))]
    end_line: Option<i64>,
}

impl Tool for ViewFiles {
    const NAME: &'static str = "view_files";
    const ALIASES: &'static [&'static str] = &["view_file"];
    type Op = view::View;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        if args.files.is_empty() {
            return Err(Failure::invalid("files is empty; pass at least one file and the lines to view."));
        }
        if args.files.len() > MOST {
            return Err(Failure::invalid(format!(
                "files has {} entries; one call shows at most {MOST}. Nothing was shown. View the others in another call.",
                args.files.len()
            )));
        }
        let parts = args.files.into_iter().map(|file| part(file, at)).collect::<Result<_, _>>()?;
        Ok(Request { parts, max_bytes: at.reply_bytes() })
    }

    fn render(output: &Output, page: &mut Page) {
        for (number, viewed) in output.parts.iter().enumerate() {
            if number > 0 {
                page.text("\n");
            }
            match &viewed.answer {
                ExcerptResult::File(file) => shown(viewed, file, page),
                ExcerptResult::Failed(failed) => not_shown(viewed, failed, page),
            }
        }
        let cuts_a_line = |viewed: &FileExcerpt| match &viewed.answer {
            ExcerptResult::File(file) => {
                file.text().is_some_and(|text| line_numbers::cuts_a_line(&text.lines))
            }
            ExcerptResult::Failed(_) => false,
        };
        if output.parts.iter().any(cuts_a_line) {
            page.note_once(
                "to see a cut line in full, view only that line: pass its number as start_line and end_line",
            );
        }
    }
}

fn part(file: FileRange, at: &Lowering) -> Result<ExcerptRequest, Failure> {
    let FileRange { file_path, start_line, end_line } = file;
    let (start_line, end_line) = (start_line.unwrap_or(1), end_line.unwrap_or(-1));
    let to = u64::try_from(end_line).ok();
    // Line 0 can only mean the first line.
    let from = u64::try_from(start_line).map(|from| from.max(1)).ok();
    let ordered = |from: &u64| to.is_none_or(|to| to >= *from);
    let Some(from) = from.filter(ordered).filter(|_| end_line >= -1) else {
        return Err(Failure::invalid(format!(
            "Lines {start_line} to {end_line} of {file_path} are not a range: start_line counts from 1, and end_line must not be less than start_line (-1 is the end of the file)."
        )));
    };
    Ok(ExcerptRequest {
        path: at.source(&file_path)?,
        raw_path: file_path,
        from,
        to,
        of: LineSelector::Lines,
        before: 0,
        after: 0,
    })
}

fn shown(viewed: &FileExcerpt, file: &File, page: &mut Page) {
    document::render(&file.content, page, |text, page| lines(viewed, file, text, page));
    if let Some(note) = &file.note {
        page.line(&format!("{NOTICE}{note}]"));
    }
}

/// Writes a heading with the line range, then the lines.
fn lines(viewed: &FileExcerpt, file: &File, text: &Text, page: &mut Page) {
    let (Some(first), Some(last)) = (text.lines.first(), text.lines.last()) else {
        page.line(&format!("--- {}: empty ---", file.path));
        return;
    };
    let total = line_numbers::total(text.total);
    let ended = match (text.total, viewed.to) {
        (Total::Exactly(total), Some(to)) if to > total => {
            format!("; the file ends there, before line {to}")
        }
        _ => String::new(),
    };
    let facts = if text.facts.is_empty() { String::new() } else { format!(" ({})", text.facts.join("; ")) };
    let mut body =
        format!("--- {}: lines {}-{} of {total}{ended}{facts} ---\n", file.path, first.number, last.number);
    line_numbers::lines(&text.lines, &mut body);
    if let Some(next) = viewed.next {
        body.push_str(&format!("{NOTICE}cut after line {}; continue with start_line {next}]\n", last.number));
    }
    page.take(body);
}

fn not_shown(viewed: &FileExcerpt, failed: &ExcerptFailure, page: &mut Page) {
    page.line(&format!("--- {}: not shown ---", viewed.path));
    page.line(&failed.what);
    if let Some(found) = &failed.found {
        page.line(found);
    }
    failed.hints.iter().for_each(|hint| page.line(&say(hint)));
}
