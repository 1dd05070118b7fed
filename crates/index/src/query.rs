//! Queries of a graph: symbols by name or id, and relations between symbols.

mod edges;
mod find;
mod incoming;
mod known;
mod occurrences;

pub use find::{Fit, Hit, Hits, Wanted};
pub use known::{Again, Once, Resolved};
pub use occurrences::{Occurrence, Outcome};
