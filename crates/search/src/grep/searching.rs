//! Searches files one after the other, on one thread, and adds up what it finds.

use std::collections::BTreeSet;
use std::fs::File;

use grep_regex::RegexMatcher;
use toolpost_grams::Parts;
use toolpost_workspace::{WorkspacePath, walk};

use super::scan::{Directly, Scan, Scanner};
use super::sink::{Gather, Keep};
use super::window::{Hits, Relative, Window};
use super::{GrepRequest, Mode, Totals, Unsearched, run};

/// How many names of files that are too large are kept.
pub(super) const LARGE_NAMES: usize = 5;
/// The most names of files that policy withholds that are kept.
pub(super) const WITHHELD_NAMES: usize = toolpost_grams::WITHHELD_NAMES;

/// Searches files, on one thread, and adds up what it finds.
pub(super) struct Searching<'g> {
    window: &'g Window,
    stops: &'g (dyn Fn() -> bool + Sync),
    mode: Mode,
    scanner: Scanner,
    pub(super) files: Vec<Hits>,
    pub(super) entries: u64,
    pub(super) totals: Totals,
    pub(super) unsearched: Unsearched,
    pub(super) too_large: BTreeSet<String>,
    /// The first few files that policy withholds.
    pub(super) withheld: BTreeSet<WorkspacePath>,
    pub(super) unreadable: walk::Unreadable,
    /// Whether the search was ended in the middle of a file.
    pub(super) stopped: bool,
}

/// A file that was found.
pub(super) struct Place<'p> {
    /// Its path below the start of the search.
    pub(super) relative: &'p [u8],
    /// Gives its path as it is shown.
    pub(super) shown: &'p dyn Fn() -> String,
}

/// What was found in one file.
struct Found {
    /// None where nothing matches.
    hits: Option<Hits>,
    keep: Keep,
    stopped: bool,
    only_ascii: bool,
}

impl<'g> Searching<'g> {
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
            totals: Totals::default(),
            unsearched: Unsearched::default(),
            too_large: BTreeSet::new(),
            withheld: BTreeSet::new(),
            unreadable: walk::Unreadable::default(),
            stopped: false,
        }
    }

    /// Searches parts of a file that is open, outside of which nothing matches; says whether they were enough.
    pub(super) fn parts(&mut self, file: &File, parts: &Parts, place: &Place<'_>) -> bool {
        let keep = keep(self.window, self.mode, place);
        let found = match self.scanner.parts(file, &parts.lines, &keep, self.stops) {
            Ok(Some(gather)) => Found::of(gather, place, parts.stat.modified),
            // What cannot be read in parts says why when it is read as a whole.
            Ok(None) | Err(_) => return false,
        };
        self.take(found);
        true
    }

    /// Counts a file that policy withholds.
    pub(super) fn withhold(&mut self, path: WorkspacePath) {
        self.unsearched.withheld += 1;
        self.withheld.insert(path);
        if self.withheld.len() > WITHHELD_NAMES {
            self.withheld.pop_last();
        }
    }

    /// Searches a file that is open.
    pub(super) fn file(&mut self, file: &File, len: u64, modified: i64, place: &Place<'_>) {
        let keep = keep(self.window, self.mode, place);
        let found = match self.scanner.scan(file, len, &keep, self.stops) {
            Ok(Scan::Searched(gather)) => Found::of(gather, place, modified),
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

    fn take(&mut self, found: Found) {
        self.stopped |= found.stopped;
        self.totals.searched += 1;
        self.unsearched.only_ascii += u64::from(found.only_ascii);
        let Some(hits) = found.hits else { return };
        self.totals.files += 1;
        self.totals.matching_lines += hits.matching_lines;
        self.totals.matches += hits.matches;
        self.entries += hits.entries;
        if self.mode != Mode::Content {
            self.files.push(hits);
        } else if found.keep == Keep::Lines {
            self.window.keep(hits);
        }
    }
}

impl Found {
    fn of(gather: Gather<'_>, place: &Place<'_>, modified: i64) -> Self {
        let Gather { keep, stopped, only_ascii, .. } = gather;
        let hits =
            (gather.matching_lines > 0).then(|| Hits::of(gather, Relative(place.relative.into()), modified));
        Self { hits, keep, stopped, only_ascii }
    }
}

/// Says whether the lines of a file can be needed.
fn keep(window: &Window, mode: Mode, place: &Place<'_>) -> impl Fn() -> Keep {
    move || if mode == Mode::Content && window.wants(place.relative) { Keep::Lines } else { Keep::Nothing }
}
