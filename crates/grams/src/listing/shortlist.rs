//! The files in which a pattern may match, and the count of the others.

use toolpost_workspace::walk::{Claim, EntryType, FileStat, Skipped};

use super::{Key, Listing, TALLIES, beginning};
use crate::key;
use crate::sieve::{Sieve, Tally};
use crate::source::{Form, Found, Lines, Question};
use crate::unavailable::Unavailable;

/// The files in which a pattern may match, and what is known of the others.
#[derive(Clone, Debug, Default)]
pub struct Shortlist {
    /// The candidates, in path order.
    pub files: Vec<Listed>,
    /// How many other files hold text, and none that could match.
    pub without: u64,
    /// How many other files hold NUL bytes.
    pub binary: u64,
    /// How many files may not be looked into; none of them is a candidate.
    pub withheld: u64,
    /// The first few names of those, in path order.
    pub withheld_names: Vec<String>,
    /// What rules left out.
    pub skipped: Skipped,
    /// What could not be read, with why.
    pub unreadable: Vec<String>,
}

/// A candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    key: Key,
    /// How much of the key leads to the start of the search.
    above: usize,
    /// When it was last changed, in nanoseconds since 1970; 0 if that is not known.
    pub modified: i64,
    /// Where in it a match may be; none if it has to be searched as a whole.
    pub parts: Option<Parts>,
}

impl Listed {
    /// Gives its path below the start of the search.
    #[must_use]
    pub fn relative(&self) -> Vec<u8> {
        key::relative(self.key.get(..self.above).unwrap_or_default(), &self.key)
    }
}

/// The parts of a file in which a match may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// What the file was when that was known of it.
    pub stat: FileStat,
    /// The parts, in order.
    pub lines: Box<[Lines]>,
}

/// What is said of a candidate until it is known to be wanted.
struct Known<'l> {
    key: &'l Key,
    modified: i64,
    form: Option<Form>,
    parts: Option<Parts>,
    /// Whether a rule leaves it out, so that it is not among what was counted.
    named: bool,
}

/// More places than this that cannot be read are told by a walk, which counts them all.
const UNREADABLE: usize = 20;

impl Listing {
    /// Finds the files in which a pattern may match.
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

    /// Says whether a walk of everything enters the start of a search.
    pub(super) fn covers(&self, sieve: &Sieve) -> bool {
        let prefix = key::prefix(&sieve.base);
        sieve.base.is_root() || beginning(&self.files, &prefix).next().is_some()
    }

    /// Counts what a sieve lets through.
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

    /// Gathers what the segments cannot rule out, and what they do not know.
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
                // What is asked for by name is searched although a rule speaks against it.
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
