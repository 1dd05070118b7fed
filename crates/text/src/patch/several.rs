//! Hunks that match at several locations of a file.

use super::apply::moves_on;
use super::hunk::Hunk;
use super::hunk_error::HunkProblem;
use super::locate::{HunkLocation as Location, Page, PlacementReason};
use crate::cut;
use crate::matching::MatchLocation;
use crate::plural::counted;

/// Maximum number of locations that an error or a note lists.
const PLACES: usize = 5;

/// Maximum number of characters that an error shows of a location.
const WIDTH: usize = 160;

/// The locations that a hunk can mean: their number and the first of them, as lines counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Locations {
    pub(super) count: usize,
    first: Vec<usize>,
}

impl Locations {
    pub(super) fn of(all: &[usize]) -> Self {
        Self { count: all.len(), first: all.iter().take(PLACES).copied().collect() }
    }

    /// Builds the error for a hunk that does not determine which location it means. `header` is the line
    /// number in the hunk's header, counted from 1.
    pub(super) fn problem(&self, page: &Page<'_>, header: Option<usize>) -> HunkProblem {
        let place = |line: &usize| MatchLocation {
            line: line + 1,
            text: page.lines.get(*line).map_or(String::new(), |text| cut::line(text, WIDTH).0.to_owned()),
        };
        HunkProblem::Ambiguous { count: self.count, places: self.first.iter().map(place).collect(), header }
    }

    /// Describes why one of several locations was chosen; `None` if no other location can be meant.
    pub(super) fn note(&self, page: &Page<'_>, name: &str, hunk: &Hunk, place: &Location) -> Option<String> {
        let why = match place.chosen {
            PlacementReason::Only => return None,
            PlacementReason::AfterScope if self.count == 1 => return below(page, name, hunk, place),
            _ if self.count == 1 => return None,
            PlacementReason::First => "the first".to_owned(),
            PlacementReason::Last => "the last".to_owned(),
            PlacementReason::AfterScope => "the first after the line that follows `@@`".to_owned(),
            PlacementReason::Nearest { expected, .. } => match hunk.numbers.map(|numbers| numbers.old.0) {
                // The header numbers are corrected by the lines that the previous hunk was off.
                Some(header) if header != expected + 1 => {
                    format!(
                        "the nearest to line {} (line {header} of its header, shifted like the previous hunk)",
                        expected + 1
                    )
                }
                _ => format!("the nearest to line {} of its header", expected + 1),
            },
        };
        let (count, used) = (counted(self.count as u64, "time"), place.first + 1);
        Some(format!("the lines of {name} occur {count}, {}; used line {used}, {why}", self.list()))
    }

    /// Lists the lines of the locations, such as "at lines 3, 12 and 40".
    fn list(&self) -> String {
        let lines: Vec<String> = self.first.iter().map(|line| (line + 1).to_string()).collect();
        match (lines.split_last(), self.count - lines.len()) {
            (Some((last, before)), 0) => format!("at lines {} and {last}", before.join(", ")),
            (_, more) => format!("at lines {} (and {more} more)", lines.join(", ")),
        }
    }
}

/// Returns a note if the lines of a hunk occur several times after the line that follows `@@`, and that line opens no
/// block that would contain only one of them.
fn below(page: &Page<'_>, name: &str, hunk: &Hunk, place: &Location) -> Option<String> {
    if place.count == 0 || page.opens_block(place) {
        return None;
    }
    let after = page.all_from(hunk, place, place.first);
    let all = Locations::of(&after);
    let count = counted(after.len() as u64, "time");
    (after.len() > 1).then(|| {
        let (list, used) = (all.list(), place.first + 1);
        format!(
            "the lines of {name} occur {count} after the line that follows `@@`, {list}; used line {used}"
        )
    })
}

/// Finds for each hunk the locations that it can mean, given the locations of the hunks after it.
///
/// The hunks were placed in order, each as early as possible. A later location counts only if all later hunks
/// still fit after it.
pub(super) fn locations(page: &Page<'_>, hunks: &[Hunk], places: &[Location]) -> Vec<Locations> {
    let mut bound = page.lines.len();
    let mut found = Vec::with_capacity(hunks.len());
    for (hunk, place) in hunks.iter().zip(places).rev() {
        let mut all = match place.chosen {
            PlacementReason::Only => vec![place.first],
            _ => page.locations(hunk, place),
        };
        if place.chosen.is_open() {
            all.retain(|first| *first == place.first || first + place.count <= bound);
        }
        if moves_on(hunk, place) {
            let last = all.last().copied().filter(|_| place.chosen.is_open());
            bound = last.unwrap_or(place.first).max(place.first);
        }
        found.push(Locations::of(&all));
    }
    found.reverse();
    found
}
