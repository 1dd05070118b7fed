//! `read_many`: the texts of many files, chosen by globs or named one by one.

mod choose;
mod look;
mod share;

use super::walk::{Complete, Walked};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    files::document::text::stretch,
    find::Find,
    operation::Operation,
    seen::Seen,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::{Duration, Instant};
use toolpost_workspace::WorkspacePath;

use look::Looked;

pub use super::grep::Numbers;
pub use toolpost_search::Rules;
pub use toolpost_text::window::{Line, Lines};

/// Shows many files.
pub struct ReadMany;

/// A request for many files.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory to which globs are relative.
    pub base: WorkspacePath,
    /// The files to read.
    pub wanted: Vec<Wanted>,
    /// Globs of files to leave out.
    pub without: Vec<String>,
    /// The maximum number of files; the first by path are kept.
    pub max_files: usize,
    /// The maximum number of bytes of one file.
    pub max_bytes_each: usize,
    /// The maximum size of the answer in bytes; the files share it.
    pub max_bytes: usize,
    /// The ignore rules for files that a glob finds.
    pub rules: Rules,
    /// The choice to show line numbers.
    pub numbers: Numbers,
}

/// A file, or a set of files.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// A named file, or all files in a named directory.
    Named {
        /// The resolved path.
        path: WorkspacePath,
        /// The path as the caller wrote it, for suggestions if nothing exists there.
        said: String,
    },
    /// All files that a glob matches.
    Glob(String),
}

/// The content of the files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The choice to show line numbers.
    pub numbers: Numbers,
    /// The files, by path.
    pub files: Vec<File>,
    /// The number of files selected, by glob or by name.
    pub matched: u64,
    /// The number of them that are not text, or must not be read without a prompt.
    pub skipped: u64,
    /// The number of them that could not be read.
    pub failed: u64,
    /// The number of them that do not fit into the answer, or were not reached in time.
    pub left_out: u64,
    /// The parts of the tree that were not searched.
    pub walk: Walked,
    /// The duration.
    #[serde(skip)]
    #[schemars(skip)]
    pub took: Duration,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Vec<Seen>,
}

/// One of the files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct File {
    /// The file, relative to its root.
    pub path: String,
    /// The result.
    pub answer: Answer,
}

/// The result for one file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// Its text.
    Text(Text),
    /// The file is readable but not shown.
    Skipped {
        /// The reason.
        why: String,
    },
    /// The file could not be read.
    Failed {
        /// The problem.
        what: String,
        /// Suggestions for the path.
        meant: Vec<String>,
    },
}

/// The text of a file, or its beginning.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Text {
    /// The lines, from the first on.
    #[serde(serialize_with = "stretch::write")]
    #[schemars(with = "Vec<stretch::Stretch>")]
    pub lines: Lines,
    /// The number of bytes of the file that are shown.
    pub bytes: u64,
    /// The size of the file in bytes.
    pub of_bytes: u64,
    /// The extent of the text.
    pub shown: Shown,
    /// Properties that matter for changing the file.
    pub facts: Vec<String>,
    /// The file that was read instead of the requested one, and the reason.
    pub note: Option<String>,
}

/// The extent of a file that is shown.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// The whole file.
    Whole,
    /// Only its beginning.
    Beginning,
}

impl Operation for ReadMany {
    const NAME: &'static str = "read_many";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Find;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        let places = request.wanted.iter().map(|wanted| match wanted {
            Wanted::Named { path, .. } => Touch::Read(path.clone()),
            Wanted::Glob(_) => Touch::Read(request.base.clone()),
        });
        let mut touches: Vec<Touch> = Vec::new();
        for touch in places {
            if !touches.contains(&touch) {
                touches.push(touch);
            }
        }
        touches
    }

    async fn run(find: &Find, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let began = Instant::now();
        let chosen = choose::choose(find, &request, cx).await?;
        let matched = chosen.files.len();
        let mut files = chosen.files;
        files.truncate(share::how_many(&files, &request));
        let looked = look::all(find, files, &request, cx).await?;
        let looked = share::those_that_fit(looked, request.max_bytes);
        Ok(output(share::out(looked, request.max_bytes), matched, chosen.walk, &request, began))
    }

    fn seen(output: &Output) -> Vec<Seen> {
        output.seen.clone()
    }
}

fn output(
    looked: Vec<Looked>,
    matched: usize,
    mut walk: Walked,
    request: &Request,
    began: Instant,
) -> Output {
    let (mut files, mut seen) = (Vec::new(), Vec::new());
    let (mut skipped, mut failed) = (0, 0);
    for looked in looked {
        match &looked.answer {
            Some(Answer::Text(text)) => seen.extend(looked.seen(text)),
            Some(Answer::Skipped { .. }) => skipped += 1,
            Some(Answer::Failed { .. }) => failed += 1,
            None => walk.complete = Complete::TimedOut,
        }
        files.extend(looked.answer.map(|answer| File { path: looked.path, answer }));
    }
    let left_out = (matched - files.len()) as u64;
    let numbers = request.numbers;
    Output {
        numbers,
        files,
        matched: matched as u64,
        skipped,
        failed,
        left_out,
        walk,
        took: began.elapsed(),
        seen,
    }
}
