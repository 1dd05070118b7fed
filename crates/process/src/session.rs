//! The key of a session in the tables of this crate.

/// Whose jobs they are; it outlives connections.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionKey(pub String);
