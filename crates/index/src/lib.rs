//! Symbol graph and ranked search of a workspace's code.

mod copies;
mod doubts;
mod edge;
mod edge_cache;
pub mod embed;
mod files;
mod graph;
mod ids;
mod index;
mod lifecycle;
mod links;
mod manifest;
mod modules;
mod path;
mod query;
pub mod ranked;
mod record;
mod resolve;
mod rules;
mod scip;
mod segment;
mod sites;
mod target;
mod word;

pub use copies::built_from;
pub use doubts::Doubts;
pub use edge::{Counts, Direction, Edge, Edges, Relation, Unresolved};
pub use graph::{Answer, File, Graph, Kept, Place, Tally};
pub use ids::{At, FileId};
pub use index::{Index, LeftOut, Lent, Trouble};
pub use links::Link;
pub use manifest::is_manifest;
pub use query::{Again, Fit, Hit, Hits, Occurrence, Once, Outcome, Resolved, Wanted};
pub use record::{
    Base, Bound, Defined, Expression, Hint, Imported, Local, Record, Sort, Span, Step, Usage, Used, VERSION,
    What, make,
};
pub use sites::{Site, bytes};
pub use target::{Found, How, Sure, Target};
pub use word::{Word, Words};
