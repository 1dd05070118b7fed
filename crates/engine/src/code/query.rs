//! `query`: code that has the shape of a pattern, found in the trees of the files under a directory.

mod files;
mod languages;
mod look;

use crate::{
    access::{Access, Touch},
    call::CallCtx,
    code::Code,
    failure::Failure,
    files::document::text::stretch,
    find::walk::{Complete, Walked},
    operation::Operation,
    seen::Seen,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::WorkspacePath;

pub use toolpost_search::Rules;
pub use toolpost_text::window::{Line, Lines};

/// Finds code by its shape.
pub struct Query;

/// What to look for, and where.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory to search, or a single file.
    pub base: WorkspacePath,
    /// The code, with `$NAME` for one node and `$$$NAME` for any number of them.
    pub pattern: String,
    /// The language of the pattern; without one, each file is searched that can read it.
    pub language: Option<String>,
    /// How many places are shown; all are counted.
    pub limit: u64,
    /// How many bytes the answer may have.
    pub max_bytes: usize,
    /// Whose ignore rules count.
    pub rules: Rules,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The files that hold places which are shown, in the order of their paths.
    pub files: Vec<File>,
    /// How many places there are in all.
    pub total: u64,
    /// How many files hold them.
    pub files_matched: u64,
    /// How many places are shown.
    pub shown: u64,
    /// Why not all of them are shown.
    pub cut: Cut,
    /// How many files were searched.
    pub searched: u64,
    /// How many of them have parts that the parser does not understand: what stands there may not have been found.
    pub imperfect: u64,
    /// Languages whose files were not searched, because the pattern is no code of theirs.
    pub foreign: Vec<String>,
    /// What was not looked at.
    pub walk: Walked,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Vec<Seen>,
}

/// Why not all places are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// They are.
    No,
    /// No more were asked for.
    Limit,
    /// The answer has no room for more.
    Room,
}

/// A file that holds such code.
#[derive(Debug, Serialize, JsonSchema)]
pub struct File {
    /// The file, relative to its root.
    pub path: String,
    /// The places, in their order in the file.
    pub places: Vec<Place>,
}

/// Code that has the shape.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Place {
    /// The line on which it begins, counted from 1.
    pub first_line: u64,
    /// The column in which it begins, counted from 1 in characters.
    pub column: u64,
    /// The line on which it ends.
    pub last_line: u64,
    /// Its lines, from the first; of long code not all.
    #[serde(serialize_with = "stretch::write")]
    #[schemars(with = "Vec<stretch::Stretch>")]
    pub lines: Lines,
    /// What stands in the holes that have names.
    pub holes: Vec<Hole>,
}

/// What stands in a hole of a pattern.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Hole {
    /// The hole's name.
    pub name: String,
    /// The code in it, or its beginning.
    pub text: String,
}

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
        let looked = look::all(code, files, patterns, &request, cx).await?;
        Ok(output(looked, walk, &request))
    }

    fn seen(output: &Output) -> Vec<Seen> {
        output.seen.clone()
    }
}

/// Puts together what was found, as much of it as was asked for and fits.
fn output(all: look::All, mut walk: Walked, request: &Request) -> Output {
    walk.skipped.extend(all.skipped.words());
    if all.ended != Complete::Yes {
        walk.complete = all.ended;
    }
    let mut left = usize::try_from(request.limit).unwrap_or(usize::MAX);
    let mut room = request.max_bytes.saturating_sub(1_024);
    let (mut total, mut shown, mut files_matched) = (0, 0, 0);
    let (mut files, mut seen, mut cut) = (Vec::new(), Vec::new(), Cut::Limit);
    for found in all.found {
        total += found.total;
        files_matched += u64::from(found.total > 0);
        let weights = found.places.iter().take(left).take_while(|place| {
            let weight = place.weight() + found.path.len();
            let fits = weight <= room;
            room = if fits { room - weight } else { 0 };
            cut = if fits { cut } else { Cut::Room };
            fits
        });
        let keep = weights.count();
        left = if room == 0 { 0 } else { left - keep };
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
        cut: if shown == total { Cut::No } else { cut },
        searched: all.searched,
        imperfect: all.imperfect,
        foreign: all.foreign,
        walk,
        seen,
    }
}

impl Place {
    /// Tells how many bytes it takes to show it.
    fn weight(&self) -> usize {
        let holes: usize = self.holes.iter().map(|hole| hole.name.len() + hole.text.len() + 8).sum();
        self.lines.bytes() + 16 * self.lines.len() + holes + 64
    }
}
