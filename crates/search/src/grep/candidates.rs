//! Search of the files that, according to the trigram index, can contain a match.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use grep_regex::RegexMatcher;
use toolpost_trigrams::{CandidateFile, Shortlist};
use toolpost_workspace::walk::{OpenFault, OpenedFile, Opener, WalkEnd, found_below};
use toolpost_workspace::{Workspace, cores, with_helpers};

use super::run::{far_down, finish, merge};
use super::window::{Hits, Window};
use super::worker::{Place, SearchWorker};
use super::{CountCompleteness, GrepOutput, GrepRequest, Mode, Totals};
use crate::Control;

/// If there are at most this many candidate files, all are searched, so that the counts are complete.
const FEW: usize = 300;

/// The result of searching one candidate file.
#[derive(Clone, Copy, Default)]
struct CandidateResult {
    entries: u64,
    /// The size of the lines to return, in bytes.
    bytes: u64,
    totals: Totals,
}

/// The number of entries, or of bytes of lines, after which a search may end.
#[derive(Clone, Copy)]
struct StopThreshold {
    entries: u64,
    bytes: u64,
}

impl StopThreshold {
    fn is_reached(self, entries: u64, bytes: u64) -> bool {
        entries >= self.entries || bytes > self.bytes
    }
}

/// The candidate files in the order of the result, and the state that the searching threads share.
struct Among<'a> {
    request: &'a GrepRequest,
    candidates: &'a [CandidateFile],
    /// The amount of results after which the search ends; `None` to search all candidate files.
    enough: Option<StopThreshold>,
    next: AtomicUsize,
    entries: AtomicU64,
    bytes: AtomicU64,
    stopped: AtomicBool,
    found: Mutex<Vec<(usize, CandidateResult)>>,
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
    let enough = enough(request, &candidates);
    if enough.is_some() && request.mode == Mode::Files {
        // Newest first; the sort is stable, so files with equal times remain in path order.
        candidates.sort_by_key(|listed| std::cmp::Reverse(listed.modified));
    }
    let among = Among {
        request,
        candidates: &candidates,
        enough,
        next: AtomicUsize::new(0),
        entries: AtomicU64::new(0),
        bytes: AtomicU64::new(0),
        stopped: AtomicBool::new(false),
        found: Mutex::default(),
    };
    let window = Window::new(request.limit.map_or(usize::MAX, |limit| limit.saturating_add(request.offset)));
    let stops = || among.stopped.load(Ordering::Relaxed) || control.stops();
    let threads = control.threads.map_or_else(cores, NonZeroUsize::get);
    // For few files, starting a thread costs more than it saves.
    let helpers = threads.min(candidates.len() / 8 + 1) - 1;
    let searched =
        with_helpers(helpers, &|| among.search(SearchWorker::new(request, &window, &stops, matcher.clone())));
    let mut output = GrepOutput { mode: request.mode, ..GrepOutput::default() };
    output.skipped = shortlist.skipped;
    shortlist.unreadable.into_iter().for_each(|place| output.unreadable.note(place));
    let ended = if among.stopped.load(Ordering::Relaxed) { WalkEnd::Stopped } else { WalkEnd::Complete };
    output.complete = control.verdict(ended);
    let mut files = merge(&mut output, searched.into_iter());
    let mut of_window = window.into_files();
    if let Some(enough) = enough.filter(|_| ended == WalkEnd::Complete) {
        among.count(enough, &mut output, [&mut files, &mut of_window]);
    }
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

/// Returns the amount of results after which the search may end: one entry more than the request asks for, to show that
/// there are more, or more text than the caller can use. `None` to search all candidate files: without a limit, if
/// there are few files, or if the result depends on all of them.
fn enough(request: &GrepRequest, candidates: &[CandidateFile]) -> Option<StopThreshold> {
    let ends = match request.mode {
        Mode::Content => true,
        // The files are sorted by time, so every modification time must be known.
        Mode::Files => candidates.iter().all(|listed| listed.modified != 0),
        Mode::Count => false,
    };
    let entries = request.limit?.saturating_add(request.offset).saturating_add(1) as u64;
    let room = request.room.filter(|_| request.mode == Mode::Content && request.offset == 0);
    let bytes = room.map_or(u64::MAX, |room| room as u64);
    (ends && candidates.len() > FEW).then_some(StopThreshold { entries, bytes })
}

impl Among<'_> {
    /// Searches one candidate file after the other, until all are searched or the threads together have found enough.
    fn search<'g>(&self, mut searching: SearchWorker<'g>) -> SearchWorker<'g> {
        let mut own = Vec::new();
        let mut opener = Opener::new(self.request.base.clone());
        let is_reached = |enough: StopThreshold| {
            enough.is_reached(self.entries.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
        };
        while !self.enough.is_some_and(is_reached) && !self.stopped.load(Ordering::Relaxed) {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(listed) = self.candidates.get(place) else { break };
            let before = (searching.entries, searching.totals, searching.files.len(), searching.bytes);
            self.one(listed, &mut opener, &mut searching);
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
            own.push((place, CandidateResult { entries, bytes, totals }));
        }
        self.found.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
        searching
    }

    fn one(&self, listed: &CandidateFile, opener: &mut Opener, searching: &mut SearchWorker<'_>) {
        let relative = listed.relative();
        let shown =
            || found_below(&self.request.base, &relative).map_or_else(String::new, |path| path.display());
        match opener.open(&relative) {
            Ok(OpenedFile { file, stat }) => {
                let place = Place { relative: &relative, shown: &shown };
                let parts = listed.parts.as_ref().filter(|parts| parts.stat == stat);
                if !parts.is_some_and(|parts| searching.parts(&file, parts, &place)) {
                    searching.file(&file, stat.len, stat.modified, &place);
                }
            }
            Err(OpenFault::Gone | OpenFault::NotRegular) => {}
            Err(fault) => searching.unreadable.note(format!("{}: {fault}", shown())),
        }
    }

    /// Drops the results of the files after the one that reached `enough`, so that the output does not depend on the
    /// timing of the threads.
    fn count(&self, enough: StopThreshold, output: &mut GrepOutput, files: [&mut Vec<Hits>; 2]) {
        let mut found = std::mem::take(&mut *self.found.lock().unwrap_or_else(PoisonError::into_inner));
        found.sort_unstable_by_key(|(place, _)| *place);
        let (mut entries, mut bytes, mut totals, mut upto) = (0, 0, Totals::default(), 0);
        for (place, one) in &found {
            if enough.is_reached(entries, bytes) {
                break;
            }
            entries += one.entries;
            bytes += one.bytes;
            totals.add(&one.totals);
            upto = place + 1;
        }
        if upto >= self.candidates.len() {
            return;
        }
        let wanted: std::collections::HashSet<Vec<u8>> =
            self.candidates.iter().take(upto).map(CandidateFile::relative).collect();
        for files in files {
            files.retain(|file| wanted.contains(&*file.relative.0));
        }
        (output.entries, output.totals, output.counted) = (entries, totals, CountCompleteness::AtLeast);
    }
}
