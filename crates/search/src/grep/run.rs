//! Runs a content search and assembles its result.

use std::collections::BTreeSet;
use std::sync::Arc;

use grep_regex::RegexMatcher;
use toolpost_trigrams::{Letters, Pattern, Reach, Shortlist, Sieve, TrigramIndex};
use toolpost_workspace::walk::{
    self, Candidate, Claim, Entry, EntryType, Kind, Next, OpenedFile, Visitor, WalkEnd, WalkOpenError, walk,
};
use toolpost_workspace::{Workspace, WorkspacePath};

use super::filter::Filter;
use super::scan::{Directly, Scan, Scanner};
use super::sink::{FileSearchSettings, MatchRetention};
use super::window::{Hits, Relative, Window};
use super::worker::{FoundFile, LARGE_NAMES, SearchWorker, WITHHELD_NAMES};
use super::{Case, Content, FileHits, GrepOutput, GrepRequest, Mode, Span, in_sequence, matcher};
use crate::{Control, SearchError, request_path};

/// The number of files that are searched before the search waits for the index to be loaded.
const FIRST_FILES: usize = 2_048;

pub(super) fn run(
    workspace: &Workspace,
    request: &GrepRequest,
    control: &Control,
    index: Option<&TrigramIndex>,
) -> Result<GrepOutput, SearchError> {
    let matcher = matcher::build(request)?;
    let filter = Arc::new(Filter::new(workspace, request)?);
    let window = Window::new(request.limit.map_or(usize::MAX, |limit| limit.saturating_add(request.offset)));
    let stat = request_path::stat(workspace, &request.base)?;
    if stat.kind != Kind::Directory {
        return single(workspace, request, control, matcher);
    }
    let in_order =
        |most: usize| in_sequence::search_in_order(workspace, request, control, &matcher, &filter, most);
    if let Some(index) = index {
        // While the stored index is loaded, the first files are searched, which is often enough.
        if begin_loading(index, request, control)
            && let Some(output) = in_order(FIRST_FILES)?
        {
            return Ok(output);
        }
        if let Some(shortlist) = shortlist(index, request, control, &filter) {
            return Ok(in_sequence::search(workspace, request, control, &matcher, shortlist));
        }
    }
    if let Some(output) = in_order(usize::MAX)? {
        return Ok(output);
    }
    let stops = || control.stops();
    let options = control.options(request.rules, request.hidden, request.prune);
    let make = || Grepper {
        request,
        filter: &filter,
        searching: SearchWorker::new(request, &window, &stops, matcher.clone()),
    };
    let walked = walk(&request.base, (), &options, &stops, &make);
    let mut output = GrepOutput { mode: request.mode, ..GrepOutput::default() };
    match walked {
        Ok(walked) => {
            output.skipped = walked.skipped;
            output.unreadable = walked.unreadable;
            output.complete = control.verdict(walked.ended);
            let searched = walked.visitors.into_iter().map(|visitor| visitor.searching);
            let files = merge(&mut output, searched);
            let files = match request.mode {
                Mode::Content => far_down(workspace, request, control, &matcher, window.into_files()),
                Mode::Files | Mode::Count => files,
            };
            finish(&mut output, request, files);
        }
        Err(fault) => return Err(SearchError::unreadable(&request.base, fault)),
    }
    Ok(output)
}

/// Converts a request into the settings for the search of each file.
pub(super) fn wish(request: &GrepRequest) -> FileSearchSettings {
    FileSearchSettings {
        mode: request.mode,
        show: request.show,
        span: request.span,
        max_line: request.max_line,
        pass: 0,
        most: request.limit.map_or(usize::MAX, |limit| limit.saturating_add(request.offset)),
    }
}

/// Searches a single file that the request names.
fn single(
    workspace: &Workspace,
    request: &GrepRequest,
    control: &Control,
    matcher: RegexMatcher,
) -> Result<GrepOutput, SearchError> {
    let mut output = GrepOutput { mode: request.mode, ..GrepOutput::default() };
    if request.may_read.as_ref().is_some_and(|may_read| !may_read(&request.base)) {
        output.unsearched.withheld = 1;
        output.unsearched.withheld_names = vec![request.base.display()];
        return Ok(output);
    }
    let opened =
        workspace.open_file(&request.base).map_err(|error| request_path::access(&request.base, error))?;
    let stat = *opened.stat();
    let content = content(workspace, request)?;
    // All lines before `offset` are in this file, so the scanner can skip them.
    let wish = FileSearchSettings {
        pass: request.offset as u64,
        most: request.limit.unwrap_or(usize::MAX),
        ..wish(request)
    };
    let mut scanner = Scanner::new(request, matcher, wish, Directly::Yes);
    let stops = || control.stops();
    match scanner.scan(opened.file(), stat.len, &|| MatchRetention::Lines, &stops) {
        Ok(Scan::Searched(gather)) => {
            output.totals.searched = 1;
            output.unsearched.only_ascii = u64::from(gather.only_ascii);
            output.complete =
                if gather.stopped { control.verdict(WalkEnd::Stopped) } else { output.complete };
            if gather.matching_lines > 0 {
                output.totals.matching_lines = gather.matching_lines;
                output.totals.matches = gather.matches;
                output.totals.files = 1;
                let modified = i64::try_from(stat.modified).unwrap_or_default();
                let hits = Hits::of(gather, Relative(Box::default()), modified);
                finish(&mut output, request, vec![hits]);
            }
        }
        Ok(Scan::Binary) => output.unsearched.binary = 1,
        Ok(Scan::TooLarge) => {
            output.unsearched.too_large = 1;
            output.unsearched.too_large_names = vec![request.base.display()];
        }
        Err(error) => output.unreadable.note(format!("{}: {error}", request.base.display())),
    }
    for file in &mut output.files {
        file.content = content;
    }
    Ok(output)
}

/// Reads the start of the file that the request names, to determine whether it is text or binary.
fn content(workspace: &Workspace, request: &GrepRequest) -> Result<Content, SearchError> {
    use std::io::Read;
    let opened =
        workspace.open_file(&request.base).map_err(|error| request_path::access(&request.base, error))?;
    let mut start = Vec::new();
    // A read error is ignored here, because the search reports it too.
    let _ = opened.take(64 * 1024).read_to_end(&mut start);
    let marked = start.starts_with(b"\xFF\xFE") || start.starts_with(b"\xFE\xFF");
    Ok(if !marked && memchr::memchr(0, &start).is_some() { Content::Binary } else { Content::Text })
}

/// Searches the files that a directory walk finds, on one of its threads.
struct Grepper<'g> {
    request: &'g GrepRequest,
    filter: &'g Filter,
    searching: SearchWorker<'g>,
}

impl Grepper<'_> {
    fn file(&mut self, entry: &Entry<'_>) {
        if self.request.may_read.as_ref().is_some_and(|may_read| !may_read(&entry.path())) {
            self.searching.withhold(entry.path());
            return;
        }
        let shown = || entry.path().display();
        match entry.open() {
            Ok(OpenedFile { file, stat }) => {
                let found = FoundFile { relative: entry.candidate().relative_bytes(), shown: &shown };
                self.searching.file(&file, stat.len, stat.modified, &found);
            }
            Err(WalkOpenError::Gone | WalkOpenError::NotRegular) => {}
            Err(fault) => self.searching.unreadable.note(format!("{}: {fault}", shown())),
        }
    }
}

impl Visitor for Grepper<'_> {
    type Place = ();

    fn judge(&mut self, (): &(), candidate: &Candidate<'_>) -> Claim {
        match candidate.kind() {
            Kind::File => self.filter.claim(candidate.relative_bytes(), EntryType::File),
            Kind::Directory => self.filter.claim(candidate.relative_bytes(), EntryType::Directory),
            Kind::Link | Kind::Fifo | Kind::Socket | Kind::Device | Kind::Other => Claim::Pass,
        }
    }

    fn visit(&mut self, (): &(), entry: &Entry<'_>) -> Next<()> {
        if entry.candidate().kind() == Kind::Directory {
            return Next::Enter(());
        }
        self.file(entry);
        if self.searching.stopped { Next::Stop } else { Next::On }
    }
}

/// Searches a file again if its lines before `offset` filled the memory limit, so that lines after them were not kept.
pub(super) fn far_down(
    workspace: &Workspace,
    request: &GrepRequest,
    control: &Control,
    matcher: &RegexMatcher,
    mut files: Vec<Hits>,
) -> Vec<Hits> {
    let (mut pass, mut left) = (request.offset as u64, request.limit.unwrap_or(usize::MAX));
    let stops = || control.stops();
    for file in &mut files {
        let passed = pass.min(file.entries);
        let wanted = usize::try_from(file.entries - passed).unwrap_or(usize::MAX).min(left);
        (pass, left) = (pass - passed, left - wanted);
        if passed == 0 || passed + wanted as u64 <= file.lines.len() as u64 {
            continue;
        }
        let path = walk::found_below(&request.base, &file.relative.0);
        let Some(opened) = path.and_then(|path| workspace.open_file(&path).ok()) else { continue };
        let wish = FileSearchSettings { pass: passed, most: wanted, ..wish(request) };
        let mut scanner = Scanner::new(request, matcher.clone(), wish, Directly::No);
        let scan = scanner.scan(opened.file(), opened.stat().len, &|| MatchRetention::Lines, &stops);
        if let Ok(Scan::Searched(gather)) = scan
            && gather.entries == file.entries
        {
            (file.lines, file.passed) = (gather.lines, passed);
        }
    }
    files
}

/// Returns the paths of the first few withheld files as displayed to the user, in path order.
fn names(files: BTreeSet<WorkspacePath>) -> Vec<String> {
    files.into_iter().take(WITHHELD_NAMES).map(|path| path.display()).collect()
}

/// Adds the results of all threads to the output, and returns the files with matches.
pub(super) fn merge<'g>(
    output: &mut GrepOutput,
    searched: impl Iterator<Item = SearchWorker<'g>>,
) -> Vec<Hits> {
    let mut files = Vec::new();
    let (mut large, mut withheld) = (BTreeSet::new(), BTreeSet::new());
    for visitor in searched {
        files.extend(visitor.files);
        large.extend(visitor.too_large);
        withheld.extend(visitor.withheld);
        output.unreadable.add(visitor.unreadable);
        output.entries += visitor.entries;
        output.totals.add(&visitor.totals);
        output.unsearched.binary += visitor.unsearched.binary;
        output.unsearched.withheld += visitor.unsearched.withheld;
        output.unsearched.only_ascii += visitor.unsearched.only_ascii;
        output.unsearched.too_large += visitor.unsearched.too_large;
    }
    output.unsearched.too_large_names = large.into_iter().take(LARGE_NAMES).collect();
    output.unsearched.withheld_names = names(withheld);
    files
}

/// Selects the lines (or files) within the request's `offset` and `limit`, and adds them to the output.
pub(super) fn finish(output: &mut GrepOutput, request: &GrepRequest, mut files: Vec<Hits>) {
    let limit = request.limit.unwrap_or(usize::MAX);
    output.offset = request.offset as u64;
    if request.mode == Mode::Content {
        if output.entries == 0 {
            output.entries = files.iter().map(|file| file.entries).sum();
        }
        let (mut pass, mut left) = (request.offset as u64, limit);
        for mut file in files {
            let passed = pass.min(file.entries);
            let wanted = usize::try_from(file.entries - passed).unwrap_or(usize::MAX).min(left);
            let first = usize::try_from(passed.saturating_sub(file.passed)).unwrap_or(usize::MAX);
            file.lines.drain(..first.min(file.lines.len()));
            file.lines.truncate(wanted);
            // Lines that were dropped because of the memory limit still count towards `offset` and `limit`.
            (pass, left) = (pass - passed, left - wanted);
            if !file.lines.is_empty() {
                output.shown += file.lines.len() as u64;
                output.files.extend(shown(&request.base, file));
            }
        }
        let wanted = output.entries.saturating_sub(output.offset).min(limit as u64);
        output.window_cut = wanted.saturating_sub(output.shown);
        return;
    }
    output.entries = output.totals.files;
    match request.mode {
        Mode::Files => files.sort_unstable_by(|one, other| {
            other.modified.cmp(&one.modified).then_with(|| one.relative.cmp(&other.relative))
        }),
        Mode::Count | Mode::Content => files.sort_unstable_by(|one, other| one.relative.cmp(&other.relative)),
    }
    let window = files.into_iter().skip(request.offset).take(limit);
    output.files = window.filter_map(|file| shown(&request.base, file)).collect();
    output.shown = output.files.len() as u64;
}

fn shown(base: &WorkspacePath, file: Hits) -> Option<FileHits> {
    let path =
        if file.relative.0.is_empty() { base.clone() } else { walk::found_below(base, &file.relative.0)? };
    Some(FileHits {
        path,
        modified: file.modified,
        matching_lines: file.matching_lines,
        matches: file.matches,
        lines: file.lines,
        content: Content::Text,
    })
}

/// Starts to load the index that an earlier process has stored. Returns false if there is none, or if it is already
/// loaded.
fn begin_loading(index: &TrigramIndex, request: &GrepRequest, control: &Control) -> bool {
    let options = control.options(request.rules, request.hidden, request.prune);
    index.begin_loading(&options)
}

/// Finds the files that can contain a match; `None` if all files must be searched.
fn shortlist(
    index: &TrigramIndex,
    request: &GrepRequest,
    control: &Control,
    filter: &Arc<Filter>,
) -> Option<Shortlist> {
    // The search decodes files with the requested encoding, but the index has the trigrams of their raw bytes. In an
    // encoding that is not compatible with ASCII, these differ even for ASCII text, so all files must be searched.
    if request.encoding.is_some_and(|charset| !charset.is_ascii_compatible()) {
        return None;
    }
    let letters = match request.case {
        Case::Sensitive => Letters::AsWritten,
        Case::Insensitive | Case::Smart => Letters::AnyCase,
    };
    let reach = match request.span {
        Span::Line => Reach::Line,
        Span::Lines => Reach::Lines,
    };
    let options = control.options(request.rules, request.hidden, request.prune);
    let Some(pattern) = Pattern::read(&matcher::meant(request), letters, reach) else {
        // The index cannot help with this pattern, but it may with the next one, so its build starts now.
        index.begin(&options);
        return None;
    };
    let filter = Arc::clone(filter);
    let sieve = Sieve {
        base: request.base.clone(),
        name: format!("{:?} {:?}", request.globs, request.types),
        may_read: request.may_read.clone(),
        judge: (!filter.wants_all()).then(|| -> toolpost_trigrams::Judge {
            Arc::new(move |relative, what| filter.claim(relative, what))
        }),
    };
    index.shortlist(&pattern, &options, sieve, &|| control.stops()).ok()
}
