//! Files: reading, status and content of documents.

pub(crate) mod document;
pub(crate) mod lookup;
pub mod picture;
pub mod read;
pub mod stat;
pub(crate) mod symbol_failure;
pub mod view;
