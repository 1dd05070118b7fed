//! What is remembered about a workspace's code: what each file defines and uses, and what the names in it lead to.

mod copies;
mod doubts;
pub mod embed;
mod files;
mod graph;
mod index;
mod links;
mod modules;
mod query;
pub mod ranked;
mod record;
mod resolve;
mod rules;
mod scip;
mod segment;
mod sites;
mod told;
mod word;

pub use copies::built_from;
pub use doubts::Doubts;
pub use graph::{At, File, FileId, Graph, Kept, Tally};
pub use index::{Index, LeftOut, Lent, Trouble};
pub use links::Link;
pub use modules::is_manifest;
pub use query::{
    Again, Counts, Direction, Edge, Edges, Fit, Hit, Hits, Once, Relation, Resolved, Unresolved, Wanted,
};
pub use record::{
    Base, Bound, Defined, Expression, Hint, Imported, Local, Record, Sort, Span, Step, Usage, Used, VERSION,
    What, make,
};
pub use resolve::{Found, How, Sure, Target};
pub use sites::{Site, bytes};
pub use told::{Answer, Place};
pub use word::{Word, Words};
