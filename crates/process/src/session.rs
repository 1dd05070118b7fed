//! The key of a session in the tables of this crate.

/// The owner of jobs; it outlives connections.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionKey(pub String);
