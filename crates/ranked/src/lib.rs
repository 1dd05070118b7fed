//! Ranked search over blocks of code: by words, by exact text, and by meaning.
//!
//! An [`Index`] cuts the files of a workspace into [`Block`]s and stores their words. [`grammar`] parses a
//! query; results are ranked by BM25 and by the names that a block defines. [`EmbeddingIndex`] adds embeddings from
//! an [`embed::Embedder`] and combines both rankings. The index reads changed files before each query.
//!
//! ```
//! use toolpost_ranked::{Index, SearchCriterion, SearchRequest, Tests, grammar};
//! use toolpost_workspace::{Options, Workspace};
//!
//! let directory = tempfile::tempdir()?;
//! # #[expect(clippy::disallowed_methods, reason = "an example prepares its files")]
//! std::fs::write(directory.path().join("retry.py"), "def retry_request(times):\n    return times\n")?;
//! let (workspace, _) = Workspace::open(Options { roots: vec![directory.path().into()], ..Options::default() })?;
//! let base = workspace.resolve(".")?;
//!
//! let index = Index::new(workspace);
//! let query = grammar::parse("retry request").expect("two words are a query");
//! let what = SearchCriterion::Query(&query.node);
//! let ask = SearchRequest { what, base: &base, tests: Tests::Searched, may: &|_| true, after: None };
//! let found = index.lend(&|| false)?.search(&ask).expect("the index is up to date");
//! assert_eq!(found.total, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
mod definitions;
mod derived_files;
pub mod embed;
mod embeddings;
mod error;
mod exact;
mod filter;
mod find;
#[doc(hidden)]
pub mod fuzzing;
pub mod grammar;
mod hits;
mod index;
mod index_access;
mod index_file;
#[cfg(test)]
mod model;
mod paths;
pub mod portable;
mod query_reader;
mod record;
mod score;
mod search;
mod segment;
mod table;
mod test_files;
mod tokens;
mod varint;

pub use blocks::{Block, BlockKind};
pub use embeddings::{EmbeddingIndex, FillError, FillReport, Fusion, Reason, SemanticQuery, SemanticResult};
pub use error::SearchError;
pub use filter::BadFilter;
pub use index::{Index, IndexGuard, LeftOut};
pub use search::{Hit, Key, SearchCriterion, SearchRequest, SearchResult, Tests};
pub use test_files::is_test;
pub use toolpost_index_lifecycle::{PartialIndex, Patience, Rank, UpdateError};
