//! Walking a tree by descriptors, in parallel, under ignore rules.
//!
//! Every directory is opened beneath an open descriptor and never through a link, so a directory that is swapped for
//! a link while the walk runs is simply not entered. Nothing is left out silently: what a rule left out is counted in
//! [`Skipped`], what could not be read is counted in [`Unreadable`].

mod above;
mod compiled;
mod entry;
mod error;
mod exclude;
mod frame;
mod ledger;
mod listing;
mod opener;
mod options;
mod prune;
mod queue;
mod rules;
mod spot;
mod threads;
mod worker;

pub use entry::{Candidate, Entry, FileStat, Opened, Standing, found_below};
pub use error::OpenFault;
pub use ledger::{Skipped, Unreadable, What};
pub use listing::Kind;
pub use opener::Opener;
pub use options::{Hidden, Options, Prune, Rules};
pub use rules::Reason;

#[cfg(target_os = "linux")]
pub(crate) use above::{RULES, is_top};
pub(crate) use entry::file_stat;
#[cfg(target_os = "linux")]
pub(crate) use exclude::{EXCLUDE, info, open_directory};
pub use spot::{Found, Spot, show};
pub use worker::{Ended, Walked, walk};

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
