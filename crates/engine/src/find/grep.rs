//! The `grep` operation: finds lines that match a regular expression, in the files under a directory.

use super::walk::{WalkReport, walk};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    find::Find,
    operation::Operation,
    seen_content::{SeenContent, SeenRange},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::{Duration, Instant};
use toolpost_search::{
    GrepOutput,
    grep::{FileHits, LineTruncation, Role, UnsearchedFiles},
};
use toolpost_text::budget::ByteBudget;
use toolpost_text::plural::counted;
use toolpost_text::{cut::NOTICE, encoding::Text};
use toolpost_workspace::{Kind as FileKind, WorkspacePath};

pub use toolpost_search::{
    Case, GrepRequest, HiddenFiles, Mode, Prune, Rules,
    grep::{CountCompleteness, ONE_LINE, Show, Span},
};

/// The `grep` operation, which finds lines by their content.
pub struct Grep;

/// A request for the lines or files that match a regular expression.
#[derive(Debug, Clone)]
pub struct Request {
    /// The search; its `room` is the maximum size of the answer. `may_read` and `encoding` are those of the call and
    /// of the workspace, whatever they contain.
    pub search: GrepRequest,
    /// The maximum number of lines to return if the base is a single file; `None` means the limit of the search.
    pub limit_of_file: Option<usize>,
    /// Line numbers, shown or omitted.
    pub numbers: Numbers,
    /// The time limit of the search, if it is shorter than that of the call.
    pub time: Option<Duration>,
}

impl Request {
    /// Requests the results of a search in an answer of at most `max_bytes` bytes.
    #[must_use]
    pub fn of(search: GrepRequest, max_bytes: usize) -> Self {
        let search = GrepRequest { room: Some(max_bytes), ..search };
        Self { search, limit_of_file: None, numbers: Numbers::Shown, time: None }
    }
}

/// The maximum size of a file that counts as read if all its lines match, in bytes.
const WHOLE: u64 = 1 << 20;

/// Line numbers, shown or omitted.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Numbers {
    /// Line numbers are shown.
    Shown,
    /// Line numbers are not shown.
    Hidden,
}

/// The matches of a search.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result kind: lines, files or counts.
    pub mode: Mode,
    /// Line numbers, shown or omitted.
    pub numbers: Numbers,
    /// The files and lines in the requested range.
    pub files: Vec<File>,
    /// The number of entries (lines with context, or files) inside and outside the requested range.
    pub entries: u64,
    /// The number of skipped entries before the requested range.
    pub offset: u64,
    /// The number of entries that are shown.
    pub shown: u64,
    /// The number of requested entries that were dropped because of the memory limit; they are counted but not shown.
    pub window_cut: u64,
    /// The total number of matching lines.
    pub lines_matched: u64,
    /// The number of files with a match.
    pub files_matched: u64,
    /// The number of files that were searched.
    pub files_searched: u64,
    /// Completeness of the entry, line and file counts; the search may stop after the requested range.
    pub counted: CountCompleteness,
    /// The parts of the tree that were not searched.
    pub walk: WalkReport,
    /// The parts of the request that the reply text repeats, and the duration of the search.
    #[serde(skip)]
    #[schemars(skip)]
    pub asked: RequestSummary,
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) seen: Option<SeenContent>,
}

/// The parts of a search request that the reply text repeats, and the duration of the search.
#[derive(Debug, Clone)]
pub struct RequestSummary {
    /// The directory or the file that was searched.
    pub base: WorkspacePath,
    /// The regular expression.
    pub pattern: String,
    /// The policy for dependency directories.
    pub prune: Prune,
    /// The maximum number of lines or files.
    pub limit: Option<usize>,
    /// The requested maximum size of the answer, in bytes, if any.
    pub max_bytes: Option<usize>,
    /// The requested time limit, if any.
    pub time: Option<Duration>,
    /// The duration of the search.
    pub took: Duration,
}

/// A file that contains matches.
#[derive(Debug, Serialize, JsonSchema)]
pub struct File {
    /// The file, relative to its root.
    pub path: String,
    /// The number of matching lines in the file; 1 if only files were requested.
    pub matching_lines: u64,
    /// The requested lines.
    pub lines: Vec<Line>,
}

/// A line of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Line {
    /// The line number, counted from 1.
    pub number: u64,
    /// The text of the line; a remark in brackets replaces a part that was cut from a long line.
    pub text: String,
    /// True for a matching line, false for a context line.
    pub is_match: bool,
    /// True if lines of the file between the previous shown line and this one are not shown.
    pub after_gap: bool,
}

impl Operation for Grep {
    const NAME: &'static str = "grep";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Find;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.search.base)
    }

    async fn run(find: &Find, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (Request { search, limit_of_file, numbers, time }, began) = (request, Instant::now());
        let base = search.base.clone();
        let mut asked_for = RequestSummary {
            base: base.clone(),
            pattern: search.pattern.clone(),
            prune: search.prune,
            limit: search.limit,
            max_bytes: search.room,
            time,
            took: Duration::ZERO,
        };
        let cx = &cx.within(time);
        let (may_read, encoding) = (Some(cx.read_filter()), find.files().encoding());
        let mut request = GrepRequest { may_read, encoding, ..for_base(search) };
        walk(find, cx, &base, "steps through files", move |find, control| {
            let kind = find.files().workspace().stat(&request.base).ok().map(|stat| stat.kind);
            if limit_of_file.is_some() && kind.is_some_and(|kind| kind != FileKind::Directory) {
                (asked_for.limit, request.limit) = (limit_of_file, limit_of_file);
            }
            let mut found = toolpost_search::grep(
                find.files().workspace(),
                &request,
                control,
                find.trigrams_of(&request.base),
            )?;
            let own = own_state(find);
            found.unsearched.withheld_names.retain(|name| !own.iter().any(|folder| name.starts_with(folder)));
            let said = RequestSummary { took: began.elapsed(), ..asked_for };
            let mut output = output(found, numbers, said);
            output.walk = output.walk.of_one_root(find.files(), &request.base);
            let mut output = match request.room {
                Some(room) => fit(output, room),
                None => output,
            };
            if kind == Some(FileKind::File) {
                output.seen = whole(find, &request.base, &output);
            }
            Ok(output)
        })
        .await
    }

    fn seen(output: &Output) -> Vec<SeenContent> {
        output.seen.clone().into_iter().collect()
    }
}

/// Returns the search that fits its base: in an installed package, the ignore rules of the project do not apply, and
/// directories of packages nested in it are skipped.
fn for_base(search: GrepRequest) -> GrepRequest {
    if search.base.root().label().is_none() {
        return search;
    }
    GrepRequest { rules: Rules::None, prune: Prune::Dependencies, ..search }
}

fn output(found: GrepOutput, numbers: Numbers, asked: RequestSummary) -> Output {
    let mut walk = WalkReport::of(&found.skipped, found.unreadable, found.complete);
    walk.skipped.extend(unsearched(&found.unsearched, found.counted));
    Output {
        mode: found.mode,
        numbers,
        files: found.files.into_iter().map(file).collect(),
        entries: found.entries,
        offset: found.offset,
        shown: found.shown,
        window_cut: found.window_cut,
        lines_matched: found.totals.matching_lines,
        files_matched: found.totals.files,
        files_searched: found.totals.searched,
        counted: found.counted,
        walk,
        asked,
        seen: None,
    }
}

/// Returns the prefixes with which replies would name files in Toolpost's state directory. These files can never be
/// read, so replies do not list them as withheld.
fn own_state(find: &Find) -> Vec<String> {
    let Some(state) = find.files().workspace().state_folder() else { return Vec::new() };
    let below =
        find.files().workspace().roots().first().and_then(|root| state.strip_prefix(root.path()).ok());
    below.into_iter().chain([state]).map(|folder| format!("{}/", folder.display())).collect()
}

/// Returns the content of a file, which then counts as read, if the results show all its lines whole, for example with
/// the pattern `^`.
fn whole(find: &Find, path: &WorkspacePath, output: &Output) -> Option<SeenContent> {
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
    same.then(|| SeenContent { path: path.clone(), hash: Some(present.hash), part: SeenRange::Whole, bytes })
}

/// Drops the results at the end that do not fit into the answer, so that the reply can state the offset from which to
/// continue. The first result stays even if it does not fit: a reply without results would lead back to the same offset.
fn fit(mut output: Output, max_bytes: usize) -> Output {
    let mut budget = ByteBudget::reserving(max_bytes, AROUND + output.walk.bytes());
    let (mode, mut shown) = (output.mode, 0_usize);
    let mut takes = |bytes: usize| {
        let keeps = budget.takes(bytes) || shown == 0;
        shown += usize::from(keeps);
        keeps
    };
    for file in &mut output.files {
        let path = file.path.len();
        if mode == Mode::Content {
            let keep = file.lines.iter().take_while(|line| takes(path + weight(line))).count();
            file.lines.truncate(keep);
        } else {
            takes(path + 16);
        }
    }
    match mode {
        Mode::Content => output.files.retain(|file| !file.lines.is_empty()),
        Mode::Files | Mode::Count => output.files.truncate(shown),
    }
    output.shown = shown as u64;
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

fn with_cut(text: String, cut: Option<LineTruncation>) -> String {
    match cut {
        None => text,
        Some(LineTruncation { before: 0, after }) => {
            format!("{text} {NOTICE}{}]", counted(after, "more byte"))
        }
        Some(LineTruncation { before, after: 0 }) => {
            format!("{NOTICE}{} before] {text}", counted(before, "byte"))
        }
        Some(LineTruncation { before, after }) => {
            format!(
                "{NOTICE}{} before] {text} {NOTICE}{}]",
                counted(before, "byte"),
                counted(after, "more byte")
            )
        }
    }
}

fn unsearched(files: &UnsearchedFiles, counted: CountCompleteness) -> Vec<String> {
    let mut words = Vec::new();
    let of = |count: u64, what: &str| {
        format!("{} {what}{}", counted.before(count), if count == 1 { "" } else { "s" })
    };
    if files.binary > 0 {
        words.push(of(files.binary, "binary file"));
    }
    if files.only_ascii > 0 {
        words.push(format!(
            "the non-ASCII characters in {} of unknown encoding (the operator can set `encoding`)",
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
            of(files.too_large, "file"),
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
