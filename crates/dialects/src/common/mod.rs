//! Rendering shared by several dialects.

pub(crate) mod block;
pub(crate) mod changed;
pub(crate) mod consulted;
pub(crate) mod document;
pub(crate) mod fetched;
pub(crate) mod found;
pub(crate) mod matched;
pub(crate) mod navigated;
mod notebook;
pub(crate) mod numbered;
pub(crate) mod ran;
pub(crate) mod script;
pub(crate) mod tasks;
pub(crate) mod untrusted;
pub(crate) mod walked;
pub(crate) mod whole;
pub(crate) mod written;
