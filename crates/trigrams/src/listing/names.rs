//! Queries by name, answered from the listing.

use toolpost_workspace::walk::{Claim, EntryType, Kind, SkippedEntries};

use super::{Listing, beginning};
use crate::key;
use crate::sieve::{Sieve, Tally};
use crate::unavailable::Unavailable;

/// The entries that a filter accepts by name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The accepted entries except directories, in path order.
    pub files: Vec<NameMatch>,
    /// The numbers of entries that ignore rules exclude, by rule.
    pub skipped: SkippedEntries,
}

/// An entry whose name the filter accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameMatch {
    /// The path relative to the directory where the search starts.
    pub relative: Box<[u8]>,
    /// Modification time, in nanoseconds since 1970.
    pub modified: i64,
    /// The kind of entry; links are not followed.
    pub kind: Kind,
}

impl Listing {
    /// Returns the entries that a filter accepts. Fails if the search includes entries that the listing
    /// excludes, or if something is unreadable, because then only a walk returns the right result.
    pub(crate) fn names(&self, sieve: Sieve) -> Result<Names, Unavailable> {
        if !self.unreadable_below(&sieve).is_empty() {
            return Err(Unavailable::Unreadable);
        }
        if !self.covers(&sieve) {
            return Err(Unavailable::LeftOut);
        }
        let mut tally = Tally::new(sieve);
        let prefix = tally.prefix.clone();
        for (key, _) in beginning(&self.left, &prefix).filter(|(_, left)| left.what == EntryType::File) {
            if tally.judged(&key::relative(&prefix, key), EntryType::File) == Claim::Named {
                return Err(Unavailable::LeftOut);
            }
        }
        let left = beginning(&self.left, &prefix).map(|(key, left)| (&**key, *left));
        let skipped = tally.leave_out(left).ok_or(Unavailable::LeftOut)?;
        let mut files = Vec::new();
        for (key, file) in beginning(&self.files, &prefix) {
            let relative = key::relative(&prefix, key);
            if tally.wants(&relative) {
                let (modified, kind) = (file.stat.modified, file.stat.kind);
                files.push(NameMatch { relative: relative.into(), modified, kind });
            }
        }
        Ok(Names { files, skipped })
    }
}
