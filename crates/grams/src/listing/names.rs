//! Queries by name, answered from the listing.

use toolpost_workspace::walk::{Claim, EntryType, Kind, Skipped};

use super::{Listing, beginning};
use crate::key;
use crate::sieve::{Sieve, Tally};
use crate::unavailable::Unavailable;

/// The entries with a wanted name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// All of it but directories, in path order.
    pub files: Vec<Named>,
    /// The entries that rules exclude.
    pub skipped: Skipped,
}

/// Something that has a name that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its path below the start of the search.
    pub relative: Box<[u8]>,
    /// When it was last changed, in nanoseconds since 1970.
    pub modified: i64,
    /// The kind of entry; links are not followed.
    pub kind: Kind,
}

impl Listing {
    /// Returns the entries that a filter accepts. Fails if rules are lifted or something is unreadable, since only a
    /// walk gives the right result then.
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
                files.push(Named { relative: relative.into(), modified, kind });
            }
        }
        Ok(Names { files, skipped })
    }
}
