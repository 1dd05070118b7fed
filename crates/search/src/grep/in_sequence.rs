//! Search of files in the order of the result, so that it can end as soon as enough is found.
//!
//! The files are those that can contain a match according to the trigram index, or all files of a walk in path order.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use grep_regex::RegexMatcher;
use toolpost_trigrams::{CandidateFile, Parts, Shortlist};
use toolpost_workspace::walk::{
    Candidate, Claim, EntryType, InOrder, Kind, OpenedFile, Opener, SkippedEntries, WalkEnd, WalkOpenError,
    found_below, in_order,
};
use toolpost_workspace::{Workspace, cores, with_helpers};

use super::filter::Filter;
use super::run::{far_down, finish, merge};
use super::window::{Hits, Window};
use super::worker::{FoundFile, SearchWorker};
use super::{CountCompleteness, GrepOutput, GrepRequest, Mode, Totals};
use crate::{Complete, Control, SearchError};

/// The number of files up to which all are searched, so that the counts are complete.
const FEW: usize = 300;

/// The result of searching one file.
struct FileOutcome {
    /// The position of the file in the order of the search.
    place: usize,
    /// The path relative to the searched directory; `None` if the file has no match.
    relative: Option<Box<[u8]>>,
    entries: u64,
    /// The size of the lines to return, in bytes.
    bytes: u64,
    totals: Totals,
}

/// The amount of results after which a search may end.
#[derive(Clone, Copy)]
struct StopThreshold {
    entries: u64,
    /// The size of the lines to return, in bytes.
    bytes: u64,
    /// The number of files that are searched even if the results are enough.
    files: usize,
}

impl StopThreshold {
    fn is_reached(self, files: usize, entries: u64, bytes: u64) -> bool {
        files >= self.files && (entries >= self.entries || bytes > self.bytes)
    }
}

/// The files to search, in the order of the result.
enum Sequence<'a, 'w> {
    Listed { files: &'a [CandidateFile], next: AtomicUsize },
    Walked(Mutex<WalkedFiles<'a, 'w>>),
}

/// The files of a walk in path order.
struct WalkedFiles<'a, 'w> {
    files: &'a mut InOrder<'w>,
    next: usize,
    /// The number of files after which the sequence ends.
    most: usize,
    /// Set after the last file of the walk.
    exhausted: bool,
}

/// The state that the searching threads share.
struct SharedState<'a, 'w> {
    request: &'a GrepRequest,
    sequence: Sequence<'a, 'w>,
    /// The amount of results after which the search ends; `None` to search all files.
    enough: Option<StopThreshold>,
    entries: AtomicU64,
    bytes: AtomicU64,
    stopped: AtomicBool,
    outcomes: Mutex<Vec<FileOutcome>>,
}

/// The combined result of the searching threads.
struct SearchResult {
    output: GrepOutput,
    files: Vec<Hits>,
    of_window: Vec<Hits>,
    /// Set if the search ended before the last file, because it had found enough.
    ended_early: bool,
}

/// Searches the candidate files. Returns the same lines or files as a search of all files.
pub(super) fn search(
    workspace: &Workspace,
    request: &GrepRequest,
    control: &Control,
    matcher: &RegexMatcher,
    shortlist: Shortlist,
) -> GrepOutput {
    let mut candidates = shortlist.files;
    let enough = enough(request, 0).filter(|_| {
        // Files are sorted by time, so every modification time must be known.
        let ends = request.mode != Mode::Files || candidates.iter().all(|listed| listed.modified != 0);
        ends && candidates.len() > FEW
    });
    if enough.is_some() && request.mode == Mode::Files {
        // Newest first; the sort is stable, so files with equal times remain in path order.
        candidates.sort_by_key(|listed| std::cmp::Reverse(listed.modified));
    }
    // For few files, starting a thread costs more than it saves.
    let helpers = threads(control).min(candidates.len() / 8 + 1) - 1;
    let sequence = Sequence::Listed { files: &candidates, next: AtomicUsize::new(0) };
    let among = SharedState::new(request, sequence, enough);
    let SearchResult { mut output, files, of_window, .. } = among.run(control, matcher, helpers);
    output.skipped = shortlist.skipped;
    shortlist.unreadable.into_iter().for_each(|place| output.unreadable.note(place));
    output.totals.searched += shortlist.without;
    output.unsearched.binary += shortlist.binary;
    output.unsearched.withheld += shortlist.withheld;
    output.unsearched.withheld_names = shortlist.withheld_names;
    let files = match request.mode {
        Mode::Content => far_down(workspace, request, control, matcher, of_window),
        Mode::Files | Mode::Count => files,
    };
    finish(&mut output, request, files);
    output
}

/// Searches the files of a walk in path order until enough lines are found. Searches at most `most` files; returns
/// `None` if these are not all, and not enough. Also returns `None` if the request needs all matches.
pub(super) fn search_in_order(
    workspace: &Workspace,
    request: &GrepRequest,
    control: &Control,
    matcher: &RegexMatcher,
    filter: &Filter,
    most: usize,
) -> Result<Option<GrepOutput>, SearchError> {
    let Some(enough) = enough(request, FEW).filter(|_| request.mode == Mode::Content) else {
        return Ok(None);
    };
    let options = control.options(request.rules, request.hidden, request.prune);
    let stops = || control.stops();
    let judge = |candidate: &Candidate<'_>| match candidate.kind() {
        Kind::File => filter.claim(candidate.relative_bytes(), EntryType::File),
        Kind::Directory => filter.claim(candidate.relative_bytes(), EntryType::Directory),
        Kind::Link | Kind::Fifo | Kind::Socket | Kind::Device | Kind::Other => Claim::Pass,
    };
    let walked = in_order(&request.base, &options, &stops, &judge, |files| {
        let walked = WalkedFiles { files, next: 0, most, exhausted: false };
        let among = SharedState::new(request, Sequence::Walked(Mutex::new(walked)), Some(enough));
        let searched = among.run(control, matcher, threads(control) - 1);
        let is_stopped = searched.output.complete != Complete::Yes;
        (searched.ended_early || among.is_exhausted() || is_stopped).then_some(searched)
    });
    let walked = walked.map_err(|fault| SearchError::unreadable(&request.base, fault))?;
    let Some(SearchResult { mut output, of_window, ended_early, .. }) = walked.value else { return Ok(None) };
    if output.complete == Complete::Yes && !ended_early {
        output.complete = control.verdict(walked.ended);
    }
    output.unreadable.add(walked.unreadable);
    // After an early end, the number of excluded entries depends on how far the threads were.
    output.skipped = if ended_early { SkippedEntries::default() } else { walked.skipped };
    let files = far_down(workspace, request, control, matcher, of_window);
    finish(&mut output, request, files);
    Ok(Some(output))
}

/// Returns the number of threads to use.
fn threads(control: &Control) -> usize {
    control.threads.map_or_else(cores, NonZeroUsize::get)
}

/// Returns the amount of results after which the search may end: one entry more than the request asks for, to show that
/// there are more, or more text than the caller can use; at least `files` files are searched. `None` without a limit,
/// or if the result depends on all files.
fn enough(request: &GrepRequest, files: usize) -> Option<StopThreshold> {
    if request.mode == Mode::Count {
        return None;
    }
    let entries = request.limit?.saturating_add(request.offset).saturating_add(1) as u64;
    let room = request.room.filter(|_| request.mode == Mode::Content && request.offset == 0);
    let bytes = room.map_or(u64::MAX, |room| room as u64);
    Some(StopThreshold { entries, bytes, files })
}

/// A file of a [`Sequence`].
struct NextFile<'a> {
    place: usize,
    relative: Vec<u8>,
    /// The parts of the file to search; `None` to search the whole file.
    parts: Option<&'a Parts>,
}

impl<'a> Sequence<'a, '_> {
    fn next(&self) -> Option<NextFile<'a>> {
        match self {
            Self::Listed { files, next } => {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let listed = files.get(place)?;
                Some(NextFile { place, relative: listed.relative(), parts: listed.parts.as_ref() })
            }
            Self::Walked(walked) => {
                let mut walked = walked.lock().unwrap_or_else(PoisonError::into_inner);
                if walked.next >= walked.most {
                    return None;
                }
                let Some(relative) = walked.files.next() else {
                    walked.exhausted = true;
                    return None;
                };
                let place = walked.next;
                walked.next += 1;
                Some(NextFile { place, relative: relative.into_vec(), parts: None })
            }
        }
    }

    /// Returns the number of files that were taken so far.
    fn taken(&self) -> usize {
        match self {
            Self::Listed { files, next } => next.load(Ordering::Relaxed).min(files.len()),
            Self::Walked(walked) => walked.lock().unwrap_or_else(PoisonError::into_inner).next,
        }
    }
}

impl<'a, 'w> SharedState<'a, 'w> {
    fn new(request: &'a GrepRequest, sequence: Sequence<'a, 'w>, enough: Option<StopThreshold>) -> Self {
        Self {
            request,
            sequence,
            enough,
            entries: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            outcomes: Mutex::default(),
        }
    }

    /// Searches the files on the calling thread and up to `helpers` other threads.
    fn run(&self, control: &Control, matcher: &RegexMatcher, helpers: usize) -> SearchResult {
        let request = self.request;
        let window =
            Window::new(request.limit.map_or(usize::MAX, |limit| limit.saturating_add(request.offset)));
        let stops = || self.stopped.load(Ordering::Relaxed) || control.stops();
        let workers = with_helpers(helpers, &|| {
            self.search(control, SearchWorker::new(request, &window, &stops, matcher.clone()))
        });
        let mut output = GrepOutput { mode: request.mode, ..GrepOutput::default() };
        let ended = if self.stopped.load(Ordering::Relaxed) { WalkEnd::Stopped } else { WalkEnd::Complete };
        output.complete = control.verdict(ended);
        let files = merge(&mut output, workers.into_iter());
        let of_window = window.into_files();
        let mut searched = SearchResult { output, files, of_window, ended_early: false };
        if let Some(enough) = self.enough.filter(|_| ended == WalkEnd::Complete) {
            self.count(enough, &mut searched);
        }
        searched
    }

    /// Searches one file after the other, until all are searched or the threads together have found enough.
    fn search<'g>(&self, control: &Control, mut searching: SearchWorker<'g>) -> SearchWorker<'g> {
        let mut own = Vec::new();
        let mut opener = Opener::new(self.request.base.clone());
        let is_reached = |enough: StopThreshold| {
            let (entries, bytes) = (self.entries.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed));
            enough.is_reached(usize::MAX, entries, bytes)
                && enough.is_reached(self.sequence.taken(), entries, bytes)
        };
        while !self.enough.is_some_and(is_reached) && !self.stopped.load(Ordering::Relaxed) {
            let Some(file) = self.sequence.next() else { break };
            // A file without a match is searched without a check of the limits.
            if control.stops() {
                self.stopped.store(true, Ordering::Relaxed);
                break;
            }
            let before = (searching.entries, searching.totals, searching.files.len(), searching.bytes);
            self.one(&file, &mut opener, &mut searching);
            if searching.stopped {
                self.stopped.store(true, Ordering::Relaxed);
            }
            let totals = searching.totals.since(&before.1);
            let entries = match self.request.mode {
                Mode::Content => searching.entries - before.0,
                Mode::Files | Mode::Count => (searching.files.len() - before.2) as u64,
            };
            let bytes = searching.bytes - before.3;
            self.entries.fetch_add(entries, Ordering::Relaxed);
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
            let relative = (entries > 0).then(|| file.relative.as_slice().into());
            own.push(FileOutcome { place: file.place, relative, entries, bytes, totals });
        }
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
        searching
    }

    fn one(&self, file: &NextFile<'_>, opener: &mut Opener, searching: &mut SearchWorker<'_>) {
        let relative: &[u8] = &file.relative;
        let path = || found_below(&self.request.base, relative);
        if let Sequence::Walked(_) = self.sequence
            && let Some(may_read) = &self.request.may_read
            && let Some(path) = path()
            && !may_read(&path)
        {
            // A shortlist omits withheld files itself.
            searching.withhold(path);
            return;
        }
        let shown = || path().map_or_else(String::new, |path| path.display());
        match opener.open(relative) {
            Ok(OpenedFile { file: opened, stat }) => {
                let place = FoundFile { relative, shown: &shown };
                let parts = file.parts.filter(|parts| parts.stat == stat);
                if !parts.is_some_and(|parts| searching.parts(&opened, parts, &place)) {
                    searching.file(&opened, stat.len, stat.modified, &place);
                }
            }
            Err(WalkOpenError::Gone | WalkOpenError::NotRegular) => {}
            Err(fault) => searching.unreadable.note(format!("{}: {fault}", shown())),
        }
    }

    /// Returns whether all files of the sequence were taken.
    fn is_exhausted(&self) -> bool {
        match &self.sequence {
            Sequence::Listed { files, next } => next.load(Ordering::Relaxed) >= files.len(),
            Sequence::Walked(walked) => walked.lock().unwrap_or_else(PoisonError::into_inner).exhausted,
        }
    }

    /// Drops the results of the files after the one that reached `enough`, so that the output does not depend on the
    /// timing of the threads.
    fn count(&self, enough: StopThreshold, searched: &mut SearchResult) {
        let mut outcomes = std::mem::take(&mut *self.outcomes.lock().unwrap_or_else(PoisonError::into_inner));
        outcomes.sort_unstable_by_key(|outcome| outcome.place);
        let (mut entries, mut bytes, mut totals, mut upto) = (0, 0, Totals::default(), 0);
        for outcome in &outcomes {
            if enough.is_reached(upto, entries, bytes) {
                break;
            }
            entries += outcome.entries;
            bytes += outcome.bytes;
            totals.add(&outcome.totals);
            upto = outcome.place + 1;
        }
        let all = upto >= outcomes.len() && self.is_exhausted();
        if all || !enough.is_reached(upto, entries, bytes) {
            return;
        }
        let wanted: HashSet<Box<[u8]>> =
            outcomes.into_iter().take(upto).filter_map(|outcome| outcome.relative).collect();
        for files in [&mut searched.files, &mut searched.of_window] {
            files.retain(|file| wanted.contains(&file.relative.0));
        }
        searched.ended_early = true;
        let output = &mut searched.output;
        (output.entries, output.totals, output.counted) = (entries, totals, CountCompleteness::AtLeast);
    }
}
