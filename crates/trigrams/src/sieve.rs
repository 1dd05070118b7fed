//! Filters for the files of a search, with counts.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use toolpost_workspace::WorkspacePath;
use toolpost_workspace::walk::{Claim, EntryType, Reason, SkippedEntries, found_below};

use crate::key::{self, Key};
use crate::scan::ExcludedEntry;
use crate::source::Form;

/// Classifies a path relative to the start of a search, like
/// [`Visitor::judge`](toolpost_workspace::walk::Visitor::judge).
pub type Judge = Arc<dyn Fn(&[u8], EntryType) -> Claim + Send + Sync>;

/// Returns whether a file may be read.
pub type MayRead = Arc<dyn Fn(&WorkspacePath) -> bool + Send + Sync>;

/// The filter of a search.
#[derive(Clone)]
pub struct Sieve {
    /// The directory where the search starts.
    pub base: WorkspacePath,
    /// Selects the wanted files; `None` for all.
    pub judge: Option<Judge>,
    /// Selects the files that may be read; `None` for all.
    pub may_read: Option<MayRead>,
    /// Cache key: filters with the same name and base must accept the same files.
    pub name: String,
}

/// Counts of wanted files. Files that each search has to read are counted only if they may not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// The number of text files, whose trigrams are known.
    pub(crate) text: u64,
    /// The number of files that contain NUL bytes.
    pub(crate) binary: u64,
    /// The number of files that may not be read.
    pub(crate) withheld: u64,
}

/// A filter with its counts.
pub(crate) struct Tally {
    pub(crate) sieve: Sieve,
    pub(crate) prefix: Vec<u8>,
    pub(crate) count: Count,
    /// The numbers of entries that ignore rules exclude, by rule; `None` if they must be counted again.
    pub(crate) skipped: Option<SkippedEntries>,
    /// The files that the filter wants but that may not be read. They are cached, because checking the access rules
    /// for each candidate would take longer than finding the candidates.
    withheld: HashSet<Key>,
    way: DirectoryVerdict,
}

/// The maximum number of withheld files (files that may not be read) that a search lists by name.
pub const WITHHELD_NAMES: usize = 3;

/// The directory that was classified last, and whether a walk enters it.
#[derive(Default)]
struct DirectoryVerdict {
    directory: Vec<u8>,
    open: Option<bool>,
}

impl Tally {
    pub(crate) fn new(sieve: Sieve) -> Self {
        let prefix = key::prefix(&sieve.base);
        Self {
            sieve,
            prefix,
            count: Count::default(),
            skipped: None,
            withheld: HashSet::new(),
            way: DirectoryVerdict::default(),
        }
    }

    /// Returns whether the counts are also valid for another filter.
    pub(crate) fn is_of(&self, sieve: &Sieve) -> bool {
        let rules = match (&self.sieve.may_read, &sieve.may_read) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, Some(_)) | (Some(_), None) => false,
        };
        rules && self.sieve.name == sieve.name && self.sieve.base == sieve.base
    }

    /// Returns whether a walk finds a file and the filter accepts it.
    pub(crate) fn wants(&mut self, relative: &[u8]) -> bool {
        self.judged(relative, EntryType::File) != Claim::Pass
    }

    /// Returns whether a file is wanted and may be read.
    pub(crate) fn lets(&mut self, key: &[u8]) -> bool {
        let wanted = self.sieve.judge.is_none() || self.wants(&key::relative(&self.prefix, key));
        wanted && !self.is_withheld(key)
    }

    /// Classifies an entry of a walk. Entries below an unwanted directory are unwanted.
    pub(crate) fn judged(&mut self, relative: &[u8], what: EntryType) -> Claim {
        let Some(judge) = &self.sieve.judge else { return Claim::Wanted };
        if self.way.is_open(relative, judge) { judge(relative, what) } else { Claim::Pass }
    }

    /// Returns whether a file may be read.
    pub(crate) fn may_read(&self, relative: &[u8]) -> bool {
        let Some(may_read) = &self.sieve.may_read else { return true };
        found_below(&self.sieve.base, relative).is_some_and(|path| may_read(&path))
    }

    /// Lists the files that the filter wants but that may not be read.
    pub(crate) fn withheld_keys(&self) -> BTreeSet<Key> {
        self.withheld.iter().cloned().collect()
    }

    /// Returns the display paths of the first few of the given files.
    pub(crate) fn names(&self, keys: &BTreeSet<Key>) -> Vec<String> {
        let path = |key: &Key| found_below(&self.sieve.base, &key::relative(&self.prefix, key));
        keys.iter().filter_map(path).take(WITHHELD_NAMES).map(|path| path.display()).collect()
    }

    /// Returns whether a file that the filter wants may not be read.
    fn is_withheld(&self, key: &[u8]) -> bool {
        !self.withheld.is_empty() && self.withheld.contains(key)
    }

    /// Adds `by` to the count of wanted files of this form, or of those that may not be read. Other files that each
    /// search has to read are not counted.
    pub(crate) fn weigh(&mut self, key: &[u8], form: Option<Form>, by: i64) {
        if !key.starts_with(&self.prefix) {
            return;
        }
        let relative = key::relative(&self.prefix, key);
        if !self.wants(&relative) {
            return;
        }
        let withheld = if by < 0 { self.withheld.remove(key) } else { !self.may_read(&relative) };
        if withheld && by > 0 {
            self.withheld.insert(key.into());
        }
        let count = match form {
            _ if withheld => &mut self.count.withheld,
            Some(Form::Text) => &mut self.count.text,
            Some(Form::Binary) => &mut self.count.binary,
            Some(Form::Odd) | None => return,
        };
        *count = count.saturating_add_signed(by);
    }

    /// Counts the entries that ignore rules exclude, by rule. Returns `None` if the search enters one of the excluded
    /// directories, so that the listing lacks wanted files.
    pub(crate) fn leave_out<'l>(
        &mut self,
        left: impl Iterator<Item = (&'l [u8], ExcludedEntry)>,
    ) -> Option<SkippedEntries> {
        let mut skipped = SkippedEntries::default();
        for (key, ExcludedEntry { what, reason }) in left {
            let relative = key::relative(&self.prefix, key);
            let claim = self.judged(&relative, what);
            if what == EntryType::Directory && (claim == Claim::Named || self.is_lifted(&relative, reason)) {
                return None;
            }
            if claim == Claim::Wanted {
                let base = &self.sieve.base;
                let name = || found_below(base, &relative).map(|path| path.display()).unwrap_or_default();
                skipped.count(reason, what, name);
            }
        }
        Some(skipped)
    }

    /// Returns whether the search enters an excluded directory, because it starts inside a directory of the same
    /// name.
    fn is_lifted(&self, relative: &[u8], reason: Reason) -> bool {
        let by_name = matches!(reason, Reason::Dependency | Reason::VersionControl);
        let name = relative.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let mut above = self.sieve.base.relative().components();
        by_name && above.any(|part| part.as_os_str().as_encoded_bytes() == name)
    }
}

impl DirectoryVerdict {
    /// Returns whether a walk enters all directories on the path.
    fn is_open(&mut self, relative: &[u8], judge: &Judge) -> bool {
        let Some(end) = relative.iter().rposition(|byte| *byte == b'/') else { return true };
        let directory = relative.get(..end).unwrap_or_default();
        if let Some(open) = self.open
            && self.directory == directory
        {
            return open;
        }
        let ends = directory.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let open = ends
            .chain([directory.len()])
            .all(|end| judge(directory.get(..end).unwrap_or_default(), EntryType::Directory) != Claim::Pass);
        self.directory.clear();
        self.directory.extend_from_slice(directory);
        self.open = Some(open);
        open
    }
}
