//! What a pattern says of a name, and of what may lie below it.

use toolpost_workspace::walk::Claim;

use super::Only;
use super::pattern::{Accepted, Pattern, State, Step};

/// A pattern, and what is wanted of it.
pub(super) struct Judge {
    pub(super) pattern: Pattern,
    pub(super) only: Only,
    /// How many levels are looked at.
    pub(super) depth: usize,
}

impl Judge {
    /// Judges what is no directory.
    pub(super) fn file(&self, place: &State, name: &[u8]) -> Claim {
        match self.only {
            Only::Directories => Claim::Pass,
            Only::Files | Only::Any => claim(self.pattern.accepts(place, name)),
        }
    }

    /// Judges a directory on a level, of which the first is 1; gives how the pattern goes on in it, too.
    pub(super) fn directory(&self, place: &State, name: &[u8], level: usize) -> (Claim, Step) {
        let step = self.pattern.step(place, name);
        let enters = level < self.depth;
        if enters && !step.named_below.is_empty() {
            return (Claim::Named, step);
        }
        let wanted = if self.only == Only::Files { Claim::Pass } else { claim(step.accepted) };
        let leads_on = enters && !step.below.is_empty();
        (if wanted == Claim::Pass && leads_on { Claim::Wanted } else { wanted }, step)
    }
}

fn claim(accepted: Accepted) -> Claim {
    match accepted {
        Accepted::No => Claim::Pass,
        Accepted::Wild => Claim::Wanted,
        Accepted::Named => Claim::Named,
    }
}
