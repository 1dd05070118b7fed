//! What a file that is not plain text shows: images, PDF pages, notebook cells, office documents, entries of archives.
//!
//! Bytes go in, parts come out: no I/O, no async, no words for a model beyond the errors.

pub mod image;
mod kind;
pub mod notebook;
pub mod office;
pub mod pdf;

pub use kind::{Kind, kind};
