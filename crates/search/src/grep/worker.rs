//! Search of several files on one thread, with totals.

use std::collections::BTreeSet;
use std::fs::File;

use grep_regex::RegexMatcher;
use toolpost_trigrams::Parts;
use toolpost_workspace::{WorkspacePath, walk};

use super::scan::{Directly, Scan, Scanner};
use super::sink::{MatchRetention, MatchSink};
use super::window::{Hits, Relative, Window};
use super::{GrepRequest, Mode, Totals, UnsearchedFiles, run};

/// The maximum number of too large files that the result lists by name.
pub(super) const LARGE_NAMES: usize = 5;
/// The maximum number of withheld files that the result lists by name.
pub(super) const WITHHELD_NAMES: usize = toolpost_trigrams::WITHHELD_NAMES;

/// A search of several files on one thread, with totals.
pub(super) struct SearchWorker<'g> {
    window: &'g Window,
    stops: &'g (dyn Fn() -> bool + Sync),
    mode: Mode,
    scanner: Scanner,
    pub(super) files: Vec<Hits>,
    pub(super) entries: u64,
    /// The size in bytes of all lines that were collected, including those that the window dropped later.
    pub(super) bytes: u64,
    pub(super) totals: Totals,
    pub(super) unsearched: UnsearchedFiles,
    pub(super) too_large: BTreeSet<String>,
    /// The paths of the first few files that the access policy withholds.
    pub(super) withheld: BTreeSet<WorkspacePath>,
    pub(super) unreadable: walk::Unreadable,
    /// Set if the search was stopped in the middle of a file.
    pub(super) stopped: bool,
}

/// A file that the search has found.
pub(super) struct FoundFile<'p> {
    /// The path relative to the searched directory.
    pub(super) relative: &'p [u8],
    /// Returns the path as displayed to the user.
    pub(super) shown: &'p dyn Fn() -> String,
}

/// The result of searching one file.
struct FileResult {
    /// The matches; `None` if nothing matches.
    hits: Option<Hits>,
    keep: MatchRetention,
    stopped: bool,
    only_ascii: bool,
}

impl<'g> SearchWorker<'g> {
    pub(super) fn new(
        request: &GrepRequest,
        window: &'g Window,
        stops: &'g (dyn Fn() -> bool + Sync),
        matcher: RegexMatcher,
    ) -> Self {
        Self {
            window,
            stops,
            mode: request.mode,
            scanner: Scanner::new(request, matcher, run::wish(request), Directly::No),
            files: Vec::new(),
            entries: 0,
            bytes: 0,
            totals: Totals::default(),
            unsearched: UnsearchedFiles::default(),
            too_large: BTreeSet::new(),
            withheld: BTreeSet::new(),
            unreadable: walk::Unreadable::default(),
            stopped: false,
        }
    }

    /// Searches only the parts of an open file that can contain a match. Returns false if the whole file must be
    /// searched.
    pub(super) fn parts(&mut self, file: &File, parts: &Parts, place: &FoundFile<'_>) -> bool {
        let keep = keep(self.window, self.mode, place);
        let found = match self.scanner.parts(file, &parts.lines, &keep, self.stops) {
            Ok(Some(gather)) => FileResult::of(gather, place, parts.stat.modified),
            // If the parts cannot be read, the whole file is searched, and that reports the error.
            Ok(None) | Err(_) => return false,
        };
        self.take(found);
        true
    }

    /// Counts a file that the access policy withholds, and keeps its path if it is one of the first.
    pub(super) fn withhold(&mut self, path: WorkspacePath) {
        self.unsearched.withheld += 1;
        self.withheld.insert(path);
        if self.withheld.len() > WITHHELD_NAMES {
            self.withheld.pop_last();
        }
    }

    /// Searches an open file and adds the result to the totals.
    pub(super) fn file(&mut self, file: &File, len: u64, modified: i64, place: &FoundFile<'_>) {
        let keep = keep(self.window, self.mode, place);
        let found = match self.scanner.scan(file, len, &keep, self.stops) {
            Ok(Scan::Searched(gather)) => FileResult::of(gather, place, modified),
            Ok(Scan::Binary) => return self.unsearched.binary += 1,
            Ok(Scan::TooLarge) => {
                self.unsearched.too_large += 1;
                self.too_large.insert((place.shown)());
                if self.too_large.len() > LARGE_NAMES {
                    self.too_large.pop_last();
                }
                return;
            }
            Err(error) => return self.unreadable.note(format!("{}: {error}", (place.shown)())),
        };
        self.take(found);
    }

    fn take(&mut self, found: FileResult) {
        self.stopped |= found.stopped;
        self.totals.searched += 1;
        self.unsearched.only_ascii += u64::from(found.only_ascii);
        let Some(hits) = found.hits else { return };
        self.totals.files += 1;
        self.totals.matching_lines += hits.matching_lines;
        self.totals.matches += hits.matches;
        self.entries += hits.entries;
        self.bytes += hits.lines.iter().map(|line| line.text.len() as u64).sum::<u64>();
        if self.mode != Mode::Content {
            self.files.push(hits);
        } else if found.keep == MatchRetention::Lines {
            self.window.keep(hits);
        }
    }
}

impl FileResult {
    fn of(gather: MatchSink<'_>, place: &FoundFile<'_>, modified: i64) -> Self {
        let MatchSink { keep, stopped, only_ascii, .. } = gather;
        let hits =
            (gather.matching_lines > 0).then(|| Hits::of(gather, Relative(place.relative.into()), modified));
        Self { hits, keep, stopped, only_ascii }
    }
}

/// Returns a function that decides whether the lines of a file are kept: only if the request asks for lines and the
/// window may need those of this file.
fn keep(window: &Window, mode: Mode, place: &FoundFile<'_>) -> impl Fn() -> MatchRetention {
    move || {
        if mode == Mode::Content && window.wants(place.relative) {
            MatchRetention::Lines
        } else {
            MatchRetention::Nothing
        }
    }
}
