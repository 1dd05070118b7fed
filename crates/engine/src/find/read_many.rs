//! The `read_many` operation: shows the text of many files, selected by globs or by their paths.

mod contents;
mod distribution;
mod selection;

use super::walk::{Complete, WalkReport};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    files::document::text::stretch,
    find::Find,
    operation::Operation,
    seen_content::SeenContent,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::{Duration, Instant};
use toolpost_workspace::WorkspacePath;

use contents::FileResult;

pub use super::grep::Numbers;
pub use toolpost_search::Rules;
pub use toolpost_text::window::{Line, Lines};

/// The `read_many` operation, which shows the text of many files.
pub struct ReadMany;

/// A request to read many files.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory to which globs are relative.
    pub base: WorkspacePath,
    /// The files to read, selected by paths or by globs.
    pub selectors: Vec<FileSelector>,
    /// The named paths that cannot be used, for example because they are outside the roots, with the reasons.
    pub refused: Vec<(String, String)>,
    /// Globs of files to leave out.
    pub without: Vec<String>,
    /// The maximum number of files to read; if more are selected, the first ones by path are read.
    pub max_files: usize,
    /// The maximum number of bytes shown of one file.
    pub max_bytes_each: usize,
    /// The maximum size of the whole answer, in bytes.
    pub max_bytes: usize,
    /// The ignore rules, such as `.gitignore`, for files that a glob finds.
    pub rules: Rules,
    /// Line numbers, shown or omitted.
    pub numbers: Numbers,
}

/// The file or the set of files that one path or glob selects.
#[derive(Debug, Clone)]
pub enum FileSelector {
    /// A named file, or all files in a named directory.
    Named {
        /// The path, resolved inside a root.
        path: WorkspacePath,
        /// The path as the caller wrote it, for suggestions if nothing exists there.
        raw_path: String,
    },
    /// All files that a glob matches.
    Glob(String),
}

/// The content of the files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Line numbers, shown or omitted.
    pub numbers: Numbers,
    /// The files, sorted by path; then the named paths that cannot be used.
    pub files: Vec<File>,
    /// The number of files selected, by glob or by name, including the named paths that cannot be used.
    pub matched: u64,
    /// The number of selected files that are not text or may not be read.
    pub skipped: u64,
    /// The number of selected files that could not be read, including the named paths that cannot be used.
    pub failed: u64,
    /// The number of selected files that exceed the maximum number, did not fit, or were not reached in time.
    pub left_out: u64,
    /// The parts of the tree that were not searched.
    pub walk: WalkReport,
    /// The duration of the call.
    #[serde(skip)]
    #[schemars(skip)]
    pub took: Duration,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Vec<SeenContent>,
}

/// One of the selected files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct File {
    /// The file, relative to its root.
    pub path: String,
    /// The text, or why it is missing.
    pub answer: Answer,
}

/// A file's text, or why it is missing.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// The text of the file.
    Text(Text),
    /// The file is not text, or may not be read.
    Skipped {
        /// Why the file was skipped.
        why: String,
    },
    /// The file could not be read.
    Failed {
        /// The problem, as a sentence.
        what: String,
        /// Similar paths that exist.
        meant: Vec<String>,
    },
}

/// The text of a file, or its beginning.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Text {
    /// The file's lines, from the first on.
    #[serde(serialize_with = "stretch::write")]
    #[schemars(with = "Vec<stretch::Stretch>")]
    pub lines: Lines,
    /// The number of bytes of the file that are shown.
    pub bytes: u64,
    /// The size of the file in bytes.
    pub of_bytes: u64,
    /// Extent of the shown text: the whole file, or its beginning.
    pub shown: TextExtent,
    /// Properties that matter for changing the file.
    pub facts: Vec<String>,
    /// The file that was read instead of the requested one, and the reason.
    pub note: Option<String>,
}

/// The extent of a file that is shown.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum TextExtent {
    /// The whole file.
    Whole,
    /// The file's beginning.
    Beginning,
}

impl Operation for ReadMany {
    const NAME: &'static str = "read_many";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Find;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        let places = request.selectors.iter().map(|selector| match selector {
            FileSelector::Named { path, .. } => Touch::Read(path.clone()),
            FileSelector::Glob(_) => Touch::Read(request.base.clone()),
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
        let selected = selection::select(find, &request, cx).await?;
        let matched = selected.files.len();
        let mut files = selected.files;
        files.truncate(distribution::fitting_entries(&files, &request));
        let contents = contents::read_all(find, files, &request, cx).await?;
        let stopped = if cx.cancel.is_cancelled() { Complete::Cancelled } else { Complete::TimedOut };
        let contents = distribution::keep_fitting(contents, request.max_bytes);
        Ok(output(
            distribution::distribute(contents, request.max_bytes),
            matched,
            (selected.walk, stopped),
            &request,
            began,
        ))
    }

    fn seen(output: &Output) -> Vec<SeenContent> {
        output.seen.clone()
    }
}

fn output(
    looked: Vec<FileResult>,
    matched: usize,
    (mut walk, stopped): (WalkReport, Complete),
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
            None => walk.complete = stopped,
        }
        files.extend(looked.answer.map(|answer| File { path: looked.path, answer }));
    }
    let left_out = (matched - files.len()) as u64;
    let refused = request.refused.iter().cloned();
    let answer = |what| Answer::Failed { what, meant: Vec::new() };
    files.extend(refused.map(|(path, what)| File { path, answer: answer(what) }));
    failed += request.refused.len() as u64;
    let numbers = request.numbers;
    Output {
        numbers,
        files,
        matched: (matched + request.refused.len()) as u64,
        skipped,
        failed,
        left_out,
        walk,
        took: began.elapsed(),
        seen,
    }
}
