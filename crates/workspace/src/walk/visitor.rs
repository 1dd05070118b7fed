//! The interface between a directory walk and its caller: the visitor, which receives the entries.

use super::entry::{Candidate, Entry};
use super::stats::{EntryType, Reason};

/// Receives the entries of a walk; each thread has its own visitor.
pub trait Visitor: Send {
    /// Data that the visitor attaches to a directory, and receives again for each entry in it.
    type Place: Send + Sync;

    /// Classifies an entry before any ignore rule is evaluated, so that no rules are matched for unwanted
    /// names.
    fn judge(&mut self, place: &Self::Place, candidate: &Candidate<'_>) -> Claim;

    /// Visits an entry for which [`Visitor::judge`] returned [`Claim::Named`], or [`Claim::Wanted`] if no
    /// rule excludes the entry.
    fn visit(&mut self, place: &Self::Place, entry: &Entry<'_>) -> Next<Self::Place>;

    /// Receives an entry that a rule or option excludes although [`Visitor::judge`] returned [`Claim::Wanted`].
    /// `relative` is the path relative to the start of the walk.
    fn left_out(&mut self, relative: &[u8], what: EntryType, reason: Reason) {
        let _ = (relative, what, reason);
    }
}

/// Decision of a visitor about an entry of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Unwanted: the walk does not visit, enter or count the entry.
    Pass,
    /// Wanted, unless a rule or option excludes the entry.
    Wanted,
    /// Named explicitly: visited even if an ignore rule matches.
    Named,
}

/// Decision of a visitor about how the walk continues after it has visited an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<P> {
    /// Continue the walk without entering the visited directory.
    On,
    /// Enter the visited directory, with this data for its entries. Ignored if the entry is not a directory.
    Enter(P),
    /// End the walk for all threads.
    Stop,
}
