//! The `view` operation: shows parts of several files in one call.

use super::{
    document::block::{self, Block},
    read::{self, Read, Total},
};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::Files,
    operation::Operation,
    seen_content::SeenContent,
    workers::at_once,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_text::budget::fair;
use toolpost_text::plural::counted;
use toolpost_workspace::WorkspacePath;

/// The `view` operation, which shows parts of several files.
pub struct View;

/// A request for parts of files.
#[derive(Debug, Clone)]
pub struct Request {
    /// The requested parts of files, in display order.
    pub parts: Vec<ExcerptRequest>,
    /// The maximum size of the answer, in bytes.
    pub max_bytes: usize,
}

/// A request for a part of one file.
#[derive(Debug, Clone)]
pub struct ExcerptRequest {
    /// The path of the file, resolved inside a root.
    pub path: WorkspacePath,
    /// The path as the caller wrote it, for suggestions if nothing exists there.
    pub raw_path: String,
    /// The first line of the part, counted from 1; in a PDF, the first page.
    pub from: u64,
    /// The last line of the part, or the last page in a PDF; `None` for the end of the file.
    pub to: Option<u64>,
    /// The lines to show: the range above, a block, or a symbol.
    pub of: LineSelector,
    /// The number of additional lines shown before the part.
    pub before: u64,
    /// The number of additional lines shown after the part.
    pub after: u64,
}

/// A way to select the lines of a part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineSelector {
    /// The lines from `from` to `to`.
    Lines,
    /// The block of code around the line `from`; if there is none, a number of lines before and after it.
    Block {
        /// The number of lines to show before and after the line `from` if no block is found.
        otherwise: u64,
    },
    /// The lines of the symbol with this name. If several symbols of the file have the name, each becomes a part.
    Symbol(String),
}

/// The parts of files, in request order.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// One entry for each part.
    pub parts: Vec<FileExcerpt>,
}

/// A part of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileExcerpt {
    /// The requested file, relative to its root.
    pub path: String,
    /// First line of the requested range, symbol or block.
    pub from: u64,
    /// Last line of the requested range, symbol or block; `None` for the end of the file.
    pub to: Option<u64>,
    /// A description of the symbol or block that determined the lines; `None` if the request named the lines, or no
    /// block was found.
    pub block: Option<String>,
    /// The line to continue with, if not all lines of the part are shown.
    pub next: Option<u64>,
    /// The content of the part, or why it is not shown.
    pub answer: ExcerptResult,
}

/// The content of a part of a file, or why it is not shown.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum ExcerptResult {
    /// The shown part of the file.
    File(read::Output),
    /// The reason why the part is not shown; the other parts are unaffected.
    Failed(ExcerptFailure),
}

/// The reason why one of several parts cannot be shown.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExcerptFailure {
    /// The kind of failure.
    pub kind: Kind,
    /// The problem, as a sentence.
    pub what: String,
    /// Findings that help to correct the request, for example the symbols of the file.
    pub found: Option<String>,
    /// Similar paths that exist.
    pub meant: Vec<String>,
    /// The next steps; the dialect formats them as text.
    #[serde(skip)]
    #[schemars(skip)]
    pub hints: Vec<Hint>,
}

impl Operation for View {
    const NAME: &'static str = "view";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Files;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        request.parts.iter().map(|part| Touch::Read(part.path.clone())).collect()
    }

    async fn run(files: &Files, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let room = request.max_bytes;
        let (parts, mut answers): (Vec<_>, Vec<_>) = read_all(files, request, cx).await?.into_iter().unzip();
        if answers.len() == 1
            && let Some(Err(failure)) = answers.pop_if(|only| only.is_err())
        {
            return Err(failure);
        }
        if !answers.is_empty() && answers.iter().all(Result::is_err) {
            return Err(nothing(answers.into_iter().filter_map(Result::err).collect()));
        }
        share(&mut answers, room);
        let parts = parts.into_iter().zip(answers).map(|(part, answer)| viewed(part, answer));
        Ok(Output { parts: parts.collect() })
    }

    fn seen(output: &Output) -> Vec<SeenContent> {
        let seen = |viewed: &FileExcerpt| match &viewed.answer {
            ExcerptResult::File(file) => Read::seen(file),
            ExcerptResult::Failed(_) => Vec::new(),
        };
        output.parts.iter().flat_map(seen).collect()
    }
}

impl From<Failure> for ExcerptFailure {
    fn from(failure: Failure) -> Self {
        let meant = failure.hints.iter().flat_map(|hint| match hint {
            Hint::DidYouMean(names) => names.clone(),
            _ => Vec::new(),
        });
        Self {
            kind: failure.kind,
            meant: meant.collect(),
            what: failure.what,
            found: failure.found,
            hints: failure.hints,
        }
    }
}

/// A requested part whose line numbers are known, and the description of the symbol or block from which they come.
type LocatedExcerpt = (ExcerptRequest, Option<String>);

/// Reads all requested parts, several at the same time; the answers are in the order of the parts.
async fn read_all(
    files: &Files,
    request: Request,
    cx: &CallCtx,
) -> Result<Vec<(LocatedExcerpt, Result<read::Output, Failure>)>, Failure> {
    let (files, cx, max_bytes) = (files.clone(), cx.clone(), request.max_bytes);
    let answers = at_once(request.parts, 1, move |part| {
        let parts = placed(&files, part, &cx);
        let read = |(part, words): LocatedExcerpt| {
            let answer = read_part(&files, &part, max_bytes, &cx);
            ((part, words), answer)
        };
        Ok(match parts {
            Ok(parts) => parts.into_iter().map(read).collect::<Vec<_>>(),
            Err(failure) => vec![((part.clone(), None), Err(failure))],
        })
    });
    Ok(answers.await?.into_iter().flatten().collect())
}

/// Finds the lines of a requested part: those of a symbol, or of the block around a line. A symbol name can match
/// several times.
fn placed(files: &Files, part: &ExcerptRequest, cx: &CallCtx) -> Result<Vec<LocatedExcerpt>, Failure> {
    let lines = |block: Block| {
        let part = ExcerptRequest { from: block.from, to: Some(block.to), ..part.clone() };
        (part, Some(block.words))
    };
    Ok(match &part.of {
        LineSelector::Lines => vec![(part.clone(), None)],
        LineSelector::Symbol(name) => {
            let blocks = block::symbol(files, &part.path, &part.raw_path, name, cx)?;
            blocks.into_iter().map(lines).collect()
        }
        // If no block is found or the file cannot be parsed, the lines around `from` are shown instead.
        LineSelector::Block { otherwise } => {
            match block::around(files, &part.path, &part.raw_path, part.from, cx).ok().flatten() {
                Some(block) => vec![lines(block)],
                None => {
                    vec![(ExcerptRequest { before: *otherwise, after: *otherwise, ..part.clone() }, None)]
                }
            }
        }
    })
}

fn read_part(
    files: &Files,
    part: &ExcerptRequest,
    max_bytes: usize,
    cx: &CallCtx,
) -> Result<read::Output, Failure> {
    let first = part.from.saturating_sub(part.before).max(1);
    let last = part.to.map_or(u64::MAX, |to| to.saturating_add(part.after));
    let usual = read::Request::of(part.path.clone(), part.raw_path.clone(), max_bytes);
    let limit = last.saturating_sub(first).saturating_add(1);
    let request = read::Request {
        offset: first,
        limit,
        // A single requested line is cut only at the size limit of the answer.
        characters: if limit == 1 { max_bytes as u64 } else { usual.characters },
        // In a PDF, the range selects pages instead of lines.
        pages: part.to.map(|to| format!("{}-{to}", part.from)),
        ..usual
    };
    let output = match read::read(files, &request, cx) {
        // The error must name the requested line, not a line around it.
        Err(_) if first < part.from => {
            read::read(files, &read::Request { offset: part.from, limit: 1, ..request }, cx)?
        }
        read => read?,
    };
    match output.text().map(|text| text.total) {
        Some(Total::Exactly(total)) if total > 0 && part.from > total => {
            let what = format!(
                "{} has {}; line {} is after its end.",
                output.path,
                counted(total, "line"),
                part.from
            );
            Err(Failure::invalid(what).hint(Hint::Page(first)))
        }
        _ => Ok(output),
    }
}

/// The size of the answer in addition to its files, in bytes.
const AROUND: usize = 512;
/// The size of a file in the answer in addition to its text, in bytes.
const ENTRY: usize = 160;

/// Divides the size limit of the answer among the files: if one file needs less than an equal share, the other files
/// get the rest.
fn share(answers: &mut [Result<read::Output, Failure>], max_bytes: usize) {
    let room = max_bytes.saturating_sub(AROUND + answers.len() * ENTRY);
    let texts = answers.iter().flatten().filter_map(read::Output::text);
    let most = fair(texts.map(read::Text::weight).collect(), room);
    for file in answers.iter_mut().flatten() {
        if file.text().is_some_and(|text| text.weight() > most) {
            file.narrow(most);
        }
    }
}

fn viewed((part, block): LocatedExcerpt, answer: Result<read::Output, Failure>) -> FileExcerpt {
    let path = part.path.display();
    let (from, to) = (part.from, part.to);
    let last = to.map_or(u64::MAX, |to| to.saturating_add(part.after));
    match answer {
        Ok(file) => {
            let next = file.text().and_then(|text| text.next).filter(|next| *next <= last);
            FileExcerpt { path, from, to, block, next, answer: ExcerptResult::File(file) }
        }
        Err(failure) => {
            FileExcerpt { path, from, to, block, next: None, answer: ExcerptResult::Failed(failure.into()) }
        }
    }
}

/// Merges the failures of all requested parts into one failure.
fn nothing(failures: Vec<Failure>) -> Failure {
    let kind = failures.first().map_or(Kind::Internal, |failure| failure.kind);
    let lines: Vec<&str> = failures.iter().map(|failure| failure.what.as_str()).collect();
    let mut none = Failure::new(kind, format!("None of the files could be shown.\n{}", lines.join("\n")));
    for hint in failures.into_iter().flat_map(|failure| failure.hints) {
        if !none.hints.contains(&hint) {
            none.hints.push(hint);
        }
    }
    none
}
