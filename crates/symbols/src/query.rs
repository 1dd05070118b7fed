//! Queries of a graph: symbols by name or id, and relations between symbols.

mod by_id;
mod edges;
mod find;
mod incoming;
mod occurrences;

pub use by_id::{IdHistory, IdLookup, SuccessorEvidence};
pub use find::{Hit, Hits, MatchQuality, SymbolQuery};
pub use occurrences::{Occurrence, Outcome};
