//! Errors of a keyword search.

use crate::filter::BadFilter;

/// The reason why a keyword search failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchError {
    /// A filter in the query, such as `lang:rust`, is not valid.
    Filter(BadFilter),
    /// The wildcards or the edit distance of the query match more distinct words than this.
    Wide(usize),
    /// A file has changed since it was indexed, so the index must be updated first.
    Stale,
    /// A part of the index was damaged; the next update rebuilds it.
    Damaged,
}
