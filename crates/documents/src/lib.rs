//! Readers for files that are not plain text: images, PDF pages, notebook cells, office documents and archive entries.
//!
//! Bytes go in, parts come out: no I/O, no async, no text for a model except the errors.

pub mod image;
mod kind;
pub mod notebook;
pub mod office;
pub mod pdf;

pub use kind::{Kind, kind};
