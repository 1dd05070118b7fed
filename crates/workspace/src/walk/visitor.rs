//! The interface between a walk and its caller.

use super::entry::{Candidate, Entry};
use super::stats::{EntryType, Reason};

/// Receives the entries of a walk; each thread has its own visitor.
pub trait Visitor: Send {
    /// Per-directory data of the visitor, passed down the tree.
    type Place: Send + Sync;

    /// Judges a name before any rule is evaluated, so that unwanted names cost no matching.
    fn judge(&mut self, place: &Self::Place, candidate: &Candidate<'_>) -> Claim;

    /// Visits a claimed entry that no rule excludes.
    fn visit(&mut self, place: &Self::Place, entry: &Entry<'_>) -> Next<Self::Place>;

    /// Receives a claimed name that a rule excludes; `relative` is below the start of the walk.
    fn left_out(&mut self, relative: &[u8], what: EntryType, reason: Reason) {
        let _ = (relative, what, reason);
    }
}

/// Interest of a visitor in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Unwanted: not visited, entered or counted.
    Pass,
    /// Wanted unless a rule excludes it.
    Wanted,
    /// Named explicitly: no rule applies.
    Named,
}

/// Continuation of the walk after a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<P> {
    /// Continue without entering this entry.
    On,
    /// Enter this directory; ignored for other entries.
    Enter(P),
    /// End the walk.
    Stop,
}
