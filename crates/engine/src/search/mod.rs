//! Search: keyword, semantic and usage search, and investigations.

pub(crate) mod embedding_service;
pub mod investigate;
pub mod keyword;
pub(crate) mod packages;
pub mod seek;
pub mod semantic;
pub mod usage;
