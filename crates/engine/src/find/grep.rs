//! `grep`: lines that match a regular expression, in the files under a directory.

use super::walk::{Walked, walk};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    find::Find,
    operation::Operation,
    seen::{Part, Seen},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::{Duration, Instant};
use toolpost_search::{
    GrepOutput, GrepRequest,
    grep::{Cut, FileHits, Role, Unsearched},
};
use toolpost_text::{cut::NOTICE, encoding::Text};
use toolpost_workspace::{Kind as FileKind, WorkspacePath};

pub use toolpost_search::{
    Case, Hidden, Prune, Rules,
    grep::{ONE_LINE, Show, Span},
};

/// Finds lines by their content.
pub struct Grep;

/// A search request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory to search, or a single file.
    pub base: WorkspacePath,
    /// The regular expression.
    pub pattern: String,
    /// The files to search, as globs; a leading `!` excludes.
    pub globs: Vec<String>,
    /// The types of files to search.
    pub types: Vec<String>,
    /// The case sensitivity.
    pub case: Case,
    /// The number of lines to show before a match.
    pub before: u64,
    /// The number of lines to show after a match.
    pub after: u64,
    /// The choice if a match may extend over several lines.
    pub span: Span,
    /// The part of a matching line to show.
    pub show: Show,
    /// The choice to show line numbers.
    pub numbers: Numbers,
    /// The kind of results.
    pub mode: Mode,
    /// The maximum number of lines or files to return.
    pub limit: Option<u64>,
    /// The maximum number of lines to return if the base is a single file; `limit` if not given.
    pub limit_of_file: Option<u64>,
    /// The maximum number of characters of a line; a longer line is cut to the surroundings of the match.
    pub max_line: usize,
    /// The number of results to skip.
    pub offset: u64,
    /// The maximum size of the answer, in bytes; the rest is left for the next window.
    pub max_bytes: usize,
    /// The ignore rules to apply.
    pub rules: Rules,
    /// The handling of dependency directories.
    pub prune: Prune,
    /// The handling of hidden names.
    pub hidden: Hidden,
    /// The time limit of the search, if it is shorter than that of the call.
    pub time: Option<Duration>,
}

impl Request {
    /// Requests the matching lines, also in hidden files, under the ignore rules of git.
    #[must_use]
    pub fn of(base: WorkspacePath, pattern: String, max_bytes: usize) -> Self {
        Self {
            base,
            pattern,
            globs: Vec::new(),
            types: Vec::new(),
            case: Case::Sensitive,
            before: 0,
            after: 0,
            span: Span::Line,
            show: Show::Line,
            numbers: Numbers::Shown,
            mode: Mode::Content,
            limit: None,
            limit_of_file: None,
            max_line: LINE,
            offset: 0,
            max_bytes,
            rules: Rules::Git,
            prune: Prune::Nothing,
            hidden: Hidden::Show,
            time: None,
        }
    }
}

/// The maximum size of a file that can be shown whole, in bytes.
const WHOLE: u64 = 1 << 20;

/// The default maximum number of characters shown of a line.
const LINE: usize = 400;

/// The choice to show line numbers.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Numbers {
    /// Line numbers are shown.
    Shown,
    /// Line numbers are not shown.
    Hidden,
}

/// The kind of results.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The matching lines, by path.
    Content,
    /// The files with a match, newest first.
    Files,
    /// The files with their number of matching lines, by path.
    Count,
}

/// The completeness of the counts.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// Everything that matches was counted.
    All,
    /// There is more than the window shows, and perhaps more than was counted.
    AtLeast,
}

impl Counted {
    /// Formats a number, with "at least" in front if the count is incomplete.
    #[must_use]
    pub fn before(self, number: impl std::fmt::Display) -> String {
        match self {
            Self::All => number.to_string(),
            Self::AtLeast => format!("at least {number}"),
        }
    }
}

/// The search results.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The kind of results.
    pub mode: Mode,
    /// The choice to show line numbers.
    pub numbers: Numbers,
    /// The files in the window, each with its lines in the window.
    pub files: Vec<File>,
    /// The total number of lines (or files), including those outside the window; surrounding lines count.
    pub entries: u64,
    /// The number of them that were skipped.
    pub offset: u64,
    /// The number of them that are shown.
    pub shown: u64,
    /// The number of entries of the window that did not fit into memory; they are counted and not shown.
    pub window_cut: u64,
    /// The total number of matching lines.
    pub lines_matched: u64,
    /// The number of files with a match.
    pub files_matched: u64,
    /// The number of files that were searched.
    pub files_searched: u64,
    /// The scope of the counts of entries, lines and files: all files, or only as far as the window needs.
    pub counted: Counted,
    /// The parts of the tree that were not searched.
    pub walk: Walked,
    /// The request and its duration, for the reply text.
    #[serde(skip)]
    #[schemars(skip)]
    pub asked: Asked,
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) seen: Option<Seen>,
}

/// The parts of a search request that the reply text repeats.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The directory or file that was searched.
    pub base: WorkspacePath,
    /// The regular expression.
    pub pattern: String,
    /// The maximum number of lines or files.
    pub limit: Option<u64>,
    /// The maximum size of the answer, in bytes.
    pub max_bytes: usize,
    /// The requested time limit, if any.
    pub time: Option<Duration>,
    /// The duration.
    pub took: Duration,
}

/// A file that holds matches.
#[derive(Debug, Serialize, JsonSchema)]
pub struct File {
    /// The file, relative to its root.
    pub path: String,
    /// The number of its matching lines; 1 if only files were requested.
    pub matching_lines: u64,
    /// The lines in the window.
    pub lines: Vec<Line>,
}

/// A line of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Line {
    /// Its number, counted from 1.
    pub number: u64,
    /// Its text; a remark in brackets marks a part cut from a long line.
    pub text: String,
    /// True if the line matches, false if it surrounds a match.
    pub is_match: bool,
    /// True if there are lines between the previous line and this one.
    pub after_gap: bool,
}

impl Operation for Grep {
    const NAME: &'static str = "grep";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Find;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.base)
    }

    async fn run(find: &Find, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (base, began) = (request.base.clone(), Instant::now());
        let asked_for = Asked {
            base: base.clone(),
            pattern: request.pattern.clone(),
            limit: request.limit,
            max_bytes: request.max_bytes,
            time: request.time,
            took: Duration::ZERO,
        };
        let (mode, numbers, max_bytes) = (request.mode, request.numbers, request.max_bytes);
        let cx = &cx.within(request.time);
        let (may_read, encoding) = (Some(cx.read_filter()), find.files().encoding());
        let limit_of_file = request.limit_of_file;
        let mut request = GrepRequest { may_read, encoding, ..asked(request) };
        walk(find, cx, &base, "steps through files", move |find, control| {
            let mut asked_for = asked_for;
            let kind = find.files().workspace().stat(&request.base).ok().map(|stat| stat.kind);
            if let Some(limit) = limit_of_file
                && kind.is_some_and(|kind| kind != FileKind::Directory)
            {
                asked_for.limit = Some(limit);
                request.limit = Some(usize::try_from(limit).unwrap_or(usize::MAX));
            }
            let mut found = toolpost_search::grep(
                find.files().workspace(),
                &request,
                control,
                find.grams_of(&request.base),
            )?;
            let own = own_state(find);
            found.unsearched.withheld_names.retain(|name| !own.iter().any(|folder| name.starts_with(folder)));
            let said = Asked { took: began.elapsed(), ..asked_for };
            let mut output = output(found, mode, numbers, said);
            output.walk = output.walk.of_one_root(find.files(), &request.base);
            let mut output = fit(output, max_bytes);
            if kind == Some(FileKind::File) {
                output.seen = whole(find, &request.base, &output);
            }
            Ok(output)
        })
        .await
    }

    fn seen(output: &Output) -> Vec<Seen> {
        output.seen.clone().into_iter().collect()
    }
}

fn asked(request: Request) -> GrepRequest {
    // Ignore rules above a package do not apply inside it, and its dependencies are not part of it.
    let aside = request.base.root().label().is_some();
    let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    GrepRequest {
        globs: request.globs,
        types: request.types,
        case: request.case,
        before: size(request.before),
        after: size(request.after),
        span: request.span,
        show: request.show,
        mode: match request.mode {
            Mode::Content => toolpost_search::Mode::Content,
            Mode::Files => toolpost_search::Mode::Files,
            Mode::Count => toolpost_search::Mode::Count,
        },
        limit: request.limit.map(size),
        offset: size(request.offset),
        rules: if aside { Rules::None } else { request.rules },
        hidden: request.hidden,
        prune: if aside { Prune::Dependencies } else { request.prune },
        max_line: request.max_line,
        ..GrepRequest::new(request.base, request.pattern)
    }
}

fn output(found: GrepOutput, mode: Mode, numbers: Numbers, asked: Asked) -> Output {
    let mut walk = Walked::of(&found.skipped, found.unreadable, found.complete);
    let counted = match found.counted {
        toolpost_search::grep::Counted::All => Counted::All,
        toolpost_search::grep::Counted::AtLeast => Counted::AtLeast,
    };
    walk.skipped.extend(unsearched(&found.unsearched, counted));
    Output {
        mode,
        numbers,
        files: found.files.into_iter().map(file).collect(),
        entries: found.entries,
        offset: found.offset,
        shown: found.shown,
        window_cut: found.window_cut,
        lines_matched: found.totals.matching_lines,
        files_matched: found.totals.files,
        files_searched: found.totals.searched,
        counted,
        walk,
        asked,
        seen: None,
    }
}

/// Returns the prefixes of Toolpost's own state directory in replies, if a root contains it; no rule lets
/// these files be read.
fn own_state(find: &Find) -> Vec<String> {
    let Some(state) = find.files().workspace().state_folder() else { return Vec::new() };
    let below =
        find.files().workspace().roots().first().and_then(|root| state.strip_prefix(root.path()).ok());
    below.into_iter().chain([state]).map(|folder| format!("{}/", folder.display())).collect()
}

/// Returns the content of a file whose lines are all shown whole, as with the pattern `^`.
fn whole(find: &Find, path: &WorkspacePath, output: &Output) -> Option<Seen> {
    let [File { lines, .. }] = output.files.as_slice() else { return None };
    let in_order = lines.iter().zip(1..).all(|(line, number)| line.number == number);
    if output.mode != Mode::Content || !in_order || output.lines_matched != lines.len() as u64 {
        return None;
    }
    let present = find.files().workspace().read(path, WHOLE).ok()?;
    let text = Text::open(present.bytes.clone(), find.files().encoding()).ok()?;
    let shown = text.shown(text.view());
    let same = shown.lines().eq(lines.iter().map(|line| line.text.as_str()));
    let bytes = Some(present.bytes.into());
    same.then(|| Seen { path: path.clone(), hash: Some(present.hash), part: Part::Whole, bytes })
}

/// Drops the entries that do not fit into the answer, so that the reply can report where to continue.
fn fit(mut output: Output, max_bytes: usize) -> Output {
    let mut room = max_bytes.saturating_sub(AROUND + output.walk.bytes());
    let mut fits = |bytes: usize| {
        let enough = bytes <= room;
        room = if enough { room - bytes } else { 0 };
        enough
    };
    let (mode, mut shown) = (output.mode, 0_u64);
    for file in &mut output.files {
        let path = file.path.len();
        if mode == Mode::Content {
            let keep = file.lines.iter().take_while(|line| fits(path + weight(line))).count();
            file.lines.truncate(keep);
            shown += keep as u64;
        } else {
            shown += u64::from(fits(path + 16));
        }
    }
    if shown > 0 {
        output.shown = shown;
        match mode {
            Mode::Content => output.files.retain(|file| !file.lines.is_empty()),
            Mode::Files | Mode::Count => output.files.truncate(usize::try_from(shown).unwrap_or(usize::MAX)),
        }
    }
    output
}

/// The size reserved for the remarks at the end of an answer, in bytes.
const AROUND: usize = 512;

/// Returns the size of a line in addition to its path, in bytes: its text, its number, the separators, and
/// the separator line after a gap.
fn weight(line: &Line) -> usize {
    let number = line.number.checked_ilog10().unwrap_or(0) as usize + 1;
    line.text.len() + number + 3 + if line.after_gap { 3 } else { 0 }
}

fn file(hits: FileHits) -> File {
    let lines = hits.lines.into_iter().map(|line| Line {
        number: line.number,
        text: with_cut(line.text, line.cut),
        is_match: line.role == Role::Match,
        after_gap: line.after_gap,
    });
    File { path: hits.path.display(), matching_lines: hits.matching_lines, lines: lines.collect() }
}

fn with_cut(text: String, cut: Option<Cut>) -> String {
    match cut {
        None => text,
        Some(Cut { before: 0, after }) => format!("{text} {NOTICE}{after} more bytes]"),
        Some(Cut { before, after: 0 }) => format!("{NOTICE}{before} bytes before] {text}"),
        Some(Cut { before, after }) => {
            format!("{NOTICE}{before} bytes before] {text} {NOTICE}{after} more bytes]")
        }
    }
}

fn unsearched(files: &Unsearched, counted: Counted) -> Vec<String> {
    let mut words = Vec::new();
    let of = |count: u64, what: &str| {
        format!("{} {what}{}", counted.before(count), if count == 1 { "" } else { "s" })
    };
    if files.binary > 0 {
        words.push(of(files.binary, "binary file"));
    }
    if files.only_ascii > 0 {
        words.push(format!(
            "all but ASCII in {} of unknown encoding (the setting `encoding` names it)",
            of(files.only_ascii, "file"),
        ));
    }
    if files.withheld > 0 {
        let count = counted.before(files.withheld);
        let (names, more) = (&files.withheld_names, files.withheld > files.withheld_names.len() as u64);
        let names = names.join(", ") + if more { ", …" } else { "" };
        let names = if files.withheld_names.is_empty() { String::new() } else { format!(" ({names})") };
        let file = if files.withheld == 1 { "file" } else { "files" };
        words.push(format!("{count} {file} withheld by the rules{names}"));
    }
    if files.too_large > 0 {
        words.push(format!(
            "{} too large to be searched ({})",
            counted.before(files.too_large),
            files.too_large_names.join(", ")
        ));
    }
    words
}

/// Splits a list of globs at white space and commas, but not inside braces.
#[must_use]
pub fn globs(said: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = said.split(|letter: char| {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (letter == ',' || letter.is_whitespace())
    });
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
