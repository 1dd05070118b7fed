//! What several dialects say in the same way.

pub(crate) mod changed;
pub(crate) mod walked;
