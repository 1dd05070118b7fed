//! The integration tests of this crate, in one binary, because linking each file separately takes longer than running
//! it.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests create their own files")]

mod definitions;
mod embed_rows;
mod embeddings;
mod example;
mod killed;
mod local_model;
mod rounds;
mod rows;
