//! What is asked of a graph: symbols by name, a symbol by its id, and how symbols use one another.

mod edges;
mod find;
mod incoming;
mod known;

pub use edges::{Counts, Direction, Edge, Edges, Relation, Unresolved};
pub use find::{Fit, Hit, Hits, Wanted};
pub(crate) use incoming::Asked;
pub use known::{Again, Once, Resolved};
