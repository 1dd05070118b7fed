//! `view`: parts of several files at once.

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
    seen::Seen,
    workers::at_once,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_text::counted::counted;
use toolpost_workspace::WorkspacePath;

/// Shows parts of several files.
pub struct View;

/// A request for parts of files.
#[derive(Debug, Clone)]
pub struct Request {
    /// The parts, in display order.
    pub parts: Vec<Part>,
    /// The maximum size of the answer, in bytes.
    pub max_bytes: usize,
}

/// A part of a file.
#[derive(Debug, Clone)]
pub struct Part {
    /// The resolved path.
    pub path: WorkspacePath,
    /// The path as the caller wrote it, for suggestions if nothing exists there.
    pub said: String,
    /// The first line, counted from 1.
    pub from: u64,
    /// The last line; `None` for the end of the file.
    pub to: Option<u64>,
    /// The meaning of the line numbers.
    pub of: Of,
    /// The number of lines shown before it.
    pub before: u64,
    /// The number of lines shown after it.
    pub after: u64,
}

/// The lines that a part selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Of {
    /// Exactly these lines.
    Lines,
    /// The block of code around the first of them; if there is none, a number of lines before and after it.
    Block {
        /// The number of lines on each side.
        otherwise: u64,
    },
    /// The lines of the symbol with this name; of each if several have it.
    Symbol(String),
}

/// The shown parts, in the order of the request.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// One entry for each part.
    pub parts: Vec<Viewed>,
}

/// One part as shown.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Viewed {
    /// The requested file, relative to its root.
    pub path: String,
    /// The first requested line.
    pub from: u64,
    /// The last requested line; `None` for the end of the file.
    pub to: Option<u64>,
    /// A description of the symbol, or of the block around a line, that determined the lines.
    pub block: Option<String>,
    /// The line to continue with, if not all requested lines are shown.
    pub next: Option<u64>,
    /// The result.
    pub answer: Answer,
}

/// The result for one part.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// The content of the file.
    File(read::Output),
    /// The reason why it is not shown; the other parts are unaffected.
    Failed(Failed),
}

/// The reason why one of several parts cannot be shown.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Failed {
    /// The sort of failure.
    pub kind: Kind,
    /// The problem.
    pub what: String,
    /// The findings instead.
    pub found: Option<String>,
    /// Suggestions for the path.
    pub meant: Vec<String>,
    /// The next steps; the dialect words them.
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

    fn seen(output: &Output) -> Vec<Seen> {
        let seen = |viewed: &Viewed| match &viewed.answer {
            Answer::File(file) => Read::seen(file),
            Answer::Failed(_) => Vec::new(),
        };
        output.parts.iter().flat_map(seen).collect()
    }
}

impl From<Failure> for Failed {
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

/// A part, and the description of the code at its lines.
type Placed = (Part, Option<String>);

/// Reads all parts, several at a time; the answers are in the order of the parts.
async fn read_all(
    files: &Files,
    request: Request,
    cx: &CallCtx,
) -> Result<Vec<(Placed, Result<read::Output, Failure>)>, Failure> {
    let (files, cx, max_bytes) = (files.clone(), cx.clone(), request.max_bytes);
    let answers = at_once(request.parts, move |part| {
        let parts = placed(&files, &part, &cx);
        let read = |(part, words): Placed| {
            let answer = read_part(&files, &part, max_bytes, &cx);
            ((part, words), answer)
        };
        Ok(match parts {
            Ok(parts) => parts.into_iter().map(read).collect::<Vec<_>>(),
            Err(failure) => vec![((part, None), Err(failure))],
        })
    });
    Ok(answers.await?.into_iter().flatten().collect())
}

/// Finds the lines of a part: those of a symbol, or of the block around a line.
fn placed(files: &Files, part: &Part, cx: &CallCtx) -> Result<Vec<Placed>, Failure> {
    let lines = |block: Block| {
        let part = Part { from: block.from, to: Some(block.to), ..part.clone() };
        (part, Some(block.words))
    };
    Ok(match &part.of {
        Of::Lines => vec![(part.clone(), None)],
        Of::Symbol(name) => {
            let blocks = block::symbol(files, &part.path, &part.said, name, cx)?;
            blocks.into_iter().map(lines).collect()
        }
        // If the file cannot be parsed, the lines are shown all the same.
        Of::Block { otherwise } => {
            match block::around(files, &part.path, &part.said, part.from, cx).ok().flatten() {
                Some(block) => vec![lines(block)],
                None => vec![(Part { before: *otherwise, after: *otherwise, ..part.clone() }, None)],
            }
        }
    })
}

fn read_part(files: &Files, part: &Part, max_bytes: usize, cx: &CallCtx) -> Result<read::Output, Failure> {
    let first = part.from.saturating_sub(part.before).max(1);
    let last = part.to.map_or(u64::MAX, |to| to.saturating_add(part.after));
    let usual = read::Request::of(part.path.clone(), part.said.clone(), max_bytes);
    let limit = last.saturating_sub(first).saturating_add(1);
    let request = read::Request {
        offset: first,
        limit,
        // A single requested line is shown as far as there is room.
        characters: if limit == 1 { max_bytes as u64 } else { usual.characters },
        // For a PDF, these are its pages.
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
                "{} has {}; line {} is behind its end.",
                output.path,
                counted(total, "line"),
                part.from
            );
            Err(Failure::invalid(what).hint(Hint::Page(first)))
        }
        _ => Ok(output),
    }
}

/// Shares the room for lines: a file that needs less than an equal part leaves the rest to the others.
fn share(answers: &mut [Result<read::Output, Failure>], max_bytes: usize) {
    let mut room = max_bytes.saturating_sub(512).saturating_sub(answers.len() * 160);
    let mut texts: Vec<(usize, &mut read::Output)> =
        answers.iter_mut().flatten().filter_map(|file| Some((file.text()?.weight(), file))).collect();
    texts.sort_by_key(|(weight, _)| *weight);
    let mut left = texts.len();
    for (weight, file) in texts {
        let part = room / left.max(1);
        if weight > part {
            file.narrow(part);
        }
        room = room.saturating_sub(weight.min(part));
        left -= 1;
    }
}

fn viewed((part, block): Placed, answer: Result<read::Output, Failure>) -> Viewed {
    let path = part.path.display();
    let (from, to) = (part.from, part.to);
    let last = to.map_or(u64::MAX, |to| to.saturating_add(part.after));
    match answer {
        Ok(file) => {
            let next = file.text().and_then(|text| text.next).filter(|next| *next <= last);
            Viewed { path, from, to, block, next, answer: Answer::File(file) }
        }
        Err(failure) => Viewed { path, from, to, block, next: None, answer: Answer::Failed(failure.into()) },
    }
}

/// Merges the failures of all parts into one.
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
