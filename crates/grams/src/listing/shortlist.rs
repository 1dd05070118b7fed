//! The files in which a pattern may match, and the count of the others.

use std::collections::BTreeMap;

use toolpost_workspace::walk::{Claim, Skipped, What};

use super::{Key, Listing, TALLIES, beginning};
use crate::index::Why;
use crate::key;
use crate::pattern::Pattern;
use crate::segment::Form;
use crate::sieve::{Sieve, Tally};

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
    /// What rules left out.
    pub skipped: Skipped,
    /// What could not be read, with why.
    pub unreadable: Vec<String>,
}

/// A candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its path below the start of the search.
    pub relative: Box<[u8]>,
    /// When it was last changed, in nanoseconds since 1970.
    pub modified: i64,
}

/// What is said of a candidate until it is known to be wanted.
struct Found {
    modified: i64,
    form: Option<Form>,
}

/// More places than this that cannot be read are told by a walk, which counts them all.
const UNREADABLE: usize = 20;

impl Listing {
    /// Finds the files in which a pattern may match.
    pub(crate) fn shortlist(&mut self, pattern: &Pattern, sieve: Sieve) -> Result<Shortlist, Why> {
        if self.unreadable.len() > UNREADABLE {
            return Err(Why::Unreadable);
        }
        if !self.covers(&sieve) {
            return Err(Why::LeftOut);
        }
        let mut tally = self.counted(sieve)?;
        let found = self.candidates(pattern, &mut tally)?;
        let mut known = tally.count.clone();
        let mut files = Vec::with_capacity(found.len());
        for (key, Found { modified, form }) in found {
            let relative = key::relative(&tally.prefix, &key);
            if !tally.wants(&relative) || !tally.may_read(&relative) {
                continue;
            }
            if form == Some(Form::Text) {
                known.text = known.text.saturating_sub(1);
            }
            files.push(Listed { relative: relative.into(), modified });
        }
        let shortlist = Shortlist {
            files,
            without: known.text,
            binary: known.binary,
            withheld: known.withheld,
            skipped: tally.skipped.clone().unwrap_or_default(),
            unreadable: self.unreadable_below(&tally.sieve),
        };
        self.keep(tally);
        Ok(shortlist)
    }

    /// Says whether a walk of everything enters the start of a search.
    fn covers(&self, sieve: &Sieve) -> bool {
        let prefix = key::prefix(&sieve.base);
        sieve.base.is_root() || beginning(&self.files, &prefix).next().is_some()
    }

    /// Counts what a sieve lets through.
    fn counted(&mut self, sieve: Sieve) -> Result<Tally, Why> {
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
            tally.skipped = Some(tally.leave_out(left).ok_or(Why::LeftOut)?);
        }
        Ok(tally)
    }

    fn keep(&mut self, tally: Tally) {
        if tally.sieve.name.is_none() {
            return;
        }
        self.tallies.truncate(TALLIES - 1);
        self.tallies.insert(0, tally);
    }

    /// Gathers what the segments cannot rule out, and what they do not know.
    fn candidates(&self, pattern: &Pattern, tally: &mut Tally) -> Result<BTreeMap<Key, Found>, Why> {
        let prefix = tally.prefix.clone();
        let mut found = BTreeMap::new();
        for held in self.held.values() {
            let files = held.segment.find(pattern).map_err(|_| Why::Cache)?;
            for doc in files.iter().chain(held.segment.odd()) {
                if !held.is_live(*doc) {
                    continue;
                }
                let Some(known) = held.segment.docs().get(*doc as usize) else { continue };
                if known.key.starts_with(&prefix) {
                    let file = Found { modified: known.stat.modified, form: Some(known.form) };
                    found.insert(known.key.clone(), file);
                }
            }
        }
        for key in self.dirty.range(Key::from(prefix.as_slice())..).take_while(|key| key.starts_with(&prefix))
        {
            let modified = self.files.get(key).map_or(0, |file| file.stat.modified);
            found.insert(key.clone(), Found { modified, form: None });
        }
        if tally.sieve.judge.is_some() {
            for (key, left) in beginning(&self.left, &prefix).filter(|(_, left)| left.what == What::File) {
                // What is asked for by name is searched although a rule speaks against it.
                if tally.judged(&key::relative(&prefix, key), left.what) == Claim::Named {
                    found.insert(key.clone(), Found { modified: 0, form: None });
                }
            }
        }
        Ok(found)
    }

    fn unreadable_below(&self, sieve: &Sieve) -> Vec<String> {
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
