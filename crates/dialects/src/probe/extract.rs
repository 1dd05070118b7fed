//! `extract`: lines, blocks and symbols of files, each line with its reference.

use super::{
    references,
    targets::{self, TargetSelector},
};
use crate::common::{document, integers, line_numbers};
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::{
        read::{self, Text, Total},
        view::{self, ExcerptResult, FileExcerpt, LineSelector, Output, Request},
    },
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Extract;

/// Default number of context lines before and after a line that is in no block.
const AROUND: u64 = 10;
/// The eighths of a reply that the texts may take as the engine counts them. It reserves room for line numbers; this
/// dialect writes references (`42:ab`), which are longer, so a reply with short lines grows by half.
const EIGHTHS: usize = 5;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// "src/a.ts", "src/a.ts:42", "src/a.ts:10-20", "src/a.ts#Cart.total", or PDF pages "a.pdf:3-5". Separate several by
    /// commas or spaces; quote paths with spaces.
    #[schemars(extend("x-aliases" = ["targets", "target", "path", "file_path", "files"], "examples" = ["src/main.rs:10-20"]))]
    file: String,
    /// Lines before and after.
    #[schemars(range(min = 0), extend("x-aliases" = ["context_lines"]))]
    context: Option<f64>,
}

impl Tool for Extract {
    const NAME: &'static str = "extract";
    type Op = view::View;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let targets = targets::read(&args.file, |path| at.exists(path))?;
        let context = args.context.map(|lines| integers::number("context", lines)).transpose()?;
        let mut parts = Vec::new();
        for target in targets {
            let around = context.unwrap_or(0);
            let block = || LineSelector::Block { otherwise: context.unwrap_or(AROUND) };
            let (from, to, around, of) = match target.part {
                TargetSelector::Whole => (1, None, 0, LineSelector::Lines),
                TargetSelector::Line(line) => (line, Some(line), around, block()),
                TargetSelector::Lines(first, last) => (first, Some(last), around, LineSelector::Lines),
                TargetSelector::Symbol(symbol) => (1, None, around, LineSelector::Symbol(symbol)),
            };
            let path = at.source(&target.path)?;
            parts.push(view::ExcerptRequest {
                path,
                raw_path: target.path,
                from,
                to,
                of,
                before: around,
                after: around,
            });
        }
        Ok(Request { parts, max_bytes: at.reply_bytes() / 8 * EIGHTHS })
    }

    fn render(output: &Output, page: &mut Page) {
        for (at, viewed) in output.parts.iter().enumerate() {
            if at > 0 {
                page.text("\n");
            }
            part(viewed, page);
        }
        let cuts_a_line = |viewed: &FileExcerpt| match &viewed.answer {
            ExcerptResult::File(file) => {
                file.text().is_some_and(|text| line_numbers::cuts_a_line(&text.lines))
            }
            ExcerptResult::Failed(_) => false,
        };
        if output.parts.iter().any(cuts_a_line) {
            page.note_once("to see a cut line in full, extract only that line, such as src/a.ts:7-7");
        }
    }
}

fn part(viewed: &FileExcerpt, page: &mut Page) {
    match &viewed.answer {
        ExcerptResult::File(file) => {
            document::render(&file.content, page, |text, page| lines(viewed, file, text, page));
        }
        ExcerptResult::Failed(failed) => {
            page.line(&format!("{}: {}", viewed.path, failed.what));
            if let Some(found) = &failed.found {
                page.line(found.trim_end());
            }
            failed.hints.iter().for_each(|hint| page.line(&super::hints::say(hint)));
        }
    }
}

/// Writes a heading with the path and range, then the lines with their references.
fn lines(viewed: &FileExcerpt, file: &read::Output, text: &Text, page: &mut Page) {
    let (Some(first), Some(last)) = (text.lines.first(), text.lines.last()) else {
        page.line(&format!("{} is empty: the file exists and has no content.", file.path));
        return;
    };
    let total = line_numbers::total(text.total);
    let mut facts = vec![format!("lines {}-{} of {total}", first.number, last.number)];
    facts.extend(viewed.block.clone());
    facts.extend(text.facts.iter().cloned());
    page.line(&format!("{} ({})", file.path, facts.join("; ")));
    let mut body = String::with_capacity(text.lines.bytes() + 16 * text.lines.len());
    text.lines.iter().for_each(|line| references::line(line.number, line.text, line.cut(), &mut body));
    page.text(&body);
    if let Some(next) = viewed.next {
        let end = match text.total {
            Total::Exactly(total) => total,
            Total::MoreThan(_) => next + last.number - first.number,
        };
        let upto = viewed.to.unwrap_or(end).max(next);
        let call =
            toolpost_tool::example(&[("file", &format!("{}:{next}-{upto}", targets::quoted(&file.path)))]);
        page.note(format!("the reply is full; continue with {call}"));
    }
    if let Some(note) = &file.note {
        page.note(note.clone());
    }
}
