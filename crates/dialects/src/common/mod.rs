//! What several dialects say in the same way.

pub(crate) mod changed;
pub(crate) mod counted;
pub(crate) mod document;
pub(crate) mod found;
mod notebook;
pub(crate) mod numbered;
pub(crate) mod walked;
pub(crate) mod whole;
