//! The symbols of a workspace's code and how they use one another.

mod copies;
mod doubts;
mod edge;
mod edge_cache;
#[doc(hidden)]
pub mod fuzzing;
mod graph;
mod ids;
mod index;
mod links;
mod manifest;
mod modules;
mod path;
mod query;
mod record;
mod resolve;
mod rules;
mod scip;
mod segment;
mod sites;
mod target;
mod word;

pub use copies::built_from;
pub use doubts::UnresolvedNames;
pub use edge::{Counts, Direction, Edge, Edges, Relation, Unresolved};
pub use graph::{ExternalAnswer, File, FilePosition, Graph, LazyRecord, Tally};
pub use ids::{At, FileId};
pub use index::{GraphGuard, Index, LeftOut};
pub use links::{Link, Links};
pub use manifest::is_manifest;
pub use query::{
    Hit, Hits, IdHistory, IdLookup, MatchQuality, Occurrence, Outcome, SuccessorEvidence, SymbolQuery,
};
pub use record::{
    Base, BindingKind, Expression, Hint, ImportRecord, ImportTarget, KindCode, Local, Record,
    ReferenceRecord, Span, Step, SymbolRecord, Usage, VERSION, make,
};
pub use sites::{Site, bytes};
pub use target::{Certainty, Resolution, ResolutionMethod, Target};
pub use toolpost_index_lifecycle::UpdateError;
pub use word::{Word, Words};
