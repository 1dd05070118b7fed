//! Judgement of an entry by the pattern.

use toolpost_workspace::walk::Claim;

use super::Only;
use super::pattern::{Accepted, Pattern, State, Step};

/// A pattern with the wanted kind and depth.
pub(super) struct Judge {
    pub(super) pattern: Pattern,
    pub(super) only: Only,
    /// The maximum depth.
    pub(super) depth: usize,
}

impl Judge {
    /// Judges an entry that is not a directory.
    pub(super) fn file(&self, place: &State, name: &[u8]) -> Claim {
        match self.only {
            Only::Directories => Claim::Pass,
            Only::Files | Only::Any => claim(self.pattern.accepts(place, name)),
        }
    }

    /// Judges a directory at a level, counted from 1; also returns the state of the pattern inside it.
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
