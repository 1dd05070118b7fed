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

/// Which files, and how much of them.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory from which globs are meant.
    pub base: WorkspacePath,
    /// Which files.
    pub wanted: Vec<Wanted>,
    /// Globs of what is left out of them.
    pub without: Vec<String>,
    /// How many files at most; the first in the order of their paths.
    pub max_files: usize,
    /// How many bytes of one file at most.
    pub max_bytes_each: usize,
    /// How many bytes the answer may have; files share them.
    pub max_bytes: usize,
    /// Whose ignore rules count for what a glob finds.
    pub rules: Rules,
    /// Whether the numbers of the lines are wanted.
    pub numbers: Numbers,
}

/// A file, or files.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// A file that is named, or all that lies in a directory that is.
    Named {
        /// The place.
        path: WorkspacePath,
        /// The path as it was said, to find what was meant if nothing is there.
        said: String,
    },
    /// All files that a glob finds.
    Glob(String),
}

/// What the files hold.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Whether the numbers of the lines are wanted.
    pub numbers: Numbers,
    /// The files in the order of their paths.
    pub files: Vec<File>,
    /// How many files were meant: found, or named.
    pub matched: u64,
    /// How many of them are no text, or not to be read without asking.
    pub skipped: u64,
    /// How many of them could not be read.
    pub failed: u64,
    /// How many of them do not fit into the answer, or were not reached in time.
    pub left_out: u64,
    /// What was not looked at.
    pub walk: Walked,
    /// How long it took.
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
    /// What came of it.
    pub answer: Answer,
}

/// What came of one file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// Its text.
    Text(Text),
    /// Why it is not shown, although it could be read.
    Skipped {
        /// Why.
        why: String,
    },
    /// Why it could not be read.
    Failed {
        /// What was wrong.
        what: String,
        /// What may have been meant.
        meant: Vec<String>,
    },
}

/// The text of a file, or its beginning.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Text {
    /// The lines from the first on.
    #[serde(serialize_with = "stretch::write")]
    #[schemars(with = "Vec<stretch::Stretch>")]
    pub lines: Lines,
    /// How many bytes of the file that is.
    pub bytes: u64,
    /// How many bytes the file has.
    pub of_bytes: u64,
    /// Whether that is all of it.
    pub shown: Shown,
    /// What must be known to change the file.
    pub facts: Vec<String>,
    /// Where another file than the one that was said was taken: which, and why.
    pub note: Option<String>,
}

/// Whether all of a file is shown.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// It is.
    Whole,
    /// Its beginning is.
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
