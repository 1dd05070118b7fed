//! `query`: structural search.
//!
//! Finds code whose syntax tree matches a pattern.

mod file_search;
mod files;
mod languages;

use crate::{
    access::{Access, Touch},
    call::CallCtx,
    code::Code,
    failure::Failure,
    files::document::text::stretch,
    find::walk::{Complete, WalkReport},
    operation::Operation,
    seen_content::SeenContent,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_text::budget::ByteBudget;
use toolpost_workspace::WorkspacePath;

pub use toolpost_search::Rules;
pub use toolpost_text::window::{Line, Lines};

/// The `query` operation, which finds code whose syntax tree matches a pattern.
pub struct Query;

/// Request for a structural search.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory to search, or a single file.
    pub base: WorkspacePath,
    /// The pattern: code, with `$NAME` for one syntax node and `$$$NAME` for any number of nodes.
    pub pattern: String,
    /// The language of the pattern. Without one, files in all languages that can parse the pattern are
    /// searched.
    pub language: Option<String>,
    /// Maximum number of matches that are shown; further matches are only counted.
    pub limit: u64,
    /// Maximum size of the answer, in bytes.
    pub max_bytes: usize,
    /// The ignore rules, such as those in `.gitignore`, by which files are excluded.
    pub rules: Rules,
}

/// The matches that are shown, and the number of all matches.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The files with matches that are shown, in the order of their paths.
    pub files: Vec<File>,
    /// Total number of matches.
    pub total: u64,
    /// Number of files with matches.
    pub files_matched: u64,
    /// Number of matches that are shown.
    pub shown: u64,
    /// The reason why some matches are not shown.
    pub cut: Truncation,
    /// Number of files that were searched.
    pub searched: u64,
    /// Number of searched files with parts that the parser does not understand: matches there may be
    /// missing.
    pub imperfect: u64,
    /// Languages whose files were not searched, because they cannot parse the pattern.
    pub foreign: Vec<String>,
    /// The files and directories that were skipped.
    pub walk: WalkReport,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Vec<SeenContent>,
}

/// The reason why not all matches are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Truncation {
    /// All matches are shown.
    No,
    /// The number of matches reached the limit of the request.
    Limit,
    /// The size of the answer reached the limit of the request.
    Room,
}

/// A file with matches.
#[derive(Debug, Serialize, JsonSchema)]
pub struct File {
    /// The file, relative to its root.
    pub path: String,
    /// The matches, in their order in the file.
    pub places: Vec<Place>,
}

/// One match of the pattern.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Place {
    /// The first line of the match, counted from 1.
    pub first_line: u64,
    /// The column at which the match starts, counted from 1 in characters.
    pub column: u64,
    /// The last line of the match, counted from 1.
    pub last_line: u64,
    /// The lines of the match; long code is shortened.
    #[serde(serialize_with = "stretch::write")]
    #[schemars(with = "Vec<stretch::Stretch>")]
    pub lines: Lines,
    /// The code that each named capture matched.
    pub holes: Vec<Hole>,
}

/// The code that a capture of a pattern matched.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Hole {
    /// The name of the capture.
    pub name: String,
    /// The code, shortened if it is long.
    pub text: String,
}

/// The size of the answer in addition to its matches, in bytes.
const AROUND: usize = 1_024;

impl Operation for Query {
    const NAME: &'static str = "query";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Code;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.base)
    }

    async fn run(code: &Code, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let patterns = languages::read(&request)?;
        let (files, walk) = files::find(code, &request, &patterns, cx).await?;
        let matches = file_search::search_all(code, files, patterns, &request, cx).await?;
        Ok(output(matches, walk, &request))
    }

    fn seen(output: &Output) -> Vec<SeenContent> {
        output.seen.clone()
    }
}

/// Builds the output, with matches up to the requested number and the size limit.
fn output(all: file_search::QueryMatches, mut walk: WalkReport, request: &Request) -> Output {
    walk.skipped.extend(all.skipped.words());
    if all.ended != Complete::Yes {
        walk.complete = all.ended;
    }
    let mut left = usize::try_from(request.limit).unwrap_or(usize::MAX);
    let mut budget = ByteBudget::reserving(request.max_bytes, AROUND);
    let (mut total, mut shown, mut files_matched) = (0, 0, 0);
    let (mut files, mut seen, mut cut) = (Vec::new(), Vec::new(), Truncation::Limit);
    for found in all.found {
        total += found.total;
        files_matched += u64::from(found.total > 0);
        let weights = found.places.iter().take(left).take_while(|place| {
            let fits = budget.takes(place.weight() + found.path.len());
            cut = if fits { cut } else { Truncation::Room };
            fits
        });
        let keep = weights.count();
        left = if budget.left() == 0 { 0 } else { left - keep };
        if keep > 0 {
            shown += keep as u64;
            seen.extend(found.seen(keep));
            files.push(File { path: found.path, places: found.places.into_iter().take(keep).collect() });
        }
    }
    Output {
        files,
        total,
        files_matched,
        shown,
        cut: if shown == total { Truncation::No } else { cut },
        searched: all.searched,
        imperfect: all.imperfect,
        foreign: all.foreign,
        walk,
        seen,
    }
}

impl Place {
    /// Estimates the size of a match in the answer, in bytes.
    fn weight(&self) -> usize {
        let holes: usize = self.holes.iter().map(|hole| hole.name.len() + hole.text.len() + 8).sum();
        self.lines.bytes() + 16 * self.lines.len() + holes + 64
    }
}
