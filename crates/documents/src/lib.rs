//! Readers for files that are not plain text: images, PDF pages, notebook cells, office documents and archive entries.
//!
//! The readers convert bytes to parts, such as pages or cells. They do no I/O, are not async, and write no text for a
//! model except errors and notes.

#![cfg_attr(
    not(feature = "readers"),
    expect(dead_code, reason = "only the readers use this code, and this build has none")
)]

pub mod image;
mod kind;
pub mod notebook;
pub mod office;
pub mod pdf;

pub use kind::{Kind, kind};

/// The message of every reader's error in a build without readers.
const UNAVAILABLE: &str =
    "this program was built without the feature `documents`: rebuild it with that feature";
