//! Matching of one file or directory against the glob, the kind and the depth of a request.

use toolpost_workspace::walk::Claim;

use super::EntryKinds;
use super::pattern::{NameMatch, Pattern, State, Step};

/// A glob with the requested kind and depth of the entries to find.
pub(super) struct Judge {
    pub(super) pattern: Pattern,
    pub(super) only: EntryKinds,
    /// The maximum depth; 1 is directly in the directory where the walk starts.
    pub(super) depth: usize,
}

impl Judge {
    /// Returns whether an entry that is not a directory is wanted; `place` is the state of the glob in its directory.
    pub(super) fn file(&self, place: &State, name: &[u8]) -> Claim {
        match self.only {
            EntryKinds::Directories => Claim::Pass,
            EntryKinds::Files | EntryKinds::Any => claim(self.pattern.accepts(place, name)),
        }
    }

    /// Returns whether a directory is wanted or may contain wanted entries; its depth is `level`, from 1. Also returns
    /// the state of the glob inside it.
    pub(super) fn directory(&self, place: &State, name: &[u8], level: usize) -> (Claim, Step) {
        let step = self.pattern.step(place, name);
        let enters = level < self.depth;
        if enters && !step.named_below.is_empty() {
            return (Claim::Named, step);
        }
        let wanted = if self.only == EntryKinds::Files { Claim::Pass } else { claim(step.accepted) };
        let leads_on = enters && !step.below.is_empty();
        (if wanted == Claim::Pass && leads_on { Claim::Wanted } else { wanted }, step)
    }
}

fn claim(accepted: NameMatch) -> Claim {
    match accepted {
        NameMatch::No => Claim::Pass,
        NameMatch::Wild => Claim::Wanted,
        NameMatch::Named => Claim::Named,
    }
}
