//! The interface between a walk and its caller.

use super::entry::{Candidate, Entry};
use super::ledger::{Reason, What};

/// Sees what a walk finds; every thread of the walk has its own.
pub trait Visitor: Send {
    /// What the visitor knows about a directory; it is handed down the tree.
    type Place: Send + Sync;

    /// Judges a name before any rule does, so that a name that nobody wants costs no rule.
    fn judge(&mut self, place: &Self::Place, candidate: &Candidate<'_>) -> Claim;

    /// Sees an entry that was claimed and that no rule left out.
    fn visit(&mut self, place: &Self::Place, entry: &Entry<'_>) -> Next<Self::Place>;

    /// Hears of a name, below the start of the walk, that was claimed and that a rule left out.
    fn left_out(&mut self, relative: &[u8], what: What, reason: Reason) {
        let _ = (relative, what, reason);
    }
}

/// What a visitor says about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Not wanted: neither visited nor entered nor counted.
    Pass,
    /// Wanted, if no rule leaves it out.
    Wanted,
    /// Asked for by this very name: no rule applies to it.
    Named,
}

/// How the walk goes on after a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<P> {
    /// On to the next entry, without entering this one.
    On,
    /// Into this directory too; ignored for anything else.
    Enter(P),
    /// The whole walk ends.
    Stop,
}
