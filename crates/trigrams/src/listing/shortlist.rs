//! Selection of the files that may match a pattern, with counts of all other files.

use toolpost_workspace::walk::{Claim, EntryType, FileStat, SkippedEntries, is_unreadable_at};

use super::{Key, Listing, TALLIES, beginning};
use crate::key;
use crate::sieve::{Sieve, Tally};
use crate::source::{CandidateDoc, Form, Lines, Question};
use crate::unavailable::Unavailable;

/// The files that may match a pattern (candidates), and counts of the files that cannot match.
#[derive(Clone, Debug, Default)]
pub struct Shortlist {
    /// The candidates, in path order.
    pub files: Vec<CandidateFile>,
    /// The number of text files that are not candidates.
    pub without: u64,
    /// The number of files with NUL bytes that are not candidates.
    pub binary: u64,
    /// The number of wanted files that may not be read. They are not candidates.
    pub withheld: u64,
    /// The display paths of the first few withheld files, in path order.
    pub withheld_names: Vec<String>,
    /// The numbers of entries that ignore rules exclude, by rule.
    pub skipped: SkippedEntries,
    /// The unreadable paths, with reasons.
    pub unreadable: Vec<String>,
}

/// A file that may match a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateFile {
    key: Key,
    /// The length of the part of `key` that encodes the directory where the search starts, in bytes.
    above: usize,
    /// Modification time, in nanoseconds since 1970; 0 if unknown.
    pub modified: i64,
    /// The parts in which a match is possible; `None` if the whole file has to be searched.
    pub parts: Option<Parts>,
}

impl CandidateFile {
    /// Returns the path relative to the directory where the search starts.
    #[must_use]
    pub fn relative(&self) -> Vec<u8> {
        key::relative(self.key.get(..self.above).unwrap_or_default(), &self.key)
    }
}

/// The parts of a file in which a match is possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The metadata of the file when the parts were determined.
    pub stat: FileStat,
    /// The parts, in the order of their positions.
    pub lines: Box<[Lines]>,
}

/// A candidate before the filter is applied.
struct UnfilteredCandidate<'l> {
    key: &'l Key,
    modified: i64,
    form: Option<Form>,
    parts: Option<Parts>,
    /// Set if an ignore rule excludes the file but the search names it explicitly. Such a file is not in the
    /// counts of the filter.
    named: bool,
}

/// The maximum number of unreadable paths. If there are more, the search does not use the index, but walks the files
/// and counts the unreadable paths.
const UNREADABLE: usize = 20;

impl Listing {
    /// Returns the files that the filter accepts and that may match the pattern, with counts of all other files.
    pub(crate) fn shortlist(
        &mut self,
        question: &Question<'_>,
        sieve: Sieve,
    ) -> Result<Shortlist, Unavailable> {
        if self.unreadable.len() > UNREADABLE {
            return Err(Unavailable::Unreadable);
        }
        if !self.covers(&sieve) {
            return Err(Unavailable::LeftOut);
        }
        let mut tally = self.counted(sieve)?;
        let found = self.candidates(question, &mut tally)?;
        let mut known = tally.count.clone();
        let mut files = Vec::with_capacity(found.len());
        let mut withheld = tally.withheld_keys();
        for UnfilteredCandidate { key, modified, form, parts, named } in found {
            if named && !tally.may_read(&key::relative(&tally.prefix, key)) {
                known.withheld += 1;
                withheld.insert(Key::clone(key));
                continue;
            }
            if !tally.lets(key) {
                continue;
            }
            if form == Some(Form::Text) {
                known.text = known.text.saturating_sub(1);
            }
            files.push(CandidateFile { key: Key::clone(key), above: tally.prefix.len(), modified, parts });
        }
        let shortlist = Shortlist {
            files,
            without: known.text,
            binary: known.binary,
            withheld: known.withheld,
            withheld_names: tally.names(&withheld),
            skipped: tally.skipped.clone().unwrap_or_default(),
            unreadable: self.unreadable_below(&tally.sieve),
        };
        self.keep(tally);
        Ok(shortlist)
    }

    /// Returns whether the listing has the files of the directory where a search starts. If a rule excludes that
    /// directory, or it is in an external root, the listing has none.
    pub(super) fn covers(&self, sieve: &Sieve) -> bool {
        let (base, prefix) = (&sieve.base, key::prefix(&sieve.base));
        let is_external = base.root().label().is_some();
        !is_external && (base.is_root() || beginning(&self.files, &prefix).next().is_some())
    }

    /// Counts the files that a filter accepts, or returns the cached counts.
    fn counted(&mut self, sieve: Sieve) -> Result<Tally, Unavailable> {
        let kept = self.tallies.iter().position(|tally| tally.is_of(&sieve));
        let mut tally = match kept {
            Some(place) => {
                let mut tally = self.tallies.remove(place);
                tally.sieve = sieve;
                tally
            }
            None => {
                let mut tally = Tally::new(sieve);
                let prefix = tally.prefix.clone();
                for (key, file) in beginning(&self.files, &prefix) {
                    tally.weigh(key, file.at.map(|at| at.form), 1);
                }
                tally
            }
        };
        if tally.skipped.is_none() {
            let prefix = tally.prefix.clone();
            let left = beginning(&self.left, &prefix).map(|(key, left)| (&**key, *left));
            tally.skipped = Some(tally.leave_out(left).ok_or(Unavailable::LeftOut)?);
        }
        Ok(tally)
    }

    fn keep(&mut self, tally: Tally) {
        self.tallies.truncate(TALLIES - 1);
        self.tallies.insert(0, tally);
    }

    /// Collects the files that the segments cannot exclude, and those that no segment covers.
    fn candidates(
        &self,
        question: &Question<'_>,
        tally: &mut Tally,
    ) -> Result<Vec<UnfilteredCandidate<'_>>, Unavailable> {
        let prefix = tally.prefix.clone();
        let mut found = Vec::new();
        for (number, held) in &self.held {
            let files = held.segment.find(question).map_err(|_| Unavailable::Cache(*number))?;
            let odd = held.segment.odd().iter().map(|doc| CandidateDoc { doc: *doc, parts: Vec::new() });
            for CandidateDoc { doc, parts } in files.into_iter().chain(odd) {
                let Some(file) = held.segment.docs().get(doc as usize) else { continue };
                if !held.is_live(doc) || !file.key.starts_with(&prefix) {
                    continue;
                }
                let len = |part: &Lines| u64::from(part.bytes.end - part.bytes.start);
                let whole = parts.iter().map(len).sum::<u64>() >= file.stat.len;
                let parts =
                    (!whole && !parts.is_empty()).then(|| Parts { stat: file.stat, lines: parts.into() });
                found.push(UnfilteredCandidate {
                    key: &file.key,
                    modified: file.stat.modified,
                    form: Some(file.form),
                    parts,
                    named: false,
                });
            }
        }
        for key in self.dirty.range(Key::from(prefix.as_slice())..).take_while(|key| key.starts_with(&prefix))
        {
            let modified = self.files.get(key).map_or(0, |file| file.stat.modified);
            found.push(UnfilteredCandidate { key, modified, form: None, parts: None, named: false });
        }
        if tally.sieve.judge.is_some() {
            for (key, left) in beginning(&self.left, &prefix).filter(|(_, left)| left.what == EntryType::File)
            {
                // A file that the caller names explicitly is searched even if a rule excludes it.
                if tally.judged(&key::relative(&prefix, key), left.what) == Claim::Named {
                    found.push(UnfilteredCandidate {
                        key,
                        modified: 0,
                        form: None,
                        parts: None,
                        named: true,
                    });
                }
            }
        }
        // Each segment returns its files in order, so the sort only merges a few sorted runs.
        found.sort_by_key(|known| known.key);
        Ok(found)
    }

    pub(super) fn unreadable_below(&self, sieve: &Sieve) -> Vec<String> {
        let base = sieve.base.display();
        self.unreadable.iter().filter(|line| is_unreadable_at(line, &base)).cloned().collect()
    }
}
