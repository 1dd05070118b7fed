//! Selection of candidate files, with a count of the others.

use toolpost_workspace::walk::{Claim, EntryType, FileStat, Skipped};

use super::{Key, Listing, TALLIES, beginning};
use crate::key;
use crate::sieve::{Sieve, Tally};
use crate::source::{Form, Found, Lines, Question};
use crate::unavailable::Unavailable;

/// The files that may match a pattern, and counts of the others.
#[derive(Clone, Debug, Default)]
pub struct Shortlist {
    /// The candidates, in path order.
    pub files: Vec<Listed>,
    /// The number of other files with text.
    pub without: u64,
    /// The number of other files with NUL bytes.
    pub binary: u64,
    /// The number of files that must not be read; none of them is a candidate.
    pub withheld: u64,
    /// The first few names of those, in path order.
    pub withheld_names: Vec<String>,
    /// The entries that rules exclude.
    pub skipped: Skipped,
    /// The unreadable paths, with reasons.
    pub unreadable: Vec<String>,
}

/// A candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    key: Key,
    /// The length of the key's prefix up to the start of the search.
    above: usize,
    /// When it was last changed, in nanoseconds since 1970; 0 if that is not known.
    pub modified: i64,
    /// The possibly matching parts; `None` if the whole file has to be searched.
    pub parts: Option<Parts>,
}

impl Listed {
    /// Returns the path below the start of the search.
    #[must_use]
    pub fn relative(&self) -> Vec<u8> {
        key::relative(self.key.get(..self.above).unwrap_or_default(), &self.key)
    }
}

/// The possibly matching parts of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The metadata of the file when the parts were determined.
    pub stat: FileStat,
    /// The parts, in order.
    pub lines: Box<[Lines]>,
}

/// A candidate before the filter is applied.
struct Known<'l> {
    key: &'l Key,
    modified: i64,
    form: Option<Form>,
    parts: Option<Parts>,
    /// Set if a rule excludes the file, so that it is not part of the count.
    named: bool,
}

/// The maximum number of unreadable paths; beyond it, a walk has to count them all.
const UNREADABLE: usize = 20;

impl Listing {
    /// Returns the files that may match a pattern.
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
        for Known { key, modified, form, parts, named } in found {
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
            files.push(Listed { key: Key::clone(key), above: tally.prefix.len(), modified, parts });
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

    /// Returns whether a walk of the whole workspace enters the start of a search.
    pub(super) fn covers(&self, sieve: &Sieve) -> bool {
        let prefix = key::prefix(&sieve.base);
        sieve.base.is_root() || beginning(&self.files, &prefix).next().is_some()
    }

    /// Counts the files that a filter accepts.
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
    fn candidates(&self, question: &Question<'_>, tally: &mut Tally) -> Result<Vec<Known<'_>>, Unavailable> {
        let prefix = tally.prefix.clone();
        let mut found = Vec::new();
        for (number, held) in &self.held {
            let files = held.segment.find(question).map_err(|_| Unavailable::Cache(*number))?;
            let odd = held.segment.odd().iter().map(|doc| Found { doc: *doc, parts: Vec::new() });
            for Found { doc, parts } in files.into_iter().chain(odd) {
                let Some(file) = held.segment.docs().get(doc as usize) else { continue };
                if !held.is_live(doc) || !file.key.starts_with(&prefix) {
                    continue;
                }
                let len = |part: &Lines| u64::from(part.bytes.end - part.bytes.start);
                let whole = parts.iter().map(len).sum::<u64>() >= file.stat.len;
                let parts =
                    (!whole && !parts.is_empty()).then(|| Parts { stat: file.stat, lines: parts.into() });
                found.push(Known {
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
            found.push(Known { key, modified, form: None, parts: None, named: false });
        }
        if tally.sieve.judge.is_some() {
            for (key, left) in beginning(&self.left, &prefix).filter(|(_, left)| left.what == EntryType::File)
            {
                // A file that the request names is searched even if a rule excludes it.
                if tally.judged(&key::relative(&prefix, key), left.what) == Claim::Named {
                    found.push(Known { key, modified: 0, form: None, parts: None, named: true });
                }
            }
        }
        // Each segment gives its files in order, so this is a merge of a few runs.
        found.sort_by_key(|known| known.key);
        Ok(found)
    }

    pub(super) fn unreadable_below(&self, sieve: &Sieve) -> Vec<String> {
        let base = format!("{}/", sieve.base.display());
        let within = |line: &&String| {
            if sieve.base.is_root() && sieve.base.root().position() == 0 {
                !line.starts_with('/')
            } else {
                line.starts_with(&base)
            }
        };
        self.unreadable.iter().filter(within).cloned().collect()
    }
}
