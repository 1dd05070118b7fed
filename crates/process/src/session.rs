//! The key by which the tables of jobs, networks and temporary directories find a session.

/// The key of a session, which owns jobs and outlives connections.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionKey(pub String);
