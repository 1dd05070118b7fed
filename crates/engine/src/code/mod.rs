//! Code: symbols, relations, navigation and structural queries.

pub mod navigate;
pub mod outline;
pub mod query;
pub mod relations;
pub mod symbol;
pub(crate) mod symbol_index;
pub mod symbols;
