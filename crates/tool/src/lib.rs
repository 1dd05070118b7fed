//! The kit in which a dialect is written.
